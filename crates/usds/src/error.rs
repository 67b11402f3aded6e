//! Errors of decoders and encoders, with the error codes of docs/spec/usds.md 8.

use std::borrow::Cow;
use std::fmt;

use polywire_core::walk::{Path, PathStep};
use polywire_core::{Error, ErrorKind, Fault};

/// Revision of the wire format (docs/spec/usds.md 1 and docs/usds-profile.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Revision {
    /// Autumn 2015: the revision that works end to end and has published measurements.
    A,
    /// December 2017: another syntax and other type codes.
    B,
    /// Revision B, completed: everything that its dictionaries can express has an encoding.
    Profile,
}

impl Revision {
    /// Returns the name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Revision::A => "A",
            Revision::B => "B",
            Revision::Profile => "profile",
        }
    }

    /// Returns whether this is revision A; B and the profile share most rules.
    pub const fn is_a(self) -> bool {
        matches!(self, Revision::A)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Kind of error, independent of the revision that assigns its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Problem {
    /// There are no bytes at all.
    Empty,
    /// The bytes end too early.
    End,
    /// A number of variable length is too large.
    Overflow,
    /// A number of variable length is longer than necessary.
    Padded,
    /// A boolean byte is neither true nor false.
    Boolean,
    /// A signed number of variable length is padded, or a negative zero.
    Varint,
    /// A number is out of range for its type.
    Range,
    /// A type code does not exist.
    TypeCode,
    /// An encoding code does not exist.
    EncodingCode,
    /// The text of a dictionary breaks the grammar.
    Syntax,
    /// A dictionary text is declared to have an encoding other than UTF-8.
    TextEncoding,
    /// The id or version of a dictionary is invalid.
    DictionaryId,
    /// A dictionary declares an encoding other than UTF-8 (A).
    DictionaryEncoding,
    /// A dictionary has no tags.
    NoTags,
    /// Two tags have the same name.
    TagName,
    /// The ids of tags are not 1…n.
    TagId,
    /// A tag has a type that tags cannot have.
    TagType,
    /// The ids of fields are not 1…n.
    FieldId,
    /// Two fields have the same name.
    FieldName,
    /// A field has a type that fields cannot have.
    FieldType,
    /// A structure has no fields.
    NoFields,
    /// A structure contains itself.
    Recursion,
    /// The elements of an array are not tags (A).
    ElementType,
    /// The element of an array is an unknown tag (A).
    ElementUnknown,
    /// An array tag has itself as element.
    ArrayRecursion,
    /// The dictionary is unknown, or already known.
    Dictionary,
    /// No dictionary is known, and none is given.
    NoDictionary,
    /// A dictionary section has size 0.
    EmptySection,
    /// A type has no encoding in a dictionary section.
    SectionType,
    /// The bytes are not a document.
    Document,
    /// The bytes are not a dictionary section.
    Section,
    /// A root has an unknown tag.
    RootUnknown,
    /// A tag is not a root.
    NotRoot,
    /// A tag or field does not exist.
    NotFound,
    /// A field is not set.
    Unset,
    /// A field that is not nullable is null.
    NotNullable,
    /// A type has 128 bits.
    Wide,
    /// A type has no encoding in the body to be written.
    WriteType,
    /// A type has no encoding in the body that is read.
    ReadType,
    /// An id is 0; ids start at 1 (B).
    Id,
    /// A link names an unknown tag.
    LinkName,
    /// A link has an unknown id.
    LinkId,
    /// A link refers to a link.
    LinkOfLink,
    /// Text is not in the encoding that the dictionary declares.
    Text,
    /// The name of an enumerator is too long.
    EnumeratorLong,
    /// Two enumerators have the same value.
    EnumeratorValue,
    /// Two enumerators have the same name.
    EnumeratorName,
    /// The numbers of an enumeration have a type that is not allowed.
    Subtype,
    /// A default names an unknown enumerator.
    EnumeratorUnknown,
    /// A value is not an enumerator.
    NoEnumerator,
    /// A polymorph lists a tag that is neither a structure nor a polymorph.
    MemberType,
    /// A polymorph contains itself.
    PolymorphRecursion,
    /// A value cannot be converted to the type.
    Conversion,
    /// A limit of this reader is exceeded; it has no code.
    Limit,
}

impl Problem {
    /// Returns the code in a revision (docs/spec/usds.md 8). Errors that revision A has no code for
    /// have that of B. A limit has none.
    pub const fn code(self, revision: Revision) -> Option<u32> {
        let (a, b) = match self {
            Problem::Empty => (2002, 22),
            Problem::End => (2003, 23),
            Problem::Overflow => (2004, 24),
            Problem::Padded => (25, 25),
            Problem::Boolean => (26, 26),
            Problem::Varint => (27, 27),
            Problem::Range => (16001, 202),
            Problem::TypeCode => (5007, 1001),
            Problem::EncodingCode => (5002, 1002),
            Problem::Syntax => (4001, 4001),
            Problem::TextEncoding => (4002, 4002),
            Problem::DictionaryId => (5001, 202),
            Problem::DictionaryEncoding => (5002, 1002),
            Problem::NoTags => (5002, 5002),
            Problem::TagName => (5004, 5004),
            Problem::TagId => (5005, 5005),
            Problem::TagType => (5007, 5007),
            Problem::FieldId => (6002, 6002),
            Problem::FieldName => (6003, 6003),
            Problem::FieldType => (6004, 6004),
            Problem::NoFields => (6009, 6009),
            Problem::Recursion => (6011, 6011),
            Problem::ElementType => (8002, 8002),
            Problem::ElementUnknown => (8004, 8004),
            Problem::ArrayRecursion => (8008, 8008),
            Problem::Dictionary => (9001, 9001),
            Problem::NoDictionary => (9001, 9005),
            Problem::EmptySection => (9003, 9003),
            Problem::SectionType => (10001, 10001),
            Problem::Document => (11001, 11001),
            Problem::Section => (12001, 12001),
            Problem::RootUnknown => (13002, 5005),
            Problem::NotRoot => (13002, 13006),
            Problem::NotFound => (14001, 14001),
            Problem::Unset => (14004, 14004),
            Problem::NotNullable => (14003, 14003),
            Problem::Wide => (22001, 22001),
            Problem::WriteType => (23001, 23001),
            Problem::ReadType => (24001, 24001),
            Problem::Id => (25003, 25003),
            Problem::LinkName => (26001, 26001),
            Problem::LinkId => (5005, 5005),
            Problem::LinkOfLink => (26005, 26005),
            Problem::Text => (29006, 29006),
            Problem::EnumeratorLong => (30001, 30001),
            Problem::EnumeratorValue => (30004, 30004),
            Problem::EnumeratorName => (30005, 30005),
            Problem::Subtype => (30007, 30007),
            Problem::EnumeratorUnknown => (30010, 30010),
            Problem::NoEnumerator => (31010, 31010),
            Problem::MemberType => (32003, 32003),
            Problem::PolymorphRecursion => (32006, 32006),
            Problem::Conversion => (15001, 201),
            Problem::Limit => return None,
        };
        Some(if revision.is_a() { a } else { b })
    }

    /// Returns the text for people: what was seen.
    pub const fn text(self) -> &'static str {
        match self {
            Problem::Empty => "no bytes",
            Problem::End => "the end of the bytes",
            Problem::Overflow => "a number that is too big",
            Problem::Padded => "a number with a zero byte behind it",
            Problem::Boolean => "a byte that is neither 00 nor FF",
            Problem::Varint => "a signed number that is padded, or a negative zero",
            Problem::Range => "a number that does not fit",
            Problem::TypeCode => "an unknown type code",
            Problem::EncodingCode => "an unknown encoding code",
            Problem::Syntax => "a mistake of syntax",
            Problem::TextEncoding => "text that is not UTF-8",
            Problem::DictionaryId => "an id or version that no dictionary can have",
            Problem::DictionaryEncoding => "another encoding than UTF-8",
            Problem::NoTags => "a dictionary without tags",
            Problem::TagName => "a second tag of that name",
            Problem::TagId => "ids of tags that are not 1 to n",
            Problem::TagType => "a type that no tag can have",
            Problem::FieldId => "ids of fields that are not 1 to n",
            Problem::FieldName => "a second field of that name",
            Problem::FieldType => "a type that no field can have",
            Problem::NoFields => "a structure without fields",
            Problem::Recursion => "a structure that holds itself",
            Problem::ElementType => "an array of something else than a tag",
            Problem::ElementUnknown | Problem::LinkName | Problem::LinkId => "a tag that the dictionary does not have",
            Problem::ArrayRecursion => "an array of itself",
            Problem::Dictionary => "a dictionary that is not known",
            Problem::NoDictionary => "no dictionary at all",
            Problem::EmptySection => "a dictionary of no bytes",
            Problem::SectionType => "a type that dictionary sections cannot express",
            Problem::Document => "bytes that are no part of a document",
            Problem::Section => "bytes that are no part of a dictionary section",
            Problem::RootUnknown => "a root whose id the dictionary does not have",
            Problem::NotRoot => "a tag that is not a root",
            Problem::NotFound => "a name or id that the dictionary does not have",
            Problem::Unset => "a field that was not set",
            Problem::NotNullable => "null",
            Problem::Wide => "an integer of 128 bits",
            Problem::WriteType | Problem::ReadType => "a dictionary whose types have no bytes in this revision",
            Problem::Id => "an id below 1",
            Problem::LinkOfLink => "a link to a link",
            Problem::Text => "text that is not UTF-8",
            Problem::EnumeratorLong => "the name of an enumerator that is too long",
            Problem::EnumeratorValue => "a second enumerator of that value",
            Problem::EnumeratorName => "a second enumerator of that name",
            Problem::Subtype => "a type that enumerators cannot have",
            Problem::EnumeratorUnknown | Problem::NoEnumerator => "a value that is no enumerator",
            Problem::MemberType => "a polymorph of something else than structures and polymorphs",
            Problem::PolymorphRecursion => "a polymorph that reaches itself",
            Problem::Conversion => "a value of another kind",
            Problem::Limit => "more levels or values than are allowed",
        }
    }

    const fn kind(self) -> ErrorKind {
        match self {
            Problem::Empty | Problem::End => ErrorKind::Truncated,
            Problem::Overflow | Problem::Range => ErrorKind::Range,
            Problem::Text | Problem::TextEncoding => ErrorKind::Encoding,
            Problem::Limit => ErrorKind::Limit,
            Problem::WriteType | Problem::ReadType | Problem::SectionType | Problem::Wide => ErrorKind::Unsupported,
            _ => ErrorKind::Syntax,
        }
    }
}

