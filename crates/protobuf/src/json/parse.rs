//! JSON text to bytes in one pass, without a tree.

use std::sync::Arc;

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use polywire_core::{Budget, Error, ErrorKind, Result};
use polywire_json::cursor::Text;
use polywire_json::scan::{Scan, Token};

use crate::model::{Cardinality, Kind, Presence, WellKnown};
use crate::plan::{Field, Message, Plan};
use crate::scalar::{
    Value, double, double_of, float, float_of, has_form, is_default, parse_duration, parse_timestamp, path_of_mask, whole, whole_of,
};
use crate::walk::Build;

/// Accepts the standard and the URL-safe alphabet, with or without padding.
const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent).with_decode_allow_trailing_bits(true);
const BASE64: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
const BASE64_URL: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT);

/// Options of parsing ("JSON Options").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ParseOptions {
    /// Steps over fields and enum names that the schema does not have. Without it, they are errors.
    pub ignore_unknown: bool,
}

/// Parses messages of one type.
#[derive(Debug)]
pub struct JsonParser {
    plan: Arc<Plan>,
    options: ParseOptions,
    build: Build,
    levels: Vec<Level>,
    /// Fields that the open messages have so far, and behind those of a message its oneofs;
    /// innermost last.
    seen: Vec<bool>,
    scratch: String,
    bytes: Vec<u8>,
}

/// An open container of the text.
#[derive(Debug, Clone, Copy)]
struct Level {
    kind: LevelKind,
    /// Type of the message; for lists and maps, the type that has their field.
    message: u32,
    /// Index of the field of a list or map.
    field: u32,
    /// Start of its part of `seen`.
    seen: usize,
    /// Index of the field that is likely to come next.
    hint: u32,
    /// An entry has come.
    any: bool,
    /// Number of levels of bytes that close with it.
    closes: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LevelKind {
    /// An object that is a message.
    Object,
    /// An object that is the message in an `Any`, with its type known.
    InAny,
    /// An object that is an `Any` around a value with a form of its own.
    Boxed,
    /// An array that is a repeated field, packed or not.
    List,
    Packed,
    /// An object that is a map, or a `Struct`.
    Map,
}

/// The outcome of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Done {
    /// The value is written.
    Written,
    /// The value is a container, and is open.
    Opened,
    /// The value means absence.
    Absent,
    /// The value is a name that its enum does not have, and is stepped over.
    Ignored,
}

impl JsonParser {
    /// Makes a parser of messages of the plan's root type.
    pub fn new(plan: Arc<Plan>, options: ParseOptions) -> JsonParser {
        JsonParser {
            plan,
            options,
            build: Build::default(),
            levels: Vec::new(),
            seen: Vec::new(),
            scratch: String::new(),
            bytes: Vec::new(),
        }
    }

    /// Appends the bytes of the message in `text`, which is at `base` of a stream.
    ///
    /// # Errors
    /// The text is not JSON, or not a message of this type.
    pub fn parse(&mut self, text: &[u8], base: u64, out: &mut Vec<u8>, budget: &mut Budget) -> Result<()> {
        let plan = Arc::clone(&self.plan);
        let text = simdutf8::basic::from_utf8(text).map_err(|_| {
            let bad = std::str::from_utf8(text).map_or_else(|error| error.valid_up_to(), |_| 0);
            Error::data(ErrorKind::Encoding, base + bad as u64).seen(format!("byte 0x{:02x}", text[bad])).expected("UTF-8 text")
        })?;
        self.levels.clear();
        self.seen.clear();
        self.build.begin();
        let mut parse = Parse {
            plan: &plan,
            options: self.options,
            scan: Scan::new(text, base, std::mem::take(&mut self.scratch)),
            build: &mut self.build,
            levels: &mut self.levels,
            seen: &mut self.seen,
            keys: Vec::new(),
            bytes: &mut self.bytes,
            budget,
        };
        let outcome = parse.run(plan.root);
        self.scratch = std::mem::take(&mut parse.scan.scratch);
        outcome?;
        self.build.finish(out);
        Ok(())
    }
}

