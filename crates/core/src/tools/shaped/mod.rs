//! Values of a common schema in a format whose own schema language has other types.
//!
//! A binder that [adopts](crate::format::Binder::adopt) a schema writes it as declarations of its
//! language first, so that messages have the bytes that the declarations say. [`Shapes`] make
//! values come back as they were where a declaration has another type for them: null, any value,
//! maps, numbers of several kinds. [`Shaped`] is a binding whose reader and writer stand around
//! those of a binding to the declarations.

mod bound;
mod fit;
mod forms;
mod read;
mod shapes;
mod write;

pub use bound::Shaped;
pub use forms::{Declared, Forms};
pub use shapes::{REPEATED, Shapes, is_key};
