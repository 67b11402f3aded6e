//! Losses that are none where the type of a value is known.

use polywire_core::serde::Events;
use polywire_core::{Error, ErrorKind, Fault, Lost, Writer};

/// Changes of form that reading the same type undoes, as writers describe them.
const UNDONE: &[&str] = &[
    "big integer became text",
    "bytes became base64 text",
    "bytes became octets",
    "float became text",
    "key that is no string became text",
    "key that is no text became text",
    "timestamp became text",
    "truth value became 0 or 1",
    "tuple became list",
    "whole float became an integer",
];

/// Returns whether reading the same type undoes the loss of a value. Within a `Value`, nothing is
/// known beforehand.
pub(super) fn is_undone(lost: &Lost) -> bool {
    lost.at != Events::<dyn Writer>::EXACT && UNDONE.contains(&lost.what)
}

/// Makes the error of a value that a format cannot hold.
#[cold]
pub(super) fn error(lost: &Lost, format: &'static str) -> Error {
    Error::new(ErrorKind::Loss, Fault::Caller)
        .seen(lost.what)
        .expected("a value that the format holds")
        .hint("another format holds it, or write it and accept the losses")
        .format_is(format)
}
