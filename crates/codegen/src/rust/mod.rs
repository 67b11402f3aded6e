//! Rust as a target: names, types, and the file that they and the code of the encodings make up.

pub mod names;
mod types;

use polywire_core::{Error, ErrorKind, Fault, Result};

pub use types::{Ownership, RustTypes};

use crate::Options;
use crate::encoding::Source;

/// The text of a Rust file with the types of a schema and the code of its encodings. `origin` is what people know the schema by.
///
/// # Errors
/// None that a schema brings about; one that says that the generator is at fault.
pub fn generate(source: &Source, origin: &str, options: &Options) -> Result<String> {
    let types = RustTypes::new(&source.plan, options);
    let mut text = String::new();
    for encoding in &source.encodings {
        text.push_str(&encoding.rust(&types));
    }
    let file = syn::parse_file(&format!("{}\n{text}", types.definitions())).map_err(|error| {
        Error::new(ErrorKind::Syntax, Fault::Us)
            .seen(format!("{error} in the code made of {origin}"))
            .expected("code that the compiler takes")
    })?;
    Ok(format!("// Made of {origin} by polywire. Changes are lost when it is made again.\n\n{}", prettyplease::unparse(&file)))
}
