//! Bytes to the text format in one pass, as `protoc --decode` prints messages.

use std::io::Write;
use std::sync::Arc;

use polywire_core::{Budget, Error, Next, Result, Span};

use super::quote::quoted;
use super::unknown::{self, UnknownFields};
use crate::plan::{Field, Message, Plan};
use crate::scalar::Value;
use crate::walk::{Inner, Scratch, Visitor, Walk};
use crate::wire::{NAME, varint};

/// Prints messages of one type in the text format. Unknown fields have no name and are left out,
/// unless [`TextPrinter::unknown`] says otherwise.
#[derive(Debug)]
pub struct TextPrinter {
    plan: Arc<Plan>,
    unknown: UnknownFields,
    scratch: Scratch,
}

impl TextPrinter {
    /// Makes a printer of messages of the plan's root type.
    pub fn new(plan: Arc<Plan>) -> TextPrinter {
        TextPrinter { plan, unknown: UnknownFields::LeftOut, scratch: Scratch::default() }
    }

    /// Sets the treatment of fields that the schema does not have.
    #[must_use]
    pub fn unknown(mut self, unknown: UnknownFields) -> TextPrinter {
        self.unknown = unknown;
        self
    }

    /// Appends the text of the message `msg`, which is at `base` of a stream.
    ///
    /// # Errors
    /// The message is malformed.
    pub fn print(&mut self, msg: &[u8], base: u64, out: &mut Vec<u8>, budget: &mut Budget) -> Result<()> {
        let plan = &*self.plan;
        let depth = (self.unknown == UnknownFields::ByNumber).then(|| budget.limits().depth);
        let mut visitor = Print { plan, msg, out, levels: Vec::new(), unknown: depth };
        let walk = Walk { plan, msg, base, visitor: &mut visitor, budget, scratch: &mut self.scratch };
        walk.run(plan.root, 0).map_err(|error| error.format_is(NAME))
    }
}

struct Print<'w, 'm> {
    plan: &'w Plan,
    msg: &'m [u8],
    out: &'w mut Vec<u8>,
    levels: Vec<Level>,
    /// Deepest nesting of groups in unknown fields, if these are printed.
    unknown: Option<u32>,
}

/// An open message.
#[derive(Debug, Default)]
struct Level {
    /// Name of the next field.
    name: Box<str>,
    /// That field is a map.
    in_map: bool,
    /// An entry of the map is open.
    in_entry: bool,
}

impl Print<'_, '_> {
    fn indent(&mut self) {
        self.out.resize(self.out.len() + self.depth() * 2, b' ');
    }

    /// Returns the number of open messages and entries around the next field.
    fn depth(&self) -> usize {
        let entries = self.levels.iter().filter(|level| level.in_entry).count();
        (self.levels.len() + entries).saturating_sub(1)
    }

    /// Writes the name of the next value: that of the field, or `value` in a map's entry.
    fn name(&mut self) {
        self.indent();
        let Some(level) = self.levels.last() else { return };
        let name = if level.in_entry { "value" } else { &level.name };
        self.out.extend_from_slice(name.as_bytes());
    }

    /// Ends the entry of a map, behind its value.
    fn end_entry(&mut self) {
        if let Some(level) = self.levels.last_mut()
            && std::mem::take(&mut level.in_entry)
        {
            self.indent();
            self.out.extend_from_slice(b"}\n");
        }
    }

    fn value(&mut self, field: &Field, value: Value<'_>) -> Result<()> {
        let out = &mut *self.out;
        let put = |out: &mut Vec<u8>, text: &str| out.extend_from_slice(text.as_bytes());
        match value {
            Value::Bool(value) => put(out, if value { "true" } else { "false" }),
            Value::I32(value) => put(out, itoa::Buffer::new().format(value)),
            Value::I64(value) => put(out, itoa::Buffer::new().format(value)),
            Value::U32(value) => put(out, itoa::Buffer::new().format(value)),
            Value::U64(value) => put(out, itoa::Buffer::new().format(value)),
            Value::F32(value) => match special(f64::from(value)) {
                Some(word) => put(out, word),
                None => put(out, ryu::Buffer::new().format_finite(value)),
            },
            Value::F64(value) => match special(value) {
                Some(word) => put(out, word),
                None => put(out, ryu::Buffer::new().format_finite(value)),
            },
            Value::Enum(number) => match field.enumeration().and_then(|at| self.plan.enums[at].name_of(number)) {
                Some(name) => put(out, name),
                None => put(out, itoa::Buffer::new().format(number)),
            },
            Value::Text(text) => quoted(out, text.as_bytes(), true)?,
            Value::Octets(bytes) | Value::Bytes(bytes) => quoted(out, bytes, false)?,
        }
        out.push(b'\n');
        Ok(())
    }
}

