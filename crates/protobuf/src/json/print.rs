//! Bytes to canonical JSON in one pass, without a tree between.
//!
//! A comma is written behind each value, and taken back where its container ends.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_core::error::{Error, ErrorKind, Result};
use polywire_core::event::{Next, Span};
use polywire_core::limits::Budget;

use super::string;
use super::well_known::{duration, has_form, mask_path, timestamp};
use crate::model::{Cardinality, Presence, WellKnown};
use crate::plain::NAME;
use crate::plan::{Field, Message, Plan};
use crate::walk::{Inner, Scratch, Value, Visitor, Walk, is_default};

/// How JSON is printed ("JSON Options").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PrintOptions {
    /// Fields that cannot tell absence are printed with their defaults, and empty lists and maps too.
    pub defaults: bool,
    /// Fields have the names of the schema, and not those in lowerCamelCase.
    pub original_names: bool,
    /// Enums are numbers.
    pub enum_numbers: bool,
}

/// Prints messages of one type.
#[derive(Debug)]
pub struct JsonPrinter {
    plan: Arc<Plan>,
    options: PrintOptions,
    scratch: Scratch,
}

impl JsonPrinter {
    /// A printer of the messages that `plan` is of.
    pub fn new(plan: Arc<Plan>, options: PrintOptions) -> JsonPrinter {
        JsonPrinter { plan, options, scratch: Scratch::default() }
    }

    /// Appends the JSON text of the message `msg`, which lies at `base` of a stream. After an error, what was appended is no JSON.
    ///
    /// # Errors
    /// What is wrong with the message, and values that have no form in JSON: text that is no UTF-8, messages of unknown type, moments out of range.
    pub fn print(&mut self, msg: &[u8], base: u64, out: &mut Vec<u8>, budget: &mut Budget) -> Result<()> {
        out.reserve(msg.len() * 2);
        let plan = &*self.plan;
        let mut visitor =
            Print { plan, options: self.options, base, out, levels: Vec::new(), seen: Vec::new(), inner: false, name_at: None };
        let walk = Walk { plan, msg, base, visitor: &mut visitor, budget, scratch: &mut self.scratch };
        walk.run(plan.root, 0).map_err(|error| error.format_is(NAME))?;
        visitor.end(b"");
        Ok(())
    }
}

struct Print<'w, 'm> {
    plan: &'w Plan,
    options: PrintOptions,
    base: u64,
    out: &'w mut Vec<u8>,
    levels: Vec<Level<'m>>,
    /// Numbers of the fields that were printed, if those that were not are to be known.
    seen: Vec<u32>,
    /// The next message stands in an `Any`, whose type is printed.
    inner: bool,
    /// Where the name of a field was printed that is taken back if its default follows.
    name_at: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Level<'m> {
    form: Form<'m>,
    /// Where its text starts.
    start: usize,
    /// The fields that were printed before it.
    seen: usize,
    /// It stands in an `Any` as its value.
    boxed: bool,
}

/// How a message is printed.
#[derive(Debug, Clone, Copy)]
enum Form<'m> {
    /// As an object.
    Object,
    /// As its only field is.
    Field(WellKnown),
    /// As text made of two numbers.
    Moment(WellKnown, i64, i32),
    /// As one text of its elements.
    Mask,
    /// As an object that tells its type.
    Any(&'m str, (usize, usize)),
}

