//! Makes types from places.

use std::collections::{HashMap, HashSet, VecDeque};

use polywire_core::schema::{Case, Constraint, Enumeration, FieldType, NamedType, Presence, Record, Schema, Sum, TimeUnit, Type, Width};

use super::names::{common_name, singular_type_name, type_name};
use super::place::{CaseSeen, FieldSeen, Floats, Id, ItemShape, Named, Place, Places, Whole};
use super::shape::{NamedSum, items_of, sum_of};
use super::text::Texts;
use super::thresholds::{ENUMERATION_SAMPLES, LEAST_BITS, SPARE_BITS, TIMES_PER_MEMBER};

/// Name of the message type if neither the caller nor the samples have one.
pub(super) const NAME: &str = "Message";

/// Largest whole number up to which all are exact in an `f64`.
const EXACT: i128 = 1 << 53;

/// A thing that gets a type name of its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Record(Id),
    /// A sum type by names alone, at a place.
    Sum(Id),
    /// A sum type from the format's variants, at a place.
    Variants(Id),
    Enumeration(Vec<Box<str>>),
}

struct Maker<'p> {
    places: &'p Places,
    names: HashMap<Key, String>,
}

/// Returns the schema of all places.
pub(crate) fn schema(places: &Places, name: Option<&str>, samples: u64) -> Schema {
    let root = places.class(0);
    let root_keys = keys_of(places, root);
    let mut maker = Maker { places, names: HashMap::new() };
    // A type that is only one of the root's alternatives can't be the root's.
    let alone = sum_of(places, root).is_some() || maker.alternatives(root, false).len() == 1;
    let whole = root_keys.len() == 1 && alone && places.at(root).nulls == 0;
    let own = match &root_keys[..] {
        [Key::Record(record)] if whole && !places.named(*record).name.is_empty() => Some(places.named(*record).name.as_str()),
        _ => None,
    };
    let told = type_name(name.or(own).unwrap_or(NAME));
    let (order, candidates) = candidates(places, &told);
    // The default name yields to one that samples use.
    let taken = |key: &Key| !(whole && *key == root_keys[0]) && common_name(&candidates[key]) == told;
    let root_name = if name.or(own).is_none() && order.iter().any(taken) { "Root".to_string() } else { told };
    let mut used = HashSet::from([root_name.clone()]);
    if whole {
        maker.names.insert(root_keys[0].clone(), root_name.clone());
    }
    for key in &order {
        if !maker.names.contains_key(key) {
            let name = numbered(common_name(&candidates[key]), &mut used);
            maker.names.insert(key.clone(), name);
        }
    }
    let mut types = Vec::new();
    let doc = format!("Inferred from {}.", times(samples, "sample"));
    if !whole {
        types.push(NamedType { name: root_name.clone(), doc: doc.clone(), ty: maker.ty(root) });
    }
    for key in &order {
        let name = maker.names[key].clone();
        let doc = if name == root_name { doc.clone() } else { String::new() };
        types.push(NamedType { name, doc, ty: maker.body(key) });
    }
    Schema { types, root: Some(root_name) }
}

/// Returns the keys of the types at a place.
fn keys_of(places: &Places, id: Id) -> Vec<Key> {
    let place = places.at(id);
    if place.opaque {
        return Vec::new();
    }
    if sum_of(places, id).is_some() {
        return vec![Key::Sum(places.class(id))];
    }
    let mut keys = Vec::new();
    keys.extend(members(place).map(|members| Key::Enumeration(members.to_vec())));
    keys.extend(place.records.iter().filter(|&&record| !places.named(record).map).map(|&record| Key::Record(places.record_class(record))));
    keys.extend(place.variants.iter().map(|_| Key::Variants(places.class(id))));
    keys
}

