//! Protocol Buffers: schemas as plans, and their encoding.

mod foreign;
mod layout;
mod plan;
mod read;
mod rust;
mod shape;
mod write;

use std::path::Path;

use polywire_core::Error;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::diagnostic::Diagnostics;
use polywire_core::text::sources::{Files, identity};

use crate::encoding::{Encoding, ForeignEncoding, Language, Source};
use crate::options::Options;
use crate::plan::Plan;
use crate::rust::RustTypes;
use layout::Mapped;

/// `.proto` files and descriptor sets.
pub(crate) struct Protobuf;

impl Language for Protobuf {
    fn name(&self) -> &'static str {
        "protobuf"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["proto", "protoset", "desc", "pb"]
    }

    fn read(&self, name: &str, text: &[u8], options: &Options) -> Result<Source, Diagnostics> {
        let identity = identity(Path::new(name));
        let text = SchemaText { name, bytes: text, identity: &identity };
        let protos = polywire_protobuf::source::read(&text, &mut Files::new().including(options.include.clone()))?;
        let mut mapped = plan::mapped(&protos, options.unknown_fields)?;
        let plan = std::mem::take(&mut mapped.plan);
        Ok(Source { plan, encodings: vec![Box::new(ProtobufEncoding(mapped))], warnings: Diagnostics::default() })
    }
}

/// Protobuf for the types of any schema language.
pub(crate) struct ForAny;

impl ForeignEncoding for ForAny {
    fn name(&self) -> &'static str {
        "protobuf"
    }

    fn of(&self, plan: &Plan, _: &str) -> Result<Box<dyn Encoding>, Error> {
        Ok(Box::new(ProtobufEncoding(foreign::mapped(plan)?)))
    }
}

/// The encoding of one schema's types.
struct ProtobufEncoding(Mapped);

impl Encoding for ProtobufEncoding {
    fn name(&self) -> &'static str {
        "protobuf"
    }

    fn rust(&self, types: &RustTypes<'_>) -> String {
        rust::code(&self.0, types)
    }
}
