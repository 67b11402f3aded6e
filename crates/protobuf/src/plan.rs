//! Message types made ready for the wire: tables by field number and by name, from a resolved pool.

use std::collections::HashMap;
use std::sync::Arc;

use polywire_core::error::{Error, ErrorKind, Fault, Result};

use crate::model::{
    Cardinality, Enum as ModelEnum, Field as ModelField, Kind, Message as ModelMessage, MessageId, Pool, Presence, WellKnown,
};
use crate::wire::{self, WireType, varint};

/// All message types of a pool, and which of them a message has. Plans of other types of the pool share the tables.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(crate) messages: Arc<[Message]>,
    pub(crate) enums: Arc<[Enum]>,
    pub(crate) root: u32,
    names: Arc<HashMap<Box<str>, u32>>,
    /// Whether values are told as something else than what the schema says.
    views: bool,
}

/// A message type.
#[derive(Debug, Default)]
pub(crate) struct Message {
    /// Full name.
    pub(crate) name: Box<str>,
    /// Fields and extensions by number.
    pub(crate) fields: Vec<Field>,
    /// For small numbers: one more than the index of the field, or 0.
    dense: Vec<u16>,
    /// Fields by the names that JSON accepts.
    names: HashMap<Box<str>, u32, foldhash::fast::RandomState>,
    /// How many oneofs there are.
    pub(crate) oneofs: u32,
    /// How many fields are required.
    pub(crate) required: u32,
    pub(crate) known: Option<WellKnown>,
    /// Whether the value of its one field that is there stands for it.
    pub(crate) wrapper: bool,
    /// Whether it is a list with a field for each element.
    pub(crate) row: bool,
    /// Whether some absent fields are told.
    pub(crate) tells_absent: bool,
}

/// A field of a message, or an extension.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) number: u32,
    /// Own name; of an extension, its full name in brackets.
    pub(crate) name: Box<str>,
    /// Name in JSON.
    pub(crate) json: Box<str>,
    /// `"name":` with the JSON name.
    pub(crate) key: Box<str>,
    /// The same with the own name.
    pub(crate) own_key: Box<str>,
    pub(crate) kind: Kind,
    pub(crate) cardinality: Cardinality,
    /// Wire type of one value.
    pub(crate) wire: WireType,
    /// Tag of one value.
    pub(crate) tag: u32,
    /// Whether values may come packed.
    pub(crate) packable: bool,
    /// Whether they are written so.
    pub(crate) packed: bool,
    pub(crate) presence: Presence,
    /// Which oneof of its message it is in.
    pub(crate) oneof: Option<u32>,
    /// Whether text has to be UTF-8.
    pub(crate) utf8: bool,
    /// Whether numbers that its enum does not have are unknown fields.
    pub(crate) closed: bool,
    /// Position in the text of the schema.
    pub(crate) slot: u32,
    /// What a value stands for that was adopted from a common schema.
    pub(crate) view: View,
}

/// What a value of a common schema is told as, where Protobuf has no type for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum View {
    /// What the schema says.
    #[default]
    Declared,
    /// What is absent is told as null.
    Null,
    /// An absent list, or map, is told as an empty one.
    Empty,
    /// Elements are told one by one, as fields of one name.
    Repeated,
    /// A string that holds a number.
    Number,
    /// A string that holds a moment.
    Moment,
    /// Bytes that are text of an unknown character set.
    Octets,
}

/// An enum.
#[derive(Debug)]
pub(crate) struct Enum {
    pub(crate) name: Box<str>,
    /// Names by number, the first of each.
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

    /// Name of a number.
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

    /// One of its numbers.
    #[cfg(feature = "testing")]
    pub(crate) fn any(&self, rng: &mut fastrand::Rng) -> i32 {
        self.numbers[rng.usize(..self.numbers.len())].0
    }

    /// Number of a name.
    pub(crate) fn number_of(&self, name: &str) -> Option<i32> {
        self.names.get(name).copied()
    }
}

/// How the value of a field is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    One,
    Packed,
}

impl Field {
    fn new(from: &ModelField, pool: &Pool, slot: u32) -> Field {
        let wire = WireType::of(from.kind.wire_type()).unwrap_or(WireType::Len);
        let key = |name: &str| {
            let mut key = Vec::new();
            crate::json::string(&mut key, name);
            key.push(b':');
            String::from_utf8_lossy(&key).into()
        };
        let packable = from.cardinality == Cardinality::Repeated && from.kind.packable();
        // The name in JSON of an extension is its only one.
        let name = if from.json_name.starts_with('[') { &from.json_name } else { &from.name };
        Field {
            number: from.number,
            name: name.clone(),
            json: from.json_name.clone(),
            key: key(&from.json_name),
            own_key: key(name),
            kind: from.kind,
            cardinality: from.cardinality,
            wire,
            tag: wire::tag_of(from.number, wire),
            packable,
            packed: packable && from.packed,
            presence: from.presence,
            oneof: from.oneof,
            utf8: from.utf8,
            closed: matches!(from.kind, Kind::Enum(id) if pool[id].closed),
            slot,
            view: View::Declared,
        }
    }

    #[inline(always)]
    pub(crate) fn is_repeated(&self) -> bool {
        self.cardinality != Cardinality::Singular
    }

    /// How a value of wire type `wire` is laid out; none if it is no value of this field.
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

