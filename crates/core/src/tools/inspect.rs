//! The meaning of a stream's bytes: rows for people and programs, made while the messages are
//! walked.
//!
//! Rows come in the order of the walk and tile the input: every byte belongs to exactly one row. A
//! byte that no event spans (punctuation, white space, separators of messages) belongs to a row of
//! [`What::Syntax`]. On broken input, the bytes after the last event belong to one row of
//! [`What::Unread`].

use std::fmt::Write;
use std::ops::Range;

use crate::error::{Error, Result};
use crate::format::declaration::Format;
use crate::format::dialect::Dialect;
use crate::format::payload::{Contents, Payloads};
use crate::limits::{Budget, Limits};
use crate::tools::adapt::{Doubles, Walker};
use crate::value::show;
use crate::walk::entries::{Amended, EntryPath};
use crate::walk::event::{Field, Len, Next, Note, Open, Part, PartKind, Scalar, Span};
use crate::walk::path::PathStep;
use crate::walk::read::Frame;
use crate::walk::sink::{Needs, Sink};

/// Most bytes that introduce a value within its span: a quote, a header, a short start tag.
const HEAD: usize = 64;

/// The kind of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum What {
    /// A message starts. The row has no bytes of its own; [`Row::at`] spans the message.
    Message,
    /// A container starts.
    Open,
    /// The name of the value that follows, where it is written.
    Field,
    /// A map's key that is no text.
    Key,
    /// A scalar.
    Value,
    /// A piece of a scalar that comes in parts.
    Part,
    /// A container ends by bytes that say so.
    Close,
    /// Part of the message that is no value: a comment, an instruction, bytes of unknown meaning.
    Note,
    /// Bytes that hold the message together and mean nothing by themselves.
    Syntax,
    /// Bytes that were not understood, since the walk failed; empty if the input ended too early.
    Unread,
    /// The message in the value of the row before starts. The row has no bytes of its own;
    /// [`Row::at`] spans the decoded payload.
    Payload,
}

impl What {
    /// Returns one word for it, for programs.
    pub const fn name(self) -> &'static str {
        match self {
            What::Message => "message",
            What::Open => "open",
            What::Field => "field",
            What::Key => "key",
            What::Value => "value",
            What::Part => "part",
            What::Close => "close",
            What::Note => "note",
            What::Syntax => "syntax",
            What::Unread => "unread",
            What::Payload => "payload",
        }
    }
}

/// One row: some bytes and what they mean.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Its kind.
    pub what: What,
    /// Index of the message in the stream; between messages, that of the next one.
    pub message: u64,
    /// The bytes that this row accounts for. Empty if none are left for it: a default, a close that
    /// a length implies, an attribute out of order.
    pub bytes: Span,
    /// Those bytes.
    pub raw: &'a [u8],
    /// The span that the reader reports; more than `bytes` where other rows account for parts of
    /// it. For [`What::Unread`], it starts at the mistake.
    pub at: Span,
    /// Containers around it.
    pub depth: usize,
    /// Its label in the container around it: the name of a field, the index in a list, a map's key.
    pub label: Option<&'a PathStep>,
    /// True if the label is a name that comes from a schema or from the head of the stream, not
    /// from the bytes: no other row shows it.
    pub named: bool,
    /// Kind of the value or container, in a word or two.
    pub kind: &'static str,
    /// The value in short, escaped: it has no control characters. Empty if there is nothing to say.
    pub value: &'a str,
    /// Remarks of the reader.
    pub notes: &'a [&'static str],
    /// The contents of a value that looks like a message itself; for [`What::Payload`], the
    /// contents that are opened.
    pub holds: Option<&'a Contents>,
    /// Number of payloads around the row; 0 in the stream itself. Only rows of level 0 account for
    /// the bytes of the stream.
    pub level: u32,
    /// True if `bytes` and `at` count from the start of the decoded payload: the stream does not
    /// hold those bytes as they are.
    pub decoded: bool,
}

/// How a stream is inspected.
#[derive(Debug, Clone)]
pub struct Options {
    /// Bounds on each message.
    pub limits: Limits,
    /// Characters of a value that a row shows before it cuts it with `…`. Default 200.
    pub shown: usize,
    /// Formats that are looked for in text and bytes; `None` for no look. Default `None`.
    pub payloads: Option<&'static Payloads>,
    /// Nested payloads that are opened; deeper ones are only named. At most [`Options::MAX_DEPTH`];
    /// default 0.
    pub depth: u32,
    /// Path to the values that are messages; `None` if documents are. Default `None`.
    pub each: Option<EntryPath>,
    /// Returns the name of a tag, for people, by its space and code. Default: no names.
    pub tag_name: fn(space: &str, code: u64) -> Option<&'static str>,
}

