//! Operations on schemas.
//!
//! [`infer`] makes a schema from samples, [`accept`] holds a value against one, [`listing`] prints one for people, and [`languages`] is the
//! list of the languages that schemas are printed in.
#![forbid(unsafe_code)]

pub mod accept;
pub mod infer;
pub mod languages;
pub mod listing;
