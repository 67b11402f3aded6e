//! A message of the binary protocol as a text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_core::bytes::Input;
use polywire_core::{Error, ErrorKind, Fault, Result};
use polywire_json::string::{Short, string};

use super::names;
use crate::kind::Kind;
use crate::plan::{Plan, Shape, TypeId};
use crate::uuid;
use crate::wire::envelope::Found;
use crate::wire::{Binary, Protocol};

/// An open container.
enum Level {
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
}

/// Appends the text of a message, which a writer made.
///
/// # Errors
/// The text cannot hold a value: a key with parts, or a string that is no text.
pub(super) fn encode(message: &[u8], plan: Option<&Plan>, simple: bool, out: &mut Vec<u8>) -> Result<()> {
    let mut encoder = Encoder { input: Input::new(message, 0), plan, simple, out, levels: Vec::new() };
    encoder.message(message)?;
    while let Some(level) = encoder.levels.pop() {
        encoder.step(level)?;
    }
    Ok(())
}

struct Encoder<'e, 'm> {
    input: Input<'m>,
    plan: Option<&'e Plan>,
    /// True for the simple protocol: names of fields, and no types and counts.
    simple: bool,
    out: &'e mut Vec<u8>,
    levels: Vec<Level>,
}

#[cold]
fn unsupported(seen: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Data).seen(seen.into())
}

