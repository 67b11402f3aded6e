//! Rows to events.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
#[cfg(feature = "columns")]
use polywire_core::Limits;
#[cfg(feature = "columns")]
use polywire_core::columns::Filling;
use polywire_core::value::binary64;
use polywire_core::{
    Budget, Error, ErrorKind, Field, Frame, Hint, Len, Next, Open, Reader, Result, Scalar, Sink, Span, Spelling, Str, Timestamp,
};

#[cfg(feature = "columns")]
use super::columns::ColumnReader;
use super::frame::Framer;
use super::header::{Header, Named, Type, look_ahead};
use super::lex::{self, BOM, Cell, RowEnd, after_blank_lines, after_break, is_single, looks_like_utf16, separator, unescape};
use super::options::{Options, Ragged};
use polywire_core::value::lexical::{Lexical, classify, is_number};

/// Advice for tables that are not in UTF-8.
const OTHER_CHARSET: &str = "name the character set with --charset, such as windows-1252 or utf-16le";

/// Bytes of a table that decide about the types of its columns, where they are inferred.
const AHEAD: usize = 64 << 10;

/// Reads CSV.
///
/// A message of two rows is a header and a row. A message of one row is a row under the header of
/// the message before. In a table without a header each message is a row.
#[derive(Debug, Default)]
pub struct CsvReader {
    options: Options,
    framer: Framer,
    /// Types of the columns, by the first rows.
    ahead: Vec<Type>,
    header: Option<Header>,
    /// Bounds of the row that was framed last, if it comes without a header.
    alone: Option<(u64, usize)>,
    /// All messages are rows without a header.
    follows: bool,
    strays: Vec<Stray>,
    unescaped: String,
    decoded: Vec<u8>,
    #[cfg(feature = "columns")]
    columns: ColumnReader,
}

/// A column with cells that are not of the type of its first ones.
#[derive(Debug)]
struct Stray {
    column: usize,
    kind: Type,
    count: u64,
    /// Offsets of the first and the last such cell.
    first: u64,
    last: u64,
}

impl CsvReader {
    /// Makes a reader with these settings.
    pub fn new(options: Options) -> CsvReader {
        CsvReader { options, ..CsvReader::default() }
    }

    /// Infers no types, for a writer that takes texts as they are.
    pub(super) fn keep_texts(&mut self) {
        if self.options.types.others == Named::Infer && self.options.types.columns.is_empty() {
            self.options.types.others = Named::Cell;
        }
    }

    /// Returns the columns, once a row was walked.
    pub(super) fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// Reports whether a message at `base` of `len` bytes is one row without a header.
    pub(super) fn is_row(&self, base: u64, len: usize) -> bool {
        self.header.is_some() && (self.follows || self.alone == Some((base, len)))
    }

    /// Looks at the first rows of the stream that starts with `buf`. Returns the number of bytes
    /// that are missing for that.
    fn look(&mut self, buf: &[u8], eof: bool) -> Option<usize> {
        if buf.len() < AHEAD && !eof {
            return Some(AHEAD - buf.len());
        }
        let (buf, whole) = if buf.len() > AHEAD { (&buf[..AHEAD], false) } else { (buf, eof) };
        let start = after_blank_lines(buf, if buf.starts_with(BOM) { BOM.len() } else { 0 });
        let quote = self.options.quote;
        let end = RowEnd::new(start, quote).find(buf, start, self.options.separator, whole).unwrap_or(buf.len());
        let first = &buf[start..end];
        let marks = self.options.marks(self.options.separator.unwrap_or_else(|| separator(first, quote)));
        let start = if self.options.header { after_blank_lines(buf, end) } else { start };
        self.ahead = look_ahead(buf, start, marks, whole);
        None
    }
}

