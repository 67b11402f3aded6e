//! The gateway of the query language.
//!
//! - [`exchange`]: requests to services and their replies, by the rules of `spec/ql.md` section 8.
//! - [`cache`]: replies kept for later (section 11).
//! - [`decode`]: bodies become data, and data becomes bodies (section 9).
//! - [`service`]: what stands behind the tables: exchanges, cache, hooks and decoders as the language's backend.
//! - [`directory`]: tables and routes as they are on disk (section 13).
//! - [`draft`]: a `create table` from what a service replies.
//! - [`server`]: the HTTP interface (section 12).
//! - [`observe`]: numbers, the access log and spans (section 14).
#![forbid(unsafe_code)]

pub mod cache;
pub mod decode;
pub mod directory;
pub mod draft;
pub mod exchange;
pub mod observe;
pub mod secrets;
pub mod server;
pub mod service;
