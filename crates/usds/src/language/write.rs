//! Types of the common schema as dictionaries.

use std::collections::{HashMap, HashSet};

use polywire_core::schema::language::SchemaLoss;
use polywire_core::schema::{Constraint, Enumeration as Names, FieldType, Presence, Record, Schema, Sum, Type as Common, Width};
use polywire_core::value::Value;
use polywire_core::{Error, ErrorKind, Fault, Result};

use crate::dictionary::{Default as Start, Dictionary, Enumeration, Field, Identity, MAX_NESTING, Tag, Type};
use crate::error::Revision;
use crate::wire::codes::Simple;

/// Returns the schema as a dictionary of revision B, and the losses.
///
/// # Errors
/// A schema that [`Schema::check`] refuses, one with type parameters, or one without a type.
pub fn dictionary(schema: &Schema) -> Result<(Dictionary, Vec<SchemaLoss>)> {
    made(schema, false)
}

/// Returns the schema as a dictionary that texts can express, where no tag is an array of another
/// tag.
pub(super) fn sayable(schema: &Schema) -> Result<(Dictionary, Vec<SchemaLoss>)> {
    made(schema, true)
}

fn made(schema: &Schema, text: bool) -> Result<(Dictionary, Vec<SchemaLoss>)> {
    schema.check()?;
    let mut writing = Writing { schema, ids: HashMap::new(), tags: Vec::new(), taken: HashSet::new(), losses: Vec::new(), depth: 0 };
    // Names come first, so that types may refer to later ones. A name that only renames a type is
    // that type.
    for named in schema.types.iter().filter(|named| !matches!(named.ty, Common::Reference(..))) {
        let name = writing.take(&named.name);
        if name != named.name {
            writing.lose(&named.name, format!("its name became `{name}`"));
        }
        if !named.doc.is_empty() {
            writing.lose(&named.name, "its documentation");
        }
        writing.tags.push(Tag { name, ty: Type::Text { utf8: true }, root: true });
        writing.ids.insert(named.name.as_str(), writing.tags.len() as u32);
    }
    for named in schema.types.iter().filter(|named| !matches!(named.ty, Common::Reference(..))) {
        let ty = match writing.ty(&named.ty, &named.name)? {
            // A tag is never a link.
            Type::Link(id) => Type::Structure(vec![plain("value", Type::Link(id))]),
            ty if text && ty.is_link() => {
                writing.lose(&named.name, "a named list became a structure of one field, `value`");
                Type::Structure(vec![plain("value", ty)])
            }
            ty => ty,
        };
        let ty = if matches!(named.ty, Common::Nullable(_) | Common::Null) {
            writing.lose(&named.name, "a type that may be null became a structure of one field");
            Type::Structure(vec![Field { name: "value".into(), ty, nullable: true, default: None }])
        } else {
            ty
        };
        let id = writing.ids[named.name.as_str()];
        writing.tags[id as usize - 1].ty = ty;
    }
    let wish = schema.root.as_deref().unwrap_or("Schema");
    let name = letters(wish);
    for tag in &mut writing.tags {
        tag.root = !matches!(tag.ty, Type::Polymorph(_));
    }
    let dictionary = Dictionary::new(Revision::B, &name, Identity::default(), &writing.tags).map_err(Error::from)?;
    Ok((dictionary, writing.losses))
}

#[cold]
pub(super) fn refused(seen: &'static str) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Schema).seen(seen).expected("a schema that a dictionary can express")
}

struct Writing<'s> {
    schema: &'s Schema,
    /// Ids of tags by the names of types.
    ids: HashMap<&'s str, u32>,
    tags: Vec<Tag>,
    taken: HashSet<String>,
    losses: Vec<SchemaLoss>,
    depth: usize,
}

fn plain(name: &str, ty: Type) -> Field {
    Field { name: name.into(), ty, nullable: false, default: None }
}

/// Replaces characters that names do not allow by `_`, and appends `_` to keywords.
fn letters(name: &str) -> String {
    let mut letters: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if !letters.bytes().next().is_some_and(|first| first == b'_' || first.is_ascii_alphabetic()) {
        letters.insert(0, '_');
    }
    if !crate::dictionary::is_name(&letters) {
        letters.push('_');
    }
    letters
}

