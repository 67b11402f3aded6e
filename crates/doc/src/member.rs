//! The place of a value in its container.

use super::names::NameId;

/// Treatment of several members of the same name in one object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Repeated {
    /// Merges them into one list, at the place of the first.
    #[default]
    Group,
    /// Keeps the last value, at the place of the first.
    Last,
}

/// The place of a value: its name, and whether it is an element of a list that has this name.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// Name of the member; [`NameId::NONE`] for list elements and for the document's root value.
    pub name: NameId,
    /// True if the member is a list even if it occurs once.
    pub listed: bool,
}

impl Member {
    /// An element of a list, or the document's root value.
    pub const ELEMENT: Member = Member { name: NameId::NONE, listed: false };

    /// Returns the place of a member of an object.
    pub const fn named(name: NameId) -> Member {
        Member { name, listed: false }
    }
}

impl Default for Member {
    fn default() -> Member {
        Member::ELEMENT
    }
}
