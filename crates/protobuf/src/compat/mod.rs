//! Compatibility of two versions of a schema, on the wire and in JSON.
//!
//! `pairs` matches the types of both versions. Changes that may matter are tried: `sample` makes
//! messages of the writer's type, and `trial` gives them to the reader. The reader's result is the
//! verdict.

mod comparing;
mod enums;
mod fields;
mod messages;
mod pairs;
mod rule;
mod sample;
mod services;
mod trial;

use std::collections::HashSet;

use polywire_core::schema::language::{Comparison, Compatibility, Version};
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place};

pub use rule::RULES;

use crate::language::Proto;
use crate::model::{MessageId, Pool};
use crate::source::{Protos, read};
use comparing::Comparing;
use pairs::Pairs;
use trial::Types;

impl Compatibility for Proto {
    fn compare(&self, old: Version<'_>, new: Version<'_>, root: Option<&str>) -> Result<Comparison, Diagnostics> {
        let old = read(&old.text, old.files)?;
        let new = read(&new.text, new.files)?;
        let unknown = |name: &str| old.pool.find(name).is_none() && new.pool.find(name).is_none();
        if let Some(name) = root.filter(|name| unknown(name)) {
            let names = new.pool.messages().iter().filter(|message| new.is_main(message.file) && !message.map_entry);
            let names: Vec<&str> = names.map(|message| &*message.name).collect();
            let finding = Diagnostic::error(
                "unbound_type",
                Place::default(),
                format!("no message is named `{name}`; there are {}", names.join(", ")),
            );
            return Err(Diagnostics { sources: new.sources, findings: vec![finding] });
        }
        Ok(compare(&old, &new, root))
    }
}

/// Compares two versions: the message `root` with all types that it contains, or everything.
pub fn compare(old: &Protos, new: &Protos, root: Option<&str>) -> Comparison {
    let pairs = Pairs::new(old, new);
    let types = [Types::new(&old.pool), Types::new(&new.pool)];
    let held = old.pool.messages().iter().flat_map(|message| message.fields.iter().filter_map(|field| field.kind.message()));
    let mut comparing = Comparing { old, new, types: &types, pairs, held: held.collect(), findings: Vec::new() };
    let wanted = |pool: &Pool| root.map(|name| pool.find(name).map_or_else(HashSet::new, |id| reachable(pool, id)));
    let (before, after) = (wanted(&old.pool), wanted(&new.pool));
    let in_old = |id: MessageId| before.as_ref().map_or_else(|| old.is_main(old.pool[id].file), |wanted| wanted.contains(&id));
    let in_new = |id: MessageId| after.as_ref().map_or_else(|| new.is_main(new.pool[id].file), |wanted| wanted.contains(&id));
    // Entries of maps are reported at the map fields.
    for id in new.pool.message_ids().filter(|id| in_new(*id) && !new.pool[*id].map_entry) {
        match comparing.pairs.messages.get(&id).copied() {
            Some(was) => comparing.messages(was, id),
            None => comparing.added(id),
        }
    }
    for id in old.pool.message_ids().filter(|id| in_old(*id) && !old.pool[*id].map_entry) {
        if !comparing.pairs.has_message(id) {
            comparing.removed(id);
        }
    }
    comparing.enums(after.as_ref());
    if root.is_none() {
        comparing.services();
    }
    let Comparing { findings, .. } = comparing;
    Comparison { old: old.sources.clone(), new: new.sources.clone(), findings }
}

/// Returns a message and all messages that it contains.
fn reachable(pool: &Pool, root: MessageId) -> HashSet<MessageId> {
    let mut found = HashSet::from([root]);
    let mut due = vec![root];
    while let Some(id) = due.pop() {
        due.extend(pool[id].fields.iter().filter_map(|field| field.kind.message()).filter(|held| found.insert(*held)));
    }
    found
}