/// Returns the keys of the message's types in order, and the names that fields suggest for each.
fn candidates(places: &Places, root_name: &str) -> (Vec<Key>, HashMap<Key, Vec<String>>) {
    let mut order = Vec::new();
    let mut candidates: HashMap<Key, Vec<String>> = HashMap::new();
    let mut seen = HashSet::new();
    let mut seen_records = HashSet::new();
    let mut due = VecDeque::from([(places.class(0), root_name.to_string())]);
    while let Some((id, hint)) = due.pop_front() {
        let id = places.class(id);
        for key in keys_of(places, id) {
            let name = match &key {
                Key::Record(record) if !places.named(*record).name.is_empty() => type_name(&places.named(*record).name),
                _ => hint.clone(),
            };
            candidates
                .entry(key)
                .or_insert_with_key(|key| {
                    order.push(key.clone());
                    Vec::new()
                })
                .push(name);
        }
        let place = places.at(id);
        if !seen.insert(id) || place.opaque {
            continue;
        }
        let one = singular_type_name(&hint);
        // An item of a message needs another name than the message.
        let one = if one == root_name { format!("{one}Item") } else { one };
        due.extend(items_of(place).into_iter().map(|item| (item, one.clone())));
        for &record in &place.records {
            if seen_records.insert(places.record_class(record)) {
                let named = places.named(record);
                let mut fields: Vec<&FieldSeen> = named.ordered().collect();
                if sum_of(places, id).is_some() {
                    fields.sort_by(|one, other| one.name.cmp(&other.name));
                }
                due.extend(fields.iter().map(|field| (field.place, type_name(&field.name))));
                due.extend(named.keys.map(|keys| (keys, format!("{one}Key"))));
                due.extend(named.values.map(|values| (values, one.clone())));
            }
        }
        let cases = place.variants.iter().flat_map(|variants| &variants.cases);
        due.extend(cases.flat_map(|case| case.values.iter().map(|&value| (value, type_name(&case.name)))));
        due.extend(place.tags.iter().map(|tag| (tag.inner, hint.clone())));
    }
    (order, candidates)
}

/// Returns `name`, with a number if it is taken.
fn numbered(name: String, used: &mut HashSet<String>) -> String {
    let between = if name.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
    let mut unique = name.clone();
    let mut number = 2;
    while !used.insert(unique.clone()) {
        unique = format!("{name}{between}{number}");
        number += 1;
    }
    unique
}

/// Returns the texts of an enumeration, if a place's texts form one.
fn members(place: &Place) -> Option<&[Box<str>]> {
    let texts = place.texts.as_ref().filter(|_| place.octets == 0)?;
    let values = texts.values.as_deref()?;
    let often = texts.count >= ENUMERATION_SAMPLES && texts.rarest() >= TIMES_PER_MEMBER;
    (values.len() >= 2 && often && !texts.looks.truth).then_some(values)
}

