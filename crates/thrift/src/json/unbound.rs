//! The simple protocol without a schema, by which nothing can be read.

use polywire_core::{Budget, Error, ErrorKind, Fault, Frame, Reader, Result, Sink};
use polywire_json::frame::Framer;

use super::SIMPLE_NAME;

/// Finds messages, and refuses each.
#[derive(Debug, Default)]
pub(super) struct Unbound {
    framer: Framer,
}

impl Reader for Unbound {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        Ok(self.framer.frame(buf, base == 0, eof))
    }

    fn walk<'m>(&mut self, _: &'m [u8], base: u64, _: &mut dyn Sink<'m>, _: &mut Budget) -> Result<()> {
        Err(Error::new(ErrorKind::Usage, Fault::Caller)
            .seen("a message without its schema")
            .expected("a text in Thrift's IDL, which says what its values are")
            .hint("give it with --schema FILE --type NAME; `--from json` reads the text without a schema")
            .at(base)
            .format_is(SIMPLE_NAME))
    }
}
