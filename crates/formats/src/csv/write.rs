//! Records to rows.

use std::any::Any;
use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use foldhash::fast::FixedState;
use polywire_core::{
    Error, ErrorKind, Fault, Field, Limits, Losses, Lost, Needs, Next, Note, Open, Part, Reader, Result, Scalar, Sink, Span, Str, Writer,
};

use super::header::declared;
use super::lex::{BOM, Marks, SEPARATORS, looks_like_utf16};
use super::options::Options;
use super::pass::Pass;
use super::read::CsvReader;
use crate::json::JsonWriter;
use crate::tag_text::TagText;
use polywire_core::value::lexical::{Lexical, classify, spells};

/// The loss of a field without a column.
const DROPPED: &str = "field that the header, which the first message gave, does not have: dropped";

/// Writes CSV. In a stream, the first message gives the header.
#[derive(Debug, Default)]
pub struct CsvWriter {
    options: Options,
    marks: Marks,
    in_stream: bool,
    /// True once no more columns come: the caller named them, or the header is written.
    fixed: bool,
    /// True once the header is written, or would be.
    headed: bool,
    /// The ways of rows from a reader of tables, for the same columns.
    pass: Pass,
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
    /// A tag before the value of a cell.
    tag: TagText,
    /// Number of open tags around the value of a cell.
    tags: usize,
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
pub(super) struct Columns {
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

    /// Returns the number of columns.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).filter_map(|index| self.name(index))
    }

    fn push(&mut self, name: &str) {
        self.names.push_str(name);
        self.ends.push(self.names.len());
    }

