//! Notes that requests and answers carry for their account.

use std::sync::{Arc, OnceLock};

use polywire_ql::route::Route;

/// Header of an answer that counts the failures that it does without: of requests, of statements with a fallback, of functions.
pub(super) const PARTIAL: &str = "polywire-partial";

/// In a request: a place for the route that answers it, which is known before there is an answer, or none.
#[derive(Clone, Default)]
pub(super) struct AnsweredBy(pub Arc<OnceLock<Arc<Route>>>);

impl AnsweredBy {
    /// Notes the route.
    pub fn set(&self, route: Arc<Route>) {
        // One request has one route.
        let _ = self.0.set(route);
    }
}

/// In an answer: requests to services that were made for it.
#[derive(Clone, Copy)]
pub(super) struct Requests(pub u64);
