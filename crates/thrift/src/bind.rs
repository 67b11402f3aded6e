//! Protocols bound to a schema in the IDL.

use std::marker::PhantomData;
use std::sync::Arc;

use polywire_core::format::{Binder, Bound, Tables};
use polywire_core::schema::Schema;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::Loader;
use polywire_core::{Reader, Result, Writer};

use crate::adopt::{Adopted, Bindings, adopt, bindings, bound};
use crate::idl::load::EXTENSIONS;
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

    fn bind_text(&self, schema: &SchemaText<'_>, files: &mut dyn Loader, name: Option<&str>) -> Result<Arc<dyn Bound>> {
        Ok(match bindings(schema, files, name)? {
            Bindings::Adopted(adopted) => self.shaped(adopted),
            Bindings::Declared(plan) => Arc::new(Messages::<P> { plan, chosen: Chosen::default() }),
        })
    }

    fn adopt(&self, schema: &Schema) -> Result<Arc<dyn Bound>> {
        Ok(self.shaped(adopt(schema)?))
    }

    fn bind_tables(&self, tables: Tables) -> Option<Arc<dyn Bound>> {
        let plan = tables.downcast::<Plan>().ok()?;
        Some(Arc::new(Messages::<P> { plan, chosen: Chosen::default() }))
    }
}

impl<P: Protocol> Texts<P> {
    fn shaped(&self, adopted: Adopted) -> Arc<dyn Bound> {
        bound(adopted, |plan| Arc::new(Messages::<P> { plan, chosen: Chosen::default() }))
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