/// Reason why bytes are refused, with their offset and path. It takes one machine word, so that
/// success costs little.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    problem: Problem,
    revision: Revision,
    at: usize,
    /// Steps of the path, innermost first.
    path: Vec<PathStep>,
    seen: Cow<'static, str>,
}

impl DecodeError {
    /// Returns the error for a problem at byte `at`.
    #[cold]
    pub fn new(problem: Problem, revision: Revision, at: usize) -> DecodeError {
        DecodeError(Box::new(Inner { problem, revision, at, path: Vec::new(), seen: Cow::Borrowed("") }))
    }

    /// Sets the text of what was seen.
    #[must_use]
    pub fn seen(mut self, seen: impl Into<Cow<'static, str>>) -> DecodeError {
        self.0.seen = seen.into();
        self
    }

    /// Adds `step` in front of the path.
    #[must_use]
    #[cold]
    pub fn below(mut self, step: PathStep) -> DecodeError {
        self.0.path.push(step);
        self
    }

    /// Adds `offset` to the offset of the error.
    #[must_use]
    pub fn after(mut self, offset: usize) -> DecodeError {
        self.0.at += offset;
        self
    }

    /// Returns the kind of error.
    pub fn problem(&self) -> Problem {
        self.0.problem
    }

    /// Returns the revision that assigns the code.
    pub fn revision(&self) -> Revision {
        self.0.revision
    }

