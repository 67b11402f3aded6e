//! Operations on schemas.
//!
//! [`infer`] makes a schema from samples, [`accept`] holds a value against one, [`listing`] prints one for people, [`check`] holds a
//! new version against older ones, and [`languages`] is the list of the languages that schemas are written in.
#![forbid(unsafe_code)]

pub mod accept;
pub mod check;
pub mod infer;
pub mod languages;
pub mod listing;
