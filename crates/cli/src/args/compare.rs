//! The arguments of `polywire compare`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use polywire_compare::corpus::{self, CORPORA, Corpus};
use polywire_compare::program::Program;
use polywire_compare::{More, Options, Purpose, Sort};
use polywire_core::format::Format;
use polywire_core::walk::EntryPath;
use polywire_formats::registry;

use super::input::{DuplicatesArg, FromArg, LimitArgs, format_names};
use super::paths::OpenPaths;

use crate::complete;

/// Show what your messages cost in every format: bytes, compressed bytes, time, allocations
///
/// Every format's round trip is checked first, value by value. A format that changes values is
/// shown with its losses, and not ranked.
#[derive(Debug, Args)]
#[command(after_help = corpora())]
pub struct CompareArgs {
    /// Files of messages in one format, folders, or patterns such as "logs/**/*.json"; compressed
    /// ones too [default: stdin, also as -]
    pub files: Vec<PathBuf>,

    /// Compare bundled messages instead of files
    #[arg(long, value_name = "NAME", conflicts_with_all = ["files", "from"], value_parser = corpus_names(), hide_possible_values = true)]
    pub corpus: Option<&'static Corpus>,

    #[command(flatten)]
    pub from: FromArg,

    /// Path to the values that are messages, such as log.entries or rss.channel.item: a list there
    /// stands for its elements [default: ., if the document is one list of records]
    #[arg(long, value_name = "PATH", value_parser = EntryPath::parse, add = complete::entry_paths())]
    pub each: Option<EntryPath>,

    /// Replace text or bytes at these paths by the message they hold; . is the message itself, as
    /// in a body within an archive
    #[arg(long, value_name = "PATH[,PATH…]", add = complete::paths())]
    pub open: Option<OpenPaths>,

    /// Take a document that is one list of records for one message
    #[arg(long, conflicts_with = "each")]
    pub whole: bool,

    /// Formats to compare [default: all that can be written]
    #[arg(long, value_name = "FORMAT[,FORMAT…]", value_delimiter = ',', value_parser = format_names(), hide_possible_values = true)]
    pub formats: Vec<&'static Format>,

    /// Format that ratios refer to [default: the input's]
    #[arg(long, value_name = "FORMAT", value_parser = format_names(), hide_possible_values = true)]
    pub base: Option<&'static Format>,

    /// Schema for FORMAT, else for all formats that take one in its language; may be repeated.
    /// Formats that need a schema and have none get one inferred from every other message
    #[arg(long = "schema", value_name = "[FORMAT=]FILE", value_parser = SchemaFor::parse)]
    pub schema: Vec<SchemaFor>,

    /// Type of the messages in that schema [default: set by the schema's language, or the only one
    /// that fits the first message]
    #[arg(long = "type", value_name = "NAME", requires = "schema")]
    pub ty: Option<String>,

    /// Folder with imported schema files; may be repeated [default: the schema's folder and those
    /// above]
    #[arg(short = 'I', long = "include", value_name = "DIR", requires = "schema")]
    pub include: Vec<String>,

    /// Write the schemas that rows were measured with to this folder, each as FORMAT.EXTENSION
    #[arg(long, value_name = "DIR")]
    pub schemas: Option<PathBuf>,

    /// Column to order and rank by
    #[arg(long, value_name = "COLUMN", default_value = Sort::default().name(), value_parser = columns())]
    pub sort: Sort,

    /// Purpose that the recommendation is for: a stated order of columns
    #[arg(long = "for", value_name = "PURPOSE", value_parser = purposes())]
    pub purpose: Option<Purpose>,

    /// Time budget of one measurement; each format has three [default: 0.3, or less so that all
    /// formats take 6 seconds]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time: Option<f64>,

    /// Runs of all measurements, one after the other; a baseline of times needs 5
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub runs: u16,

    /// Compare with an earlier report of the same messages, made by --report json
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Exit with 1 if a size grew by more than this since the baseline, such as 5%; sizes are exact
    #[arg(long, value_name = "PERCENT", requires = "baseline", value_parser = percent)]
    pub fail_above: Option<f64>,

    /// Exit with 1 if a time grew by more than this since the baseline, such as 20%, and no run of
    /// one lies between those of the other. Sets --runs to 5 at least
    #[arg(long, value_name = "PERCENT", requires = "baseline", value_parser = percent)]
    pub fail_above_time: Option<f64>,

    /// Figures to measure too
    #[arg(long, value_name = "WHAT[,WHAT…]", value_delimiter = ',', value_enum)]
    pub also: Vec<Also>,

    /// Show the time of messages on a network of BITS a second, such as 100M or 1G
    #[arg(long, value_name = "BITS", value_parser = bits)]
    pub bandwidth: Option<f64>,

