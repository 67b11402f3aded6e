//! Scripts that the user of the program runs without a server. They alone may read files.

use polywire_core::text::diagnostic::Source;
use polywire_ql::error::QueryError;
use polywire_ql::execute::{Environment, Execution};
use polywire_ql::explain::{Asked, analyzed_text, analyzed_value, text, value};
use polywire_ql::files::Files;
use polywire_ql::limits::Limits;
use polywire_ql::observe::Nobody;
use polywire_ql::plan::Plan;

use super::caller::Caller;
use super::execute::{deadline, execute};
use super::explained::{Explained, estimated};
use super::gateway::Gateway;
use crate::directory::Directory;
use crate::exchange::bounds::Bounds;

/// Bytes of the values of a script that reads files: nobody else is served meanwhile.
pub const MEMORY: u64 = 1 << 30;

/// Runs a script without a server, and returns its result. Its files are read by `files`; without
/// them it reads none.
///
/// # Errors
/// The script does not compile, or fails.
pub async fn query(gateway: &Gateway, script: &str, files: Option<&dyn Files>) -> Result<Execution, QueryError> {
    let directory = gateway.directory();
    let plan = plan(&directory, script)?;
    run(gateway, &directory, &plan, files).await
}

/// Explains a script without a server.
///
/// # Errors
/// The script does not compile, or takes longer than the deadline.
pub async fn explain(gateway: &Gateway, asked: Asked, script: &str, files: Option<&dyn Files>) -> Result<Explained, QueryError> {
    let directory = gateway.directory();
    let plan = plan(&directory, script)?;
    if asked == Asked::Plan {
        let most = plan.most_requests(directory.settings.max_nested_requests);
        return Ok(estimated(text(&plan, &*directory), value(&plan, &*directory), most));
    }
    let execution = run(gateway, &directory, &plan, files).await?;
    Ok(Explained {
        text: analyzed_text(&plan, &*directory, &execution),
        value: analyzed_value(&plan, &*directory, &execution),
        execution: Some(execution),
    })
}

/// Plans a script. Unlike one of a caller, it may read files.
fn plan(directory: &Directory, script: &str) -> Result<Plan, QueryError> {
    let config = &directory.public_config;
    let plan = Plan::new(&Source::new("script", script), config, None).and_then(|plan| directory.doubted(plan, config));
    plan.map_err(|diagnostics| QueryError::from(&diagnostics))
}

/// Executes a plan. One that reads no file runs as a server runs it.
async fn run(gateway: &Gateway, directory: &Directory, plan: &Plan, files: Option<&dyn Files>) -> Result<Execution, QueryError> {
    let caller = Caller::default();
    if plan.files().is_empty() {
        return execute(gateway, directory, plan, &caller, &Nobody, deadline(directory), false).await.execution;
    }
    let settings = &directory.settings;
    // Files take as long as they are; each request has its own timeouts.
    let session = gateway.service().session(Bounds::new(None, settings.parallel), None);
    let memory = settings.max_memory.max(MEMORY);
    let limits =
        Limits { nested_requests: settings.max_nested_requests, memory, rows: usize::MAX, work: u64::MAX, time: None, ..Limits::DEFAULT };
    let environment = Environment {
        backend: &session,
        catalog: directory,
        files,
        functions: gateway.service().functions(),
        observer: &Nobody,
        request: &caller.request,
        config: &directory.config,
        script_config: &directory.public_config,
        limits,
        memory: None,
        only_json: false,
    };
    Ok(polywire_ql::execute::execute(plan, &environment).await)
}
