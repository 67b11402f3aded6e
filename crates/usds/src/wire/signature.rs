//! First bytes of bodies, by revision.

use super::codes;
use crate::error::Revision;

/// Returns the signature of bodies in a revision.
pub const fn signature(revision: Revision) -> u8 {
    match revision {
        Revision::A => codes::BODY_A,
        Revision::B => codes::BODY_B,
        Revision::Profile => codes::BODY_PROFILE,
    }
}

/// Returns the revision of bodies with that signature.
pub const fn body_revision(signature: u8) -> Option<Revision> {
    match signature {
        codes::BODY_A => Some(Revision::A),
        codes::BODY_B => Some(Revision::B),
        codes::BODY_PROFILE => Some(Revision::Profile),
        _ => None,
    }
}
