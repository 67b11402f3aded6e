//! Arguments of every verb that reads messages: their format, duplicate keys, limits.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use polywire_core::format::Format;
use polywire_core::tools::adapt::Doubles;
use polywire_core::walk::EntryPath;
use polywire_core::{Error, Limits};
use polywire_formats::registry;

use super::charset::CharsetArg;
use super::settings::ReadSettings;
use crate::{absent, complete};

#[derive(Debug, Args)]
pub struct FromArg {
    /// Format of the input [default: recognised by its first bytes, else by the file extension]
    #[arg(long, value_name = "FORMAT", value_parser = format_names(), hide_possible_values = true)]
    pub from: Option<&'static Format>,

    #[command(flatten)]
    pub charset: CharsetArg,

    #[command(flatten)]
    pub settings: ReadSettings,
}

impl FromArg {
    /// Fails if there is an option that the formats `read` do not take. The format `written` may be
    /// meant.
    pub fn is_used_by(&self, read: &[&'static Format], written: Option<&'static Format>) -> Result<(), Error> {
        read.iter().try_for_each(|format| self.charset.is_for(format))?;
        self.settings.is_used_by(read, written)
    }
}

#[derive(Debug, Args)]
pub struct EachArg {
    /// Path to the values that are messages, such as log.entries or rss.channel.item, and . for a
    /// list at the top: a list there stands for its elements
    #[arg(long, value_name = "PATH", value_parser = EntryPath::parse, add = complete::entry_paths())]
    pub each: Option<EntryPath>,
}

#[derive(Debug, Args)]
pub struct FollowArg {
    /// Wait for more at the end of a file that grows, also if it is truncated or replaced, until
    /// SIGINT or SIGTERM
    #[arg(long, conflicts_with_all = ["in_place", "slurp"])]
    pub follow: bool,
}

/// Returns a parser for the names of formats. File extensions are names too, as in `--from yml`. A
/// format that was not built in has an error of its own.
pub fn format_names() -> impl TypedValueParser<Value = &'static Format> {
    let is_name = |text: &str| registry::all().any(|format| format.name == text);
    let named = registry::all().map(move |format| {
        let extensions = format.extensions.iter().copied().filter(move |extension| !is_name(extension));
        PossibleValue::new(format.name).help(format.title).aliases(extensions)
    });
    let absent = registry::absentees().map(|(name, _)| PossibleValue::new(name).hide(true));
    PossibleValuesParser::new(named.chain(absent)).try_map(|name| match registry::absent(&name) {
        Some(feature) => Err(absent::name(&name, feature)),
        None => registry::find(&name),
    })
}

#[derive(Debug, Args)]
pub struct DuplicatesArg {
    /// Meaning of a duplicate key in a record
    #[arg(long, alias = "doubled", value_name = "POLICY", value_enum, default_value_t = DuplicateKeys::Error)]
    pub duplicate_keys: DuplicateKeys,
}

impl DuplicatesArg {
    /// Returns the policy as walkers take it.
    pub fn policy(&self) -> Doubles {
        match self.duplicate_keys {
            DuplicateKeys::Error => Doubles::Refuse,
            DuplicateKeys::First => Doubles::First,
            DuplicateKeys::Last => Doubles::Last,
            DuplicateKeys::Keep => Doubles::Keep,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum DuplicateKeys {
    /// An error
    Error,
    /// The first value counts
    First,
    /// The last value counts
    Last,
    /// All values stay
    Keep,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// Most levels of containers within containers
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.depth, value_parser = clap::value_parser!(u32).range(1..=i64::from(Limits::MAX_DEPTH)))]
    pub max_depth: u32,

    /// Most values and fields of one message
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.items)]
    pub max_items: u64,

    /// Most bytes that decoding one message may add to its own
    #[arg(long, value_name = "BYTES", default_value_t = Limits::DEFAULT.decoded)]
    pub max_decoded: u64,

    /// Most digits of a number
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.digits)]
    pub max_digits: u32,
}

impl LimitArgs {
    /// Returns the limits as codecs take them.
    pub fn limits(&self) -> Limits {
        Limits::MAX.with_depth(self.max_depth).with_items(self.max_items).with_decoded(self.max_decoded).with_digits(self.max_digits)
    }
}
