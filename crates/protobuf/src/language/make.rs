//! The common schema as a file of descriptors.
//!
//! The file is proto3, or proto2 where a default needs it. Types without a name get one. Types that
//! the language lacks become the nearest one, which is reported as a loss.

use std::collections::{HashMap, HashSet};

use polywire_core::schema::language::SchemaLoss;
use polywire_core::schema::{Case, Constraint, Enumeration, FieldType, NamedType, Presence, Record, Schema, Sum, Type, Width};
use polywire_core::value::Value;
use polywire_core::{Error, ErrorKind, Fault, Result};

use super::apply::apply;
use super::names::{self, Names};
use crate::descriptor::{
    Descriptor, EnumDescriptor, EnumOptions, EnumValueDescriptor, FieldDescriptor, FieldOptions, FileDescriptor, FileDescriptorSet,
    Location, MessageOptions, OneofDescriptor, Packed, SourceCodeInfo, kind, label,
};
use crate::model::{MAX_NUMBER, RESERVED_NUMBERS};

/// Deepest nesting of types without a name.
const MAX_NESTING: u32 = 30;

/// A schema as descriptors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// One file, `schema.proto`, which may import well-known types.
    pub set: FileDescriptorSet,
    /// Full name of the message of the root type.
    pub root: Option<String>,
    /// Losses: properties that the language cannot express.
    pub losses: Vec<SchemaLoss>,
}

/// Makes descriptors of a schema.
///
/// # Errors
/// [`Schema::check`] refuses the schema, or its types nest or apply each other without end.
pub fn make(schema: &Schema) -> Result<Made> {
    schema.check()?;
    let mut losses = Vec::new();
    let types = apply(schema, &mut losses)?;
    let index: HashMap<&str, &NamedType> = types.iter().map(|named| (named.name.as_str(), named)).collect();
    let mut making = Making {
        index,
        names: HashMap::new(),
        wrapped: HashSet::new(),
        proto2: false,
        imports: Vec::new(),
        docs: HashMap::new(),
        losses,
        depth: 0,
    };
    making.proto2 = types.iter().any(|named| making.needs_defaults(&named.ty));
    let package = making.name_types(&types, schema.root.as_deref());
    let mut top = Nest { full: package.clone(), ..Nest::default() };
    for (name, ..) in making.names.values() {
        let name = if making.wrapped.contains(name) { name.strip_suffix(WRAPPED).unwrap_or(name) } else { name };
        if let Some(short) = name.strip_prefix(&package).map(|rest| rest.trim_start_matches('.')).filter(|rest| !rest.contains('.')) {
            top.names.take(short);
        }
    }
    let mut made: Vec<(String, Declared)> = Vec::new();
    for named in &types {
        let Some((full, class)) = making.names.get(named.name.as_str()).cloned() else { continue };
        match class {
            Class::Imported => continue,
            Class::Enum if making.wrapped.contains(&full) => {
                let outer = full.strip_suffix(WRAPPED).unwrap_or(&full).to_string();
                let declared = making.enumeration(&named.ty, &full, &named.name, &mut Names::default())?;
                made.push((outer.clone(), Declared::Message(around(&outer, declared))));
                if !named.doc.is_empty() {
                    making.docs.insert(outer, named.doc.clone());
                }
                continue;
            }
            Class::Enum => {
                let mut within = std::mem::take(&mut top);
                let declared = making.enumeration(&named.ty, &full, &named.name, &mut within.names)?;
                top = within;
                made.push((full.clone(), Declared::Enum(declared)));
            }
            Class::Message => {
                let declared = making.message(&named.ty, &full, &named.name)?;
                made.push((full.clone(), Declared::Message(declared)));
            }
        }
        if !named.doc.is_empty() {
            making.docs.insert(full, named.doc.clone());
        }
    }
    let root = schema.root.as_ref().and_then(|root| making.names.get(root.as_str())).map(|(full, _)| full.clone());
    let mut file = FileDescriptor {
        name: Some("schema.proto".into()),
        package: (!package.is_empty()).then(|| package.clone()),
        dependency: making.imports.iter().map(|import| import.to_string()).collect(),
        syntax: (!making.proto2).then(|| "proto3".into()),
        ..FileDescriptor::default()
    };
    file.dependency.sort();
    nest(&mut file, &package, made);
    file.source_code_info = comments(&file, &package, &making.docs);
    Ok(Made { set: FileDescriptorSet { file: vec![file], others: Vec::new() }, root, losses: making.losses })
}

/// The class of a named type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Message,
    Enum,
    /// A well-known type to import.
    Imported,
}

enum Declared {
    Message(Descriptor),
    Enum(EnumDescriptor),
}

/// Returns the import of a well-known type that schemas may refer to by name.
fn import_of(name: &str) -> Option<&'static str> {
    Some(match name.strip_prefix("google.protobuf.")? {
        "Any" => "google/protobuf/any.proto",
        "Duration" => "google/protobuf/duration.proto",
        "Empty" => "google/protobuf/empty.proto",
        "FieldMask" => "google/protobuf/field_mask.proto",
        _ => return None,
    })
}

