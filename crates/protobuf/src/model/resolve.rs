//! From descriptors to the model.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use polywire_core::{Error, ErrorKind, Fault, Result};

use super::default::Default;
use super::enumeration::{Enum, EnumValue};
use super::features::{self, Features};
use super::file::{Edition, File, Span};
use super::ids::{EnumId, ExtensionId, FileId, MessageId};
use super::kind::{Cardinality, Kind, Presence};
use super::message::{Extension, Field, MAX_NUMBER, Message, Oneof, RESERVED_NUMBERS};
use super::names::{candidates, join, json_name};
use super::pool::{Pool, Symbol};
use super::service::{Method, Service};
use super::spans::Spans;
use super::well_known::WellKnown;
use crate::descriptor::{Descriptor, EnumDescriptor, FieldDescriptor, FileDescriptor, FileDescriptorSet, Location, edition, kind, label};

impl Pool {
    /// Resolves a set. Its files may come in any order. A missing import is an error only if a name
    /// is missing for it.
    ///
    /// # Errors
    /// The set breaks a rule that a codec relies on, about names, numbers or types. The fault is
    /// the schema's.
    pub fn new(set: &FileDescriptorSet) -> Result<Pool> {
        let mut resolver = Resolver { pool: Pool::default(), messages: Vec::new(), enums: Vec::new(), missing: Vec::new() };
        let mut seen: HashMap<&str, &FileDescriptor> = HashMap::new();
        let mut files = Vec::new();
        for file in &set.file {
            let name = file.name.as_deref().unwrap_or_default();
            match seen.insert(name, file) {
                None => files.push(file),
                Some(first) if first == file => {}
                Some(_) => return Err(wrong(format!("two different files named {name}")).expected("one file of each name")),
            }
        }
        for (file, id) in files.iter().zip(0u32..) {
            resolver.declare_file(file, FileId(id))?;
        }
        let ids: HashMap<Box<str>, FileId> =
            resolver.pool.files.iter().zip(0u32..).map(|(file, id)| (file.name.clone(), FileId(id))).collect();
        for (file, id) in files.iter().zip(0usize..) {
            resolver.imports(file, id, &ids);
        }
        resolver.define_messages()?;
        for (file, id) in files.iter().zip(0u32..) {
            resolver.define_file(file, FileId(id))?;
        }
        resolver.finish()
    }
}

#[cold]
fn wrong(seen: String) -> Error {
    Error::new(ErrorKind::Syntax, Fault::Schema).seen(seen)
}

/// Places and comments of a file, by path.
struct Places<'d> {
    locations: HashMap<&'d [i32], &'d Location>,
}

impl<'d> Places<'d> {
    fn new(file: &'d FileDescriptor) -> Places<'d> {
        let locations = file.source_code_info.iter().flat_map(|info| &info.location);
        Places { locations: locations.map(|location| (&location.path.0[..], location)).collect() }
    }

    fn at(&self, path: &[i32]) -> Option<Span> {
        let mut named = path.to_vec();
        named.push(1);
        let location = self.locations.get(&named[..]).or_else(|| self.locations.get(path))?;
        let number = |index: usize| location.span.0.get(index).and_then(|number| u32::try_from(*number).ok());
        let (line, column) = (number(0)?, number(1)?);
        let (end_line, end_column) = if location.span.0.len() > 3 { (number(2)?, number(3)?) } else { (line, number(2)?) };
        Some(Span { line, column, end_line, end_column })
    }

    fn doc(&self, path: &[i32]) -> Box<str> {
        let Some(location) = self.locations.get(path) else { return "".into() };
        let comment = location.leading_comments.as_ref().or(location.trailing_comments.as_ref()).map_or("", |comment| &comment[..]);
        let lines: Vec<&str> = comment.lines().map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end()).collect();
        lines.join("\n").trim_matches('\n').into()
    }
}

/// A message whose fields are still to be resolved.
struct DueMessage<'d> {
    id: MessageId,
    descriptor: &'d Descriptor,
    features: Features,
    path: Vec<i32>,
    file: usize,
}

