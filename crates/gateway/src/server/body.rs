//! A caller's body, read within its limits.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use polywire_doc::Datum;
use polywire_ql::error::QueryError;
use tokio::time::Instant;

use crate::exchange::body::{Broken, collect};
use crate::exchange::error::ErrorKind;
use crate::exchange::watch::Watch;
use crate::room::{Room, kept};

/// Reads the whole body: at most `most` bytes, within `time`.
///
/// # Errors
/// It is longer (413), takes longer (408), ends too early (400), or other bodies have all the room
/// (503).
pub(super) async fn read(body: Body, most: usize, time: Duration, room: &Room) -> Result<Bytes, QueryError> {
    let mut watch = Watch::new(None, Instant::now().checked_add(time));
    let share = room.share();
    let mut arriving = room.body(body, &share).read_to_end();
    let collected = collect(&mut arriving, most as u64, &mut watch).await;
    if arriving.is_full() {
        return Err(full());
    }
    collected.map(|whole| kept(whole.bytes, share)).map_err(|broken| match broken {
        Broken::Late(_) => {
            let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            QueryError::new("request_slow", format!("the body of the request did not arrive within {millis} ms"))
                .status(408)
                .hint("send it faster, or raise `requestTimeout` in config.json")
                .detail("timeout", Datum::UInt(millis))
        }
        Broken::Error(ErrorKind::TooLong { .. }) => {
            QueryError::new("request_too_long", format!("the body of the request is longer than {most} bytes"))
                .status(413)
                .hint("send less, or raise `maxRequestLength` in config.json")
        }
        Broken::Error(kind) => QueryError::new("bad_request_body", kind.to_string()),
        Broken::Transport { received, .. } => {
            QueryError::new("request_cut", format!("the body of the request ended after {received} bytes, before its end"))
                .hint("send all of what Content-Length or the chunks promise")
        }
    })
}

/// Returns the error for a body that has no room beside others.
pub(super) fn full() -> QueryError {
    QueryError::new("busy", "more long bodies arrive at once than the gateway has memory for")
        .status(503)
        .hint("send less at once, or again later")
}