/// Returns a name similar to `wish` that texts allow and that is not in `taken`, and adds it to
/// `taken`.
pub fn unique(wish: &str, taken: &mut HashSet<String>) -> String {
    let letters = letters(wish);
    let mut name = letters.clone();
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = format!("{letters}_{number}");
        number += 1;
    }
    name
}

impl<'s> Writing<'s> {
    fn lose(&mut self, at: &str, what: impl Into<String>) {
        self.losses.push(SchemaLoss { at: at.to_string(), what: what.into() });
    }

    fn take(&mut self, wish: &str) -> String {
        unique(wish, &mut self.taken)
    }

    fn bounded(&mut self, at: &str, bounds: &Constraint) {
        if *bounds != Constraint::NONE {
            self.lose(at, "its bounds are left out");
        }
    }

    fn ty(&mut self, ty: &'s Common, at: &str) -> Result<Type> {
        self.depth += 1;
        if self.depth > MAX_NESTING / 2 {
            return Err(refused("types too deep within each other").hint("give inner types names of their own"));
        }
        let made = self.made(ty, at);
        self.depth -= 1;
        made
    }

    fn made(&mut self, ty: &'s Common, at: &str) -> Result<Type> {
        let text = |writing: &mut Self, what: &str| {
            writing.lose(at, format!("{what} became text"));
            Ok(Type::Text { utf8: true })
        };
        match ty {
            Common::Null => Ok(Type::Simple(Simple::Boolean)),
            Common::Bool => Ok(Type::Simple(Simple::Boolean)),
            Common::Int(width) => Ok(Type::Simple(match width {
                Width::W8 => Simple::Byte,
                Width::W16 => Simple::Short,
                Width::W32 => Simple::Int,
                Width::W64 => Simple::Long,
            })),
            Common::UInt(width) => Ok(Type::Simple(match width {
                Width::W8 => Simple::Ubyte,
                Width::W16 => Simple::Ushort,
                Width::W32 => Simple::Uint,
                // Types that revision B can encode.
                Width::W64 => Simple::Uvarint,
            })),
            Common::Integer(bounds) => {
                let within = |low: i128, high: i128| {
                    bounds.low.is_some_and(|own| own >= low) && bounds.high.is_some_and(|own| own <= high) && !bounds.extensible
                };
                let (simple, (low, high)) = if within(0, i128::from(u64::MAX)) {
                    (Simple::Uvarint, (0, i128::from(u64::MAX)))
                } else if within(i128::from(i64::MIN), i128::from(i64::MAX)) {
                    (Simple::Varint, (i128::from(i64::MIN), i128::from(i64::MAX)))
                } else {
                    return text(self, "a whole number of any size");
                };
                if (bounds.low, bounds.high) != (Some(low), Some(high)) {
                    self.lose(at, "its bounds are left out");
                }
                Ok(Type::Simple(simple))
            }
            Common::Decimal => text(self, "a decimal number"),
            Common::F32 => Ok(Type::Simple(Simple::Float)),
            Common::F64 | Common::Number => Ok(Type::Simple(Simple::Double)),
            Common::Text(bounds) => {
                self.bounded(at, bounds);
                Ok(Type::Text { utf8: true })
            }
            Common::Octets(bounds) => {
                self.bounded(at, bounds);
                Ok(Type::Text { utf8: false })
            }
            Common::Bytes(bounds) => {
                self.bounded(at, bounds);
                self.lose(at, "bytes and text are the same");
                Ok(Type::Text { utf8: false })
            }
            Common::BitString { .. } => text(self, "a string of bits"),
            Common::ObjectIdentifier => text(self, "an object identifier"),
            Common::Timestamp(unit) => {
                self.lose(at, format!("a moment became a number of {unit:?}s since 1970"));
                Ok(Type::Simple(Simple::Long))
            }
            Common::List(inner, bounds) => {
                self.bounded(at, bounds);
                self.array(inner, at)
            }
            Common::Set(inner, bounds) => {
                self.bounded(at, bounds);
                self.lose(at, "a set became an array");
                self.array(inner, at)
            }
            Common::Map(key, value) => {
                self.lose(at, "a map became an array of pairs");
                let key = self.field_of("key", key, at)?;
                let value = self.field_of("value", value, at)?;
                Ok(Type::Array(Box::new(Type::Structure(vec![key, value]))))
            }
            Common::Tuple(parts) => {
                self.lose(at, "a tuple became a structure");
                let mut fields = Vec::new();
                for (n, part) in parts.iter().enumerate() {
                    fields.push(self.field_of(&format!("_{}", n + 1), part, at)?);
                }
                Ok(self.structure(fields, at))
            }
            Common::Record(record) => self.record(record, at),
            Common::Sum(sum) => self.sum(sum, at),
            Common::Enumeration(names) => Ok(self.enumeration(names, at)),
            Common::Nullable(inner) => self.ty(inner, at),
            Common::Reference(target, arguments) if arguments.is_empty() => match self.ids.get(target.as_str()) {
                Some(id) => Ok(Type::Link(*id)),
                None => {
                    let schema = self.schema;
                    let inner = schema.get(target).ok_or_else(|| refused("a type that there is not"))?;
                    self.ty(inner, at)
                }
            },
            Common::Reference(..) | Common::Parameter(_) => Err(refused("a type with parameters")),
            Common::Tagged { space, code, inner } => {
                self.lose(at, format!("the mark {space} {code}"));
                self.ty(inner, at)
            }
            Common::Any => text(self, "a value of any type"),
        }
    }

