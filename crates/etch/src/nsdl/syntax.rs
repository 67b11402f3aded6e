//! The tree of a text, before its names are resolved.

use polywire_core::text::diagnostic::Place;

/// A name, and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    pub text: String,
    pub at: Place,
}

/// A type that has no declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Basic {
    Boolean,
    /// An integer of as many bits.
    Int(u8),
    Float,
    Double,
    String,
    Object,
    Void,
}

impl Basic {
    /// Returns the type of a keyword. Constants have neither `object` nor `void`.
    pub fn of(word: &str) -> Option<Basic> {
        Some(match word {
            "boolean" => Basic::Boolean,
            "byte" => Basic::Int(8),
            "short" => Basic::Int(16),
            "int" => Basic::Int(32),
            "long" => Basic::Int(64),
            "float" => Basic::Float,
            "double" => Basic::Double,
            "string" => Basic::String,
            "object" => Basic::Object,
            "void" => Basic::Void,
            _ => return None,
        })
    }
}

/// A type where it is used.
#[derive(Debug, Clone)]
pub(crate) struct TypeRef {
    pub kind: TypeKind,
    pub dimensions: u8,
}

#[derive(Debug, Clone)]
pub(crate) enum TypeKind {
    Basic(Basic),
    Named(Name),
}

/// A parameter.
#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub name: Name,
    /// Text of the comment `/** … */` before it.
    pub doc: String,
    pub ty: TypeRef,
}

/// Kind of a declaration.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Constant,
    Enum(Vec<Name>),
    Struct { parameters: Vec<Parameter>, extends: Option<Name> },
    Exception { parameters: Vec<Parameter>, extends: Option<Name> },
    Extern,
    Message { parameters: Vec<Parameter>, returns: TypeRef, throws: Vec<Name>, oneway: Option<bool> },
}

/// A declaration.
#[derive(Debug, Clone)]
pub(crate) struct Declaration {
    pub name: Name,
    /// Text of the comment `/** … */` before it.
    pub doc: String,
    pub kind: Kind,
}

/// A statement of a service.
#[derive(Debug, Clone)]
pub(crate) enum Statement {
    Declaration(Declaration),
    /// The name of a file, whose statements stand here.
    Include(Name),
    /// The name of a service.
    Mixin(Name),
}

/// A text of its own: a module and its service.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub module: String,
    pub service: Name,
    /// True if messages have no reply unless they say otherwise.
    pub oneway: bool,
    pub statements: Vec<Statement>,
}
