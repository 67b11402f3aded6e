//! Services: calls from one version to the other.

use polywire_core::schema::language::{Effect, Outcome};

use super::comparing::{Change, Comparing, outcome};
use super::rule;
use crate::model::{MessageId, Method, Service};

impl Comparing<'_> {
    pub(super) fn services(&mut self) {
        let (old, new) = (self.old, self.new);
        for before in old.pool.services().iter().filter(|service| old.is_main(service.file)) {
            let after = new.pool.services().iter().find(|after| after.name == before.name);
            let Some(after) = after else {
                let change = Change {
                    kind: "service_removed",
                    root: before.name.to_string(),
                    path: before.name.to_string(),
                    message: format!("service `{}` was removed", before.name),
                    old: self.place(0, before.file, before.at),
                    new: None,
                };
                self.findings.push(change.becomes(outcome(Effect::Refused, rule::SERVICES, None), Outcome::FINE));
                continue;
            };
            for method in &before.methods {
                self.method(before, after, method);
            }
        }
    }

    fn method(&mut self, before: &Service, after: &Service, method: &Method) {
        let path = format!("{}.{}", before.name, method.name);
        let refused = || outcome(Effect::Refused, rule::SERVICES, None);
        let other = after.methods.iter().find(|other| other.name == method.name);
        let change = |kind, message: String| Change {
            kind,
            root: before.name.to_string(),
            path: path.clone(),
            message,
            old: self.place(0, before.file, method.at),
            new: other.and_then(|other| self.place(1, after.file, other.at)),
        };
        let Some(other) = other else {
            let change = change("method_removed", format!("method `{}` was removed", method.name));
            self.findings.push(change.becomes(refused(), Outcome::FINE));
            return;
        };
        if (method.client_streaming, method.server_streaming) != (other.client_streaming, other.server_streaming) {
            let change = change("method_streaming_changed", format!("method `{}` streams in another way", method.name));
            self.findings.push(change.becomes(refused(), refused()));
            return;
        }
        let same = |old: MessageId, new: MessageId| self.pairs.messages.get(&new) == Some(&old);
        if !same(method.input, other.input) || !same(method.output, other.output) {
            let change = change("method_type_changed", format!("method `{}` takes or gives another message", method.name));
            self.findings.push(change.becomes(refused(), refused()));
        }
    }
}
