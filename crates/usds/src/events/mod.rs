//! A body as calls, and calls as a body: the fastest way in and out, driven by a dictionary.
//!
//! [`decode`] tells a [`Handler`] every value with the number of its field, its *slot*; a program looks the slots of the fields that it wants up once, by
//! [`Plan::slot`](crate::plan::Plan::slot). [`Encoder`] takes values in the order of the dictionary. A structure of scalars
//! may be one call, whose fields are taken from a [`Row`], or given to a [`RowOut`].

mod decode;
mod encode;
mod row;

pub use decode::{Halt, decode, root, value};
pub(crate) use decode::{check_presence, count, failure, is_present, tag, word};
pub use encode::Encoder;
pub use row::{Row, RowEnd, RowOut, Unread};

use polywire_core::Next;

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

/// Is told what a body holds.
///
/// Elements of an array have the slot of the array and [`ELEMENT`]. What is entered ends with [`Handler::end`].
pub trait Handler<'m> {
    /// What it may refuse a value with.
    type Error;

    /// A root of that tag; its value comes next.
    fn root(&mut self, tag: u32, at: Extent) -> Result<Next, Self::Error> {
        let _ = (tag, at);
        Ok(Next::Enter)
    }

    /// A scalar.
    fn scalar(&mut self, slot: u32, value: Scalar<'m>, at: Extent) -> Result<(), Self::Error>;

    /// A structure starts; `shape` is its number in the plan.
    fn structure(&mut self, slot: u32, shape: u32, at: Extent) -> Result<Next, Self::Error> {
        let _ = (slot, shape, at);
        Ok(Next::Enter)
    }

    /// A structure of scalars of which none may be null, as a whole: its fields are taken from `row`, in the order of ids, by their types. Unless a handler says otherwise,
    /// it is told what it is told of other structures.
    ///
    /// A handler that takes fields itself is far faster: it knows which field comes, where [`Handler::scalar`] has to look.
    ///
    /// # Errors
    /// What taking a field gave; what the handler has against them.
    #[inline(always)]
    fn row(&mut self, slot: u32, shape: u32, row: &mut Row<'_, 'm>) -> Result<(), RowEnd<Self::Error>>
    where
        Self: Sized,
    {
        row.tell(slot, shape, self)
    }

    /// An array of `count` elements starts. There are at least as many bytes.
    fn array(&mut self, slot: u32, count: u32, at: Extent) -> Result<Next, Self::Error> {
        let _ = (slot, count, at);
        Ok(Next::Enter)
    }

    /// A polymorph is the structure of that tag, which comes next; `position` is that among all members.
    fn member(&mut self, slot: u32, tag: u32, position: u32, at: Extent) -> Result<Next, Self::Error> {
        let _ = (slot, tag, position, at);
        Ok(Next::Enter)
    }

    /// A field is null.
    fn null(&mut self, slot: u32, at: Extent) -> Result<(), Self::Error> {
        let _ = (slot, at);
        Ok(())
    }

    /// The innermost structure, array or member ends.
    fn end(&mut self, at: usize) -> Result<(), Self::Error> {
        let _ = at;
        Ok(())
    }
}
