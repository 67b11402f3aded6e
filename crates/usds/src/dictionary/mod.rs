//! A dictionary: tags with their names, ids and types.
//!
//! Texts are read by [`parse`], as [`Draft`](draft::Draft)s at first; a dictionary is a draft that all checks of section 2.4 let pass. The binary section comes
//! the same way, by [`section`].

mod check;
pub mod draft;
mod lex;
mod parse;
mod parse_a;
mod parse_b;
mod print;
pub mod section;

use std::collections::HashMap;
use std::fmt;

use polywire_core::schema::language::SchemaLoss;
use polywire_core::text::diagnostic::{Diagnostics, Source};
use polywire_core::value::Value;

use crate::failure::{Problem, Revision};
use crate::wire::codes::Simple;

/// Whether texts of revision B can have it as a name.
pub(crate) fn is_name(word: &str) -> bool {
    lex::is_name(word, Revision::B)
}

/// Structures, brackets and arrays within each other at most, in texts and sections.
pub const MAX_NESTING: usize = 100;

/// Longest name of an enumerator in bytes (section 2.1).
pub const MAX_ENUMERATOR: usize = 503;

/// A dictionary that passed all checks.
#[derive(Debug, Clone, PartialEq)]
pub struct Dictionary {
    revision: Revision,
    name: String,
    identity: Identity,
    tags: Vec<Tag>,
    names: HashMap<String, u32>,
}

/// What tells dictionaries apart (section 2.6). Versions are equal or not; none comes before another.
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
    /// A number of an enumeration, which need not be an enumerator (section 9, D21).
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

/// What one dictionary cannot be: all that was found.
pub type Refused = Diagnostics;

/// The dictionary of a text, and where what it says stands.
pub(crate) fn located(name: &str, text: &[u8]) -> Result<(Source, draft::Draft, Dictionary), Refused> {
    let (source, draft, mut findings) = parse::draft(name, text);
    match draft {
        Some(draft) if findings.is_empty() => match check::resolve(&draft) {
            Ok(dictionary) => Ok((source, draft, dictionary)),
            Err(found) => Err(check::diagnostics(found, source)),
        },
        Some(draft) => {
            findings.extend(check::passing(&draft));
            Err(check::diagnostics(findings, source))
        }
        None => Err(check::diagnostics(findings, source)),
    }
}

impl Dictionary {
    /// The dictionary of a text, of whichever revision its first words are; `name` is what people know the text by.
    ///
    /// # Errors
    /// All mistakes that can be told in one run, the one that the original would have told first in front. `usds` of a finding's details is
    /// its number by section 8.
    pub fn parse(name: &str, text: &[u8]) -> Result<Dictionary, Refused> {
        located(name, text).map(|(_, _, dictionary)| dictionary)
    }

    /// The dictionary of these parts.
    ///
    /// # Errors
    /// Those of a text that says the same.
    pub fn new(revision: Revision, name: &str, identity: Identity, tags: &[Tag]) -> Result<Dictionary, Refused> {
        let draft = draft::Draft::of(revision, name, identity, tags);
        check::resolve(&draft).map_err(|found| check::diagnostics(found, Source::new(name, "")))
    }

    /// The text laid out in one way, with the same meaning.
    ///
    /// # Errors
    /// Its mistakes of syntax: all of them.
    pub fn format(name: &str, text: &[u8]) -> Result<String, Refused> {
        let (source, draft, findings) = parse::draft(name, text);
        match draft {
            Some(draft) if findings.is_empty() => Ok(print::print(&draft)),
            _ => Err(check::diagnostics(findings, source)),
        }
    }

    /// The dictionary as text of its revision, and what a text cannot say of it: dictionaries that come from sections may have names that are keywords, no
    /// name of their own, and structures that are no roots (B).
    ///
    /// # Errors
    /// A structure that holds itself, of which there is no value, or a tag that is an array of another tag: sections have these, and texts do not.
    pub fn to_text(&self) -> Result<(String, Vec<SchemaLoss>), Problem> {
        if self.tags.iter().any(|tag| tag.ty.is_link()) {
            return Err(Problem::TagType);
        }
        let mut losses = Vec::new();
        let draft = draft::Draft::of(self.revision, &self.name, self.identity, &self.tags).sayable(&mut losses);
        if check::resolve(&draft).is_err() {
            return Err(Problem::Recursion);
        }
        Ok((print::print(&draft), losses))
    }

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
    /// The head's ten bytes in front of the size (section 5.1).
    pub fn head(self) -> [u8; 10] {
        let [a, b, c, d] = self.id.to_le_bytes();
        let [s, u, v, w] = crate::wire::codes::HEAD;
        [s, u, v, w, a, b, c, d, self.major, self.minor]
    }
}
