//! Services: calls from one version to the other.

use std::collections::HashSet;

use polywire_core::schema::language::Effect;

use super::comparing::{Change, Claim, Comparing};
use super::fields::Role;
use super::rule;
use crate::idl::model::{Method, Model, Service};

/// Returns the methods of a service and of those that it extends.
fn methods(model: &Model, service: usize) -> impl Iterator<Item = &Method> {
    let bases = std::iter::successors(Some(service), |id| model.services[*id].extends);
    bases.flat_map(|id| &model.services[id].methods)
}

impl Comparing<'_> {
    pub(super) fn services(&mut self, name: &str, ids: [Option<usize>; 2]) {
        let (before, after) = (ids[0].map(|id| &self.old.services[id]), ids[1].map(|id| &self.new.services[id]));
        let change = |kind, message| Change {
            kind,
            root: name.to_string(),
            path: name.to_string(),
            message,
            old: before.map(|of| of.at),
            new: after.map(|of| of.at),
        };
        match (ids, before, after) {
            ([Some(was), Some(is)], Some(before), Some(after)) => {
                self.base(name, [was, is], [before, after]);
                self.methods(name, [was, is], [before, after]);
            }
            (_, Some(_), None) => {
                let removed = change("service_removed", format!("service `{name}` was removed"));
                self.add(removed, Claim::of(Effect::Refused, rule::METHODS), Claim::FINE);
            }
            _ => self.add_fine(change("service_added", format!("service `{name}` was added"))),
        }
    }

    /// Compares what services extend.
    fn base(&mut self, name: &str, ids: [usize; 2], both: [&Service; 2]) {
        let (old, new) = (self.old, self.new);
        let Some(was) = both[0].extends.map(|id| &*old.services[id].name) else { return };
        let is = both[1].extends.map(|id| &*new.services[id].name);
        if is == Some(was) {
            return;
        }
        let kept: HashSet<&str> = methods(new, ids[1]).map(|method| &*method.name).collect();
        let lost = methods(old, ids[0]).any(|method| !kept.contains(&*method.name));
        let message = match is {
            Some(is) => format!("service `{name}` extended `{was}` and extends `{is}`"),
            None => format!("service `{name}` no longer extends `{was}`"),
        };
        let root = name.to_string();
        let change =
            Change { kind: "service_base_changed", path: root.clone(), root, message, old: Some(both[0].at), new: Some(both[1].at) };
        let backward = if lost { Claim::of(Effect::Refused, rule::METHODS) } else { Claim::of(Effect::Misread, rule::BASE) };
        self.add(change, backward, Claim::FINE);
    }

    fn methods(&mut self, name: &str, ids: [usize; 2], both: [&Service; 2]) {
        let (old, new) = (self.old, self.new);
        let [before, after] = both;
        for method in &before.methods {
            // A method may have moved to a service that this one extends.
            match methods(new, ids[1]).find(|other| other.name == method.name) {
                Some(other) => self.method(name, method, other),
                None => {
                    let change = Change {
                        kind: "method_removed",
                        root: name.to_string(),
                        path: format!("{name}.{}", method.name),
                        message: format!("method `{}` was removed", method.name),
                        old: Some(method.at),
                        new: None,
                    };
                    self.add(change, Claim::of(Effect::Refused, rule::METHODS), Claim::FINE);
                }
            }
        }
        let known: HashSet<&str> = methods(old, ids[0]).map(|method| &*method.name).collect();
        for method in after.methods.iter().filter(|method| !known.contains(&*method.name)) {
            self.add_fine(Change {
                kind: "method_added",
                root: name.to_string(),
                path: format!("{name}.{}", method.name),
                message: format!("method `{}` was added", method.name),
                old: None,
                new: Some(method.at),
            });
        }
    }

    fn method(&mut self, service: &str, was: &Method, is: &Method) {
        let path = format!("{service}.{}", was.name);
        if was.oneway != is.oneway {
            let message = if is.oneway { "is oneway now" } else { "is no longer oneway" };
            let change = Change {
                kind: "method_oneway_changed",
                root: service.to_string(),
                path: path.clone(),
                message: format!("method `{}` {message}", was.name),
                old: Some(was.at),
                new: Some(is.at),
            };
            let claim = |oneway| Claim::of(if oneway { Effect::Refused } else { Effect::Misread }, rule::ONEWAY);
            self.add(change, claim(is.oneway), claim(was.oneway));
        }
        self.fields(service, &path, [was.arguments, is.arguments], Role::Arguments);
        self.fields(service, &path, [was.result, is.result], Role::Result);
    }
}
