//! Compatibility of two versions of a text in the IDL, in both protocols.
//!
//! Structs, enums, services and constants are paired by their names, fields by their numbers.
//! The verdicts are those of the audit of Apache's compiler, `compiler/cpp/src/thrift/audit` of
//! <https://github.com/apache/thrift>, with what it does not look at: readers of the older version.
//! `types` judges other types, `sample` makes messages, and `trial` gives them to the other
//! version's reader.

mod comparing;
mod enums;
mod fields;
mod rule;
mod sample;
mod services;
mod trial;
mod types;

use std::collections::{HashMap, HashSet};

use polywire_core::schema::language::{Comparison, Compatibility, Effect, Version};
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place};

use crate::idl::Idl;
use crate::idl::load::load;
use crate::idl::model::{Model, Ty};
use crate::idl::resolve::resolve;
use crate::idl::syntax::StructKind;
use comparing::{Change, Claim, Comparing, by_name};
use fields::Role;
use trial::Trial;

impl Compatibility for Idl {
    fn compare(&self, old: Version<'_>, new: Version<'_>, root: Option<&str>) -> Result<Comparison, Diagnostics> {
        let old = resolve(&load(&old.text, old.files)?)?;
        let new = resolve(&load(&new.text, new.files)?)?;
        compare(&old, &new, root)
    }
}

/// The parts of both versions that are compared, by name.
struct Scope<'m> {
    structs: HashMap<&'m str, [Option<usize>; 2]>,
    enums: HashMap<&'m str, [Option<usize>; 2]>,
    services: HashMap<&'m str, [Option<usize>; 2]>,
}

impl<'m> Scope<'m> {
    fn new(old: &'m Model, new: &'m Model) -> Scope<'m> {
        let mut scope = Scope { structs: HashMap::new(), enums: HashMap::new(), services: HashMap::new() };
        for (side, model) in [old, new].into_iter().enumerate() {
            let bodies: HashSet<usize> = bodies(model).collect();
            for (name, id) in by_name(model.structs.iter().map(|of| &of.name)).into_iter().filter(|(_, id)| !bodies.contains(id)) {
                scope.structs.entry(name).or_default()[side] = Some(id);
            }
            for (name, id) in by_name(model.enums.iter().map(|of| &of.name)) {
                scope.enums.entry(name).or_default()[side] = Some(id);
            }
            for (name, id) in by_name(model.services.iter().map(|of| &of.name)) {
                scope.services.entry(name).or_default()[side] = Some(id);
            }
        }
        scope
    }

    /// Keeps a struct or service and what is in it. Returns whether there is one of the name.
    fn keep(&mut self, models: [&Model; 2], name: &str) -> bool {
        let mut kept = [(); 2].map(|()| (HashSet::new(), HashSet::new()));
        for (side, model) in models.into_iter().enumerate() {
            let mut due: Vec<usize> = self.structs.get(name).and_then(|ids| ids[side]).into_iter().collect();
            if let Some(service) = self.services.get(name).and_then(|ids| ids[side]) {
                due.extend(model.services[service].methods.iter().flat_map(|method| [method.arguments, method.result]));
            }
            let (structs, enums) = &mut kept[side];
            structs.extend(due.iter().copied());
            while let Some(id) = due.pop() {
                for field in &model.structs[id].fields {
                    let mut inside = Vec::new();
                    Model::structs_in(&field.ty, &mut inside);
                    due.extend(inside.into_iter().filter(|inner| structs.insert(*inner)));
                    enums_in(&field.ty, enums);
                }
            }
        }
        let has =
            |ids: &[Option<usize>; 2], kept: [&HashSet<usize>; 2]| (0..2).any(|side| ids[side].is_some_and(|id| kept[side].contains(&id)));
        let known = self.structs.contains_key(name) || self.services.contains_key(name);
        self.structs.retain(|_, ids| has(ids, [&kept[0].0, &kept[1].0]));
        self.enums.retain(|_, ids| has(ids, [&kept[0].1, &kept[1].1]));
        self.services.retain(|known, _| *known == name);
        known
    }
}

/// Returns the structs of the arguments and results of methods.
fn bodies(model: &Model) -> impl Iterator<Item = usize> {
    model.services.iter().flat_map(|service| &service.methods).flat_map(|method| [method.arguments, method.result])
}

fn enums_in(ty: &Ty, found: &mut HashSet<usize>) {
    match ty {
        Ty::Enum(id) => {
            found.insert(*id);
        }
        Ty::List(inner) | Ty::Set(inner) => enums_in(inner, found),
        Ty::Map(key, value) => {
            enums_in(key, found);
            enums_in(value, found);
        }
        Ty::Base(_) | Ty::Struct(_) | Ty::Stream => {}
    }
}

