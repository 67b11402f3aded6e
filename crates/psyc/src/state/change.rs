//! The effects of operators on values.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::error::ErrorKind;
use super::structure::{Entries, Item, Items};
use super::update::{PathStep, Update};
use crate::keyword;
use crate::number;
use crate::packet::Operator;
use crate::variable::Type;

/// Bytes that may still be read and written.
pub(super) struct Work(pub usize);

impl Work {
    pub fn spend(&mut self, bytes: usize) -> Result<(), ErrorKind> {
        self.0 = self.0.checked_sub(bytes).ok_or(ErrorKind::Limit("work"))?;
        Ok(())
    }
}

fn number(value: &[u8]) -> Result<i64, ErrorKind> {
    let digits = value.strip_prefix(b"-").unwrap_or(value);
    let found = number::signed(value);
    match digits {
        [] => Err(ErrorKind::Value(value.len())),
        _ if found.read == value.len() => Ok(found.value),
        _ if value[found.read].is_ascii_digit() => Err(ErrorKind::Range),
        _ => Err(ErrorKind::Value(found.read)),
    }
}

/// The direction of a change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Plus,
    Minus,
}

/// Returns the value of type `kind` that `old`, empty if there is none, has after a change by `by`.
pub(super) fn combine(kind: &[u8], old: &[u8], sign: Sign, by: &[u8], work: &mut Work) -> Result<Vec<u8>, ErrorKind> {
    work.spend(old.len().saturating_add(by.len()))?;
    match Type::of(kind) {
        Some(class @ (Type::Amount | Type::Counter | Type::Date | Type::Time | Type::Degree)) => {
            let old = if old.is_empty() { 0 } else { number(old)? };
            let by = number(by)?;
            let sum = match sign {
                Sign::Plus => old.checked_add(by),
                Sign::Minus => old.checked_sub(by),
            };
            let sum = sum.filter(|sum| class != Type::Degree || (0..=9).contains(sum)).ok_or(ErrorKind::Range)?;
            Ok(itoa::Buffer::new().format(sum).as_bytes().to_vec())
        }
        Some(Type::List) => {
            let (old, by) = (Items::read(old)?, Items::read(by)?);
            Ok(match sign {
                Sign::Plus => concatenate(old, by).write(),
                Sign::Minus => without(old, by)?.write(),
            })
        }
        Some(Type::Dict) => {
            let (mut old, by) = (Entries::read(old)?, Entries::read(by)?);
            match sign {
                Sign::Plus => merge(&mut old, by),
                Sign::Minus => remove(&mut old, &by)?,
            }
            Ok(old.write())
        }
        _ => Err(ErrorKind::Type),
    }
}

/// Gives items the type that they had by default, where another default type would say otherwise.
fn settle<'a>(item: &mut Item<'a>, own: &'a [u8], other: &[u8]) {
    if item.kind.is_empty() && own != other {
        item.kind = Cow::Borrowed(own);
    }
}

