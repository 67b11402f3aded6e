//! The types of an encoding's runtime, by one marker type.

use std::fmt::{Debug, Display};

/// An encoding. The marker type of its runtime implements it, and a type has the traits of messages
/// once for each encoding that code was generated for: `Encode<Extprot>` and `Encode<Usds>`.
pub trait Encoding: Copy + Eq + Debug + 'static {
    /// The table of a type, which the slow reader follows to find out why bytes are refused.
    type Shape: 'static;

    /// Reads values. `S` is where lists and strings go: [`&Arena`](crate::Arena),
    /// [`Own`](crate::read::Own) or [`Check`](crate::read::Check).
    type Reader<'a, S>;

    /// Writes values to a vector.
    type Output<'v>;

    /// Maxima of what a decoder accepts.
    type Limits: 'static;

    /// Limits of the functions that take none.
    const LIMITS: &'static Self::Limits;

    /// The mistake in refused bytes.
    type Cause: Copy + Eq + Debug + Display;

    /// Separator of the names in an error's path.
    const SEPARATOR: char;
}
