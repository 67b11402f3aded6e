//! The arguments of `polywire schema format`.

use std::path::PathBuf;

use clap::Args;

use crate::args::language::{Language, readable_language_names};

/// Format schema files in their language's one layout
///
/// Comments and meaning stay. Without --check or --write, the formatted text is printed.
#[derive(Debug, Args)]
pub struct FormatSchemaArgs {
    /// Schema files [default: stdin, also as -]
    pub files: Vec<PathBuf>,

    /// Language of the files [default: by file extension]
    #[arg(long, value_name = "LANGUAGE", value_parser = readable_language_names())]
    pub lang: Option<Language>,

    /// Print only the names of files in another layout; the exit code is 1 if there are any
    #[arg(long, conflicts_with = "write")]
    pub check: bool,

    /// Rewrite the files
    #[arg(long)]
    pub write: bool,
}