impl Encoder<'_, '_> {
    fn put(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn string(&mut self, text: &str) {
        string(self.out, text, Short::All);
    }

    fn message(&mut self, message: &[u8]) -> Result<()> {
        let Found::Envelope(places) = Binary::envelope(message, 0, true, false) else {
            return self.structure(self.plan.map_or(TypeId::ANY, |plan| plan.root));
        };
        let name = &message[places.name.clone()];
        let text = std::str::from_utf8(name).map_err(|_| unsupported("the name of a method that is no UTF-8").expected("text"))?;
        self.put(if self.simple { "[" } else { "[1," });
        self.string(text);
        self.put(&format!(",{},{},", places.kind, places.sequence));
        self.input.seek(places.len);
        self.levels.push(Level::Envelope);
        let body = self.plan.map_or(TypeId::ANY, |plan| plan.body(places.kind, name));
        self.structure(body)
    }

    fn shape(&self, ty: TypeId) -> Shape {
        self.plan.map_or(Shape::Any, |plan| plan.shape(ty))
    }

    fn structure(&mut self, ty: TypeId) -> Result<()> {
        self.out.push(b'{');
        let of = if let Shape::Struct(of) = self.shape(ty) { Some(of) } else { None };
        self.levels.push(Level::Struct(of, true));
        Ok(())
    }

    fn step(&mut self, level: Level) -> Result<()> {
        match level {
            Level::Envelope => self.out.push(b']'),
            Level::Value if self.simple => {}
            Level::Value => self.out.push(b'}'),
            Level::Struct(of, first) => {
                let Some(head) = Binary::field(&mut self.input, 0)? else {
                    self.out.push(b'}');
                    return Ok(());
                };
                let comma = if first { "" } else { "," };
                if self.simple {
                    let field = self.plan.zip(of).and_then(|(plan, of)| plan.structs[of as usize].of_id(head.id));
                    self.put(comma);
                    self.string(&field.map_or_else(|| head.id.to_string(), |(_, field)| field.name.clone()));
                    self.out.push(b':');
                } else {
                    self.put(&format!("{comma}\"{}\":{{\"{}\":", head.id, names::name(head.kind)));
                }
                let known = self.plan.zip(of).and_then(|(plan, of)| {
                    let (_, field) = plan.structs[of as usize].of_id(head.id)?;
                    plan.fits(field.ty, head.kind).then_some(field.ty)
                });
                self.levels.push(Level::Struct(of, false));
                self.levels.push(Level::Value);
                return self.value(head.kind, known.unwrap_or(TypeId::ANY), false);
            }
            Level::List(0, ..) => self.out.push(b']'),
            Level::List(left, kind, ty) => {
                // Types and counts come before the elements.
                if !self.simple || self.out.last() != Some(&b'[') {
                    self.out.push(b',');
                }
                self.levels.push(Level::List(left - 1, kind, ty));
                return self.value(kind, ty, false);
            }
            Level::Map(0, ..) => self.put(if self.simple { "}" } else { "}]" }),
            Level::Map(left, first, key, value) => {
                if !first {
                    self.out.push(b',');
                }
                self.levels.push(Level::Map(left - 1, false, key, value));
                self.levels.push(Level::Entry(value.0, value.1));
                return self.value(key.0, key.1, true);
            }
            Level::Entry(kind, ty) => {
                self.out.push(b':');
                return self.value(kind, ty, false);
            }
        }
        Ok(())
    }

    /// Writes a number, in quotes if it is a key.
    fn number(&mut self, digits: &str, key: bool) {
        let quote = if key { "\"" } else { "" };
        self.put(&format!("{quote}{digits}{quote}"));
    }

    fn value(&mut self, kind: Kind, ty: TypeId, key: bool) -> Result<()> {
        match kind {
            Kind::Bool => {
                let truth = Binary::truth(&mut self.input)?;
                self.number(if truth { "1" } else { "0" }, key);
            }
            Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64 => {
                let value = Binary::int(&mut self.input, kind)?;
                self.number(itoa::Buffer::new().format(value), key);
            }
            Kind::Double => {
                let value = Binary::double(&mut self.input)?;
                match value {
                    _ if value.is_nan() => self.put("\"NaN\""),
                    f64::INFINITY => self.put("\"Infinity\""),
                    f64::NEG_INFINITY => self.put("\"-Infinity\""),
                    _ => self.number(&format!("{value:?}"), key),
                }
            }
            Kind::String => {
                let bytes = Binary::bytes(&mut self.input)?;
                if self.shape(ty) == Shape::Bytes {
                    self.string(&STANDARD.encode(bytes));
                } else {
                    let text = std::str::from_utf8(bytes).map_err(|_| {
                        unsupported("a string that is no UTF-8").expected("text").hint("declare it as binary: bytes are base64")
                    })?;
                    self.string(text);
                }
            }
            Kind::Uuid => {
                let bytes = self.input.array("a uuid")?;
                self.string(&uuid::text(&bytes));
            }
            _ if key => {
                return Err(unsupported(format!("a key of the type {}", kind.name())).expected("a scalar: keys are names of an object"));
            }
            Kind::Struct => return self.structure(ty),
            Kind::List | Kind::Set => {
                let head = Binary::list(&mut self.input)?;
                let kind = head.kind.unwrap_or(Kind::Bool);
                if self.simple {
                    self.out.push(b'[');
                } else {
                    self.put(&format!("[\"{}\",{}", names::name(kind), head.count));
                }
                let inner = match self.shape(ty) {
                    Shape::List(inner) | Shape::Set(inner) => inner,
                    _ => TypeId::ANY,
                };
                self.levels.push(Level::List(head.count, kind, inner));
            }
            Kind::Map => {
                let head = Binary::map(&mut self.input)?;
                let (key, value) = head.kinds.unwrap_or((Kind::Bool, Kind::Bool));
                if self.simple {
                    self.out.push(b'{');
                } else {
                    self.put(&format!("[\"{}\",\"{}\",{},{{", names::name(key), names::name(value), head.count));
                }
                let (of_key, of_value) = match self.shape(ty) {
                    Shape::Map(of_key, of_value) => (of_key, of_value),
                    _ => (TypeId::ANY, TypeId::ANY),
                };
                self.levels.push(Level::Map(head.count, true, (key, of_key), (value, of_value)));
            }
        }
        Ok(())
    }
}
