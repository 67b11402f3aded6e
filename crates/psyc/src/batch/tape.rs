//! The tape: packets as offsets, kept from batch to batch.

use super::end::{End, MAX};
use super::index::Index;
use super::records::Records;
use super::view::Batch;
#[cfg(feature = "tokio")]
use super::view::Packet;
use super::{exact, walk};
use crate::wire::{Limits, SIZE_LIMIT};

/// One packet, owned by whoever keeps its bytes: the same records as in a tape.
#[cfg(feature = "tokio")]
#[derive(Debug, Clone)]
pub(crate) struct Single(alloc::sync::Arc<Records>);

#[cfg(feature = "tokio")]
impl Single {
    /// Returns the records of bytes that the pull parser has found to be one packet within the same
    /// limits.
    pub fn new(bytes: &[u8], limits: Limits) -> Option<Single> {
        let mut records = Records::default();
        let end = exact::read(bytes, 0, &mut records, limits);
        (end == End::Complete && records.packet_count == 1).then(|| Single(alloc::sync::Arc::new(records)))
    }

    /// Returns the packet.
    pub fn view<'s>(&'s self, bytes: &'s [u8]) -> Option<Packet<'s, 's>> {
        Packet::new(bytes, &self.0, 0)
    }
}

/// The packets of a batch as offsets. The tape keeps its memory from batch to batch.
#[derive(Debug)]
pub struct Tape {
    records: Records,
    index: Index,
    limits: Limits,
}

impl Default for Tape {
    fn default() -> Tape {
        Tape { records: Records::default(), index: Index::default(), limits: Limits::NONE }
    }
}

impl Tape {
    /// Sets the limits. Limits on items without a size are checked by the pull parser, which takes
    /// longer.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Tape {
        self.limits = limits;
        self
    }

    /// Parses a buffer that starts with a packet. Only growing the tape, in the first batches,
    /// allocates.
    pub fn parse<'t, 'b>(&'t mut self, buf: &'b [u8]) -> Batch<'t, 'b> {
        let seen = &buf[..buf.len().min(MAX)];
        self.records.clear();
        let Limits { size, content, value } = self.limits;
        let start = match (content, value) {
            (usize::MAX, usize::MAX) => walk::walk(seen, &mut self.index, &mut self.records, size.min(SIZE_LIMIT)),
            _ => 0,
        };
        let end = exact::read(seen, start, &mut self.records, self.limits);
        self.batch(buf, seen, end)
    }

    /// The same by the pull parser alone.
    #[cfg(test)]
    pub(super) fn parse_exactly<'t, 'b>(&'t mut self, buf: &'b [u8]) -> Batch<'t, 'b> {
        self.records.clear();
        let end = exact::read(buf, 0, &mut self.records, self.limits);
        self.batch(buf, buf, end)
    }

    fn batch<'t, 'b>(&'t self, buf: &'b [u8], seen: &'b [u8], end: End) -> Batch<'t, 'b> {
        let end = match end {
            End::Complete if seen.len() < buf.len() => End::More { start: seen.len(), missing: 0 },
            End::More { start, .. } if seen.len() < buf.len() => End::More { start, missing: 0 },
            end => end,
        };
        Batch { buf: seen, records: &self.records, end }
    }

    /// Returns the number of bytes of memory that the tape holds.
    pub fn memory(&self) -> usize {
        self.records.bytes() + self.index.bytes()
    }
}