fn special(value: f64) -> Option<&'static str> {
    match value {
        value if value.is_nan() => Some("nan"),
        f64::INFINITY => Some("inf"),
        f64::NEG_INFINITY => Some("-inf"),
        _ => None,
    }
}

impl<'m> Visitor<'m> for Print<'_, 'm> {
    fn message(&mut self, _: &Message, _: Span) -> Result<Next> {
        if !self.levels.is_empty() {
            self.name();
            self.out.extend_from_slice(b" {\n");
        }
        self.levels.push(Level::default());
        Ok(Next::Enter)
    }

    fn message_end(&mut self, _: &Message, _: Span) -> Result<Option<Inner>> {
        self.levels.pop();
        if !self.levels.is_empty() {
            self.indent();
            self.out.extend_from_slice(b"}\n");
            self.end_entry();
        }
        Ok(None)
    }

    fn field(&mut self, field: &Field, _: Span) -> Result<Next> {
        if let Some(level) = self.levels.last_mut() {
            level.name = field.text.clone();
        }
        Ok(Next::Enter)
    }

    fn list(&mut self, _: &Field, _: Span) -> Result<Next> {
        Ok(Next::Enter)
    }

    fn list_end(&mut self, _: Span) -> Result<()> {
        Ok(())
    }

    fn map(&mut self, _: &Field, _: Span) -> Result<Next> {
        if let Some(level) = self.levels.last_mut() {
            level.in_map = true;
        }
        Ok(Next::Enter)
    }

    fn key(&mut self, value: Value<'m>, _: Span) -> Result<Next> {
        self.name();
        self.out.extend_from_slice(b" {\n");
        if let Some(level) = self.levels.last_mut() {
            level.in_entry = true;
        }
        self.indent();
        self.out.extend_from_slice(b"key: ");
        let out = &mut *self.out;
        match value {
            Value::Text(text) => quoted(out, text.as_bytes(), true)?,
            Value::Octets(bytes) | Value::Bytes(bytes) => quoted(out, bytes, false)?,
            Value::Bool(value) => out.extend_from_slice(if value { b"true" } else { b"false" }),
            Value::I32(value) => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
            Value::I64(value) => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
            Value::U32(value) => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
            Value::U64(value) => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
            Value::F32(_) | Value::F64(_) | Value::Enum(_) => return Err(Error::internal("a map's key of another type")),
        }
        out.push(b'\n');
        Ok(Next::Enter)
    }

    fn map_end(&mut self, _: Span) -> Result<()> {
        if let Some(level) = self.levels.last_mut() {
            level.in_map = false;
        }
        Ok(())
    }

    fn scalar(&mut self, field: &Field, value: Value<'m>, _: Span) -> Result<()> {
        self.name();
        self.out.extend_from_slice(b": ");
        self.value(field, value)?;
        self.end_entry();
        Ok(())
    }

    fn unknown(&mut self, start: usize, end: usize) -> Result<()> {
        // Fields of an entry other than key and value have no place.
        match self.unknown.filter(|_| self.levels.last().is_some_and(|level| !level.in_map)) {
            Some(depth) => {
                let indent = self.depth();
                unknown::field(self.out, &self.msg[start..end], indent, depth)
            }
            None => Ok(()),
        }
    }

    fn stray(&mut self, field: &Field, start: usize, end: usize) -> Result<()> {
        if self.unknown.is_some() {
            let (value, _) = varint::read(&self.msg[..end], start).map_err(|_| Error::internal("a broken number of an enum"))?;
            self.indent();
            writeln!(self.out, "{}: {value}", field.number).map_err(|error| Error::io("writing to memory", &error))?;
        }
        Ok(())
    }

    fn remark(&mut self, _: &'static str, _: Span) -> Result<()> {
        Ok(())
    }
}
