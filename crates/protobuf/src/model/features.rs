//! Features of editions: the settings of each place override those inherited, which override those
//! of the edition (descriptor.proto, `FeatureSet`).

use super::file::Edition;
use crate::descriptor::FeatureSet;

/// Features in effect at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Features {
    pub presence: Presence,
    pub closed_enums: bool,
    pub packed: bool,
    pub utf8: bool,
    pub delimited: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Explicit,
    Implicit,
    Required,
}

impl Features {
    /// Returns the features of a file without settings. The old syntaxes are editions too: proto2
    /// is all that 2023 would call legacy.
    pub const fn of(edition: Edition) -> Features {
        match edition {
            Edition::Proto2 => Features { presence: Presence::Explicit, closed_enums: true, packed: false, utf8: false, delimited: false },
            Edition::Proto3 => Features { presence: Presence::Implicit, closed_enums: false, packed: true, utf8: true, delimited: false },
            Edition::E2023 | Edition::E2024 => {
                Features { presence: Presence::Explicit, closed_enums: false, packed: true, utf8: true, delimited: false }
            }
        }
    }

    /// Returns the features with the settings of one place applied. Unknown numbers change nothing.
    pub fn with(mut self, said: Option<&FeatureSet>) -> Features {
        let Some(said) = said else { return self };
        match said.field_presence {
            Some(1) => self.presence = Presence::Explicit,
            Some(2) => self.presence = Presence::Implicit,
            Some(3) => self.presence = Presence::Required,
            _ => {}
        }
        let choose = |value: &mut bool, said: Option<i32>, yes: i32, no: i32| match said {
            Some(number) if number == yes => *value = true,
            Some(number) if number == no => *value = false,
            _ => {}
        };
        choose(&mut self.closed_enums, said.enum_type, 2, 1);
        choose(&mut self.packed, said.repeated_field_encoding, 1, 2);
        choose(&mut self.utf8, said.utf8_validation, 2, 3);
        choose(&mut self.delimited, said.message_encoding, 2, 1);
        self
    }
}
