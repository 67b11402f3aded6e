//! USDS: dictionaries as plans, and their encoding.

mod foreign;
mod plan;
mod rust;

use polywire_core::Error;
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Source as Text};
use polywire_usds::dictionary::Dictionary;

use crate::encoding::{Encoding, ForeignEncoding, Language, Source};
use crate::options::Options;
use crate::plan::Plan;
use crate::rust::RustTypes;
use plan::Mapped;

/// The dictionary language.
pub(crate) struct Usds;

impl Language for Usds {
    fn name(&self) -> &'static str {
        "usds"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["udic"]
    }

    fn read(&self, name: &str, text: &[u8], _: &Options) -> Result<Source, Diagnostics> {
        let dictionary = Dictionary::parse(name, text)?;
        let mut mapped = Mapped::new(dictionary).map_err(|refused| {
            let finding = Diagnostic::error(refused.code, Place::default(), refused.message).hint(refused.hint);
            Diagnostics { sources: vec![Text::new(name, String::from_utf8_lossy(text))], findings: vec![finding] }
        })?;
        let plan = std::mem::take(&mut mapped.plan);
        Ok(Source { plan, encodings: vec![Box::new(UsdsEncoding(mapped))], warnings: Diagnostics::default() })
    }
}

/// USDS for the types of any schema language.
pub(crate) struct ForAny;

impl ForeignEncoding for ForAny {
    fn name(&self) -> &'static str {
        "usds"
    }

    fn of(&self, plan: &Plan, name: &str) -> Result<Box<dyn Encoding>, Error> {
        Ok(Box::new(UsdsEncoding(foreign::mapped(plan, name)?)))
    }
}

/// The encoding of one dictionary's types.
struct UsdsEncoding(Mapped);

impl Encoding for UsdsEncoding {
    fn name(&self) -> &'static str {
        "usds"
    }

    fn rust(&self, types: &RustTypes<'_>) -> String {
        rust::code(&self.0, types)
    }
}
