//! The command line: it parses arguments and prints the libraries' answers. It has no logic of its
//! own.
//!
//! The program `polywire` is [`run`] and nothing else, so that another program can have the same
//! command: the Python package does.
//!
//! ```
//! use polywire_cli::{Started, run};
//!
//! assert_eq!(run(Started::new(["polywire", "convert", "--no-such-option"])), 2);
//! ```
#![deny(unsafe_code)]

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
pub mod dump;
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
mod started;
mod stderr;
mod stdout;
#[cfg(feature = "gateway")]
mod table;
mod terminal;

use clap::FromArgMatches;

use args::errors::asks_for_json;
use args::{Cli, Verb};

pub use alloc::HEAP;
pub use polywire_heap::made as allocations;
pub use started::Started;

/// Runs the command, prints its answer, and returns its exit code. It is called once in a process.
///
/// A command that completes a word for a shell, or that runs hooks for the gateway, ends the
/// process.
pub fn run(started: Started) -> u8 {
    let arguments = started.become_this().arguments();
    polywire_core::tools::hush_caught();
    #[cfg(feature = "gateway")]
    polywire_gateway::hook_worker::serve_if_asked_by(arguments);
    complete::answer_if_asked();
    let cli = match args::program().try_get_matches_from(arguments).and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && asks_for_json(arguments) => return failure::usage(&error),
        Err(error) => {
            // Nobody is left to hear that the text could not be printed.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(u8::MAX);
        }
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
        Ok(()) => 0,
        Err(failure) => {
            failure.print();
            failure.code()
        }
    }
}
