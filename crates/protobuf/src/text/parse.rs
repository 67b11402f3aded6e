//! The text format to bytes in one pass, without a tree.

use std::sync::Arc;

use polywire_core::{Budget, Error, ErrorKind, Result};

use super::scan::Scan;
use crate::model::{Cardinality, Kind, Presence, WellKnown};
use crate::plan::{Field, Message, Plan};
use crate::scalar::{Value, is_default};
use crate::walk::Build;

/// Parses messages of one type.
#[derive(Debug)]
pub struct TextParser {
    plan: Arc<Plan>,
    build: Build,
}

impl TextParser {
    /// Makes a parser of messages of the plan's root type.
    pub fn new(plan: Arc<Plan>) -> TextParser {
        TextParser { plan, build: Build::default() }
    }

    /// Appends the bytes of the message in `text`, which is at `base` of a stream.
    ///
    /// # Errors
    /// The text is not a message of this type.
    pub fn parse(&mut self, text: &[u8], base: u64, out: &mut Vec<u8>, budget: &mut Budget) -> Result<()> {
        let text = simdutf8::basic::from_utf8(text).map_err(|_| {
            let bad = std::str::from_utf8(text).map_or_else(|error| error.valid_up_to(), |_| 0);
            Error::data(ErrorKind::Encoding, base + bad as u64).seen(format!("byte 0x{:02x}", text[bad])).expected("UTF-8 text")
        })?;
        self.build.begin();
        let mut parse =
            Parse { plan: &self.plan, scan: Scan::new(text, base), build: &mut self.build, levels: Vec::new(), bytes: Vec::new(), budget };
        parse.run()?;
        self.build.finish(out);
        Ok(())
    }
}

/// An open message.
struct Level {
    message: u32,
    /// The bracket that ends it; `None` for the root.
    closes: Option<u8>,
    /// Fields that it has so far.
    seen: Vec<bool>,
    /// Index of the field whose packed values are open.
    packed: Option<usize>,
    /// Index of the field in the message around, for an element of a list in brackets.
    list: Option<usize>,
    /// It is a map's entry, where defaults are written too.
    entry: bool,
}

struct Parse<'w, 'm> {
    plan: &'w Plan,
    scan: Scan<'m>,
    build: &'w mut Build,
    levels: Vec<Level>,
    bytes: Vec<u8>,
    budget: &'w mut Budget,
}

impl Parse<'_, '_> {
    fn run(&mut self) -> Result<()> {
        self.push(self.plan.root, None, None, false)?;
        while let Some(level) = self.levels.last() {
            let (closes, message) = (level.closes, level.message);
            match (self.scan.peek(), closes) {
                (None, None) => self.pop()?,
                (Some(byte), Some(close)) if byte == close => {
                    self.scan.take(close);
                    self.pop()?;
                }
                (None, Some(close)) => return Err(self.scan.wrong(format!("a field, or `{}`", char::from(close)))),
                (Some(_), _) => self.field(message)?,
            }
        }
        Ok(())
    }

    fn push(&mut self, message: u32, closes: Option<u8>, list: Option<usize>, entry: bool) -> Result<()> {
        self.budget.item(self.scan.offset())?;
        self.budget.enter(self.scan.offset())?;
        let seen = vec![false; self.plan.message(message).fields.len()];
        self.levels.push(Level { message, closes, seen, packed: None, list, entry });
        Ok(())
    }

    fn pop(&mut self) -> Result<()> {
        self.end_packed(None);
        let Some(level) = self.levels.pop() else { return Ok(()) };
        let ty = self.plan.message(level.message);
        if let Some((field, _)) = ty.fields.iter().zip(&level.seen).find(|(field, seen)| field.presence == Presence::Required && !**seen) {
            return Err(Error::data(ErrorKind::Truncated, self.scan.offset())
                .seen(format!("a message {} without it", ty.name))
                .expected(format!("the required field `{}`", field.name)));
        }
        self.budget.leave();
        if self.levels.is_empty() {
            return Ok(());
        }
        self.build.close();
        if let Some(index) = level.list {
            if self.scan.take(b',') {
                return self.open(index, true);
            }
            self.scan.expect(b']')?;
        }
        self.scan.separator();
        Ok(())
    }

    /// Ends the open packed values, unless the next field continues them.
    fn end_packed(&mut self, next: Option<usize>) {
        if let Some(level) = self.levels.last_mut()
            && level.packed.is_some()
            && level.packed != next
        {
            level.packed = None;
            self.build.close();
        }
    }

