//! The arguments of `polywire inspect`.

use std::path::PathBuf;

use clap::Args;
use polywire_core::Error;
use polywire_core::tools::inspect::{Needle, Options};

use super::input::{EachArg, FromArg, LimitArgs};
use super::paths::{Selection, StrictArg};
use super::report::DumpReport;
use super::schema_file::SchemaArg;

use crate::complete;

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

    #[command(flatten)]
    pub strict: StrictArg,

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

    /// Columns of a line [default: the terminal's, else 100]
    #[arg(long, value_name = "N", value_parser = width)]
    pub width: Option<usize>,

    /// Write to the terminal directly, not through $PAGER
    #[arg(long)]
    pub no_pager: bool,

    /// Show only the value at byte N, such as 4096 or 0x1000
    #[arg(long, value_name = "N", value_parser = offset, help_heading = "Rows")]
    pub at: Option<u64>,

    /// Show only message K, counted from 1
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Rows")]
    pub message: Option<u64>,

    // Given apart from the documentation, where brackets would be a link.
    /// Show only the values at these paths
    #[arg(
        long,
        value_name = "PATH[,PATH…]", add = complete::paths(),
        help = "Show only the values at these paths and what they hold, such as order.items[0]",
        help_heading = "Rows"
    )]
    pub path: Option<Selection>,

    /// Show only names and values that hold this text, or these bytes: 0x1f8b, or "1f 8b"
    #[arg(long, value_name = "TEXT|HEX", value_parser = Needle::parse, help_heading = "Rows")]
    pub find: Option<Needle>,

    /// Stop after N values
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Rows")]
    pub limit: Option<u64>,

    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Reads the offset of a byte: decimal, or hexadecimal after `0x`.
fn offset(text: &str) -> Result<u64, Error> {
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) if !digits.starts_with('+') => u64::from_str_radix(digits, 16),
        _ => text.parse(),
    };
    parsed.map_err(|_| Error::usage(format!("the offset `{text}`")).expected("a number of bytes, such as 4096 or 0x1000"))
}

/// Reads the columns of a line.
fn width(text: &str) -> Result<usize, Error> {
    let parsed = text.parse().ok().filter(|width| (40..=1000).contains(width));
    parsed.ok_or_else(|| Error::usage(format!("the width `{text}`")).expected("a number of columns from 40 to 1000"))
}
