//! Steps over MessagePack values by their heads alone: for framing, and for values that a sink
//! skips.

use polywire_core::{Budget, Error, ErrorKind, Result};

use super::wire::{ARRAY16, ARRAY32, BIN8, BIN16, BIN32, EXT8, EXT16, EXT32, FIXEXT1, FIXEXT16, FLOAT32, FLOAT64, MAP16, MAP32};
use super::wire::{INT8, INT16, INT32, INT64, NEVER_USED, STR8, STR16, STR32, UINT8, UINT16, UINT32, UINT64};

/// A walk over heads that can wait for more bytes at any place and continue without looking back.
#[derive(Debug, Clone, Default)]
pub(super) struct Skipper {
    /// Position of the next head; beyond the buffer while the bytes of a long value are awaited.
    pos: usize,
    /// Number of values to come at this level.
    left: u64,
    /// The same for the levels around.
    around: Vec<u64>,
}

/// The result of a skipper.
pub(super) enum Skipped {
    /// Past all values; the position after them.
    All(usize),
    /// Incomplete: at least this number of bytes is missing.
    More(usize),
}

impl Skipper {
    /// Starts to step over `values` values from position `pos`.
    pub(super) fn start(&mut self, pos: usize, values: u64) {
        self.pos = pos;
        self.left = values;
        self.around.clear();
    }

    /// Returns the position: after an error, behind the wrong head.
    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    /// Continues in `buf`, which lies at `base` of a stream and has at least the bytes of the call
    /// before.
    pub(super) fn run(&mut self, buf: &[u8], base: u64, budget: &mut Budget) -> Result<Skipped> {
        loop {
            while self.left == 0 {
                match self.around.pop() {
                    Some(left) => {
                        self.left = left;
                        budget.leave();
                    }
                    None if self.pos <= buf.len() => return Ok(Skipped::All(self.pos)),
                    None => return Ok(Skipped::More(self.pos - buf.len())),
                }
            }
            let at = self.pos;
            let Some(&head) = buf.get(at) else { return Ok(Skipped::More((at - buf.len()).saturating_add(1))) };
            // A big-endian length or count after the head.
            macro_rules! counter {
                ($width:literal) => {
                    match buf[at + 1..].first_chunk::<$width>() {
                        Some(bytes) => bytes.iter().fold(0usize, |n, byte| n << 8 | usize::from(*byte)),
                        None => return Ok(Skipped::More(at + 1 + $width - buf.len())),
                    }
                };
            }
            let (size, inside) = match head {
                0x80..=0x8f => (1, u64::from(head & 0x0f) * 2),
                0x90..=0x9f => (1, u64::from(head & 0x0f)),
                0xa0..=0xbf => (1 + usize::from(head & 0x1f), 0),
                BIN8 | STR8 => (2 + counter!(1), 0),
                BIN16 | STR16 => (3 + counter!(2), 0),
                BIN32 | STR32 => (5usize.saturating_add(counter!(4)), 0),
                EXT8 => (3 + counter!(1), 0),
                EXT16 => (4 + counter!(2), 0),
                EXT32 => (6usize.saturating_add(counter!(4)), 0),
                UINT8 | INT8 => (2, 0),
                UINT16 | INT16 => (3, 0),
                UINT32 | INT32 | FLOAT32 => (5, 0),
                UINT64 | INT64 | FLOAT64 => (9, 0),
                FIXEXT1..=FIXEXT16 => (2 + (1 << (head - FIXEXT1)), 0),
                ARRAY16 => (3, counter!(2) as u64),
                ARRAY32 => (5, counter!(4) as u64),
                MAP16 => (3, counter!(2) as u64 * 2),
                MAP32 => (5, counter!(4) as u64 * 2),
                NEVER_USED => {
                    self.pos = at + 1;
                    return Err(never_used(base + at as u64));
                }
                _ => (1, 0),
            };
            self.pos = at.saturating_add(size);
            self.left -= 1;
            budget.item(base + at as u64)?;
            if inside > 0 {
                budget.enter(base + at as u64)?;
                self.around.push(self.left);
                self.left = inside;
            }
        }
    }
}

/// Returns the error for byte 0xc1.
#[cold]
pub(super) fn never_used(offset: u64) -> Error {
    Error::data(ErrorKind::Syntax, offset).seen("byte 0xc1, which MessagePack never uses").expected("the head of a value")
}