    /// The index of its message type.
    #[inline(always)]
    pub(crate) fn message(&self) -> Option<u32> {
        self.kind.message().map(|id| id.index() as u32)
    }

    /// The index of its enum.
    pub(crate) fn enumeration(&self) -> Option<usize> {
        match self.kind {
            Kind::Enum(id) => Some(id.index()),
            _ => None,
        }
    }
}

impl Message {
    fn new(from: &ModelMessage, pool: &Pool) -> Message {
        let own = from.fields.iter().zip(0..).map(|(field, slot)| Field::new(field, pool, slot));
        let more = from.extensions.iter().zip(from.fields.len() as u32..).map(|(id, slot)| Field::new(&pool[*id].field, pool, slot));
        Message::made(from.name.clone(), own.chain(more).collect(), from.well_known)
    }

    /// A message of those fields.
    pub(crate) fn made(name: Box<str>, mut fields: Vec<Field>, known: Option<WellKnown>) -> Message {
        fields.sort_by_key(|field| field.number);
        // Up to some numbers beyond the fields, a table is faster than a search.
        let most = (fields.len() * 4 + 64) as u32;
        let highest = fields.iter().map(|field| field.number).take_while(|number| *number < most).last().unwrap_or(0);
        let mut dense = vec![0; highest as usize + 1];
        let mut names = HashMap::default();
        for (field, n) in fields.iter().zip(0u32..) {
            if let (Some(place), Ok(n)) = (dense.get_mut(field.number as usize), u16::try_from(n + 1)) {
                *place = n;
            }
            names.insert(field.name.clone(), n);
        }
        // The name in JSON counts where another field's own name is the same.
        for (field, n) in fields.iter().zip(0u32..) {
            names.insert(field.json.clone(), n);
        }
        let required = fields.iter().filter(|field| field.presence == Presence::Required).count() as u32;
        let oneofs = fields.iter().filter_map(|field| field.oneof).max().map_or(0, |last| last + 1);
        let tells_absent = fields.iter().any(|field| matches!(field.view, View::Null | View::Empty));
        Message { name, fields, dense, names, oneofs, required, known, wrapper: false, row: false, tells_absent }
    }

    /// The same, but that the value of its one field that is there stands for it.
    pub(crate) fn wrapping(mut self) -> Message {
        self.wrapper = true;
        self
    }

    /// The same, but that it is a list with a field for each element.
    pub(crate) fn listing(mut self) -> Message {
        self.row = true;
        self
    }

    /// Index of the field of that number; `hint` is the index that is likely.
    #[inline(always)]
    pub(crate) fn find(&self, number: u32, hint: usize) -> Option<usize> {
        match self.fields.get(hint) {
            Some(field) if field.number == number => Some(hint),
            _ => self.search(number),
        }
    }

    #[inline]
    fn search(&self, number: u32) -> Option<usize> {
        match self.dense.get(number as usize) {
            Some(0) if self.fields.len() < usize::from(u16::MAX) => None,
            Some(&n) if n > 0 => Some(usize::from(n) - 1),
            _ => self.fields.binary_search_by_key(&number, |field| field.number).ok(),
        }
    }

    /// Index of the field of a name, its own or that in JSON.
    pub(crate) fn named(&self, name: &str) -> Option<usize> {
        self.names.get(name).map(|n| *n as usize)
    }
}

impl Plan {
    /// The plan of the messages of type `root`.
    pub fn new(pool: &Pool, root: MessageId) -> Plan {
        let messages: Vec<Message> = pool.messages().iter().map(|message| Message::new(message, pool)).collect();
        let enums = pool.enums().iter().map(Enum::new).collect();
        Plan::made(messages, enums, root.index() as u32)
    }

    pub(crate) fn made(messages: Vec<Message>, enums: Vec<Enum>, root: u32) -> Plan {
        let names = messages.iter().zip(0..).map(|(message, n)| (message.name.clone(), n)).collect();
        let views = messages
            .iter()
            .any(|message| message.wrapper || message.row || message.fields.iter().any(|field| field.view != View::Declared));
        Plan { messages: messages.into(), enums: enums.into(), root, names: Arc::new(names), views }
    }

    /// The plan of the messages of another type of the pool that it was made of.
    #[must_use]
    pub fn of(&self, root: MessageId) -> Plan {
        Plan { root: root.index() as u32, ..self.clone() }
    }

    /// The plan of the messages of the type of that name; without one, of that which [`Pool::root`] gives.
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

    /// Full name of the type of its messages.
    pub fn root_name(&self) -> &str {
        &self.messages[self.root as usize].name
    }

    pub(crate) fn has_views(&self) -> bool {
        self.views
    }

    #[inline(always)]
    pub(crate) fn message(&self, index: u32) -> &Message {
        &self.messages[index as usize]
    }

    /// Index of the message type of a full name.
    pub(crate) fn message_named(&self, name: &str) -> Option<u32> {
        self.names.get(name).copied()
    }

    /// Whether the varint at `at` of a closed enum's field is a number that the enum does not have.
    #[inline]
    pub(crate) fn is_stray(&self, field: &Field, window: &[u8], at: usize) -> bool {
        let Some(at_enum) = field.enumeration() else { return false };
        varint::read(window, at).is_ok_and(|(number, _)| self.enums[at_enum].name_of(number as i32).is_none())
    }
}

impl MessageId {
    pub(crate) const fn at(index: u32) -> MessageId {
        MessageId(index)
    }
}
