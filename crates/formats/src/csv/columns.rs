//! Rows straight to columns, whose names are known beforehand. The twin is the walk, which reads
//! all that this leaves: rows with a header, columns that are not there, and what is damaged,
//! unusual or does not fit.

use std::sync::Arc;

use polywire_core::columns::{Column, Filling, Form, Member, Shape};
use polywire_core::value::lexical::{Lexical, classify};
use polywire_core::{Limits, Scalar};
use polywire_json::number;
use wide::u8x16;

use super::header::{Header, Type};
use super::lex::{self, Marks, unescape};

/// Appends rows to the columns of one shape.
#[derive(Debug, Default)]
pub(super) struct ColumnReader {
    shape: Option<Arc<Shape>>,
    members: Arc<[Member]>,
    /// The member of each column of the table; none if a column is no member.
    places: Option<Box<[u32]>>,
    unescaped: String,
}

impl ColumnReader {
    /// Forgets the columns of the table, which has another header.
    pub(super) fn forget(&mut self) {
        self.shape = None;
    }

    /// Appends a row, with its line break, if it has one: see
    /// [`Reader::fill`](polywire_core::Reader::fill).
    pub(super) fn fill(&mut self, header: &Header, row: &[u8], filling: &mut Filling<'_>, limits: &Limits) -> bool {
        if !self.shape.as_ref().is_some_and(|shape| Arc::ptr_eq(shape, filling.shape)) {
            self.learn(header, filling.shape);
        }
        let len = row.len() as u64;
        if self.places.is_none() || len > limits.items / 2 || len > limits.decoded || limits.depth == 0 {
            return false;
        }
        let Ok(text) = simdutf8::basic::from_utf8(row) else { return false };
        self.row(header, text, filling, limits).is_some()
    }

    /// Prepares for the columns of another shape, or of another table.
    #[cold]
    fn learn(&mut self, header: &Header, shape: &Arc<Shape>) {
        self.shape = Some(Arc::clone(shape));
        self.places = None;
        let Form::Record(members) = &shape.node(shape.root).form else { return };
        self.members = members.as_slice().into();
        if header.is_unique() && header.len() > 1 {
            let place = |column| members.iter().position(|member| member.name == header.name(column)).map(|place| place as u32);
            self.places = (0..header.len()).map(place).collect();
        }
    }

    /// Reads a row. Returns nothing if it is the walk's.
    fn row(&mut self, header: &Header, text: &str, filling: &mut Filling<'_>, limits: &Limits) -> Option<()> {
        let root = filling.shape.root;
        let row = filling.columns.get(root as usize)?.len;
        let marks = header.marks;
        let bytes = text.as_bytes();
        // Line breaks end a row, and blank lines may follow.
        let end = bytes.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
        let bytes = &bytes[..end];
        let mut cells = Cells::new(bytes, marks);
        let columns = header.len();
        for column in 0..columns {
            let (from, to, quoted) = cells.next()?;
            let member = self.members.get(*self.places.as_ref()?.get(column)? as usize)?;
            let raw = text.get(from..to)?;
            if raw.is_empty() && !quoted {
                let node = filling.shape.node(member.node);
                // A column gets the nulls that it lacks before its next value.
                if !node.nullable || member.lossy_null || matches!(node.form, Form::Other) {
                    return None;
                }
                continue;
            }
            if !filling.ready(member.node, row) {
                return None;
            }
            let value = match quoted && marks.quote.is_some_and(|quote| raw.as_bytes().contains(&quote)) {
                true => {
                    unescape(raw, &lex::Cell { from, to, quoted, doubled: true }, marks, &mut self.unescaped);
                    self.unescaped.as_str()
                }
                false => raw,
            };
            let into = filling.columns.get_mut(member.node as usize)?;
            if !put(into, &filling.shape.node(member.node).form, header.kind(column), value, quoted, limits) {
                return None;
            }
            filling.size += value.len().max(8);
        }
        if !cells.ended {
            return None;
        }
        filling.end_record(root, &self.members, columns).then_some(())
    }
}

/// Appends a cell to a column. Returns false if it is the walk's.
#[inline(always)]
fn put(column: &mut Column, form: &Form, kind: Type, value: &str, quoted: bool, limits: &Limits) -> bool {
    let is_text = match kind {
        Type::Text => true,
        Type::Any => quoted,
        _ => false,
    };
    // Cells that look like numbers or truth values are no text, unless the column or quotes say so.
    let is_plain = matches!(kind, Type::Any | Type::Numbers | Type::Bools) && !quoted;
    match form {
        Form::Text | Form::Octets if is_text => column.put_bytes(value.as_bytes()),
        Form::Text | Form::Octets if is_plain && kind == Type::Any => {
            classify(value) == Lexical::Text && column.put_bytes(value.as_bytes())
        }
        Form::Names(names) if is_text => names.keys.get(value).is_some_and(|key| column.put_key(*key)),
        Form::Bool if is_plain && kind != Type::Numbers => match value {
            "true" => column.put_bool(true),
            "false" => column.put_bool(false),
            _ => false,
        },
        Form::Whole | Form::F64 | Form::Number | Form::Digits(_) if is_plain && kind != Type::Bools => {
            let Ok(number) = number::scan(value.as_bytes(), 0) else { return false };
            if number.end != value.len() || value.len() > limits.digits as usize {
                return false;
            }
            match (form, number.integer()) {
                (Form::Whole, Some(Scalar::UInt(value, _))) => column.put_uint(value),
                (Form::Whole, Some(Scalar::Int(value, _))) => column.put_int(value),
                (Form::Number, Some(Scalar::UInt(value, _))) if value <= 1 << 53 => column.put_f64(value as f64),
                (Form::Number, Some(Scalar::Int(value, _))) if value >= -(1 << 53) => column.put_f64(value as f64),
                (Form::Digits(_), Some(_)) => column.put_bytes(value.as_bytes()),
                (Form::Digits(false), None) => {
                    matches!(classify(value), Lexical::F64(_) | Lexical::Decimal) && column.put_bytes(value.as_bytes())
                }
                (Form::F64 | Form::Number, None) => match float(value, &number) {
                    // Whole floats lose their point in a column of all numbers.
                    Some(float) if matches!(form, Form::F64) || float.fract() != 0.0 => column.put_f64(float),
                    _ => false,
                },
                _ => false,
            }
        }
        _ => false,
    }
}

