//! Full names of everything that the texts declare, and the rules of scopes by which shorter ones
//! refer to them (language spec, "Type Name Resolution").

use std::collections::{HashMap, HashSet};

use super::fault::{At, Fault, Faults};
use super::unit::Unit;
use crate::descriptor::{Descriptor, EnumDescriptor, FieldDescriptor};

/// Largest number of bytes of all full names.
const MAX_NAMES: usize = 256 << 20;

/// Most parts of a package's name, which is the limit of `protoc`.
const MAX_PACKAGE: usize = 101;

/// Most characters of a package's name, which is the limit of `protoc`.
const MAX_PACKAGE_LENGTH: usize = 511;

/// Kinds of what has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Package,
    Message,
    Enum,
    Value,
    Field,
    Oneof,
    Extension,
    Service,
    Method,
}

impl What {
    pub fn is_type(self) -> bool {
        matches!(self, What::Message | What::Enum)
    }

    /// Reports whether other names may stand in it.
    fn is_scope(self) -> bool {
        matches!(self, What::Package | What::Message | What::Enum | What::Service)
    }

    pub fn noun(self) -> &'static str {
        match self {
            What::Package => "a package",
            What::Message => "a message",
            What::Enum => "an enum",
            What::Value => "a value of an enum",
            What::Field => "a field",
            What::Oneof => "a oneof",
            What::Extension => "an extension",
            What::Service => "a service",
            What::Method => "a method",
        }
    }
}

/// A declared name.
#[derive(Debug, Clone)]
pub(super) struct Symbol {
    pub what: What,
    pub unit: u32,
    pub path: Vec<i32>,
}

/// All declared names.
#[derive(Default)]
pub(super) struct Names {
    all: HashMap<String, Symbol>,
    bytes: usize,
}

/// The names that a unit sees.
pub(super) struct View {
    units: Vec<bool>,
    packages: HashSet<String>,
}

/// The result of a lookup.
pub(super) enum Found<'n> {
    Symbol(&'n str, &'n Symbol),
    /// The first part of the name is a scope without the rest.
    Inner(String),
    /// A file declares it that is not imported.
    NotImported(u32),
    Nothing,
}

/// Returns a full name.
pub(super) fn join(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_string() } else { format!("{scope}.{name}") }
}

/// Returns the scope of a full name.
pub(super) fn above(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(above, _)| above)
}

fn packages(package: &str) -> impl Iterator<Item = &str> {
    // A longer name is a fault, and its parts are as many as its bytes.
    let package = if package.len() > MAX_PACKAGE_LENGTH { "" } else { package };
    package.match_indices('.').map(|(at, _)| &package[..at]).chain((!package.is_empty()).then_some(package))
}

/// Returns the units that an import makes visible: itself, and its public imports.
fn spread(units: &[Unit], imports: &[u32], seen: &mut [bool]) {
    let mut due = imports.to_vec();
    while let Some(index) = due.pop() {
        if std::mem::replace(&mut seen[index as usize], true) {
            continue;
        }
        let unit = &units[index as usize];
        let public = unit.file.public_dependency.iter().filter_map(|public| unit.imports.get(*public as usize));
        due.extend(public.copied());
    }
}

impl View {
    /// Returns what a unit sees; in its options, it sees imports for options too.
    pub fn new(units: &[Unit], unit: u32, in_options: bool) -> View {
        let mut seen = vec![false; units.len()];
        let own = &units[unit as usize];
        spread(units, &own.imports, &mut seen);
        if in_options {
            let mut more = vec![false; units.len()];
            spread(units, &own.option_imports, &mut more);
            seen.iter_mut().zip(more).for_each(|(seen, more)| *seen |= more);
        }
        seen[unit as usize] = true;
        let visible = units.iter().zip(&seen).filter(|(_, seen)| **seen);
        let packages = visible.flat_map(|(unit, _)| packages(unit.package())).map(String::from).collect();
        View { units: seen, packages }
    }

    pub fn sees(&self, unit: u32) -> bool {
        self.units.get(unit as usize).copied().unwrap_or(false)
    }
}

impl Names {
    pub fn get(&self, full: &str) -> Option<&Symbol> {
        self.all.get(full)
    }

    /// Enters all names of a unit.
    pub fn declare(&mut self, unit: &Unit, index: u32, faults: &mut Faults) {
        let package = unit.package();
        if package.split('.').count() > MAX_PACKAGE {
            return faults.path(index, &[2], &[], "a package of too many parts", format!("at most {MAX_PACKAGE}"));
        }
        if package.len() > MAX_PACKAGE_LENGTH {
            return faults.path(index, &[2], &[], "a package with too long a name", format!("at most {MAX_PACKAGE_LENGTH} characters"));
        }
        for name in packages(package) {
            match self.all.get(name) {
                Some(Symbol { what: What::Package, .. }) => {}
                _ => self.add(name.to_string(), What::Package, index, vec![2], faults),
            }
        }
        let file = &unit.file;
        let mut declaring = Declaring { names: self, unit: index, faults };
        for (at, message) in (0..).zip(&file.message_type) {
            declaring.message(message, package, &[4, at]);
        }
        for (at, declared) in (0..).zip(&file.enum_type) {
            declaring.enumeration(declared, package, &[5, at]);
        }
        for (at, extension) in (0..).zip(&file.extension) {
            declaring.field(extension, package, What::Extension, &[7, at]);
        }
        for (at, service) in (0..).zip(&file.service) {
            let name = join(package, service.name.as_deref().unwrap_or_default());
            for (method_at, method) in (0..).zip(&service.method) {
                declaring.one(&name, method.name.as_deref(), What::Method, &[6, at, 2, method_at]);
            }
            declaring.one(package, service.name.as_deref(), What::Service, &[6, at]);
        }
    }

