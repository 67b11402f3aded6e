//! Hooks, user functions, transformers, authentication modules and body templates of table directories (specification sections 7.8, 8.3, 9 and 10): JavaScript on an embedded
//! engine, in a sandbox. `docs/hooks.md` says what a module sees.
//!
//! [`Hooks`] are those of one directory. Each thing that can be called is a function here that hands the call to a thread and gives a [`Call`], to await or to wait for.
//!
//! ```no_run
//! use polywire_doc::Datum;
//! use polywire_hooks::{Hooks, Record, Reply, Settings};
//!
//! let hooks = Hooks::new(Settings::new("tables"))?;
//! let patch = hooks.patch("shop/find.js").wait()?;
//! let reply = Reply { status: 200, ..Reply::default() };
//! let status = patch.patch_status(Record::default(), reply, Datum::from("body")).wait()?.value;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | room | holds |
//! |---|---|
//! | `pool` | threads, calls under way, several in one visit, what is done about calls that hang |
//! | `engine` | one engine: its realm, limits, values in and out |
//! | `js` | the scripts of the realm; in `modules`, the built-in ones |
//! | `hook` | the hooks of patch modules |
//! | `function`, `auth`, `transformer` | what else modules are called for |
//! | `template` | EJS and Mustache |
//! | `files` | what may be read |

#![deny(unsafe_code)]

mod auth;
mod engine;
mod error;
mod files;
mod function;
mod hook;
mod log;
mod pool;
mod settings;
mod template;
#[cfg(feature = "testing")]
pub mod testing;
mod transformer;

pub use error::{HookError, HookErrorKind, Place};
pub use function::Row;
pub use hook::{Answer, Body, CacheKey, Content, Headers, Hook, Parsed, Part, Patch, Record, Reply, Request};
pub use log::{LogRecord, LogSink, Severity};
pub use pool::{Call, CallFuture, Hooks, Tally};
pub use settings::Settings;
pub use template::{Escape, Language};
pub use transformer::Transformer;