impl<'m> Print<'_, 'm> {
    /// Takes back the comma behind the last entry, if there is one, and appends `close`.
    #[inline(always)]
    fn end(&mut self, close: &[u8]) {
        if self.out.last() == Some(&b',') {
            self.out.pop();
        }
        self.out.extend_from_slice(close);
    }

    #[inline(always)]
    fn put(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
        self.out.push(b',');
    }

    fn quoted(&mut self, text: &[u8]) {
        self.out.push(b'"');
        self.out.extend_from_slice(text);
        self.out.extend_from_slice(b"\",");
    }

    fn float(&mut self, value: f64, text: impl FnOnce(&mut ryu::Buffer) -> &str) {
        if value.is_finite() {
            self.put(text(&mut ryu::Buffer::new()).as_bytes());
        } else {
            self.put(if value.is_nan() {
                b"\"NaN\""
            } else if value > 0.0 {
                b"\"Infinity\""
            } else {
                b"\"-Infinity\""
            });
        }
    }

    fn enumeration(&mut self, field: &Field, number: i32) {
        let plan = self.plan;
        let Some(ty) = field.enumeration().map(|at| &plan.enums[at]) else { return };
        if ty.known == Some(WellKnown::NullValue) {
            return self.put(b"null");
        }
        match ty.name_of(number).filter(|_| !self.options.enum_numbers) {
            Some(name) => self.quoted(name.as_bytes()),
            None => self.put(itoa::Buffer::new().format(number).as_bytes()),
        }
    }

    /// Prints a scalar as its type says.
    #[inline]
    fn value(&mut self, field: &Field, value: Value<'m>, at: Span) -> Result<()> {
        match value {
            Value::Text(text) => {
                string(self.out, text);
                self.out.push(b',');
            }
            Value::Bool(true) => self.put(b"true"),
            Value::Bool(false) => self.put(b"false"),
            Value::I32(value) => self.put(itoa::Buffer::new().format(value).as_bytes()),
            Value::U32(value) => self.put(itoa::Buffer::new().format(value).as_bytes()),
            // Numbers of 64 bits are text, for many programs read JSON's as f64.
            Value::I64(value) => self.quoted(itoa::Buffer::new().format(value).as_bytes()),
            Value::U64(value) => self.quoted(itoa::Buffer::new().format(value).as_bytes()),
            Value::F32(value) => self.float(f64::from(value), |buffer| buffer.format_finite(value)),
            Value::F64(value) => self.float(value, |buffer| buffer.format_finite(value)),
            Value::Enum(number) => self.enumeration(field, number),
            Value::Bytes(bytes) => {
                self.out.push(b'"');
                let start = self.out.len();
                // Four characters for each three bytes.
                self.out.resize(start + bytes.len().div_ceil(3) * 4, 0);
                let written =
                    STANDARD.encode_slice(bytes, &mut self.out[start..]).map_err(|_| Error::internal("base64 longer than it is"))?;
                self.out.truncate(start + written);
                self.out.extend_from_slice(b"\",");
            }
            Value::Octets(_) => {
                return Err(Error::data(ErrorKind::Encoding, at.start)
                    .seen("a string that is no UTF-8")
                    .expected("text that JSON can hold")
                    .hint("the schema does not ask for UTF-8; a format with binary values holds it"));
            }
        }
        Ok(())
    }

    /// Takes a scalar of a message with a form of its own.
    #[cold]
    fn special(&mut self, field: &Field, value: Value<'m>, at: Span) -> Result<()> {
        let base = self.base;
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        match (&mut level.form, value) {
            (Form::Moment(_, seconds, _), Value::I64(value)) if field.number == 1 => *seconds = value,
            (Form::Moment(_, _, nanos), Value::I32(value)) if field.number == 2 => *nanos = value,
            (Form::Any(url, _), Value::Text(text)) if field.number == 1 => *url = text,
            (Form::Any(_, place), Value::Bytes(bytes)) if field.number == 2 => {
                let end = (at.end - base) as usize;
                *place = (end - bytes.len(), end);
            }
            (Form::Mask, Value::Text(path)) => {
                mask_path(path, self.out).map_err(|why| why.at(at.start))?;
                self.out.push(b',');
            }
            (Form::Field(WellKnown::Value), Value::F64(number)) if !number.is_finite() => {
                return Err(Error::data(ErrorKind::Unsupported, at.start)
                    .seen(format!("{number} in google.protobuf.Value"))
                    .expected("a number that JSON has"));
            }
            (Form::Field(_), value) => return self.value(field, value, at),
            _ => {}
        }
        Ok(())
    }

    /// Prints fields of `message` that are absent and cannot tell it.
    #[cold]
    fn defaults(&mut self, message: &Message, from: usize) {
        let plan = self.plan;
        let seen = self.seen.split_off(from);
        for field in &message.fields {
            let skipped = field.presence != Presence::Implicit
                || field.oneof.is_some()
                || field.name.starts_with('[')
                || seen.contains(&field.number);
            if skipped || field.message().is_some() && !field.is_repeated() {
                continue;
            }
            self.key_of(field);
            match field.cardinality {
                Cardinality::Repeated => self.put(b"[]"),
                Cardinality::Map => self.put(b"{}"),
                Cardinality::Singular => self.default(plan, field),
            }
        }
    }

    fn default(&mut self, plan: &Plan, field: &Field) {
        use crate::model::Kind::{Bool, Bytes, Double, Enum, Fixed64, Float, Int64, SFixed64, SInt64, String, UInt64};
        match field.kind {
            Bool => self.put(b"false"),
            String | Bytes => self.put(b"\"\""),
            Double | Float => self.put(b"0.0"),
            Int64 | UInt64 | Fixed64 | SFixed64 | SInt64 => self.put(b"\"0\""),
            Enum(id) => self.enumeration(field, plan.enums[id.index()].first),
            _ => self.put(b"0"),
        }
    }

    #[inline(always)]
    fn key_of(&mut self, field: &Field) {
        self.out.extend_from_slice(if self.options.original_names { &field.own_key } else { &field.key }.as_bytes());
    }

    fn is_object(&self) -> bool {
        self.levels.last().is_none_or(|level| matches!(level.form, Form::Object))
    }

    /// Prints the type of an `Any`, and has its message follow.
    #[cold]
    fn any(&mut self, url: &str, (start, end): (usize, usize), at: Span) -> Result<Option<Inner>> {
        if url.is_empty() && start == end {
            self.put(b"{}");
            return Ok(None);
        }
        let name = url.rsplit('/').next().unwrap_or_default();
        let Some(message) = self.plan.message_named(name) else {
            return Err(Error::data(ErrorKind::Unsupported, at.start)
                .seen(format!("google.protobuf.Any of the type `{url}`"))
                .expected("a type of the schema")
                .hint("import the file that defines the type"));
        };
        self.out.extend_from_slice(b"{\"@type\":");
        string(self.out, url);
        self.out.push(b',');
        if self.plan.message(message).known.is_some_and(has_form) {
            self.out.extend_from_slice(b"\"value\":");
        }
        self.inner = true;
        Ok(Some(Inner { message, start, end }))
    }
}

