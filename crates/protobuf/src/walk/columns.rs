//! Messages straight to columns, whose fields are known beforehand. The twin is the walk, which
//! reads all that this leaves: fields out of order or unknown, maps, groups, and what is damaged or
//! does not fit.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use polywire_core::Limits;
use polywire_core::bytes::{unzigzag, utf8};
use polywire_core::columns::{Cases, Filling, Form, Member, Shape};

use crate::model::{Cardinality, Kind, Presence, WellKnown};
use crate::plan::{Field, Message, Plan};
use crate::wire::{WireType, bare_tag, known, length};

/// Appends messages to the columns of one shape.
#[derive(Debug, Default)]
pub(super) struct Columns {
    shape: Option<Arc<Shape>>,
    /// Values have the types of the common schema.
    typed: bool,
    tables: Vec<Table>,
    /// Keys of names by the numbers of enums, in order.
    enums: Vec<Vec<(i32, u32)>>,
    /// Cases that fields are.
    cases: Vec<Case>,
    /// Fields in messages that stand for them.
    wrapped: Vec<Slot>,
}

/// A case of a sum type.
#[derive(Debug, Clone, Copy)]
struct Case {
    /// Columns of the sum type and of its keys.
    sum: u32,
    tag: u32,
    key: u32,
}

/// The fields of a message type, as the columns of one record take them.
#[derive(Debug)]
struct Table {
    node: u32,
    /// Slots in the order of the field numbers.
    slots: Vec<Slot>,
    /// Places of slots by the low bits of the field's number.
    places: Box<[u32]>,
    members: Arc<[Member]>,
    /// Number of fields that a message must have.
    required: u32,
    /// A column must have a value that the message need not have.
    is_checked: bool,
}

/// A field.
#[derive(Debug, Clone, Copy)]
struct Slot {
    tag: u32,
    take: Take,
    /// The column of the field.
    node: u32,
    /// The column of its values, if it is repeated.
    item: u32,
    is_list: bool,
    is_packed: bool,
    /// 1 if the message must have it.
    required: u32,
    /// The bit of its oneof.
    oneof: u64,
    /// The case that it is, or `NONE`.
    case: u32,
}

/// No index.
const NONE: u32 = u32::MAX;

/// The way of a value into its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Take {
    /// By a walk.
    Nothing,
    Text,
    Bytes,
    Int32,
    Int64,
    UInt32,
    UInt64,
    SInt32,
    SInt64,
    Bool,
    /// The number of an enum, with those keys.
    Enum(u32),
    F64,
    Fixed64,
    SFixed64,
    F32,
    Fixed32,
    SFixed32,
    /// A message with the fields of that table.
    Message(u32),
    /// A message of one of the fields of that table, each of which is a case.
    Choice(u32),
    /// A message that stands for that field of it.
    Wrapped(u32),
    /// A moment. The number is that of units in a second.
    Moment(i64),
    /// A case without a value.
    Constant,
}

impl Columns {
    /// Appends a message whose contents start at `at`: see
    /// [`Reader::fill`](polywire_core::Reader::fill).
    pub(super) fn fill(&mut self, plan: &Plan, typed: bool, msg: &[u8], at: usize, filling: &mut Filling<'_>, limits: &Limits) -> bool {
        if !self.shape.as_ref().is_some_and(|shape| Arc::ptr_eq(shape, filling.shape)) {
            self.typed = typed;
            self.learn(plan, filling.shape);
        }
        // No field has less than one byte, and one level of columns is one of messages or lists.
        if self.tables.is_empty() || msg.len() as u64 > limits.items / 2 || limits.depth < 2 * MAX_DEPTH {
            return false;
        }
        self.message(msg, at, msg.len(), 0, filling).is_some()
    }

