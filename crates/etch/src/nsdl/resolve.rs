//! Services to a plan: names, hashes, and what types refer to.

use std::collections::{HashMap, HashSet};

use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place};

use super::load::Services;
use super::syntax::{Basic, Kind, Name, Parameter, TypeRef};
use crate::names::{hash, known};
use crate::plan::{Plan, Shape, Ty, Type, TypeKind};

/// Longest chain of types that extend each other.
const CHAIN: usize = 64;

/// Types that every service has, by their names in a text (`docs/spec/etch.md 7`).
pub(super) const BUILT_IN: [(&str, Shape); 4] =
    [("List", Shape::List), ("Set", Shape::Set), ("Map", Shape::Map), ("Datetime", Shape::Time)];

/// Resolves the services of a schema.
///
/// # Errors
/// All mistakes.
pub(crate) fn resolve(services: &Services) -> Result<Plan, Diagnostics> {
    let mut resolving = Resolving {
        services,
        plan: Plan::default(),
        known: services.services.iter().map(|_| HashMap::new()).collect(),
        visible: (0..services.services.len()).map(|index| services.visible(index)).collect(),
        findings: Vec::new(),
    };
    resolving.names();
    resolving.contents();
    if resolving.findings.is_empty() {
        return Ok(resolving.plan);
    }
    Err(Diagnostics { sources: services.sources.clone(), findings: resolving.findings })
}

/// Declaration of a name.
#[derive(Debug, Clone, Copy)]
struct Declared {
    kind: Option<TypeKind>,
    /// Index of the type. Constants have none.
    index: u32,
    /// Index of the declaration in its service.
    declaration: usize,
}

struct Resolving<'s> {
    services: &'s Services,
    plan: Plan,
    /// Declarations of each service.
    known: Vec<HashMap<&'s str, Declared>>,
    visible: Vec<Vec<usize>>,
    findings: Vec<Diagnostic>,
}

impl<'s> Resolving<'s> {
    fn wrong(&mut self, code: &'static str, at: Place, message: String) {
        self.findings.push(Diagnostic::error(code, at, message));
    }

    /// Enters the names of all declarations.
    fn names(&mut self) {
        let services = self.services;
        for (number, service) in services.services.iter().enumerate() {
            for (declaration, declared) in service.declarations.iter().enumerate() {
                let (name, at) = (&*declared.name.text, declared.name.at);
                if let Some(first) = self.known[number].get(name) {
                    let first = services.services[number].declarations[first.declaration].name.at;
                    let error = Diagnostic::error("duplicate", at, format!("`{name}` is declared twice"));
                    self.findings.push(error.related(first, "the first declaration"));
                    continue;
                }
                if BUILT_IN.iter().any(|(built_in, _)| *built_in == name) {
                    self.wrong("duplicate", at, format!("`{name}` is declared, which every service has"));
                    continue;
                }
                let kind = match &declared.kind {
                    Kind::Constant => None,
                    Kind::Enum(_) => Some(TypeKind::Enum),
                    Kind::Struct { .. } => Some(TypeKind::Struct),
                    Kind::Exception { .. } => Some(TypeKind::Exception),
                    Kind::Extern => Some(TypeKind::Extern),
                    Kind::Message { .. } => Some(TypeKind::Message),
                };
                let index = kind.map_or(0, |kind| self.enter(format!("{}.{name}", service.name), kind, at));
                self.known[number].insert(name, Declared { kind, index, declaration });
            }
        }
    }

    /// Adds a type, and returns its index.
    fn enter(&mut self, name: String, kind: TypeKind, at: Place) -> u32 {
        let index = self.plan.types.len() as u32;
        let number = hash(&name);
        let other = self.plan.type_name(number).map(str::to_owned);
        match other {
            Some(other) if other == name => self.wrong("duplicate", at, format!("two services have `{name}`")),
            Some(other) => self.wrong("hash", at, format!("the types `{name}` and `{other}` have the same hash, {number}")),
            None => {}
        }
        self.plan.by_hash.insert(number, index);
        self.plan.by_name.insert(name.clone(), index);
        self.plan.types.push(Type { name, kind, fields: HashMap::new() });
        index
    }

