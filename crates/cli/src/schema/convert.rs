//! `polywire schema convert`.

use polywire_core::Error;
use polywire_core::text::diagnostic::Diagnostics;
use polywire_core::text::sources::Files;

use super::text::{open, refused};
use crate::args::schema::convert::ConvertSchemaArgs;
use crate::failure::{Failure, unwritten};
use crate::{diagnostics, losses};
use crate::{stderr, stdout};

/// Runs the verb.
pub fn run(args: &ConvertSchemaArgs) -> Result<(), Failure> {
    let opened = open(args.file.as_deref(), args.lang)?;
    let mut files = Files::new().including(args.include.clone());
    if let Some(target) = &args.binary {
        let binary = opened.reader.binary(&opened.text(), &mut files);
        let binary =
            binary.ok_or_else(|| Error::usage("a language without a binary form").expected("one whose schemas have descriptors"))?;
        let bytes = binary.map_err(|diagnostics| refused(&diagnostics))?;
        std::fs::write(target, bytes).map_err(|error| Failure::about(Error::io("writing", &error), Some(&target.display().to_string())))?;
    }
    let Some(to) = args.to else { return Ok(()) };
    let own = (to.0.name() == opened.language.name()).then(|| opened.reader.own_text(&opened.text(), &mut files)).flatten();
    let (text, losses) = match own {
        Some(own) => own.map_err(|diagnostics| refused(&diagnostics))?,
        None => {
            let read = opened.reader.read(&opened.text(), &mut files).map_err(|diagnostics| refused(&diagnostics))?;
            diagnostics::print(&Diagnostics { sources: read.sources, findings: read.warnings });
            let (text, losses) = to.0.write(&read.schema).map_err(|error| Failure::about(error, Some(&opened.name)))?;
            (text, read.losses.into_iter().chain(losses).collect())
        }
    };
    stdout::write(text.as_bytes()).map_err(|error| unwritten(&error))?;
    if losses.is_empty() {
        return Ok(());
    }
    stderr::lines(format_args!("{}", losses::of_schema(to.0.title(), &losses)));
    Err(Failure::No)
}
