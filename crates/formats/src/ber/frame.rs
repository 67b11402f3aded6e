//! Framing: finds the end of an encoding, and judges whether bytes are encodings at all.

use polywire_core::bytes::Input;
use polywire_core::format::Confidence;
use polywire_core::{Error, ErrorKind, Frame, Result};

use super::header::{Class, Header, Length, header};
use super::universal;

/// State of the framing of the current message.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Framer {
    /// Bytes of the message already stepped over.
    pos: u64,
    /// Number of open encodings of indefinite length there. Those of definite length are stepped
    /// over whole.
    open: u64,
}

impl Framer {
    pub fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        if buf.is_empty() {
            return Ok(if eof { Frame::End } else { Frame::More(1) });
        }
        match self.advance(buf, base)? {
            None => {
                let end = self.pos as usize;
                *self = Framer::default();
                Ok(Frame::Message { start: 0, end })
            }
            Some(_) if eof => {
                *self = Framer::default();
                Ok(Frame::Message { start: 0, end: buf.len() })
            }
            Some(missing) => Ok(Frame::More(usize::try_from(missing).unwrap_or(usize::MAX).max(1))),
        }
    }

    /// Continues until the message is complete; returns the number of missing bytes if it is not.
    fn advance(&mut self, buf: &[u8], base: u64) -> Result<Option<u64>> {
        loop {
            let here = self.pos;
            if here > 0 && self.open == 0 && here <= buf.len() as u64 {
                return Ok(None);
            }
            let Some(rest) = usize::try_from(here).ok().and_then(|pos| buf.get(pos..)) else {
                return Ok(Some(here - buf.len() as u64));
            };
            let mut input = Input::new(rest, base + here);
            let header = match header(&mut input) {
                Ok(header) => header,
                Err(error) if error.kind() == ErrorKind::Truncated => return Ok(Some(1)),
                Err(error) => return Err(error),
            };
            let size = header.size as u64;
            if is_end(&header) {
                self.open = self.open.checked_sub(1).ok_or_else(|| stray_end(base + here))?;
                self.pos += size;
            } else {
                match header.length {
                    Length::Indefinite => {
                        self.open += 1;
                        self.pos += size;
                    }
                    Length::Definite(len) => {
                        let end = (here + size).checked_add(len);
                        self.pos = end.ok_or_else(|| {
                            Error::data(ErrorKind::Range, base + here)
                                .seen(format!("a length of {len} bytes"))
                                .expected("a length that fits the stream")
                        })?;
                    }
                }
            }
        }
    }
}

/// Reports whether a header is the end-of-contents octets (X.690 8.1.5).
pub(super) fn is_end(header: &Header) -> bool {
    header.class == Class::Universal
        && header.number == 0
        && !header.constructed
        && header.length == Length::Definite(0)
        && header.size == 2
}

pub(super) fn stray_end(at: u64) -> Error {
    Error::data(ErrorKind::Syntax, at).seen("end-of-contents octets where nothing of indefinite length is open").expected("a value")
}

/// Judges how well bytes look like BER: encodings must tile all of them.
pub(super) fn recognise(start: &[u8], whole: bool) -> Confidence {
    if is_utf16(start) {
        return Confidence::No;
    }
    let mut ends: Vec<Option<u64>> = Vec::new();
    let mut input = Input::new(start, 0);
    let mut seen = 0u32;
    let mut first = None;
    let mut cut = false;
    loop {
        while ends.last() == Some(&Some(input.offset())) {
            ends.pop();
        }
        if input.remaining() == 0 {
            break;
        }
        let header = match header(&mut input) {
            Ok(header) => header,
            Err(error) if error.kind() == ErrorKind::Truncated => {
                cut = true;
                break;
            }
            Err(_) => return Confidence::No,
        };
        if is_end(&header) {
            match ends.pop() {
                Some(None) => continue,
                _ => return Confidence::No,
            }
        }
        if header.class == Class::Universal && !universal::plausible(header.number, header.constructed) {
            return Confidence::No;
        }
        first.get_or_insert(header);
        seen += 1;
        let limit = ends.iter().rev().find_map(|end| *end);
        if limit.is_some_and(|limit| input.offset() > limit) {
            return Confidence::No;
        }
        match header.length {
            Length::Indefinite => ends.push(None),
            Length::Definite(len) => {
                let Some(end) = input.offset().checked_add(len) else { return Confidence::No };
                if limit.is_some_and(|limit| end > limit) {
                    return Confidence::No;
                }
                if header.constructed {
                    ends.push(Some(end));
                } else if end > start.len() as u64 {
                    cut = true;
                    break;
                } else {
                    input.seek(end as usize);
                }
            }
        }
        if ends.len() > MAX_LOOK {
            return Confidence::Possible;
        }
    }
    let Some(first) = first else { return Confidence::No };
    cut |= !ends.is_empty();
    let long = first.size > 2;
    match (first.class, first.constructed) {
        (Class::Universal, true) if whole && !cut && seen > 1 => Confidence::Certain,
        // Truncated, and nothing follows: a broken message, which inspection is for.
        _ if whole && cut && seen < 3 => Confidence::No,
        _ if whole && cut && !long => Confidence::Possible,
        (Class::Universal, true) if seen > 2 || long && seen > 1 => Confidence::Likely,
        (Class::Context | Class::Application, true) if seen > 2 => Confidence::Likely,
        _ => Confidence::Possible,
    }
}