    /// Parses a field of the innermost message, up to the next field or the first message in it.
    fn field(&mut self, message: u32) -> Result<()> {
        let plan = self.plan;
        let ty = plan.message(message);
        let at = self.scan.offset();
        let index = if self.scan.take(b'[') {
            let name = self.scan.bracketed()?;
            if ty.known == Some(WellKnown::Any) && name.contains('/') {
                return self.any(&name, at);
            }
            ty.text_named(&format!("[{name}]")).ok_or_else(|| unknown(&format!("[{name}]"), ty, at))?
        } else {
            let name = self.scan.name();
            if name.is_empty() {
                return Err(self.scan.wrong("the name of a field"));
            }
            match ty.text_named(name) {
                Some(index) => index,
                // Texts of an older version of the schema stay readable.
                None if ty.is_reserved(name) => {
                    self.scan.skip_value(self.budget.limits().depth)?;
                    self.scan.separator();
                    return Ok(());
                }
                None => return Err(unknown(name, ty, at)),
            }
        };
        let field = &ty.fields[index];
        self.end_packed(Some(index));
        if let Some(level) = self.levels.last_mut() {
            if std::mem::replace(&mut level.seen[index], true) && !field.is_repeated() {
                return Err(Error::data(ErrorKind::Syntax, at).seen(format!("a second value of `{}`", field.name)).expected("one value"));
            }
            if let Some(oneof) = field.oneof {
                let mut others = ty.fields.iter().zip(&level.seen).filter(|(other, seen)| **seen && other.oneof == Some(oneof));
                if let Some((other, _)) = others.find(|(other, _)| other.number != field.number) {
                    return Err(Error::data(ErrorKind::Syntax, at)
                        .seen(format!("`{}` beside `{}`", field.name, other.name))
                        .expected("one field of the oneof"));
                }
            }
        }
        let colon = self.scan.take(b':');
        if field.message().is_some() {
            if field.is_repeated() && self.scan.take(b'[') {
                if self.scan.take(b']') {
                    self.scan.separator();
                    return Ok(());
                }
                return self.open(index, true);
            }
            return self.open(index, false);
        }
        if !colon {
            return Err(self.scan.wrong(format!("`:` and the value of `{}`", field.name)));
        }
        if field.is_repeated() && self.scan.take(b'[') {
            if !self.scan.take(b']') {
                self.value(field, index)?;
                while self.scan.take(b',') {
                    self.value(field, index)?;
                }
                self.scan.expect(b']')?;
            }
        } else {
            self.value(field, index)?;
        }
        self.scan.separator();
        Ok(())
    }

    /// Opens a message as a value of the field of that index.
    fn open(&mut self, index: usize, in_list: bool) -> Result<()> {
        let plan = self.plan;
        let Some(level) = self.levels.last() else { return Ok(()) };
        let field = &plan.message(level.message).fields[index];
        let Some(message) = field.message() else { return Err(Error::internal("a scalar as a message")) };
        let close = self.bracket()?;
        self.build.open_message(field);
        self.push(message, Some(close), in_list.then_some(index), field.cardinality == Cardinality::Map)
    }

    /// Returns the closing bracket for the next opening one, and consumes that.
    fn bracket(&mut self) -> Result<u8> {
        match (self.scan.take(b'{'), self.scan.take(b'<')) {
            (true, _) => Ok(b'}'),
            (_, true) => Ok(b'>'),
            _ => Err(self.scan.wrong("`{` and a message")),
        }
    }

    /// Opens the message in an `Any`, behind the name of its type (specification, "Fields": any
    /// names).
    fn any(&mut self, name: &str, at: u64) -> Result<()> {
        let full = name.rsplit('/').next().unwrap_or(name);
        let Some(message) = self.plan.message_named(full) else {
            return Err(Error::data(ErrorKind::Syntax, at).seen(format!("the type {full}")).expected("a type of the schema"));
        };
        if let Some(level) = self.levels.last_mut() {
            if level.seen.contains(&true) {
                return Err(Error::data(ErrorKind::Syntax, at).seen("a second value of an Any").expected("one value"));
            }
            level.seen.fill(true);
        }
        self.scan.take(b':');
        let close = self.bracket()?;
        self.build.bytes(1, name.as_bytes());
        self.build.open(2);
        self.push(message, Some(close), None, false)
    }

