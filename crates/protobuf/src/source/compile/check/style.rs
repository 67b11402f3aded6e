//! The style of names that edition 2024 enforces (descriptor.proto,
//! `FeatureSet.enforce_naming_style`).

use super::super::features::{Features, STYLE2024};
use super::Check;
use crate::descriptor::{Descriptor, EnumDescriptor, FeatureSet, FieldDescriptor, ServiceDescriptor};

/// Shapes of names.
#[derive(Clone, Copy)]
enum Style {
    TitleCase,
    LowerSnake,
    UpperSnake,
}

impl Style {
    fn fault(self, name: &str) -> Option<&'static str> {
        let bytes = name.as_bytes();
        // An underscore stands between words, and a digit behind it begins none.
        let snake = |letter: fn(&u8) -> bool| {
            let allowed = bytes.iter().all(|byte| letter(byte) || byte.is_ascii_digit() || *byte == b'_');
            let split = bytes.first().is_some_and(letter) && !name.ends_with('_');
            allowed && split && bytes.windows(2).all(|pair| pair[0] != b'_' || letter(&pair[1]))
        };
        match self {
            Style::TitleCase if bytes.first().is_some_and(u8::is_ascii_uppercase) && bytes.iter().all(u8::is_ascii_alphanumeric) => None,
            Style::TitleCase => Some("TitleCase"),
            Style::LowerSnake if snake(u8::is_ascii_lowercase) => None,
            Style::LowerSnake => Some("lower_snake_case"),
            Style::UpperSnake if snake(u8::is_ascii_uppercase) => None,
            Style::UpperSnake => Some("UPPER_SNAKE_CASE"),
        }
    }
}

impl Check<'_, '_> {
    fn name(&mut self, enforced: bool, style: Style, name: Option<&String>, path: &[i32]) {
        let name = name.map_or("", |name| name);
        if let Some(expected) = style.fault(name).filter(|_| enforced) {
            let hint = "or set `features.enforce_naming_style = STYLE_LEGACY`";
            self.wrong(path, &[], format!("the name `{name}` is not in {expected}, which edition 2024 enforces"), hint);
        }
    }

    fn enforced(&self, path: &[i32], said: Option<&FeatureSet>) -> bool {
        let features = if path.is_empty() { Features::of_file(self.unit) } else { Features::at(self.unit, path) };
        features.with(said).naming == STYLE2024
    }

    pub(super) fn package_style(&mut self) {
        let package = self.unit.package();
        if self.enforced(&[], None) && package.split('.').any(|part| Style::LowerSnake.fault(part).is_some()) && !package.is_empty() {
            let hint = "or set `features.enforce_naming_style = STYLE_LEGACY`";
            self.wrong(&[2], &[], format!("the package `{package}` is not in lower_snake_case, which edition 2024 enforces"), hint);
        }
    }

    pub(super) fn message_style(&mut self, message: &Descriptor, path: &[i32]) {
        let enforced = self.enforced(path, None);
        self.name(enforced, Style::TitleCase, message.name.as_ref(), &[path, &[1]].concat());
        for (at, oneof) in (0..).zip(&message.oneof_decl) {
            let said = oneof.options.as_ref().and_then(|options| options.features.as_deref());
            let enforced = self.enforced(path, said);
            self.name(enforced, Style::LowerSnake, oneof.name.as_ref(), &[path, &[8, at, 1]].concat());
        }
    }

    pub(super) fn field_style(&mut self, field: &FieldDescriptor, path: &[i32]) {
        let enforced = self.enforced(path, None);
        self.name(enforced, Style::LowerSnake, field.name.as_ref(), &[path, &[1]].concat());
    }

    pub(super) fn enum_style(&mut self, declared: &EnumDescriptor, path: &[i32]) {
        let enforced = self.enforced(path, None);
        self.name(enforced, Style::TitleCase, declared.name.as_ref(), &[path, &[1]].concat());
        for (at, value) in (0..).zip(&declared.value) {
            let said = value.options.as_ref().and_then(|options| options.features.as_deref());
            let enforced = self.enforced(path, said);
            self.name(enforced, Style::UpperSnake, value.name.as_ref(), &[path, &[2, at, 1]].concat());
        }
    }

    pub(super) fn service_style(&mut self, service: &ServiceDescriptor, index: i32) {
        let said = service.options.as_ref().and_then(|options| options.features.as_deref());
        let features = Features::of_file(self.unit).with(said);
        self.name(features.naming == STYLE2024, Style::TitleCase, service.name.as_ref(), &[6, index, 1]);
        for (at, method) in (0..).zip(&service.method) {
            let said = method.options.as_ref().and_then(|options| options.features.as_deref());
            let enforced = features.with(said).naming == STYLE2024;
            self.name(enforced, Style::TitleCase, method.name.as_ref(), &[6, index, 2, at, 1]);
        }
    }
}