impl Options {
    /// Most nested payloads that are opened.
    pub const MAX_DEPTH: u32 = 32;
}

impl Default for Options {
    fn default() -> Options {
        Options { limits: Limits::DEFAULT, shown: 200, payloads: None, depth: 0, each: None, tag_name: |_, _| None }
    }
}

/// The outcome of an inspection.
#[derive(Debug)]
pub struct Inspection {
    /// Messages that were understood to their end.
    pub messages: u64,
    /// The error that ended it, with offset and path.
    pub broken: Option<Error>,
}

/// Passes to `rows` the meaning of `bytes`, a stream of a format or dialect, row by row. Memory
/// beside the input: one row, one entry per open container, and one decoded payload of each level.
///
/// The rows of a payload follow that of its value. Decoding is charged to the limits of the
/// message.
///
/// Fails only if `rows` does; errors in the bytes are in [`Inspection::broken`].
pub fn inspect(
    format: impl Into<Dialect>,
    bytes: &[u8],
    options: &Options,
    rows: &mut dyn FnMut(&Row<'_>) -> Result<()>,
) -> Result<Inspection> {
    let options = Options { depth: options.depth.min(Options::MAX_DEPTH), ..options.clone() };
    annotate(&format.into(), bytes, &options, &mut Budget::new(&options.limits), 0, rows)
}

/// Inspects a stream, or the payload of `level`. Recursion is bounded by [`Options::MAX_DEPTH`].
fn annotate(
    dialect: &Dialect,
    bytes: &[u8],
    options: &Options,
    budget: &mut Budget,
    level: u32,
    rows: &mut dyn FnMut(&Row<'_>) -> Result<()>,
) -> Result<Inspection> {
    let limits = if level == 0 { options.limits } else { *budget.inner(0).limits() };
    let format = dialect.format();
    let each = options.each.clone().filter(|_| level == 0);
    let mut walker = Walker::new(dialect.clone(), &limits).doubles(Doubles::Keep).each(each);
    let mut sink = Annotate::new(bytes, options, budget, level, rows);
    let mut start = 0;
    let broken = loop {
        let base = start as u64;
        let message = match walker.frame(&bytes[start..], base, true) {
            Ok(Frame::Message { start: from, end: to }) if to > 0 => start + from..(start + to).min(bytes.len()),
            Ok(Frame::Between(between)) if between > 0 => {
                start = (start + between).min(bytes.len());
                continue;
            }
            Ok(Frame::End) => break walker.no_entry().filter(|_| level == 0),
            Ok(_) => break Some(Error::internal("framing that does not go on").at(base).format_is(format.name)),
            Err(error) => break Some(error),
        };
        sink.message(Span::new(message.start as u64, message.end as u64))?;
        let walked = match walker.amended(&bytes[message.clone()]) {
            None => walker.walk(&bytes[message.clone()], message.start as u64, &mut sink),
            Some(Amended { bytes, at, added }) => {
                let mut shifted = Shifted { sink: &mut sink, from: message.start as u64 + at as u64, by: added as u64 };
                let outcome = walker.walk(&bytes, message.start as u64, &mut shifted);
                outcome.map_err(|error| match error.offset() {
                    Some(offset) => {
                        let at = shifted.offset(offset);
                        error.at(at)
                    }
                    None => error,
                })
            }
        };
        if let Err(error) = walked {
            if sink.refused {
                return Err(error);
            }
            break Some(error);
        }
        sink.end_message()?;
        sink.budget.settle(walker.budget());
        start = message.end;
    };
    sink.finish(broken.as_ref())?;
    Ok(Inspection { messages: sink.message, broken })
}

/// A sink whose spans leave out bytes that the stream does not have.
struct Shifted<'s, S> {
    sink: &'s mut S,
    /// Offset of the first of these bytes.
    from: u64,
    /// Their number.
    by: u64,
}

impl<S> Shifted<'_, S> {
    fn offset(&self, offset: u64) -> u64 {
        if offset <= self.from { offset } else { self.from.max(offset.saturating_sub(self.by)) }
    }

    fn span(&self, at: Span) -> Span {
        Span::new(self.offset(at.start), self.offset(at.end))
    }

    /// Reports whether nothing of a span is in the stream.
    fn is_added(&self, at: Span) -> bool {
        at.start >= self.from && at.end <= self.from + self.by && at.start < at.end
    }
}

