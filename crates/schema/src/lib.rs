//! Operations on schemas.
//!
//! [`infer`] makes a schema from samples. [`accept`] checks a value against a schema. [`listing`]
//! prints a schema for people. [`check`] compares a new version with older ones. [`languages`]
//! lists the languages that schemas are written in.
#![forbid(unsafe_code)]

pub mod accept;
pub mod check;
pub mod infer;
pub mod languages;
pub mod listing;
