//! Schemas: the common types, and the languages that schemas are written in.

pub mod language;
pub(crate) mod types;

pub use types::{Case, Constraint, Enumeration, FieldType, NamedType, Presence, Record, Schema, Sum, TimeUnit, Type, Width};
