//! Rust's types to messages.

use polywire_core::serde::Events;
use polywire_core::{Dialect, Error, ErrorKind, Fault, Lost, Result, Writer};
use serde_core::Serialize;

use crate::serde::losses;
use crate::serde::pulls::push;
use crate::{IntoDialect, registry};

/// Writes a value as one message. A line of JSON Lines ends with its line break.
///
/// # Errors
/// The format has no such name, cannot be written without a schema, or cannot hold the value
/// ([`ErrorKind::Loss`]).
pub fn to_vec<T: Serialize + ?Sized>(value: &T, format: impl IntoDialect) -> Result<Vec<u8>> {
    let (dialect, mut out) = (format.into_dialect()?, Vec::new());
    if dialect.is_plain()
        && let Some(outcome) = push(registry::unframed(dialect.format()).name, value, &mut out)
    {
        outcome.map_err(|error| error.format_is(dialect.format().name))?;
        out.extend_from_slice(registry::end_of_message(dialect.format()).as_bytes());
        return Ok(out);
    }
    TypedWriter::new(dialect)?.write(value, &mut out)?;
    Ok(out)
}

/// Writes values as messages of one dialect, one after the other. The memory of a message is used
/// again for the next one.
pub struct TypedWriter {
    dialect: Dialect,
    writer: Box<dyn Writer>,
    /// Name of the format whose serializer writes the values that it can.
    pushed: Option<&'static str>,
    lossy: bool,
    /// True if enums are cases of a sum type: the schema of the last message had such types.
    cases: bool,
    lost: Vec<Lost>,
    /// Text behind each message.
    end: &'static str,
    /// Number of values that go to events at once, as the serializer has left one to them.
    rest: u8,
}

impl TypedWriter {
    /// Values without an attempt after one in vain, as the next ones are likely to be alike.
    const REST: u8 = 15;

    /// Makes a writer of a format or dialect.
    ///
    /// # Errors
    /// The format has no such name, cannot be written, or not without a schema.
    pub fn new(format: impl IntoDialect) -> Result<TypedWriter> {
        let dialect = format.into_dialect()?;
        let writer = dialect.writer().ok_or_else(|| unwritable(&dialect))?;
        let pushed = dialect.is_plain().then(|| registry::unframed(dialect.format()).name);
        let end = registry::end_of_message(dialect.format());
        Ok(TypedWriter { dialect, writer, pushed, lossy: false, cases: false, lost: Vec::new(), end, rest: 0 })
    }

    /// Gives all values to the format's writer as events, even where there is a serializer: its
    /// twin.
    #[must_use]
    pub fn by_events(self) -> TypedWriter {
        TypedWriter { pushed: None, ..self }
    }

    /// Sets whether a value that the format cannot hold is written as well as it can, and is no
    /// error. [`TypedWriter::losses`] then has what is lost.
    #[must_use]
    pub fn lossy(self, lossy: bool) -> TypedWriter {
        TypedWriter { lossy, ..self }
    }

    /// Returns the dialect that it writes.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// Announces that the messages follow each other in a stream: see [`Writer::begin_stream`].
    /// Behind each of them then is the format's separator, such as a line break in JSON.
    pub fn begin_stream(&mut self) {
        self.end = self.dialect.format().separator;
        self.writer.begin_stream();
    }

    /// Returns the losses since the last call, if they are accepted.
    pub fn losses(&mut self) -> Vec<Lost> {
        std::mem::take(&mut self.lost)
    }

    /// Appends a value to `out` as a message.
    ///
    /// # Errors
    /// The format cannot hold the value, or the type's `Serialize` fails. Then `out` is as before.
    #[inline]
    pub fn write<T: Serialize + ?Sized>(&mut self, value: &T, out: &mut Vec<u8>) -> Result<()> {
        match self.push(value, out) {
            Some(outcome) => outcome.map_err(|error| error.format_is(self.dialect.format().name))?,
            None => self.write_events(value, out)?,
        }
        out.extend_from_slice(self.end.as_bytes());
        Ok(())
    }

    /// Appends a value by the serializer; `None` if it is for events.
    #[inline]
    fn push<T: Serialize + ?Sized>(&mut self, value: &T, out: &mut Vec<u8>) -> Option<Result<()>> {
        let name = self.pushed?;
        if self.rest > 0 {
            self.rest -= 1;
            return None;
        }
        let outcome = push(name, value, out);
        if outcome.is_none() {
            self.rest = TypedWriter::REST;
        }
        outcome
    }

    fn write_events<T: Serialize + ?Sized>(&mut self, value: &T, out: &mut Vec<u8>) -> Result<()> {
        let before = out.len();
        let mut outcome = self.events(value, out, self.cases);
        if outcome.is_err() {
            self.writer.reset();
            out.truncate(before);
        }
        // A schema decides whether its enums are names or sum types.
        if outcome.is_err() && self.dialect.is_bound() {
            match self.events(value, out, !self.cases) {
                Ok(()) => {
                    self.cases = !self.cases;
                    outcome = Ok(());
                }
                Err(_) => {
                    self.writer.reset();
                    out.truncate(before);
                }
            }
        }
        outcome.map_err(|error| error.format_is(self.dialect.format().name))
    }

    fn events<T: Serialize + ?Sized>(&mut self, value: &T, out: &mut Vec<u8>, cases: bool) -> Result<()> {
        value.serialize(&mut Events::new(&mut *self.writer).cases(cases))?;
        self.writer.finish(out)?;
        let mut lost = self.writer.losses();
        lost.retain(|lost| lost.is_value() && !losses::is_undone(lost));
        match lost.first() {
            Some(lost) if !self.lossy => return Err(losses::error(lost, self.dialect.format().name)),
            _ => self.lost.append(&mut lost),
        }
        Ok(())
    }
}

#[cold]
fn unwritable(dialect: &Dialect) -> Error {
    let error = Error::new(ErrorKind::Unsupported, Fault::Caller)
        .seen(format!("the format `{}`", dialect.format().name))
        .expected("a format that can be written");
    if dialect.format().binder.is_some() && !dialect.is_bound() { error.hint("it is written by a schema: bind it to one") } else { error }
}
