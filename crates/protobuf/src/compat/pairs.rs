//! Which type of the new version is which of the old: by name, by name in another package, by the fields that hold it, by its fields.

use std::collections::{HashMap, HashSet};

use crate::model::{EnumId, Kind, MessageId, Pool};
use crate::source::Protos;

/// Types that are the same in both versions, and types that only one has.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Messages: of the old version by those of the new.
    pub messages: HashMap<MessageId, MessageId>,
    /// Enums, likewise.
    pub enums: HashMap<EnumId, EnumId>,
}

impl Pairs {
    pub fn new(old: &Protos, new: &Protos) -> Pairs {
        let (before, after) = (&old.pool, &new.pool);
        let mut pairs = Pairs::default();
        for id in after.message_ids() {
            if let Some(same) = before.message(&after[id].name) {
                pairs.messages.insert(id, same);
            }
        }
        for (index, declared) in after.enums().iter().enumerate() {
            if let Some(same) = before.enumeration(&declared.name) {
                pairs.enums.insert(EnumId(index as u32), same);
            }
        }
        pairs.by_package(before, after);
        pairs.by_use(before, after);
        pairs.by_shape(before, after);
        pairs.by_use(before, after);
        pairs
    }

    fn has_message(&self, old: MessageId) -> bool {
        self.messages.values().any(|paired| *paired == old)
    }

    fn has_enum(&self, old: EnumId) -> bool {
        self.enums.values().any(|paired| *paired == old)
    }

    /// The same name in another package.
    fn by_package(&mut self, before: &Pool, after: &Pool) {
        fn below<'p>(pool: &'p Pool, file: crate::model::FileId, name: &'p str) -> &'p str {
            let package = &*pool[file].package;
            if package.is_empty() { name } else { &name[package.len() + 1..] }
        }
        let messages: HashMap<&str, MessageId> =
            before.message_ids().map(|id| (below(before, before[id].file, &before[id].name), id)).collect();
        let taken: HashSet<MessageId> = self.messages.values().copied().collect();
        for id in after.message_ids() {
            let found = messages.get(below(after, after[id].file, &after[id].name)).filter(|found| !taken.contains(found));
            if let (false, Some(found)) = (self.messages.contains_key(&id), found) {
                self.messages.insert(id, *found);
            }
        }
        for (index, declared) in after.enums().iter().enumerate() {
            let id = EnumId(index as u32);
            let name = below(after, declared.file, &declared.name);
            let found =
                before.enums().iter().position(|other| below(before, other.file, &other.name) == name).map(|index| EnumId(index as u32));
            if let (false, Some(found)) = (self.enums.contains_key(&id), found)
                && !self.has_enum(found)
            {
                self.enums.insert(id, found);
            }
        }
    }

    /// What the same field of two versions of a message holds, where neither has a partner.
    fn by_use(&mut self, before: &Pool, after: &Pool) {
        let mut due: Vec<(MessageId, MessageId)> = self.messages.iter().map(|(new, old)| (*new, *old)).collect();
        due.sort();
        while let Some((new, old)) = due.pop() {
            for field in &after[new].fields {
                let Some(was) = before[old].by_number(field.number) else { continue };
                match (field.kind, was.kind) {
                    (Kind::Enum(new), Kind::Enum(old)) if !self.enums.contains_key(&new) && !self.has_enum(old) => {
                        self.enums.insert(new, old);
                    }
                    (Kind::Message(new) | Kind::Group(new), Kind::Message(old) | Kind::Group(old))
                        if !self.messages.contains_key(&new) && !self.has_message(old) =>
                    {
                        self.messages.insert(new, old);
                        due.push((new, old));
                    }
                    _ => {}
                }
            }
        }
    }

    /// The same fields under another name, where only one other type has them.
    fn by_shape(&mut self, before: &Pool, after: &Pool) {
        let shape = |pool: &Pool, id: MessageId| {
            let message = &pool[id];
            let fields = message.fields.iter().map(|field| (field.number, field.name.clone(), field.kind.name(), field.cardinality as u8));
            (message.parent.is_some(), fields.collect::<Vec<_>>())
        };
        let lone_old: Vec<MessageId> = before.message_ids().filter(|id| !self.has_message(*id) && !before[*id].fields.is_empty()).collect();
        let lone_new: Vec<MessageId> =
            after.message_ids().filter(|id| !self.messages.contains_key(id) && !after[*id].fields.is_empty()).collect();
        let only = |pool: &Pool, lone: &[MessageId], wanted: &_| {
            let mut like = lone.iter().copied().filter(|id| shape(pool, *id) == *wanted);
            like.next().filter(|_| like.next().is_none())
        };
        for new in &lone_new {
            let wanted = shape(after, *new);
            if let (Some(_), Some(old)) = (only(after, &lone_new, &wanted), only(before, &lone_old, &wanted)) {
                self.messages.insert(*new, old);
            }
        }
    }
}
