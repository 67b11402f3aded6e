//! The memory of the inference: one place for each path into a message.
//!
//! Places merge, e.g. when a record turns out to be a map. The order of values and merges makes no
//! difference.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};

use polywire_core::Scalar;
use polywire_core::schema::TimeUnit;
use polywire_core::value::nearest_f64;
use serde::{Deserialize, Serialize};

use super::text::Texts;
use super::thresholds::{MAX_BEFORE, MAX_CASES, MAX_DEPTH, MAX_FIELDS, MAX_PLACES, MAX_RECORD_NAMES, MAX_TAGS, MAX_TUPLE};

/// Index of a place or of a record in [`Places`].
pub(crate) type Id = u32;

/// No index.
pub(crate) const NONE: Id = Id::MAX;

/// The values at one place.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Place {
    /// Number of containers around it.
    pub depth: usize,
    pub nulls: u64,
    pub bools: u64,
    pub bytes: u64,
    pub octets: u64,
    pub whole: Whole,
    pub decimals: u64,
    pub floats: Floats,
    pub times: u64,
    #[serde(with = "super::state::unit")]
    pub unit: Option<TimeUnit>,
    pub texts: Option<Box<Texts>>,
    pub items: Option<Box<Items>>,
    /// One record per type name.
    pub records: Vec<Id>,
    /// True if the type names of records were given up.
    pub nameless: bool,
    pub variants: Option<Box<Variants>>,
    pub tags: Vec<Tag>,
    /// True if values came whose contents were not looked at.
    pub opaque: bool,
}

/// Whole numbers.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Whole {
    /// Number of whole numbers of 64 bits.
    pub count: u64,
    pub low: i128,
    pub high: i128,
    /// Number of larger ones.
    pub bigs: u64,
}

/// Binary floating point numbers.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Floats {
    pub singles: u64,
    pub doubles: u64,
    #[serde(with = "super::state::bits")]
    pub low: f64,
    #[serde(with = "super::state::bits")]
    pub high: f64,
    /// True if infinities or NaN came.
    pub special: bool,
    /// True if floats came that are whole.
    pub whole: bool,
}

/// Lists and tuples.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Items {
    pub lists: u64,
    pub tuples: u64,
    pub shortest: u64,
    pub longest: u64,
    pub shape: ItemShape,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ItemShape {
    /// All have had as many items as these places.
    Fixed(Vec<Id>),
    /// Their lengths differ, or are large.
    Each(Id),
}

