//! Where a value goes in its container.

use super::names::NameId;

/// What several members of one name in one object become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Repeated {
    /// One list, at the place of the first.
    #[default]
    Group,
    /// The last value, at the place of the first.
    Last,
}

/// Where a value goes: its name, and whether it is an element of a list that is known by that name.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// Its name; [`NameId::NONE`] for elements of lists, and for the document's value.
    pub name: NameId,
    /// Whether it is a list even if it comes once.
    pub listed: bool,
}

impl Member {
    /// An element of a list, or the document's value.
    pub const ELEMENT: Member = Member { name: NameId::NONE, listed: false };

    /// A member of an object.
    pub const fn named(name: NameId) -> Member {
        Member { name, listed: false }
    }
}

impl Default for Member {
    fn default() -> Member {
        Member::ELEMENT
    }
}
