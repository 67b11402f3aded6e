//! Bodies to calls, and calls to bodies: the fastest interface, driven by a dictionary.
//!
//! [`decode`] passes every value to a [`Handler`], with the number of its field, its *slot*. A
//! program looks up the slots of the fields that it wants once, by
//! [`Plan::slot`](crate::plan::Plan::slot). [`Encoder`] takes values in the order of the
//! dictionary. A structure of scalars may be one call, whose fields the program takes from a
//! [`Row`] or gives to a [`RowOut`].

mod decode;
mod encode;
mod handler;
mod row;
mod scalar;
mod slot;

pub use decode::{Halt, decode, root, value};
pub(crate) use decode::{failure, tag};
pub use encode::Encoder;
pub use handler::Handler;
pub use row::{Row, RowEnd, RowOut, Unread};
pub(crate) use scalar::{check_presence, count, is_present, word};
pub use slot::{ELEMENT, Extent, MAX_DEPTH, ROOT, Scalar};