/// An enum whose values are still to be checked.
struct DueEnum<'d> {
    id: EnumId,
    descriptor: &'d EnumDescriptor,
}

struct Resolver<'d> {
    pool: Pool,
    messages: Vec<DueMessage<'d>>,
    enums: Vec<DueEnum<'d>>,
    /// Imports that the set lacks.
    missing: Vec<&'d str>,
}

/// The place of a declaration.
struct Scope<'s, 'd> {
    file: FileId,
    parent: Option<MessageId>,
    name: &'s str,
    features: Features,
    places: &'s Places<'d>,
}

fn child(path: &[i32], field: i32, index: usize) -> Vec<i32> {
    let mut path = path.to_vec();
    path.extend([field, i32::try_from(index).unwrap_or(i32::MAX)]);
    path
}

fn named<'d>(name: Option<&'d String>, what: &str, scope: &str) -> Result<&'d str> {
    let name = name.map_or("", |name| &name[..]);
    let mut bytes = name.bytes();
    let sound = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if sound {
        Ok(name)
    } else {
        Err(wrong(format!("the name `{name}` of a {what} in `{scope}`")).expected("letters, digits and `_`, no digit first"))
    }
}

impl<'d> Resolver<'d> {
    fn add(&mut self, name: String, symbol: Symbol) -> Result<()> {
        match self.pool.names.get(&name[..]) {
            None => _ = self.pool.names.insert(name.into(), symbol),
            Some(Symbol::Package) if symbol == Symbol::Package => {}
            Some(_) => return Err(wrong(format!("a second declaration of the name {name}")).expected("each name once")),
        }
        Ok(())
    }

    fn declare_file(&mut self, file: &'d FileDescriptor, id: FileId) -> Result<()> {
        let name = file.name.as_deref().unwrap_or_default();
        let edition = match (file.syntax.as_deref(), file.edition) {
            (None | Some(""), None) | (Some("proto2"), _) => Edition::Proto2,
            (Some("proto3"), _) => Edition::Proto3,
            (Some("editions") | None, Some(edition::E2023)) => Edition::E2023,
            (Some("editions") | None, Some(edition::E2024)) => Edition::E2024,
            (syntax, edition) => {
                let seen =
                    edition.map_or_else(|| format!("syntax `{}`", syntax.unwrap_or_default()), |edition| format!("edition {edition}"));
                return Err(wrong(format!("{seen} of {name}")).expected("proto2, proto3, or edition 2023 or 2024"));
            }
        };
        let options = file.options.as_deref();
        let package = file.package.as_deref().unwrap_or_default();
        for (at, _) in package.match_indices('.').chain((!package.is_empty()).then_some((package.len(), ""))) {
            self.add(package[..at].to_string(), Symbol::Package)?;
        }
        self.pool.files.push(File {
            name: name.into(),
            package: package.into(),
            edition,
            imports: Vec::new(),
            public: Vec::new(),
            deprecated: options.and_then(|options| options.deprecated).unwrap_or(false),
        });
        let features = Features::of(edition).with(options.and_then(|options| options.features.as_deref()));
        let places = Places::new(file);
        let scope = Scope { file: id, parent: None, name: package, features, places: &places };
        for (index, message) in file.message_type.iter().enumerate() {
            self.declare_message(message, &scope, child(&[], 4, index))?;
        }
        for (index, descriptor) in file.enum_type.iter().enumerate() {
            self.declare_enum(descriptor, &scope, &child(&[], 5, index))?;
        }
        Ok(())
    }

    fn imports(&mut self, file: &'d FileDescriptor, id: usize, ids: &HashMap<Box<str>, FileId>) {
        for (index, path) in (0i32..).zip(&file.dependency) {
            let Some(import) = ids.get(&path[..]) else {
                self.missing.push(path);
                continue;
            };
            let own = &mut self.pool.files[id];
            if file.public_dependency.contains(&index) {
                own.public.push(own.imports.len() as u32);
            }
            own.imports.push(*import);
        }
    }

