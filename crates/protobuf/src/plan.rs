//! Message types prepared for the wire: tables by field number and by name, from a resolved pool.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use polywire_core::{Error, ErrorKind, Fault, Result};
use polywire_json::string::{self as json_string, Short};

use crate::model::{
    Cardinality, Enum as ModelEnum, Field as ModelField, FileId, Kind, Message as ModelMessage, MessageId, Pool, Presence, WellKnown,
};
use crate::wire::{self, Tag, WireType, varint};

/// All message types of a pool, and which of them the messages have. Plans for other types of the
/// pool share the tables.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(crate) messages: Arc<[Message]>,
    pub(crate) enums: Arc<[Enum]>,
    pub(crate) root: u32,
    names: Arc<HashMap<Box<str>, u32>>,
    /// Some values have a [`View`] other than the declared one.
    views: bool,
    /// Some values have another type in the common schema than on the wire.
    typed: bool,
}

/// A message type.
#[derive(Debug)]
pub(crate) struct Message {
    /// Full name.
    pub(crate) name: Box<str>,
    /// Fields and extensions, sorted by number.
    pub(crate) fields: Vec<Field>,
    /// Steps by the low bits of the field's number. Fields whose place is taken are found by
    /// search.
    steps: Box<[FieldStep]>,
    /// Steps in the order of the field numbers, and two that no tag has.
    course: Box<[FieldStep]>,
    /// Indexes of fields by the names that JSON accepts.
    names: HashMap<Box<str>, u32, foldhash::fast::RandomState>,
    /// Indexes of fields by the names that the text format accepts.
    texts: HashMap<Box<str>, u32, foldhash::fast::RandomState>,
    /// Names that no field may have.
    reserved_names: Vec<Box<str>>,
    /// Number of oneofs.
    pub(crate) oneofs: u32,
    /// The message has one oneof and nothing else: in the common schema it is a sum type.
    pub(crate) is_choice: bool,
    /// Number of required fields.
    pub(crate) required: u32,
    pub(crate) known: Option<WellKnown>,
    /// The message has the layout of a MessageSet: an extension is a group of its number and its
    /// bytes.
    pub(crate) message_set: bool,
    /// The message stands for the value of the one field that it has.
    pub(crate) wrapper: bool,
    /// The value that the message stands for, with a field for each of its elements.
    pub(crate) row: Option<Row>,
    /// Some absent fields have a value of their own.
    pub(crate) shows_absent: bool,
    /// A message came with its fields out of order. Some serialisers write all that have a oneof
    /// so.
    shuffled: AtomicBool,
}

/// The value that a message of elements stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Row {
    List,
    Tuple,
    /// One value under a mark: tag space and code.
    Marked(Box<str>, u64),
}

/// Length of nearly all JSON keys, at most.
pub(crate) const KEY_START: usize = 32;

/// The facts about a field that the walk needs before it looks at the field itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FieldStep {
    /// The tag; `NONE` has one of number 0.
    pub(crate) tag: u32,
    /// Index of the field.
    pub(crate) index: u32,
    /// The least index that the next field has, where fields come in order.
    pub(crate) next: u32,
    flags: u32,
    /// Index of its message type, if the value is a message.
    pub(crate) message: u32,
    /// 1 if absence is an error, else 0.
    pub(crate) required: u32,
    /// The bit of its place in the schema's text. 0 from the 65th field on, and where stepping over
    /// a value needs more than its length.
    pub(crate) bit: u64,
    /// The first two bytes of the field, with the bits behind the tag cleared, and their mask.
    pub(crate) head: u16,
    pub(crate) mask: u16,
    /// Length of the tag in bytes.
    pub(crate) tag_len: u8,
    /// Mask of the value's first byte that gives the number of bytes behind it.
    pub(crate) length: u8,
}

