//! Names of fields in JSON, which two fields cannot share.

use std::collections::HashMap;

use super::Check;
use crate::descriptor::{Descriptor, FieldDescriptor};
use crate::model::json_name;

impl Check<'_, '_> {
    /// Checks the default names, and those that `json_name` sets. Without `checked`, only conflicts
    /// between two set names count.
    pub(super) fn json_names(&mut self, message: &Descriptor, checked: bool, path: &[i32]) {
        for custom in [false, true] {
            let mut seen: HashMap<String, (i32, bool)> = HashMap::new();
            for (at, field) in (0..).zip(&message.field) {
                let (name, is_custom) = json(field, custom);
                if is_custom && name.starts_with('[') && name.ends_with(']') {
                    let told = format!("the name `{name}` in JSON");
                    self.wrong(path, &[2, at, 10], told, "names in brackets are those of extensions");
                    continue;
                }
                let Some((first, first_custom)) = seen.get(&name).copied() else {
                    seen.insert(name, (at, is_custom));
                    continue;
                };
                let found_before = custom && !is_custom && !first_custom;
                let of_default = !is_custom || !first_custom;
                if found_before || (of_default && !checked) {
                    continue;
                }
                let other = message.field[first as usize].name.as_deref().unwrap_or_default();
                let told = format!("`{}` and `{other}` have the same name `{name}` in JSON", field.name.as_deref().unwrap_or_default());
                let own = [path, &[2, at, 1]].concat();
                self.clash(&own, &[path, &[2, first, 1]].concat(), "the other field is here", told, "rename one, or set its `json_name`");
            }
        }
    }
}

/// Returns the name in JSON, and whether it is another than the default.
fn json(field: &FieldDescriptor, custom: bool) -> (String, bool) {
    let default = json_name(field.name.as_deref().unwrap_or_default());
    match &field.json_name {
        Some(name) if custom && *name != default => (name.clone(), true),
        _ => (default, false),
    }
}
