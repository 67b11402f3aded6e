//! A schema as types of the common schema.

use std::collections::HashSet;

use polywire_core::schema::language::SchemaLoss;
use polywire_core::schema::{
    Case, Constraint, Enumeration, FieldType, NamedType, Presence as Comes, Record, Schema, Sum, TimeUnit, Type, Width,
};
use polywire_core::value::Value;

use crate::model::{Cardinality, Default, EnumId, Field, Kind, Message, MessageId, Pool, Presence, WellKnown};
use crate::source::Protos;

/// Returns the messages and enums of the requested files and those that they use, and the losses.
///
/// A message of one oneof and nothing else is a sum type; other oneofs are fields of a sum type.
/// Fields of implicit presence are required, with a default. `Timestamp` is a moment, `Value`
/// anything, and a wrapper the value in it.
pub fn schema(protos: &Protos) -> (Schema, Vec<SchemaLoss>) {
    let pool = &protos.pool;
    let mut reading = Reading { pool, due: Vec::new(), seen: HashSet::new(), losses: Vec::new() };
    for (index, enumeration) in pool.enums().iter().enumerate() {
        if protos.is_main(enumeration.file) {
            reading.needs(Named::Enum(EnumId(index as u32)));
        }
    }
    for id in pool.message_ids() {
        let message = &pool[id];
        if protos.is_main(message.file) && !message.map_entry && !is_replaced(message.well_known) {
            reading.needs(Named::Message(id));
        }
    }
    for (index, service) in pool.services().iter().enumerate() {
        if protos.is_main(pool.services()[index].file) {
            reading.lose(&service.name, "services are not said");
        }
    }
    let mut types = Vec::new();
    let mut next = 0;
    while let Some(named) = reading.due.get(next).copied() {
        next += 1;
        types.push(match named {
            Named::Enum(id) => reading.enumeration(id),
            Named::Message(id) => reading.message(id),
        });
    }
    // In the order of the files: enums and messages by place, imported ones behind.
    let root = protos.root().map(|id| pool[id].name.to_string()).filter(|root| types.iter().any(|named| named.name == *root));
    (Schema { types, root }, reading.losses)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Named {
    Message(MessageId),
    Enum(EnumId),
}

/// Returns whether a type becomes something else than a record of its fields.
const fn is_replaced(well_known: Option<WellKnown>) -> bool {
    match well_known {
        Some(WellKnown::Timestamp | WellKnown::Struct | WellKnown::Value | WellKnown::ListValue | WellKnown::NullValue) => true,
        Some(well_known) => well_known.is_wrapper(),
        None => false,
    }
}

struct Reading<'p> {
    pool: &'p Pool,
    /// Types still to be emitted, in order.
    due: Vec<Named>,
    seen: HashSet<Named>,
    losses: Vec<SchemaLoss>,
}

impl<'p> Reading<'p> {
    fn needs(&mut self, named: Named) {
        if self.seen.insert(named) {
            self.due.push(named);
        }
    }

    fn lose(&mut self, at: &str, what: impl Into<String>) {
        self.losses.push(SchemaLoss { at: at.to_string(), what: what.into() });
    }

    fn enumeration(&mut self, id: EnumId) -> NamedType {
        let this = &self.pool[id];
        let members = this.values.iter().map(|value| (value.name.to_string(), i64::from(value.number))).collect();
        for value in this.values.iter().filter(|value| !value.doc.is_empty()) {
            self.lose(&format!("{}.{}", this.name, value.name), "its comment");
        }
        if !this.reserved.is_empty() || !this.reserved_names.is_empty() {
            self.lose(&this.name, "reserved numbers and names");
        }
        let ty = Type::Enumeration(Enumeration { members, extensible: !this.closed });
        NamedType { name: this.name.to_string(), doc: this.doc.to_string(), ty }
    }

