//! Hooks, user functions, transformers, authentication modules and body templates of table directories (specification sections 7.8, 8.3, 9 and 10): JavaScript on an embedded
//! engine, in a sandbox.

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
mod transformer;

pub use error::{HookError, HookErrorKind, Place};
pub use function::Row;
pub use hook::{Answer, Body, CacheKey, Content, Headers, Hook, Patch, Record, Reply, Request};
pub use log::{LogRecord, LogSink, Severity};
pub use pool::{Call, CallFuture, Hooks};
pub use settings::Settings;
pub use template::{Escape, Language};
pub use transformer::Transformer;
