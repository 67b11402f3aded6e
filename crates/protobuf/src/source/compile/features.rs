//! Features in effect at a place (descriptor.proto, `FeatureSet`), those that checks ask for.

use super::unit::{Syntax, Unit, enum_at, field_at, message_at};
use crate::descriptor::FeatureSet;

/// Numbers of the values in effect.
#[derive(Debug, Clone, Copy)]
pub(super) struct Features {
    pub presence: i32,
    pub enum_type: i32,
    pub repeated: i32,
    pub encoding: i32,
    pub json: i32,
    pub naming: i32,
}

pub(super) const IMPLICIT: i32 = 2;
pub(super) const REQUIRED: i32 = 3;
pub(super) const CLOSED: i32 = 2;
pub(super) const PACKED: i32 = 1;
pub(super) const DELIMITED: i32 = 2;
pub(super) const JSON_CHECKED: i32 = 1;
pub(super) const STYLE2024: i32 = 1;

impl Features {
    /// Returns the features of a file that sets none.
    pub fn of(syntax: Syntax) -> Features {
        let base = Features { presence: 1, enum_type: 1, repeated: PACKED, encoding: 1, json: JSON_CHECKED, naming: 2 };
        match syntax {
            Syntax::Proto2 => Features { enum_type: CLOSED, repeated: 2, json: 2, ..base },
            Syntax::Proto3 => Features { presence: IMPLICIT, ..base },
            Syntax::E2023 => base,
            Syntax::E2024 => Features { naming: STYLE2024, ..base },
        }
    }

    pub fn with(mut self, said: Option<&FeatureSet>) -> Features {
        let Some(said) = said else { return self };
        for (own, said) in [
            (&mut self.presence, said.field_presence),
            (&mut self.enum_type, said.enum_type),
            (&mut self.repeated, said.repeated_field_encoding),
            (&mut self.encoding, said.message_encoding),
            (&mut self.json, said.json_format),
            (&mut self.naming, said.enforce_naming_style),
        ] {
            *own = said.filter(|said| *said != 0).unwrap_or(*own);
        }
        self
    }

    /// Returns the features of a unit's file.
    pub fn of_file(unit: &Unit) -> Features {
        Features::of(unit.syntax).with(unit.file.options.as_ref().and_then(|options| options.features.as_deref()))
    }

    /// Returns the features at the path of a message, enum, field or extension.
    pub fn at(unit: &Unit, path: &[i32]) -> Features {
        let mut features = Features::of_file(unit);
        for end in (2..=path.len()).step_by(2) {
            let part = &path[..end];
            if let Some(message) = message_at(&unit.file, part) {
                features = features.with(message.options.as_ref().and_then(|options| options.features.as_deref()));
            }
        }
        if let Some(declared) = enum_at(&unit.file, path) {
            return features.with(declared.options.as_ref().and_then(|options| options.features.as_deref()));
        }
        let Some(field) = field_at(&unit.file, path) else { return features };
        if let (Some(index), Some(message)) = (field.oneof_index, message_at(&unit.file, &path[..path.len() - 2])) {
            let oneof = message.oneof_decl.get(index as usize);
            features = features.with(oneof.and_then(|oneof| oneof.options.as_ref()).and_then(|options| options.features.as_deref()));
        }
        features.with(field.options.as_ref().and_then(|options| options.features.as_deref()))
    }
}