/// Cases of a sum type.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Variants {
    pub count: u64,
    pub cases: Vec<CaseSeen>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CaseSeen {
    pub name: String,
    pub count: u64,
    /// Its index, unless several came.
    pub index: Option<u32>,
    pub values: Vec<Id>,
    /// The fewest values that came.
    pub least: usize,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Tag {
    pub space: Box<str>,
    pub code: u64,
    pub count: u64,
    pub inner: Id,
}

/// Records of one type name at one place; maps are records without a name.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Named {
    pub name: String,
    /// Number of containers around it.
    pub depth: usize,
    pub count: u64,
    /// Number of records with exactly one field, and no other key.
    pub singles: u64,
    pub fields: Vec<FieldSeen>,
    /// The field that some record had first; each field has the index of one that came after it.
    /// They are guesses for [`Named::find`], and no order.
    pub first: Id,
    #[serde(skip)]
    index: HashMap<Box<str>, u32>,
    /// True if text keys came.
    pub text_keys: bool,
    /// Keys that are no text.
    pub keys: Option<Id>,
    /// Values of such keys, and of all keys once it is a map.
    pub values: Option<Id>,
    /// True if names are data.
    pub map: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FieldSeen {
    pub name: Box<str>,
    pub place: Id,
    pub next: Id,
    /// Number of records that have it.
    pub records: u64,
    /// Sum of its positions in those records: the number of other fields before it.
    pub positions: u64,
    /// The fields that came right before it in some record, sorted; `None` if there are too many.
    pub before: Option<Vec<Id>>,
    /// True if some record has it more than once.
    pub repeated: bool,
    /// Number on the wire, unless several came.
    pub number: Option<u64>,
    /// The last record that had it.
    pub seen_in: u64,
}

/// Number of fields up to which comparing with each is faster than hashing.
const FEW: usize = 8;

impl Named {
    fn new(name: &str, depth: usize) -> Named {
        Named { name: name.into(), depth, first: NONE, ..Named::default() }
    }

    /// Returns the field of that name. The search starts behind the field `last`.
    pub fn find(&self, name: &str, last: Id) -> Option<Id> {
        let guess = self.fields.get(last as usize).map_or(self.first, |field| field.next);
        if self.fields.get(guess as usize).is_some_and(|field| &*field.name == name) {
            return Some(guess);
        }
        if self.fields.len() <= FEW {
            return self.fields.iter().position(|field| &*field.name == name).map(|at| at as Id);
        }
        self.index.get(name).copied()
    }

    /// Inserts a new field behind the field `last`, or as the first.
    pub fn insert(&mut self, field: FieldSeen, last: Id) -> Id {
        let at = self.fields.len() as Id;
        let before = match self.fields.get_mut(last as usize) {
            Some(last) => &mut last.next,
            None => &mut self.first,
        };
        let next = std::mem::replace(before, at);
        if self.fields.len() == FEW {
            self.index = self.fields.iter().zip(0..).map(|(field, at)| (field.name.clone(), at)).collect();
        }
        if self.fields.len() >= FEW {
            self.index.insert(field.name.clone(), at);
        }
        self.fields.push(FieldSeen { next, ..field });
        at
    }

    /// Notes that a field came right after the field `before`, unless that is [`NONE`].
    pub fn follows(&mut self, field: Id, before: Id) {
        if before != NONE {
            self.fields[field as usize].came_after(before);
        }
    }

    /// Returns the fields in order: each behind those that came right before it in some record.
    /// Among several such fields, one that came right behind the last goes first; then, and in a
    /// circle, the mean position decides, then the name. None of it depends on the order of
    /// records.
    pub fn ordered(&self) -> impl Iterator<Item = &FieldSeen> {
        let count = self.fields.len();
        let mut ranked: Vec<usize> = (0..count).collect();
        ranked.sort_by(|one, other| self.fields[*one].by_position(&self.fields[*other]));
        let mut ranks = vec![0; count];
        ranked.iter().enumerate().for_each(|(rank, &field)| ranks[field] = rank);
        let mut waits = vec![0; count];
        let mut after = vec![Vec::new(); count];
        for (at, field) in self.fields.iter().enumerate() {
            for &before in field.before.iter().flatten() {
                waits[at] += 1;
                after[before as usize].push(at);
            }
        }
        let mut left: BTreeSet<usize> = (0..count).collect();
        let mut ready: BTreeSet<usize> = (0..count).filter(|&rank| waits[ranked[rank]] == 0).collect();
        let mut order = Vec::with_capacity(count);
        let mut next: Option<usize> = None;
        // If none is ready, the rest is a circle, or behind one.
        while let Some(rank) = next.take().or_else(|| ready.first().copied()).or_else(|| left.first().copied()) {
            left.remove(&rank);
            ready.remove(&rank);
            let field = ranked[rank];
            order.push(&self.fields[field]);
            for &later in &after[field] {
                waits[later] -= 1;
                let rank = ranks[later];
                if waits[later] == 0 && left.contains(&rank) {
                    ready.insert(rank);
                    next = Some(next.map_or(rank, |next| next.min(rank)));
                }
            }
        }
        order.into_iter()
    }
}

impl FieldSeen {
    /// Notes that it came right after the field `before`.
    fn came_after(&mut self, before: Id) {
        let Some(known) = &mut self.before else { return };
        match known.binary_search(&before) {
            Ok(_) => {}
            Err(_) if known.len() == MAX_BEFORE => self.before = None,
            Err(at) => known.insert(at, before),
        }
    }

    /// Compares by the mean position in the records that have the field, then by name.
    fn by_position(&self, other: &FieldSeen) -> Ordering {
        let scaled = |of: &FieldSeen, by: &FieldSeen| u128::from(of.positions) * u128::from(by.records);
        scaled(self, other).cmp(&scaled(other, self)).then_with(|| self.name.cmp(&other.name))
    }
}

impl Items {
    fn new() -> Items {
        Items { lists: 0, tuples: 0, shortest: u64::MAX, longest: 0, shape: ItemShape::Fixed(Vec::new()) }
    }
}

/// Kinds of values, as bits. They decide whether two places look alike.
pub(crate) mod kinds {
    pub const BOOL: u32 = 1;
    pub const NUMBER: u32 = 2;
    pub const TEXT: u32 = 4;
    pub const BYTES: u32 = 8;
    pub const TIME: u32 = 16;
    pub const ITEMS: u32 = 32;
    pub const RECORD: u32 = 64;
    pub const VARIANT: u32 = 128;
    pub const TAG: u32 = 256;
    pub const OPAQUE: u32 = 512;
}

impl Place {
    /// Returns the kinds of its values, without nulls. A place that was given up has no other kind:
    /// it depends on the order of samples which values came before that.
    pub fn kinds(&self) -> u32 {
        if self.opaque {
            return kinds::OPAQUE;
        }
        let bit = |is: bool, kind: u32| if is { kind } else { 0 };
        bit(self.bools > 0, kinds::BOOL)
            | bit(self.numbers() > 0, kinds::NUMBER)
            | bit(self.texts.is_some() || self.octets > 0, kinds::TEXT)
            | bit(self.bytes > 0, kinds::BYTES)
            | bit(self.times > 0, kinds::TIME)
            | bit(self.items.is_some(), kinds::ITEMS)
            | bit(!self.records.is_empty(), kinds::RECORD)
            | bit(self.variants.is_some(), kinds::VARIANT)
            | bit(!self.tags.is_empty(), kinds::TAG)
    }

    /// Reports whether it has containers.
    fn holds(&self) -> bool {
        self.items.is_some() || !self.records.is_empty() || self.variants.is_some() || !self.tags.is_empty()
    }

    pub fn numbers(&self) -> u64 {
        self.whole.count + self.whole.bigs + self.decimals + self.floats.singles + self.floats.doubles
    }

    pub fn add(&mut self, value: &Scalar<'_, '_>) {
        match value {
            Scalar::Null => self.nulls += 1,
            Scalar::Bool(_) => self.bools += 1,
            Scalar::Int(number, _) => self.whole.add(i128::from(*number)),
            Scalar::UInt(number, _) => self.whole.add(i128::from(*number)),
            Scalar::Big(..) => self.whole.bigs += 1,
            // A decimal without a decimal type is a float that a target may round.
            Scalar::Decimal(text, hint) => match nearest_f64(text.get(), *hint) {
                Some(number) => {
                    self.floats.extend(number);
                    self.floats.doubles += 1;
                }
                None => self.decimals += 1,
            },
            Scalar::F64(number, hint) if hint.exponent().is_some() && number.is_finite() => self.decimals += 1,
            Scalar::F32(number, _) => {
                self.floats.extend(f64::from(*number));
                self.floats.singles += 1;
            }
            Scalar::F64(number, _) => {
                self.floats.extend(*number);
                self.floats.doubles += 1;
            }
            Scalar::Text(text) => self.texts().add(text.get()),
            Scalar::Bytes(_) => self.bytes += 1,
            Scalar::Octets(_) => self.octets += 1,
            Scalar::Time(moment) => {
                self.times += 1;
                let units = [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond];
                let unit = units.into_iter().find(|unit| moment.nanos().is_multiple_of(unit.nanos())).unwrap_or(TimeUnit::Nanosecond);
                self.unit = self.unit.max(Some(unit));
            }
            _ => self.opaque = true,
        }
    }

    pub fn texts(&mut self) -> &mut Texts {
        self.texts.get_or_insert_with(|| Box::new(Texts::new()))
    }
}

impl Whole {
    fn add(&mut self, number: i128) {
        self.merge(Whole { count: 1, low: number, high: number, bigs: 0 });
    }

    fn merge(&mut self, other: Whole) {
        if other.count > 0 {
            let first = self.count == 0;
            self.low = if first { other.low } else { self.low.min(other.low) };
            self.high = if first { other.high } else { self.high.max(other.high) };
        }
        self.count += other.count;
        self.bigs += other.bigs;
    }
}

impl Floats {
    /// Extends the bounds; must be called before the number is counted.
    fn extend(&mut self, number: f64) {
        if !number.is_finite() {
            self.special = true;
        }
        self.whole |= !matches!(Scalar::number(number), Scalar::F64(..));
        self.bounds(number, number);
    }

    fn bounds(&mut self, low: f64, high: f64) {
        // NaN compares with nothing; `special` marks it if it is a bound.
        let first = self.singles + self.doubles == 0;
        // -0.0 is below 0.0, whichever came first.
        if first || low.total_cmp(&self.low).is_lt() || self.low.is_nan() {
            self.low = low;
        }
        if first || high.total_cmp(&self.high).is_gt() || self.high.is_nan() {
            self.high = high;
        }
    }

    fn merge(&mut self, other: Floats) {
        if other.singles + other.doubles > 0 {
            self.bounds(other.low, other.high);
        }
        self.singles += other.singles;
        self.doubles += other.doubles;
        self.special |= other.special;
        self.whole |= other.whole;
    }
}

/// All places of an inference.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Places {
    places: Vec<Place>,
    /// The place that a place became part of; itself if none.
    place_parents: Vec<Id>,
    records: Vec<Named>,
    record_parents: Vec<Id>,
    /// Unused places, for reuse; not while types are made.
    free_places: Vec<Id>,
    free_records: Vec<Id>,
    /// Number of places in use at each depth.
    at_depth: Vec<usize>,
    live: usize,
    /// Depth of places whose containers are not entered.
    limit: usize,
    /// True once several paths may lead to one place; places are not reused from then on.
    frozen: bool,
}