struct Parse<'w, 'm> {
    plan: &'w Plan,
    options: ParseOptions,
    scan: Scan<'m>,
    build: &'w mut Build,
    levels: &'w mut Vec<Level>,
    seen: &'w mut Vec<bool>,
    /// Keys of the open maps.
    keys: Vec<std::collections::HashSet<Box<str>>>,
    bytes: &'w mut Vec<u8>,
    budget: &'w mut Budget,
}

impl Parse<'_, '_> {
    fn run(&mut self, root: u32) -> Result<()> {
        let at = self.offset();
        if self.message(root, None, 0)? == Done::Absent {
            return Err(Error::data(ErrorKind::Syntax, at).seen("null").expected("a message"));
        }
        while let Some(level) = self.levels.last().copied() {
            match level.kind {
                LevelKind::Object | LevelKind::InAny | LevelKind::Boxed => self.fields(level)?,
                LevelKind::List | LevelKind::Packed => self.elements(level)?,
                LevelKind::Map => self.entries(level)?,
            }
        }
        self.scan.cursor.white();
        match self.scan.cursor.text.len() - self.scan.cursor.at {
            0 => Ok(()),
            more => Err(Error::data(ErrorKind::Trailing, self.offset())
                .seen(format!("{more} trailing bytes"))
                .expected("the end of the message")),
        }
    }

    fn offset(&self) -> u64 {
        self.scan.base + self.scan.cursor.at as u64
    }

    #[cold]
    fn misfit(&self, token: Token, expected: impl Into<std::borrow::Cow<'static, str>>) -> Error {
        Error::data(ErrorKind::Syntax, self.offset()).seen(token.name()).expected(expected)
    }

    fn push(&mut self, kind: LevelKind, message: u32, field: u32, closes: u8) -> Result<()> {
        self.budget.enter(self.offset())?;
        let seen = self.seen.len();
        if matches!(kind, LevelKind::Object | LevelKind::InAny) {
            let message = self.plan.message(message);
            self.seen.resize(seen + message.fields.len() + message.oneofs as usize, false);
        }
        if kind == LevelKind::Map {
            self.keys.push(std::collections::HashSet::new());
        }
        self.levels.push(Level { kind, message, field, seen, hint: 0, any: false, closes });
        Ok(())
    }

    /// Ends the innermost container.
    fn pop(&mut self, level: Level) -> Result<()> {
        if matches!(level.kind, LevelKind::Object | LevelKind::InAny) {
            let message = self.plan.message(level.message);
            if message.required > 0 {
                let seen = &self.seen[level.seen..];
                let lacking = message.fields.iter().zip(seen).find(|(field, seen)| field.presence == Presence::Required && !**seen);
                if let Some((field, _)) = lacking {
                    return Err(Error::data(ErrorKind::Truncated, self.offset() - 1)
                        .seen(format!("a message {} without it", message.name))
                        .expected(format!("the required field `{}`", field.json)));
                }
            }
            self.seen.truncate(level.seen);
        }
        if level.kind == LevelKind::Map {
            self.keys.pop();
        }
        self.levels.pop();
        self.budget.leave();
        for _ in 0..level.closes {
            self.build.close();
        }
        Ok(())
    }

    /// Returns whether another entry follows in the innermost container, which `close` ends.
    /// Consumes the comma or the end.
    #[inline(always)]
    fn more(&mut self, any: bool, close: u8) -> Result<bool> {
        match self.scan.peek() {
            Some(byte) if byte == close => {
                self.scan.cursor.at += 1;
                Ok(false)
            }
            Some(b',') if any => {
                self.scan.cursor.at += 1;
                Ok(true)
            }
            Some(_) if !any => Ok(true),
            _ => Err(self.scan.wrong(self.scan.cursor.at, if close == b'}' { "',' or '}'" } else { "',' or ']'" })),
        }
    }

