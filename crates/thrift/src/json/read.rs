//! Texts to events, by a schema or without one.

use std::sync::Arc;

use polywire_core::{Budget, Error, ErrorKind, Frame, Reader, Result, Sink};
use polywire_json::frame::{BOM, Framer};
use polywire_json::scan::Scan;

use super::decode::Decoder;
use super::places::{Placed, Places};
use super::{NAME, SIMPLE_NAME};
use crate::plan::Plan;
use crate::read::ThriftReader;
use crate::wire::Binary;

/// Reads texts of the JSON protocol.
#[derive(Debug, Default)]
pub(super) struct JsonReader {
    plan: Option<Arc<Plan>>,
    /// True for the simple protocol.
    simple: bool,
    framer: Framer,
    inner: ThriftReader<Binary>,
    /// The message that was made of the text.
    message: Vec<u8>,
    places: Places,
}

impl JsonReader {
    /// Makes a reader by a schema.
    pub fn by(plan: &Arc<Plan>, simple: bool) -> JsonReader {
        JsonReader { plan: Some(Arc::clone(plan)), simple, ..JsonReader::default() }
    }

    fn walked<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        let skipped = if msg.starts_with(BOM) { BOM.len() } else { 0 };
        let text = std::str::from_utf8(&msg[skipped..]).map_err(|error| {
            let at = skipped + error.valid_up_to();
            Error::data(ErrorKind::Encoding, base + at as u64)
                .seen(format!("byte 0x{:02x}", msg.get(at).copied().unwrap_or_default()))
                .expected("UTF-8 text")
        })?;
        let base = base + skipped as u64;
        self.message.clear();
        self.places.clear();
        let scan = Scan::new(text, base, String::new());
        let depth = budget.limits().depth;
        let mut decoder = Decoder::new(scan, self.plan.as_deref(), depth, &mut self.message, &mut self.places);
        decoder.simple = self.simple;
        decoder.run()?;
        self.inner = std::mem::take(&mut self.inner).by(self.plan.as_ref()).texts();
        let mut placed = Placed { places: &self.places, base, sink, refused: false };
        self.inner.walk(&self.message, 0, &mut placed, budget).map_err(|error| placed.error(error))
    }
}

impl Reader for JsonReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        Ok(self.framer.frame(buf, base == 0, eof))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.walked(msg, base, sink, budget).map_err(|error| error.format_is(if self.simple { SIMPLE_NAME } else { NAME }))
    }
}
