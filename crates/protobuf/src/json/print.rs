//! Bytes to canonical JSON in one pass, without a tree.
//!
//! Each value is followed by a comma, which the end of its container removes.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_core::bytes::utf8;
use polywire_core::{Budget, Error, ErrorKind, Next, Result, Span};
use polywire_json::JsonOutput;

use crate::model::{Cardinality, Presence, WellKnown};
use crate::plan::{Field, KEY_START, Message, Plan};
use crate::scalar::{Value, duration, has_form, is_default, mask_path, timestamp};
use crate::walk::{Inner, Scratch, Visitor, Walk, no_text};
use crate::wire::NAME;

/// Options of printing ("JSON Options").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PrintOptions {
    /// Prints absent fields of implicit presence with their defaults, and empty lists and maps.
    pub defaults: bool,
    /// Names fields as in the schema, instead of in lowerCamelCase.
    pub original_names: bool,
    /// Prints enums as numbers.
    pub enum_numbers: bool,
}

/// Prints messages of one type.
#[derive(Debug)]
pub struct JsonPrinter {
    plan: Arc<Plan>,
    options: PrintOptions,
    scratch: Scratch,
    memory: Memory,
}

/// Memory that printing reuses.
#[derive(Debug, Default)]
struct Memory {
    levels: Vec<Level>,
    /// Numbers of the printed fields, if absent ones are printed too.
    seen: Vec<u32>,
    /// A text that is made apart.
    text: Vec<u8>,
}

impl JsonPrinter {
    /// Makes a printer of messages of the plan's root type.
    pub fn new(plan: Arc<Plan>, options: PrintOptions) -> JsonPrinter {
        JsonPrinter { plan, options, scratch: Scratch::default(), memory: Memory::default() }
    }

    /// Appends the JSON text of the message `msg`, which is at `base` of a stream. After an error,
    /// the appended bytes are not JSON.
    ///
    /// # Errors
    /// The message is malformed, or has values without a form in JSON: text that is not UTF-8,
    /// messages of unknown type, moments out of range.
    pub fn print(&mut self, msg: &[u8], base: u64, out: &mut Vec<u8>, budget: &mut Budget) -> Result<()> {
        let plan = &*self.plan;
        let Memory { levels, seen, text } = &mut self.memory;
        levels.clear();
        seen.clear();
        let output = JsonOutput::behind(std::mem::take(out), msg.len() * 2);
        let options = self.options;
        let mut visitor = Print { plan, options, msg, base, out: output, levels, object: true, seen, text, inner: false, name_at: None };
        let walk = Walk { plan, msg, base, visitor: &mut visitor, budget, scratch: &mut self.scratch };
        let outcome = walk.run(plan.root, 0);
        visitor.out.close(b"");
        *out = visitor.out.finish();
        outcome.map_err(|error| error.format_is(NAME))
    }
}

struct Print<'w, 'm> {
    plan: &'w Plan,
    options: PrintOptions,
    msg: &'m [u8],
    base: u64,
    out: JsonOutput,
    levels: &'w mut Vec<Level>,
    /// The innermost level is printed as an object.
    object: bool,
    seen: &'w mut Vec<u32>,
    text: &'w mut Vec<u8>,
    /// The next message is in an `Any`, whose type is printed.
    inner: bool,
    /// Position of a printed field name that is removed if the default follows.
    name_at: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    form: Form,
    /// Start of its text.
    start: usize,
    /// Start of its part of `seen`.
    seen: usize,
    /// It is the value in an `Any`.
    boxed: bool,
}

/// The form of a message.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// An object.
    Object,
    /// The form of its only field.
    Field(WellKnown),
    /// Text made of two numbers.
    Moment(WellKnown, i64, i32),
    /// One text of its elements.
    Mask,
    /// An object with its type, with the ranges of URL and value in the message.
    Any((usize, usize), (usize, usize)),
}

