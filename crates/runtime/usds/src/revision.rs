//! The revisions of the wire.

/// Signature of bodies of revision A.
pub(crate) const BODY_A: u8 = 0x42;
/// Signature of bodies of revision B.
pub(crate) const BODY_B: u8 = 0x62;
/// Signature of bodies of the profile.
pub(crate) const BODY_PROFILE: u8 = 0x70;

/// A revision of the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revision {
    /// Autumn 2015.
    A,
    /// December 2017.
    B,
    /// Revision B, completed.
    Profile,
}

impl Revision {
    /// Returns the signature of its bodies.
    pub(crate) const fn body(self) -> u8 {
        match self {
            Revision::A => BODY_A,
            Revision::B => BODY_B,
            Revision::Profile => BODY_PROFILE,
        }
    }
}