    #[inline(always)]
    fn keep(&mut self, hint: u32) {
        if let Some(level) = self.levels.last_mut() {
            (level.any, level.hint) = (true, hint);
        }
    }

    /// Parses fields of a message, up to its end or the next container.
    fn fields(&mut self, level: Level) -> Result<()> {
        let plan = self.plan;
        let message = plan.message(level.message);
        let Level { mut any, mut hint, .. } = level;
        loop {
            if !self.more(any, b'}')? {
                if level.kind == LevelKind::Boxed && self.levels.last().is_some_and(|level| level.hint != 1) {
                    return Err(Error::data(ErrorKind::Truncated, self.offset() - 1)
                        .seen(format!("google.protobuf.Any of {} without it", message.name))
                        .expected("a field `value`"));
                }
                return self.pop(level);
            }
            any = true;
            if level.kind == LevelKind::Boxed {
                if self.boxed(level)? {
                    return Ok(());
                }
                continue;
            }
            let Some(index) = self.name(message, hint, level.kind == LevelKind::InAny)? else { continue };
            let field = &message.fields[index];
            self.budget.item(self.offset())?;
            hint = index as u32 + 1;
            let seen = level.seen + index;
            if self.seen[seen] {
                return Err(self.doubled(&field.json, "a field once"));
            }
            let done = match (field.cardinality, field.message()) {
                (Cardinality::Singular, None) => self.scalar_of(field)?,
                // A container may open here, so the position is saved.
                (cardinality, ty) => {
                    self.keep(hint);
                    match (cardinality, ty) {
                        (Cardinality::Repeated, _) => self.list(field, level.message, index as u32)?,
                        (Cardinality::Map, _) => self.map(level.message, index as u32)?,
                        (Cardinality::Singular, ty) => self.message(ty.unwrap_or_default(), Some(field), 0)?,
                    }
                }
            };
            if !matches!(done, Done::Absent | Done::Ignored) {
                if let Some(oneof) = field.oneof {
                    let oneof_seen = level.seen + message.fields.len() + oneof as usize;
                    if self.seen[oneof_seen] {
                        return Err(self.second_of_oneof(message, field, level.seen));
                    }
                    self.seen[oneof_seen] = true;
                }
                self.seen[seen] = true;
            }
            if done == Done::Opened {
                return Ok(());
            }
        }
    }

    #[cold]
    fn doubled(&self, name: &str, expected: impl Into<std::borrow::Cow<'static, str>>) -> Error {
        Error::data(ErrorKind::DoubledKey, self.offset()).seen(format!("the field `{name}`")).expected(expected)
    }

    #[cold]
    fn second_of_oneof(&self, message: &Message, field: &Field, seen: usize) -> Error {
        let other = message.fields.iter().zip(&self.seen[seen..]).find(|(other, seen)| **seen && other.oneof == field.oneof);
        self.doubled(&field.json, format!("one field of the oneof, which `{}` is", other.map_or("another", |(other, _)| &*other.json)))
    }

    /// Parses the name of a field and the colon. Returns `None` if the field was stepped over.
    #[inline(always)]
    fn name(&mut self, message: &Message, hint: u32, in_any: bool) -> Result<Option<usize>> {
        self.scan.cursor.white();
        if let Some(field) = message.fields.get(hint as usize)
            && self.scan.cursor.text.as_bytes()[self.scan.cursor.at..].starts_with(field.key.as_bytes())
        {
            self.scan.cursor.at += field.key.len();
            return Ok(Some(hint as usize));
        }
        self.any_name(message, in_any)
    }

