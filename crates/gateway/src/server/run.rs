//! Scripts run, and their answers.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use axum::response::Response;
use http::{HeaderName, HeaderValue};
use polywire_doc::Datum;
use polywire_ql::error::QueryError;
use polywire_ql::execute::Execution;
use polywire_ql::explain::asked;
use polywire_ql::observe::{Nobody, Observer};
use polywire_ql::plan::Plan;
use polywire_ql::route::is_framing;

use super::caller::Caller;
use super::execute::{Executed, deadline, execute};
use super::gateway::Gateway;
use super::notes::{PARTIAL, Ran, digest};
use super::{answer, events, explained, head};
use crate::aside::aside;
use crate::decode::Offer;
use crate::directory::Directory;
use crate::observe::SlowQuery;
use crate::room::Room;

/// Runs a script for a caller.
pub(super) async fn script(gateway: &Gateway, directory: &Directory, script: &str, caller: &Caller) -> Response {
    if let Some((asked, script)) = asked(script) {
        return explained::answered(gateway, directory, asked, &script, caller).await;
    }
    match gateway.plan(script, directory) {
        Ok(plan) => run(gateway, directory, &plan, caller).await,
        Err(diagnostics) => answer::of_failure_for(&QueryError::from(&*diagnostics), callback(directory, caller).ok().flatten().as_deref()),
    }
}

/// Runs a plan for a caller.
pub(super) async fn run(gateway: &Gateway, directory: &Directory, plan: &Arc<Plan>, caller: &Caller) -> Response {
    let callback = match callback(directory, caller) {
        Ok(callback) => callback,
        Err(failure) => return answer::of_failure(&failure),
    };
    let begin = Instant::now();
    let feed = events::wanted(gateway, directory, caller);
    let observer: &dyn Observer = feed.as_ref().map_or(&Nobody, |feed| feed);
    let offers = directory.offers(plan).unwrap_or(gateway.offers());
    let offer = Offer::wanted(offers, caller.accept.as_deref());
    // An observer looks at the result.
    let only_json = feed.is_none() && (callback.is_some() || offer.is_some_and(Offer::is_json));
    let Executed { execution, id, requests, place: _place } =
        execute(gateway, directory, plan, caller, observer, deadline(directory), only_json).await;
    if let (Some(feed), Err(failure)) = (&feed, &execution) {
        feed.failed(failure);
    }
    let mut response = match &execution {
        Ok(Execution { result: Ok(result), .. }) => {
            written(result.as_ref(), offer, callback.as_deref(), directory.settings.max_memory, gateway.answers()).await
        }
        Ok(Execution { result: Err(failure), .. }) | Err(failure) => answer::of_failure_for(failure, callback.as_deref()),
    };
    response.extensions_mut().insert(requests);
    if gateway.logs().audit.is_some() {
        response.extensions_mut().insert(Ran::new(plan));
    }
    slow(gateway, directory, plan, &execution, &id, begin);
    response.headers_mut().insert(gateway.id_header(), id);
    if let Some(link) = feed.and_then(|feed| feed.packets().link()) {
        response.headers_mut().append(http::header::LINK, link);
    }
    if let Ok(Execution { headers, result: Ok(_), .. }) = &execution {
        for (name, value) in headers {
            // A value with a line end would be two headers (ql-D22): it is left out.
            // One whose name is a template may become a header of the connection.
            if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(value))
                && !is_framing(name.as_str())
            {
                response.headers_mut().insert(name, value);
            }
        }
    }
    if head::len(response.headers()) > head::MOST - head::LATER {
        // Events are a help; the route's own headers are not.
        response.headers_mut().remove(http::header::LINK);
    }
    if head::len(response.headers()) > head::MOST - head::LATER {
        let id = response.headers().get(gateway.id_header()).cloned();
        response = answer::of_failure_for(&head::too_long(), callback.as_deref());
        response.extensions_mut().insert(requests);
        if let Some(id) = id {
            response.headers_mut().insert(gateway.id_header(), id);
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

/// Notes a script that took long.
pub(super) fn slow(
    gateway: &Gateway,
    directory: &Directory,
    plan: &Plan,
    execution: &Result<Execution, QueryError>,
    id: &HeaderValue,
    begin: Instant,
) {
    let elapsed = begin.elapsed();
    let Some(log) = gateway.logs().slow.as_ref().filter(|_| elapsed >= Duration::from_millis(directory.settings.slow)) else { return };
    let known = execution.as_ref().ok();
    let failure = match execution {
        Ok(Execution { result: Ok(_), .. }) => None,
        Ok(Execution { result: Err(failure), .. }) | Err(failure) => Some(failure.parts().code.to_string()),
    };
    let lines = plan.steps.iter().map(|step| step.info.line);
    log.write(SlowQuery {
        time: SystemTime::now(),
        id: id.clone(),
        route: plan.route.as_ref().filter(|route| route.folder.is_some()).map(|route| route.path.as_str().into()),
        script: digest(plan),
        elapsed,
        waited: known.map_or(Duration::ZERO, |known| elapsed.saturating_sub(known.elapsed)),
        failure,
        statements: known.map(|known| lines.zip(known.steps.iter().copied()).collect()).unwrap_or_default(),
        requests: known.map(|known| known.requests.clone()).unwrap_or_default(),
    });
}

/// The weight from which on a result is written aside, in bytes: some milliseconds' work.
const HEAVY: u64 = 1 << 20;

/// Answers with a result.
async fn written(result: Option<&Datum>, offer: Option<&Offer>, callback: Option<&str>, most: u64, room: &Room) -> Response {
    if result.is_none_or(|result| result.view().weight(HEAVY) <= HEAVY) {
        return answer::of_result(result, offer, callback, most, room);
    }
    let (result, offer, callback, room) = (result.cloned(), offer.cloned(), callback.map(str::to_owned), room.clone());
    let write = move || answer::of_result(result.as_ref(), offer.as_ref(), callback.as_deref(), most, &room);
    let written = aside(HEAVY as usize, write);
    written.await.unwrap_or_else(|| answer::of_failure(&QueryError::new("internal", "writing the answer failed").status(500)))
}

/// Returns the name of the callback function, if there is one.
fn callback(directory: &Directory, caller: &Caller) -> Result<Option<String>, QueryError> {
    let Some((_, name)) = caller.query.iter().find(|(name, _)| name == "callback") else { return Ok(None) };
    if !directory.settings.callback {
        let failure = QueryError::new("callback_off", "the request has the parameter callback, and this gateway answers by no callback");
        return Err(failure
            .status(403)
            .hint("set `callback` to true in config.json, if pages of any site may read answers; `cors` names those that may"));
    }
    if answer::is_callback(name) {
        return Ok(Some(name.clone()));
    }
    Err(QueryError::new("bad_callback", "the parameter callback is not the name of a function").hint("use letters, digits, _, $ and dots"))
}
