//! Strings of octets, bits and characters, in one piece or in segments (X.690 8.6, 8.7 and 8.23).

use polywire_core::{Error, Note, Result, Sink, Str};

use super::super::Rules;
use super::super::header::{self, Head, is_end, refused};
use super::shown::shown;
use super::{LevelKind, Walk};
use crate::model::TypeId;
use crate::walk::checks;
use crate::walk::plan::{Node, Op, TagKey};
use crate::walk::raise::bad;
use crate::walk::scalars::{self, Contents};

/// Octets of a segment of CER (X.690 9.2).
pub(in crate::ber) const SEGMENT: usize = 1000;

impl<'m, S: Sink<'m> + ?Sized> Walk<'_, 'm, S> {
    /// Reads a string, which may have a value in it.
    pub(super) fn string(&mut self, ty: TypeId, node: &Node, head: &Head) -> Result<()> {
        if head.constructed {
            return self.segmented(ty, node, head);
        }
        if self.rules == Rules::Canonical && head.end - head.contents > SEGMENT + usize::from(matches!(node.op, Op::Bits(_))) {
            let seen = format!("a primitive string of {} octets", head.end - head.contents);
            return Err(refused(self.rules, seen, "segments of 1000 octets (X.690 9.2)", self.offset(head.start)));
        }
        let raw = &self.msg[head.contents..head.end];
        let (raw, unused, start) = match node.op {
            Op::Bits(_) => {
                let (raw, unused) = self.unused(raw, head.contents)?;
                (raw, unused, head.contents + 1)
            }
            _ => (raw, 0, head.contents),
        };
        self.strict(node.op, raw, unused, head.contents)?;
        if unused == 0
            && let Some(inner) = self.scratch.keys.contents(self.plan, node)
            && !self.is_closed(head.start)?
        {
            self.sink.note(Note::Frame("string around a value"), self.span(head.start, start))?;
            self.at = start;
            self.push(LevelKind::Contents { from: head.start }, head.end)?;
            return self.value(inner);
        }
        if self.keyed && self.scratch.keys.is_open() {
            self.scratch.keys.put(raw);
        }
        self.budget.item(self.offset(head.start))?;
        let bits = raw.len() as u64 * 8 - u64::from(unused);
        if self.checked && node.constrained {
            self.check(checks::scalar(self.plan, ty, raw, bits), head.start)?;
        }
        if self.guesses && node.meaning.is_some() {
            self.meaning(ty, raw, head)?;
        }
        let contents = Contents { octets: Str::Input(raw), bits, at: self.offset(start), span: self.span(head.start, head.end) };
        self.at = head.end;
        let goes_on = scalars::emit(self.plan, node.op, contents, self.sink, self.budget, &mut self.scratch.text)?;
        self.stopped |= !goes_on;
        Ok(())
    }

    /// Returns the octets of a bit string behind the number of its unused bits, and that number.
    fn unused(&self, raw: &'m [u8], at: usize) -> Result<(&'m [u8], u8)> {
        match raw {
            [0, ..] | [1..=7, _, ..] => Ok((&raw[1..], raw[0])),
            [first, ..] => Err(bad(format!("{first} unused bits"), "at most 7, and none without octets (X.690 8.6.2)", self.offset(at))),
            [] => Err(bad("a BIT STRING without contents octets", "the number of unused bits (X.690 8.6.2)", self.offset(at))),
        }
    }

    /// Reads a string in segments (X.690 8.6.4, 8.7.3, 8.23.6).
    fn segmented(&mut self, ty: TypeId, node: &Node, head: &Head) -> Result<()> {
        if self.rules == Rules::Distinguished {
            return Err(refused(self.rules, "a string in segments", "one primitive encoding (X.690 10.2)", self.offset(head.start)));
        }
        let mut octets = std::mem::take(&mut self.scratch.octets);
        octets.clear();
        let joined = self.join(ty, node, head, &mut octets);
        let emitted = joined.and_then(|(end, unused)| {
            self.strict(node.op, &octets, unused, head.contents)?;
            if self.rules == Rules::Canonical && octets.len() <= SEGMENT {
                let seen = format!("segments of a string of {} octets", octets.len());
                return Err(refused(self.rules, seen, "one primitive encoding (X.690 9.2)", self.offset(head.start)));
            }
            if self.keyed && self.scratch.keys.is_open() {
                self.scratch.keys.put(&octets);
            }
            self.budget.item(self.offset(head.start))?;
            let bits = octets.len() as u64 * 8 - u64::from(unused);
            if self.checked && node.constrained {
                self.check(checks::scalar(self.plan, ty, &octets, bits), head.start)?;
            }
            let contents =
                Contents { octets: Str::Scratch(&octets), bits, at: self.offset(head.contents), span: self.span(head.start, end) };
            self.at = end;
            scalars::emit(self.plan, node.op, contents, self.sink, self.budget, &mut self.scratch.text)
        });
        self.scratch.octets = octets;
        self.stopped |= !emitted?;
        Ok(())
    }

    /// Joins the segments of a string. Returns the place behind them, and the number of unused
    /// bits.
    fn join(&mut self, ty: TypeId, node: &Node, head: &Head, octets: &mut Vec<u8>) -> Result<(usize, u8)> {
        let is_bits = matches!(node.op, Op::Bits(_));
        let wanted = TagKey::new(0, if is_bits { 3 } else { 4 });
        let own = match node.op {
            Op::Text(kind) => TagKey::new(0, kind.tag()),
            _ => wanted,
        };
        let mut unused = 0;
        let mut ends = vec![(head.end, self.limit)];
        let mut limit = head.end.min(self.limit);
        let mut at = head.contents;
        let mut full = true;
        self.budget.enter(self.offset(at))?;
        while let Some(&(end, around)) = ends.last() {
            let closed = match end {
                Head::INDEFINITE if is_end(&self.msg[..limit], at) => Some(2),
                Head::INDEFINITE if at >= limit => return Err(Error::truncated(self.offset(at), "end-of-contents octets")),
                Head::INDEFINITE => None,
                end => (at >= end).then_some(0),
            };
            if let Some(octets) = closed {
                at += octets;
                ends.pop();
                limit = around;
                self.budget.leave();
                continue;
            }
            let inner = header::head(self.msg, at, limit, self.base, self.rules)?;
            self.budget.item(self.offset(at))?;
            if inner.tag != wanted && inner.tag != own || inner.constructed && self.rules == Rules::Canonical {
                return Err(bad(shown(inner.tag), "", self.offset(at)).expected(format!("a segment of {}", self.plan.shown(ty))));
            }
            if inner.constructed {
                self.budget.enter(self.offset(at))?;
                ends.push((inner.end, limit));
                limit = inner.end.min(limit);
                at = inner.contents;
                continue;
            }
            let mut raw = &self.msg[inner.contents..inner.end];
            if is_bits {
                if unused > 0 {
                    return Err(bad(
                        "a segment behind one with unused bits",
                        "unused bits in the last alone (X.690 8.6.4)",
                        self.offset(at),
                    ));
                }
                (raw, unused) = self.unused(raw, inner.contents)?;
            }
            if self.rules == Rules::Canonical && (!full || raw.len() > SEGMENT || raw.is_empty()) {
                return Err(refused(self.rules, "a segment of another size", "segments of 1000 octets (X.690 9.2)", self.offset(at)));
            }
            full = raw.len() == SEGMENT;
            self.budget.decode(raw.len() as u64, self.offset(at))?;
            octets.extend_from_slice(raw);
            at = inner.end;
        }
        Ok((at, unused))
    }
}