    /// Returns the index of a column.
    pub(super) fn find(&mut self, name: &str) -> Option<usize> {
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
    /// Makes a writer with these settings.
    pub fn new(options: Options) -> CsvWriter {
        let marks = options.marks(options.separator.unwrap_or(SEPARATORS[0]));
        let mut this = CsvWriter { marks, ..CsvWriter::default() };
        this.name(&options.columns);
        this.options = options;
        this
    }

    /// Sets the columns, unless there are none.
    fn name(&mut self, names: &[String]) {
        if !names.is_empty() {
            self.columns.clear();
            names.iter().for_each(|name| self.columns.push(name));
            self.cells = vec![None; names.len()];
            self.fixed = true;
        }
    }

    /// Notes that the value of the field `name` is next. Returns false if there is no column for
    /// it.
    fn column(&mut self, name: &str, at: Span) -> bool {
        let column = if self.fixed {
            let expected = self.columns.name(self.next) == Some(name);
            match if expected { Some(self.next) } else { self.columns.find(name) } {
                None => {
                    self.losses.value(DROPPED, at);
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
    fn cell(&mut self, value: Scalar<'_, '_>, at: Span) -> Result<()> {
        let Some(column) = self.due.take() else { return Ok(()) };
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
            Scalar::Text(text) => put_text(&mut self.text, self.marks, text.get()),
            Scalar::Time(moment) => {
                self.losses.value("timestamp became text", at);
                put_text(&mut self.text, self.marks, &moment.to_string());
            }
            Scalar::Bytes(bytes) => {
                self.losses.value("bytes became base64 text", at);
                self.base64(bytes.get());
            }
            Scalar::Octets(bytes) => match std::str::from_utf8(bytes.get()) {
                Ok(text) => {
                    self.losses.value("octets became text", at);
                    put_text(&mut self.text, self.marks, text);
                }
                Err(_) => {
                    self.losses.value("octets became base64 text", at);
                    self.base64(bytes.get());
                }
            },
            _ => self.losses.value("value of a kind that is newer than this writer became null", at),
        }
        self.cells[column] = Some((start, self.text.len()));
        if self.marks.quote.is_none() && self.text[start..].iter().any(|byte| is_mark(*byte, self.marks)) {
            return Err(unquotable(at));
        }
        Ok(())
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
        put_text(&mut self.text, self.marks, &self.scratch);
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
            self.cell(Scalar::Text(Str::Scratch(&json)), self.at)?;
        } else {
            self.dropping = !self.column(&json, self.at);
        }
        self.nested.text = text;
        Ok(())
    }

    /// Writes the header; with `replaced`, zero bytes in the first name become U+2400.
    fn header(&mut self, replaced: bool, out: &mut Vec<u8>) {
        // Names that look like declarations of types are none if one of them has quotes.
        let declares = self.columns.all().all(|name| !needs_quotes(name, self.marks) && declared(name).is_some());
        for (index, name) in self.columns.all().enumerate() {
            if index > 0 {
                out.push(self.marks.separator);
            }
            let other;
            let name = if replaced && index == 0 {
                other = name.replace('\0', "\u{2400}");
                &other
            } else {
                name
            };
            if needs_quotes(name, self.marks) || (index == 0 && (declares || name.as_bytes().starts_with(BOM))) {
                put_quoted(out, self.marks, name);
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
fn needs_quotes(name: &str, marks: Marks) -> bool {
    let marked = |byte: u8| SEPARATORS.contains(&byte) || is_mark(byte, marks);
    marks.quote.is_some() && (name.is_empty() || name.bytes().any(marked))
}

/// Reports whether a byte cannot stand in a cell without quotes.
fn is_mark(byte: u8, marks: Marks) -> bool {
    byte == marks.separator || Some(byte) == marks.quote || matches!(byte, b'\n' | b'\r')
}

/// Appends text, without quotes unless it would be misread.
pub(super) fn put_text(out: &mut Vec<u8>, marks: Marks, text: &str) {
    if marks.quote.is_none() || !text.is_empty() && !text.bytes().any(|byte| is_mark(byte, marks)) && classify(text) == Lexical::Text {
        out.extend_from_slice(text.as_bytes());
    } else {
        put_quoted(out, marks, text);
    }
}

fn put_quoted(out: &mut Vec<u8>, marks: Marks, text: &str) {
    let quote = marks.quote.unwrap_or(b'"');
    out.push(quote);
    for (index, piece) in text.split(char::from(quote)).enumerate() {
        if index > 0 {
            out.extend_from_slice(&[quote, quote]);
        }
        out.extend_from_slice(piece.as_bytes());
    }
    out.push(quote);
}

#[cold]
fn no_row(name: &'static str, seen: &'static str, at: Span) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Caller)
        .seen(seen)
        .expected("a record with fields: a row of a table")
        .hint("a list of records is no message here; write each record as a message")
        .at(at.start)
        .format_is(name)
}

/// Makes the error of a text that no cell without quotes can hold.
#[cold]
fn unquotable(at: Span) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Caller)
        .seen("text with a separator or a line break")
        .expected("text without, as no character is around cells")
        .hint("name a quote, or a separator that no text has")
        .at(at.start)
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
                other => return Err(no_row(self.options.name, other.kind(), at)),
            }
            self.clear();
            (self.place, self.at) = (Place::Inside, at);
            return Ok(Next::Enter);
        }
        if std::mem::take(&mut self.dropping) {
            return Ok(Next::Skip);
        }
        if self.nested.depth == 0
            && self.due.is_some()
            && let Open::Tagged { space, code } = open
            && TagText::knows(space, code)
        {
            // Its text is the cell's.
            self.tag.open(space, code, at, &mut self.losses);
            self.tags += 1;
            return Ok(Next::Enter);
        }
        self.tag.drop(&mut self.losses);
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
            (Place::Inside, Some(_)) => match self.tag.is_open().then(|| self.tag.text(&value, at, &mut self.losses)).flatten() {
                Some(text) => self.cell(Scalar::Text(Str::Scratch(&text)), at)?,
                None => self.cell(value, at)?,
            },
            (Place::Inside, None) if std::mem::take(&mut self.dropping) => {}
            (Place::Inside, None) => {
                self.losses.value("key that is no text became text", at);
                self.nested.writer.scalar(value, at)?;
                self.nested_done()?;
            }
            _ => return Err(no_row(self.options.name, value.kind(), at)),
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
        if self.tags > 0 {
            self.tags -= 1;
            return Ok(());
        }
        if self.place != Place::Inside {
            return Err(Error::internal("a close without its open"));
        }
        if self.cells.is_empty() {
            return Err(no_row(self.options.name, "a record without fields", self.at));
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

    fn fields(&mut self, names: &[String]) {
        if !self.fixed {
            self.name(names);
        }
    }

    fn meets(&mut self, reader: &mut dyn Reader) {
        self.pass = Pass::default();
        if let Some(reader) = (reader as &mut dyn Any).downcast_mut::<CsvReader>() {
            reader.keep_texts();
        }
    }

    fn pass(
        &mut self,
        reader: &mut dyn Reader,
        message: &[u8],
        base: u64,
        wanted: &dyn Fn(&str) -> bool,
        limits: &Limits,
        out: &mut Vec<u8>,
    ) -> bool {
        if !self.headed || self.place != Place::Before {
            return false;
        }
        let Some(reader) = (reader as &dyn Any).downcast_ref::<CsvReader>() else { return false };
        if !reader.is_row(base, message.len()) {
            return false;
        }
        let Some(header) = reader.header() else { return false };
        self.pass.row(header, &mut self.columns, self.marks, message, wanted, limits, out)
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.place != Place::After {
            return Err(Error::internal("a message that is not whole"));
        }
        let start = out.len();
        let with_header = !self.headed && self.options.header;
        if with_header {
            self.header(false, out);
        }
        let first_row = out.len();
        let only = self.cells.len() == 1;
        let quotes: &[u8] = match self.marks.quote {
            Some(quote) => &[quote, quote],
            None => b"",
        };
        for (column, cell) in self.cells.iter().enumerate() {
            if column > 0 {
                out.push(self.marks.separator);
            }
            match cell {
                // An empty row would be read as none.
                Some((from, to)) if only && from == to => {
                    self.losses.value("null in the only column became empty text", self.at);
                    out.extend_from_slice(quotes);
                }
                Some((from, to)) => out.extend_from_slice(&self.text[*from..*to]),
                None => {
                    self.losses.value("field of the header that the record does not have: became null", self.at);
                    out.extend_from_slice(if only { quotes } else { b"" });
                }
            }
        }
        if with_header && looks_like_utf16(out, start).is_some() {
            self.losses.value("zero bytes in the name of the first column became U+2400", self.at);
            let row = out.split_off(first_row);
            out.truncate(start);
            self.header(true, out);
            out.extend_from_slice(&row);
        }
        if !self.headed
            && !with_header
            && out[start..].starts_with(BOM)
            && let (Some(quote), Some(Some((from, to)))) = (self.marks.quote, self.cells.first())
        {
            // A mark of UTF-8 at the start of a stream would be stepped over.
            out.insert(start + to - from, quote);
            out.insert(start, quote);
        }
        self.headed = self.in_stream;
        self.fixed = self.in_stream || !self.options.columns.is_empty();
        self.clear();
        Ok(())
    }

    fn reset(&mut self) {
        self.nested.writer.reset();
        self.nested.depth = 0;
        self.tag.clear();
        self.tags = 0;
        self.clear();
        self.losses.clear();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.losses.take()
    }
}
