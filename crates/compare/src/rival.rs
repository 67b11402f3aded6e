//! The interface to other libraries, in comparisons and in benchmarks.

use std::hint::black_box;

use polywire_core::format::Dialect;
use polywire_core::value::Tree;
use polywire_core::{Needs, Result};

use crate::messages::Arranged;
use polywire_core::tools::adapt::Walker;

/// Another library for messages of one format.
pub trait Rival: Sync + std::fmt::Debug {
    /// Returns the name of the library.
    fn name(&self) -> &'static str;

    /// Returns the name of its format.
    fn format(&self) -> &'static str;

    /// Returns the used part of the library, in a few words.
    fn about(&self) -> &'static str;

    /// Returns true if it writes what it read.
    fn writes(&self) -> bool;

    /// Prepares it for messages that live for `'m`. `dialect` is that of the messages: it has their
    /// schema.
    ///
    /// # Errors
    /// The library does not take the schema.
    fn enter<'m>(&self, dialect: &Dialect) -> Result<Box<dyn Contender<'m> + 'm>>;
}

/// Library that is ready to read.
pub trait Contender<'m> {
    /// Reads a message to the library's own tree, and drops the tree.
    ///
    /// # Errors
    /// The library's error, in its own words.
    fn decode(&mut self, message: &'m [u8]) -> Result<()>;

    /// Reads a message to a tree, and appends the tree to `out` in the same format.
    ///
    /// The library writes it, or its adapter if the library cannot.
    ///
    /// # Errors
    /// As [`Contender::decode`].
    fn answer(&mut self, message: &'m [u8], out: &mut Vec<u8>) -> Result<()>;

    /// Reads a message to a tree, and keeps the tree for [`Contender::encode`].
    ///
    /// # Errors
    /// As [`Contender::decode`].
    fn keep(&mut self, message: &'m [u8]) -> Result<()>;

    /// Appends kept tree `index` to `out`, by the library's own writer if it has one.
    ///
    /// # Errors
    /// The library's error.
    fn encode(&mut self, index: usize, out: &mut Vec<u8>) -> Result<()>;

    /// Decodes each of `messages`, `passes` times. This is the loop of a measurement, and is
    /// compiled with the library's adapter.
    ///
    /// # Errors
    /// As [`Contender::decode`].
    fn decode_all(&mut self, messages: &[&'m [u8]], passes: u64) -> Result<()> {
        for _ in 0..passes {
            for message in messages {
                self.decode(message)?;
            }
        }
        Ok(())
    }

    /// Writes each of the kept trees to `out`, in place of what it has, `passes` times.
    ///
    /// # Errors
    /// As [`Contender::encode`].
    fn encode_all(&mut self, trees: usize, out: &mut Vec<u8>, passes: u64) -> Result<()> {
        for _ in 0..passes {
            for index in 0..trees {
                out.clear();
                self.encode(index, out)?;
                black_box(&*out);
            }
        }
        Ok(())
    }
}

/// Reads a message to a tree for comparing: notes of layout are left out.
pub(crate) fn held<'m>(walker: &mut Walker, bytes: &'m [u8], spare: Tree<'_>) -> Result<Tree<'m>> {
    let mut sink = Arranged::new(spare.recycle(), Needs::NONE);
    walker.walk(bytes, 0, &mut sink)?;
    Ok(sink.tree)
}
