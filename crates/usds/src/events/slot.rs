//! Scalars, byte ranges, and the slots of values that are not fields.

/// Slot of a root's own value, which is not a field.
pub const ROOT: u32 = u32::MAX;

/// Bit that the slot of an array's elements has in addition to that of the array.
pub const ELEMENT: u32 = 1 << 31;

/// Maximum nesting of containers, whatever limit is asked for, since decoding recurses.
pub const MAX_DEPTH: u32 = 512;

/// A value without parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar<'m> {
    /// BOOLEAN.
    Bool(bool),
    /// A signed integer type.
    Int(i64),
    /// An unsigned integer type.
    UInt(u64),
    /// FLOAT.
    F32(f32),
    /// DOUBLE.
    F64(f64),
    /// STRING declared to be UTF-8; it is valid.
    Text(&'m str),
    /// STRING without a declared encoding.
    Octets(&'m [u8]),
    /// ENUM.
    Enumerator {
        /// Index of the enumeration in the plan;
        /// [`Plan::enumerator`](crate::plan::Plan::enumerator) returns the name.
        enumeration: u32,
        /// Position in the definition.
        position: u32,
        /// Number on the wire.
        number: i64,
    },
}

/// A range of bytes, counted from the start of the decoded bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}