/// Moves declarations into the declarations that their names start with.
fn nest(file: &mut FileDescriptor, package: &str, mut made: Vec<(String, Declared)>) {
    // Longest names first, so that a declaration is complete before it moves. Within a scope the
    // order stays.
    let mut order: Vec<usize> = (0..made.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(made[*index].0.matches('.').count()));
    let positions: HashMap<String, usize> = made.iter().enumerate().map(|(index, (full, _))| (full.clone(), index)).collect();
    let mut moved: Vec<Option<Declared>> = made.drain(..).map(|(_, declared)| Some(declared)).collect();
    let names: HashMap<usize, &String> = positions.iter().map(|(name, index)| (*index, name)).collect();
    let mut top = Vec::new();
    for index in order {
        let full = names[&index];
        let parent = full.rsplit_once('.').map(|(parent, _)| parent).filter(|parent| *parent != package);
        let Some(parent) = parent.and_then(|parent| positions.get(parent)).copied() else {
            top.push(index);
            continue;
        };
        let declared = moved[index].take();
        if let (Some(Some(Declared::Message(outer))), Some(declared)) = (moved.get_mut(parent), declared) {
            match declared {
                Declared::Message(message) => outer.nested_type.push(message),
                Declared::Enum(declared) => outer.enum_type.push(declared),
            }
        }
    }
    top.sort_unstable();
    for index in top {
        match moved[index].take() {
            Some(Declared::Message(message)) => file.message_type.push(message),
            Some(Declared::Enum(declared)) => file.enum_type.push(declared),
            None => {}
        }
    }
}

/// Attaches comments to the paths of their declarations.
pub(super) fn comments(file: &FileDescriptor, package: &str, docs: &HashMap<String, String>) -> Option<Box<SourceCodeInfo>> {
    let mut locations = Vec::new();
    let mut tell = |full: &str, path: &[i32]| {
        if let Some(doc) = docs.get(full) {
            let leading = doc.lines().map(|line| format!(" {line}\n")).collect();
            let location = Location {
                path: Packed(path.to_vec()),
                span: Packed(vec![0, 0, 0]),
                leading_comments: Some(leading),
                ..Location::default()
            };
            locations.push(location);
        }
    };
    let join = |scope: &str, name: &Option<String>| {
        let name = name.as_deref().unwrap_or_default();
        if scope.is_empty() { name.to_string() } else { format!("{scope}.{name}") }
    };
    let deeper = |path: &[i32], field: i32, index: usize| [path, &[field, index as i32]].concat();
    let mut enums: Vec<(String, Vec<i32>, &EnumDescriptor)> = Vec::new();
    let mut messages: Vec<(String, Vec<i32>, &Descriptor)> = Vec::new();
    for (index, message) in file.message_type.iter().enumerate() {
        messages.push((join(package, &message.name), vec![4, index as i32], message));
    }
    for (index, declared) in file.enum_type.iter().enumerate() {
        enums.push((join(package, &declared.name), vec![5, index as i32], declared));
    }
    while let Some((full, path, message)) = messages.pop() {
        tell(&full, &path);
        for (index, field) in message.field.iter().enumerate() {
            tell(&join(&full, &field.name), &deeper(&path, 2, index));
        }
        for (index, oneof) in message.oneof_decl.iter().enumerate() {
            tell(&join(&full, &oneof.name), &deeper(&path, 8, index));
        }
        for (index, nested) in message.nested_type.iter().enumerate() {
            messages.push((join(&full, &nested.name), deeper(&path, 3, index), nested));
        }
        for (index, nested) in message.enum_type.iter().enumerate() {
            enums.push((join(&full, &nested.name), deeper(&path, 4, index), nested));
        }
    }
    for (full, path, declared) in enums {
        tell(&full, &path);
        for (index, value) in declared.value.iter().enumerate() {
            tell(&join(&full, &value.name), &deeper(&path, 2, index));
        }
    }
    (!locations.is_empty()).then(|| Box::new(SourceCodeInfo { location: locations, others: Vec::new() }))
}

/// A scope in the making.
#[derive(Debug, Default)]
struct Nest {
    full: String,
    names: Names,
    messages: Vec<Descriptor>,
    enums: Vec<EnumDescriptor>,
}

impl Nest {
    fn inner(&self, name: &str) -> String {
        if self.full.is_empty() { name.to_string() } else { format!("{}.{name}", self.full) }
    }
}

/// The type of one value.
struct Single {
    kind: i32,
    type_name: Option<String>,
}

impl Single {
    const fn scalar(kind: i32) -> Single {
        Single { kind, type_name: None }
    }
}

struct Making<'s> {
    index: HashMap<&'s str, &'s NamedType>,
    /// Full names and classes of named types. Types without an entry are written where they are
    /// used.
    names: HashMap<&'s str, (String, Class)>,
    /// Full names of enums in a message of their own, because an enum beside them has values of the
    /// same names.
    wrapped: HashSet<String>,
    proto2: bool,
    imports: Vec<&'static str>,
    /// Documentation by full name.
    docs: HashMap<String, String>,
    losses: Vec<SchemaLoss>,
    depth: u32,
}

/// Returns whether a sum type has only names.
fn is_constants(sum: &Sum) -> bool {
    !sum.cases.is_empty() && sum.cases.iter().all(|case| case.carries.is_empty())
}

/// Name of an enum in a message of its own, behind that message's name.
const WRAPPED: &str = ".Value";

/// Returns the message around an enum that needs one.
fn around(full: &str, declared: EnumDescriptor) -> Descriptor {
    Descriptor { name: Some(crate::model::short(full).to_string()), enum_type: vec![declared], ..Descriptor::default() }
}