    /// Adds a field to a type.
    fn field(&mut self, of: u32, name: &str, at: Place, ty: Ty) {
        let number = hash(name);
        let other = self.plan.fields.get(&number).map(String::as_str).or_else(|| known(number));
        if let Some(other) = other.filter(|other| *other != name) {
            let message = format!("the fields `{name}` and `{other}` have the same hash, {number}");
            self.wrong("hash", at, message);
        }
        self.plan.fields.insert(number, name.to_owned());
        self.plan.types[of as usize].fields.insert(name.to_owned(), ty);
    }

    fn contents(&mut self) {
        let services = self.services;
        for (number, service) in services.services.iter().enumerate() {
            for (declaration, declared) in service.declarations.iter().enumerate() {
                let entered = self.known[number].get(&*declared.name.text).copied();
                let Some(Declared { index, .. }) = entered.filter(|entered| entered.declaration == declaration) else { continue };
                match &declared.kind {
                    Kind::Constant | Kind::Extern => {}
                    Kind::Enum(items) => {
                        let mut seen = HashSet::new();
                        for item in items {
                            if !seen.insert(&item.text) {
                                self.wrong("duplicate", item.at, format!("the enumerator `{}` is there twice", item.text));
                            }
                            self.field(index, &item.text, item.at, Ty::of(Shape::Bool));
                        }
                    }
                    Kind::Struct { parameters, extends } | Kind::Exception { parameters, extends } => {
                        let mut seen = HashSet::new();
                        self.parameters(number, index, parameters, &mut seen);
                        self.inherited(number, index, &declared.name, extends.as_ref(), &mut seen);
                    }
                    Kind::Message { parameters, returns, throws, oneway } => {
                        self.parameters(number, index, parameters, &mut HashSet::new());
                        let long = Ty::of(Shape::Int(64));
                        self.field(index, "_messageId", declared.name.at, long);
                        let returned = self.ty(number, returns);
                        for name in throws {
                            if let Some(found) = self.find(number, name)
                                && found != Found::Type(TypeKind::Exception, None)
                            {
                                self.wrong("type", name.at, format!("`{}`, which is no exception, is thrown", name.text));
                            }
                        }
                        if !oneway.unwrap_or(service.oneway) {
                            let name = format!("{}._result_{}", service.name, declared.name.text);
                            let reply = self.enter(name, TypeKind::Reply, declared.name.at);
                            self.field(reply, "_messageId", declared.name.at, long);
                            self.field(reply, "_inReplyTo", declared.name.at, long);
                            self.field(reply, "result", declared.name.at, Ty { thrown: true, ..returned });
                        }
                    }
                }
            }
        }
    }

