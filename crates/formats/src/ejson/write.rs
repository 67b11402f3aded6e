//! Events to Extended JSON text, by way of BSON.

use polywire_core::walk::{Forward, Layout};
use polywire_core::{Budget, Field, Limits, Losses, Lost, Needs, Next, Open, Result, Scalar, Sink, Span, Writer};

use super::print::Printer;
use super::types::is_type;
use super::{CANONICAL_NAME, NAME};
use crate::bson::{BsonReader, BsonWriter};
use crate::json::JsonWriter;

/// Writes Extended JSON: BSON, printed.
#[derive(Debug)]
pub struct EjsonWriter {
    canonical: bool,
    bson: BsonWriter,
    bytes: Vec<u8>,
    reader: BsonReader,
    json: JsonWriter,
    /// The first name of an object comes next.
    first: bool,
    losses: Losses,
}

impl EjsonWriter {
    /// Makes a writer of the relaxed form: numbers are JSON's where it has them.
    pub fn relaxed() -> EjsonWriter {
        EjsonWriter {
            canonical: false,
            bson: BsonWriter::default(),
            bytes: Vec::new(),
            reader: BsonReader::default(),
            json: JsonWriter::default(),
            first: false,
            losses: Losses::default(),
        }
    }

    /// Makes a writer of the canonical form: each number has its type.
    pub fn canonical() -> EjsonWriter {
        EjsonWriter { canonical: true, ..EjsonWriter::relaxed() }
    }
}

impl<'m> Forward<'m> for EjsonWriter {
    type To = BsonWriter;

    fn to(&mut self) -> &mut BsonWriter {
        &mut self.bson
    }

    fn needs(&self) -> Needs {
        Sink::needs(&self.bson)
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.first = matches!(open, Open::Record { .. } | Open::Map(_));
        if let Open::Variant { name, .. } = open
            && is_type(name)
        {
            self.losses.value("object that is read as another type, by its first key", at);
        }
        Sink::open(&mut self.bson, open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        if std::mem::take(&mut self.first) && is_type(field.name.get()) {
            self.losses.value("object that is read as another type, by its first key", at);
        }
        Sink::field(&mut self.bson, field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.first = false;
        Sink::scalar(&mut self.bson, value, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.first = false;
        Sink::close(&mut self.bson, at)
    }
}

impl Writer for EjsonWriter {
    fn lay_out(&mut self, layout: &Layout) -> bool {
        self.json.lay_out(layout)
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let name = if self.canonical { CANONICAL_NAME } else { NAME };
        self.bytes.clear();
        self.bson.finish(&mut self.bytes).map_err(|error| error.format_is(name))?;
        // The events respect the limits of their reader, and BSON adds levels to a few.
        let mut budget = Budget::new(&Limits::DEFAULT.with_depth(Limits::MAX_DEPTH * 4).with_items(u64::MAX).with_decoded(u64::MAX));
        let mut printer = Printer::new(&mut self.json, self.canonical);
        let printed = self.reader.walk_into(&self.bytes, 0, &mut printer, &mut budget).and_then(|()| self.json.finish(out));
        if printed.is_err() {
            self.json.reset();
        }
        printed.map_err(|error| error.format_is(name))
    }

    fn reset(&mut self) {
        self.bson.reset();
        self.json.reset();
        self.first = false;
        self.losses.clear();
    }

    fn losses(&mut self) -> Vec<Lost> {
        let mut lost = self.bson.losses();
        lost.extend(self.losses.take());
        lost
    }
}