impl<'m, S: Sink<'m>> Sink<'m> for Shifted<'_, S> {
    fn needs(&self) -> Needs {
        self.sink.needs()
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.sink.open(open, self.span(at))
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        if self.is_added(at) {
            return Ok(Next::Skip);
        }
        self.sink.field(field, self.span(at))
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.sink.scalar(value, self.span(at))
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.sink.part(part, self.span(at))
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.sink.close(self.span(at))
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        if self.is_added(at) { Ok(()) } else { self.sink.note(note, self.span(at)) }
    }
}

/// The sink that makes rows. A row waits for the next one, which may lie inside of its bytes or be
/// a remark about it.
struct Annotate<'b, 'f> {
    bytes: &'b [u8],
    options: &'f Options,
    /// The rest of the message's budget, for its payloads.
    budget: &'f mut Budget,
    level: u32,
    rows: &'f mut dyn FnMut(&Row<'_>) -> Result<()>,
    /// `rows` failed: the walk's error is its own.
    refused: bool,
    message: u64,
    /// All bytes before this belong to rows that were emitted.
    told: u64,
    waiting: Option<Waiting>,
    /// Remarks about the row that comes next.
    remarks: Vec<&'static str>,
    levels: Vec<Level>,
    in_part: bool,
    /// The parts of a value so far, if payloads are looked for.
    parts: Vec<u8>,
    /// The value of the row that is being made.
    value: String,
}

#[derive(Debug)]
struct Waiting {
    what: What,
    message: u64,
    bytes: Span,
    at: Span,
    depth: usize,
    label: Option<PathStep>,
    named: bool,
    kind: &'static str,
    value: String,
    notes: Vec<&'static str>,
    payload: Option<Payload>,
}

/// The message in a value.
#[derive(Debug)]
struct Payload {
    contents: Contents,
    bytes: Bytes,
}

/// Where the bytes of a payload are, before they are decoded.
#[derive(Debug)]
enum Bytes {
    /// Among those that are inspected.
    Among(Range<usize>),
    /// They are not: text that was unescaped, a value that came in parts.
    Made(Vec<u8>),
    /// Nobody asks for them.
    Closed,
}

#[derive(Debug)]
struct Level {
    kind: &'static str,
    entries: Entries,
    /// Label of the next value, if its name is known.
    name: Option<PathStep>,
    /// True if that name has no row.
    named: bool,
    /// Format of the bytes in it, if it is a tag that declares one.
    holds: Option<&'static Format>,
}

#[derive(Debug)]
enum Entries {
    /// Counted; the index of the next.
    Numbered(u64),
    Named,
    One,
}

impl<'b, 'f> Annotate<'b, 'f> {
    fn new(
        bytes: &'b [u8],
        options: &'f Options,
        budget: &'f mut Budget,
        level: u32,
        rows: &'f mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Self {
        Annotate {
            bytes,
            options,
            budget,
            level,
            rows,
            refused: false,
            message: 0,
            told: 0,
            waiting: None,
            remarks: Vec::new(),
            levels: Vec::new(),
            in_part: false,
            parts: Vec::new(),
            value: String::new(),
        }
    }

    fn message(&mut self, at: Span) -> Result<()> {
        // Separators before a message come before its own row.
        self.syntax_until(at.start)?;
        if self.level == 0 {
            self.budget.reset();
        }
        self.parts.clear();
        self.value.clear();
        let _ = write!(self.value, "{} bytes", at.len());
        self.add(What::Message, Span::new(at.start, at.start), None, "message")?;
        if let Some(waiting) = &mut self.waiting {
            waiting.at = at;
        }
        Ok(())
    }

    fn end_message(&mut self) -> Result<()> {
        self.flush()?;
        if !self.remarks.is_empty() {
            self.value.clear();
            self.add(What::Note, Span::new(self.told, self.told), None, "remark")?;
            self.flush()?;
        }
        self.message += 1;
        Ok(())
    }

    fn finish(&mut self, broken: Option<&Error>) -> Result<()> {
        self.flush()?;
        let end = self.bytes.len() as u64;
        let Some(error) = broken else { return self.syntax_until(end) };
        let mut value = String::new();
        for c in error.what().chars() {
            // The quotes are the message's own.
            if matches!(c, '"' | '\'' | '\\') { value.push(c) } else { value.extend(c.escape_debug()) }
        }
        let from = error.offset().map_or(self.told, |offset| offset.clamp(self.told, end));
        self.tell(&Waiting {
            what: What::Unread,
            message: self.message,
            bytes: Span::new(self.told, end),
            at: Span::new(from, end),
            depth: self.levels.len(),
            label: None,
            named: false,
            kind: "not understood",
            value,
            notes: Vec::new(),
            payload: None,
        })
    }

