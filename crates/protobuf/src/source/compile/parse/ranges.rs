//! Ranges of numbers: for extensions, and reserved ones; and reserved names.

use super::super::lex::Kind;
use super::super::unit::{Holder, OptionSet};
use super::cursor::Parser;
use super::message::MAX;
use super::{Failed, Parsed};
use crate::descriptor::{ExtensionRange, ReservedRange};

/// Most places that are copied for the options of several ranges in a text.
const MAX_COPIES: usize = 1 << 18;

impl Parser<'_> {
    /// Reads numbers with their location: a number, or two with `to` between them. `max` is `most`.
    fn range(&mut self, path: &[i32], signed: bool, most: i32) -> Parsed<(i32, i32)> {
        let location = self.open(path, &[]);
        let start_at = self.open(path, &[1]);
        let first = self.now;
        let start = self.bound(signed, "a number")?;
        self.close(start_at);
        let mut end = start;
        let end_at;
        if self.try_word("to") {
            end_at = self.open(path, &[2]);
            end = if self.try_word("max") { most } else { self.bound(signed, "a number or 'max'")? };
            self.close(end_at);
        } else {
            end_at = self.open(path, &[2]);
            self.start_at(end_at, first);
            self.end_at(end_at, if signed { self.last } else { first });
        }
        self.close(location);
        if end < start && end != MAX - 1 {
            self.wrong(first, format!("a range from {start} to {end}"), "the end comes behind the start");
        }
        Ok((start, end))
    }

    fn bound(&mut self, signed: bool, what: &str) -> Parsed<i32> {
        if !signed {
            // The descriptor holds the number behind the last.
            return Ok(self.integer(i32::MAX as u64 - 1, what)? as i32);
        }
        let negative = self.try_word("-");
        let value = self.integer(i32::MAX as u64 + u64::from(negative), what)? as i64;
        Ok(if negative { -value } else { value } as i32)
    }

    pub(super) fn extensions(&mut self, above: &[i32], ranges: &mut Vec<ExtensionRange>) -> Parsed {
        let path = [above, &[5]].concat();
        let location = self.open(&path, &[]);
        self.next();
        let first = ranges.len();
        loop {
            let own = [&path[..], &[ranges.len() as i32]].concat();
            let at = self.now;
            let (start, end) = self.range(&own, false, MAX - 1)?;
            if start == 0 {
                self.wrong(at, "extension number 0", "numbers start at 1");
            }
            ranges.push(ExtensionRange { start: Some(start), end: Some(end + 1), ..ExtensionRange::default() });
            if !self.try_word(",") {
                break;
            }
        }
        if self.at("[") {
            self.range_options(&path, first, ranges.len())?;
        }
        self.end(";", location)?;
        self.close(location);
        Ok(())
    }

    /// Reads the options of the ranges from `first` up to `end`, which share them.
    fn range_options(&mut self, path: &[i32], first: usize, end: usize) -> Parsed {
        let (before, start) = (self.locations.len(), self.now.start);
        let options = [path, &[first as i32, 3]].concat();
        let location = self.open(&options, &[]);
        self.next();
        let mut set = None;
        loop {
            self.option(Holder::Range, &options, &mut set, false)?;
            if !self.try_word(",") {
                break;
            }
        }
        self.word("]")?;
        self.close(location);
        let copies = self.locations.len() - before;
        // Values count as the memory that they take.
        let cost = copies + (self.last.end - start) as usize / 16;
        self.copied = self.copied.saturating_add(cost.saturating_mul(end - first - 1));
        if self.copied > MAX_COPIES {
            self.wrong(self.last, "too many options for too many ranges", "give the ranges options of their own");
            return Err(Failed);
        }
        for index in first + 1..end {
            let shift = (self.locations.len() - before) as u32;
            for at in before..before + copies {
                let mut location = self.locations[at].clone();
                location.path.0[path.len()] = index as i32;
                self.locations.push(location);
                self.spans.push(self.spans[at]);
            }
            if let Some(set) = set {
                let mut statements = self.sets[set].statements.clone();
                statements.iter_mut().for_each(|said| said.location = said.location.map(|at| at + shift));
                self.sets.push(OptionSet { holder: Holder::Range, path: [path, &[index as i32, 3]].concat(), statements });
            }
        }
        Ok(())
    }

    /// Reads `reserved`, in a message or an enum.
    pub(super) fn reserved(&mut self, above: &[i32], is_enum: bool, ranges: &mut Vec<ReservedRange>, names: &mut Vec<String>) -> Parsed {
        let first = self.now;
        self.next();
        let of_names = matches!(self.now.kind, Kind::Text | Kind::Word);
        let field = match (is_enum, of_names) {
            (true, true) => 5,
            (true, false) => 4,
            (false, true) => 10,
            (false, false) => 9,
        };
        let path = [above, &[field]].concat();
        if of_names && (self.now.kind == Kind::Word) != self.syntax.is_edition() {
            let hint = if self.syntax.is_edition() { "editions have names without quotes" } else { "write the name in quotes" };
            self.wrong(self.now, "a reserved name of another syntax", hint);
            return Err(Failed);
        }
        let location = self.open(&path, &[]);
        self.start_at(location, first);
        loop {
            if of_names {
                let place = self.open(&path, &[names.len() as i32]);
                let name = if self.syntax.is_edition() { self.name("a name")? } else { self.utf8("a name in quotes")? };
                self.close(place);
                names.push(name);
            } else {
                let own = [&path[..], &[ranges.len() as i32]].concat();
                let at = self.now;
                let most = if is_enum { i32::MAX } else { MAX - 1 };
                let (start, end) = self.range(&own, is_enum, most)?;
                if !is_enum && start == 0 {
                    self.wrong(at, "reserved number 0", "numbers start at 1");
                }
                // The end is exclusive in messages alone.
                ranges.push(ReservedRange { start: Some(start), end: Some(end + i32::from(!is_enum)), ..ReservedRange::default() });
            }
            if !self.try_word(",") {
                break;
            }
        }
        self.end(";", location)?;
        self.close(location);
        Ok(())
    }
}
