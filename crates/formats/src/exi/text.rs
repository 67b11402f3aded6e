//! Documents as XML text, for those that the reader of XML has to read: with marks of values, or
//! with a document type.

use polywire_core::{Budget, Result, Span};
use polywire_exi::{Events, Name, Value};

use super::names::Names;
use super::tag::Tag;
use crate::xml::{Places, escape_attribute, escape_text};

/// The XML of a document, with the places in the stream that it comes from.
#[derive(Debug, Default)]
pub struct Text {
    /// UTF-8.
    pub xml: Vec<u8>,
    /// The place of each piece of the XML.
    pub places: Places,
    tag: Tag,
    names: Names,
    /// Names of the open elements, with the number of declarations around each.
    open: Vec<(String, usize)>,
}

impl Text {
    /// Starts with no document.
    pub fn clear(&mut self) {
        self.xml.clear();
        self.places.clear();
        self.names.clear();
        self.open.clear();
        self.tag.clear();
    }

    fn put(&mut self, parts: &[&str], at: Span, budget: &mut Budget) -> Result<()> {
        self.places.push(self.xml.len(), at.start);
        budget.decode(parts.iter().map(|part| part.len() as u64).sum(), at.start)?;
        parts.iter().for_each(|part| self.xml.extend_from_slice(part.as_bytes()));
        Ok(())
    }

    /// Writes the start tag that waits, up to its end.
    fn complete(&mut self, end: &str, budget: &mut Budget) -> Result<()> {
        if !self.tag.waits {
            return Ok(());
        }
        self.tag.complete(&mut self.names)?;
        let tag = std::mem::take(&mut self.tag);
        self.put(&["<", tag.name()], tag.at, budget)?;
        for attribute in tag.attributes() {
            self.put(&[" ", tag.name_of(*attribute), "="], attribute.at, budget)?;
            let before = self.xml.len();
            escape_attribute(&mut self.xml, tag.value_of(*attribute));
            budget.decode((self.xml.len() - before) as u64, attribute.at.start)?;
        }
        self.xml.extend_from_slice(end.as_bytes());
        self.open.push((tag.name().to_string(), tag.scope));
        self.tag = tag;
        self.tag.waits = false;
        Ok(())
    }
}

impl Events for Text {
    fn start(&mut self, name: Name<'_>, at: Span, budget: &mut Budget) -> Result<()> {
        self.complete(">", budget)?;
        self.tag.begin(name, at, &self.names)
    }

    fn end(&mut self, at: Span, budget: &mut Budget) -> Result<()> {
        let empty = self.tag.waits;
        self.complete("/>", budget)?;
        let Some((name, scope)) = self.open.pop() else { return Ok(()) };
        self.names.leave(scope);
        if !empty {
            self.put(&["</", &name, ">"], at, budget)?;
        }
        Ok(())
    }

    fn self_contained(&mut self, _: Span, _: &mut Budget) -> Result<()> {
        self.tag.self_contained();
        Ok(())
    }

    fn namespace(&mut self, prefix: &str, uri: &str, own: bool, at: Span, _: &mut Budget) -> Result<()> {
        self.tag.namespace(prefix, uri, own, at, &mut self.names)
    }

    fn attribute(&mut self, name: Name<'_>, value: Value<'_>, at: Span, _: &mut Budget) -> Result<()> {
        self.tag.attribute(name, value, at)
    }

    fn text(&mut self, text: &str, at: Span, budget: &mut Budget) -> Result<()> {
        self.complete(">", budget)?;
        self.places.push(self.xml.len(), at.start);
        let before = self.xml.len();
        escape_text(&mut self.xml, text, false);
        budget.decode((self.xml.len() - before) as u64, at.start)
    }

    fn comment(&mut self, text: &str, at: Span, budget: &mut Budget) -> Result<()> {
        self.complete(">", budget)?;
        self.put(&["<!--", text, "-->"], at, budget)
    }

    fn instruction(&mut self, target: &str, text: &str, at: Span, budget: &mut Budget) -> Result<()> {
        self.complete(">", budget)?;
        self.put(&["<?", target, if text.is_empty() { "" } else { " " }, text, "?>"], at, budget)
    }

    fn doctype(&mut self, [name, public, system, subset]: [&str; 4], at: Span, budget: &mut Budget) -> Result<()> {
        self.put(&["<!DOCTYPE ", name], at, budget)?;
        let quote = if system.contains('"') { "'" } else { "\"" };
        match (public, system) {
            ("", "") => {}
            ("", _) => self.put(&[" SYSTEM ", quote, system, quote], at, budget)?,
            _ => self.put(&[" PUBLIC \"", public, "\" ", quote, system, quote], at, budget)?,
        }
        if !subset.is_empty() {
            self.put(&[" [", subset, "]"], at, budget)?;
        }
        self.put(&[">"], at, budget)
    }

    fn reference(&mut self, name: &str, at: Span, budget: &mut Budget) -> Result<()> {
        self.complete(">", budget)?;
        self.put(&["&", name, ";"], at, budget)
    }
}