    /// Parses a scalar value of a field.
    fn value(&mut self, field: &Field, index: usize) -> Result<()> {
        let at = self.scan.offset();
        self.budget.item(at)?;
        if let Kind::String | Kind::Bytes = field.kind {
            let mut bytes = std::mem::take(&mut self.bytes);
            bytes.clear();
            self.scan.strings(&mut bytes)?;
            let value = match (field.kind, std::str::from_utf8(&bytes)) {
                (Kind::Bytes, _) => Value::Bytes(&bytes),
                (_, Ok(text)) => Value::Text(text),
                (_, Err(_)) if field.utf8 => {
                    return Err(Error::data(ErrorKind::Encoding, at).seen("bytes that are not UTF-8").expected("text"));
                }
                (_, Err(_)) => Value::Octets(&bytes),
            };
            self.put(field, index, value);
            self.bytes = bytes;
            return Ok(());
        }
        let negative = self.scan.take(b'-');
        let word = self.scan.word();
        self.budget.digits(word.len(), at)?;
        if word.is_empty() {
            return Err(self.scan.wrong(format!("a value of `{}`", field.name)));
        }
        let value = self.plain(field, word, negative).ok_or_else(|| {
            let sign = if negative { "-" } else { "" };
            Error::data(ErrorKind::Syntax, at).seen(format!("`{sign}{word}`")).expected(format!(
                "a value of `{}`, which is of the type {}",
                field.name,
                field.kind.name()
            ))
        })?;
        self.put(field, index, value);
        Ok(())
    }

    /// Returns the value of a word, or `None` if it is no value of the field or out of range.
    fn plain(&self, field: &Field, word: &str, negative: bool) -> Option<Value<'static>> {
        let whole = || whole(word).map(|value| if negative { -value } else { value });
        Some(match field.kind {
            Kind::Bool => Value::Bool(match word {
                "true" | "True" | "t" | "1" if !negative => true,
                "false" | "False" | "f" | "0" if !negative => false,
                _ => return None,
            }),
            Kind::Enum(id) => {
                let ty = &self.plan.enums[id.index()];
                let number = match ty.number_of(word).filter(|_| !negative) {
                    Some(number) => number,
                    None => i32::try_from(whole()?).ok().filter(|number| !field.closed || ty.name_of(*number).is_some())?,
                };
                Value::Enum(number)
            }
            Kind::Int32 | Kind::SInt32 | Kind::SFixed32 => Value::I32(whole()?.try_into().ok()?),
            Kind::Int64 | Kind::SInt64 | Kind::SFixed64 => Value::I64(whole()?.try_into().ok()?),
            Kind::UInt32 | Kind::Fixed32 => Value::U32(whole()?.try_into().ok()?),
            Kind::UInt64 | Kind::Fixed64 => Value::U64(whole()?.try_into().ok()?),
            Kind::Float => {
                let value: f32 = float(word)?.parse().ok()?;
                Value::F32(if negative { -value } else { value })
            }
            Kind::Double => {
                let value: f64 = float(word)?.parse().ok()?;
                Value::F64(if negative { -value } else { value })
            }
            Kind::String | Kind::Bytes | Kind::Message(_) | Kind::Group(_) => return None,
        })
    }

    fn put(&mut self, field: &Field, index: usize, value: Value<'_>) {
        let Some(level) = self.levels.last_mut() else { return };
        if field.packed {
            if level.packed != Some(index) {
                level.packed = Some(index);
                self.build.open_unless_empty(field.number);
            }
            self.build.element(field.kind, value);
        } else if field.presence != Presence::Implicit || field.is_repeated() || level.entry || !is_default(value) {
            self.build.scalar(field, value);
        }
    }
}

/// Parses decimal, octal or hexadecimal digits (specification, "Numeric Literals").
fn whole(word: &str) -> Option<i128> {
    let digits = |text: &str, radix| if text.starts_with('+') { None } else { i128::from_str_radix(text, radix).ok() };
    match word.as_bytes() {
        [b'0', b'x' | b'X', ..] => digits(&word[2..], 16),
        [b'0', _, ..] => digits(&word[1..], 8),
        _ => digits(word, 10),
    }
}

/// Returns a float in Rust's syntax, without the suffix, or `None` for an octal or hexadecimal
/// number.
fn float(word: &str) -> Option<&str> {
    if ["inf", "infinity", "nan"].iter().any(|special| word.eq_ignore_ascii_case(special)) {
        return Some(word);
    }
    let digits = word.strip_suffix(['f', 'F']).unwrap_or(word);
    let decimal = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    let octal = digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    (decimal && !octal).then_some(digits)
}

#[cold]
fn unknown(name: &str, ty: &Message, at: u64) -> Error {
    let names: Vec<&str> = ty.fields.iter().map(|field| &*field.name).collect();
    let names = if names.is_empty() { "no field".to_string() } else { format!("one of {}", names.join(", ")) };
    Error::data(ErrorKind::Syntax, at).seen(format!("the field `{name}`, which {} does not have", ty.name)).expected(names)
}