/// Returns the default type of both together. It applies to all items without a type, so an empty
/// list or dict takes that of what is added. If only one side has a default type, the items of the
/// other would get it: then there is none.
fn common<'a>(old: (&'a [u8], bool), by: (&'a [u8], bool)) -> &'a [u8] {
    match (old, by) {
        ((_, true), (by, _)) => by,
        ((old, _), (_, true)) => old,
        ((old, _), (by, _)) if by.is_empty() && !old.is_empty() => b"",
        ((old, _), _) => old,
    }
}

fn concatenate<'a>(mut old: Items<'a>, by: Items<'a>) -> Items<'a> {
    let default = common((old.default, old.items.is_empty()), (by.default, by.items.is_empty()));
    old.items.iter_mut().for_each(|item| settle(item, old.default, default));
    old.items.extend(by.items.into_iter().map(|mut item| {
        settle(&mut item, by.default, default);
        item
    }));
    Items { default, items: old.items }
}

/// Takes away, for each item of `by`, the first of `old` with its type and value.
fn without<'a>(old: Items<'a>, by: Items<'_>) -> Result<Items<'a>, ErrorKind> {
    let Items { default, items } = old;
    let mut places: BTreeMap<(&[u8], &[u8]), Vec<usize>> = BTreeMap::new();
    for (n, item) in items.iter().enumerate().rev() {
        places.entry((item.kind(default), &item.value)).or_default().push(n);
    }
    let mut gone = BTreeSet::new();
    for item in &by.items {
        let place = places.get_mut(&(item.kind(by.default), &*item.value)).and_then(Vec::pop).ok_or(ErrorKind::NotThere)?;
        gone.insert(place);
    }
    drop(places);
    let items = items.into_iter().enumerate().filter(|(n, _)| !gone.contains(n)).map(|(_, item)| item).collect();
    Ok(Items { default, items })
}

/// Sets the entries of `by`; new keys come last, in their order.
fn merge<'a>(old: &mut Entries<'a>, by: Entries<'a>) {
    let default = common((old.default, old.entries.is_empty()), (by.default, by.entries.is_empty()));
    old.entries.iter_mut().for_each(|entry| settle(&mut entry.1, old.default, default));
    old.default = default;
    let mut places: BTreeMap<Vec<u8>, usize> = old.entries.iter().enumerate().map(|(n, entry)| (entry.0.to_vec(), n)).collect();
    for (key, mut item) in by.entries {
        settle(&mut item, by.default, default);
        match places.get(&*key) {
            Some(place) => old.entries[*place].1 = item,
            None => {
                places.insert(key.to_vec(), old.entries.len());
                old.entries.push((key, item));
            }
        }
    }
}

/// Takes away all entries with the keys of `by`, whatever their values.
fn remove(old: &mut Entries<'_>, by: &Entries<'_>) -> Result<(), ErrorKind> {
    let there: BTreeSet<&[u8]> = old.entries.iter().map(|entry| &*entry.0).collect();
    let gone: BTreeSet<&[u8]> = by.entries.iter().map(|entry| &*entry.0).collect();
    if !gone.is_subset(&there) {
        return Err(ErrorKind::NotThere);
    }
    old.entries.retain(|entry| !gone.contains(&*entry.0));
    Ok(())
}

/// The result of a change to an item.
enum New {
    Value(Vec<u8>, Option<Vec<u8>>),
    Gone,
}

/// Looks up what a struct type is made of.
pub(super) type Layouts<'l> = dyn Fn(&[u8]) -> Option<Vec<u8>> + 'l;

/// Returns the value of type `kind` after an update of `old`, or `None` if the update removes it.
pub(super) fn update(
    kind: &[u8],
    old: &[u8],
    update: &Update<'_>,
    layouts: &Layouts<'_>,
    work: &mut Work,
) -> Result<Option<Vec<u8>>, ErrorKind> {
    Ok(match change(kind, old, !old.is_empty(), &update.steps, update, layouts, work)? {
        New::Value(..) if update.steps.is_empty() && !update.kind.is_empty() => return Err(ErrorKind::Type),
        New::Value(value, _) => Some(value),
        New::Gone => None,
    })
}

