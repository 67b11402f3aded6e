//! The parts of a dictionary.

use std::collections::HashMap;
use std::fmt;

use polywire_core::value::Value;

use crate::failure::Revision;
use crate::wire::codes::Simple;

/// Structures, brackets and arrays within each other at most, in texts and sections.
pub const MAX_NESTING: usize = 100;

/// Longest name of an enumerator in bytes (docs/spec/usds.md 2.1).
pub const MAX_ENUMERATOR: usize = 503;

/// A dictionary that passed all checks.
#[derive(Debug, Clone, PartialEq)]
pub struct Dictionary {
    pub(super) revision: Revision,
    pub(super) name: String,
    pub(super) identity: Identity,
    pub(super) tags: Vec<Tag>,
    pub(super) names: HashMap<String, u32>,
}

/// What tells dictionaries apart (docs/spec/usds.md 2.6). Versions are equal or not; none comes before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Identity {
    /// Number of the dictionary: up to 2³¹−1 in A.
    pub id: u32,
    /// Major version.
    pub major: u8,
    /// Minor version.
    pub minor: u8,
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} v{}.{}", self.id, self.major, self.minor)
    }
}

/// A named type.
#[derive(Debug, Clone, PartialEq)]
pub struct Tag {
    /// Name, unique among tags.
    pub name: String,
    /// Its type, never a link.
    pub ty: Type,
    /// Whether a body may have it at the top.
    pub root: bool,
}

/// A type.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// One value.
    Simple(Simple),
    /// Text.
    Text {
        /// Whether it is declared to be UTF-8. Else, it is any bytes.
        utf8: bool,
    },
    /// Any number of values of one type.
    Array(Box<Type>),
    /// Fields in the order of their ids, which are 1…n.
    Structure(Vec<Field>),
    /// The type of the tag of that id.
    Link(u32),
    /// One of several names with numbers.
    Enumeration(Enumeration),
    /// A structure of one of several tags, by their ids. A member that is a polymorph stands for its own members.
    Polymorph(Vec<u32>),
}

impl Type {
    /// Whether it is a link, or arrays of one: what no text has as a tag.
    pub fn is_link(&self) -> bool {
        let mut ty = self;
        while let Type::Array(element) = ty {
            ty = element;
        }
        matches!(ty, Type::Link(_))
    }
}

/// A field of a structure.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Name, unique in its structure.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether it may be null.
    pub nullable: bool,
    /// What it starts with.
    pub default: Option<Default>,
}

/// What a field starts with.
#[derive(Debug, Clone, PartialEq)]
pub enum Default {
    /// A truth value, a number, or text: of the field's type.
    Value(Value),
    /// A number of an enumeration, which need not be an enumerator (docs/spec/usds.md 9, usds-D21).
    Number(i64),
}

/// Names with numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enumeration {
    /// Type of the numbers.
    pub subtype: Simple,
    /// Names and numbers in the order of their definition; both are unique.
    pub members: Vec<(String, i64)>,
}

impl Dictionary {
    /// The revision of its text or section: [`Revision::B`] for texts of the syntax of 2017.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The revision of bodies and sections that it is written with: its own, or the profile, if its types take that.
    pub fn wire(&self) -> Revision {
        if self.revision.is_a() || !self.needs_profile() { self.revision } else { Revision::Profile }
    }

    /// Whether it is written with the profile: it came so, or it is [extended](Dictionary::is_extended).
    pub fn needs_profile(&self) -> bool {
        self.revision == Revision::Profile || self.is_extended()
    }

    /// Whether revision B has no bytes for what it says.
    pub fn is_extended(&self) -> bool {
        fn extended(ty: &Type) -> bool {
            match ty {
                Type::Simple(simple) => !simple.is_plain(),
                Type::Text { .. } | Type::Link(_) => false,
                Type::Array(element) => extended(element),
                Type::Structure(fields) => fields.iter().any(|field| field.nullable || field.default.is_some() || extended(&field.ty)),
                Type::Enumeration(_) | Type::Polymorph(_) => true,
            }
        }
        self.tags.iter().any(|tag| extended(&tag.ty))
    }

    /// Its name; empty where it has none, as in A and in sections.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What tells it apart from others.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// All tags; the id of each is its position and 1.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// The tag of that id.
    pub fn tag(&self, id: u32) -> Option<&Tag> {
        self.tags.get((id as usize).checked_sub(1)?)
    }

    /// The id of the tag of that name.
    pub fn tag_id(&self, name: &str) -> Option<u32> {
        self.names.get(name).copied()
    }

    /// The type that a link leads to, or the type itself.
    pub fn resolve<'d>(&'d self, ty: &'d Type) -> &'d Type {
        match ty {
            Type::Link(id) => self.tag(*id).map_or(ty, |tag| &tag.ty),
            ty => ty,
        }
    }

    /// Sets what is known by the section's place and not by the section: the identity, which the head tells.
    #[must_use]
    pub(crate) fn identified(mut self, identity: Identity) -> Dictionary {
        self.identity = identity;
        self
    }
}

impl Identity {
    /// The head's ten bytes in front of the size (docs/spec/usds.md 5.1).
    pub fn head(self) -> [u8; 10] {
        let [a, b, c, d] = self.id.to_le_bytes();
        let [s, u, v, w] = crate::wire::codes::HEAD;
        [s, u, v, w, a, b, c, d, self.major, self.minor]
    }
}
