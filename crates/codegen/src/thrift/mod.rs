//! Thrift's IDL as plans, and both of its protocols.

mod constants;
mod plan;
mod rust;

use std::path::Path;

use polywire_core::schema::language::SchemaText;
use polywire_core::text::diagnostic::Diagnostics;
use polywire_core::text::sources::{Files, identity};
use polywire_thrift::idl::read_model;

use crate::encoding::{Encoding, Language, Source};
use crate::options::Options;
use crate::rust::RustTypes;
use constants::Constant;
use plan::Mapped;

/// Texts in the IDL.
pub(crate) struct Thrift;

impl Language for Thrift {
    fn name(&self) -> &'static str {
        "thrift"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["thrift"]
    }

    fn read(&self, name: &str, text: &[u8], options: &Options) -> Result<Source, Diagnostics> {
        let identity = identity(Path::new(name));
        let text = SchemaText { name, bytes: text, identity: &identity };
        let model = read_model(&text, &mut Files::new().including(options.include.clone()))?;
        let (mut mapped, mut findings) = plan::mapped(&model)?;
        let constants = constants::constants(&model, &mut findings);
        let warnings = Diagnostics { sources: model.sources, findings: model.warnings.into_iter().chain(findings).collect() };
        let plan = std::mem::take(&mut mapped.plan);
        Ok(Source { plan, encodings: vec![Box::new(ThriftEncoding { mapped, constants })], warnings })
    }
}

/// Both protocols for one text's types.
struct ThriftEncoding {
    mapped: Mapped,
    constants: Vec<Constant>,
}

impl Encoding for ThriftEncoding {
    fn name(&self) -> &'static str {
        "thrift"
    }

    fn rust(&self, types: &RustTypes<'_>) -> String {
        constants::code(&self.constants, &self.mapped, types) + &rust::code(&self.mapped, types)
    }
}
