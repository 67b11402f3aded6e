//! Tasks: the things that are still to be written, on a stack of our own, since values may be
//! deep.

use std::borrow::Cow;

use polywire_core::value::{Entries, Entry, Item};
use polywire_core::{Losses, Result};

use super::mismatch;
use super::tables::Tables;
use crate::marker::{amf0, amf3};
use crate::token::Version;

/// One thing to write; those pushed before it come later.
#[derive(Debug, Clone)]
pub(super) enum Task<'t> {
    /// A value.
    Value(Item<'t, 'static>, Version),
    /// Values of a container.
    Values(Entries<'t, 'static>, Version),
    /// Properties of AMF0, and the end of the object.
    Pairs(Entries<'t, 'static>),
    /// Members of an object of AMF3: the number of sealed ones that are left, and whether dynamic
    /// ones follow.
    Members(Entries<'t, 'static>, u32, bool),
    /// Names and values of an array of AMF3; true while they have names.
    Named(Entries<'t, 'static>, bool),
    /// Keys and values of a dictionary.
    Dictionary(Entries<'t, 'static>),
    /// A key of a dictionary was written, or a part of an envelope is due.
    Bytes(Cow<'static, [u8]>),
    /// Values of a shared object.
    Shared(Entries<'t, 'static>, Version),
    /// Headers or messages of a packet; true for messages.
    Parts(Entries<'t, 'static>, bool),
    /// The end of a value whose length belongs at a position.
    Measure(usize),
}

/// Writes one message.
#[derive(Debug)]
pub(super) struct Encoder<'e, 't> {
    pub out: &'e mut Vec<u8>,
    pub losses: &'e mut Losses,
    pub tables: Tables<'t>,
    pub tasks: Vec<Task<'t>>,
    /// Places of values whose lengths were unknown, and what stood there.
    pub unmeasured: &'e [(usize, u32)],
}

impl<'e, 't> Encoder<'e, 't> {
    pub fn new(out: &'e mut Vec<u8>, losses: &'e mut Losses, unmeasured: &'e [(usize, u32)]) -> Encoder<'e, 't> {
        Encoder { out, losses, tables: Tables::default(), tasks: Vec::new(), unmeasured }
    }

    /// Writes all that is due.
    pub fn run(&mut self) -> Result<()> {
        while let Some(task) = self.tasks.pop() {
            self.task(task)?;
        }
        Ok(())
    }

    fn task(&mut self, task: Task<'t>) -> Result<()> {
        match task {
            Task::Value(item, Version::Amf0) => self.value0(item),
            Task::Value(item, Version::Amf3) => self.value3(item),
            Task::Bytes(bytes) => {
                self.out.extend_from_slice(&bytes);
                Ok(())
            }
            Task::Values(mut entries, version) => {
                if let Some(entry) = entries.next() {
                    self.tasks.extend([Task::Values(entries, version), Task::Value(entry.value(), version)]);
                }
                Ok(())
            }
            Task::Pairs(mut entries) => match entries.next() {
                Some(entry) => {
                    self.name0(name_of(&entry)?.as_bytes())?;
                    self.tasks.extend([Task::Pairs(entries), Task::Value(entry.value(), Version::Amf0)]);
                    Ok(())
                }
                None => {
                    self.out.extend_from_slice(&[0, 0, amf0::OBJECT_END]);
                    Ok(())
                }
            },
            Task::Members(entries, sealed, dynamic) => self.member(entries, sealed, dynamic),
            Task::Named(entries, names) => self.named(entries, names),
            Task::Dictionary(mut entries) => {
                match entries.next() {
                    None => {}
                    Some(Entry::Field(name, value)) => {
                        self.out.push(amf3::STRING);
                        self.text3(name.as_bytes())?;
                        self.tasks.extend([Task::Dictionary(entries), Task::Value(value, Version::Amf3)]);
                    }
                    Some(Entry::Pair(key, value)) => {
                        self.tasks.extend([Task::Dictionary(entries), Task::Value(value, Version::Amf3), Task::Value(key, Version::Amf3)]);
                    }
                    Some(Entry::Element(_)) => return Err(mismatch("a value without a key").expected("a map")),
                }
                Ok(())
            }
            Task::Shared(entries, version) => self.shared_value(entries, version),
            Task::Parts(entries, messages) => self.part(entries, messages),
            Task::Measure(at) => self.measure(at),
        }
    }
}

/// Returns the name of an entry of an object.
pub(super) fn name_of<'t>(entry: &Entry<'t, 'static>) -> Result<&'t str> {
    match entry {
        Entry::Field(name, _) => Ok(name),
        _ => Err(mismatch("a value without a name").expected("a record")),
    }
}

/// Reports whether all keys of a record or map are text.
pub(super) fn has_names(item: Item<'_, '_>) -> bool {
    item.entries().all(|entry| matches!(entry, Entry::Field(..)))
}
