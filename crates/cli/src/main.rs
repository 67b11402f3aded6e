//! The command line: it parses arguments and prints the libraries' answers. It has no logic of its
//! own.
#![deny(unsafe_code)]

#[cfg(any(test, not(all(feature = "gateway", feature = "rivals"))))]
mod absent;
mod alloc;
mod args;
mod bad;
mod broken;
mod column_facts;
mod columns;
mod compare;
mod complete;
mod convert;
mod diagnostics;
mod diff;
mod dump;
mod failure;
mod formats;
mod generate;
#[cfg(feature = "gateway")]
mod import;
mod input;
mod inspect;
mod jq;
#[cfg(feature = "gateway")]
mod log;
mod losses;
mod message_type;
mod missed;
mod output;
mod pager;
#[cfg(feature = "gateway")]
mod query;
mod reserved;
mod schema;
#[cfg(feature = "gateway")]
mod serve;
mod stderr;
mod stdout;
#[cfg(feature = "gateway")]
mod table;
mod terminal;

use std::process::ExitCode;

use clap::FromArgMatches;

use args::errors::asks_for_json;
use args::{Cli, Verb};

fn main() -> ExitCode {
    #[cfg(feature = "gateway")]
    polywire_gateway::hook_worker::serve_if_asked();
    complete::answer_if_asked();
    let cli = match args::program().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && asks_for_json(std::env::args_os()) => return failure::usage(&error),
        Err(error) => error.exit(),
    };
    cli.color.write_global();
    stderr::set_form(cli.errors.errors);
    let outcome = match cli.verb {
        Verb::Compare(args) => compare::run(&args),
        Verb::Convert(args) => convert::run(args),
        Verb::Inspect(args) => inspect::run(&args),
        Verb::Jq(args) => jq::run(args),
        Verb::Diff(args) => diff::run(&args),
        Verb::Schema(args) => schema::run(&args),
        #[cfg(feature = "gateway")]
        Verb::Serve(args) => serve::run(&args),
        #[cfg(feature = "gateway")]
        Verb::Query(args) => query::run(&args),
        #[cfg(feature = "gateway")]
        Verb::Table(args) => table::run(args),
        #[cfg(feature = "gateway")]
        Verb::Import(args) => import::run(&args),
        #[cfg(not(feature = "gateway"))]
        Verb::Serve(args) => Err(args.verb("serve", "gateway")),
        #[cfg(not(feature = "gateway"))]
        Verb::Query(args) => Err(args.verb("query", "gateway")),
        #[cfg(not(feature = "gateway"))]
        Verb::Table(args) => Err(args.verb("table", "gateway")),
        #[cfg(not(feature = "gateway"))]
        Verb::Import(args) => Err(args.verb("import", "gateway")),
        Verb::Formats(args) => formats::run(&args),
        Verb::Completions { shell } => generate::completions(shell),
        Verb::Man { folder } => generate::man(&folder),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print();
            failure.exit_code()
        }
    }
}
