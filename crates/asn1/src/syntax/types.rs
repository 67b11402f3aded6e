//! Types.

use polywire_core::text::diagnostic::Place;

use super::{Argument, Constraint, JsonInstruction, Name, Span, Value};

/// Tag environment, or the way in which a tag is written (X.680 13.2, 31.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Tagging {
    /// The tag of the type stays below the new one.
    #[default]
    Explicit,
    /// The new tag replaces the type's own one.
    Implicit,
    /// Components without tags are numbered (X.680 25.7).
    Automatic,
}

/// Class of a tag (X.680 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TagClass {
    /// Tags of the standard.
    Universal,
    /// Tags of one application.
    Application,
    /// Tags of the structure around.
    Context,
    /// Tags of one enterprise.
    Private,
}

impl TagClass {
    /// Returns the keyword, which is empty for context-specific tags.
    pub const fn keyword(self) -> &'static str {
        match self {
            TagClass::Universal => "UNIVERSAL",
            TagClass::Application => "APPLICATION",
            TagClass::Context => "",
            TagClass::Private => "PRIVATE",
        }
    }
}

/// Number of a tag.
#[derive(Debug, Clone)]
pub enum TagNumber {
    /// Digits.
    Number(u64),
    /// Reference to a value.
    Value(Value),
}

/// Tag in front of a type (X.680 31).
#[derive(Debug, Clone)]
pub struct Tag {
    /// Place of the brackets.
    pub at: Place,
    /// Class of the tag.
    pub class: TagClass,
    /// Number of the tag.
    pub number: TagNumber,
    /// `IMPLICIT` or `EXPLICIT`, if one is written.
    pub tagging: Option<Tagging>,
}

/// Type with its tags and constraints.
#[derive(Debug, Clone)]
pub struct Type {
    /// Place of the type.
    pub at: Place,
    /// Words of the type.
    pub span: Span,
    /// Tags in front of the type, the outermost first.
    pub tags: Vec<Tag>,
    /// Encoding instructions of JER in front of the type, the outermost first.
    pub json: Vec<JsonInstruction>,
    /// The type without tags and constraints.
    pub kind: TypeKind,
    /// Constraints behind the type, applied one after another.
    pub constraints: Vec<Constraint>,
}

/// Type without tags and constraints.
#[derive(Debug, Clone)]
pub enum TypeKind {
    /// `BOOLEAN`.
    Boolean,
    /// `NULL`.
    Null,
    /// `REAL`.
    Real,
    /// `INTEGER`, with its named numbers.
    Integer(Vec<NamedNumber>),
    /// `ENUMERATED`.
    Enumerated(Vec<EnumerationItem>),
    /// `BIT STRING`, with its named bits.
    Bits(Vec<NamedNumber>),
    /// `OCTET STRING`.
    Octets,
    /// `OBJECT IDENTIFIER`.
    Oid,
    /// `RELATIVE-OID`.
    RelativeOid,
    /// `OID-IRI`.
    OidIri,
    /// `RELATIVE-OID-IRI`.
    RelativeOidIri,
    /// `EXTERNAL`.
    External,
    /// `EMBEDDED PDV`.
    EmbeddedPdv,
    /// `CHARACTER STRING`.
    CharacterString,
    /// A restricted character string type, or one of the types that are defined by one.
    Text(StringKind),
    /// A time type of X.680 38.
    Time(TimeKind),
    /// `SEQUENCE`.
    Sequence(Vec<Item>),
    /// `SET`.
    Set(Vec<Item>),
    /// `SEQUENCE OF`.
    SequenceOf(Box<Type>),
    /// `SET OF`.
    SetOf(Box<Type>),
    /// `CHOICE`.
    Choice(Vec<Item>),
    /// `name < Type` (X.680 30).
    Selection(Name, Box<Type>),
    /// `ANY` of X.208, with the component that `DEFINED BY` names.
    Any(Option<Name>),
    /// A type, class or dummy parameter by its name.
    Reference(Reference),
    /// A field of a class, an object or an object set: `CLASS.&id` (X.681 14, 15).
    Field(Reference, Vec<Name>),
    /// `INSTANCE OF` (X.681 annex C).
    InstanceOf(Reference),
}

/// Name that is defined elsewhere.
#[derive(Debug, Clone)]
pub struct Reference {
    /// Module in front of the name.
    pub module: Option<Name>,
    /// The name.
    pub name: Name,
    /// Actual parameters. `None` if there are no braces.
    pub arguments: Option<Vec<Argument>>,
}

/// Named number or bit: `name(1)`.
#[derive(Debug, Clone)]
pub struct NamedNumber {
    /// The name.
    pub name: Name,
    /// The number.
    pub value: Value,
}

/// Part of an `ENUMERATED` type (X.680 20).
#[derive(Debug, Clone)]
pub enum EnumerationItem {
    /// A name, with its number if one is written.
    Name(Name, Option<Value>),
    /// `...`.
    Marker(Place),
}

