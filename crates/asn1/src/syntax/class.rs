//! Classes of information objects (X.681 9, 10).

use polywire_core::text::diagnostic::Place;

use super::{Name, Span, Type, Value};

/// Class with its fields and the notation of its objects.
#[derive(Debug, Clone)]
pub struct Class {
    /// Place of the class.
    pub at: Place,
    /// The fields.
    pub fields: Vec<ClassField>,
    /// `WITH SYNTAX { … }`.
    pub notation: Option<Vec<Notation>>,
}

/// Field of a class.
#[derive(Debug, Clone)]
pub struct ClassField {
    /// The name, without `&`.
    pub name: Name,
    /// Kind of the field.
    pub kind: FieldKind,
    /// True if an object may leave the field out.
    pub optional: bool,
}

/// Kind of a field (X.681 9.4).
#[derive(Debug, Clone)]
pub enum FieldKind {
    /// `&Type`, with its default.
    Type(Option<Type>),
    /// `&value Type`, or an object if the governor is a class.
    Value {
        /// Type or class of the field.
        governor: Type,
        /// True for `UNIQUE`.
        unique: bool,
        /// Default.
        default: Option<Value>,
    },
    /// `&value &Type`: a value whose type is in another field.
    VariableValue {
        /// Path to the other field.
        governor: Vec<Name>,
        /// Default.
        default: Option<Value>,
    },
    /// `&Set Type`, or an object set if the governor is a class.
    Set {
        /// Type or class of the field.
        governor: Type,
        /// Default.
        default: Option<SetDefault>,
    },
    /// `&Set &Type`: a value set whose type is in another field.
    VariableSet {
        /// Path to the other field.
        governor: Vec<Name>,
        /// Default.
        default: Option<SetDefault>,
    },
}

/// Default of a set field, with its braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetDefault {
    /// Words of the set.
    pub span: Span,
}

/// Part of `WITH SYNTAX` (X.681 10.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notation {
    /// A word, or a comma.
    Literal(Name),
    /// A field, without `&`.
    Field(Name),
    /// `[ … ]`.
    Optional(Vec<Notation>),
}
