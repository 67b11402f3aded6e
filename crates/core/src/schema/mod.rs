//! Schemas: the common types, and the languages that schemas are written in.

pub mod language;
mod mapping;
pub(crate) mod types;

pub use mapping::{mapped, mapping, mapping_differs};
pub use types::{Case, Constraint, Enumeration, FieldType, NamedType, Presence, Record, Schema, Sum, TimeUnit, Type, Width};