impl Places {
    /// Creates one place, number 0: the message.
    pub fn new() -> Places {
        let mut places = Places { at_depth: vec![0; MAX_DEPTH + 1], limit: MAX_DEPTH, ..Places::default() };
        places.place(0);
        places
    }

    /// Makes places that came from another process ready for use. Returns false if they cannot be
    /// places: one leads nowhere, or to one that it is part of.
    pub fn restore(&mut self) -> bool {
        let (places, records) = (self.places.len(), self.records.len());
        let sizes = self.place_parents.len() == places && self.record_parents.len() == records && self.at_depth.len() == MAX_DEPTH + 1;
        let free = self.free_places.iter().all(|&id| (id as usize) < places) && self.free_records.iter().all(|&id| (id as usize) < records);
        if !sizes || !free || places == 0 || self.frozen || !has_roots(&self.place_parents) || !has_roots(&self.record_parents) {
            return false;
        }
        let (mut due, mut seen) = (vec![self.class(0)], 0);
        while let Some(id) = due.pop() {
            seen += 1;
            let place = self.at(id);
            let (before, depth) = (due.len(), place.depth);
            if place.texts.as_ref().is_some_and(|texts| texts.values.as_ref().is_some_and(|values| values.len() != texts.times.len())) {
                return false;
            }
            match place.items.as_ref().map(|items| &items.shape) {
                Some(ItemShape::Fixed(items)) => due.extend(items),
                Some(ItemShape::Each(item)) => due.push(*item),
                None => {}
            }
            due.extend(place.variants.iter().flat_map(|variants| &variants.cases).flat_map(|case| &case.values));
            due.extend(place.tags.iter().map(|tag| tag.inner));
            for &record in &place.records {
                if record as usize >= records {
                    return false;
                }
                let named = self.named(record);
                let count = named.fields.len();
                let follow = |next: Id| next == NONE || (next as usize) < count;
                let links = |field: &FieldSeen| follow(field.next) && field.before.iter().flatten().all(|&id| (id as usize) < count);
                if !follow(named.first) || !named.fields.iter().all(links) {
                    return false;
                }
                due.extend(named.fields.iter().map(|field| field.place).chain(named.keys).chain(named.values));
            }
            // Each is deeper than what holds it, so there is no circle.
            let is_sound = |&id: &Id| (id as usize) < places && (depth + 1..=MAX_DEPTH).contains(&self.at(id).depth);
            if !due[before..].iter().all(is_sound) || seen + due.len() > places {
                return false;
            }
        }
        for named in &mut self.records {
            if named.fields.len() > FEW {
                named.index = named.fields.iter().zip(0..).map(|(field, at)| (field.name.clone(), at)).collect();
            }
        }
        true
    }

