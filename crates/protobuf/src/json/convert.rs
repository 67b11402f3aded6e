//! Canonical JSON as a format of the walk. The bytes of the message stand between its text and its events.

use std::sync::Arc;

use polywire_core::bytes::json_frame::Framer;
use polywire_core::error::{Error, ErrorKind, Fault, Result};
use polywire_core::event::{Field, Next, Note, Open, Part, Scalar, Span};
use polywire_core::format::{Confidence, Format, Nature, Repeats, SchemaNeed};
use polywire_core::limits::{Budget, Limits};
use polywire_core::read::{Frame, Reader};
use polywire_core::sink::{Needs, Sink};
use polywire_core::write::{Lost, Writer};

use super::{JsonParser, JsonPrinter, ParseOptions, PrintOptions};
use crate::bind::{Protocol, Speech};
use crate::plan::Plan;
use crate::walk::{ProtobufReader, ProtobufWriter};
use crate::wire::framing::Framing;

/// Name of canonical JSON in the registry and in errors.
pub const NAME: &str = "protojson";

/// Canonical JSON in the registry. It is nothing without a schema: the same text means other messages of other types.
pub static FORMAT: Format = Format {
    name: NAME,
    title: "ProtoJSON, the canonical JSON of Protocol Buffers",
    media_types: &["application/vnd.google.protobuf+json"],
    extensions: &["protojson"],
    magic: "as JSON",
    nature: Nature::Text,
    schema: SchemaNeed::Required,
    repeats: Repeats::List,
    separator: "\n",
    recognise: |_, _| Confidence::No,
    reader: || Box::<Unbound>::default(),
    writer: None,
    binder: Some(&Protocol(Speech::Json)),
};

/// Reads nothing, for it has no schema.
#[derive(Debug, Default)]
struct Unbound(Framer);

impl Reader for Unbound {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        Ok(self.0.frame(buf, base == 0, eof))
    }

    fn walk<'m>(&mut self, _: &'m [u8], base: u64, _: &mut dyn Sink<'m>, _: &mut Budget) -> Result<()> {
        Err(Error::new(ErrorKind::Usage, Fault::Caller)
            .at(base)
            .seen("no schema")
            .expected("one that has the type of the messages")
            .format_is(NAME))
    }
}

/// Reads canonical JSON of one message type.
#[derive(Debug)]
pub(crate) struct ProtoJsonReader {
    framer: Framer,
    parser: JsonParser,
    reader: ProtobufReader,
    bytes: Vec<u8>,
}

impl ProtoJsonReader {
    pub(crate) fn new(plan: &Arc<Plan>) -> ProtoJsonReader {
        ProtoJsonReader {
            framer: Framer::default(),
            parser: JsonParser::new(Arc::clone(plan), ParseOptions::default()),
            reader: ProtobufReader::new(Arc::clone(plan), Framing::Whole),
            bytes: Vec::new(),
        }
    }
}

impl Reader for ProtoJsonReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        Ok(self.framer.frame(buf, base == 0, eof))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.bytes.clear();
        let mut parsing = Budget::new(budget.limits());
        self.parser.parse(msg, base, &mut self.bytes, &mut parsing).map_err(|error| error.format_is(NAME))?;
        let mut apart = Apart { sink, whole: Span::at(base, 0, msg.len()) };
        self.reader.walk(&self.bytes, 0, &mut apart, budget).map_err(|error| error.at(base))
    }

    fn groups_fields(&self) -> bool {
        true
    }
}

/// Tells a sink about bytes that are not the message's: every value lies in the whole of it.
struct Apart<'s, 'm> {
    sink: &'s mut dyn Sink<'m>,
    whole: Span,
}

impl<'x> Sink<'x> for Apart<'_, '_> {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        self.sink.open(open, self.whole)
    }

    fn field(&mut self, field: Field<'x, '_>, _: Span) -> Result<Next> {
        self.sink.field(Field { name: field.name.scratch(), id: field.id, slot: field.slot }, self.whole)
    }

    fn scalar(&mut self, value: Scalar<'x, '_>, _: Span) -> Result<()> {
        self.sink.scalar(value.scratch(), self.whole)
    }

    fn part(&mut self, part: Part<'_>, _: Span) -> Result<()> {
        self.sink.part(part, self.whole)
    }

    fn close(&mut self, _: Span) -> Result<()> {
        self.sink.close(Span::new(self.whole.end, self.whole.end))
    }

    fn note(&mut self, note: Note<'_>, _: Span) -> Result<()> {
        self.sink.note(note, self.whole)
    }
}

/// Writes canonical JSON of one message type.
#[derive(Debug)]
pub(crate) struct ProtoJsonWriter {
    writer: ProtobufWriter,
    printer: JsonPrinter,
    bytes: Vec<u8>,
}

impl ProtoJsonWriter {
    pub(crate) fn new(plan: &Arc<Plan>) -> ProtoJsonWriter {
        ProtoJsonWriter {
            writer: ProtobufWriter::new(Arc::clone(plan), Framing::Whole),
            printer: JsonPrinter::new(Arc::clone(plan), PrintOptions::default()),
            bytes: Vec::new(),
        }
    }
}

impl<'m> Sink<'m> for ProtoJsonWriter {
    fn needs(&self) -> Needs {
        Sink::needs(&self.writer)
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.writer.open(open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.writer.field(field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.writer.scalar(value, at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.writer.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.writer.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.writer.note(note, at)
    }
}

impl Writer for ProtoJsonWriter {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.bytes.clear();
        self.writer.finish(&mut self.bytes)?;
        // The events were within the limits of their reader.
        let mut budget = Budget::new(&Limits { depth: Limits::MAX_DEPTH, items: u64::MAX, ..Limits::DEFAULT });
        self.printer.print(&self.bytes, 0, out, &mut budget).map_err(|error| error.format_is(NAME))
    }

    fn reset(&mut self) {
        self.writer.reset();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.writer.losses()
    }
}
