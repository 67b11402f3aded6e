//! Scripts run, and their answers.

use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use http::{HeaderName, HeaderValue};
use polywire_core::doc::Datum;
use polywire_ql::execute::{Environment, Execution, execute};
use polywire_ql::failure::Failure;
use polywire_ql::limits::Limits;
use polywire_ql::observe::Nobody;
use polywire_ql::plan::Plan;

use super::answer;
use super::caller::Caller;
use super::gateway::Gateway;
use crate::directory::Directory;
use crate::exchange::answer::Answer;

/// Runs a script for a caller.
pub(super) async fn script(gateway: &Gateway, directory: &Directory, script: &str, caller: &Caller) -> Response {
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
    let (execution, id) = executed(gateway, directory, plan, caller).await;
    let mut response = match &execution {
        Ok(Execution { result: Ok(result), .. }) => {
            let offers = directory.offers(plan).unwrap_or(gateway.offers());
            answer::of_result(result.as_ref(), offers, caller.accept.as_deref(), callback.as_deref())
        }
        Ok(Execution { result: Err(failure), .. }) | Err(failure) => answer::of_failure_for(failure, callback.as_deref()),
    };
    response.headers_mut().insert(gateway.id_header(), id);
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
            response.headers_mut().insert("polywire-partial", HeaderValue::from(partial));
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
    executed(gateway, &directory, &plan, &Caller::default()).await.0
}

async fn executed(gateway: &Gateway, directory: &Directory, plan: &Plan, caller: &Caller) -> (Result<Execution, Failure>, HeaderValue) {
    let settings = &directory.settings;
    let deadline = Duration::from_millis(settings.deadline);
    let session = gateway.service().session(Answer::new(Some(deadline), settings.parallel), caller.id.as_deref());
    let limits = Limits { nested_requests: settings.max_nested_requests, ..Limits::DEFAULT };
    let environment = Environment {
        backend: &session,
        catalog: directory,
        functions: gateway.service().functions(),
        observer: &Nobody,
        request: &caller.request,
        config: &directory.config,
        limits,
    };
    let execution = tokio::time::timeout(deadline, execute(plan, &environment)).await;
    let execution = execution.map_err(|_| {
        let message = format!("the answer was not there after {} ms", settings.deadline);
        Failure::new("deadline", message)
            .status(504)
            .hint("ask for less, or raise `deadline` in config.json")
            .detail("deadline", Datum::UInt(settings.deadline))
    });
    (execution, session.id())
}

/// The function to call, if there is one.
fn callback(caller: &Caller) -> Result<Option<String>, Failure> {
    let Some((_, name)) = caller.query.iter().find(|(name, _)| name == "callback") else { return Ok(None) };
    if answer::is_callback(name) {
        return Ok(Some(name.clone()));
    }
    Err(Failure::new("bad_callback", "the parameter callback is no name of a function").hint("use letters, digits, _, $ and dots"))
}