impl Reader for CsvReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        let starts = base == 0 && self.framer.is_at_start();
        if starts
            && self.options.types.infers()
            && let Some(missing) = self.look(buf, eof)
        {
            return Ok(Frame::More(missing));
        }
        let with_header = base == 0 && self.options.header;
        let frame = self.framer.frame(&self.options, buf, base == 0, eof);
        self.alone = match frame {
            Frame::Message { start, end } if !with_header => Some((base + start as u64, end - start)),
            _ => None,
        };
        Ok(frame)
    }

    fn frame_many(&mut self, buf: &[u8], base: u64, most: usize, found: &mut Vec<(usize, usize)>) {
        let count = found.len();
        if base > 0 {
            self.framer.rows(self.options.quote, buf, most, found);
        }
        if let Some((start, end)) = found[count..].last() {
            self.alone = Some((base + *start as u64, end - start));
        }
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        // The text before a bad byte is walked, so that an earlier mistake is reported first and a
        // dump shows all that was understood.
        let (text, bad) = match simdutf8::basic::from_utf8(msg) {
            Ok(text) => (text, None),
            Err(_) => match std::str::from_utf8(msg) {
                Ok(text) => (text, None),
                Err(error) => (std::str::from_utf8(&msg[..error.valid_up_to()]).unwrap_or_default(), Some(error.valid_up_to())),
            },
        };
        let bad = bad.map(|at| (base + at as u64, msg[at]));
        let alone = self.is_row(base, msg.len());
        let outcome = match (bad, self.message(text, bad, alone, base, sink, budget)) {
            (Some((at, byte)), Ok(true)) => Err(not_utf8(at, byte)),
            (Some((at, byte)), Err(error)) if error.offset().is_none_or(|offset| offset >= at) => Err(not_utf8(at, byte)),
            (_, outcome) => outcome,
        };
        outcome.map(|_| ()).map_err(|error| error.format_is(self.options.name))
    }

    #[cfg(feature = "columns")]
    fn fill(&mut self, msg: &[u8], base: u64, filling: &mut Filling<'_>, limits: &Limits) -> bool {
        let is_row = self.is_row(base, msg.len());
        match &self.header {
            Some(header) if is_row => self.columns.fill(header, msg, filling, limits),
            _ => false,
        }
    }

    #[cfg(feature = "columns")]
    fn fill_many(&mut self, bytes: &[u8], base: u64, most: usize, filling: &mut Filling<'_>, limits: &Limits) -> (usize, usize) {
        match &self.header {
            // The first message has the header, unless another reader has read it.
            Some(header) if self.follows || base > 0 && self.framer.is_at_start() => {
                self.columns.fill_many(header, bytes, most, filling, limits)
            }
            _ => (0, 0),
        }
    }

    fn follower(&self) -> Option<Box<dyn Reader>> {
        let header = self.header.as_ref().filter(|header| header.is_settled())?;
        let (options, header) = (self.options.clone(), Some(header.clone()));
        Some(Box::new(CsvReader { options, header, follows: true, ..CsvReader::default() }))
    }

    fn has_unique_keys(&self) -> bool {
        self.options.ragged != Ragged::Keep && (self.follows || self.alone.is_some()) && self.header.as_ref().is_some_and(Header::is_unique)
    }

    fn has_steady_fields(&self) -> bool {
        self.options.ragged != Ragged::Keep
    }

    fn remarks(&self) -> Vec<String> {
        let Some(header) = &self.header else { return Vec::new() };
        let remark = |stray: &Stray| {
            let (cells, are) = if stray.count == 1 { ("1 cell".to_string(), "is") } else { (format!("{} cells", stray.count), "are") };
            let kind = if stray.kind == Type::Bools { "true or false" } else { "numbers" };
            format!(
                "column `{}`: {cells} {are} text, where the first rows have {kind}; the first one is at byte {}",
                header.name(stray.column),
                stray.first
            )
        };
        self.strays.iter().map(remark).collect()
    }
}

fn not_utf8(at: u64, byte: u8) -> Error {
    Error::data(ErrorKind::Encoding, at).seen(format!("byte 0x{byte:02x}")).expected("UTF-8 text").hint(OTHER_CHARSET)
}

