//! Enums: the meaning of their numbers to the other version.

use std::collections::HashSet;

use polywire_core::schema::language::{Direction, Effect, Outcome, Reading, Rule};

use super::comparing::{Change, Comparing, and_in_json, outcome, warns};
use super::trial::Tried;
use super::{rule, sample, trial};
use crate::model::{Cardinality, Enum, EnumId, Kind, MessageId};

impl Comparing<'_> {
    pub(super) fn enums(&mut self, wanted: Option<&HashSet<MessageId>>) {
        let (old, new) = (&self.old.pool, &self.new.pool);
        for (index, after) in new.enums().iter().enumerate() {
            let id = EnumId(index as u32);
            let used = |wanted: &HashSet<MessageId>| {
                wanted.iter().any(|message| new[*message].fields.iter().any(|field| field.kind == Kind::Enum(id)))
            };
            if !wanted.map_or_else(|| self.new.is_main(after.file), used) {
                continue;
            }
            let place = self.place(1, after.file, after.at);
            let change =
                |kind, message| Change { kind, root: after.name.to_string(), path: after.name.to_string(), message, old: None, new: place };
            let Some(was) = self.pairs.enums.get(&id).copied() else {
                let change = change("enum_added", format!("enum `{}` was added", after.name));
                self.findings.push(change.becomes(Outcome::FINE, Outcome::FINE));
                continue;
            };
            let before = &old[was];
            let old_place = self.place(0, before.file, before.at);
            if before.name != after.name {
                let renamed =
                    Change { old: old_place, ..change("enum_renamed", format!("enum `{}` became `{}`", before.name, after.name)) };
                self.findings.push(renamed.becomes(Outcome::FINE, Outcome::FINE));
            }
            if before.closed != after.closed {
                let (what, kind) = if after.closed { ("closed", "enum_closed") } else { ("open", "enum_opened") };
                let changed = Change { old: old_place, ..change(kind, format!("enum `{}` is {what}", after.name)) };
                // A closed enum loses numbers that the other version may write.
                let closed = |reader: &Enum| if reader.closed { warns(rule::CLOSED) } else { Outcome::FINE };
                self.findings.push(changed.becomes(closed(after), closed(before)));
            }
            self.values(was, id);
        }
        if wanted.is_none() {
            for (index, before) in old.enums().iter().enumerate() {
                let id = EnumId(index as u32);
                if self.old.is_main(before.file) && !self.pairs.has_enum(id) {
                    let change = Change {
                        kind: "enum_removed",
                        root: before.name.to_string(),
                        path: before.name.to_string(),
                        message: format!("enum `{}` was removed", before.name),
                        old: self.place(0, before.file, before.at),
                        new: None,
                    };
                    self.findings.push(change.becomes(Outcome::FINE, Outcome::FINE));
                }
            }
        }
    }

    fn values(&mut self, old: EnumId, new: EnumId) {
        let (before, after) = (&self.old.pool[old], &self.new.pool[new]);
        let mut numbers: Vec<i32> = after.values.iter().map(|value| value.number).collect();
        numbers.extend(before.values.iter().map(|value| value.number).filter(|number| after.by_number(*number).is_none()));
        let mut seen = HashSet::new();
        numbers.retain(|number| seen.insert(*number));
        for number in numbers {
            let names =
                |of: &Enum| of.values.iter().filter(|value| value.number == number).map(|value| value.name.clone()).collect::<Vec<_>>();
            let (was, is) = (names(before), names(after));
            if was.iter().any(|name| is.contains(name)) {
                continue;
            }
            let moved = was.iter().any(|name| after.by_name(name).is_some()) || is.iter().any(|name| before.by_name(name).is_some());
            let shown = |names: &[Box<str>]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let (kind, message) = match (&was[..], &is[..]) {
                ([], is) if moved => ("enum_value_renumbered", format!("{} has the number {number}", shown(is))),
                (was, []) if moved => ("enum_value_renumbered", format!("{} had the number {number}", shown(was))),
                ([], is) => ("enum_value_added", format!("the value {} = {number} was added", shown(is))),
                (was, []) => ("enum_value_removed", format!("the value {} = {number} was removed", shown(was))),
                (was, is) if moved => ("enum_value_renumbered", format!("number {number} was {} and is {}", shown(was), shown(is))),
                (was, is) => ("enum_value_renamed", format!("the value {} = {number} became {}", shown(was), shown(is))),
            };
            let at = |of: &Enum| of.by_number(number).and_then(|value| value.at);
            let change = Change {
                kind,
                root: after.name.to_string(),
                path: format!("{}.{}", after.name, is.first().or(was.first()).map_or("", |name| &name[..])),
                message,
                old: self.place(0, before.file, at(before)),
                new: self.place(1, after.file, at(after)),
            };
            let reserved = after.reserved.iter().any(|range| range.contains(&number));
            let judge = |direction: Direction| {
                let (writer, reader) = match direction {
                    Direction::Backward => (before, after),
                    Direction::Forward => (after, before),
                };
                if writer.by_number(number).is_none() {
                    return Outcome::FINE;
                }
                let known = reader.by_number(number).is_some();
                match (known, reader.closed, moved) {
                    (false, true, _) => self.tried(direction, old, new, number, Effect::Misread, rule::CLOSED),
                    (_, _, true) => self.tried(direction, old, new, number, Effect::Misread, rule::ENUM_NUMBERS),
                    (true, _, false) => self.tried(direction, old, new, number, Effect::Warns, rule::NAMES),
                    (false, false, false) if direction == Direction::Backward && !reserved => warns(rule::RESERVE),
                    (false, false, false) => Outcome::FINE,
                }
            };
            let (backward, forward) = (judge(Direction::Backward), judge(Direction::Forward));
            self.findings.push(change.becomes(backward, forward));
        }
    }

    /// Returns the outcome for a number in a field that both versions have; for a changed name, in
    /// JSON.
    fn tried(&self, direction: Direction, old: EnumId, new: EnumId, number: i32, effect: Effect, rule: Rule) -> Outcome {
        let found = || -> Option<(Tried, Option<Tried>)> {
            let (after, before) = (&self.new.pool, &self.old.pool);
            for (id, was) in &self.pairs.messages {
                for field in after[*id].fields.iter().filter(|field| field.kind == Kind::Enum(new) && !after[*id].map_entry) {
                    let Some(other) = before[*was].by_number(field.number).filter(|other| other.kind == Kind::Enum(old)) else { continue };
                    if other.cardinality == Cardinality::Map {
                        continue;
                    }
                    let sides = self.sides(*was, *id);
                    let (pool, writer, field) = match direction {
                        Direction::Backward => (before, *was, other),
                        Direction::Forward => (after, *id, field),
                    };
                    let mut bytes = sample::required(pool, writer, &[field.number], 0)?;
                    bytes.extend(sample::enum_field(field, number));
                    let [one, two] = match direction {
                        Direction::Backward => [&sides[0], &sides[1]],
                        Direction::Forward => [&sides[1], &sides[0]],
                    };
                    let tried =
                        if effect == Effect::Warns { trial::json(one, two, &bytes)? } else { trial::wire(one, two, bytes.clone())? };
                    // An implicit field does not write its default, so such a number shows nothing.
                    if matches!(&tried.witness.read, Reading::As(read) if *read == tried.witness.meant) {
                        continue;
                    }
                    return Some((tried, trial::json_by_name(one, two, &bytes)));
                }
            }
            None
        };
        match found() {
            Some((tried, json)) => and_in_json(outcome(effect, rule, Some(tried.witness)), json),
            None => outcome(effect, rule, None),
        }
    }
}
