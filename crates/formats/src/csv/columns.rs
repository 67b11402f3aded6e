//! Rows straight to columns, whose names are known beforehand. The twin is the walk, which reads
//! all that this leaves: rows with a header, columns that are not there, and what is damaged,
//! unusual or does not fit.

use std::sync::Arc;

use polywire_core::columns::{Column, Filling, Form, MOST, Member, Names, Shape};
use polywire_core::value::lexical::{Lexical, classify};
use polywire_core::{Limits, Scalar};
use polywire_json::number;
use polywire_lanes::U8x16;

use super::header::{Header, Type};
use super::lex::{self, Marks, unescape};
use super::number::{decimal, whole};
use super::split::Split;

/// Appends rows to the columns of one shape.
#[derive(Debug, Default)]
pub(super) struct ColumnReader {
    shape: Option<Arc<Shape>>,
    members: Arc<[Member]>,
    /// The columns of the table; none if one of them is no member.
    slots: Option<Box<[Slot]>>,
    unescaped: String,
    split: Split,
}

/// Bytes of rows that are taken at once: they stay in the caches.
const ROWS: usize = 64 << 10;

/// A column of the table.
#[derive(Debug, Clone, Copy)]
struct Slot {
    node: u32,
    take: Take,
    /// Null is nothing but absence.
    skips_null: bool,
}

/// The values that a column takes straight.
#[derive(Debug, Clone, Copy)]
enum Take {
    /// Those that only a walk brings.
    Nothing,
    Text,
    Names,
    Bool,
    Whole,
    F64,
    Number,
    Digits(bool),
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
        if self.slots.is_none() || len > limits.items / 2 || len > limits.decoded || limits.depth == 0 {
            return false;
        }
        let Ok(text) = simdutf8::basic::from_utf8(row) else { return false };
        self.row(header, text, filling, limits).is_some()
    }

    /// Appends the first rows of `bytes`, at most `most`, column by column. Returns their bytes and
    /// their number: see [`Reader::fill_many`](polywire_core::Reader::fill_many).
    pub(super) fn fill_many(
        &mut self,
        header: &Header,
        bytes: &[u8],
        most: usize,
        filling: &mut Filling<'_>,
        limits: &Limits,
    ) -> (usize, usize) {
        const NONE: (usize, usize) = (0, 0);
        if !self.shape.as_ref().is_some_and(|shape| Arc::ptr_eq(shape, filling.shape)) {
            self.learn(header, filling.shape);
        }
        let Some(slots) = self.slots.as_deref() else { return NONE };
        // Fields that no column has are the walk's, if they must be there.
        if slots.len() < self.members.len() && self.members.iter().any(|member| member.required) {
            return NONE;
        }
        let root = filling.shape.root as usize;
        let Some(first) = filling.columns.get(root).map(|root| root.len) else { return NONE };
        let has_room = |slot: &Slot| filling.columns.get(slot.node as usize).is_some_and(|column| column.text_bytes() < MOST - 2 * ROWS);
        if limits.depth == 0 || limits.digits < 16 || !slots.iter().all(has_room) {
            return NONE;
        }
        // No row is longer than all of them.
        let longest = usize::try_from((limits.items / 2).min(limits.decoded)).unwrap_or(usize::MAX);
        let bytes = &bytes[..bytes.len().min(ROWS).min(longest)];
        self.split.find(bytes, header.marks, slots.len(), most);
        let split = &self.split;
        let Ok(text) = simdutf8::basic::from_utf8(&bytes[..split.len(split.rows())]) else { return NONE };
        let mut rows = split.rows();
        let mut size = 0;
        for (column, slot) in slots.iter().enumerate() {
            let Some(into) = filling.columns.get_mut(slot.node as usize) else { return NONE };
            let names = match &filling.shape.node(slot.node).form {
                Form::Names(names) => Some(names),
                _ => None,
            };
            let before = into.text_bytes();
            let cells = Run { bytes, text, cells: split.column(bytes, column, rows), first, skips_null: slot.skips_null };
            // The first row that is the walk's ends the rows.
            rows = cells.put(into, slot.take, header.kind(column), names, limits);
            size += (8 * rows).max(into.text_bytes() - before);
        }
        for slot in slots {
            filling.columns[slot.node as usize].truncate(first + rows);
        }
        let root = &mut filling.columns[root];
        (0..rows).for_each(|_| root.push());
        filling.size += size + 8 * rows;
        (split.len(rows), rows)
    }

    /// Prepares for the columns of another shape, or of another table.
    #[cold]
    fn learn(&mut self, header: &Header, shape: &Arc<Shape>) {
        self.shape = Some(Arc::clone(shape));
        self.slots = None;
        let Form::Record(members) = &shape.node(shape.root).form else { return };
        self.members = members.as_slice().into();
        if header.is_unique() && header.len() > 1 {
            let slot = |column| members.iter().find(|member| member.name == header.name(column)).map(|member| Slot::new(member, shape));
            self.slots = (0..header.len()).map(slot).collect();
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
        let slots = self.slots.as_deref()?;
        for (column, slot) in slots.iter().enumerate() {
            let (from, to, quoted) = cells.next()?;
            let raw = text.get(from..to)?;
            if raw.is_empty() && !quoted {
                // A column gets the nulls that it lacks before its next value.
                if !slot.skips_null {
                    return None;
                }
                continue;
            }
            if !filling.ready(slot.node, row) {
                return None;
            }
            let value = match quoted && marks.quote.is_some_and(|quote| raw.as_bytes().contains(&quote)) {
                true => {
                    unescape(raw, &lex::Cell { from, to, quoted, doubled: true }, marks, &mut self.unescaped);
                    self.unescaped.as_str()
                }
                false => raw,
            };
            let into = filling.columns.get_mut(slot.node as usize)?;
            let is_put = match (slot.take, header.kind(column)) {
                (Take::Text, Type::Text) if value.len() == to - from => into.put_part(text.as_bytes(), from, to),
                (Take::Text, Type::Text) => into.put_bytes(value.as_bytes()),
                (Take::Names, Type::Text) => {
                    let Form::Names(names) = &filling.shape.node(slot.node).form else { return None };
                    names.keys.get(value).is_some_and(|key| into.put_key(*key))
                }
                (take, kind) => put(into, take, kind, value, (!quoted).then_some((text, from)), limits),
            };
            if !is_put {
                return None;
            }
            filling.size += value.len().max(8);
        }
        if !cells.ended {
            return None;
        }
        filling.end_record(root, &self.members, slots.len()).then_some(())
    }
}

