//! Messages in the text format as values of options (textproto spec), written as their bytes.

use std::collections::{BTreeMap, HashMap};

use polywire_core::text::diagnostic::Diagnostic;

use super::lex::{Kind, Lexer, Token};
use super::literal;
use super::names::{View, What, join};
use super::schema::{FieldRef, Schema};
use super::support;
use super::unit::{Syntax, Written};
use super::value::{self, Encoded};
use crate::descriptor::{Descriptor, label};

/// Deepest nesting of messages in an option.
const MAX_DEPTH: u32 = 100;

/// A fault: offsets and text.
pub(super) struct Wrong(pub (u32, u32), pub String);

/// Reads one message.
pub(super) struct Reader<'a, 't> {
    schema: &'a Schema<'a>,
    view: &'a View,
    lexer: Lexer<'t>,
    now: Token,
    last: Token,
    depth: u32,
    /// Number of `OptionTargetType` of the declaration with the option, and its syntax.
    target: (i32, Syntax),
}

/// The fields of a message so far.
#[derive(Default)]
struct Fields {
    /// Bytes by number; of packed fields, without their tag.
    records: BTreeMap<u32, (bool, Vec<u8>)>,
    /// Names of the singular fields, and by oneof.
    set: HashMap<u32, ()>,
    oneofs: HashMap<i32, String>,
}

impl<'a, 't> Reader<'a, 't> {
    /// Returns a reader of the part of a text between two offsets.
    pub fn new(schema: &'a Schema<'a>, view: &'a View, text: &'t str, block: (u32, u32), target: (i32, Syntax)) -> Reader<'a, 't> {
        let mut lexer = Lexer::part(text, 0, block.0, block.1);
        let now = lexer.next();
        Reader { schema, view, lexer, now, last: now, depth: 0, target }
    }

    /// Returns the bytes of the message, and the numbers of its fields.
    pub fn read(mut self, message: &str) -> Result<(Vec<u8>, Vec<u32>), Wrong> {
        let mut numbers = Vec::new();
        let bytes = self.fields(message, None, &mut numbers);
        // A word that cannot be read explains what follows it.
        if let Some(Diagnostic { at, message, .. }) = self.lexer.faults.first() {
            return Err(Wrong((at.start, at.end), message.clone()));
        }
        Ok((bytes?, numbers))
    }