    /// Prepares for the columns of another shape.
    #[cold]
    fn learn(&mut self, plan: &Plan, shape: &Arc<Shape>) {
        self.tables.clear();
        self.enums.clear();
        self.cases.clear();
        self.wrapped.clear();
        self.shape = Some(Arc::clone(shape));
        let is_whole = !self.typed || typed_of(plan.message(plan.root)) == Typed::Record || plan.message(plan.root).known.is_some();
        if !plan.has_views() && is_whole {
            self.table(plan, shape, plan.root, shape.root, 0);
        }
    }

    /// Appends the message at `at..end`. Returns nothing if it is the walk's. Recursion ends with
    /// the tables, which have at most `MAX_DEPTH` levels.
    fn message(&self, msg: &[u8], mut at: usize, end: usize, table: u32, filling: &mut Filling<'_>) -> Option<()> {
        let table = self.tables.get(table as usize)?;
        let row = filling.columns.get(table.node as usize)?.len;
        let window = msg.get(..end)?;
        let (mut next, mut seen, mut required, mut oneofs) = (0, 0, 0, 0u64);
        while at < end {
            let (tag, value) = match known::tag(window, at) {
                Some(found) => found,
                None => bare_tag(window, at).ok()?,
            };
            let slot = match table.slots.get(next) {
                Some(slot) if slot.tag == tag.0 => slot,
                // One absent field between two is usual.
                _ => match table.slots.get(next + 1) {
                    Some(slot) if slot.tag == tag.0 => {
                        next += 1;
                        slot
                    }
                    _ => {
                        next = table.place(tag.0)?;
                        &table.slots[next]
                    }
                },
            };
            next += 1;
            // The walk finds out which of several members of a oneof counts.
            if oneofs & slot.oneof != 0 || (slot.case == NONE && !filling.ready(slot.node, row)) {
                return None;
            }
            oneofs |= slot.oneof;
            required += slot.required;
            seen += 1;
            at = if slot.is_list {
                self.list(msg, window, value, slot, filling)?
            } else if slot.case != NONE {
                self.case(msg, window, value, slot, row, filling)?
            } else {
                self.value(msg, window, value, slot, slot.node, filling)?
            };
        }
        if at > end || required < table.required {
            return None;
        }
        // The columns of most schemas lack nothing that the message may lack.
        let seen = if table.is_checked { seen } else { table.members.len() };
        filling.end_record(table.node, &table.members, seen).then_some(())
    }

    /// Appends the value at `at` as that of a case, at place `row` of its sum type.
    #[inline(never)]
    fn case(&self, msg: &[u8], window: &[u8], at: usize, slot: &Slot, row: usize, filling: &mut Filling<'_>) -> Option<usize> {
        let case = *self.cases.get(slot.case as usize)?;
        if !filling.ready(case.sum, row) || !filling.ready(case.tag, row) || !filling.columns.get_mut(case.tag as usize)?.put_key(case.key)
        {
            return None;
        }
        let end = match slot.take {
            Take::Constant => length_at(window, at).filter(|(from, to)| from == to).map(|(_, to)| to)?,
            _ if filling.ready(slot.node, row) => self.value(msg, window, at, slot, slot.node, filling)?,
            _ => return None,
        };
        filling.columns.get_mut(case.sum as usize)?.push();
        filling.size += 8;
        Some(end)
    }

