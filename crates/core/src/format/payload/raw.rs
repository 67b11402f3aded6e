//! Bytes as they are: a whole stream as one message that is one value. The contents of a compressed
//! file thus become a payload like any other.

use crate::error::Result;
use crate::format::declaration::{Confidence, Format, Nature};
use crate::limits::Budget;
use crate::walk::event::{Scalar, Span, Str};
use crate::walk::read::{Frame, Reader};
use crate::walk::sink::Sink;

/// Any bytes. It is never recognised; a caller that finds no other format asks for it.
pub static RAW: Format = Format::new("raw", "Any bytes", Nature::Binary, |_, _| Confidence::No, || Box::new(RawReader))
    .media_types(&["application/octet-stream"])
    .magic("anything");

struct RawReader;

impl Reader for RawReader {
    fn frame(&mut self, buf: &[u8], _: u64, eof: bool) -> Result<Frame> {
        Ok(match (buf.is_empty(), eof) {
            (_, false) => Frame::More(1),
            (true, true) => Frame::End,
            (false, true) => Frame::Message { start: 0, end: buf.len() },
        })
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        budget.item(base)?;
        sink.scalar(Scalar::Bytes(Str::Input(msg)), Span::at(base, 0, msg.len()))
    }
}