    #[inline(never)]
    fn any_name(&mut self, message: &Message, in_any: bool) -> Result<Option<usize>> {
        let start = self.scan.cursor.at;
        let name = self.scan.string()?;
        let name = match name {
            Text::Plain(name) => name,
            Text::Unescaped => &self.scan.scratch,
        };
        let found = message.named(name);
        if found.is_none() && !(in_any && name == "@type") && !self.options.ignore_unknown {
            return Err(Error::data(ErrorKind::Syntax, self.scan.base + start as u64)
                .seen(format!("the field {name:?}"))
                .expected(format!("a field of {}", message.name))
                .hint("fields that the schema does not have can be ignored"));
        }
        self.scan.expect(b':', "':'")?;
        if found.is_none() {
            self.keep(0);
            let depth = self.budget.limits().depth;
            self.scan.skip(depth)?;
        }
        Ok(found)
    }

    /// Parses an entry of an `Any` around a value with a form of its own. Returns whether a
    /// container opened.
    fn boxed(&mut self, level: Level) -> Result<bool> {
        let at = self.offset();
        let name = match self.scan.string()? {
            Text::Plain(name) => name.to_string(),
            Text::Unescaped => self.scan.scratch.clone(),
        };
        self.scan.expect(b':', "':'")?;
        match &*name {
            "@type" => {
                let hint = self.levels.last().map_or(0, |level| level.hint);
                self.keep(hint);
                self.scan.token()?;
                let depth = self.budget.limits().depth;
                self.scan.skip(depth)?;
                Ok(false)
            }
            "value" if self.levels.last().is_some_and(|level| level.hint == 0) => {
                self.keep(1);
                let done = self.message(level.message, None, 0)?;
                if done == Done::Absent {
                    return Err(Error::data(ErrorKind::Syntax, at).seen("null").expected("a value"));
                }
                Ok(done == Done::Opened)
            }
            _ => Err(Error::data(ErrorKind::Syntax, at).seen(format!("the field {name:?}")).expected("`@type` and `value`, each once")),
        }
    }

    fn list(&mut self, field: &Field, message: u32, index: u32) -> Result<Done> {
        match self.scan.token()? {
            Token::Array => {
                self.scan.cursor.at += 1;
                let kind = if field.packed { LevelKind::Packed } else { LevelKind::List };
                if self.scan.eat(b']') {
                    return Ok(Done::Written);
                }
                if field.packed {
                    self.build.open_unless_empty(field.number);
                }
                self.push(kind, message, index, u8::from(field.packed))?;
                Ok(Done::Opened)
            }
            Token::Null => self.scan.word("null").map(|()| Done::Absent),
            token => Err(self.misfit(token, "an array, as the field is repeated")),
        }
    }

    fn elements(&mut self, level: Level) -> Result<()> {
        let plan = self.plan;
        let field = &plan.message(level.message).fields[level.field as usize];
        let mut any = level.any;
        while self.more(any, b']')? {
            any = true;
            self.budget.item(self.offset())?;
            let at = self.offset();
            if level.kind == LevelKind::Packed {
                if self.scalar(field, How::Element)? == Done::Absent {
                    return Err(Error::data(ErrorKind::Syntax, at).seen("null").expected("a value, as elements are not null"));
                }
                continue;
            }
            let done = match field.message() {
                Some(message) => {
                    self.keep(0);
                    self.message(message, Some(field), 0)?
                }
                None => self.scalar(field, How::Always)?,
            };
            match done {
                Done::Written | Done::Ignored => {}
                Done::Opened => return Ok(()),
                Done::Absent => return Err(Error::data(ErrorKind::Syntax, at).seen("null").expected("a value, as elements are not null")),
            }
        }
        self.pop(level)
    }

    fn map(&mut self, message: u32, index: u32) -> Result<Done> {
        match self.scan.token()? {
            Token::Object => {
                self.scan.cursor.at += 1;
                if self.scan.eat(b'}') {
                    return Ok(Done::Written);
                }
                self.push(LevelKind::Map, message, index, 0)?;
                Ok(Done::Opened)
            }
            Token::Null => self.scan.word("null").map(|()| Done::Absent),
            token => Err(self.misfit(token, "an object, as the field is a map")),
        }
    }

