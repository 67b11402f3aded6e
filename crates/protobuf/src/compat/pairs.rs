//! Pairs of types in both versions: by name, by name in another package, by the fields that use
//! them, by their own fields.

use std::collections::{HashMap, HashSet};

use crate::model::{EnumId, Kind, MessageId, Pool};
use crate::source::Protos;

/// Types that both versions have, and types that only one has.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Messages of the old version, by those of the new.
    pub messages: HashMap<MessageId, MessageId>,
    /// Enums of the old version, by those of the new.
    pub enums: HashMap<EnumId, EnumId>,
    /// Messages and enums of the old version that have a partner.
    taken: HashSet<MessageId>,
    taken_enums: HashSet<EnumId>,
}

impl Pairs {
    pub fn new(old: &Protos, new: &Protos) -> Pairs {
        let (before, after) = (&old.pool, &new.pool);
        let mut pairs = Pairs::default();
        for id in after.message_ids() {
            if let Some(same) = before.message(&after[id].name) {
                pairs.join(id, same);
            }
        }
        for (index, declared) in after.enums().iter().enumerate() {
            if let Some(same) = before.enumeration(&declared.name) {
                pairs.join_enums(EnumId(index as u32), same);
            }
        }
        pairs.by_package(before, after);
        pairs.by_use(before, after);
        pairs.by_shape(before, after);
        pairs.by_use(before, after);
        pairs
    }

    fn join(&mut self, new: MessageId, old: MessageId) {
        self.messages.insert(new, old);
        self.taken.insert(old);
    }

    fn join_enums(&mut self, new: EnumId, old: EnumId) {
        self.enums.insert(new, old);
        self.taken_enums.insert(old);
    }

    /// Returns whether a message of the old version has a partner.
    pub fn has_message(&self, old: MessageId) -> bool {
        self.taken.contains(&old)
    }

    /// Returns whether an enum of the old version has a partner.
    pub fn has_enum(&self, old: EnumId) -> bool {
        self.taken_enums.contains(&old)
    }

    /// Pairs types of one name in different packages.
    fn by_package(&mut self, before: &Pool, after: &Pool) {
        fn below<'p>(pool: &'p Pool, file: crate::model::FileId, name: &'p str) -> &'p str {
            let package = &*pool[file].package;
            if package.is_empty() { name } else { &name[package.len() + 1..] }
        }
        let messages: HashMap<&str, MessageId> =
            before.message_ids().map(|id| (below(before, before[id].file, &before[id].name), id)).collect();
        let enums: HashMap<&str, EnumId> = before
            .enums()
            .iter()
            .enumerate()
            .map(|(index, other)| (below(before, other.file, &other.name), EnumId(index as u32)))
            .collect();
        for id in after.message_ids() {
            let found = messages.get(below(after, after[id].file, &after[id].name)).filter(|found| !self.has_message(**found));
            if let (false, Some(found)) = (self.messages.contains_key(&id), found) {
                self.join(id, *found);
            }
        }
        for (index, declared) in after.enums().iter().enumerate() {
            let id = EnumId(index as u32);
            let name = below(after, declared.file, &declared.name);
            let found = enums.get(name).copied();
            if let (false, Some(found)) = (self.enums.contains_key(&id), found)
                && !self.has_enum(found)
            {
                self.join_enums(id, found);
            }
        }
    }

    /// Pairs types of the same field in both versions of a message.
    fn by_use(&mut self, before: &Pool, after: &Pool) {
        let mut due: Vec<(MessageId, MessageId)> = self.messages.iter().map(|(new, old)| (*new, *old)).collect();
        due.sort();
        while let Some((new, old)) = due.pop() {
            for field in &after[new].fields {
                let Some(was) = before[old].by_number(field.number) else { continue };
                match (field.kind, was.kind) {
                    (Kind::Enum(new), Kind::Enum(old)) if !self.enums.contains_key(&new) && !self.has_enum(old) => {
                        self.join_enums(new, old);
                    }
                    (Kind::Message(new) | Kind::Group(new), Kind::Message(old) | Kind::Group(old))
                        if !self.messages.contains_key(&new) && !self.has_message(old) =>
                    {
                        self.join(new, old);
                        due.push((new, old));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Pairs types with the same fields under different names, if each is the only one.
    fn by_shape(&mut self, before: &Pool, after: &Pool) {
        let shape = |pool: &Pool, id: MessageId| {
            let message = &pool[id];
            let fields = message.fields.iter().map(|field| (field.number, field.name.clone(), field.kind.name(), field.cardinality as u8));
            (message.parent.is_some(), fields.collect::<Vec<_>>())
        };
        let lone_old: Vec<MessageId> = before.message_ids().filter(|id| !self.has_message(*id) && !before[*id].fields.is_empty()).collect();
        let lone_new: Vec<MessageId> =
            after.message_ids().filter(|id| !self.messages.contains_key(id) && !after[*id].fields.is_empty()).collect();
        // By shape; the only message that has it.
        let only = |pool: &Pool, lone: &[MessageId]| {
            let mut only: HashMap<_, Option<MessageId>> = HashMap::new();
            for id in lone {
                only.entry(shape(pool, *id)).and_modify(|found| *found = None).or_insert(Some(*id));
            }
            only
        };
        let (old, new) = (only(before, &lone_old), only(after, &lone_new));
        let pairs = new.iter().filter_map(|(shape, new)| Some(((*new)?, (*old.get(shape)?)?)));
        let pairs: Vec<(MessageId, MessageId)> = pairs.collect();
        for (new, old) in pairs {
            self.join(new, old);
        }
    }
}
