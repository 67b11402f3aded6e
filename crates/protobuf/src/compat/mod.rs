//! Whether two versions of a schema go together: on the wire, and in JSON.
//!
//! Types are held against each other two by two, as `pairs` finds them. What may matter of a change is tried: `sample` makes messages of the writer's type, the
//! reader's side is given them (`trial`), and what it makes of them is the verdict.

mod enums;
mod fields;
mod pairs;
mod rule;
mod sample;
mod services;
mod trial;

use std::collections::HashSet;

use polywire_core::schema::language::{Comparison, Compatibility, Direction, Effect, Finding, Outcome, Rule, Version, Witness};
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place};

pub use rule::RULES;

use crate::language::Proto;
use crate::model::{FileId, MessageId, Pool, Span};
use crate::source::{Protos, read};
use pairs::Pairs;
use trial::{Side, Tried, Types};

impl Compatibility for Proto {
    fn compare(&self, old: Version<'_>, new: Version<'_>, root: Option<&str>) -> Result<Comparison, Diagnostics> {
        let old = read(&old.text, old.files)?;
        let new = read(&new.text, new.files)?;
        let unknown = |name: &str| old.pool.find(name).is_none() && new.pool.find(name).is_none();
        if let Some(name) = root.filter(|name| unknown(name)) {
            let names = new.pool.messages().iter().filter(|message| new.is_main(message.file) && !message.map_entry);
            let names: Vec<&str> = names.map(|message| &*message.name).collect();
            let finding = Diagnostic::error(
                "unbound_type",
                Place::default(),
                format!("no message is named `{name}`; there are {}", names.join(", ")),
            );
            return Err(Diagnostics { sources: new.sources, findings: vec![finding] });
        }
        Ok(compare(&old, &new, root))
    }
}

/// Compares two versions: the message of that name with all that it holds, or everything.
pub fn compare(old: &Protos, new: &Protos, root: Option<&str>) -> Comparison {
    let pairs = Pairs::new(old, new);
    let types = [Types::new(&old.pool), Types::new(&new.pool)];
    let held = old.pool.messages().iter().flat_map(|message| message.fields.iter().filter_map(|field| field.kind.message()));
    let mut comparing = Comparing { old, new, types: &types, pairs, held: held.collect(), findings: Vec::new() };
    let wanted = |pool: &Pool| root.map(|name| pool.find(name).map_or_else(HashSet::new, |id| reachable(pool, id)));
    let (before, after) = (wanted(&old.pool), wanted(&new.pool));
    let in_old = |id: MessageId| before.as_ref().map_or_else(|| old.is_main(old.pool[id].file), |wanted| wanted.contains(&id));
    let in_new = |id: MessageId| after.as_ref().map_or_else(|| new.is_main(new.pool[id].file), |wanted| wanted.contains(&id));
    // Entries of maps are told of at the fields that are maps.
    for id in new.pool.message_ids().filter(|id| in_new(*id) && !new.pool[*id].map_entry) {
        match comparing.pairs.messages.get(&id).copied() {
            Some(was) => comparing.messages(was, id),
            None => comparing.added(id),
        }
    }
    for id in old.pool.message_ids().filter(|id| in_old(*id) && !old.pool[*id].map_entry) {
        if !comparing.pairs.has_message(id) {
            comparing.removed(id);
        }
    }
    comparing.enums(after.as_ref());
    if root.is_none() {
        comparing.services();
    }
    let Comparing { findings, .. } = comparing;
    Comparison { old: old.sources.clone(), new: new.sources.clone(), findings }
}

/// A message and all that it holds.
fn reachable(pool: &Pool, root: MessageId) -> HashSet<MessageId> {
    let mut found = HashSet::from([root]);
    let mut due = vec![root];
    while let Some(id) = due.pop() {
        due.extend(pool[id].fields.iter().filter_map(|field| field.kind.message()).filter(|held| found.insert(*held)));
    }
    found
}

