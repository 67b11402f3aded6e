//! The arguments of `polywire schema convert`.

use std::path::PathBuf;

use clap::Args;

use crate::args::language::{Language, language_names, readable_language_names};

/// Print a schema in another language
///
/// Losses are reported on stderr, and make the exit code 1.
#[derive(Debug, Args)]
pub struct ConvertSchemaArgs {
    /// Schema file [default: stdin, also as -]
    pub file: Option<PathBuf>,

    /// Language to print the schema in
    #[arg(long, value_name = "LANGUAGE", value_parser = language_names(), required_unless_present = "binary")]
    pub to: Option<Language>,

    /// Write the schema and its imports in their language's binary form, such as a descriptor set
    #[arg(long = "descriptor-set", id = "binary", value_name = "FILE")]
    pub binary: Option<PathBuf>,

    /// Folder with imported files; may be repeated [default: the file's folder and those above]
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include: Vec<String>,

    /// Language of the file [default: by file extension]
    #[arg(long, value_name = "LANGUAGE", value_parser = readable_language_names())]
    pub lang: Option<Language>,
}
