//! The syntax tree of a protocol (docs/spec/extprot.md 2.2), with places and comments.

use polywire_core::text::diagnostic::Place;

use crate::model::{ExternalPath, Primitive, Regime};

/// Place of a node, which does not count when trees are compared.
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
    /// Entries in order, without those that could not be parsed.
    pub entries: Vec<Entry>,
    /// True if an entry is missing whose name could not be parsed.
    pub incomplete: bool,
}

/// A name.
#[derive(Debug, Clone, PartialEq)]
pub struct Name {
    /// Text of the name; that of a type variable is without the `'`.
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
    /// Right-hand side; `None` if it could not be parsed.
    pub body: Option<MessageBody>,
    /// Options after it.
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
    /// Right-hand side; `None` if it could not be parsed.
    pub body: Option<TypeBody>,
    /// Options after it.
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

/// Right-hand side of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum MessageBody {
    /// Fields.
    Record(Vec<Field>),
    /// Variants.
    Union(Vec<Variant>),
    /// A record type with arguments, or the target of an alias.
    Application(Application),
    /// A message of another module.
    External(ExternalPath, At),
    /// Chosen fields of another message.
    Subset(Name, Vec<SubsetField>),
    /// All fields of another message without the named ones.
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

/// Contents of a variant.
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

/// A field of a subset.
#[derive(Debug, Clone, PartialEq)]
pub struct SubsetField {
    /// Its name.
    pub name: Name,
    /// `[@lazy]` or `[@eager]`.
    pub marker: Option<Regime>,
    /// Type that it is read as.
    pub ty: Option<Simple>,
}

/// Right-hand side of a type.
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
    /// Type; `None` if it could not be parsed.
    pub ty: Option<Simple>,
    /// The comment before it.
    pub doc: String,
}

/// A simple type.
#[derive(Debug, Clone, PartialEq)]
pub struct Simple {
    /// Kind of the type.
    pub kind: SimpleKind,
    /// Its place, annotations included.
    pub at: At,
}

/// Kind of a simple type.
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
    /// `true`, `false` or a number, as written, without the suffix `L` and blanks: `5` for `5L`,
    /// `-3` for `- 3`.
    Word(String),
    /// A number with the suffix `L`, which is not included.
    Long(String),
    /// A string.
    String(Vec<u8>),
}

impl AnnotationValue {
    /// Returns the bytes of the value's text.
    pub fn bytes(&self) -> &[u8] {
        match self {
            AnnotationValue::Word(text) | AnnotationValue::Long(text) => text.as_bytes(),
            AnnotationValue::String(bytes) => bytes,
        }
    }
}
