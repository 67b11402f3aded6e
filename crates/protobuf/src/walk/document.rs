//! Messages straight to a document, as a walk into a `DocSink` would make it, without events in
//! between. Each field of a type is looked up once per place, however many messages have it:
//! whether it is wanted, and where it goes.

use std::collections::HashMap;

use bytes::Bytes;
use foldhash::fast::RandomState;
use polywire_core::{Error, Next, Result, Scalar, Span, Str};
use polywire_doc::{Builder, Declared, Member, Place, Read, Reading, Repeated, Shape, Skipped, Wanted};

use super::events::plain;
use super::visit::{Inner, Visitor};
use crate::model::Cardinality;
use crate::plan::{Field, Message, Plan};
use crate::scalar::Value;

/// No table.
const NONE: u32 = u32::MAX;

/// Makes a document of what is visited. It has no place for plans with views.
pub(super) struct Documents<'w> {
    plan: &'w Plan,
    builder: Builder,
    wanted: &'w Wanted,
    shape: &'w Shape,
    /// Look for members of one name: the shape may declare fields to be lists.
    groups: bool,
    /// Start of each table in `fields`, by type and place.
    tables: HashMap<(u32, Place, Declared), u32, RandomState>,
    /// Fields of all tables; in a table, by their places in the schema's text.
    fields: Vec<Known>,
    /// Fields that are known to be unwanted, as bits, at the start of each table.
    unwanted: Vec<u64>,
    levels: Vec<DocLevel>,
    /// Place of the value that comes next.
    slot: Slot,
    /// Table of the open message.
    table: u32,
    skipped: Skipped,
}

/// The knowledge about a field of a type at a place.
#[derive(Debug, Clone, Copy)]
enum Known {
    Nothing,
    Unwanted,
    Wanted(Slot),
}

/// The place of a value.
#[derive(Debug, Clone, Copy)]
struct Slot {
    member: Member,
    place: Place,
    declared: Declared,
    /// Table of its fields, if it is a message.
    table: u32,
}

/// An open container, with the place and table to restore at its end.
#[derive(Debug, Clone, Copy)]
struct DocLevel {
    slot: Slot,
    table: u32,
}

impl<'w> Documents<'w> {
    /// Starts a document of a message of the plan's root type. Texts in `source` are not copied.
    pub(super) fn new(plan: &'w Plan, source: Bytes, reading: &Reading<'w>) -> Documents<'w> {
        let Reading { wanted, shape, .. } = *reading;
        let mut this = Documents {
            plan,
            // Names and quotes take more room than tags.
            builder: Builder::new(source.clone(), Repeated::Group).room_for_text(source.len() * 5 / 2),
            wanted,
            shape,
            groups: !shape.is_empty(),
            tables: HashMap::default(),
            fields: Vec::with_capacity(64),
            unwanted: Vec::with_capacity(64),
            levels: Vec::with_capacity(16),
            slot: Slot { member: Member::ELEMENT, place: wanted.root(), declared: shape.root(), table: NONE },
            table: NONE,
            skipped: Skipped::default(),
        };
        this.slot.table = this.table_of(plan.root, this.slot.place, this.slot.declared);
        this
    }

    /// Returns the document of the message, which ended at `end`.
    pub(super) fn finish(mut self, end: u64) -> Result<Read> {
        self.skipped.until(Span::new(end, end));
        Ok(Read { doc: self.builder.finish()?, skipped: self.skipped.bytes() })
    }

    /// Returns the table of a type's fields at a place.
    fn table_of(&mut self, message: u32, place: Place, declared: Declared) -> u32 {
        let (plan, fields, unwanted) = (self.plan, &mut self.fields, &mut self.unwanted);
        *self.tables.entry((message, place, declared)).or_insert_with(|| {
            let start = fields.len();
            let count = plan.message(message).fields.iter().map(|field| field.slot as usize + 1).max().unwrap_or(0);
            fields.resize(start + count, Known::Nothing);
            unwanted.resize(start + count, 0);
            u32::try_from(start).unwrap_or(NONE)
        })
    }

    /// Returns the place of the member `name` in the value at `slot`, if it is wanted. `message` is
    /// the type of its value, if that is a message.
    fn named(&mut self, name: &str, slot: Slot, message: Option<u32>) -> Known {
        let Some(place) = self.wanted.member(slot.place, name) else { return Known::Unwanted };
        let declared = self.shape.member(slot.declared, name);
        let member = Member { name: self.builder.name(name), listed: self.shape.is_list(declared) };
        let table = message.map_or(NONE, |message| self.table_of(message, place, declared));
        Known::Wanted(Slot { member, place, declared, table })
    }

    /// Looks up a field for the first time.
    #[cold]
    fn first(&mut self, field: &Field, at: usize) -> Known {
        let Some(level) = self.levels.last() else { return Known::Unwanted };
        // Entries of maps are not values of their own.
        let message = field.message().filter(|_| field.cardinality != Cardinality::Map);
        let known = self.named(&field.name, level.slot, message);
        if let Some(place) = self.fields.get_mut(at) {
            *place = known;
        }
        if let (Known::Unwanted, Some(unwanted)) = (known, self.unwanted.get_mut(self.table as usize)) {
            *unwanted |= 1u64.checked_shl(field.slot).unwrap_or(0);
        }
        known
    }

    #[inline(always)]
    fn enter(&mut self, known: Known, at: Span) -> Next {
        match known {
            Known::Wanted(slot) => {
                self.slot = slot;
                Next::Enter
            }
            _ => {
                self.skipped.from(at);
                Next::Skip
            }
        }
    }

    /// Returns the place of the field with that bit, if the field is known and its object is being
    /// written.
    #[inline(always)]
    fn written(&self, bit: u64) -> Option<Member> {
        if !self.builder.is_writing() {
            return None;
        }
        match self.fields.get(self.table.saturating_add(bit.trailing_zeros()) as usize) {
            Some(Known::Wanted(slot)) => Some(slot.member),
            _ => None,
        }
    }

    /// Opens a container of elements, or of a map's values.
    fn open(&mut self) {
        self.levels.push(DocLevel { slot: self.slot, table: self.table });
    }

    fn leave(&mut self) -> Result<()> {
        let Some(DocLevel { slot, table }) = self.levels.pop() else { return Err(Error::internal("an end without its start")) };
        (self.slot, self.table) = (slot, table);
        Ok(())
    }
}

