//! The arguments of `polywire formats`.

use clap::{Args, ValueEnum};

/// List the formats
#[derive(Debug, Args)]
pub struct FormatsArgs {
    /// Form of the printed list
    #[arg(long, value_enum, default_value_t = ListReport::Table)]
    pub report: ListReport,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ListReport {
    Table,
    Json,
}
