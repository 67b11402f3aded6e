//! Hooks, user functions, transformers, authentication modules and body templates of table
//! directories (docs/spec/ql.md 7.8, 8.3, 9 and 10): JavaScript on an embedded engine, in a
//! sandbox. `docs/hooks.md` describes what a module sees.
//!
//! [`Hooks`] are those of one directory. Each thing that can be called is a function here that
//! passes the call to a thread and returns a [`Call`], to await or to wait for.
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
//! # Worker processes
//! A call ends within [`Settings::time`]. On a thread, a built-in function of the language breaks
//! this rule if it gets much data: no clock can stop it. [`Settings::worker`] names a program, as a
//! rule the running one, whose processes make the calls instead. One that takes too long is killed
//! and replaced, and other calls are served meanwhile.
//!
//! ```no_run
//! use polywire_hooks::Settings;
//! use polywire_hooks::worker::{self, WorkerProgram};
//!
//! // The first thing in `main`: it does not return in a process that was started as a worker.
//! worker::serve_if_asked();
//! let mut settings = Settings::new("tables");
//! settings.worker = Some(WorkerProgram::this()?);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Rooms
//! Each room uses only rooms below it.
//!
//! | room | holds |
//! |---|---|
//! | `body_template`, `function`, `auth`, `transformer` | calls that are no hooks of patch modules |
//! | `worker` | the side of a worker process, which knows all calls |
//! | `hook` | the hooks of patch modules |
//! | `pool` | threads, calls in flight, visits, the watchdog |
//! | `process` | worker processes, as a thread of the pool sees them |
//! | `task` | a call as data |
//! | `sandbox` | the modules, templates and files that scripts of a directory see |
//! | `template` | EJS and Mustache |
//! | `engine` | one engine: its realm, limits, values in and out; it knows none of the above |
//! | `wire` | calls and values as bytes |
//! | `files`, `log`, `error`, `settings` | files that may be read, messages, errors, settings |

#![deny(unsafe_code)]

mod auth;
mod body_template;
mod engine;
mod error;
mod files;
mod function;
mod hook;
mod log;
mod pool;
mod process;
mod sandbox;
mod settings;
mod task;
mod template;
#[cfg(feature = "testing")]
pub mod testing;
mod transformer;
mod wire;
pub mod worker;

pub use engine::{ErrorKind as HookErrorKind, Parsed, Part, Place};
pub use error::HookError;
pub use function::Row;
pub use hook::{Answer, Body, CacheKey, Content, Headers, Hook, Patch, Record, Reply, Request};
pub use log::{LogRecord, LogSink, Severity};
pub use pool::{Call, CallFuture, Hooks, Tally};
pub use settings::Settings;
pub use template::{Escape, Language};
pub use transformer::Transformer;
