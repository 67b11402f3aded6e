//! Modules as they are written: the syntax tree, with the place of each part.
//!
//! Braces whose meaning depends on a type or class elsewhere (values, objects, sets, parameters)
//! stay ranges of words ([`Span`]); the resolver parses them when it knows that type or class.

mod class;
mod constraint;
mod json;
mod types;
mod value;

pub use class::{Class, ClassField, FieldKind, Notation, SetDefault};
pub use constraint::{Constraint, ConstraintKind, Element, ElementSet, Elements, Inner, Presence, Relation};
pub use json::{JsonInstruction, JsonInstructionKind, NewName};
pub use types::{
    Component, EnumerationItem, Item, NamedNumber, Optionality, Reference, StringKind, Tag, TagClass, TagNumber, Tagging, TimeKind, Type,
    TypeKind,
};
pub use value::{Argument, Value, ValueKind};

use polywire_core::text::diagnostic::Place;
use smol_str::SmolStr;

/// Name with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name; that of a field without its `&`.
    pub text: SmolStr,
    /// Place of the name.
    pub at: Place,
}

/// Range of words in the text of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// Index of the first word.
    pub start: u32,
    /// Index after the last word.
    pub end: u32,
}

/// Module (X.680 13).
#[derive(Debug, Clone)]
pub struct Module {
    /// Name of the module.
    pub name: Name,
    /// Object identifier behind the name, with its braces.
    pub oid: Option<Span>,
    /// Encoding whose instructions are the prefixes in brackets without a reference, if these are
    /// no tags: the text has `INSTRUCTIONS` of it (X.680 13.3).
    pub instructions: Option<SmolStr>,
    /// Tag environment (X.680 13.2). Without one, tags are explicit.
    pub tagging: Tagging,
    /// True if the text has `EXTENSIBILITY IMPLIED` (X.680 13.4).
    pub extensible: bool,
    /// Exported names. `None` means all (X.680 13.12).
    pub exports: Option<Vec<Name>>,
    /// Imported names, by the module that they come from.
    pub imports: Vec<Import>,
    /// Assignments in their order.
    pub assignments: Vec<Assignment>,
}

/// Names imported from one module (X.680 13.16).
#[derive(Debug, Clone)]
pub struct Import {
    /// The names.
    pub symbols: Vec<Name>,
    /// Module that defines them.
    pub from: Name,
    /// Object identifier of that module, with its braces.
    pub oid: Option<Span>,
}

/// Assignment of a name (X.680 16, X.681, X.683).
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The name.
    pub name: Name,
    /// Dummy parameters (X.683 8.3). Empty for most assignments.
    pub parameters: Vec<Parameter>,
    /// Object that the name stands for.
    pub kind: AssignmentKind,
    /// Words of the whole assignment.
    pub span: Span,
}

/// Object of an assignment.
#[derive(Debug, Clone)]
pub enum AssignmentKind {
    /// A type; also a class, if the type is a reference to one.
    Type(Type),
    /// A class with its fields.
    Class(Class),
    /// A value, or an object if the governor is a class.
    Value {
        /// Type or class in front of `::=`.
        governor: Type,
        /// The value.
        value: Value,
    },
    /// A value set, or an object set if the governor is a class.
    Set {
        /// Type or class in front of `::=`.
        governor: Type,
        /// The set, with its braces.
        set: Span,
    },
    /// A macro of X.208, or a use of one. It is stepped over.
    Macro,
}

/// Dummy parameter of an assignment (X.683 8.3).
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Type or class of the parameter. `None` if it is a type or class itself.
    pub governor: Option<Type>,
    /// Name of the parameter.
    pub name: Name,
}
