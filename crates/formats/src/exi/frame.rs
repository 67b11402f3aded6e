//! The ends of streams that follow each other.
//!
//! Nothing in a stream says how long it is, and its end is found by reading it. Only a stream that
//! has the cookie of another one behind it is therefore read for its end; any other one is all that
//! is left.

use memchr::memmem;
use polywire_core::{Budget, Frame, Limits};
use polywire_exi::{Decoder, Ignore, Options};

const COOKIE: &[u8] = b"$EXI";

/// Finds streams.
#[derive(Debug, Default)]
pub struct Framer {
    /// Length up to which the stream was tried without success.
    tried: usize,
}

impl Framer {
    /// Finds the first stream in `buf`.
    pub fn next(&mut self, buf: &[u8], eof: bool, decoder: &mut Decoder, given: Option<&Options>) -> Frame {
        if buf.is_empty() && eof {
            return Frame::End;
        }
        // Each try reads from the start, so each is twice as long as the one before.
        let due = buf.len() >= 2 * self.tried || eof && buf.len() > self.tried;
        if due && memmem::find(buf.get(1..).unwrap_or_default(), COOKIE).is_some() {
            let mut budget = Budget::new(&Limits::DEFAULT);
            match decoder.read(buf, 0, given, &mut Ignore, &mut budget) {
                Ok(outcome) if buf[outcome.len..].starts_with(COOKIE) => {
                    self.tried = 0;
                    return Frame::Message { start: 0, end: outcome.len };
                }
                _ => self.tried = buf.len(),
            }
        }
        if eof {
            self.tried = 0;
            return Frame::Message { start: 0, end: buf.len() };
        }
        Frame::More(1)
    }
}