impl FieldStep {
    /// The value is a message.
    pub(crate) const MESSAGE: u32 = 1;
    /// The field is repeated, or a map.
    pub(crate) const REPEATED: u32 = 1 << 1;
    /// The field is a map.
    pub(crate) const MAP: u32 = 1 << 2;
    /// The values are packed.
    pub(crate) const PACKED: u32 = 1 << 3;
    /// The field is in a oneof.
    pub(crate) const ONEOF: u32 = 1 << 4;
    /// Numbers that the field's enum does not have are unknown fields.
    pub(crate) const CLOSED: u32 = 1 << 5;
    /// No field has the tag.
    pub(crate) const UNKNOWN: u32 = 1 << 6;
    /// The value has a length before it.
    pub(crate) const LENGTH: u32 = 1 << 7;
    /// The value is a varint.
    pub(crate) const VARINT: u32 = 1 << 8;
    /// The varint usually has one byte: a truth value, or an enum's.
    pub(crate) const BYTE: u32 = 1 << 9;
    /// The value has eight bytes.
    pub(crate) const EIGHT: u32 = 1 << 10;
    /// The value is a group.
    pub(crate) const GROUP: u32 = 1 << 11;
    /// The field is singular, its tag has one or two bytes, and its value has a length or is
    /// usually one byte.
    pub(crate) const PLAIN: u32 = 1 << 12;
    /// The field is plain, and a string.
    pub(crate) const TEXT: u32 = 1 << 13;
    /// The field is plain, and a truth value.
    pub(crate) const TRUTH: u32 = 1 << 14;

    /// The step of a tag that no field has.
    const NONE: FieldStep = FieldStep {
        tag: 0,
        index: u32::MAX,
        next: 0,
        flags: FieldStep::UNKNOWN,
        message: u32::MAX,
        required: 0,
        bit: 0,
        head: 0,
        mask: 0,
        tag_len: 0,
        length: 0,
    };

    fn new(field: &Field, index: u32, layout: Layout) -> FieldStep {
        let wire = if layout == Layout::Packed { WireType::Len } else { field.wire };
        let tag = wire::tag_of(field.number, wire);
        let (bytes, tag_len) = varint::bytes(u64::from(tag));
        let is_byte = wire == WireType::Varint && matches!(field.kind, Kind::Bool | Kind::Enum(_));
        let flag = |is: bool, flag: u32| if is { flag } else { 0 };
        let is_plain = !field.is_repeated() && tag_len <= 2 && (wire == WireType::Len || is_byte);
        let flags = flag(field.message().is_some(), FieldStep::MESSAGE)
            | flag(field.is_repeated(), FieldStep::REPEATED)
            | flag(field.cardinality == Cardinality::Map, FieldStep::MAP)
            | flag(layout == Layout::Packed, FieldStep::PACKED)
            | flag(field.oneof.is_some(), FieldStep::ONEOF)
            | flag(field.closed, FieldStep::CLOSED)
            | flag(wire == WireType::Len, FieldStep::LENGTH)
            | flag(wire == WireType::Varint, FieldStep::VARINT)
            | flag(is_byte, FieldStep::BYTE)
            | flag(wire == WireType::Fixed64, FieldStep::EIGHT)
            | flag(wire == WireType::Start, FieldStep::GROUP)
            | flag(is_plain, FieldStep::PLAIN)
            | flag(is_plain && matches!(field.kind, Kind::String), FieldStep::TEXT)
            | flag(is_plain && matches!(field.kind, Kind::Bool), FieldStep::TRUTH);
        // Elements of a list may follow each other one by one; the entries of a map are visited in
        // one go.
        let next = index + u32::from(field.cardinality != Cardinality::Repeated);
        let required = u32::from(field.presence == Presence::Required);
        let simple = flags & (FieldStep::MAP | FieldStep::PACKED | FieldStep::ONEOF | FieldStep::CLOSED | FieldStep::GROUP) == 0;
        let bit = if simple { 1u64.checked_shl(field.slot).unwrap_or(0) } else { 0 };
        let mask = if tag_len == 1 { 0x00ff } else { 0xffff };
        FieldStep {
            tag,
            index,
            next,
            flags,
            message: field.message().unwrap_or(u32::MAX),
            required,
            bit,
            head: u16::from_le_bytes([bytes[0], bytes[1]]) & mask,
            mask,
            tag_len: tag_len as u8,
            length: if wire == WireType::Len { 0x7f } else { 0 },
        }
    }

