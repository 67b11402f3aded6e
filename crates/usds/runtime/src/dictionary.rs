//! Documents: heads and dictionary sections as constants, and bodies of several roots (section 5).

use crate::Arena;
use crate::error::{Error, Problem, Step};
use crate::message::{Decode, DecodeOwned, Root};
use crate::read::{Own, Reader};
use crate::shape::{Refused, Shape};
use crate::wire::{self, ID, SIZE};

/// First byte of a head.
const HEAD: u8 = 0x24;
/// Signature of the dictionary section.
const SECTION: u8 = 0x44;
const BODY_A: u8 = 0x42;
const BODY_B: u8 = 0x62;
const BODY_PROFILE: u8 = 0x70;

/// The revisions of the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revision {
    /// Autumn 2015.
    A,
    /// December 2017.
    B,
    /// Revision B, completed.
    Profile,
}

impl Revision {
    /// The signature of its bodies.
    const fn body(self) -> u8 {
        match self {
            Revision::A => BODY_A,
            Revision::B => BODY_B,
            Revision::Profile => BODY_PROFILE,
        }
    }
}

/// A named type of a dictionary.
#[derive(Debug)]
pub struct Tag {
    /// Its name.
    pub name: &'static str,
    /// Whether bodies have it at the top.
    pub root: bool,
    /// Its type.
    pub shape: &'static Shape,
}

/// The dictionary that code was made of, as documents say it.
#[derive(Debug)]
pub struct Dictionary {
    /// Revision of what is written.
    pub revision: Revision,
    /// Whether bodies of revision B cannot say what it does.
    pub extended: bool,
    /// The head's bytes in front of its size.
    pub head: [u8; 10],
    /// Contents of its section.
    pub section: &'static [u8],
    /// Tags; the id of each is its position and 1.
    pub tags: &'static [Tag],
}

/// Which parts a document has, besides its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For files, and receivers without the dictionary.
    HeadDictionaryBody,
    /// For receivers that hold the dictionary.
    HeadBody,
    /// For a connection that was opened.
    Body,
}

impl Dictionary {
    /// Starts a body: appends its signature. Roots follow it.
    pub fn open(&self, out: &mut Vec<u8>) {
        out.push(self.revision.body());
    }

    /// Appends a document of that form with a body that has its signature.
    ///
    /// # Errors
    /// [`Problem::Overflow`]: it is longer than a head can say.
    pub fn document(&self, form: Form, body: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        let mut section = Vec::new();
        if form == Form::HeadDictionaryBody {
            section.push(SECTION);
            put_size(self.section.len(), &mut section);
            section.extend_from_slice(self.section);
        }
        if form != Form::Body {
            let size = section.len() + body.len();
            if size > u32::MAX as usize {
                return Err(Error::new(Problem::Overflow, self.revision, 0, Vec::new()));
            }
            out.extend_from_slice(&self.head);
            put_size(size, out);
            out.extend_from_slice(&section);
        }
        out.extend_from_slice(body);
        Ok(())
    }

    /// Holds that a document or body is one of this dictionary, all of it.
    ///
    /// # Errors
    /// Why it is not.
    pub fn validate(&'static self, bytes: &[u8]) -> Result<(), Error> {
        let mut roots = Roots::open(bytes, self)?;
        while let Some((tag, at)) = roots.peek()? {
            roots.at = roots.check(tag, at)?;
        }
        Ok(())
    }

    #[cold]
    fn refused(&self, problem: Problem, at: usize, bytes: &[u8]) -> Error {
        self.error(Refused::new(problem, at, bytes), None)
    }

    #[cold]
    pub(crate) fn error(&self, refused: Refused, root: Option<&'static str>) -> Error {
        let path = root.map(Step::Name).into_iter().chain(refused.path.into_iter().rev()).collect();
        Error::new(refused.problem, self.revision, refused.at, path)
    }

    /// Where the entries of a body start.
    #[inline]
    pub(crate) fn entries(&self, bytes: &[u8]) -> Result<usize, Error> {
        match bytes.first() {
            Some(byte) if *byte == self.revision.body() => Ok(1),
            _ => self.entries_of_document(bytes),
        }
    }

