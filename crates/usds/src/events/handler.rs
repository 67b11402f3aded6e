//! What a body is told to.

use polywire_core::Next;

use super::row::{Row, RowEnd};
use super::slot::{Extent, Scalar};

/// Is told what a body holds.
///
/// Elements of an array have the slot of the array and [`ELEMENT`](super::ELEMENT). What is entered ends with [`Handler::end`].
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
