//! A text as a message of the binary protocol.

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use polywire_core::bytes::OutBuf;
use polywire_core::{Error, ErrorKind, Result};
use polywire_json::cursor::Text;
use polywire_json::scan::{Scan, Token};

use super::names;
use super::places::Places;
use crate::kind::Kind;
use crate::plan::{Plan, Shape, TypeId};
use crate::uuid;
use crate::wire::{Binary, MOST, Protocol};

/// Base64 with padding or without: libraries differ.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent).with_decode_allow_trailing_bits(true),
);

/// Version of the protocol.
const VERSION: i64 = 1;

/// An open container.
pub(super) enum Level {
    /// A struct, of that index in the schema. True before its first field.
    Struct(Option<u32>, bool),
    /// The object around the value of a field.
    Value,
    /// Elements that are left.
    List(u64, Kind, TypeId),
    /// Entries that are left. True before the first one.
    Map(u64, bool, (Kind, TypeId), (Kind, TypeId)),
    /// The value of an entry.
    Entry(Kind, TypeId),
    /// An envelope.
    Envelope,
    /// A struct of the simple protocol. True before its first field.
    Simple(u32, bool),
    /// A list, set or map of the simple protocol: the place of its count in the message, the count
    /// so far, and the type.
    Items(usize, u32, TypeId),
    /// The value of an entry of the simple protocol.
    SimpleEntry(TypeId),
}

/// Makes a message of a text.
pub(super) struct Decoder<'t, 'w> {
    pub scan: Scan<'t>,
    pub plan: Option<&'w Plan>,
    pub depth: u32,
    /// True for the simple protocol.
    pub simple: bool,
    pub out: &'w mut Vec<u8>,
    pub places: &'w mut Places,
    levels: Vec<Level>,
}

impl<'t, 'w> Decoder<'t, 'w> {
    pub fn new(scan: Scan<'t>, plan: Option<&'w Plan>, depth: u32, out: &'w mut Vec<u8>, places: &'w mut Places) -> Self {
        Decoder { scan, plan, depth, simple: false, out, places, levels: Vec::new() }
    }

    /// Makes the message.
    ///
    /// # Errors
    /// The text is none of the protocol, or nests deeper than the limit.
    pub fn run(&mut self) -> Result<()> {
        if self.scan.peek() == Some(b'[') && self.simple {
            self.simple_envelope()?;
        } else if self.scan.peek() == Some(b'[') {
            self.envelope()?;
        } else {
            self.structure(self.plan.map_or(TypeId::ANY, |plan| plan.root))?;
        }
        while let Some(level) = self.levels.pop() {
            self.step(level)?;
        }
        match self.scan.peek() {
            None => Ok(()),
            Some(_) => {
                let left = self.scan.cursor.text.len() - self.scan.cursor.at;
                Err(Error::data(ErrorKind::Trailing, self.here()).seen(format!("{left} bytes after the message")).expected("its end"))
            }
        }
    }

    pub(super) fn here(&self) -> u64 {
        self.scan.base + self.scan.cursor.at as u64
    }

    pub(super) fn mark(&mut self) -> (usize, usize) {
        self.scan.peek();
        (self.out.len(), self.scan.cursor.at)
    }

    /// Adds the part that began at a mark.
    pub(super) fn part(&mut self, from: (usize, usize)) {
        self.places.add((from.0, self.out.len()), (from.1, self.scan.cursor.at));
    }

    pub(super) fn push(&mut self, level: Level) -> Result<()> {
        if self.levels.len() as u64 >= 2 * u64::from(self.depth) + 4 {
            return Err(Error::data(ErrorKind::Limit, self.here())
                .seen(format!("more than {} containers within each other", self.depth))
                .hint("the limit `depth` guards against hostile input; raise it if the message is genuine"));
        }
        self.levels.push(level);
        Ok(())
    }

    fn text(&self, text: Text<'t>) -> String {
        match text {
            Text::Plain(text) => text.to_string(),
            Text::Unescaped => self.scan.scratch.clone(),
        }
    }

    pub(super) fn string(&mut self) -> Result<String> {
        let text = self.scan.string()?;
        Ok(self.text(text))
    }

    /// Reads a whole number, in quotes if it is a key.
    fn int(&mut self, key: bool, low: i64, high: i64) -> Result<i64> {
        self.scan.peek();
        let at = self.scan.cursor.at;
        let digits = if key {
            self.string()?
        } else {
            if self.scan.token()? != Token::Number {
                return Err(self.scan.wrong(at, "a number"));
            }
            self.scan.any_number()?.0.to_string()
        };
        digits.parse().ok().filter(|value| (low..=high).contains(value)).ok_or_else(|| {
            Error::data(ErrorKind::Range, self.scan.base + at as u64).seen(digits).expected(format!("a whole number from {low} to {high}"))
        })
    }

    pub(super) fn comma(&mut self) -> Result<()> {
        self.scan.expect(b',', "a comma")
    }

