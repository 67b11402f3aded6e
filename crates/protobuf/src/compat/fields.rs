//! The fields of a message in two versions.

use std::collections::HashSet;

use polywire_core::schema::language::{Direction, Effect, Outcome, Rule};

use super::comparing::{Change, Comparing, and_in_json, outcome, warns, worst};
use super::trial::Side;
use super::trial::Tried;
use super::{rule, sample, trial};
use crate::model::{Cardinality, Default, Enum, Field, Kind, Message, MessageId, Pool, Presence};

/// Returns fields and extensions by number.
fn all(pool: &Pool, id: MessageId) -> Vec<&Field> {
    let message = &pool[id];
    message.fields.iter().chain(message.extensions.iter().map(|id| &pool[*id].field)).collect()
}

fn shown(pool: &Pool, field: &Field) -> String {
    let ty = |field: &Field| match field.kind {
        Kind::Enum(id) => pool[id].name.to_string(),
        Kind::Message(id) => pool[id].name.to_string(),
        Kind::Group(id) => format!("group {}", pool[id].name),
        scalar => scalar.name().to_string(),
    };
    match pool.map_entry(field) {
        Some((key, value)) => format!("map<{}, {}>", ty(key), ty(value)),
        None if field.cardinality == Cardinality::Repeated => format!("repeated {}", ty(field)),
        None => ty(field),
    }
}

/// Returns the rule for a type that changed, for maps that of their keys or values.
fn types(old: &Pool, before: &Field, new: &Pool, after: &Field) -> Rule {
    match (old.map_entry(before), new.map_entry(after)) {
        (Some((key, value)), Some((new_key, new_value))) => {
            let (one, other) = if key.kind == new_key.kind { (value.kind, new_value.kind) } else { (key.kind, new_key.kind) };
            if one.wire_type() == other.wire_type() { rule::of_types(one, other) } else { rule::WIRE_TYPE }
        }
        _ => rule::of_types(before.kind, after.kind),
    }
}

fn reserves(message: &Message, number: u32) -> bool {
    message.reserved.iter().any(|range| range.contains(&number))
}

