//! The first group of semantic checks (docs/spec/extprot.md 3): names, numbers of arguments, keys
//! of options, and recursion. All errors are collected.

use std::collections::{HashMap, HashSet};

use polywire_core::text::diagnostic::{Diagnostic, Place};

use super::include::Unit;
use super::syntax::{
    Application, Constructor, Entry, Field, Message, MessageBody, Name, Setting, Simple, SimpleKind, Type, TypeBody, VariantBody,
};

/// Keys of options and annotations (docs/spec/extprot.md 2.3).
pub const OPTIONS: &[&str] = &["default", "ocaml.type", "ocaml.type_equals", "ocaml.pp", "autolazy"];

/// Checks all declarations.
pub fn check(unit: &Unit) -> Vec<Diagnostic> {
    let mut later = HashMap::new();
    for (entry, _) in &unit.entries {
        if let Some(name) = name(entry) {
            later.entry(name.text.as_str()).or_insert(name.at.0);
        }
    }
    let mut checker =
        Checker { seen: HashMap::new(), later, incomplete: unit.incomplete, findings: Vec::new(), owner: "", parameters: None };
    for (entry, _) in &unit.entries {
        checker.entry(entry);
    }
    checker.findings
}

/// Returns the name that an entry declares.
pub fn name(entry: &Entry) -> Option<&Name> {
    match entry {
        Entry::Message(message) => Some(&message.name),
        Entry::Type(ty) => Some(&ty.name),
        Entry::Include(_) => None,
    }
}

/// Facts about a declaration that checks need.
struct Known {
    arity: usize,
    /// True if a subset can use it.
    source: bool,
    at: Place,
}

struct Checker<'u> {
    /// Declarations so far, by name.
    seen: HashMap<&'u str, Known>,
    /// Place of each declaration, later ones included.
    later: HashMap<&'u str, Place>,
    incomplete: bool,
    findings: Vec<Diagnostic>,
    /// Current declaration.
    owner: &'u str,
    /// Parameters of the current type; `None` in a message.
    parameters: Option<HashSet<&'u str>>,
}

impl<'u> Checker<'u> {
    fn entry(&mut self, entry: &'u Entry) {
        let Some(name) = name(entry) else { return };
        if let Some(first) = self.seen.get(name.text.as_str()) {
            let finding = Diagnostic::error("duplicate_binding", name.at.0, format!("`{}` is declared for the second time", name.text));
            self.findings.push(
                finding
                    .label("declared again here")
                    .related(first.at, "declared first here")
                    .hint("types and messages share one name space, included files count")
                    .detail("name", &name.text),
            );
        }
        self.owner = &name.text;
        let known = match entry {
            Entry::Message(message) => {
                self.parameters = None;
                self.message(message);
                Known { arity: 0, source: is_source(message), at: name.at.0 }
            }
            Entry::Type(ty) => {
                self.parameters = Some(ty.parameters.iter().map(|parameter| parameter.text.as_str()).collect());
                self.ty(ty);
                let source = matches!(ty.body, Some(TypeBody::Record(_)) | None);
                Known { arity: ty.parameters.len(), source, at: name.at.0 }
            }
            Entry::Include(_) => return,
        };
        self.seen.entry(&name.text).or_insert(known);
    }

    fn message(&mut self, message: &'u Message) {
        match &message.body {
            None | Some(MessageBody::External(..)) => {}
            Some(MessageBody::Record(fields)) => self.fields(fields, self.owner),
            Some(MessageBody::Application(application)) => self.application(application, self.owner),
            Some(MessageBody::Union(variants)) => {
                self.unique("variant", variants.iter().map(|variant| &variant.name));
                for variant in variants {
                    let place = format!("{}.{}", self.owner, variant.name.text);
                    match &variant.body {
                        VariantBody::Record(fields) => self.fields(fields, &place),
                        VariantBody::Application(application) => self.application(application, &place),
                    }
                }
            }
            Some(MessageBody::Subset(source, fields)) => {
                self.source(source);
                self.unique("field", fields.iter().map(|field| &field.name));
                for field in fields {
                    if let Some(ty) = &field.ty {
                        self.simple(ty, self.owner);
                    }
                }
            }
            Some(MessageBody::Without(source, names)) => {
                self.source(source);
                self.unique("field", names.iter());
            }
        }
        self.settings(&message.options);
    }

