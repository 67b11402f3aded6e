//! One of two versions of a dictionary: the places of its types in the text, and the paths by which
//! documents reach them.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use polywire_core::text::diagnostic::{Place, Source};

use crate::dictionary::draft::{Draft, Entry};
use crate::dictionary::{Dictionary, Refused, Type, located};
use crate::plan::Plan;

/// TypeStep from the type of a tag to an inner type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeStep {
    /// The type of the field at that position.
    Field(u32),
    /// The elements of an array.
    Element,
}

/// A type of a dictionary, by its path from a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) tag: u32,
    pub(super) steps: Vec<TypeStep>,
}

impl Spot {
    pub(super) fn of_tag(tag: u32) -> Spot {
        Spot { tag, steps: Vec::new() }
    }

    pub(super) fn below(&self, step: TypeStep) -> Spot {
        let mut steps = self.steps.clone();
        steps.push(step);
        Spot { tag: self.tag, steps }
    }
}

pub(crate) struct Side {
    pub(crate) dictionary: Arc<Dictionary>,
    pub(super) plan: Arc<Plan>,
    pub(crate) source: Source,
    draft: Draft,
    /// Position in the draft of each tag; the index is the tag's id minus 1.
    entries: Vec<usize>,
    /// True if messages may have each tag as a root.
    roots: Vec<bool>,
    /// For each tag that is not a root, the place in another tag by which documents reach it;
    /// `None` if no document does.
    above: Vec<Option<Spot>>,
    /// Round in which each tag is found to have a value, after the tags that it needs; `None` if it
    /// has no value.
    rounds: Vec<Option<u32>>,
}

impl Side {
    /// Returns the dictionary of a text. With a name, only that tag is a root.
    pub(crate) fn new(name: &str, text: &[u8], root: Option<&str>) -> Result<Side, Refused> {
        let (source, draft, dictionary) = located(name, text)?;
        let mut entries = vec![0; draft.tags.len()];
        for (n, entry) in draft.tags.iter().enumerate() {
            let id = dictionary.tag_id(&entry.name.of).unwrap_or_default();
            if let Some(place) = entries.get_mut((id as usize).wrapping_sub(1)) {
                *place = n;
            }
        }
        let roots = dictionary.tags().iter().map(|tag| tag.root && root.is_none_or(|name| name == tag.name)).collect();
        let plan = Arc::new(Plan::new(Arc::new(dictionary.clone())));
        let rounds = rounds(&dictionary);
        let mut side = Side { dictionary: Arc::new(dictionary), plan, source, draft, entries, roots, above: Vec::new(), rounds };
        side.above = side.find_above();
        Ok(side)
    }

    pub(super) fn tag_type(&self, id: u32) -> &Type {
        &self.dictionary.tags()[id as usize - 1].ty
    }

    pub(super) fn tag_name(&self, id: u32) -> &str {
        &self.dictionary.tags()[id as usize - 1].name
    }

    pub(super) fn entry(&self, id: u32) -> &Entry {
        &self.draft.tags[self.entries[id as usize - 1]]
    }

    pub(super) fn is_root(&self, id: u32) -> bool {
        self.roots[id as usize - 1]
    }

    pub(super) fn round(&self, id: u32) -> Option<u32> {
        self.rounds[id as usize - 1]
    }

    pub(super) fn above(&self, id: u32) -> Option<&Spot> {
        self.above[id as usize - 1].as_ref()
    }

    /// Returns whether documents can contain that tag.
    pub(super) fn is_reached(&self, id: u32) -> bool {
        self.is_root(id) || self.above(id).is_some()
    }

    /// Returns whether there is a document with a value at that type.
    pub(super) fn is_possible(&self, spot: &Spot) -> bool {
        let mut spot = spot;
        loop {
            let mut ty = self.tag_type(spot.tag);
            for step in &spot.steps {
                if !has_value(ty, &self.rounds) {
                    return false;
                }
                ty = match (self.dictionary.resolve(ty), step) {
                    (Type::Array(element), TypeStep::Element) => element,
                    (Type::Structure(fields), TypeStep::Field(at)) => &fields[*at as usize].ty,
                    (other, _) => other,
                };
            }
            match self.above(spot.tag) {
                _ if !has_value(ty, &self.rounds) => return false,
                _ if self.is_root(spot.tag) => return true,
                Some(above) => spot = above,
                None => return false,
            }
        }
    }

    pub(super) fn ids(&self) -> std::ops::RangeInclusive<u32> {
        1..=self.dictionary.tags().len() as u32
    }

    /// Returns the place of the identity in the text, or the start of the text.
    pub(super) fn head(&self) -> Place {
        let version = self.draft.version.as_ref().map(|(major, minor)| major.at.to(minor.at));
        match (self.draft.id.as_ref().map(|id| id.at), version) {
            (Some(id), Some(version)) => id.to(version),
            (Some(at), None) | (None, Some(at)) => at,
            (None, None) => Place::default(),
        }
    }