impl<'m> Print<'_, 'm> {
    /// Appends a number and a comma.
    #[inline(always)]
    fn number(&mut self, number: impl itoa::Integer) {
        self.out.short(itoa::Buffer::new().format(number).as_bytes());
        self.out.put(b",");
    }

    /// Appends a 64-bit number and a comma: as text, because many programs read JSON numbers as
    /// f64.
    #[inline(always)]
    fn long(&mut self, number: impl itoa::Integer) {
        self.out.put(b"\"");
        self.out.short(itoa::Buffer::new().format(number).as_bytes());
        self.out.put(b"\",");
    }

    /// Appends the output of `write`, and a comma.
    fn made(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
        self.text.clear();
        write(self.text)?;
        self.text.push(b',');
        self.out.push(self.text);
        Ok(())
    }

    /// Appends a float and a comma. Whole numbers up to `exact` have all their digits.
    #[inline(always)]
    fn float(&mut self, value: f64, exact: f64, text: impl FnOnce(&mut ryu::Buffer) -> &str) {
        let whole = value as i64;
        if whole as f64 == value && whole != 0 && value.abs() <= exact {
            self.out.short(itoa::Buffer::new().format(whole).as_bytes());
            self.out.put(b".0,");
        } else if value.is_finite() {
            self.out.short(text(&mut ryu::Buffer::new()).as_bytes());
            self.out.put(b",");
        } else if value.is_nan() {
            self.out.put(b"\"NaN\",");
        } else if value > 0.0 {
            self.out.put(b"\"Infinity\",");
        } else {
            self.out.put(b"\"-Infinity\",");
        }
    }

    fn enumeration(&mut self, field: &Field, number: i32) {
        let plan = self.plan;
        let Some(ty) = field.enumeration().map(|at| &plan.enums[at]) else { return };
        if ty.known == Some(WellKnown::NullValue) {
            return self.out.put(b"null,");
        }
        match ty.name_of(number).filter(|_| !self.options.enum_numbers) {
            Some(name) => {
                self.out.put(b"\"");
                self.out.short(name.as_bytes());
                self.out.put(b"\",");
            }
            None => self.number(number),
        }
    }

    /// Prints a scalar by its type.
    #[inline(always)]
    fn value(&mut self, field: &Field, value: Value<'m>, at: Span) -> Result<()> {
        match value {
            Value::Text(text) => {
                self.out.string(text.as_bytes(), 0, text.len());
            }
            Value::Bool(true) => self.out.put(b"true,"),
            Value::Bool(false) => self.out.put(b"false,"),
            Value::I32(value) => self.number(value),
            Value::U32(value) => self.number(value),
            Value::I64(value) => self.long(value),
            Value::U64(value) => self.long(value),
            // Beyond these, the shortest text of a float has zeros for some of its digits.
            Value::F32(value) => self.float(f64::from(value), 16_777_216.0, |buffer| buffer.format_finite(value)),
            Value::F64(value) => self.float(value, 9_007_199_254_740_992.0, |buffer| buffer.format_finite(value)),
            Value::Enum(number) => self.enumeration(field, number),
            Value::Bytes(bytes) => {
                return self.made(|text| {
                    text.push(b'"');
                    // Four characters for each three bytes.
                    text.resize(1 + bytes.len().div_ceil(3) * 4, 0);
                    let written = STANDARD.encode_slice(bytes, &mut text[1..]).map_err(|_| Error::internal("base64 longer than it is"))?;
                    text.truncate(1 + written);
                    text.push(b'"');
                    Ok(())
                });
            }
            Value::Octets(_) => {
                return Err(Error::data(ErrorKind::Encoding, at.start)
                    .seen("a string that is not UTF-8")
                    .expected("text that JSON can hold")
                    .hint("the schema does not require UTF-8 here; convert to a format with binary values"));
            }
        }
        Ok(())
    }

    /// Takes a string that is outside of an object, empty, or not UTF-8.
    #[inline(never)]
    fn checked(&mut self, field: &Field, bytes: &'m [u8], at: Span) -> Result<()> {
        match utf8(bytes) {
            Some(text) => self.scalar(field, Value::Text(text), at),
            None if field.utf8 => Err(no_text(bytes, at)),
            None => self.scalar(field, Value::Octets(bytes), at),
        }
    }

    /// Takes a scalar of a message with a form of its own.
    #[cold]
    fn special(&mut self, field: &Field, value: Value<'m>, at: Span) -> Result<()> {
        let base = self.base;
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        match (&mut level.form, value) {
            (Form::Moment(_, seconds, _), Value::I64(value)) if field.number == 1 => *seconds = value,
            (Form::Moment(_, _, nanos), Value::I32(value)) if field.number == 2 => *nanos = value,
            (Form::Any(url, _), Value::Text(text)) if field.number == 1 => {
                let end = (at.end - base) as usize;
                *url = (end - text.len(), end);
            }
            (Form::Any(_, place), Value::Bytes(bytes)) if field.number == 2 => {
                let end = (at.end - base) as usize;
                *place = (end - bytes.len(), end);
            }
            (Form::Mask, Value::Text(path)) => {
                self.made(|text| mask_path(path, text)).map_err(|why| why.at(at.start))?;
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

    /// Prints absent fields of implicit presence of `message`.
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
                Cardinality::Repeated => self.out.put(b"[],"),
                Cardinality::Map => self.out.put(b"{},"),
                Cardinality::Singular => self.default(plan, field),
            }
        }
    }

    fn default(&mut self, plan: &Plan, field: &Field) {
        use crate::model::Kind::{Bool, Bytes, Double, Enum, Fixed64, Float, Int64, SFixed64, SInt64, String, UInt64};
        match field.kind {
            Bool => self.out.put(b"false,"),
            String | Bytes => self.out.put(b"\"\","),
            Double | Float => self.out.put(b"0.0,"),
            Int64 | UInt64 | Fixed64 | SFixed64 | SInt64 => self.out.put(b"\"0\","),
            Enum(id) => self.enumeration(field, plan.enums[id.index()].first),
            _ => self.out.put(b"0,"),
        }
    }

    #[inline(always)]
    fn key_of(&mut self, field: &Field) {
        if self.options.original_names {
            self.out.push(field.own_key.as_bytes());
        } else if field.key.len() <= KEY_START {
            self.out.array(&field.key_start, field.key.len());
        } else {
            self.out.push(field.key.as_bytes());
        }
    }

    /// Ends the innermost level.
    #[inline(always)]
    fn pop(&mut self) -> Option<Level> {
        let level = self.levels.pop();
        self.object = self.levels.last().is_none_or(|level| matches!(level.form, Form::Object));
        level
    }

    /// Prints the type of an `Any`; its message follows.
    #[cold]
    fn any(&mut self, url: (usize, usize), (start, end): (usize, usize), at: Span) -> Result<Option<Inner>> {
        let url = utf8(&self.msg[url.0..url.1]).unwrap_or_default();
        if url.is_empty() && start == end {
            self.out.put(b"{},");
            return Ok(None);
        }
        let name = url.rsplit('/').next().unwrap_or_default();
        let Some(message) = self.plan.message_named(name) else {
            return Err(Error::data(ErrorKind::Unsupported, at.start)
                .seen(format!("google.protobuf.Any of the type `{url}`"))
                .expected("a type of the schema")
                .hint("import the file that defines the type"));
        };
        self.out.put(b"{\"@type\":");
        self.out.string(url.as_bytes(), 0, url.len());
        if self.plan.message(message).known.is_some_and(has_form) {
            self.out.put(b"\"value\":");
        }
        self.inner = true;
        Ok(Some(Inner { message, start, end }))
    }
}