    /// Returns whether any of those flags is set.
    #[inline(always)]
    pub(crate) fn is(&self, flags: u32) -> bool {
        self.flags & flags != 0
    }

    /// Returns the layout of the value.
    #[inline(always)]
    pub(crate) fn layout(&self) -> Layout {
        if self.is(FieldStep::PACKED) { Layout::Packed } else { Layout::One }
    }
}

/// A field of a message, or an extension.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) number: u32,
    /// Name in messages of other formats; for an extension, its full name in brackets.
    pub(crate) name: Box<str>,
    /// Own name, as declared; for an extension, its full name in brackets.
    pub(crate) declared: Box<str>,
    /// Name in the text format: a group has that of its type, and so has an item of a MessageSet
    /// that its type declares.
    pub(crate) text: Box<str>,
    /// Name in JSON.
    pub(crate) json: Box<str>,
    /// `"name":` with the JSON name.
    pub(crate) key: Box<str>,
    /// First bytes of `key`, then zeros. The fixed size makes it one copy.
    pub(crate) key_start: [u8; KEY_START],
    /// `"name":` with the own name.
    pub(crate) own_key: Box<str>,
    pub(crate) kind: Kind,
    pub(crate) cardinality: Cardinality,
    /// Wire type of one value.
    pub(crate) wire: WireType,
    /// Tag of one value.
    pub(crate) tag: u32,
    /// Values may come packed.
    pub(crate) packable: bool,
    /// Values are written packed.
    pub(crate) packed: bool,
    /// The field is written as an item of a MessageSet.
    pub(crate) in_set: bool,
    pub(crate) presence: Presence,
    /// Index of its oneof in the message.
    pub(crate) oneof: Option<u32>,
    /// Name of its oneof.
    pub(crate) choice: Box<str>,
    /// Text has to be UTF-8.
    pub(crate) utf8: bool,
    /// Numbers that the enum does not have are unknown fields.
    pub(crate) closed: bool,
    /// Position in the schema's text.
    pub(crate) slot: u32,
    /// The value of the common schema that the field's value stands for.
    pub(crate) view: View,
    /// A list or map that is absent is empty.
    pub(crate) empty: bool,
    /// Elements are emitted one by one, as fields of one name.
    pub(crate) each: bool,
}

/// The value of a common schema that a field's value stands for, where Protobuf has no type for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum View {
    /// The declared one.
    #[default]
    Declared,
    /// Null, where the field is absent.
    Null,
    /// A number, in a string.
    Number,
    /// A moment, in a string.
    Moment,
    /// Text of an unknown character set, in bytes.
    Octets,
    /// A whole number or another one, in a float.
    Whole,
    /// A value of any type, in bytes.
    Any,
}

/// An enum.
#[derive(Debug)]
pub(crate) struct Enum {
    pub(crate) name: Box<str>,
    /// Names by number; the first of each number.
    numbers: Vec<(i32, Box<str>)>,
    names: HashMap<Box<str>, i32, foldhash::fast::RandomState>,
    pub(crate) first: i32,
    pub(crate) known: Option<WellKnown>,
}

impl Enum {
    fn new(from: &ModelEnum) -> Enum {
        let mut numbers: Vec<(i32, Box<str>)> = from.values.iter().map(|value| (value.number, value.name.clone())).collect();
        numbers.sort_by_key(|(number, _)| *number);
        numbers.dedup_by_key(|(number, _)| *number);
        Enum {
            name: from.name.clone(),
            numbers,
            names: from.values.iter().map(|value| (value.name.clone(), value.number)).collect(),
            first: from.values.first().map_or(0, |value| value.number),
            known: from.well_known,
        }
    }

    /// Returns the name of a number.
    #[inline]
    pub(crate) fn name_of(&self, number: i32) -> Option<&str> {
        // Most enums count from 0 without gaps.
        if let Some((first, name)) = usize::try_from(number).ok().and_then(|at| self.numbers.get(at))
            && *first == number
        {
            return Some(name);
        }
        let at = self.numbers.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        Some(&self.numbers[at].1)
    }

