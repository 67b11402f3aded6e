//! The errors of a decoder.

use std::fmt;

use polywire_runtime::read::Failed;

use crate::wire::kind_name;

/// Why a message is refused, where, and in which field.
pub type Error<P> = polywire_runtime::Error<P>;

/// The mistake in refused bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// The bytes end within a value.
    End,
    /// The number of no type.
    Kind(u8),
    /// Elements of another type than the schema's: the type seen, and the schema's.
    Elements(u8, u8),
    /// A number that does not fit its type.
    Range,
    /// A byte that is no truth value.
    Truth(u8),
    /// A length or count below zero, above 2^31 - 1, or beyond the bytes.
    Count(u64),
    /// Text that is not UTF-8.
    Text,
    /// A required field that did not come.
    Missing(&'static str),
    /// A union without a field.
    Empty,
    /// A field of a union that the schema does not have, by its number.
    UnknownCase(i16),
    /// A second field of a union, by its number.
    SecondCase(i16),
    /// More nesting than the limits allow.
    Depth,
}

impl From<Cause> for Failed {
    #[inline(always)]
    fn from(_: Cause) -> Failed {
        Failed
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Cause::End => f.write_str("the end of the bytes within a value"),
            Cause::Kind(code) => write!(f, "the type {code}, which is none"),
            Cause::Elements(seen, expected) => {
                write!(f, "elements of the type {}, expected {}", kind_name(seen), kind_name(expected))
            }
            Cause::Range => f.write_str("a number that its type does not hold"),
            Cause::Truth(byte) => write!(f, "the byte {byte}, expected a truth value"),
            Cause::Count(count) => write!(f, "a length or count of {count}, which the bytes cannot hold"),
            Cause::Text => f.write_str("text that is not UTF-8"),
            Cause::Missing(name) => write!(f, "the end of a struct, expected its required field `{name}`"),
            Cause::Empty => f.write_str("a union without a value"),
            Cause::UnknownCase(id) => write!(f, "the field {id} of a union, which the schema does not have"),
            Cause::SecondCase(id) => write!(f, "a second field of a union, of the number {id}"),
            Cause::Depth => f.write_str("more values within each other than the limit"),
        }
    }
}
