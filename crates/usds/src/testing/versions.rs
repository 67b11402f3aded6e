//! Two versions of a dictionary: verdicts compared with documents, and random changes.

use polywire_core::schema::language::SchemaText;
use polywire_core::schema::language::{Comparison, Direction, Effect, Reading};

use fastrand::Rng;

use super::random::document;
use crate::compat::{Side, roles};
use crate::compat::{Tags, Trial, compare};
use crate::dictionary::{Dictionary, Field, Tag, Type};
use crate::document::Form;
use crate::wire::codes::Simple;

/// Splits the bytes into two texts at a zero byte. If both are dictionaries, their comparison must
/// hold for documents.
///
/// # Panics
/// It does not hold.
pub fn versions(bytes: &[u8]) {
    let Some(middle) = bytes.iter().position(|byte| *byte == 0) else { return };
    let (old, new) = (&bytes[..middle], &bytes[middle + 1..]);
    if Dictionary::parse("old", old).is_ok() && Dictionary::parse("new", new).is_ok() {
        held(old, new, &mut Rng::with_seed(bytes.len() as u64));
    }
}

/// Compares two dictionaries, and checks the verdict with documents of both.
///
/// # Panics
/// A document is misread without a finding, or a witness does not show its finding.
pub fn held(old: &[u8], new: &[u8], rng: &mut Rng) -> Comparison {
    let text = |name, bytes| SchemaText { name, bytes, identity: "" };
    let (old, new) = (text("old", old), text("new", new));
    let found = compare(old, new, None).unwrap_or_else(|found| panic!("{found}"));
    let sides = [old, new].map(|text| Side::new(text.name, text.bytes, None).unwrap_or_else(|found| panic!("{found}")));
    let tags = Tags::of(&sides[0], &sides[1]);
    let mut trial = Trial::new([&sides[0], &sides[1]], &tags);
    let about = || format!("{}\n{}\n{:#?}", sides[0].source.text, sides[1].source.text, found.findings);
    for direction in Direction::ALL {
        let mut broken = false;
        for finding in &found.findings {
            let outcome = finding.outcome(direction);
            // Bodies do not depend on heads.
            broken |= outcome.effect.breaks() && !finding.kind.starts_with("identity");
            match (outcome.effect, outcome.witness.as_ref().map(|witness| &witness.read)) {
                (Effect::Fine | Effect::Warns, None)
                | (Effect::Misread, Some(Reading::As(_)))
                | (Effect::Refused, Some(Reading::Refused(_))) => {}
                // For large dictionaries, the number of samples is limited.
                (Effect::Refused, None) if old.bytes.len().max(new.bytes.len()) > 2000 => {}
                other => panic!("{direction:?} {}: {other:?} of\n{}", finding.path, about()),
            }
        }
        let writer = &sides[roles(direction)[0]];
        for _ in 0..if broken { 0 } else { 20 } {
            let Some(document) = document(rng, &writer.dictionary) else { break };
            if let Some(tried) = trial.run(direction, &document, Form::Body) {
                assert!(tried.as_meant, "{direction:?}: {:?} of\n{}", tried.witness, about());
            }
        }
    }
    found
}

/// Changes a part of a dictionary. The result may be invalid.
pub fn change(rng: &mut Rng, tags: &mut Vec<Tag>) {
    match rng.u8(..12) {
        0 => {
            let (one, other) = (rng.usize(..tags.len()), rng.usize(..tags.len()));
            tags.swap(one, other);
        }
        1 => {
            let ty = some(rng, tags.len() as u32);
            tags.push(Tag { name: format!("N{}", rng.u16(..)), ty: Type::Structure(vec![field(rng, ty)]), root: true });
        }
        2 if tags.len() > 1 => drop(tags.pop()),
        3 => {
            let at = rng.usize(..tags.len());
            tags[at].name = format!("R{}", rng.u16(..));
        }
        _ => {
            let count = tags.len() as u32;
            let at = rng.usize(..tags.len());
            retype(rng, &mut tags[at].ty, count);
        }
    }
}

fn field(rng: &mut Rng, ty: Type) -> Field {
    Field { name: format!("n{}", rng.u16(..)), ty, nullable: rng.bool(), default: None }
}

fn some(rng: &mut Rng, count: u32) -> Type {
    match rng.u8(..8) {
        0 => Type::Text { utf8: rng.bool() },
        1 => Type::Array(Box::new(some(rng, count))),
        2 => Type::Link(rng.u32(1..=count)),
        _ => Type::Simple(Simple::ALL[rng.usize(..Simple::ALL.len())]),
    }
}

fn retype(rng: &mut Rng, ty: &mut Type, count: u32) {
    match ty {
        Type::Structure(fields) => {
            let at = rng.usize(..fields.len());
            match rng.u8(..9) {
                0 => {
                    let ty = some(rng, count);
                    fields.push(field(rng, ty));
                }
                1 => {
                    let ty = some(rng, count);
                    fields.insert(at, field(rng, ty));
                }
                2 if fields.len() > 1 => drop(fields.remove(at)),
                3 => {
                    let other = rng.usize(..fields.len());
                    fields.swap(at, other);
                }
                4 => fields[at].name = format!("r{}", rng.u16(..)),
                5 => {
                    fields[at].nullable = !fields[at].nullable;
                    fields[at].default = None;
                }
                _ => {
                    fields[at].default = None;
                    retype(rng, &mut fields[at].ty, count);
                }
            }
        }
        Type::Array(element) if rng.bool() => retype(rng, element, count),
        Type::Enumeration(enumeration) => match rng.u8(..4) {
            0 => enumeration.members.push((format!("m{}", rng.u16(..)), rng.i64(0..100))),
            1 if enumeration.members.len() > 1 => drop(enumeration.members.remove(0)),
            2 => enumeration.members[0].1 = rng.i64(0..100),
            _ => enumeration.subtype = Simple::ALL[rng.usize(..Simple::ALL.len())],
        },
        Type::Polymorph(members) if rng.bool() => match members.iter().position(|_| rng.bool()) {
            Some(at) if members.len() > 1 => drop(members.remove(at)),
            _ => members.push(rng.u32(1..=count)),
        },
        Type::Text { utf8 } if rng.bool() => *utf8 = !*utf8,
        _ => *ty = some(rng, count),
    }
}