    fn declare_message(&mut self, message: &'d Descriptor, scope: &Scope<'_, 'd>, path: Vec<i32>) -> Result<()> {
        let name = join(scope.name, named(message.name.as_ref(), "message", scope.name)?);
        let id = MessageId(self.pool.messages.len() as u32);
        self.add(name.clone(), Symbol::Message(id))?;
        let options = message.options.as_deref();
        let features = scope.features.with(options.and_then(|options| options.features.as_deref()));
        let flag = |flag: fn(&crate::descriptor::MessageOptions) -> Option<bool>| options.and_then(flag).unwrap_or(false);
        let extension_ranges: Result<Vec<_>> =
            message.extension_range.iter().map(|range| numbers(range.start, range.end, "extensions", &name)).collect();
        let reserved: Result<Vec<_>> =
            message.reserved_range.iter().map(|range| numbers(range.start, range.end, "reserved", &name)).collect();
        self.pool.messages.push(Message {
            file: scope.file,
            parent: scope.parent,
            fields: Vec::new(),
            oneofs: Vec::new(),
            extensions: Vec::new(),
            extension_ranges: extension_ranges?,
            reserved: reserved?,
            reserved_names: message.reserved_name.iter().map(|name| name.as_str().into()).collect(),
            map_entry: flag(|options| options.map_entry),
            message_set: flag(|options| options.message_set_wire_format),
            well_known: None,
            deprecated: flag(|options| options.deprecated),
            doc: scope.places.doc(&path),
            at: scope.places.at(&path),
            numbers: Vec::new(),
            name: name.clone().into(),
        });
        let inner = Scope { file: scope.file, parent: Some(id), name: &name, features, places: scope.places };
        for (index, nested) in message.nested_type.iter().enumerate() {
            self.declare_message(nested, &inner, child(&path, 3, index))?;
        }
        for (index, descriptor) in message.enum_type.iter().enumerate() {
            self.declare_enum(descriptor, &inner, &child(&path, 4, index))?;
        }
        self.messages.push(DueMessage { id, descriptor: message, features, path, file: scope.file.index() });
        Ok(())
    }

    fn declare_enum(&mut self, descriptor: &'d EnumDescriptor, scope: &Scope<'_, 'd>, path: &[i32]) -> Result<()> {
        let name = join(scope.name, named(descriptor.name.as_ref(), "enum", scope.name)?);
        let id = EnumId(self.pool.enums.len() as u32);
        self.add(name.clone(), Symbol::Enum(id))?;
        let options = descriptor.options.as_deref();
        let features = scope.features.with(options.and_then(|options| options.features.as_deref()));
        let mut values = Vec::with_capacity(descriptor.value.len());
        for (index, value) in descriptor.value.iter().enumerate() {
            let short = named(value.name.as_ref(), "value", &name)?;
            self.add(join(scope.name, short), Symbol::Value(id, index as u32))?;
            let path = child(path, 2, index);
            values.push(EnumValue {
                name: short.into(),
                number: value.number.unwrap_or(0),
                deprecated: value.options.as_ref().and_then(|options| options.deprecated).unwrap_or(false),
                doc: scope.places.doc(&path),
                at: scope.places.at(&path),
            });
        }
        let mut numbers: Vec<(i32, u32)> = values.iter().zip(0u32..).map(|(value, index)| (value.number, index)).collect();
        numbers.sort_unstable();
        let all = numbers.len();
        numbers.dedup_by_key(|(number, _)| *number);
        let aliases = options.and_then(|options| options.allow_alias).unwrap_or(false);
        if numbers.len() < all && !aliases {
            return Err(wrong(format!("several values of the enum {name} with one number")).expected("each number once, or `allow_alias`"));
        }
        let reserved = descriptor.reserved_range.iter().map(|range| range.start.unwrap_or(0)..=range.end.unwrap_or(0));
        self.pool.enums.push(Enum {
            file: scope.file,
            parent: scope.parent,
            values,
            closed: features.closed_enums,
            reserved: reserved.collect(),
            reserved_names: descriptor.reserved_name.iter().map(|name| name.as_str().into()).collect(),
            well_known: WellKnown::of(&name).filter(|well_known| *well_known == WellKnown::NullValue),
            deprecated: options.and_then(|options| options.deprecated).unwrap_or(false),
            doc: scope.places.doc(path),
            at: scope.places.at(path),
            numbers,
            name: name.into(),
        });
        self.enums.push(DueEnum { id, descriptor });
        Ok(())
    }

