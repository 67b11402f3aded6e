//! Parts of a dictionary.

use std::collections::HashMap;
use std::fmt;

use polywire_core::value::Value;

use crate::error::Revision;
use crate::wire::codes::Simple;

/// Maximum nesting of structures, brackets and arrays, in texts and sections.
pub const MAX_NESTING: usize = 100;

/// Maximum length of an enumerator's name in bytes (docs/spec/usds.md 2.1).
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

/// Id and version of a dictionary (docs/spec/usds.md 2.6). Versions are equal or different; they
/// have no order.
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
    /// Type, never a link.
    pub ty: Type,
    /// True if the tag may be a root of a body.
    pub root: bool,
}

/// A type.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// One value.
    Simple(Simple),
    /// Text.
    Text {
        /// True if the text is declared to be UTF-8. Otherwise it may be any bytes.
        utf8: bool,
    },
    /// Any number of values of one type.
    Array(Box<Type>),
    /// Fields in the order of their ids, which are 1…n.
    Structure(Vec<Field>),
    /// The type of the tag with that id.
    Link(u32),
    /// An enumeration.
    Enumeration(Enumeration),
    /// A structure of one of several tags, by their ids. A member that is a polymorph stands for
    /// its own members.
    Polymorph(Vec<u32>),
}

impl Type {
    /// Returns whether the type is a link, or arrays of one; no text has such a tag.
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
    /// True if it may be null.
    pub nullable: bool,
    /// Initial value.
    pub default: Option<Default>,
}

/// Initial value of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Default {
    /// A boolean, a number, or text, of the field's type.
    Value(Value),
    /// A number of an enumeration, which need not be an enumerator (usds-D21).
    Number(i64),
}

/// An enumeration: names with numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enumeration {
    /// Type of the numbers.
    pub subtype: Simple,
    /// Names and numbers in the order of their definition; both are unique.
    pub members: Vec<(String, i64)>,
}

impl Dictionary {
    /// Returns the revision of its text or section: [`Revision::B`] for texts of the syntax of
    /// 2017.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns the revision in which bodies and sections are written: its own, or the profile, if
    /// its types need that.
    pub fn wire(&self) -> Revision {
        if self.revision.is_a() || !self.needs_profile() { self.revision } else { Revision::Profile }
    }

    /// Returns whether it is written in the profile: it came so, or it is
    /// [extended](Dictionary::is_extended).
    pub fn needs_profile(&self) -> bool {
        self.revision == Revision::Profile || self.is_extended()
    }

    /// Returns whether revision B cannot encode its types.
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

    /// Returns the name; empty in A and in sections.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the identity.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// Returns all tags; the id of each is its position plus 1.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// Returns the tag with that id.
    pub fn tag(&self, id: u32) -> Option<&Tag> {
        self.tags.get((id as usize).checked_sub(1)?)
    }

    /// Returns the id of the tag with that name.
    pub fn tag_id(&self, name: &str) -> Option<u32> {
        self.names.get(name).copied()
    }

    /// Returns the type that a link refers to, or the type itself.
    pub fn resolve<'d>(&'d self, ty: &'d Type) -> &'d Type {
        match ty {
            Type::Link(id) => self.tag(*id).map_or(ty, |tag| &tag.ty),
            ty => ty,
        }
    }

    /// Sets the identity, which the head contains and not the section.
    #[must_use]
    pub(crate) fn identified(mut self, identity: Identity) -> Dictionary {
        self.identity = identity;
        self
    }
}

impl Identity {
    /// Returns the ten bytes of the head before the size (docs/spec/usds.md 5.1).
    pub fn head(self) -> [u8; 10] {
        let [a, b, c, d] = self.id.to_le_bytes();
        let [s, u, v, w] = crate::wire::codes::HEAD;
        [s, u, v, w, a, b, c, d, self.major, self.minor]
    }
}
