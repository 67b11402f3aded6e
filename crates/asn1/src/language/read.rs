//! Modules as types of the common schema.

use std::collections::{HashMap, HashSet, VecDeque};

use polywire_core::schema::language::SchemaLoss;
use polywire_core::schema::{
    Case, Constraint, Enumeration, FieldType, NamedType, Presence as Occurs, Record, Schema, Sum, TimeUnit, Type, Width,
};
use polywire_core::text::diagnostic::Place;
use polywire_core::value::Value;

use super::comments::Comments;
use super::root::{OWN, identity, own, parts, root};
use crate::Modules;
use crate::lex::KEYWORDS;
use crate::model::{
    Addition, Alphabet, Bounds, Component, Constraints, Kind, Model, Presence, StringKind, TimeKind, TypeId, Value as Given,
};
use crate::syntax::{AssignmentKind, ConstraintKind, Item, TypeKind};

/// Deepest nesting of types without names. A type that is deeper gets one.
const MAX_INLINE: u32 = 40;

/// Facts of the texts that a model lacks.
#[derive(Debug, Default)]
pub struct Written {
    docs: HashMap<Place, String>,
    /// Places of the names of assignments that are nothing but another type's name.
    aliases: HashSet<Place>,
    /// Places of types, and of components of these, with constraints that PER does not see.
    constrained: HashSet<Place>,
}