    /// Defines fields and oneofs of all messages, once every type has its name.
    fn define_messages(&mut self) -> Result<()> {
        for due in std::mem::take(&mut self.enums) {
            let this = &self.pool[due.id];
            match this.values.first() {
                None => return Err(wrong(format!("the enum {} without values", this.name)).expected("at least one value")),
                Some(first) if first.number != 0 && !this.closed => {
                    return Err(wrong(format!("the first value {} = {} of the open enum {}", first.name, first.number, this.name))
                        .expected("the number 0"));
                }
                Some(_) => {}
            }
            let numbers = Spans::new(this.reserved.iter().map(|range| (i64::from(*range.start()), i64::from(*range.end()) + 1)));
            let reserved: HashSet<&str> = this.reserved_names.iter().map(|name| &**name).collect();
            let taken = due.descriptor.value.iter().find_map(|value| {
                let (name, number) = (value.name.as_deref().unwrap_or_default(), value.number.unwrap_or(0));
                let is_taken = reserved.contains(name) || numbers.contains(number.into());
                is_taken.then_some(name)
            });
            if let Some(name) = taken {
                return Err(
                    wrong(format!("the value {name} of the enum {}, which is reserved", this.name)).expected("another name or number")
                );
            }
        }
        // Messages come file by file, so that places are looked up in one file at a time.
        self.messages.sort_by_key(|due| due.id);
        let mut due = std::mem::take(&mut self.messages);
        for message in &due {
            self.names_of(message)?;
        }
        for message in &mut due {
            let (fields, oneofs) = self.fields(message)?;
            let own = &mut self.pool.messages[message.id.index()];
            (own.fields, own.oneofs) = (fields, oneofs);
        }
        self.messages = due;
        Ok(())
    }

