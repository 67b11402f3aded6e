//! Steps over CBOR values by their heads alone: for framing, and for values that a sink skips.

use polywire_core::{Budget, Result};

use super::wire::{self, BREAK, BYTES, ENDLESS, INDEFINITE, LIST, MAP, SIMPLE_OR_FLOAT, TAG, TEXT};

/// A walk over heads that can wait for more bytes at any place and continue without looking back.
#[derive(Debug, Clone, Default)]
pub(super) struct Skipper {
    /// Position of the next head; beyond the buffer while the bytes of a long string are awaited.
    pos: usize,
    level: Level,
    around: Vec<Level>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Level {
    /// Number of values to come; in a map, even if a key is next.
    left: u64,
    end: End,
}

/// The way a level ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum End {
    /// By its count.
    #[default]
    Count,
    /// By a break.
    Break,
    /// By a break, before a key.
    BreakBeforeKey,
    /// By a break; until then there are only strings of this major type.
    BreakAfterChunks(u8),
}

/// The result of a skipper.
pub(super) enum Skipped {
    /// Past the value; the position after it.
    All(usize),
    /// Incomplete: at least this number of bytes is missing.
    More(usize),
}

impl Skipper {
    /// Starts to step over one value at position `pos`.
    pub(super) fn start(&mut self, pos: usize) {
        self.pos = pos;
        self.level = Level { left: 1, end: End::Count };
        self.around.clear();
    }

    /// Returns the position: after an error, behind the wrong head.
    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    fn enter(&mut self, left: u64, end: End) {
        self.around.push(self.level);
        self.level = Level { left, end };
    }

    /// Continues in `buf`, which lies at `base` of a stream and has at least the bytes of the call
    /// before.
    pub(super) fn run(&mut self, buf: &[u8], base: u64, budget: &mut Budget) -> Result<Skipped> {
        loop {
            while self.level.left == 0 {
                match self.around.pop() {
                    Some(level) => {
                        self.level = level;
                        budget.leave();
                    }
                    None if self.pos <= buf.len() => return Ok(Skipped::All(self.pos)),
                    None => return Ok(Skipped::More(self.pos - buf.len())),
                }
            }
            let at = self.pos;
            let Some(&first) = buf.get(at) else { return Ok(Skipped::More((at - buf.len()).saturating_add(1))) };
            let (major, info) = (first >> 5, first & 0x1f);
            let width = match info {
                24..=27 => 1 << (info - 24),
                _ => 0,
            };
            let Some(argument) = buf.get(at + 1..at + 1 + width) else { return Ok(Skipped::More(at + 1 + width - buf.len())) };
            let arg = if width == 0 { u64::from(info) } else { argument.iter().fold(0, |n, byte| n << 8 | u64::from(*byte)) };
            self.pos = at + 1 + width;
            let offset = base + at as u64;

            if first == BREAK {
                match self.level.end {
                    End::Break | End::BreakAfterChunks(_) => {}
                    End::BreakBeforeKey if self.level.left.is_multiple_of(2) => {}
                    _ => return Err(wire::misplaced_break(offset)),
                }
                if !matches!(self.level.end, End::BreakAfterChunks(_)) {
                    budget.leave();
                }
                self.level = self.around.pop().unwrap_or_default();
                continue;
            }
            if let End::BreakAfterChunks(kind) = self.level.end {
                if major != kind || info == INDEFINITE {
                    return Err(wire::bad_chunk(offset, first, kind));
                }
            } else {
                budget.item(offset)?;
            }
            if matches!(info, 28..=30) {
                return Err(wire::reserved(offset, first));
            }
            self.level.left -= 1;
            match (major, info) {
                (BYTES | TEXT, INDEFINITE) => self.enter(ENDLESS, End::BreakAfterChunks(major)),
                (BYTES | TEXT, _) => self.pos = self.pos.saturating_add(usize::try_from(arg).unwrap_or(usize::MAX)),
                (LIST | MAP, INDEFINITE) => {
                    budget.enter(offset)?;
                    self.enter(ENDLESS, if major == MAP { End::BreakBeforeKey } else { End::Break });
                }
                (LIST, _) => {
                    budget.enter(offset)?;
                    self.enter(arg, End::Count);
                }
                (MAP, _) => {
                    budget.enter(offset)?;
                    self.enter(arg.saturating_mul(2), End::Count);
                }
                (TAG, 0..=27) => {
                    budget.enter(offset)?;
                    self.enter(1, End::Count);
                }
                (SIMPLE_OR_FLOAT, 24) if arg < 32 => return Err(wire::bad_simple(offset, arg)),
                (_, INDEFINITE) => return Err(wire::reserved(offset, first)),
                _ => {}
            }
        }
    }
}