/// The cells of one column in some rows.
struct Run<'r, I> {
    /// The rows, with all bytes behind them.
    bytes: &'r [u8],
    text: &'r str,
    cells: I,
    /// The row of the first one.
    first: usize,
    skips_null: bool,
}

impl<I: Iterator<Item = (usize, usize)>> Run<'_, I> {
    /// Appends the cells to their column. Returns the number of rows before one that is the walk's.
    fn put(self, into: &mut Column, take: Take, kind: Type, names: Option<&Names>, limits: &Limits) -> usize {
        let Run { bytes, text, .. } = self;
        let is_number = matches!(kind, Type::Any | Type::Numbers);
        match take {
            Take::Text if kind == Type::Text => self.each(into, |into, from, to| into.put_part(bytes, from, to)),
            // Text whose first byte says that it is nothing else needs no classification.
            Take::Text if kind == Type::Any => self.each(into, |into, from, to| match bytes.get(from) {
                Some(b't' | b'f' | b'-' | b'0'..=b'9') => put_cell(into, take, kind, text, from, to, limits),
                _ => into.put_part(bytes, from, to),
            }),
            Take::Names if kind == Type::Text => {
                let key = |from: usize, to: usize| names.and_then(|names| names.keys.get(text.get(from..to)?));
                self.each(into, |into, from, to| key(from, to).is_some_and(|key| into.put_key(*key)))
            }
            Take::Bool if matches!(kind, Type::Any | Type::Bools) => self.each(into, |into, from, to| match &bytes[from..to] {
                b"true" => into.put_bool(true),
                b"false" => into.put_bool(false),
                _ => false,
            }),
            Take::Whole if is_number => self.each(into, |into, from, to| match whole(bytes, from, to) {
                Some(value) => into.put_int(value),
                None => put_cell(into, take, kind, text, from, to, limits),
            }),
            Take::F64 if is_number => self.each(into, |into, from, to| match decimal(bytes, from, to) {
                Some(value) => into.put_f64(value),
                None => put_cell(into, take, kind, text, from, to, limits),
            }),
            Take::Nothing => 0,
            Take::Names => 0,
            _ => self.each(into, |into, from, to| put_cell(into, take, kind, text, from, to, limits)),
        }
    }

    /// Appends each cell by `put`, until it returns false.
    #[inline(always)]
    fn each(self, into: &mut Column, mut put: impl FnMut(&mut Column, usize, usize) -> bool) -> usize {
        let mut row = self.first;
        for (from, to) in self.cells {
            if from == to {
                // A column gets the nulls that it lacks before its next value.
                if !self.skips_null {
                    break;
                }
            } else {
                if into.len < row {
                    into.nulls(row - into.len);
                }
                if into.len != row || !put(into, from, to) {
                    break;
                }
            }
            row += 1;
        }
        row - self.first
    }
}

