//! A body as calls, and calls as a body: the fastest way in and out, driven by a dictionary.
//!
//! [`decode`] tells a [`Handler`] every value with the number of its field, its *slot*; a program looks the slots of the fields that it wants up once, by
//! [`Plan::slot`](crate::plan::Plan::slot). [`Encoder`] takes values in the order of the dictionary. A structure of scalars
//! may be one call, whose fields are taken from a [`Row`], or given to a [`RowOut`].

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
