//! The arguments of `polywire convert`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use polywire_core::Surrogates;
use polywire_core::format::Format;
use polywire_core::tools::adapt::{Numbers, Unknown};

use super::bad::BadArgs;
use super::input::{DuplicatesArg, EachArg, FollowArg, FromArg, LimitArgs, format_names};
use super::layout::LayoutArgs;
use super::lossy::LossyArg;
use super::output::OutputArgs;
use super::paths::{OpenPaths, Selection, StrictArg};
use super::schema_file::SchemaArg;
use super::settings::WriteSettings;
use super::shape::ShapeArgs;
use super::take::{SampleArgs, TakeArgs};
use super::threads::ThreadsArg;

use crate::complete;

/// Convert messages from any format to any other
///
/// Losses are reported once per path with a count. They make the exit code 1 unless --lossy is
/// given.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Files to read, folders, or patterns such as "logs/**/*.json" [default: stdin, also as -]
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub from: FromArg,

    #[command(flatten)]
    pub each: EachArg,

    #[command(flatten)]
    pub follow: FollowArg,

    /// Format to write [default: by the output's file extension]
    #[arg(long, value_name = "FORMAT", value_parser = format_names(), hide_possible_values = true)]
    pub to: Option<&'static Format>,

    #[command(flatten)]
    pub to_settings: WriteSettings,

    #[command(flatten)]
    pub schema: SchemaArg,

    #[command(flatten)]
    pub lossy: LossyArg,

    /// Keep only these paths, such as vouchers.goods_name or items[-1].sku; the rest is skipped
    /// unread
    #[arg(long, value_name = "PATH[,PATH…]", add = complete::paths())]
    pub select: Option<Selection>,

    /// Replace text or bytes at these paths by the message they hold; . is the input itself, such
    /// as a compressed file
    #[arg(long, value_name = "PATH[,PATH…]", add = complete::paths())]
    pub open: Option<OpenPaths>,

    /// Fail unless the input has exactly one message
    #[arg(long, conflicts_with_all = ["head", "skip", "message", "sample", "follow"])]
    pub exactly_one: bool,

    /// Read half of a surrogate pair in JSON's text, which is an error otherwise
    #[arg(long, value_name = "POLICY", value_enum)]
    pub surrogates: Option<SurrogatesArg>,

    /// Decimals that no 64-bit float is, where the target has no decimals
    #[arg(long, value_name = "POLICY", value_enum, default_value_t = NumbersArg::Nearest)]
    pub numbers: NumbersArg,

    /// Fields that the schema does not have
    #[arg(long, value_name = "POLICY", value_enum, default_value_t = UnknownFields::Keep)]
    pub unknown: UnknownFields,

    /// Accept names of fields and enum values that the schema does not have, and leave them out
    #[arg(long)]
    pub ignore_unknown: bool,

    #[command(flatten)]
    pub strict: StrictArg,

    #[command(flatten)]
    pub duplicates: DuplicatesArg,

    #[command(flatten)]
    pub take: TakeArgs,

    #[command(flatten)]
    pub sample: SampleArgs,

    #[command(flatten)]
    pub shape: ShapeArgs,

    #[command(flatten)]
    pub output: OutputArgs,

    #[command(flatten)]
    pub layout: LayoutArgs,

    #[command(flatten)]
    pub bad: BadArgs,

    #[command(flatten)]
    pub threads: ThreadsArg,

    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum SurrogatesArg {
    /// It becomes U+FFFD
    Replace,
    /// The text becomes octets in WTF-8
    Keep,
}

impl SurrogatesArg {
    /// Returns the policy as readers take it.
    pub fn policy(self) -> Surrogates {
        match self {
            SurrogatesArg::Replace => Surrogates::Replace,
            SurrogatesArg::Keep => Surrogates::Keep,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum NumbersArg {
    /// Rounded to the nearest number, a loss
    Nearest,
    /// Text with all digits, a loss too
    Text,
}

impl NumbersArg {
    /// Returns the policy as walkers take it.
    pub fn policy(self) -> Numbers {
        match self {
            NumbersArg::Nearest => Numbers::Nearest,
            NumbersArg::Text => Numbers::Text,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum UnknownFields {
    /// Kept where the target has a place for them, else a loss
    Keep,
    /// Left out
    Drop,
    /// An error
    Fail,
}

impl UnknownFields {
    /// Returns the policy as walkers take it.
    pub fn policy(self) -> Unknown {
        match self {
            UnknownFields::Keep => Unknown::Keep,
            UnknownFields::Drop => Unknown::Drop,
            UnknownFields::Fail => Unknown::Fail,
        }
    }
}