/// Appends a cell that is unusual. Returns false if it is the walk's.
#[cold]
#[inline(never)]
fn put_cell(into: &mut Column, take: Take, kind: Type, text: &str, from: usize, to: usize, limits: &Limits) -> bool {
    text.get(from..to).is_some_and(|value| put(into, take, kind, value, Some((text, from)), limits))
}

impl Slot {
    fn new(member: &Member, shape: &Shape) -> Slot {
        let node = shape.node(member.node);
        let take = match &node.form {
            Form::Text | Form::Octets => Take::Text,
            Form::Names(_) => Take::Names,
            Form::Bool => Take::Bool,
            Form::Whole => Take::Whole,
            Form::F64 => Take::F64,
            Form::Number => Take::Number,
            Form::Digits(whole) => Take::Digits(*whole),
            _ => Take::Nothing,
        };
        let skips_null = node.nullable && !member.lossy_null && !matches!(node.form, Form::Other);
        Slot { node: member.node, take, skips_null }
    }
}

/// Appends a cell to a column. Returns false if it is the walk's. `row` is its row, and where it
/// begins there, unless it has quotes.
#[inline(always)]
fn put(column: &mut Column, take: Take, kind: Type, value: &str, row: Option<(&str, usize)>, limits: &Limits) -> bool {
    // Cells that look like numbers or truth values are no text, unless the column or quotes say so.
    let is_plain = matches!(kind, Type::Any | Type::Numbers | Type::Bools) && row.is_some();
    match take {
        Take::Text if kind == Type::Any => (row.is_none() || classify(value) == Lexical::Text) && column.put_bytes(value.as_bytes()),
        Take::Bool if is_plain && kind != Type::Numbers => match value {
            "true" => column.put_bool(true),
            "false" => column.put_bool(false),
            _ => false,
        },
        Take::Whole | Take::F64 | Take::Number | Take::Digits(_) if is_plain && kind != Type::Bools => {
            // Digits are read eight bytes at a time, if there are as many behind them.
            let Some((row, from)) = row else { return false };
            let Ok(number) = number::scan(row.as_bytes(), from) else { return false };
            if number.end != from + value.len() || value.len() > limits.digits as usize {
                return false;
            }
            if let (Take::Whole, Some(value), false) = (take, number.whole(), number.is_negative()) {
                return column.put_uint(value);
            }
            if let (Take::F64, true) = (take, number.is_float()) {
                return float(value, &number).is_some_and(|float| column.put_f64(float));
            }
            match (take, number.integer()) {
                (Take::Whole, Some(Scalar::Int(value, _))) => column.put_int(value),
                (Take::Number, Some(Scalar::UInt(value, _))) if value <= 1 << 53 => column.put_f64(value as f64),
                (Take::Number, Some(Scalar::Int(value, _))) if value >= -(1 << 53) => column.put_f64(value as f64),
                (Take::Digits(_), Some(_)) => column.put_bytes(value.as_bytes()),
                (Take::Digits(false), None) => {
                    matches!(classify(value), Lexical::F64(_) | Lexical::Decimal) && column.put_bytes(value.as_bytes())
                }
                // Whole floats lose their point in a column of all numbers.
                (Take::Number, None) => float(value, &number).is_some_and(|float| float.fract() != 0.0 && column.put_f64(float)),
                _ => false,
            }
        }
        _ => false,
    }
}