    /// Returns the depth from which containers are not entered.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the number of places in memory, used or free.
    #[cfg(test)]
    pub fn slots(&self) -> usize {
        self.places.len()
    }

    pub fn live(&self) -> usize {
        self.live
    }

    /// Creates a place.
    pub fn place(&mut self, depth: usize) -> Id {
        self.live += 1;
        self.at_depth[depth] += 1;
        let place = Place { depth, ..Place::default() };
        match self.free_places.pop() {
            Some(id) => {
                self.places[id as usize] = place;
                id
            }
            None => {
                let id = self.places.len() as Id;
                self.places.push(place);
                self.place_parents.push(id);
                id
            }
        }
    }

    fn record(&mut self, name: &str, depth: usize) -> Id {
        let record = Named::new(name, depth);
        match self.free_records.pop() {
            Some(id) => {
                self.records[id as usize] = record;
                id
            }
            None => {
                let id = self.records.len() as Id;
                self.records.push(record);
                self.record_parents.push(id);
                id
            }
        }
    }

    pub fn at(&self, id: Id) -> &Place {
        &self.places[find(&self.place_parents, id) as usize]
    }

    pub fn at_mut(&mut self, id: Id) -> &mut Place {
        let id = find(&self.place_parents, id);
        &mut self.places[id as usize]
    }

    pub fn named(&self, id: Id) -> &Named {
        &self.records[find(&self.record_parents, id) as usize]
    }

    pub fn named_mut(&mut self, id: Id) -> &mut Named {
        let id = find(&self.record_parents, id);
        &mut self.records[id as usize]
    }

    /// Returns the place that stands for all that were merged with it.
    pub fn class(&self, id: Id) -> Id {
        find(&self.place_parents, id)
    }

    /// Returns the record that stands for all that were merged with it.
    pub fn record_class(&self, id: Id) -> Id {
        find(&self.record_parents, id)
    }

    /// Returns the records of that type name at a place.
    pub fn record_at(&mut self, place: Id, name: &str) -> Id {
        let name = if self.at(place).nameless { "" } else { name };
        let known = self.at(place).records.iter().copied().find(|&record| self.named(record).name == name);
        if let Some(known) = known {
            return known;
        }
        let depth = self.at(place).depth;
        let record = self.record(name, depth);
        self.at_mut(place).records.push(record);
        if self.at(place).records.len() > MAX_RECORD_NAMES {
            self.merging(|places, due| places.drop_names(place, due));
            return self.at(place).records[0];
        }
        record
    }

    /// Returns the place of item `at` of the list or tuple at `place`; `first` is true for the
    /// first list or tuple there.
    pub fn item(&mut self, place: Id, at: usize, first: bool) -> Id {
        let depth = self.at(place).depth + 1;
        let Some(items) = &self.at(place).items else { return self.place(depth) };
        match &items.shape {
            ItemShape::Each(each) => *each,
            ItemShape::Fixed(fixed) if at < fixed.len() => fixed[at],
            ItemShape::Fixed(fixed) if first && fixed.len() < MAX_TUPLE => {
                let new = self.place(depth);
                if let Some(Items { shape: ItemShape::Fixed(fixed), .. }) = self.at_mut(place).items.as_deref_mut() {
                    fixed.push(new);
                }
                new
            }
            ItemShape::Fixed(_) => {
                self.unfix(place);
                match self.at(place).items.as_deref() {
                    Some(Items { shape: ItemShape::Each(each), .. }) => *each,
                    _ => NONE,
                }
            }
        }
    }

