//! Reports that several verbs print.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DiffReport {
    /// Each difference with its path and both values
    Text,
    /// Like a patch: lines of the left and of the right, with the lines around them
    Unified,
    /// One object a line
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DumpReport {
    Text,
    Json,
}
