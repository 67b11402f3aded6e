//! Many packets in one buffer, parsed at once to a tape that is used again and again.
//!
//! ```
//! use polywire_psyc::batch::{End, Tape};
//!
//! let bytes = b":_source\tpsyc://h/~ann\n\n=_nick\tAnn\n_message\nHi all\n|\n|\n:_tar";
//! let mut tape = Tape::default();
//! let batch = tape.parse(bytes);
//! let first = batch.packet(0).unwrap();
//! assert_eq!(first.entity().next().unwrap().value, b"Ann");
//! assert_eq!((first.method(), first.data()), (&b"_message"[..], &b"Hi all"[..]));
//! assert_eq!(batch.len(), 2);
//! assert_eq!(batch.end(), End::More { start: 55, missing: 1 });
//! ```
//!
//! Everything is checked that the pull parser checks: a batch holds the packets that [`Parser`](crate::wire::Parser) would tell,
//! and ends with the code and offset of its fault. How it gets there is another way, for speed: `index` finds the ends of names and lines
//! for 64 bytes at a time; `walk` goes from packet to packet over them; `exact` takes over where something is not plainly right.
//!
//! # Layout of the tape
//!
//! | record | fields, 32 bits each |
//! |---|---|
//! | line, 8 bytes | offset after the name, offset of the LF at the end |
//! | packet, 24 bytes | number of its first line, number of the first line of its entity header, offset of the content, offset of the method, offset after the method, offset of the end mark |
//!
//! Lines are one after the other in one vector, packets in another. What starts where its predecessor ends has no offset of its own; operators and sizes are
//! read in the buffer. A line takes four bytes of input at least, a packet two: a tape is at most 12 times as large as its input, and no claimed
//! size makes it larger.

mod exact;
mod index;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod simd;
mod tape;
mod view;
mod walk;

#[cfg(test)]
mod tests;

pub use view::{Head, Lines, Packet, Packets};

use crate::wire::{Fault, Limits, SIZE_LIMIT};
use index::Index;
use tape::Records;

/// Bytes of a buffer that are looked at, four gigabytes nearly: offsets have 32 bits.
pub const MAX: usize = u32::MAX as usize - 255;

/// How a batch ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// With the end of a packet.
    Complete,
    /// Inside of a packet, or at [`MAX`]. The rest is to be parsed again, with more behind it.
    More {
        /// Offset of the rest.
        start: usize,
        /// How many bytes are missing at least; 0 if the buffer is longer than [`MAX`].
        missing: usize,
    },
    /// With a mistake. The packets before it are good; the stream is of no use after it.
    Fault(Fault),
}

/// One packet, owned by whoever keeps its bytes: the same records as in a tape.
#[cfg(feature = "tokio")]
#[derive(Debug, Clone)]
pub(crate) struct Single(alloc::sync::Arc<Records>);

#[cfg(feature = "tokio")]
impl Single {
    /// The records of bytes that are a whole packet, as the pull parser with the same limits has said.
    pub fn new(bytes: &[u8], limits: Limits) -> Option<Single> {
        let mut records = Records::default();
        let end = exact::read(bytes, 0, &mut records, limits);
        (end == End::Complete && records.packet_count == 1).then(|| Single(alloc::sync::Arc::new(records)))
    }

    /// The packet.
    pub fn view<'s>(&'s self, bytes: &'s [u8]) -> Option<Packet<'s, 's>> {
        Packet::new(bytes, &self.0, 0)
    }
}

/// Packets as offsets. It keeps its memory from batch to batch.
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
    /// Sets what is refused. Limits on what has no size are left to the pull parser, which takes longer.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Tape {
        self.limits = limits;
        self
    }

    /// Parses a buffer that starts with a packet. Nothing is allocated but, in the first batches, a larger tape.
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
    fn parse_exactly<'t, 'b>(&'t mut self, buf: &'b [u8]) -> Batch<'t, 'b> {
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

    /// Bytes of memory that the tape holds.
    pub fn memory(&self) -> usize {
        self.records.bytes() + self.index.bytes()
    }
}

/// The packets of a buffer.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'t, 'b> {
    buf: &'b [u8],
    records: &'t Records,
    end: End,
}

impl<'t, 'b> Batch<'t, 'b> {
    /// Number of packets.
    pub fn len(&self) -> usize {
        self.records.packet_count
    }

    /// Whether there is no whole packet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How it ends.
    pub fn end(&self) -> End {
        self.end
    }

    /// A packet by its number.
    #[inline]
    pub fn packet(&self, number: usize) -> Option<Packet<'t, 'b>> {
        Packet::new(self.buf, self.records, number)
    }

    /// All packets.
    #[inline]
    pub fn packets(&self) -> Packets<'t, 'b> {
        Packets { batch: *self, numbers: 0..self.len() }
    }
}

impl<'t, 'b> IntoIterator for Batch<'t, 'b> {
    type Item = Packet<'t, 'b>;
    type IntoIter = Packets<'t, 'b>;

    fn into_iter(self) -> Packets<'t, 'b> {
        self.packets()
    }
}