    fn message(&mut self, id: MessageId) -> NamedType {
        let pool = self.pool;
        let this = &pool[id];
        if !this.reserved.is_empty() || !this.reserved_names.is_empty() {
            self.lose(&this.name, "reserved numbers and names");
        }
        if !this.extension_ranges.is_empty() {
            self.lose(&this.name, "numbers for extensions");
        }
        if this.message_set {
            self.lose(&this.name, "its layout as a message set");
        }
        if this.deprecated {
            self.lose(&this.name, "that it is deprecated");
        }
        let whole = match &this.oneofs[..] {
            [one] if one.fields.len() == this.fields.len() && this.extensions.is_empty() => Some(&this.oneofs[0]),
            _ => None,
        };
        let ty = match whole {
            Some(oneof) => {
                if &*oneof.name != "value" {
                    self.lose(&this.name, format!("the name `{}` of its oneof", oneof.name));
                }
                Type::Sum(self.sum(this, &oneof.fields))
            }
            None => Type::Record(self.record(this)),
        };
        NamedType { name: this.name.to_string(), doc: this.doc.to_string(), ty }
    }

    fn record(&mut self, this: &'p Message) -> Record {
        let pool = self.pool;
        let mut fields = Vec::new();
        let mut told = HashSet::new();
        for field in &this.fields {
            match field.oneof {
                Some(oneof) if !told.insert(oneof) => {}
                Some(index) => {
                    let oneof = &this.oneofs[index as usize];
                    let sum = self.sum(this, &oneof.fields);
                    fields.push(FieldType {
                        name: oneof.name.to_string(),
                        doc: oneof.doc.to_string(),
                        ..FieldType::required("", Type::Sum(sum)).optional()
                    });
                }
                None => fields.push(self.field(field, &format!("{}.{}", this.name, field.name))),
            }
        }
        for id in &this.extensions {
            let extension = &pool[*id];
            let at = format!("{}.{}", this.name, extension.field.name);
            self.lose(&at, "that it is an extension");
            fields.push(self.field(&extension.field, &at));
        }
        let extension = Some(fields.len());
        Record { fields, extension, unordered: false }
    }

    fn sum(&mut self, this: &Message, fields: &[u32]) -> Sum {
        let cases = fields.iter().map(|index| {
            let field = &this.fields[*index as usize];
            let at = format!("{}.{}", this.name, field.name);
            let empty = field.kind.message().is_some_and(|id| self.pool[id].well_known == Some(WellKnown::Empty));
            let carries = if empty { Vec::new() } else { vec![self.ty(field)] };
            self.beside(field, &at);
            Case { name: name(field), id: Some(field.number.into()), carries, doc: field.doc.to_string() }
        });
        Sum { cases: cases.collect(), extensible: true, untagged: false }
    }

    /// Reports properties of a field besides its type.
    fn beside(&mut self, field: &Field, at: &str) {
        if let Kind::SInt32 | Kind::SInt64 | Kind::Fixed32 | Kind::Fixed64 | Kind::SFixed32 | Kind::SFixed64 | Kind::Group(_) = field.kind {
            self.lose(at, format!("its layout as {}", field.kind.name()));
        }
        if field.packed != (field.cardinality == Cardinality::Repeated && field.kind.packable()) {
            self.lose(at, "that it is not packed");
        }
        if field.kind == Kind::String && !field.utf8 {
            self.lose(at, "that its text is not checked to be UTF-8");
        }
        let usual = crate::model::json_name(&field.name);
        let is_lost = *field.json_name != *usual && field.json_name != field.name && field.message_name() == &*field.name;
        if is_lost {
            self.lose(at, format!("its name `{}` in JSON", field.json_name));
        }
    }