/// Compares two versions: the struct or service `root` with what is in it, or everything.
fn compare(old: &Model, new: &Model, root: Option<&str>) -> Result<Comparison, Diagnostics> {
    let mut scope = Scope::new(old, new);
    if let Some(name) = root.filter(|name| !scope.keep([old, new], name)) {
        let finding = Diagnostic::error("unbound_type", Place::default(), format!("no struct or service is named `{name}`"));
        return Err(Diagnostics { sources: new.sources.clone(), findings: vec![finding] });
    }
    let pairs = scope.structs.values().filter_map(|ids| Some([ids[0]?, ids[1]?])).collect();
    let mut comparing = Comparing { old, new, pairs, trial: Trial::new([old, new]), findings: Vec::new() };
    for (name, ids) in sorted(&scope.structs) {
        comparing.structs(name, ids);
    }
    for (name, ids) in sorted(&scope.enums) {
        comparing.enums(name, ids);
    }
    for (name, ids) in sorted(&scope.services) {
        comparing.services(name, ids);
    }
    if root.is_none() {
        comparing.constants();
        comparing.namespaces();
    }
    let mut findings = comparing.findings;
    findings.sort_by_key(|finding| match (finding.new, finding.old) {
        (Some(at), _) => (0, at.source, at.start),
        (None, Some(at)) => (1, at.source, at.start),
        (None, None) => (2, 0, 0),
    });
    Ok(Comparison { old: old.sources.clone(), new: new.sources.clone(), findings })
}

fn sorted<'m>(named: &HashMap<&'m str, [Option<usize>; 2]>) -> Vec<(&'m str, [Option<usize>; 2])> {
    let mut sorted: Vec<_> = named.iter().map(|(name, ids)| (*name, *ids)).collect();
    sorted.sort_unstable();
    sorted
}

impl Comparing<'_> {
    fn structs(&mut self, name: &str, ids: [Option<usize>; 2]) {
        let (before, after) = (ids[0].map(|id| &self.old.structs[id]), ids[1].map(|id| &self.new.structs[id]));
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
                if before.kind != after.kind {
                    let claim = |writer: StructKind, reader: StructKind| match (writer, reader) {
                        (StructKind::Union, _) => Claim::of(Effect::Warns, rule::UNION),
                        (_, StructKind::Union) => Claim::of(Effect::Misread, rule::UNION).shown([was, is], None, sample::Wish::default()),
                        _ => Claim::FINE,
                    };
                    let changed = change("struct_kind_changed", format!("{} `{name}` became {}", word(before.kind), article(after.kind)));
                    self.add(changed, claim(before.kind, after.kind), claim(after.kind, before.kind));
                }
                self.fields(name, name, [was, is], Role::Struct);
            }
            (_, Some(before), _) => {
                let removed = change("type_removed", format!("{} `{name}` was removed", word(before.kind)));
                self.add(removed, Claim::of(Effect::Refused, rule::TYPES), Claim::FINE);
            }
            (_, _, Some(after)) => self.add_fine(change("type_added", format!("{} `{name}` was added", word(after.kind)))),
            _ => {}
        }
    }

    fn constants(&mut self) {
        for before in &self.old.constants {
            let after = self.new.constants.iter().find(|after| after.name == before.name);
            let (kind, message) = match after {
                None => ("constant_removed", format!("the constant `{}` was removed", before.name)),
                Some(after) if self.old.text(&before.ty) != self.new.text(&after.ty) => {
                    let (was, is) = (self.old.text(&before.ty), self.new.text(&after.ty));
                    ("constant_type_changed", format!("the constant `{}` was a {was} and is a {is}", before.name))
                }
                Some(after) if before.value != after.value => {
                    ("constant_changed", format!("the constant `{}` has another value", before.name))
                }
                Some(_) => continue,
            };
            let (root, path) = (before.name.clone(), before.name.clone());
            let change = Change { kind, root, path, message, old: Some(before.at), new: after.map(|after| after.at) };
            self.add_named(change, rule::CONSTANTS);
        }
    }

    fn namespaces(&mut self) {
        for (language, before) in &self.old.namespaces {
            let after = self.new.namespaces.iter().find(|(other, _)| other == language).map(|(_, after)| after);
            if after.is_some_and(|after| after.text == before.text) {
                continue;
            }
            let of = if language == "*" { "all languages" } else { language };
            let message = match after {
                Some(after) => format!("the namespace of {of} was `{}` and is `{}`", before.text, after.text),
                None => format!("the namespace `{}` of {of} was removed", before.text),
            };
            let root = before.text.clone();
            let change = Change {
                kind: "namespace_changed",
                path: root.clone(),
                root,
                message,
                old: Some(before.at),
                new: after.map(|after| after.at),
            };
            self.add_named(change, rule::NAMESPACES);
        }
    }
}

fn word(kind: StructKind) -> &'static str {
    match kind {
        StructKind::Struct => "struct",
        StructKind::Union => "union",
        StructKind::Exception => "exception",
    }
}

fn article(kind: StructKind) -> &'static str {
    match kind {
        StructKind::Struct => "a struct",
        StructKind::Union => "a union",
        StructKind::Exception => "an exception",
    }
}
