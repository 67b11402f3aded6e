//! The one error of the walk: what was seen, what was expected, where, whose fault, and what
//! to do.

use std::borrow::Cow;
use std::fmt;

use crate::text::lines::TextPlace;
use crate::walk::path::Path;

/// Result of every operation of a walk.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The party that has to act on an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The message's sender.
    Data,
    /// The schema's author.
    Schema,
    /// The program that called, or the person at the command line.
    Caller,
    /// Polywire: please report it.
    Us,
    /// The file system, the network, or another program.
    Environment,
}

/// The kind of an error, for programs.
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
    /// One record has a duplicate key, in a format where that has no meaning.
    DoubledKey,
    /// A value is none of the type that a caller wants, or a type's value is none that can be
    /// written.
    Mismatch,
    /// A limit of [`Limits`](crate::limits::Limits) is reached.
    Limit,
    /// The target cannot hold the value in any form.
    Unsupported,
    /// The target cannot keep a message whole, and the caller did not allow losses.
    Loss,
    /// No format matches, or none has the given name.
    UnknownFormat,
    /// A path or an option cannot be read.
    Usage,
    /// Reading or writing failed.
    Io,
    /// The program that read the output has closed it.
    BrokenPipe,
    /// A guarantee inside Polywire was broken.
    Internal,
}

impl Fault {
    /// Returns its name for programs: one lower-case word.
    pub fn name(self) -> &'static str {
        match self {
            Fault::Data => "data",
            Fault::Schema => "schema",
            Fault::Caller => "caller",
            Fault::Us => "polywire",
            Fault::Environment => "environment",
        }
    }
}

impl ErrorKind {
    /// Returns its name for programs: lower-case words joined by `_`.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Syntax => "syntax",
            ErrorKind::Truncated => "truncated",
            ErrorKind::Trailing => "trailing",
            ErrorKind::Encoding => "encoding",
            ErrorKind::Range => "range",
            ErrorKind::DoubledKey => "duplicate_key",
            ErrorKind::Mismatch => "mismatch",
            ErrorKind::Limit => "limit",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Loss => "loss",
            ErrorKind::UnknownFormat => "unknown_format",
            ErrorKind::Usage => "usage",
            ErrorKind::Io => "io",
            ErrorKind::BrokenPipe => "broken_pipe",
            ErrorKind::Internal => "internal",
        }
    }
}

/// An error of a walk, one machine word wide, so that success costs nothing.
///
/// ```
/// use polywire_core::{Error, ErrorKind, Fault};
///
/// let error = Error::data(ErrorKind::Syntax, 17).expected("',' or ']'").seen("'!'");
/// assert_eq!(error.fault(), Fault::Data);
/// assert_eq!(error.to_string(), "expected ',' or ']', saw '!', at byte 17");
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    fault: Fault,
    format: Option<&'static str>,
    offset: Option<u64>,
    /// Bit of the byte at `offset`, the highest one first.
    bit: Option<u8>,
    path: Option<Path>,
    message: Option<u64>,
    place: Option<TextPlace>,
    /// The codecs whose contents the offset counts in, such as `zstd`.
    decoded: Option<Cow<'static, str>>,
    seen: Cow<'static, str>,
    expected: Cow<'static, str>,
    hint: Cow<'static, str>,
}

impl Error {
    /// Makes an error of a kind, on which `fault` has to act.
    #[cold]
    pub fn new(kind: ErrorKind, fault: Fault) -> Error {
        Error(Box::new(Inner {
            kind,
            fault,
            format: None,
            offset: None,
            bit: None,
            path: None,
            message: None,
            place: None,
            decoded: None,
            seen: Cow::Borrowed(""),
            expected: Cow::Borrowed(""),
            hint: Cow::Borrowed(""),
        }))
    }

    /// Makes an error of the message at byte `offset` of the stream.
    #[cold]
    pub fn data(kind: ErrorKind, offset: u64) -> Error {
        Error::new(kind, Fault::Data).at(offset)
    }

    /// Makes the error of a message that ends at `offset`, where `what` was expected.
    #[cold]
    pub fn truncated(offset: u64, what: impl Into<Cow<'static, str>>) -> Error {
        Error::data(ErrorKind::Truncated, offset).seen("the end of the input").expected(what)
    }

    /// Makes an error of the caller.
    #[cold]
    pub fn usage(seen: impl Into<Cow<'static, str>>) -> Error {
        Error::new(ErrorKind::Usage, Fault::Caller).seen(seen)
    }

    /// Makes the error of a broken guarantee inside Polywire.
    #[cold]
    pub fn internal(seen: impl Into<Cow<'static, str>>) -> Error {
        Error::new(ErrorKind::Internal, Fault::Us).seen(seen).hint("this is a bug in Polywire; please report it with the input")
    }

    /// Makes the error of an event kind that the writer does not know: the reader is newer.
    #[cold]
    pub fn unknown_event(kind: &'static str) -> Error {
        Error::new(ErrorKind::Unsupported, Fault::Us)
            .seen(format!("an event of the kind `{kind}`"))
            .expected("one that this writer knows")
            .hint("the writer is older than the walk; build both from one version")
    }

    /// Makes the error of a failed input or output operation. `what` names it, such as `reading`.
    #[cold]
    pub fn io(what: &str, error: &std::io::Error) -> Error {
        let kind = if error.kind() == std::io::ErrorKind::BrokenPipe { ErrorKind::BrokenPipe } else { ErrorKind::Io };
        let made = Error::new(kind, Fault::Environment).seen(format!("{what}: {error}"));
        if error.kind() == std::io::ErrorKind::IsADirectory { made.hint("it is a folder: name a file in it") } else { made }
    }

