//! Framing: finds the end of an encoding in a stream, and the fillers between.

use polywire_core::{Error, ErrorKind, Frame, Result};

use super::header::any_head;

/// State of the framing of the current message.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Framer {
    /// Bytes of the message already stepped over.
    pos: u64,
    /// Number of open encodings of indefinite length there. Those of definite length are stepped
    /// over whole.
    open: u64,
}

/// Octets between the records of a file: no encoding of a value begins with them.
const FILLERS: [u8; 2] = [0x00, 0xff];

impl Framer {
    /// Finds the next message. Files of call records are filled up with octets 0x00 or 0xff.
    pub fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        if buf.is_empty() {
            return Ok(if eof { Frame::End } else { Frame::More(1) });
        }
        if self.pos == 0 {
            let fillers = buf.iter().take_while(|octet| FILLERS.contains(octet)).count();
            if fillers == buf.len() && eof {
                return Ok(Frame::End);
            }
            if fillers > 0 {
                return Ok(Frame::Between(fillers));
            }
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
            let Some(at) = usize::try_from(here).ok().filter(|at| *at < buf.len()) else {
                return Ok(Some((here - buf.len() as u64).max(1)));
            };
            let head = match any_head(buf, at, base) {
                Ok(head) => head,
                Err(error) if error.kind() == ErrorKind::Truncated => return Ok(Some(1)),
                Err(error) => return Err(error),
            };
            if buf[at..head.contents] == [0, 0] {
                self.open = self.open.saturating_sub(1);
                self.pos += 2;
                continue;
            }
            match head.length {
                None => {
                    self.open += 1;
                    self.pos = head.contents as u64;
                }
                Some(length) => {
                    self.pos =
                        (head.contents as u64).checked_add(length).filter(|end| base.checked_add(*end).is_some()).ok_or_else(|| {
                            Error::data(ErrorKind::Range, base + here)
                                .seen(format!("a length of {length} bytes"))
                                .expected("a length that fits the stream")
                        })?;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NESTED: &[u8] = &[0x30, 0x80, 0x24, 0x80, 4, 2, 1, 2, 0, 0, 2, 1, 5, 0, 0];

    #[test]
    fn a_stream_cut_anywhere_is_framed_alike() {
        let stream: Vec<u8> = [NESTED, &[0xff, 0xff, 0], &[2, 1, 7], &[0; 40], NESTED, &[0x30, 3, 2, 1, 9], &[0xff; 5]].concat();
        for piece in 1..stream.len() {
            let mut framer = Framer::default();
            let (mut from, mut to, mut found) = (0, 0, Vec::new());
            loop {
                let eof = to == stream.len();
                match framer.frame(&stream[from..to], from as u64, eof).unwrap() {
                    Frame::Message { start, end } => {
                        found.push(&stream[from + start..from + end]);
                        from += end;
                    }
                    Frame::Between(bytes) => from += bytes,
                    Frame::More(_) => to = (to + piece).min(stream.len()),
                    Frame::End => break,
                }
            }
            assert_eq!(found, [NESTED, &[2, 1, 7], NESTED, &[0x30, 3, 2, 1, 9]], "{piece}");
        }
    }

    #[test]
    fn an_unfinished_message_is_returned_as_it_is() {
        let frame = |bytes: &[u8]| Framer::default().frame(bytes, 0, true);
        assert_eq!(frame(&[0x30, 5, 1]).unwrap(), Frame::Message { start: 0, end: 3 });
        assert_eq!(frame(&[0x30, 0x88, 255, 255, 255, 255, 255, 255, 255, 255]).unwrap_err().kind(), ErrorKind::Range);
        assert_eq!(Framer::default().frame(&[0x30, 0x84, 255, 255, 255, 255], 0, false).unwrap(), Frame::More(0xffff_ffff));
    }
}
