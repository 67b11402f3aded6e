//! The protocol bound to a schema in the IDL.

use std::sync::Arc;

use polywire_core::format::{Binder, Bound, Tables};
use polywire_core::schema::Schema;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::Loader;
use polywire_core::{Error, ErrorKind, Fault, Reader, Result, Writer};

use super::SIMPLE_NAME;
use super::read::JsonReader;
use super::write::JsonWriter;
use crate::adopt::{Adopted, Bindings, adopt, bindings, bound, declared};
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

    // Names of a common schema are any text, and those of the simple protocol are the IDL's.
    fn adopts(&self) -> bool {
        !self.simple
    }

    fn bind_text(&self, schema: &SchemaText<'_>, files: &mut dyn Loader, name: Option<&str>) -> Result<Arc<dyn Bound>> {
        let found = if self.simple {
            Bindings::Declared(declared(&resolve(&load(schema, files)?)?, name)?)
        } else {
            bindings(schema, files, name)?
        };
        Ok(match found {
            Bindings::Adopted(adopted) => self.shaped(adopted),
            Bindings::Declared(plan) => Arc::new(Messages { plan, simple: self.simple }),
        })
    }

    fn adopt(&self, schema: &Schema) -> Result<Arc<dyn Bound>> {
        if !self.adopts() {
            return Err(Error::new(ErrorKind::Unsupported, Fault::Caller)
                .seen("an inferred schema")
                .expected("a text in Thrift's IDL, whose names are those of the messages")
                .hint("`schema infer --lang thrift` writes one")
                .format_is(SIMPLE_NAME));
        }
        Ok(self.shaped(adopt(schema)?))
    }

    fn bind_tables(&self, tables: Tables) -> Option<Arc<dyn Bound>> {
        Some(Arc::new(Messages { plan: tables.downcast::<Plan>().ok()?, simple: self.simple }))
    }
}

impl Texts {
    fn shaped(&self, adopted: Adopted) -> Arc<dyn Bound> {
        bound(adopted, |plan| Arc::new(Messages { plan, simple: self.simple }))
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
