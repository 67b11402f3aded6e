//! Rust's types to messages.

use polywire_core::serde::Events;
use polywire_core::{Dialect, Error, ErrorKind, Fault, Lost, Result, Writer};
use serde_core::Serialize;

use crate::registry;
use crate::serde::losses;
use crate::serde::pulls::push;

/// Writes a value as one message.
///
/// # Errors
/// The format cannot be written without a schema, or cannot hold the value ([`ErrorKind::Loss`]).
pub fn to_vec<T: Serialize + ?Sized>(value: &T, dialect: impl Into<Dialect>) -> Result<Vec<u8>> {
    let (dialect, mut out) = (dialect.into(), Vec::new());
    if !dialect.is_bound()
        && let Some(outcome) = push(registry::unframed(dialect.format()).name, value, &mut out)
    {
        return outcome.map(|()| out).map_err(|error| error.format_is(dialect.format().name));
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
}

impl TypedWriter {
    /// Makes a writer of a format or dialect.
    ///
    /// # Errors
    /// The format cannot be written, or not without a schema.
    pub fn new(dialect: impl Into<Dialect>) -> Result<TypedWriter> {
        let dialect = dialect.into();
        let writer = dialect.writer().ok_or_else(|| unwritable(&dialect))?;
        let pushed = (!dialect.is_bound()).then(|| registry::unframed(dialect.format()).name);
        Ok(TypedWriter { dialect, writer, pushed, lossy: false, cases: false, lost: Vec::new() })
    }

    /// Makes a writer that gives all values to the format's writer as events, even where there is a
    /// serializer: its twin.
    ///
    /// # Errors
    /// As [`TypedWriter::new`].
    pub fn by_events(dialect: impl Into<Dialect>) -> Result<TypedWriter> {
        Ok(TypedWriter { pushed: None, ..TypedWriter::new(dialect)? })
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

    /// Announces that the messages follow each other in a stream: see [`Writer::begin_stream`]. The
    /// caller writes the format's separator after each.
    pub fn begin_stream(&mut self) {
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
        match self.pushed.and_then(|name| push(name, value, out)) {
            Some(outcome) => outcome.map_err(|error| error.format_is(self.dialect.format().name)),
            None => self.write_events(value, out),
        }
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