    /// Returns the code of docs/spec/usds.md 8; `None` for a limit of this reader.
    pub fn code(&self) -> Option<u32> {
        self.0.problem.code(self.0.revision)
    }

    /// Returns the offset of the refused value, or of the end where bytes are missing.
    pub fn offset(&self) -> usize {
        self.0.at
    }

    /// Returns the names of tags and fields, and the indices, outermost first.
    pub fn path(&self) -> Path {
        Path(self.0.path.iter().rev().cloned().collect())
    }

    /// Converts the error into the error of a walk over a message at offset `base` of a stream.
    pub fn into_error(self, base: u64) -> Error {
        let path = self.path();
        let error = Error::new(self.0.problem.kind(), Fault::Data).at(base + self.0.at as u64).seen(self.words());
        if path.0.is_empty() { error } else { error.path_is(path) }
    }

    fn words(&self) -> String {
        let Inner { problem, seen, .. } = &*self.0;
        let seen: &str = if seen.is_empty() { problem.text() } else { seen };
        match self.code() {
            Some(code) => format!("{seen} (USDS error {code})"),
            None => seen.to_string(),
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at byte {}", self.words(), self.0.at)?;
        if self.0.path.is_empty() { Ok(()) } else { write!(f, ", in {}", self.path()) }
    }
}

impl std::error::Error for DecodeError {}