impl CsvReader {
    /// Walks a message; returns false if the sink stopped. `bad` is the byte after `text` that is
    /// no UTF-8, and its offset. `alone` is true for a row that is known to come without a header.
    fn message<'m>(
        &mut self,
        text: &'m str,
        bad: Option<(u64, u8)>,
        alone: bool,
        base: u64,
        sink: &mut dyn Sink<'m>,
        budget: &mut Budget,
    ) -> Result<bool> {
        let bytes = text.as_bytes();
        let mut opens = Span::at(base, 0, 0);
        let mut row = 0;
        if !alone {
            (opens, row) = self.start(text, base)?;
        }
        let Some(header) = &mut self.header else {
            return Err(Error::truncated(base + bytes.len() as u64, "a row after the header"));
        };
        let mut walk = Walk {
            header,
            ragged: self.options.ragged,
            strays: &mut self.strays,
            text,
            bytes,
            bad,
            pos: row,
            base,
            unescaped: &mut self.unescaped,
            decoded: &mut self.decoded,
        };
        walk.row(opens, sink, budget)
    }

    /// Reads the header of a message, if it has one. Returns the range of the header, and the start
    /// of the row.
    fn start(&mut self, text: &str, base: u64) -> Result<(Span, usize)> {
        let bytes = text.as_bytes();
        let mut start = after_blank_lines(bytes, 0);
        if start == bytes.len() {
            let single = self.header.as_ref().is_some_and(|header| header.len() == 1);
            // In a table of one column without a header, the first row may be blank too.
            if start == 0 || !single && self.options.header {
                let expected = if self.options.header { "a header and a row" } else { "a row" };
                return Err(Error::truncated(base + start as u64, expected));
            }
            start = 0;
        }
        let quote = self.options.quote;
        let first_end = RowEnd::new(start, quote).find(bytes, start, self.options.separator, true).unwrap_or(bytes.len());
        let first = &bytes[start..first_end];
        let marks = self.options.marks(self.options.separator.unwrap_or_else(|| separator(first, quote)));
        if !self.options.header {
            if self.header.is_none() {
                self.is_no_utf16(bytes, start, base)?;
                let mut header = Header::default();
                header.number(text, start, marks, base)?;
                header.settle(&self.options, &self.ahead, base + start as u64)?;
                self.header = Some(header);
            }
            return Ok((Span::at(base, start, start), start));
        }
        let second = if is_single(first, marks) { first_end } else { after_blank_lines(bytes, first_end) };
        if second == bytes.len() {
            return Ok((Span::at(base, start, start), start));
        }
        self.is_no_utf16(bytes, start, base)?;
        #[cfg(feature = "columns")]
        self.columns.forget();
        let mut header = self.header.take().unwrap_or_default();
        let end = header.read(text, start, marks, base)?;
        header.settle(&self.options, &self.ahead, base + start as u64)?;
        self.header = Some(header);
        Ok((Span::at(base, start, end), second))
    }

    fn is_no_utf16(&self, bytes: &[u8], start: usize, base: u64) -> Result<()> {
        looks_like_utf16(bytes, start).map_or(Ok(()), |at| {
            Err(Error::data(ErrorKind::Encoding, base + at as u64)
                .seen("byte 0x00 beside each character of a name, as in UTF-16")
                .expected("UTF-8 text")
                .hint(OTHER_CHARSET))
        })
    }
}

struct Walk<'m, 'r> {
    header: &'r mut Header,
    ragged: Ragged,
    strays: &'r mut Vec<Stray>,
    text: &'m str,
    bytes: &'m [u8],
    bad: Option<(u64, u8)>,
    pos: usize,
    base: u64,
    unescaped: &'r mut String,
    decoded: &'r mut Vec<u8>,
}

