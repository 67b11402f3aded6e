//! Full names in place of those that are written, and names in JSON.

use super::fault::{At, Faults};
use super::names::{Found, Names, View, What, join};
use super::unit::Unit;
use super::visible;
use crate::descriptor::{Descriptor, FieldDescriptor, ServiceDescriptor, kind, label};
use crate::model::json_name;

/// The names as one unit sees them.
pub(super) struct Linker<'a> {
    pub names: &'a Names,
    pub units: &'a [Unit],
    pub unit: u32,
    pub view: View,
    pub faults: &'a mut Faults,
}

/// Resolves all names of a unit, whose file was taken out of `units`.
pub(super) fn link(file: &mut crate::descriptor::FileDescriptor, linker: &mut Linker<'_>) {
    let package = file.package.clone().unwrap_or_default();
    for (at, message) in (0..).zip(&mut file.message_type) {
        linker.message(message, &package, &[4, at]);
    }
    for (at, extension) in (0..).zip(&mut file.extension) {
        linker.field(extension, &package, &[7, at]);
    }
    for (at, service) in (0..).zip(&mut file.service) {
        linker.service(service, &package, at);
    }
}

impl Linker<'_> {
    fn message(&mut self, message: &mut Descriptor, scope: &str, path: &[i32]) {
        let name = join(scope, message.name.as_deref().unwrap_or_default());
        let below = |field, at| [path, &[field, at]].concat();
        for (at, field) in (0..).zip(&mut message.field) {
            self.field(field, &name, &below(2, at));
        }
        for (at, extension) in (0..).zip(&mut message.extension) {
            self.field(extension, &name, &below(6, at));
        }
        for (at, inner) in (0..).zip(&mut message.nested_type) {
            self.message(inner, &name, &below(3, at));
        }
    }

    fn service(&mut self, service: &mut ServiceDescriptor, scope: &str, index: i32) {
        let name = join(scope, service.name.as_deref().unwrap_or_default());
        for (at, method) in (0..).zip(&mut service.method) {
            for (number, written) in [(2, &mut method.input_type), (3, &mut method.output_type)] {
                let path = [6, index, 2, at, number];
                if let Some(text) = written
                    && let Some((full, what)) = self.resolve(&name, text, false, &path)
                {
                    if what != What::Message {
                        self.other_kind(&path, text, what, "a message");
                    }
                    *text = full;
                }
            }
        }
    }

    fn field(&mut self, field: &mut FieldDescriptor, scope: &str, path: &[i32]) {
        if let Some(extendee) = &mut field.extendee {
            let path = [path, &[2]].concat();
            if let Some((full, what)) = self.resolve(scope, extendee, false, &path) {
                if what != What::Message {
                    self.other_kind(&path, extendee, what, "a message");
                }
                *extendee = full;
            }
        }
        if let Some(type_name) = &mut field.type_name {
            let path = [path, &[6]].concat();
            if let Some((full, what)) = self.resolve(scope, type_name, true, &path) {
                match what {
                    What::Message => _ = field.kind.get_or_insert(kind::MESSAGE),
                    What::Enum => field.kind = Some(kind::ENUM),
                    _ => self.other_kind(&path, type_name, what, "a message or an enum"),
                }
                *type_name = full;
            }
        }
        self.default(field, path);
        let name = field.name.as_deref().unwrap_or_default();
        field.json_name.get_or_insert_with(|| json_name(name));
    }

    /// Checks the default against the type, which the parser does not know where it has a name.
    fn default(&mut self, field: &FieldDescriptor, path: &[i32]) {
        let Some(value) = &field.default_value else { return };
        if field.label == Some(label::REPEATED) {
            self.faults.path(self.unit, path, &[7], "a default of a repeated field", "repeated fields have none; remove it");
        }
        let Some(type_name) = &field.type_name else { return };
        match field.kind {
            Some(kind::ENUM) => {
                let full = join(super::names::above(&type_name[1..]), value);
                let declared = self.names.get(&type_name[1..]);
                let is_value = self.names.get(&full).is_some_and(|value| {
                    value.what == What::Value
                        && declared.is_some_and(|declared| declared.unit == value.unit && value.path.starts_with(&declared.path))
                });
                if !is_value {
                    self.faults.path(self.unit, path, &[7], format!("the enum `{}` has no value `{value}`", &type_name[1..]), "");
                }
            }
            Some(_) => self.faults.path(self.unit, path, &[7], "a default of a message", "messages have no default; remove it"),
            None => {}
        }
    }

    fn other_kind(&mut self, path: &[i32], name: &str, what: What, expected: &str) {
        self.faults.path(self.unit, path, &[], format!("`{name}` is {}, not {expected}", what.noun()), "");
    }

    /// Returns the full name and kind that a name refers to in a scope. With `types`, other names
    /// do not hide those of types.
    fn resolve(&mut self, scope: &str, name: &str, types: bool, path: &[i32]) -> Option<(String, What)> {
        match self.names.find(&self.view, scope, name, types) {
            Found::Symbol(full, symbol) => {
                if symbol.unit != self.unit
                    && let Some(hidden) = visible::hidden(&self.units[symbol.unit as usize], symbol)
                {
                    let hint = "declare it with `export`, or use it in its own file only";
                    self.faults.path(self.unit, path, &[], format!("`{full}` is {hidden}"), hint);
                }
                Some((format!(".{full}"), symbol.what))
            }
            missing => {
                let (message, hint) = missing_text(name, missing, self.units);
                self.faults.add(At::Path(self.unit, path.to_vec()), message, hint);
                None
            }
        }
    }
}

/// Returns message and hint about a name that was not found.
pub(super) fn missing_text(name: &str, found: Found<'_>, units: &[Unit]) -> (String, String) {
    match found {
        Found::Inner(full) => (
            format!("name '{name}' is not defined: it is read as `{full}`, since inner scopes come first"),
            format!("start it with a point to begin at the outermost scope: `.{name}`"),
        ),
        Found::NotImported(unit) => {
            let file = units[unit as usize].name();
            (format!("name '{name}' is defined in {file}, which is not imported"), format!("add `import \"{file}\";`"))
        }
        _ => (format!("name '{name}' is not defined"), "declare it, or import the file that does".into()),
    }
}