impl<'m> Visitor<'m> for Print<'_, 'm> {
    #[inline]
    fn message(&mut self, message: &Message, _: Span) -> Result<Next> {
        self.name_at = None;
        let start = self.out.len();
        let inner = std::mem::take(&mut self.inner);
        let form = match message.known {
            None => Form::Object,
            Some(known) => match known {
                WellKnown::Timestamp | WellKnown::Duration => Form::Moment(known, 0, 0),
                WellKnown::FieldMask => Form::Mask,
                WellKnown::Any => Form::Any("", (0, 0)),
                WellKnown::Empty | WellKnown::NullValue => Form::Object,
                _ => Form::Field(known),
            },
        };
        match form {
            Form::Object if inner => {}
            Form::Object => self.out.push(b'{'),
            Form::Mask => self.out.push(b'"'),
            _ => {}
        }
        let boxed = inner && !matches!(form, Form::Object);
        self.levels.push(Level { form, start, seen: self.seen.len(), boxed });
        Ok(Next::Enter)
    }

    #[inline]
    fn message_end(&mut self, message: &Message, at: Span) -> Result<Option<Inner>> {
        let Some(level) = self.levels.pop() else { return Err(Error::internal("the end of a message that did not start")) };
        match level.form {
            Form::Object => {
                if self.options.defaults {
                    self.defaults(message, level.seen);
                }
                self.end(b"},");
            }
            Form::Mask => self.end(b"\","),
            Form::Moment(known, seconds, nanos) => {
                let write = if known == WellKnown::Timestamp { timestamp } else { duration };
                write(seconds, nanos, self.out).map_err(|error| error.at(at.start))?;
                self.out.push(b',');
            }
            Form::Any(url, place) => {
                if level.boxed && !(url.is_empty() && place.0 == place.1) {
                    // What is in an Any in an Any closes both.
                    let inner = self.any(url, place, at)?;
                    self.levels.push(Level { form: Form::Field(WellKnown::Any), ..level });
                    return Ok(inner);
                }
                let inner = self.any(url, place, at)?;
                if inner.is_some() {
                    return Ok(inner);
                }
            }
            Form::Field(known) if self.out.len() == level.start => self.put(match known {
                WellKnown::Struct => b"{}",
                WellKnown::ListValue => b"[]",
                WellKnown::Value => b"null",
                WellKnown::BoolValue => b"false",
                WellKnown::StringValue | WellKnown::BytesValue => b"\"\"",
                WellKnown::Int64Value | WellKnown::UInt64Value => b"\"0\"",
                WellKnown::DoubleValue | WellKnown::FloatValue => b"0.0",
                _ => b"0",
            }),
            Form::Field(_) => {}
        }
        if level.boxed {
            self.end(b"},");
        }
        // An Any whose message stood in another one.
        while let Some(Level { form: Form::Field(WellKnown::Any), .. }) = self.levels.last() {
            self.levels.pop();
            self.end(b"},");
        }
        Ok(None)
    }