    fn entries_of_document(&self, bytes: &[u8]) -> Result<usize, Error> {
        let refused = |problem, at| self.refused(problem, at, bytes);
        let mut at = 0;
        match bytes.first() {
            None => return Err(refused(Problem::Empty, 0)),
            Some(&HEAD) => {
                for (at, expected) in self.head[..4].iter().enumerate() {
                    match bytes.get(at) {
                        None => return Err(refused(Problem::End, at)),
                        Some(byte) if byte != expected => return Err(refused(Problem::Document, at)),
                        Some(_) => {}
                    }
                }
                let (head, behind) = wire::array::<10>(bytes, 0).map_err(|problem| refused(problem, 0))?;
                let (size, start) = wire::narrow(bytes, behind, SIZE).map_err(|problem| refused(problem, behind))?;
                match bytes.len() - start {
                    left if left < size as usize => return Err(refused(Problem::End, start)),
                    left if left > size as usize => return Err(refused(Problem::Document, start + size as usize)),
                    _ => {}
                }
                if head != self.head {
                    return Err(refused(Problem::Dictionary, 4));
                }
                at = start;
                if bytes.get(at) == Some(&SECTION) {
                    let (section, end) = wire::sized(bytes, at + 1).map_err(|problem| refused(problem, at + 1))?;
                    if section != self.section {
                        return Err(refused(Problem::Dictionary, at));
                    }
                    at = end;
                }
            }
            Some(_) => {}
        }
        // A document may have no body, which has no roots.
        let Some(signature) = bytes.get(at) else { return Ok(at) };
        match (*signature, self.revision) {
            (BODY_A, Revision::A) | (BODY_PROFILE, Revision::B | Revision::Profile) => Ok(at + 1),
            (BODY_B, Revision::B | Revision::Profile) if self.extended => Err(refused(Problem::Revision, at)),
            (BODY_B, Revision::B | Revision::Profile) => Ok(at + 1),
            _ => Err(refused(Problem::Document, at)),
        }
    }
}

/// The roots of a body, one after another, each as the type that its tag has.
#[derive(Debug, Clone)]
pub struct Roots<'a> {
    dictionary: &'static Dictionary,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Roots<'a> {
    /// The roots of a document or a body. A section that travels inside has to be that of the dictionary, to the byte.
    ///
    /// # Errors
    /// Bytes that are no document; another dictionary; a revision that it has not.
    #[inline]
    pub fn open(bytes: &'a [u8], dictionary: &'static Dictionary) -> Result<Roots<'a>, Error> {
        Ok(Roots { dictionary, bytes, at: dictionary.entries(bytes)? })
    }

    /// The tag of the next root; none at the end.
    ///
    /// # Errors
    /// The dictionary has no such root.
    pub fn tag(&self) -> Result<Option<u32>, Error> {
        Ok(self.peek()?.map(|(tag, _)| tag))
    }

    /// The tag of the next root, and where its value starts.
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

    /// Where the value of the next root starts, which is of that tag.
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

    /// The next root, borrowing.
    ///
    /// # Errors
    /// It is of another type, or its bytes are refused.
    #[inline]
    pub fn next<T: Decode<'a> + Root>(&mut self, arena: &'a Arena) -> Result<T, Error> {
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

    /// The next root, owning.
    ///
    /// # Errors
    /// It is of another type, or its bytes are refused.
    #[inline]
    pub fn next_owned<T: DecodeOwned + Root>(&mut self) -> Result<T, Error> {
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

    /// Holds that nothing follows.
    #[inline]
    pub(crate) fn end(&self) -> Result<(), Error> {
        if self.at == self.bytes.len() { Ok(()) } else { Err(self.dictionary.refused(Problem::Document, self.at, self.bytes)) }
    }

    /// Holds that all there is is one root of that tag.
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
        // What was refused is refused again; if it were not, the end of the bytes is as good a place as any.
        self.check(tag, at).err().unwrap_or_else(|| self.dictionary.refused(Problem::End, at, self.bytes))
    }
}

fn put_size(size: usize, out: &mut Vec<u8>) {
    crate::output::Output::new(out).uvarint(size as u64);
}
