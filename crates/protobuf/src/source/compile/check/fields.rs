//! Fields: what their type, label and options may be together.

use super::super::features::{CLOSED, DELIMITED, Features};
use super::super::names::{What, join};
use super::super::parse::entry_name;
use super::super::schema::is_map_entry;
use super::super::unit::Syntax;
use super::{Check, number};
use crate::descriptor::{Descriptor, FieldDescriptor, kind, label};

impl Check<'_, '_> {
    /// Checks a field or an extension in a scope.
    pub(super) fn field(&mut self, field: &FieldDescriptor, scope: &str, path: &[i32]) {
        if self.is_proto3() {
            self.proto3(field, path);
        }
        if self.unit.syntax.is_edition() {
            self.field_features(field, scope, path);
        }
        let options = field.options.as_deref();
        let others = options.map_or(&[][..], |options| &options.others);
        let repeated = field.label == Some(label::REPEATED);
        let packable = repeated && !matches!(field.kind, Some(kind::STRING | kind::BYTES | kind::MESSAGE | kind::GROUP));
        if options.is_some_and(|options| options.packed == Some(true)) && !packable {
            self.wrong(path, &[8, 2], "`packed` of a field that cannot be", "only repeated numbers, bools and enums are packed");
        }
        if self.unit.syntax >= Syntax::E2024 && number(others, 1).is_some() {
            let hint = "use the feature `(pb.cpp).string_type`";
            self.wrong(path, &[8, 1], "the option `ctype`, which edition 2024 does not have", hint);
        }
        for option in [5, 15] {
            let prefixed = || field.kind == Some(kind::MESSAGE) && Features::at(self.unit, path).encoding != DELIMITED;
            if number(others, option) == Some(1) && !prefixed() {
                self.wrong(path, &[8, option as i32], "a lazy field that is no message behind its length", "remove the option");
            }
        }
        if number(others, 6).is_some_and(|kind| kind != 0)
            && !matches!(field.kind, Some(kind::INT64 | kind::UINT64 | kind::SINT64 | kind::FIXED64 | kind::SFIXED64))
        {
            self.wrong(path, &[8, 6], "`jstype` of a field without 64 bits", "only fields of 64-bit integers have it");
        }
        self.map_field(field, scope, path);
        self.field_style(field, path);
    }

    fn proto3(&mut self, field: &FieldDescriptor, path: &[i32]) {
        if field.label == Some(label::REQUIRED) {
            self.wrong(path, &[4], "a required field in proto3", "remove the label");
        }
        if field.default_value.is_some() {
            self.wrong(path, &[7], "a default in proto3", "remove it: the default of proto3 is zero or empty");
        }
        if field.kind == Some(kind::GROUP) {
            self.wrong(path, &[5], "a group in proto3", "declare a message, and use it as the type of the field");
        }
        if field.kind == Some(kind::ENUM) && self.is_closed(field) {
            let name = field.type_name.as_deref().unwrap_or_default();
            let told = format!("the enum `{}` is closed, which fields of proto3 cannot have", name.trim_start_matches('.'));
            self.wrong(path, &[6], told, "use an enum that is declared in a file of proto3");
        }
    }

    /// Reports whether the type of a field is a closed enum.
    pub(super) fn is_closed(&self, field: &FieldDescriptor) -> bool {
        let name = field.type_name.as_deref().unwrap_or_default().trim_start_matches('.');
        let symbol = self.schema.names.get(name).filter(|symbol| symbol.what == What::Enum);
        symbol.is_some_and(|symbol| Features::at(&self.schema.units[symbol.unit as usize], &symbol.path).enum_type == CLOSED)
    }

    /// Checks key and value of a map, and that no other field has the type of its entries.
    fn map_field(&mut self, field: &FieldDescriptor, scope: &str, path: &[i32]) {
        if !matches!(field.kind, Some(kind::MESSAGE | kind::GROUP)) {
            return;
        }
        let name = field.type_name.as_deref().unwrap_or_default().trim_start_matches('.');
        let Some(entry) = self.schema.message(name).filter(|found| is_map_entry(found)) else { return };
        let expected = join(scope, &entry_name(field.name.as_deref().unwrap_or_default()));
        if expected != name || field.label != Some(label::REPEATED) || field.extendee.is_some() {
            let told = format!("`{name}` is the entry of a map, and no type for other fields");
            return self.wrong(path, &[6], told, "use a map, or a message of your own");
        }
        let [key, value] = &entry.field[..] else { return };
        if matches!(key.kind, Some(kind::FLOAT | kind::DOUBLE | kind::BYTES | kind::MESSAGE | kind::GROUP | kind::ENUM)) {
            self.wrong(path, &[6], "a map with keys of this type", "keys are integers, bools or strings");
        }
        // protoc wants an enum that starts at 0. Nothing here depends on it.
        if value.kind == Some(kind::ENUM) && self.is_proto3() {
            self.proto3(value, path);
        }
    }

    /// Checks the features that a map gives to its key and its value.
    pub(super) fn entry_features(&mut self, entry: &Descriptor, name: &str, path: &[i32]) {
        if self.unit.syntax.is_edition() {
            for (at, field) in (0..).zip(&entry.field) {
                self.field_features(field, name, &[path, &[2, at]].concat());
            }
        }
    }
}