impl<'m> Visitor<'m> for Print<'_, 'm> {
    #[inline(always)]
    fn message(&mut self, message: &Message, _: Span) -> Result<Next> {
        self.name_at = None;
        let start = self.out.len();
        let inner = std::mem::take(&mut self.inner);
        let form = match message.known {
            None => Form::Object,
            Some(known) => match known {
                WellKnown::Timestamp | WellKnown::Duration => Form::Moment(known, 0, 0),
                WellKnown::FieldMask => Form::Mask,
                WellKnown::Any => Form::Any((0, 0), (0, 0)),
                WellKnown::Empty | WellKnown::NullValue => Form::Object,
                _ => Form::Field(known),
            },
        };
        match form {
            Form::Object if inner => {}
            Form::Object => self.out.put(b"{"),
            Form::Mask => self.out.put(b"\""),
            _ => {}
        }
        let boxed = inner && !matches!(form, Form::Object);
        self.object = matches!(form, Form::Object);
        self.levels.push(Level { form, start, seen: self.seen.len(), boxed });
        Ok(Next::Enter)
    }

    #[inline(always)]
    fn message_end(&mut self, message: &Message, at: Span) -> Result<Option<Inner>> {
        let Some(level) = self.pop() else { return Err(Error::internal("the end of a message that did not start")) };
        match level.form {
            Form::Object => {
                if self.options.defaults {
                    self.defaults(message, level.seen);
                }
                self.out.close(b"},");
            }
            Form::Mask => self.out.close(b"\","),
            Form::Moment(known, seconds, nanos) => {
                let write = if known == WellKnown::Timestamp { timestamp } else { duration };
                self.made(|text| write(seconds, nanos, text)).map_err(|error| error.at(at.start))?;
            }
            Form::Any(url, place) => {
                if level.boxed && !(url.0 == url.1 && place.0 == place.1) {
                    // An Any in an Any closes both.
                    let inner = self.any(url, place, at)?;
                    self.levels.push(Level { form: Form::Field(WellKnown::Any), ..level });
                    self.object = false;
                    return Ok(inner);
                }
                let inner = self.any(url, place, at)?;
                if inner.is_some() {
                    return Ok(inner);
                }
            }
            Form::Field(known) if self.out.len() == level.start => match known {
                WellKnown::Struct => self.out.put(b"{},"),
                WellKnown::ListValue => self.out.put(b"[],"),
                WellKnown::Value => self.out.put(b"null,"),
                WellKnown::BoolValue => self.out.put(b"false,"),
                WellKnown::StringValue | WellKnown::BytesValue => self.out.put(b"\"\","),
                WellKnown::Int64Value | WellKnown::UInt64Value => self.out.put(b"\"0\","),
                WellKnown::DoubleValue | WellKnown::FloatValue => self.out.put(b"0.0,"),
                _ => self.out.put(b"0,"),
            },
            Form::Field(_) => {}
        }
        if level.boxed {
            self.out.close(b"},");
        }
        // An Any whose message stood in another one.
        while let Some(Level { form: Form::Field(WellKnown::Any), .. }) = self.levels.last() {
            self.pop();
            self.out.close(b"},");
        }
        Ok(None)
    }

