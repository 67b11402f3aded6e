//! Values of AMF3.

use std::borrow::Cow;

use polywire_core::value::{Entries, Entry, Item, View};
use polywire_core::{Error, Open, Result};

use super::mismatch;
use super::scalars::{Plain, plain};
use super::tables::length;
use super::task::{Encoder, Task, has_names, name_of};
use crate::machine::Root;
use crate::marker::amf3;
use crate::tags::SPACE;
use crate::token::Version;
use crate::u29;

/// The head of an object with traits of its own, before the flags of these.
const INLINE: u32 = 0b11;
/// The flag of an externalizable class.
pub(super) const EXTERNALIZABLE: u32 = 0b100;
/// The flag of a dynamic class.
pub(super) const DYNAMIC: u32 = 0b1000;

const NAMELESS: &str = "value without a name dropped";

impl<'t> Encoder<'_, 't> {
    /// Writes a value, and leaves its entries as tasks.
    pub(super) fn value3(&mut self, item: Item<'t, 'static>) -> Result<()> {
        let at = item.opening();
        match item.view() {
            View::Scalar(value) => {
                let plain = plain(value, Version::Amf3, at, self.losses)?;
                self.plain3(&plain, item)
            }
            View::Open(Open::Tagged { space: SPACE, code }) => self.marked3(code, item),
            View::Open(Open::Tagged { .. }) => {
                self.losses.value("tag dropped", at);
                self.inside(item, Version::Amf3)
            }
            View::Open(Open::List(_)) => self.list3(item),
            View::Open(Open::Tuple(_)) => {
                self.losses.value("tuple became list", at);
                self.list3(item)
            }
            View::Open(Open::Record { name: "", .. }) => self.object3("", DYNAMIC, 0, item),
            View::Open(Open::Record { name, .. }) => self.object3(name, 0, item.entries().count(), item),
            View::Open(Open::Map(_)) if has_names(item) => self.object3("", DYNAMIC, 0, item),
            View::Open(Open::Map(_)) => self.dictionary3(item, false),
            View::Open(Open::Variant { name, index }) => {
                self.losses.value("variant became a record of its name", at);
                self.traits3("", DYNAMIC, &[])?;
                match name {
                    "" => self.string3(Cow::Owned(itoa::Buffer::new().format(index).as_bytes().to_vec()))?,
                    name => self.text3(name.as_bytes())?,
                }
                self.tasks.push(Task::Bytes((&[1]).into()));
                self.case(item, Version::Amf3)
            }
            View::Open(other) => Err(Error::unknown_event(other.kind())),
        }
    }

    fn plain3(&mut self, value: &Plain<'t>, item: Item<'t, 'static>) -> Result<()> {
        match value {
            Plain::Null => self.out.push(amf3::NULL),
            Plain::Bool(value) => self.out.push(if *value { amf3::TRUE } else { amf3::FALSE }),
            Plain::Int(value) if (-u29::MAX_SIGNED - 1..=u29::MAX_SIGNED).contains(value) => {
                self.out.push(amf3::INTEGER);
                match item.wire(Root::Amf3.name()) {
                    Some(bytes) => self.out.extend_from_slice(bytes),
                    None => u29::put(self.out, *value as u32 & u29::MAX),
                }
            }
            Plain::Int(value) => self.number3(*value as f64),
            Plain::Number(value) => self.number3(*value),
            Plain::Text(text) => {
                self.out.push(amf3::STRING);
                return self.text3(text);
            }
            Plain::Made(text) => {
                self.out.push(amf3::STRING);
                return self.string3(Cow::Owned(text.as_bytes().to_vec()));
            }
            Plain::Bytes(bytes) => return self.bytes3(bytes),
            Plain::Date(milliseconds) => self.date3(*milliseconds),
        }
        Ok(())
    }

    fn number3(&mut self, value: f64) {
        self.out.push(amf3::DOUBLE);
        self.out.extend_from_slice(&value.to_be_bytes());
    }

    pub(super) fn date3(&mut self, milliseconds: f64) {
        self.tables.objects.push(amf3::DATE);
        self.out.extend([amf3::DATE, 1]);
        self.out.extend_from_slice(&milliseconds.to_be_bytes());
    }

    /// Writes a text without a type.
    pub(super) fn text3(&mut self, text: &'t [u8]) -> Result<()> {
        self.string3(Cow::Borrowed(text))
    }

    fn string3(&mut self, text: Cow<'t, [u8]>) -> Result<()> {
        self.tables.string(text, self.out)
    }

    pub(super) fn list3(&mut self, item: Item<'t, 'static>) -> Result<()> {
        self.head3(amf3::ARRAY, item.entries().count())?;
        self.out.push(1);
        self.tasks.push(Task::Values(item.entries(), Version::Amf3));
        Ok(())
    }

    /// Writes the type and the head of a value that references may mean, with its count or length.
    pub(super) fn head3(&mut self, marker: u8, count: usize) -> Result<()> {
        self.tables.objects.push(marker);
        self.out.push(marker);
        u29::put(self.out, length(count)? << 1 | 1);
        Ok(())
    }

    pub(super) fn dictionary3(&mut self, item: Item<'t, 'static>, weak: bool) -> Result<()> {
        self.head3(amf3::DICTIONARY, item.entries().count())?;
        self.out.push(u8::from(weak));
        self.tasks.push(Task::Dictionary(item.entries()));
        Ok(())
    }

    /// Writes an object whose first `sealed` members are sealed.
    pub(super) fn object3(&mut self, class: &'t str, flags: u32, sealed: usize, item: Item<'t, 'static>) -> Result<()> {
        let names: Vec<&'t str> = item.entries().take(sealed).map(|entry| name_of(&entry)).collect::<Result<_>>()?;
        self.traits3(class, flags, &names)?;
        self.tasks.push(Task::Members(item.entries(), length(sealed)?, flags & DYNAMIC != 0));
        Ok(())
    }

    /// Writes the type and the traits of an object.
    pub(super) fn traits3(&mut self, class: &'t str, flags: u32, names: &[&'t str]) -> Result<()> {
        self.tables.objects.push(amf3::OBJECT);
        self.out.push(amf3::OBJECT);
        let count = length(names.len())?;
        if count >= 1 << 25 {
            return Err(super::unsupported(format!("an object of {count} sealed members")).expected("at most 33554431"));
        }
        let mut known = Vec::new();
        for text in [class].iter().chain(names) {
            known.extend_from_slice(&(text.len() as u64).to_be_bytes());
            known.extend_from_slice(text.as_bytes());
        }
        u29::put(&mut known, flags);
        if let Some(index) = self.tables.traits(known) {
            u29::put(self.out, index << 2 | 1);
            return Ok(());
        }
        u29::put(self.out, count << 4 | flags | INLINE);
        self.text3(class.as_bytes())?;
        names.iter().try_for_each(|name| self.text3(name.as_bytes()))
    }

    pub(super) fn member(&mut self, mut entries: Entries<'t, 'static>, sealed: u32, dynamic: bool) -> Result<()> {
        let Some(entry) = entries.next() else {
            if dynamic {
                self.out.push(1);
            }
            return Ok(());
        };
        if sealed == 0 {
            let name = name_of(&entry)?;
            if name.is_empty() {
                self.losses.value(NAMELESS, entry.value().opening());
                self.tasks.push(Task::Members(entries, 0, dynamic));
                return Ok(());
            }
            self.text3(name.as_bytes())?;
        }
        self.tasks.extend([Task::Members(entries, sealed.saturating_sub(1), dynamic), Task::Value(entry.value(), Version::Amf3)]);
        Ok(())
    }

    /// Writes the next value of an array with names.
    pub(super) fn named(&mut self, mut entries: Entries<'t, 'static>, names: bool) -> Result<()> {
        let Some(entry) = entries.next() else {
            if names {
                self.out.push(1);
            }
            return Ok(());
        };
        match entry {
            Entry::Field("", value) => {
                self.losses.value(NAMELESS, value.opening());
                self.tasks.push(Task::Named(entries, names));
            }
            Entry::Field(name, value) => {
                self.text3(name.as_bytes())?;
                self.tasks.extend([Task::Named(entries, names), Task::Value(value, Version::Amf3)]);
            }
            Entry::Pair(_, value) => {
                if names {
                    self.out.push(1);
                }
                self.tasks.extend([Task::Named(entries, false), Task::Value(value, Version::Amf3)]);
            }
            Entry::Element(_) => return Err(mismatch("a value without a name").expected("a map")),
        }
        Ok(())
    }
}
