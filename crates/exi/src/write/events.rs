//! An encoder as the receiver of a decoder's events.

use polywire_core::{Budget, Result, Span};

use super::Encoder;
use crate::events::{Events, Name, Value};

impl Events for Encoder {
    fn start(&mut self, name: Name<'_>, _: Span, _: &mut Budget) -> Result<()> {
        Encoder::start(self, name.uri, name.local, name.prefix)
    }

    fn end(&mut self, _: Span, _: &mut Budget) -> Result<()> {
        Encoder::end(self)
    }

    fn self_contained(&mut self, _: Span, _: &mut Budget) -> Result<()> {
        Encoder::self_contained(self)
    }

    fn namespace(&mut self, prefix: &str, uri: &str, own: bool, _: Span, _: &mut Budget) -> Result<()> {
        Encoder::namespace(self, prefix, uri, own)
    }

    fn attribute(&mut self, name: Name<'_>, value: Value<'_>, _: Span, _: &mut Budget) -> Result<()> {
        Encoder::attribute(self, name.uri, name.local, name.prefix, value)
    }

    fn text(&mut self, text: &str, _: Span, _: &mut Budget) -> Result<()> {
        Encoder::text(self, text)
    }

    fn comment(&mut self, text: &str, _: Span, _: &mut Budget) -> Result<()> {
        Encoder::comment(self, text)
    }

    fn instruction(&mut self, target: &str, text: &str, _: Span, _: &mut Budget) -> Result<()> {
        Encoder::instruction(self, target, text)
    }

    fn doctype(&mut self, parts: [&str; 4], _: Span, _: &mut Budget) -> Result<()> {
        Encoder::doctype(self, parts)
    }

    fn reference(&mut self, name: &str, _: Span, _: &mut Budget) -> Result<()> {
        Encoder::reference(self, name)
    }
}