    fn entries(&mut self, level: Level) -> Result<()> {
        let plan = self.plan;
        let field = &plan.message(level.message).fields[level.field as usize];
        let entry = plan.message(field.message().unwrap_or_default());
        let [key, value] = &entry.fields[..] else { return Err(Error::internal("a map whose entries are no pairs")) };
        let mut any = level.any;
        while self.more(any, b'}')? {
            any = true;
            self.scan.cursor.white();
            let at = self.offset();
            self.budget.item(at)?;
            let text = self.scan.string()?;
            let name = match text {
                Text::Plain(name) => name,
                Text::Unescaped => &self.scan.scratch,
            };
            self.build.open(field.number);
            let known = match key.kind {
                Kind::String => Value::Text(name),
                Kind::Bool => match name {
                    "true" => Value::Bool(true),
                    "false" => Value::Bool(false),
                    _ => return Err(Error::data(ErrorKind::Syntax, at).seen(format!("{name:?}")).expected("true or false")),
                },
                kind => whole(name, kind).ok_or_else(|| not_a_number(at, name, kind))?,
            };
            self.build.scalar(key, known);
            let name: Box<str> = match (key.kind, known) {
                (Kind::String, _) => name.into(),
                // Two texts may be one number.
                (_, known) => format!("{known:?}").into(),
            };
            if let Some(keys) = self.keys.last_mut()
                && !keys.insert(name)
            {
                return Err(Error::data(ErrorKind::DoubledKey, at).seen("a duplicate key").expected("each key once"));
            }
            self.scan.expect(b':', "':'")?;
            self.keep(0);
            let at = self.offset();
            match self.entry_value(value)? {
                Done::Written => self.build.close(),
                Done::Ignored => self.build.discard(),
                Done::Opened => return Ok(()),
                Done::Absent => {
                    return Err(Error::data(ErrorKind::Syntax, at).seen("null").expected("a value, as those of maps are not null"));
                }
            }
        }
        self.pop(level)
    }

    /// Parses the value of a map's entry, which is written even if it is a default.
    fn entry_value(&mut self, field: &Field) -> Result<Done> {
        match field.message() {
            Some(message) => self.message(message, Some(field), 1),
            None => self.scalar(field, How::Always),
        }
    }

    /// Parses the scalar of a singular field.
    #[inline]
    fn scalar_of(&mut self, field: &Field) -> Result<Done> {
        self.scalar(field, if field.presence == Presence::Implicit { How::UnlessDefault } else { How::Always })
    }

    /// Parses a scalar and writes it as the field's type.
    #[inline]
    fn scalar(&mut self, field: &Field, how: How) -> Result<Done> {
        let token = self.scan.token()?;
        // Strings, the most frequent values, take the shortest path.
        if matches!(field.kind, Kind::String) && token == Token::String {
            let text = match self.scan.string()? {
                Text::Plain(text) => text,
                Text::Unescaped => &self.scan.scratch,
            };
            put(self.build, field, Value::Text(text), how);
            return Ok(Done::Written);
        }
        self.other_scalar(field, how, token)
    }

