//! Reports that several verbs print.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DumpReport {
    Text,
    Json,
}
