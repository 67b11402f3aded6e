//! Maps and their entries.

use std::collections::HashMap;

use polywire_core::bytes::{unzigzag, utf8};
use polywire_core::{Error, Next, Result};

use super::course::Course;
use super::state::{Body, Entry, Flow, LevelKind, NONE, REPLACED, Walk, WalkLevel};
use super::visit::{Visitor, no_text};
use crate::model::Kind;
use crate::plan::{Field, Plan};
use crate::scalar::Value;
use crate::wire::{self, Broken, WireType, length, varint, wire_error};

/// The key of a map, for comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Key<'m> {
    Stray(usize),
    Number(i128),
    Text(&'m [u8]),
}

/// Limit up to which comparing all pairs of entries is faster than hashing.
const FEW: usize = 16;

impl<'m, V: Visitor<'m> + ?Sized> Walk<'_, 'm, V> {
    /// Collects the entries of a map that follow each other from `at` on, and returns their end.
    pub(super) fn run_of_entries(&mut self, field: &Field, window: &'m [u8], mut at: usize) -> Result<usize> {
        while at < window.len() {
            let (tag, wire, next) = wire::tag(window, at).map_err(|error| self.located(error))?;
            if tag.number() != field.number || wire != field.wire {
                break;
            }
            let (_, to) = length(window, next).map_err(|error| self.located(error))?;
            self.add_entry(field, at, next, to)?;
            at = to;
        }
        Ok(at)
    }

    /// Adds the entry whose tag is at `start` and whose length is at `at`.
    pub(super) fn add_entry(&mut self, field: &Field, start: usize, at: usize, end: usize) -> Result<()> {
        let plan = self.plan;
        let (key, value) = key_and_value(plan, field)?;
        let pieces = self.scratch.pieces.len();
        let mut entry = Entry { start, at, end, key: None, value: None, pieces: (0, 0), stray: false, more: false, replaced: false };
        let (mut at, to) = length(&self.msg[..end], at).map_err(|error| self.located(error))?;
        let window = &self.msg[..to];
        self.budget.item(self.base + start as u64)?;
        while at < to {
            let (tag, wire, next) = wire::tag(window, at).map_err(|error| self.located(error))?;
            if wire == WireType::End {
                return Err(self.located(wire_error(Broken::Unopened(tag.number()), at)));
            }
            let after = self.skip(window, next, tag, wire)?;
            if tag.number() == 1 && wire == key.wire {
                entry.key = Some(next);
            } else if tag.number() == 2 && wire == value.wire {
                entry.value = Some(next);
                if value.message().is_some()
                    && let (Body::Whole(from, to), ..) = self.bounds(value, window, next)?
                {
                    self.scratch.pieces.push((from, to));
                }
            } else {
                entry.more = true;
            }
            at = after;
        }
        entry.stray = value.closed && entry.value.is_some_and(|at| plan.is_stray(value, window, at));
        entry.pieces = (pieces as u32, self.scratch.pieces.len() as u32);
        self.scratch.entries.push(entry);
        Ok(())
    }

    /// Returns whether all entries from index `base` on are unknown fields. If so, reports them as
    /// such, and there is no map.
    pub(super) fn are_strays(&mut self, base: usize) -> Result<bool> {
        let entries = &self.scratch.entries[base..];
        if !entries.iter().all(|entry| entry.stray) {
            return Ok(false);
        }
        let places: Vec<(usize, usize)> = entries.iter().map(|entry| (entry.start, entry.end)).collect();
        self.scratch.entries.truncate(base);
        for (start, end) in places {
            self.unknown(start, end)?;
        }
        Ok(true)
    }

    /// Opens the map of the entries from index `base` on, which lie between `start` and `end`. The
    /// last of several entries with one key counts.
    pub(super) fn open_map(&mut self, field: &Field, start: usize, base: usize, pieces: usize, end: usize) -> Result<Flow> {
        let plan = self.plan;
        let span = self.span(start, start);
        self.budget.item(span.start)?;
        self.budget.enter(span.start)?;
        let (key, _) = key_and_value(plan, field)?;
        self.replace(key, base)?;
        match self.visitor.map(field, span)? {
            Next::Enter => {
                let stop = self.scratch.entries.len();
                let message = field.message().unwrap_or_default();
                self.scratch.levels.push(WalkLevel {
                    kind: LevelKind::Map,
                    message,
                    at: base,
                    end: stop,
                    close: (end, end),
                    list: NONE,
                    base: (base, pieces),
                    course: Course::new(0),
                });
                Ok(Flow::On)
            }
            Next::Skip => {
                self.budget.leave();
                self.scratch.entries.truncate(base);
                self.scratch.pieces.truncate(pieces);
                Ok(Flow::On)
            }
            Next::Stop => Ok(Flow::Stop),
        }
    }

