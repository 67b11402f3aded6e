//! Dictionaries before the checks: the syntax tree of both syntaxes, and of sections.

use polywire_core::schema::language::SchemaLoss;
use polywire_core::text::diagnostic::Place;
use polywire_core::value::Value;

use super::types::{Default as Start, Identity, Tag, Type};
use crate::error::Revision;
use crate::wire::codes::Simple;

/// An item with its place in the text or section.
#[derive(Debug, Clone, PartialEq)]
pub struct At<T> {
    /// The item.
    pub of: T,
    /// Its place.
    pub at: Place,
}

/// Returns an item with its place.
pub fn at<T>(of: T, at: Place) -> At<T> {
    At { of, at }
}

/// Dictionary as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// Revision of its syntax.
    pub revision: Revision,
    /// True if it is a section, for which some checks and codes differ.
    pub section: bool,
    /// Id; `None` if not given.
    pub id: Option<At<i128>>,
    /// Name (B).
    pub name: String,
    /// Major and minor version; `None` if not given.
    pub version: Option<(At<i128>, At<i128>)>,
    /// `ENCODE: UTF-8` (B).
    pub encode: bool,
    /// `ENUMERATOR:` and the type (B).
    pub enumerator: Option<At<Number>>,
    /// Tags in the order of the text.
    pub tags: Vec<Entry>,
    /// End of the list of tags.
    pub end: Place,
}

/// A tag or field.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Id; `None` if ids are assigned automatically.
    pub id: Option<At<i128>>,
    /// Name.
    pub name: At<String>,
    /// Type without its brackets.
    pub shape: Shape,
    /// Number of brackets after the type; each makes it an array.
    pub dims: usize,
    /// True if it is declared not to be a root (A).
    pub not_root: bool,
    /// True if it may be null.
    pub nullable: bool,
    /// Its default.
    pub default: Option<At<Literal>>,
}

/// A type without its brackets.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// One value, or an integer of 128 bits, with the place of its keyword.
    Number(At<Number>),
    /// Text.
    Text {
        /// True if an encoding is given.
        utf8: bool,
    },
    /// A structure.
    Structure {
        /// Fields in the order of the text.
        fields: Vec<Entry>,
        /// End of the list of fields.
        end: Place,
    },
    /// A link.
    Link(At<Target>),
    /// An enumeration.
    Enumeration {
        /// Type of the numbers; `None` if not given.
        subtype: Option<At<Number>>,
        /// Names, with values if given.
        members: Vec<Named>,
    },
    /// A polymorph.
    Polymorph(Vec<At<Target>>),
}

/// An enumerator: its name, and its number if given.
pub type Named = (At<String>, Option<At<i128>>);

/// Single-value type, including types that are not supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// A supported type.
    Simple(Simple),
    /// INT128.
    Int128,
    /// UINT128.
    Uint128,
}

impl Number {
    /// Returns the keyword in B.
    pub const fn keyword(self) -> &'static str {
        match self {
            Number::Simple(simple) => simple.keyword(),
            Number::Int128 => "INT128",
            Number::Uint128 => "UINT128",
        }
    }

    /// Returns the type with that keyword in B.
    pub fn of(keyword: &str) -> Option<Number> {
        match keyword {
            "INT128" => Some(Number::Int128),
            "UINT128" => Some(Number::Uint128),
            _ => Simple::ALL.into_iter().find(|simple| simple.keyword() == keyword).map(Number::Simple),
        }
    }
}

/// Target of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The tag of that name, in texts.
    Name(String),
    /// The tag of that id, in sections.
    Id(u32),
}

/// Default as written.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Whole(i128),
    /// A float, as spelled.
    Decimal(String),
    /// Text without escapes.
    Text(String),
    /// Name of an enumerator.
    Name(String),
    /// A float from a section, where every bit pattern is possible.
    Bits(Value),
}

