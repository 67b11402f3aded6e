//! `polywire serve`.

use std::net::SocketAddr;
use std::time::Duration;

use polywire_core::error::Error;
use polywire_gateway::directory::Directory;
use polywire_gateway::directory::change::NotReloaded;
use polywire_gateway::exchange::tape::Tape;
use polywire_gateway::observe::Place;
use polywire_gateway::server::{self, Listening, Serve, Start, Told};

use crate::args::{ExchangeArgs, ServeArgs};
use crate::failure::Failure;
use crate::{diagnostics, log};

/// Runs the verb.
pub fn run(args: &ServeArgs) -> Result<(), Failure> {
    let _logging = log::begin(args.exchange.log.as_deref())?;
    let access_log = args.access_log.as_ref().map(|file| match file.as_os_str() == "-" {
        true => Place::Open(|| Box::new(std::io::stderr())),
        false => Place::File(file.clone()),
    });
    let options = Serve {
        path: args.folder.clone(),
        address: SocketAddr::new(args.host, args.port),
        threads: args.threads,
        watch: !args.no_watch,
        start: Start { ad_hoc: args.no_ad_hoc.then_some(false), access_log, ..start(&args.exchange) },
        listening: Listening { grace: Duration::from_secs(args.grace), ..Listening::default() },
    };
    let folder = args.folder.display().to_string();
    server::serve(&options, &tell).map_err(|error| Failure::about(Error::io("serving", &error), Some(&folder)))
}

/// Where replies come from.
pub fn start(args: &ExchangeArgs) -> Start {
    let tape = match (&args.record, &args.replay) {
        (Some(folder), _) => Tape::Record(folder.clone()),
        (_, Some(folder)) => Tape::Replay(folder.clone()),
        _ => Tape::Off,
    };
    Start { tape, cache: args.cache.clone(), xformers: args.xformers.clone(), ..Start::default() }
}

/// Prints what is wrong with files that were left out.
pub fn problems(directory: &Directory) {
    directory.problems.iter().for_each(diagnostics::tell);
}

fn tell(told: Told<'_>) {
    let count = |directory: &Directory| {
        use polywire_gateway::server::Catalog;
        problems(directory);
        format!("{} tables, {} routes", directory.tables().len(), directory.routes().all().len())
    };
    match told {
        Told::Ready(address, directory) => {
            let counts = count(directory);
            eprintln!("polywire: {counts}; listening at http://{address}");
        }
        Told::Reloaded(directory) => {
            let counts = count(directory);
            eprintln!("polywire: loaded again: {counts}");
        }
        Told::NotReloaded(error) => {
            if let NotReloaded::Broken(problems) = error {
                problems.iter().for_each(diagnostics::tell);
            }
            eprintln!("polywire: not loaded again, everything stays as it was: {error}");
        }
        Told::Stopping => eprintln!("polywire: ending; answers under way are waited for"),
    }
}
