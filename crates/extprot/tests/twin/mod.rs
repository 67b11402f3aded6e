//! A slow decoder that follows docs/spec/extprot.md 5 of the specification step by step, over the
//! model itself: what the fast ones are held against.

#![allow(dead_code)] // Each test uses a part of it.

pub mod bodies;
pub mod doors;
pub mod random;
pub mod shown;

use polywire_core::value::Value;
use polywire_extprot::error::{Cause, DecodeError, Size, SizeLimits};
use polywire_extprot::model::{Field, Kind, Literal, NodeId, Primitive, Protocol};
use polywire_extprot::wire::WireType;

/// Decodes the message at the start of `bytes`: its value, and where it ends.
pub fn decode(protocol: &Protocol, node: NodeId, bytes: &[u8], limits: &SizeLimits) -> Result<(Value, usize), DecodeError> {
    let mut twin = Twin { protocol, bytes, limits, at: 0, path: Vec::new(), lazy: Some(Vec::new()) };
    twin.settle(node, bytes.len())?;
    let mut twin = Twin { protocol, bytes, limits, at: 0, path: Vec::new(), lazy: None };
    let value = twin.value(node, bytes.len())?;
    Ok((value, twin.at))
}

/// A field that is decoded later: its node, where it starts and ends, and its path.
type Later = (NodeId, usize, usize, Vec<String>);

struct Twin<'a> {
    protocol: &'a Protocol,
    bytes: &'a [u8],
    limits: &'a SizeLimits,
    at: usize,
    path: Vec<String>,
    /// The lazy fields met (docs/spec/extprot.md 5.8), if they are to be stepped over.
    lazy: Option<Vec<Later>>,
}

type Decoded<T> = Result<T, DecodeError>;