    /// Notes that a list or tuple of `place` opens; returns true if it is the first one there.
    pub fn items_open(&mut self, place: Id, tuple: bool) -> bool {
        let items = self.at_mut(place).items.get_or_insert_with(|| Box::new(Items::new()));
        let first = items.lists + items.tuples == 0;
        if tuple {
            items.tuples += 1;
        } else {
            items.lists += 1;
        }
        first
    }

    /// Notes that a list or tuple of `place` ends after `count` items.
    pub fn items_close(&mut self, place: Id, count: usize) {
        let Some(items) = self.at_mut(place).items.as_deref_mut() else { return };
        items.shortest = items.shortest.min(count as u64);
        items.longest = items.longest.max(count as u64);
        if matches!(&items.shape, ItemShape::Fixed(fixed) if fixed.len() != count) {
            self.unfix(place);
        }
    }

    /// Merges the places of a list's items into one.
    pub fn unfix(&mut self, place: Id) {
        let depth = self.at(place).depth + 1;
        let Some(Items { shape: ItemShape::Fixed(fixed), .. }) = self.at(place).items.as_deref() else { return };
        let fixed = fixed.clone();
        let each = fixed.first().copied().unwrap_or_else(|| self.place(depth));
        if let Some(items) = self.at_mut(place).items.as_deref_mut() {
            items.shape = ItemShape::Each(each);
        }
        self.merging(|_, due| due.places.extend(fixed.iter().skip(1).map(|&item| (each, item))));
    }

    /// Returns the case of a sum type at a place, or nothing if there are too many.
    pub fn case(&mut self, place: Id, name: &str, index: u32) -> Option<usize> {
        let owned;
        let name = if name.is_empty() {
            owned = case_name(index);
            &owned
        } else {
            name
        };
        let variants = self.at_mut(place).variants.get_or_insert_with(|| Box::new(Variants { count: 0, cases: Vec::new() }));
        variants.count += 1;
        if let Some(known) = variants.cases.iter().position(|case| case.name == name) {
            let case = &mut variants.cases[known];
            case.count += 1;
            case.index = case.index.filter(|&known| known == index);
            return Some(known);
        }
        if variants.cases.len() == MAX_CASES {
            self.make_opaque(place);
            return None;
        }
        variants.cases.push(CaseSeen { name: name.into(), count: 1, index: Some(index), values: Vec::new(), least: usize::MAX });
        Some(variants.cases.len() - 1)
    }

    /// Notes that a case ends after `count` values.
    pub fn case_close(&mut self, place: Id, case: usize, count: usize) {
        if let Some(variants) = &mut self.at_mut(place).variants {
            let case = &mut variants.cases[case];
            case.least = case.least.min(count);
        }
    }

    /// Returns the place of value `at` of a case, or nothing if there are too many.
    pub fn case_value(&mut self, place: Id, case: usize, at: usize) -> Option<Id> {
        let depth = self.at(place).depth + 1;
        let known = self.at(place).variants.as_ref()?.cases[case].values.get(at).copied();
        if known.is_some() {
            return known;
        }
        if at >= MAX_TUPLE {
            self.make_opaque(place);
            return None;
        }
        let new = self.place(depth);
        self.at_mut(place).variants.as_mut()?.cases[case].values.push(new);
        Some(new)
    }

    /// Returns the place of the value in a tag, or nothing if there are too many tags.
    pub fn tag(&mut self, place: Id, space: &str, code: u64) -> Option<Id> {
        let this = self.at_mut(place);
        if let Some(known) = this.tags.iter_mut().find(|tag| *tag.space == *space && tag.code == code) {
            known.count += 1;
            return Some(known.inner);
        }
        if this.tags.len() == MAX_TAGS {
            self.make_opaque(place);
            return None;
        }
        let depth = this.depth + 1;
        let inner = self.place(depth);
        self.at_mut(place).tags.push(Tag { space: space.into(), code, count: 1, inner });
        Some(inner)
    }

    /// Gives up the contents of a place: its values are of any type.
    pub fn make_opaque(&mut self, place: Id) {
        let this = self.at_mut(place);
        this.opaque = true;
        let emptied = Place { depth: this.depth, opaque: true, ..Place::default() };
        let old = std::mem::replace(this, emptied);
        let mut dead = Dead::default();
        let mut due = vec![old];
        while let Some(place) = due.pop() {
            let mut inner: Vec<Id> = Vec::new();
            match place.items.map(|items| items.shape) {
                Some(ItemShape::Fixed(fixed)) => inner.extend(fixed),
                Some(ItemShape::Each(each)) => inner.push(each),
                None => {}
            }
            inner.extend(place.variants.into_iter().flat_map(|variants| variants.cases).flat_map(|case| case.values));
            inner.extend(place.tags.iter().map(|tag| tag.inner));
            for record in place.records {
                let named = std::mem::take(self.named_mut(record));
                dead.records.push(record);
                inner.extend(named.fields.iter().map(|field| field.place));
                inner.extend(named.keys);
                inner.extend(named.values);
            }
            for id in inner {
                dead.places.push(id);
                let place = self.at_mut(id);
                let emptied = Place { depth: place.depth, ..Place::default() };
                due.push(std::mem::replace(place, emptied));
            }
        }
        self.bury(dead);
    }