/// Reports whether bytes are ASCII in UTF-16, little-endian, which are empty encodings in a row.
fn is_utf16(start: &[u8]) -> bool {
    let (pairs, _) = start[..start.len().min(LOOK)].as_chunks::<2>();
    let is_ascii = |byte: u8| (b' '..0x7f).contains(&byte) || matches!(byte, b'\t' | b'\n' | b'\r');
    pairs.len() > 1 && pairs.iter().all(|pair| is_ascii(pair[0]) && pair[1] == 0)
}

/// Bytes after which text in UTF-16 is certain.
const LOOK: usize = 64;

/// Nesting at which recognition gives up: nothing genuine is deeper.
const MAX_LOOK: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    const NESTED: &[u8] = &[0x30, 0x80, 0x24, 0x80, 4, 2, 1, 2, 0, 0, 2, 1, 5, 0, 0];

    #[test]
    fn a_stream_cut_anywhere_is_framed_alike() {
        let stream: Vec<u8> = [NESTED, &[2, 1, 7], NESTED, &[0x30, 3, 2, 1, 9]].concat();
        for step in 1..stream.len() {
            let (mut framer, mut start, mut have, mut ends) = (Framer::default(), 0, 0, Vec::new());
            loop {
                match framer.frame(&stream[start..have], start as u64, have == stream.len()).unwrap() {
                    Frame::Message { end, .. } => {
                        start += end;
                        ends.push(start);
                    }
                    Frame::More(missing) => {
                        assert!(missing > 0 && have < stream.len());
                        have = (have + step).min(stream.len());
                    }
                    Frame::Between(_) => panic!("every byte belongs to a message"),
                    Frame::End => break,
                }
            }
            assert_eq!(ends, [15, 18, 33, 38], "in steps of {step}");
        }
    }

    #[test]
    fn what_is_missing_is_never_overstated() {
        let mut framer = Framer::default();
        assert_eq!(framer.frame(&[0x30, 0x84], 0, false).unwrap(), Frame::More(1));
        assert_eq!(framer.frame(&[0x30, 0x84, 0, 0, 1, 0, 9], 0, false).unwrap(), Frame::More(255));
        assert_eq!(framer.frame(&[0x30, 0x84, 0, 0, 1, 0, 9], 0, true).unwrap(), Frame::Message { start: 0, end: 7 });
        assert_eq!(framer.frame(&[], 7, true).unwrap(), Frame::End);
        assert!(framer.frame(&[0, 0], 0, true).is_err());
        let mut huge = vec![4, 0x88];
        huge.extend([0xff; 8]);
        assert_eq!(framer.frame(&huge, 0, false).unwrap_err().kind(), ErrorKind::Range);
    }

    #[test]
    fn recognition() {
        assert_eq!(recognise(NESTED, true), Confidence::Certain);
        assert_eq!(recognise(&NESTED[..12], false), Confidence::Likely);
        assert_eq!(recognise(&NESTED[..12], true), Confidence::Possible);
        assert_eq!(recognise(&[0x30, 0x82, 1, 0, 2, 1, 5, 2, 1], true), Confidence::Likely);
        assert_eq!(recognise(&[0x30, 0x82, 1, 0, 2, 1], true), Confidence::No);
        assert_eq!(recognise(&[2, 1, 5], true), Confidence::Possible);
        assert_eq!(recognise(&[0x30, 0x82, 1, 0, 2, 1], false), Confidence::Likely);
        for other in [&b"a\0,\0b\0\n\0"[..], b"0\x001\0", b"0123", b"{\"a\": 1}", b"<a/>", b"", &[0x83, 0xa1], &[0x30, 3, 2, 2, 1]] {
            assert_eq!(recognise(other, true), Confidence::No, "{other:?}");
        }
    }
}