/// Part of a `SEQUENCE`, `SET` or `CHOICE`.
#[derive(Debug, Clone)]
pub enum Item {
    /// A component or alternative.
    Component(Component),
    /// `COMPONENTS OF Type` (X.680 25.5).
    ComponentsOf(Type),
    /// `...` (X.680 25.1).
    Marker(Place),
    /// `[[ … ]]`: additions of one version, with its number.
    Group(Vec<Item>, Option<u64>, Place),
}

/// Component of a `SEQUENCE` or `SET`, or alternative of a `CHOICE`.
#[derive(Debug, Clone)]
pub struct Component {
    /// The name. Empty where X.208 let it be left out.
    pub name: Name,
    /// The type.
    pub ty: Type,
    /// Presence.
    pub optionality: Optionality,
}

/// Presence of a component.
#[derive(Debug, Clone)]
pub enum Optionality {
    /// Always there.
    Required,
    /// `OPTIONAL`.
    Optional,
    /// `DEFAULT`, with the value.
    Default(Value),
}

/// Restricted character string type (X.680 41), or a type that is defined by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each has the name of its type")]
pub enum StringKind {
    Bmp,
    General,
    GeneralizedTime,
    Graphic,
    Ia5,
    Numeric,
    ObjectDescriptor,
    Printable,
    Teletex,
    Universal,
    UtcTime,
    Utf8,
    Videotex,
    Visible,
}

impl StringKind {
    /// Returns the kind that a word names.
    pub fn by_word(word: &str) -> Option<StringKind> {
        Some(match word {
            "BMPString" => StringKind::Bmp,
            "GeneralString" => StringKind::General,
            "GeneralizedTime" => StringKind::GeneralizedTime,
            "GraphicString" => StringKind::Graphic,
            "IA5String" => StringKind::Ia5,
            "NumericString" => StringKind::Numeric,
            "ObjectDescriptor" => StringKind::ObjectDescriptor,
            "PrintableString" => StringKind::Printable,
            "TeletexString" | "T61String" => StringKind::Teletex,
            "UniversalString" => StringKind::Universal,
            "UTCTime" => StringKind::UtcTime,
            "UTF8String" => StringKind::Utf8,
            "VideotexString" => StringKind::Videotex,
            "VisibleString" | "ISO646String" => StringKind::Visible,
            _ => return None,
        })
    }

    /// Returns the name of the type.
    pub const fn keyword(self) -> &'static str {
        match self {
            StringKind::Bmp => "BMPString",
            StringKind::General => "GeneralString",
            StringKind::GeneralizedTime => "GeneralizedTime",
            StringKind::Graphic => "GraphicString",
            StringKind::Ia5 => "IA5String",
            StringKind::Numeric => "NumericString",
            StringKind::ObjectDescriptor => "ObjectDescriptor",
            StringKind::Printable => "PrintableString",
            StringKind::Teletex => "TeletexString",
            StringKind::Universal => "UniversalString",
            StringKind::UtcTime => "UTCTime",
            StringKind::Utf8 => "UTF8String",
            StringKind::Videotex => "VideotexString",
            StringKind::Visible => "VisibleString",
        }
    }

    /// Returns the number of the universal tag (X.680 8.4).
    pub const fn tag(self) -> u64 {
        match self {
            StringKind::ObjectDescriptor => 7,
            StringKind::Utf8 => 12,
            StringKind::Numeric => 18,
            StringKind::Printable => 19,
            StringKind::Teletex => 20,
            StringKind::Videotex => 21,
            StringKind::Ia5 => 22,
            StringKind::UtcTime => 23,
            StringKind::GeneralizedTime => 24,
            StringKind::Graphic => 25,
            StringKind::Visible => 26,
            StringKind::General => 27,
            StringKind::Universal => 28,
            StringKind::Bmp => 30,
        }
    }
}

/// Time type of X.680 38.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each has the name of its type")]
pub enum TimeKind {
    Time,
    Date,
    TimeOfDay,
    DateTime,
    Duration,
}

impl TimeKind {
    /// Returns the name of the type.
    pub const fn keyword(self) -> &'static str {
        match self {
            TimeKind::Time => "TIME",
            TimeKind::Date => "DATE",
            TimeKind::TimeOfDay => "TIME-OF-DAY",
            TimeKind::DateTime => "DATE-TIME",
            TimeKind::Duration => "DURATION",
        }
    }

    /// Returns the number of the universal tag (X.680 8.4).
    pub const fn tag(self) -> u64 {
        match self {
            TimeKind::Time => 14,
            TimeKind::Date => 31,
            TimeKind::TimeOfDay => 32,
            TimeKind::DateTime => 33,
            TimeKind::Duration => 34,
        }
    }
}
