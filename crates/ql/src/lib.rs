//! The query language: one declarative question to many services, one answer.
//!
//! A *script* is read ([`syntax`]), checked ([`rules`]), and planned ([`plan`]) as a graph of
//! statements. Executing it ([`execute`]) runs independent statements at the same time. *Tables*
//! ([`table`]) give `select`, `insert`, `update` and `delete` their requests; a
//! [`Backend`](backend::Backend) makes these. Nothing here touches a network or a file.
//!
//! The specification is `docs/spec/ql.md`; comments cite its sections (`docs/spec/ql.md 8.6`) and
//! the deviations of the original engine (`ql-D22`).
#![forbid(unsafe_code)]

pub mod backend;
pub mod doubts;
pub mod error;
pub mod execute;
pub mod explain;
pub mod files;
pub mod functions;
pub mod limits;
pub mod link;
pub mod markdown;
pub mod memory;
pub mod observe;
pub mod pages;
pub mod params;
pub mod path;
pub mod plan;
mod reads;
pub mod resultset;
pub mod route;
pub mod routes;
pub mod rules;
pub mod statement;
pub mod syntax;
pub mod table;
pub mod template;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
