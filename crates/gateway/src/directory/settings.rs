//! The gateway's own settings in the configuration.

use serde::Deserialize;

use crate::callers::settings::{Callers, Rates};
use crate::exchange::options::Options;
use crate::guard::cors::Cors;
use crate::guard::hosts::Hosts;

/// Settings of a gateway. In `config.json` their names are in camel case; times are in
/// milliseconds. The settings of exchanges lie beside them.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Settings of the exchanges with services.
    #[serde(flatten)]
    pub exchange: Options,
    /// The most requests that values add to an answer: members of lists, rows of a join's first
    /// side (docs/spec/ql.md 13).
    pub max_nested_requests: usize,
    /// The most bytes of an answer, and of the values that a script makes for it and the replies
    /// that it reads.
    pub max_memory: u64,
    /// The most bytes of all values, replies and answers at a time. Small ones are not counted:
    /// below 64 KB each. Read once, at the start.
    pub total_memory: u64,
    /// True if equal requests of one script, to tables that do not say otherwise, share a reply.
    pub share_replies: bool,
    /// The longest time for a whole answer.
    pub deadline: u64,
    /// The time from which on a script is in the log of slow queries.
    pub slow: u64,
    /// The most WebSocket connections at a time.
    pub sockets: usize,
    /// The most exchanges of one answer at a time.
    pub parallel: usize,
    /// The longest body of a caller's request, in bytes.
    pub max_request_length: usize,
    /// The longest time for such a body to arrive.
    pub request_timeout: u64,
    /// True if long answers are compressed for callers that accept it.
    pub compress: bool,
    /// True if answers name the program and its version.
    pub powered_by: bool,
    /// The header of request ids (docs/spec/ql.md 8.2).
    pub request_id_header: String,
    /// True if doubts about scripts, tables and settings are errors.
    pub strict: bool,
    /// Scripts that callers send to `/q`.
    pub ad_hoc: AdHoc,
    /// Names that the gateway answers for, beside those of loopback and its address.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub hosts: Hosts,
    /// Origins whose pages may read answers.
    #[cfg_attr(feature = "schema", schemars(with = "crate::guard::cors::Written"))]
    pub cors: Cors,
    /// True if the parameter `callback` makes an answer a call of that function (docs/spec/ql.md
    /// 12.1).
    pub callback: bool,
    /// Keys, tokens and scopes of callers.
    pub callers: Callers,
    /// Requests that callers may make.
    pub rates: Rates,
    /// Limits of hooks.
    pub hooks: Hooks,
    /// The file that registers transformers, below the folder.
    pub xformers: Option<String>,
    /// A path that answers as `/healthz` does (docs/spec/ql.md 13).
    pub ecv_path: Option<String>,
    /// The place of replies of verbs with `expires`: `memory`, `off`, or a URL of Redis.
    pub cache: Cache,
}

/// Admission of callers' scripts.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct AdHoc {
    /// True if scripts of callers run.
    pub enabled: bool,
    /// The token that callers must send as `Authorization: Bearer …`, if there is one.
    pub token: Option<String>,
    /// True if they may be run without a token for callers of other machines too.
    pub open: bool,
    /// A folder of scripts, or a file with an object of them: no others run.
    pub persisted: Option<String>,
    /// The most requests that a script may make, by an estimate before it runs.
    pub max_requests: Option<usize>,
}

/// Limits of hooks.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Hooks {
    /// The longest time of a call.
    pub time: u64,
    /// Memory of an engine, in bytes.
    pub memory: usize,
}

/// The place of kept replies.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Cache {
    /// By name or URL.
    At(String),
    /// Settings of the original, which named an implementation of its own: read as memory.
    Other(serde_json::Value),
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            exchange: Options::default(),
            max_nested_requests: 50,
            max_memory: 64 << 20,
            total_memory: 96 << 20,
            share_replies: false,
            deadline: 60_000,
            slow: 1_000,
            sockets: 100,
            parallel: 50,
            max_request_length: 10_000_000,
            request_timeout: 30_000,
            compress: true,
            powered_by: true,
            request_id_header: "request-id".to_owned(),
            strict: false,
            ad_hoc: AdHoc::default(),
            hosts: Hosts::default(),
            cors: Cors::default(),
            callback: false,
            callers: Callers::default(),
            rates: Rates::default(),
            hooks: Hooks::default(),
            xformers: None,
            ecv_path: None,
            cache: Cache::At("memory".to_owned()),
        }
    }
}

impl Default for AdHoc {
    fn default() -> AdHoc {
        AdHoc { enabled: true, token: None, open: false, persisted: None, max_requests: None }
    }
}

impl Default for Hooks {
    fn default() -> Hooks {
        Hooks { time: 1000, memory: 64 << 20 }
    }
}

/// Checks a path that answers as `/healthz` does.
///
/// # Errors
/// It does not begin with a slash, so that no request has it.
pub(crate) fn probed(path: &str) -> Result<(), String> {
    if path.starts_with('/') { Ok(()) } else { Err(format!("ecvPath: expected a path that begins with /, saw {path}")) }
}
