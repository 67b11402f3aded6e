//! The state of a comparison, and changes on their way to findings.

use std::collections::HashMap;

use polywire_core::schema::language::{Direction, Effect, Finding, Outcome, Reading, Rule};
use polywire_core::text::diagnostic::Place;

use super::sample::Wish;
use super::trial::Trial;
use super::types::Judged;
use crate::idl::model::Model;

/// A comparison of two versions.
pub(super) struct Comparing<'m> {
    pub old: &'m Model,
    pub new: &'m Model,
    /// Structs of both versions with the same name.
    pub pairs: Vec<[usize; 2]>,
    pub trial: Trial<'m>,
    pub findings: Vec<Finding>,
}

/// A change before its outcomes are known.
pub(super) struct Change {
    pub kind: &'static str,
    pub root: String,
    pub path: String,
    pub message: String,
    pub old: Option<Place>,
    pub new: Option<Place>,
}

/// An effect that a message may show.
pub(super) struct Claim {
    effect: Effect,
    rule: Option<Rule>,
    /// The structs of both versions, the field that shows it, and its values.
    shown: Option<([usize; 2], Option<i16>, Wish)>,
}

impl Claim {
    pub const FINE: Claim = Claim { effect: Effect::Fine, rule: None, shown: None };

    pub fn of(effect: Effect, rule: Rule) -> Claim {
        Claim { effect, rule: Some(rule), shown: None }
    }

    pub fn judged(judged: Option<Judged>, structs: [usize; 2], field: i16) -> Claim {
        judged.map_or(Claim::FINE, |judged| Claim::of(judged.effect, judged.rule).shown(structs, Some(field), judged.wish))
    }

    /// Adds what shows it: the field of that number in messages of structs, or, without a number,
    /// the field's absence.
    pub fn shown(self, structs: [usize; 2], field: Option<i16>, wish: Wish) -> Claim {
        Claim { shown: Some((structs, field, wish)), ..self }
    }
}

impl Comparing<'_> {
    /// Adds a finding. A message decides whether what it shows is refused or misread.
    pub fn add(&mut self, change: Change, backward: Claim, forward: Claim) {
        let mut outcome = |direction, claim: Claim| {
            let Claim { effect, rule, shown } = claim;
            let shown = shown.filter(|_| effect.breaks());
            let witness = shown.and_then(|(structs, field, wish)| self.trial.witness(direction, structs, field, wish));
            let effect = match witness.as_ref().map(|witness| &witness.read) {
                Some(Reading::Refused(_)) => Effect::Refused,
                Some(Reading::As(_)) => Effect::Misread,
                None => effect,
            };
            Outcome { effect, rule, witness, json: None }
        };
        let (backward, forward) = (outcome(Direction::Backward, backward), outcome(Direction::Forward, forward));
        let Change { kind, root, path, message, old, new } = change;
        self.findings.push(Finding { kind, root, path, message, old, new, backward, forward });
    }

    /// Adds a change of names, which messages do not have.
    pub fn add_named(&mut self, change: Change, rule: Rule) {
        self.add(change, Claim::of(Effect::Warns, rule), Claim::of(Effect::Warns, rule));
    }

    pub fn add_fine(&mut self, change: Change) {
        self.add(change, Claim::FINE, Claim::FINE);
    }
}

/// Returns the index of each name.
pub(super) fn by_name<'n>(names: impl Iterator<Item = &'n String>) -> HashMap<&'n str, usize> {
    names.enumerate().map(|(index, name)| (name.as_str(), index)).collect()
}