    /// Enters fields and oneofs into the names, and the fields' numbers.
    fn names_of(&mut self, due: &DueMessage<'d>) -> Result<()> {
        let name = self.pool[due.id].name.clone();
        let mut numbers = Vec::with_capacity(due.descriptor.field.len());
        let message = &self.pool[due.id];
        let ranges = message.reserved.iter().chain(&message.extension_ranges);
        let taken = Spans::new(ranges.map(|range| (range.start.into(), range.end.into())));
        let names: HashSet<Box<str>> = message.reserved_names.iter().cloned().collect();
        for (field, index) in due.descriptor.field.iter().zip(0u32..) {
            let short = named(field.name.as_ref(), "field", &name)?;
            self.add(join(&name, short), Symbol::Field(due.id, index))?;
            let number = field_number(field.number, &join(&name, short))?;
            if taken.contains(number.into()) {
                return Err(wrong(format!("number {number} of the field {name}.{short}, which is reserved")).expected("another number"));
            }
            if names.contains(short) {
                return Err(wrong(format!("the field {name}.{short}, whose name is reserved")).expected("another name"));
            }
            numbers.push((number, index));
        }
        numbers.sort_unstable();
        if let Some(pair) = numbers.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let short = |index: u32| due.descriptor.field[index as usize].name.as_deref().unwrap_or_default();
            let seen = format!("number {} of the fields {} and {} in {name}", pair[0].0, short(pair[0].1), short(pair[1].1));
            return Err(wrong(seen).expected("each number once"));
        }
        self.pool.messages[due.id.index()].numbers = numbers;
        for (oneof, index) in due.descriptor.oneof_decl.iter().zip(0u32..) {
            let short = named(oneof.name.as_ref(), "oneof", &name)?;
            self.add(join(&name, short), Symbol::Oneof(due.id, index))?;
        }
        Ok(())
    }

    fn fields(&mut self, due: &DueMessage<'d>) -> Result<(Vec<Field>, Vec<Oneof>)> {
        let descriptor = due.descriptor;
        let name = self.pool[due.id].name.clone();
        // A oneof around a field with the word `optional` only stands for that word.
        let synthetic: HashSet<usize> = descriptor
            .field
            .iter()
            .filter(|field| field.proto3_optional == Some(true))
            .filter_map(|field| usize::try_from(field.oneof_index?).ok())
            .collect();
        let mut kept = Vec::new();
        let mut oneofs = Vec::new();
        for (index, oneof) in descriptor.oneof_decl.iter().enumerate() {
            if synthetic.contains(&index) {
                kept.push(None);
                continue;
            }
            kept.push(Some(oneofs.len() as u32));
            oneofs.push(Oneof { name: oneof.name.as_deref().unwrap_or_default().into(), fields: Vec::new(), doc: "".into(), at: None });
        }
        let mut fields = Vec::with_capacity(descriptor.field.len());
        for (index, field) in descriptor.field.iter().enumerate() {
            let mut features = due.features;
            let mut oneof = None;
            if let Some(given) = field.oneof_index {
                let Some(own) = usize::try_from(given).ok().and_then(|given| kept.get(given)) else {
                    return Err(wrong(format!("oneof {given} of a field in {name}")).expected("one of those that the message has"));
                };
                oneof = *own;
                let options = descriptor.oneof_decl[given as usize].options.as_deref();
                features = features.with(options.and_then(|options| options.features.as_deref()));
            }
            if let Some(oneof) = oneof {
                oneofs[oneof as usize].fields.push(index as u32);
            }
            fields.push(self.field(field, features, &name, due.file, oneof, self.pool[due.id].map_entry)?);
        }
        if let Some(empty) = oneofs.iter().find(|oneof| oneof.fields.is_empty()) {
            return Err(wrong(format!("the oneof {} in {name} without a field", empty.name)).expected("at least one field"));
        }
        Ok((fields, oneofs))
    }

    /// Resolves a field or an extension. Names are looked up in `scope`.
    fn field(
        &self,
        field: &FieldDescriptor,
        features: Features,
        scope: &str,
        file: usize,
        oneof: Option<u32>,
        in_map_entry: bool,
    ) -> Result<Field> {
        let options = field.options.as_deref();
        let features = features.with(options.and_then(|options| options.features.as_deref()));
        let short = named(field.name.as_ref(), "field", scope)?;
        let name = || join(scope, short);
        let extension = field.extendee.is_some();
        let edition = self.pool.files[file].edition;
        let repeated = field.label == Some(label::REPEATED);
        let mut kind = self.kind(field, scope)?;
        let entry = kind.message().filter(|id| self.pool[*id].map_entry);
        if features.delimited
            && entry.is_none()
            && !in_map_entry
            && let Kind::Message(id) = kind
        {
            kind = Kind::Group(id);
        }
        let cardinality = match (repeated, entry) {
            (true, Some(_)) if matches!(kind, Kind::Message(_)) && !extension => Cardinality::Map,
            (_, Some(_)) => return Err(wrong(format!("the type of {}, which is the entry of a map", name())).expected("a map field")),
            (true, None) => Cardinality::Repeated,
            (false, None) => Cardinality::Singular,
        };
        if repeated && (oneof.is_some() || field.proto3_optional == Some(true)) {
            return Err(wrong(format!("the repeated field {} in a oneof", name())).expected("a singular field"));
        }
        let required =
            field.label == Some(label::REQUIRED) || (features.presence == features::Presence::Required && !repeated && !extension);
        let presence = if repeated {
            Presence::Implicit
        } else if required && oneof.is_none() && !extension {
            Presence::Required
        } else if extension || oneof.is_some() || field.proto3_optional == Some(true) || kind.message().is_some() {
            Presence::Explicit
        } else if features.presence == features::Presence::Implicit {
            Presence::Implicit
        } else {
            Presence::Explicit
        };
        if edition == Edition::Proto3
            && let Kind::Enum(id) = kind
            && self.pool[id].closed
            && !in_map_entry
            && presence == Presence::Implicit
            && !repeated
        {
            let seen = format!("the closed enum {} of the field {}", self.pool[id].name, name());
            return Err(wrong(seen).expected("an open enum where presence is implicit"));
        }
        let packed = repeated && kind.packable() && options.and_then(|options| options.packed).unwrap_or(features.packed);
        let enumeration = match kind {
            Kind::Enum(id) => Some(&self.pool[id]),
            _ => None,
        };
        let written = field.default_value.as_deref();
        let default = match written {
            Some(_) if repeated || kind.message().is_some() => {
                return Err(wrong(format!("a default of {}", name())).expected("a default for singular scalars only"));
            }
            Some(text) => Some(
                Default::read(text, kind, enumeration)
                    .ok_or_else(|| wrong(format!("the default `{text}` of {}", name())).expected(format!("one of type {}", kind.name())))?,
            ),
            None if repeated => None,
            None => Default::of(kind, enumeration),
        };
        let full = name();
        let json = if extension { format!("[{full}]") } else { field.json_name.clone().unwrap_or_else(|| json_name(short)) };
        Ok(Field {
            name: if extension { full.into() } else { short.into() },
            json_name: json.into(),
            // Messages had their numbers checked. Those of extensions are checked on entry.
            number: field.number.unwrap_or_default() as u32,
            kind,
            cardinality,
            packed,
            presence,
            default,
            has_default: written.is_some(),
            oneof,
            utf8: kind == Kind::String && features.utf8,
            deprecated: options.and_then(|options| options.deprecated).unwrap_or(false),
            doc: "".into(),
            at: None,
        })
    }

    fn kind(&self, field: &FieldDescriptor, scope: &str) -> Result<Kind> {
        let name = || join(scope, field.name.as_deref().unwrap_or_default());
        let scalar = match field.kind {
            Some(kind::DOUBLE) => Kind::Double,
            Some(kind::FLOAT) => Kind::Float,
            Some(kind::INT64) => Kind::Int64,
            Some(kind::UINT64) => Kind::UInt64,
            Some(kind::INT32) => Kind::Int32,
            Some(kind::FIXED64) => Kind::Fixed64,
            Some(kind::FIXED32) => Kind::Fixed32,
            Some(kind::BOOL) => Kind::Bool,
            Some(kind::STRING) => Kind::String,
            Some(kind::BYTES) => Kind::Bytes,
            Some(kind::UINT32) => Kind::UInt32,
            Some(kind::SFIXED32) => Kind::SFixed32,
            Some(kind::SFIXED64) => Kind::SFixed64,
            Some(kind::SINT32) => Kind::SInt32,
            Some(kind::SINT64) => Kind::SInt64,
            // A compiler may omit the type where a name implies it.
            None | Some(kind::GROUP | kind::MESSAGE | kind::ENUM) => {
                let Some(type_name) = &field.type_name else {
                    return Err(wrong(format!("the field {} without the name of its type", name())).expected("one"));
                };
                return match (field.kind, self.lookup(type_name, scope)) {
                    (Some(kind::GROUP), Some(Symbol::Message(id))) => Ok(Kind::Group(id)),
                    (None | Some(kind::MESSAGE), Some(Symbol::Message(id))) => Ok(Kind::Message(id)),
                    (None | Some(kind::ENUM), Some(Symbol::Enum(id))) => Ok(Kind::Enum(id)),
                    (_, None) => Err(self.unknown(type_name, &name())),
                    (_, Some(_)) => {
                        Err(wrong(format!("the type {type_name} of {}", name())).expected("a type of the kind that the field says"))
                    }
                };
            }
            Some(other) => return Err(wrong(format!("type {other} of {}", name())).expected("a type from 1 to 18")),
        };
        Ok(scalar)
    }

    #[cold]
    fn unknown(&self, type_name: &str, user: &str) -> Error {
        let error = wrong(format!("the type {type_name} of {user}")).expected("a type that a file of the set declares");
        match self.missing.first() {
            Some(file) => error.hint(format!("the set lacks {file}; write it with `--include_imports`")),
            None => error,
        }
    }

    /// Applies the scope rules (language spec, "Type Name Resolution"): innermost first, by the
    /// first part of the name.
    fn lookup(&self, name: &str, scope: &str) -> Option<Symbol> {
        let is_type = |symbol: &Symbol| matches!(symbol, Symbol::Message(_) | Symbol::Enum(_));
        if let Some(full) = name.strip_prefix('.') {
            return self.pool.names.get(full).copied().filter(is_type);
        }
        let (first, rest) = name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
        for candidate in candidates(scope, first) {
            match (self.pool.names.get(&candidate[..]), rest) {
                (Some(symbol), None) if is_type(symbol) => return Some(*symbol),
                (Some(Symbol::Package | Symbol::Message(_) | Symbol::Enum(_) | Symbol::Service(_)), Some(rest)) => {
                    return self.pool.names.get(&format!("{candidate}.{rest}")[..]).copied().filter(is_type);
                }
                _ => {}
            }
        }
        None
    }

    /// Defines extensions and services of a file, and the places in it.
    fn define_file(&mut self, file: &'d FileDescriptor, id: FileId) -> Result<()> {
        let places = Places::new(file);
        let package = file.package.as_deref().unwrap_or_default();
        let options = file.options.as_deref();
        let features = Features::of(self.pool[id].edition).with(options.and_then(|options| options.features.as_deref()));
        for (index, extension) in file.extension.iter().enumerate() {
            self.extension(extension, features, package, id, None, &places, &child(&[], 7, index))?;
        }
        let first = self.messages.partition_point(|due| due.file < id.index());
        let last = self.messages.partition_point(|due| due.file <= id.index());
        for due in first..last {
            let DueMessage { id: message, descriptor, features, path, .. } = &self.messages[due];
            let (message, descriptor, features, path) = (*message, *descriptor, *features, path.clone());
            let name = self.pool[message].name.clone();
            for (index, extension) in descriptor.extension.iter().enumerate() {
                self.extension(extension, features, &name, id, Some(message), &places, &child(&path, 6, index))?;
            }
            let own = &mut self.pool.messages[message.index()];
            for (index, field) in own.fields.iter_mut().enumerate() {
                let path = child(&path, 2, index);
                (field.doc, field.at) = (places.doc(&path), places.at(&path));
            }
            for oneof in &mut own.oneofs {
                let index = descriptor.oneof_decl.iter().position(|given| given.name.as_deref() == Some(&oneof.name));
                let path = child(&path, 8, index.unwrap_or_default());
                (oneof.doc, oneof.at) = (places.doc(&path), places.at(&path));
            }
        }
        for (index, service) in file.service.iter().enumerate() {
            let name = join(package, named(service.name.as_ref(), "service", package)?);
            let number = self.pool.services.len() as u32;
            self.add(name.clone(), Symbol::Service(number))?;
            let path = child(&[], 6, index);
            let mut methods = Vec::with_capacity(service.method.len());
            for (index, method) in service.method.iter().enumerate() {
                let short = named(method.name.as_ref(), "method", &name)?;
                self.add(join(&name, short), Symbol::Method(number, index as u32))?;
                let message = |given: &Option<String>| {
                    let given = given.as_deref().unwrap_or_default();
                    match self.lookup(given, &name) {
                        Some(Symbol::Message(id)) => Ok(id),
                        _ => Err(self.unknown(given, &join(&name, short))),
                    }
                };
                methods.push(Method {
                    name: short.into(),
                    input: message(&method.input_type)?,
                    output: message(&method.output_type)?,
                    client_streaming: method.client_streaming.unwrap_or(false),
                    server_streaming: method.server_streaming.unwrap_or(false),
                    doc: places.doc(&child(&path, 2, index)),
                    at: places.at(&child(&path, 2, index)),
                });
            }
            self.pool.services.push(Service { name: name.into(), file: id, methods, doc: places.doc(&path), at: places.at(&path) });
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "where it stands, in its parts")]
    fn extension(
        &mut self,
        extension: &FieldDescriptor,
        features: Features,
        scope: &str,
        file: FileId,
        parent: Option<MessageId>,
        places: &Places<'d>,
        path: &[i32],
    ) -> Result<()> {
        let mut field = self.field(extension, features, scope, file.index(), None, false)?;
        (field.doc, field.at) = (places.doc(path), places.at(path));
        let given = extension.extendee.as_deref().unwrap_or_default();
        let Some(Symbol::Message(extendee)) = self.lookup(given, scope) else { return Err(self.unknown(given, &field.name)) };
        let number = extension.number.and_then(|number| u32::try_from(number).ok()).unwrap_or_default();
        let ranges = &self.pool[extendee].extension_ranges;
        if !ranges.iter().any(|range| range.contains(&number)) {
            let seen = format!("number {number} of the extension {}", field.name);
            return Err(wrong(seen).expected(format!("one that {} has for extensions", self.pool[extendee].name)));
        }
        let id = ExtensionId(self.pool.extensions.len() as u32);
        self.add(field.name.to_string(), Symbol::Extension(id))?;
        self.pool.messages[extendee.index()].extensions.push(id);
        self.pool.extensions.push(Extension { field, extendee, file, scope: parent });
        Ok(())
    }

    fn finish(mut self) -> Result<Pool> {
        for index in 0..self.pool.messages.len() {
            let mut extensions = std::mem::take(&mut self.pool.messages[index].extensions);
            extensions.sort_by_key(|id| self.pool[*id].field.number);
            if let Some(pair) = extensions.windows(2).find(|pair| self.pool[pair[0]].field.number == self.pool[pair[1]].field.number) {
                let (first, second) = (&self.pool[pair[0]].field, &self.pool[pair[1]].field);
                let seen = format!("number {} of the extensions {} and {}", first.number, first.name, second.name);
                return Err(wrong(seen).expected("each number once"));
            }
            self.pool.messages[index].extensions = extensions;
            let id = MessageId(index as u32);
            if self.pool[id].map_entry {
                self.map_entry(id)?;
            }
        }
        for index in 0..self.pool.messages.len() {
            let id = MessageId(index as u32);
            self.pool.messages[index].well_known =
                WellKnown::of(&self.pool[id].name).filter(|well_known| well_known.has_shape(&self.pool, id));
        }
        Ok(self.pool)
    }

    /// Checks the fields of a map entry, which map fields rely on (encoding guide, "Maps").
    fn map_entry(&self, id: MessageId) -> Result<()> {
        let entry = &self.pool[id];
        let key = entry.by_number(1).filter(|key| {
            let scalar = !matches!(key.kind, Kind::Double | Kind::Float | Kind::Bytes | Kind::Enum(_)) && key.kind.message().is_none();
            &*key.name == "key" && key.cardinality == Cardinality::Singular && scalar
        });
        let value = entry
            .by_number(2)
            .filter(|value| &*value.name == "value" && value.cardinality == Cardinality::Singular && !matches!(value.kind, Kind::Group(_)));
        if key.is_none() || value.is_none() || entry.fields.len() != 2 {
            return Err(
                wrong(format!("the map entry {}", entry.name)).expected("a whole number, bool or string `key` = 1, and a `value` = 2")
            );
        }
        Ok(())
    }
}

/// Returns a range with an exclusive `end`.
fn numbers(start: Option<i32>, end: Option<i32>, what: &str, name: &str) -> Result<Range<u32>> {
    let range = start.unwrap_or(0)..end.unwrap_or(0);
    match (u32::try_from(range.start), u32::try_from(range.end)) {
        (Ok(start @ 1..), Ok(end)) if start < end => Ok(start..end),
        _ => Err(wrong(format!("the {what} range {} to {} in {name}", range.start, range.end)).expected("numbers from 1 up")),
    }
}

fn field_number(number: Option<i32>, name: &str) -> Result<u32> {
    match number.and_then(|number| u32::try_from(number).ok()) {
        Some(number) if (1..=MAX_NUMBER).contains(&number) && !RESERVED_NUMBERS.contains(&number) => Ok(number),
        _ => {
            let seen = number
                .map_or_else(|| format!("the field {name} without a number"), |number| format!("number {number} of the field {name}"));
            Err(wrong(seen).expected(format!("one from 1 to {MAX_NUMBER}, none of 19000 to 19999")))
        }
    }
}
