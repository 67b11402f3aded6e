//! Bodies of several roots.

use polywire_runtime::{Arena, Decode, DecodeOwned};

use crate::dictionary::Dictionary;
use crate::error::{Error, Problem};
use crate::marker::Usds;
use crate::read::{Own, Reader};
use crate::root::Root;
use crate::wire::{self, ID};

impl Dictionary {
    /// Checks a whole document or body with roots of this dictionary.
    ///
    /// # Errors
    /// Why it is none, with offset and path.
    pub fn validate(&'static self, bytes: &[u8]) -> Result<(), Error> {
        let mut roots = Roots::open(bytes, self)?;
        while let Some((tag, at)) = roots.peek()? {
            roots.at = roots.check(tag, at)?;
        }
        Ok(())
    }
}

/// The roots of a body in order, each as the type of its tag.
#[derive(Debug, Clone)]
pub struct Roots<'a> {
    dictionary: &'static Dictionary,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Roots<'a> {
    /// Returns the roots of a document or a body. Its section, if any, must equal that of the
    /// dictionary.
    ///
    /// # Errors
    /// Bytes that are no document; another dictionary; a revision without bytes for its types.
    #[inline]
    pub fn open(bytes: &'a [u8], dictionary: &'static Dictionary) -> Result<Roots<'a>, Error> {
        Ok(Roots { dictionary, bytes, at: dictionary.entries(bytes)? })
    }

    /// Returns the tag of the next root, or none at the end.
    ///
    /// # Errors
    /// The dictionary has no such root.
    pub fn tag(&self) -> Result<Option<u32>, Error> {
        Ok(self.peek()?.map(|(tag, _)| tag))
    }

    /// Returns the tag of the next root, and where its value starts.
    #[inline]
    fn peek(&self) -> Result<Option<(u32, usize)>, Error> {
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        let refused = |problem| self.dictionary.refused(problem, self.at, self.bytes);
        let (tag, value) = wire::narrow(self.bytes, self.at, ID).map_err(refused)?;
        match self.dictionary.tags.get((tag as usize).wrapping_sub(1)) {
            Some(found) if found.root => Ok(Some((tag, value))),
            Some(_) => Err(refused(Problem::NotRoot)),
            None => Err(refused(Problem::RootUnknown)),
        }
    }

    /// Returns where the value of the next root starts, if it has that tag.
    #[inline]
    fn expect(&self, tag: u32) -> Result<usize, Error> {
        // Most tags take one byte.
        if tag < 0x80 && self.bytes.get(self.at) == Some(&(tag as u8)) {
            return Ok(self.at + 1);
        }
        match self.peek()? {
            Some((found, at)) if found == tag => Ok(at),
            Some(_) => Err(self.dictionary.refused(Problem::RootType, self.at, self.bytes)),
            None => Err(self.dictionary.refused(Problem::End, self.at, self.bytes)),
        }
    }

    /// Decodes the next root, borrowing.
    ///
    /// # Errors
    /// The root has another tag, or its bytes are refused.
    #[inline]
    pub fn next<T: Decode<'a, Usds> + Root>(&mut self, arena: &'a Arena) -> Result<T, Error> {
        let at = self.expect(T::TAG)?;
        let mut reader = Reader::new(self.bytes, at, arena);
        match T::read(&mut reader) {
            Ok(value) => {
                self.at = reader.offset();
                Ok(value)
            }
            Err(_) => Err(self.explained(T::TAG, at)),
        }
    }

    /// Decodes the next root, owning.
    ///
    /// # Errors
    /// The root has another tag, or its bytes are refused.
    #[inline]
    pub fn next_owned<T: DecodeOwned<Usds> + Root>(&mut self) -> Result<T, Error> {
        let at = self.expect(T::TAG)?;
        let mut reader = Reader::new(self.bytes, at, Own);
        match T::read_owned(&mut reader) {
            Ok(value) => {
                self.at = reader.offset();
                Ok(value)
            }
            Err(_) => Err(self.explained(T::TAG, at)),
        }
    }

    /// Checks that nothing follows.
    #[inline]
    pub(crate) fn end(&self) -> Result<(), Error> {
        if self.at == self.bytes.len() { Ok(()) } else { Err(self.dictionary.refused(Problem::Document, self.at, self.bytes)) }
    }

    /// Checks that there is one root, of that tag.
    pub(crate) fn only(&mut self, tag: u32) -> Result<(), Error> {
        self.at = self.check(tag, self.expect(tag)?)?;
        self.end()
    }

    fn check(&self, tag: u32, at: usize) -> Result<usize, Error> {
        let tag = &self.dictionary.tags[tag as usize - 1];
        tag.shape.check(self.bytes, at).map_err(|refused| self.dictionary.error(refused, Some(tag.name)))
    }

    #[cold]
    #[inline(never)]
    fn explained(&self, tag: u32, at: usize) -> Error {
        // The slow reader refuses the same; if it did not, the end of the bytes is as good a
        // place as any.
        self.check(tag, at).err().unwrap_or_else(|| self.dictionary.refused(Problem::End, at, self.bytes))
    }
}