impl<'m> Walk<'m, '_> {
    /// Walks a row; returns false if the sink stopped.
    fn row(&mut self, opens: Span, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<bool> {
        let columns = self.header.len();
        budget.item(self.offset())?;
        budget.enter(self.offset())?;
        let len = if self.ragged == Ragged::Keep { Len::Unknown } else { Len::Claimed(columns as u64) };
        let enters = match sink.open(Open::Record { name: "", len }, opens)? {
            Next::Enter => true,
            Next::Skip => false,
            Next::Stop => return Ok(false),
        };
        let mut ended = false;
        for column in 0..columns {
            ended = ended || column > 0 && !self.separator();
            if ended {
                match self.ragged {
                    Ragged::Refuse => {
                        let name: String = self.header.name(column).chars().take(40).collect();
                        return Err(self.ragged(format!("a row of {column} cells, without one for {name:?}")));
                    }
                    Ragged::Keep => break,
                    Ragged::Pad if !enters => break,
                    Ragged::Pad => {}
                }
            }
            if !enters {
                self.cell()?;
                continue;
            }
            budget.item(self.offset())?;
            // The name is not here but in the header.
            match sink.field(Field::named(Str::Scratch(self.header.name(column))), Span::at(self.base, self.pos, self.pos))? {
                Next::Enter if ended => {
                    budget.item(self.offset())?;
                    sink.scalar(Scalar::Null, Span::at(self.base, self.pos, self.pos))?;
                }
                Next::Enter => {
                    let cell = self.cell()?;
                    budget.item(self.base + cell.start() as u64)?;
                    self.value(cell, column, sink, budget)?;
                }
                Next::Skip if ended => {}
                Next::Skip => {
                    self.cell()?;
                }
                Next::Stop => return Ok(false),
            }
        }
        if !ended && self.separator() {
            if self.ragged != Ragged::Keep {
                return Err(self.ragged(format!("a row of more than {columns} cells")));
            }
            if !self.beyond(columns, enters, sink, budget)? {
                return Ok(false);
            }
        }
        budget.leave();
        if enters {
            sink.close(Span::at(self.base, self.pos, self.pos))?;
        }
        self.pos = after_break(self.bytes, self.pos);
        if columns > 1 {
            self.pos = after_blank_lines(self.bytes, self.pos);
        }
        if self.pos < self.bytes.len() {
            return Err(Error::data(ErrorKind::Trailing, self.offset()).seen("another row").expected("the end of the message"));
        }
        Ok(true)
    }

    /// Walks the cells beyond the header, the first one at the current place; returns false if the
    /// sink stopped.
    fn beyond(&mut self, columns: usize, enters: bool, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<bool> {
        for column in columns.. {
            budget.item(self.offset())?;
            self.header.extend(column + 1);
            let next = match enters {
                true => sink.field(Field::named(Str::Scratch(self.header.beyond(column))), Span::at(self.base, self.pos, self.pos))?,
                false => Next::Skip,
            };
            match next {
                Next::Stop => return Ok(false),
                next => {
                    let cell = self.cell()?;
                    if next == Next::Enter {
                        budget.item(self.base + cell.start() as u64)?;
                        self.value(cell, column, sink, budget)?;
                    }
                }
            }
            if !self.separator() {
                break;
            }
        }
        Ok(true)
    }

    fn offset(&self) -> u64 {
        self.base + self.pos as u64
    }

    /// Steps over a separator, if there is one; returns true if so.
    #[inline]
    fn separator(&mut self) -> bool {
        let found = self.bytes.get(self.pos) == Some(&self.header.marks.separator);
        self.pos += usize::from(found);
        found
    }

    #[inline]
    fn cell(&mut self) -> Result<Cell> {
        let cell = lex::cell(self.bytes, self.pos, self.header.marks, self.base)?;
        if let Some((at, byte)) = self.bad
            && cell.end() == self.bytes.len()
        {
            return Err(not_utf8(at, byte));
        }
        self.pos = cell.end();
        Ok(cell)
    }

    #[cold]
    fn ragged(&self, seen: String) -> Error {
        let hint = match self.header.marks.separator {
            b',' => "an empty cell needs its comma too, and a cell that holds a comma needs quotes",
            _ => "an empty cell needs its separator too, and a cell that holds a separator needs quotes",
        };
        Error::data(ErrorKind::Syntax, self.offset()).seen(seen).expected(format!("{}, as in the header", self.header.len())).hint(hint)
    }

    fn value(&mut self, cell: Cell, column: usize, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        let text: &'m str = self.text;
        let raw = &text[cell.from..cell.to];
        let at = Span::at(self.base, cell.start(), cell.end());
        if raw.is_empty() && !cell.quoted {
            return sink.scalar(Scalar::Null, at);
        }
        let mut kind = if column < self.header.len() { self.header.kind(column) } else { Type::Any };
        if kind == Type::Undecided {
            kind = Type::of(raw, cell.quoted);
            self.header.decide(column, kind);
        }
        let text = if cell.doubled {
            budget.decode(raw.len() as u64, at.start)?;
            unescape(raw, &cell, self.header.marks, self.unescaped);
            Str::Scratch(self.unescaped.as_str())
        } else {
            Str::Input(raw)
        };
        let plain = text.get();
        let wrong = |expected: &'static str| {
            let shown: String = plain.chars().take(40).collect();
            Error::data(ErrorKind::Syntax, at.start)
                .seen(format!("{shown:?}"))
                .expected(expected)
                .hint("the header declares the type of this column, or the caller")
        };
        let mut owned = String::new();
        let spelling = Spelling::digits(plain);
        let value = match kind {
            Type::Any if cell.quoted => Scalar::Text(text),
            Type::Text => Scalar::Text(text),
            Type::Any | Type::Undecided | Type::Numbers | Type::Bools => {
                let lexical = if cell.quoted { Lexical::Text } else { classify(plain) };
                let is_bool = matches!(lexical, Lexical::Bool(_));
                let is_number = !is_bool && lexical != Lexical::Text;
                if is_number {
                    budget.digits(plain.len(), at.start)?;
                }
                match lexical {
                    _ if kind == Type::Numbers && !is_number || kind == Type::Bools && !is_bool => {
                        stray(self.strays, column, kind, at.start);
                        Scalar::Text(text)
                    }
                    Lexical::Bool(value) => Scalar::Bool(value),
                    Lexical::Int(value) => Scalar::int(value),
                    Lexical::UInt(value) => Scalar::uint(value),
                    Lexical::F64(value) => Scalar::F64(value, Hint::new(&spelling)),
                    Lexical::Big => Scalar::big(text),
                    Lexical::Decimal => Scalar::decimal(text),
                    Lexical::Text => Scalar::Text(text),
                }
            }
            Type::Int => {
                budget.digits(plain.len(), at.start)?;
                whole(plain, &mut owned).ok_or_else(|| wrong("a whole number"))?
            }
            Type::Float => {
                budget.digits(plain.len(), at.start)?;
                float(text, Hint::new(&spelling)).ok_or_else(|| wrong("a number"))?
            }
            Type::Bool => match plain {
                "true" | "True" | "TRUE" => Scalar::Bool(true),
                "false" | "False" | "FALSE" => Scalar::Bool(false),
                _ => return Err(wrong("true or false")),
            },
            Type::Time => {
                let moment = Timestamp::from_rfc3339(plain);
                Scalar::Time(moment.ok_or_else(|| wrong("a moment like 2026-11-21T07:49:00Z"))?)
            }
            Type::Bytes => {
                budget.decode(plain.len() as u64 / 4 * 3, at.start)?;
                self.decoded.clear();
                STANDARD.decode_vec(plain, self.decoded).map_err(|_| wrong("base64"))?;
                Scalar::Bytes(Str::Scratch(self.decoded))
            }
        };
        sink.scalar(value, at)
    }
}

