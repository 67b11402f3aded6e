//! Extensions: of which message, and with which number.

use super::Check;
use super::files::is_lite;
use crate::descriptor::{FieldDescriptor, kind, label};
use crate::model::MAX_NUMBER;

impl<'a> Check<'a, '_> {
    pub(super) fn extension(&mut self, field: &'a FieldDescriptor, scope: &str, path: &[i32]) {
        self.field(field, scope, path);
        let extendee = field.extendee.as_deref().unwrap_or_default().trim_start_matches('.');
        let number = field.number.unwrap_or_default();
        if self.is_proto3() && !is_options(extendee) {
            self.wrong(path, &[2], format!("an extension of `{extendee}` in proto3"), "in proto3, extensions declare options only");
        }
        let Some(message) = self.schema.message(extendee) else { return };
        let message_set = message.options.as_ref().is_some_and(|options| options.message_set_wire_format == Some(true));
        self.field_number(number, if message_set { i32::MAX as u32 } else { MAX_NUMBER }, path);
        let range = self.known.range(extendee, message, number);
        match range {
            None => {
                let told = format!("`{extendee}` has no extension number {number}");
                let ranges = message.extension_range.iter().take(5);
                let ranges: Vec<String> =
                    ranges.map(|range| format!("{} to {}", range.start.unwrap_or(0), range.end.unwrap_or(0).saturating_sub(1))).collect();
                let hint =
                    if ranges.is_empty() { "it has no `extensions`".to_string() } else { format!("its numbers are {}", ranges.join(", ")) };
                self.wrong(path, &[3], told, hint);
            }
            Some(index) => self.declared(field, scope, (extendee, message, index), path),
        }
        if let Some((unit, first)) = self.known.taken.get(&(extendee, number)).cloned() {
            self.faults.push(super::Fault {
                at: super::At::Path(self.index, [path, &[3]].concat()),
                message: format!("extension number {number} of `{extendee}` is used twice"),
                hint: "choose another number".into(),
                other: Some((super::At::Path(unit, [&first[..], &[3]].concat()), "first used here")),
            });
        } else {
            self.known.taken.insert((extendee, number), (self.index, path.to_vec()));
        }
        if field.label == Some(label::REQUIRED) {
            self.wrong(path, &[4], "a required extension", "extensions are optional or repeated");
        }
        if message_set && (field.kind != Some(kind::MESSAGE) || field.label != Some(label::OPTIONAL)) {
            self.wrong(path, &[5], "an extension of a message set that is no optional message", "message sets hold messages only");
        }
        let lite = self.schema.names.get(extendee).is_some_and(|symbol| is_lite(&self.schema.units[symbol.unit as usize]));
        if is_lite(self.unit) && !lite {
            let hint = "remove `optimize_for = LITE_RUNTIME` from this file, or add it to the other one";
            self.wrong(path, &[2], format!("an extension of `{extendee}`, which is not lite, in a lite file"), hint);
        }
    }
}

/// Reports whether a message holds options.
fn is_options(name: &str) -> bool {
    let Some(short) = name.strip_prefix("google.protobuf.") else { return false };
    matches!(
        short,
        "FileOptions"
            | "MessageOptions"
            | "FieldOptions"
            | "EnumOptions"
            | "EnumValueOptions"
            | "ServiceOptions"
            | "MethodOptions"
            | "OneofOptions"
            | "ExtensionRangeOptions"
            | "StreamOptions"
    )
}
