//! The caller of a running filter: inputs for it, and its messages to people.

use jaq_core::data::HasLut;
use jaq_core::{DataT, Lut};

use crate::guard;
use crate::value::Val;

/// The caller of a running filter.
pub trait Host {
    /// Returns the next input, for `input` and `inputs`; `None` if there is no more. An error is a
    /// text for `catch`.
    fn next(&self) -> Option<Result<Val, String>>;

    /// Returns the name of the file that the last input came from, if it has one.
    fn name(&self) -> Option<String>;

    /// Receives a message for people.
    fn say(&self, said: Said<'_>);
}

/// A message of a filter for people.
#[derive(Debug, Clone, Copy)]
pub enum Said<'v> {
    /// The input of `debug`.
    Debug(&'v Val),
    /// The input of `stderr`.
    Stderr(&'v Val),
    /// The input of `halt_error`.
    Halt(&'v Val),
}

/// A host without inputs, which nobody hears.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alone;

impl Host for Alone {
    fn next(&self) -> Option<Result<Val, String>> {
        None
    }

    fn name(&self) -> Option<String> {
        None
    }

    fn say(&self, _: Said<'_>) {}
}

/// The kinds of data that the interpreter works with.
pub(crate) struct Kind;

/// The context of a running filter.
pub(crate) struct Data<'a> {
    lut: &'a Lut<Kind>,
    host: &'a dyn Host,
}

impl<'a> Data<'a> {
    pub(crate) fn new(lut: &'a Lut<Kind>, host: &'a dyn Host) -> Data<'a> {
        Data { lut, host }
    }

    pub(crate) fn next(&self) -> Option<Result<Val, String>> {
        self.host.next()
    }

    pub(crate) fn name(&self) -> Option<String> {
        self.host.name()
    }

    pub(crate) fn say(&self, said: Said<'_>) {
        self.host.say(said);
    }
}

/// The interpreter copies the context for each call of a definition, so that the bounds are looked
/// at here.
impl Clone for Data<'_> {
    #[inline]
    fn clone(&self) -> Self {
        guard::look();
        Data { lut: self.lut, host: self.host }
    }
}

impl DataT for Kind {
    type V<'a> = Val;
    type Data<'a> = Data<'a>;
}

impl<'a> HasLut<'a, Kind> for Data<'a> {
    fn lut(&self) -> &'a Lut<Kind> {
        self.lut
    }
}