    /// Makes the row for an event that the reader places at `at`; its text is in `self.value`.
    fn add(&mut self, what: What, at: Span, label: Option<PathStep>, kind: &'static str) -> Result<()> {
        if let Some(waiting) = &mut self.waiting {
            // A start tag spans its attributes, and a header may span the value: inner rows account
            // for their own bytes.
            let yields = matches!(waiting.what, What::Open | What::Field | What::Key) && what != What::Close;
            let inside = waiting.bytes.start <= at.start && at.start < waiting.bytes.end;
            if yields && inside && !at.is_empty() {
                waiting.bytes.end = at.start;
            }
        }
        self.flush()?;
        let end = at.end.min(self.bytes.len() as u64);
        let start = at.start.max(self.told);
        let bytes = if start < end { Span::new(start, end) } else { Span::new(self.told, self.told) };
        let depth = self.levels.len();
        let named = label.is_some() && self.levels.last_mut().is_some_and(|level| std::mem::take(&mut level.named));
        let (value, notes) = (self.value.clone(), std::mem::take(&mut self.remarks));
        self.waiting = Some(Waiting { what, message: self.message, bytes, at, depth, label, named, kind, value, notes, payload: None });
        Ok(())
    }

    /// Emits the row that waits.
    fn flush(&mut self) -> Result<()> {
        let Some(waiting) = self.waiting.take() else { return Ok(()) };
        if !waiting.bytes.is_empty() {
            self.syntax(waiting.bytes.start, waiting.depth)?;
        }
        self.tell(&waiting)
    }

    /// Emits the row that waits, and accounts for the bytes before `end` that no event spans.
    fn syntax_until(&mut self, end: u64) -> Result<()> {
        self.flush()?;
        self.syntax(end, self.levels.len())
    }

    fn syntax(&mut self, end: u64, depth: usize) -> Result<()> {
        if self.told >= end {
            return Ok(());
        }
        let bytes = Span::new(self.told, end);
        self.tell(&Waiting {
            what: What::Syntax,
            message: self.message,
            bytes,
            at: bytes,
            depth,
            label: None,
            named: false,
            kind: "syntax",
            value: String::new(),
            notes: Vec::new(),
            payload: None,
        })
    }

    fn tell(&mut self, row: &Waiting) -> Result<()> {
        let bytes = if row.bytes.is_empty() { Span::new(self.told, self.told) } else { row.bytes };
        self.told = bytes.end;
        let raw = &self.bytes[bytes.start as usize..bytes.end as usize];
        let Waiting { what, message, at, depth, named, kind, .. } = *row;
        let holds = row.payload.as_ref().map(|payload| &payload.contents);
        let (label, value, notes) = (row.label.as_ref(), &row.value, &row.notes);
        let shown =
            Row { what, message, bytes, raw, at, depth, label, named, kind, value, notes, holds, level: self.level, decoded: false };
        (self.rows)(&shown).inspect_err(|_| self.refused = true)?;
        match &row.payload {
            Some(payload) => self.open_payload(row, payload).inspect_err(|_| self.refused = true),
            None => Ok(()),
        }
    }

    /// Remembers the payload in the value of the row that waits.
    fn look_inside(&mut self, bytes: &[u8]) {
        let Some(payloads) = self.options.payloads else { return };
        let declared = self.levels.last().and_then(|level| level.holds).map(Contents::plain);
        let Some(contents) = declared.or_else(|| payloads.look(bytes)) else { return };
        let Some(waiting) = &mut self.waiting else { return };
        let bytes = if self.level >= self.options.depth {
            Bytes::Closed
        } else {
            match place_in(self.bytes, waiting.at, bytes) {
                Some(range) => Bytes::Among(range),
                None => Bytes::Made(bytes.to_vec()),
            }
        };
        waiting.payload = Some(Payload { contents, bytes });
    }