    /// Appends the message at `from..to`, which stands for the value of a field.
    #[inline(never)]
    fn standing(&self, msg: &[u8], (from, to): (usize, usize), take: Take, node: u32, filling: &mut Filling<'_>) -> Option<usize> {
        let window = msg.get(..to)?;
        let first = || known::tag(window, from).or_else(|| bare_tag(window, from).ok());
        let end = match take {
            Take::Choice(table) => {
                let table = self.tables.get(table as usize)?;
                let (tag, value) = first().filter(|_| from < to)?;
                let slot = table.slots.get(table.place(tag.0)?)?;
                let row = filling.columns.get(node as usize)?.len;
                self.case(msg, window, value, slot, row, filling)?
            }
            Take::Wrapped(_) if from == to => {
                let Take::Wrapped(slot) = take else { return None };
                let column = filling.columns.get_mut(node as usize)?;
                let is_put = match self.wrapped.get(slot as usize)?.take {
                    Take::Text | Take::Bytes => column.put_bytes(b""),
                    Take::Bool => column.put_bool(false),
                    Take::F64 => column.put_f64(0.0),
                    Take::F32 => column.put_f32(0.0),
                    _ => column.put_uint(0),
                };
                filling.size += 8;
                is_put.then_some(to)?
            }
            Take::Wrapped(slot) => {
                let slot = self.wrapped.get(slot as usize)?;
                let (_, value) = first().filter(|(tag, _)| tag.0 == slot.tag)?;
                self.value(msg, window, value, slot, node, filling)?
            }
            Take::Moment(units) => {
                let (mut at, mut parts, mut least) = (from, [0i64; 2], 1);
                while at < to {
                    let (tag, value) = known::tag(window, at).or_else(|| bare_tag(window, at).ok())?;
                    let number = (tag.0 >> 3) as usize;
                    if tag.0 & 7 != WireType::Varint.code() || !(least..=2).contains(&number) {
                        return None;
                    }
                    let (value, end) = known::varint(msg, value, to)?;
                    parts[number - 1] = value as i64;
                    (at, least) = (end, number + 1);
                }
                let [seconds, nanos] = [parts[0], i64::from(parts[1] as i32)];
                let scale = 1_000_000_000 / units;
                if !(0..1_000_000_000).contains(&nanos) || nanos % scale != 0 {
                    return None;
                }
                let value = i64::try_from(i128::from(seconds) * i128::from(units) + i128::from(nanos / scale)).ok()?;
                filling.size += 8;
                filling.columns.get_mut(node as usize)?.put_int(value).then_some(at)?
            }
            _ => return None,
        };
        (end == to).then_some(to)
    }

    /// Appends the values of a repeated field. The first one is at `at`.
    #[inline(never)]
    fn list(&self, msg: &[u8], window: &[u8], mut at: usize, slot: &Slot, filling: &mut Filling<'_>) -> Option<usize> {
        if slot.is_packed {
            let (from, to) = length(window, at).ok()?;
            // A list of no values is none.
            if from == to {
                return None;
            }
            let window = &window[..to];
            at = from;
            while at < to {
                at = self.item(msg, window, at, slot, filling)?;
            }
        } else {
            loop {
                at = self.item(msg, window, at, slot, filling)?;
                match known::tag(window, at) {
                    Some((tag, value)) if tag.0 == slot.tag => at = value,
                    _ => break,
                }
            }
        }
        filling.end_list(slot.node, slot.item).then_some(at)
    }

    /// Appends the value of a list.
    #[inline(never)]
    fn item(&self, msg: &[u8], window: &[u8], at: usize, slot: &Slot, filling: &mut Filling<'_>) -> Option<usize> {
        self.value(msg, window, at, slot, slot.item, filling)
    }

