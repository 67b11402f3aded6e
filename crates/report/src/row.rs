//! A row of an inspection as an object.

use std::borrow::Cow;
use std::io;

use polywire_core::tools::inspect::Row;
use polywire_core::walk::PathStep;
use serde::Serialize;

/// A row for programs: an object with the keys `message`, `start`, `end`, `depth`, `what`, `label`,
/// `kind`, `value`, `notes`.
///
/// `at` is there if the reader places the value at other bytes than the row's. `bits` is there in
/// formats whose values begin anywhere in a byte: the first bit, and the one behind the last.
/// `holds` names the payload: its `format`, and its `codecs` from the outermost. In payloads,
/// `level` is there, and `decoded`: true if offsets count from the start of the decoded payload.
/// `path` is there if rows are wanted by place or contents.
#[derive(Debug, Clone, Serialize)]
pub struct RowLine<'a> {
    message: u64,
    start: u64,
    end: u64,
    depth: usize,
    what: &'static str,
    label: Option<Label<'a>>,
    kind: &'a str,
    value: &'a str,
    notes: &'a [Cow<'static, str>],
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bits: Option<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    holds: Option<Holds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decoded: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

impl<'a> RowLine<'a> {
    /// Makes the object of a row.
    pub fn new(row: &Row<'a>) -> RowLine<'a> {
        RowLine {
            message: row.message,
            start: row.bytes.start,
            end: row.bytes.end,
            depth: row.depth,
            what: row.what.name(),
            label: match row.label {
                None => None,
                Some(PathStep::Name(name) | PathStep::Key(name)) => Some(Label::Name(name)),
                Some(PathStep::Index(index)) => Some(Label::Index(*index)),
                Some(PathStep::Each | PathStep::Slice(_)) => Some(Label::Name("[]")),
            },
            kind: row.kind,
            value: row.value,
            notes: row.notes,
            at: (row.at != row.bytes).then_some([row.at.start, row.at.end]),
            bits: row.bits.map(|bits| [bits.start, bits.end]),
            holds: row
                .holds
                .map(|contents| Holds { format: contents.format.name, codecs: contents.codecs.iter().map(|codec| codec.name).collect() }),
            level: (row.level > 0).then_some(row.level),
            decoded: (row.level > 0 || row.decoded).then_some(row.decoded),
            path: row.path.map(|path| if path.0.is_empty() { String::new() } else { path.to_string() }),
        }
    }

    /// Writes the object and a line break.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut impl io::Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }
}

#[derive(Debug, Clone, Serialize)]
struct Holds {
    format: &'static str,
    codecs: Vec<&'static str>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Label<'a> {
    Name(&'a str),
    Index(u64),
}