    /// Marks the entries from index `base` on whose key comes again.
    fn replace(&mut self, key: &Field, base: usize) -> Result<()> {
        let count = self.scratch.entries.len() - base;
        if count < 2 {
            return Ok(());
        }
        let (mut few, mut many) = ([Key::Stray(0); FEW], Vec::new());
        let keys = if count <= FEW {
            &mut few[..count]
        } else {
            many.resize(count, Key::Stray(0));
            &mut many[..]
        };
        for (n, place) in (base..).zip(&mut *keys) {
            // A stray replaces no entry, and no entry replaces it.
            if self.scratch.entries[n].stray {
                *place = Key::Stray(n);
                continue;
            }
            *place = match self.key(key, self.scratch.entries[n])?.0 {
                Value::Text(text) => Key::Text(text.as_bytes()),
                Value::Octets(bytes) => Key::Text(bytes),
                Value::Bool(value) => Key::Number(i128::from(value)),
                Value::I32(value) => Key::Number(i128::from(value)),
                Value::I64(value) => Key::Number(i128::from(value)),
                Value::U32(value) => Key::Number(i128::from(value)),
                Value::U64(value) => Key::Number(i128::from(value)),
                _ => return Err(Error::internal("a map's key of another type")),
            };
        }
        if keys.windows(2).all(|pair| pair[0] < pair[1]) {
            return Ok(());
        }
        let entries = &mut self.scratch.entries[base..];
        if count <= FEW {
            for n in 0..count {
                entries[n].replaced = keys[n + 1..].contains(&keys[n]);
            }
        } else {
            let mut last: HashMap<Key<'m>, usize> = HashMap::with_capacity(count);
            for (n, key) in keys.iter().enumerate() {
                if let Some(earlier) = last.insert(*key, n) {
                    entries[earlier].replaced = true;
                }
            }
        }
        Ok(())
    }

    /// Returns the key of an entry and its bytes; for an absent key, the default of its type.
    fn key(&self, field: &Field, entry: Entry) -> Result<(Value<'m>, (usize, usize))> {
        let Some(at) = entry.key else { return Ok((absent(self.plan, field), (entry.at, entry.at))) };
        let window = &self.msg[..entry.end];
        let number = || varint::read(window, at).map_err(|error| self.located(error));
        let (value, end) = match field.kind {
            Kind::String => {
                let (from, to) = length(window, at).map_err(|error| self.located(error))?;
                let bytes = &window[from..to];
                match utf8(bytes) {
                    Some(text) => (Value::Text(text), to),
                    None if field.utf8 => return Err(no_text(bytes, self.span(at, to))),
                    None => (Value::Octets(bytes), to),
                }
            }
            Kind::Int32 => number().map(|(value, end)| (Value::I32(value as i32), end))?,
            Kind::Int64 => number().map(|(value, end)| (Value::I64(value as i64), end))?,
            Kind::UInt32 => number().map(|(value, end)| (Value::U32(value as u32), end))?,
            Kind::UInt64 => number().map(|(value, end)| (Value::U64(value), end))?,
            Kind::SInt32 => number().map(|(value, end)| (Value::I32(unzigzag(u64::from(value as u32)) as i32), end))?,
            Kind::SInt64 => number().map(|(value, end)| (Value::I64(unzigzag(value)), end))?,
            Kind::Bool => number().map(|(value, end)| (Value::Bool(value != 0), end))?,
            Kind::Fixed64 => (Value::U64(u64::from_le_bytes(self.fixed(window, at)?)), at + 8),
            Kind::SFixed64 => (Value::I64(i64::from_le_bytes(self.fixed(window, at)?)), at + 8),
            Kind::Fixed32 => (Value::U32(u32::from_le_bytes(self.fixed(window, at)?)), at + 4),
            Kind::SFixed32 => (Value::I32(i32::from_le_bytes(self.fixed(window, at)?)), at + 4),
            _ => return Err(Error::internal("a map's key of another type")),
        };
        Ok((value, (at, end)))
    }