impl Twin<'_> {
    fn fail<T>(&self, cause: Cause, at: usize) -> Decoded<T> {
        Err(DecodeError { cause, at, path: self.path.clone() })
    }

    fn byte(&mut self, end: usize) -> Decoded<u8> {
        if self.at >= end {
            return self.fail(Cause::UnexpectedEnd, end);
        }
        self.at += 1;
        Ok(self.bytes[self.at - 1])
    }

    /// docs/spec/extprot.md 4.1. `start` is the value that the number belongs to.
    fn vint(&mut self, end: usize, start: usize) -> Decoded<u64> {
        let mut value = 0u128;
        let mut shift = 0u32;
        loop {
            let byte = self.byte(end)?;
            let group = u128::from(byte & 0x7f);
            if group > 0 && (shift > 63 || group << shift > u128::from(u64::MAX)) {
                return self.fail(Cause::VintOverflow, start);
            }
            if shift <= 63 {
                value |= group << shift;
                shift += 7;
            }
            if byte < 0x80 {
                return Ok(value as u64);
            }
        }
    }

    fn prefix(&mut self, end: usize) -> Decoded<(u64, WireType)> {
        let start = self.at;
        let prefix = self.vint(end, start)?;
        let wire = match prefix % 16 {
            0 => WireType::Vint,
            1 => WireType::Tuple,
            2 => WireType::Bits8,
            3 => WireType::Bytes,
            4 => WireType::Bits32,
            5 => WireType::Htuple,
            6 => WireType::Bits64Long,
            7 => WireType::Assoc,
            8 => WireType::Bits64Float,
            10 => WireType::Enum,
            _ => return self.fail(Cause::BadWireType(None), start),
        };
        Ok((prefix / 16, wire))
    }

    fn fixed(&mut self, size: usize, end: usize) -> Decoded<Vec<u8>> {
        (0..size).map(|_| self.byte(end)).collect()
    }

    /// Length that fits; where the composite ends, and the length.
    fn length(&mut self, end: usize, start: usize) -> Decoded<(usize, u64)> {
        let length = self.vint(end, start)?;
        if length > (end - self.at) as u64 {
            return self.fail(Cause::UnexpectedEnd, end);
        }
        Ok((self.at + length as usize, length))
    }

    fn skip(&mut self, end: usize) -> Decoded<()> {
        let start = self.at;
        let (_, wire) = self.prefix(end)?;
        match wire {
            WireType::Vint => drop(self.vint(end, start)?),
            WireType::Bits8 => drop(self.fixed(1, end)?),
            WireType::Bits32 => drop(self.fixed(4, end)?),
            WireType::Bits64Long | WireType::Bits64Float => drop(self.fixed(8, end)?),
            WireType::Enum => {}
            WireType::Tuple | WireType::Htuple | WireType::Assoc | WireType::Bytes => self.at = self.length(end, start)?.0,
        }
        Ok(())
    }

    fn check_sizes(&self, count: u64, length: u64, start: usize) -> Decoded<()> {
        if count > self.limits.elements {
            return self.fail(Cause::LimitExceeded(Size::Elements, count), start);
        }
        if length > self.limits.message_length {
            return self.fail(Cause::LimitExceeded(Size::MessageLength, length), start);
        }
        Ok(())
    }

    /// docs/spec/extprot.md 5.8: a value but for its lazy fields, then each of them likewise.
    fn settle(&mut self, node: NodeId, end: usize) -> Decoded<()> {
        self.value(node, end)?;
        for (node, start, end, path) in self.lazy.replace(Vec::new()).unwrap_or_default() {
            (self.at, self.path) = (start, path);
            self.settle(node, end)?;
        }
        Ok(())
    }

    /// The value of a field.
    fn field(&mut self, field: &Field, end: usize) -> Decoded<Value> {
        let start = self.at;
        if self.lazy.is_none() || !field.lazy || self.protocol[field.ty].decoded_at_once() {
            return self.value(field.ty, end);
        }
        if let Kind::Sum(sum) = &self.protocol[field.ty].kind
            && sum.constructors.iter().any(|one| one.is_constant())
            && matches!(self.prefix(end), Ok((_, WireType::Enum)))
        {
            self.at = start;
            return self.value(field.ty, end);
        }
        self.at = start;
        self.skip(end)?;
        let later = (field.ty, start, self.at, self.path.clone());
        self.lazy.as_mut().expect("it is there").push(later);
        Ok(Value::Null)
    }

    fn value(&mut self, node: NodeId, end: usize) -> Decoded<Value> {
        match &self.protocol[node].kind {
            Kind::Primitive { primitive, .. } => self.primitive(*primitive, end),
            Kind::List { element, .. } => self.list(*element, end),
            Kind::Tuple(parts) => self.tuple(parts, end),
            Kind::Sum(_) => self.sum(node, end),
            Kind::Record(record) => self.message(&record.name, &[(None, &record.fields)], end),
            Kind::Union(union) => {
                let variants: Vec<(Option<&str>, &[Field])> =
                    union.variants.iter().map(|variant| (Some(variant.name.as_str()), variant.fields.as_slice())).collect();
                self.message(&union.name, &variants, end)
            }
            Kind::Subset(_) => self.subset(node, end),
            Kind::External(_) => panic!("the tests use no external types"),
        }
    }

    /// docs/spec/extprot.md 5.1 and 5.6.
    fn message<F: AsRef<[Field]>>(&mut self, name: &str, variants: &[(Option<&str>, F)], end: usize) -> Decoded<Value> {
        self.path.push(name.to_string());
        let start = self.at;
        let (tag, wire) = self.prefix(end)?;
        let composite = if wire == WireType::Tuple {
            let (stop, length) = self.length(end, start)?;
            let count = self.vint(stop, start)?;
            self.check_sizes(count, length, start)?;
            Some((stop, count))
        } else {
            None
        };
        if tag >= variants.len() as u64 {
            return self.fail(Cause::UnknownTag(tag), start);
        }
        let (variant, fields) = &variants[tag as usize];
        let fields = fields.as_ref();
        let mut values = Vec::new();
        let depth = self.path.len();
        match composite {
            Some((stop, count)) => {
                self.path.extend(variant.map(str::to_string));
                for (n, field) in fields.iter().enumerate() {
                    self.path.push(field.name.clone());
                    let value = if count > n as u64 { self.field(field, stop)? } else { self.absent(field.ty, Cause::MissingField)? };
                    values.push((field.name.clone(), value));
                    self.path.pop();
                }
                self.at = stop;
            }
            None => {
                let promoted = match &self.protocol[fields[0].ty].kind {
                    Kind::Primitive { primitive, .. } if own(*primitive) == wire => *primitive,
                    _ => return self.fail(Cause::BadWireType(Some(wire.code())), start),
                };
                self.path.extend(variant.map(str::to_string));
                self.path.push(fields[0].name.clone());
                values.push((fields[0].name.clone(), self.payload(promoted, wire, start, end)?));
                self.path.pop();
                for field in &fields[1..] {
                    self.path.push(field.name.clone());
                    values.push((field.name.clone(), self.absent(field.ty, Cause::MissingField)?));
                    self.path.pop();
                }
            }
        }
        self.path.truncate(depth - 1);
        let record = Value::Record { name: String::new(), fields: values };
        Ok(match variant {
            Some(name) => Value::Variant { name: (*name).to_string(), index: tag as u32, values: vec![record] },
            None => record,
        })
    }

    /// docs/spec/extprot.md 5.7.
    fn subset(&mut self, node: NodeId, end: usize) -> Decoded<Value> {
        let Kind::Subset(subset) = &self.protocol[node].kind else { panic!("no subset") };
        self.path.push(subset.name.clone());
        let start = self.at;
        let (tag, wire) = self.prefix(end)?;
        if wire != WireType::Tuple {
            return self.fail(Cause::BadWireType(Some(wire.code())), start);
        }
        let (stop, length) = self.length(end, start)?;
        let count = self.vint(stop, start)?;
        self.check_sizes(count, length, start)?;
        if tag != 0 {
            return self.fail(Cause::UnknownTag(tag), start);
        }
        let mut values = Vec::new();
        let mut position = 0;
        for wanted in &subset.fields {
            while position < wanted.position {
                if count > u64::from(position) {
                    self.skip(stop)?;
                }
                position += 1;
            }
            self.path.push(wanted.field.name.clone());
            let value = if count > u64::from(position) {
                self.field(&wanted.field, stop)?
            } else {
                self.absent(wanted.field.ty, Cause::MissingField)?
            };
            values.push((wanted.field.name.clone(), value));
            self.path.pop();
            position += 1;
        }
        self.at = stop;
        self.path.pop();
        Ok(Value::Record { name: String::new(), fields: values })
    }

    /// docs/spec/extprot.md 5.2.
    fn primitive(&mut self, primitive: Primitive, end: usize) -> Decoded<Value> {
        let start = self.at;
        let (tag, wire) = self.prefix(end)?;
        if tag != 0 {
            return self.fail(Cause::UnknownTag(tag), start);
        }
        if wire != WireType::Tuple {
            if !widens(primitive).contains(&wire) {
                return self.fail(Cause::BadWireType(Some(wire.code())), start);
            }
            return self.payload(primitive, wire, start, end);
        }
        let (stop, _) = self.length(end, start)?;
        let count = self.vint(stop, start)?;
        if count == 0 {
            return self.fail(Cause::BadWireType(Some(wire.code())), start);
        }
        let first = self.at;
        let (tag, wire) = self.prefix(stop)?;
        if tag != 0 {
            return self.fail(Cause::UnknownTag(tag), first);
        }
        if !widens(primitive).contains(&wire) {
            return self.fail(Cause::BadWireType(Some(wire.code())), first);
        }
        let value = self.payload(primitive, wire, first, stop)?;
        self.at = stop;
        Ok(value)
    }

    fn payload(&mut self, primitive: Primitive, wire: WireType, start: usize, end: usize) -> Decoded<Value> {
        if wire == WireType::Bytes {
            let (stop, length) = self.length(end, start)?;
            if length > self.limits.string_length {
                return self.fail(Cause::LimitExceeded(Size::StringLength, length), start);
            }
            let bytes = self.bytes[self.at..stop].to_vec();
            self.at = stop;
            return Ok(string(bytes));
        }
        let number = match wire {
            WireType::Vint => {
                let zigzag = self.vint(end, start)?;
                if zigzag % 2 == 0 { (zigzag / 2) as i64 } else { -((zigzag / 2) as i64) - 1 }
            }
            WireType::Bits8 => i64::from(self.fixed(1, end)?[0]),
            WireType::Bits32 => i64::from(i32::from_le_bytes(self.fixed(4, end)?.try_into().expect("four bytes"))),
            WireType::Bits64Float => {
                return Ok(Value::F64(f64::from_le_bytes(self.fixed(8, end)?.try_into().expect("eight bytes"))));
            }
            _ => i64::from_le_bytes(self.fixed(8, end)?.try_into().expect("eight bytes")),
        };
        Ok(match primitive {
            Primitive::Bool => Value::Bool(number != 0),
            Primitive::Float => Value::F64(number as f64),
            _ => Value::int(number),
        })
    }

    /// docs/spec/extprot.md 5.3.
    fn list(&mut self, element: NodeId, end: usize) -> Decoded<Value> {
        let start = self.at;
        let (_, wire) = self.prefix(end)?;
        if wire != WireType::Htuple {
            return self.fail(Cause::BadWireType(Some(wire.code())), start);
        }
        let (stop, length) = self.length(end, start)?;
        let count = self.vint(stop, start)?;
        self.check_sizes(count, length, start)?;
        let mut values = Vec::new();
        for _ in 0..count {
            values.push(self.value(element, stop)?);
        }
        self.at = stop;
        Ok(Value::List(values))
    }

    fn elements(&mut self, parts: &[NodeId], end: usize, start: usize) -> Decoded<Vec<Value>> {
        let (stop, _) = self.length(end, start)?;
        let count = self.vint(stop, start)?;
        let values = self.counted(parts, count, stop)?;
        Ok(values)
    }

    fn counted(&mut self, parts: &[NodeId], count: u64, stop: usize) -> Decoded<Vec<Value>> {
        let mut values = Vec::new();
        for (n, part) in parts.iter().enumerate() {
            values.push(if count > n as u64 {
                self.value(*part, stop)?
            } else {
                self.absent(*part, Cause::MissingTupleElement(n as u32))?
            });
        }
        self.at = stop;
        Ok(values)
    }

    /// A bare primitive in the place of the values of `parts`.
    fn promoted(&mut self, parts: &[NodeId], wire: WireType, start: usize, end: usize) -> Decoded<Vec<Value>> {
        let primitive = match &self.protocol[parts[0]].kind {
            Kind::Primitive { primitive, .. } if own(*primitive) == wire => *primitive,
            _ => return self.fail(Cause::BadWireType(Some(wire.code())), start),
        };
        if parts[1..].iter().any(|part| !self.protocol[*part].default.claimed) {
            return self.fail(Cause::BadWireType(Some(wire.code())), start);
        }
        let mut values = vec![self.payload(primitive, wire, start, end)?];
        for part in &parts[1..] {
            values.push(self.absent(*part, Cause::MissingField)?);
        }
        Ok(values)
    }

    fn tuple(&mut self, parts: &[NodeId], end: usize) -> Decoded<Value> {
        let start = self.at;
        let (_, wire) = self.prefix(end)?;
        Ok(Value::Tuple(match wire {
            WireType::Tuple => self.elements(parts, end, start)?,
            wire => self.promoted(parts, wire, start, end)?,
        }))
    }

    fn sum(&mut self, node: NodeId, end: usize) -> Decoded<Value> {
        let Kind::Sum(sum) = &self.protocol[node].kind else { panic!("no sum") };
        let start = self.at;
        let (tag, wire) = self.prefix(end)?;
        let position = |name: &str| sum.constructors.iter().position(|one| one.name == name).expect("it is there") as u32;
        let (has_constants, has_others) =
            (sum.constructors.iter().any(|one| one.is_constant()), sum.constructors.iter().any(|one| !one.is_constant()));
        match wire {
            WireType::Enum if has_constants => match sum.constant(tag) {
                Some(found) => Ok(Value::Variant { name: found.name.clone(), index: position(&found.name), values: Vec::new() }),
                None => self.fail(Cause::UnknownTag(tag), start),
            },
            WireType::Tuple if has_others => {
                let (stop, _) = self.length(end, start)?;
                let count = self.vint(stop, start)?;
                match sum.carrying(tag) {
                    Some(found) => {
                        let values = self.counted(&found.arguments, count, stop)?;
                        Ok(Value::Variant { name: found.name.clone(), index: position(&found.name), values })
                    }
                    None => self.fail(Cause::UnknownTag(tag), start),
                }
            }
            WireType::Enum | WireType::Tuple => self.fail(Cause::BadWireType(Some(wire.code())), start),
            wire => match sum.carrying(0) {
                Some(found) => {
                    let values = self.promoted(&found.arguments, wire, start, end)?;
                    Ok(Value::Variant { name: found.name.clone(), index: position(&found.name), values })
                }
                None => self.fail(Cause::BadWireType(Some(wire.code())), start),
            },
        }
    }

    fn absent(&self, node: NodeId, missing: Cause) -> Decoded<Value> {
        let default = self.protocol[node].default;
        if !default.claimed {
            return self.fail(missing, self.at);
        }
        if !default.exists {
            return self.fail(Cause::MissingField, self.at);
        }
        Ok(self.default(node))
    }

    /// docs/spec/extprot.md 6.
    fn default(&self, node: NodeId) -> Value {
        let record = |fields: &[Field]| Value::Record {
            name: String::new(),
            fields: fields.iter().map(|field| (field.name.clone(), self.default(field.ty))).collect(),
        };
        match &self.protocol[node].kind {
            Kind::Primitive { default, .. } => match default {
                Some(Literal::Bool(value)) => Value::Bool(*value),
                Some(Literal::Byte(value)) => Value::UInt(u64::from(*value)),
                Some(Literal::Int(value)) => Value::int(*value),
                Some(Literal::Float(value)) => Value::F64(*value),
                Some(Literal::Bytes(bytes)) => string(bytes.clone()),
                None => Value::Bool(false),
            },
            Kind::List { .. } => Value::List(Vec::new()),
            Kind::Tuple(parts) => Value::Tuple(parts.iter().map(|part| self.default(*part)).collect()),
            Kind::Sum(sum) => {
                let (index, first) =
                    sum.constructors.iter().enumerate().find(|(_, one)| one.is_constant()).expect("a default is a constant constructor");
                Value::Variant { name: first.name.clone(), index: index as u32, values: Vec::new() }
            }
            Kind::Record(found) => record(&found.fields),
            Kind::Union(union) => {
                let first = &union.variants[0];
                Value::Variant { name: first.name.clone(), index: 0, values: vec![record(&first.fields)] }
            }
            Kind::Subset(subset) => Value::Record {
                name: String::new(),
                fields: subset.fields.iter().map(|wanted| (wanted.field.name.clone(), self.default(wanted.field.ty))).collect(),
            },
            Kind::External(_) => panic!("the tests use no external types"),
        }
    }
}

fn string(bytes: Vec<u8>) -> Value {
    match String::from_utf8(bytes) {
        Ok(text) => Value::Text(text),
        Err(error) => Value::Octets(error.into_bytes()),
    }
}

/// docs/spec/extprot.md 4.3.
fn own(primitive: Primitive) -> WireType {
    widens(primitive)[0]
}

/// Table 5.4, the own wire type first.
fn widens(primitive: Primitive) -> &'static [WireType] {
    match primitive {
        Primitive::Bool | Primitive::Byte => &[WireType::Bits8],
        Primitive::Int => &[WireType::Vint, WireType::Bits8],
        Primitive::Long => &[WireType::Bits64Long, WireType::Vint, WireType::Bits8, WireType::Bits32],
        Primitive::Float => &[WireType::Bits64Float, WireType::Vint, WireType::Bits8, WireType::Bits32, WireType::Bits64Long],
        Primitive::String => &[WireType::Bytes],
    }
}
