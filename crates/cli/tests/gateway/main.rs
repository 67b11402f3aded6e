//! `polywire serve` as a process of its own: signals, changed files, many connections, and replicas
//! behind nginx.

mod access_log;
#[path = "../../../gateway/tests/exchange/backend.rs"]
mod backend;
#[path = "../../../gateway/tests/folder/mod.rs"]
mod folder;
mod hooks;
mod idle;
mod import;
mod options;
mod program;
#[path = "../../../gateway/tests/exchange/redis_server.rs"]
mod redis_server;
mod reload;
mod replicas;
mod shutdown;
