//! `polywire query`.

use std::io::{Read, Write, stdin, stdout};

use polywire_core::error::Error;
use polywire_gateway::server::{Gateway, query};

use crate::args::QueryArgs;
use crate::failure::{Failure, unwritten};
use crate::serve;

/// Runs the verb.
pub fn run(args: &QueryArgs) -> Result<(), Failure> {
    let script = script(&args.script)?;
    let folder = args.tables.display().to_string();
    let gateway = Gateway::over(serve::layout(&args.tables, &args.exchange), serve::start(&args.exchange))
        .map_err(|error| Failure::about(Error::io("reading", &error), Some(&folder)))?;
    serve::problems(&gateway.directory());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::from(Error::io("starting", &error)))?;
    let outcome = runtime.block_on(query(&gateway, &script)).and_then(|execution| {
        for warning in &execution.warnings {
            eprintln!("polywire: line {}: {}", warning.line, warning.message);
        }
        execution.result
    });
    match outcome {
        Ok(result) => {
            let mut text = result.unwrap_or_default().to_json();
            text.push(b'\n');
            stdout().lock().write_all(&text).map_err(|error| unwritten(&error))
        }
        Err(failure) => {
            eprintln!("polywire: {failure}");
            let mut text = failure.to_datum().to_json();
            text.push(b'\n');
            stdout().lock().write_all(&text).map_err(|error| unwritten(&error))?;
            Err(Failure::No)
        }
    }
}

/// The script that an argument names.
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
