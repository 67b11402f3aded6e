//! The text format as a codec of texts.

use std::sync::Arc;

use polywire_core::{Budget, Frame, Result};

use super::{TextParser, TextPrinter, UnknownFields};
use crate::plan::Plan;
use crate::through::{Codec, Frames};
use crate::wire::framing::Framing;

/// Name of the text format in the registry and in errors.
pub const NAME: &str = "txtpb";

/// Frames the whole input as one message.
#[derive(Debug, Default)]
pub(crate) struct Framer;

impl Frames for Framer {
    const NAME: &'static str = NAME;

    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        Framing::Whole.frame(buf, base, eof)
    }
}

/// The text format of one message type.
#[derive(Debug)]
pub(crate) struct TextCodec {
    parser: TextParser,
    printer: TextPrinter,
}

impl TextCodec {
    pub(crate) fn new(plan: &Arc<Plan>) -> TextCodec {
        // A writer that keeps no unknown fields hands none over.
        let printer = TextPrinter::new(Arc::clone(plan)).unknown(UnknownFields::ByNumber);
        TextCodec { parser: TextParser::new(Arc::clone(plan)), printer }
    }
}

impl Codec for TextCodec {
    type Framer = Framer;
    const EMPTY: bool = true;
    const ONLY_ONE: Option<&'static str> = Some("write them in a format of several messages: --to protojson");

    fn parse(&mut self, text: &[u8], base: u64, out: &mut Vec<u8>, budget: &mut Budget) -> Result<()> {
        self.parser.parse(text, base, out, budget)
    }

    fn print(&mut self, bytes: &[u8], out: &mut Vec<u8>, budget: &mut Budget) -> Result<()> {
        self.printer.print(bytes, 0, out, budget)
    }
}
