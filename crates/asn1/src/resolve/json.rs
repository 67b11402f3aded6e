//! Encoding instructions of JER: which of them a type has in the end.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::fast::RandomState;
use polywire_core::text::diagnostic::Place;
use smol_str::SmolStr;

use super::{Form, Resolver};
use crate::model::{Enumeration, Json, Kind, TypeId};
use crate::syntax::{JsonInstruction, JsonInstructionKind, Name, NewName};

/// Returns the name of the member in JER that the prefixes of a component's type give. The first
/// one counts.
pub(super) fn member(name: &Name, instructions: &[JsonInstruction]) -> Option<SmolStr> {
    instructions.iter().find_map(|instruction| match &instruction.kind {
        JsonInstructionKind::Name(new) => Some(new.of(&name.text)),
        _ => None,
    })
}

impl Resolver<'_> {
    /// Returns the instructions of a type: its own, else those of the type that it refers to.
    pub(super) fn json(&mut self, id: TypeId, kind: &Kind) -> Json {
        let mut json = Json::default();
        let mut text = None;
        let mut at = id;
        for _ in 0..10_000 {
            let draft = &self.drafts[at.0 as usize];
            for instruction in &draft.json {
                match &instruction.kind {
                    JsonInstructionKind::Base64 => json.base64 = true,
                    JsonInstructionKind::Text(changes) if text.is_none() => text = Some((changes.clone(), instruction.at)),
                    _ => {}
                }
            }
            match draft.form {
                Form::Alias(next) => at = next,
                _ => break,
            }
        }
        if json.base64 && !matches!(kind, Kind::Octets | Kind::Unknown) {
            let place = self.drafts[id.0 as usize].at;
            self.error("instruction", place, "BASE64 in front of a type that is no OCTET STRING", "X.697 15.2");
        }
        if let Some((changes, place)) = text {
            match kind {
                Kind::Enumerated(items) => json.names = self.texts(items, &changes, place),
                Kind::Unknown => {}
                _ => self.error("instruction", place, "TEXT in front of a type that is no ENUMERATED", "X.697 18.2"),
            }
        }
        json
    }

    /// Returns the texts of all enumerators, in the order of the root and the additions.
    fn texts(&mut self, items: &Enumeration, changes: &[(Option<Name>, NewName)], place: Place) -> Option<Arc<[SmolStr]>> {
        let all = || items.root.iter().chain(&items.additions).map(|(name, _)| name);
        for (name, _) in changes {
            if let Some(name) = name
                && !all().any(|known| *known == name.text)
            {
                self.error("instruction", name.at, format!("the type has no enumerator `{}`", name.text), "X.697 18.2");
            }
        }
        let of = |known: &SmolStr| {
            let own = changes.iter().find(|(name, _)| name.as_ref().is_some_and(|name| name.text == *known));
            // ALL means those that the instruction does not name (X.697 18.1).
            let change = own.or_else(|| changes.iter().find(|(name, _)| name.is_none()));
            change.map_or_else(|| known.clone(), |(_, new)| new.of(known))
        };
        let texts: Arc<[SmolStr]> = all().map(of).collect();
        self.check_different(&texts, place, "enumerators", "X.697 18.2");
        Some(texts)
    }

    /// Refuses members of which two have the same name in JER. Each is its name, whether an
    /// instruction gives it, and its place.
    pub(super) fn check_members<'n>(&mut self, what: &str, members: impl Iterator<Item = (&'n SmolStr, bool, Place)> + Clone) {
        let Some((_, _, place)) = members.clone().find(|(_, is_new, _)| *is_new) else { return };
        let names: Vec<SmolStr> = members.map(|(name, ..)| name.clone()).collect();
        self.check_different(&names, place, what, "X.697 16.2");
    }

    /// Refuses names in JER of which two are the same.
    fn check_different(&mut self, names: &[SmolStr], place: Place, what: &str, rule: &str) {
        let mut known: HashSet<&str, RandomState> = HashSet::default();
        if let Some(name) = names.iter().find(|name| !known.insert(name)) {
            self.error("twice", place, format!("two {what} are called `{name}` in JER"), &format!("{rule} wants different names"));
        }
    }
}
