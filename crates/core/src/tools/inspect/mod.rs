//! The meaning of a stream's bytes: rows for people and programs, made while the messages are
//! walked.
//!
//! Rows come in the order of the walk and tile the input: every byte belongs to exactly one row. A
//! byte that no event spans (punctuation, white space, separators of messages) belongs to a row of
//! [`What::Syntax`]. On broken input, the bytes after the last event belong to one row of
//! [`What::Unread`]. In formats whose values begin anywhere in a byte, rows tile the bits.

mod annotate;
mod chosen;
mod shifted;
mod source;
mod wanted;

use std::borrow::Cow;
use std::io::Read;

use crate::error::{Error, Result};
use crate::format::dialect::Dialect;
use crate::format::payload::{Contents, Payloads};
use crate::limits::{Budget, Limits};
use crate::tools::adapt::Missed;
use crate::walk::entries::EntryPath;
use crate::walk::event::Span;
use crate::walk::path::{Path, PathStep};

use annotate::annotate;
use source::{Pieces, Source, Whole};
use wanted::Sieve;

pub use wanted::{Needle, Wanted};

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
    /// The bits that this row accounts for, in formats whose values begin anywhere in a byte.
    /// `bytes` are then all bytes that hold some of them.
    pub bits: Option<Span>,
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
    pub notes: &'a [Cow<'static, str>],
    /// The contents of a value that looks like a message itself; for [`What::Payload`], the
    /// contents that are opened.
    pub holds: Option<&'a Contents>,
    /// Number of payloads around the row; 0 in the stream itself. Only rows of level 0 account for
    /// the bytes of the stream.
    pub level: u32,
    /// True if `bytes` and `at` count from the start of the decoded payload: the stream does not
    /// hold those bytes as they are.
    pub decoded: bool,
    /// The path of the value that the row belongs to, if rows are [wanted](Wanted) by their place
    /// or contents.
    pub path: Option<&'a Path>,
    pub(crate) marks: Marks,
}

/// Facts about a row that are known before its bytes are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Marks {
    /// The row belongs to a value that a path names.
    chosen: bool,
    /// The row holds what is sought.
    hit: bool,
    /// The row is the first of a value that a path names.
    first: bool,
}

impl Row<'_> {
    /// Reports whether the row is shown without those around it, so that people need its path.
    pub fn stands_alone(&self) -> bool {
        self.path.is_some() && (self.marks.first || !self.marks.chosen)
    }
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
    /// The rows that are wanted. Default: all.
    pub wanted: Wanted,
    /// Returns the name of a tag, for people, by its space and code. Default: no names.
    pub tag_name: fn(space: &str, code: u64) -> Option<&'static str>,
}

impl Options {
    /// Most nested payloads that are opened.
    pub const MAX_DEPTH: u32 = 32;
}

impl Default for Options {
    fn default() -> Options {
        Options {
            limits: Limits::DEFAULT,
            shown: 200,
            payloads: None,
            depth: 0,
            each: None,
            wanted: Wanted::default(),
            tag_name: |_, _| None,
        }
    }
}

/// The outcome of an inspection.
#[derive(Debug)]
pub struct Inspection {
    /// Messages that were understood to their end.
    pub messages: u64,
    /// Messages that were understood to their end inside of a stream that is a payload as a whole,
    /// such as a compressed file, if they were looked at.
    pub inside: Option<u64>,
    /// True if values hold messages that were not looked into: they lie deeper than
    /// [`Options::depth`].
    pub closed: bool,
    /// The error that ended it, with offset and path; or that of what a stream holds that is a
    /// payload as a whole.
    pub broken: Option<Error>,
    /// Rows that were shown, without the headings of messages.
    pub shown: u64,
    /// Values among them.
    pub values: u64,
    /// True if no later row was wanted, and the stream was not read to its end.
    pub stopped: bool,
    /// Bytes that were read, if it did not stop.
    pub end: u64,
    /// Paths that named nothing in any message.
    pub missed: Vec<Missed>,
}

/// Passes to `rows` the meaning of `bytes`, a stream of a format or dialect, row by row. Memory
/// beside the input: one row, one entry per open container, and one decoded payload of each level.
/// Paths to values take one message more.
///
/// The rows of a payload follow that of its value. Decoding is charged to the limits of the
/// message.
///
/// # Errors
/// Those of `rows`; errors in the bytes are in [`Inspection::broken`].
pub fn inspect(
    format: impl Into<Dialect>,
    bytes: &[u8],
    options: &Options,
    rows: &mut dyn FnMut(&Row<'_>) -> Result<()>,
) -> Result<Inspection> {
    run(&format.into(), &mut Whole::new(bytes), options, rows)
}

/// Inspects like [`inspect`] a stream that is read in pieces, no further than is wanted. Memory:
/// one message, and what [`inspect`] takes beside it; on broken input, all bytes after the error.
///
/// # Errors
/// Those of `rows`; errors in the bytes or of reading them are in [`Inspection::broken`].
pub fn inspect_from(
    format: impl Into<Dialect>,
    input: impl Read,
    options: &Options,
    rows: &mut dyn FnMut(&Row<'_>) -> Result<()>,
) -> Result<Inspection> {
    run(&format.into(), &mut Pieces::new(input), options, rows)
}

fn run(dialect: &Dialect, source: &mut dyn Source, options: &Options, rows: &mut dyn FnMut(&Row<'_>) -> Result<()>) -> Result<Inspection> {
    let options = Options { depth: options.depth.min(Options::MAX_DEPTH), ..options.clone() };
    let mut sieve = Sieve::new(&options.wanted);
    let all = options.wanted.is_all();
    let mut count = 0;
    let mut sifted = |row: &Row<'_>| {
        if all {
            count += u64::from(row.what != What::Message);
            return rows(row).map(|()| true);
        }
        sieve.row(row, rows)
    };
    let walked = annotate(dialect, source, &options, &mut Budget::new(&options.limits), 0, &mut sifted)?;
    let shown = if all { count } else { sieve.shown };
    Ok(Inspection { shown, values: sieve.values, stopped: sieve.stopped, ..walked })
}
