//! Many packets in one buffer, parsed at once to a reusable tape.
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
//! A batch holds the packets that the pull parser, [`Parser`](crate::wire::Parser), would deliver,
//! and ends with the code and offset of its fault: the checks are the same, by a faster way.
//! `index` finds the ends of names and lines, 64 bytes at a time; `walk` reads packet after packet
//! over them; `exact` takes over where a packet is not plainly right.
//!
//! # Layout of the tape
//!
//! | record | fields, 32 bits each |
//! |---|---|
//! | line, 8 bytes | offset after the name, offset of the LF at the end |
//! | packet, 24 bytes | number of its first line, number of the first line of its entity header, offset of the content, offset of the method, offset after the method, offset of the end mark |
//!
//! Lines are in one vector, packets in another. An item that starts where its predecessor ends has
//! no offset of its own; operators and sizes are read in the buffer. A line takes at least four
//! bytes of input, a packet two: a tape is at most 12 times as large as its input, and no declared
//! size makes it larger.

mod blocks;
mod end;
mod exact;
mod index;
mod records;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod simd;
mod tape;
mod view;
mod walk;

#[cfg(test)]
mod tests;

pub use end::{End, MAX};
#[cfg(feature = "tokio")]
pub(crate) use tape::Single;
pub use tape::Tape;
pub use view::{Batch, Head, Lines, Packet, Packets};
