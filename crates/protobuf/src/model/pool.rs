//! A set of files, and what names and handles stand for in it.

use std::collections::{HashMap, HashSet};
use std::ops::Index;

use super::enumeration::Enum;
use super::file::File;
use super::ids::{EnumId, ExtensionId, FileId, MessageId};
use super::kind::{Cardinality, Kind};
use super::message::{Extension, Field, Message};
use super::service::Service;

/// A set of files, resolved.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pool {
    pub(crate) files: Vec<File>,
    pub(crate) messages: Vec<Message>,
    pub(crate) enums: Vec<Enum>,
    pub(crate) extensions: Vec<Extension>,
    pub(crate) services: Vec<Service>,
    pub(crate) names: HashMap<Box<str>, Symbol>,
}

/// What a full name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A package, or a part of one's name.
    Package,
    /// A message.
    Message(MessageId),
    /// An enum.
    Enum(EnumId),
    /// A value of an enum, by its index. Its name is in the scope that the enum is in.
    Value(EnumId, u32),
    /// A field of a message, by its index.
    Field(MessageId, u32),
    /// A oneof of a message, by its index.
    Oneof(MessageId, u32),
    /// An extension.
    Extension(ExtensionId),
    /// A service, by its index.
    Service(u32),
    /// A method of a service, by the indices of both.
    Method(u32, u32),
}

impl Pool {
    /// Files, each after those that it imports.
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// Messages of all files, each before those in it.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Enums of all files.
    pub fn enums(&self) -> &[Enum] {
        &self.enums
    }

    /// Extensions of all files.
    pub fn extensions(&self) -> &[Extension] {
        &self.extensions
    }

    /// Services of all files.
    pub fn services(&self) -> &[Service] {
        &self.services
    }

    /// What a full name stands for; a dot before it is allowed.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.names.get(name.strip_prefix('.').unwrap_or(name)).copied()
    }

    /// The message of a full name.
    pub fn message(&self, name: &str) -> Option<MessageId> {
        match self.symbol(name)? {
            Symbol::Message(id) => Some(id),
            _ => None,
        }
    }

    /// The message of a full name, or of the last part of one where no other has the same.
    pub fn find(&self, name: &str) -> Option<MessageId> {
        self.message(name).or_else(|| {
            let mut same = self.message_ids().filter(|id| self[*id].short_name() == name);
            same.next().filter(|_| same.next().is_none())
        })
    }

    /// The enum of a full name.
    pub fn enumeration(&self, name: &str) -> Option<EnumId> {
        match self.symbol(name)? {
            Symbol::Enum(id) => Some(id),
            _ => None,
        }
    }

    /// The field of a message that has a number on the wire, extensions included.
    pub fn field(&self, message: MessageId, number: u32) -> Option<&Field> {
        let message = &self[message];
        message.by_number(number).or_else(|| {
            let found = message.extensions.binary_search_by_key(&number, |id| self[*id].field.number).ok()?;
            Some(&self[message.extensions[found]].field)
        })
    }

    /// Key and value of a map field.
    pub fn map_entry(&self, field: &Field) -> Option<(&Field, &Field)> {
        let entry = &self[field.kind.message().filter(|_| field.cardinality == Cardinality::Map)?];
        Some((entry.by_number(1)?, entry.by_number(2)?))
    }

    /// The message that is meant where none is named: of those at top level, in files that no other imports, the last that no other message holds; if each is held, the last.
    pub fn root(&self) -> Option<MessageId> {
        let imported: HashSet<FileId> = self.files.iter().flat_map(|file| file.imports.iter().copied()).collect();
        // A message without fields is the scope of the enums in it, and held where these are.
        let scope = |id: EnumId| self[id].parent.filter(|parent| self[*parent].fields.is_empty());
        let held = |field: &Field| match field.kind {
            Kind::Enum(id) => scope(id),
            kind => kind.message(),
        };
        let held: HashSet<MessageId> =
            self.message_ids().flat_map(|id| self[id].fields.iter().filter_map(held).filter(move |held| *held != id)).collect();
        let candidates = || self.message_ids().filter(|id| self[*id].parent.is_none() && !imported.contains(&self[*id].file));
        candidates().filter(|id| !held.contains(id)).last().or_else(|| candidates().last())
    }

    /// All enums with their handles, in order.
    pub fn enum_ids(&self) -> impl Iterator<Item = EnumId> + use<> {
        (0..self.enums.len() as u32).map(EnumId)
    }

    /// All messages with their handles, in order.
    pub fn message_ids(&self) -> impl Iterator<Item = MessageId> + use<> {
        (0..self.messages.len() as u32).map(MessageId)
    }
}

macro_rules! indexed {
    ($($id:ty, $target:ty, $list:ident;)*) => {$(
        impl Index<$id> for Pool {
            type Output = $target;

            fn index(&self, id: $id) -> &$target {
                &self.$list[id.index()]
            }
        }
    )*};
}

indexed! {
    FileId, File, files;
    MessageId, Message, messages;
    EnumId, Enum, enums;
    ExtensionId, Extension, extensions;
}
