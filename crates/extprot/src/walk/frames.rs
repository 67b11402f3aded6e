//! Message framing, shared by both readers.

use polywire_core::{Error, ErrorKind, Frame, Result};

use super::shared::NAME;
use crate::wire::Broken;
use crate::wire::frame::{Framed, Framer};

/// Framer of consecutive messages (docs/spec/extprot.md 4.4).
#[derive(Debug, Clone, Default)]
pub(crate) struct Frames(Framer);

impl Frames {
    pub(crate) fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        let found = self.0.frame(buf);
        if eof && matches!(found, Ok(Framed::More(_))) {
            self.0.reset();
        }
        framed(found, buf, base, eof)
    }
}

/// Converts the result of a framer for `buf`; `base` is the offset where the message starts. At the
/// end of a stream, an unfinished message is returned as it is.
pub(super) fn framed(found: Result<Framed, Broken>, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
    match found {
        Ok(Framed::Whole(end)) => Ok(Frame::Message { start: 0, end }),
        Ok(Framed::More(_)) if eof && buf.is_empty() => Ok(Frame::End),
        Ok(Framed::More(_)) if eof => Ok(Frame::Message { start: 0, end: buf.len() }),
        Ok(Framed::More(more)) => Ok(Frame::More(more)),
        Err(Broken::WireType) => {
            Err(Error::data(ErrorKind::Syntax, base).seen("an invalid wire type").expected("the prefix of a message").format_is(NAME))
        }
        Err(_) => Err(Error::data(ErrorKind::Range, base).seen("a number of more than 64 bits").expected("a message").format_is(NAME)),
    }
}