    #[inline]
    fn field(&mut self, field: &Field, _: Span) -> Result<Next> {
        if self.is_object() {
            if self.options.defaults {
                self.seen.push(field.number);
            }
            // A default that is written is as good as absent where absence cannot be told.
            let implicit = field.presence == Presence::Implicit && !field.is_repeated();
            self.name_at = (implicit && !self.options.defaults).then_some(self.out.len());
            self.key_of(field);
        }
        Ok(Next::Enter)
    }

    #[inline]
    fn list(&mut self, _: &Field, _: Span) -> Result<Next> {
        if !matches!(self.levels.last(), Some(Level { form: Form::Mask, .. })) {
            self.out.push(b'[');
        }
        Ok(Next::Enter)
    }

    #[inline]
    fn list_end(&mut self, _: Span) -> Result<()> {
        if !matches!(self.levels.last(), Some(Level { form: Form::Mask, .. })) {
            self.end(b"],");
        }
        Ok(())
    }

    fn map(&mut self, _: &Field, _: Span) -> Result<Next> {
        self.out.push(b'{');
        Ok(Next::Enter)
    }

    fn key(&mut self, value: Value<'m>, at: Span) -> Result<Next> {
        let mut digits = itoa::Buffer::new();
        let text = match value {
            Value::Text(text) => {
                string(self.out, text);
                self.out.push(b':');
                return Ok(Next::Enter);
            }
            Value::Bool(true) => "true",
            Value::Bool(false) => "false",
            Value::I32(value) => digits.format(value),
            Value::I64(value) => digits.format(value),
            Value::U32(value) => digits.format(value),
            Value::U64(value) => digits.format(value),
            _ => return Err(Error::data(ErrorKind::Encoding, at.start).seen("a key that is no UTF-8").expected("text that JSON can hold")),
        };
        self.out.push(b'"');
        self.out.extend_from_slice(text.as_bytes());
        self.out.extend_from_slice(b"\":");
        Ok(Next::Enter)
    }

    fn map_end(&mut self, _: Span) -> Result<()> {
        self.end(b"},");
        Ok(())
    }

    #[inline]
    fn scalar(&mut self, field: &Field, value: Value<'m>, at: Span) -> Result<()> {
        if let Some(start) = self.name_at.take()
            && is_default(value)
        {
            self.out.truncate(start);
            return Ok(());
        }
        if self.is_object() { self.value(field, value, at) } else { self.special(field, value, at) }
    }

    fn unknown(&mut self, _: usize, _: usize) -> Result<()> {
        Ok(())
    }

    fn remark(&mut self, _: &'static str, _: Span) -> Result<()> {
        Ok(())
    }
}
