//! The arguments of `polywire query`.

use std::path::PathBuf;

use clap::Args;

use super::bad::BadArgs;
use super::exchange::ExchangeArgs;
use super::input::{DuplicatesArg, EachArg, FromArg, LimitArgs};
use super::schema_file::SchemaArg;

/// Run one script of the query language over a folder of tables, files and stdin, without a server,
/// and print its result
///
/// A path in quotes is a table: select sku from "orders.jsonl". docs/ql.md has the language.
#[derive(Debug, Args)]
pub struct QueryArgs {
    /// Script, such as 'select title from items where id = 7'; @FILE reads a file, - reads stdin
    pub script: String,

    /// Print the plan without running it, as `explain` at the script's start does
    #[arg(long, conflicts_with = "analyze")]
    pub explain: bool,

    /// Run the script and print what it did, as `explain analyze` does
    #[arg(long)]
    pub analyze: bool,

    /// Folder with tables/ and config.json
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub tables: PathBuf,

    #[command(flatten)]
    pub from: FromArg,

    #[command(flatten)]
    pub each: EachArg,

    #[command(flatten)]
    pub schema: SchemaArg,

    #[command(flatten)]
    pub duplicates: DuplicatesArg,

    #[command(flatten)]
    pub exchange: ExchangeArgs,

    #[command(flatten)]
    pub bad: BadArgs,

    #[command(flatten)]
    pub limits: LimitArgs,
}
