//! Framing: a message is the content of a line. Lines of white space alone hold none.

use memchr::{memchr, memchr_iter};
use polywire_core::Frame;
use polywire_json::frame::BOM;

/// State of the search for the end of the first message. Offsets count from the start of the
/// buffer.
#[derive(Debug, Default)]
pub struct Framer {
    /// All lines before this are blank.
    line: usize,
    /// There is no line break between `line` and this.
    at: usize,
}

impl Framer {
    /// Appends the messages of whole lines, as [`Framer::frame`] finds them behind the first one.
    pub fn lines(&self, buf: &[u8], most: usize, found: &mut Vec<(usize, usize)>) {
        if self.line > 0 || self.at > 0 {
            return;
        }
        let mut line = 0;
        for end in memchr_iter(b'\n', buf) {
            found.extend(content(buf, line, end));
            line = end + 1;
            if end >= most {
                break;
            }
        }
    }

    /// Finds the first message in `buf`; `first` is true at the start of the stream.
    pub fn frame(&mut self, buf: &[u8], first: bool, eof: bool) -> Frame {
        if first && self.line == 0 {
            if !eof && buf.len() < BOM.len() && BOM.starts_with(buf) {
                return Frame::More(1);
            }
            if buf.starts_with(BOM) {
                (self.line, self.at) = (BOM.len(), BOM.len());
            }
        }
        loop {
            let found = memchr(b'\n', &buf[self.at..]).map(|found| self.at + found);
            let end = match found {
                Some(end) => end,
                None if eof => buf.len(),
                None => {
                    self.at = buf.len();
                    return Frame::More(1);
                }
            };
            if let Some((start, end)) = content(buf, self.line, end) {
                *self = Framer::default();
                return Frame::Message { start, end };
            }
            if found.is_none() {
                return Frame::End;
            }
            (self.line, self.at) = (end + 1, end + 1);
        }
    }
}

/// Returns the bounds of what a line has between white space; none if it has nothing else.
#[inline]
fn content(buf: &[u8], line: usize, end: usize) -> Option<(usize, usize)> {
    let text = &buf[line..end];
    let first = text.iter().position(|byte| !is_white(*byte))?;
    let blank = text.iter().rev().take_while(|byte| is_white(**byte)).count();
    Some((line + first, end - blank))
}

/// Reports whether a byte is white space around a value (RFC 8259 section 2).
fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}