impl Maker<'_> {
    fn reference(&self, key: &Key) -> Type {
        Type::Reference(self.names.get(key).cloned().unwrap_or_default(), vec![])
    }

    /// Returns the type of a place's values.
    fn ty(&self, id: Id) -> Type {
        self.ty_or_text(id, false)
    }

    /// Returns the type of a place's values, and of any text if `text` is true.
    fn ty_or_text(&self, id: Id, text: bool) -> Type {
        let place = self.places.at(id);
        if place.opaque {
            return Type::Any;
        }
        let mut cases = if sum_of(self.places, id).is_some() && !text {
            vec![("sum".to_string(), self.reference(&Key::Sum(self.places.class(id))))]
        } else {
            self.alternatives(id, text)
        };
        let ty = match cases.len() {
            0 if place.nulls > 0 => return Type::Null,
            0 => return Type::Any,
            1 => cases.swap_remove(0).1,
            _ => {
                let mut used = HashSet::new();
                let case = |(name, ty)| Case { name: numbered(name, &mut used), id: None, carries: vec![ty], doc: String::new() };
                Type::Sum(Sum { cases: cases.into_iter().map(case).collect(), extensible: false, untagged: true })
            }
        };
        if place.nulls > 0 { Type::Nullable(Box::new(ty)) } else { ty }
    }

    /// Returns a type for each kind of values at a place, with the kind's name.
    fn alternatives(&self, id: Id, text: bool) -> Vec<(String, Type)> {
        let place = self.places.at(id);
        let mut cases: Vec<(String, Type)> = Vec::new();
        let mut add = |name: &str, ty: Type| cases.push((name.to_string(), ty));
        if place.bools > 0 {
            add("bool", Type::Bool);
        }
        numbers(place, &mut add);
        if place.octets > 0 {
            add("octets", Type::Octets(Constraint::NONE));
        } else if text {
            add("text", Type::Text(Constraint::NONE));
        } else if let Some(members) = members(place) {
            add("text", self.reference(&Key::Enumeration(members.to_vec())));
        } else if place.texts.is_some() {
            add("text", Type::Text(Constraint::NONE));
        }
        if place.bytes > 0 {
            add("bytes", Type::Bytes(Constraint::NONE));
        }
        if place.times > 0 {
            add("timestamp", Type::Timestamp(place.unit.unwrap_or(TimeUnit::Nanosecond)));
        }
        match place.items.as_deref().map(|items| &items.shape) {
            Some(ItemShape::Fixed(fixed)) => add("tuple", Type::Tuple(fixed.iter().map(|&item| self.ty(item)).collect())),
            Some(ItemShape::Each(each)) => add("list", Type::List(Box::new(self.ty(*each)), Constraint::NONE)),
            None => {}
        }
        for &record in &place.records {
            let named = self.places.named(record);
            if named.map {
                let key = match named.keys {
                    Some(keys) => self.ty_or_text(keys, named.text_keys),
                    None => Type::Text(Constraint::NONE),
                };
                let value = named.values.map_or(Type::Any, |values| self.ty(values));
                add("map", Type::Map(Box::new(key), Box::new(value)));
            } else {
                let key = Key::Record(self.places.record_class(record));
                add(self.names.get(&key).map_or("record", String::as_str), self.reference(&key));
            }
        }
        if place.variants.is_some() {
            let key = Key::Variants(self.places.class(id));
            add(self.names.get(&key).map_or("sum", String::as_str), self.reference(&key));
        }
        for tag in &place.tags {
            let inner = Box::new(self.ty(tag.inner));
            add(&format!("tag{}", tag.code), Type::Tagged { space: tag.space.as_ref().to_owned(), code: tag.code, inner });
        }
        cases
    }

    /// Returns the type that a name stands for.
    fn body(&self, key: &Key) -> Type {
        match key {
            Key::Record(record) => Type::Record(self.record(self.places.named(*record))),
            Key::Sum(place) => sum_of(self.places, *place).map_or(Type::Any, |sum| Type::Sum(self.sum(&sum))),
            Key::Variants(place) => {
                let cases = self.places.at(*place).variants.as_ref().map_or(&[][..], |variants| &variants.cases);
                Type::Sum(self.variants(cases))
            }
            Key::Enumeration(members) => {
                let members = members.iter().zip(0..).map(|(name, number)| (name.to_string(), number)).collect();
                Type::Enumeration(Enumeration { members, extensible: false })
            }
        }
    }

    fn record(&self, named: &Named) -> Record {
        let mut numbers: HashMap<u64, u32> = HashMap::new();
        named.fields.iter().filter_map(|field| field.number).for_each(|number| *numbers.entry(number).or_default() += 1);
        let field = |field: &FieldSeen| FieldType {
            id: field.number.filter(|number| numbers[number] == 1),
            presence: match (field.repeated, field.records < named.count) {
                (true, _) => Presence::Repeated,
                (false, true) => Presence::Optional,
                (false, false) => Presence::Required,
            },
            doc: self.remarks(field, named.count),
            ..FieldType::required(&*field.name, self.ty(field.place))
        };
        Record { fields: named.ordered().map(field).collect(), ..Record::default() }
    }

    fn sum(&self, sum: &NamedSum<'_>) -> Sum {
        let mut cases: Vec<Case> = Vec::new();
        for field in &sum.record.fields {
            cases.push(Case {
                name: field.name.to_string(),
                id: None,
                carries: vec![self.ty(field.place)],
                doc: times(field.records, "time"),
            });
        }
        for constant in sum.constants {
            cases.push(Case { name: constant.to_string(), id: None, carries: vec![], doc: String::new() });
        }
        cases.sort_by(|one, other| one.name.cmp(&other.name));
        Sum { cases, ..Sum::default() }
    }

    fn variants(&self, seen: &[CaseSeen]) -> Sum {
        let mut indexes = HashSet::new();
        let sound = seen.iter().all(|case| case.index.is_some_and(|index| indexes.insert(index)));
        let mut seen: Vec<&CaseSeen> = seen.iter().collect();
        seen.sort_by(|one, other| (one.index.filter(|_| sound), &one.name).cmp(&(other.index.filter(|_| sound), &other.name)));
        let carries = |case: &CaseSeen| {
            let value = |(at, &id): (usize, &Id)| match self.ty(id) {
                ty @ (Type::Nullable(_) | Type::Null | Type::Any) => ty,
                ty if at < case.least => ty,
                ty => Type::Nullable(Box::new(ty)),
            };
            case.values.iter().enumerate().map(value).collect()
        };
        let cases = seen.into_iter().map(|case| Case {
            name: case.name.clone(),
            id: case.index.filter(|_| sound).map(u64::from),
            carries: carries(case),
            doc: times(case.count, "time"),
        });
        Sum { cases: cases.collect(), ..Sum::default() }
    }

    /// Describes the values of a field, for its documentation.
    fn remarks(&self, field: &FieldSeen, records: u64) -> String {
        let mut remarks = Vec::new();
        let place = self.places.at(field.place);
        if place.kinds().count_ones() == 1 {
            remarks.extend(numbers_remark(&place.whole, &place.floats).filter(|_| place.decimals + place.whole.bigs == 0));
            remarks.extend(since_1970(&field.name, place));
            remarks.extend(place.texts.as_ref().filter(|_| place.octets == 0 && members(place).is_none()).and_then(|texts| looks(texts)));
            if let Some(items) = &place.items
                && !matches!(items.shape, ItemShape::Fixed(_))
            {
                remarks.push(span(items.shortest, items.longest, "item"));
            }
        }
        if field.records < records {
            remarks.push(format!("in {} of {}", thousands(field.records), thousands(records)));
        }
        remarks.join("; ")
    }
}

