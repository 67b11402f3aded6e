//! The arguments of `polywire convert`.

use std::path::PathBuf;

use clap::Args;
use polywire_core::format::Format;

use super::input::{DuplicatesArg, FromArg, LimitArgs, format_named};
use super::paths::{OpenPaths, Selection, StrictArg};
use super::schema_file::SchemaArg;

/// Convert messages from any format to any other
///
/// Losses are reported once per path with a count. They make the exit code 1 unless --lossy is
/// given.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// File to read [default: stdin, also as -]
    pub input: Option<PathBuf>,

    /// File to write [default: stdout, also as -]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub from: FromArg,

    /// Format to write [default: by the output's file extension]
    #[arg(long, value_name = "FORMAT", value_parser = format_named)]
    pub to: Option<&'static Format>,

    #[command(flatten)]
    pub schema: SchemaArg,

    /// Accept losses: they are reported, and the exit code is 0
    #[arg(long)]
    pub lossy: bool,

    /// Keep only these paths, such as vouchers.goods_name or items[-1].sku; the rest is skipped
    /// unread
    #[arg(long, value_name = "PATH[,PATH…]")]
    pub select: Option<Selection>,

    /// Replace text or bytes at these paths by the message they hold; . is the input itself, such
    /// as a compressed file
    #[arg(long, value_name = "PATH[,PATH…]")]
    pub open: Option<OpenPaths>,

    #[command(flatten)]
    pub strict: StrictArg,

    #[command(flatten)]
    pub duplicates: DuplicatesArg,

    #[command(flatten)]
    pub limits: LimitArgs,
}
