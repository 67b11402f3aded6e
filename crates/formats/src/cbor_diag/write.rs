//! Events to text, by way of CBOR.

use std::any::Any;

use polywire_core::walk::{Forward, Layout};
use polywire_core::{Error, Lost, Needs, Reader, Result, Sink, Writer};

use super::NAME;
use super::print::print;
use crate::cbor::{CborReader, CborWriter};

/// Writes the notation: CBOR, printed.
#[derive(Debug, Default)]
pub struct DiagWriter {
    cbor: CborWriter,
    bytes: Vec<u8>,
    layout: Layout,
}

impl<'m> Forward<'m> for DiagWriter {
    type To = CborWriter;

    fn to(&mut self) -> &mut CborWriter {
        &mut self.cbor
    }

    fn needs(&self) -> Needs {
        Sink::needs(&self.cbor)
    }
}

impl Writer for DiagWriter {
    fn meets(&mut self, reader: &mut dyn Reader) {
        if let Some(reader) = (reader as &mut dyn Any).downcast_mut::<CborReader>() {
            reader.show_lengths();
        }
    }

    fn lay_out(&mut self, layout: &Layout) -> bool {
        self.layout = layout.clone();
        true
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.bytes.clear();
        self.cbor.finish(&mut self.bytes).map_err(|error| error.format_is(NAME))?;
        print(&self.bytes, self.layout.indent, out).ok_or_else(|| Error::internal("bytes that are no CBOR").format_is(NAME))
    }

    fn reset(&mut self) {
        self.cbor.reset();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.cbor.losses()
    }
}
