//! The query language: one declarative question to many services, one answer.
//!
//! A *script* is read ([`syntax`]), checked ([`rules`]), and planned ([`plan`]) as a graph of statements; executing it ([`execute`]) runs at the same time whatever does
//! not depend on each other. *Tables* ([`table`]) say what `select`, `insert`, `update` and `delete` mean as requests; a [`Backend`](backend::Backend) makes these. Nothing
//! here touches a network or a file.
#![forbid(unsafe_code)]

pub mod backend;
pub mod execute;
pub mod explain;
pub mod failure;
pub mod functions;
pub mod limits;
pub mod link;
pub mod markdown;
pub mod observe;
pub mod params;
pub mod path;
pub mod plan;
pub mod route;
pub mod rules;
pub mod syntax;
pub mod table;
pub mod template;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