    /// Appends the value at `at` to a column, and returns its end.
    #[inline(always)]
    fn value(&self, msg: &[u8], window: &[u8], at: usize, slot: &Slot, node: u32, filling: &mut Filling<'_>) -> Option<usize> {
        macro_rules! varint {
            ($put:ident, $value:expr) => {{
                let (value, end) = known::varint(msg, at, window.len())?;
                (filling.columns.get_mut(node as usize)?.$put($value(value)), end, 8)
            }};
        }
        macro_rules! fixed {
            ($put:ident, $number:ty, $as:ty) => {{
                let bytes = window.get(at..)?.first_chunk()?;
                let end = at + size_of::<$number>();
                (filling.columns.get_mut(node as usize)?.$put(<$as>::from(<$number>::from_le_bytes(*bytes))), end, 8)
            }};
        }
        let (is_put, end, size) = match slot.take {
            Take::Text => {
                let (from, to) = length_at(window, at)?;
                utf8(&window[from..to])?;
                (filling.columns.get_mut(node as usize)?.put_part(msg, from, to), to, to - from + 4)
            }
            Take::Bytes => {
                let (from, to) = length_at(window, at)?;
                (filling.columns.get_mut(node as usize)?.put_part(msg, from, to), to, to - from + 4)
            }
            Take::Int32 => varint!(put_int, |value| i64::from(value as i32)),
            Take::Int64 => varint!(put_int, |value| value as i64),
            Take::UInt32 => varint!(put_uint, |value| u64::from(value as u32)),
            Take::UInt64 => varint!(put_uint, |value| value),
            Take::SInt32 => varint!(put_int, |value| i64::from(unzigzag(u64::from(value as u32)) as i32)),
            Take::SInt64 => varint!(put_int, unzigzag),
            Take::Bool => varint!(put_bool, |value| value != 0),
            Take::Enum(keys) => {
                let (value, end) = known::varint(msg, at, window.len())?;
                let key = key_of(self.enums.get(keys as usize)?, value as i32)?;
                (filling.columns.get_mut(node as usize)?.put_key(key), end, 8)
            }
            Take::F64 => fixed!(put_f64, f64, f64),
            Take::Fixed64 => fixed!(put_uint, u64, u64),
            Take::SFixed64 => fixed!(put_int, i64, i64),
            Take::F32 => fixed!(put_f32, f32, f32),
            Take::Fixed32 => fixed!(put_uint, u32, u64),
            Take::SFixed32 => fixed!(put_int, i32, i64),
            Take::Message(table) => {
                let (from, to) = length_at(window, at)?;
                self.message(msg, from, to, table, filling)?;
                return Some(to);
            }
            take @ (Take::Choice(_) | Take::Wrapped(_) | Take::Moment(_)) => {
                return self.standing(msg, length_at(window, at)?, take, node, filling);
            }
            Take::Nothing | Take::Constant => return None,
        };
        filling.size += size;
        is_put.then_some(end)
    }

    /// Makes the table of a message type's fields for the columns of a record. Returns its index.
    fn table(&mut self, plan: &Plan, shape: &Shape, message: u32, node: u32, depth: u32) -> Option<u32> {
        let Form::Record(members) = &shape.node(node).form else { return None };
        if depth >= MAX_DEPTH || plan.message(message).message_set {
            return None;
        }
        let index = self.tables.len() as u32;
        let required = plan.message(message).required;
        self.tables.push(Table {
            node,
            slots: Vec::new(),
            places: Box::default(),
            members: members.clone().into(),
            required,
            is_checked: true,
        });
        let by_name: HashMap<&str, &Member, RandomState> = members.iter().map(|member| (member.name.as_str(), member)).collect();
        let (mut slots, mut must) = (Vec::new(), 0);
        for field in &plan.message(message).fields {
            let name = match (self.typed, field.oneof) {
                (false, _) => &*field.name,
                (true, None) => field.common_name(),
                (true, Some(_)) => &*field.choice,
            };
            let member = by_name.get(name);
            let column = member.map_or(NONE, |member| member.node);
            if self.typed && field.oneof.is_some() {
                slots.push(self.case_slot(plan, shape, field, column, depth));
                continue;
            }
            let (item, is_list) = match &shape.node(column).form {
                Form::List(item) if field.cardinality == Cardinality::Repeated => (*item, true),
                _ => (column, false),
            };
            let mut take = Take::Nothing;
            if is_list == (field.cardinality == Cardinality::Repeated) && field.cardinality != Cardinality::Map {
                take = self.take_at(plan, shape, field, item, depth);
            }
            must += usize::from(member.is_some_and(|member| member.required) && field.presence == Presence::Required);
            let oneof = bit_of(field);
            if field.oneof.is_some() && oneof == 0 {
                take = Take::Nothing;
            }
            let slot = Slot {
                tag: field.tag,
                take,
                node: column,
                item,
                is_list,
                is_packed: false,
                required: u32::from(field.presence == Presence::Required),
                oneof,
                case: NONE,
            };
            slots.push(match is_list && field.packed {
                true => Slot { tag: field.number << 3 | WireType::Len.code(), is_packed: true, ..slot },
                false => slot,
            });
        }
        let own = &mut self.tables[index as usize];
        own.is(slots);
        own.is_checked = members.iter().filter(|member| member.required).count() > must;
        Some(index)
    }

