//! The one error of the walk: what was seen, what was expected, where, whose fault, and what to do.

use std::borrow::Cow;
use std::fmt;

use crate::walk::path::Path;

/// Result of everything in a walk.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Who has to act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The message: whoever sent it.
    Data,
    /// The schema.
    Schema,
    /// The program that called, or the person at the command line.
    Caller,
    /// Polywire: please report it.
    Us,
    /// The file system, the network, or another program.
    Environment,
}

/// What went wrong, for programs to act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes break the format's grammar.
    Syntax,
    /// The message ends too early.
    Truncated,
    /// Bytes follow the end of the message.
    Trailing,
    /// Text is not valid in its encoding.
    Encoding,
    /// A number does not fit the range that the format or the target gives it.
    Range,
    /// One record has two fields of one name, where that has no meaning.
    DoubledKey,
    /// A limit of [`Limits`](crate::limits::Limits) is reached.
    Limit,
    /// The target cannot hold the value in any form.
    Unsupported,
    /// No format matches, or none of the name given exists.
    UnknownFormat,
    /// A path or an option cannot be read.
    Usage,
    /// Reading or writing failed.
    Io,
    /// Whoever read the output went away.
    BrokenPipe,
    /// A promise inside Polywire was broken.
    Internal,
}

/// An error of a walk. One word wide, so that success costs nothing.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    fault: Fault,
    format: Option<&'static str>,
    offset: Option<u64>,
    path: Option<Path>,
    seen: Cow<'static, str>,
    expected: Cow<'static, str>,
    hint: Cow<'static, str>,
}

impl Error {
    /// An error of `kind` that is `fault`'s to mend.
    #[cold]
    pub fn new(kind: ErrorKind, fault: Fault) -> Error {
        Error(Box::new(Inner {
            kind,
            fault,
            format: None,
            offset: None,
            path: None,
            seen: Cow::Borrowed(""),
            expected: Cow::Borrowed(""),
            hint: Cow::Borrowed(""),
        }))
    }

    /// The message is wrong at byte `offset` of the stream.
    #[cold]
    pub fn data(kind: ErrorKind, offset: u64) -> Error {
        Error::new(kind, Fault::Data).at(offset)
    }

    /// The message ends at `offset`, in the middle of `what`.
    #[cold]
    pub fn truncated(offset: u64, what: impl Into<Cow<'static, str>>) -> Error {
        Error::data(ErrorKind::Truncated, offset).seen("the end of the input").expected(what)
    }

    /// The caller's mistake.
    #[cold]
    pub fn usage(seen: impl Into<Cow<'static, str>>) -> Error {
        Error::new(ErrorKind::Usage, Fault::Caller).seen(seen)
    }

    /// A promise inside Polywire was broken.
    #[cold]
    pub fn internal(seen: impl Into<Cow<'static, str>>) -> Error {
        Error::new(ErrorKind::Internal, Fault::Us).seen(seen).hint("this is a bug in Polywire; please report it with the input")
    }

    /// An event of a kind that the writer does not know: the walk is of a later version.
    #[cold]
    pub fn unknown_event(kind: &'static str) -> Error {
        Error::new(ErrorKind::Unsupported, Fault::Us)
            .seen(format!("an event of the kind `{kind}`"))
            .expected("one that this writer knows")
            .hint("the writer is older than the walk; build both of one version")
    }

    /// Reading or writing failed while doing `what`.
    #[cold]
    pub fn io(what: &str, error: &std::io::Error) -> Error {
        let kind = if error.kind() == std::io::ErrorKind::BrokenPipe { ErrorKind::BrokenPipe } else { ErrorKind::Io };
        Error::new(kind, Fault::Environment).seen(format!("{what}: {error}"))
    }

    /// Sets what was found.
    #[must_use]
    pub fn seen(mut self, seen: impl Into<Cow<'static, str>>) -> Error {
        self.0.seen = seen.into();
        self
    }

    /// Sets what would have been right.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<Cow<'static, str>>) -> Error {
        self.0.expected = expected.into();
        self
    }

    /// Sets what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> Error {
        self.0.hint = hint.into();
        self
    }

    /// Sets the byte offset in the stream.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Error {
        self.0.offset = Some(offset);
        self
    }

    /// Sets the offset unless there is one.
    #[must_use]
    pub fn or_at(mut self, offset: u64) -> Error {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Sets the path of the value.
    #[must_use]
    pub fn path_is(mut self, path: Path) -> Error {
        self.0.path = Some(path);
        self
    }

    /// Sets the format that was read or written, unless there is one.
    #[must_use]
    pub fn format_is(mut self, name: &'static str) -> Error {
        self.0.format.get_or_insert(name);
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Who has to act.
    pub fn fault(&self) -> Fault {
        self.0.fault
    }

    /// Byte offset in the stream, where it is known.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// Path of the value, where it is known.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_ref()
    }

    /// Name of the format that was read or written, where it is known.
    pub fn format(&self) -> Option<&'static str> {
        self.0.format
    }

    /// What happened, without the place: `expected ',' or ']', saw '!'`.
    pub fn what(&self) -> String {
        let Inner { seen, expected, .. } = &*self.0;
        match (expected.is_empty(), seen.is_empty()) {
            (false, false) => format!("expected {expected}, saw {seen}"),
            (false, true) => format!("expected {expected}"),
            (true, false) => seen.to_string(),
            (true, true) => format!("{:?}", self.0.kind),
        }
    }

    /// What to do about it, empty if there is no advice.
    pub fn advice(&self) -> &str {
        &self.0.hint
    }
}

/// One line: format, what, byte, path, advice.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(format) = self.0.format {
            write!(f, "{format}: ")?;
        }
        f.write_str(&self.what())?;
        if let Some(offset) = self.0.offset {
            write!(f, ", at byte {offset}")?;
        }
        if let Some(path) = &self.0.path {
            write!(f, ", in {path}")?;
        }
        if !self.0.hint.is_empty() {
            write!(f, " ({})", self.0.hint)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({:?}, {:?}: {self})", self.0.kind, self.0.fault)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_what_where_and_what_to_do() {
        let error = Error::data(ErrorKind::Syntax, 17).seen("'!'").expected("',' or ']'").hint("look there").format_is("json");
        assert_eq!(error.to_string(), "json: expected ',' or ']', saw '!', at byte 17 (look there)");
        assert_eq!((error.kind(), error.fault(), error.offset()), (ErrorKind::Syntax, Fault::Data, Some(17)));
    }

    #[test]
    fn an_error_is_one_word() {
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
    }
}
