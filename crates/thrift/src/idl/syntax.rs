//! The tree of a text of the IDL, as it is written.

use polywire_core::text::diagnostic::Place;

/// Words that are kept for languages that code is generated in (`doc/specs/idl.md`, "Reserved
/// keywords"), in ascending order.
#[rustfmt::skip] // Words in rows.
const RESERVED: &[&str] = &[
    "BEGIN", "END", "__CLASS__", "__DIR__", "__FILE__", "__FUNCTION__", "__LINE__", "__METHOD__", "__NAMESPACE__", "abstract",
    "alias", "and", "args", "as", "assert", "begin", "break", "case", "catch", "class", "clone", "continue", "declare", "def",
    "default", "del", "delete", "do", "dynamic", "elif", "else", "elseif", "elsif", "end", "enddeclare", "endfor", "endforeach",
    "endif", "endswitch", "endwhile", "ensure", "except", "exec", "finally", "float", "for", "foreach", "from", "function",
    "global", "goto", "if", "implements", "import", "in", "inline", "instanceof", "interface", "is", "lambda", "module", "native",
    "new", "next", "nil", "not", "or", "package", "pass", "print", "private", "protected", "public", "raise", "redo", "register",
    "rescue", "retry", "return", "self", "sizeof", "static", "super", "switch", "synchronized", "then", "this", "throw",
    "transient", "try", "undef", "unless", "unsigned", "until", "use", "var", "virtual", "volatile", "when", "while", "with",
    "xor", "yield",
];

/// Reports whether no name may be that word.
pub(crate) fn is_reserved(word: &str) -> bool {
    RESERVED.binary_search(&word).is_ok()
}

/// A name with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Its place.
    pub at: Place,
}

/// A text.
#[derive(Debug, Default)]
pub(crate) struct Document {
    /// Paths of includes.
    pub includes: Vec<Name>,
    /// Languages of namespaces, `*` for all, and the namespaces.
    pub namespaces: Vec<(String, Name)>,
    pub definitions: Vec<Definition>,
    /// Names that are reserved words, which only Facebook's dialect has.
    pub reserved: Vec<Name>,
    /// True if the text has additions of Facebook's dialect.
    pub facebook: bool,
}

/// A definition.
#[derive(Debug)]
pub(crate) struct Definition {
    pub name: Name,
    pub doc: String,
    pub kind: DefinitionKind,
}

#[derive(Debug)]
pub(crate) enum DefinitionKind {
    Typedef(TypeRef),
    Enum(Vec<Member>),
    Struct(StructKind, Vec<Field>),
    Const(TypeRef, Const),
    Service { extends: Option<Name>, functions: Vec<Function> },
}

/// Kind of a type with fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StructKind {
    /// A struct.
    Struct,
    /// A union, which has one of its fields.
    Union,
    /// An exception.
    Exception,
}

/// A name of an enum.
#[derive(Debug)]
pub(crate) struct Member {
    pub name: Name,
    /// Number, if it is given.
    pub number: Option<(i64, Place)>,
}

/// A type where it is used.
#[derive(Debug, Clone)]
pub(crate) struct TypeRef {
    pub kind: TypeKind,
    pub at: Place,
}

#[derive(Debug, Clone)]
pub(crate) enum TypeKind {
    Base(Base),
    Named(String),
    List(Box<TypeRef>),
    Set(Box<TypeRef>),
    Map(Box<TypeRef>, Box<TypeRef>),
    /// A stream or sink of Facebook's dialect: no value has it.
    Stream,
}

/// Types without parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// Truth value.
    Bool,
    /// Signed integer of 8 bits, `byte` in older texts.
    I8,
    /// Signed integer of 16 bits.
    I16,
    /// Signed integer of 32 bits.
    I32,
    /// Signed integer of 64 bits.
    I64,
    /// IEEE 754 binary64.
    Double,
    /// Facebook's float of 32 bits.
    Float,
    /// Text.
    String,
    /// Bytes.
    Binary,
    /// Universal unique identifier.
    Uuid,
}

/// Obligation of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requiredness {
    /// `required`.
    Required,
    /// `optional`.
    Optional,
    /// Neither word.
    Default,
}

/// A field.
#[derive(Debug)]
pub(crate) struct Field {
    /// Number, if it is given.
    pub id: Option<(i64, Place)>,
    pub requiredness: Requiredness,
    pub ty: TypeRef,
    pub name: Name,
    pub default: Option<Const>,
    pub doc: String,
    pub deprecated: bool,
}

/// A method.
#[derive(Debug)]
pub(crate) struct Function {
    pub name: Name,
    /// True if no reply comes.
    pub oneway: bool,
    /// Type of the result; `None` for `void`.
    pub returns: Option<TypeRef>,
    pub arguments: Vec<Field>,
    pub throws: Vec<Field>,
}

/// A constant.
#[derive(Debug, Clone)]
pub(crate) struct Const {
    pub kind: ConstKind,
    pub at: Place,
}

#[derive(Debug, Clone)]
pub(crate) enum ConstKind {
    Int(i64),
    Double(f64),
    Text(String),
    /// Name of a constant or of an enum's member, or `true` or `false`.
    Name(String),
    List(Vec<Const>),
    Map(Vec<(Const, Const)>),
}