    /// Returns its numbers in order, each once.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = i32> {
        self.numbers.iter().map(|(number, _)| *number)
    }

    /// Returns one of its numbers.
    #[cfg(feature = "testing")]
    pub(crate) fn any(&self, rng: &mut fastrand::Rng) -> i32 {
        self.numbers[rng.usize(..self.numbers.len())].0
    }

    /// Returns the number of a name.
    pub(crate) fn number_of(&self, name: &str) -> Option<i32> {
        self.names.get(name).copied()
    }
}

/// The file and the message that declare a field.
type Home = (FileId, Option<MessageId>);

/// The layout of a field's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    One,
    Packed,
}

impl Field {
    /// Makes the field of a message that `home` declares.
    fn new(from: &ModelField, pool: &Pool, home: Home, slot: u32) -> Field {
        let wire = WireType::of(from.kind.wire_type()).unwrap_or(WireType::Len);
        let key = |name: &str| {
            let mut key = Vec::new();
            json_string::string(&mut key, name, Short::All);
            key.push(b':');
            String::from_utf8_lossy(&key).into()
        };
        let json_key: Box<str> = key(&from.json_name);
        let mut key_start = [0; KEY_START];
        key_start.iter_mut().zip(json_key.bytes()).for_each(|(place, byte)| *place = byte);
        let packable = from.cardinality == Cardinality::Repeated && from.kind.packable();
        // An extension has no name but that in JSON.
        let declared = if from.json_name.starts_with('[') { &from.json_name } else { &from.name };
        // A group has the name of its type, which is declared with it and differs only by case.
        let group = match from.kind {
            Kind::Group(id) if !from.json_name.starts_with('[') => Some(&pool[id]),
            _ => None,
        };
        let group = group.filter(|ty| ty.short_name().to_ascii_lowercase() == *from.name && (ty.file, ty.parent) == home);
        Field {
            number: from.number,
            name: from.message_name().into(),
            declared: declared.clone(),
            text: group.map_or_else(|| declared.clone(), |ty| ty.short_name().into()),
            json: from.json_name.clone(),
            key: json_key,
            key_start,
            own_key: key(declared),
            kind: from.kind,
            cardinality: from.cardinality,
            wire,
            tag: wire::tag_of(from.number, wire),
            packable,
            packed: packable && from.packed,
            in_set: false,
            presence: from.presence,
            oneof: from.oneof,
            choice: Box::default(),
            utf8: from.utf8,
            closed: matches!(from.kind, Kind::Enum(id) if pool[id].closed),
            slot,
            view: View::Declared,
            empty: false,
            each: false,
        }
    }

    /// Returns its name in the common schema: an extension's without the brackets.
    #[cfg(feature = "columns")]
    pub(crate) fn common_name(&self) -> &str {
        self.name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(&self.name)
    }

    /// Returns whether the absent field has a value of its own.
    pub(crate) fn shows_absent(&self) -> bool {
        self.view == View::Null || self.empty
    }

    #[inline(always)]
    pub(crate) fn is_repeated(&self) -> bool {
        self.cardinality != Cardinality::Singular
    }

    /// Returns the layout of a value of wire type `wire`, or `None` if that is no value of this
    /// field.
    #[inline(always)]
    pub(crate) fn layout(&self, wire: WireType) -> Option<Layout> {
        if wire == self.wire {
            Some(Layout::One)
        } else if self.packable && wire == WireType::Len {
            Some(Layout::Packed)
        } else {
            None
        }
    }

    /// Returns the index of its message type.
    #[inline(always)]
    pub(crate) fn message(&self) -> Option<u32> {
        self.kind.message().map(|id| id.index() as u32)
    }

    /// Returns the index of its enum.
    pub(crate) fn enumeration(&self) -> Option<usize> {
        match self.kind {
            Kind::Enum(id) => Some(id.index()),
            _ => None,
        }
    }
}

