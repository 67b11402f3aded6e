//! The arguments of `polywire query`.

use std::path::PathBuf;

use clap::Args;

use super::exchange::ExchangeArgs;

/// Run one script of the query language over a folder of tables, without a server, and print its
/// result
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
    pub exchange: ExchangeArgs,
}