impl Draft {
    /// Returns the draft of these parts, with explicit ids.
    pub(crate) fn of(revision: Revision, name: &str, identity: Identity, tags: &[Tag]) -> Draft {
        let nowhere = Place::default();
        let names: Vec<&str> = tags.iter().map(|tag| tag.name.as_str()).collect();
        let entries = tags.iter().enumerate().map(|(n, tag)| Entry { not_root: !tag.root, ..entry(n, &tag.name, &tag.ty, &names) });
        Draft {
            revision,
            section: false,
            id: Some(at(i128::from(identity.id), nowhere)),
            name: name.to_string(),
            version: Some((at(i128::from(identity.major), nowhere), at(i128::from(identity.minor), nowhere))),
            encode: false,
            enumerator: None,
            tags: entries.collect(),
            end: nowhere,
        }
    }

    /// Returns the draft with names that texts allow, and with a name of its own. Reports the
    /// changes to `losses`.
    #[must_use]
    pub(crate) fn sayable(mut self, losses: &mut Vec<SchemaLoss>) -> Draft {
        let revision = self.revision;
        if !revision.is_a() && !super::lex::is_name(&self.name, revision) {
            let name = if self.name.is_empty() { "Dictionary".to_string() } else { format!("{}_", self.name) };
            losses.push(SchemaLoss { at: self.name.clone(), what: format!("the dictionary is called `{name}`") });
            self.name = name;
        }
        let renamed = rename(&mut self.tags, "", revision, losses);
        relink(&mut self.tags, &renamed);
        if !revision.is_a() {
            for tag in self.tags.iter().filter(|tag| tag.not_root && !matches!((&tag.shape, tag.dims), (Shape::Polymorph(_), 0))) {
                losses.push(SchemaLoss { at: tag.name.of.clone(), what: "it became a root".into() });
            }
        }
        losses.extend(endings(&mut self.tags));
        self
    }
}

/// Renames entries whose names are keywords. Returns the old and the new names.
fn rename(entries: &mut [Entry], at: &str, revision: Revision, losses: &mut Vec<SchemaLoss>) -> Vec<(String, String)> {
    let mut taken: std::collections::HashSet<String> = entries.iter().map(|entry| entry.name.of.clone()).collect();
    let mut renamed = Vec::new();
    for entry in entries {
        let place = if at.is_empty() { entry.name.of.clone() } else { format!("{at}.{}", entry.name.of) };
        if !super::lex::is_name(&entry.name.of, revision) {
            let mut name = format!("{}_", entry.name.of);
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            losses.push(SchemaLoss { at: place.clone(), what: format!("its name became `{name}`") });
            renamed.push((std::mem::replace(&mut entry.name.of, name.clone()), name));
        }
        match &mut entry.shape {
            Shape::Structure { fields, .. } => drop(rename(fields, &place, revision, losses)),
            Shape::Enumeration { members, .. } => enumerators(members, &place, revision, losses),
            _ => {}
        }
    }
    renamed
}

/// Renames enumerators in the same way. Their defaults are numbers.
fn enumerators(members: &mut [Named], at: &str, revision: Revision, losses: &mut Vec<SchemaLoss>) {
    let mut taken: std::collections::HashSet<String> = members.iter().map(|(name, _)| name.of.clone()).collect();
    for (name, _) in members.iter_mut().filter(|(name, _)| !super::lex::is_name(&name.of, revision)) {
        let mut new = format!("{}_", name.of);
        while !taken.insert(new.clone()) {
            new.push('_');
        }
        losses.push(SchemaLoss { at: format!("{at}.{}", name.of), what: format!("its name became `{new}`") });
        name.of = new;
    }
}

fn relink(entries: &mut [Entry], renamed: &[(String, String)]) {
    if renamed.is_empty() {
        return;
    }
    let change = |target: &mut At<Target>| {
        if let Target::Name(name) = &mut target.of
            && let Some((_, new)) = renamed.iter().find(|(old, _)| old == name)
        {
            name.clone_from(new);
        }
    };
    for entry in entries {
        match &mut entry.shape {
            Shape::Link(target) => change(target),
            Shape::Polymorph(targets) => targets.iter_mut().for_each(change),
            Shape::Structure { fields, .. } => relink(fields, renamed),
            _ => {}
        }
    }
}