impl Written {
    /// Returns the facts of modules, before they are resolved.
    pub fn new(modules: &Modules) -> Written {
        let mut written = Written::default();
        let comments: HashMap<u32, Comments<'_>> =
            (OWN..).map_while(|source| Some((source, Comments::new(modules.text(source)?)))).collect();
        let note = |docs: &mut HashMap<Place, String>, at: Place| {
            let doc = comments.get(&at.source).map_or_else(String::new, |comments| comments.of(at));
            if !doc.is_empty() {
                docs.insert(at, doc);
            }
        };
        for module in modules.modules() {
            for assignment in &module.assignments {
                let AssignmentKind::Type(ty) = &assignment.kind else { continue };
                note(&mut written.docs, assignment.name.at);
                if matches!(&ty.kind, TypeKind::Reference(reference) if reference.arguments.is_none()) {
                    written.aliases.insert(assignment.name.at);
                }
                let mut due = vec![(ty, assignment.name.at)];
                while let Some((ty, name)) = due.pop() {
                    let text = |at: Place| modules.text(at.source).and_then(|words| words.text.get(at.range())).unwrap_or_default();
                    let unseen = |constraint: &crate::syntax::Constraint| {
                        let text = text(constraint.at);
                        !is_sized(&ty.kind) || ["PATTERN", "COMPONENT", "CONSTRAINED", "SETTINGS"].iter().any(|word| text.contains(word))
                    };
                    let subtypes = ty
                        .constraints
                        .iter()
                        .filter(|constraint| matches!(constraint.kind, ConstraintKind::Subtype(_) | ConstraintKind::UserDefined(_)));
                    if subtypes.clone().any(unseen) {
                        written.constrained.extend([ty.at, name]);
                    }
                    match &ty.kind {
                        TypeKind::SequenceOf(element) | TypeKind::SetOf(element) => due.push((element, element.at)),
                        TypeKind::Sequence(items) | TypeKind::Set(items) | TypeKind::Choice(items) => {
                            let mut items: Vec<&Item> = items.iter().collect();
                            while let Some(item) = items.pop() {
                                match item {
                                    Item::Component(component) => {
                                        note(&mut written.docs, component.name.at);
                                        due.push((&component.ty, component.name.at));
                                    }
                                    Item::Group(inner, ..) => items.extend(inner),
                                    _ => {}
                                }
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        written
    }

    fn doc(&self, at: Place) -> String {
        self.docs.get(&at).cloned().unwrap_or_default()
    }
}

/// Returns the types of the own text and those that they use, with the facts that the common schema
/// cannot express.
pub fn schema(model: &Model, written: &Written) -> (Schema, Vec<SchemaLoss>) {
    let root = root(model);
    schema_of(model, written, own(model).map(|(_, _, id)| id).collect(), root)
}

/// Returns a type and those that it uses, with the facts that the common schema cannot express.
pub fn schema_from(model: &Model, root: TypeId) -> (Schema, Vec<SchemaLoss>) {
    schema_of(model, &Written::default(), vec![root], Some(root))
}

fn schema_of(model: &Model, written: &Written, start: Vec<TypeId>, root: Option<TypeId>) -> (Schema, Vec<SchemaLoss>) {
    let mut reading = Reading {
        model,
        written,
        names: HashMap::new(),
        taken: HashSet::new(),
        owners: HashMap::new(),
        uses: HashMap::new(),
        due: VecDeque::new(),
        losses: Vec::new(),
        depth: 0,
    };
    for (module, named) in model.modules.iter().enumerate() {
        for (_, id) in &named.types {
            let ty = model.ty(*id);
            let is_owner = ty.name.as_ref().is_some_and(|(of, _)| *of as usize == module) && !written.aliases.contains(&ty.at);
            if let Some(identity) = identity(model, *id).filter(|_| is_owner) {
                reading.owners.entry(identity).or_insert(*id);
            }
        }
    }
    for id in (0..model.types.len() as u32).map(TypeId) {
        if let (Some(identity), true) = (identity(model, id), model.ty(id).name.is_none() && instance(model, id).is_some()) {
            reading.owners.entry(identity).or_insert(id);
        }
        for identity in parts(model, id).into_iter().filter_map(|part| identity(model, part)) {
            *reading.uses.entry(identity).or_default() += 1;
        }
    }
    for id in start {
        reading.name(id, "");
    }
    let root = root.map(|id| reading.name(id, "Root"));
    let mut types = Vec::new();
    while let Some((id, name)) = reading.due.pop_front() {
        let at = model.ty(id).at;
        let owner = identity(model, id).and_then(|identity| reading.owners.get(&identity).copied());
        let ty = match owner {
            Some(owner) if owner != id && model.ty(id).name.is_some() => {
                reading.unseen(id, &name);
                Type::Reference(reading.name(owner, &name), Vec::new())
            }
            _ => reading.kind(id, &name),
        };
        types.push(NamedType { name, doc: written.doc(at), ty });
    }
    (Schema { types, root }, reading.losses)
}

struct Reading<'m> {
    model: &'m Model,
    written: &'m Written,
    names: HashMap<TypeId, String>,
    taken: HashSet<String>,
    /// Types that have their components under a name, by the identity of the components.
    owners: HashMap<usize, TypeId>,
    /// Number of places that components are in, by their identity.
    uses: HashMap<usize, u32>,
    /// Types that have a name and are not yet read.
    due: VecDeque<(TypeId, String)>,
    losses: Vec<SchemaLoss>,
    depth: u32,
}

impl Reading<'_> {
    fn lose(&mut self, at: &str, what: impl Into<String>) {
        self.losses.push(SchemaLoss { at: at.to_string(), what: what.into() });
    }

    fn unseen(&mut self, id: TypeId, at: &str) {
        if self.written.constrained.contains(&self.model.ty(id).at) {
            self.lose(at, "a constraint that no encoding depends on");
        }
    }

    /// Returns the name of a type in the schema: its own one, with its module before it if another
    /// type has that name already.
    fn name(&mut self, id: TypeId, wish: &str) -> String {
        if let Some(known) = self.names.get(&id) {
            return known.clone();
        }
        let ty = self.model.ty(id);
        let mut name = match &ty.name {
            Some((module, name)) if self.taken.contains(name.as_str()) => {
                format!("{}.{name}", self.model.modules[*module as usize].name)
            }
            Some((_, name)) => name.to_string(),
            None => instance(self.model, id).unwrap_or(wish).to_string(),
        };
        if self.taken.contains(&name) {
            let first = name.clone();
            let mut number = 2;
            while self.taken.contains(&name) {
                name = format!("{first}-{number}");
                number += 1;
            }
        }
        self.taken.insert(name.clone());
        self.names.insert(id, name.clone());
        self.due.push_back((id, name.clone()));
        name
    }

    /// Returns a type where it is used. `wish` is for a type that needs a name of its own.
    fn ty(&mut self, id: TypeId, wish: &str, at: &str) -> Type {
        let model = self.model;
        if model.ty(id).name.is_some() {
            return Type::Reference(self.name(id, wish), Vec::new());
        }
        if let Some(identity) = identity(model, id) {
            if let Some(owner) = self.owners.get(&identity).copied() {
                return Type::Reference(self.name(owner, wish), Vec::new());
            }
            if self.uses.get(&identity).is_some_and(|uses| *uses > 1) {
                self.owners.insert(identity, id);
                return Type::Reference(self.name(id, wish), Vec::new());
            }
        }
        if self.depth >= MAX_INLINE {
            return Type::Reference(self.name(id, wish), Vec::new());
        }
        self.kind_at(id, wish, at)
    }

    fn kind(&mut self, id: TypeId, name: &str) -> Type {
        self.kind_at(id, name, name)
    }

    fn kind_at(&mut self, id: TypeId, name: &str, at: &str) -> Type {
        let model = self.model;
        let ty = model.ty(id);
        let Constraints { value, size, alphabet, .. } = &ty.constraints;
        self.unseen(id, at);
        if ty.contents.is_some() {
            self.lose(at, "the type of its contents");
        }
        self.depth += 1;
        let result = match &ty.kind {
            Kind::Boolean => Type::Bool,
            Kind::Null => Type::Null,
            Kind::Real => Type::F64,
            Kind::Integer(names) => {
                if !names.is_empty() {
                    self.lose(at, "the names of its numbers");
                }
                integer(*value)
            }
            Kind::Enumerated(items) => {
                let number = |(name, number): &(_, i128)| Some((smol_str::SmolStr::to_string(name), i64::try_from(*number).ok()?));
                let all = items.root.iter().chain(&items.additions);
                let members: Vec<(String, i64)> = all.clone().filter_map(number).collect();
                if members.len() < all.count() {
                    self.lose(at, "names with numbers beyond 64 bits");
                }
                Type::Enumeration(Enumeration { members, extensible: items.extensible })
            }
            Kind::Bits(names) => {
                let bits = names.iter().filter_map(|(name, bit)| Some((name.to_string(), u64::try_from(*bit).ok()?))).collect();
                Type::BitString { bits, size: constraint(*size, None) }
            }
            Kind::Octets => Type::Bytes(constraint(*size, None)),
            Kind::Oid => Type::ObjectIdentifier,
            Kind::RelativeOid => self.text(at, "a relative object identifier"),
            Kind::OidIri | Kind::RelativeOidIri => self.text(at, "a path of an object identifier"),
            Kind::Text(StringKind::UtcTime) => Type::Timestamp(TimeUnit::Second),
            Kind::Text(StringKind::GeneralizedTime) => Type::Timestamp(TimeUnit::Nanosecond),
            Kind::Text(kind) => {
                let letters = alphabet.clone().or_else(|| match kind {
                    StringKind::Numeric | StringKind::Printable | StringKind::Visible | StringKind::Ia5 => Alphabet::of(*kind),
                    _ => None,
                });
                let constraint = constraint(*size, letters.as_ref().and_then(letters_of));
                match kind {
                    StringKind::Teletex
                    | StringKind::Videotex
                    | StringKind::Graphic
                    | StringKind::General
                    | StringKind::ObjectDescriptor => Type::Octets(constraint),
                    _ => Type::Text(constraint),
                }
            }
            Kind::Time(TimeKind::Date) => self.text(at, "a date"),
            Kind::Time(TimeKind::TimeOfDay) => self.text(at, "a time of day"),
            Kind::Time(TimeKind::DateTime) => self.text(at, "a moment without a zone"),
            Kind::Time(TimeKind::Duration) => self.text(at, "a duration"),
            Kind::Time(TimeKind::Time) => self.text(at, "a time"),
            Kind::Sequence(structure) | Kind::Set(structure) => {
                let mut fields: Vec<FieldType> = Vec::with_capacity(structure.root.len());
                for component in &structure.root {
                    fields.push(self.field(component, false, name, at));
                }
                let extension = structure.extensible.then_some(fields.len());
                for addition in &structure.additions {
                    match addition {
                        Addition::Component(component) => fields.push(self.field(component, true, name, at)),
                        Addition::Group(components, _) => {
                            for component in components {
                                fields.push(self.field(component, true, name, at));
                            }
                            let required = components.iter().filter(|component| component.presence == Presence::Required).count();
                            if required > 1 {
                                self.lose(at, "some of its fields are there together or not at all");
                            }
                        }
                    }
                }
                self.distinct(&mut fields, at);
                Type::Record(Record { fields, extension, unordered: matches!(ty.kind, Kind::Set(_)) })
            }
            Kind::SequenceOf(element) => {
                let inner = self.ty(*element, &format!("{name}-item"), at);
                Type::List(Box::new(inner), constraint(*size, None))
            }
            Kind::SetOf(element) => {
                let inner = self.ty(*element, &format!("{name}-item"), at);
                Type::Set(Box::new(inner), constraint(*size, None))
            }
            Kind::Choice(choice) => {
                let mut cases: Vec<Case> = Vec::new();
                for alternative in choice.root.iter().chain(&choice.additions) {
                    let place = format!("{at}.{}", alternative.name);
                    let carries = match model.ty(alternative.ty).kind {
                        Kind::Null => Vec::new(),
                        _ => vec![self.ty(alternative.ty, &format!("{name}-{}", alternative.name), &place)],
                    };
                    let doc = self.written.doc(alternative.at);
                    if cases.iter().all(|case| case.name != alternative.name.as_str()) {
                        cases.push(Case { name: alternative.name.to_string(), id: None, carries, doc });
                    }
                }
                Type::Sum(Sum { cases, extensible: choice.extensible, untagged: false })
            }
            Kind::Open => {
                if ty.table.is_some() {
                    self.lose(at, "the table that decides its type");
                }
                Type::Any
            }
            Kind::External | Kind::EmbeddedPdv | Kind::CharacterString => {
                self.lose(at, "a value with its own syntax became any value");
                Type::Any
            }
            Kind::Unknown => {
                self.lose(at, "its type is of a module that is not there");
                Type::Any
            }
        };
        self.depth -= 1;
        result
    }

    fn text(&mut self, at: &str, what: &str) -> Type {
        self.lose(at, format!("{what} became text"));
        Type::Text(Constraint::NONE)
    }

    fn field(&mut self, component: &Component, addition: bool, name: &str, at: &str) -> FieldType {
        let place = format!("{at}.{}", component.name);
        let ty = self.ty(component.ty, &format!("{name}-{}", component.name), &place);
        let (presence, default) = match &component.presence {
            // Older messages lack an addition.
            Presence::Required if addition => (Occurs::Optional, None),
            Presence::Required => (Occurs::Required, None),
            Presence::Optional => (Occurs::Optional, None),
            Presence::Default(value) => {
                let default = self.default(value, component.ty);
                if default.is_none() {
                    self.lose(&place, "its default");
                }
                (Occurs::Optional, default)
            }
        };
        FieldType { presence, default, doc: self.written.doc(component.at), ..FieldType::required(component.name.to_string(), ty) }
    }

    /// Makes names of fields different: X.208 lets names be left out.
    fn distinct(&mut self, fields: &mut [FieldType], at: &str) {
        let mut seen: HashSet<String> = HashSet::new();
        for field in fields {
            if field.name.is_empty() || seen.contains(&field.name) {
                let base = if field.name.is_empty() { "unnamed".to_string() } else { field.name.clone() };
                let mut name = base.clone();
                let mut number = 2;
                while seen.contains(&name) {
                    name = format!("{base}-{number}");
                    number += 1;
                }
                self.lose(at, format!("a component without a name of its own became `{name}`"));
                field.name = name;
            }
            seen.insert(field.name.clone());
        }
    }

    fn default(&self, value: &Given, ty: TypeId) -> Option<Value> {
        Some(match (value, &self.model.ty(ty).kind) {
            (Given::Boolean(value), _) => Value::Bool(*value),
            (Given::Null, _) => Value::Null,
            (Given::Integer(number), _) => match (u64::try_from(*number), i64::try_from(*number)) {
                (Ok(number), _) => Value::UInt(number),
                (_, Ok(number)) => Value::Int(number),
                _ => Value::Big(number.to_string()),
            },
            (Given::Digits(digits), _) => Value::Big(digits.to_string()),
            (Given::Real(text), _) => Value::F64(text.parse().ok()?),
            (Given::Enumerated(number), Kind::Enumerated(items)) => {
                let mut all = items.root.iter().chain(&items.additions).zip(0..);
                let ((name, _), index) = all.find(|((_, known), _)| known == number)?;
                Value::Variant { name: name.to_string(), index, values: Vec::new() }
            }
            (Given::Octets(bytes), _) => Value::Bytes(bytes.clone()),
            (Given::Text(text), Kind::Text(kind)) if !matches!(kind, StringKind::UtcTime | StringKind::GeneralizedTime) => {
                Value::Text(text.to_string())
            }
            (Given::List(items), _) if items.is_empty() => Value::List(Vec::new()),
            _ => return None,
        })
    }
}

/// Returns the type of a whole number: one of a width, if the bounds are those of the width.
fn integer(bounds: Option<Bounds>) -> Type {
    let Some(Bounds { range, extensible }) = bounds else { return Type::Integer(Constraint::NONE) };
    if let (Some(low), Some(high), false) = (range.low, range.high, extensible) {
        for width in [Width::W8, Width::W16, Width::W32, Width::W64] {
            let half = 1i128 << (width.bits() - 1);
            if (low, high) == (0, 2 * half - 1) {
                return Type::UInt(width);
            }
            if (low, high) == (-half, half - 1) {
                return Type::Int(width);
            }
        }
    }
    Type::Integer(Constraint { low: range.low, high: range.high, extensible, alphabet: None })
}

/// Returns whether PER sees the sizes and values of a type, or nobody knows them here.
fn is_sized(kind: &TypeKind) -> bool {
    match kind {
        TypeKind::Text(kind) => Alphabet::of(*kind).is_some(),
        TypeKind::Real | TypeKind::Oid | TypeKind::RelativeOid | TypeKind::Boolean | TypeKind::Null => false,
        _ => true,
    }
}

fn constraint(size: Option<Bounds>, alphabet: Option<String>) -> Constraint {
    let bounds = size.map_or(Constraint::NONE, |size| Constraint {
        low: size.range.low.filter(|low| *low > 0 || size.range.high.is_some()),
        high: size.range.high,
        extensible: size.extensible,
        alphabet: None,
    });
    Constraint { alphabet, ..bounds }
}

/// Returns the characters of an alphabet, unless they are too many to be listed.
pub fn letters_of(alphabet: &Alphabet) -> Option<String> {
    let few = alphabet.len() <= 1000;
    few.then(|| alphabet.ranges().iter().flat_map(|(low, high)| (*low..=*high).filter_map(char::from_u32)).collect())
}

/// Returns the name of the type with parameters that a type is an instance of: it is at that name.
fn instance(model: &Model, id: TypeId) -> Option<&str> {
    let at = model.ty(id).at;
    let word = model.sources.get(at.source as usize)?.text.get(at.range())?;
    let is_name = word.starts_with(|first: char| first.is_ascii_uppercase())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        && !KEYWORDS.contains(&word);
    is_name.then_some(word)
}