    /// Returns whether a type is nullable, by any name.
    fn is_nullable(&self, ty: &'s Common) -> bool {
        match ty {
            Common::Nullable(_) | Common::Null => true,
            // Named types are structures that contain the nullable value.
            Common::Reference(target, _) if !self.ids.contains_key(target.as_str()) => {
                self.schema.resolve(ty).is_ok_and(|ty| matches!(ty, Common::Nullable(_) | Common::Null))
            }
            _ => false,
        }
    }

    fn array(&mut self, inner: &'s Common, at: &str) -> Result<Type> {
        let element = self.ty(inner, at)?;
        if !self.is_nullable(inner) {
            return Ok(Type::Array(Box::new(element)));
        }
        self.lose(at, "elements that may be null became structures of one field");
        let value = Field { name: "value".into(), ty: element, nullable: true, default: None };
        Ok(Type::Array(Box::new(Type::Structure(vec![value]))))
    }

    fn field_of(&mut self, name: &str, ty: &'s Common, at: &str) -> Result<Field> {
        Ok(Field { name: name.into(), ty: self.ty(ty, at)?, nullable: self.is_nullable(ty), default: None })
    }

    /// Returns a structure, which needs at least one field.
    fn structure(&mut self, mut fields: Vec<Field>, at: &str) -> Type {
        if fields.is_empty() {
            self.lose(at, "a record without fields got one, `nothing`");
            fields.push(Field { nullable: true, ..plain("nothing", Type::Simple(Simple::Boolean)) });
        }
        Type::Structure(fields)
    }

    fn record(&mut self, record: &'s Record, at: &str) -> Result<Type> {
        if record.unordered {
            self.lose(at, "fields in any order became fields in this order");
        }
        if record.extension.is_some() {
            self.lose(at, "later versions cannot add fields");
        }
        if record.fields.iter().zip(1..).any(|(field, position)| field.id.is_some_and(|id| id != position)) {
            self.lose(at, "fields are numbered by their position");
        }
        let mut taken = HashSet::new();
        let mut fields = Vec::new();
        for field in &record.fields {
            let place = format!("{at}.{}", field.name);
            let name = unique(&field.name, &mut taken);
            if name != field.name {
                self.lose(&place, format!("its name became `{name}`"));
            }
            fields.push(self.field(field, name, &place)?);
        }
        Ok(self.structure(fields, at))
    }

    fn field(&mut self, field: &'s FieldType, name: String, at: &str) -> Result<Field> {
        if !field.doc.is_empty() {
            self.lose(at, "its documentation");
        }
        if field.deprecated {
            self.lose(at, "that it is deprecated");
        }
        let null = self.is_nullable(&field.ty);
        let (ty, nullable) = match field.presence {
            Presence::Required => (self.ty(&field.ty, at)?, null),
            Presence::Optional => {
                if null {
                    self.lose(at, "absent and null are the same");
                }
                (self.ty(&field.ty, at)?, true)
            }
            Presence::Repeated => (self.array(&field.ty, at)?, false),
        };
        let default = match &field.default {
            None => None,
            Some(value) => {
                let default = if nullable { None } else { start(&ty, value) };
                if default.is_none() {
                    self.lose(at, "its default is left out");
                }
                default
            }
        };
        Ok(Field { name, ty, nullable, default })
    }

