//! What the gateway itself takes from the configuration.

use serde::Deserialize;

use crate::exchange::options::Options;

/// Settings of a gateway. In `config.json` their names are in camel case; times are in milliseconds. What the exchanges take is beside them.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Settings of the exchanges with services.
    #[serde(flatten)]
    pub exchange: Options,
    /// Members of a list of values, and rows of a join's first side (specification 13).
    pub max_nested_requests: usize,
    /// The longest time for a whole answer.
    pub deadline: u64,
    /// WebSocket connections at a time.
    pub sockets: usize,
    /// Exchanges of one answer at a time.
    pub parallel: usize,
    /// The longest body of a caller's request, in bytes.
    pub max_request_length: usize,
    /// The longest time for such a body to come.
    pub request_timeout: u64,
    /// Whether long answers are compressed for callers that accept it.
    pub compress: bool,
    /// Whether answers name the program and its version.
    pub powered_by: bool,
    /// The header of request ids (specification 8.2).
    pub request_id_header: String,
    /// Scripts that callers send to `/q`.
    pub ad_hoc: AdHoc,
    /// What hooks may take.
    pub hooks: Hooks,
    /// The file that registers transformers, below the folder.
    pub xformers: Option<String>,
    /// A path that answers as `/healthz` does (specification 13).
    pub ecv_path: Option<String>,
    /// Where replies of verbs with `expires` are kept: `memory`, `off`, or a URL of Redis.
    pub cache: Cache,
}

/// Whether scripts of callers run.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AdHoc {
    /// Whether at all.
    pub enabled: bool,
    /// What callers have to send as `Authorization: Bearer …`, if anything.
    pub token: Option<String>,
}

/// What hooks may take.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Hooks {
    /// How long a call may run.
    pub time: u64,
    /// Memory of an engine, in bytes.
    pub memory: usize,
}

/// Where replies are kept.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Cache {
    /// By name or URL.
    At(String),
    /// Settings of the original, which named an implementation of its own: memory.
    Other(serde_json::Value),
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            exchange: Options::default(),
            max_nested_requests: 50,
            deadline: 60_000,
            sockets: 100,
            parallel: 50,
            max_request_length: 10_000_000,
            request_timeout: 30_000,
            compress: true,
            powered_by: true,
            request_id_header: "request-id".to_owned(),
            ad_hoc: AdHoc::default(),
            hooks: Hooks::default(),
            xformers: None,
            ecv_path: None,
            cache: Cache::At("memory".to_owned()),
        }
    }
}

impl Default for AdHoc {
    fn default() -> AdHoc {
        AdHoc { enabled: true, token: None }
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
