//! The arguments of the command line: a file for each verb, and one for each idea that verbs share.

pub mod bad;
pub mod charset;
pub mod compare;
pub mod convert;
pub mod diff;
pub mod errors;
pub mod examples;
#[cfg(feature = "gateway")]
pub mod exchange;
pub mod formats;
#[cfg(feature = "gateway")]
pub mod import;
pub mod input;
pub mod inspect;
pub mod jq;
pub mod language;
pub mod layout;
pub mod lossy;
pub mod output;
pub mod paths;
#[cfg(feature = "gateway")]
pub mod query;
pub mod report;
pub mod schema;
pub mod schema_file;
#[cfg(feature = "gateway")]
pub mod serve;
pub mod settings;
pub mod shape;
#[cfg(feature = "gateway")]
pub mod table;
pub mod take;
pub mod threads;

use std::path::PathBuf;

use clap::{Command, CommandFactory, Parser, Subcommand};

#[cfg(not(feature = "gateway"))]
use crate::absent::Absent;
use compare::CompareArgs;
use convert::ConvertArgs;
use diff::DiffArgs;
use formats::FormatsArgs;
#[cfg(feature = "gateway")]
use import::ImportArgs;
use inspect::InspectArgs;
use jq::JqArgs;
#[cfg(feature = "gateway")]
use query::QueryArgs;
use schema::SchemaArgs;
#[cfg(feature = "gateway")]
use serve::ServeArgs;
#[cfg(feature = "gateway")]
use table::TableArgs;

/// A toolkit for messages on the wire: measures what your messages cost in every format, converts
/// them, explains their bytes
#[derive(Debug, Parser)]
#[command(name = "polywire", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 success; 1 the answer is no (a loss without --lossy, a difference, a path that matched nothing); 2 usage; 3 bad data; 4 I/O."
)]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,

    #[command(flatten)]
    pub color: colorchoice_clap::Color,

    #[command(flatten)]
    pub errors: errors::ErrorsArg,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    Compare(CompareArgs),
    Convert(ConvertArgs),
    Inspect(InspectArgs),
    Jq(JqArgs),
    Diff(DiffArgs),
    Schema(SchemaArgs),
    #[cfg(feature = "gateway")]
    Serve(ServeArgs),
    #[cfg(feature = "gateway")]
    Query(QueryArgs),
    #[cfg(feature = "gateway")]
    Table(TableArgs),
    #[cfg(feature = "gateway")]
    Import(ImportArgs),
    /// Serve a folder of tables and routes over HTTP (not in this program: feature `gateway`)
    #[cfg(not(feature = "gateway"))]
    Serve(Absent),
    /// Run one script of the query language and print its result (not in this program: feature
    /// `gateway`)
    #[cfg(not(feature = "gateway"))]
    Query(Absent),
    /// Draft tables of the query language (not in this program: feature `gateway`)
    #[cfg(not(feature = "gateway"))]
    Table(Absent),
    /// Make tables of the query language from a service's description (not in this program: feature
    /// `gateway`)
    #[cfg(not(feature = "gateway"))]
    Import(Absent),
    Formats(FormatsArgs),
    /// Print a completion script for a shell
    Completions {
        shell: clap_complete::Shell,
    },
    /// Write the man pages to a folder
    Man {
        /// Folder to write to; it must exist
        folder: PathBuf,
    },
}

/// Returns the program's arguments, with examples at the end of each verb's long help.
pub fn program() -> Command {
    examples::added(Cli::command(), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        program().debug_assert();
    }
}
