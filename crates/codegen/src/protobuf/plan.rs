//! A schema of Protocol Buffers as a plan. Messages, enums and oneofs get names.

use std::collections::{HashMap, HashSet};

use polywire_core::text::diagnostic::{Diagnostic, Diagnostics};
use polywire_protobuf::model::{Cardinality, Default as Start, Enum, EnumId, Field as ModelField, Kind, MessageId, Pool, Presence};
use polywire_protobuf::source::Protos;

use super::layout::{Choice, Comes, Layout, Mapped, Member, Numbers, Scalar, Wire};
use crate::plan::{Body, Carries, Case, Field, Plan, Role, Type, TypeDef, Value};

/// Bytes of a message in another one, by a rough count, from which on it is behind a pointer:
/// messages within each other would else grow without bounds.
const LARGE: usize = 4096;

/// The most bytes that a message may have by that count.
const LARGEST: usize = 1 << 20;

/// The types of the files that were asked for, and those that they use; `keeps` is true if messages
/// keep unknown fields.
///
/// # Errors
/// Messages that no code is made of.
pub(super) fn mapped(protos: &Protos, keeps: bool) -> Result<Mapped, Diagnostics> {
    let pool = &protos.pool;
    let messages = wanted(protos);
    let refused = |id: MessageId, code: &'static str, message: String, hint: &str| {
        let place = protos.place(pool[id].file, pool[id].at).unwrap_or_default();
        let finding = Diagnostic::error(code, place, message).hint(hint);
        Diagnostics { sources: protos.sources.clone(), findings: vec![finding] }
    };
    for id in &messages {
        let message = &pool[*id];
        if message.message_set {
            return Err(refused(
                *id,
                "message_set",
                format!("`{}` is laid out as a message set, of which no code is made", message.name),
                "message sets are of Protocol Buffers 1: use an extension of an ordinary message",
            ));
        }
    }
    if let Some(id) = requires_itself(pool, &messages) {
        let message = format!("`{}` requires itself: no message of it exists", pool[id].name);
        return Err(refused(id, "recursive", message, "make one of the fields optional"));
    }
    let boxed = boxed(pool, &messages).map_err(|id| {
        let message = format!("a value of `{}` would take more than {LARGEST} bytes", pool[id].name);
        refused(id, "too_large", message, "make fields that are messages optional: then they are behind pointers where they are large")
    })?;
    let mut mapping = Mapping { pool, boxed, indices: HashMap::new(), enums: HashMap::new(), keeps };
    let enums = used_enums(protos, &messages);
    // Oneofs stand before the message that they are of, enums before all.
    let mut count = 0;
    for id in &enums {
        mapping.enums.insert(*id, count);
        count += 1;
    }
    for id in &messages {
        count += pool[*id].oneofs.len();
        mapping.indices.insert(*id, count);
        count += 1;
    }
    let mut mapped = Mapped { plan: Plan::default(), layouts: Vec::new(), names: Vec::new() };
    for id in enums {
        mapping.enumeration(id, &mut mapped);
    }
    for id in messages {
        mapping.message(id, &mut mapped);
    }
    Ok(mapped)
}

/// The messages that code is made of.
fn wanted(protos: &Protos) -> Vec<MessageId> {
    let pool = &protos.pool;
    let mut due: Vec<MessageId> = pool.message_ids().filter(|id| protos.is_main(pool[*id].file)).collect();
    let mut seen: HashSet<MessageId> = due.iter().copied().collect();
    while let Some(id) = due.pop() {
        let parts = fields(pool, id).filter_map(|field| field.kind.message());
        due.extend(parts.filter(|part| seen.insert(*part)));
    }
    pool.message_ids().filter(|id| seen.contains(id) && !pool[*id].map_entry).collect()
}

