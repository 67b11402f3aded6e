//! Messages that both versions have, or only one.

use polywire_core::schema::language::{Effect, Outcome};

use super::comparing::{Change, Comparing, outcome, warns};
use super::rule;
use crate::model::MessageId;

impl Comparing<'_> {
    pub(super) fn messages(&mut self, old: MessageId, new: MessageId) {
        let (before, after) = (&self.old.pool[old], &self.new.pool[new]);
        let places = (self.place(0, before.file, before.at), self.place(1, after.file, after.at));
        if before.name != after.name {
            let change = Change {
                kind: "message_renamed",
                root: after.name.to_string(),
                path: after.name.to_string(),
                message: format!("message `{}` became `{}`", before.name, after.name),
                old: places.0,
                new: places.1,
            };
            self.findings.push(change.becomes(warns(rule::TYPE_NAMES), warns(rule::TYPE_NAMES)));
        }
        self.fields(old, new);
    }

    pub(super) fn added(&mut self, id: MessageId) {
        let message = &self.new.pool[id];
        let change = Change {
            kind: "message_added",
            root: message.name.to_string(),
            path: message.name.to_string(),
            message: format!("message `{}` was added", message.name),
            old: None,
            new: self.place(1, message.file, message.at),
        };
        self.findings.push(change.becomes(Outcome::FINE, Outcome::FINE));
    }

    pub(super) fn removed(&mut self, id: MessageId) {
        let message = &self.old.pool[id];
        let change = Change {
            kind: "message_removed",
            root: message.name.to_string(),
            path: message.name.to_string(),
            message: format!("message `{}` was removed", message.name),
            old: self.place(0, message.file, message.at),
            new: None,
        };
        // A field's type is reported at the field. Any other type is a message by itself.
        let backward = if self.held.contains(&id) { warns(rule::ANY_TYPE) } else { outcome(Effect::Refused, rule::ANY_TYPE, None) };
        self.findings.push(change.becomes(backward, Outcome::FINE));
    }
}