    /// Gives up the deepest levels until there are few enough places.
    pub fn thin_out(&mut self) {
        while self.live > MAX_PLACES && self.limit > 0 {
            let deepest = self.at_depth.iter().rposition(|&count| count > 0).unwrap_or(0);
            self.limit = deepest.saturating_sub(1).min(self.limit - 1);
            self.cut();
        }
    }

    /// Gives up the contents of containers at the depth that is not entered any more.
    fn cut(&mut self) {
        let free: HashSet<Id> = self.free_places.iter().copied().collect();
        let cut = |(id, place): (Id, &Place)| (place.depth == self.limit && place.holds() && !free.contains(&id)).then_some(id);
        let cut: Vec<Id> = (0..).zip(&self.places).filter_map(cut).collect();
        cut.into_iter().for_each(|id| self.make_opaque(id));
    }

    /// Adds all places of another inference: its message is this one's message. Neither may be
    /// frozen. Memory: both at once, then what is left of them within [`MAX_PLACES`].
    pub fn absorb(&mut self, other: Places) {
        let limit = other.limit;
        let grafted = Graft::new(self, other).run();
        self.unify(0, grafted);
        if limit < self.limit {
            self.limit = limit;
            self.cut();
        }
        self.thin_out();
    }

    /// Merges two places.
    pub fn unify(&mut self, one: Id, other: Id) {
        self.merging(|_, due| due.places.push((one, other)));
    }

    /// Merges two records.
    pub fn unify_records(&mut self, one: Id, other: Id) {
        self.merging(|_, due| due.records.push((one, other)));
    }

    /// Turns a record into a map, because its names are data.
    pub fn make_map(&mut self, record: Id) {
        self.merging(|places, due| places.turn_to_map(record, due));
    }

    /// Does the merges that `start` asks for, and those that follow from them.
    fn merging(&mut self, start: impl FnOnce(&mut Places, &mut Due)) {
        let mut due = Due::default();
        let mut dead = Dead::default();
        start(self, &mut due);
        loop {
            if let Some((one, other)) = due.records.pop() {
                self.merge_records(one, other, &mut due, &mut dead);
            } else if let Some((one, other)) = due.places.pop() {
                self.merge_places(one, other, &mut due, &mut dead);
            } else {
                break;
            }
        }
        self.bury(dead);
        // Once frozen, other paths may lead to the contents, so they stay; types don't look at
        // them.
        if !self.frozen {
            for id in due.opaque {
                if self.at(id).holds() {
                    self.make_opaque(id);
                }
            }
        }
    }

    /// Frees places and records that were merged away, until [`Places::freeze`]. Places form a
    /// tree, so no index of them is left anywhere.
    fn bury(&mut self, dead: Dead) {
        if self.frozen {
            return;
        }
        for id in dead.places {
            let depth = self.places[id as usize].depth;
            self.live -= 1;
            self.at_depth[depth] -= 1;
            self.place_parents[id as usize] = id;
            self.free_places.push(id);
        }
        for id in dead.records {
            self.record_parents[id as usize] = id;
            self.free_records.push(id);
        }
    }

    fn merge_places(&mut self, one: Id, other: Id, due: &mut Due, dead: &mut Dead) {
        let (one, other) = (self.class(one), self.class(other));
        if one == other {
            return;
        }
        let depth = self.places[other as usize].depth;
        let lost = std::mem::replace(&mut self.places[other as usize], Place { depth, ..Place::default() });
        self.place_parents[other as usize] = one;
        dead.places.push(other);
        let this = &mut self.places[one as usize];
        this.nulls += lost.nulls;
        this.bools += lost.bools;
        this.bytes += lost.bytes;
        this.octets += lost.octets;
        this.whole.merge(lost.whole);
        this.decimals += lost.decimals;
        this.floats.merge(lost.floats);
        this.times += lost.times;
        this.unit = this.unit.max(lost.unit);
        this.opaque |= lost.opaque;
        this.nameless |= lost.nameless;
        match (&mut this.texts, lost.texts) {
            (Some(texts), Some(lost)) => texts.merge(*lost),
            (texts, lost) => *texts = texts.take().or(lost),
        }
        match (&mut this.items, lost.items) {
            (Some(items), Some(lost)) => merge_items(items, *lost, due),
            (items, lost) => *items = items.take().or(lost),
        }
        match (&mut this.variants, lost.variants) {
            (Some(variants), Some(lost)) => merge_variants(variants, *lost, due),
            (variants, lost) => *variants = variants.take().or(lost),
        }
        for tag in lost.tags {
            match this.tags.iter_mut().find(|known| known.space == tag.space && known.code == tag.code) {
                Some(known) => {
                    known.count += tag.count;
                    due.places.push((known.inner, tag.inner));
                }
                None => this.tags.push(tag),
            }
        }
        let too_many = this.tags.len() > MAX_TAGS || this.variants.as_ref().is_some_and(|variants| variants.cases.len() > MAX_CASES);
        this.opaque |= too_many;
        if this.opaque {
            due.opaque.push(one);
        }
        for record in lost.records {
            let name = &self.named(record).name;
            match self.places[one as usize].records.iter().find(|&&known| self.named(known).name == *name) {
                Some(&known) => due.records.push((known, record)),
                None => self.places[one as usize].records.push(record),
            }
        }
        if self.places[one as usize].records.len() > MAX_RECORD_NAMES || self.places[one as usize].nameless {
            self.drop_names(one, due);
        }
        if self.frozen {
            self.sort(one);
        }
    }

