//! Compatibility of two versions of a protocol: the table and the mechanical check of
//! docs/spec/extprot.md 7.
//!
//! - `changes` lists the changes from the old version to the new one, by position.
//! - `reads` lists what a reader of one version misreads or refuses, each with a value that shows
//!   it.
//! - This module pairs the two, encodes the values, and has the reader decode them.

mod changes;
mod notation;
mod reads;
mod rule;
mod sample;

use std::sync::Arc;

use polywire_core::schema::language::{Comparison, Compatibility, Direction, Effect, Finding, Outcome, Reading, Version, Witness};
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place};

pub use rule::RULES;

use crate::language::Extprot;
use crate::model::{Declaration, Kind, NodeId, Protocol};
use crate::plan::Plan;
use crate::protocol::compile_as;
use crate::walk::ExtprotReader;
use changes::Change;
use reads::{Failure, TypeStep};
use sample::Sample;

/// Compares two versions of a protocol: the message with that name, or all messages of both.
///
/// A message that only one version declares is a finding of its own.
pub fn compare(old: &Protocol, new: &Protocol, message: Option<&str>) -> Comparison {
    let mut findings = Vec::new();
    let wanted = |declaration: &Declaration| message.is_none_or(|name| name == declaration.name);
    for (declaration, node) in new.messages().filter(|(declaration, _)| wanted(declaration)) {
        match old.message(&declaration.name) {
            Some(before) => {
                let name = &declaration.name;
                let mut pair = Pair { old, new, before, after: node, readers: [reader(old, name), reader(new, name)] };
                pair.compare(declaration, &mut findings);
                findings.extend(pair.view(declaration));
            }
            None => findings.push(lone(declaration, "message_added", "was added", None)),
        }
    }
    for (declaration, _) in old.messages().filter(|(declaration, _)| wanted(declaration) && new.message(&declaration.name).is_none()) {
        findings.push(lone(declaration, "message_removed", "was removed", Some(declaration.at)));
    }
    Comparison { old: old.sources().to_vec(), new: new.sources().to_vec(), findings }
}

impl Compatibility for Extprot {
    fn compare(&self, old: Version<'_>, new: Version<'_>, root: Option<&str>) -> Result<Comparison, Diagnostics> {
        let old = compile_as(old.text.name, old.text.bytes, old.text.identity, old.files)?;
        let new = compile_as(new.text.name, new.text.bytes, new.text.identity, new.files)?;
        if let Some(name) = root.filter(|name| old.message(name).is_none() && new.message(name).is_none()) {
            let names: Vec<&str> = new.messages().map(|(declaration, _)| declaration.name.as_str()).collect();
            let message = format!("no message is named `{name}`; there are {}", names.join(", "));
            let finding = Diagnostic::error("unbound_type", Place::default(), message);
            return Err(Diagnostics { sources: new.sources().to_vec(), findings: vec![finding] });
        }
        Ok(compare(&old, &new, root))
    }
}

/// Reports a message that only one version has; `old` is its place if that is the old version.
fn lone(declaration: &Declaration, kind: &'static str, what: &str, old: Option<Place>) -> Finding {
    let gone = Outcome { effect: Effect::Refused, rule: Some(rule::REMOVED), witness: None, json: None };
    Finding {
        kind,
        root: declaration.name.clone(),
        path: declaration.name.clone(),
        message: format!("message `{}` {what}", declaration.name),
        old,
        new: if old.is_some() { None } else { Some(declaration.at) },
        backward: if old.is_some() { gone } else { Outcome::FINE },
        forward: Outcome::FINE,
    }
}

/// Returns a reader of a message, or `None` if the message contains messages of other modules.
fn reader(protocol: &Protocol, message: &str) -> Option<ExtprotReader> {
    let plan = Plan::new(protocol, Some(message)).ok()?;
    Some(ExtprotReader::new(Arc::new(plan)).unknown(false))
}

struct Pair<'p> {
    old: &'p Protocol,
    new: &'p Protocol,
    before: NodeId,
    after: NodeId,
    /// Reader of the old version, and reader of the new one.
    readers: [Option<ExtprotReader>; 2],
}