    fn parameters<'p>(&mut self, service: usize, of: u32, parameters: &'p [Parameter], seen: &mut HashSet<&'p str>) {
        for parameter in parameters {
            if !seen.insert(&parameter.name.text) {
                self.wrong("duplicate", parameter.name.at, format!("the parameter `{}` is there twice", parameter.name.text));
            }
            let ty = self.ty(service, &parameter.ty);
            self.field(of, &parameter.name.text, parameter.name.at, ty);
        }
    }

    /// Adds the fields of the types that a struct or exception extends.
    fn inherited(&mut self, service: usize, of: u32, name: &Name, extends: Option<&'s Name>, seen: &mut HashSet<&'s str>) {
        let kind = self.plan.types[of as usize].kind;
        let (mut service, mut extends, first) = (service, extends, extends.map_or(name.at, |first| first.at));
        for step in 0.. {
            let Some(wanted) = extends else { return };
            let Some((owner, declared)) = self.declared(service, wanted).ok().flatten() else {
                if step == 0 {
                    self.wrong("unknown_type", wanted.at, format!("`{}` is not declared, or is declared in several services", wanted.text));
                }
                return;
            };
            if declared.kind != Some(kind) {
                if step == 0 {
                    let what = if kind == TypeKind::Struct { "struct" } else { "exception" };
                    self.wrong("type", wanted.at, format!("`{}`, which is no {what}, is extended by one", wanted.text));
                }
                return;
            }
            if declared.index == of || step == CHAIN {
                let message = if declared.index == of {
                    format!("`{}` extends itself", name.text)
                } else {
                    format!("`{}` extends more than {CHAIN} types", name.text)
                };
                self.wrong("circle", first, message);
                return;
            }
            let services = self.services;
            let (Kind::Struct { parameters, extends: next } | Kind::Exception { parameters, extends: next }) =
                &services.services[owner].declarations[declared.declaration].kind
            else {
                return;
            };
            for parameter in parameters {
                if !seen.insert(&parameter.name.text) {
                    let message =
                        format!("`{}` extends `{}`, and has its parameter `{}` again", name.text, wanted.text, parameter.name.text);
                    self.wrong("duplicate", wanted.at, message);
                    return;
                }
                let ty = self.ty(owner, &parameter.ty);
                self.field(of, &parameter.name.text, parameter.name.at, ty);
            }
            (service, extends) = (owner, next.as_ref());
        }
    }

    /// Finds a declaration by its name, alone or with those of its module and service. `Ok(None)`
    /// if there is none, an error if there are several.
    fn declared(&self, service: usize, name: &Name) -> Result<Option<(usize, Declared)>, ()> {
        let own = |of: usize| {
            self.known[of].get(&*name.text).or_else(|| {
                let simple = name.text.strip_prefix(&*self.services.services[of].name)?.strip_prefix('.')?;
                self.known[of].get(simple)
            })
        };
        let mut all = self.visible[service].iter().filter_map(|of| own(*of).map(|found| (*of, *found)));
        let first = all.next();
        if all.next().is_some() { Err(()) } else { Ok(first) }
    }

    /// Finds a type, or reports that there is none.
    fn find(&mut self, service: usize, name: &Name) -> Option<Found> {
        if let Some((_, shape)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name.text) {
            return Some(Found::BuiltIn(*shape));
        }
        match self.declared(service, name) {
            Ok(Some((_, Declared { kind: Some(kind), index, .. }))) => Some(Found::Type(
                kind,
                match kind {
                    TypeKind::Enum => Some(Shape::Enum(index)),
                    TypeKind::Struct | TypeKind::Extern => Some(Shape::Struct(index)),
                    TypeKind::Exception | TypeKind::Message | TypeKind::Reply => None,
                },
            )),
            Ok(Some(_)) => {
                self.wrong("type", name.at, format!("`{}` is a constant, and no type", name.text));
                None
            }
            Ok(None) => {
                self.wrong("unknown_type", name.at, format!("the type `{}` is not declared", name.text));
                None
            }
            Err(()) => {
                let finding = Diagnostic::error("ambiguous", name.at, format!("several services have the type `{}`", name.text));
                self.findings.push(finding.hint("put the names of its module and service before it"));
                None
            }
        }
    }

    fn ty(&mut self, service: usize, ty: &TypeRef) -> Ty {
        let shape = match &ty.kind {
            super::syntax::TypeKind::Basic(basic) => match basic {
                Basic::Boolean => Shape::Bool,
                Basic::Int(bits) => Shape::Int(*bits),
                Basic::Float => Shape::Float,
                Basic::Double => Shape::Double,
                Basic::String => Shape::Text,
                Basic::Object | Basic::Void => Shape::Any,
            },
            super::syntax::TypeKind::Named(name) => match self.find(service, name) {
                Some(Found::BuiltIn(shape) | Found::Type(_, Some(shape))) => shape,
                Some(Found::Type(..)) => {
                    self.wrong("type", name.at, format!("`{}` is a message or an exception, and no type", name.text));
                    Shape::Any
                }
                None => Shape::Any,
            },
        };
        Ty { shape, dimensions: ty.dimensions, thrown: false }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    BuiltIn(Shape),
    /// A declared type, and its shape if values can have it.
    Type(TypeKind, Option<Shape>),
}