    fn sum(&mut self, sum: &'s Sum, at: &str) -> Result<Type> {
        if sum.extensible {
            self.lose(at, "later versions cannot add cases");
        }
        if sum.untagged {
            self.lose(at, "the case is before the value");
        }
        if sum.cases.iter().all(|case| case.carries.is_empty()) && !sum.cases.is_empty() {
            let members = sum
                .cases
                .iter()
                .zip(1..)
                .map(|(case, position)| (case.name.clone(), case.id.and_then(|id| i64::try_from(id).ok()).unwrap_or(position)));
            let members = Names { members: members.collect(), extensible: false };
            return Ok(self.enumeration_of(&members, at));
        }
        if sum.cases.is_empty() {
            self.lose(at, "a type without any value became a structure");
            return Ok(self.structure(Vec::new(), at));
        }
        let mut members = Vec::new();
        for case in &sum.cases {
            let place = format!("{at}.{}", case.name);
            if let [Common::Reference(target, _)] = &case.carries[..]
                && *target == case.name
                && let Some(id) = self.ids.get(target.as_str())
                && matches!(self.schema.get(target), Some(Common::Record(_)))
            {
                members.push(*id);
                continue;
            }
            let wish = if self.taken.contains(&letters(&case.name)) { format!("{at}_{}", case.name) } else { case.name.clone() };
            let name = self.take(&wish);
            if name != case.name {
                self.lose(&place, format!("its name became `{name}`"));
            }
            let ty = match &case.carries[..] {
                [Common::Record(record)] => self.record(record, &place)?,
                [one] => {
                    self.lose(&place, "what it carries is a field, `value`");
                    let field = self.field_of("value", one, &place)?;
                    self.structure(vec![field], &place)
                }
                carries => {
                    if !carries.is_empty() {
                        self.lose(&place, "what it carries are fields, `_1` and so on");
                    }
                    let mut fields = Vec::new();
                    for (n, part) in carries.iter().enumerate() {
                        fields.push(self.field_of(&format!("_{}", n + 1), part, &place)?);
                    }
                    self.structure(fields, &place)
                }
            };
            self.tags.push(Tag { name, ty, root: true });
            members.push(self.tags.len() as u32);
        }
        Ok(Type::Polymorph(members))
    }

    fn enumeration(&mut self, names: &Names, at: &str) -> Type {
        if names.extensible {
            self.lose(at, "later versions cannot add enumerators");
        }
        self.enumeration_of(names, at)
    }

    fn enumeration_of(&mut self, names: &Names, at: &str) -> Type {
        let mut taken = HashSet::new();
        let mut numbers = HashSet::new();
        let mut members = Vec::new();
        for (name, number) in &names.members {
            let own = unique(name, &mut taken);
            if own != *name {
                self.lose(&format!("{at}.{name}"), format!("its name became `{own}`"));
            }
            if numbers.insert(*number) {
                members.push((own, *number));
            } else {
                self.lose(&format!("{at}.{name}"), "a second name for one number");
            }
        }
        if members.is_empty() {
            self.lose(at, "an enumeration of nothing got an enumerator");
            members.push(("Nothing".into(), 1));
        }
        Type::Enumeration(Enumeration { subtype: Simple::Varint, members })
    }
}

/// Returns a default, if the language has a literal for it.
fn start(ty: &Type, value: &Value) -> Option<Start> {
    match (ty, value) {
        (Type::Simple(Simple::Boolean), Value::Bool(_)) | (Type::Text { utf8: true }, Value::Text(_)) => Some(Start::Value(value.clone())),
        (Type::Simple(Simple::Double), Value::F64(number)) if number.is_finite() => Some(Start::Value(value.clone())),
        (Type::Simple(Simple::Float), Value::F32(number)) if number.is_finite() => Some(Start::Value(value.clone())),
        (Type::Simple(simple), Value::Int(_) | Value::UInt(_)) => {
            let (low, high) = simple.range()?;
            let number = match value {
                Value::Int(number) => i128::from(*number),
                Value::UInt(number) => i128::from(*number),
                _ => return None,
            };
            (low..=high).contains(&number).then(|| Start::Value(value.clone()))
        }
        (Type::Enumeration(enumeration), Value::Variant { name, .. } | Value::Text(name)) => {
            enumeration.members.iter().find(|(known, _)| known == name).map(|(_, number)| Start::Number(*number))
        }
        _ => None,
    }
}
