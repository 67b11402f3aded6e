//! A set of files, with lookups by name and handle.

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

/// The meaning of a full name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A package, or a leading part of its name.
    Package,
    /// A message.
    Message(MessageId),
    /// An enum.
    Enum(EnumId),
    /// A value of an enum, by its index. Its name belongs to the scope around the enum.
    Value(EnumId, u32),
    /// A field of a message, by its index.
    Field(MessageId, u32),
    /// A oneof of a message, by its index.
    Oneof(MessageId, u32),
    /// An extension.
    Extension(ExtensionId),
    /// A service, by its index.
    Service(u32),
    /// A method of a service, by both indices.
    Method(u32, u32),
}

impl Pool {
    /// Returns the files, each after those that it imports.
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// Returns the messages of all files, each before those in it.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Returns the enums of all files.
    pub fn enums(&self) -> &[Enum] {
        &self.enums
    }

    /// Returns the extensions of all files.
    pub fn extensions(&self) -> &[Extension] {
        &self.extensions
    }

    /// Returns the services of all files.
    pub fn services(&self) -> &[Service] {
        &self.services
    }

    /// Returns the meaning of a full name, with or without a leading dot.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.names.get(name.strip_prefix('.').unwrap_or(name)).copied()
    }

    /// Returns the message of a full name.
    pub fn message(&self, name: &str) -> Option<MessageId> {
        match self.symbol(name)? {
            Symbol::Message(id) => Some(id),
            _ => None,
        }
    }

    /// Returns the message of a full name, or of its last part if that is unique.
    pub fn find(&self, name: &str) -> Option<MessageId> {
        self.message(name).or_else(|| {
            let mut same = self.message_ids().filter(|id| self[*id].short_name() == name);
            same.next().filter(|_| same.next().is_none())
        })
    }

    /// Returns the enum of a full name.
    pub fn enumeration(&self, name: &str) -> Option<EnumId> {
        match self.symbol(name)? {
            Symbol::Enum(id) => Some(id),
            _ => None,
        }
    }

    /// Returns the field of a message by its number, extensions included.
    pub fn field(&self, message: MessageId, number: u32) -> Option<&Field> {
        let message = &self[message];
        message.by_number(number).or_else(|| {
            let found = message.extensions.binary_search_by_key(&number, |id| self[*id].field.number).ok()?;
            Some(&self[message.extensions[found]].field)
        })
    }

    /// Returns key and value of a map field.
    pub fn map_entry(&self, field: &Field) -> Option<(&Field, &Field)> {
        let entry = &self[field.kind.message().filter(|_| field.cardinality == Cardinality::Map)?];
        Some((entry.by_number(1)?, entry.by_number(2)?))
    }

    /// Returns the default root of a schema: the last of [`Pool::roots`].
    pub fn root(&self) -> Option<MessageId> {
        self.roots().last().copied()
    }

    /// Returns the messages that may stand by themselves: those at top level, in a file that nobody
    /// imports, that no other message contains; failing that, the last one at top level.
    pub fn roots(&self) -> Vec<MessageId> {
        let imported: HashSet<FileId> = self.files.iter().flat_map(|file| file.imports.iter().copied()).collect();
        // A message without fields is only a scope of enums, and contained where these are.
        let scope = |id: EnumId| self[id].parent.filter(|parent| self[*parent].fields.is_empty());
        let held = |field: &Field| match field.kind {
            Kind::Enum(id) => scope(id),
            kind => kind.message(),
        };
        let held: HashSet<MessageId> =
            self.message_ids().flat_map(|id| self[id].fields.iter().filter_map(held).filter(move |held| *held != id)).collect();
        let candidates = || self.message_ids().filter(|id| self[*id].parent.is_none() && !imported.contains(&self[*id].file));
        let roots: Vec<MessageId> = candidates().filter(|id| !held.contains(id)).collect();
        if roots.is_empty() { candidates().last().into_iter().collect() } else { roots }
    }

    /// Returns the handles of all enums, in order.
    pub fn enum_ids(&self) -> impl Iterator<Item = EnumId> + use<> {
        (0..self.enums.len() as u32).map(EnumId)
    }

    /// Returns the handles of all messages, in order.
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
