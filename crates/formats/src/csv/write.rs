//! Records to rows.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use foldhash::fast::FixedState;
use polywire_core::{Error, ErrorKind, Fault, Field, Losses, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Str, Writer};

use super::header::declared;
use super::lex::{BOM, SEPARATORS, looks_like_utf16};
use crate::json::JsonWriter;
use polywire_core::value::lexical::{Lexical, classify, spells};

/// Writes CSV. In a stream, the first message gives the header.
#[derive(Debug, Default)]
pub struct CsvWriter {
    in_stream: bool,
    /// True once the header is written: no more columns come.
    fixed: bool,
    columns: Columns,
    /// Range of each column's cell in `text`, once it came.
    cells: Vec<Option<(usize, usize)>>,
    text: Vec<u8>,
    place: Place,
    /// The column after the last one; most often the next field's.
    next: usize,
    /// The column whose value is due.
    due: Option<usize>,
    /// True while the value of a key without a column is due.
    dropping: bool,
    /// Start of the record in the input.
    at: Span,
    nested: Nested,
    scratch: String,
    losses: Losses,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Before,
    Inside,
    After,
}

/// A value within a value, on its way to text.
#[derive(Debug, Default)]
struct Nested {
    writer: JsonWriter,
    depth: usize,
    text: Vec<u8>,
}

/// The names of the header.
#[derive(Debug, Default)]
struct Columns {
    names: String,
    /// End of each name in `names`.
    ends: Vec<usize>,
    /// Columns by name, made once a field comes out of place; of duplicate names the first.
    by_name: HashMap<Box<str>, usize, FixedState>,
}

impl Columns {
    fn name(&self, index: usize) -> Option<&str> {
        let from = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.names.get(from..*self.ends.get(index)?)
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).filter_map(|index| self.name(index))
    }

    fn push(&mut self, name: &str) {
        self.names.push_str(name);
        self.ends.push(self.names.len());
    }

    fn find(&mut self, name: &str) -> Option<usize> {
        if self.by_name.is_empty() {
            for index in 0..self.ends.len() {
                let name: Box<str> = self.name(index).unwrap_or_default().into();
                self.by_name.entry(name).or_insert(index);
            }
        }
        self.by_name.get(name).copied()
    }

    fn clear(&mut self) {
        self.names.clear();
        self.ends.clear();
        self.by_name.clear();
    }
}

impl CsvWriter {
    /// Notes that the value of the field `name` is next. Returns false if there is no column for
    /// it.
    fn column(&mut self, name: &str, at: Span) -> bool {
        let column = if self.fixed {
            let expected = self.columns.name(self.next) == Some(name);
            match if expected { Some(self.next) } else { self.columns.find(name) } {
                None => {
                    self.losses.value("field that the header, which the first message gave, does not have: dropped", at);
                    return false;
                }
                Some(column) if self.cells[column].is_some() => {
                    self.losses.value("field that came before in the same record: dropped", at);
                    return false;
                }
                Some(column) => column,
            }
        } else {
            self.columns.push(name);
            self.cells.push(None);
            self.cells.len() - 1
        };
        self.next = column + 1;
        self.due = Some(column);
        true
    }

    /// Puts the value into the cell that is due.
    fn cell(&mut self, value: Scalar<'_, '_>, at: Span) {
        let Some(column) = self.due.take() else { return };
        let start = self.text.len();
        match value {
            Scalar::Null => {}
            Scalar::Bool(true) => self.text.extend_from_slice(b"true"),
            Scalar::Bool(false) => self.text.extend_from_slice(b"false"),
            Scalar::Int(value, _) => self.text.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
            Scalar::UInt(value, _) => self.text.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
            Scalar::F64(value, hint) => match hint.digits().filter(|digits| spells(digits, value)) {
                Some(digits) => self.text.extend_from_slice(digits.as_bytes()),
                None => self.float(value, at),
            },
            // An f64's digits, so that reading them gives the same number.
            Scalar::F32(value, _) => self.float(f64::from(value), at),
            Scalar::Big(digits, _) => self.text.extend_from_slice(digits.get().as_bytes()),
            Scalar::Decimal(digits, _) => {
                if classify(digits.get()) != Lexical::Decimal {
                    self.losses.value("spelling of a decimal that is not read as one", at);
                }
                self.text.extend_from_slice(digits.get().as_bytes());
            }
            Scalar::Text(text) => put_text(&mut self.text, text.get()),
            Scalar::Time(moment) => {
                self.losses.value("timestamp became text", at);
                put_text(&mut self.text, &moment.to_string());
            }
            Scalar::Bytes(bytes) => {
                self.losses.value("bytes became base64 text", at);
                self.base64(bytes.get());
            }
            Scalar::Octets(bytes) => match std::str::from_utf8(bytes.get()) {
                Ok(text) => {
                    self.losses.value("octets became text", at);
                    put_text(&mut self.text, text);
                }
                Err(_) => {
                    self.losses.value("octets became base64 text", at);
                    self.base64(bytes.get());
                }
            },
            _ => self.losses.value("value of a kind that is newer than this writer became null", at),
        }
        self.cells[column] = Some((start, self.text.len()));
    }

