//! Messages: numbers, reserved names, oneofs, and the shape that a syntax asks for.

use std::collections::{HashMap, HashSet};

use super::super::features::{Features, JSON_CHECKED};
use super::super::names::join;
use super::{Check, number};
use crate::descriptor::Descriptor;
use crate::model::{MAX_NUMBER, RESERVED_NUMBERS};

impl<'a> Check<'a, '_> {
    pub(super) fn message(&mut self, message: &'a Descriptor, scope: &str, path: &[i32]) {
        let name = join(scope, message.name.as_deref().unwrap_or_default());
        let options = message.options.as_deref();
        let map_entry = options.is_some_and(|options| options.map_entry == Some(true));
        let below = |field: i32, at: i32| [path, &[field, at]].concat();
        if map_entry {
            return self.entry_features(message, &name, path);
        }
        if self.is_proto3() {
            if !message.extension_range.is_empty() {
                self.wrong(path, &[5, 0], "an extension range in proto3", "extensions of messages need proto2 or an edition");
            }
            if options.is_some_and(|options| options.message_set_wire_format == Some(true)) {
                self.wrong(path, &[1], "a message set in proto3", "message sets need proto2 or an edition");
            }
        }
        self.numbers(message, &name, path);
        self.ranges(message, path);
        self.declarations(message, path);
        self.oneofs(message, path);
        let legacy = options.is_some_and(|options| number(&options.others, 11) == Some(1));
        if !legacy {
            let checked = Features::at(self.unit, path).json == JSON_CHECKED;
            self.json_names(message, checked, path);
        }
        for (at, field) in (0..).zip(&message.field) {
            self.field(field, &name, &below(2, at));
        }
        for (at, extension) in (0..).zip(&message.extension) {
            self.extension(extension, &name, &below(6, at));
        }
        for (at, inner) in (0..).zip(&message.nested_type) {
            self.message(inner, &name, &below(3, at));
        }
        for (at, inner) in (0..).zip(&message.enum_type) {
            self.enumeration(inner, &below(4, at));
        }
        self.message_style(message, path);
    }

    fn numbers(&mut self, message: &Descriptor, name: &str, path: &[i32]) {
        let mut seen: HashMap<i32, i32> = HashMap::new();
        let reserved: HashSet<&str> = message.reserved_name.iter().map(String::as_str).collect();
        let message_set = message.options.as_ref().is_some_and(|options| options.message_set_wire_format == Some(true));
        for (at, field) in (0..).zip(&message.field) {
            let own = [path, &[2, at]].concat();
            let short = field.name.as_deref().unwrap_or_default();
            let number = field.number.unwrap_or_default();
            self.field_number(number, MAX_NUMBER, &own);
            if let Some(first) = seen.insert(number, at) {
                let first_name = message.field[first as usize].name.as_deref().unwrap_or_default();
                let told = format!("number {number} is used twice in `{name}`, by `{first_name}` and `{short}`");
                self.clash(&[&own[..], &[3]].concat(), &[path, &[2, first, 3]].concat(), "first used here", told, "choose another number");
            }
            if reserved.contains(short) {
                self.wrong(&own, &[1], format!("the name `{short}` is reserved"), "choose another name, or remove it from `reserved`");
            }
            if message_set {
                self.wrong(&own, &[1], "a field in a message set", "message sets have extensions only");
            }
        }
        let mut names = HashSet::new();
        for (at, reserved) in (0..).zip(&message.reserved_name) {
            if !names.insert(reserved) {
                self.wrong(path, &[10, at], format!("the name `{reserved}` is reserved twice"), "remove one of them");
            }
        }
    }

    /// Checks the number of a field against the limits of the encoding.
    pub(super) fn field_number(&mut self, number: i32, most: u32, path: &[i32]) {
        if number <= 0 {
            self.wrong(path, &[3], format!("field number {number}"), "field numbers start at 1");
        } else if number as u32 > most {
            self.wrong(path, &[3], format!("field number {number} is too large"), format!("field numbers end at {most}"));
        } else if RESERVED_NUMBERS.contains(&(number as u32)) {
            let hint = format!("choose a number outside of {} to {}", RESERVED_NUMBERS.start, RESERVED_NUMBERS.end - 1);
            self.wrong(path, &[3], format!("field number {number} is reserved for Protocol Buffers themselves"), hint);
        }
    }

    fn oneofs(&mut self, message: &Descriptor, path: &[i32]) {
        let mut used = vec![false; message.oneof_decl.len()];
        for index in message.field.iter().filter_map(|field| field.oneof_index) {
            if let Some(used) = used.get_mut(index as usize) {
                *used = true;
            }
        }
        for at in (0..).zip(used).filter(|(_, used)| !used).map(|(at, _)| at) {
            self.wrong(path, &[8, at, 1], "a oneof without fields", "declare at least one field in it");
        }
    }
}
