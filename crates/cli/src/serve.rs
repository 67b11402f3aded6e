//! `polywire serve`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use polywire_core::Error;
use polywire_core::text::diagnostic::Severity;
use polywire_gateway::directory::change::NotReloaded;
use polywire_gateway::directory::{Directory, Layout};
use polywire_gateway::exchange::certificates::Identity;
use polywire_gateway::exchange::tape::Tape;
use polywire_gateway::observe::Place;
use polywire_gateway::server::{self, Gateway, Listening, LogPlaces, Serve, ServeEvent, Start};

use crate::args::exchange::ExchangeArgs;
use crate::args::serve::ServeArgs;
use crate::failure::Failure;
use crate::{alloc, diagnostics, log, started, stderr};

/// Runs the verb.
pub fn run(args: &ServeArgs) -> Result<(), Failure> {
    let folder = args.folder.display().to_string();
    if args.cluster && matches!(folder.as_str(), "stop" | "shutdown") && !args.folder.exists() {
        let error = Error::usage(format!("`{folder}`")).expected("a folder to serve");
        return Err(error.hint("one process serves, which SIGTERM ends: kill it, or stop its service").into());
    }
    let failed = |error: &std::io::Error| Failure::about(Error::io("serving", error), Some(&folder));
    let identity = args.tls_cert.clone().zip(args.tls_key.clone()).map(|(certificate, key)| Identity { certificate, key });
    let tls = identity.as_ref().map(server::tls).transpose().map_err(|error| failed(&error))?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let _logging = log::begin(args.exchange.log.as_deref())?;
    if args.check {
        return check(args);
    }
    let place = |file: &PathBuf| match file.as_os_str() == "-" {
        true => Place::Open(|| Box::new(std::io::stderr())),
        false => Place::File(file.clone()),
    };
    let logs = LogPlaces {
        access: args.access_log.as_ref().map(place),
        slow: args.slow_log.as_ref().map(place),
        audit: args.audit_log.as_ref().map(place),
    };
    let options = Serve {
        layout: parts(args),
        address: SocketAddr::new(args.host, args.port),
        monitor: args.monitor_port.map(|port| SocketAddr::new(args.host, port)),
        threads: args.threads,
        watch: !args.no_watch,
        start: Start {
            ad_hoc: args.no_ad_hoc.then_some(false),
            ad_hoc_open: args.ad_hoc_open,
            no_console: args.no_console,
            health: args.ecv_path.clone(),
            logs,
            relief: alloc::relief(),
            ..start(&args.exchange)
        },
        listening: Listening { grace: Duration::from_secs(args.grace), tls, ..Listening::default() },
    };
    server::serve(&options, &|event| print(&event, scheme)).map_err(|error| failed(&error))
}

/// Returns the layout of the folder, with the parts that the command line names.
fn parts(args: &ServeArgs) -> Layout {
    Layout { config: args.config.clone(), tables: args.tables.clone(), routes: args.routes.clone(), ..layout(&args.folder, &args.exchange) }
}

/// Loads the folder as `serve` does, and prints its problems.
fn check(args: &ServeArgs) -> Result<(), Failure> {
    let folder = args.folder.display().to_string();
    let failed = |error: &std::io::Error| Failure::about(Error::io("reading the folder", error), Some(&folder));
    let gateway = Gateway::over(parts(args), start(&args.exchange)).map_err(|error| failed(&error))?;
    let directory = gateway.directory();
    problems(&directory);
    let findings = directory.problems.iter().flat_map(|problems| &problems.findings);
    let errors = findings.filter(|finding| finding.severity == Severity::Error).count();
    stderr::say(format_args!("{}", counts(&directory)));
    if errors == 0 { Ok(()) } else { Err(Failure::No) }
}

/// Returns the numbers of what is loaded.
fn counts(directory: &Directory) -> String {
    use polywire_gateway::server::Catalog;
    format!("{} tables, {} routes", directory.tables().len(), directory.routes().all().len())
}

/// Returns the layout of the folder, with the transformers that the command line names.
pub fn layout(folder: &Path, args: &ExchangeArgs) -> Layout {
    Layout { xformers: args.xformers.clone(), ..Layout::new(folder) }
}

/// Returns the source of replies, and the program that runs hooks: this one.
pub fn start(args: &ExchangeArgs) -> Start {
    let tape = match (&args.record, &args.replay) {
        (Some(folder), _) => Tape::Record(folder.clone()),
        (_, Some(folder)) => Tape::Replay(folder.clone()),
        _ => Tape::Off,
    };
    Start { tape, cache: args.cache.clone(), hook_worker: started::hook_worker(), ..Start::default() }
}

/// Prints the problems of files that were left out.
pub fn problems(directory: &Directory) {
    directory.problems.iter().for_each(diagnostics::print);
}

/// Prints an event for people.
fn print(event: &ServeEvent<'_>, scheme: &str) {
    let count = |directory: &Directory| {
        problems(directory);
        counts(directory)
    };
    match event {
        ServeEvent::Ready(address, directory) => {
            let counts = count(directory);
            stderr::say(format_args!("{counts}; listening at {scheme}://{address}"));
        }
        ServeEvent::Monitored(address) => stderr::say(format_args!("metrics at {scheme}://{address}/metrics")),
        ServeEvent::Reloaded(directory) => {
            let counts = count(directory);
            stderr::say(format_args!("loaded again: {counts}"));
        }
        ServeEvent::NotReloaded(error) => {
            if let NotReloaded::Broken(problems) = error {
                problems.iter().for_each(diagnostics::print);
            }
            stderr::say(format_args!("not loaded again, the old state stays: {error}"));
        }
        ServeEvent::NewCertificate(file) => stderr::say(format_args!("the certificate was reloaded from {}", file.display())),
        ServeEvent::NoNewCertificate(error) => stderr::say(format_args!("the certificate was not reloaded, the old one stays: {error}")),
        ServeEvent::NotWatched(error) => stderr::say(format_args!("changes of files may be missed; SIGHUP reloads them: {error}")),
        ServeEvent::Stopping => stderr::say(format_args!("shutting down; waiting for requests in flight")),
    }
}