/// Adds the types that hold the numbers of a place.
fn numbers(place: &Place, add: &mut impl FnMut(&str, Type)) {
    let Whole { count, low, high, bigs } = place.whole;
    let Floats { singles, doubles, special, whole, .. } = place.floats;
    let exact = bigs == 0 && (count == 0 || (low >= -EXACT && high <= EXACT));
    let floats = match (count > 0, doubles > 0) {
        (true, _) => Type::Number,
        (false, true) => Type::F64,
        (false, false) => Type::F32,
    };
    match (count + bigs > 0, singles + doubles > 0, place.decimals > 0) {
        (false, false, false) => {}
        (true, false, false) => add("integer", integer(&place.whole)),
        // A whole number may have come as an integer or as a float.
        (true, true, false) if exact && whole => {
            add("integer", integer(&place.whole));
            add("float", if doubles == 0 { Type::F32 } else { Type::F64 });
        }
        (_, true, false) if exact => add("number", floats),
        (_, _, _) if !special => add("number", Type::Decimal),
        (_, _, true) => {
            add("number", Type::Decimal);
            add("float", if doubles == 0 { Type::F32 } else { Type::F64 });
        }
        (_, _, false) => {
            add("integer", integer(&place.whole));
            add("float", if doubles == 0 { Type::F32 } else { Type::F64 });
        }
    }
}