/// The enums of the files that were asked for, and those that messages use.
fn used_enums(protos: &Protos, messages: &[MessageId]) -> Vec<EnumId> {
    let pool = &protos.pool;
    let mut used: HashSet<EnumId> = HashSet::new();
    let mut order: Vec<EnumId> = Vec::new();
    let mut add = |kind: Kind| {
        if let Kind::Enum(id) = kind
            && used.insert(id)
        {
            order.push(id);
        }
    };
    for id in messages {
        for field in fields(pool, *id) {
            match pool.map_entry(field) {
                Some((_, value)) => add(value.kind),
                None => add(field.kind),
            }
        }
    }
    pool.enum_ids().filter(|id| protos.is_main(pool[*id].file)).for_each(|id| add(Kind::Enum(id)));
    order.sort_unstable();
    order
}

/// All fields that messages of a type have: its own, and extensions.
fn fields(pool: &Pool, id: MessageId) -> impl Iterator<Item = &ModelField> {
    pool[id].fields.iter().chain(pool[id].extensions.iter().map(|id| &pool[*id].field))
}

/// A message that cannot be without another one of its type.
fn requires_itself(pool: &Pool, messages: &[MessageId]) -> Option<MessageId> {
    let required = |id: MessageId| {
        let fields = fields(pool, id).filter(|field| field.presence == Presence::Required);
        fields.filter_map(|field| field.kind.message()).collect::<Vec<MessageId>>()
    };
    let cycles = cycles(messages, required);
    let around = |id: &&MessageId| required(**id).iter().any(|part| cycles.get(part) == cycles.get(*id));
    messages.iter().find(around).copied()
}

/// Optional fields whose value is behind a pointer, by message and number: without it a message
/// would be part of itself, or large. The error is a message that is large all the same.
fn boxed(pool: &Pool, messages: &[MessageId]) -> Result<HashSet<(MessageId, u32)>, MessageId> {
    let inline =
        |id: MessageId| fields(pool, id).filter(|field| field.cardinality == Cardinality::Singular && field.kind.message().is_some());
    let parts = |id: MessageId| inline(id).filter_map(|field| field.kind.message()).collect::<Vec<MessageId>>();
    let cycles = cycles(messages, parts);
    let optional = |field: &ModelField| field.presence != Presence::Required;
    let around = |id: MessageId, field: &ModelField| {
        optional(field) && field.kind.message().is_some_and(|part| cycles.get(&part) == cycles.get(&id))
    };
    let mut boxed: HashSet<(MessageId, u32)> =
        messages.iter().flat_map(|id| inline(*id).filter(|field| around(*id, field)).map(|field| (*id, field.number))).collect();
    // Sizes are known from the inside out; no message requires itself, so that nothing goes around
    // any more.
    let mut order = Vec::new();
    let outside = |id: MessageId| inline(id).filter(|field| !around(id, field)).filter_map(|field| field.kind.message()).collect();
    walk(messages, outside, |id, step| {
        if step.is_none() {
            order.push(id);
        }
    });
    let mut sizes: HashMap<MessageId, usize> = HashMap::new();
    for id in order {
        let mut size = 0;
        for field in fields(pool, id) {
            size += match (field.cardinality, field.kind.message()) {
                (Cardinality::Singular, Some(part)) => {
                    let inside = sizes.get(&part).copied().unwrap_or_default();
                    if optional(field) && (inside >= LARGE || boxed.contains(&(id, field.number))) {
                        boxed.insert((id, field.number));
                        8
                    } else {
                        inside + 8
                    }
                }
                (Cardinality::Singular, None) if field.kind.packable() => 16,
                _ => 24,
            };
        }
        if size > LARGEST {
            return Err(id);
        }
        sizes.insert(id, size);
    }
    Ok(boxed)
}

/// A number for each message that is the same for those that lead to each other.
fn cycles(messages: &[MessageId], parts: impl Fn(MessageId) -> Vec<MessageId>) -> HashMap<MessageId, usize> {
    // The message that is done last leads to all others of its cycle: the reversed steps reach
    // those, and no more.
    let (mut order, mut back) = (Vec::new(), HashMap::<MessageId, Vec<MessageId>>::new());
    walk(messages, &parts, |id, step| match step {
        Some(part) => back.entry(part).or_default().push(id),
        None => order.push(id),
    });
    let mut found = HashMap::new();
    for (number, start) in order.iter().rev().enumerate() {
        let mut due = vec![*start];
        while let Some(id) = due.pop() {
            if let std::collections::hash_map::Entry::Vacant(free) = found.entry(id) {
                free.insert(number);
                due.extend(back.get(&id).into_iter().flatten());
            }
        }
    }
    found
}

