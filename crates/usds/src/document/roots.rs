//! Consecutive roots, from bytes that arrive piece by piece.
//!
//! A body has no lengths, so the end of a root is found by its dictionary and by stepping over
//! every value. Progress is remembered, so that the time is linear however the bytes are cut.

use std::sync::Arc;

use crate::error::{DecodeError, Problem};
use crate::events;
use crate::plan::{Op, Plan};
use crate::wire::Wire;

/// Finder of roots. Its input starts with the first byte of a root's tag id.
#[derive(Debug)]
pub struct Roots {
    plan: Arc<Plan>,
    depth: usize,
    /// Offset up to which the bytes were examined.
    at: usize,
    tag: Option<(u32, usize)>,
    levels: Vec<Pending>,
}

/// A value being stepped over.
#[derive(Debug, Clone, Copy)]
enum Pending {
    Value(Op),
    Elements {
        op: Op,
        left: u32,
    },
    /// The slots `next..end`, with presence bytes at `presence`.
    Fields {
        next: u32,
        end: u32,
        presence: usize,
    },
}

/// Result of [`Roots::next`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// A complete root of that tag, with its value from `value` to `end`. The next input starts at
    /// `end`.
    Whole {
        /// Id of the tag.
        tag: u32,
        /// Offset of the value.
        value: usize,
        /// Offset after the value.
        end: usize,
    },
    /// The root is incomplete. The next input starts with the same bytes and has more of them.
    More,
}

impl Roots {
    /// Returns a finder of roots of that dictionary, with containers nested at most `depth` levels.
    pub fn new(plan: Arc<Plan>, depth: u32) -> Roots {
        Roots { plan, depth: depth as usize, at: 0, tag: None, levels: Vec::new() }
    }

    /// Returns the dictionary.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Finds the root at the start of `bytes`.
    ///
    /// # Errors
    /// The bytes are not a root. Offsets count from the start of the root; the path is empty, and
    /// decoding the root gives it.
    pub fn next(&mut self, bytes: &[u8]) -> Result<Root, DecodeError> {
        let plan = Arc::clone(&self.plan);
        let (tag, value) = match self.tag {
            Some(tag) => tag,
            None => match events::tag(&plan, bytes, 0) {
                Ok((tag, end)) => {
                    self.at = end;
                    self.levels.push(Pending::Value(plan.tag_op(tag).unwrap_or(Op::Octets)));
                    *self.tag.insert((tag, end))
                }
                Err(failure) if failure.problem() == Problem::End => return Ok(Root::More),
                Err(failure) => return Err(failure),
            },
        };
        match self.step_over(&plan, bytes) {
            Ok(()) => {}
            Err(Problem::End) => return Ok(Root::More),
            Err(problem) => {
                let at = self.at;
                self.reset();
                return Err(DecodeError::new(problem, plan.wire(), at));
            }
        }
        let end = self.at;
        self.reset();
        Ok(Root::Whole { tag, value, end })
    }

    /// Discards an unfinished root.
    pub fn reset(&mut self) {
        self.levels.clear();
        self.tag = None;
        self.at = 0;
    }

    /// Steps over the rest of the root. An incomplete value stays on top, and is examined again.
    fn step_over(&mut self, plan: &Plan, bytes: &[u8]) -> Wire<()> {
        while let Some(level) = self.levels.last_mut() {
            let (op, is_value) = match level {
                Pending::Elements { left: 0, .. } => {
                    self.levels.pop();
                    continue;
                }
                Pending::Fields { next, end, .. } if next == end => {
                    self.levels.pop();
                    continue;
                }
                Pending::Fields { next, presence, .. } => {
                    let nullable = plan.slots[*next as usize].nullable;
                    if nullable > 0 && !events::is_present(bytes, *presence, nullable - 1) {
                        *next += 1;
                        continue;
                    }
                    (plan.ops[*next as usize], false)
                }
                Pending::Elements { op, .. } => (*op, false),
                Pending::Value(op) => (*op, true),
            };
            if op.is_scalar() {
                (_, self.at) = events::word(plan, op, bytes, self.at)?;
            }
            match level {
                Pending::Elements { left, .. } => *left -= 1,
                Pending::Fields { next, .. } => *next += 1,
                Pending::Value(_) => {}
            }
            match (op.is_scalar(), is_value) {
                (true, true) => drop(self.levels.pop()),
                (true, false) => {}
                // The contents of a container come before the rest of the enclosing value.
                (false, false) => self.levels.push(Pending::Value(op)),
                (false, true) => self.container(plan, op, bytes)?,
            }
        }
        Ok(())
    }

    /// Replaces a container by its contents.
    fn container(&mut self, plan: &Plan, op: Op, bytes: &[u8]) -> Wire<()> {
        if self.levels.len() > self.depth {
            return Err(Problem::Limit);
        }
        let (level, end) = match op {
            Op::Array(array) => {
                let (count, end) = events::count(bytes, self.at)?;
                (Pending::Elements { op: plan.elements[array as usize], left: count }, end)
            }
            Op::Polymorph(polymorph) => {
                let (tag, end) = crate::wire::id(bytes, self.at)?;
                let member = plan.polymorphs[polymorph as usize].iter().find(|member| member.tag == tag).ok_or(Problem::MemberType)?;
                (Pending::Value(Op::Structure(member.shape)), end)
            }
            Op::Structure(shape) => {
                let shape = &plan.shapes[shape as usize];
                if shape.nullable > 0 {
                    events::check_presence(bytes, self.at, shape.nullable)?;
                }
                let fields = Pending::Fields { next: shape.first, end: shape.first + shape.len, presence: self.at };
                (fields, self.at + shape.presence as usize)
            }
            _ => return Ok(()),
        };
        self.at = end;
        if let Some(top) = self.levels.last_mut() {
            *top = level;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dictionary::Dictionary;

    /// Every root is found, wherever the bytes are cut.
    #[test]
    fn roots_are_found_in_pieces() {
        let text = "USDS R { P { INT a; Q[] q; STRING s = NULL; }; Q { UVARINT u; <P || Q> p = NULL; }; LONG[][] l; }";
        let dictionary = Dictionary::parse("r", text.as_bytes()).expect("it is right");
        let plan = Arc::new(Plan::new(Arc::new(dictionary)));
        let bytes =
            [&[1, 1, 5, 0, 0, 0, 2, 0, 7, 1, 0x80, 1, 2, 0, 1, 2, b'h', b'i'][..], &[3, 2, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8], &[2, 0, 9]];
        let whole = bytes.concat();
        let ends = |piece: usize| {
            let mut roots = Roots::new(Arc::clone(&plan), 100);
            let (mut start, mut have, mut found) = (0, 0, Vec::new());
            while start < whole.len() {
                match roots.next(&whole[start..have]).expect("they are roots") {
                    Root::Whole { tag, end, .. } => {
                        start += end;
                        found.push((tag, start));
                    }
                    Root::More => {
                        assert!(have < whole.len(), "it was all there");
                        have = (have + piece).min(whole.len());
                    }
                }
            }
            found
        };
        assert_eq!(ends(whole.len()), [(1, 18), (3, 30), (2, 33)]);
        for piece in 1..20 {
            assert_eq!(ends(piece), ends(whole.len()), "{piece}");
        }
    }
}
