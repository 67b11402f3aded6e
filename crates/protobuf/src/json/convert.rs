//! Canonical JSON as a codec of texts.

use std::sync::Arc;

use polywire_core::walk::Layout;
use polywire_core::{Budget, Frame, Result};
pub(crate) use polywire_json::frame::Framer;
use polywire_json::layout::lay_out;

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
    layout: Layout,
    /// The compact text of a message that gets another look.
    compact: Vec<u8>,
}

impl JsonCodec {
    pub(crate) fn new(plan: &Arc<Plan>, options: ParseOptions) -> JsonCodec {
        JsonCodec {
            parser: JsonParser::new(Arc::clone(plan), options),
            printer: JsonPrinter::new(Arc::clone(plan), PrintOptions::default()),
            layout: Layout::COMPACT,
            compact: Vec::new(),
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

    fn lay_out(&mut self, layout: &Layout) -> bool {
        self.layout = layout.clone();
        true
    }

    fn print(&mut self, bytes: &[u8], out: &mut Vec<u8>, budget: &mut Budget) -> Result<()> {
        if self.layout == Layout::COMPACT {
            return self.printer.print(bytes, 0, out, budget);
        }
        self.compact.clear();
        self.printer.print(bytes, 0, &mut self.compact, budget)?;
        lay_out(&self.compact, &self.layout, out);
        Ok(())
    }
}