impl<'m> Visitor<'m> for Documents<'_> {
    const TAKES_FIELDS: bool = true;

    #[inline(always)]
    fn message(&mut self, _: &Message, at: Span) -> Result<Next> {
        self.skipped.until(at);
        if self.slot.place == Place::WRITTEN {
            self.builder.write_object(self.slot.member)?;
        } else {
            self.builder.open_object(self.slot.member)?;
        }
        self.open();
        self.table = self.slot.table;
        Ok(Next::Enter)
    }

    #[inline(always)]
    fn unwanted(&self) -> u64 {
        self.unwanted.get(self.table as usize).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn takes_text(&mut self, bit: u64, start: usize, end: usize) -> bool {
        self.written(bit).is_some_and(|member| self.builder.write_text(member, start, end))
    }

    #[inline(always)]
    fn takes_truth(&mut self, bit: u64, value: bool) -> bool {
        self.written(bit).is_some_and(|member| self.builder.scalar(member, Scalar::Bool(value)).is_ok())
    }

    #[inline(always)]
    fn message_end(&mut self, _: &Message, at: Span) -> Result<Option<Inner>> {
        self.skipped.until(at);
        if self.groups {
            self.builder.close()?;
        } else {
            self.builder.close_distinct()?;
        }
        self.leave()?;
        Ok(None)
    }

    #[inline(always)]
    fn field(&mut self, field: &Field, at: Span) -> Result<Next> {
        self.skipped.until(at);
        let place = self.table.saturating_add(field.slot) as usize;
        let known = match self.fields.get(place) {
            Some(Known::Nothing) | None => self.first(field, place),
            Some(known) => *known,
        };
        Ok(self.enter(known, at))
    }

    #[inline(always)]
    fn list(&mut self, _: &Field, at: Span) -> Result<Next> {
        self.skipped.until(at);
        self.builder.open_list(self.slot.member)?;
        self.open();
        self.slot.member = Member::ELEMENT;
        Ok(Next::Enter)
    }

    #[inline(always)]
    fn list_end(&mut self, at: Span) -> Result<()> {
        self.skipped.until(at);
        self.builder.close_distinct()?;
        self.leave()
    }

    fn map(&mut self, field: &Field, at: Span) -> Result<Next> {
        self.skipped.until(at);
        self.builder.open_object(self.slot.member)?;
        self.open();
        // Entries have no fields that could be wanted: the table is that of their values' type.
        let value = field.message().and_then(|entry| self.plan.message(entry).fields.get(1)).and_then(Field::message);
        self.table = value.unwrap_or(NONE);
        Ok(Next::Enter)
    }

    fn key(&mut self, value: Value<'m>, at: Span) -> Result<Next> {
        self.skipped.until(at);
        let Some(level) = self.levels.last().copied() else { return Err(Error::internal("a key outside of all maps")) };
        let message = Some(self.table).filter(|message| *message != NONE);
        let known = match value {
            Value::Text(text) => self.named(text, level.slot, message),
            other => {
                self.builder.scalar(Member::ELEMENT, plain(other))?;
                let key = self.builder.take_as_key();
                self.named(&key, level.slot, message)
            }
        };
        Ok(self.enter(known, at))
    }

    fn map_end(&mut self, at: Span) -> Result<()> {
        self.skipped.until(at);
        self.builder.close()?;
        self.leave()
    }

    #[inline(always)]
    fn scalar(&mut self, field: &Field, value: Value<'m>, at: Span) -> Result<()> {
        self.skipped.until(at);
        let scalar = match value {
            Value::Enum(number) => match field.enumeration().and_then(|at| self.plan.enums[at].name_of(number)) {
                Some(name) => Scalar::Text(Str::Scratch(name)),
                None => Scalar::int(i64::from(number)),
            },
            other => plain(other),
        };
        self.builder.scalar(self.slot.member, scalar)
    }

    fn unknown(&mut self, _: usize, _: usize) -> Result<()> {
        Ok(())
    }

    fn stray(&mut self, _: &Field, _: usize, _: usize) -> Result<()> {
        Ok(())
    }

    fn remark(&mut self, _: &'static str, _: Span) -> Result<()> {
        Ok(())
    }
}
