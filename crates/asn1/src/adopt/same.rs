//! Comparison of types of two models by the bytes of their values.

use std::collections::HashSet;

use crate::model::{Addition, Component, Kind, Model, Presence, TypeId};

/// Returns the types below two types in pairs if their values have the same bytes in all encodings
/// but those that write names.
pub(super) fn same(one: (&Model, TypeId), other: (&Model, TypeId)) -> Option<Vec<(TypeId, TypeId)>> {
    let (mut seen, mut pairs) = (HashSet::new(), Vec::new());
    let mut due = vec![(one.1, other.1)];
    while let Some(pair) = due.pop() {
        if !seen.insert(pair) {
            continue;
        }
        pairs.push(pair);
        let (left, right) = (one.0.ty(pair.0), other.0.ty(pair.1));
        let alike = left.tags == right.tags && left.constraints == right.constraints && left.contents.is_none() && left.table.is_none();
        if !alike || !kinds(&left.kind, &right.kind, &mut due) {
            return None;
        }
    }
    Some(pairs)
}

/// Compares two kinds, and adds their parts to those that are due.
fn kinds(left: &Kind, right: &Kind, due: &mut Vec<(TypeId, TypeId)>) -> bool {
    match (left, right) {
        (Kind::Sequence(left), Kind::Sequence(right)) => {
            let mut pairs = left.root.iter().zip(&right.root);
            left.root.len() == right.root.len()
                && left.extensible == right.extensible
                && !left.additions.iter().any(|addition| matches!(addition, Addition::Component(_) | Addition::Group(..)))
                && pairs.all(|(left, right)| components(left, right, due))
        }
        (Kind::Choice(left), Kind::Choice(right)) => {
            due.extend(left.root.iter().zip(&right.root).map(|(left, right)| (left.ty, right.ty)));
            left.root.len() == right.root.len() && left.extensible == right.extensible && left.additions.is_empty()
        }
        (Kind::SequenceOf(left), Kind::SequenceOf(right)) => {
            due.push((*left, *right));
            true
        }
        (Kind::Enumerated(left), Kind::Enumerated(right)) => {
            left.root.iter().map(|(_, number)| number).eq(right.root.iter().map(|(_, number)| number))
                && left.extensible == right.extensible
                && left.additions.is_empty()
        }
        (Kind::Text(left), Kind::Text(right)) => left == right,
        (Kind::Null, Kind::Null)
        | (Kind::Boolean, Kind::Boolean)
        | (Kind::Real, Kind::Real)
        | (Kind::Integer(_), Kind::Integer(_))
        | (Kind::Octets, Kind::Octets) => true,
        _ => false,
    }
}

fn components(left: &Component, right: &Component, due: &mut Vec<(TypeId, TypeId)>) -> bool {
    due.push((left.ty, right.ty));
    matches!((&left.presence, &right.presence), (Presence::Required, Presence::Required) | (Presence::Optional, Presence::Optional))
}
