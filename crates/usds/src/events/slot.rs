//! Scalars, ranges of bytes and the slots of values that are no fields.

/// The slot of what is no field: a root's own value.
pub const ROOT: u32 = u32::MAX;

/// What the slot of an array's elements has beside that of the array.
pub const ELEMENT: u32 = 1 << 31;

/// Containers within each other at most, whatever is asked for: decoding recurses.
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
    /// STRING declared to be UTF-8, which it is.
    Text(&'m str),
    /// STRING declared to be nothing.
    Octets(&'m [u8]),
    /// ENUM.
    Enumerator {
        /// Its enumeration in the plan; [`Plan::enumerator`](crate::plan::Plan::enumerator) tells the name.
        enumeration: u32,
        /// Position in the definition.
        position: u32,
        /// Number on the wire.
        number: i64,
    },
}

/// A range of bytes, counted from the start of what is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset behind the last byte.
    pub end: usize,
}
