//! The plan of a common schema. The wire has what a `.proto` of the schema would put there, and a
//! view on each field restores its values.
//!
//! Protobuf has no null, no list of lists, and no optional list; a message around the value stands
//! for those. A required list that is absent on the wire is empty, and a required nullable field is
//! null.

use std::collections::HashMap;

use polywire_core::schema::{Constraint, FieldType, Presence as Often, Record, Schema, Type, Width};
use polywire_core::{Error, ErrorKind, Fault, Result};

use crate::model::{Cardinality, Kind, MessageId, Presence, RESERVED_NUMBERS};
use crate::plan::{Field, KEY_START, Message, Plan, Row, View};
use crate::wire::{WireType, tag_of};

/// Deepest nesting of types.
const DEEPEST: u32 = 200;

/// Most messages. Types other than records are made anew wherever they are used.
const MOST_MESSAGES: usize = 1 << 18;

/// Makes the plan of the root type of `schema`.
///
/// # Errors
/// The schema has types that only ASN.1 has, or that nest too deep.
pub fn adopt(schema: &Schema) -> Result<Plan> {
    schema.check()?;
    let name = schema.root.as_deref().ok_or_else(|| unsupported("a schema without a root type"))?;
    let mut making = Making { schema, messages: Vec::new(), known: HashMap::new() };
    let ty = Type::Reference(name.to_string(), Vec::new());
    // The root has to be a message.
    let root = match making.value(&ty, 0)?.message {
        Some(message) if making.messages[message as usize].row.is_none() => message,
        _ => making.wrapper(&ty, 0)?,
    };
    Ok(Plan::made(making.messages, Vec::new(), root))
}

struct Making<'s> {
    schema: &'s Schema,
    messages: Vec<Message>,
    /// Messages of named types, some of them reserved only.
    known: HashMap<&'s str, u32>,
}

/// The representation of one value on the wire.
#[derive(Clone, Copy)]
struct Value {
    kind: Kind,
    message: Option<u32>,
    view: View,
}

impl Value {
    fn scalar(kind: Kind, view: View) -> Value {
        Value { kind, message: None, view }
    }

    fn message(index: u32) -> Value {
        Value { kind: Kind::Message(MessageId::at(index)), message: Some(index), view: View::Declared }
    }
}

#[cold]
fn unsupported(seen: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Schema).seen(seen.into()).expected("types that Protobuf has")
}

/// Returns the number of the field at a position.
fn number(position: usize) -> u32 {
    let number = position as u32 + 1;
    if number < RESERVED_NUMBERS.start { number } else { number + (RESERVED_NUMBERS.end - RESERVED_NUMBERS.start) }
}

fn field(name: &str, position: usize, value: Value, cardinality: Cardinality, view: View) -> Field {
    let wire = WireType::of(value.kind.wire_type()).unwrap_or(WireType::Len);
    let number = number(position);
    let packable = cardinality == Cardinality::Repeated && value.kind.packable();
    Field {
        number,
        name: name.into(),
        declared: name.into(),
        text: name.into(),
        json: name.into(),
        key: "".into(),
        key_start: [0; KEY_START],
        own_key: "".into(),
        kind: value.kind,
        cardinality,
        wire,
        tag: tag_of(number, wire),
        packable,
        packed: packable,
        in_set: false,
        presence: Presence::Explicit,
        oneof: None,
        choice: Box::default(),
        utf8: true,
        closed: false,
        slot: position as u32,
        view: if value.view == View::Declared { view } else { value.view },
        empty: false,
        each: false,
    }
}

impl<'s> Making<'s> {
    fn reserve(&mut self) -> Result<u32> {
        if self.messages.len() == MOST_MESSAGES {
            return Err(unsupported(format!("more than {MOST_MESSAGES} messages")));
        }
        self.messages.push(Message::made(Box::default(), Vec::new(), None));
        Ok(self.messages.len() as u32 - 1)
    }

    /// Makes a message around one value of a type.
    fn wrapper(&mut self, ty: &'s Type, depth: u32) -> Result<u32> {
        let index = self.reserve()?;
        let inner = self.field("value", 0, ty, Often::Required, depth + 1)?;
        self.messages[index as usize] = Message::made("".into(), vec![inner], None).wrapping();
        Ok(index)
    }