impl Comparing<'_> {
    pub(super) fn fields(&mut self, old: MessageId, new: MessageId) {
        let (old_pool, new_pool) = (&self.old.pool, &self.new.pool);
        let (before, after) = (&old_pool[old], &new_pool[new]);
        let sides = self.sides(old, new);
        let (was, is) = (all(old_pool, old), all(new_pool, new));
        // Fields that changed their number, under either.
        let mut moved: HashSet<u32> = HashSet::new();
        for field in &is {
            match was.iter().find(|other| other.number == field.number) {
                Some(other) if other.name == field.name => self.field((old, other), (new, field), &sides),
                Some(other) => {
                    // Fields that changed places are reported once each, by their name.
                    let named = was.iter().find(|other| other.name == field.name);
                    if let Some(named) = named {
                        self.renumbered((old, named), (new, field), &sides);
                        moved.extend([field.number, named.number]);
                    } else {
                        self.renamed((old, other), (new, field), &sides);
                        self.field((old, other), (new, field), &sides);
                    }
                }
                None => match was.iter().find(|other| other.name == field.name) {
                    Some(named) => {
                        self.renumbered((old, named), (new, field), &sides);
                        moved.insert(named.number);
                    }
                    None => self.field_added((old, before), (new, field), &sides),
                },
            }
        }
        for field in &was {
            if !moved.contains(&field.number) && !is.iter().any(|other| other.number == field.number) {
                self.field_removed((old, field), (new, after), &sides);
            }
        }
        self.oneofs(old, new, &sides);
        self.reservations(before, after);
    }

    fn change(&self, kind: &'static str, message: String, old: (MessageId, Option<&Field>), new: (MessageId, Option<&Field>)) -> Change {
        let (before, after) = (&self.old.pool[old.0], &self.new.pool[new.0]);
        let name = new.1.or(old.1).map_or("", |field| &field.name[..]);
        Change {
            kind,
            root: after.name.to_string(),
            path: if name.is_empty() { after.name.to_string() } else { format!("{}.{name}", after.name) },
            message,
            old: old.1.and_then(|field| self.place(0, before.file, field.at)),
            new: new.1.and_then(|field| self.place(1, after.file, field.at)),
        }
    }

    /// Makes samples of a field of one version, as messages.
    fn samples(&self, direction: Direction, of: MessageId, field: &Field) -> Vec<Vec<u8>> {
        self.samples_of(direction, of, field, None, 0)
    }

    /// Makes samples with the numbers of another enum as well, and with messages nested `depth`
    /// deep.
    fn samples_of(&self, direction: Direction, of: MessageId, field: &Field, other: Option<&Enum>, depth: u32) -> Vec<Vec<u8>> {
        let pool = match direction {
            Direction::Backward => &self.old.pool,
            Direction::Forward => &self.new.pool,
        };
        let Some(required) = sample::required(pool, of, &[field.number], 0) else { return Vec::new() };
        sample::fields(pool, field, other, depth).into_iter().map(|field| [&required[..], &field].concat()).collect()
    }

    fn field(&mut self, old: (MessageId, &Field), new: (MessageId, &Field), sides: &[Side<'_>; 2]) {
        let (before, after) = (old.1, new.1);
        let (old_pool, new_pool) = (&self.old.pool, &self.new.pool);
        let paired = match (before.kind, after.kind) {
            (Kind::Enum(old), Kind::Enum(new)) => self.pairs.enums.get(&new) == Some(&old),
            (Kind::Message(old), Kind::Message(new)) | (Kind::Group(old), Kind::Group(new)) => {
                match (old_pool.map_entry(before), new_pool.map_entry(after)) {
                    (Some(was), Some(is)) => self.same_entries(was, is),
                    _ => self.pairs.messages.get(&new) == Some(&old),
                }
            }
            (one, other) => one == other,
        };
        let kind = match () {
            () if !paired => Some(("field_type_changed", types(old_pool, before, new_pool, after))),
            () if before.cardinality != after.cardinality => Some(("field_cardinality_changed", rule::CARDINALITY)),
            () if before.packed != after.packed => Some(("field_packing_changed", rule::CARDINALITY)),
            () if before.utf8 != after.utf8 => Some(("field_utf8_changed", rule::UTF8)),
            () => None,
        };
        if let Some((kind, rule)) = kind {
            let message = match kind {
                "field_packing_changed" => format!("`{}` is {}packed", after.name, if after.packed { "" } else { "not " }),
                "field_utf8_changed" => {
                    format!("the text of `{}` is {}checked to be UTF-8", after.name, if after.utf8 { "" } else { "not " })
                }
                _ => format!("`{}` was {} and is {}", after.name, shown(old_pool, before), shown(new_pool, after)),
            };
            let maps = old_pool.map_entry(before).is_some() && new_pool.map_entry(after).is_some();
            let rule = if before.kind.wire_type() != after.kind.wire_type() {
                rule::WIRE_TYPE
            } else if !paired && before.kind.message().is_some() && after.kind.message().is_some() && !maps {
                rule::SAME_TYPE
            } else {
                rule
            };
            let change = self.change(kind, message, (old.0, Some(before)), (new.0, Some(after)));
            let backward = self.read_by_other(Direction::Backward, old, new, sides, rule);
            let forward = self.read_by_other(Direction::Forward, old, new, sides, rule);
            self.findings.push(change.becomes(backward, forward));
        }
        self.required(old, new, sides);
        self.presence(old, new, paired);
        self.json_name(old, new, sides);
    }

    /// Returns whether the entries of two maps hold the same types.
    fn same_entries(&self, (key, value): (&Field, &Field), (new_key, new_value): (&Field, &Field)) -> bool {
        let same = |one: Kind, other: Kind| match (one, other) {
            (Kind::Enum(old), Kind::Enum(new)) => self.pairs.enums.get(&new) == Some(&old),
            (Kind::Message(old), Kind::Message(new)) => self.pairs.messages.get(&new) == Some(&old),
            (one, other) => one == other,
        };
        same(key.kind, new_key.kind) && same(value.kind, new_value.kind)
    }

    /// Gives the reader samples of a field that it has too: on the wire, and in JSON.
    fn read_by_other(
        &self,
        direction: Direction,
        old: (MessageId, &Field),
        new: (MessageId, &Field),
        sides: &[Side<'_>; 2],
        rule: Rule,
    ) -> Outcome {
        let ((of, writer), reader) = match direction {
            Direction::Backward => (old, new.1),
            Direction::Forward => (new, old.1),
        };
        let other = match (direction, reader.kind) {
            (Direction::Backward, Kind::Enum(id)) => Some(&self.new.pool[id]),
            (Direction::Forward, Kind::Enum(id)) => Some(&self.old.pool[id]),
            _ => None,
        };
        // Changes within messages are reported there.
        let within = match (old.1.kind.message(), new.1.kind.message()) {
            (Some(old), Some(new)) => self.pairs.messages.get(&new) == Some(&old),
            _ => false,
        };
        let samples = self.samples_of(direction, of, writer, other, u32::from(within));
        let (one, two) = match direction {
            Direction::Backward => (&sides[0], &sides[1]),
            Direction::Forward => (&sides[1], &sides[0]),
        };
        // Names are reported apart.
        let named = writer.json_name == reader.json_name;
        let in_json = || samples.iter().filter(|_| named).filter_map(|bytes| trial::json(one, two, bytes));
        if let Some(Tried { effect, witness }) = worst(samples.iter().filter_map(|bytes| self.try_both(sides, direction, bytes.clone()))) {
            let json = worst(in_json()).or_else(|| in_json().next());
            return and_in_json(outcome(effect, rule, Some(witness)), json);
        }
        match worst(in_json()) {
            Some(Tried { witness, .. }) => outcome(Effect::Warns, rule::NAMES, Some(witness)),
            None => Outcome::FINE,
        }
    }

    fn renamed(&mut self, old: (MessageId, &Field), new: (MessageId, &Field), sides: &[Side<'_>; 2]) {
        let message = format!("`{}` became `{}`", old.1.name, new.1.name);
        let change = self.change("field_renamed", message, (old.0, Some(old.1)), (new.0, Some(new.1)));
        let backward = self.in_json(Direction::Backward, old, new, sides);
        let forward = self.in_json(Direction::Forward, old, new, sides);
        self.findings.push(change.becomes(backward, forward));
    }

    /// Returns the outcomes of changed names in JSON.
    fn in_json(&self, direction: Direction, old: (MessageId, &Field), new: (MessageId, &Field), sides: &[Side<'_>; 2]) -> Outcome {
        let ((of, writer), one, two) = match direction {
            Direction::Backward => (old, &sides[0], &sides[1]),
            Direction::Forward => (new, &sides[1], &sides[0]),
        };
        let samples = self.samples(direction, of, writer);
        match samples.iter().find_map(|bytes| trial::json(one, two, bytes).filter(|tried| tried.effect != Effect::Fine)) {
            Some(Tried { effect: Effect::Misread, witness }) => outcome(Effect::Misread, rule::NAMES, Some(witness)),
            Some(Tried { witness, .. }) => outcome(Effect::Warns, rule::NAMES, Some(witness)),
            None if samples.is_empty() => warns(rule::NAMES),
            None => Outcome::FINE,
        }
    }

    fn json_name(&mut self, old: (MessageId, &Field), new: (MessageId, &Field), sides: &[Side<'_>; 2]) {
        if old.1.json_name == new.1.json_name || old.1.name != new.1.name {
            return;
        }
        let message = format!("in JSON, `{}` was `{}` and is `{}`", new.1.name, old.1.json_name, new.1.json_name);
        let change = self.change("json_name_changed", message, (old.0, Some(old.1)), (new.0, Some(new.1)));
        let backward = self.in_json(Direction::Backward, old, new, sides);
        let forward = self.in_json(Direction::Forward, old, new, sides);
        self.findings.push(change.becomes(backward, forward));
    }

    fn renumbered(&mut self, old: (MessageId, &Field), new: (MessageId, &Field), sides: &[Side<'_>; 2]) {
        let message = format!("`{}` had the number {} and has {}", new.1.name, old.1.number, new.1.number);
        let change = self.change("field_renumbered", message, (old.0, Some(old.1)), (new.0, Some(new.1)));
        let judge = |direction: Direction| {
            let (of, field) = match direction {
                Direction::Backward => old,
                Direction::Forward => new,
            };
            let samples = self.samples(direction, of, field);
            let (one, two) = match direction {
                Direction::Backward => (&sides[0], &sides[1]),
                Direction::Forward => (&sides[1], &sides[0]),
            };
            let in_json = || samples.iter().filter_map(|bytes| trial::json_by_name(one, two, bytes));
            let json = worst(in_json()).or_else(|| in_json().next());
            // A field that takes the same value is still not this field.
            let tried: Vec<Tried> = samples.iter().filter_map(|bytes| self.try_both(sides, direction, bytes.clone())).collect();
            let refused = tried.iter().any(|tried| tried.effect == Effect::Refused);
            let effect = if refused { Effect::Refused } else { Effect::Misread };
            let witness = tried.into_iter().find(|tried| !refused || tried.effect == Effect::Refused).map(|tried| tried.witness);
            and_in_json(outcome(effect, rule::NUMBERS, witness), json)
        };
        let (backward, forward) = (judge(Direction::Backward), judge(Direction::Forward));
        self.findings.push(change.becomes(backward, forward));
    }

    fn field_added(&mut self, old: (MessageId, &Message), new: (MessageId, &Field), sides: &[Side<'_>; 2]) {
        let field = new.1;
        let reused = reserves(old.1, field.number) || old.1.reserved_names.contains(&field.name);
        let (kind, what) =
            if reused { ("reserved_field_added", "was added with what had been reserved") } else { ("field_added", "was added") };
        let change = self.change(kind, format!("`{}` = {} {what}", field.name, field.number), (old.0, None), (new.0, Some(field)));
        let missing = self.missing(Direction::Backward, old.0, field, sides);
        let backward = missing.unwrap_or(if reused { warns(rule::RESERVED) } else { Outcome::FINE });
        self.findings.push(change.becomes(backward, Outcome::FINE));
    }

    fn field_removed(&mut self, old: (MessageId, &Field), new: (MessageId, &Message), sides: &[Side<'_>; 2]) {
        let field = old.1;
        let number = reserves(new.1, field.number) || new.1.extension_ranges.iter().any(|range| range.contains(&field.number));
        let message =
            format!("`{}` = {} was removed{}", field.name, field.number, if number { "" } else { ", and its number is not reserved" });
        let change = self.change("field_removed", message, (old.0, Some(field)), (new.0, None));
        let backward = if number { Outcome::FINE } else { warns(rule::RESERVE) };
        let forward = self.missing(Direction::Forward, new.0, field, sides).unwrap_or(Outcome::FINE);
        self.findings.push(change.becomes(backward, forward));
    }

    /// Returns the outcome for a reader that requires a field which the writer omits.
    fn missing(&self, direction: Direction, writer: MessageId, field: &Field, sides: &[Side<'_>; 2]) -> Option<Outcome> {
        if field.presence != Presence::Required {
            return None;
        }
        let (pool, one, two) = match direction {
            Direction::Backward => (&self.old.pool, &sides[0], &sides[1]),
            Direction::Forward => (&self.new.pool, &sides[1], &sides[0]),
        };
        let bytes = sample::required(pool, writer, &[field.number], 0)?;
        let Tried { effect, witness } = trial::strictly(one, two, bytes)?;
        Some(outcome(effect, rule::REQUIRED, Some(witness)))
    }

    fn required(&mut self, old: (MessageId, &Field), new: (MessageId, &Field), sides: &[Side<'_>; 2]) {
        let (was, is) = (old.1.presence == Presence::Required, new.1.presence == Presence::Required);
        if was == is {
            return;
        }
        let message = format!("`{}` is {}required", new.1.name, if is { "" } else { "not " });
        let change = self.change("field_required_changed", message, (old.0, Some(old.1)), (new.0, Some(new.1)));
        let backward = self.missing(Direction::Backward, old.0, new.1, sides).unwrap_or(Outcome::FINE);
        let forward = self.missing(Direction::Forward, new.0, old.1, sides).unwrap_or(Outcome::FINE);
        self.findings.push(change.becomes(backward, forward));
    }

    fn presence(&mut self, old: (MessageId, &Field), new: (MessageId, &Field), paired: bool) {
        let (before, after) = (old.1, new.1);
        let singular = before.cardinality == Cardinality::Singular && after.cardinality == Cardinality::Singular;
        let either = [before.presence, after.presence];
        if singular && before.presence != after.presence && either.contains(&Presence::Implicit) {
            let told = after.presence != Presence::Implicit;
            let message = format!("whether `{}` was set can {}be told", after.name, if told { "" } else { "not " });
            let change = self.change("field_presence_changed", message, (old.0, Some(before)), (new.0, Some(after)));
            self.findings.push(change.becomes(warns(rule::PRESENCE), warns(rule::PRESENCE)));
        }
        let shown = |pool: &Pool, field: &Field| match (&field.default, field.kind) {
            (Some(Default::Enum(number)), Kind::Enum(id)) => pool[id].by_number(*number).map(|value| value.name.to_string()),
            (Some(default), _) => Some(match default {
                Default::Double(value) => value.to_string(),
                Default::Float(value) => value.to_string(),
                Default::Int(value) => value.to_string(),
                Default::UInt(value) => value.to_string(),
                Default::Bool(value) => value.to_string(),
                Default::String(text) => format!("{text:?}"),
                Default::Bytes(bytes) => format!("{:?}", bytes.escape_ascii().to_string()),
                Default::Enum(number) => number.to_string(),
            }),
            (None, _) => None,
        };
        let defaults = (shown(&self.old.pool, before), shown(&self.new.pool, after));
        if let (Some(was), Some(is)) = defaults
            && was != is
            && paired
            && before.default != after.default
        {
            let message = format!("the default of `{}` was {was} and is {is}", after.name);
            let change = self.change("default_changed", message, (old.0, Some(before)), (new.0, Some(after)));
            self.findings.push(change.becomes(warns(rule::DEFAULTS), warns(rule::DEFAULTS)));
        }
    }

    /// Reports fields that are in one oneof in one version only, where a message may have both.
    fn oneofs(&mut self, old: MessageId, new: MessageId, sides: &[Side<'_>; 2]) {
        let (before, after) = (&self.old.pool[old], &self.new.pool[new]);
        let judge = |this: &Self, direction: Direction| -> Vec<(u32, u32, Outcome)> {
            let (writer, of, reader) = match direction {
                Direction::Backward => (before, old, after),
                Direction::Forward => (after, new, before),
            };
            let pool = if direction == Direction::Backward { &this.old.pool } else { &this.new.pool };
            let mut found = Vec::new();
            for oneof in &reader.oneofs {
                let fields: Vec<&Field> =
                    oneof.fields.iter().filter_map(|index| writer.by_number(reader.fields[*index as usize].number)).collect();
                let apart = fields.iter().enumerate().find_map(|(n, one)| {
                    let other = fields[n + 1..].iter().find(|other| one.oneof.is_none() || one.oneof != other.oneof)?;
                    Some((*one, *other))
                });
                let Some((one, other)) = apart else { continue };
                let sample = |field: &Field| sample::fields(pool, field, None, 0).into_iter().next();
                let bytes = sample::required(pool, of, &[one.number, other.number], 0)
                    .and_then(|required| Some([required, sample(one)?, sample(other)?].concat()));
                let tried = bytes.and_then(|bytes| this.try_both(sides, direction, bytes));
                let outcome = match tried {
                    Some(Tried { effect, witness }) => outcome(effect, rule::ONEOF, Some(witness)),
                    None => outcome(Effect::Misread, rule::ONEOF, None),
                };
                found.push((one.number, other.number, outcome));
            }
            found
        };
        let (backward, forward) = (judge(self, Direction::Backward), judge(self, Direction::Forward));
        for (direction, found) in [(Direction::Backward, backward), (Direction::Forward, forward)] {
            for (one, other, outcome) in found {
                let name = |number: u32| after.by_number(number).or(before.by_number(number)).map_or("", |field| &field.name[..]);
                let (together, both) = match direction {
                    Direction::Backward => ("are in one oneof", "set"),
                    Direction::Forward => ("are not in one oneof any more", "set"),
                };
                let message = format!("`{}` and `{}` {together}: a message may have both {both}", name(one), name(other));
                let change = self.change("oneof_changed", message, (old, before.by_number(one)), (new, after.by_number(one)));
                let finding = match direction {
                    Direction::Backward => change.becomes(outcome, Outcome::FINE),
                    Direction::Forward => change.becomes(Outcome::FINE, outcome),
                };
                self.findings.push(finding);
            }
        }
    }

    /// Reports numbers and names that may be used again.
    fn reservations(&mut self, before: &Message, after: &Message) {
        let numbers: Vec<String> = before
            .reserved
            .iter()
            .filter(|range| {
                // Ranges that are still reserved, or used again, are reported there.
                let mut number = range.start;
                while number < range.end {
                    match after.reserved.iter().find(|kept| kept.contains(&number)) {
                        Some(kept) => number = kept.end,
                        None if after.by_number(number).is_some() => number += 1,
                        None => return true,
                    }
                }
                false
            })
            .map(
                |range| {
                    if range.end - range.start == 1 { range.start.to_string() } else { format!("{} to {}", range.start, range.end - 1) }
                },
            )
            .collect();
        let names = before.reserved_names.iter().filter(|name| !after.reserved_names.contains(name) && after.by_name(name).is_none());
        let freed: Vec<String> = numbers.into_iter().chain(names.map(|name| format!("`{name}`"))).collect();
        if freed.is_empty() {
            return;
        }
        let change = Change {
            kind: "reservation_removed",
            root: after.name.to_string(),
            path: after.name.to_string(),
            message: format!("what was reserved is free: {}", freed.join(", ")),
            old: self.place(0, before.file, before.at),
            new: self.place(1, after.file, after.at),
        };
        self.findings.push(change.becomes(warns(rule::RESERVE), Outcome::FINE));
    }
}