    fn drop_names(&mut self, place: Id, due: &mut Due) {
        let this = self.at_mut(place);
        this.nameless = true;
        let records = std::mem::take(&mut this.records);
        let Some(&first) = records.first() else { return };
        this.records.push(first);
        self.named_mut(first).name = String::new();
        due.records.extend(records.iter().skip(1).map(|&record| (first, record)));
    }

    fn merge_records(&mut self, one: Id, other: Id, due: &mut Due, dead: &mut Dead) {
        let (one, other) = (self.record_class(one), self.record_class(other));
        if one == other {
            return;
        }
        if self.records[one as usize].map != self.records[other as usize].map {
            self.turn_to_map(one, due);
            self.turn_to_map(other, due);
        }
        let lost = std::mem::take(&mut self.records[other as usize]);
        self.record_parents[other as usize] = one;
        dead.records.push(other);
        let this = &mut self.records[one as usize];
        this.count += lost.count;
        this.singles += lost.singles;
        this.text_keys |= lost.text_keys;
        merge_options(&mut this.keys, lost.keys, due);
        merge_options(&mut this.values, lost.values, due);
        let mut last = NONE;
        let mut fields: Vec<Option<FieldSeen>> = lost.fields.into_iter().map(Some).collect();
        let mut at = lost.first;
        // The new index of each field, and the old indices of those that came before it.
        let mut moved = vec![NONE; fields.len()];
        let mut befores = Vec::with_capacity(fields.len());
        while let Some(mut field) = fields.get_mut(at as usize).and_then(Option::take) {
            let old = at as usize;
            at = field.next;
            let before = field.before.replace(Vec::new());
            last = match this.find(&field.name, last) {
                Some(known) => {
                    let seen = &mut this.fields[known as usize];
                    seen.records += field.records;
                    seen.positions = seen.positions.saturating_add(field.positions);
                    seen.repeated |= field.repeated;
                    seen.number = seen.number.filter(|&number| field.number == Some(number));
                    due.places.push((seen.place, field.place));
                    known
                }
                None => this.insert(field, last),
            };
            moved[old] = last;
            befores.push((last, before));
        }
        for (field, before) in befores {
            match before {
                Some(before) => before.iter().for_each(|&before| this.follows(field, moved[before as usize])),
                None => this.fields[field as usize].before = None,
            }
        }
        if self.records[one as usize].fields.len() > MAX_FIELDS {
            self.turn_to_map(one, due);
        }
    }

    fn turn_to_map(&mut self, record: Id, due: &mut Due) {
        let depth = self.named(record).depth + 1;
        let this = self.named_mut(record);
        if this.map {
            return;
        }
        this.map = true;
        this.index = HashMap::new();
        this.first = NONE;
        let fields = std::mem::take(&mut this.fields);
        let first = this.values.or(fields.first().map(|field| field.place));
        let values = first.unwrap_or_else(|| self.place(depth));
        self.named_mut(record).values = Some(values);
        due.places.extend(fields.iter().filter(|field| field.place != values).map(|field| (values, field.place)));
    }

    /// Makes merges permanent from here on: several paths may lead to one place. From here on, the
    /// contents of each place are in an order that does not depend on the samples'.
    pub fn freeze(&mut self) {
        self.free_places.clear();
        self.free_records.clear();
        self.frozen = true;
        (0..self.places.len() as Id).for_each(|id| self.sort(id));
    }

    /// Puts the records, cases and tags of a place in order.
    fn sort(&mut self, id: Id) {
        let mut records = std::mem::take(&mut self.places[id as usize].records);
        records.sort_by(|one, other| self.named(*one).name.cmp(&self.named(*other).name));
        let place = &mut self.places[id as usize];
        place.records = records;
        place.tags.sort_by(|one, other| (&one.space, one.code).cmp(&(&other.space, other.code)));
        if let Some(variants) = &mut place.variants {
            variants.cases.sort_by(|one, other| one.name.cmp(&other.name));
        }
    }
}

