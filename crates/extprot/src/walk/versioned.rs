//! Messages in versioned frames (docs/spec/extprot.md 4.4), each read by the plan of its version.

use std::sync::Arc;

use polywire_core::{Budget, Error, ErrorKind, Frame, Reader, Result, Sink};

use super::frames::framed;
use super::read::{ExtprotReader, Refusal};
use super::shared::NAME;
use crate::error::{Cause, DecodeError, SizeLimits};
use crate::plan::Plan;
use crate::wire::versioned::{HEADER, VersionedFramer, version};

/// Reason why the walk of a versioned frame ended early.
#[derive(Debug)]
pub enum VersionedRefusal {
    /// The frame's version has no plan: *unknown version* of docs/spec/extprot.md 5.6.
    UnknownVersion {
        /// Number of known versions, counted from version 0.
        known: usize,
        /// Version of the frame.
        found: u16,
    },
    /// Refusal of the message inside the frame.
    Refused(Refusal),
}

/// Reader of versioned frames. The events are those of the message; the version, the first two
/// bytes, is not reported to the sink.
#[derive(Debug, Clone)]
pub struct VersionedReader {
    versions: Vec<ExtprotReader>,
    framer: VersionedFramer,
}

impl VersionedReader {
    /// Returns a reader of the versions 0, 1, and so on, with one plan for each.
    pub fn new(plans: impl IntoIterator<Item = Arc<Plan>>) -> VersionedReader {
        VersionedReader { versions: plans.into_iter().map(ExtprotReader::new).collect(), framer: VersionedFramer::default() }
    }

    /// Sets the limits of docs/spec/extprot.md 5.5, for all versions.
    #[must_use]
    pub fn limits(mut self, limits: SizeLimits) -> VersionedReader {
        self.versions = self.versions.into_iter().map(|reader| reader.limits(limits)).collect();
        self
    }

    /// Walks the frame at the start of `bytes`, which is at offset `base` of a stream. Returns its
    /// version and its length in bytes, or `None` for the length if the sink stopped.
    ///
    /// # Errors
    /// The sink's error, the fault in the message, or [`VersionedRefusal::UnknownVersion`].
    pub fn walk_into<'m, S: Sink<'m> + ?Sized>(
        &self,
        bytes: &'m [u8],
        base: u64,
        sink: &mut S,
        budget: &mut Budget,
    ) -> Result<(u16, Option<usize>), VersionedRefusal> {
        let Some(found) = version(bytes) else {
            let failure = DecodeError { cause: Cause::UnexpectedEnd, at: bytes.len(), path: Vec::new() };
            return Err(VersionedRefusal::Refused(Refusal::Message(failure)));
        };
        let Some(reader) = self.versions.get(usize::from(found)) else {
            return Err(VersionedRefusal::UnknownVersion { known: self.versions.len(), found });
        };
        match reader.walk_into(&bytes[HEADER..], base + HEADER as u64, sink, budget) {
            Ok(end) => Ok((found, end.map(|end| HEADER + end))),
            Err(Refusal::Message(failure)) => {
                Err(VersionedRefusal::Refused(Refusal::Message(DecodeError { at: HEADER + failure.at, ..failure })))
            }
            Err(refusal) => Err(VersionedRefusal::Refused(refusal)),
        }
    }
}

impl Reader for VersionedReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        let found = self.framer.frame(buf);
        if eof && matches!(found, Ok(crate::wire::frame::Framed::More(_))) {
            self.framer.reset();
        }
        framed(found, buf, base + HEADER as u64, eof)
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        match self.walk_into(msg, base, sink, budget) {
            Ok((_, None)) => Ok(()),
            Ok((_, Some(end))) if end == msg.len() => Ok(()),
            Ok((_, Some(end))) => Err(Error::data(ErrorKind::Trailing, base + end as u64)
                .seen(format!("{} bytes after the message", msg.len() - end))
                .expected("its end")
                .format_is(NAME)),
            Err(VersionedRefusal::UnknownVersion { known, found }) => Err(Error::data(ErrorKind::Unsupported, base)
                .seen(format!("the version {found}"))
                .expected(format!("one of the {known} known versions, which count from 0"))
                .format_is(NAME)),
            Err(VersionedRefusal::Refused(Refusal::Sink(error))) => Err(error),
            Err(VersionedRefusal::Refused(Refusal::Message(failure))) => Err(failure.into_error(base).format_is(NAME)),
        }
    }
}
