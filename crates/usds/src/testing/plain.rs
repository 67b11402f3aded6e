//! Plain decoder: docs/spec/usds.md 4 and 5.5 word by word, driven by the dictionary itself, with
//! its own primitives.

use polywire_core::value::Value;

use crate::dictionary::{Dictionary, Type};
use crate::error::Revision;
use crate::events::MAX_DEPTH;
use crate::wire::codes::Simple;

/// Code of an error, `None` for a limit, and its offset.
type Refused = (Option<u32>, usize);

/// Decodes the entries of a body as a record of its roots.
///
/// # Errors
/// The code of the error by docs/spec/usds.md 8, and its offset.
pub fn decode(dictionary: &Dictionary, bytes: &[u8]) -> Result<Value, Refused> {
    let mut reading = Reading { dictionary, a: dictionary.wire() == Revision::A, bytes, at: 0, depth: MAX_DEPTH };
    let mut fields = Vec::new();
    while reading.at < bytes.len() {
        let start = reading.at;
        let id = reading.narrow(0x07)?;
        let Some(tag) = dictionary.tag(id) else { return Err((Some(if reading.a { 13002 } else { 5005 }), start)) };
        if !tag.root {
            return Err((Some(if reading.a { 13002 } else { 13006 }), start));
        }
        fields.push((tag.name.clone(), reading.value(&tag.ty)?));
    }
    Ok(Value::Record { name: String::new(), fields })
}

struct Reading<'d> {
    dictionary: &'d Dictionary,
    a: bool,
    bytes: &'d [u8],
    at: usize,
    depth: u32,
}