/// Returns the float that a cell is: only the shortest spelling is one, or one with more digits.
#[inline(always)]
fn float(text: &str, number: &number::Number) -> Option<f64> {
    if is_shortest(number)
        && let Some(value) = number.nearest()
    {
        return Some(value);
    }
    match classify(text) {
        Lexical::F64(value) => Some(value),
        _ => None,
    }
}

/// Returns whether a number is certainly in its shortest spelling: at most 15 digits, without an
/// exponent, and the last one after the point is no zero, unless it is the only one there.
#[inline(always)]
fn is_shortest(number: &number::Number) -> bool {
    let Some((digits, places)) = number.fraction() else { return false };
    let ends = if digits % 10 == 0 { places == 1 && digits > 0 } else { places > 0 };
    // Smaller numbers have an exponent.
    let least = places.checked_sub(4).map_or(Some(1), |places| 10u64.checked_pow(places));
    ends && least.is_some_and(|least| digits >= least)
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
    /// True if there was no quote so far. A row without quotes has no line breaks.
    is_plain: bool,
}

impl<'r> Cells<'r> {
    #[inline(always)]
    fn new(row: &'r [u8], marks: Marks) -> Cells<'r> {
        let mut cells = Cells { row, marks, at: 0, block: 0, separators: 0, ended: false, is_plain: true };
        cells.separators = cells.look(0);
        cells
    }

    /// Returns a bit for each separator among the 64 bytes from `at` on, and looks for quotes.
    #[inline(always)]
    fn look(&mut self, at: usize) -> u64 {
        let Some(rest) = self.row.get(at..) else { return 0 };
        let separator = U8x16::splat(self.marks.separator);
        let quote = U8x16::splat(self.marks.quote.unwrap_or(b'\n'));
        let (mut found, mut quotes) = (0, U8x16::splat(0));
        for (place, chunk) in rest.chunks(16).take(4).enumerate() {
            let bytes = match chunk.first_chunk() {
                Some(chunk) => U8x16::new(*chunk),
                None => {
                    let mut padded = [0; 16];
                    padded[..chunk.len()].copy_from_slice(chunk);
                    U8x16::new(padded)
                }
            };
            found |= u64::from(bytes.simd_eq(separator).to_bitmask()) << (16 * place);
            quotes |= bytes.simd_eq(quote);
        }
        self.is_plain &= quotes.to_bitmask() == 0;
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
        if self.is_quote(from) {
            return self.quoted(from);
        }
        while self.separators == 0 {
            self.block += 64;
            if self.block >= self.row.len() {
                self.ended = true;
                return self.plain(from, self.row.len());
            }
            self.separators = self.look(self.block);
            if self.is_quote(from) {
                return self.quoted(from);
            }
        }
        let to = self.block + self.separators.trailing_zeros() as usize;
        self.separators &= self.separators - 1;
        self.at = to + 1;
        self.plain(from, to)
    }

    /// Reports whether a quote is at `at`, of those that were seen.
    #[inline(always)]
    fn is_quote(&self, at: usize) -> bool {
        !self.is_plain && self.marks.quote.is_some_and(|quote| self.row.get(at) == Some(&quote))
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
