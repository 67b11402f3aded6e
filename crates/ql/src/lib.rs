//! The query language: one declarative question to many services, one answer.
//!
//! A *script* is read ([`syntax`]), checked ([`rules`]), and planned ([`plan`]) as a graph of
//! statements. Executing it ([`execute`]) runs independent statements at the same time. *Tables*
//! ([`table`]) give `select`, `insert`, `update` and `delete` their requests; a
//! [`Backend`](backend::Backend) makes these. Nothing here touches a network or a file.
//!
//! The specification is `docs/spec/ql.md`; comments cite its sections (`docs/spec/ql.md 8.6`) and
//! the deviations of the original engine (`ql-D22`).
//!
//! A script is read; an error has its place:
//!
//! ```
//! use polywire_core::text::diagnostic::Source;
//! use polywire_ql::syntax::parse;
//!
//! let script = "create table items on select get from 'http://example.org/items?q={q}';\nselect title from items where q = 'lamp'";
//! assert_eq!(parse(&Source::new("script", script)).expect("a script").items.len(), 2);
//!
//! let wrong = parse(&Source::new("script", "select title frm items")).unwrap_err();
//! assert_eq!(wrong.position(wrong.findings[0].at), "script:1:14");
//! ```
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