    /// Emits the rows of the payload in the value of `row`.
    fn open_payload(&mut self, row: &Waiting, payload: &Payload) -> Result<()> {
        let (bytes, origin) = match &payload.bytes {
            Bytes::Closed => return Ok(()),
            Bytes::Among(range) => (&self.bytes[range.clone()], Some(range.start as u64)),
            Bytes::Made(bytes) => (bytes.as_slice(), None),
        };
        let codecs = payload.contents.codecs.as_slice();
        let origin = origin.filter(|_| codecs.is_empty());
        let mut decoded = Vec::new();
        let (bytes, outcome) = match self.options.payloads {
            Some(payloads) if !codecs.is_empty() => {
                let outcome = payloads.decode(bytes, codecs, self.budget, row.at.start, &mut decoded);
                (decoded.as_slice(), outcome)
            }
            _ => (bytes, Ok(())),
        };
        let (level, depth, message) = (self.level + 1, row.depth + 1, row.message);
        let start = origin.unwrap_or(0);
        let heading = Row {
            what: What::Payload,
            message,
            bytes: Span::new(start, start),
            raw: &[],
            at: Span::new(start, start + bytes.len() as u64),
            depth,
            label: None,
            named: false,
            kind: payload.contents.format.name,
            value: "",
            notes: &[],
            holds: Some(&payload.contents),
            level,
            decoded: origin.is_none(),
        };
        (self.rows)(&heading)?;
        let rows = &mut *self.rows;
        let mut nested = |inner: &Row<'_>| {
            // The heading stands for the first message.
            if inner.what == What::Message && inner.level == level && inner.message == 0 {
                return Ok(());
            }
            let place = |at: Span| if inner.decoded { at } else { Span::new(at.start + start, at.end + start) };
            let of_message = if inner.what == What::Message && inner.level == level { inner.message } else { message };
            rows(&Row {
                message: of_message,
                bytes: place(inner.bytes),
                at: place(inner.at),
                depth: inner.depth + depth,
                decoded: inner.decoded || origin.is_none(),
                ..*inner
            })
        };
        // A payload's error shows in its rows; the message around it goes on.
        annotate(&payload.contents.format.into(), bytes, self.options, self.budget, level, &mut nested)?;
        let Err(error) = outcome else { return Ok(()) };
        let value: String = error.what().chars().flat_map(char::escape_debug).collect();
        let end = Span::new(bytes.len() as u64, bytes.len() as u64);
        (self.rows)(&Row { what: What::Unread, bytes: end, at: end, kind: "not decoded", value: &value, holds: None, ..heading })
    }

    /// Starts a value; returns its label, and true for a map's key.
    fn label(&mut self) -> (Option<PathStep>, bool) {
        let Some(level) = self.levels.last_mut() else { return (None, false) };
        match &mut level.entries {
            Entries::One => (None, false),
            Entries::Numbered(next) => {
                *next += 1;
                (Some(PathStep::Index(*next - 1)), false)
            }
            Entries::Named => match level.name.take() {
                Some(name) => (Some(name), false),
                None => (None, true),
            },
        }
    }

    /// Labels the next value of the map by the last key.
    fn name_by_key(&mut self, key: String) {
        if let Some(level) = self.levels.last_mut() {
            level.name = Some(PathStep::Key(key));
        }
    }
}

/// Finds the value with the span `at` in `whole`, after the bytes that introduce it; `None` if it
/// was escaped.
fn place_in(whole: &[u8], at: Span, value: &[u8]) -> Option<Range<usize>> {
    let start = usize::try_from(at.start).ok()?;
    let span = whole.get(start..usize::try_from(at.end).ok()?)?;
    let first = (0..=span.len().checked_sub(value.len())?.min(HEAD)).find(|first| span[*first..].starts_with(value))?;
    Some(start + first..start + first + value.len())
}

