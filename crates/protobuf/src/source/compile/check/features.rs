//! Features of fields, which must suit them.

use super::super::features::{IMPLICIT, PACKED, REQUIRED};
use super::super::schema::{FieldRef, is_map_entry};
use super::Check;
use crate::descriptor::{FieldDescriptor, kind};

impl Check<'_, '_> {
    pub(super) fn field_features(&mut self, field: &FieldDescriptor, scope: &str, path: &[i32]) {
        let short = field.name.as_deref().unwrap_or_default();
        let options = field.options.as_deref();
        if options.is_some_and(|options| options.packed.is_some()) {
            let hint = "write `features.repeated_field_encoding = PACKED` or `EXPANDED`";
            self.wrong(path, &[8, 2], "the option `packed`, which editions do not have", hint);
        }
        let extension = field.extendee.is_some();
        let symbol = self.schema.names.get(&super::super::names::join(scope, short));
        let Some(symbol) = symbol.filter(|symbol| symbol.unit == self.index && symbol.path == path) else { return };
        let entry = self.schema.message(scope).is_some_and(is_map_entry);
        let found = FieldRef { field, unit: self.unit, symbol, map: entry };
        let effective = found.features();
        if found.implicit() {
            if field.default_value.is_some() {
                self.wrong(
                    path,
                    &[7],
                    "a default of a field of implicit presence",
                    "remove it, or set `features.field_presence = EXPLICIT`",
                );
            }
            if field.kind == Some(kind::ENUM) && !entry && self.is_closed(field) {
                let told = "a field of implicit presence with a closed enum";
                self.wrong(path, &[6], told, "use an open enum, or set `features.field_presence = EXPLICIT`");
            }
        }
        if extension && !found.repeated() && effective.presence == REQUIRED {
            self.wrong(path, &[8], "a required extension", "remove the feature");
        }
        let Some(said) = options.and_then(|options| options.features.as_deref()).filter(|_| !entry) else { return };
        let refused = |number: i32| [8, 21, number];
        if let Some(presence) = said.field_presence {
            let seen = if field.oneof_index.is_some() {
                "the presence of a field in a oneof"
            } else if found.repeated() {
                "the presence of a repeated field"
            } else if extension && presence != REQUIRED {
                "the presence of an extension"
            } else if found.is_message() && presence == IMPLICIT {
                "implicit presence of a message"
            } else {
                ""
            };
            if !seen.is_empty() {
                self.wrong(path, &refused(1), seen, "remove `features.field_presence` here");
            }
        }
        let packable = found.repeated() && !matches!(found.kind(), kind::STRING | kind::BYTES | kind::MESSAGE | kind::GROUP);
        if said.repeated_field_encoding.is_some_and(|encoding| !found.repeated() || (encoding == PACKED && !packable)) {
            self.wrong(path, &refused(3), "an encoding of repeated values that this field cannot have", "remove the feature");
        }
        let map = self.schema.message(found.type_name()).filter(|entry| found.is_message() && is_map_entry(entry));
        let of_strings =
            found.kind() == kind::STRING || map.is_some_and(|entry| entry.field.iter().any(|field| field.kind == Some(kind::STRING)));
        if said.utf8_validation.is_some() && !of_strings {
            self.wrong(path, &refused(4), "the validation of UTF-8 in a field without strings", "remove the feature");
        }
        if said.message_encoding.is_some() && (!found.is_message() || map.is_some()) {
            self.wrong(path, &refused(5), "the encoding of messages in a field without one", "remove the feature");
        }
    }
}
