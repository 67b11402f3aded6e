//! What is refused, with the error codes of docs/spec/usds.md 8.

use std::borrow::Cow;
use std::fmt;

use polywire_core::walk::{Path, PathStep};
use polywire_core::{Error, ErrorKind, Fault};

/// The revisions of the wire (docs/spec/usds.md 1, and `docs/usds-profile.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Revision {
    /// Autumn 2015: what works end to end, and what measurements were published of.
    A,
    /// December 2017: another syntax, other type codes.
    B,
    /// Revision B, completed: everything that its dictionaries can say has bytes.
    Profile,
}

impl Revision {
    /// Its name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Revision::A => "A",
            Revision::B => "B",
            Revision::Profile => "profile",
        }
    }

    /// Whether it is A, for what B and the profile share.
    pub const fn is_a(self) -> bool {
        matches!(self, Revision::A)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is wrong, apart from the revision that gives it a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Problem {
    /// No bytes at all.
    Empty,
    /// The bytes end too early.
    End,
    /// A number of variable length is too big.
    Overflow,
    /// A number of variable length is longer than it has to be.
    Padded,
    /// A byte that is neither true nor false.
    Boolean,
    /// A signed number of variable length is padded, or a negative zero.
    Varint,
    /// A number does not fit where it stands.
    Range,
    /// A type code that there is not.
    TypeCode,
    /// An encoding code that there is not.
    EncodingCode,
    /// The text of a dictionary breaks the grammar.
    Syntax,
    /// The text of a dictionary is declared to be something else than UTF-8.
    TextEncoding,
    /// The id or version of a dictionary.
    DictionaryId,
    /// A dictionary declares another encoding than UTF-8 (A).
    DictionaryEncoding,
    /// A dictionary without tags.
    NoTags,
    /// Two tags of one name.
    TagName,
    /// The ids of tags are not 1…n.
    TagId,
    /// A tag has a type that tags do not have.
    TagType,
    /// The ids of fields are not 1…n.
    FieldId,
    /// Two fields of one name.
    FieldName,
    /// A field has a type that fields do not have.
    FieldType,
    /// A structure without fields.
    NoFields,
    /// A structure holds itself.
    Recursion,
    /// The elements of an array are not tags (A).
    ElementType,
    /// The element of an array is a tag that there is not (A).
    ElementUnknown,
    /// An array tag has itself as element.
    ArrayRecursion,
    /// No such dictionary is known, or it is known already.
    Dictionary,
    /// Nothing is known and nothing is said.
    NoDictionary,
    /// A dictionary section of size 0.
    EmptySection,
    /// A type that has no form in a dictionary section.
    SectionType,
    /// Bytes that are no document.
    Document,
    /// Bytes that are no dictionary section.
    Section,
    /// A root that there is not.
    RootUnknown,
    /// A tag that is no root.
    NotRoot,
    /// A tag or field that there is not.
    NotFound,
    /// A field that is not set.
    Unset,
    /// A null where there can be none.
    NotNullable,
    /// A type of 128 bits.
    Wide,
    /// A type without a form in bodies, when one is written.
    WriteType,
    /// A type without a form in bodies, when one is read.
    ReadType,
    /// Ids start at 1 (B).
    Id,
    /// A link to a name that there is not.
    LinkName,
    /// A link to an id that there is not.
    LinkId,
    /// A link to a link.
    LinkOfLink,
    /// Text is not in the encoding that the dictionary declares.
    Text,
    /// The name of an enumerator is too long.
    EnumeratorLong,
    /// Two enumerators of one value.
    EnumeratorValue,
    /// Two enumerators of one name.
    EnumeratorName,
    /// The numbers of an enumeration have a type that they cannot have.
    Subtype,
    /// The default is an enumerator that there is not.
    EnumeratorUnknown,
    /// The value is no enumerator.
    NoEnumerator,
    /// A polymorph lists something else than structures and polymorphs.
    MemberType,
    /// A polymorph reaches itself.
    PolymorphRecursion,
    /// A conversion that there is not.
    Conversion,
    /// A limit of this reader, which has no number.
    Limit,
}

impl Problem {
    /// Its number in a revision (docs/spec/usds.md 8): where a reader of A has to refuse something that A has no number for, that of B. A limit has none.
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

    /// What was seen, for people.
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
            Problem::SectionType => "a type that a dictionary section cannot say",
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

/// Why bytes are refused, and where. One word wide, so that success costs little.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    problem: Problem,
    revision: Revision,
    at: usize,
    /// From the inside out.
    path: Vec<PathStep>,
    seen: Cow<'static, str>,
}

impl Failure {
    /// A problem at byte `at`.
    #[cold]
    pub fn new(problem: Problem, revision: Revision, at: usize) -> Failure {
        Failure(Box::new(Inner { problem, revision, at, path: Vec::new(), seen: Cow::Borrowed("") }))
    }

    /// Sets what was seen, for people.
    #[must_use]
    pub fn seen(mut self, seen: impl Into<Cow<'static, str>>) -> Failure {
        self.0.seen = seen.into();
        self
    }

    /// The same, one level further in: `step` leads to where it was.
    #[must_use]
    #[cold]
    pub fn below(mut self, step: PathStep) -> Failure {
        self.0.path.push(step);
        self
    }

    /// The same, in bytes that start at `offset` of what it is told for.
    #[must_use]
    pub fn after(mut self, offset: usize) -> Failure {
        self.0.at += offset;
        self
    }

    /// What is wrong.
    pub fn problem(&self) -> Problem {
        self.0.problem
    }

    /// The revision whose number it has.
    pub fn revision(&self) -> Revision {
        self.0.revision
    }

    /// The number of docs/spec/usds.md 8; none where a limit of this reader is reached.
    pub fn code(&self) -> Option<u32> {
        self.0.problem.code(self.0.revision)
    }

    /// Offset of the byte: of the value that is refused, or of the end where bytes are missing.
    pub fn offset(&self) -> usize {
        self.0.at
    }

    /// Names of tags and fields, and indices, from the outside in.
    pub fn path(&self) -> Path {
        Path(self.0.path.iter().rev().cloned().collect())
    }

    /// The same as an error of a walk over a message at offset `base` of a stream.
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

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at byte {}", self.words(), self.0.at)?;
        if self.0.path.is_empty() { Ok(()) } else { write!(f, ", in {}", self.path()) }
    }
}

impl std::error::Error for Failure {}