impl Message {
    fn new(from: &ModelMessage, id: MessageId, pool: &Pool) -> Message {
        let home = (from.file, Some(id));
        let choice =
            |oneof: Option<u32>| oneof.and_then(|at| from.oneofs.get(at as usize)).map_or_else(Box::default, |oneof| oneof.name.clone());
        let own =
            from.fields.iter().zip(0..).map(|(field, slot)| Field { choice: choice(field.oneof), ..Field::new(field, pool, home, slot) });
        let more = from.extensions.iter().zip(from.fields.len() as u32..).map(|(id, slot)| {
            let extension = &pool[*id];
            let field = Field::new(&extension.field, pool, (extension.file, extension.scope), slot);
            // Only messages have a place in a MessageSet.
            let in_set = from.message_set && field.wire == WireType::Len && field.message().is_some() && !field.is_repeated();
            let own = extension.field.kind.message().filter(|ty| in_set && extension.scope == Some(*ty));
            // An item that its own type declares has the name of that.
            let text = own.map_or_else(|| field.text.clone(), |ty| format!("[{}]", pool[ty].name).into());
            Field { in_set, text, ..field }
        });
        let made = Message::made(from.name.clone(), own.chain(more).collect(), from.well_known);
        let shuffled = AtomicBool::new(from.message_set);
        let is_choice = matches!(&from.oneofs[..], [one] if one.fields.len() == from.fields.len()) && from.extensions.is_empty();
        let reserved_names = from.reserved_names.clone();
        Message { message_set: from.message_set, reserved_names, shuffled, is_choice, ..made }
    }

    /// Makes a message of those fields.
    pub(crate) fn made(name: Box<str>, mut fields: Vec<Field>, known: Option<WellKnown>) -> Message {
        fields.sort_by_key(|field| field.number);
        // Most messages number their fields from 1 without large gaps, so that each field has a
        // place of its own.
        let mut steps = vec![FieldStep::NONE; (fields.len() + 1).next_power_of_two()].into_boxed_slice();
        let mut course = Vec::with_capacity(fields.len() + 2);
        let mut names = HashMap::default();
        for (field, n) in fields.iter().zip(0u32..) {
            let step = FieldStep::new(field, n, if field.packed { Layout::Packed } else { Layout::One });
            course.push(step);
            let place = field.number as usize & (steps.len() - 1);
            if steps[place] == FieldStep::NONE {
                steps[place] = step;
            }
            names.insert(field.declared.clone(), n);
        }
        // No tag has wire type 7.
        let none = FieldStep { tag: u32::MAX, index: fields.len() as u32, ..FieldStep::NONE };
        course.extend([none; 2]);
        let course = course.into();
        // A JSON name counts before another field's own name.
        for (field, n) in fields.iter().zip(0u32..) {
            names.insert(field.json.clone(), n);
        }
        let mut texts = HashMap::default();
        for (field, n) in fields.iter().zip(0u32..) {
            texts.entry(field.text.clone()).or_insert(n);
        }
        // The own name of a group counts behind the names of others.
        for (field, n) in fields.iter().zip(0u32..) {
            texts.entry(field.declared.clone()).or_insert(n);
        }
        let required = fields.iter().filter(|field| field.presence == Presence::Required).count() as u32;
        let oneofs = fields.iter().filter_map(|field| field.oneof).max().map_or(0, |last| last + 1);
        let shows_absent = fields.iter().any(Field::shows_absent);
        Message {
            name,
            fields,
            steps,
            course,
            names,
            texts,
            reserved_names: Vec::new(),
            oneofs,
            is_choice: false,
            required,
            known,
            message_set: false,
            wrapper: false,
            row: None,
            shows_absent,
            shuffled: AtomicBool::new(false),
        }
    }

    /// Marks the message as a wrapper: it stands for the value of the one field that it has.
    pub(crate) fn wrapping(mut self) -> Message {
        self.wrapper = true;
        self
    }

    /// Marks the message as a row: it stands for that value, with a field for each element.
    pub(crate) fn standing(mut self, row: Row) -> Message {
        self.row = Some(row);
        self
    }