    fn float(&mut self, value: f64, at: Span) {
        if value.is_finite() {
            self.text.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes());
        } else {
            self.losses.value("NaN or infinity became text", at);
            let name = if value.is_nan() {
                "NaN"
            } else if value > 0.0 {
                "inf"
            } else {
                "-inf"
            };
            self.text.extend_from_slice(name.as_bytes());
        }
    }

    fn base64(&mut self, bytes: &[u8]) {
        self.scratch.clear();
        STANDARD.encode_string(bytes, &mut self.scratch);
        put_text(&mut self.text, &self.scratch);
    }

    /// Ends a nested value, or a key that is no text.
    fn nested_done(&mut self) -> Result<()> {
        self.nested.text.clear();
        self.nested.writer.finish(&mut self.nested.text)?;
        for lost in self.nested.writer.losses() {
            self.losses.value(lost.what, lost.at);
        }
        let text = std::mem::take(&mut self.nested.text);
        let json = String::from_utf8_lossy(&text);
        if self.due.is_some() {
            self.cell(Scalar::Text(Str::Scratch(&json)), self.at);
        } else {
            self.dropping = !self.column(&json, self.at);
        }
        self.nested.text = text;
        Ok(())
    }

    /// Writes the header; with `replaced`, zero bytes in the first name become U+2400.
    fn header(&mut self, replaced: bool, out: &mut Vec<u8>) {
        // Names that look like declarations of types are none if one of them has quotes.
        let declares = self.columns.all().all(|name| !needs_quotes(name) && declared(name).is_some());
        for (index, name) in self.columns.all().enumerate() {
            if index > 0 {
                out.push(SEPARATORS[0]);
            }
            let other;
            let name = if replaced && index == 0 {
                other = name.replace('\0', "\u{2400}");
                &other
            } else {
                name
            };
            if needs_quotes(name) || (index == 0 && (declares || name.as_bytes().starts_with(BOM))) {
                put_quoted(out, name);
            } else {
                out.extend_from_slice(name.as_bytes());
            }
        }
        out.push(b'\n');
    }

    fn clear(&mut self) {
        self.place = Place::Before;
        (self.next, self.due, self.dropping) = (0, None, false);
        self.text.clear();
        if self.fixed {
            self.cells.fill(None);
        } else {
            self.cells.clear();
            self.columns.clear();
        }
    }
}

/// Reports whether a name in the header would be misread without quotes. Every possible separator
/// counts.
fn needs_quotes(name: &str) -> bool {
    name.is_empty() || name.bytes().any(|byte| SEPARATORS.contains(&byte) || matches!(byte, b'"' | b'\n' | b'\r'))
}

/// Appends text, without quotes unless it would be misread.
fn put_text(out: &mut Vec<u8>, text: &str) {
    let plain = |byte: u8| !matches!(byte, b',' | b'"' | b'\n' | b'\r');
    if !text.is_empty() && text.bytes().all(plain) && classify(text) == Lexical::Text {
        out.extend_from_slice(text.as_bytes());
    } else {
        put_quoted(out, text);
    }
}

