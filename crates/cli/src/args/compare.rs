//! The arguments of `polywire compare`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use polywire_compare::corpus::{self, CORPORA, Corpus};
use polywire_compare::program::Program;
use polywire_compare::{Options, Sort};
use polywire_core::format::Format;

use super::input::{DuplicatesArg, FromArg, LimitArgs, format_named};
use super::schema_file::SchemaArg;

/// Show what your messages cost in every format: bytes, compressed bytes, time, allocations
///
/// Every format's round trip is checked first, value by value. A format that changes values is
/// shown with its losses, and not ranked.
#[derive(Debug, Args)]
#[command(after_help = corpora())]
pub struct CompareArgs {
    /// Files of one or more messages, all in one format [default: stdin, also as -]
    pub files: Vec<PathBuf>,

    /// Compare bundled messages instead of files
    #[arg(long, value_name = "NAME", conflicts_with_all = ["files", "from"], value_parser = corpus::find)]
    pub corpus: Option<&'static Corpus>,

    #[command(flatten)]
    pub from: FromArg,

    /// Formats to compare [default: all that can be written]
    #[arg(long, value_name = "FORMAT[,FORMAT…]", value_delimiter = ',', value_parser = format_named)]
    pub formats: Vec<&'static Format>,

    /// Format that ratios refer to [default: the input's]
    #[arg(long, value_name = "FORMAT", value_parser = format_named)]
    pub base: Option<&'static Format>,

    #[command(flatten)]
    pub schema: SchemaArg,

    /// Column to order and rank by
    #[arg(long, value_name = "COLUMN", default_value = Sort::default().name(), value_parser = columns())]
    pub sort: Sort,

    /// Time budget of one measurement; each format has three
    #[arg(long, value_name = "SECONDS", default_value_t = Options::TIME, value_parser = seconds)]
    pub time: f64,

    /// Measure other libraries of each format too, after checking their values
    #[cfg_attr(not(feature = "rivals"), doc = "(not in this program: feature `rivals`)")]
    #[arg(long)]
    pub rivals: bool,

    /// Measure a program of your own that reads the messages on stdin; may be repeated
    #[arg(long = "rival", value_name = "NAME=COMMAND")]
    pub programs: Vec<Program>,

    /// Time limit of one run of such a program
    #[arg(long, value_name = "SECONDS", default_value_t = Options::TIMEOUT.as_secs_f64(), value_parser = seconds)]
    pub rival_timeout: f64,

    /// Form of the printed report
    #[arg(long, value_enum, default_value_t = ComparisonReport::Table)]
    pub report: ComparisonReport,

    /// Write a page with charts to this file too
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    #[command(flatten)]
    pub duplicates: DuplicatesArg,

    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ComparisonReport {
    /// For terminals, at most 100 columns wide
    Table,
    /// Everything that was measured
    Json,
    /// One line for each format
    Csv,
    Markdown,
}

/// Returns the list of the bundled messages, which stands below the help.
fn corpora() -> String {
    let width = CORPORA.iter().map(|corpus| corpus.name.len()).max().unwrap_or(0);
    let lines = CORPORA.iter().map(|corpus| format!("  {:width$}  {}", corpus.name, corpus.about));
    format!("Bundled messages, for --corpus:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// Returns a parser for the columns of `--sort`.
fn columns() -> impl TypedValueParser<Value = Sort> {
    PossibleValuesParser::new(Sort::ALL.iter().map(|(name, _)| *name)).try_map(|name| name.parse::<Sort>())
}

/// Parses a number of seconds above zero.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && Duration::try_from_secs_f64(seconds).is_ok() => Ok(seconds),
        _ => Err("expected a number of seconds above 0, such as 0.5".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_budget_is_above_zero() {
        assert_eq!(seconds("0.5"), Ok(0.5));
        for bad in ["0", "-1", "inf", "NaN", "", "1s"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