    /// Returns whether a message came whose fields were out of order. It predicts those to come, no
    /// more. MessageSets are never taken as they stand.
    #[inline(always)]
    pub(crate) fn is_shuffled(&self) -> bool {
        self.shuffled.load(Ordering::Relaxed)
    }

    /// Records that a message came whose fields were out of order.
    pub(crate) fn came_shuffled(&self) {
        self.shuffled.store(true, Ordering::Relaxed);
    }

    /// Resets [`Message::came_shuffled`].
    #[cfg(all(feature = "testing", feature = "text"))]
    pub(crate) fn forget_shuffled(&self) {
        self.shuffled.store(self.message_set, Ordering::Relaxed);
    }

    /// Returns the step of a tag.
    #[inline]
    pub(crate) fn step(&self, tag: Tag) -> FieldStep {
        self.usual_step(tag).copied().unwrap_or_else(|| self.other_step(tag))
    }

    /// Returns the step of a tag that has a place in the table.
    #[inline(always)]
    pub(crate) fn usual_step(&self, tag: Tag) -> Option<&FieldStep> {
        let step = &self.steps[tag.number() as usize & (self.steps.len() - 1)];
        (step.tag == tag.0).then_some(step)
    }

    /// Returns the step of a tag, where fields come in order and the next one has at least index
    /// `least`; `None` also if the field is out of order. Mostly it is one of the next two of the
    /// type.
    #[inline(always)]
    pub(crate) fn next_step(&self, least: u32, tag: Tag) -> Option<&FieldStep> {
        if let Some([first, second]) = self.course.get(least as usize..least as usize + 2) {
            if first.tag == tag.0 {
                return Some(first);
            }
            if second.tag == tag.0 {
                return Some(second);
            }
        }
        self.later_step(least, tag)
    }

    /// Returns the step of a tag whose field comes later.
    #[inline]
    pub(crate) fn later_step(&self, least: u32, tag: Tag) -> Option<&FieldStep> {
        self.usual_step(tag).filter(|step| step.index >= least)
    }

    /// Returns the steps from index `least` on in the order of the field numbers, and two that no
    /// tag has.
    #[inline(always)]
    pub(crate) fn course_from(&self, least: u32) -> &[FieldStep] {
        self.course.get(least as usize..).unwrap_or_default()
    }

    /// Returns the step of a field without a place in the table, or of a value that is packed and
    /// not written so, or the other way round.
    #[inline(never)]
    pub(crate) fn other_step(&self, tag: Tag) -> FieldStep {
        let known = self.find(tag.number()).and_then(|index| {
            let field = &self.fields[index];
            Some(FieldStep::new(field, index as u32, field.layout(WireType::of(tag.0)?)?))
        });
        known.unwrap_or(FieldStep::NONE)
    }

    /// Returns the index of the field of that number.
    pub(crate) fn find(&self, number: u32) -> Option<usize> {
        let step = self.steps[number as usize & (self.steps.len() - 1)];
        if Tag(step.tag).number() == number && !step.is(FieldStep::UNKNOWN) {
            return Some(step.index as usize);
        }
        self.fields.binary_search_by_key(&number, |field| field.number).ok()
    }

    /// Returns the index of the field of a name, its own or that in JSON.
    pub(crate) fn named(&self, name: &str) -> Option<usize> {
        self.names.get(name).map(|n| *n as usize)
    }

    /// Returns the index of the field of a name in the text format: its own name, a group's that of
    /// its type, an extension's in brackets.
    pub(crate) fn text_named(&self, name: &str) -> Option<usize> {
        self.texts.get(name).map(|n| *n as usize)
    }

    /// Returns whether the schema reserves a name, so that no field may have it.
    pub(crate) fn is_reserved(&self, name: &str) -> bool {
        self.reserved_names.iter().any(|reserved| **reserved == *name)
    }
}

