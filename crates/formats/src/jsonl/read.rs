//! JSON's reader behind a strict framing.

use memchr::memchr;
#[cfg(feature = "columns")]
use polywire_core::columns::Filling;
use polywire_core::tools::Count;
use polywire_core::{Budget, Error, ErrorKind, Frame, Limits, Reader, Result, Sink, Surrogates};

use super::frame::Framer;
use crate::json::read::JsonReader;

const NAME: &str = "jsonl";

/// Reads JSON Lines.
#[derive(Debug)]
pub struct JsonLinesReader {
    framer: Framer,
    json: JsonReader,
}

impl Default for JsonLinesReader {
    fn default() -> Self {
        JsonLinesReader { framer: Framer::default(), json: JsonReader::named(NAME) }
    }
}

impl Reader for JsonLinesReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        Ok(self.framer.frame(buf, base == 0, eof))
    }

    fn frame_many(&mut self, buf: &[u8], base: u64, most: usize, found: &mut Vec<(usize, usize)>) {
        if base > 0 {
            self.framer.lines(buf, most, found);
        }
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        // Line breaks after the value do not belong to it.
        let line = memchr(b'\n', msg).unwrap_or(msg.len());
        let line = if msg[line..].trim_ascii().is_empty() { msg } else { &msg[..line] };
        self.json.walk(line, base, sink, budget).map_err(|error| match error.kind() {
            ErrorKind::Truncated => error.hint("a value ends on its line; the format `json` reads values over several lines"),
            ErrorKind::Trailing => error.hint("a line holds one value; the format `json` reads several values on a line"),
            _ => error,
        })?;
        if line.len() < msg.len() {
            let at = base + line.len() as u64;
            return Err(Error::data(ErrorKind::Trailing, at).seen("a line break").expected("the end of the message").format_is(NAME));
        }
        Ok(())
    }

    #[cfg(feature = "columns")]
    fn fill(&mut self, msg: &[u8], _: u64, filling: &mut Filling<'_>, limits: &Limits) -> bool {
        self.json.fill_line(msg, filling, limits)
    }

    fn surrogates(&mut self, surrogates: Surrogates) {
        self.json.surrogates(surrogates);
    }
}

/// Returns true if `line` is one JSON value.
pub fn is_value(line: &[u8]) -> bool {
    JsonReader::default().walk(line, 0, &mut Count::default(), &mut Budget::new(&Limits::DEFAULT)).is_ok()
}
