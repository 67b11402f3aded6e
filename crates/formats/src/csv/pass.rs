//! Rows from table to table without events. A row that this cannot take is walked; the walk gives
//! the same bytes, as a test holds.

use memchr::{memchr, memchr_iter};
use polywire_core::Limits;

use super::header::Header;
use super::lex::{Cell, Marks, cell, unescape};
use super::write::{Columns, put_text};

/// The way of each cell of one reader's rows to one writer's columns.
#[derive(Debug, Default)]
pub struct Pass {
    way: Way,
    cells: Vec<Cell>,
    unescaped: String,
}

#[derive(Debug, Default)]
enum Way {
    /// Not known yet.
    #[default]
    Unknown,
    /// The columns are others: rows are walked.
    Walk,
    /// The columns are the same, in the same order.
    Same,
    /// Each column of the writer is this one of the reader.
    Picked(Vec<usize>),
}

impl Pass {
    /// Appends the row `message` to `out`, without its line break. Returns false if it has to be
    /// walked.
    #[allow(clippy::too_many_arguments)] // The two tables, the row, and where it goes.
    pub fn row(
        &mut self,
        header: &Header,
        columns: &mut Columns,
        marks: Marks,
        message: &[u8],
        wanted: &dyn Fn(&str) -> bool,
        limits: &Limits,
        out: &mut Vec<u8>,
    ) -> bool {
        if let Way::Unknown = self.way {
            self.way = way(header, columns, marks, wanted, limits);
        }
        let picked = match &self.way {
            Way::Unknown | Way::Walk => return false,
            Way::Same => None,
            Way::Picked(picked) => Some(picked),
        };
        let row = without_break(message);
        // A walk may find more digits, or more decoded bytes, than the limits allow.
        if row.len() as u64 > u64::from(limits.digits).min(limits.decoded) {
            return false;
        }
        let Ok(text) = simdutf8::basic::from_utf8(row) else { return false };
        let count = header.len();
        let read = header.marks;
        // A row without quotes has nothing to check but the number of its cells.
        let bare = read.quote.is_none_or(|quote| memchr(quote, row).is_none());
        if bare && read == marks && !(count == 1 && row.is_empty()) {
            match picked {
                None => {
                    if memchr_iter(read.separator, row).count() + 1 != count {
                        return false;
                    }
                    out.extend_from_slice(row);
                    return true;
                }
                Some(picked) => {
                    self.cells.clear();
                    let last = picked.iter().max().map_or(0, |last| last + 1);
                    let mut from = 0;
                    // Cells behind the last one that is wanted are only counted.
                    for to in memchr_iter(read.separator, row).take(last) {
                        self.cells.push(Cell { from, to, quoted: false, doubled: false });
                        from = to + 1;
                    }
                    let behind = if self.cells.len() < last {
                        self.cells.push(Cell { from, to: row.len(), quoted: false, doubled: false });
                        0
                    } else {
                        memchr_iter(read.separator, &row[from..]).count() + 1
                    };
                    if self.cells.len() + behind != count {
                        return false;
                    }
                    let only = picked.len() == 1;
                    let start = out.len();
                    for (index, column) in picked.iter().enumerate() {
                        if index > 0 {
                            out.push(marks.separator);
                        }
                        let Cell { from, to, .. } = self.cells[*column];
                        out.extend_from_slice(&row[from..to]);
                    }
                    // A row of one empty cell is a loss.
                    return !(only && out.len() == start);
                }
            }
        }
        self.cells.clear();
        let mut at = 0;
        loop {
            let Ok(cell) = cell(row, at, read, 0) else { return false };
            self.cells.push(cell);
            at = cell.end();
            if row.get(at) != Some(&read.separator) {
                break;
            }
            at += 1;
        }
        if self.cells.len() != count || at != row.len() {
            return false;
        }
        let start = out.len();
        let mut put = |index: usize, cell: &Cell| {
            if index > 0 {
                out.push(marks.separator);
            }
            let raw = &text[cell.from..cell.to];
            if cell.doubled {
                unescape(raw, cell, read, &mut self.unescaped);
                put_text(out, marks, &self.unescaped);
            } else if cell.quoted {
                put_text(out, marks, raw);
            } else if read == marks || !raw.bytes().any(|byte| byte == marks.separator || Some(byte) == marks.quote) {
                // It reads back as it was read.
                out.extend_from_slice(raw.as_bytes());
            } else {
                put_text(out, marks, raw);
            }
        };
        match picked {
            None => self.cells.iter().enumerate().for_each(|(index, cell)| put(index, cell)),
            Some(picked) => picked.iter().enumerate().for_each(|(index, column)| put(index, &self.cells[*column])),
        }
        let single = picked.map_or(count, Vec::len) == 1;
        !(single && out.len() == start)
    }
}

/// Returns the way from the columns of `header` to those of the writer.
fn way(header: &Header, columns: &mut Columns, marks: Marks, wanted: &dyn Fn(&str) -> bool, limits: &Limits) -> Way {
    let count = header.len();
    // A walk spends an item for the row, and two for each cell.
    if !header.is_unique() || !header.is_plain() || limits.items < 1 + 2 * count as u64 || limits.depth == 0 {
        return Way::Walk;
    }
    // Without quotes, a cell may be one that cannot be written.
    if marks.quote.is_none() && marks != header.marks {
        return Way::Walk;
    }
    let taken: Vec<usize> = (0..count).filter(|index| wanted(header.name(*index))).collect();
    if taken.len() != columns.len() {
        return Way::Walk;
    }
    let mut picked = vec![0; taken.len()];
    for column in taken {
        match columns.find(header.name(column)) {
            Some(place) => picked[place] = column,
            None => return Way::Walk,
        }
    }
    if picked.len() == count && picked.iter().enumerate().all(|(place, column)| place == *column) { Way::Same } else { Way::Picked(picked) }
}

/// Returns a row without the line break at its end.
fn without_break(row: &[u8]) -> &[u8] {
    match row {
        [row @ .., b'\r', b'\n'] | [row @ .., b'\n' | b'\r'] => row,
        _ => row,
    }
}
