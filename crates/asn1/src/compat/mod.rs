//! Compatibility of two versions of a module, by the encoding rules.
//!
//! `changes` lists what changed, with its meaning in BER (and so DER and CER), PER, OER and JER;
//! `elements` knows that in XER, and `members` what encoding instructions change in JER.
//! This module makes findings of them. A witness is a message that one version's writer made and
//! the other version's reader read: `sample` makes the value, `trial` tries it.

mod changes;
mod elements;
mod members;
mod rule;
mod sample;
mod trial;

use std::collections::HashSet;
use std::sync::Arc;

use polywire_core::schema::language::{Comparison, Compatibility, Effect, Finding, Outcome, Reading, Version, Witness};
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place};
use polywire_core::{Limits, schema::language::Direction};

use crate::language::{Asn1, own, root};
use crate::load::load;
use crate::model::{Model, TypeId};
use changes::{Change, Changes, FINE, Verdicts};
use trial::{Encoding, Trial};

impl Compatibility for Asn1 {
    fn compare(&self, old: Version<'_>, new: Version<'_>, root: Option<&str>) -> Result<Comparison, Diagnostics> {
        let old = Arc::new(load(&old.text, old.files).resolve(&Limits::DEFAULT)?);
        let new = Arc::new(load(&new.text, new.files).resolve(&Limits::DEFAULT)?);
        compare(&old, &new, root)
    }
}

/// Compares two versions: the type with that name, or all types of both that are in no other type.
///
/// # Errors
/// No version has a type of that name.
pub fn compare(old: &Arc<Model>, new: &Arc<Model>, name: Option<&str>) -> Result<Comparison, Diagnostics> {
    let of = |model: &Model| -> Vec<(String, TypeId)> {
        let all = || own(model).map(|(_, name, id)| (name.to_string(), id));
        match name {
            Some(wanted) => all().filter(|(name, _)| name == wanted).collect(),
            None => {
                let first = root(model);
                let used = crate::language::used(model);
                let found: Vec<_> = all().filter(|(_, id)| !used.contains(id) || first == Some(*id)).collect();
                if found.is_empty() { all().collect() } else { found }
            }
        }
    };
    let (before, after) = (of(old), of(new));
    if let (Some(name), true, true) = (name, before.is_empty(), after.is_empty()) {
        let message = format!("no type is named `{name}`");
        let finding = Diagnostic::error("unbound_type", Place::default(), message);
        return Err(Diagnostics { sources: new.sources.clone(), findings: vec![finding] });
    }
    let find = |model: &Model, name: &str| own(model).find(|(_, known, _)| *known == name).map(|(_, _, id)| id);
    let mut findings = Vec::new();
    let mut done = HashSet::new();
    for (name, id) in &after {
        match find(old, name) {
            Some(was) => {
                done.insert(name.clone());
                pair(old, new, name, was, *id, &mut findings);
            }
            None => findings.push(lone(name, "type_added", "was added", None, Some(new.ty(*id).at), Outcome::FINE)),
        }
    }
    for (name, id) in before.iter().filter(|(name, _)| !done.contains(name)) {
        match find(new, name) {
            Some(is) => pair(old, new, name, *id, is, &mut findings),
            None => {
                let gone = Outcome { effect: Effect::Refused, rule: Some(rule::REMOVED), ..Outcome::FINE };
                findings.push(lone(name, "type_removed", "was removed", Some(old.ty(*id).at), None, gone));
            }
        }
    }
    Ok(Comparison { old: old.sources.clone(), new: new.sources.clone(), findings })
}

fn lone(name: &str, kind: &'static str, what: &str, old: Option<Place>, new: Option<Place>, backward: Outcome) -> Finding {
    let (root, message) = (name.to_string(), format!("type `{name}` {what}"));
    Finding { kind, path: root.clone(), root, message, old, new, backward, forward: Outcome::FINE }
}

/// Compares a type of both versions. A change that means the same in all encodings is one finding,
/// else those in which it means the same share one.
fn pair(old: &Arc<Model>, new: &Arc<Model>, name: &str, was: TypeId, is: TypeId, findings: &mut Vec<Finding>) {
    let changes = Changes::new(old, new).of(name, was, is);
    let mut trial = Trial::new([(old, was), (new, is)]);
    for change in changes {
        let Change { kind, path, message, at, verdicts, goal } = change;
        let groups = groups(&verdicts);
        for group in &groups {
            let encoding = group[0];
            let verdict = verdicts[encoding as usize];
            if elements::LONELY.contains(&kind) && verdict == [FINE; 2] {
                continue;
            }
            let mut outcome = |direction: Direction| {
                let (effect, rule) = verdict[direction as usize];
                let witness = if effect.breaks() { trial.witness(direction, encoding, &goal) } else { None };
                // A message that is refused is misread by nobody.
                let effect = match &witness {
                    Some(Witness { read: Reading::Refused(_), .. }) => Effect::Refused,
                    Some(Witness { read: Reading::As(_), .. }) => Effect::Misread,
                    None => effect,
                };
                Outcome { effect, rule, witness, json: None }
            };
            let (backward, forward) = (outcome(Direction::Backward), outcome(Direction::Forward));
            let message = if groups.len() == 1 { message.clone() } else { format!("{message}: in {}", shown(group)) };
            let (root, path) = (name.to_string(), path.clone());
            findings.push(Finding { kind, root, path, message, old: at[0], new: at[1], backward, forward });
        }
    }
}

/// Returns the encodings by what a change means in them. A misread is shown in each encoding by
/// itself, since it may turn out to be a refusal.
fn groups(verdicts: &Verdicts) -> Vec<Vec<Encoding>> {
    let mut groups: Vec<Vec<Encoding>> = Vec::new();
    for encoding in Encoding::ALL {
        let effects = |encoding: Encoding| verdicts[encoding as usize].map(|(effect, _)| effect);
        let own = effects(encoding);
        let certain = !own.contains(&Effect::Misread);
        match groups.iter_mut().find(|group| certain && effects(group[0]) == own) {
            Some(group) => group.push(encoding),
            None => groups.push(vec![encoding]),
        }
    }
    groups
}

fn shown(encodings: &[Encoding]) -> String {
    let names: Vec<&str> = encodings.iter().flat_map(|encoding| encoding.names()).copied().collect();
    match &names[..] {
        [names @ .., last] if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        names => names.join(", "),
    }
}
