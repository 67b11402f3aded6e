//! Many rows without quotes at once: the places of all marks between their cells.

use polywire_lanes::U8x16;

use super::lex::Marks;

/// Most cells that are looked for at once: their places and bytes stay in the caches.
const CELLS: usize = 8192;

/// Bytes that are looked at in one step, with a bit for each.
const STEP: usize = 64;

/// The places of the cells of some rows.
#[derive(Debug, Default)]
pub(super) struct Split {
    /// The place of the mark behind each cell. Before them is the one before the first cell, less
    /// than zero, so that a cell is between two places.
    marks: Vec<u32>,
    cells: usize,
    rows: usize,
    /// True if a row ends with CR LF.
    has_returns: bool,
}

impl Split {
    /// Finds the first rows of `bytes`, at most `most`, of `cells` cells each. It stops before a
    /// row that has a quote, another number of cells, or a line break that is unusual.
    pub(super) fn find(&mut self, bytes: &[u8], marks: Marks, cells: usize, most: usize) {
        (self.cells, self.rows, self.has_returns) = (cells, 0, false);
        let room = CELLS.min(most.saturating_mul(cells));
        self.marks.resize(room + STEP + 1, 0);
        self.marks[0] = u32::MAX;
        let (found, breaks) = self.look(bytes, marks, room);
        // The breaks are as many as there are rows, and each row ends with one: so no other is.
        let rows = found / cells;
        let ends = |row: usize| self.marks.get((row + 1) * cells).and_then(|at| bytes.get(*at as usize)) == Some(&b'\n');
        let even = breaks == rows && (0..rows).all(ends);
        self.rows = match even {
            true => rows,
            false => (0..rows).take_while(|row| self.is_row(bytes, *row)).count(),
        };
        self.rows = self.rows.min(most);
    }

    /// Looks for marks until `room` are found. Returns their number, and that of line breaks.
    #[inline(always)]
    fn look(&mut self, bytes: &[u8], marks: Marks, room: usize) -> (usize, usize) {
        let (separator, feed, back) = (U8x16::splat(marks.separator), U8x16::splat(b'\n'), U8x16::splat(b'\r'));
        // No text has the other byte, which also fills the last step.
        let quote = U8x16::splat(marks.quote.unwrap_or(0xff));
        let (mut found, mut breaks, mut at) = (0, 0, 0);
        while found < room && at < bytes.len() && at < u32::MAX as usize - STEP {
            let mut padded = [0xff; STEP];
            let block: &[u8; STEP] = match bytes[at..].first_chunk() {
                Some(block) => block,
                None => {
                    padded[..bytes.len() - at].copy_from_slice(&bytes[at..]);
                    &padded
                }
            };
            let (mut all, mut feeds, mut odd) = (0u64, 0u64, 0u64);
            for (place, part) in block.as_chunks::<16>().0.iter().enumerate() {
                let part = U8x16::new(*part);
                let (feed, separator) = (part.simd_eq(feed), part.simd_eq(separator));
                feeds |= u64::from(feed.to_bitmask()) << (16 * place);
                all |= u64::from((feed | separator).to_bitmask()) << (16 * place);
                odd |= u64::from((part.simd_eq(quote) | part.simd_eq(back)).to_bitmask()) << (16 * place);
            }
            let mut stops = false;
            while odd != 0 {
                let place = odd.trailing_zeros() as usize;
                if block[place] == b'\r' && bytes.get(at + place + 1) == Some(&b'\n') {
                    self.has_returns = true;
                    odd &= odd - 1;
                    continue;
                }
                // The rest is not looked at.
                let before = (1 << place) - 1;
                (all, feeds, stops) = (all & before, feeds & before, true);
                break;
            }
            breaks += feeds.count_ones() as usize;
            let count = all.count_ones() as usize;
            if let Some(places) = self.marks.get_mut(found + 1..found + 1 + count) {
                for place in places {
                    *place = at as u32 + all.trailing_zeros();
                    all &= all - 1;
                }
            }
            found += count;
            at += STEP;
            if stops {
                break;
            }
        }
        (found, breaks)
    }

    /// Reports whether a row ends with a line break, and has no other.
    fn is_row(&self, bytes: &[u8], row: usize) -> bool {
        let ends = &self.marks[row * self.cells + 1..][..self.cells];
        let is_break = |at: &u32| bytes.get(*at as usize) == Some(&b'\n');
        ends.iter().position(is_break) == Some(self.cells - 1)
    }

    /// Returns the number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of bytes of the rows, with their line breaks.
    pub(super) fn len(&self, rows: usize) -> usize {
        self.marks.get(rows * self.cells).map_or(0, |at| at.wrapping_add(1) as usize)
    }

    /// Returns start and end of the cells of a column, in the first `rows` rows.
    #[inline(always)]
    pub(super) fn column<'s>(&'s self, bytes: &'s [u8], column: usize, rows: usize) -> Column<'s> {
        let may_return = self.has_returns && column + 1 == self.cells;
        let marks = self.marks.get(column..).unwrap_or_default();
        Column { marks, cells: self.cells, rows, returns: may_return.then_some(bytes) }
    }
}

/// The cells of a column.
// An adapter with a closure is called for each cell instead.
pub(super) struct Column<'s> {
    /// The mark before the next cell, and all behind it.
    marks: &'s [u32],
    cells: usize,
    rows: usize,
    /// The bytes, if the column is the last one and a row ends with CR LF.
    returns: Option<&'s [u8]>,
}

impl Iterator for Column<'_> {
    type Item = (usize, usize);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, usize)> {
        self.rows = self.rows.checked_sub(1)?;
        let [before, end] = *self.marks.first_chunk::<2>()?;
        self.marks = self.marks.get(self.cells..).unwrap_or_default();
        let (from, mut to) = (before.wrapping_add(1) as usize, end as usize);
        if let Some(bytes) = self.returns
            && to > from
            && bytes.get(to - 1) == Some(&b'\r')
        {
            to -= 1;
        }
        Some((from, to))
    }
}
