//! The binding to a text with a mapping: values as messages have them, or as they are declared.

use std::sync::Arc;

use polywire_core::format::Bound;
use polywire_core::tools::shaped::Shaped;
use polywire_core::{Reader, Result, Writer};

use super::Adopted;
use crate::plan::Plan;

/// A protocol bound to a common schema.
struct Mapped {
    shaped: Arc<dyn Bound>,
    /// The protocol bound to the declarations of a text, unless there is none.
    declared: Option<Arc<dyn Bound>>,
}

/// Binds a protocol to a common schema. `by` binds it to the types of a plan.
pub(crate) fn bound(adopted: Adopted, by: impl Fn(Arc<Plan>) -> Arc<dyn Bound>) -> Arc<dyn Bound> {
    let Adopted { plan, shapes, declared } = adopted;
    Arc::new(Mapped { shaped: Arc::new(Shaped::new(by(plan), shapes)), declared: declared.map(by) })
}

impl Bound for Mapped {
    fn reader(&self) -> Box<dyn Reader> {
        self.shaped.reader()
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        self.shaped.writer()
    }

    fn declared(&self) -> Option<Arc<dyn Bound>> {
        self.declared.clone()
    }

    fn configured(&self, given: &[(&str, &str)]) -> Result<Option<Arc<dyn Bound>>> {
        let Some(shaped) = self.shaped.configured(given)? else { return Ok(None) };
        let declared = self.declared.as_ref().map(|declared| declared.configured(given)).transpose()?.flatten();
        Ok(Some(Arc::new(Mapped { shaped, declared })))
    }

    fn list_field(&self) -> Option<&str> {
        self.shaped.list_field()
    }
}