    /// Parses and writes a scalar other than a string, or null.
    fn other_scalar(&mut self, field: &Field, how: How, token: Token) -> Result<Done> {
        let at = self.offset();
        let Parse { plan, options, scan, build, bytes, budget, .. } = self;
        if token == Token::Null {
            scan.word("null")?;
            let is_null = field.enumeration().is_some_and(|at| plan.enums[at].known == Some(WellKnown::NullValue));
            if is_null {
                put(build, field, Value::Enum(0), how);
            }
            return Ok(if is_null { Done::Written } else { Done::Absent });
        }
        let value = match (field.kind, token) {
            (Kind::Bool, Token::True) => scan.word("true").map(|()| Value::Bool(true))?,
            (Kind::Bool, Token::False) => scan.word("false").map(|()| Value::Bool(false))?,
            (Kind::Bytes, Token::String) => {
                let text = match scan.string()? {
                    Text::Plain(text) => text,
                    Text::Unescaped => &scan.scratch,
                };
                bytes.clear();
                let engine = if text.contains(['-', '_']) { &BASE64_URL } else { &BASE64 };
                let decoded = engine.decode_vec(text, bytes);
                decoded.map_err(|error| Error::data(ErrorKind::Syntax, at).seen(error.to_string()).expected("bytes in base64"))?;
                Value::Bytes(bytes)
            }
            (Kind::Enum(id), Token::String) => {
                let name = match scan.string()? {
                    Text::Plain(name) => name,
                    Text::Unescaped => &scan.scratch,
                };
                let ty = &plan.enums[id.index()];
                match ty.number_of(name) {
                    Some(number) => Value::Enum(number),
                    None => match whole(name, Kind::Int32) {
                        Some(Value::I32(number)) => member(plan, field, id.index(), number, at)?,
                        _ if options.ignore_unknown => return Ok(Done::Ignored),
                        _ => {
                            return Err(Error::data(ErrorKind::Syntax, at)
                                .seen(format!("{name:?}"))
                                .expected(format!("a value of {}", ty.name)));
                        }
                    },
                }
            }
            (Kind::Enum(id), Token::Number) => {
                let (text, number) = scan.any_number()?;
                match whole_of(&number, text, Kind::Int32) {
                    Some(Value::I32(number)) => member(plan, field, id.index(), number, at)?,
                    _ => return Err(not_a_number(at, text, Kind::Int32)),
                }
            }
            (Kind::String | Kind::Bool | Kind::Bytes | Kind::Enum(_) | Kind::Message(_) | Kind::Group(_), token) => {
                return Err(Error::data(ErrorKind::Syntax, at)
                    .seen(token.name())
                    .expected(format!("a value of type {}", field.kind.name())));
            }
            (kind, Token::Number) => {
                let (text, number) = scan.number()?;
                budget.digits(text.len(), at)?;
                let value = match kind {
                    Kind::Double => double_of(&number, text).map(Value::F64),
                    Kind::Float => float_of(&number, text).map(Value::F32),
                    _ => whole_of(&number, text, kind),
                };
                value.ok_or_else(|| not_a_number(at, text, kind))?
            }
            (kind, Token::String) => {
                let text = match scan.string()? {
                    Text::Plain(text) => text,
                    Text::Unescaped => &scan.scratch,
                };
                budget.digits(text.len(), at)?;
                let value = match kind {
                    Kind::Double => double(text).map(Value::F64),
                    Kind::Float => float(text).map(Value::F32),
                    _ => whole(text, kind),
                };
                value.ok_or_else(|| not_a_number(at, text, kind))?
            }
            (kind, token) => {
                return Err(Error::data(ErrorKind::Syntax, at).seen(token.name()).expected(format!("a number of type {}", kind.name())));
            }
        };
        put(build, field, value, how);
        Ok(Done::Written)
    }