    fn ty(&mut self, ty: &'u Type) {
        let mut first: HashMap<&str, &Name> = HashMap::new();
        for parameter in &ty.parameters {
            if let Some(before) = first.insert(&parameter.text, parameter) {
                self.duplicate("type parameter", &format!("'{}", parameter.text), parameter.at.0, before.at.0);
            }
        }
        match &ty.body {
            None => {}
            Some(TypeBody::Record(fields)) => self.fields(fields, self.owner),
            Some(TypeBody::Simple(simple)) => self.simple(simple, self.owner),
            Some(TypeBody::Sum(constructors)) => {
                self.unique("constructor", constructors.iter().map(|constructor| &constructor.name));
                for Constructor { arguments, .. } in constructors {
                    for argument in arguments {
                        self.simple(argument, self.owner);
                    }
                }
            }
        }
        self.settings(&ty.options);
    }

    fn fields(&mut self, fields: &'u [Field], place: &str) {
        self.unique("field", fields.iter().map(|field| &field.name));
        for field in fields {
            if let Some(ty) = &field.ty {
                self.simple(ty, place);
            }
        }
    }

    fn source(&mut self, source: &'u Name) {
        let known = self.seen.get(source.text.as_str());
        if known.is_some_and(|known| known.source) {
            return;
        }
        if known.is_none() && self.incomplete && !self.later.contains_key(source.text.as_str()) {
            return;
        }
        let hint = if known.is_some() {
            "a subset is made of a plain message, of a message that is an application, or of a record type"
        } else if source.text == self.owner {
            "a subset cannot be made of itself"
        } else if self.later.contains_key(source.text.as_str()) {
            "it is declared further down: move it before the subset"
        } else {
            ""
        };
        let what = if known.is_some() { "is nothing that a subset can be made of" } else { "is not declared before this" };
        let mut finding = Diagnostic::error("missing_subset_source", source.at.0, format!("`{}` {what}", source.text));
        if let Some(known) = known {
            finding = finding.related(known.at, "declared here");
        }
        self.findings.push(finding.hint(hint).detail("name", &source.text).detail("in", self.owner));
    }

    /// Checks a simple type; `place` names the place of its options in messages.
    fn simple(&mut self, simple: &'u Simple, place: &str) {
        match &simple.kind {
            SimpleKind::List(inner) | SimpleKind::Array(inner) => self.simple(inner, place),
            SimpleKind::Tuple(parts) => parts.iter().for_each(|part| self.simple(part, place)),
            SimpleKind::Named(application) => self.application(application, place),
            SimpleKind::External(_) => {}
            SimpleKind::Variable(name) => {
                if self.parameters.as_ref().is_some_and(|parameters| parameters.contains(name.text.as_str())) {
                    return;
                }
                let hint = match &self.parameters {
                    None => "messages have no parameters: give the type here".to_string(),
                    Some(_) => format!("declare it: `type {} '{} = …`", self.owner, name.text),
                };
                let finding =
                    Diagnostic::error("unbound_type", simple.at.0, format!("`'{}` is no parameter of `{}`", name.text, self.owner));
                self.findings.push(finding.hint(hint).detail("name", format!("'{}", name.text)).detail("in", self.owner));
            }
            SimpleKind::Primitive(_, annotations) => {
                for annotation in annotations {
                    self.key(&annotation.key.text, annotation.key.at.0, place);
                }
            }
        }
    }

