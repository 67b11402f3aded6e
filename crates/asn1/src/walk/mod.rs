//! The mapping of ASN.1's values to the walk, and back: one place for all encodings.
//!
//! | type | value of the walk |
//! |---|---|
//! | BOOLEAN, NULL | bool, null |
//! | INTEGER | whole number of any size; a writer takes the name of a number too |
//! | ENUMERATED | the name, as text; the number of an enumerator of a later version |
//! | REAL | float64; one in decimal digits is a float64 or decimal that has its exponent in the hint |
//! | BIT STRING with named bits | list of the names of its bits, in order; a bit without a name is its number |
//! | BIT STRING of one size | bytes |
//! | other BIT STRING | record of `value`, bytes, and `length`, the number of bits (as X.697 writes it) |
//! | OCTET STRING | bytes |
//! | OBJECT IDENTIFIER, RELATIVE-OID | text: the arcs with points between |
//! | character strings | text; octets where they are no text |
//! | UTCTime, GeneralizedTime | timestamp if it is written as DER does; else its text |
//! | DATE, TIME-OF-DAY, DATE-TIME, DURATION, TIME | text as X.680 38 writes it |
//! | SEQUENCE, SET | record of the components that are present |
//! | SEQUENCE OF, SET OF | list |
//! | CHOICE | case of a sum type, with one value; an alternative of a later version has no name, and bytes |
//! | open type | the value, if its table has the type; else the bytes of its encoding |
//! | string with CONTAINING | the value in it |
//! | EXTERNAL, EMBEDDED PDV, CHARACTER STRING | record, as of the types that X.680 36, 37 and 44 associate |
//! | addition of a later version | [`Note::Unknown`](polywire_core::Note), which a relay writes back |
//!
//! The tables are in a [`Plan`]. Reading, an encoding finds the contents octets of a value (`raise`
//! makes scalars of them). Writing, it takes a
//! [held message](polywire_core::value::Held) and asks `lower` for the parts
//! of a value in the order in which it needs them. `keys` resolves open types both ways.

pub(crate) mod checks;
pub(crate) mod keys;
pub(crate) mod leaf;
pub(crate) mod lower;
pub(crate) mod meaning;
pub(crate) mod octets;
pub(crate) mod plan;
pub(crate) mod raise;
mod relate;
pub(crate) mod scalars;
mod table;
pub(crate) mod values;

pub(crate) use plan::Op;
pub use plan::Plan;

/// Name of the field of a held message that has an unknown addition. No name of ASN.1 is like it.
pub(crate) const UNKNOWN: &str = "\0";

/// Field of a bit string that has its bytes (X.697 24).
pub(crate) const VALUE: &str = "value";

/// Field of a bit string that has the number of its bits.
pub(crate) const LENGTH: &str = "length";
