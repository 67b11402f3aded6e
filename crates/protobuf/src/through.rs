//! Texts of messages as formats of the walk. The message's bytes stand between its text and its
//! events.

use std::sync::Arc;

use polywire_core::{
    Budget, Error, ErrorKind, Fault, Field, Frame, Limits, Lost, Needs, Next, Note, Open, Part, Reader, Result, Scalar, Sink, Span, Writer,
};

use polywire_core::walk::{Forward, Layout};

use crate::plan::Plan;
use crate::walk::{ProtobufReader, ProtobufWriter};
use crate::wire::framing::Framing;

/// Finds the end of a message's text.
pub(crate) trait Frames: Default + Send {
    /// Name of the format.
    const NAME: &'static str;

    /// Does as [`Reader::frame`].
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame>;
}

/// A text of messages of one type.
pub(crate) trait Codec: Send {
    /// Framing of the messages.
    type Framer: Frames;

    /// An empty input is a message without fields.
    const EMPTY: bool;

    /// The answer of [`Writer::only_one`].
    const ONLY_ONE: Option<&'static str>;

    /// Appends the bytes of a text's message.
    fn parse(&mut self, text: &[u8], base: u64, out: &mut Vec<u8>, budget: &mut Budget) -> Result<()>;

    /// Sets the look of texts, as [`Writer::lay_out`].
    fn lay_out(&mut self, _: &Layout) -> bool {
        false
    }

    /// Appends the text of a message.
    fn print(&mut self, bytes: &[u8], out: &mut Vec<u8>, budget: &mut Budget) -> Result<()>;
}

/// Reads nothing, because it has no schema.
#[derive(Debug, Default)]
pub(crate) struct Unbound<F>(F);

impl<F: Frames + 'static> Reader for Unbound<F> {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        self.0.frame(buf, base, eof).map_err(|error| error.format_is(F::NAME))
    }

    fn walk<'m>(&mut self, _: &'m [u8], base: u64, _: &mut dyn Sink<'m>, _: &mut Budget) -> Result<()> {
        Err(Error::new(ErrorKind::Usage, Fault::Caller)
            .at(base)
            .seen("no schema")
            .expected("a schema with the type of the messages")
            .hint("give one with --schema: it has the numbers and types of the fields")
            .format_is(F::NAME))
    }
}

/// Reads texts of one message type.
#[derive(Debug)]
pub(crate) struct ThroughReader<C: Codec> {
    framer: C::Framer,
    codec: C,
    /// The message of an empty input was returned.
    empty: bool,
    reader: ProtobufReader,
    bytes: Vec<u8>,
}

impl<C: Codec> ThroughReader<C> {
    pub(crate) fn new(codec: C, plan: &Arc<Plan>) -> ThroughReader<C> {
        ThroughReader {
            framer: C::Framer::default(),
            codec,
            empty: false,
            reader: ProtobufReader::new(Arc::clone(plan), Framing::Whole),
            bytes: Vec::new(),
        }
    }

    /// Sets the types of values, as [`ProtobufReader::typed`].
    pub(crate) fn typed(self, typed: bool) -> ThroughReader<C> {
        ThroughReader { reader: self.reader.typed(typed), ..self }
    }
}

impl<C: Codec + 'static> Reader for ThroughReader<C> {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        if C::EMPTY && buf.is_empty() && eof && base == 0 {
            self.empty = !self.empty;
            return Ok(if self.empty { Frame::Message { start: 0, end: 0 } } else { Frame::End });
        }
        self.framer.frame(buf, base, eof).map_err(|error| error.format_is(C::Framer::NAME))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.bytes.clear();
        let mut parsing = Budget::new(budget.limits());
        self.codec.parse(msg, base, &mut self.bytes, &mut parsing).map_err(|error| error.format_is(C::Framer::NAME))?;
        let mut apart = Apart { sink, whole: Span::at(base, 0, msg.len()) };
        self.reader.walk(&self.bytes, 0, &mut apart, budget).map_err(|error| error.at(base))
    }

    fn groups_fields(&self) -> bool {
        true
    }
}

/// Forwards events to a sink whose message is not the bytes walked: every value gets the span of
/// the whole message.
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

/// Writes texts of one message type.
#[derive(Debug)]
pub(crate) struct ThroughWriter<C> {
    writer: ProtobufWriter,
    codec: C,
    bytes: Vec<u8>,
}

impl<C: Codec> ThroughWriter<C> {
    pub(crate) fn new(codec: C, plan: &Arc<Plan>) -> ThroughWriter<C> {
        ThroughWriter { writer: ProtobufWriter::new(Arc::clone(plan), Framing::Whole), codec, bytes: Vec::new() }
    }

    /// Sets the types of values, as [`ProtobufWriter::typed`].
    pub(crate) fn typed(self, typed: bool) -> ThroughWriter<C> {
        ThroughWriter { writer: self.writer.typed(typed), ..self }
    }

    /// Keeps unknown fields, and notes `caution` for each.
    pub(crate) fn unknown(self, caution: &'static str) -> ThroughWriter<C> {
        ThroughWriter { writer: self.writer.unknown(true).caution(caution), ..self }
    }
}

impl<'m, C: Codec> Forward<'m> for ThroughWriter<C> {
    type To = ProtobufWriter;

    fn to(&mut self) -> &mut ProtobufWriter {
        &mut self.writer
    }

    fn needs(&self) -> Needs {
        Sink::needs(&self.writer)
    }
}

impl<C: Codec> Writer for ThroughWriter<C> {
    fn lay_out(&mut self, layout: &Layout) -> bool {
        self.codec.lay_out(layout)
    }

    fn only_one(&self) -> Option<&'static str> {
        C::ONLY_ONE
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.bytes.clear();
        self.writer.finish(&mut self.bytes)?;
        // The events respect the limits of their reader.
        let mut budget = Budget::new(&Limits::DEFAULT.with_depth(Limits::MAX_DEPTH).with_items(u64::MAX));
        self.codec.print(&self.bytes, out, &mut budget).map_err(|error| error.format_is(C::Framer::NAME))
    }

    fn reset(&mut self) {
        self.writer.reset();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.writer.losses()
    }
}