/// Returns the names of a type's values as an enum.
fn value_names(ty: &Type) -> Vec<String> {
    match ty {
        Type::Enumeration(members) => members.members.iter().map(|(name, _)| names::identifier(name, "VALUE")).collect(),
        Type::Sum(sum) => sum.cases.iter().map(|case| names::identifier(&case.name, "VALUE")).collect(),
        _ => Vec::new(),
    }
}

/// Returns whether an enumeration can be an enum, whose values are identified by name in JSON too.
fn is_enum(members: &Enumeration) -> bool {
    !members.members.is_empty() && members.members.iter().all(|(name, _)| names::identifier(name, "") == *name)
}

/// Returns whether a map may have keys of that type (language guide, "Maps").
fn is_key(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::Int(_) | Type::UInt(_) | Type::Text(_))
        || matches!(ty, Type::Integer(bounds) if whole(bounds).is_some())
}

/// Returns the scalar type for whole numbers in these bounds.
fn whole(bounds: &Constraint) -> Option<i32> {
    match (bounds.low, bounds.high) {
        _ if bounds.extensible => None,
        (Some(low), Some(high)) if low >= i128::from(i64::MIN) && high <= i128::from(i64::MAX) => Some(kind::INT64),
        (Some(0..), Some(high)) if high <= i128::from(u64::MAX) => Some(kind::UINT64),
        _ => None,
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) | Value::UInt(0) | Value::Int(0) => true,
        Value::F32(value) => value.to_bits() == 0,
        Value::F64(value) => value.to_bits() == 0,
        Value::Text(text) => text.is_empty(),
        Value::Bytes(bytes) | Value::Octets(bytes) => bytes.is_empty(),
        Value::List(values) => values.is_empty(),
        Value::Map(pairs) => pairs.is_empty(),
        _ => false,
    }
}

impl<'s> Making<'s> {
    fn lose(&mut self, at: &str, what: impl Into<String>) {
        self.losses.push(SchemaLoss { at: at.to_string(), what: what.into() });
    }