    /// Visits the next entry of a map.
    pub(super) fn entry(&mut self, level: WalkLevel) -> Result<Flow> {
        let plan = self.plan;
        let ty = plan.message(level.message);
        let [key, value] = &ty.fields[..] else { return Err(Error::internal("a map whose entries are no pairs")) };
        if level.at >= level.end {
            self.scratch.levels.pop();
            self.budget.leave();
            let close = self.span(level.close.0, level.close.1);
            self.visitor.map_end(close)?;
            // They are fields of the message that has the map.
            for n in level.base.0..self.scratch.entries.len() {
                let Entry { start, end, stray, .. } = self.scratch.entries[n];
                if stray {
                    self.unknown(start, end)?;
                }
            }
            self.scratch.entries.truncate(level.base.0);
            self.scratch.pieces.truncate(level.base.1);
            return Ok(Flow::On);
        }
        let entry = self.scratch.entries[level.at];
        if let Some(level) = self.scratch.levels.last_mut() {
            level.at += 1;
        }
        let window = &self.msg[..entry.end];
        if entry.replaced {
            let span = self.span(entry.start, entry.end);
            self.visitor.remark(REPLACED, span)?;
            return Ok(Flow::On);
        }
        if entry.stray {
            return Ok(Flow::On);
        }
        if entry.more {
            self.beside(key, value, entry)?;
        }
        let (key_value, key_at) = self.key(key, entry)?;
        let span = self.span(key_at.0, key_at.1);
        self.budget.item(span.start)?;
        match self.visitor.key(key_value, span)? {
            Next::Enter => {}
            Next::Skip => return Ok(Flow::On),
            Next::Stop => return Ok(Flow::Stop),
        }
        let Some(message) = value.message() else {
            match entry.value {
                Some(at) => {
                    self.any_scalar(value, window, at)?;
                }
                None => {
                    let span = self.span(entry.end, entry.end);
                    self.budget.item(span.start)?;
                    self.visitor.scalar(value, absent(plan, value), span)?;
                }
            }
            return Ok(Flow::On);
        };
        let pieces = (entry.pieces.0 as usize, entry.pieces.1 as usize);
        let (body, head, close) = match entry.value {
            None => (Body::Whole(entry.end, entry.end), (entry.end, entry.end), (entry.end, entry.end)),
            Some(at) => {
                let (body, head, _, close) = self.bounds(value, window, at)?;
                (if pieces.1 - pieces.0 > 1 { Body::Pieces(pieces.0, pieces.1) } else { body }, head, close)
            }
        };
        self.open(message, body, head, close)
    }

    /// Reports the fields of an entry that are neither key nor value.
    #[cold]
    fn beside(&mut self, key: &Field, value: &Field, entry: Entry) -> Result<()> {
        let window = &self.msg[..entry.end];
        let (mut at, _) = length(window, entry.at).map_err(|error| self.located(error))?;
        while at < entry.end {
            let (tag, wire, next) = wire::tag(window, at).map_err(|error| self.located(error))?;
            let after = self.skip(window, next, tag, wire)?;
            if !(tag.number() == 1 && wire == key.wire || tag.number() == 2 && wire == value.wire) {
                self.unknown(at, after)?;
            }
            at = after;
        }
        Ok(())
    }
}

/// Returns the key and value fields of a map's entries.
fn key_and_value<'p>(plan: &'p Plan, field: &Field) -> Result<(&'p Field, &'p Field)> {
    match field.message().map(|entry| &plan.message(entry).fields[..]) {
        Some([key, value]) => Ok((key, value)),
        _ => Err(Error::internal("a map whose entries are no pairs")),
    }
}

/// Returns the default of a type, for an absent key or value of a map (encoding guide, "Maps").
fn absent<'m>(plan: &Plan, field: &Field) -> Value<'m> {
    match field.kind {
        Kind::Double => Value::F64(0.0),
        Kind::Float => Value::F32(0.0),
        Kind::Int64 | Kind::SFixed64 | Kind::SInt64 => Value::I64(0),
        Kind::UInt64 | Kind::Fixed64 => Value::U64(0),
        Kind::Int32 | Kind::SFixed32 | Kind::SInt32 => Value::I32(0),
        Kind::UInt32 | Kind::Fixed32 => Value::U32(0),
        Kind::Bool => Value::Bool(false),
        Kind::String => Value::Text(""),
        Kind::Bytes | Kind::Message(_) | Kind::Group(_) => Value::Bytes(&[]),
        Kind::Enum(id) => Value::Enum(plan.enums[id.index()].first),
    }
}
