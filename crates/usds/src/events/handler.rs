//! Receivers of the contents of a body.

use polywire_core::Next;

use super::row::{Row, RowEnd};
use super::slot::{Extent, Scalar};

/// Receiver of the contents of a body.
///
/// Elements of an array have the slot of the array with [`ELEMENT`](super::ELEMENT) set. Each
/// container that is entered ends with [`Handler::end`].
pub trait Handler<'m> {
    /// Error with which a handler refuses a value.
    type Error;

    /// A root of that tag starts; its value comes next.
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

    /// A structure of scalars without nullable fields, as a whole. The handler takes the fields
    /// from `row`, in the order of ids, by their types. By default, the row is emitted like other
    /// structures.
    ///
    /// A handler that takes fields itself is far faster: it knows the next field, where
    /// [`Handler::scalar`] must look at the slot.
    ///
    /// # Errors
    /// The error of taking a field, or the handler's own.
    #[inline(always)]
    fn row(&mut self, slot: u32, shape: u32, row: &mut Row<'_, 'm>) -> Result<(), RowEnd<Self::Error>>
    where
        Self: Sized,
    {
        row.emit(slot, shape, self)
    }

    /// An array of `count` elements starts. At least that many bytes follow.
    fn array(&mut self, slot: u32, count: u32, at: Extent) -> Result<Next, Self::Error> {
        let _ = (slot, count, at);
        Ok(Next::Enter)
    }

    /// The value of a polymorph is the structure of that tag, which comes next; `position` is its
    /// index among all members.
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