    /// Returns the type behind names that are written out.
    fn follow<'t>(&self, ty: &'t Type) -> &'t Type
    where
        's: 't,
    {
        let mut ty = ty;
        // Chains of names end: `Schema::check` refuses others.
        while let Type::Reference(name, _) = ty {
            match self.index.get(name.as_str()) {
                Some(named) if self.names.get(name.as_str()).is_none_or(|(_, class)| *class == Class::Enum) => ty = &named.ty,
                _ => break,
            }
        }
        ty
    }

    /// Returns whether a field of the type has a default that only proto2 supports.
    fn needs_defaults(&self, ty: &Type) -> bool {
        let mut due = vec![ty];
        while let Some(ty) = due.pop() {
            match ty {
                Type::List(inner, _) | Type::Set(inner, _) | Type::Nullable(inner) | Type::Tagged { inner, .. } => due.push(inner),
                Type::Map(key, value) => due.extend([&**key, &**value]),
                Type::Tuple(parts) => due.extend(parts),
                Type::Sum(sum) => due.extend(sum.cases.iter().flat_map(|case| &case.carries)),
                Type::Record(record) => {
                    for field in &record.fields {
                        due.push(&field.ty);
                        let Some(default) = &field.default else { continue };
                        if field.presence != Presence::Repeated && self.default(default, &field.ty).is_some_and(|(_, zero)| !zero) {
                            return true;
                        }
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// Returns a default in a descriptor's text, and whether it is that of the type.
    fn default(&self, default: &Value, ty: &Type) -> Option<(String, bool)> {
        let mut ty = ty;
        let mut followed = 0;
        while let Type::Reference(name, _) = ty {
            followed += 1;
            ty = &self.index.get(name.as_str()).filter(|_| followed < 100)?.ty;
        }
        let zero = is_zero(default);
        let text = match (ty, default) {
            (Type::Bool, Value::Bool(value)) => value.to_string(),
            (Type::Int(_) | Type::UInt(_), Value::Int(value)) => value.to_string(),
            (Type::Int(_) | Type::UInt(_), Value::UInt(value)) => value.to_string(),
            (Type::Integer(bounds), Value::Int(value)) if whole(bounds).is_some() => value.to_string(),
            (Type::Integer(bounds), Value::UInt(value)) if whole(bounds).is_some() => value.to_string(),
            (Type::F32, Value::F32(value)) => float(f64::from(*value), value.to_string()),
            (Type::F64 | Type::F32, Value::F64(value)) => float(*value, value.to_string()),
            (Type::F64, Value::F32(value)) => float(f64::from(*value), f64::from(*value).to_string()),
            (Type::F32 | Type::F64, Value::Int(value)) => value.to_string(),
            (Type::F32 | Type::F64, Value::UInt(value)) => value.to_string(),
            (Type::Text(_), Value::Text(text)) => text.clone(),
            (Type::Bytes(_) | Type::Octets(_), Value::Bytes(bytes) | Value::Octets(bytes)) => super::print::escape(bytes),
            (Type::Bytes(_) | Type::Octets(_), Value::Text(text)) => super::print::escape(text.as_bytes()),
            (Type::Enumeration(members), Value::Text(name)) if !is_enum(members) => name.clone(),
            (Type::Enumeration(members), Value::Variant { name, .. }) if !is_enum(members) => name.clone(),
            (Type::Enumeration(members), Value::Variant { name, .. } | Value::Text(name)) => {
                let (_, number) = members.members.iter().find(|(member, _)| member == name)?;
                return Some((names::identifier(name, "VALUE"), *number == 0));
            }
            (Type::Sum(sum), Value::Variant { name, .. }) if is_constants(sum) => {
                let position = sum.cases.iter().position(|case| case.name == *name)?;
                return Some((names::identifier(name, "VALUE"), position == 0));
            }
            _ => return None,
        };
        Some((text, zero))
    }

    /// Gives full names to the named types, and returns their common package.
    fn name_types(&mut self, types: &'s [NamedType], root: Option<&str>) -> String {
        let all: HashSet<&str> = types.iter().map(|named| named.name.as_str()).collect();
        let class = |named: &NamedType| match &named.ty {
            _ if import_of(&named.name).is_some() => Some(Class::Imported),
            Type::Enumeration(members) if is_enum(members) && root != Some(&named.name) => Some(Class::Enum),
            Type::Sum(sum) if is_constants(sum) && root != Some(&named.name) => Some(Class::Enum),
            Type::Enumeration(members) if members.members.is_empty() => Some(Class::Message),
            Type::Record(_) | Type::Sum(_) | Type::Tuple(_) => Some(Class::Message),
            _ if root == Some(&named.name) => Some(Class::Message),
            Type::List(..) | Type::Set(..) | Type::Map(..) | Type::Nullable(_) => Some(Class::Message),
            _ => None,
        };
        // The scope of a name is a message type or a package.
        let messages: HashSet<&str> =
            types.iter().filter(|named| class(named) == Some(Class::Message)).map(|named| named.name.as_str()).collect();
        let space = |name: &'s str| {
            let mut space = name.rsplit_once('.').map_or("", |(space, _)| space);
            while messages.contains(space) {
                space = space.rsplit_once('.').map_or("", |(space, _)| space);
            }
            space
        };
        let own = types.iter().filter(|named| import_of(&named.name).is_none());
        let mut shared: Option<Vec<&str>> = None;
        for named in own.clone() {
            let parts: Vec<&str> = space(&named.name).split('.').filter(|part| !part.is_empty()).collect();
            shared = Some(match shared {
                None => parts,
                Some(shared) => shared.into_iter().zip(parts).take_while(|(one, other)| one == other).map(|(part, _)| part).collect(),
            });
        }
        let sound = |part: &str| names::identifier(part, "") == part;
        let shared: Vec<&str> = shared.unwrap_or_default().into_iter().take_while(|part| sound(part)).collect();
        let package = shared.join(".");
        let mut scopes: HashMap<String, Names> = HashMap::new();
        let mut values: HashMap<String, HashSet<String>> = HashMap::new();
        // Nested types come behind the types around them.
        let mut own: Vec<&NamedType> = types.iter().collect();
        own.sort_by_key(|named| named.name.matches('.').count());
        for named in own {
            let Some(class) = class(named) else {
                self.lose(&named.name, "its name: it is written out where it is used");
                continue;
            };
            if class == Class::Imported {
                self.names.insert(&named.name, (named.name.clone(), class));
                continue;
            }
            let outer = named.name.rsplit_once('.').filter(|(outer, _)| messages.contains(outer) && all.contains(outer));
            let (scope, rest) = match outer.and_then(|(outer, rest)| Some((self.names.get(outer)?.0.clone(), rest))) {
                Some((scope, rest)) => (scope, rest),
                None => {
                    let rest = if package.is_empty() { &named.name[..] } else { &named.name[package.len() + 1..] };
                    (package.clone(), rest)
                }
            };
            let short = scopes.entry(scope.clone()).or_default().take(&names::identifier(rest, "Type"));
            if short != rest {
                self.lose(&named.name, format!("its name became `{short}`"));
            }
            let mut full = if scope.is_empty() { short } else { format!("{scope}.{short}") };
            if class == Class::Enum {
                let taken = values.entry(scope).or_default();
                let own = value_names(&named.ty);
                if own.iter().any(|name| taken.contains(name)) {
                    full.push_str(WRAPPED);
                    self.wrapped.insert(full.clone());
                } else {
                    taken.extend(own);
                }
            }
            self.names.insert(&named.name, (full, class));
        }
        package
    }

    fn import(&mut self, file: &'static str) {
        if !self.imports.contains(&file) {
            self.imports.push(file);
        }
    }

    fn well_known(&mut self, name: &str, file: &'static str, what: i32) -> Single {
        self.import(file);
        Single { kind: what, type_name: Some(format!(".google.protobuf.{name}")) }
    }

    fn message(&mut self, ty: &Type, full: &str, at: &str) -> Result<Descriptor> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(Error::new(ErrorKind::Limit, Fault::Schema)
                .seen(format!("more than {MAX_NESTING} types within each other, in {at}"))
                .hint("give inner types names of their own"));
        }
        let mut nest = Nest { full: full.to_string(), ..Nest::default() };
        // Types that are nested by their names move here later.
        for (name, _) in self.names.values() {
            let name = if self.wrapped.contains(name) { name.strip_suffix(WRAPPED).unwrap_or(name) } else { name };
            if let Some(short) = name.strip_prefix(full).and_then(|rest| rest.strip_prefix('.')).filter(|rest| !rest.contains('.')) {
                nest.names.take(short);
            }
        }
        let mut message = Descriptor { name: Some(crate::model::short(full).to_string()), ..Descriptor::default() };
        match ty {
            Type::Record(record) => self.record(record, &mut message, &mut nest, at)?,
            Type::Sum(sum) => {
                let one = FieldType::required("value", Type::Sum(sum.clone())).optional();
                self.fields(std::slice::from_ref(&one), &mut message, &mut nest, at)?;
            }
            Type::Tuple(parts) => {
                self.lose(at, "a tuple became a message");
                let fields: Vec<FieldType> =
                    parts.iter().enumerate().map(|(n, part)| FieldType::required(format!("item_{}", n + 1), part.clone())).collect();
                self.fields(&fields, &mut message, &mut nest, at)?;
            }
            Type::List(..) | Type::Set(..) | Type::Map(..) => {
                self.lose(at, "a list or map became a message with the field `items`");
                let one = FieldType::required("items", ty.clone());
                self.fields(std::slice::from_ref(&one), &mut message, &mut nest, at)?;
            }
            Type::Nullable(inner) => {
                self.lose(at, "null became a message without its field `value`");
                let one = FieldType::required("value", (**inner).clone()).optional();
                self.fields(std::slice::from_ref(&one), &mut message, &mut nest, at)?;
            }
            Type::Enumeration(members) if members.members.is_empty() => self.lose(at, "a type without a value became an empty message"),
            other => {
                self.lose(at, "a message has fields: the value is in `value`");
                let one = FieldType::required("value", other.clone());
                self.fields(std::slice::from_ref(&one), &mut message, &mut nest, at)?;
            }
        }
        message.nested_type.extend(nest.messages);
        message.enum_type.extend(nest.enums);
        self.depth -= 1;
        Ok(message)
    }

    fn record(&mut self, record: &Record, message: &mut Descriptor, nest: &mut Nest, at: &str) -> Result<()> {
        if record.unordered {
            self.lose(at, "that its fields come in any order");
        }
        if !self.proto2 {
            let required: Vec<&str> = record
                .fields
                .iter()
                .filter(|field| {
                    let list = matches!(self.follow(&field.ty), Type::List(..) | Type::Set(..) | Type::Map(..));
                    field.presence == Presence::Required && field.default.is_none() && !list
                })
                .map(|field| field.name.as_str())
                .collect();
            if !required.is_empty() {
                let shown = if required.len() > 5 { format!("{}, …", required[..5].join(", ")) } else { required.join(", ") };
                self.lose(at, format!("that fields are required ({shown})"));
            }
        }
        self.fields(&record.fields, message, nest, at)
    }

    /// Makes fields with their own numbers where these are valid, else with the lowest free ones.
    fn fields(&mut self, fields: &[FieldType], message: &mut Descriptor, nest: &mut Nest, at: &str) -> Result<()> {
        let sound = |id: u64| id >= 1 && id <= u64::from(MAX_NUMBER) && !RESERVED_NUMBERS.contains(&(id as u32));
        let cases = |field: &FieldType| match &field.ty {
            Type::Sum(sum) if field.presence != Presence::Repeated && !is_constants(sum) => Some(sum.clone()),
            _ => None,
        };
        let mut taken: HashSet<u64> = HashSet::new();
        for field in fields {
            match cases(field) {
                Some(sum) => taken.extend(sum.cases.iter().filter_map(|case| case.id.filter(|id| sound(*id)))),
                None => taken.extend(field.id.filter(|id| sound(*id))),
            }
        }
        let mut used: HashSet<u64> = HashSet::new();
        let mut next = 1u64;
        let mut lost = Vec::new();
        let mut number = |wanted: Option<u64>, place: &str| {
            if let Some(id) = wanted.filter(|id| sound(*id))
                && used.insert(id)
            {
                return id as i32;
            }
            while taken.contains(&next) || !sound(next) {
                next += 1;
            }
            taken.insert(next);
            used.insert(next);
            if let Some(wanted) = wanted {
                lost.push((place.to_string(), format!("its number {wanted} became {next}")));
            }
            next as i32
        };
        // Names of fields come before those of nested types.
        let owns: Vec<(String, Vec<String>)> = fields
            .iter()
            .map(|field| {
                let own = nest.names.take(&names::identifier(&field.name, "field"));
                let inner = cases(field).map_or_else(Vec::new, |sum| {
                    sum.cases.iter().map(|case| nest.names.take(&names::identifier(&case.name, "case"))).collect()
                });
                (own, inner)
            })
            .collect();
        for (field, (own, inner)) in fields.iter().zip(owns) {
            let place = format!("{at}.{}", field.name);
            match cases(field) {
                Some(sum) => {
                    if field.default.is_some() {
                        self.lose(&place, "its default");
                    }
                    if sum.untagged {
                        self.lose(&place, "that the value itself tells its case");
                    }
                    let index = message.oneof_decl.len() as i32;
                    let full = nest.inner(&own);
                    if !field.doc.is_empty() {
                        self.docs.insert(full, field.doc.clone());
                    }
                    if sum.cases.is_empty() {
                        self.lose(&place, "a type without a case has no field");
                        continue;
                    }
                    message.oneof_decl.push(OneofDescriptor { name: Some(own), ..OneofDescriptor::default() });
                    for (case, own) in sum.cases.iter().zip(inner) {
                        let place = format!("{place}.{}", case.name);
                        let number = number(case.id, &place);
                        let mut made = self.case(case, &own, nest, &place)?;
                        (made.number, made.oneof_index) = (Some(number), Some(index));
                        message.field.push(made);
                    }
                }
                None => {
                    let number = number(field.id, &place);
                    let mut made = self.field(field, own, nest, &place)?;
                    made.number = Some(number);
                    if made.proto3_optional == Some(true) {
                        made.oneof_index = Some(-1);
                    }
                    message.field.push(made);
                }
            }
        }
        // Oneofs for `optional` come behind the others (descriptor.proto, `proto3_optional`).
        for field in message.field.iter_mut().filter(|field| field.oneof_index == Some(-1)) {
            field.oneof_index = Some(message.oneof_decl.len() as i32);
            let name = nest.names.take(&format!("_{}", field.name.as_deref().unwrap_or_default()));
            message.oneof_decl.push(OneofDescriptor { name: Some(name), ..OneofDescriptor::default() });
        }
        for (place, what) in lost {
            self.lose(&place, what);
        }
        Ok(())
    }

    /// Makes a field of a oneof.
    fn case(&mut self, case: &Case, own: &str, nest: &mut Nest, at: &str) -> Result<FieldDescriptor> {
        let single = match &case.carries[..] {
            [] => self.well_known("Empty", "google/protobuf/empty.proto", kind::MESSAGE),
            [one] => self.single(one, &case.name, nest, at)?,
            many => self.single(&Type::Tuple(many.to_vec()), &case.name, nest, at)?,
        };
        if !case.doc.is_empty() {
            self.docs.insert(nest.inner(own), case.doc.clone());
        }
        let mut made = plain(own.to_string(), single);
        made.label = Some(label::OPTIONAL);
        self.json_name(&mut made, &case.name, own, at);
        Ok(made)
    }

    fn json_name(&mut self, made: &mut FieldDescriptor, name: &str, own: &str, at: &str) {
        if name == own {
            made.json_name = Some(crate::model::json_name(own));
        } else {
            made.json_name = Some(name.to_string());
            self.lose(at, format!("its name became `{own}`, and in JSON it stays"));
        }
    }

    fn field(&mut self, field: &FieldType, own: String, nest: &mut Nest, at: &str) -> Result<FieldDescriptor> {
        let mut ty = &field.ty;
        let mut presence = field.presence;
        if let (Type::Nullable(inner), Presence::Required | Presence::Optional) = (ty, presence) {
            self.lose(at, "absent and null are the same");
            (ty, presence) = (inner, Presence::Optional);
        }
        let followed = self.follow(ty).clone();
        let mut made = match (&followed, presence) {
            (Type::List(inner, bounds) | Type::Set(inner, bounds), Presence::Required | Presence::Optional) => {
                if presence == Presence::Optional {
                    self.lose(at, "absent and empty are the same");
                }
                if matches!(followed, Type::Set(..)) {
                    self.lose(at, "a set became a list");
                }
                self.bounded(at, bounds);
                let single = self.single(inner, &field.name, nest, at)?;
                FieldDescriptor { label: Some(label::REPEATED), ..plain(own.clone(), single) }
            }
            (Type::Map(key, value), Presence::Required | Presence::Optional) if is_key(self.follow(key)) => {
                if presence == Presence::Optional {
                    self.lose(at, "absent and empty are the same");
                }
                let key = self.single(key, "key", nest, at)?;
                let value = self.single(value, &field.name, nest, at)?;
                let entry = format!("{}Entry", entry_name(&own));
                let entry = nest.names.take(&entry);
                let one = |name: &str, number: i32, single: Single| FieldDescriptor {
                    label: Some(label::OPTIONAL),
                    number: Some(number),
                    json_name: Some(name.into()),
                    ..plain(name.into(), single)
                };
                nest.messages.push(Descriptor {
                    name: Some(entry.clone()),
                    field: vec![one("key", 1, key), one("value", 2, value)],
                    options: Some(Box::new(MessageOptions { map_entry: Some(true), ..MessageOptions::default() })),
                    ..Descriptor::default()
                });
                let single = Single { kind: kind::MESSAGE, type_name: Some(format!(".{}", nest.inner(&entry))) };
                FieldDescriptor { label: Some(label::REPEATED), ..plain(own.clone(), single) }
            }
            (Type::Map(key, value), Presence::Required | Presence::Optional) => {
                self.lose(at, "a map with such keys became a list of pairs");
                let pair = Type::Record(Record {
                    fields: vec![FieldType::required("key", (**key).clone()), FieldType::required("value", (**value).clone())],
                    ..Record::default()
                });
                let single = self.single(&pair, &field.name, nest, at)?;
                FieldDescriptor { label: Some(label::REPEATED), ..plain(own.clone(), single) }
            }
            _ => {
                let single = self.single(ty, &field.name, nest, at)?;
                plain(own.clone(), single)
            }
        };
        let message = made.kind == Some(kind::MESSAGE);
        let mut default = field.default.as_ref().and_then(|default| self.default(default, &field.ty));
        if field.default.is_some() && default.is_none() && !field.default.as_ref().is_some_and(is_zero) {
            self.lose(at, "its default");
        }
        // Names of values may have changed.
        if made.kind == Some(kind::ENUM) && default.is_some() && self.default_changed(field) {
            self.lose(at, "its default");
            default = None;
        }
        if made.label.is_none() {
            // A required field writes its value even if it is zero, unless its default is that of
            // the type.
            let optional = presence == Presence::Optional || presence == Presence::Required && field.default.is_none();
            made.label = Some(match (presence, self.proto2) {
                (Presence::Repeated, _) => label::REPEATED,
                (Presence::Required, true) if field.default.is_none() => label::REQUIRED,
                _ => label::OPTIONAL,
            });
            if optional && !self.proto2 && !message {
                made.proto3_optional = Some(true);
            }
            if let Some((text, false)) = &default
                && self.proto2
                && presence != Presence::Repeated
            {
                made.default_value = Some(text.clone());
            }
        }
        if self.proto2 && made.label == Some(label::REPEATED) && packable(made.kind) {
            made.options.get_or_insert_default().packed = Some(true);
        }
        if field.deprecated {
            made.options.get_or_insert_with(|| Box::new(FieldOptions::default())).deprecated = Some(true);
        }
        if !field.doc.is_empty() {
            self.docs.insert(nest.inner(&own), field.doc.clone());
        }
        self.json_name(&mut made, &field.name, &own, at);
        Ok(made)
    }

    /// Returns whether the value of a field's default has another name here.
    fn default_changed(&self, field: &FieldType) -> bool {
        let Some(Value::Variant { name, .. } | Value::Text(name)) = &field.default else { return false };
        names::identifier(name, "VALUE") != *name
    }

    fn bounded(&mut self, at: &str, bounds: &Constraint) {
        if *bounds != Constraint::NONE {
            self.lose(at, "its bounds");
        }
    }

    /// Returns the type of one value; `name` is for a type that needs a declaration of its own.
    fn single(&mut self, ty: &Type, name: &str, nest: &mut Nest, at: &str) -> Result<Single> {
        let narrow = |this: &mut Self, width: Width| {
            if width < Width::W32 {
                this.lose(at, format!("its width of {} bits", width.bits()));
            }
            width == Width::W64
        };
        let as_text = |this: &mut Self, what: &str| {
            this.lose(at, format!("{what} became text"));
            Ok(Single::scalar(kind::STRING))
        };
        match ty {
            Type::Null => Ok(self.well_known("NullValue", "google/protobuf/struct.proto", kind::ENUM)),
            Type::Bool => Ok(Single::scalar(kind::BOOL)),
            Type::Int(width) => Ok(Single::scalar(if narrow(self, *width) { kind::INT64 } else { kind::INT32 })),
            Type::UInt(width) => Ok(Single::scalar(if narrow(self, *width) { kind::UINT64 } else { kind::UINT32 })),
            Type::Integer(bounds) => match whole(bounds) {
                Some(scalar) => {
                    let all = [(i64::MIN.into(), i64::MAX.into()), (0, u64::MAX.into())];
                    if !all.contains(&(bounds.low.unwrap_or_default(), bounds.high.unwrap_or_default())) {
                        self.lose(at, "its bounds");
                    }
                    Ok(Single::scalar(scalar))
                }
                None => as_text(self, "a whole number of any size"),
            },
            Type::Decimal => as_text(self, "a decimal number"),
            Type::F32 => Ok(Single::scalar(kind::FLOAT)),
            Type::F64 | Type::Number => Ok(Single::scalar(kind::DOUBLE)),
            Type::Text(bounds) => {
                self.bounded(at, bounds);
                Ok(Single::scalar(kind::STRING))
            }
            Type::Octets(bounds) => {
                self.bounded(at, bounds);
                self.lose(at, "text of an unknown character set became bytes");
                Ok(Single::scalar(kind::BYTES))
            }
            Type::Bytes(bounds) => {
                self.bounded(at, bounds);
                Ok(Single::scalar(kind::BYTES))
            }
            Type::BitString { .. } => as_text(self, "a string of bits"),
            Type::ObjectIdentifier => as_text(self, "an object identifier"),
            Type::Timestamp(_) => Ok(self.well_known("Timestamp", "google/protobuf/timestamp.proto", kind::MESSAGE)),
            Type::Any => {
                self.lose(at, "of any value, those that JSON has are left, and numbers as 64-bit floats");
                Ok(self.well_known("Value", "google/protobuf/struct.proto", kind::MESSAGE))
            }
            Type::Parameter(parameter) => Err(Error::internal(format!("the parameter {parameter} that nothing was put in place of"))),
            Type::Tagged { space, code, inner } => {
                self.lose(at, format!("the mark {space} {code}"));
                self.single(inner, name, nest, at)
            }
            Type::Reference(target, _) => match self.names.get(target.as_str()).cloned() {
                Some((full, class)) => {
                    if let Some(import) = import_of(&full).filter(|_| class == Class::Imported) {
                        self.import(import);
                    }
                    let kind = if class == Class::Enum { kind::ENUM } else { kind::MESSAGE };
                    Ok(Single { kind, type_name: Some(format!(".{full}")) })
                }
                None => match self.index.get(target.as_str()).copied() {
                    Some(named) => self.single(&named.ty, name, nest, at),
                    None => Err(Error::internal(format!("the type {target}, which was there when the schema was checked"))),
                },
            },
            Type::Enumeration(members) if is_enum(members) => self.inner_enum(ty, name, nest, at),
            // Values are identified by names, which they could not keep.
            Type::Enumeration(members) if !members.members.is_empty() => as_text(self, "an enumeration whose names are no identifiers"),
            Type::Sum(sum) if is_constants(sum) => self.inner_enum(ty, name, nest, at),
            Type::List(..)
            | Type::Set(..)
            | Type::Map(..)
            | Type::Tuple(_)
            | Type::Record(_)
            | Type::Sum(_)
            | Type::Enumeration(_)
            | Type::Nullable(_) => {
                let own = nest.names.take(&names::ty(name));
                let full = nest.inner(&own);
                let message = self.message(ty, &full, at)?;
                nest.messages.push(message);
                Ok(Single { kind: kind::MESSAGE, type_name: Some(format!(".{full}")) })
            }
        }
    }

    fn inner_enum(&mut self, ty: &Type, name: &str, nest: &mut Nest, at: &str) -> Result<Single> {
        let own = nest.names.take(&names::ty(name));
        let full = nest.inner(&own);
        if value_names(ty).iter().any(|name| nest.names.has(name)) {
            let inner = format!("{full}{WRAPPED}");
            let declared = self.enumeration(ty, &inner, at, &mut Names::default())?;
            nest.messages.push(around(&full, declared));
            return Ok(Single { kind: kind::ENUM, type_name: Some(format!(".{inner}")) });
        }
        let declared = self.enumeration(ty, &full, at, &mut nest.names)?;
        nest.enums.push(declared);
        Ok(Single { kind: kind::ENUM, type_name: Some(format!(".{full}")) })
    }

    /// Makes an enum in `scope`, which also holds the names of its values.
    fn enumeration(&mut self, ty: &Type, full: &str, at: &str, scope: &mut Names) -> Result<EnumDescriptor> {
        let (members, extensible): (Vec<(&str, i64, &str)>, bool) = match ty {
            Type::Enumeration(Enumeration { members, extensible }) => {
                (members.iter().map(|(name, number)| (name.as_str(), *number, "")).collect(), *extensible)
            }
            Type::Sum(sum) => {
                let numbered = sum.cases.iter().all(|case| case.id.is_some_and(|id| i32::try_from(id).is_ok()));
                let number = |index: usize, case: &Case| if numbered { case.id.unwrap_or_default() as i64 } else { index as i64 };
                let cases = sum.cases.iter().enumerate();
                (cases.map(|(index, case)| (case.name.as_str(), number(index, case), case.doc.as_str())).collect(), sum.extensible)
            }
            _ => return Err(Error::internal("an enum of something else")),
        };
        if extensible == self.proto2 {
            self.lose(at, if extensible { "that later versions may have more values" } else { "that later versions have no more values" });
        }
        let small = members.iter().all(|(_, number, _)| i32::try_from(*number).is_ok());
        if !small {
            self.lose(at, "numbers of its values beyond 32 bits: they are numbered anew");
        }
        let short = crate::model::short(full).to_string();
        let mut values = Vec::new();
        for (index, (name, number, doc)) in members.iter().enumerate() {
            let number = if small { *number as i32 } else { index as i32 };
            let mut own = names::identifier(name, "VALUE");
            let taken = scope.take(&own);
            if taken != own {
                // Values belong to the scope around their enum, where the name of another value is
                // taken.
                own = scope.take(&format!("{short}_{own}"));
            }
            if own != *name {
                self.lose(&format!("{at}.{name}"), format!("its name became `{own}`"));
            }
            if !doc.is_empty() {
                self.docs.insert(format!("{full}.{own}"), (*doc).to_string());
            }
            values.push(EnumValueDescriptor { name: Some(own), number: Some(number), ..EnumValueDescriptor::default() });
        }
        if !self.proto2 {
            match values.iter().position(|value| value.number == Some(0)) {
                Some(zero) => values[..=zero].rotate_right(1),
                None => {
                    let name = scope.take(&format!("{}_UNSPECIFIED", upper(&short)));
                    self.lose(at, format!("it got the value `{name}` for the number 0"));
                    values.insert(0, EnumValueDescriptor { name: Some(name), number: Some(0), ..EnumValueDescriptor::default() });
                }
            }
        }
        let mut seen = HashSet::new();
        let aliases = !values.iter().all(|value| seen.insert(value.number));
        let options = aliases.then(|| Box::new(EnumOptions { allow_alias: Some(true), ..EnumOptions::default() }));
        Ok(EnumDescriptor { name: Some(short), value: values, options, ..EnumDescriptor::default() })
    }
}

fn plain(name: String, single: Single) -> FieldDescriptor {
    FieldDescriptor { name: Some(name), kind: Some(single.kind), type_name: single.type_name, ..FieldDescriptor::default() }
}

fn packable(what: Option<i32>) -> bool {
    !matches!(what, Some(kind::STRING | kind::BYTES | kind::MESSAGE | kind::GROUP))
}

fn float(value: f64, text: String) -> String {
    match () {
        () if value.is_nan() => "nan".into(),
        () if value.is_infinite() => {
            if value < 0.0 {
                "-inf".into()
            } else {
                "inf".into()
            }
        }
        () => text,
    }
}

/// Returns the name that compilers give the entry of a map field: `UnitPricesEntry` for
/// `unit_prices`.
pub(super) fn entry_name(field: &str) -> String {
    let mut out = String::new();
    let mut upper = true;
    for c in field.chars() {
        if c == '_' {
            upper = true;
        } else {
            out.push(if upper { c.to_ascii_uppercase() } else { c });
            upper = false;
        }
    }
    out
}

/// Converts `UnitPrice` to `UNIT_PRICE`.
fn upper(name: &str) -> String {
    let mut out = String::new();
    let mut lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && lower {
            out.push('_');
        }
        lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(c.to_ascii_uppercase());
    }
    out
}
