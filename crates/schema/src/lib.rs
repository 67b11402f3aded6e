//! Operations on schemas.
//!
//! [`infer`] makes a schema from samples. [`accept`] checks a value against a schema. [`listing`]
//! prints a schema for people. [`check`] compares a new version with older ones. [`languages`]
//! lists the languages that schemas are written in.
//!
//! A schema is made from two samples, and listed:
//!
//! ```
//! use polywire_core::{Result, Value};
//! use polywire_schema::infer::Inference;
//! use polywire_schema::listing::listing;
//!
//! fn main() -> Result<()> {
//!     let mut inference = Inference::new();
//!     for sample in [
//!         Value::record([("id", Value::int(1)), ("name", Value::text("lamp"))]),
//!         Value::record([("id", Value::int(2))]),
//!     ] {
//!         inference.add(|sink| sample.emit(sink))?;
//!     }
//!     let schema = inference.finish(Some("Item"));
//!     assert!(listing(&schema).contains("name?: text"), "{}", listing(&schema));
//!     Ok(())
//! }
//! ```
#![forbid(unsafe_code)]

pub mod accept;
pub mod check;
pub mod infer;
pub mod languages;
pub mod listing;
