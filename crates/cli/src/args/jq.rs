//! The arguments of `polywire jq`.

use std::path::PathBuf;

use clap::Args;
use polywire_core::format::Format;

use super::bad::BadArgs;
use super::convert::SurrogatesArg;
use super::input::{DuplicatesArg, EachArg, FollowArg, FromArg, LimitArgs, format_names};
use super::layout::LayoutArgs;
use super::lossy::LossyArg;
use super::output::OutputArgs;
use super::paths::{OpenPaths, StrictArg};
use super::schema_file::SchemaArg;
use super::take::TakeArgs;
use super::threads::ThreadsArg;

use crate::complete;

/// Filter messages of any format in the language of jq
///
/// The filter runs once per message, and each of its results is a message of the output. docs/jq.md
/// lists what differs from jq.
#[derive(Debug, Args)]
pub struct JqArgs {
    /// Filter, then files to read, folders, or patterns such as "logs/**/*.json" [default: stdin,
    /// also as -]
    #[arg(value_name = "FILTER|INPUT")]
    pub words: Vec<String>,

    #[command(flatten)]
    pub from: FromArg,

    #[command(flatten)]
    pub each: EachArg,

    #[command(flatten)]
    pub follow: FollowArg,

    /// Format to write [default: by the output's file extension, else JSON; with --in-place the
    /// input's]
    #[arg(long, value_name = "FORMAT", value_parser = format_names(), hide_possible_values = true)]
    pub to: Option<&'static Format>,

    #[command(flatten)]
    pub schema: SchemaArg,

    /// Replace text or bytes at these paths by the message they hold, before the filter runs; . is
    /// the input itself, such as a compressed file
    #[arg(long, value_name = "PATH[,PATH…]", add = complete::paths())]
    pub open: Option<OpenPaths>,

    #[command(flatten)]
    pub strict: StrictArg,

    /// Run the filter once, on null; `input` and `inputs` read messages
    #[arg(short, long)]
    pub null_input: bool,

    /// Run the filter once, on the list of all messages
    #[arg(short, long)]
    pub slurp: bool,

    /// Write texts as they are, a line each
    #[arg(short, long)]
    pub raw_output: bool,

    /// Write texts as they are, and nothing behind any result
    #[arg(short, long)]
    pub join_output: bool,

    #[command(flatten)]
    pub layout: LayoutArgs,

    /// Write each result on one line, as is the default
    #[arg(short, long, conflicts_with_all = ["pretty", "indent"])]
    pub compact_output: bool,

    /// Exit with 1 if the last result is false or null, or there is none
    #[arg(short, long)]
    pub exit_status: bool,

    /// Read the filter from a file
    #[arg(short = 'f', long, value_name = "FILE")]
    pub from_file: Option<PathBuf>,

    /// Set $NAME to a text
    #[arg(long, num_args = 2, value_names = ["NAME", "TEXT"], allow_hyphen_values = true)]
    pub arg: Vec<String>,

    /// Set $NAME to a value in JSON
    #[arg(long, num_args = 2, value_names = ["NAME", "JSON"], allow_hyphen_values = true)]
    pub argjson: Vec<String>,

    /// Set $NAME to the list of the messages of a file
    #[arg(long, num_args = 2, value_names = ["NAME", "FILE"])]
    pub slurpfile: Vec<String>,

    /// Set $NAME to the text of a file
    #[arg(long, num_args = 2, value_names = ["NAME", "FILE"])]
    pub rawfile: Vec<String>,

    /// Take the words behind for $ARGS.positional, as texts
    #[arg(long, num_args = 0.., value_name = "TEXT")]
    pub args: Option<Vec<String>>,

    /// Take the words behind for $ARGS.positional, as values in JSON
    #[arg(long, num_args = 0.., value_name = "JSON")]
    pub jsonargs: Option<Vec<String>>,

    #[command(flatten)]
    pub lossy: LossyArg,

    /// Read half of a surrogate pair in JSON's text, which is an error otherwise
    #[arg(long, value_name = "POLICY", value_enum)]
    pub surrogates: Option<SurrogatesArg>,

    #[command(flatten)]
    pub duplicates: DuplicatesArg,

    #[command(flatten)]
    pub take: TakeArgs,

    #[command(flatten)]
    pub output: OutputArgs,

    #[command(flatten)]
    pub bad: BadArgs,

    #[command(flatten)]
    pub threads: ThreadsArg,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// Most bytes that the values of the filter may take
    #[arg(long, value_name = "BYTES", default_value_t = polywire_jq::MEMORY, help_heading = "Limits")]
    pub max_memory: u64,
}