    fn field(&mut self, field: &Field, at: &str) -> FieldType {
        self.beside(field, at);
        let wrapper = field.kind.message().and_then(|id| self.pool[id].well_known).is_some_and(WellKnown::is_wrapper);
        if wrapper {
            self.lose(at, "the message around its value");
        }
        let ty = self.ty(field);
        let written = field.default.as_ref().filter(|_| field.has_default);
        let (presence, default) = match (field.cardinality, field.presence) {
            (Cardinality::Repeated, _) => (Comes::Repeated, None),
            (Cardinality::Map, _) => (Comes::Required, None),
            (_, Presence::Required) => (Comes::Required, written),
            (_, Presence::Explicit) => (Comes::Optional, written),
            (_, Presence::Implicit) => (Comes::Required, field.default.as_ref()),
        };
        let default = match field.cardinality {
            Cardinality::Map => Some(Value::Map(Vec::new())),
            _ => default.map(|default| self.value(default, field)),
        };
        FieldType {
            name: name(field),
            id: Some(field.number.into()),
            ty,
            presence,
            default,
            deprecated: field.deprecated,
            doc: field.doc.to_string(),
        }
    }

    fn value(&self, default: &Default, field: &Field) -> Value {
        match default {
            Default::Double(value) => Value::F64(*value),
            Default::Float(value) => Value::F32(*value),
            Default::Int(value) => Value::int(*value),
            Default::UInt(value) => Value::UInt(*value),
            Default::Bool(value) => Value::Bool(*value),
            Default::String(text) => Value::text(&**text),
            Default::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
            Default::Enum(number) => {
                let Kind::Enum(id) = field.kind else { return Value::int(i64::from(*number)) };
                if self.pool[id].well_known == Some(WellKnown::NullValue) {
                    return Value::Null;
                }
                let values = &self.pool[id].values;
                match values.iter().position(|value| value.number == *number) {
                    Some(index) => Value::Variant { name: values[index].name.to_string(), index: index as u32, values: Vec::new() },
                    None => Value::int(i64::from(*number)),
                }
            }
        }
    }

    /// Returns the type of one value; for a map, that of the map.
    fn ty(&mut self, field: &Field) -> Type {
        let pool = self.pool;
        if let Some((key, value)) = pool.map_entry(field) {
            let (key, value) = (self.ty(key), self.ty(value));
            return Type::Map(Box::new(key), Box::new(value));
        }
        match field.kind {
            Kind::Double => Type::F64,
            Kind::Float => Type::F32,
            Kind::Int32 | Kind::SInt32 | Kind::SFixed32 => Type::Int(Width::W32),
            Kind::Int64 | Kind::SInt64 | Kind::SFixed64 => Type::Int(Width::W64),
            Kind::UInt32 | Kind::Fixed32 => Type::UInt(Width::W32),
            Kind::UInt64 | Kind::Fixed64 => Type::UInt(Width::W64),
            Kind::Bool => Type::Bool,
            Kind::String => Type::Text(Constraint::NONE),
            Kind::Bytes => Type::Bytes(Constraint::NONE),
            Kind::Enum(id) if pool[id].well_known == Some(WellKnown::NullValue) => Type::Null,
            Kind::Enum(id) => {
                self.needs(Named::Enum(id));
                Type::Reference(pool[id].name.to_string(), Vec::new())
            }
            Kind::Message(id) | Kind::Group(id) => match pool[id].well_known {
                Some(WellKnown::Timestamp) => Type::Timestamp(TimeUnit::Nanosecond),
                Some(WellKnown::Value) => Type::Any,
                Some(WellKnown::Struct) => Type::Map(Box::new(Type::Text(Constraint::NONE)), Box::new(Type::Any)),
                Some(WellKnown::ListValue) => Type::List(Box::new(Type::Any), Constraint::NONE),
                Some(well_known) if well_known.is_wrapper() => match pool[id].by_number(1) {
                    Some(inner) => self.ty(inner),
                    None => Type::Any,
                },
                _ => {
                    self.needs(Named::Message(id));
                    Type::Reference(pool[id].name.to_string(), Vec::new())
                }
            },
        }
    }
}

/// Returns the name of a field or case; of an extension, its full name.
fn name(field: &Field) -> String {
    let is_extension = field.json_name.starts_with('[');
    if is_extension { field.name.to_string() } else { field.message_name().to_string() }
}
