//! Equal requests of one execution, which are made once and share the reply.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::{Method, Uri};
use polywire_ql::error::QueryError;
use polywire_ql::syntax::ast::VerbKind;
use polywire_ql::table::Action;
use tokio::sync::Mutex as AsyncMutex;

use super::send::Raw;
use crate::exchange::message::Request;

/// The replies that requests of one execution share.
pub(super) struct Sharing {
    /// True for tables that do not say.
    usual: bool,
    /// The most bytes of bodies that are kept for later requests.
    most: u64,
    replies: Mutex<Replies>,
}

#[derive(Default)]
struct Replies {
    by_request: HashMap<Key, Arc<Slot>>,
    /// Bytes of their bodies.
    kept: u64,
}

/// The outcome of a request, once it is there.
type Slot = AsyncMutex<Option<Result<Raw, QueryError>>>;

/// Everything in which equal requests are equal. Two that are not equally patient may end
/// differently.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    method: Method,
    uri: Uri,
    /// By name.
    headers: Vec<(String, Vec<u8>)>,
    times: [Duration; 3],
}

/// A request that may share a reply.
pub(super) struct Asked<'s> {
    sharing: &'s Sharing,
    key: Key,
    slot: Arc<Slot>,
}

/// The outcome of a request that may share a reply.
pub(super) struct Shared {
    pub outcome: Result<Raw, QueryError>,
    /// True if another request brought it.
    pub from_other: bool,
    /// Bytes that are kept for further requests.
    pub kept: u64,
}

impl Sharing {
    /// Makes room for `most` bytes. `usual` is the setting for tables that do not say.
    pub fn new(usual: bool, most: u64) -> Sharing {
        Sharing { usual, most, replies: Mutex::default() }
    }

    /// Returns whether a request of a verb shares its reply: one that reads, and has no body.
    pub fn applies(&self, action: &Action, request: &Request) -> bool {
        action.shared.unwrap_or(self.usual)
            && action.verb == VerbKind::Select
            && matches!(request.method, Method::GET | Method::HEAD)
            && request.body.is_empty()
    }

    /// Returns the place of a request's reply.
    pub fn asked(&self, request: &Request) -> Asked<'_> {
        let mut headers: Vec<(String, Vec<u8>)> =
            request.headers.iter().map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect();
        headers.sort_by(|(one, _), (other, _)| one.cmp(other));
        let key = Key {
            method: request.method.clone(),
            uri: request.uri.clone(),
            headers,
            times: [request.idle, request.delays.min, request.delays.max],
        };
        let slot = self.replies.lock().unwrap_or_else(PoisonError::into_inner).by_request.entry(key.clone()).or_default().clone();
        Asked { sharing: self, key, slot }
    }

    /// Forgets all replies, since a write may have changed them. Requests that wait for one get it.
    pub fn forget_all(&self) {
        *self.replies.lock().unwrap_or_else(PoisonError::into_inner) = Replies::default();
    }
}

impl Asked<'_> {
    /// Returns the reply of an equal request, else that of `fetch`, which returns the outcome and
    /// the bytes to keep, if it is good for later requests. Requests that wait for one share any
    /// outcome.
    pub async fn get_or_fetch(self, fetch: impl Future<Output = (Result<Raw, QueryError>, Option<u64>)>) -> Shared {
        let mut outcome = self.slot.lock().await;
        if let Some(outcome) = &*outcome {
            return Shared { outcome: outcome.clone(), from_other: true, kept: 0 };
        }
        let (fetched, bytes) = fetch.await;
        let kept = self.keep(bytes);
        *outcome = Some(fetched.clone());
        Shared { outcome: fetched, from_other: false, kept }
    }

    /// Keeps a reply for later requests if there is room for its `bytes`, else removes it. Returns
    /// the bytes that are kept.
    fn keep(&self, bytes: Option<u64>) -> u64 {
        let mut replies = self.sharing.replies.lock().unwrap_or_else(PoisonError::into_inner);
        // All may have been forgotten meanwhile.
        if !replies.by_request.get(&self.key).is_some_and(|slot| Arc::ptr_eq(slot, &self.slot)) {
            return 0;
        }
        match bytes.filter(|bytes| replies.kept.saturating_add(*bytes) <= self.sharing.most) {
            Some(bytes) => {
                replies.kept += bytes;
                bytes
            }
            None => {
                replies.by_request.remove(&self.key);
                0
            }
        }
    }
}