/// Drops defaults that no literal can express: text with a backslash at its end, and floats without
/// digits.
fn endings(entries: &mut [Entry]) -> Vec<SchemaLoss> {
    let mut losses = Vec::new();
    for entry in entries {
        let unsaid = match &entry.default {
            Some(At { of: Literal::Text(text), .. }) => text.ends_with('\\'),
            Some(At { of: Literal::Bits(_), .. }) => true,
            _ => false,
        };
        if unsaid {
            entry.default = None;
            losses.push(SchemaLoss { at: entry.name.of.clone(), what: "its default is left out".into() });
        }
        if let Shape::Structure { fields, .. } = &mut entry.shape {
            losses.extend(endings(fields));
        }
    }
    losses
}

fn entry(position: usize, name: &str, ty: &Type, names: &[&str]) -> Entry {
    let nowhere = Place::default();
    let mut dims = 0;
    let mut inner = ty;
    while let Type::Array(element) = inner {
        dims += 1;
        inner = element;
    }
    let target = |id: &u32| {
        let name = (*id as usize).checked_sub(1).and_then(|index| names.get(index));
        at(name.map_or(Target::Id(*id), |name| Target::Name(name.to_string())), nowhere)
    };
    let shape = match inner {
        Type::Simple(simple) => Shape::Number(at(Number::Simple(*simple), nowhere)),
        Type::Text { utf8 } => Shape::Text { utf8: *utf8 },
        Type::Link(id) => Shape::Link(target(id)),
        Type::Polymorph(members) => Shape::Polymorph(members.iter().map(target).collect()),
        Type::Enumeration(enumeration) => Shape::Enumeration {
            subtype: Some(at(Number::Simple(enumeration.subtype), nowhere)),
            members: enumeration
                .members
                .iter()
                .map(|(name, value)| (at(name.clone(), nowhere), Some(at(i128::from(*value), nowhere))))
                .collect(),
        },
        Type::Structure(fields) => Shape::Structure {
            fields: fields
                .iter()
                .enumerate()
                .map(|(n, field)| Entry {
                    nullable: field.nullable,
                    default: field.default.as_ref().map(|start| at(literal(start), nowhere)),
                    ..entry(n, &field.name, &field.ty, names)
                })
                .collect(),
            end: nowhere,
        },
        Type::Array(_) => unreachable!("arrays were taken off"),
    };
    let id = Some(at(position as i128 + 1, nowhere));
    Entry { id, name: at(name.to_string(), nowhere), shape, dims, not_root: false, nullable: false, default: None }
}

fn literal(start: &Start) -> Literal {
    match start {
        Start::Number(number) => Literal::Whole(i128::from(*number)),
        Start::Value(Value::Bool(value)) => Literal::Bool(*value),
        Start::Value(Value::Int(value)) => Literal::Whole(i128::from(*value)),
        Start::Value(Value::UInt(value)) => Literal::Whole(i128::from(*value)),
        Start::Value(Value::Text(text)) => Literal::Text(text.clone()),
        Start::Value(Value::F64(value)) if value.is_finite() => Literal::Decimal(decimal(&format!("{value:?}"), &format!("{value}"))),
        Start::Value(Value::F32(value)) if value.is_finite() => Literal::Decimal(decimal(&format!("{value:?}"), &format!("{value}"))),
        Start::Value(value) => Literal::Bits(value.clone()),
    }
}

/// Returns the shortest digits of a float in the syntax of docs/spec/usds.md 2.3, which allows an
/// exponent only after a fraction.
fn decimal(short: &str, plain: &str) -> String {
    match short.split_once('e') {
        None => plain.to_string(),
        Some((digits, exponent)) if digits.contains('.') => format!("{digits}e{exponent}"),
        Some((digits, exponent)) => format!("{digits}.0e{exponent}"),
    }
}