    /// Parses a message in the form of its type. It is the value of `field`; without one, it is
    /// written in place.
    fn message(&mut self, message: u32, field: Option<&Field>, around: u8) -> Result<Done> {
        let plan = self.plan;
        let ty = plan.message(message);
        let token = self.scan.token()?;
        let at = self.offset();
        if token == Token::Null && ty.known != Some(WellKnown::Value) {
            return self.scan.word("null").map(|()| Done::Absent);
        }
        let open = |build: &mut Build| {
            if let Some(field) = field {
                build.open_message(field);
            }
        };
        let opened = u8::from(field.is_some());
        let Some(known) = ty.known.filter(|known| has_form(*known)) else {
            if token != Token::Object {
                return Err(self.misfit(token, format!("an object, as messages of {} are", ty.name)));
            }
            self.scan.cursor.at += 1;
            open(self.build);
            self.push(LevelKind::Object, message, 0, opened + around)?;
            return Ok(Done::Opened);
        };
        match (known, token) {
            (WellKnown::Timestamp | WellKnown::Duration, Token::String) => {
                let text = match self.scan.string()? {
                    Text::Plain(text) => text,
                    Text::Unescaped => &self.scan.scratch,
                };
                let (found, expected) = if known == WellKnown::Timestamp {
                    (parse_timestamp(text), "a moment in the years 1 to 9999, such as 2026-11-22T01:02:03.5Z")
                } else {
                    (parse_duration(text), "seconds of at most 10,000 years, such as 1.5s")
                };
                let Some((seconds, nanos)) = found else {
                    return Err(Error::data(ErrorKind::Syntax, at).seen(format!("{text:?}")).expected(expected));
                };
                open(self.build);
                if seconds != 0 {
                    self.build.varint(1, seconds as u64);
                }
                if nanos != 0 {
                    self.build.varint(2, i64::from(nanos) as u64);
                }
            }
            (WellKnown::FieldMask, Token::String) => {
                let text = match self.scan.string()? {
                    Text::Plain(text) => text,
                    Text::Unescaped => &self.scan.scratch,
                };
                open(self.build);
                for path in text.split(',').filter(|_| !text.is_empty()) {
                    let Some(path) = path_of_mask(path) else {
                        return Err(Error::data(ErrorKind::Syntax, at)
                            .seen(format!("the path {path:?}"))
                            .expected("names in lowerCamelCase"));
                    };
                    self.build.bytes(1, path.as_bytes());
                }
            }
            (WellKnown::Struct, Token::Object) => {
                self.scan.cursor.at += 1;
                open(self.build);
                if !self.scan.eat(b'}') {
                    self.push(LevelKind::Map, message, 0, opened + around)?;
                    return Ok(Done::Opened);
                }
            }
            (WellKnown::ListValue, Token::Array) => {
                self.scan.cursor.at += 1;
                open(self.build);
                if !self.scan.eat(b']') {
                    self.push(LevelKind::List, message, 0, opened + around)?;
                    return Ok(Done::Opened);
                }
            }
            (WellKnown::Value, token) => {
                open(self.build);
                return self.any_value(ty, token, opened, around);
            }
            (WellKnown::Any, Token::Object) => {
                open(self.build);
                return self.any(opened, around);
            }
            (known, _) if known.is_wrapper() => {
                let Some(inner) = ty.fields.first() else { return Err(Error::internal("a wrapper without a field")) };
                open(self.build);
                self.scalar(inner, How::UnlessDefault)?;
            }
            (_, token) => return Err(self.misfit(token, format!("the JSON form of {}", ty.name))),
        }
        (0..opened).for_each(|_| self.build.close());
        Ok(Done::Written)
    }

    /// Parses the contents of a `google.protobuf.Value`.
    fn any_value(&mut self, ty: &Message, token: Token, opened: u8, around: u8) -> Result<Done> {
        let [null, number, string, truth, object, list] = &ty.fields[..] else {
            return Err(Error::internal("google.protobuf.Value of other fields"));
        };
        let at = self.offset();
        match token {
            Token::Null => {
                self.scan.word("null")?;
                self.build.varint(null.number, 0);
            }
            Token::True | Token::False => {
                self.scan.word(if token == Token::True { "true" } else { "false" })?;
                self.build.varint(truth.number, u64::from(token == Token::True));
            }
            Token::Number => {
                let (text, scanned) = self.scan.any_number()?;
                self.budget.digits(text.len(), at)?;
                let value = double_of(&scanned, text).ok_or_else(|| not_a_number(at, text, Kind::Double))?;
                self.build.scalar(number, Value::F64(value));
            }
            Token::String => {
                let text = match self.scan.string()? {
                    Text::Plain(text) => text,
                    Text::Unescaped => &self.scan.scratch,
                };
                self.build.bytes(string.number, text.as_bytes());
            }
            Token::Object | Token::Array => {
                let field = if token == Token::Object { object } else { list };
                let done = self.message(field.message().unwrap_or_default(), Some(field), opened + around)?;
                if done == Done::Opened {
                    return Ok(done);
                }
            }
        }
        (0..opened).for_each(|_| self.build.close());
        Ok(Done::Written)
    }