    /// Reads the name of a type.
    fn kind(&mut self) -> Result<Option<Kind>> {
        self.scan.peek();
        let at = self.scan.cursor.at;
        let name = self.string()?;
        match names::kind(&name) {
            None if name.is_empty() => Ok(None),
            None => Err(Error::data(ErrorKind::Syntax, self.scan.base + at as u64)
                .seen(format!("{name:?}"))
                .expected("the name of a type, such as i32")),
            kind => Ok(kind),
        }
    }

    fn envelope(&mut self) -> Result<()> {
        let from = self.mark();
        self.scan.expect(b'[', "an envelope")?;
        let at = self.here();
        let version = self.int(false, 0, i64::from(i32::MAX))?;
        if version != VERSION {
            return Err(Error::data(ErrorKind::Unsupported, at).seen(format!("version {version}")).expected("version 1"));
        }
        self.comma()?;
        self.out.extend_from_slice(&[0x80, 1, 0, 0]);
        self.part(from);
        let from = self.mark();
        let name = self.string()?;
        self.bytes(name.as_bytes());
        self.part(from);
        self.body(&name)
    }

    /// Reads the rest of an envelope, up to the start of its body.
    pub(super) fn body(&mut self, name: &str) -> Result<()> {
        self.comma()?;
        let from = self.mark();
        let kind = self.int(false, 1, 4)? as u8;
        self.comma()?;
        let sequence = self.int(false, i64::from(i32::MIN), i64::from(i32::MAX))? as i32;
        self.out[3] = kind;
        self.out.extend_from_slice(&sequence.to_be_bytes());
        self.part(from);
        self.comma()?;
        let body = self.plan.map_or(TypeId::ANY, |plan| plan.body(kind, name.as_bytes()));
        self.push(Level::Envelope)?;
        self.structure(body)
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
        self.out.extend_from_slice(bytes);
    }

    fn shape(&self, ty: TypeId) -> Shape {
        self.plan.map_or(Shape::Any, |plan| plan.shape(ty))
    }

    fn structure(&mut self, ty: TypeId) -> Result<()> {
        if self.simple {
            return match self.shape(ty) {
                Shape::Struct(_) => self.simple_value(Kind::Struct, ty, false),
                _ => Err(Error::data(ErrorKind::Mismatch, self.here())
                    .seen("an envelope of a method that the schema does not have")
                    .expected("one of its methods")),
            };
        }
        self.scan.expect(b'{', "a struct, as an object")?;
        let of = if let Shape::Struct(of) = self.shape(ty) { Some(of) } else { None };
        self.push(Level::Struct(of, true))
    }

    fn step(&mut self, level: Level) -> Result<()> {
        match level {
            Level::Simple(of, first) => self.simple_field(of, first),
            Level::Items(at, count, ty) => self.simple_item(at, count, ty),
            Level::SimpleEntry(ty) => {
                self.scan.expect(b':', "a colon")?;
                let kind = self.plan.and_then(|plan| plan.kind(ty)).unwrap_or(Kind::Struct);
                self.simple_value(kind, ty, false)
            }
            Level::Envelope => self.scan.expect(b']', "the end of an envelope"),
            Level::Value => self.scan.expect(b'}', "the end of a field"),
            Level::Struct(of, first) => {
                let from = self.mark();
                if self.scan.eat(b'}') {
                    self.out.push(0);
                    self.part(from);
                    return Ok(());
                }
                if !first {
                    self.comma()?;
                }
                let from = self.mark();
                let id = self.int(true, i64::from(i16::MIN), i64::from(i16::MAX))? as i16;
                self.scan.expect(b':', "a colon")?;
                self.scan.expect(b'{', "an object with the type of the field")?;
                self.scan.peek();
                let at = self.here();
                let kind = self.kind()?.ok_or_else(|| Error::data(ErrorKind::Syntax, at).seen("no type").expected("the name of a type"))?;
                self.scan.expect(b':', "a colon")?;
                self.out.push(kind as u8);
                self.out.extend_from_slice(&id.to_be_bytes());
                self.part(from);
                let known = self.plan.zip(of).and_then(|(plan, of)| {
                    let (_, field) = plan.structs[of as usize].of_id(id)?;
                    plan.fits(field.ty, kind).then_some(field.ty)
                });
                self.push(Level::Struct(of, false))?;
                self.push(Level::Value)?;
                self.value(kind, known.unwrap_or(TypeId::ANY), false)
            }
            Level::List(0, ..) => self.scan.expect(b']', "the end of a list"),
            Level::List(left, kind, ty) => {
                self.comma()?;
                self.push(Level::List(left - 1, kind, ty))?;
                self.value(kind, ty, false)
            }
            Level::Map(0, ..) => {
                self.scan.expect(b'}', "the end of a map's entries")?;
                self.scan.expect(b']', "the end of a map")
            }
            Level::Map(left, first, key, value) => {
                if !first {
                    self.comma()?;
                }
                self.push(Level::Map(left - 1, false, key, value))?;
                self.push(Level::Entry(value.0, value.1))?;
                self.value(key.0, key.1, true)
            }
            Level::Entry(kind, ty) => {
                self.scan.expect(b':', "a colon")?;
                self.value(kind, ty, false)
            }
        }
    }