/// Recurses once for each step, of which there are not more than the limit of depth.
fn change(
    kind: &[u8],
    old: &[u8],
    there: bool,
    steps: &[PathStep<'_>],
    update: &Update<'_>,
    layouts: &Layouts<'_>,
    work: &mut Work,
) -> Result<New, ErrorKind> {
    let Some((step, steps)) = steps.split_first() else { return leaf(kind, old, there, update, work) };
    match (Type::of(kind), step) {
        (Some(Type::List), PathStep::Element(_)) | (Some(Type::Dict), PathStep::Key(_)) => {}
        (Some(Type::Struct), PathStep::Element(_) | PathStep::Member(_)) => {}
        // The step says what an item without a type is.
        (None, _) if kind.is_empty() => {}
        _ => return Err(ErrorKind::Type),
    }
    work.spend(old.len())?;
    let value = match step {
        PathStep::Element(number) => {
            let mut list = Items::read(old)?;
            let place = Some(*number).filter(|place| *place < list.items.len()).ok_or(ErrorKind::NotThere)?;
            let item = &list.items[place];
            match change(item.kind(list.default), &item.value, true, steps, update, layouts, work)? {
                New::Value(value, kind) => put(&mut list.items[place], value, kind),
                New::Gone => drop(list.items.remove(place)),
            }
            list.write()
        }
        PathStep::Member(name) => {
            let place = member(kind, name, layouts, work)?;
            let mut list = Items::read(old)?;
            while list.items.len() <= place {
                list.items.push(Item { kind: Cow::Borrowed(b""), value: Cow::Borrowed(b"") });
            }
            let item = &list.items[place];
            let own = if item.kind.is_empty() { *name } else { &item.kind };
            match change(own, &item.value, !item.value.is_empty(), steps, update, layouts, work)? {
                New::Value(value, kind) => put(&mut list.items[place], value, kind),
                // The members after it keep their places.
                New::Gone => put(&mut list.items[place], Vec::new(), Some(Vec::new())),
            }
            list.write()
        }
        PathStep::Key(key) => {
            let mut dict = Entries::read(old)?;
            let found = dict.find(key);
            let none = Item { kind: Cow::Borrowed(b""), value: Cow::Borrowed(b"") };
            let item = found.map_or(&none, |place| &dict.entries[place].1);
            match (change(item.kind(dict.default), &item.value, found.is_some(), steps, update, layouts, work)?, found) {
                (New::Value(value, kind), Some(place)) => put(&mut dict.entries[place].1, value, kind),
                (New::Value(value, kind), None) => {
                    let mut item = none.clone();
                    put(&mut item, value, kind);
                    dict.entries.push((Cow::Borrowed(key), item));
                }
                (New::Gone, Some(place)) => drop(dict.entries.remove(place)),
                (New::Gone, None) => return Err(ErrorKind::NotThere),
            }
            dict.write()
        }
    };
    work.spend(value.len())?;
    Ok(New::Value(value, None))
}

fn put(item: &mut Item<'_>, value: Vec<u8>, kind: Option<Vec<u8>>) {
    item.value = Cow::Owned(value);
    if let Some(kind) = kind {
        item.kind = Cow::Owned(kind);
    }
}

/// Which member of the struct type `kind` has a name. The type, or the longest that it inherits
/// from, has to be a variable.
fn member(kind: &[u8], name: &[u8], layouts: &Layouts<'_>, work: &mut Work) -> Result<usize, ErrorKind> {
    let mut layout = None;
    for kind in keyword::lineage(kind) {
        // A name of many words is looked up many times.
        work.spend(kind.len())?;
        layout = layouts(kind);
        if layout.is_some() {
            break;
        }
    }
    let layout = layout.ok_or(ErrorKind::NotThere)?;
    work.spend(layout.len())?;
    let layout = Items::read(&layout)?;
    layout.items.iter().position(|item| item.kind(layout.default) == name).ok_or(ErrorKind::NotThere)
}

fn leaf(kind: &[u8], old: &[u8], there: bool, update: &Update<'_>, work: &mut Work) -> Result<New, ErrorKind> {
    work.spend(update.value.len())?;
    let sign = match update.operator {
        Operator::Assign => return Ok(New::Value(update.value.to_vec(), Some(update.kind.to_vec()))),
        Operator::Augment => Sign::Plus,
        Operator::Diminish if update.value.is_empty() && update.kind.is_empty() => {
            return if there { Ok(New::Gone) } else { Err(ErrorKind::NotThere) };
        }
        Operator::Diminish => Sign::Minus,
        operator => return Err(ErrorKind::Operator(operator)),
    };
    // A type says what an item is that has none, and has to be that of one that has.
    let named = update.kind;
    if !named.is_empty() && !kind.is_empty() && named != kind {
        return Err(ErrorKind::Type);
    }
    let value = combine(if kind.is_empty() { named } else { kind }, old, sign, update.value, work)?;
    Ok(New::Value(value, (kind.is_empty() && !named.is_empty()).then(|| named.to_vec())))
}
