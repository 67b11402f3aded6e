//! Protocols bound to a schema in the IDL.

use std::marker::PhantomData;
use std::sync::Arc;

use polywire_core::format::{Binder, Bound, Tables};
use polywire_core::schema::Schema;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::Loader;
use polywire_core::{Error, ErrorKind, Fault, Reader, Result, Writer};

use crate::idl::load::{EXTENSIONS, load};
use crate::idl::resolve::resolve;
use crate::plan::Plan;
use crate::settings::Chosen;
use crate::wire::Protocol;

/// Binds a protocol to a struct or a service of a text in the IDL.
#[derive(Debug)]
pub(crate) struct Texts<P>(pub PhantomData<P>);

impl<P: Protocol> Binder for Texts<P> {
    fn endings(&self) -> &'static [&'static str] {
        EXTENSIONS
    }

    fn adopts(&self) -> bool {
        false
    }

    fn bind_text(&self, schema: &SchemaText<'_>, files: &mut dyn Loader, name: Option<&str>) -> Result<Arc<dyn Bound>> {
        let model = resolve(&load(schema, files)?)?;
        let plan = Arc::new(Plan::new(&model, name)?.with_bodies());
        Ok(Arc::new(Messages::<P> { plan, chosen: Chosen::default() }))
    }

    fn adopt(&self, _: &Schema) -> Result<Arc<dyn Bound>> {
        Err(Error::new(ErrorKind::Unsupported, Fault::Caller)
            .seen("a schema in another language")
            .expected("a text in Thrift's IDL")
            .hint("`schema convert FILE --to thrift` makes one")
            .format_is(P::NAME))
    }

    fn bind_tables(&self, tables: Tables) -> Option<Arc<dyn Bound>> {
        let plan = tables.downcast::<Plan>().ok()?;
        Some(Arc::new(Messages::<P> { plan, chosen: Chosen::default() }))
    }
}

/// A protocol bound to a schema.
struct Messages<P> {
    plan: Arc<Plan>,
    chosen: Chosen<P>,
}

impl<P: Protocol> Bound for Messages<P> {
    fn reader(&self) -> Box<dyn Reader> {
        self.chosen.reader_by(Some(&self.plan))
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        Some(self.chosen.writer_by(Some(&self.plan), false))
    }

    fn relay(&self) -> Option<Box<dyn Writer>> {
        Some(self.chosen.writer_by(Some(&self.plan), true))
    }

    fn tables(&self) -> Option<Tables> {
        Some(Arc::clone(&self.plan) as Tables)
    }

    fn configured(&self, given: &[(&str, &str)]) -> Result<Option<Arc<dyn Bound>>> {
        Ok(Some(Arc::new(Messages::<P> { plan: Arc::clone(&self.plan), chosen: Chosen::of(given)? })))
    }
}