struct Comparing<'p> {
    old: &'p Protos,
    new: &'p Protos,
    /// Of the old version, and of the new.
    types: &'p [Types; 2],
    pairs: Pairs,
    /// Messages of the old version that fields hold.
    held: HashSet<MessageId>,
    findings: Vec<Finding>,
}

/// A change before its outcomes are known.
struct Change {
    kind: &'static str,
    root: String,
    path: String,
    message: String,
    old: Option<Place>,
    new: Option<Place>,
}

impl Change {
    fn becomes(self, backward: Outcome, forward: Outcome) -> Finding {
        let Change { kind, root, path, message, old, new } = self;
        Finding { kind, root, path, message, old, new, backward, forward }
    }
}

fn outcome(effect: Effect, rule: Rule, witness: Option<Witness>) -> Outcome {
    if effect == Effect::Fine { Outcome::FINE } else { Outcome { effect, rule: Some(rule), witness } }
}

fn warns(rule: Rule) -> Outcome {
    Outcome { effect: Effect::Warns, rule: Some(rule), witness: None }
}

/// The worst of several trials, the first of those; nothing if all were fine.
fn worst(trials: impl Iterator<Item = Tried>) -> Option<Tried> {
    let mut worst: Option<Tried> = None;
    for tried in trials.filter(|tried| tried.effect != Effect::Fine) {
        if worst.as_ref().is_none_or(|worst| worst.effect < tried.effect) {
            worst = Some(tried);
        }
    }
    worst
}

impl<'p> Comparing<'p> {
    fn place(&self, side: usize, file: FileId, at: Option<Span>) -> Option<Place> {
        [self.old, self.new][side].place(file, at)
    }

    /// Of the old version, and of the new.
    fn sides(&self, old: MessageId, new: MessageId) -> [Side<'p>; 2] {
        [self.types[0].side(old), self.types[1].side(new)]
    }

    fn messages(&mut self, old: MessageId, new: MessageId) {
        let (before, after) = (&self.old.pool[old], &self.new.pool[new]);
        let places = (self.place(0, before.file, before.at), self.place(1, after.file, after.at));
        if before.name != after.name {
            let change = Change {
                kind: "message_renamed",
                root: after.name.to_string(),
                path: after.name.to_string(),
                message: format!("message `{}` became `{}`", before.name, after.name),
                old: places.0,
                new: places.1,
            };
            self.findings.push(change.becomes(warns(rule::TYPE_NAMES), warns(rule::TYPE_NAMES)));
        }
        self.fields(old, new);
    }

    fn added(&mut self, id: MessageId) {
        let message = &self.new.pool[id];
        let change = Change {
            kind: "message_added",
            root: message.name.to_string(),
            path: message.name.to_string(),
            message: format!("message `{}` was added", message.name),
            old: None,
            new: self.place(1, message.file, message.at),
        };
        self.findings.push(change.becomes(Outcome::FINE, Outcome::FINE));
    }

    fn removed(&mut self, id: MessageId) {
        let message = &self.old.pool[id];
        let change = Change {
            kind: "message_removed",
            root: message.name.to_string(),
            path: message.name.to_string(),
            message: format!("message `{}` was removed", message.name),
            old: self.place(0, message.file, message.at),
            new: None,
        };
        // A type that fields hold is told of where these are; one that nothing holds is a message by itself.
        let backward = if self.held.contains(&id) { warns(rule::ANY_TYPE) } else { outcome(Effect::Refused, rule::ANY_TYPE, None) };
        self.findings.push(change.becomes(backward, Outcome::FINE));
    }

    /// What readers of each version make of messages of the other: backward, forward.
    fn try_both(&self, sides: &[Side<'_>; 2], direction: Direction, bytes: Vec<u8>) -> Option<Tried> {
        match direction {
            Direction::Backward => trial::wire(&sides[0], &sides[1], bytes),
            Direction::Forward => trial::wire(&sides[1], &sides[0], bytes),
        }
    }
}
