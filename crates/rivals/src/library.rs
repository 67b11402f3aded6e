//! What an adapter says of a library, and how that becomes a rival.

use std::fmt::{Debug, Display, Formatter};
use std::hint::black_box;
use std::marker::PhantomData;

use polywire_compare::rival::{Contender, Rival};
use polywire_core::{Error, ErrorKind, Fault, Result};

/// A library of one format, with the tree that it gives to those who don't know the shape of their messages.
pub trait Library: Default + 'static {
    /// Name of the library.
    const NAME: &'static str;
    /// Name of its format.
    const FORMAT: &'static str;
    /// What of the library is used.
    const ABOUT: &'static str;
    /// Whether the library writes its trees. If not, [`Library::write`] is the adapter's own, for checking only.
    const WRITES: bool;
    /// What it makes of a message.
    type Tree<'m>;

    /// Makes the tree. All that its users would have to do is done here, and timed.
    ///
    /// # Errors
    /// Whatever the library has against the message.
    fn read<'m>(&mut self, message: &'m [u8]) -> Result<Self::Tree<'m>>;

    /// Appends the tree to `out`, in the format again.
    ///
    /// # Errors
    /// Whatever the library has against the tree.
    fn write(&mut self, tree: &Self::Tree<'_>, out: &mut Vec<u8>) -> Result<()>;

    /// Makes the tree and drops it: what is timed.
    ///
    /// # Errors
    /// As [`Library::read`].
    fn decode(&mut self, message: &[u8]) -> Result<()> {
        self.read(message).map(|tree| drop(black_box(tree)))
    }

    /// Appends to `out` what it made of the message, in the format again: what is checked.
    ///
    /// # Errors
    /// As [`Library::read`] and [`Library::write`].
    fn answer(&mut self, message: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let tree = self.read(message)?;
        self.write(&tree, out)
    }
}

/// The rival that a library is.
pub struct Of<L>(PhantomData<fn() -> L>);

impl<L> Of<L> {
    /// The only one there is.
    pub const NEW: Of<L> = Of(PhantomData);
}

impl<L: Library> Debug for Of<L> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", L::NAME, L::FORMAT)
    }
}

impl<L: Library> Rival for Of<L> {
    fn name(&self) -> &'static str {
        L::NAME
    }

    fn format(&self) -> &'static str {
        L::FORMAT
    }

    fn about(&self) -> &'static str {
        L::ABOUT
    }

    fn writes(&self) -> bool {
        L::WRITES
    }

    fn enter<'m>(&self) -> Box<dyn Contender<'m> + 'm> {
        Box::new(Entered::<'m, L> { library: L::default(), kept: Vec::new() })
    }
}

struct Entered<'m, L: Library> {
    library: L,
    kept: Vec<L::Tree<'m>>,
}

impl<'m, L: Library> Contender<'m> for Entered<'m, L> {
    fn decode(&mut self, message: &'m [u8]) -> Result<()> {
        self.library.decode(black_box(message))
    }

    fn answer(&mut self, message: &'m [u8], out: &mut Vec<u8>) -> Result<()> {
        self.library.answer(message, out)
    }

    fn keep(&mut self, message: &'m [u8]) -> Result<()> {
        self.kept.push(self.library.read(message)?);
        Ok(())
    }

    fn encode(&mut self, index: usize, out: &mut Vec<u8>) -> Result<()> {
        let tree = self.kept.get(index).ok_or_else(|| Error::internal("a tree that was not kept"))?;
        self.library.write(black_box(tree), out)
    }
}

/// An error of a library, in its own words.
pub(crate) fn failed(error: impl Display) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Environment).seen(error.to_string())
}

/// The message as text, which libraries that take text ask of their users.
pub(crate) fn text(message: &[u8]) -> Result<&str> {
    std::str::from_utf8(message).map_err(failed)
}
