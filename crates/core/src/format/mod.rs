//! Formats: their declarations and settings, their bindings to schemas, and payloads in their
//! values.

pub(crate) mod bind;
pub(crate) mod columns;
pub(crate) mod declaration;
pub(crate) mod dialect;
pub mod payload;
pub(crate) mod settings;

pub use bind::{Binder, Bound, Candidate, Description, Tables};
pub use columns::{ColumnFact, ColumnFacts, ColumnPiece, ColumnRows, ColumnSource, Columnar, MOST_PIPED};
pub use declaration::{Confidence, Format, Framing, ListMarks, Nature, Repeats, SchemaNeed};
pub use dialect::Dialect;
pub use settings::{Configure, Configured, Setting};