fn put_quoted(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for (index, piece) in text.split('"').enumerate() {
        if index > 0 {
            out.extend_from_slice(b"\"\"");
        }
        out.extend_from_slice(piece.as_bytes());
    }
    out.push(b'"');
}

#[cold]
fn no_row(seen: &'static str, at: Span) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Caller)
        .seen(seen)
        .expected("a record with fields: a row of a table")
        .hint("a list of records is no message here; write each record as a message")
        .at(at.start)
        .format_is("csv")
}

impl<'m> Sink<'m> for CsvWriter {
    fn needs(&self) -> Needs {
        Needs::GROUPED | Needs::WHOLE_TEXT
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if self.place != Place::Inside {
            match open {
                Open::Record { name, .. } => {
                    if !name.is_empty() {
                        self.losses.value("name of the record's type dropped", at);
                    }
                }
                Open::Map(_) => {}
                other => return Err(no_row(other.kind(), at)),
            }
            self.clear();
            (self.place, self.at) = (Place::Inside, at);
            return Ok(Next::Enter);
        }
        if std::mem::take(&mut self.dropping) {
            return Ok(Next::Skip);
        }
        if self.nested.depth == 0 {
            let what = if self.due.is_some() { "value with parts became JSON text" } else { "key that is no text became text" };
            self.losses.value(what, at);
        }
        self.nested.depth += 1;
        self.nested.writer.open(open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        if self.nested.depth > 0 {
            return self.nested.writer.field(field, at);
        }
        if self.place != Place::Inside {
            return Err(Error::internal("a field outside of all records"));
        }
        Ok(if self.column(field.name.get(), at) { Next::Enter } else { Next::Skip })
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if self.nested.depth > 0 {
            return self.nested.writer.scalar(value, at);
        }
        match (self.place, self.due) {
            (Place::Inside, Some(_)) => self.cell(value, at),
            (Place::Inside, None) if std::mem::take(&mut self.dropping) => {}
            (Place::Inside, None) => {
                self.losses.value("key that is no text became text", at);
                self.nested.writer.scalar(value, at)?;
                self.nested_done()?;
            }
            _ => return Err(no_row(value.kind(), at)),
        }
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Err(Error::internal("a value in parts for a writer that needs whole ones"))
    }

    fn close(&mut self, at: Span) -> Result<()> {
        if self.nested.depth > 0 {
            self.nested.depth -= 1;
            self.nested.writer.close(at)?;
            return if self.nested.depth == 0 { self.nested_done() } else { Ok(()) };
        }
        if self.place != Place::Inside {
            return Err(Error::internal("a close without its open"));
        }
        if self.cells.is_empty() {
            return Err(no_row("a record without fields", self.at));
        }
        self.place = Place::After;
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.losses.note(note, at);
        Ok(())
    }
}

impl Writer for CsvWriter {
    fn begin_stream(&mut self) {
        self.in_stream = true;
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.place != Place::After {
            return Err(Error::internal("a message that is not whole"));
        }
        let start = out.len();
        if !self.fixed {
            self.header(false, out);
        }
        let first_row = out.len();
        let only = self.cells.len() == 1;
        for (column, cell) in self.cells.iter().enumerate() {
            if column > 0 {
                out.push(SEPARATORS[0]);
            }
            match cell {
                // An empty row would be read as none.
                Some((from, to)) if only && from == to => {
                    self.losses.value("null in the only column became empty text", self.at);
                    out.extend_from_slice(b"\"\"");
                }
                Some((from, to)) => out.extend_from_slice(&self.text[*from..*to]),
                None => {
                    self.losses.value("field of the header that the record does not have: became null", self.at);
                    out.extend_from_slice(if only { b"\"\"" } else { b"" });
                }
            }
        }
        if !self.fixed && looks_like_utf16(out, start).is_some() {
            self.losses.value("zero bytes in the name of the first column became U+2400", self.at);
            let row = out.split_off(first_row);
            out.truncate(start);
            self.header(true, out);
            out.extend_from_slice(&row);
        }
        self.fixed = self.in_stream;
        self.clear();
        Ok(())
    }

    fn reset(&mut self) {
        self.nested.writer.reset();
        self.nested.depth = 0;
        self.clear();
        self.losses.clear();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.losses.take()
    }
}
