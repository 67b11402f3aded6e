//! JsonML, the convention in which an element is a list of its name, its attributes and its
//! content, in order.

use bytes::Bytes;
use polywire_core::{Error, Field, Next, Open, Part, Result, Scalar, Sink, Span};
use polywire_doc::{Builder, Doc, Member, Repeated};

/// Makes a document of the reader's events.
pub struct Ordered {
    builder: Builder,
    /// For each open element, true if the object of its attributes is open.
    levels: Vec<bool>,
    due: Due,
    started: bool,
}

/// The meaning of the next value.
#[derive(Debug, Clone, Copy)]
enum Due {
    Element,
    /// An attribute, or a run of text.
    Text(Member),
}

impl Ordered {
    /// Creates a sink for a walk of `body`.
    pub fn new(body: Bytes) -> Ordered {
        Ordered { builder: Builder::new(body, Repeated::Group), levels: Vec::new(), due: Due::Element, started: false }
    }

    /// Returns the document.
    ///
    /// # Errors
    /// The walk emitted no complete document.
    pub fn finish(self) -> Result<Doc> {
        self.builder.finish()
    }

    fn end_attributes(&mut self) -> Result<()> {
        match self.levels.last_mut() {
            Some(open) if *open => {
                *open = false;
                self.builder.close()
            }
            _ => Ok(()),
        }
    }
}

impl<'m> Sink<'m> for Ordered {
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        if self.started {
            // The list was opened with the name.
            self.levels.push(false);
        }
        self.started = true;
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        let name = field.name.get();
        if let Some(name) = name.strip_prefix('@') {
            if let Some(open) = self.levels.last_mut()
                && !*open
            {
                *open = true;
                self.builder.open_object(Member::ELEMENT)?;
            }
            self.due = Due::Text(Member::named(self.builder.name(name)));
            return Ok(Next::Enter);
        }
        self.end_attributes()?;
        if name == "#text" {
            self.due = Due::Text(Member::ELEMENT);
        } else {
            self.due = Due::Element;
            self.builder.open_list(Member::ELEMENT)?;
            self.builder.scalar(Member::ELEMENT, Scalar::Text(field.name.scratch()))?;
        }
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
        match self.due {
            Due::Text(member) => self.builder.scalar(member, value),
            Due::Element => {
                if !matches!(value, Scalar::Text(text) if text.get().is_empty()) {
                    self.builder.scalar(Member::ELEMENT, value)?;
                }
                self.builder.close()
            }
        }
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Err(Error::internal("text in parts"))
    }

    fn close(&mut self, _: Span) -> Result<()> {
        self.end_attributes()?;
        if self.levels.pop().is_some() { self.builder.close() } else { Ok(()) }
    }
}
