//! Files of call records (3GPP TS 32.297 6.1): a head of the file, and a head of each record.

use polywire_core::{Error, ErrorKind, Frame, Result};

use super::Frames;

/// Octets of the shortest head of a file: lengths, release, times, counts, reason, address, lost
/// records, and the length of the filter of routes.
const FIXED: u64 = 50;

/// Most octets of a file's head: the fixed part, two parts of 65,535 octets, extensions of release.
const MOST: u64 = FIXED + 2 + 2 * 0xffff + 2;

/// Release that an octet of its own extends (3GPP TS 32.297 6.1.1.3).
const EXTENDED: u8 = 7;

/// Names of the encodings of records, from 1 (3GPP TS 32.297 6.1.2.3).
const ENCODINGS: [&str; 4] = ["BER", "PER, unaligned", "PER, aligned", "XML"];

/// Framing of a file, or of several one after the other.
pub(super) struct Records {
    /// Number of the encoding.
    encoding: u8,
    /// Offset at which the file ends, once its head was read.
    end: Option<u64>,
}

impl Records {
    /// Makes a framing of records in an encoding.
    pub fn new(encoding: u8) -> Records {
        Records { encoding, end: None }
    }

    /// Steps over the head of a file.
    fn head(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        let number =
            |at: usize| buf.get(at..at + 4).map(|octets| octets.iter().fold(0u64, |number, octet| number << 8 | u64::from(*octet)));
        let (Some(length), Some(head)) = (number(0), number(4)) else { return missing(buf, base, eof, 8) };
        if !(FIXED..=MOST).contains(&head) {
            let error = Error::data(ErrorKind::Syntax, base + 4).seen(format!("a head of {head} octets"));
            return Err(error
                .expected(format!("the head of a file of call records, {FIXED} to {MOST} octets (3GPP TS 32.297 6.1.1)"))
                .hint("without --framing, records follow each other with fillers between"));
        }
        if length < head {
            let error = Error::data(ErrorKind::Syntax, base).seen(format!("a file of {length} octets"));
            return Err(error.expected(format!("at least those of its head, {head} (3GPP TS 32.297 6.1.1.1)")));
        }
        let head = head as usize;
        if buf.len() < head {
            return missing(buf, base, eof, head);
        }
        self.end = Some(base + length);
        Ok(Frame::Between(head))
    }

    fn record(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        let Some(&[high, low, release, kind]) = buf.first_chunk::<4>() else {
            return if eof { Err(Error::truncated(base, "the head of a record")) } else { Ok(Frame::More(4 - buf.len())) };
        };
        let start = if release >> 5 == EXTENDED { 5 } else { 4 };
        let encoding = kind >> 5;
        if encoding != self.encoding {
            let name = |number: u8| ENCODINGS.get(usize::from(number).wrapping_sub(1)).copied().unwrap_or("an unknown encoding");
            let error = Error::data(ErrorKind::Unsupported, base + 3).seen(format!("a record in {}", name(encoding)));
            return Err(error.expected(format!("one in {} (3GPP TS 32.297 6.1.2.3)", name(self.encoding))));
        }
        let end = start + usize::from(u16::from_be_bytes([high, low]));
        Ok(match end.checked_sub(buf.len()).filter(|missing| *missing > 0) {
            None => Frame::Message { start, end },
            // An unfinished record is walked as it is.
            Some(_) if eof && buf.len() >= start => Frame::Message { start, end: buf.len() },
            Some(_) if eof => return Err(Error::truncated(base, "the head of a record")),
            Some(missing) => Frame::More(missing),
        })
    }
}

fn missing(buf: &[u8], base: u64, eof: bool, wanted: usize) -> Result<Frame> {
    if eof { Err(Error::truncated(base, "the head of the file")) } else { Ok(Frame::More(wanted - buf.len())) }
}

impl Frames for Records {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        if buf.is_empty() {
            return Ok(if eof { Frame::End } else { Frame::More(1) });
        }
        if self.end.is_none_or(|end| base >= end) {
            return self.head(buf, base, eof);
        }
        self.record(buf, base, eof)
    }
}
