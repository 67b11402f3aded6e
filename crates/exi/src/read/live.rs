//! Emits events as they are read.

use polywire_core::{Budget, Result, Span};

use super::body::{Of, Receiver, Taken, Type};
use crate::bits::Bits;
use crate::events::{Events, Name, Value};
use crate::tables::{Piece, Tables};

/// Passes structure on to a receiver of events, with the values that follow it in the stream.
pub(super) struct Live<'e, E> {
    pub events: &'e mut E,
}

#[inline(always)]
pub(super) fn name(tables: &Tables, number: u32, prefix: Option<Piece>) -> Name<'_> {
    let name = &tables.names[number as usize];
    Name {
        id: number,
        uri: tables.arena.get(name.uri_text),
        local: tables.arena.get(name.local),
        prefix: prefix.map(|prefix| tables.arena.get(prefix)),
    }
}

#[inline(always)]
pub(super) fn emit_value<E: Events>(events: &mut E, tables: &Tables, of: Of, value: Piece, at: Span, budget: &mut Budget) -> Result<()> {
    let text = tables.arena.get(value);
    match of {
        Of::Text(_) => events.text(text, at, budget),
        Of::Attribute(number, prefix) => events.attribute(name(tables, number, prefix), Value::Text(text), at, budget),
    }
}

impl<E: Events> Receiver for Live<'_, E> {
    #[inline(always)]
    fn start(&mut self, tables: &Tables, number: u32, prefix: Option<Piece>, at: Span, budget: &mut Budget) -> Result<()> {
        self.events.start(name(tables, number, prefix), at, budget)
    }

    #[inline(always)]
    fn end(&mut self, at: Span, budget: &mut Budget) -> Result<()> {
        self.events.end(at, budget)
    }

    fn self_contained(&mut self, at: Span, budget: &mut Budget) -> Result<()> {
        self.events.self_contained(at, budget)
    }

    fn namespace(&mut self, tables: &Tables, prefix: Piece, uri: Piece, own: bool, at: Span, budget: &mut Budget) -> Result<()> {
        self.events.namespace(tables.arena.get(prefix), tables.arena.get(uri), own, at, budget)
    }

    fn xsi_type(&mut self, tables: &Tables, of: (u32, Option<Piece>), value: Type, at: Span, budget: &mut Budget) -> Result<()> {
        let value = match value {
            Type::Text(text) => Value::Text(tables.arena.get(text)),
            Type::Name(number, prefix) => Value::Name(name(tables, number, prefix)),
        };
        self.events.attribute(name(tables, of.0, of.1), value, at, budget)
    }

    #[inline(always)]
    fn value(&mut self, tables: &mut Tables, bits: &mut Bits<'_>, of: Of, at: u64, budget: &mut Budget) -> Result<bool> {
        let (Of::Attribute(number, _) | Of::Text(number)) = of;
        let value = tables.read_value(bits, number, budget)?;
        emit_value(self.events, tables, of, value, bits.since(at), budget)?;
        Ok(false)
    }

    #[inline(always)]
    fn text(
        &mut self,
        tables: &mut Tables,
        bits: &mut Bits<'_>,
        number: u32,
        (width, end): (u32, u32),
        at: u64,
        budget: &mut Budget,
    ) -> Result<Taken> {
        let value = tables.read_value(bits, number, budget)?;
        let (at, text) = (bits.since(at), tables.arena.get(value));
        // Anything else, or the end of the stream, is read in its turn.
        let next = bits.offset();
        if bits.is_next(width, end) {
            self.events.leaf(text, at, bits.since(next), budget)?;
            return Ok(Taken::Leaf);
        }
        self.events.text(text, at, budget)?;
        Ok(Taken::Text)
    }

    fn comment(&mut self, tables: &Tables, text: Piece, at: Span, budget: &mut Budget) -> Result<()> {
        self.events.comment(tables.arena.get(text), at, budget)
    }

    fn instruction(&mut self, tables: &Tables, parts: [Piece; 2], at: Span, budget: &mut Budget) -> Result<()> {
        let [target, text] = parts.map(|part| tables.arena.get(part));
        self.events.instruction(target, text, at, budget)
    }

    fn doctype(&mut self, tables: &Tables, parts: [Piece; 4], at: Span, budget: &mut Budget) -> Result<()> {
        self.events.doctype(parts.map(|part| tables.arena.get(part)), at, budget)
    }

    fn reference(&mut self, tables: &Tables, name: Piece, at: Span, budget: &mut Budget) -> Result<()> {
        self.events.reference(tables.arena.get(name), at, budget)
    }
}