    #[inline(always)]
    fn field(&mut self, field: &Field, _: Span) -> Result<Next> {
        if self.object {
            if self.options.defaults {
                self.seen.push(field.number);
            }
            // A default on the wire means absence, where presence is implicit.
            let implicit = field.presence == Presence::Implicit && !field.is_repeated();
            self.name_at = (implicit && !self.options.defaults).then_some(self.out.len());
            self.key_of(field);
        }
        Ok(Next::Enter)
    }

    #[inline(always)]
    fn list(&mut self, _: &Field, _: Span) -> Result<Next> {
        if !matches!(self.levels.last(), Some(Level { form: Form::Mask, .. })) {
            self.out.put(b"[");
        }
        Ok(Next::Enter)
    }

    #[inline(always)]
    fn list_end(&mut self, _: Span) -> Result<()> {
        if !matches!(self.levels.last(), Some(Level { form: Form::Mask, .. })) {
            self.out.close(b"],");
        }
        Ok(())
    }

    fn map(&mut self, _: &Field, _: Span) -> Result<Next> {
        self.out.put(b"{");
        Ok(Next::Enter)
    }

    fn key(&mut self, value: Value<'m>, at: Span) -> Result<Next> {
        let mut digits = itoa::Buffer::new();
        let text = match value {
            Value::Text(text) => {
                self.out.string(text.as_bytes(), 0, text.len());
                self.out.close(b":");
                return Ok(Next::Enter);
            }
            Value::Bool(true) => "true",
            Value::Bool(false) => "false",
            Value::I32(value) => digits.format(value),
            Value::I64(value) => digits.format(value),
            Value::U32(value) => digits.format(value),
            Value::U64(value) => digits.format(value),
            _ => {
                return Err(Error::data(ErrorKind::Encoding, at.start).seen("a key that is not UTF-8").expected("text that JSON can hold"));
            }
        };
        self.out.put(b"\"");
        self.out.short(text.as_bytes());
        self.out.put(b"\":");
        Ok(Next::Enter)
    }

    fn map_end(&mut self, _: Span) -> Result<()> {
        self.out.close(b"},");
        Ok(())
    }

    #[inline(always)]
    fn scalar(&mut self, field: &Field, value: Value<'m>, at: Span) -> Result<()> {
        if let Some(start) = self.name_at.take()
            && is_default(value)
        {
            self.out.truncate(start);
            return Ok(());
        }
        if self.object { self.value(field, value, at) } else { self.special(field, value, at) }
    }

    #[inline(always)]
    fn string(&mut self, field: &Field, bytes: &'m [u8], at: Span) -> Result<()> {
        if !self.object || bytes.is_empty() {
            return self.checked(field, bytes, at);
        }
        self.name_at = None;
        // Bytes of the message behind the string may be read.
        let end = (at.end - self.base) as usize;
        if self.out.string(self.msg, end - bytes.len(), end) { Ok(()) } else { self.checked(field, bytes, at) }
    }

    fn unknown(&mut self, _: usize, _: usize) -> Result<()> {
        Ok(())
    }

    fn stray(&mut self, _: &Field, _: usize, _: usize) -> Result<()> {
        Ok(())
    }

    fn remark(&mut self, _: &'static str, _: Span) -> Result<()> {
        Ok(())
    }
}
