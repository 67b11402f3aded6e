//! Values, and actual parameters.

use polywire_core::text::diagnostic::Place;

use super::{Name, Reference, Span, Type};

/// Value as it is written.
#[derive(Debug, Clone)]
pub struct Value {
    /// Place of the value.
    pub at: Place,
    /// Words of the value.
    pub span: Span,
    /// The value.
    pub kind: ValueKind,
}

/// Form of a value.
#[derive(Debug, Clone)]
pub enum ValueKind {
    /// `{ … }`: its meaning depends on the type.
    Braces,
    /// Digits, with `-` before them if the flag is set.
    Number(bool),
    /// A number with fraction or exponent, with `-` before it if the flag is set.
    Real(bool),
    /// `"…"`.
    Text,
    /// `'…'B`.
    Bits,
    /// `'…'H`.
    Hex,
    /// `TRUE` or `FALSE`.
    Boolean(bool),
    /// `NULL`.
    Null,
    /// `PLUS-INFINITY`, `MINUS-INFINITY` or `NOT-A-NUMBER`.
    Special,
    /// A value, named number, enumerator or dummy parameter by its name.
    Reference(Reference),
    /// A field of an object: `object.&id` (X.681 15).
    Field(Reference, Vec<Name>),
    /// `name : value` of a `CHOICE`.
    Choice(Name, Box<Value>),
    /// `Type : value` of an open type.
    Open(Box<Type>, Box<Value>),
}

/// Actual parameter (X.683 9.5). Its meaning depends on the dummy parameter.
#[derive(Debug, Clone)]
pub enum Argument {
    /// A type or class, or a set without its braces.
    Type(Type),
    /// A value or object.
    Value(Value),
    /// `{ … }`: a set, an object or a value.
    Braces(Span, Place),
}

impl Argument {
    /// Returns the place.
    pub fn at(&self) -> Place {
        match self {
            Argument::Type(ty) => ty.at,
            Argument::Value(value) => value.at,
            Argument::Braces(_, at) => *at,
        }
    }

    /// Returns the words.
    pub fn span(&self) -> Span {
        match self {
            Argument::Type(ty) => ty.span,
            Argument::Value(value) => value.span,
            Argument::Braces(span, _) => *span,
        }
    }
}
