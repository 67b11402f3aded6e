//! Steps over bencode values: for framing, and for values that a sink skips.

use polywire_core::{Budget, Result};

use super::wire::{self, DICTIONARY, END, INTEGER, LIST, Scan, VALUE};

/// A walk over one value that can wait for more bytes at any place and continue without looking
/// back.
#[derive(Debug, Clone, Default)]
pub(super) struct Skipper {
    /// Start of the next value, or the end of a container; beyond the buffer while the bytes of a
    /// long string are awaited.
    pos: usize,
    /// Position up to which an integer was scanned.
    seen: usize,
    depth: usize,
    done: bool,
}

/// The result of a skipper.
pub(super) enum Skipped {
    /// Past the value; the position after it.
    All(usize),
    /// Incomplete: at least this number of bytes is missing.
    More(usize),
}

impl Skipper {
    /// Starts to step over the value at `pos`; with a `depth`, over the rest of that number of
    /// containers.
    pub(super) fn start(&mut self, pos: usize, depth: usize) {
        *self = Skipper { pos, depth, ..Skipper::default() };
    }

    /// Continues in `buf`, which lies at `base` of a stream and has at least the bytes of the call
    /// before.
    pub(super) fn run(&mut self, buf: &[u8], base: u64, budget: &mut Budget) -> Result<Skipped> {
        loop {
            if self.done {
                return Ok(match self.pos.checked_sub(buf.len()) {
                    None | Some(0) => Skipped::All(self.pos),
                    Some(missing) => Skipped::More(missing),
                });
            }
            let at = self.pos;
            let Some(&head) = buf.get(at) else { return Ok(Skipped::More((at - buf.len()).saturating_add(1))) };
            let offset = base + at as u64;
            match head {
                INTEGER => match wire::integer(buf, at, self.seen, base)? {
                    Scan::Done((), end) => self.pos = end,
                    Scan::More(seen) => {
                        self.seen = seen;
                        return Ok(Skipped::More(1));
                    }
                },
                b'0'..=b'9' => match wire::length(buf, at, base)? {
                    Scan::Done(len, start) => self.pos = start.saturating_add(len),
                    Scan::More(_) => return Ok(Skipped::More(1)),
                },
                LIST | DICTIONARY => {
                    budget.enter(offset)?;
                    self.depth += 1;
                    self.pos += 1;
                }
                END if self.depth > 0 => {
                    budget.leave();
                    self.depth -= 1;
                    self.pos += 1;
                    self.done = self.depth == 0;
                    continue;
                }
                _ => return Err(wire::wrong(head, at, base).expected(VALUE)),
            }
            budget.item(offset)?;
            self.done = self.depth == 0;
        }
    }
}
