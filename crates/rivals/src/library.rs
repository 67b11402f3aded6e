//! The trait of adapters, and the rival made from it.

use std::fmt::{Debug, Display, Formatter};
use std::hint::black_box;
use std::marker::PhantomData;

use polywire_compare::rival::{Contender, Rival};
use polywire_core::format::Dialect;
use polywire_core::{Error, ErrorKind, Fault, Result};

/// Library of one format, with its tree for messages of unknown shape.
pub trait Library: Default + 'static {
    /// Name of the library.
    const NAME: &'static str;
    /// Name of its format.
    const FORMAT: &'static str;
    /// Used part of the library.
    const ABOUT: &'static str;
    /// True if the library writes its trees. If not, [`Library::write`] is the adapter's own, for
    /// checking only.
    const WRITES: bool;
    /// Tree of a message.
    type Tree<'m>;

    /// Prepares it for messages of that dialect.
    ///
    /// # Errors
    /// The library does not take their schema.
    fn of(dialect: &Dialect) -> Result<Self> {
        let _ = dialect;
        Ok(Self::default())
    }

    /// Reads a message to a tree. All that the library's users have to do is done here, and timed.
    ///
    /// # Errors
    /// The library rejects the message.
    fn read<'m>(&mut self, message: &'m [u8]) -> Result<Self::Tree<'m>>;

    /// Appends the tree to `out`, in the same format.
    ///
    /// # Errors
    /// The library rejects the tree.
    fn write(&mut self, tree: &Self::Tree<'_>, out: &mut Vec<u8>) -> Result<()>;

    /// Reads a message to a tree and drops the tree. This is timed.
    ///
    /// # Errors
    /// As [`Library::read`].
    fn decode(&mut self, message: &[u8]) -> Result<()> {
        self.read(message).map(|tree| drop(black_box(tree)))
    }

    /// Reads a message to a tree, and appends the tree to `out` in the same format. This is
    /// checked.
    ///
    /// # Errors
    /// As [`Library::read`] and [`Library::write`].
    fn answer(&mut self, message: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let tree = self.read(message)?;
        self.write(&tree, out)
    }
}

/// Rival made from a library.
pub struct Of<L>(PhantomData<fn() -> L>);

impl<L> Of<L> {
    /// The rival; it has no state.
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

    fn enter<'m>(&self, dialect: &Dialect) -> Result<Box<dyn Contender<'m> + 'm>> {
        Ok(Box::new(Entered::<'m, L> { library: L::of(dialect)?, kept: Vec::new() }))
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

/// Returns an error of a library, in its own words.
pub(crate) fn failed(error: impl Display) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Environment).seen(error.to_string())
}

/// Returns the message as text, for libraries that take only text.
pub(crate) fn text(message: &[u8]) -> Result<&str> {
    std::str::from_utf8(message).map_err(failed)
}
