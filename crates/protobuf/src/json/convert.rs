//! Canonical JSON as a codec of texts.

use std::sync::Arc;

use polywire_core::{Budget, Frame, Result};
pub(crate) use polywire_json::frame::Framer;

use super::{JsonParser, JsonPrinter, ParseOptions, PrintOptions};
use crate::plan::Plan;
use crate::through::{Codec, Frames};

/// Name of canonical JSON in the registry and in errors.
pub const NAME: &str = "protojson";

impl Frames for Framer {
    const NAME: &'static str = NAME;

    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        Ok(Framer::frame(self, buf, base == 0, eof))
    }
}

/// Canonical JSON of one message type.
#[derive(Debug)]
pub(crate) struct JsonCodec {
    parser: JsonParser,
    printer: JsonPrinter,
}

impl JsonCodec {
    pub(crate) fn new(plan: &Arc<Plan>, options: ParseOptions) -> JsonCodec {
        JsonCodec {
            parser: JsonParser::new(Arc::clone(plan), options),
            printer: JsonPrinter::new(Arc::clone(plan), PrintOptions::default()),
        }
    }
}

impl Codec for JsonCodec {
    type Framer = Framer;
    const EMPTY: bool = false;
    const ONLY_ONE: Option<&'static str> = None;

    fn parse(&mut self, text: &[u8], base: u64, out: &mut Vec<u8>, budget: &mut Budget) -> Result<()> {
        self.parser.parse(text, base, out, budget)
    }

    fn print(&mut self, bytes: &[u8], out: &mut Vec<u8>, budget: &mut Budget) -> Result<()> {
        self.printer.print(bytes, 0, out, budget)
    }
}