    fn text(&self) -> &'t str {
        &self.lexer.text[self.now.start as usize..self.now.end as usize]
    }

    fn next(&mut self) {
        self.last = self.now;
        self.now = self.lexer.next();
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.text() == word && self.now.kind == Kind::Symbol;
        if found {
            self.next();
        }
        found
    }

    fn wrong<T>(&self, message: impl Into<String>) -> Result<T, Wrong> {
        Err(Wrong((self.now.start, self.now.end), message.into()))
    }

    fn expected<T>(&self, what: &str) -> Result<T, Wrong> {
        let seen = if self.now.kind == Kind::End { "the end of the value".into() } else { format!("'{}'", short(self.text())) };
        self.wrong(format!("expected {what}, but found {seen}"))
    }

    /// Reads fields up to a closing bracket, or to the end.
    fn fields(&mut self, message: &str, close: Option<&str>, numbers: &mut Vec<u32>) -> Result<Vec<u8>, Wrong> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.wrong(format!("more than {MAX_DEPTH} messages within each other"));
        }
        let mut fields = Fields::default();
        let mut any = None;
        loop {
            match close {
                Some(close) if self.take(close) => break,
                None if self.now.kind == Kind::End => break,
                _ => {}
            }
            if self.take("[") {
                let (name, of_any) = self.bracketed()?;
                if of_any && message == "google.protobuf.Any" {
                    if any.is_some() || !fields.set.is_empty() {
                        return self.wrong("a second value of `google.protobuf.Any`");
                    }
                    any = Some(self.any(&name)?);
                } else {
                    let field = self.extension(message, &name)?;
                    self.field(&field, &mut fields)?;
                }
            } else {
                let field = self.named(message)?;
                self.field(&field, &mut fields)?;
            }
            if !self.take(",") {
                self.take(";");
            }
        }
        self.depth -= 1;
        numbers.extend(fields.records.keys());
        if let Some(any) = any {
            return Ok(any);
        }
        self.complete(message, &mut fields)?;
        let mut out = Vec::new();
        for (number, (packed, bytes)) in &fields.records {
            if *packed { value::delimited(*number, bytes, &mut out) } else { out.extend_from_slice(bytes) }
        }
        Ok(out)
    }

    /// Asks for required fields, and fills the entry of a map.
    fn complete(&self, message: &str, fields: &mut Fields) -> Result<(), Wrong> {
        let Some(descriptor) = self.schema.message(message) else { return Ok(()) };
        let entry = descriptor.options.as_ref().is_some_and(|options| options.map_entry == Some(true));
        for field in &descriptor.field {
            let (number, name) = (field.number.unwrap_or_default() as u32, field.name.as_deref().unwrap_or_default());
            let required = || {
                field.label == Some(label::REQUIRED)
                    || self.schema.field(message, name).is_some_and(|field| field.features().presence == super::features::REQUIRED)
            };
            if !fields.set.contains_key(&number) && field.oneof_index.is_none() && field.label != Some(label::REPEATED) && required() {
                let last = self.last;
                return Err(Wrong((last.start, last.end), format!("the required field `{name}` of `{message}` is missing")));
            }
            if entry && let Some(field) = self.schema.field(message, name) {
                fields.records.entry(number).or_insert_with(|| (false, default(self.schema, &field)));
            }
        }
        Ok(())
    }

    /// Reads a name in brackets, and returns whether it is the address of a type.
    fn bracketed(&mut self) -> Result<(String, bool), Wrong> {
        let mut name = String::new();
        let mut address = false;
        while !self.take("]") {
            let text = self.text();
            match self.now.kind {
                Kind::Word => name.push_str(text),
                Kind::Symbol if matches!(text, "." | "/" | "-" | "%" | "~" | "!") => {
                    address |= text == "/";
                    name.push_str(text);
                }
                Kind::Integer | Kind::Float => name.push_str(text),
                _ => return self.expected("a name and ']'"),
            }
            self.next();
        }
        if name.starts_with('.') {
            return Err(Wrong((self.last.start, self.last.end), "a name in brackets with a point in front".into()));
        }
        Ok((name, address))
    }

    /// Reads the message behind the address of its type.
    fn any(&mut self, address: &str) -> Result<Vec<u8>, Wrong> {
        let name = address.rsplit('/').next().unwrap_or_default();
        let known = ["type.googleapis.com/", "type.googleprod.com/"].iter().any(|prefix| address.strip_prefix(prefix) == Some(name));
        let found = self.schema.names.get(name).is_some_and(|symbol| symbol.what == What::Message && self.view.sees(symbol.unit));
        if !known || !found {
            return self.wrong(format!("the type `{address}` is not defined"));
        }
        self.take(":");
        let close = self.opening()?;
        let bytes = self.fields(name, Some(close), &mut Vec::new())?;
        let mut out = Vec::new();
        value::delimited(1, address.as_bytes(), &mut out);
        if !bytes.is_empty() {
            value::delimited(2, &bytes, &mut out);
        }
        Ok(out)
    }

    fn extension(&self, message: &str, name: &str) -> Result<FieldRef<'a>, Wrong> {
        // A lookup starts beside the message, as `protoc` does it.
        let scope = super::names::above(message);
        match self.schema.extension(self.view, scope, name) {
            Ok(field) if field.field.extendee.as_deref().is_some_and(|extendee| extendee[1..] == *message) => Ok(field),
            _ => Err(Wrong((self.last.start, self.last.end), format!("the extension `{name}` of `{message}` is not defined"))),
        }
    }

    fn named(&mut self, message: &str) -> Result<FieldRef<'a>, Wrong> {
        if self.now.kind != Kind::Word {
            return self.expected("the name of a field");
        }
        let name = self.text();
        // The field of a group is named as its message.
        let lower = || {
            let found = self.schema.field(message, &name.to_ascii_lowercase())?;
            (found.delimited() && found.type_name() == join(message, name)).then_some(found)
        };
        match self.schema.field(message, name).or_else(lower) {
            Some(field) => {
                self.next();
                Ok(field)
            }
            None => self.wrong(format!("the message `{message}` has no field `{}`", short(name))),
        }
    }

    /// Reads the value of a field, or its values.
    fn field(&mut self, field: &FieldRef<'a>, fields: &mut Fields) -> Result<(), Wrong> {
        let number = field.number();
        if let Some(why) = support::refusal(field, self.target.0, self.target.1) {
            return self.wrong(format!("the option `{}` {why}", field.name()));
        }
        if !field.repeated() {
            if fields.set.insert(number, ()).is_some() {
                return self.wrong(format!("the field `{}` is set twice", field.name()));
            }
            if let Some(other) = field.field.oneof_index.and_then(|index| fields.oneofs.insert(index, field.name().to_string())) {
                return self.wrong(format!("the fields `{}` and `{other}` of one oneof", field.name()));
            }
        }
        let colon = self.take(":");
        if !colon && !field.is_message() {
            return self.expected("':'");
        }
        if field.repeated() && self.take("[") {
            if self.take("]") {
                return Ok(());
            }
            loop {
                self.one(field, fields)?;
                if self.take("]") {
                    return Ok(());
                }
                if !self.take(",") {
                    return self.expected("',' or ']'");
                }
            }
        }
        self.one(field, fields)
    }

    fn opening(&mut self) -> Result<&'static str, Wrong> {
        if self.take("{") {
            Ok("}")
        } else if self.take("<") {
            Ok(">")
        } else {
            self.expected("'{'")
        }
    }

    fn one(&mut self, field: &FieldRef<'a>, fields: &mut Fields) -> Result<(), Wrong> {
        let number = field.number();
        if field.is_message() {
            let close = self.opening()?;
            let bytes = self.fields(field.type_name(), Some(close), &mut Vec::new())?;
            let (_, out) = fields.records.entry(number).or_default();
            let extendee = field.field.extendee.as_deref().map(|name| &name[1..]);
            if extendee.and_then(|name| self.schema.message(name)).is_some_and(is_message_set) {
                value::set_item(number, &bytes, out);
            } else {
                value::message(field, &bytes, out);
            }
            return Ok(());
        }
        let at = self.now;
        let written = self.scalar()?;
        let Encoded { wire, bytes, zero } = value::encode(self.schema, field, &written, true)
            .map_err(|what| Wrong((at.start, self.last.end), format!("expected {what} for `{}`", field.name())))?;
        let packed = field.packed();
        if zero && field.implicit() {
            return Ok(());
        }
        let (is_packed, out) = fields.records.entry(number).or_default();
        *is_packed = packed;
        if !packed {
            value::tag(number, wire, out);
        }
        out.extend_from_slice(&bytes);
        Ok(())
    }

    fn scalar(&mut self) -> Result<Written, Wrong> {
        if self.now.kind == Kind::Text {
            let mut value = Vec::new();
            while self.now.kind == Kind::Text {
                if literal::string(self.text(), &mut value).is_none() {
                    return self.wrong("an escape that strings do not have");
                }
                self.next();
            }
            return Ok(Written::Text(value));
        }
        let negative = self.take("-");
        let text = self.text();
        let sign = if negative { -1.0 } else { 1.0 };
        let written = match self.now.kind {
            Kind::Integer => match literal::integer(text) {
                Some(value) if !negative => Some(Written::Positive(value)),
                Some(value) if value <= 1 << 63 => Some(Written::Negative((value as i64).wrapping_neg())),
                _ => literal::float(text).map(|value| Written::Float(sign * value)),
            },
            Kind::Float => literal::float(text).map(|value| Written::Float(sign * value)),
            Kind::Word => match text.to_ascii_lowercase().as_str() {
                "inf" | "infinity" if negative => Some(Written::Float(f64::NEG_INFINITY)),
                "infinity" => Some(Written::Word("inf".into())),
                "nan" if negative => Some(Written::Float(f64::NAN.copysign(-1.0))),
                _ if negative => None,
                _ => Some(Written::Word(text.to_string())),
            },
            _ => None,
        };
        match written {
            Some(written) => {
                self.next();
                Ok(written)
            }
            None => self.expected("a value"),
        }
    }
}

fn is_message_set(message: &Descriptor) -> bool {
    message.options.as_ref().is_some_and(|options| options.message_set_wire_format == Some(true))
}

/// Returns the bytes of a field's default, with its tag.
fn default(schema: &Schema<'_>, field: &FieldRef<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    if field.is_message() {
        value::message(field, &[], &mut out);
        return out;
    }
    let first = schema.names.get(field.type_name()).and_then(|symbol| {
        let unit = schema.units.get(symbol.unit as usize)?;
        super::unit::enum_at(&unit.file, &symbol.path)?.value.first()?.name.clone()
    });
    let zeros = [Written::Positive(0), Written::Word("false".into()), Written::Text(Vec::new()), Written::Word(first.unwrap_or_default())];
    if let Some(zero) = zeros.iter().find_map(|zero| value::encode(schema, field, zero, false).ok()) {
        value::tag(field.number(), zero.wire, &mut out);
        out.extend_from_slice(&zero.bytes);
    }
    out
}

fn short(text: &str) -> &str {
    super::parse::shortened(text)
}
