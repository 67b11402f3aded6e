//! Arguments about bad messages.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(next_help_heading = "Bad messages")]
pub struct BadArgs {
    /// Go on behind bad messages, at most N of them, where lines, rows or lengths give the place of
    /// the next one; exits with 1 [default of N: no limit]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "18446744073709551615")]
    pub skip_bad: Option<u64>,

    /// Write the very bytes of bad messages to this file
    #[arg(long, value_name = "FILE", requires = "skip_bad")]
    pub bad_to: Option<PathBuf>,
}
