//! Framing: how messages follow each other in a stream. A message does not mark its own end, so
//! something around it has to.

use polywire_core::{Error, ErrorKind, Frame, Result};

use super::bounds::MAX_LENGTH;
use super::error::{Broken, WireError, wire_error};
use super::varint;

/// The frame around each message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Framing {
    /// No frame: the whole input is one message.
    #[default]
    Whole,
    /// Its length as a varint before each message, as `writeDelimitedTo` writes.
    Delimited,
    /// gRPC: a byte for compression, then the length in four bytes, big-endian (gRPC over HTTP2,
    /// "Length-Prefixed-Message").
    Grpc,
    /// Confluent's schema registry ("Wire format"): a byte 0, the schema's number in four bytes,
    /// big-endian, and the place of the message type in the schema. The place is a count and as
    /// many indexes, in zigzag varints, or 0 for the first type.
    Confluent,
}

/// The bytes before a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Number of bytes.
    pub len: usize,
    /// The information besides the length.
    pub says: Says,
}

/// The information in the head of a message besides its length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Says {
    /// None.
    Nothing,
    /// Number of the schema in the registry, and the message type in it.
    Schema {
        /// Number of the schema.
        id: u32,
        /// Index of a type in its file, then of a type within that type, and so on.
        indexes: Vec<u32>,
    },
}

/// Most types within types that Confluent's head may name.
const MAX_INDEXES: u64 = 32;

impl Framing {
    /// Finds the first message of `buf`. A length before it is not part of the message; Confluent's
    /// head is.
    ///
    /// # Errors
    /// The head is malformed, or announces a compressed message. At the end of the stream, the
    /// message is cut off.
    pub fn frame(self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        if buf.is_empty() {
            return Ok(if eof { Frame::End } else { Frame::More(1) });
        }
        if matches!(self, Framing::Whole | Framing::Confluent) {
            return Ok(if eof { Frame::Message { start: 0, end: buf.len() } } else { Frame::More(1) });
        }
        if let (Framing::Grpc, Some(flag @ 1..)) = (self, buf.first()) {
            return Err(match flag {
                1 => Error::data(ErrorKind::Unsupported, base)
                    .seen("a compressed message")
                    .hint("the header `grpc-encoding` of the call names the compression; decompress the message first"),
                other => {
                    Error::data(ErrorKind::Syntax, base).seen(format!("byte 0x{other:02x}")).expected("0 or 1, the flag for compression")
                }
            });
        }
        match self.prefix(buf).map_err(|fault| fault.into_error(base))? {
            Some((head, length)) if length <= buf.len() - head => Ok(Frame::Message { start: head, end: head + length }),
            Some((head, length)) if !eof => Ok(Frame::More(length - (buf.len() - head))),
            Some((head, length)) => Err(Error::truncated(base + buf.len() as u64, format!("a message of {length} bytes"))
                .seen(format!("{} bytes of it, then the end of the input", buf.len() - head))),
            None if eof => Err(Error::truncated(base + buf.len() as u64, "the length of a message")),
            None => Ok(Frame::More(1)),
        }
    }