impl Pair<'_> {
    fn compare(&mut self, declaration: &Declaration, findings: &mut Vec<Finding>) {
        let name = &declaration.name;
        let was = self.old.declaration(name).map(|old| self.old[old].at);
        let changes = changes::changes(self.old, self.new, self.before, self.after, name, (was, Some(declaration.at)));
        let found = [reads::reads(self.new, self.old, self.after, self.before), reads::reads(self.old, self.new, self.before, self.after)];
        let mut outcomes: Vec<[Option<&Failure>; 2]> = vec![[None; 2]; changes.len()];
        let mut unexplained: Vec<[Option<&Failure>; 2]> = Vec::new();
        for (direction, failures) in found.iter().enumerate() {
            for failure in failures {
                let slot = match explain(&changes, failure, Direction::ALL[direction]) {
                    Some(change) => &mut outcomes[change][direction],
                    None => {
                        unexplained.push([None; 2]);
                        let last = unexplained.len() - 1;
                        &mut unexplained[last][direction]
                    }
                };
                if slot.is_none_or(|before| before.effect < failure.effect) {
                    *slot = Some(failure);
                }
            }
        }
        for (change, outcome) in changes.into_iter().zip(outcomes) {
            let [backward, forward] = self.outcomes(outcome, change.warns.then_some(change.kind));
            let Change { kind, path, message, old_at, new_at, .. } = change;
            findings.push(Finding { kind, root: name.clone(), path, message, old: old_at, new: new_at, backward, forward });
        }
        for outcome in unexplained {
            let [backward, forward] = self.outcomes(outcome, None);
            findings.push(Finding {
                kind: "field_type_changed",
                root: name.clone(),
                path: name.clone(),
                message: "a type within changed".into(),
                old: was,
                new: Some(declaration.at),
                backward,
                forward,
            });
        }
    }

    /// Checks a view, which has no messages of its own, but readers: whether they read the other
    /// version's messages of its source. The verdict does not depend on views, since
    /// docs/spec/extprot.md 7 does not compare them.
    fn view(&mut self, declaration: &Declaration) -> Option<Finding> {
        let (Kind::Subset(was), Kind::Subset(is)) = (&self.old[self.before].kind, &self.new[self.after].kind) else { return None };
        let (old_source, new_source) = (was.source, is.source);
        let backward = reads::reads(self.new, self.old, self.after, old_source).into_iter().find(|failure| failure.effect.breaks());
        let forward = reads::reads(self.old, self.new, self.before, new_source).into_iter().find(|failure| failure.effect.breaks());
        if backward.is_none() && forward.is_none() {
            return None;
        }
        let readers = &mut self.readers;
        let mut of = |(protocol, source, into): (&Protocol, NodeId, usize), failure: Option<Failure>| {
            let Some(failure) = failure else { return Outcome::FINE };
            let mut writer = reader(protocol, &protocol.type_name(source));
            let witness = failure.value.and_then(|value| shown(protocol, source, &value, writer.as_mut()?, readers[into].as_mut()?));
            Outcome { effect: Effect::Warns, rule: Some(rule::VIEW), witness, json: None }
        };
        let backward = of((self.old, old_source, 1), backward);
        let forward = of((self.new, new_source, 0), forward);
        let name = &declaration.name;
        Some(Finding {
            kind: "field_type_changed",
            root: name.clone(),
            path: name.clone(),
            message: format!("`{name}` does not read all messages of `{}`, which it views", self.new.type_name(new_source)),
            old: self.old.declaration(name).map(|old| self.old[old].at),
            new: Some(declaration.at),
            backward,
            forward,
        })
    }

    fn outcomes(&mut self, failures: [Option<&Failure>; 2], warns: Option<&'static str>) -> [Outcome; 2] {
        let mut of = |direction: Direction, failure: Option<&Failure>| match failure {
            Some(failure) => {
                Outcome { effect: failure.effect, rule: Some(failure.rule), witness: self.witness(direction, failure), json: None }
            }
            None => match warns {
                Some("default_changed") => Outcome { effect: Effect::Warns, rule: Some(rule::DEFAULTS), witness: None, json: None },
                Some(_) => Outcome { effect: Effect::Warns, rule: Some(rule::NAMES), witness: None, json: None },
                None => Outcome::FINE,
            },
        };
        [of(Direction::Backward, failures[0]), of(Direction::Forward, failures[1])]
    }

    /// Encodes the value as a message, and has the reader decode it.
    fn witness(&mut self, direction: Direction, failure: &Failure) -> Option<Witness> {
        let [old, new] = &mut self.readers;
        let (protocol, node, writer, reader) = match direction {
            Direction::Backward => (self.old, self.before, old, new),
            Direction::Forward => (self.new, self.after, new, old),
        };
        shown(protocol, node, failure.value.as_ref()?, writer.as_mut()?, reader.as_mut()?)
    }
}

/// Returns a value of type `node` as `writer` means it, and as `reader` decodes its bytes.
fn shown(protocol: &Protocol, node: NodeId, value: &Sample, writer: &mut ExtprotReader, reader: &mut ExtprotReader) -> Option<Witness> {
    let mut bytes = Vec::new();
    sample::encode(protocol, node, value, &mut bytes);
    let meant = notation::read(writer, &bytes).ok()?;
    let read = match notation::read(reader, &bytes) {
        Ok(text) => Reading::As(text),
        Err(error) => Reading::Refused(error),
    };
    Some(Witness { bytes, meant, read })
}

/// Returns the change that explains a failure: the one at its position, or else the nearest around
/// it.
fn explain(changes: &[Change], failure: &Failure, direction: Direction) -> Option<usize> {
    let of_writer = |change: &Change| match direction {
        Direction::Backward => change.old.clone(),
        Direction::Forward => change.new.clone(),
    };
    let of_reader = |change: &Change| match direction {
        Direction::Backward => change.new.clone(),
        Direction::Forward => change.old.clone(),
    };
    // A changed name explains a failure only if a value is taken for another one.
    let fits = |change: &Change| !change.warns || failure.effect != Effect::Refused && failure.rule != rule::RANGE;
    let same = |path: Option<Vec<TypeStep>>, steps: &[TypeStep]| path.is_some_and(|path| path == steps);
    let within = |change: &Change| of_writer(change).filter(|path| failure.writer.starts_with(path)).map(|path| path.len());
    let fitting = || changes.iter().enumerate().filter(|(_, change)| fits(change));
    fitting()
        .find(|(_, change)| same(of_writer(change), &failure.writer))
        .or_else(|| fitting().find(|(_, change)| same(of_reader(change), &failure.reader)))
        .or_else(|| {
            let around = fitting().filter_map(|(n, change)| Some((within(change)?, n, change)));
            around.max_by_key(|(length, n, _)| (*length, usize::MAX - n)).map(|(_, n, change)| (n, change))
        })
        .map(|(n, _)| n)
}