impl Reading<'_> {
    fn end<T>(&self) -> Result<T, Refused> {
        Err((Some(if self.a { 2003 } else { 23 }), self.bytes.len()))
    }

    fn byte(&mut self) -> Result<u8, Refused> {
        match self.bytes.get(self.at) {
            Some(byte) => {
                self.at += 1;
                Ok(*byte)
            }
            None => self.end(),
        }
    }

    fn fixed(&mut self, size: usize) -> Result<u64, Refused> {
        if self.bytes.len() - self.at < size {
            return self.end();
        }
        let mut value = 0;
        for n in 0..size {
            value |= u64::from(self.byte()?) << (8 * n);
        }
        Ok(value)
    }

    fn signed(&mut self, size: usize) -> Result<i64, Refused> {
        let shift = 64 - 8 * size as u32;
        self.fixed(size).map(|value| (value << shift) as i64 >> shift)
    }

    /// Reads up to `most` bytes, the last of which is at most `last`.
    fn groups(&mut self, most: usize, last: u8, padded: u32) -> Result<u128, Refused> {
        let start = self.at;
        let mut value = 0u128;
        for n in 0..most {
            let byte = self.byte()?;
            if n == most - 1 && byte > last {
                return Err((Some(if self.a { 2004 } else { 24 }), start));
            }
            value |= u128::from(byte & 0x7f) << (7 * n);
            if byte & 0x80 == 0 {
                if byte == 0 && n > 0 {
                    return Err((Some(padded), start));
                }
                return Ok(value);
            }
        }
        self.end()
    }

    fn narrow(&mut self, last: u8) -> Result<u32, Refused> {
        self.groups(5, last, 25).map(|value| value as u32)
    }

    fn varint(&mut self) -> Result<i64, Refused> {
        let start = self.at;
        let value = self.groups(10, 2, 27)?;
        if value == 1 {
            return Err((Some(27), start));
        }
        let magnitude = (value / 2) as i128;
        let number = if value % 2 == 1 { -magnitude } else { magnitude };
        i64::try_from(number).map_err(|_| (Some(24), start))
    }

    fn enter(&mut self, start: usize) -> Result<(), Refused> {
        if self.depth == 0 {
            return Err((None, start));
        }
        self.depth -= 1;
        Ok(())
    }

    fn value(&mut self, ty: &Type) -> Result<Value, Refused> {
        let start = self.at;
        Ok(match ty {
            Type::Link(id) => {
                let dictionary = self.dictionary;
                let tag = dictionary.tag(*id).expect("links lead somewhere");
                return self.value(&tag.ty);
            }
            Type::Simple(simple) => self.simple(*simple)?,
            Type::Text { utf8 } => {
                let len = self.narrow(0x0f)? as usize;
                if self.bytes.len() - self.at < len {
                    return self.end();
                }
                let bytes = &self.bytes[self.at..self.at + len];
                self.at += len;
                match std::str::from_utf8(bytes) {
                    Ok(text) => Value::text(text),
                    Err(_) if *utf8 => return Err((Some(29006), start)),
                    Err(_) => Value::Octets(bytes.to_vec()),
                }
            }
            Type::Array(element) => {
                let count = self.narrow(0x0f)? as usize;
                if count > self.bytes.len() - self.at {
                    return self.end();
                }
                self.enter(start)?;
                let mut values = Vec::new();
                for _ in 0..count {
                    values.push(self.value(element)?);
                }
                self.depth += 1;
                Value::List(values)
            }
            Type::Structure(fields) => {
                let nullable = fields.iter().filter(|field| field.nullable).count();
                let mut bits = Vec::new();
                for _ in 0..nullable.div_ceil(8) {
                    let byte = self.byte()?;
                    bits.extend((0..8).map(|bit| byte >> bit & 1 == 1));
                }
                if bits.iter().skip(nullable).any(|bit| *bit) {
                    return Err((Some(25), start));
                }
                self.enter(start)?;
                let mut bits = bits.into_iter();
                let mut values = Vec::new();
                for field in fields {
                    if !field.nullable || bits.next().expect("a bit each") {
                        values.push((field.name.clone(), self.value(&field.ty)?));
                    }
                }
                self.depth += 1;
                Value::Record { name: String::new(), fields: values }
            }
            Type::Enumeration(enumeration) => {
                let number = match self.simple(enumeration.subtype)? {
                    Value::Int(number) => number,
                    Value::UInt(number) => i64::try_from(number).expect("no type of enumerations is wider"),
                    other => panic!("{other:?} is no number"),
                };
                let Some(index) = enumeration.members.iter().position(|(_, known)| *known == number) else {
                    return Err((Some(31010), start));
                };
                Value::Variant { name: enumeration.members[index].0.clone(), index: index as u32, values: Vec::new() }
            }
            Type::Polymorph(members) => {
                let id = self.narrow(0x07)?;
                let all = self.members(members);
                let Some(index) = all.iter().position(|known| *known == id) else { return Err((Some(32003), start)) };
                self.enter(start)?;
                let dictionary = self.dictionary;
                let tag = dictionary.tag(id).expect("members are tags");
                let value = self.value(&tag.ty)?;
                self.depth += 1;
                Value::Variant { name: tag.name.clone(), index: index as u32, values: vec![value] }
            }
        })
    }

    /// Returns the structures of a polymorph, those of inner polymorphs in place, each once.
    fn members(&self, members: &[u32]) -> Vec<u32> {
        let mut all = Vec::new();
        for id in members {
            let inner = match &self.dictionary.tag(*id).expect("members are tags").ty {
                Type::Polymorph(inner) => self.members(inner),
                _ => vec![*id],
            };
            for id in inner {
                if !all.contains(&id) {
                    all.push(id);
                }
            }
        }
        all
    }

    fn simple(&mut self, simple: Simple) -> Result<Value, Refused> {
        let start = self.at;
        Ok(match simple {
            Simple::Boolean => match self.byte()? {
                0xff => Value::Bool(true),
                0 => Value::Bool(false),
                _ => return Err((Some(26), start)),
            },
            Simple::Byte => Value::int(self.signed(1)?),
            Simple::Short => Value::int(self.signed(2)?),
            Simple::Int => Value::int(self.signed(4)?),
            Simple::Long => Value::int(self.signed(8)?),
            Simple::Ubyte => Value::UInt(self.fixed(1)?),
            Simple::Ushort => Value::UInt(self.fixed(2)?),
            Simple::Uint => Value::UInt(self.fixed(4)?),
            Simple::Ulong => Value::UInt(self.fixed(8)?),
            Simple::Float => Value::F32(f32::from_bits(self.fixed(4)? as u32)),
            Simple::Double => Value::F64(f64::from_bits(self.fixed(8)?)),
            Simple::Uvarint => Value::UInt(self.groups(10, 1, 25)? as u64),
            Simple::Varint => Value::int(self.varint()?),
        })
    }
}
