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
