//! The library as suites use it: messages to values, and to bytes of another format.

use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::tools::convert::convert;
use polywire_core::value::ValueSink;
use polywire_core::{Dialect, Error, ErrorKind, Fault, Format, Limits, Note, Result, Sink, Value};
use polywire_core::{Field, Next, Open, Part, Scalar, Span};

/// The widest depth, so that few cases meet a limit; all else is the default.
const LIMITS: Limits = Limits::DEFAULT.with_depth(Limits::MAX_DEPTH);

/// Reads the only message of `bytes`.
///
/// # Errors
/// There is none, more than one, or a malformed one.
pub fn one(format: impl Into<Dialect>, doubles: Doubles, bytes: &[u8]) -> Result<Value> {
    let mut values = all(format, doubles, bytes)?;
    match (values.pop(), values.is_empty()) {
        (Some(value), true) => Ok(value),
        (None, _) => Err(Error::data(ErrorKind::Truncated, 0).seen("no message").expected("one")),
        _ => Err(Error::data(ErrorKind::Trailing, 0).seen("several messages").expected("one")),
    }
}

/// Reads all messages of `bytes`.
///
/// # Errors
/// One is malformed.
pub fn all(format: impl Into<Dialect>, doubles: Doubles, bytes: &[u8]) -> Result<Vec<Value>> {
    let mut walker = Walker::new(format, &LIMITS).doubles(doubles);
    let mut stream = Stream::new(bytes);
    let mut values = Vec::new();
    while let Some(message) = stream.next(&mut walker)? {
        let mut sink = ValueSink::default();
        walker.walk(message.bytes, message.base, &mut sink)?;
        values.extend(sink.finish());
    }
    Ok(values)
}

/// Walks bytes that are one message as a whole into a sink: nothing before it or after it is stepped
/// over, as it is between the messages of a stream.
///
/// # Errors
/// The message is malformed, or is not all.
pub fn walk<S: for<'m> Sink<'m>>(format: &'static Format, bytes: &[u8], sink: &mut S) -> Result<()> {
    Walker::new(format, &LIMITS).doubles(Doubles::Keep).walk(bytes, 0, sink)
}

/// Converts all messages of `bytes`.
///
/// # Errors
/// One cannot be read or written.
pub fn written(from: impl Into<Dialect>, to: impl Into<Dialect>, doubles: Doubles, bytes: &[u8]) -> Result<Vec<u8>> {
    written_with_losses(from, to, doubles, bytes).map(|(out, _)| out)
}

/// Converts all messages of `bytes`; returns also whether a loss was reported.
///
/// # Errors
/// One cannot be read or written.
pub fn written_with_losses(from: impl Into<Dialect>, to: impl Into<Dialect>, doubles: Doubles, bytes: &[u8]) -> Result<(Vec<u8>, bool)> {
    let mut walker = Walker::new(from, &LIMITS).doubles(doubles);
    let mut out = Vec::new();
    let done = convert(&mut Stream::new(bytes), &mut out, &mut walker, to)?;
    Ok((out, !done.losses.is_empty()))
}

/// Writes a value.
///
/// # Errors
/// The format cannot hold it.
pub fn value_written(to: &'static Format, value: &Value) -> Result<Vec<u8>> {
    let make = to.writer.ok_or_else(|| Error::new(ErrorKind::Unsupported, Fault::Caller).seen(to.name))?;
    let mut writer = make();
    let mut out = Vec::new();
    value.emit(&mut *writer)?;
    writer.finish(&mut out)?;
    Ok(out)
}

/// A sink that hands on to a [`ValueSink`], and keeps the remarks on how values were written.
#[derive(Default)]
pub struct Remarked {
    /// The value.
    pub value: ValueSink,
    /// Remarks, in order.
    pub remarks: Vec<&'static str>,
}

impl<'m> Sink<'m> for Remarked {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.value.open(open, at)
    }
    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.value.field(field, at)
    }
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.value.scalar(value, at)
    }
    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.value.part(part, at)
    }
    fn close(&mut self, at: Span) -> Result<()> {
        self.value.close(at)
    }
    fn note(&mut self, note: Note<'_>, _: Span) -> Result<()> {
        if let Note::Coerced(remark) = note {
            self.remarks.push(remark);
        }
        Ok(())
    }
}