/// Counts a cell that is not of its column's type. A message may be walked twice.
#[cold]
fn stray(strays: &mut Vec<Stray>, column: usize, kind: Type, at: u64) {
    match strays.iter_mut().find(|stray| stray.column == column) {
        Some(stray) if at > stray.last => {
            stray.count += 1;
            stray.last = at;
        }
        Some(_) => {}
        None => strays.push(Stray { column, kind, count: 1, first: at, last: at }),
    }
}

/// Reads a whole number, with leading zeros and signs: the column declares that it is one.
fn whole<'m, 's>(text: &str, owned: &'s mut String) -> Option<Scalar<'m, 's>> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(match (text.parse::<i64>(), text.parse::<u64>()) {
        (Ok(value), _) => Scalar::int(value),
        (_, Ok(value)) => Scalar::uint(value),
        _ => {
            if text.starts_with('-') {
                owned.push('-');
            }
            owned.push_str(digits.trim_start_matches('0'));
            Scalar::big(Str::Scratch(owned))
        }
    })
}

/// Reads a number of a float column, also if it is spelled as an integer.
fn float<'m: 's, 's>(text: Str<'m, 's, str>, hint: Hint<'s>) -> Option<Scalar<'m, 's>> {
    let plain = text.get();
    match plain {
        "NaN" => return Some(Scalar::f64(f64::NAN)),
        "inf" => return Some(Scalar::f64(f64::INFINITY)),
        "-inf" => return Some(Scalar::f64(f64::NEG_INFINITY)),
        _ if !is_number(plain) => return None,
        _ => {}
    }
    Some(match binary64(plain) {
        Some(value) => Scalar::F64(value, hint),
        None => Scalar::Decimal(text, hint),
    })
}
