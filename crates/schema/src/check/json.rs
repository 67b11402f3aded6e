//! The verdict as JSON.

use polywire_core::schema::language::{self, Direction, Finding, Outcome, Reading};
use polywire_core::text::diagnostic::{Place, Source};
use serde::Serialize;

use super::spelling::{hex, position};
use super::{Pair, Verdict};

#[derive(Serialize)]
pub(super) struct Answer<'a> {
    holds: bool,
    directions: Vec<&'a str>,
    pairs: Vec<Versions<'a>>,
}

#[derive(Serialize)]
struct Versions<'a> {
    old: &'a str,
    new: &'a str,
    backward: &'a str,
    forward: &'a str,
    findings: Vec<Change<'a>>,
}

#[derive(Serialize)]
struct Change<'a> {
    kind: &'a str,
    root: &'a str,
    path: &'a str,
    message: &'a str,
    old: Option<At>,
    new: Option<At>,
    backward: Effect<'a>,
    forward: Effect<'a>,
}

#[derive(Serialize)]
struct At {
    file: String,
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct Effect<'a> {
    effect: &'a str,
    rule: Option<Rule<'a>>,
    witness: Option<Witness<'a>>,
    json: Option<InJson<'a>>,
}

/// The same in JSON, where the bytes of a message break.
#[derive(Serialize)]
struct InJson<'a> {
    effect: &'a str,
    witness: Option<Witness<'a>>,
}

#[derive(Serialize)]
struct Rule<'a> {
    id: &'a str,
    section: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct Witness<'a> {
    hex: String,
    means: &'a str,
    refused: Option<&'a str>,
    read_as: Option<&'a str>,
}

impl<'a> Answer<'a> {
    pub(super) fn of(verdict: &'a Verdict) -> Answer<'a> {
        Answer {
            holds: verdict.holds(),
            directions: verdict.directions.iter().map(|direction| direction.name()).collect(),
            pairs: verdict.pairs.iter().map(Versions::of).collect(),
        }
    }
}

impl<'a> Versions<'a> {
    fn of(pair: &'a Pair) -> Versions<'a> {
        let Pair { old, new, comparison } = pair;
        let findings = comparison.findings.iter().map(|finding| Change::of(finding, &comparison.old, &comparison.new));
        Versions {
            old,
            new,
            backward: comparison.effect(Direction::Backward).name(),
            forward: comparison.effect(Direction::Forward).name(),
            findings: findings.collect(),
        }
    }
}

impl<'a> Change<'a> {
    fn of(finding: &'a Finding, old: &[Source], new: &[Source]) -> Change<'a> {
        let Finding { kind, root, path, message, .. } = finding;
        Change {
            kind,
            root,
            path,
            message,
            old: At::of(old, finding.old),
            new: At::of(new, finding.new),
            backward: Effect::of(&finding.backward),
            forward: Effect::of(&finding.forward),
        }
    }
}

impl At {
    fn of(sources: &[Source], place: Option<Place>) -> Option<At> {
        position(sources, place).map(|(file, line, column)| At { file, line, column })
    }
}

impl<'a> Effect<'a> {
    fn of(outcome: &'a Outcome) -> Effect<'a> {
        let rule = outcome.rule.map(|rule| Rule { id: rule.id, section: rule.section, text: rule.text });
        let json = outcome.json.as_ref();
        let json = json.map(|json| InJson { effect: json.effect.name(), witness: json.witness.as_ref().map(Witness::of) });
        Effect { effect: outcome.effect.name(), rule, witness: outcome.witness.as_ref().map(Witness::of), json }
    }
}

impl<'a> Witness<'a> {
    fn of(witness: &'a language::Witness) -> Witness<'a> {
        let (refused, read_as) = match &witness.read {
            Reading::Refused(error) => (Some(error.as_str()), None),
            Reading::As(text) => (None, Some(text.as_str())),
        };
        Witness { hex: hex(&witness.bytes), means: &witness.meant, refused, read_as }
    }
}
