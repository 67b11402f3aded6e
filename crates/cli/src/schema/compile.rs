//! `polywire schema compile`.

use std::io::Read;

use polywire_codegen as codegen;
use polywire_codegen::Config;
use polywire_core::Error;
use polywire_core::text::sources::MAX_TEXT;

use crate::args::schema::compile::CompileArgs;
use crate::diagnostics;
use crate::failure::{Failure, unwritten};
use crate::stdout;

/// Runs the verb.
pub fn run(args: &CompileArgs) -> Result<(), Failure> {
    let name = args.file.display().to_string();
    let failed = |error| Failure::about(Error::io("reading", &error), Some(&name));
    let mut text = Vec::new();
    // One byte more than the limit, so that the reader rejects a longer text.
    std::fs::File::open(&args.file).map_err(failed)?.take(MAX_TEXT as u64 + 1).read_to_end(&mut text).map_err(failed)?;
    let config = Config::new()
        .serde(args.serde)
        .unknown_fields(args.unknown_fields)
        .include(args.include.iter().map(String::as_str))
        .borrowed(!args.owned_only)
        .owned(!args.borrowed_only)
        .encodings(args.encoding.iter().map(String::as_str));
    let compiled = config.generate(&args.file, &text).map_err(|failure| match failure {
        codegen::GenerateError::Schema(diagnostics) => {
            diagnostics::print(&diagnostics);
            Failure::Reported
        }
        codegen::GenerateError::Other(error) => Failure::about(error, Some(&name)),
    })?;
    diagnostics::print(&compiled.warnings);
    match &args.output {
        None => stdout::write(compiled.text.as_bytes()).map_err(|error| unwritten(&error)),
        Some(path) => std::fs::write(path, compiled.text)
            .map_err(|error| Failure::about(Error::io("writing", &error), Some(&path.display().to_string()))),
    }
}