    /// Makes the field of a record for values of a type.
    fn field(&mut self, name: &str, position: usize, ty: &'s Type, often: Often, depth: u32) -> Result<Field> {
        if depth > DEEPEST {
            return Err(unsupported(format!("more than {DEEPEST} types within each other")));
        }
        let singular = |value, view| field(name, position, value, Cardinality::Singular, view);
        Ok(match (self.schema.resolve(ty)?, often) {
            (_, Often::Repeated) => {
                let element = self.value(ty, depth + 1)?;
                Field { each: true, packed: false, ..field(name, position, element, Cardinality::Repeated, View::Declared) }
            }
            (Type::List(inner, _) | Type::Set(inner, _), Often::Required) => {
                let element = self.value(inner, depth + 1)?;
                Field { empty: true, ..field(name, position, element, Cardinality::Repeated, View::Declared) }
            }
            (Type::Map(key, value), Often::Required) if self.key(key)?.is_some() => {
                let entry = self.reserve()?;
                let Some(key) = self.key(key)? else { return Err(Error::internal("a key that is none")) };
                let value = self.value(value, depth + 1)?;
                let fields = vec![
                    field("key", 0, key, Cardinality::Singular, View::Declared),
                    field("value", 1, value, Cardinality::Singular, View::Declared),
                ];
                self.messages[entry as usize] = Message::made("".into(), fields, None);
                Field { empty: true, ..field(name, position, Value::message(entry), Cardinality::Map, View::Declared) }
            }
            (Type::Nullable(inner), Often::Required) => {
                let value = self.value(inner, depth + 1)?;
                // A number in text has a view already, so null needs a message around it.
                match value.view {
                    View::Declared => singular(value, View::Null),
                    _ => singular(Value::message(self.wrapper(inner, depth + 1)?), View::Null),
                }
            }
            (Type::Null, Often::Required) => singular(Value::scalar(Kind::Bool, View::Null), View::Null),
            _ => singular(self.value(ty, depth + 1)?, View::Declared),
        })
    }

