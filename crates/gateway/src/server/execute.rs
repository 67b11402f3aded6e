//! Plans executed for callers, within the deadline of an answer.

use std::time::Duration;

use http::HeaderValue;
use polywire_doc::Datum;
use polywire_ql::error::QueryError;
use polywire_ql::execute::{Environment, Execution};
use polywire_ql::limits::Limits;
use polywire_ql::observe::Observer;
use polywire_ql::plan::Plan;

use super::caller::{By, Caller};
use super::gateway::Gateway;
use super::notes::Requests;
use super::pace::{Busy, Place};
use crate::directory::Directory;
use crate::exchange::bounds::Bounds;

/// The outcome of a script.
pub(super) struct Executed {
    /// The execution, unless it took too long.
    pub execution: Result<Execution, QueryError>,
    /// The id that goes back to the caller.
    pub id: HeaderValue,
    /// Requests to services.
    pub requests: Requests,
    /// Others may wait until it is dropped: while the result is in memory.
    pub place: Option<Place>,
}

/// Returns the longest time for an answer.
pub(super) fn deadline(directory: &Directory) -> Duration {
    Duration::from_millis(directory.settings.deadline)
}

/// Checks that the caller may have a plan run.
///
/// # Errors
/// It may not use the route, send scripts, or use a table.
pub(super) fn permitted(gateway: &Gateway, directory: &Directory, caller: &Caller, plan: &Plan) -> Result<(), QueryError> {
    match caller.by {
        By::Interface => Ok(()),
        By::Route => gateway.callers().known.permit(&caller.identity, plan.route.as_deref(), plan),
        By::Script => gateway.callers().known.permit(&caller.identity, None, plan).and_then(|()| affordable(directory, plan)),
    }
}

/// Checks the cost of a caller's script before it runs.
///
/// # Errors
/// It may make more requests than the configuration allows.
fn affordable(directory: &Directory, plan: &Plan) -> Result<(), QueryError> {
    let settings = &directory.settings;
    let Some(allowed) = settings.ad_hoc.max_requests else { return Ok(()) };
    let most = plan.most_requests(settings.max_nested_requests);
    if most <= allowed {
        return Ok(());
    }
    let message = format!("the script may make {most} requests, and at most {allowed} are allowed");
    let failure = QueryError::new("too_costly", message).status(422).detail("estimate", Datum::UInt(most as u64));
    Err(failure.hint("call fewer tables, or raise `maxRequests` of `adHoc`, or lower `maxNestedRequests`, in config.json"))
}

/// Returns true for a script of the folder. One of a caller may name a route, yet has no folder.
fn is_of_folder(plan: &Plan) -> bool {
    plan.route.as_ref().is_some_and(|route| route.folder.is_some())
}

/// Executes a plan, with events to `observer`. `only_json`: see [`Environment`].
pub(super) async fn execute(
    gateway: &Gateway,
    directory: &Directory,
    plan: &Plan,
    caller: &Caller,
    observer: &dyn Observer,
    deadline: Duration,
    only_json: bool,
) -> Executed {
    let settings = &directory.settings;
    if let Err(failure) = permitted(gateway, directory, caller, plan) {
        let session = gateway.service().session(Bounds::new(Some(deadline), settings.parallel), caller.id.as_deref());
        return Executed { execution: Err(failure), id: session.id(), requests: Requests(0), place: None };
    }
    let session = gateway.service().session(Bounds::new(Some(deadline), settings.parallel), caller.id.as_deref());
    // Kept replies count against the memory of the script, and leave most of it to its values.
    let session = session.sharing(settings.share_replies, settings.max_memory / 4);
    // The estimate is counted too: no script makes more calls than that.
    let calls = settings.ad_hoc.max_requests.filter(|_| caller.by == By::Script).unwrap_or(Limits::DEFAULT.calls);
    let limits = Limits {
        nested_requests: settings.max_nested_requests,
        memory: settings.max_memory,
        time: Some(deadline),
        calls: calls.min(Limits::DEFAULT.calls),
        ..Limits::DEFAULT
    };
    let environment = Environment {
        backend: &session,
        catalog: directory,
        // Whatever a plan says, no caller reads files of this machine.
        files: None,
        functions: gateway.service().functions(),
        observer,
        request: &caller.request,
        config: &directory.config,
        script_config: if is_of_folder(plan) { &directory.config } else { &directory.public_config },
        limits,
        memory: Some(gateway.memory()),
        only_json,
    };
    let executed = gateway.pace().run(polywire_ql::execute::execute(plan, &environment));
    let (place, execution) = match tokio::time::timeout(deadline, executed).await {
        Ok(Ok((execution, place))) => (Some(place), Ok(execution)),
        Ok(Err(Busy)) => (None, Err(busy())),
        Err(_) => (None, Err(late(deadline))),
    };
    Executed { execution, id: session.id(), requests: Requests(session.requests()), place }
}

fn late(deadline: Duration) -> QueryError {
    let millis = deadline.as_millis();
    QueryError::new("deadline", format!("the answer was not ready after {millis} ms"))
        .status(504)
        .hint("ask for less, or raise `deadline` in config.json")
        .detail("deadline", Datum::UInt(u64::try_from(millis).unwrap_or(u64::MAX)))
}

fn busy() -> QueryError {
    QueryError::new("busy", "the script takes long, and more long scripts are under way than the gateway has time for")
        .status(503)
        .hint("ask for less, or again later")
}