    /// Returns the structures of a polymorph with these members. A member that is a polymorph
    /// stands for its own members.
    pub(super) fn members(&self, members: &[u32]) -> Vec<u32> {
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        let mut due: Vec<u32> = members.iter().rev().copied().collect();
        while let Some(id) = due.pop() {
            if seen.insert(id) {
                match self.tag_type(id) {
                    Type::Polymorph(inner) => due.extend(inner.iter().rev()),
                    _ => found.push(id),
                }
            }
        }
        found
    }

    /// Returns a polymorph that documents reach and that has that tag as a member.
    pub(super) fn as_member(&self, tag: u32) -> Option<Spot> {
        for id in self.ids().filter(|id| self.is_reached(*id)) {
            let mut within = vec![(Spot::of_tag(id), self.tag_type(id))];
            while let Some((spot, ty)) = within.pop() {
                match ty {
                    Type::Polymorph(members) if members.contains(&tag) => return Some(spot),
                    Type::Array(element) => within.push((spot.below(TypeStep::Element), element)),
                    Type::Structure(fields) => {
                        within.extend(fields.iter().zip(0..).map(|(field, n)| (spot.below(TypeStep::Field(n)), &field.ty)));
                    }
                    _ => {}
                }
            }
        }
        None
    }

    /// Searches from the roots downwards, nearest first.
    fn find_above(&self) -> Vec<Option<Spot>> {
        let mut above: Vec<Option<Spot>> = vec![None; self.roots.len()];
        let mut due: VecDeque<u32> = self.ids().filter(|id| self.is_root(*id)).collect();
        while let Some(tag) = due.pop_front() {
            // A tag without a value leads nowhere.
            if self.round(tag).is_none() {
                continue;
            }
            let mut within = vec![(Spot::of_tag(tag), self.tag_type(tag))];
            while let Some((spot, ty)) = within.pop() {
                let mut targets = Vec::new();
                match ty {
                    Type::Link(id) => targets.push(*id),
                    Type::Polymorph(members) => targets = self.members(members),
                    Type::Array(element) => within.push((spot.below(TypeStep::Element), element)),
                    Type::Structure(fields) => {
                        within.extend(fields.iter().zip(0..).map(|(field, n)| (spot.below(TypeStep::Field(n)), &field.ty)));
                    }
                    Type::Simple(_) | Type::Text { .. } | Type::Enumeration(_) => {}
                }
                for target in targets {
                    let index = target as usize - 1;
                    if !self.roots[index] && above[index].is_none() && target != tag {
                        above[index] = Some(spot.clone());
                        due.push_back(target);
                    }
                }
            }
        }
        above
    }
}

/// Computes the rounds. A round adds the tags whose values need only tags of earlier rounds.
fn rounds(dictionary: &Dictionary) -> Vec<Option<u32>> {
    let tags = dictionary.tags();
    let mut rounds: Vec<Option<u32>> = vec![None; tags.len()];
    // Tags that wait for a tag, to be examined again when it is known.
    let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); tags.len()];
    for (tag, id) in tags.iter().zip(1..) {
        for needed in needs(&tag.ty) {
            waiting[needed as usize - 1].push(id);
        }
    }
    let mut due: Vec<u32> = (1..=tags.len() as u32).collect();
    let mut round = 0;
    while !due.is_empty() {
        let known: Vec<u32> =
            due.iter().copied().filter(|id| rounds[*id as usize - 1].is_none() && has_value(&tags[*id as usize - 1].ty, &rounds)).collect();
        let mut next = HashSet::new();
        for id in known {
            rounds[id as usize - 1] = Some(round);
            next.extend(waiting[id as usize - 1].iter().copied());
        }
        due = next.into_iter().collect();
        due.sort_unstable();
        round += 1;
    }
    rounds
}

/// Returns the tags that a value may need.
fn needs(ty: &Type) -> Vec<u32> {
    match ty {
        Type::Link(id) => vec![*id],
        Type::Polymorph(members) => members.clone(),
        Type::Structure(fields) => fields.iter().filter(|field| !field.nullable).flat_map(|field| needs(&field.ty)).collect(),
        Type::Simple(_) | Type::Text { .. } | Type::Enumeration(_) | Type::Array(_) => Vec::new(),
    }
}

fn has_value(ty: &Type, rounds: &[Option<u32>]) -> bool {
    match ty {
        Type::Link(id) => rounds[*id as usize - 1].is_some(),
        Type::Polymorph(members) => members.iter().any(|id| rounds[*id as usize - 1].is_some()),
        Type::Structure(fields) => fields.iter().filter(|field| !field.nullable).all(|field| has_value(&field.ty, rounds)),
        Type::Simple(_) | Type::Text { .. } | Type::Enumeration(_) | Type::Array(_) => true,
    }
}