    /// Returns the representation of a required value.
    fn value(&mut self, ty: &'s Type, depth: u32) -> Result<Value> {
        if depth > DEEPEST {
            return Err(unsupported(format!("more than {DEEPEST} types within each other")));
        }
        let text = |view| Value::scalar(Kind::String, view);
        Ok(match ty {
            Type::Bool => Value::scalar(Kind::Bool, View::Declared),
            Type::Int(_) => Value::scalar(Kind::SInt64, View::Declared),
            Type::UInt(Width::W8 | Width::W16 | Width::W32 | Width::W64) => Value::scalar(Kind::UInt64, View::Declared),
            Type::Integer(Constraint { low: Some(low @ 0..), high: Some(high), .. }) if *low <= *high && *high <= i128::from(u64::MAX) => {
                Value::scalar(Kind::UInt64, View::Declared)
            }
            Type::Integer(Constraint { low: Some(low), high: Some(high), .. })
                if *low >= i128::from(i64::MIN) && *high <= i128::from(i64::MAX) =>
            {
                Value::scalar(Kind::SInt64, View::Declared)
            }
            Type::Integer(_) | Type::Decimal => text(View::Number),
            Type::F32 => Value::scalar(Kind::Float, View::Declared),
            Type::F64 => Value::scalar(Kind::Double, View::Declared),
            Type::Number => Value::scalar(Kind::Double, View::Whole),
            Type::Text(_) | Type::Enumeration(_) => text(View::Declared),
            Type::Timestamp(_) => text(View::Moment),
            Type::Octets(_) => Value::scalar(Kind::Bytes, View::Octets),
            Type::Any => Value::scalar(Kind::Bytes, View::Any),
            Type::Map(key, _) if self.key(key)?.is_none() => Value::scalar(Kind::Bytes, View::Any),
            Type::Bytes(_) => Value::scalar(Kind::Bytes, View::Declared),
            Type::Record(record) => Value::message(self.record("", record, depth)?),
            // Inference treats lists so.
            Type::Tuple(parts) => {
                let index = self.reserve()?;
                let mut fields = Vec::new();
                for (position, part) in parts.iter().enumerate() {
                    let value = self.value(part, depth + 1)?;
                    fields.push(field("", position, value, Cardinality::Singular, View::Declared));
                }
                self.messages[index as usize] = Message::made("".into(), fields, None).standing(Row::List);
                Value::message(index)
            }
            Type::Tagged { space, code, inner } => {
                let index = self.reserve()?;
                let value = self.value(inner, depth + 1)?;
                // Under marks other than BER's, a row of fixed types is a tuple. Elsewhere it is
                // most likely a list.
                if let Some(row) = value.message.and_then(|inner| self.messages[inner as usize].row.as_mut())
                    && *row == Row::List
                    && !space.starts_with("ber")
                {
                    *row = Row::Tuple;
                }
                let fields = vec![field("value", 0, value, Cardinality::Singular, View::Declared)];
                self.messages[index as usize] = Message::made("".into(), fields, None).standing(Row::Marked(space.as_str().into(), *code));
                Value::message(index)
            }
            Type::Reference(name, arguments) if arguments.is_empty() => {
                if let Some(index) = self.known.get(name.as_str()) {
                    return Ok(Value::message(*index));
                }
                let target = self.schema.get(name).ok_or_else(|| unsupported(format!("the type {name}, which is not defined")))?;
                match target {
                    Type::Record(record) => Value::message(self.record(name, record, depth)?),
                    other => self.value(other, depth + 1)?,
                }
            }
            // Cases become records of one field with the case's name, and cases without a value
            // become texts.
            Type::Sum(sum) if !sum.untagged && sum.cases.iter().all(|case| case.id.is_none() && case.carries.len() < 2) => {
                let carrying = || sum.cases.iter().filter(|case| !case.carries.is_empty());
                let mut fields = Vec::new();
                for (position, case) in carrying().enumerate() {
                    fields.push(self.field(&case.name, position, &case.carries[0], Often::Optional, depth + 1)?);
                }
                let record = self.reserve()?;
                self.messages[record as usize] = Message::made("".into(), fields, None);
                if carrying().count() == sum.cases.len() {
                    return Ok(Value::message(record));
                }
                let index = self.reserve()?;
                let fields = vec![
                    field("name", 0, text(View::Declared), Cardinality::Singular, View::Declared),
                    field("case", 1, Value::message(record), Cardinality::Singular, View::Declared),
                ];
                self.messages[index as usize] = Message::made("".into(), fields, None).wrapping();
                Value::message(index)
            }
            Type::Sum(sum) if sum.untagged => {
                let index = self.reserve()?;
                let mut fields = Vec::new();
                for (position, case) in sum.cases.iter().enumerate() {
                    let [carried] = case.carries.as_slice() else { return Err(unsupported("a case of several values")) };
                    let often = if self.schema.resolve(carried)? == &Type::Null { Often::Required } else { Often::Optional };
                    fields.push(self.field(&case.name, position, carried, often, depth + 1)?);
                }
                self.messages[index as usize] = Message::made("".into(), fields, None).wrapping();
                Value::message(index)
            }
            Type::List(..) | Type::Set(..) | Type::Map(..) | Type::Nullable(_) | Type::Null => Value::message(self.wrapper(ty, depth)?),
            // Cases with a number or several values.
            Type::Sum(_) => Value::scalar(Kind::Bytes, View::Any),
            other => return Err(unsupported(format!("the type {other}"))),
        })
    }

    fn record(&mut self, name: &'s str, record: &'s Record, depth: u32) -> Result<u32> {
        let index = self.reserve()?;
        if !name.is_empty() {
            self.known.insert(name, index);
        }
        let mut fields = Vec::new();
        for (position, FieldType { name, ty, presence, .. }) in record.fields.iter().enumerate() {
            fields.push(self.field(name, position, ty, *presence, depth)?);
        }
        self.messages[index as usize] = Message::made(name.into(), fields, None);
        Ok(index)
    }

    /// Returns the representation of a map's key; `None` if entries cannot have one of the type.
    fn key(&self, ty: &'s Type) -> Result<Option<Value>> {
        Ok(Some(match self.schema.resolve(ty)? {
            Type::Text(_) | Type::Enumeration(_) => Value::scalar(Kind::String, View::Declared),
            Type::Bool => Value::scalar(Kind::Bool, View::Declared),
            Type::Int(_) => Value::scalar(Kind::SInt64, View::Declared),
            Type::UInt(_) => Value::scalar(Kind::UInt64, View::Declared),
            Type::Integer(Constraint { low: Some(0..), high: Some(high), .. }) if *high <= i128::from(u64::MAX) => {
                Value::scalar(Kind::UInt64, View::Declared)
            }
            _ => return Ok(None),
        }))
    }
}
