//! Notes that requests and answers carry for their account.

use std::sync::{Arc, OnceLock};

use polywire_ql::plan::Plan;
use polywire_ql::route::Route;
use sha2::{Digest, Sha256};

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

/// The script of an answer, noted in it for the audit log.
#[derive(Clone, Default)]
pub(super) struct Ran {
    /// SHA-256 of the text, if it is a caller's.
    pub script: Option<String>,
    /// Tables that it writes to.
    pub writes: Vec<Arc<str>>,
}

impl Ran {
    /// Makes the note of a plan.
    pub fn new(plan: &Plan) -> Ran {
        let is_of_folder = plan.route.as_ref().is_some_and(|route| route.folder.is_some());
        Ran { script: (!is_of_folder).then(|| digest(plan)), writes: plan.written_tables() }
    }
}

/// Returns the SHA-256 of a script's text, in hexadecimal digits.
pub(super) fn digest(plan: &Plan) -> String {
    Sha256::digest(plan.source.text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The number of requests to services, noted in the answer.
#[derive(Clone, Copy)]
pub(super) struct Requests(pub u64);
