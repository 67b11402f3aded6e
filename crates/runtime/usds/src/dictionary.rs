//! Documents: heads and dictionary sections as constants (docs/spec/usds.md 5).

use polywire_runtime::PathStep;

use crate::error::{Cause, Error, Problem};
use crate::revision::{BODY_A, BODY_B, BODY_PROFILE, Revision};
use crate::shape::{Refused, Shape};
use crate::wire::{self, SIZE};

/// First byte of a head.
const HEAD: u8 = 0x24;
/// Signature of the dictionary section.
const SECTION: u8 = 0x44;

/// A named type of a dictionary.
#[derive(Debug)]
pub struct Tag {
    /// Its name.
    pub name: &'static str,
    /// True if it opens entries of bodies.
    pub root: bool,
    /// Its type.
    pub shape: &'static Shape,
}

/// The dictionary that code was generated from, as it is in documents.
#[derive(Debug)]
pub struct Dictionary {
    /// Revision of what is written.
    pub revision: Revision,
    /// True if bodies of revision B have no bytes for its types.
    pub extended: bool,
    /// The head's bytes in front of its size.
    pub head: [u8; 10],
    /// Contents of its section.
    pub section: &'static [u8],
    /// The tags. The id of each is its position plus 1.
    pub tags: &'static [Tag],
}

/// The table of a type, and the dictionary that it is from.
#[derive(Debug)]
pub struct Type {
    /// The dictionary.
    pub dictionary: &'static Dictionary,
    /// The type.
    pub shape: &'static Shape,
}

/// The parts of a document besides its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For files, and receivers without the dictionary.
    HeadDictionaryBody,
    /// For receivers that hold the dictionary.
    HeadBody,
    /// For an open connection.
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
    /// [`Problem::Overflow`]: the document is longer than a head can say.
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
                return Err(self.error(Refused { problem: Problem::Overflow, at: 0, path: Vec::new() }, None));
            }
            out.extend_from_slice(&self.head);
            put_size(size, out);
            out.extend_from_slice(&section);
        }
        out.extend_from_slice(body);
        Ok(())
    }

    #[cold]
    pub(crate) fn refused(&self, problem: Problem, at: usize, bytes: &[u8]) -> Error {
        self.error(Refused::new(problem, at, bytes), None)
    }

    #[cold]
    pub(crate) fn error(&self, refused: Refused, root: Option<&'static str>) -> Error {
        let path = root.map(PathStep::Name).into_iter().chain(refused.path.into_iter().rev()).collect();
        Error::new(Cause { problem: refused.problem, revision: self.revision }, refused.at, path)
    }

    /// Returns where the entries of a body start.
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

fn put_size(size: usize, out: &mut Vec<u8>) {
    crate::output::Output::new(out).uvarint(size as u64);
}