    /// Returns the slot of a field that is a case of the sum type in a column.
    fn case_slot(&mut self, plan: &Plan, shape: &Shape, field: &Field, sum: u32, depth: u32) -> Slot {
        let none = Slot {
            tag: field.tag,
            take: Take::Nothing,
            node: NONE,
            item: NONE,
            is_list: false,
            is_packed: false,
            required: 0,
            oneof: bit_of(field),
            case: NONE,
        };
        let Form::Sum(Cases { tag, cases }) = &shape.node(sum).form else { return none };
        let found = cases.iter().zip(0u32..).find(|((name, _), _)| *name == field.common_name());
        let (Some(((_, node), key)), true) = (found, none.oneof != 0) else { return none };
        let take = match node {
            Some(node) => self.take_at(plan, shape, field, *node, depth),
            None if field.message().is_some_and(|inner| plan.message(inner).known == Some(WellKnown::Empty)) => Take::Constant,
            None => Take::Nothing,
        };
        self.cases.push(Case { sum, tag: *tag, key });
        Slot { take, node: node.unwrap_or(NONE), item: node.unwrap_or(NONE), case: self.cases.len() as u32 - 1, ..none }
    }

    /// Returns the way of a field's values into a column.
    fn take_at(&mut self, plan: &Plan, shape: &Shape, field: &Field, node: u32, depth: u32) -> Take {
        let Some(inner) = field.message() else { return self.take_of(plan, field, &shape.node(node).form) };
        if !matches!(field.kind, Kind::Message(_)) {
            return Take::Nothing;
        }
        let ty = plan.message(inner);
        let is_typed = if self.typed { typed_of(ty) } else { Typed::Record };
        match (is_typed, &shape.node(node).form, &ty.fields[..]) {
            (Typed::Record, ..) => self.table(plan, shape, inner, node, depth + 1).map_or(Take::Nothing, Take::Message),
            (Typed::Moment, Form::Time(units), _) => Take::Moment(*units),
            (Typed::Wrapper, form, [field]) => match self.take_of(plan, field, form) {
                Take::Nothing => Take::Nothing,
                take => {
                    let (tag, item) = (field.tag, node);
                    self.wrapped.push(Slot { tag, take, node, item, is_list: false, is_packed: false, required: 0, oneof: 0, case: NONE });
                    Take::Wrapped(self.wrapped.len() as u32 - 1)
                }
            },
            (Typed::Choice, Form::Sum(_), _) if depth < MAX_DEPTH => {
                let index = self.tables.len() as u32;
                self.tables.push(Table {
                    node,
                    slots: Vec::new(),
                    places: Box::default(),
                    members: Arc::default(),
                    required: 0,
                    is_checked: false,
                });
                let slots = ty.fields.iter().map(|field| self.case_slot(plan, shape, field, node, depth + 1)).collect();
                self.tables[index as usize].is(slots);
                Take::Choice(index)
            }
            _ => Take::Nothing,
        }
    }

