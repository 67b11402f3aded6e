//! Types without parts, and the octets by which a reader of BER knows them at a glance.

use super::plan::{Node, Op, TagKey};
use crate::model::StringKind;

/// First identifier octet in BER that no encoding has.
pub(crate) const NO_OCTET: u16 = 0x100;

/// Type with one tag, whose values have neither components nor a value in them: the form of its
/// contents octets that readers know without a look at the type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaf {
    Integer,
    Boolean,
    Real,
    Octets,
    Utf8,
    Other,
}

impl Node {
    /// Returns the form of the type's values, if it has one tag, and they neither components nor a
    /// value in them.
    pub fn leaf(&self) -> Option<Leaf> {
        if self.tags.len() != 1 || self.contents.is_some() {
            return None;
        }
        match self.op {
            Op::Structure(_) | Op::List(_) | Op::Choice(_) | Op::Open => None,
            Op::Integer => Some(Leaf::Integer),
            Op::Boolean => Some(Leaf::Boolean),
            Op::Real => Some(Leaf::Real),
            Op::Octets => Some(Leaf::Octets),
            Op::Text(StringKind::Utf8) => Some(Leaf::Utf8),
            _ => Some(Leaf::Other),
        }
    }

    /// Returns what [`Node::octet`] is to be.
    pub fn first_octet(&self) -> u16 {
        let constructed = match self.op {
            Op::Structure(_) | Op::List(_) => 0x20,
            _ if self.leaf().is_some() => 0,
            _ => return NO_OCTET,
        };
        match self.tags[..] {
            // End-of-contents octets begin with 0.
            [tag] if tag.number() < 0x1f && tag != TagKey(0) => u16::from(tag.class()) << 6 | constructed | tag.number() as u16,
            _ => NO_OCTET,
        }
    }
}
