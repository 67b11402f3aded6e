//! Messages bound to a service in NSDL.

use std::sync::Arc;

use polywire_core::format::{Binder, Bound, Tables};
use polywire_core::schema::Schema;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::Loader;
use polywire_core::{Error, ErrorKind, Fault, Reader, Result, Writer};

use crate::nsdl::load::{EXTENSIONS, load};
use crate::nsdl::resolve::resolve;
use crate::plan::Plan;
use crate::read::EtchReader;
use crate::write::EtchWriter;

/// Binds messages to the service of a text. `packets` means that each stands in a packet.
#[derive(Debug)]
pub(crate) struct Texts {
    pub packets: bool,
}

impl Binder for Texts {
    fn endings(&self) -> &'static [&'static str] {
        EXTENSIONS
    }

    fn adopts(&self) -> bool {
        false
    }

    fn bind_text(&self, schema: &SchemaText<'_>, files: &mut dyn Loader, name: Option<&str>) -> Result<Arc<dyn Bound>> {
        let plan = Arc::new(resolve(&load(schema, files)?)?.rooted(name)?);
        Ok(Arc::new(Messages { plan, packets: self.packets }))
    }

    fn adopt(&self, _: &Schema) -> Result<Arc<dyn Bound>> {
        Err(Error::new(ErrorKind::Unsupported, Fault::Caller)
            .seen("a schema in another language")
            .expected("a text in NSDL, as Etch's files `.etch` are"))
    }

    fn bind_tables(&self, tables: Tables) -> Option<Arc<dyn Bound>> {
        let plan = tables.downcast::<Plan>().ok()?;
        Some(Arc::new(Messages { plan, packets: self.packets }))
    }
}

/// Messages of a service.
struct Messages {
    plan: Arc<Plan>,
    packets: bool,
}

impl Bound for Messages {
    fn reader(&self) -> Box<dyn Reader> {
        Box::new(EtchReader::new(self.packets).by(&self.plan))
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        Some(Box::new(EtchWriter::new(self.packets).by(&self.plan)))
    }

    fn tables(&self) -> Option<Tables> {
        Some(Arc::clone(&self.plan) as Tables)
    }
}
