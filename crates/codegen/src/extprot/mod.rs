//! extprot: protocols as plans, and their encoding.

mod plan;
mod rust;
mod shape;

use std::path::Path;

use polywire_core::text::diagnostic::Diagnostics;
use polywire_core::text::sources::{Files, identity};
use polywire_extprot::protocol::compile_as;

use crate::encoding::{Encoding, Language, Source};
use crate::options::Options;
use crate::rust::RustTypes;
use plan::Mapped;

/// The protocol language.
pub(crate) struct Extprot;

impl Language for Extprot {
    fn name(&self) -> &'static str {
        "extprot"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["extprot"]
    }

    fn read(&self, name: &str, text: &[u8], options: &Options) -> Result<Source, Diagnostics> {
        let protocol = compile_as(name, text, &identity(Path::new(name)), &mut Files::new().including(options.include.clone()))?;
        let warnings = Diagnostics { sources: protocol.sources().to_vec(), findings: protocol.warnings().to_vec() };
        let mut mapped = Mapped::new(protocol);
        Ok(Source { plan: std::mem::take(&mut mapped.plan), encodings: vec![Box::new(ExtprotEncoding(mapped))], warnings })
    }
}

/// The encoding of one protocol's types.
struct ExtprotEncoding(Mapped);

impl Encoding for ExtprotEncoding {
    fn name(&self) -> &'static str {
        "extprot"
    }

    fn rust(&self, types: &RustTypes<'_>) -> String {
        rust::code(&self.0, types)
    }
}
