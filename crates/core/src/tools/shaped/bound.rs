//! A binding by declarations as a binding to the schema that they were made of.

use std::sync::Arc;

use super::read::ShapedReader;
use super::shapes::Shapes;
use super::write::ShapedWriter;
use crate::error::Result;
use crate::format::Bound;
use crate::walk::{Reader, Writer};

/// A format bound to a common schema, by its declarations.
pub struct Shaped {
    inner: Arc<dyn Bound>,
    shapes: Arc<Shapes>,
}

impl Shaped {
    /// Makes a binding of `inner`, which is bound to the declarations of the shapes.
    pub fn new(inner: Arc<dyn Bound>, shapes: Arc<Shapes>) -> Shaped {
        Shaped { inner, shapes }
    }
}

impl Bound for Shaped {
    fn reader(&self) -> Box<dyn Reader> {
        let inner = self.inner.reader();
        if self.shapes.is_plain() { inner } else { Box::new(ShapedReader::new(Arc::clone(&self.shapes), inner)) }
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        Some(Box::new(ShapedWriter::new(Arc::clone(&self.shapes), self.inner.writer()?)))
    }

    fn configured(&self, given: &[(&str, &str)]) -> Result<Option<Arc<dyn Bound>>> {
        let inner = self.inner.configured(given)?;
        Ok(inner.map(|inner| Arc::new(Shaped::new(inner, Arc::clone(&self.shapes))) as Arc<dyn Bound>))
    }

    fn list_field(&self) -> Option<&str> {
        self.shapes.list_field()
    }
}
