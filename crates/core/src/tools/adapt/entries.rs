//! Framing of entries: a document is entered, step by step, and its entries are messages.

use crate::error::{Error, ErrorKind, Fault, Result};
use crate::limits::Limits;
use crate::walk::entries::{Amended, Descent, EntryPath, Place, Step, Structure, Treatment};
use crate::walk::read::{Frame, Reader};

/// Finds the entries below a path in documents that arrive in pieces. Memory: the containers on the
/// way, and an entry.
pub(crate) struct Entries {
    structure: Box<dyn Structure>,
    descent: Descent,
    levels: Vec<Place>,
    /// A value is under way; true if it is an entry.
    value: Option<bool>,
}

impl Entries {
    pub(crate) fn new(structure: Box<dyn Structure>, path: EntryPath) -> Entries {
        let descent = Descent::new(path, structure.repeats());
        Entries { structure, descent, levels: Vec::new(), value: None }
    }

    pub(crate) fn descent(&self) -> &Descent {
        &self.descent
    }

    /// Returns the message that was framed last with what its bytes lack.
    pub(crate) fn amended(&self, entry: &[u8]) -> Option<Amended> {
        self.structure.amended(entry)
    }

    /// Finds the next entry, as [`Reader::frame`] finds a message.
    pub(crate) fn frame(&mut self, reader: &mut dyn Reader, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        let mut at = 0;
        loop {
            let (rest, offset) = (&buf[at..], base + at as u64);
            let wait = |missing: usize| Ok(if at > 0 { Frame::Between(at) } else { Frame::More(missing.max(1)) });
            if let Some(entry) = self.value {
                match self.structure.value(reader, rest, offset, eof, entry)? {
                    Frame::Message { start, end } => {
                        self.value = None;
                        self.structure.passed();
                        if entry {
                            return Ok(Frame::Message { start: at + start, end: at + end });
                        }
                        at += end;
                    }
                    Frame::Between(bytes) => at += bytes,
                    Frame::More(missing) => return wait(missing),
                    Frame::End => return Err(Error::truncated(offset, "a value")),
                }
                continue;
            }
            match self.structure.next(rest, offset, eof)? {
                Step::Value { at: start, shape, name } => {
                    let treatment = self.descent.treat(self.levels.last().copied(), name.as_deref(), shape);
                    at += start;
                    match treatment {
                        Treatment::Entry => self.value = Some(true),
                        Treatment::Skip => self.value = Some(false),
                        Treatment::Enter(place) if place.is_beside() && self.structure.steps_over() => self.value = Some(false),
                        Treatment::Enter(place) => {
                            if self.levels.len() as u64 >= u64::from(Limits::MAX_DEPTH) {
                                let error = Error::new(ErrorKind::Limit, Fault::Data).seen("containers within containers");
                                return Err(error.expected(format!("at most {} levels", Limits::MAX_DEPTH)).at(base + at as u64));
                            }
                            self.levels.push(place);
                            at += self.structure.enter(&buf[at..]);
                        }
                    }
                }
                Step::Close(bytes) => {
                    self.levels.pop();
                    at += bytes;
                }
                Step::Between(bytes) => at += bytes,
                Step::More(missing) => return wait(missing),
                Step::End => return Ok(Frame::End),
            }
        }
    }
}
