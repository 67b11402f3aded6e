//! The syntax tree of a protocol (docs/spec/extprot.md 2.2), with the place of everything and with its comments.

use polywire_core::text::diagnostic::Place;

use crate::model::{ExternalPath, Primitive, Regime};

/// Where something stands. Places do not count when trees are compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct At(pub Place);

impl PartialEq for At {
    fn eq(&self, _: &At) -> bool {
        true
    }
}

/// One file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct File {
    /// Entries in order. An entry that could not be read is not there.
    pub entries: Vec<Entry>,
    /// Whether an entry is missing whose name could not be read.
    pub incomplete: bool,
}

/// A name.
#[derive(Debug, Clone, PartialEq)]
pub struct Name {
    /// Its letters; of a type variable without the `'`.
    pub text: String,
    /// Its place.
    pub at: At,
}

/// A declaration or an include.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// `message …`.
    Message(Message),
    /// `type …`.
    Type(Type),
    /// `include "…"`.
    Include(Include),
}

/// `include "…"`.
#[derive(Debug, Clone, PartialEq)]
pub struct Include {
    /// The path as given.
    pub path: Vec<u8>,
    /// Place of the string.
    pub at: At,
}

/// `message name = …`.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Its name.
    pub name: Name,
    /// `[@autolazy]`.
    pub autolazy: bool,
    /// What it is; none if it could not be read.
    pub body: Option<MessageBody>,
    /// Options behind it.
    pub options: Vec<Setting>,
    /// The comment before it.
    pub doc: String,
}

/// `type name 'a = …`.
#[derive(Debug, Clone, PartialEq)]
pub struct Type {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Name>,
    /// What it is; none if it could not be read.
    pub body: Option<TypeBody>,
    /// Options behind it.
    pub options: Vec<Setting>,
    /// The comment before it.
    pub doc: String,
}

/// `"key" = "value"` of `options`.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Key.
    pub key: Vec<u8>,
    /// Value.
    pub value: Vec<u8>,
    /// Place of the key.
    pub at: At,
}

/// The right hand side of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum MessageBody {
    /// Fields.
    Record(Vec<Field>),
    /// Variants.
    Union(Vec<Variant>),
    /// A record type with arguments, or the name of what it is an alias of.
    Application(Application),
    /// A message of another module.
    External(ExternalPath, At),
    /// Chosen fields of another message.
    Subset(Name, Vec<SubsetField>),
    /// All fields of another message but these.
    Without(Name, Vec<Name>),
}

/// A variant of a message union.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// Its name.
    pub name: Name,
    /// Its fields.
    pub body: VariantBody,
    /// The comment before it.
    pub doc: String,
}

/// What a variant holds.
#[derive(Debug, Clone, PartialEq)]
pub enum VariantBody {
    /// Fields.
    Record(Vec<Field>),
    /// Fields of a record type.
    Application(Application),
}

/// A name with arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Application {
    /// The name.
    pub name: Name,
    /// Arguments.
    pub arguments: Vec<Simple>,
}

/// A field that a subset wants.
#[derive(Debug, Clone, PartialEq)]
pub struct SubsetField {
    /// Its name.
    pub name: Name,
    /// `[@lazy]` or `[@eager]`.
    pub marker: Option<Regime>,
    /// The type that it is read as.
    pub ty: Option<Simple>,
}

/// The right hand side of a type.
#[derive(Debug, Clone, PartialEq)]
pub enum TypeBody {
    /// Constructors.
    Sum(Vec<Constructor>),
    /// Fields.
    Record(Vec<Field>),
    /// A simple type.
    Simple(Simple),
}

/// A constructor of a sum type.
#[derive(Debug, Clone, PartialEq)]
pub struct Constructor {
    /// Its name.
    pub name: Name,
    /// Its arguments.
    pub arguments: Vec<Simple>,
    /// The comment before it.
    pub doc: String,
}

/// A field.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// `mutable`.
    pub mutable: bool,
    /// `[@lazy]` or `[@eager]`.
    pub marker: Option<Regime>,
    /// Its type; none if it could not be read.
    pub ty: Option<Simple>,
    /// The comment before it.
    pub doc: String,
}

/// A simple type.
#[derive(Debug, Clone, PartialEq)]
pub struct Simple {
    /// What it is.
    pub kind: SimpleKind,
    /// Its place, annotations included.
    pub at: At,
}

/// What a simple type is.
#[derive(Debug, Clone, PartialEq)]
pub enum SimpleKind {
    /// `[ t ]`.
    List(Box<Simple>),
    /// `[| t |]`.
    Array(Box<Simple>),
    /// `(t * t)`.
    Tuple(Vec<Simple>),
    /// `name` or `name<t, t>`.
    Named(Application),
    /// `'a`.
    Variable(Name),
    /// `Mod.name`.
    External(ExternalPath),
    /// A primitive.
    Primitive(Primitive, Vec<Annotation>),
}

/// `[@key value]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotation {
    /// The key.
    pub key: Name,
    /// The value.
    pub value: AnnotationValue,
    /// Place of the value.
    pub at: At,
}

/// The value of an annotation.
#[derive(Debug, Clone, PartialEq)]
pub enum AnnotationValue {
    /// `true`, `false` or a number, as written (of `5L` the `5`, of `- 3` the `-3`).
    Word(String),
    /// A number with the suffix `L`, without it.
    Long(String),
    /// A string.
    String(Vec<u8>),
}

impl AnnotationValue {
    /// The text that it stands for.
    pub fn bytes(&self) -> &[u8] {
        match self {
            AnnotationValue::Word(text) | AnnotationValue::Long(text) => text.as_bytes(),
            AnnotationValue::String(bytes) => bytes,
        }
    }
}
