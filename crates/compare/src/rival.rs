//! The shim that other libraries go through, in comparisons and in benchmarks.

use polywire_core::value::Tree;
use polywire_core::{Needs, Result};

use crate::messages::Arranged;
use polywire_core::tools::adapt::Walker;

/// Another library that reads messages of one format.
pub trait Rival: Sync + std::fmt::Debug {
    /// Name of the library.
    fn name(&self) -> &'static str;

    /// Name of its format.
    fn format(&self) -> &'static str;

    /// What of the library is used, in a few words.
    fn about(&self) -> &'static str;

    /// Whether it writes what it read.
    fn writes(&self) -> bool;

    /// Makes it ready for messages that live as long as `'m`.
    fn enter<'m>(&self) -> Box<dyn Contender<'m> + 'm>;
}

/// A library that is ready.
pub trait Contender<'m> {
    /// Makes the library's own tree of a message, and drops it.
    ///
    /// # Errors
    /// Whatever the library has against the message, in its own words.
    fn decode(&mut self, message: &'m [u8]) -> Result<()>;

    /// Makes the tree and appends to `out` what it holds, in the same format: as the library writes it, or, if it does not write, as
    /// its adapter does.
    ///
    /// # Errors
    /// As [`Contender::decode`].
    fn answer(&mut self, message: &'m [u8], out: &mut Vec<u8>) -> Result<()>;

    /// Makes the tree and keeps it, for [`Contender::encode`].
    ///
    /// # Errors
    /// As [`Contender::decode`].
    fn keep(&mut self, message: &'m [u8]) -> Result<()>;

    /// Appends what the tree number `index` of those kept holds to `out`, by the library's own writer where it has one.
    ///
    /// # Errors
    /// Whatever the library has against it.
    fn encode(&mut self, index: usize, out: &mut Vec<u8>) -> Result<()>;
}

/// The values of a message as trees are compared: what could be layout is left out.
pub(crate) fn held<'m>(walker: &mut Walker, bytes: &'m [u8], spare: Tree<'_>) -> Result<Tree<'m>> {
    let mut sink = Arranged::new(spare.recycle(), Needs::NONE);
    walker.walk(bytes, 0, &mut sink)?;
    Ok(sink.tree)
}