impl<'m> Sink<'m> for Annotate<'_, '_> {
    fn needs(&self) -> Needs {
        Needs::GUESSES
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        let (label, is_key) = self.label();
        let kind = match open {
            Open::Tagged { .. } => "tag",
            _ => open.kind(),
        };
        if is_key {
            self.name_by_key(format!("a {kind}"));
        }
        if let Open::Tagged { space, code } = open {
            self.remarks.extend((self.options.tag_name)(space, code));
        }
        self.value.clear();
        // Writing to a string cannot fail.
        let _ = match open {
            Open::Record { name, .. } => show::escaped(name, self.options.shown, &mut self.value),
            Open::Variant { name, index } => {
                show::escaped(name, self.options.shown, &mut self.value);
                write!(self.value, "{}case {index}", if name.is_empty() { "" } else { ", " }).is_ok()
            }
            Open::Tagged { space, code } => write!(self.value, "{space} {code}").is_ok(),
            _ => true,
        };
        if let Open::List(Len::Claimed(count))
        | Open::Map(Len::Claimed(count))
        | Open::Tuple(Len::Claimed(count))
        | Open::Record { len: Len::Claimed(count), .. } = open
        {
            let _ = write!(self.value, "{}of {count}", if self.value.is_empty() { "" } else { " " });
        }
        self.add(What::Open, at, label, kind)?;
        let entries = match open {
            Open::List(_) | Open::Tuple(_) | Open::Variant { .. } => Entries::Numbered(0),
            Open::Map(_) | Open::Record { .. } => Entries::Named,
            Open::Tagged { .. } => Entries::One,
        };
        let holds = match (open, self.options.payloads) {
            (Open::Tagged { space, code }, Some(payloads)) => (payloads.tagged)(space, code),
            _ => None,
        };
        self.levels.push(Level { kind, entries, name: None, named: false, holds });
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.value.clear();
        show::escaped(field.name.get(), self.options.shown, &mut self.value);
        if let Some(level) = self.levels.last_mut() {
            let name = field.name.get();
            let end = name.char_indices().nth(self.options.shown).map_or(name.len(), |(end, _)| end);
            level.name = Some(PathStep::Name(name[..end].to_string()));
            level.named = at.is_empty();
        }
        if !at.is_empty() {
            self.add(What::Field, at, None, "field")?;
        }
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        let (label, is_key) = self.label();
        self.value.clear();
        match value {
            Scalar::Text(text) => show::quoted(text.get(), self.options.shown, &mut self.value),
            Scalar::Bytes(bytes) => show::binary(bytes.get(), self.options.shown, &mut self.value),
            Scalar::Octets(bytes) => show::octets(bytes.get(), self.options.shown, &mut self.value),
            other => self.value.push_str(&show::scalar(&other, self.options.shown)),
        }
        if is_key {
            let key = self.value.clone();
            self.name_by_key(key);
        }
        self.add(if is_key { What::Key } else { What::Value }, at, label, value.kind())?;
        if !is_key {
            match value {
                Scalar::Text(text) => self.look_inside(text.get().as_bytes()),
                Scalar::Bytes(bytes) | Scalar::Octets(bytes) => self.look_inside(bytes.get()),
                _ => {}
            }
        }
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        let (label, is_key) = if self.in_part { (None, false) } else { self.label() };
        if is_key {
            self.name_by_key("a value in parts".to_string());
        }
        self.in_part = !part.last;
        self.value.clear();
        let kind = match (part.kind, std::str::from_utf8(part.bytes)) {
            (PartKind::Text, Ok(text)) => {
                show::quoted(text, self.options.shown, &mut self.value);
                "part of text"
            }
            (PartKind::Bytes, _) => {
                show::binary(part.bytes, self.options.shown, &mut self.value);
                "part of bytes"
            }
            _ => {
                show::octets(part.bytes, self.options.shown, &mut self.value);
                "part of octets"
            }
        };
        self.add(What::Part, at, label, kind)?;
        if self.options.payloads.is_some() {
            self.parts.extend_from_slice(part.bytes);
            if part.last {
                let whole = std::mem::take(&mut self.parts);
                self.look_inside(&whole);
            }
        }
        Ok(())
    }

    fn close(&mut self, at: Span) -> Result<()> {
        if at.is_empty() {
            self.levels.pop();
            return Ok(());
        }
        // Bytes before those that close belong to what is open.
        self.syntax_until(at.start.min(self.bytes.len() as u64))?;
        let kind = self.levels.pop().map_or("", |level| level.kind);
        self.value.clear();
        self.add(What::Close, at, None, kind)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.value.clear();
        let kind = match note {
            Note::Layout(_) => return Ok(()),
            Note::Coerced(remark) => {
                match &mut self.waiting {
                    Some(row) if !at.is_empty() && row.what != What::Message && row.at.start <= at.start && at.end <= row.at.end => {
                        row.notes.push(remark);
                    }
                    _ => self.remarks.push(remark),
                }
                return Ok(());
            }
            Note::Comment(text) => {
                show::quoted(text, self.options.shown, &mut self.value);
                "comment"
            }
            Note::Directive(text) => {
                show::quoted(text, self.options.shown, &mut self.value);
                "directive"
            }
            Note::Frame(text) => {
                self.value.push_str(text);
                ""
            }
            Note::Unknown(bytes) => {
                show::binary(bytes, self.options.shown, &mut self.value);
                "bytes of unknown meaning"
            }
        };
        self.add(What::Note, at, None, kind)
    }
}