impl Plan {
    /// Makes the plan of the messages of type `root`.
    pub fn new(pool: &Pool, root: MessageId) -> Plan {
        let messages: Vec<Message> = pool.message_ids().map(|id| Message::new(&pool[id], id, pool)).collect();
        let enums = pool.enums().iter().map(Enum::new).collect();
        Plan::made(messages, enums, root.index() as u32)
    }

    pub(crate) fn made(messages: Vec<Message>, enums: Vec<Enum>, root: u32) -> Plan {
        let names = messages.iter().zip(0..).map(|(message, n)| (message.name.clone(), n)).collect();
        let views = messages.iter().any(|message| {
            message.wrapper
                || message.row.is_some()
                || message.fields.iter().any(|field| field.view != View::Declared || field.empty || field.each)
        });
        let has_null = |field: &Field| field.enumeration().is_some_and(|at| enums[at].known.is_some());
        let is_typed = |field: &Field| field.oneof.is_some() || field.name.starts_with('[') || has_null(field);
        let typed = messages.iter().any(|message| message.known.is_some() || message.fields.iter().any(is_typed));
        Plan { messages: messages.into(), enums: enums.into(), root, names: Arc::new(names), views, typed }
    }

    /// Returns the plan of the messages of another type of the same pool.
    #[must_use]
    pub fn of(&self, root: MessageId) -> Plan {
        Plan { root: root.index() as u32, ..self.clone() }
    }

    /// Makes the plan of the messages of the type `name`, or without a name, of [`Pool::root`].
    ///
    /// # Errors
    /// There is no such message.
    pub fn named(pool: &Pool, name: Option<&str>) -> Result<Plan> {
        let candidates = || {
            let imported: Vec<usize> = pool.files().iter().flat_map(|file| file.imports.iter().map(|id| id.index())).collect();
            pool.message_ids().filter(move |id| pool[*id].parent.is_none() && !imported.contains(&pool[*id].file.index()))
        };
        let found = match name {
            Some(name) => pool.find(name),
            None => pool.root(),
        };
        let Some(root) = found else {
            let names: Vec<&str> = candidates().map(|id| &*pool[id].name).collect();
            let seen = name.map_or_else(|| "a schema without messages".to_string(), |name| format!("the type `{name}`"));
            return Err(Error::new(ErrorKind::Usage, Fault::Caller).seen(seen).expected(if names.is_empty() {
                "a message".to_string()
            } else {
                format!("a message of the schema: {}", names.join(", "))
            }));
        };
        Ok(Plan::new(pool, root))
    }

    /// Returns the full name of the root type.
    pub fn root_name(&self) -> &str {
        &self.messages[self.root as usize].name
    }

    /// Returns the name of a type within the messages that has a JSON form of its own, an outer one
    /// before an inner one.
    pub(crate) fn known_within(&self) -> Option<&str> {
        let mut seen = vec![false; self.messages.len()];
        let mut next = std::collections::VecDeque::from([self.root]);
        while let Some(at) = next.pop_front() {
            if std::mem::replace(&mut seen[at as usize], true) {
                continue;
            }
            let message = self.message(at);
            if message.known.is_some_and(|known| known != WellKnown::Empty) {
                return Some(&message.name);
            }
            next.extend(message.fields.iter().filter_map(Field::message));
        }
        None
    }

    pub(crate) fn has_views(&self) -> bool {
        self.views
    }

    /// Reports whether some values have another type in the common schema than on the wire.
    pub(crate) fn has_types(&self) -> bool {
        self.typed && !self.views
    }

    #[inline(always)]
    pub(crate) fn message(&self, index: u32) -> &Message {
        &self.messages[index as usize]
    }

    /// Returns the index of the message type of a full name.
    pub(crate) fn message_named(&self, name: &str) -> Option<u32> {
        self.names.get(name).copied()
    }

    /// Returns whether the varint at `at` is a number that the closed enum of the field does not
    /// have.
    #[inline]
    pub(crate) fn is_stray(&self, field: &Field, window: &[u8], at: usize) -> bool {
        let Some(at_enum) = field.enumeration() else { return false };
        varint::read(window, at).is_ok_and(|(number, _)| self.enums[at_enum].name_of(number as i32).is_none())
    }
}