    fn application(&mut self, application: &'u Application, place: &str) {
        let Name { text, at } = &application.name;
        let found = application.arguments.len();
        match self.seen.get(text.as_str()) {
            Some(known) if known.arity == found => {}
            Some(known) => {
                let arguments = |count: usize| if count == 1 { "1 argument".to_string() } else { format!("{count} arguments") };
                let message = format!("`{text}` takes {}, and is given {found}", arguments(known.arity));
                let finding = Diagnostic::error("wrong_arity", at.0, message).related(known.at, "declared here");
                self.findings
                    .push(finding.detail("name", text).detail("in", self.owner).detail("expected", known.arity).detail("found", found));
            }
            None if text == self.owner => {
                let finding = Diagnostic::error("recursive_type", at.0, format!("`{text}` is made of itself"));
                let hint = "types cannot be recursive; refer to the other value by a number or a name instead";
                self.findings.push(finding.hint(hint).detail("name", text).detail("in", self.owner));
            }
            None => self.unbound(text, at.0),
        }
        for argument in &application.arguments {
            self.simple(argument, place);
        }
    }

    fn unbound(&mut self, name: &str, at: Place) {
        let later = self.later.get(name).copied();
        if later.is_none() && self.incomplete {
            return;
        }
        let mut finding = Diagnostic::error("unbound_type", at, format!("there is no type `{name}` before this"));
        match later {
            Some(later) => {
                finding =
                    finding.related(later, "declared here").hint("a name can be used only after its declaration: move the declaration up");
            }
            None => {
                if let Some(close) = self.closest(name) {
                    finding = finding.hint(format!("is `{close}` meant?"));
                }
            }
        }
        self.findings.push(finding.detail("name", name).detail("in", self.owner));
    }

    /// Returns a similar name.
    fn closest(&self, name: &str) -> Option<&'u str> {
        // Hostile texts have many errors and many names.
        if self.findings.len() > 20 || self.seen.len() > 1000 || name.len() > 60 {
            return None;
        }
        let primitives = crate::model::Primitive::ALL.map(|primitive| primitive.name());
        let names = self.seen.keys().copied().chain(primitives).filter(|other| other.len() <= 60);
        names.map(|other| (distance(name, other), other)).filter(|(far, _)| *far <= 1 + name.len() / 5).min().map(|(_, other)| other)
    }

    fn settings(&mut self, settings: &'u [Setting]) {
        for setting in settings {
            self.key(&String::from_utf8_lossy(&setting.key), setting.at.0, self.owner);
        }
    }

    fn key(&mut self, key: &str, at: Place, place: &str) {
        if OPTIONS.contains(&key) {
            return;
        }
        let finding = Diagnostic::error("unknown_option", at, format!("there is no option `{}`", key.escape_debug()));
        self.findings.push(finding.hint(format!("there are {}", OPTIONS[..4].join(", "))).detail("name", key).detail("in", place));
    }

    fn unique<'n>(&mut self, what: &str, names: impl Iterator<Item = &'n Name>) {
        let mut first: HashMap<&str, Place> = HashMap::new();
        for name in names {
            match first.get(name.text.as_str()) {
                Some(before) => self.duplicate(what, &name.text, name.at.0, *before),
                None => {
                    first.insert(&name.text, name.at.0);
                }
            }
        }
    }

    fn duplicate(&mut self, what: &str, name: &str, at: Place, before: Place) {
        let finding = Diagnostic::error("duplicate_binding", at, format!("the {what} `{name}` for the second time"));
        self.findings.push(finding.label("again here").related(before, "first here").detail("name", name).detail("in", self.owner));
    }
}

fn is_source(message: &Message) -> bool {
    match &message.body {
        Some(MessageBody::Record(_)) | None => true,
        Some(MessageBody::Application(application)) => !application.arguments.is_empty(),
        _ => false,
    }
}

/// Returns the number of letters to change, add or remove to turn one word into the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (n, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = n + 1;
        for (m, with) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *with);
            diagonal = row[m + 1];
            row[m + 1] = changed.min(row[m] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}
