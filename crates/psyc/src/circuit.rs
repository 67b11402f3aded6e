//! Circuits: streams of packets, as a codec for [`tokio_util::codec`].
//!
//! [`Circuit`] decodes to [`Packet`]s, which own their bytes without a copy, and encodes these and
//! [`packet::Packet`]s. A peer's greeting, `|` and LF, is a packet without a content.
//!
//! Time is linear in the length of the stream, however it is cut: bytes of an unfinished packet are
//! not looked at again. Memory is at most the largest packet and the bytes of one read. Without
//! polling nothing is read, which is the backpressure.

use core::fmt;
use std::io;

use bytes::{Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

use crate::batch::{self, Single};
use crate::packet;
use crate::wire::{Code, Limits, PacketStep, ParseError, Parser, RenderError, lengths, render};

/// The default limit of a packet's size, in bytes: 16 MiB.
pub const PACKET_SIZE_MAX: usize = 16 << 20;

/// Space made at once for bytes that a size promises.
const RESERVE_MAX: usize = 64 << 10;

/// An error of a circuit. After an error of reading, every further read returns the same one.
#[derive(Debug)]
pub enum Error {
    /// The peer broke the grammar.
    ParseError {
        /// The error.
        code: Code,
        /// The offset in the stream of the wrong byte.
        at: u64,
    },
    /// A packet is larger than the limit, or declares a size that is.
    TooLarge {
        /// The offset in the stream of the packet; 0 for a packet to be sent.
        start: u64,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The stream ended inside of a packet.
    Unfinished {
        /// The offset in the stream of the packet.
        start: u64,
    },
    /// A packet to be sent cannot be rendered.
    Render(RenderError),
    /// The stream below failed.
    Io(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::ParseError { code, at } => {
                write!(f, "byte {at} of the circuit: expected {}; the peer is to be disconnected", code.expected())
            }
            Error::TooLarge { start, limit } => {
                write!(f, "the packet at byte {start} of the circuit is larger than the limit of {limit} bytes")
            }
            Error::Unfinished { start } => write!(f, "the circuit ended inside of the packet at byte {start}"),
            Error::Render(RenderError::NameMissing) => write!(f, "the packet to be sent has a variable without a name"),
            Error::Render(RenderError::MethodMissing) => write!(f, "the packet to be sent has data and no method"),
            Error::Render(error) => write!(f, "the packet to be sent can't be rendered ({})", error.number()),
            Error::Io(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::Io(error)
    }
}

/// The reason why the reading of a circuit stopped.
#[derive(Debug, Clone, Copy)]
enum Stop {
    ParseError(Code, u64),
    TooLarge(u64),
    Unfinished(u64),
}

/// A received packet: whole, checked, and owning its bytes. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Packet {
    bytes: Bytes,
    records: Single,
}

impl Packet {
    /// Returns its bytes, with the end mark.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Returns its parts.
    pub fn view(&self) -> batch::Packet<'_, '_> {
        self.records.view(&self.bytes).expect("the records are of one packet")
    }

    /// Returns a part of it that shares its memory: a value or the data of [`Packet::view`].
    pub fn share(&self, part: &[u8]) -> Bytes {
        self.bytes.slice_ref(part)
    }
}

impl PartialEq for Packet {
    fn eq(&self, other: &Packet) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Packet {}

/// The codec.
#[derive(Debug)]
pub struct Circuit {
    parser: Parser,
    limits: Limits,
    size_max: usize,
    /// Offset in the stream of the packet that is being read.
    start: u64,
    stop: Option<Stop>,
}

impl Default for Circuit {
    fn default() -> Circuit {
        Circuit::new(PACKET_SIZE_MAX, Limits::NONE)
    }
}

impl Circuit {
    /// Returns a codec for packets of at most `size_max` bytes, within `limits`.
    pub fn new(size_max: usize, limits: Limits) -> Circuit {
        Circuit { parser: Parser::default().limits(limits), limits, size_max, start: 0, stop: None }
    }

    fn error(&self, stop: Stop) -> Error {
        match stop {
            Stop::ParseError(code, at) => Error::ParseError { code, at },
            Stop::TooLarge(start) => Error::TooLarge { start, limit: self.size_max },
            Stop::Unfinished(start) => Error::Unfinished { start },
        }
    }

    /// Returns the length of the packet at the start of `src`, if it is whole.
    fn packet(&mut self, src: &mut BytesMut) -> Result<Option<usize>, Stop> {
        loop {
            match self.parser.next(src) {
                Ok(PacketStep::Complete) => break,
                Ok(PacketStep::More) => {
                    let missing = self.parser.missing();
                    if src.len().saturating_add(missing) > self.size_max {
                        return Err(Stop::TooLarge(self.start));
                    }
                    src.reserve(missing.min(RESERVE_MAX));
                    return Ok(None);
                }
                Ok(_) => {}
                Err(ParseError { code, at }) => return Err(Stop::ParseError(code, self.start + at as u64)),
            }
        }
        let length = self.parser.cursor();
        if length > self.size_max { Err(Stop::TooLarge(self.start)) } else { Ok(Some(length)) }
    }
}

impl Decoder for Circuit {
    type Item = Packet;
    type Error = Error;

    fn decode(&mut self, src: &mut BytesMut) -> Result<Option<Packet>, Error> {
        if let Some(stop) = self.stop {
            return Err(self.error(stop));
        }
        if src.is_empty() {
            return Ok(None);
        }
        match self.packet(src) {
            Ok(None) => Ok(None),
            Ok(Some(length)) => {
                self.parser = Parser::default().limits(self.limits);
                self.start += length as u64;
                let bytes = src.split_to(length).freeze();
                let records = Single::new(&bytes, self.limits).expect("the parser read one packet");
                Ok(Some(Packet { bytes, records }))
            }
            Err(stop) => {
                self.stop = Some(stop);
                Err(self.error(stop))
            }
        }
    }

    fn decode_eof(&mut self, src: &mut BytesMut) -> Result<Option<Packet>, Error> {
        match self.decode(src)? {
            Some(packet) => Ok(Some(packet)),
            None if src.is_empty() => Ok(None),
            None => {
                let stop = Stop::Unfinished(self.start);
                self.stop = Some(stop);
                Err(self.error(stop))
            }
        }
    }
}

impl Encoder<Packet> for Circuit {
    type Error = Error;

    fn encode(&mut self, packet: Packet, dst: &mut BytesMut) -> Result<(), Error> {
        if packet.bytes.len() > self.size_max {
            return Err(Error::TooLarge { start: 0, limit: self.size_max });
        }
        dst.extend_from_slice(&packet.bytes);
        Ok(())
    }
}

impl<'a, H: packet::Header<'a>> Encoder<packet::Packet<'a, H>> for Circuit {
    type Error = Error;

    fn encode(&mut self, packet: packet::Packet<'a, H>, dst: &mut BytesMut) -> Result<(), Error> {
        let total = lengths(&packet).total;
        if total > self.size_max {
            return Err(Error::TooLarge { start: 0, limit: self.size_max });
        }
        let start = dst.len();
        dst.resize(start + total, 0);
        match render(&packet, &mut dst[start..]) {
            Ok(_) => Ok(()),
            Err(error) => {
                dst.truncate(start);
                Err(Error::Render(error))
            }
        }
    }
}
