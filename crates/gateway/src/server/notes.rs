//! Notes that requests and answers carry for their account.

use std::sync::{Arc, OnceLock};

use polywire_ql::route::Route;

/// Header with the number of failures that an answer does without: of requests, of statements with
/// a fallback, of functions.
pub(super) const PARTIAL: &str = "polywire-partial";

/// The route that answers a request, noted in the request before there is an answer.
#[derive(Clone, Default)]
pub(super) struct AnsweredBy(pub Arc<OnceLock<Arc<Route>>>);

impl AnsweredBy {
    /// Notes the route.
    pub fn set(&self, route: Arc<Route>) {
        // One request has one route.
        let _ = self.0.set(route);
    }
}

/// The name of the caller, noted in the request once it is known.
#[derive(Clone, Default)]
pub(super) struct CalledBy(pub Arc<OnceLock<Arc<str>>>);

/// The number of requests to services, noted in the answer.
#[derive(Clone, Copy)]
pub(super) struct Requests(pub u64);
