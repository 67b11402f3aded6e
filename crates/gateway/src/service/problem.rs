//! Errors of hooks, exchanges and decoders, as the language reports them.

use polywire_doc::Datum;
use polywire_hooks::{HookError, HookErrorKind};
use polywire_ql::error::QueryError;

use crate::decode::Undecodable;
use crate::exchange::error::{Error, ErrorKind};

/// Returns the failure for an error of a hook. A thrown value that is no `Error` becomes the body.
pub(super) fn of_hook(error: HookError) -> QueryError {
    let code = match error.kind() {
        HookErrorKind::Thrown => "hook_threw",
        HookErrorKind::Load => "hook_load",
        HookErrorKind::Answer => "hook_answer",
        HookErrorKind::Time => "hook_time",
        HookErrorKind::Memory => "hook_memory",
        HookErrorKind::Stack => "hook_stack",
        HookErrorKind::Busy => "hook_busy",
        HookErrorKind::Template => "template",
        _ => "hook_failed",
    };
    let status = match error.kind() {
        HookErrorKind::Thrown => 400,
        HookErrorKind::Busy => 503,
        _ => 500,
    };
    let failure = QueryError::new(code, error.to_string()).status(status).detail("hook", error.hook()).detail("module", error.module());
    match error.thrown() {
        Some(thrown) => failure.body(thrown.clone()),
        None => failure,
    }
}

/// Returns the failure for an exchange without a reply.
pub(super) fn of_exchange(error: &Error) -> QueryError {
    let millis = |time: std::time::Duration| Datum::UInt(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    let failure = QueryError::transport(error.code(), error.kind().to_string()).status(error.status()).uri(error.uri());
    match error.kind() {
        ErrorKind::Timeout { idle } => failure.detail("timeout", millis(*idle)),
        ErrorKind::BackOff { start, count, delay } => failure
            .detail("start", millis(start.duration_since(std::time::UNIX_EPOCH).unwrap_or_default()))
            .detail("count", Datum::UInt((*count).into()))
            .detail("delay", millis(*delay)),
        ErrorKind::CircuitOpen { wait } => failure.detail("wait", millis(*wait)),
        // Exchanges have no deadline but that of the answer.
        ErrorKind::Deadline => failure.status(504).hint("ask for less, or raise `deadline` in config.json"),
        _ => failure,
    }
}

/// Returns the failure for a reply that cannot be read (docs/spec/ql.md 9): the status is 400, and
/// the body is the source text.
pub(super) fn of_decoder(error: &Undecodable, uri: &str, status: u16) -> QueryError {
    let failure = match error {
        Undecodable::UnknownType { kind, subtype, .. } => {
            QueryError::new("unknown_media_type", error.to_string()).detail("type", kind.as_str()).detail("subType", subtype.as_str())
        }
        Undecodable::Wrong { .. } => QueryError::new("bad_reply", error.to_string()),
    };
    failure.uri(uri).upstream(status).body(Datum::text(error.source_text()))
}
