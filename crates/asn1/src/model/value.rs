//! Resolved values.

use smol_str::SmolStr;

use super::TypeId;

/// Value of a type.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A value of BOOLEAN.
    Boolean(bool),
    /// The value of NULL.
    Null,
    /// A value of INTEGER.
    Integer(i128),
    /// A value of INTEGER beyond 128 bits: its digits, with `-` before them.
    Digits(SmolStr),
    /// A value of REAL as it is written in decimal digits, or `PLUS-INFINITY`, `MINUS-INFINITY`,
    /// `NOT-A-NUMBER`.
    Real(SmolStr),
    /// A value of REAL by mantissa, base and exponent (X.680 21.5).
    RealParts(i128, i128, i128),
    /// Number of an enumerator.
    Enumerated(i128),
    /// Bits: the bytes, and how many bits of them count.
    Bits(Vec<u8>, u64),
    /// A value of OCTET STRING.
    Octets(Vec<u8>),
    /// A value of a string or time type.
    Text(SmolStr),
    /// Characters by their place in a table: group, plane, row and cell (X.680 41.8).
    Characters(Vec<char>),
    /// A value of OBJECT IDENTIFIER or RELATIVE-OID.
    Oid(Vec<u128>),
    /// Name and value of the chosen alternative.
    Choice(SmolStr, Box<Value>),
    /// Components that the value names, in its order.
    Structure(Vec<(SmolStr, Value)>),
    /// Elements of SEQUENCE OF or SET OF.
    List(Vec<Value>),
    /// A value of an open type, with its type.
    Open(TypeId, Box<Value>),
    /// A value of a module that the texts lack.
    Unknown,
}

impl Value {
    /// Returns the whole number, if the value is one.
    pub fn as_integer(&self) -> Option<i128> {
        match self {
            Value::Integer(number) | Value::Enumerated(number) => Some(*number),
            _ => None,
        }
    }
}