fn integer(whole: &Whole) -> Type {
    let wide = Type::Integer(Constraint::NONE);
    if whole.bigs > 0 {
        return wide;
    }
    match (u64::try_from(whole.low), u64::try_from(whole.high), i64::try_from(whole.low), i64::try_from(whole.high)) {
        (Ok(_), Ok(high), _, _) => Type::UInt(natural(Width::unsigned(spared(high)))),
        (_, _, Ok(low), Ok(high)) => Type::Int(natural(Width::signed(low.saturating_mul(SPARE), high.saturating_mul(SPARE)))),
        _ => wide,
    }
}

/// Factor of the bits to spare.
const SPARE: i64 = 1 << SPARE_BITS;

/// Returns a number with the bits to spare.
fn spared(number: u64) -> u64 {
    number.saturating_mul(SPARE.unsigned_abs())
}

/// Returns the width, or the least if it is narrower.
fn natural(width: Width) -> Width {
    match width {
        width if width.bits() >= LEAST_BITS => width,
        _ => Width::W32,
    }
}

/// Describes whole numbers whose field name is about time: seconds since 1970, or parts of them, in
/// the years 2000 to 2099.
fn since_1970(name: &str, place: &Place) -> Option<String> {
    let lower = name.to_lowercase();
    let speaks =
        ["time", "date", "timestamp", "_at", "created", "updated", "expires", "since", "until"].iter().any(|end| lower.ends_with(end));
    let units = [("seconds", 1), ("milliseconds", 1_000), ("microseconds", 1_000_000), ("nanoseconds", 1_000_000_000)];
    let Whole { count, low, high, .. } = place.whole;
    let within = |unit: i128| low >= 946_684_800 * unit && high < 4_102_444_800 * unit;
    let (unit, _) = units.into_iter().find(|&(_, unit)| within(unit)).filter(|_| speaks && count == place.numbers())?;
    Some(format!("looks like {unit} since 1970"))
}

/// Returns a float as text; in binary32's shorter form if all are.
fn float_text(floats: &Floats, number: f64) -> String {
    if floats.doubles == 0 { format!("{:?}", number as f32) } else { format!("{number:?}") }
}

fn numbers_remark(whole: &Whole, floats: &Floats) -> Option<String> {
    match (whole.count > 0, floats.singles + floats.doubles > 0) {
        (true, false) if whole.low == whole.high => Some(format!("{}{}", always(whole.count), whole.low)),
        (true, false) => Some(format!("{} to {}", whole.low, whole.high)),
        (false, true) if !floats.special && floats.low == floats.high => {
            Some(format!("{}{}", always(floats.singles + floats.doubles), float_text(floats, floats.low)))
        }
        (false, true) if !floats.special => Some(format!("{} to {}", float_text(floats, floats.low), float_text(floats, floats.high))),
        (true, true) if !floats.special => {
            Some(format!("{:?} to {:?}", floats.low.min(whole.low as f64), floats.high.max(whole.high as f64)))
        }
        _ => None,
    }
}

fn looks(texts: &Texts) -> Option<String> {
    let Texts { count, looks, values, shortest, longest, .. } = texts;
    if looks.timestamp {
        Some("looks like a timestamp".into())
    } else if looks.whole {
        Some("looks like a whole number".into())
    } else if looks.number {
        Some("looks like a number".into())
    } else if looks.truth {
        Some("true or false".into())
    } else if let Some([one]) = values.as_deref() {
        Some(format!("{}{one}", always(*count)))
    } else {
        Some(span(*shortest as u64, *longest as u64, "byte"))
    }
}

/// Returns the word before the only value that was seen.
fn always(count: u64) -> &'static str {
    if count > 1 { "always " } else { "" }
}

fn span(low: u64, high: u64, what: &str) -> String {
    if low == high { times(low, what) } else { format!("{} to {}", thousands(low), times(high, what)) }
}

fn times(count: u64, what: &str) -> String {
    format!("{} {what}{}", thousands(count), if count == 1 { "" } else { "s" })
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