    /// Parses the contents of a `google.protobuf.Any`, from its opening brace.
    fn any(&mut self, opened: u8, around: u8) -> Result<Done> {
        let plan = self.plan;
        let start = self.scan.cursor.at;
        let at = self.offset();
        self.scan.cursor.at += 1;
        if self.scan.eat(b'}') {
            (0..opened).for_each(|_| self.build.close());
            return Ok(Done::Written);
        }
        // The type may follow the fields.
        let depth = self.budget.limits().depth;
        let url = loop {
            let name = match self.scan.string()? {
                Text::Plain(name) => name == "@type",
                Text::Unescaped => self.scan.scratch == "@type",
            };
            self.scan.expect(b':', "':'")?;
            if name {
                self.scan.cursor.white();
                break match self.scan.string()? {
                    Text::Plain(url) => url.to_string(),
                    Text::Unescaped => self.scan.scratch.clone(),
                };
            }
            self.scan.skip(depth)?;
            if !self.scan.eat(b',') {
                return Err(Error::data(ErrorKind::Truncated, at).seen("google.protobuf.Any without it").expected("a field `@type`"));
            }
            self.scan.cursor.white();
        };
        // The bytes looked at count, so that nested types that come late cannot cost more than the
        // limit.
        self.budget.decode((self.scan.cursor.at - start) as u64, at)?;
        let name = url.rsplit('/').next().unwrap_or_default();
        let Some(message) = plan.message_named(name).filter(|_| url.contains('/')) else {
            return Err(Error::data(ErrorKind::Unsupported, at)
                .seen(format!("google.protobuf.Any of the type {url:?}"))
                .expected("a slash and the full name of a type of the schema"));
        };
        self.scan.cursor.at = start + 1;
        self.build.bytes(1, url.as_bytes());
        self.build.open_unless_empty(2);
        let kind = if plan.message(message).known.is_some_and(has_form) { LevelKind::Boxed } else { LevelKind::InAny };
        self.push(kind, message, 0, 1 + opened + around)?;
        Ok(Done::Opened)
    }
}

/// The way to write a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// As a field.
    Always,
    /// As a field, unless it is the default of its type.
    UnlessDefault,
    /// As an element of a packed list.
    Element,
}

#[inline(always)]
fn put(build: &mut Build, field: &Field, value: Value<'_>, how: How) {
    match how {
        How::Always => build.scalar(field, value),
        How::UnlessDefault if is_default(value) => {}
        How::UnlessDefault => build.scalar(field, value),
        How::Element => build.element(field.kind, value),
    }
}

/// Returns a number of an enum; a closed enum must have it.
fn member(plan: &Plan, field: &Field, ty: usize, number: i32, at: u64) -> Result<Value<'static>> {
    let ty = &plan.enums[ty];
    if field.closed && ty.name_of(number).is_none() {
        return Err(Error::data(ErrorKind::Range, at).seen(number.to_string()).expected(format!("a value of the closed enum {}", ty.name)));
    }
    Ok(Value::Enum(number))
}

#[cold]
fn not_a_number(at: u64, text: &str, kind: Kind) -> Error {
    let shown: String = text.chars().take(40).collect();
    Error::data(ErrorKind::Range, at).seen(format!("{shown:?}")).expected(format!("a number of type {}", kind.name()))
}