    /// Returns the way of a field's scalars into a column.
    fn take_of(&mut self, plan: &Plan, field: &Field, form: &Form) -> Take {
        match (field.kind, form) {
            (Kind::String, Form::Text) => Take::Text,
            (Kind::Bytes, Form::Bytes) => Take::Bytes,
            (Kind::Int32, Form::Whole) => Take::Int32,
            (Kind::Int64, Form::Whole) => Take::Int64,
            (Kind::UInt32, Form::Whole) => Take::UInt32,
            (Kind::UInt64, Form::Whole) => Take::UInt64,
            (Kind::SInt32, Form::Whole) => Take::SInt32,
            (Kind::SInt64, Form::Whole) => Take::SInt64,
            (Kind::Fixed64, Form::Whole) => Take::Fixed64,
            (Kind::SFixed64, Form::Whole) => Take::SFixed64,
            (Kind::Fixed32, Form::Whole) => Take::Fixed32,
            (Kind::SFixed32, Form::Whole) => Take::SFixed32,
            (Kind::Bool, Form::Bool) => Take::Bool,
            (Kind::Double, Form::F64) => Take::F64,
            (Kind::Float, Form::F32) => Take::F32,
            (Kind::Enum(_), Form::Names(names)) => match field.enumeration() {
                Some(at) if self.typed && plan.enums[at].known.is_some() => Take::Nothing,
                Some(at) => {
                    let own = &plan.enums[at];
                    let key = |number| names.keys.get(own.name_of(number)?).map(|key| (number, *key));
                    self.enums.push(own.numbers().filter_map(key).collect());
                    Take::Enum(self.enums.len() as u32 - 1)
                }
                None => Take::Nothing,
            },
            _ => Take::Nothing,
        }
    }
}

/// Most levels of messages that tables are made for: as many as columns have.
const MAX_DEPTH: u32 = 100;

/// The values that messages of a type stand for, where they have the types of the common schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Typed {
    Record,
    Choice,
    Wrapper,
    Moment,
    /// Values that are the walk's.
    Other,
}

fn typed_of(message: &Message) -> Typed {
    match message.known {
        Some(WellKnown::Timestamp) => Typed::Moment,
        Some(WellKnown::Struct | WellKnown::ListValue | WellKnown::Value) => Typed::Other,
        Some(known) if known.is_wrapper() => Typed::Wrapper,
        _ if message.is_choice => Typed::Choice,
        _ => Typed::Record,
    }
}

/// Returns the bit of a field's oneof. There is none for the 65th.
fn bit_of(field: &Field) -> u64 {
    field.oneof.map_or(0, |oneof| 1u64.checked_shl(oneof).unwrap_or(0))
}

impl Table {
    /// Sets the slots.
    fn is(&mut self, slots: Vec<Slot>) {
        let mut places = vec![NONE; (slots.len() + 1).next_power_of_two()].into_boxed_slice();
        for (slot, at) in slots.iter().zip(0..) {
            let place = (slot.tag >> 3) as usize & (places.len() - 1);
            if places[place] == NONE {
                places[place] = at;
            }
        }
        (self.slots, self.places) = (slots, places);
    }

    /// Returns the place of the slot with that tag.
    #[inline(never)]
    fn place(&self, tag: u32) -> Option<usize> {
        let likely = *self.places.get((tag >> 3) as usize & (self.places.len().wrapping_sub(1)))? as usize;
        if self.slots.get(likely)?.tag == tag {
            return Some(likely);
        }
        self.slots.binary_search_by_key(&(tag >> 3), |slot| slot.tag >> 3).ok().filter(|at| self.slots[*at].tag == tag)
    }
}

/// Returns start and end of the value whose length is at `at`.
#[inline(always)]
fn length_at(window: &[u8], at: usize) -> Option<(usize, usize)> {
    #[cold]
    fn careful(window: &[u8], at: usize) -> Option<(usize, usize)> {
        length(window, at).ok()
    }
    match known::length(window, at) {
        Some(found) => Some(found),
        None => careful(window, at),
    }
}

/// Returns the key of an enum's number.
#[inline(always)]
fn key_of(keys: &[(i32, u32)], number: i32) -> Option<u32> {
    // Most enums count from 0 without gaps.
    match usize::try_from(number).ok().and_then(|at| keys.get(at)) {
        Some((first, key)) if *first == number => Some(*key),
        _ => keys.binary_search_by_key(&number, |(number, _)| *number).ok().map(|at| keys[at].1),
    }
}