    fn add(&mut self, full: String, what: What, unit: u32, path: Vec<i32>, faults: &mut Faults) {
        self.bytes = self.bytes.saturating_add(full.len());
        if self.bytes > MAX_NAMES {
            return faults.path(unit, &path, &[1], format!("more than {MAX_NAMES} bytes of full names"), "use shorter names");
        }
        match self.all.get(&full) {
            None => _ = self.all.insert(full, Symbol { what, unit, path }),
            Some(first) => {
                let named = |path: &[i32], what| if what == What::Package { path.to_vec() } else { [path, &[1]].concat() };
                let hint = if what == What::Value || first.what == What::Value {
                    "values of enums share the scope around their enum; give each a prefix of its own"
                } else {
                    "rename one of them"
                };
                faults.push(Fault {
                    at: At::Path(unit, named(&path, what)),
                    message: format!("the name `{full}` is defined twice"),
                    hint: hint.into(),
                    other: Some((At::Path(first.unit, named(&first.path, first.what)), "first defined here")),
                });
            }
        }
    }

    fn seen(&self, view: &View, full: &str, hidden: &mut Option<u32>) -> Option<(&str, &Symbol)> {
        let (name, symbol) = self.all.get_key_value(full)?;
        let seen = if symbol.what == What::Package { view.packages.contains(full) } else { view.sees(symbol.unit) };
        if !seen && symbol.what != What::Package {
            hidden.get_or_insert(symbol.unit);
        }
        seen.then_some((name, symbol))
    }

    /// Looks a name up from a scope outwards. With `types`, other kinds do not hide it.
    pub fn find(&self, view: &View, scope: &str, name: &str, types: bool) -> Found<'_> {
        let mut hidden = None;

        if let Some(full) = name.strip_prefix('.') {
            if let Some((name, symbol)) = self.seen(view, full, &mut hidden) {
                return Found::Symbol(name, symbol);
            }
            return hidden.map_or(Found::Nothing, Found::NotImported);
        }
        let first = name.split('.').next().unwrap_or(name);
        let compound = first.len() < name.len();
        let mut candidate = String::with_capacity(scope.len() + name.len() + 1);
        let mut scope = Some(scope);
        while let Some(here) = scope {
            candidate.clear();
            candidate.push_str(here);
            if !here.is_empty() {
                candidate.push('.');
            }
            candidate.push_str(first);
            scope = if here.is_empty() { None } else { Some(above(here)) };
            let Some((full, symbol)) = self.seen(view, &candidate, &mut hidden) else { continue };
            if !compound {
                if !types || symbol.what.is_type() {
                    return Found::Symbol(full, symbol);
                }
            } else if symbol.what.is_scope() {
                candidate.push_str(&name[first.len()..]);
                let inner = self.seen(view, &candidate, &mut hidden);
                return match inner {
                    Some((name, symbol)) => Found::Symbol(name, symbol),
                    None => hidden.map_or_else(|| Found::Inner(candidate), Found::NotImported),
                };
            }
        }
        // Nothing that is visible is in the packages of a file that is not.
        _ = self.seen(view, name, &mut hidden);
        hidden.map_or(Found::Nothing, Found::NotImported)
    }
}

struct Declaring<'a> {
    names: &'a mut Names,
    unit: u32,
    faults: &'a mut Faults,
}

impl Declaring<'_> {
    fn one(&mut self, scope: &str, name: Option<&str>, what: What, path: &[i32]) {
        self.names.add(join(scope, name.unwrap_or_default()), what, self.unit, path.to_vec(), self.faults);
    }

    fn field(&mut self, field: &FieldDescriptor, scope: &str, what: What, path: &[i32]) {
        self.one(scope, field.name.as_deref(), what, path);
    }

    fn message(&mut self, message: &Descriptor, scope: &str, path: &[i32]) {
        let below = |field, at| [path, &[field, at]].concat();
        self.one(scope, message.name.as_deref(), What::Message, path);
        let name = join(scope, message.name.as_deref().unwrap_or_default());
        for (at, field) in (0..).zip(&message.field) {
            self.field(field, &name, What::Field, &below(2, at));
        }
        for (at, oneof) in (0..).zip(&message.oneof_decl) {
            self.one(&name, oneof.name.as_deref(), What::Oneof, &below(8, at));
        }
        for (at, inner) in (0..).zip(&message.nested_type) {
            self.message(inner, &name, &below(3, at));
        }
        for (at, inner) in (0..).zip(&message.enum_type) {
            self.enumeration(inner, &name, &below(4, at));
        }
        for (at, extension) in (0..).zip(&message.extension) {
            self.field(extension, &name, What::Extension, &below(6, at));
        }
    }

    fn enumeration(&mut self, declared: &EnumDescriptor, scope: &str, path: &[i32]) {
        self.one(scope, declared.name.as_deref(), What::Enum, path);
        for (at, value) in (0..).zip(&declared.value) {
            self.one(scope, value.name.as_deref(), What::Value, &[path, &[2, at]].concat());
        }
    }
}