/// Walks from each message to those of `parts`, depth first. Reports each step, and each message
/// when all behind it are done.
fn walk(messages: &[MessageId], parts: impl Fn(MessageId) -> Vec<MessageId>, mut tell: impl FnMut(MessageId, Option<MessageId>)) {
    let mut seen = HashSet::new();
    for start in messages {
        if !seen.insert(*start) {
            continue;
        }
        let mut path = vec![(*start, parts(*start))];
        while let Some((id, left)) = path.last_mut() {
            let id = *id;
            let next = left.pop();
            tell(id, next);
            match next {
                Some(part) if seen.insert(part) => path.push((part, parts(part))),
                Some(_) => {}
                None => drop(path.pop()),
            }
        }
    }
}

struct Mapping<'p> {
    pool: &'p Pool,
    boxed: HashSet<(MessageId, u32)>,
    /// The plan's index of each message. Its oneofs are before it.
    indices: HashMap<MessageId, usize>,
    enums: HashMap<EnumId, usize>,
    keeps: bool,
}

impl Mapping<'_> {
    /// A full name without the package of its file.
    fn short(&self, full: &str, package: &str) -> String {
        full.strip_prefix(package).map_or(full, |rest| rest.trim_start_matches('.')).to_string()
    }

    fn enumeration(&self, id: EnumId, mapped: &mut Mapped) {
        let this = &self.pool[id];
        let (mut cases, mut of, mut aliases): (Vec<Case>, Vec<i32>, Vec<(String, usize)>) = Default::default();
        let prefix = common_prefix(this);
        for value in &this.values {
            let name = value.name[prefix.len()..].to_string();
            match of.iter().position(|known| *known == value.number) {
                Some(case) => aliases.push((name, case)),
                None => {
                    of.push(value.number);
                    cases.push(Case { name, doc: value.doc.to_string(), carries: Carries::Nothing, number: Some(i64::from(value.number)) });
                }
            }
        }
        if !this.closed {
            let mut name = "Other".to_string();
            while cases.iter().any(|case| case.name == name) {
                name.push('_');
            }
            cases.push(Case { name, doc: "A number that has no name.".into(), carries: Carries::Values(vec![Type::Int32]), number: None });
        }
        mapped.layouts.push(Layout::Numbers(Numbers { of, open: !this.closed, aliases }));
        mapped.names.push(this.name.to_string());
        mapped.plan.types.push(TypeDef {
            name: self.short(&this.name, &self.pool[this.file].package),
            title: this.name.to_string(),
            doc: this.doc.to_string(),
            body: Body::Sum(cases),
            default: Some(Value::Case(0, Vec::new())),
            role: Role::Part,
        });
    }

    fn message(&self, id: MessageId, mapped: &mut Mapped) {
        let this = &self.pool[id];
        let name = self.short(&this.name, &self.pool[this.file].package);
        let first = self.indices[&id] - this.oneofs.len();
        for oneof in &this.oneofs {
            let (mut cases, mut choices) = (Vec::new(), Vec::new());
            for index in &oneof.fields {
                let field = &this.fields[*index as usize];
                let (wire, ty) = self.single(field);
                let boxed = self.boxed.contains(&(id, field.number));
                let ty = if boxed { Type::Boxed(Box::new(ty)) } else { ty };
                cases.push(Case {
                    name: field.name.to_string(),
                    doc: field.doc.to_string(),
                    carries: Carries::Values(vec![ty]),
                    number: Some(i64::from(field.number)),
                });
                choices.push(Choice { number: field.number, name: field.name.to_string(), wire, boxed });
            }
            let title = format!("{}.{}", this.name, oneof.name);
            mapped.layouts.push(Layout::Oneof(choices));
            mapped.names.push(title.clone());
            let body = Body::Sum(cases);
            let name = format!("{name}.{}", oneof.name);
            mapped.plan.types.push(TypeDef { name, title, doc: oneof.doc.to_string(), body, default: None, role: Role::Part });
        }
        let (mut made, mut members, mut defaults, mut told) = (Vec::new(), Vec::new(), Vec::new(), HashSet::new());
        for field in fields(self.pool, id) {
            if let Some(oneof) = field.oneof {
                if told.insert(oneof) {
                    let index = first + oneof as usize;
                    let of = &this.oneofs[oneof as usize];
                    let ty = Type::Optional(Box::new(Type::Named(index)));
                    made.push(Field { name: of.name.to_string(), doc: of.doc.to_string(), ty, lazy: false, default: None });
                    let number = of.fields.iter().map(|field| this.fields[*field as usize].number).min().unwrap_or_default();
                    members.push(Member {
                        number,
                        name: of.name.to_string(),
                        wire: Wire::Oneof(index),
                        comes: Comes::Oneof,
                        boxed: false,
                        default: None,
                    });
                    defaults.push(Value::Nothing);
                }
                continue;
            }
            let (member, ty, default) = self.member(id, field);
            let start = field.default.as_ref().filter(|_| field.has_default && member.comes == Comes::Explicit);
            let start = start.map(|start| Value::Just(Box::new(self.start(start, field))));
            // An extension's name is a full one.
            let name = field.name.rsplit('.').next().unwrap_or_default().to_string();
            made.push(Field { name, doc: field.doc.to_string(), ty, lazy: false, default: start });
            members.push(member);
            defaults.push(default);
        }
        if self.keeps {
            let doc = "Fields that the schema does not have, as they came.".to_string();
            made.push(Field { name: "unknown_fields".into(), doc, ty: Type::Bytes, lazy: false, default: None });
            members.push(Member {
                number: 0,
                name: "unknown_fields".into(),
                wire: Wire::Scalar(Scalar::Bytes),
                comes: Comes::Unknown,
                boxed: false,
                default: None,
            });
            defaults.push(Value::Bytes(Vec::new()));
        }
        mapped.layouts.push(Layout::Message(members));
        mapped.names.push(this.name.to_string());
        mapped.plan.types.push(TypeDef {
            name,
            title: this.name.to_string(),
            doc: this.doc.to_string(),
            body: Body::Struct(made),
            default: Some(Value::Struct(defaults)),
            role: Role::Message,
        });
    }

    /// A field that is in no oneof: how it is laid out, its type, and what it is where nothing is
    /// said.
    fn member(&self, id: MessageId, field: &ModelField) -> (Member, Type, Value) {
        let boxed = self.boxed.contains(&(id, field.number));
        let member =
            |wire: Wire, comes: Comes| Member { number: field.number, name: field.name.to_string(), wire, comes, boxed, default: None };
        let (wire, ty) = self.single(field);
        let boxed_type = if boxed { Type::Boxed(Box::new(ty.clone())) } else { ty.clone() };
        match (field.cardinality, field.presence) {
            (Cardinality::Map, _) => {
                let entry = self.pool.map_entry(field).map(|(key, value)| (self.single(key), self.single(value)));
                let Some(((Wire::Scalar(key), key_type), (value, value_type))) = entry else {
                    unreachable!("the model holds that keys of maps are scalars")
                };
                let ty = Type::Map(Box::new(key_type), Box::new(value_type));
                (member(Wire::Entry(Box::new((key, value))), Comes::Map), ty, Value::EmptyList)
            }
            (Cardinality::Repeated, _) => {
                (member(wire, Comes::Repeated { packed: field.packed }), Type::List(Box::new(ty)), Value::EmptyList)
            }
            (Cardinality::Singular, Presence::Required) => {
                let default = match &wire {
                    Wire::Message(index) | Wire::Group(index) => Value::DefaultOf(*index),
                    _ => self.zero(field),
                };
                (member(wire, Comes::Required), boxed_type, default)
            }
            (Cardinality::Singular, Presence::Explicit) => {
                (member(wire, Comes::Explicit), Type::Optional(Box::new(boxed_type)), Value::Nothing)
            }
            (Cardinality::Singular, Presence::Implicit) => (member(wire, Comes::Implicit), ty, self.zero(field)),
        }
    }

    /// Returns the value of an absent field: the default of the schema, or of its type.
    fn zero(&self, field: &ModelField) -> Value {
        match &field.default {
            Some(default) => self.start(default, field),
            None => Value::Nothing,
        }
    }

    fn start(&self, start: &Start, field: &ModelField) -> Value {
        match start {
            Start::Double(value) => Value::Float(*value),
            Start::Float(value) => Value::Float(f64::from(*value)),
            Start::Int(value) => Value::Int(*value),
            Start::UInt(value) => Value::Uint(*value),
            Start::Bool(value) => Value::Bool(*value),
            Start::String(text) => Value::Text(text.to_string()),
            Start::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
            Start::Enum(number) => {
                let Kind::Enum(id) = field.kind else { unreachable!("the model holds that the default is of the field's type") };
                let mut numbers: Vec<i32> = Vec::new();
                for value in &self.pool[id].values {
                    if !numbers.contains(&value.number) {
                        numbers.push(value.number);
                    }
                }
                let case = numbers.iter().position(|known| known == number).unwrap_or_default();
                Value::CaseOf(self.enums[&id], case)
            }
        }
    }

    /// One value of a field.
    fn single(&self, field: &ModelField) -> (Wire, Type) {
        let (scalar, ty) = match field.kind {
            Kind::Double => (Scalar::Double, Type::Float),
            Kind::Float => (Scalar::Float, Type::Single),
            Kind::Int64 => (Scalar::Int64, Type::Int),
            Kind::UInt64 => (Scalar::UInt64, Type::Uint),
            Kind::Int32 => (Scalar::Int32, Type::Int32),
            Kind::Fixed64 => (Scalar::Fixed64, Type::Uint),
            Kind::Fixed32 => (Scalar::Fixed32, Type::Uint32),
            Kind::Bool => (Scalar::Bool, Type::Bool),
            Kind::String => (Scalar::String, Type::Text),
            Kind::Bytes => (Scalar::Bytes, Type::Bytes),
            Kind::UInt32 => (Scalar::UInt32, Type::Uint32),
            Kind::SFixed32 => (Scalar::SFixed32, Type::Int32),
            Kind::SFixed64 => (Scalar::SFixed64, Type::Int),
            Kind::SInt32 => (Scalar::SInt32, Type::Int32),
            Kind::SInt64 => (Scalar::SInt64, Type::Int),
            Kind::Enum(id) => return (Wire::Enum(self.enums[&id]), Type::Named(self.enums[&id])),
            // The entries of a map are not types of the plan.
            Kind::Message(id) => {
                let index = self.indices.get(&id).copied().unwrap_or_default();
                return (Wire::Message(index), Type::Named(index));
            }
            Kind::Group(id) => {
                let index = self.indices.get(&id).copied().unwrap_or_default();
                return (Wire::Group(index), Type::Named(index));
            }
        };
        (Wire::Scalar(scalar), ty)
    }
}

/// Returns the prefix of the names of all values, if it is the enum's own: `COLOUR_` for `Colour`.
fn common_prefix(this: &Enum) -> &str {
    let Some(first) = this.values.first() else { return "" };
    let letters = this.short_name().chars().filter(|char| *char != '_').count();
    let mut seen = 0;
    let end = first.name.char_indices().find_map(|(at, char)| {
        seen += usize::from(char != '_');
        (seen == letters && first.name[at..].chars().nth(1) == Some('_')).then_some(at + 2)
    });
    let Some(prefix) = end.map(|end| &first.name[..end]) else { return "" };
    let same = |text: &str| text.chars().filter(|char| *char != '_').map(|char| char.to_ascii_lowercase()).collect::<String>();
    let sound = |name: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|char: char| char.is_ascii_alphabetic()));
    if same(prefix) == same(this.short_name()) && this.values.iter().all(|value| sound(&value.name)) { prefix } else { "" }
}
