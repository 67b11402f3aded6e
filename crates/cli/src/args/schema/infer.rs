//! The arguments of `polywire schema infer`.

use std::path::PathBuf;

use clap::Args;
use polywire_schema::languages::LANGUAGES;

use crate::args::bad::BadArgs;
use crate::args::input::{DuplicatesArg, EachArg, FromArg, LimitArgs};
use crate::args::language::{Language, language_names};
use crate::args::paths::OpenPaths;
use crate::args::threads::ThreadsArg;

use crate::complete;

/// Print a schema that accepts all messages of the input
///
/// The input is read once, in memory that does not grow with the number of messages. The same
/// messages always give the same schema.
#[derive(Debug, Args)]
pub struct InferArgs {
    /// Files of messages of one type, folders, or patterns [default: stdin, also as -]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub from: FromArg,

    #[command(flatten)]
    pub each: EachArg,

    /// Replace text or bytes at these paths by the message they hold; . is the message itself, as
    /// in a body within an archive
    #[arg(long, value_name = "PATH[,PATH…]", add = complete::paths())]
    pub open: Option<OpenPaths>,

    /// Language to print the schema in
    #[arg(long, value_name = "LANGUAGE", default_value = LANGUAGES[0].name(), value_parser = language_names())]
    pub lang: Language,

    /// File to write the schema to [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Name of the message type [default: the name in the messages, else Message]
    #[arg(long)]
    pub name: Option<String>,

    #[command(flatten)]
    pub duplicates: DuplicatesArg,

    #[command(flatten)]
    pub threads: ThreadsArg,

    #[command(flatten)]
    pub bad: BadArgs,

    #[command(flatten)]
    pub limits: LimitArgs,
}