    /// Returns the length of the head of a delimited or gRPC message, and that of the message, or
    /// `None` if the head is incomplete.
    fn prefix(self, buf: &[u8]) -> Result<Option<(usize, usize)>, WireError> {
        if self == Framing::Grpc {
            return Ok(buf.first_chunk::<5>().map(|[_, length @ ..]| (5, u32::from_be_bytes(*length) as usize)));
        }
        match varint::short(buf, 0) {
            Ok((length, _)) if length > MAX_LENGTH => Err(wire_error(Broken::Length(length), 0)),
            Ok((length, head)) => Ok(Some((head, length as usize))),
            Err(WireError { why: Broken::End, .. }) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Returns the head that is part of the message `msg`, at `base` of the stream.
    ///
    /// # Errors
    /// The head is cut off or malformed.
    pub fn head(self, msg: &[u8], base: u64) -> Result<Head> {
        match self {
            Framing::Confluent => confluent(msg, base),
            _ => Ok(Head { len: 0, says: Says::Nothing }),
        }
    }
}

fn confluent(msg: &[u8], base: u64) -> Result<Head> {
    let cut = || Error::truncated(base + msg.len() as u64, "Confluent's head");
    let Some(&[magic, a, b, c, d]) = msg.first_chunk::<5>() else { return Err(cut()) };
    if magic != 0 {
        return Err(Error::data(ErrorKind::Syntax, base)
            .seen(format!("byte 0x{magic:02x}"))
            .expected("0, the magic byte of Confluent's head"));
    }
    let mut at = 5;
    let mut number = || {
        let (value, next) = varint::read(msg, at).map_err(|fault| if fault.why == Broken::End { cut() } else { fault.into_error(base) })?;
        let value = polywire_core::bytes::unzigzag(value);
        let start = std::mem::replace(&mut at, next);
        u64::try_from(value)
            .map_err(|_| Error::data(ErrorKind::Range, base + start as u64).seen(value.to_string()).expected("an index, or their number"))
    };
    let count = number()?;
    if count > MAX_INDEXES {
        return Err(Error::data(ErrorKind::Range, base + 5)
            .seen(format!("{count} indexes of types within types"))
            .expected(format!("at most {MAX_INDEXES}")));
    }
    let mut indexes = Vec::new();
    for _ in 0..count {
        indexes.push(number()?.min(u64::from(u32::MAX)) as u32);
    }
    if indexes.is_empty() {
        indexes.push(0);
    }
    Ok(Head { len: at, says: Says::Schema { id: u32::from_be_bytes([a, b, c, d]), indexes } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimited_messages_are_found_however_they_are_cut() {
        let stream = [2, 8, 1, 0, 0x81, 0x00, 7];
        let frame = |buf: &[u8], eof| Framing::Delimited.frame(buf, 0, eof).unwrap();
        assert_eq!(frame(&stream[..2], false), Frame::More(1));
        assert_eq!(frame(&stream, false), Frame::Message { start: 1, end: 3 });
        assert_eq!(frame(&stream[3..], false), Frame::Message { start: 1, end: 1 });
        assert_eq!(frame(&stream[4..5], false), Frame::More(1));
        assert_eq!(frame(&stream[4..], true), Frame::Message { start: 2, end: 3 });
        assert_eq!(frame(&[], true), Frame::End);
        for cut in [&stream[..2], &stream[4..5], &[0xff; 6]] {
            assert!(Framing::Delimited.frame(cut, 0, true).is_err());
        }
    }

    #[test]
    fn heads_of_grpc_and_confluent() {
        assert_eq!(Framing::Grpc.frame(&[0, 0, 0, 0, 1, 9, 0], 0, false).unwrap(), Frame::Message { start: 5, end: 6 });
        assert_eq!(Framing::Grpc.frame(&[1, 0, 0, 0, 1, 9], 0, false).unwrap_err().kind(), ErrorKind::Unsupported);
        assert_eq!(Framing::Grpc.frame(&[2, 0, 0, 0, 1, 9], 0, false).unwrap_err().kind(), ErrorKind::Syntax);
        let head = Framing::Confluent.head(&[0, 0, 0, 1, 2, 4, 2, 0, 8, 1], 0).unwrap();
        assert_eq!(head, Head { len: 8, says: Says::Schema { id: 258, indexes: vec![1, 0] } });
        let first = Framing::Confluent.head(&[0, 0, 0, 0, 7, 0], 0).unwrap();
        assert_eq!(first, Head { len: 6, says: Says::Schema { id: 7, indexes: vec![0] } });
        for bad in [&[1, 0, 0, 0, 0, 0][..], &[0, 0, 0, 0, 0], &[0, 0, 0, 0, 0, 1], &[0, 0, 0, 0, 0, 0xfe, 0x7f]] {
            assert!(Framing::Confluent.head(bad, 0).is_err(), "{bad:?}");
        }
    }
}
