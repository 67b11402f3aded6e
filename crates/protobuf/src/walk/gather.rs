//! Collects the fields of a message that are out of order, and sorts them.

use std::collections::HashMap;

use polywire_core::Result;

use super::state::{Body, Gathered, NONE, Walk};
use super::visit::Visitor;
use crate::model::{Cardinality, Presence};
use crate::plan::{FieldStep, Layout, Message};
use crate::wire::{self, Tag, WireType, set, tag_of};

impl<'m, V: Visitor<'m> + ?Sized> Walk<'_, 'm, V> {
    /// Collects the fields of a message in visiting order, and marks those that are replaced. `end`
    /// is the end of the message.
    pub(super) fn gather(&mut self, ty: &Message, body: Body, end: usize) -> Result<()> {
        let first = self.scratch.gathered.len();
        match body {
            Body::Whole(start, end) => self.gather_piece(ty, start, end, first)?,
            Body::Pieces(from, to) => {
                for n in from..to {
                    let (start, end) = self.scratch.pieces[n];
                    self.gather_piece(ty, start, end, first)?;
                }
            }
        }
        let seen = arrange(ty, &mut self.scratch.gathered[first..]);
        if ty.fields.iter().zip(&seen).any(|(field, seen)| field.presence == Presence::Required && !*seen) {
            return Err(self.lacking(ty, &seen, end));
        }
        Ok(())
    }

    fn gather_piece(&mut self, ty: &Message, start: usize, end: usize, first: usize) -> Result<()> {
        let window = &self.msg[..end];
        let mut at = start;
        while at < end {
            let (tag, next) = wire::bare_tag(window, at).map_err(|error| self.located(error))?;
            let after = self.step_over(window, tag, at, next)?;
            let step = ty.step(tag);
            let order = (self.scratch.gathered.len() - first) as u32;
            if let Some((field, value)) = self.item(ty, tag, window, next)? {
                self.scratch.gathered.push(Gathered {
                    field,
                    order,
                    group: 0,
                    replaced: false,
                    layout: Layout::One,
                    start: at,
                    at: value,
                    end: after,
                });
                at = after;
                continue;
            }
            let stray = step.is(FieldStep::CLOSED) && self.is_stray(&ty.fields[step.index as usize], step.layout(), window, next, after);
            let (field, layout) = if stray || step.is(FieldStep::UNKNOWN) { (NONE, Layout::One) } else { (step.index, step.layout()) };
            self.scratch.gathered.push(Gathered { field, order, group: 0, replaced: false, layout, start: at, at: next, end: after });
            at = after;
        }
        Ok(())
    }

    /// Returns the index of the extension in a MessageSet's item whose fields start at `at`, and
    /// the offset of its length. Returns `None` for other fields, and for unknown extensions.
    #[inline(always)]
    fn item(&mut self, ty: &Message, tag: Tag, window: &[u8], at: usize) -> Result<Option<(u32, usize)>> {
        if !ty.message_set || tag.0 != tag_of(set::ITEM, WireType::Start) {
            return Ok(None);
        }
        let depth = self.budget.limits().depth;
        let (inside, _) = self.scratch.groups.end(window, at, set::ITEM, depth).map_err(|error| self.located(error))?;
        let item = set::item(&window[..inside], at, depth).map_err(|error| self.located(error))?;
        Ok(item.and_then(|(number, value)| {
            let index = ty.find(number)?;
            ty.fields[index].in_set.then_some((index as u32, value))
        }))
    }
}

/// Puts the values of a message's fields in visiting order, marks those that are replaced, and
/// returns which fields were seen: of none if none is required.
fn arrange(ty: &Message, fields: &mut [Gathered]) -> Vec<bool> {
    // Only the last member of a oneof counts; earlier ones are marked replaced. Its own values
    // count from where it followed another member.
    let mut members: HashMap<u32, (u32, usize)> = HashMap::new();
    for (n, found) in fields.iter().enumerate() {
        if let Some(oneof) = ty.fields.get(found.field as usize).and_then(|field| field.oneof) {
            let member = members.entry(oneof).or_insert((found.field, n));
            if member.0 != found.field {
                *member = (found.field, n);
            }
        }
    }
    if !members.is_empty() {
        for (n, found) in fields.iter_mut().enumerate() {
            if let Some(oneof) = ty.fields.get(found.field as usize).and_then(|field| field.oneof) {
                found.replaced = members.get(&oneof).is_some_and(|(field, since)| *field != found.field || n < *since);
            }
        }
    }
    // Values of one field move to its first one.
    fields.sort_by_key(|found| (found.field, found.order));
    let mut seen = vec![false; if ty.required > 0 { ty.fields.len() } else { 0 }];
    let mut n = 0;
    while n < fields.len() {
        let Gathered { field, order, .. } = fields[n];
        let same = if field == NONE { 1 } else { fields[n..].iter().take_while(|other| other.field == field).count() };
        let group = &mut fields[n..n + same];
        for found in &mut *group {
            found.group = order;
        }
        if let Some(known) = ty.fields.get(field as usize) {
            if known.cardinality == Cardinality::Singular && known.message().is_none() {
                let last = same - 1;
                group[..last].iter_mut().for_each(|found| found.replaced = true);
            }
            if let Some(seen) = seen.get_mut(field as usize) {
                *seen = true;
            }
        }
        n += same;
    }
    fields.sort_by_key(|found| (found.group, found.order));
    seen
}
