//! Constraints, and the sets of elements that they share with value sets and object sets.

use polywire_core::text::diagnostic::Place;

use super::{Name, Span, Type, Value};

/// Constraint in parentheses (X.680 49).
#[derive(Debug, Clone)]
pub struct Constraint {
    /// Place with the parentheses.
    pub at: Place,
    /// The constraint.
    pub kind: ConstraintKind,
}

/// Form of a constraint.
#[derive(Debug, Clone)]
pub enum ConstraintKind {
    /// A subtype constraint (X.680 50).
    Subtype(ElementSet),
    /// `CONSTRAINED BY { … }` (X.682 9).
    UserDefined(Span),
    /// `({Set})` or `({Set}{@id})` (X.682 10).
    Table {
        /// Words of the set, with its braces.
        set: Span,
        /// Components that choose the row.
        relations: Vec<Relation>,
    },
    /// `CONTAINING Type ENCODED BY value` (X.682 11).
    Contents {
        /// Type of the contents.
        ty: Option<Box<Type>>,
        /// Object identifier of the encoding rules.
        encoded_by: Option<Value>,
    },
}

/// Path to a component that chooses a row: `@a.b`, or `@.a.b` (X.682 10.7).
#[derive(Debug, Clone)]
pub struct Relation {
    /// Place of the path.
    pub at: Place,
    /// Number of dots behind `@`: 0 starts at the outermost type, 1 at the structure around.
    pub level: u32,
    /// Names on the way.
    pub path: Vec<Name>,
}

/// Set of elements with an extension marker: the contents of a constraint or of a set.
#[derive(Debug, Clone)]
pub struct ElementSet {
    /// Place of the elements.
    pub at: Place,
    /// Root elements. `None` if there are none.
    pub root: Option<Elements>,
    /// True if there is a marker.
    pub extensible: bool,
    /// Elements behind the marker.
    pub additions: Option<Elements>,
}

/// Arithmetic of sets (X.680 50.1).
#[derive(Debug, Clone)]
pub enum Elements {
    /// `a | b`.
    Union(Vec<Elements>),
    /// `a ^ b`.
    Intersection(Vec<Elements>),
    /// `a EXCEPT b`.
    Except(Box<Elements>, Box<Elements>),
    /// `ALL EXCEPT a`.
    AllExcept(Box<Elements>),
    /// One element.
    One(Box<Element>),
}

/// Element of a set (X.680 51).
#[derive(Debug, Clone)]
pub enum Element {
    /// `( … )`.
    Parenthesised(ElementSet),
    /// A single value, or an object.
    Value(Value),
    /// `a..b`; `None` stands for `MIN` and `MAX`.
    Range {
        /// Place of the range.
        at: Place,
        /// Lower bound.
        low: Option<Value>,
        /// True if the lower bound itself is outside.
        low_open: bool,
        /// Upper bound.
        high: Option<Value>,
        /// True if the upper bound itself is outside.
        high_open: bool,
    },
    /// A type whose values are meant, or a set.
    Type(Type),
    /// `SIZE (…)`.
    Size(Constraint),
    /// `FROM (…)`.
    From(Constraint),
    /// `WITH COMPONENT (…)`.
    Component(Constraint),
    /// `WITH COMPONENTS { … }`.
    Components {
        /// Place of the braces.
        at: Place,
        /// True if `...` comes first: components that are not named are unconstrained.
        partial: bool,
        /// The named components.
        inner: Vec<Inner>,
    },
    /// `PATTERN "…"`.
    Pattern(Value),
    /// `SETTINGS "…"`.
    Settings(Value),
}

/// Constraint on a named component (X.680 51.8.5).
#[derive(Debug, Clone)]
pub struct Inner {
    /// Name of the component.
    pub name: Name,
    /// Constraint on its value.
    pub constraint: Option<Constraint>,
    /// Constraint on its presence.
    pub presence: Option<Presence>,
}

/// Constraint on the presence of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Presence {
    /// `PRESENT`.
    Present,
    /// `ABSENT`.
    Absent,
    /// `OPTIONAL`.
    Optional,
}
