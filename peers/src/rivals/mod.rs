//! The other libraries that are written in Rust.

pub mod base64;
pub mod encode;
pub mod json;
pub mod prost_reflect;
pub mod walk;
