//! Where messages end, for both readers.

use polywire_core::error::{Error, ErrorKind, Result};
use polywire_core::read::Frame;

use super::NAME;
use crate::wire::Broken;
use crate::wire::frame::{Framed, Framer};

/// Messages one after the other (section 4.4).
#[derive(Debug, Clone, Default)]
pub(crate) struct Frames(Framer);

impl Frames {
    pub(crate) fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        match self.0.frame(buf) {
            Ok(Framed::Whole(end)) => Ok(Frame::Message { start: 0, end }),
            Ok(Framed::More(_)) if eof => {
                self.0.reset();
                Ok(if buf.is_empty() { Frame::End } else { Frame::Message { start: 0, end: buf.len() } })
            }
            Ok(Framed::More(more)) => Ok(Frame::More(more)),
            Err(Broken::WireType) => {
                Err(Error::data(ErrorKind::Syntax, base).seen("an invalid wire type").expected("the prefix of a message").format_is(NAME))
            }
            Err(_) => Err(Error::data(ErrorKind::Range, base).seen("a number of more than 64 bits").expected("a message").format_is(NAME)),
        }
    }
}
