//! The gateway of the query language.
//!
//! - [`exchange`]: requests to services and their replies (docs/spec/ql.md 8).
//! - [`callers`]: who calls, and what callers may do.
//! - [`cache`]: replies kept for later (docs/spec/ql.md 11).
//! - [`decode`]: bodies become data, and data becomes bodies (docs/spec/ql.md 9).
//! - [`service`]: the services behind the tables: exchanges, cache, hooks and decoders as the
//!   language's backend.
//! - [`directory`]: tables and routes as they are on disk (docs/spec/ql.md 13).
//! - [`draft`]: a `create table` from a service's reply.
//! - [`server`]: the HTTP interface (docs/spec/ql.md 12).
//! - [`files`]: files that a script of the program's own user reads; no caller's does.
//! - [`guard`]: requests that browsers may send on behalf of others' pages.
//! - [`observe`]: metrics, the access log and spans (docs/spec/ql.md 14).
//! - [`hook_worker`]: processes that run hooks. A program that names itself as their program calls
//!   [`hook_worker::serve_if_asked`] before anything else.
//! - [`secrets`]: names of headers and parameters that are never shown.
//!
//! A folder of tables answers a script; `server::routes` serves the same over HTTP:
//!
//! ```
//! use polywire_gateway::server::{Gateway, Start, query};
//!
//! # let folder = std::env::temp_dir().join(format!("polywire-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let gateway = Gateway::new(&folder, Start::default())?;
//! let script = "fruit = [{\"n\": \"fig\", \"q\": 3}, {\"n\": \"kiwi\", \"q\": 0}]; return select n from fruit where q = 3";
//! let execution = query(&gateway, script, None).await.expect("a script");
//! let answer = execution.result.expect("an answer").expect("a value");
//! assert_eq!(answer.to_json(), b"[\"fig\"]");
//! # Ok::<(), std::io::Error>(())
//! # })?;
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), std::io::Error>(())
//! ```
#![forbid(unsafe_code)]

mod aside;
pub mod cache;
pub mod callers;
pub mod decode;
pub mod directory;
pub mod draft;
pub mod exchange;
pub mod guard;
pub mod observe;
mod room;
pub mod secrets;
pub mod server;
pub mod service;

pub use polywire_hooks::worker as hook_worker;
pub use polywire_ql::files;
