//! The arguments of `polywire inspect`.

use std::path::PathBuf;

use clap::Args;
use polywire_core::tools::inspect::Options;

use super::input::{EachArg, FromArg, LimitArgs};
use super::report::DumpReport;
use super::schema_file::SchemaArg;

/// Explain the bytes of messages: each value with its byte range
///
/// Every byte of the input belongs to one row. Broken input is shown up to the error, with the
/// error's place.
#[derive(Debug, Args)]
pub struct InspectArgs {
    /// File to read [default: stdin, also as -]
    pub input: Option<PathBuf>,

    #[command(flatten)]
    pub from: FromArg,

    #[command(flatten)]
    pub each: EachArg,

    #[command(flatten)]
    pub schema: SchemaArg,

    /// Levels of payloads to open: messages in text or bytes, compressed or not, and messages in
    /// those
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=i64::from(Options::MAX_DEPTH)))]
    pub depth: u32,

    /// Show long values in full
    #[arg(long)]
    pub full: bool,

    /// Dump for people, or one JSON object per row for programs
    #[arg(long, value_enum, default_value_t = DumpReport::Text)]
    pub report: DumpReport,

    #[command(flatten)]
    pub limits: LimitArgs,
}
