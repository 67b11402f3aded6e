//! Scripts run, and their answers.

use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use http::{HeaderName, HeaderValue};
use polywire_doc::Datum;
use polywire_ql::execute::{Environment, Execution, execute};
use polywire_ql::explain::asked;
use polywire_ql::failure::Failure;
use polywire_ql::limits::Limits;
use polywire_ql::observe::{Nobody, Observer};
use polywire_ql::plan::Plan;

use super::caller::Caller;
use super::gateway::Gateway;
use super::pace::Turn;
use super::watch::Requests;
use super::{answer, events, explained};
use crate::decode::Offer;
use crate::directory::Directory;
use crate::exchange::answer::Answer;

/// Header of an answer that counts the failures that it does without: of requests, of statements with a fallback, of functions.
pub(super) const PARTIAL: &str = "polywire-partial";

/// Runs a script for a caller.
pub(super) async fn script(gateway: &Gateway, directory: &Directory, script: &str, caller: &Caller) -> Response {
    if let Some((asked, script)) = asked(script) {
        return explained::answered(gateway, directory, asked, &script, caller).await;
    }
    match gateway.plan(script, directory) {
        Ok(plan) => run(gateway, directory, &plan, caller).await,
        Err(diagnostics) => answer::of_failure_for(&Failure::from(&*diagnostics), callback(caller).ok().flatten().as_deref()),
    }
}

/// Runs a plan for a caller.
pub(super) async fn run(gateway: &Gateway, directory: &Directory, plan: &Arc<Plan>, caller: &Caller) -> Response {
    let callback = match callback(caller) {
        Ok(callback) => callback,
        Err(failure) => return answer::of_failure(&failure),
    };
    let feed = events::wanted(gateway, directory, caller);
    let observer: &dyn Observer = feed.as_ref().map_or(&Nobody, |feed| feed);
    let offers = directory.offers(plan).unwrap_or(gateway.offers());
    let offer = Offer::wanted(offers, caller.accept.as_deref());
    // Who is told of the result looks at it.
    let only_json = feed.is_none() && (callback.is_some() || offer.is_some_and(Offer::is_json));
    let Done { execution, id, requests, turn: _turn } =
        executed(gateway, directory, plan, caller, observer, deadline(directory), only_json).await;
    if let (Some(feed), Err(failure)) = (&feed, &execution) {
        feed.failed(failure);
    }
    let mut response = match &execution {
        Ok(Execution { result: Ok(result), .. }) => answer::of_result(result.as_ref(), offer, callback.as_deref()),
        Ok(Execution { result: Err(failure), .. }) | Err(failure) => answer::of_failure_for(failure, callback.as_deref()),
    };
    response.extensions_mut().insert(requests);
    response.headers_mut().insert(gateway.id_header(), id);
    if let Some(link) = feed.and_then(|feed| feed.packets().link()) {
        response.headers_mut().append(http::header::LINK, link);
    }
    if let Ok(Execution { headers, result: Ok(_), .. }) = &execution {
        for (name, value) in headers {
            // A value with a line end would be two headers (D22): it is left out.
            if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(value)) {
                response.headers_mut().insert(name, value);
            }
        }
    }
    if let Ok(Execution { warnings, .. }) = &execution {
        let partial = warnings.iter().filter(|warning| warning.failure.is_some()).count();
        if partial > 0 {
            response.headers_mut().insert(PARTIAL, HeaderValue::from(partial));
        }
    }
    response
}

/// Runs a script without a server, and gives its result.
///
/// # Errors
/// The script does not compile, or fails.
pub async fn query(gateway: &Gateway, script: &str) -> Result<Execution, Failure> {
    let directory = gateway.directory();
    let plan = gateway.plan(script, &directory).map_err(|diagnostics| Failure::from(&*diagnostics))?;
    executed(gateway, &directory, &plan, &Caller::default(), &Nobody, deadline(&directory), false).await.execution
}

/// What came of a script.
pub(super) struct Done {
    /// The execution, if it was not too long.
    pub execution: Result<Execution, Failure>,
    /// The id that goes back to the caller.
    pub id: HeaderValue,
    /// Requests to services.
    pub requests: Requests,
    /// Until it is dropped, others may wait: for as long as the result is in memory.
    pub turn: Option<Turn>,
}

/// The longest time for an answer.
pub(super) fn deadline(directory: &Directory) -> Duration {
    Duration::from_millis(directory.settings.deadline)
}

/// Executes a plan, and tells `observer` of it. `only_json`: see [`Environment`].
pub(super) async fn executed(
    gateway: &Gateway,
    directory: &Directory,
    plan: &Plan,
    caller: &Caller,
    observer: &dyn Observer,
    deadline: Duration,
    only_json: bool,
) -> Done {
    let settings = &directory.settings;
    let session = gateway.service().session(Answer::new(Some(deadline), settings.parallel), caller.id.as_deref());
    let limits = Limits { nested_requests: settings.max_nested_requests, ..Limits::DEFAULT };
    let environment = Environment {
        backend: &session,
        catalog: directory,
        functions: gateway.service().functions(),
        observer,
        request: &caller.request,
        config: &directory.config,
        limits,
        only_json,
    };
    let turn_and_execution = async {
        let turn = gateway.pace().turn().await;
        (turn, execute(plan, &environment).await)
    };
    let (turn, execution) = match tokio::time::timeout(deadline, turn_and_execution).await {
        Ok((turn, execution)) => (Some(turn), Ok(execution)),
        Err(elapsed) => (None, Err(elapsed)),
    };
    let execution = execution.map_err(|_| {
        let millis = deadline.as_millis();
        let message = format!("the answer was not there after {millis} ms");
        Failure::new("deadline", message)
            .status(504)
            .hint("ask for less, or raise `deadline` in config.json")
            .detail("deadline", Datum::UInt(u64::try_from(millis).unwrap_or(u64::MAX)))
    });
    Done { execution, id: session.id(), requests: Requests(session.requests()), turn }
}

/// The function to call, if there is one.
fn callback(caller: &Caller) -> Result<Option<String>, Failure> {
    let Some((_, name)) = caller.query.iter().find(|(name, _)| name == "callback") else { return Ok(None) };
    if answer::is_callback(name) {
        return Ok(Some(name.clone()));
    }
    Err(Failure::new("bad_callback", "the parameter callback is no name of a function").hint("use letters, digits, _, $ and dots"))
}