#[derive(Debug, Default)]
struct Due {
    places: Vec<(Id, Id)>,
    records: Vec<(Id, Id)>,
    /// Places of any type, whose contents are to be given up.
    opaque: Vec<Id>,
}

#[derive(Debug, Default)]
struct Dead {
    places: Vec<Id>,
    records: Vec<Id>,
}

/// The move of one tree of places into another's memory, where free slots are used first.
struct Graft<'p> {
    to: &'p mut Places,
    from: Places,
    /// The place and its new number.
    due: Vec<(Id, Id)>,
}

impl Graft<'_> {
    fn new(to: &mut Places, from: Places) -> Graft<'_> {
        Graft { to, from, due: Vec::new() }
    }

    /// Moves everything; returns the new number of the root.
    fn run(mut self) -> Id {
        let root = self.moved(0);
        while let Some((old, new)) = self.due.pop() {
            let depth = self.from.at(old).depth;
            let mut place = std::mem::replace(self.from.at_mut(old), Place { depth, ..Place::default() });
            match place.items.as_deref_mut().map(|items| &mut items.shape) {
                Some(ItemShape::Fixed(fixed)) => fixed.iter_mut().for_each(|item| *item = self.moved(*item)),
                Some(ItemShape::Each(each)) => *each = self.moved(*each),
                None => {}
            }
            let cases = place.variants.iter_mut().flat_map(|variants| &mut variants.cases);
            cases.flat_map(|case| &mut case.values).for_each(|value| *value = self.moved(*value));
            place.tags.iter_mut().for_each(|tag| tag.inner = self.moved(tag.inner));
            place.records.iter_mut().for_each(|record| *record = self.moved_record(*record));
            *self.to.at_mut(new) = place;
        }
        root
    }

    fn moved(&mut self, old: Id) -> Id {
        let depth = self.from.at(old).depth;
        let new = self.to.place(depth);
        self.due.push((old, new));
        new
    }

    fn moved_record(&mut self, old: Id) -> Id {
        let mut named = std::mem::take(self.from.named_mut(old));
        named.fields.iter_mut().for_each(|field| field.place = self.moved(field.place));
        named.keys = named.keys.map(|keys| self.moved(keys));
        named.values = named.values.map(|values| self.moved(values));
        let new = self.to.record(&named.name, named.depth);
        *self.to.named_mut(new) = named;
        new
    }
}

/// Returns the name of a case that has none.
pub(crate) fn case_name(index: u32) -> String {
    format!("case{index}")
}

fn find(parents: &[Id], mut id: Id) -> Id {
    while parents[id as usize] != id {
        id = parents[id as usize];
    }
    id
}

/// Reports whether each way to the parents ends.
fn has_roots(parents: &[Id]) -> bool {
    let mut ended = vec![false; parents.len()];
    for start in 0..parents.len() {
        let (mut at, mut steps) = (start, 0);
        while !ended[at] && parents[at] as usize != at {
            at = parents[at] as usize;
            steps += 1;
            if at >= parents.len() || steps > parents.len() {
                return false;
            }
        }
        let mut at = start;
        while !std::mem::replace(&mut ended[at], true) {
            at = parents[at] as usize;
        }
    }
    true
}

fn merge_options(one: &mut Option<Id>, other: Option<Id>, due: &mut Due) {
    match (&one, other) {
        (Some(one), Some(other)) => due.places.push((*one, other)),
        (None, other) => *one = other,
        _ => {}
    }
}

fn merge_items(items: &mut Items, lost: Items, due: &mut Due) {
    items.lists += lost.lists;
    items.tuples += lost.tuples;
    items.shortest = items.shortest.min(lost.shortest);
    items.longest = items.longest.max(lost.longest);
    match (&items.shape, lost.shape) {
        (ItemShape::Fixed(one), ItemShape::Fixed(other)) if one.len() == other.len() => {
            due.places.extend(one.iter().copied().zip(other));
        }
        (one, other) => {
            let all = |shape: &ItemShape| match shape {
                ItemShape::Fixed(fixed) => fixed.clone(),
                ItemShape::Each(each) => vec![*each],
            };
            let mut places = all(one);
            places.extend(all(&other));
            let each = places[0];
            due.places.extend(places.iter().skip(1).map(|&place| (each, place)));
            items.shape = ItemShape::Each(each);
        }
    }
}

fn merge_variants(variants: &mut Variants, lost: Variants, due: &mut Due) {
    variants.count += lost.count;
    for case in lost.cases {
        match variants.cases.iter_mut().find(|known| known.name == case.name) {
            Some(known) => {
                known.count += case.count;
                known.index = known.index.filter(|&index| case.index == Some(index));
                known.least = known.least.min(case.least);
                let mut values = case.values.into_iter();
                for (&one, other) in known.values.iter().zip(values.by_ref()) {
                    due.places.push((one, other));
                }
                known.values.extend(values);
            }
            None => variants.cases.push(case),
        }
    }
}
