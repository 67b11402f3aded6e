//! The arguments of `polywire schema check`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::args::language::{Language, readable_language_names};

/// Check whether readers and writers of two schema versions understand each other
///
/// The last file is the new version, and is compared with all others. With --against, each file is
/// compared with its own past in git. Each change is shown with the rule it breaks and a message
/// that the other side rejects or silently misreads.
#[derive(Debug, Args)]
#[command(after_help = "Exit code 1: the new version is incompatible with at least one other.")]
pub struct CheckArgs {
    /// Versions, oldest first; with --against only new ones, of one or several files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,

    /// Compare each file with its own past: one revision, or every commit of a range that changed
    /// it; may be repeated
    #[arg(long, value_name = "git:REV|git:FROM..TO")]
    pub against: Vec<String>,

    /// Message type to check [default: all]
    #[arg(long = "type", value_name = "NAME")]
    pub root: Option<String>,

    /// Required compatibility: the new version reads old messages (backward), old versions read new
    /// messages (forward); the text and the annotations show only what is required
    #[arg(long, value_name = "DIRECTION", value_enum, default_value_t = Directions::Both)]
    pub direction: Directions,

    /// Folder with imported files; may be repeated [default: the files' folder and those above]
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include: Vec<String>,

    /// Reject changed names and defaults too
    #[arg(long)]
    pub strict: bool,

    /// Language of the files [default: by file extension]
    #[arg(long, value_name = "LANGUAGE", value_parser = readable_language_names())]
    pub lang: Option<Language>,

    /// Form of the printed answer
    #[arg(long, value_enum, default_value_t = CheckReport::Text)]
    pub report: CheckReport,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Directions {
    Backward,
    Forward,
    Both,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum CheckReport {
    Text,
    Json,
    /// Workflow commands of GitHub Actions
    Github,
}
