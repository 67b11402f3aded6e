//! The shapes of places: lists or tuples, maps or records, sum types; and records that share a
//! type.

use std::collections::{BTreeMap, HashSet, VecDeque};

use super::place::{Id, ItemShape, Named, Place, Places, kinds};
use super::text::is_name;
use super::thresholds::{MAP_DATA_NAMES, MAP_NAMES, MAX_CASES, MAX_MEMBERS, SUM_SAMPLES};

/// Rounds of merges at most; each may make more merges possible.
const ROUNDS: usize = 16;

/// Decides the shapes of all places.
pub(crate) fn settle(places: &mut Places) {
    for _ in 0..ROUNDS {
        let (ids, records) = reachable(places);
        let mut changed = false;
        for &id in &ids {
            let id = places.class(id);
            let shape = places.at(id).items.as_deref().map(|items| (&items.shape, items.tuples > 0));
            if let Some((ItemShape::Fixed(fixed), told)) = shape
                && !told
                && !is_tuple(places, fixed)
            {
                places.unfix(id);
                changed = true;
            }
        }
        let sums = ids.iter().filter(|&&id| sum_of(places, id).is_some());
        let cases: HashSet<Id> = sums.map(|&id| places.record_class(places.at(id).records[0])).collect();
        for &record in &records {
            let record = places.record_class(record);
            if !cases.contains(&record) && is_map(places, places.named(record)) {
                places.make_map(record);
                changed = true;
            }
        }
        changed |= join(places, &ids);
        if !changed {
            return;
        }
    }
}

/// Returns all places and records that the message's place leads to, in order, each once.
fn reachable(places: &Places) -> (Vec<Id>, Vec<Id>) {
    let mut seen = HashSet::new();
    let mut seen_records = HashSet::new();
    let (mut ids, mut records) = (Vec::new(), Vec::new());
    let mut due = VecDeque::from([0]);
    while let Some(id) = due.pop_front() {
        let id = places.class(id);
        if !seen.insert(id) {
            continue;
        }
        ids.push(id);
        let place = places.at(id);
        for &record in &place.records {
            let record = places.record_class(record);
            if seen_records.insert(record) {
                records.push(record);
                let named = places.named(record);
                due.extend(named.ordered().map(|field| field.place));
                due.extend(named.keys);
                due.extend(named.values);
            }
        }
        due.extend(items_of(place));
        due.extend(place.variants.iter().flat_map(|variants| &variants.cases).flat_map(|case| case.values.iter().copied()));
        due.extend(place.tags.iter().map(|tag| tag.inner));
    }
    (ids, records)
}

/// Returns the places of the items of lists and tuples.
pub(crate) fn items_of(place: &Place) -> Vec<Id> {
    match place.items.as_deref().map(|items| &items.shape) {
        Some(ItemShape::Fixed(fixed)) => fixed.clone(),
        Some(ItemShape::Each(each)) => vec![*each],
        None => Vec::new(),
    }
}

/// Reports whether lists of one length are tuples: the kinds of values at two positions have
/// nothing in common.
fn is_tuple(places: &Places, fixed: &[Id]) -> bool {
    let mut common: Option<u32> = None;
    let mut differ = false;
    for &id in fixed {
        let kinds = places.at(id).kinds();
        if kinds & kinds::OPAQUE != 0 {
            return false;
        }
        if kinds == 0 {
            continue;
        }
        differ |= common.is_some_and(|common| common & kinds == 0);
        common = Some(common.unwrap_or(kinds) & kinds);
    }
    differ
}

/// Reports whether a record's names are data.
fn is_map(places: &Places, named: &Named) -> bool {
    if named.map {
        return false;
    }
    if named.keys.is_some() {
        return true;
    }
    if !named.name.is_empty() || named.fields.iter().any(|field| field.repeated) {
        return false;
    }
    let count = named.fields.len();
    let all = named.fields.iter().fold(0, |all, field| all | places.at(field.place).kinds());
    if count < MAP_DATA_NAMES || all.count_ones() > 1 || all & kinds::OPAQUE != 0 {
        return false;
    }
    let filled: u64 = named.fields.iter().map(|field| field.records).sum();
    // On average, a name is in less than half of the records, and none is in all.
    let sparse =
        count >= MAP_NAMES && 2 * filled < named.count * count as u64 && named.fields.iter().all(|field| field.records < named.count);
    sparse || named.fields.iter().all(|field| is_data(&field.name))
}

/// Reports whether a name looks like data: more digits than letters.
fn is_data(name: &str) -> bool {
    let digits = name.chars().filter(char::is_ascii_digit).count();
    digits > name.chars().filter(|c| c.is_alphabetic()).count()
}

/// A sum type by names alone: records of one field each, and texts.
pub(crate) struct NamedSum<'p> {
    pub record: &'p Named,
    /// Constant cases.
    pub constants: &'p [Box<str>],
}

/// Returns the sum type at a place if its values form one without the format's own variants.
pub(crate) fn sum_of(places: &Places, id: Id) -> Option<NamedSum<'_>> {
    let place = places.at(id);
    let [record] = place.records[..] else { return None };
    let record = places.named(record);
    if place.kinds() & !kinds::TEXT != kinds::RECORD || place.octets > 0 || record.map || record.keys.is_some() || !record.name.is_empty() {
        return None;
    }
    let (constants, texts) = match &place.texts {
        Some(texts) => (texts.values.as_deref()?, texts.count),
        None => (&[][..], 0),
    };
    let cases = record.fields.len() + constants.len();
    let samples = record.count + texts;
    let enough = cases >= 2 && samples >= SUM_SAMPLES && 2 * samples >= 3 * cases as u64;
    let names = record.fields.iter().all(|field| is_name(&field.name) && !constants.contains(&field.name));
    let exclusive = record.singles == record.count && record.fields.len() <= MAX_CASES && constants.len() <= MAX_MEMBERS;
    (enough && names && exclusive).then_some(NamedSum { record, constants })
}

/// Merges records with the same fields, and sum types with the same cases; returns true if there
/// were any.
fn join(places: &mut Places, ids: &[Id]) -> bool {
    let mut changed = false;
    let mut sums: BTreeMap<Vec<String>, Id> = BTreeMap::new();
    let mut records: BTreeMap<(String, Vec<(String, u32)>), Id> = BTreeMap::new();
    for &id in ids {
        let id = places.class(id);
        if let Some(NamedSum { record, constants }) = sum_of(places, id) {
            let mut cases: Vec<String> = record.fields.iter().map(|field| field.name.to_string()).collect();
            cases.sort_unstable();
            cases.extend(constants.iter().map(|constant| format!("={constant}")));
            let first = *sums.entry(cases).or_insert(id);
            if places.class(first) != id {
                places.unify(first, id);
                changed = true;
            }
            continue;
        }
        for record in places.at(id).records.clone() {
            let named = places.named(record);
            if named.map || named.keys.is_some() || named.fields.len() < 2 {
                continue;
            }
            let mut fields: Vec<(String, u32)> =
                named.fields.iter().map(|field| (field.name.to_string(), places.at(field.place).kinds())).collect();
            fields.sort_unstable();
            let first = *records.entry((named.name.clone(), fields)).or_insert(record);
            if places.record_class(first) != places.record_class(record) {
                places.unify_records(first, record);
                changed = true;
            }
        }
    }
    changed
}