/// Returns the float that a cell is: only the shortest spelling is one, or one with more digits.
#[inline(always)]
fn float(text: &str, number: &number::Number) -> Option<f64> {
    if let Some(value) = number.nearest()
        && is_shortest(text.as_bytes())
    {
        return Some(value);
    }
    match classify(text) {
        Lexical::F64(value) => Some(value),
        _ => None,
    }
}

/// Returns whether a number of at most 15 digits is certainly in its shortest spelling: without an
/// exponent, and the last digit after the point is no zero, unless it is the only one.
#[inline(always)]
fn is_shortest(text: &[u8]) -> bool {
    let Some(point) = text.iter().position(|byte| *byte == b'.') else { return false };
    let fraction = &text[point + 1..];
    let is_small = point == 1 && text[0] == b'0' || point == 2 && text.starts_with(b"-0");
    // Smaller numbers have an exponent.
    let zeros = fraction.iter().take_while(|byte| **byte == b'0').count();
    let digits = fraction.last().is_some_and(u8::is_ascii_digit) && fraction.iter().all(u8::is_ascii_digit);
    let ends = fraction.last() != Some(&b'0') || fraction.len() == 1 && !is_small;
    digits && ends && text.len() <= 17 && !(is_small && zeros > 3)
}

/// The cells of a row. Separators are searched for 64 bytes at a time.
struct Cells<'r> {
    row: &'r [u8],
    marks: Marks,
    at: usize,
    /// Offset of the 64 bytes, and a bit for each separator among them that is ahead.
    block: usize,
    separators: u64,
    /// True if the last cell came.
    ended: bool,
    /// True if the row has no quotes and no line breaks.
    is_plain: bool,
}

impl<'r> Cells<'r> {
    #[inline(always)]
    fn new(row: &'r [u8], marks: Marks) -> Cells<'r> {
        let is_plain = memchr::memchr3(marks.quote.unwrap_or(b'\n'), b'\n', b'\r', row).is_none();
        let mut cells = Cells { row, marks, at: 0, block: 0, separators: 0, ended: false, is_plain };
        cells.separators = cells.look(0);
        cells
    }

    /// Returns a bit for each separator among the 64 bytes from `at` on.
    #[inline(always)]
    fn look(&self, at: usize) -> u64 {
        let separator = u8x16::splat(self.marks.separator);
        let Some(rest) = self.row.get(at..) else { return 0 };
        let bits = |bytes: &[u8; 16]| u64::from(u8x16::new(*bytes).simd_eq(separator).to_bitmask());
        let mut found = 0;
        for (place, chunk) in rest.chunks(16).take(4).enumerate() {
            found |= match chunk.first_chunk() {
                Some(chunk) => bits(chunk),
                None => {
                    let mut padded = [!self.marks.separator; 16];
                    padded[..chunk.len()].copy_from_slice(chunk);
                    bits(&padded)
                }
            } << (16 * place);
        }
        found
    }

    /// Returns the next cell without its quotes, and whether it has some. Returns nothing if there
    /// is none, or if it is damaged.
    #[inline(always)]
    fn next(&mut self) -> Option<(usize, usize, bool)> {
        if self.ended {
            return None;
        }
        let from = self.at;
        if !self.is_plain
            && let Some(quote) = self.marks.quote
            && self.row.get(from) == Some(&quote)
        {
            return self.quoted(from);
        }
        while self.separators == 0 {
            self.block += 64;
            if self.block >= self.row.len() {
                self.ended = true;
                return self.plain(from, self.row.len());
            }
            self.separators = self.look(self.block);
        }
        let to = self.block + self.separators.trailing_zeros() as usize;
        self.separators &= self.separators - 1;
        self.at = to + 1;
        self.plain(from, to)
    }

    /// Returns a cell without quotes.
    #[inline(always)]
    fn plain(&self, from: usize, to: usize) -> Option<(usize, usize, bool)> {
        let has_mark = |byte: &u8| Some(*byte) == self.marks.quote || matches!(byte, b'\n' | b'\r');
        (self.is_plain || !self.row[from..to].iter().any(has_mark)).then_some((from, to, false))
    }

    #[inline(never)]
    fn quoted(&mut self, from: usize) -> Option<(usize, usize, bool)> {
        let cell = lex::cell(self.row, from, self.marks, 0).ok()?;
        let end = cell.end();
        self.ended = end == self.row.len();
        if !self.ended && self.row[end] != self.marks.separator {
            return None;
        }
        self.at = end + 1;
        if !self.ended {
            // Separators within the cell are none.
            self.block = self.at;
            self.separators = self.look(self.at);
        }
        Some((cell.from, cell.to, true))
    }
}
