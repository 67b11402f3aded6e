//! Scripts that are explained, before or after they run.

use axum::body::Body;
use axum::response::Response;
use http::StatusCode;
use polywire_doc::Datum;
use polywire_ql::error::QueryError;
use polywire_ql::execute::Execution;
use polywire_ql::explain::{Asked, analyzed_text, analyzed_value, text, value};
use polywire_ql::observe::Nobody;

use super::answer;
use super::caller::Caller;
use super::execute::{deadline, execute, permitted};
use super::gateway::Gateway;
use super::notes::Requests;
use crate::decode::{Offer, choose, ranges};
use crate::directory::Directory;

/// The plan of a script, with the outcome if that was asked for.
#[derive(Debug)]
pub struct Explained {
    /// For people.
    pub text: String,
    /// For programs.
    pub value: Datum,
    /// The outcome of the script, if it ran.
    pub execution: Option<Execution>,
}

/// Explains a script to a caller. A script that fails is explained like others.
pub(super) async fn answered(gateway: &Gateway, directory: &Directory, asked: Asked, script: &str, caller: &Caller) -> Response {
    let (explained, requests) = match explained(gateway, directory, asked, script, caller).await {
        Ok(explained) => explained,
        Err(failure) => return answer::of_failure(&failure),
    };
    let accept = caller.accept.as_deref();
    let offers = gateway.offers().iter().map(|offer| offer.media_type);
    let mut response = match choose(&ranges(accept), offers.chain(["text/plain"])) {
        Some("text/plain") => answer::reply(StatusCode::OK, "text/plain; charset=utf-8", Body::from(explained.text)),
        _ => answer::of_result(
            Some(&explained.value),
            Offer::wanted(gateway.offers(), accept),
            None,
            directory.settings.max_memory,
            gateway.answers(),
        ),
    };
    response.extensions_mut().insert(requests);
    response
}

pub(super) async fn explained(
    gateway: &Gateway,
    directory: &Directory,
    asked: Asked,
    script: &str,
    caller: &Caller,
) -> Result<(Explained, Requests), QueryError> {
    let plan = gateway.plan(script, directory).map_err(|diagnostics| QueryError::from(&*diagnostics))?;
    permitted(gateway, directory, caller, &plan)?;
    if asked == Asked::Plan {
        let most = plan.most_requests(directory.settings.max_nested_requests);
        return Ok((estimated(text(&plan, directory), value(&plan, directory), most), Requests(0)));
    }
    let done = execute(gateway, directory, &plan, caller, &Nobody, deadline(directory), false).await;
    let execution = done.execution?;
    let explained = Explained {
        text: analyzed_text(&plan, directory, &execution),
        value: analyzed_value(&plan, directory, &execution),
        execution: Some(execution),
    };
    Ok((explained, done.requests))
}

/// Adds the requests that a plan makes at most.
pub(super) fn estimated(mut text: String, mut value: Datum, most: usize) -> Explained {
    if most > 0 {
        text.push_str(&format!("{most} requests at most\n"));
    }
    if let Datum::Object(members) = &mut value {
        members.insert("mostRequests", Datum::UInt(most as u64));
    }
    Explained { text, value, execution: None }
}
