//! Reader of messages.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use polywire_doc::{Datum, Wanted};

use super::received::Received;

/// A message that its reader cannot understand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// Offset in the message.
    pub at: usize,
    pub expected: &'static str,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at byte {}", self.expected, self.at)
    }
}

/// The gateway, as a task in a worker asks it while it runs.
pub(crate) trait Asker: Send + Sync {
    /// Fetches what the task's message holds in part or not at all.
    fn whole(&self) -> Result<Datum, String>;

    /// Receives what scripts looked at.
    fn looked_at(&self, looked: &Wanted);

    /// Notes that the part of the value at `path` is returned unchanged. The gateway decides
    /// whether that is enough.
    fn returned_in_part(&self, path: &[&str]);
}

/// A message that is being read.
pub(crate) struct Get<'g> {
    pub(super) bytes: &'g [u8],
    pub(super) at: usize,
    pub(super) side: From<'g>,
}

/// The source of the message.
pub(super) enum From<'g> {
    /// The gateway: its values become documents, and may be fetched in part.
    Gateway { frame: &'g Bytes, received: &'g Received, asker: &'g Arc<dyn Asker> },
    /// A worker: at most `values` values.
    Worker { values: usize, find: &'g dyn Fn(u32) -> Option<Datum> },
}

impl<'g> Get<'g> {
    /// Reads a message of the gateway.
    pub fn of_gateway(frame: &'g Bytes, received: &'g Received, asker: &'g Arc<dyn Asker>) -> Get<'g> {
        Get { bytes: frame, at: 0, side: From::Gateway { frame, received, asker } }
    }

    /// Reads a message of a worker, of at most `values` values. `find` returns the list or object
    /// that has a number.
    pub fn of_worker(bytes: &'g [u8], values: usize, find: &'g dyn Fn(u32) -> Option<Datum>) -> Get<'g> {
        Get { bytes, at: 0, side: From::Worker { values, find } }
    }

    /// Goes on at an offset.
    pub fn from(self, at: usize) -> Get<'g> {
        Get { at, ..self }
    }

    /// Returns the offset of the next byte.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the gateway, for a task in a worker.
    pub fn asker(&self) -> Option<&'g Arc<dyn Asker>> {
        match self.side {
            From::Gateway { asker, .. } => Some(asker),
            From::Worker { .. } => None,
        }
    }

    pub fn wrong(&self, expected: &'static str) -> Malformed {
        Malformed { at: self.at, expected }
    }

    pub fn byte(&mut self) -> Result<u8, Malformed> {
        let byte = *self.bytes.get(self.at).ok_or_else(|| self.wrong("a byte more"))?;
        self.at += 1;
        Ok(byte)
    }

    pub fn count(&mut self) -> Result<u64, Malformed> {
        let mut count = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            count |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(count);
            }
        }
        Err(self.wrong("a count"))
    }

    /// Takes `length` bytes.
    pub fn raw(&mut self, length: usize) -> Result<&'g [u8], Malformed> {
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len()).ok_or_else(|| self.wrong("more bytes"))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.raw(N)?.try_into().map_err(|_| self.wrong("more bytes"))
    }

    pub fn bytes(&mut self) -> Result<&'g [u8], Malformed> {
        let length = self.count()?;
        self.raw(usize::try_from(length).map_err(|_| self.wrong("a length"))?)
    }

    pub fn text(&mut self) -> Result<&'g str, Malformed> {
        let bytes = self.bytes()?;
        std::str::from_utf8(bytes).map_err(|_| self.wrong("UTF-8"))
    }

    /// Checks that nothing is left.
    pub fn end(&self) -> Result<(), Malformed> {
        if self.at == self.bytes.len() { Ok(()) } else { Err(self.wrong("the end of the message")) }
    }

    /// Spends a value.
    pub(super) fn value(&mut self) -> Result<(), Malformed> {
        let at = self.at;
        if let From::Worker { values, .. } = &mut self.side {
            *values = values.checked_sub(1).ok_or(Malformed { at, expected: "fewer values" })?;
        }
        Ok(())
    }
}
