//! The Rust file of a schema: its types, and the code of each encoding.

use polywire_core::{Error, ErrorKind, Fault, Result};

use crate::encoding::Source;
use crate::options::Options;
use crate::rust::RustTypes;

/// Returns the text of the file. `origin` is the name that people know the schema by.
///
/// # Errors
/// The generated code is no Rust: a fault of the generator, which no schema should bring about.
pub(crate) fn text(source: &Source, origin: &str, options: &Options) -> Result<String> {
    let types = RustTypes::new(&source.plan, options);
    let mut text = String::new();
    for encoding in &source.encodings {
        text.push_str(&encoding.rust(&types));
    }
    let file = syn::parse_file(&format!("{}\n{text}", types.definitions())).map_err(|error| {
        Error::new(ErrorKind::Syntax, Fault::Us)
            .seen(format!("{error} in the code generated from {origin}"))
            .expected("code that the compiler accepts")
    })?;
    Ok(format!("// Generated from {origin} by polywire. Changes are lost when it is generated again.\n\n{}", prettyplease::unparse(&file)))
}
