//! The name of the format, and the tag spaces of its classes.

/// Name in the registry and in errors.
pub(super) const NAME: &str = "ber";

/// Tag space of the universal types that a value alone does not show: `SET`, `OBJECT IDENTIFIER`,
/// `BIT STRING`…
pub const UNIVERSAL: &str = "ber-universal";
/// Tag space of the application class.
pub const APPLICATION: &str = "ber-application";
/// Tag space of the context-specific class.
pub const CONTEXT: &str = "ber-context";
/// Tag space of the private class.
pub const PRIVATE: &str = "ber-private";
