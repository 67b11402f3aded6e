//! The protocol bound to a schema in the IDL.

use std::sync::Arc;

use polywire_core::format::{Binder, Bound, Tables};
use polywire_core::schema::Schema;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::Loader;
use polywire_core::{Error, ErrorKind, Fault, Reader, Result, Writer};

use super::read::JsonReader;
use super::write::JsonWriter;
use super::{NAME, SIMPLE_NAME};
use crate::idl::load::{EXTENSIONS, load};
use crate::idl::resolve::resolve;
use crate::plan::Plan;

/// Binds the protocol, or the simple one, to a struct or a service of a text in the IDL.
#[derive(Debug)]
pub(super) struct Texts {
    pub simple: bool,
}

impl Binder for Texts {
    fn endings(&self) -> &'static [&'static str] {
        EXTENSIONS
    }

    fn adopts(&self) -> bool {
        false
    }

    fn bind_text(&self, schema: &SchemaText<'_>, files: &mut dyn Loader, name: Option<&str>) -> Result<Arc<dyn Bound>> {
        let model = resolve(&load(schema, files)?)?;
        Ok(Arc::new(Messages { plan: Arc::new(Plan::new(&model, name)?.with_bodies()), simple: self.simple }))
    }

    fn adopt(&self, _: &Schema) -> Result<Arc<dyn Bound>> {
        Err(Error::new(ErrorKind::Unsupported, Fault::Caller)
            .seen("a schema in another language")
            .expected("a text in Thrift's IDL")
            .hint("`schema convert FILE --to thrift` makes one")
            .format_is(if self.simple { SIMPLE_NAME } else { NAME }))
    }

    fn bind_tables(&self, tables: Tables) -> Option<Arc<dyn Bound>> {
        Some(Arc::new(Messages { plan: tables.downcast::<Plan>().ok()?, simple: self.simple }))
    }
}

/// The protocol bound to a schema.
struct Messages {
    plan: Arc<Plan>,
    simple: bool,
}

impl Bound for Messages {
    fn reader(&self) -> Box<dyn Reader> {
        Box::new(JsonReader::by(&self.plan, self.simple))
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        Some(Box::new(JsonWriter::by(&self.plan, false, self.simple)))
    }

    fn relay(&self) -> Option<Box<dyn Writer>> {
        // Fields that the schema lacks have no names.
        Some(Box::new(JsonWriter::by(&self.plan, !self.simple, self.simple)))
    }

    fn tables(&self) -> Option<Tables> {
        Some(Arc::clone(&self.plan) as Tables)
    }
}
