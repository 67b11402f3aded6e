//! The state of a comparison, and changes on their way to findings.

use std::collections::HashSet;

use polywire_core::schema::language::{Direction, Effect, Finding, InJson, Outcome, Rule, Witness};
use polywire_core::text::diagnostic::Place;

use super::pairs::Pairs;
use super::trial::{self, Side, Tried, Types};
use crate::model::{FileId, MessageId, Span};
use crate::source::Protos;

/// A comparison of two versions.
pub(super) struct Comparing<'p> {
    pub(super) old: &'p Protos,
    pub(super) new: &'p Protos,
    /// Types of the old version, and of the new.
    pub(super) types: &'p [Types; 2],
    pub(super) pairs: Pairs,
    /// Messages of the old version that are types of fields.
    pub(super) held: HashSet<MessageId>,
    pub(super) findings: Vec<Finding>,
}

/// A change before its outcomes are known.
pub(super) struct Change {
    pub(super) kind: &'static str,
    pub(super) root: String,
    pub(super) path: String,
    pub(super) message: String,
    pub(super) old: Option<Place>,
    pub(super) new: Option<Place>,
}

impl Change {
    pub(super) fn becomes(self, backward: Outcome, forward: Outcome) -> Finding {
        let Change { kind, root, path, message, old, new } = self;
        Finding { kind, root, path, message, old, new, backward, forward }
    }
}

pub(super) fn outcome(effect: Effect, rule: Rule, witness: Option<Witness>) -> Outcome {
    if effect == Effect::Fine { Outcome::FINE } else { Outcome { effect, rule: Some(rule), witness, json: None } }
}

pub(super) fn warns(rule: Rule) -> Outcome {
    Outcome { effect: Effect::Warns, rule: Some(rule), witness: None, json: None }
}

/// Returns the worst of several trials, the first of equals, or `None` if all were fine.
pub(super) fn worst(trials: impl Iterator<Item = Tried>) -> Option<Tried> {
    let mut worst: Option<Tried> = None;
    for tried in trials.filter(|tried| tried.effect != Effect::Fine) {
        if worst.as_ref().is_none_or(|worst| worst.effect < tried.effect) {
            worst = Some(tried);
        }
    }
    worst
}

/// Adds the result in JSON to an outcome that breaks the wire.
pub(super) fn and_in_json(outcome: Outcome, tried: Option<Tried>) -> Outcome {
    let json = tried.filter(|_| outcome.effect.breaks()).map(|Tried { effect, witness }| {
        let witness = (effect != Effect::Fine).then_some(witness);
        Box::new(InJson { effect, witness })
    });
    Outcome { json, ..outcome }
}

impl<'p> Comparing<'p> {
    pub(super) fn place(&self, side: usize, file: FileId, at: Option<Span>) -> Option<Place> {
        [self.old, self.new][side].place(file, at)
    }

    /// Returns both versions of a message.
    pub(super) fn sides(&self, old: MessageId, new: MessageId) -> [Side<'p>; 2] {
        [self.types[0].side(old), self.types[1].side(new)]
    }

    /// Gives a message of one version to readers of the other.
    pub(super) fn try_both(&self, sides: &[Side<'_>; 2], direction: Direction, bytes: Vec<u8>) -> Option<Tried> {
        match direction {
            Direction::Backward => trial::wire(&sides[0], &sides[1], bytes),
            Direction::Forward => trial::wire(&sides[1], &sides[0], bytes),
        }
    }
}
