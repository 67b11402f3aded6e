//! Declarations of a schema, as its shapes need them.

use crate::error::Result;

/// The types of a common schema that a language has. Values of others have a form instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forms {
    /// Null is a value. Else it is a record without fields.
    pub null: bool,
    /// Integers of 64 bits have no sign where the schema says so. Else their bits are those of an
    /// integer with a sign.
    pub unsigned: bool,
    /// Whole numbers have any size. Else they are text.
    pub big: bool,
    /// Moments are values. Else they are text (RFC 3339).
    pub moments: bool,
    /// Maps are containers. Else they are lists of records of `key` and `value`.
    pub maps: bool,
    /// A message is any value. Else a root type that is no record itself is the only field of one,
    /// `value`.
    pub roots: bool,
}

/// Declarations that were made of a common schema. They are records, choices, lists and values
/// without parts, in the structure of the schema.
pub trait Declared {
    /// A type of the declarations.
    type Type: Copy;

    /// Returns the types that the language has.
    fn forms(&self) -> Forms;

    /// Returns the type of a message.
    fn root(&self) -> Self::Type;

    /// Returns the types of a record's fields, or of a choice's alternatives, in order. Gives these
    /// the names that messages have, unless they have them.
    ///
    /// # Errors
    /// The type is neither.
    fn parts(&mut self, ty: Self::Type, names: &[&str]) -> Result<Vec<Self::Type>>;

    /// Gives the names of an enumeration, in order, the spelling that messages have.
    fn enumerators(&mut self, ty: Self::Type, names: &[&str]);

    /// Returns whether values of fixed types are a list in a mark of this tag space. In others they
    /// are a tuple.
    fn marks_lists(&self, space: &str) -> bool;

    /// Returns the type of a list's elements.
    ///
    /// # Errors
    /// The type is no list.
    fn element(&self, ty: Self::Type) -> Result<Self::Type>;

    /// Returns the types of a map's keys and values, if the language has maps.
    ///
    /// # Errors
    /// The type is no map.
    fn entries(&self, ty: Self::Type) -> Result<(Self::Type, Self::Type)>;
}