    pub(super) fn value(&mut self, kind: Kind, ty: TypeId, key: bool) -> Result<()> {
        let from = self.mark();
        let at = self.here();
        match kind {
            Kind::Bool => {
                let truth = self.int(key, 0, 1)?;
                self.out.push(truth as u8);
            }
            Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64 => {
                let bits = kind.bits().unwrap_or(64);
                let value = self.int(key, i64::MIN >> (64 - bits), i64::MAX >> (64 - bits))?;
                let mut out = OutBuf::default();
                Binary::put_int(&mut out, kind, value);
                out.finish(self.out);
            }
            Kind::Double => {
                let value = self.double(key)?;
                self.out.extend_from_slice(&value.to_be_bytes());
            }
            Kind::String => {
                let text = self.string()?;
                if self.shape(ty) == Shape::Bytes {
                    let bytes = BASE64
                        .decode(text.as_bytes())
                        .map_err(|_| Error::data(ErrorKind::Syntax, at).seen("text that is no base64").expected("bytes, as base64"))?;
                    self.bytes(&bytes);
                } else {
                    self.bytes(text.as_bytes());
                }
            }
            Kind::Uuid => {
                let text = self.string()?;
                let bytes = uuid::parse(&text)
                    .ok_or_else(|| Error::data(ErrorKind::Syntax, at).seen(format!("{text:?}")).expected("a uuid, as 36 characters"))?;
                self.out.extend_from_slice(&bytes);
            }
            _ if key => {
                return Err(Error::data(ErrorKind::Unsupported, at)
                    .seen(format!("a key of the type {}", kind.name()))
                    .expected("a scalar"));
            }
            Kind::Struct => return self.structure(ty),
            Kind::List | Kind::Set => {
                self.scan.expect(b'[', "a list, as an array")?;
                let element = self.kind()?;
                self.comma()?;
                let count = self.int(false, 0, MOST as i64)? as u64;
                self.out.push(element.map_or(0, |kind| kind as u8));
                self.out.extend_from_slice(&(count as u32).to_be_bytes());
                self.part(from);
                let inner = match self.shape(ty) {
                    Shape::List(inner) | Shape::Set(inner) => inner,
                    _ => TypeId::ANY,
                };
                let inner = if self.fits(inner, element) { inner } else { TypeId::ANY };
                return self.push(Level::List(count, self.some(element, count, at)?, inner));
            }
            Kind::Map => {
                self.scan.expect(b'[', "a map, as an array")?;
                let key = self.kind()?;
                self.comma()?;
                let value = self.kind()?;
                self.comma()?;
                let count = self.int(false, 0, MOST as i64)? as u64;
                self.comma()?;
                self.scan.expect(b'{', "the entries of a map, as an object")?;
                self.out.extend_from_slice(&[key.map_or(0, |kind| kind as u8), value.map_or(0, |kind| kind as u8)]);
                self.out.extend_from_slice(&(count as u32).to_be_bytes());
                self.part(from);
                let (of_key, of_value) = match self.shape(ty) {
                    Shape::Map(of_key, of_value) if self.fits(of_key, key) && self.fits(of_value, value) => (of_key, of_value),
                    _ => (TypeId::ANY, TypeId::ANY),
                };
                let (key, value) = (self.some(key, count, at)?, self.some(value, count, at)?);
                return self.push(Level::Map(count, true, (key, of_key), (value, of_value)));
            }
        }
        self.part(from);
        Ok(())
    }

    fn fits(&self, ty: TypeId, kind: Option<Kind>) -> bool {
        self.plan.zip(kind).is_some_and(|(plan, kind)| plan.fits(ty, kind))
    }

    /// Returns the type of elements, which only an empty container may lack.
    fn some(&self, kind: Option<Kind>, count: u64, at: u64) -> Result<Kind> {
        match kind {
            Some(kind) => Ok(kind),
            None if count == 0 => Ok(Kind::Bool),
            None => Err(Error::data(ErrorKind::Syntax, at).seen("elements without a type").expected("the name of a type")),
        }
    }

    fn double(&mut self, key: bool) -> Result<f64> {
        self.scan.peek();
        let at = self.scan.cursor.at;
        let text = match self.scan.token()? {
            Token::String => match &*self.string()? {
                "NaN" => return Ok(f64::NAN),
                "Infinity" => return Ok(f64::INFINITY),
                "-Infinity" => return Ok(f64::NEG_INFINITY),
                text if key => text.to_string(),
                _ => return Err(self.scan.wrong(at, "a number, \"NaN\", \"Infinity\" or \"-Infinity\"")),
            },
            Token::Number => self.scan.any_number()?.0.to_string(),
            _ => return Err(self.scan.wrong(at, "a number")),
        };
        // Keys are the text of a number of JSON, which no other text of a float is.
        let number = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
        text.parse().ok().filter(|_| number).ok_or_else(|| self.scan.wrong(at, "a number"))
    }
}
