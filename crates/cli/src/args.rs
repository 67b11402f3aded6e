//! What can be said on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use polywire_core::adapt::{Doubles, Projection};
use polywire_core::error::Error;
use polywire_core::format::Format;
use polywire_core::limits::Limits;
use polywire_core::path::Path;
use polywire_formats::registry;

/// One toolkit for messages on the wire: compare what your messages cost in every format, convert them, see what their bytes mean.
#[derive(Debug, Parser)]
#[command(name = "polywire", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 done; 1 the answer is 'no' (a loss without --lossy, say); 2 usage; 3 bad data; 4 I/O.")]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,

    #[command(flatten)]
    pub color: colorchoice_clap::Color,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    Convert(ConvertArgs),
    Inspect(InspectArgs),
    Formats(FormatsArgs),
    /// Print a completion script for a shell
    Completions {
        shell: clap_complete::Shell,
    },
    /// Write the man pages to a folder
    Man {
        /// The folder; it must exist
        folder: PathBuf,
    },
}

/// Convert messages from any format to any other, one by one
///
/// What the target cannot keep is reported once per path with a count, and makes the exit code 1 unless --lossy is given.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// File to read; - or nothing: stdin
    pub input: Option<PathBuf>,

    /// File to write; - or nothing: stdout
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub from: FromArg,

    /// Format to write [default: by the ending of the output file]
    #[arg(long, value_name = "FORMAT", value_parser = format_named)]
    pub to: Option<&'static Format>,

    /// Accept losses: exit code 0 all the same
    #[arg(long)]
    pub lossy: bool,

    /// Keep only what these paths name, such as vouchers.goods_name; the rest is stepped over unread
    #[arg(long, value_name = "PATH[,PATH…]")]
    pub select: Option<Selection>,

    /// What a key means that comes twice in one record
    #[arg(long, value_name = "POLICY", value_enum, default_value_t = DoubledKeys::Error)]
    pub doubled: DoubledKeys,

    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Show what the bytes mean, each value with its byte range
///
/// Every byte of the input belongs to one row. On broken input, what was understood up to the error is shown, and the
/// error's place.
#[derive(Debug, Args)]
pub struct InspectArgs {
    /// File to read; - or nothing: stdin
    pub input: Option<PathBuf>,

    #[command(flatten)]
    pub from: FromArg,

    /// Show long values whole
    #[arg(long)]
    pub full: bool,

    /// A dump for people, or one JSON object a row for programs
    #[arg(long, value_enum, default_value_t = DumpReport::Text)]
    pub report: DumpReport,

    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DumpReport {
    Text,
    Json,
}

/// List the formats
#[derive(Debug, Args)]
pub struct FormatsArgs {
    /// How to print the list
    #[arg(long, value_enum, default_value_t = ListReport::Table)]
    pub report: ListReport,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ListReport {
    Table,
    Json,
}

#[derive(Debug, Args)]
pub struct FromArg {
    /// Format of the input [default: recognised by its first bytes, else by the file's ending]
    #[arg(long, value_name = "FORMAT", value_parser = format_named)]
    pub from: Option<&'static Format>,
}

#[derive(Debug, Args)]
pub struct LimitArgs {
    /// Containers within containers at most
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.depth, value_parser = clap::value_parser!(u32).range(1..=i64::from(Limits::MAX_DEPTH)))]
    #[arg(help_heading = "Limits")]
    pub max_depth: u32,

    /// Values and fields of one message at most
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.items, help_heading = "Limits")]
    pub max_items: u64,

    /// Bytes at most that one message may expand to beyond its own
    #[arg(long, value_name = "BYTES", default_value_t = Limits::DEFAULT.decoded, help_heading = "Limits")]
    pub max_decoded: u64,

    /// Digits of a number at most
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.digits, help_heading = "Limits")]
    pub max_digits: u32,
}

impl LimitArgs {
    pub fn limits(&self) -> Limits {
        Limits { depth: self.max_depth, items: self.max_items, decoded: self.max_decoded, digits: self.max_digits }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum DoubledKeys {
    /// An error
    Error,
    /// The first value counts
    First,
    /// The last value counts
    Last,
    /// All values stay
    Keep,
}

impl From<DoubledKeys> for Doubles {
    fn from(keys: DoubledKeys) -> Doubles {
        match keys {
            DoubledKeys::Error => Doubles::Refuse,
            DoubledKeys::First => Doubles::First,
            DoubledKeys::Last => Doubles::Last,
            DoubledKeys::Keep => Doubles::Keep,
        }
    }
}

/// The paths of `--select`.
#[derive(Debug, Clone)]
pub struct Selection(pub Projection);

impl std::str::FromStr for Selection {
    type Err = Error;

    fn from_str(text: &str) -> Result<Selection, Error> {
        let mut paths = Vec::new();
        let (mut start, mut quoted, mut escaped) = (0, false, false);
        for (at, char) in text.char_indices().chain([(text.len(), ',')]) {
            match char {
                ',' if !quoted || at == text.len() => {
                    paths.push(Path::parse(&text[start..at])?);
                    start = at + 1;
                }
                '"' if !escaped => quoted = !quoted,
                _ => {}
            }
            escaped = char == '\\' && !escaped;
        }
        Ok(Selection(Projection::new(&paths)))
    }
}

/// A format by its name.
pub fn format_named(name: &str) -> Result<&'static Format, Error> {
    registry::find(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_selection_splits_at_commas_outside_of_quotes() {
        assert!("a,b.c,\"x,y\".z".parse::<Selection>().is_ok());
        for bad in ["", "a,,b", "a,", "\"a,b"] {
            assert!(bad.parse::<Selection>().is_err(), "{bad}");
        }
    }
}
