//! Matching of the parts of two versions: by name, and otherwise by the place on the wire.

use std::collections::HashMap;

use super::side::Side;
use crate::dictionary::{Enumeration, Field, Type};

/// The tags of both versions, matched.
#[derive(Debug)]
pub(crate) struct Tags {
    /// Id in the new version of each old tag; the index is the old id minus 1.
    pub(super) new: Vec<Option<u32>>,
    /// Id in the old version of each new tag; the index is the new id minus 1.
    pub(super) old: Vec<Option<u32>>,
}

impl Tags {
    pub(crate) fn of(old: &Side, new: &Side) -> Tags {
        let mut tags = Tags { new: vec![None; old.dictionary.tags().len()], old: vec![None; new.dictionary.tags().len()] };
        for (tag, id) in old.dictionary.tags().iter().zip(1..) {
            if let Some(other) = new.dictionary.tag_id(&tag.name) {
                tags.pair(id, other);
            }
        }
        for id in old.ids().filter(|id| new.ids().contains(id)) {
            let free = tags.new[id as usize - 1].is_none() && tags.old[id as usize - 1].is_none();
            if free && is_alike(old, old.tag_type(id), new, new.tag_type(id)) {
                tags.pair(id, id);
            }
        }
        tags
    }

    fn pair(&mut self, old: u32, new: u32) {
        self.new[old as usize - 1] = Some(new);
        self.old[new as usize - 1] = Some(old);
    }

    /// Returns the matching tag of the other version.
    pub(super) fn other(&self, is_old: bool, id: u32) -> Option<u32> {
        *(if is_old { &self.new } else { &self.old }).get((id as usize).checked_sub(1)?)?
    }
}

/// Returns, for each field of the new structure, the position of the matching old field.
pub(super) fn fields(old: &Side, before: &[Field], new: &Side, after: &[Field]) -> Vec<Option<u32>> {
    let positions: HashMap<&str, u32> = before.iter().zip(0..).map(|(field, n)| (field.name.as_str(), n)).collect();
    let mut found: Vec<Option<u32>> = after.iter().map(|field| positions.get(field.name.as_str()).copied()).collect();
    let mut taken = vec![false; before.len()];
    for n in found.iter().flatten() {
        taken[*n as usize] = true;
    }
    for (n, (one, other)) in before.iter().zip(after).enumerate() {
        if !taken[n] && found[n].is_none() && one.nullable == other.nullable && is_alike(old, &one.ty, new, &other.ty) {
            found[n] = Some(n as u32);
        }
    }
    found
}

/// Returns, for each enumerator of the new enumeration, the position of the matching old one.
pub(super) fn enumerators(old: &Enumeration, new: &Enumeration) -> Vec<Option<u32>> {
    let positions: HashMap<&str, u32> = old.members.iter().zip(0..).map(|((name, _), n)| (name.as_str(), n)).collect();
    let mut found: Vec<Option<u32>> = new.members.iter().map(|(name, _)| positions.get(name.as_str()).copied()).collect();
    let mut taken = vec![false; old.members.len()];
    for n in found.iter().flatten() {
        taken[*n as usize] = true;
    }
    let numbers: HashMap<i64, u32> =
        old.members.iter().zip(0..).filter(|(_, n)| !taken[*n as usize]).map(|((_, number), n)| (*number, n)).collect();
    for (slot, (_, number)) in found.iter_mut().zip(&new.members) {
        if slot.is_none() {
            *slot = numbers.get(number).copied();
        }
    }
    found
}

/// Inverts a matching: returns, for each of `count` old items, the position of the new one.
pub(super) fn turned(found: &[Option<u32>], count: usize) -> Vec<Option<u32>> {
    let mut turned = vec![None; count];
    for (position, n) in found.iter().zip(0..) {
        if let Some(position) = position {
            turned[*position as usize] = Some(n);
        }
    }
    turned
}

/// Returns whether two types are so similar that one probably is the other, renamed.
fn is_alike(old: &Side, one: &Type, new: &Side, other: &Type) -> bool {
    match (one, other) {
        (Type::Simple(one), Type::Simple(other)) => one == other,
        (Type::Text { .. }, Type::Text { .. })
        | (Type::Structure(_), Type::Structure(_))
        | (Type::Enumeration(_), Type::Enumeration(_))
        | (Type::Polymorph(_), Type::Polymorph(_)) => true,
        (Type::Array(one), Type::Array(other)) => is_alike(old, one, new, other),
        (Type::Link(one), Type::Link(other)) => one == other || old.tag_name(*one) == new.tag_name(*other),
        _ => false,
    }
}
