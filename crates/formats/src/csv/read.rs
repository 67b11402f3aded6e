//! Rows to events.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_core::value::binary64;
use polywire_core::{
    Budget, Error, ErrorKind, Field, Frame, Hint, Len, Next, Open, Reader, Result, Scalar, Sink, Span, Spelling, Str, Timestamp,
};

use super::frame::Framer;
use super::header::{Header, Type};
use super::lex::{self, Cell, NAME, RowEnd, after_blank_lines, after_break, is_single, looks_like_utf16, separator};
use polywire_core::value::lexical::{Lexical, classify, is_number};

/// Reads CSV.
///
/// A message of two rows is a header and a row. A message of one row is a row under the header of
/// the message before.
#[derive(Debug, Default)]
pub struct CsvReader {
    framer: Framer,
    header: Option<Header>,
    unescaped: String,
    decoded: Vec<u8>,
}

impl Reader for CsvReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        Ok(self.framer.frame(buf, base == 0, eof))
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
        let outcome = match (bad, self.message(text, bad, base, sink, budget)) {
            (Some((at, byte)), Ok(true)) => Err(not_utf8(at, byte)),
            (Some((at, byte)), Err(error)) if error.offset().is_none_or(|offset| offset >= at) => Err(not_utf8(at, byte)),
            (_, outcome) => outcome,
        };
        outcome.map(|_| ()).map_err(|error| error.format_is(NAME))
    }
}

fn not_utf8(at: u64, byte: u8) -> Error {
    Error::data(ErrorKind::Encoding, at)
        .seen(format!("byte 0x{byte:02x}"))
        .expected("UTF-8 text")
        .hint("convert a table in another character set to UTF-8 first")
}

impl CsvReader {
    /// Walks a message; returns false if the sink stopped. `bad` is the byte after `text` that is
    /// no UTF-8, and its offset.
    fn message<'m>(
        &mut self,
        text: &'m str,
        bad: Option<(u64, u8)>,
        base: u64,
        sink: &mut dyn Sink<'m>,
        budget: &mut Budget,
    ) -> Result<bool> {
        let bytes = text.as_bytes();
        let mut start = after_blank_lines(bytes, 0);
        if start == bytes.len() {
            let blank_row = start > 0 && self.header.as_ref().is_some_and(|header| header.len() == 1);
            if !blank_row {
                return Err(Error::truncated(base + start as u64, "a header and a row"));
            }
            start = 0;
        }
        let first_end = RowEnd::new(start).find(bytes, start, None, true).unwrap_or(bytes.len());
        let first = &bytes[start..first_end];
        let second = if is_single(first, separator(first)) { first_end } else { after_blank_lines(bytes, first_end) };
        let (opens, row) = if second < bytes.len() {
            if let Some(at) = looks_like_utf16(bytes, start) {
                return Err(Error::data(ErrorKind::Encoding, base + at as u64)
                    .seen("byte 0x00 beside each character of a name, as in UTF-16")
                    .expected("UTF-8 text")
                    .hint("convert a table in another character set to UTF-8 first"));
            }
            let mut header = self.header.take().unwrap_or_default();
            let end = header.read(text, start, &bytes[start..first_end], base)?;
            self.header = Some(header);
            (Span::at(base, start, end), second)
        } else {
            (Span::at(base, start, start), start)
        };
        let Some(header) = &self.header else {
            return Err(Error::truncated(base + bytes.len() as u64, "a row after the header"));
        };
        let mut walk = Walk { header, text, bytes, bad, pos: row, base, unescaped: &mut self.unescaped, decoded: &mut self.decoded };
        walk.row(opens, sink, budget)
    }
}

struct Walk<'m, 'r> {
    header: &'r Header,
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
        let enters = match sink.open(Open::Record { name: "", len: Len::Claimed(columns as u64) }, opens)? {
            Next::Enter => true,
            Next::Skip => false,
            Next::Stop => return Ok(false),
        };
        for column in 0..columns {
            if column > 0 && !self.separator() {
                let name: String = self.header.column(column).0.chars().take(40).collect();
                return Err(self.ragged(format!("a row of {column} cells, without one for {name:?}")));
            }
            if !enters {
                self.cell()?;
                continue;
            }
            let (name, kind) = self.header.column(column);
            budget.item(self.offset())?;
            // The name is not here but in the header.
            match sink.field(Field::named(Str::Scratch(name)), Span::at(self.base, self.pos, self.pos))? {
                Next::Enter => {
                    let cell = self.cell()?;
                    budget.item(self.base + cell.start() as u64)?;
                    self.value(cell, kind, sink, budget)?;
                }
                Next::Skip => {
                    self.cell()?;
                }
                Next::Stop => return Ok(false),
            }
        }
        if self.separator() {
            return Err(self.ragged(format!("a row of more than {columns} cells")));
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

    fn offset(&self) -> u64 {
        self.base + self.pos as u64
    }

    /// Steps over a separator, if there is one; returns true if so.
    fn separator(&mut self) -> bool {
        let found = self.bytes.get(self.pos) == Some(&self.header.separator);
        self.pos += usize::from(found);
        found
    }

    fn cell(&mut self) -> Result<Cell> {
        let cell = lex::cell(self.bytes, self.pos, self.header.separator, self.base)?;
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
        let hint = match self.header.separator {
            b',' => "an empty cell needs its comma too, and a cell that holds a comma needs quotes",
            _ => "an empty cell needs its separator too, and a cell that holds a separator needs quotes",
        };
        Error::data(ErrorKind::Syntax, self.offset()).seen(seen).expected(format!("{}, as in the header", self.header.len())).hint(hint)
    }

    fn value(&mut self, cell: Cell, kind: Type, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        let text: &'m str = self.text;
        let raw = &text[cell.from..cell.to];
        let at = Span::at(self.base, cell.start(), cell.end());
        if raw.is_empty() && !cell.quoted {
            return sink.scalar(Scalar::Null, at);
        }
        let text = if cell.doubled {
            budget.decode(raw.len() as u64, at.start)?;
            self.unescaped.clear();
            for (index, piece) in raw.split("\"\"").enumerate() {
                if index > 0 {
                    self.unescaped.push('"');
                }
                self.unescaped.push_str(piece);
            }
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
                .hint("the header declares the type of this column")
        };
        let mut owned = String::new();
        let spelling = Spelling::digits(plain);
        let value = match kind {
            Type::Any if cell.quoted => Scalar::Text(text),
            Type::Text => Scalar::Text(text),
            Type::Any => {
                let lexical = classify(plain);
                if !matches!(lexical, Lexical::Text | Lexical::Bool(_)) {
                    budget.digits(plain.len(), at.start)?;
                }
                match lexical {
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
