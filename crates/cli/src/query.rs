//! `polywire query`.

mod files;

use std::io::{Read, stdin};

use polywire_core::Error;
use polywire_gateway::server::{Asked, Execution, Explained, Gateway, QueryError, asked, explain, query};

use files::LocalFiles;

use crate::args::query::QueryArgs;
use crate::bad::BadMessages;
use crate::failure::{Failure, unwritten};
use crate::{log, serve, stderr, stdout};

/// Runs the verb.
pub fn run(args: &QueryArgs) -> Result<(), Failure> {
    let bad = BadMessages::new(&args.bad)?;
    let outcome = run_script(args, bad.as_ref());
    let complete = bad.map_or(Ok(true), |bad| bad.finish());
    outcome?;
    if complete? { Ok(()) } else { Err(Failure::No) }
}

/// Runs the script, and prints its result.
fn run_script(args: &QueryArgs, bad: Option<&BadMessages>) -> Result<(), Failure> {
    let script = script(&args.script)?;
    let asked = match (args.explain, args.analyze) {
        (true, _) => Some((Asked::Plan, script.clone())),
        (_, true) => Some((Asked::Analysis, script.clone())),
        _ => asked(&script),
    };
    let _logging = log::begin(args.exchange.log.as_deref())?;
    let folder = args.tables.display().to_string();
    let gateway = Gateway::over(serve::layout(&args.tables, &args.exchange), serve::start(&args.exchange))
        .map_err(|error| Failure::about(Error::io("reading", &error), Some(&folder)))?;
    serve::problems(&gateway.directory());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::from(Error::io("starting", &error)))?;
    let files = LocalFiles::new(args, bad);
    if let Some((asked, script)) = asked {
        return explained(runtime.block_on(explain(&gateway, asked, &script, Some(&files))), &files);
    }
    let outcome = runtime.block_on(query(&gateway, &script, Some(&files))).and_then(|execution| {
        for warning in &execution.warnings {
            stderr::say(format_args!("line {}: {}", warning.line, warning.message));
        }
        execution.result
    });
    match outcome {
        Ok(result) => {
            let mut text = result.unwrap_or_default().to_json();
            text.push(b'\n');
            stdout::write(&text).map_err(|error| unwritten(&error))
        }
        Err(failure) => Err(failed(&failure, &files)),
    }
}

/// Prints an explanation. A failed script is explained too, and fails the command.
fn explained(outcome: Result<Explained, QueryError>, files: &LocalFiles<'_>) -> Result<(), Failure> {
    let explained = outcome.map_err(|failure| failed(&failure, files))?;
    stdout::write(explained.text.as_bytes()).map_err(|error| unwritten(&error))?;
    match explained.execution {
        Some(Execution { result: Err(error), .. }) => Err(files.failure(&error).unwrap_or(Failure::No)),
        _ => Ok(()),
    }
}

/// Prints a script's failure: for people on stderr, and as JSON in place of the result. The failure
/// to read a file is printed later, as for other verbs.
fn failed(failure: &QueryError, files: &LocalFiles<'_>) -> Failure {
    let unreadable = files.failure(failure);
    if unreadable.is_none() {
        stderr::say(format_args!("{failure}"));
    }
    let mut text = failure.to_datum().to_json();
    text.push(b'\n');
    match stdout::write(&text) {
        Ok(()) => unreadable.unwrap_or(Failure::No),
        Err(error) => unwritten(&error),
    }
}

/// Returns the script that an argument names.
fn script(argument: &str) -> Result<String, Failure> {
    let failed = |error: std::io::Error, name: &str| Failure::about(Error::io("reading", &error), Some(name));
    match (argument, argument.strip_prefix('@')) {
        ("-", _) => {
            let mut script = String::new();
            stdin().lock().read_to_string(&mut script).map_err(|error| failed(error, "stdin"))?;
            Ok(script)
        }
        (_, Some(file)) => std::fs::read_to_string(file).map_err(|error| failed(error, file)),
        _ => Ok(argument.to_owned()),
    }
}
