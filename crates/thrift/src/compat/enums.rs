//! Enums: the meaning of their numbers to the other version.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use polywire_core::schema::language::{Direction, Effect};
use polywire_core::text::diagnostic::Place;

use super::comparing::{Change, Claim, Comparing};
use super::rule;
use super::sample::{Wish, holds};
use crate::idl::model::{Enum, Member};

/// Members of an enum by number, and all names.
struct Known<'m> {
    by_number: BTreeMap<i32, Vec<&'m Member>>,
    names: HashSet<&'m str>,
}

impl<'m> Known<'m> {
    fn new(of: &'m Enum) -> Known<'m> {
        let mut known = Known { by_number: BTreeMap::new(), names: of.members.iter().map(|member| &*member.name).collect() };
        of.members.iter().for_each(|member| known.by_number.entry(member.number).or_default().push(member));
        known
    }

    fn names(&self, number: i32) -> Vec<&'m str> {
        self.by_number.get(&number).into_iter().flatten().map(|member| &*member.name).collect()
    }

    fn at(&self, number: i32) -> Option<Place> {
        self.by_number.get(&number)?.first().map(|member| member.at)
    }
}

impl Comparing<'_> {
    pub(super) fn enums(&mut self, name: &str, ids: [Option<usize>; 2]) {
        let (before, after) = (ids[0].map(|id| &self.old.enums[id]), ids[1].map(|id| &self.new.enums[id]));
        let change = |kind, message| Change {
            kind,
            root: name.to_string(),
            path: name.to_string(),
            message,
            old: before.map(|of| of.at),
            new: after.map(|of| of.at),
        };
        match ids {
            [Some(was), Some(is)] => self.values(name, [was, is]),
            // Fields that had it are found by themselves.
            [Some(_), None] => self.add_named(change("enum_removed", format!("enum `{name}` was removed")), rule::NAMES),
            _ => self.add_fine(change("enum_added", format!("enum `{name}` was added"))),
        }
    }

    fn values(&mut self, name: &str, ids: [usize; 2]) {
        let (before, after) = (Known::new(&self.old.enums[ids[0]]), Known::new(&self.new.enums[ids[1]]));
        let numbers: BTreeSet<i32> = before.by_number.keys().chain(after.by_number.keys()).copied().collect();
        for number in numbers {
            let (was, is) = (before.names(number), after.names(number));
            if was.iter().any(|name| is.contains(name)) {
                continue;
            }
            let moved = was.iter().any(|name| after.names.contains(name)) || is.iter().any(|name| before.names.contains(name));
            let shown = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let (kind, message) = match (&was[..], &is[..]) {
                ([], is) if moved => ("enum_value_renumbered", format!("{} has the number {number}", shown(is))),
                (was, []) if moved => ("enum_value_renumbered", format!("{} had the number {number}", shown(was))),
                ([], is) => ("enum_value_added", format!("the value {} = {number} was added", shown(is))),
                (was, []) => ("enum_value_removed", format!("the value {} = {number} was removed", shown(was))),
                (was, is) if moved => ("enum_value_renumbered", format!("number {number} was {} and is {}", shown(was), shown(is))),
                (was, is) => ("enum_value_renamed", format!("the value {} = {number} became {}", shown(was), shown(is))),
            };
            let change = Change {
                kind,
                root: name.to_string(),
                path: format!("{name}.{}", is.first().or(was.first()).unwrap_or(&"")),
                message,
                old: before.at(number),
                new: after.at(number),
            };
            let claim = |writer: &[&str], reader: &[&str], direction| match (writer, reader) {
                ([], _) => Claim::FINE,
                (_, [_, ..]) if !moved => Claim::of(Effect::Warns, rule::NAMES),
                _ => self.number(ids, direction, number),
            };
            let (backward, forward) = (claim(&was, &is, Direction::Backward), claim(&is, &was, Direction::Forward));
            self.add(change, backward, forward);
        }
    }

    /// Returns the claim that a number is misread, in a field that both versions have.
    fn number(&self, ids: [usize; 2], direction: Direction, number: i32) -> Claim {
        let claim = Claim::of(Effect::Misread, rule::ENUM_NUMBERS);
        let of = ids[direction as usize];
        let wish = Wish { number: Some((of, number)), ..Wish::default() };
        for pair in &self.pairs {
            let (before, after) = (&self.old.structs[pair[0]], &self.new.structs[pair[1]]);
            let shared = before.fields.iter().find(|field| {
                holds(&field.ty, ids[0]) && after.fields.iter().any(|other| other.id == field.id && holds(&other.ty, ids[1]))
            });
            if let Some(field) = shared {
                return claim.shown(*pair, Some(field.id), wish);
            }
        }
        claim
    }
}
