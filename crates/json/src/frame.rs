//! Framing of JSON texts in a stream: concatenated, line by line, or separated by white space.

use crate::string::plain_end;
use polywire_core::Frame;

/// Byte order mark of UTF-8. Readers may ignore it (RFC 8259 section 8.1).
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// Search for the end of the first message, which resumes when more bytes have come. Offsets count
/// from the start of the buffer.
#[derive(Debug, Default)]
pub struct Framer {
    start: usize,
    at: usize,
    depth: u64,
    state: State,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Before,
    /// Between the tokens of an array or object.
    Inside,
    String,
    /// In a number, a literal, or an invalid token.
    Word,
}

/// Change of the depth by a byte outside of strings. [`QUOTE`] starts a string.
const TOKENS: [i8; 256] = {
    let mut tokens = [0; 256];
    tokens[b'{' as usize] = 1;
    tokens[b'[' as usize] = 1;
    tokens[b'}' as usize] = -1;
    tokens[b']' as usize] = -1;
    tokens[b'"' as usize] = QUOTE;
    tokens
};

const QUOTE: i8 = 2;

impl Framer {
    /// Finds the first message in `buf`. `first` means that `buf` is the start of the stream.
    pub fn frame(&mut self, buf: &[u8], first: bool, eof: bool) -> Frame {
        match self.end(buf, first, eof) {
            Some(frame) => {
                *self = Framer::default();
                frame
            }
            None if !eof => Frame::More(1),
            None if self.state == State::Before => Frame::End,
            None => {
                let start = self.start;
                *self = Framer::default();
                Frame::Message { start, end: buf.len() }
            }
        }
    }

    fn end(&mut self, buf: &[u8], first: bool, eof: bool) -> Option<Frame> {
        if self.state == State::Before {
            if first && self.at == 0 {
                if BOM.starts_with(&buf[..buf.len().min(BOM.len())]) && buf.len() < BOM.len() && !eof {
                    return None;
                }
                self.at = if buf.starts_with(BOM) { BOM.len() } else { 0 };
            }
            while self.at < buf.len() && matches!(buf[self.at], b' ' | b'\n' | b'\r' | b'\t') {
                self.at += 1;
            }
            self.start = self.at;
            match buf.get(self.at)? {
                b'{' | b'[' => {
                    self.state = State::Inside;
                    self.depth = 1;
                }
                b'"' => self.state = State::String,
                // No value starts like this. The walk reports it.
                b'}' | b']' | b',' | b':' => return Some(Frame::Message { start: self.start, end: self.start + 1 }),
                _ => self.state = State::Word,
            }
            self.at += 1;
        }
        let done = |this: &Framer| Some(Frame::Message { start: this.start, end: this.at });
        loop {
            match self.state {
                State::String => {
                    let ended = string(buf, &mut self.at);
                    if !ended {
                        return None;
                    }
                    if self.depth == 0 {
                        return done(self);
                    }
                    self.state = State::Inside;
                }
                State::Word => {
                    while !matches!(buf.get(self.at)?, b' ' | b'\n' | b'\r' | b'\t' | b'{' | b'}' | b'[' | b']' | b'"' | b',' | b':') {
                        self.at += 1;
                    }
                    return done(self);
                }
                State::Before | State::Inside => {
                    let (mut at, mut depth) = (self.at, self.depth);
                    while let Some(&byte) = buf.get(at) {
                        at += 1;
                        match TOKENS[usize::from(byte)] {
                            0 => {}
                            QUOTE => {
                                if !string(buf, &mut at) {
                                    self.state = State::String;
                                    break;
                                }
                            }
                            step => {
                                depth = depth.wrapping_add_signed(i64::from(step));
                                if depth == 0 {
                                    break;
                                }
                            }
                        }
                    }
                    (self.at, self.depth) = (at, depth);
                    return if depth == 0 { done(self) } else { None };
                }
            }
        }
    }
}

/// Resumes in a string. Returns true if it ended, with `at` after its closing quote. Otherwise `at`
/// is the place to resume.
#[inline]
fn string(buf: &[u8], at: &mut usize) -> bool {
    loop {
        *at = plain_end(buf, *at);
        match buf.get(*at) {
            None => return false,
            Some(b'"') => {
                *at += 1;
                return true;
            }
            // The escaped byte must be there too, or the backslash is looked at again.
            Some(b'\\') if *at + 1 >= buf.len() => return false,
            Some(b'\\') => *at += 2,
            // A control character, which the walk refuses.
            Some(_) => *at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the messages of a stream that arrives at once, or byte by byte.
    fn frames(text: &[u8], at_once: bool) -> Vec<&[u8]> {
        let (mut framer, mut found) = (Framer::default(), Vec::new());
        let (mut from, mut seen) = (0, if at_once { text.len() } else { 0 });
        loop {
            match framer.frame(&text[from..seen], from == 0, seen == text.len()) {
                Frame::Message { start, end } => {
                    found.push(&text[from + start..from + end]);
                    from += end;
                }
                Frame::More(_) => seen += 1,
                Frame::Between(_) => panic!("every byte belongs to a message"),
                Frame::End => return found,
            }
        }
    }

    #[test]
    fn messages_end_where_they_end_however_the_stream_is_cut() {
        let text = b"\xef\xbb\xbf \n\t{\"a\\\"}\": [1, \"]\\\\\"]}{}\r\n 12.5 \"x y\"null\n[[], {\"b\": 2}] } {\"unfinished\": \"";
        let messages: [&[u8]; 8] =
            [b"{\"a\\\"}\": [1, \"]\\\\\"]}", b"{}", b"12.5", b"\"x y\"", b"null", b"[[], {\"b\": 2}]", b"}", b"{\"unfinished\": \""];
        assert_eq!(frames(text, true), messages);
        assert_eq!(frames(text, false), messages);
        assert!(frames(b" \n ", false).is_empty());
    }
}