    /// Sets the description of what was seen.
    #[must_use]
    pub fn seen(mut self, seen: impl Into<Cow<'static, str>>) -> Error {
        self.0.seen = seen.into();
        self
    }

    /// Sets the description of what was expected.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<Cow<'static, str>>) -> Error {
        self.0.expected = expected.into();
        self
    }

    /// Sets the advice on what to do.
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

    /// Sets the bit of the byte at the offset, 0 for the highest one, in formats whose values begin
    /// anywhere in a byte.
    #[must_use]
    pub fn bit(mut self, bit: u8) -> Error {
        self.0.bit = Some(bit);
        self
    }

    /// Sets the offset unless there is one.
    #[must_use]
    pub fn or_at(mut self, offset: u64) -> Error {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Notes that the offset counts in what these codecs hold, such as `zstd`, unless it was noted.
    #[must_use]
    pub fn or_decoded(mut self, codecs: impl Into<Cow<'static, str>>) -> Error {
        self.0.decoded.get_or_insert_with(|| codecs.into());
        self
    }

    /// Sets the path of the value.
    #[must_use]
    pub fn path_is(mut self, path: Path) -> Error {
        self.0.path = Some(path);
        self
    }

    /// Sets the number of the message in its stream, from 1, unless there is one.
    #[must_use]
    pub fn or_message(mut self, number: u64) -> Error {
        self.0.message.get_or_insert(number);
        self
    }

    /// Adds the messages that came before the stream in which the error's message is counted.
    #[must_use]
    pub fn after_messages(mut self, before: u64) -> Error {
        self.0.message = self.0.message.map(|number| number + before);
        self
    }

    /// Sets the place of the offset in a text, unless there is one.
    #[must_use]
    pub fn or_place(mut self, place: impl FnOnce() -> TextPlace) -> Error {
        self.0.place.get_or_insert_with(place);
        self
    }

    /// Sets the format that was read or written, unless there is one.
    #[must_use]
    pub fn format_is(mut self, name: &'static str) -> Error {
        self.0.format.get_or_insert(name);
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the party that has to act.
    pub fn fault(&self) -> Fault {
        self.0.fault
    }

    /// Returns the byte offset in the stream, if known.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// Returns the bit of the byte at the offset, 0 for the highest one, in formats whose values
    /// begin anywhere in a byte.
    pub fn bit_offset(&self) -> Option<u8> {
        self.0.bit
    }

    /// Returns the codecs that the input was decoded from, such as `zstd`, if the offset counts in
    /// the decoded bytes.
    pub fn decoded(&self) -> Option<&str> {
        self.0.decoded.as_deref()
    }

    /// Returns the path of the value, if known.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_ref()
    }

    /// Returns the number of the message in its stream, from 1, if known.
    pub fn message(&self) -> Option<u64> {
        self.0.message
    }

    /// Returns line, column and excerpt of the offset, if the format is a text format and these are
    /// known.
    pub fn place(&self) -> Option<&TextPlace> {
        self.0.place.as_ref()
    }

    /// Returns the name of the format that was read or written, if known.
    pub fn format(&self) -> Option<&'static str> {
        self.0.format
    }

    /// Returns the description of what was seen; empty if there is none.
    pub fn seen_text(&self) -> &str {
        &self.0.seen
    }

    /// Returns the description of what was expected; empty if there is none.
    pub fn expected_text(&self) -> &str {
        &self.0.expected
    }

    /// Returns the line for people without number of the message and advice: format, what happened,
    /// byte, path.
    pub fn headline(&self) -> String {
        let format = self.0.format.map_or_else(String::new, |format| format!("{format}: "));
        let bit = self.0.bit.map_or_else(String::new, |bit| format!(", bit {bit}"));
        let offset = match (self.0.offset, &self.0.decoded) {
            (Some(offset), Some(codecs)) => format!(", at decoded byte {offset}{bit} (in {codecs})"),
            (Some(offset), None) => format!(", at byte {offset}{bit}"),
            (None, _) => String::new(),
        };
        let path = self.0.path.as_ref().map_or_else(String::new, |path| format!(", in {}", path.short()));
        format!("{format}{}{offset}{path}", self.what())
    }

    /// Returns what happened, without the place: `expected ',' or ']', saw '!'`.
    pub fn what(&self) -> String {
        let Inner { seen, expected, .. } = &*self.0;
        match (expected.is_empty(), seen.is_empty()) {
            (false, false) => format!("expected {expected}, saw {seen}"),
            (false, true) => format!("expected {expected}"),
            (true, false) => seen.to_string(),
            (true, true) => format!("{:?}", self.0.kind),
        }
    }

    /// Returns the advice on what to do; empty if there is none.
    pub fn advice(&self) -> &str {
        &self.0.hint
    }
}

/// Writes one line: format, what happened, byte, path, number of the message, advice.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headline())?;
        if let Some(number) = self.0.message {
            write!(f, ", message {number}")?;
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
        let inside = error.or_decoded("zstd").or_decoded("gzip");
        assert_eq!(inside.to_string(), "json: expected ',' or ']', saw '!', at decoded byte 17 (in zstd) (look there)");
    }

    #[test]
    fn an_error_is_one_word() {
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
    }
}
