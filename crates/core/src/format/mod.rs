//! Formats: what each one declares about itself, its binding to a schema, and payloads in its values.

pub(crate) mod bind;
pub(crate) mod declaration;
pub(crate) mod dialect;
pub mod payload;

pub use bind::{Binder, Bound};
pub use declaration::{Confidence, Format, Nature, Repeats, SchemaNeed};
pub use dialect::Dialect;
