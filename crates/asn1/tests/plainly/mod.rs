//! Models of texts, and a writer that is called as any other sink.

use std::sync::Arc;

use polywire_asn1::Modules;
use polywire_asn1::model::Model;
use polywire_asn1::walk::Plan;
use polywire_core::{Field, Limits, Next, Note, Open, Part, Result, Scalar, Sink, Span, Writer};

/// Resolves one text of modules.
pub fn resolved(text: &str) -> Arc<Model> {
    let mut modules = Modules::new();
    modules.add("p.asn", text.as_bytes());
    Arc::new(modules.resolve(&Limits::DEFAULT).unwrap_or_else(|found| panic!("{found}")))
}

/// Prepares a type of the first module.
pub fn plan(model: &Arc<Model>, name: &str) -> Arc<Plan> {
    let ty = model.named(&model.modules[0].name, name).unwrap_or_else(|| panic!("no {name}"));
    Arc::new(Plan::new(Arc::clone(model), ty).unwrap())
}

/// A writer as a sink.
pub struct Plainly<'w>(pub &'w mut dyn Writer);

impl<'m> Sink<'m> for Plainly<'_> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.0.open(open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.0.field(field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.0.scalar(value, at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.0.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.0.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.0.note(note, at)
    }
}