    /// Show the price of a million messages at PRICE for 10⁹ bytes, in any currency
    #[arg(long, value_name = "PRICE", value_parser = price)]
    pub egress_price: Option<f64>,

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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Also {
    /// Time to compress and decompress: gzip, zstd at two levels, zstd with a dictionary
    Compression,
    /// Bytes of each field in every format
    Fields,
    /// Most heap that encoding and decoding the longest message take at once
    Memory,
    /// Sizes of messages at quantiles
    Quantiles,
}

impl CompareArgs {
    /// Returns the figures that were asked for.
    pub fn more(&self) -> More {
        let has = |what: Also| self.also.contains(&what);
        More {
            compression: has(Also::Compression),
            memory: has(Also::Memory),
            fields: has(Also::Fields),
            quantiles: has(Also::Quantiles),
            bandwidth: self.bandwidth,
            egress_price: self.egress_price,
        }
    }
}

/// A schema file, for one format or for all that take it.
#[derive(Debug, Clone)]
pub struct SchemaFor {
    pub format: Option<&'static Format>,
    pub file: PathBuf,
}

impl SchemaFor {
    /// Parses `FORMAT=FILE` or `FILE`. Text before the first `=` that is no format's name belongs
    /// to the file's.
    fn parse(text: &str) -> Result<SchemaFor, String> {
        let named = text.split_once('=').and_then(|(name, file)| Some((registry::find(name).ok()?, file)));
        match named {
            Some((format, "")) => Err(format!("expected a file after `{}=`", format.name)),
            Some((format, file)) => Ok(SchemaFor { format: Some(format), file: file.into() }),
            None => Ok(SchemaFor { format: None, file: text.into() }),
        }
    }
}

/// Returns the list of the bundled messages, which stands below the help.
fn corpora() -> String {
    let width = CORPORA.iter().map(|corpus| corpus.name.len()).max().unwrap_or(0);
    let lines = CORPORA.iter().map(|corpus| format!("  {:width$}  {}", corpus.name, corpus.about));
    format!("Bundled messages, for --corpus:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// Returns a parser for the names of bundled messages.
fn corpus_names() -> impl TypedValueParser<Value = &'static Corpus> {
    let named = CORPORA.iter().map(|corpus| PossibleValue::new(corpus.name).help(corpus.about));
    PossibleValuesParser::new(named).try_map(|name| corpus::find(&name))
}

/// Returns a parser for the columns of `--sort`.
fn columns() -> impl TypedValueParser<Value = Sort> {
    PossibleValuesParser::new(Sort::ALL.iter().map(|(name, _)| *name)).try_map(|name| name.parse::<Sort>())
}

/// Returns a parser for the purposes of `--for`.
fn purposes() -> impl TypedValueParser<Value = Purpose> {
    PossibleValuesParser::new(Purpose::ALL.iter().map(|(name, _)| *name)).try_map(|name| name.parse::<Purpose>())
}

/// Parses a percentage from zero up, as a part of one.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().strip_suffix('%').unwrap_or(text).trim().parse::<f64>().ok();
    let percent = number.filter(|number| *number >= 0.0 && number.is_finite());
    percent.map(|percent| percent / 100.0).ok_or_else(|| "expected a percentage such as 5%".to_string())
}

/// Parses a number of bits a second, with a unit such as M, Mbit or Mbit/s.
fn bits(text: &str) -> Result<f64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match text[digits.len()..].trim().trim_end_matches("/s").trim_end_matches("bit") {
        "" => Some(1.0),
        "k" | "K" => Some(1e3),
        "M" => Some(1e6),
        "G" => Some(1e9),
        "T" => Some(1e12),
        _ => None,
    };
    let bits = digits.parse::<f64>().ok().zip(unit).map(|(number, unit)| number * unit);
    bits.filter(|bits| *bits > 0.0 && bits.is_finite()).ok_or_else(|| "expected bits a second, such as 100M or 2.5Gbit/s".to_string())
}

/// Parses a price from zero up.
fn price(text: &str) -> Result<f64, String> {
    let price = text.parse::<f64>().ok().filter(|price| *price >= 0.0 && price.is_finite());
    price.ok_or_else(|| "expected a price such as 0.09".to_string())
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
    fn a_schema_is_for_one_format_or_for_all() {
        let of = |text: &str| {
            let parsed = SchemaFor::parse(text)?;
            Ok::<_, String>((parsed.format.map(|format| format.name), parsed.file.display().to_string()))
        };
        assert_eq!(of("protobuf=a=b.proto"), Ok((Some("protobuf"), "a=b.proto".to_string())));
        assert_eq!(of("a.proto"), Ok((None, "a.proto".to_string())));
        assert_eq!(of("folder/x=y.proto"), Ok((None, "folder/x=y.proto".to_string())));
        assert!(of("protobuf=").is_err());
    }

    #[test]
    fn bandwidths_have_units() {
        assert_eq!(["100M", "1G", "2.5Gbit/s", "64 kbit", "56000"].map(bits), [Ok(1e8), Ok(1e9), Ok(2.5e9), Ok(64e3), Ok(56e3)]);
        for bad in ["", "M", "0", "-1M", "1MB", "fast"] {
            assert!(bits(bad).is_err(), "{bad}");
        }
        assert_eq!(["5%", "0.5", " 20 %"].map(percent), [Ok(0.05), Ok(0.005), Ok(0.2)]);
        assert!(percent("-5%").is_err() && percent("%").is_err());
        assert_eq!((price("0.09"), price("0")), (Ok(0.09), Ok(0.0)));
        assert!(price("-1").is_err() && price("$1").is_err());
    }

    #[test]
    fn a_time_budget_is_above_zero() {
        assert_eq!(seconds("0.5"), Ok(0.5));
        for bad in ["0", "-1", "inf", "NaN", "", "1s"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
