//! The record of one comparison: plain data, the same for every report.
//!
//! Sizes are bytes, averaged over the messages; times are nanoseconds per message.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use crate::baseline::{Against, Change};
pub use crate::machine::Machine;
pub use crate::stats::Spread;

/// Version of the record's shape. It grows when a field is removed or changes its meaning.
pub const VERSION: u32 = 2;

/// A comparison: its input, method, machine and results.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// [`VERSION`].
    pub version: u32,
    /// The messages.
    pub input: Input,
    /// Name of the format that ratios refer to, if there is one.
    pub base: Option<String>,
    /// Name of the column that rows are ordered by.
    pub sort: String,
    /// A row per format: first those without a schema, then those with one. In each group: ranked
    /// ones in order, then those that too few messages fit, then those that lose values, then
    /// impossible ones.
    pub rows: Vec<Row>,
    /// Bytes of each field, if they were asked for.
    pub fields: Option<Fields>,
    /// Files of columns, if some were asked for.
    pub columns: Vec<ColumnsRow>,
    /// Changes since an earlier report, if one was given.
    pub baseline: Option<Against>,
    /// The user's own programs, on the messages as they came.
    pub programs: Vec<ProgramRow>,
    /// Method of measurement.
    pub method: Method,
    /// Machine that measured it.
    pub machine: Machine,
    /// Origin of the report.
    pub made: Made,
    /// Sentences on what the figures say: at most five.
    pub advice: Vec<String>,
    /// Caveats about these figures.
    pub caveats: Vec<String>,
}

/// The messages that were compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Input {
    /// Names of the inputs.
    pub sources: Vec<String>,
    /// Name of their format.
    pub format: String,
    /// Path to the messages within documents, if they are entries.
    pub each: Option<String>,
    /// Description of their kind, if the input has messages of other kinds too.
    pub kind: Option<String>,
    /// Number of messages.
    pub messages: usize,
    /// Bytes of all messages as they came.
    pub bytes: usize,
    /// Bytes of the smallest message.
    pub smallest: usize,
    /// Bytes of the largest message.
    pub largest: usize,
    /// SHA-256 of the bytes of all messages, one after the other, in hexadecimal digits.
    pub sha256: String,
}

/// Origin of a report: what its reader needs to repeat it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Made {
    /// Time at which the measurement started, in UTC (RFC 3339).
    pub at: String,
    /// Version of Polywire.
    pub version: String,
    /// Program and arguments, with `***` in place of secrets. Empty where no command line asked.
    pub command: Vec<String>,
}

/// All messages as one file of columns. Its bytes are not those of messages: a file has its schema
/// once, and the values of a column beside each other, compressed as the format usually is.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ColumnsRow {
    /// Name of the format.
    pub format: String,
    /// Title of the format, for people.
    pub title: String,
    /// Bytes of the file, if it can be written.
    pub bytes: Option<u64>,
    /// Reason, if it cannot be written.
    pub why: Option<String>,
    /// Parts of the messages that the columns do not hold.
    pub losses: Vec<Lost>,
}

/// One format.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// Name of the format.
    pub format: String,
    /// Title of the format, for people.
    pub title: String,
    /// Group that the row is ranked in.
    pub group: Group,
    /// Place among the formats of its group that keep all values, from 1.
    pub rank: Option<usize>,
    /// Result of the round trip.
    pub verdict: Verdict,
    /// Reason, if the format is impossible.
    pub why: Option<String>,
    /// Values that do not survive the round trip.
    pub losses: Vec<Lost>,
    /// Losses beside the values, such as comments. They do not count against the format.
    pub remarks: Vec<Lost>,
    /// Number of losses that are not listed.
    pub more: u64,
    /// Schema of the messages in this format, if it has one.
    pub schema: Option<RowSchema>,
    /// Sizes, if the format is possible.
    pub sizes: Option<Sizes>,
    /// Times, if the format is possible and enough messages fit its schema.
    pub times: Option<Times>,
    /// Sizes at quantiles, if they were asked for.
    pub quantiles: Option<Quantiles>,
    /// Times to compress and decompress each message alone, if they were asked for.
    pub compression: Option<Vec<CodecTimes>>,
    /// Memory of encoding and decoding, if it was asked for.
    pub memory: Option<Memory>,
    /// Times on a network, if its bandwidth was given.
    pub network: Option<Network>,
    /// Price of a million messages, if that of their bytes was given.
    pub price: Option<Price>,
    /// This row divided by the base, if both have sizes and times.
    pub ratios: Option<Ratios>,
    /// Other libraries on the same bytes.
    pub rivals: Vec<RivalRow>,
}

/// Group of rows that are ranked together: bytes that explain themselves are not compared with
/// bytes that both sides need a schema for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// Formats without a schema.
    WithoutSchema,
    /// Formats with a schema.
    WithSchema,
}

impl Group {
    /// Returns the name for people.
    pub fn title(self) -> &'static str {
        match self {
            Group::WithoutSchema => "without a schema",
            Group::WithSchema => "with a schema",
        }
    }
}

/// Schema of a row.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RowSchema {
    /// Origin of the schema.
    pub origin: Origin,
    /// Its file, if it was given.
    pub file: Option<String>,
    /// File name for writing it out.
    pub name: String,
    /// Bytes of its text, if there is one.
    pub bytes: Option<usize>,
    /// Bytes of its text with zstd.
    pub zstd: Option<usize>,
    /// Reason, if an inferred schema has no text.
    pub no_text: Option<String>,
    /// Its text. Reports have the sizes only.
    #[serde(skip)]
    pub text: Option<Vec<u8>>,
    /// Number of messages that it was learned on, if it was inferred.
    pub learned_on: Option<usize>,
    /// Number of measured messages that it was not learned on. `None`: nothing was held out.
    pub held_out: Option<usize>,
    /// Number of these that do not fit, and need a new version of the schema.
    pub unfit: usize,
    /// Name of the format in which these are charged. `None`: as they came, or there are none.
    pub charged_as: Option<String>,
}

/// Origin of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// From the user.
    Given,
    /// From the messages.
    Inferred,
}

impl Origin {
    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Given => "given",
            Origin::Inferred => "inferred",
        }
    }
}

/// Another library, on the bytes of a row.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RivalRow {
    /// Name of the library.
    pub name: String,
    /// Used part of the library.
    pub about: String,
    /// Result of checking the values it finds.
    pub verdict: Verdict,
    /// Reason, if it could not be measured.
    pub why: Option<String>,
    /// Values it reads differently.
    pub losses: Vec<Lost>,
    /// Number of such values that are not listed.
    pub more: u64,
    /// Bytes per message as it writes them, if it writes.
    pub raw: Option<f64>,
    /// Bytes from its own tree, if it writes.
    pub encode: Option<Time>,
    /// Its own tree from bytes, dropped again.
    pub decode: Option<Time>,
    /// Divided by the base of the comparison.
    pub ratios: Option<RivalRatios>,
}

/// A library's figures divided by the base's. Below 1 is smaller or faster.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct RivalRatios {
    pub raw: Option<f64>,
    pub encode: Option<f64>,
    pub decode: Option<f64>,
}

/// A program of the user's own, run as a whole.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramRow {
    /// Name given by the user.
    pub name: String,
    /// The program and its arguments, with `***` in place of secrets.
    pub command: Vec<String>,
    /// Exact if every run ended well, impossible otherwise.
    pub verdict: Verdict,
    /// Reason, if it has no figures.
    pub why: Option<String>,
    /// Number of messages that it claims to have read. `None`: it claimed none, and nothing was
    /// checked.
    pub claimed: Option<u64>,
    /// Nanoseconds of a run on all messages, from start to end.
    pub run: Option<Spread>,
    /// Nanoseconds of a run on empty input.
    pub start_up: Option<Spread>,
    /// Reason, if there is no start-up figure: its failure on empty stdin.
    pub no_start_up: Option<String>,
    /// Nanoseconds per message beyond the start-up, by rounds. `None` also if a run takes no longer
    /// than the start-up.
    pub per_message: Option<Spread>,
    /// Million bytes of the input per second, by `per_message`.
    pub mb_per_s: Option<f64>,
}

/// Result of a round trip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every value of every message that fits the format's schema came back.
    Exact,
    /// Fewer than 95 % of the measured messages fit the inferred schema. The sizes are shown, and
    /// no times.
    Unfit,
    /// Some values did not come back as they were.
    Lossy,
    /// Some message could not be written, or not be read back.
    Impossible,
}

/// Loss at one path of the messages' structure.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lost {
    /// Path, with `[]` for any index.
    pub path: String,
    /// Change of the value.
    pub what: String,
    /// Number of times.
    pub count: u64,
    /// Example: a value before and after the round trip, shortened.
    pub example: Option<[String; 2]>,
}

/// Bytes per message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sizes {
    /// As written.
    pub raw: f64,
    /// Each message alone, gzip.
    pub gzip: f64,
    /// Each message alone, zstd.
    pub zstd: f64,
    /// Each message alone, zstd with a dictionary.
    pub dictionary: Option<Dictionary>,
    /// Reason, if there is no figure with a dictionary.
    pub no_dictionary: Option<String>,
    /// All messages as one gzip stream, divided by their number.
    pub batch_gzip: f64,
    /// All messages as one zstd stream, divided by their number.
    pub batch_zstd: f64,
}

/// Bytes of messages as written, at quantiles of the sample by the nearest rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct Quantiles {
    pub smallest: usize,
    pub p50: usize,
    pub p90: usize,
    pub p99: usize,
    pub largest: usize,
}

/// Times of a compression, of each timed message alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CodecTimes {
    /// Name with the level.
    pub codec: String,
    /// Compressed bytes per message.
    pub bytes: f64,
    /// Time to compress. MB/s are of the plain bytes.
    pub compress: Time,
    /// Time to decompress. MB/s are of the plain bytes.
    pub decompress: Time,
}

/// Most bytes of heap that one message takes at once, of the longest timed message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Memory {
    /// Bytes of the message as written.
    pub message: usize,
    /// Writing it from a tree, with the bytes written.
    pub encode: u64,
    /// Reading it to a tree, with the tree.
    pub decode: u64,
}

/// Nanoseconds that a message's bytes take on a network: bytes divided by bandwidth, without
/// latency and headers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Network {
    /// As written.
    pub raw_ns: f64,
    /// With zstd, alone.
    pub zstd_ns: f64,
}

/// Price of the bytes of a million messages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Price {
    /// As written.
    pub raw: f64,
    /// With zstd, alone.
    pub zstd: f64,
}

/// Bytes of each field in every timed format: of values and of their names.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fields {
    /// Number of messages that were looked at.
    pub messages: usize,
    /// Names of the formats, in the order of rows.
    pub formats: Vec<String>,
    /// Places, those with the most bytes in all formats first.
    pub paths: Vec<FieldBytes>,
}

/// Bytes of one place in the messages.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FieldBytes {
    /// Path without indices. In parentheses: bytes without a path.
    pub path: String,
    /// Bytes per message, by name of the format.
    pub bytes: BTreeMap<String, f64>,
}

/// Result with a trained dictionary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dictionary {
    /// Bytes per message that the dictionary was not trained on.
    pub zstd: f64,
    /// Bytes of the dictionary itself, which both sides must have.
    pub bytes: usize,
    /// Messages that it was trained on.
    pub trained_on: usize,
    /// Messages that it was measured on.
    pub measured_on: usize,
}

/// The three measurements of one format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Times {
    /// Bytes from a tree.
    pub encode: Time,
    /// A tree from bytes.
    pub decode: Time,
    /// Every value from bytes, without a tree.
    pub scan: Time,
}

/// One measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Time {
    /// Nanoseconds per message.
    pub ns: Spread,
    /// Nanoseconds per message of each round, in the order of measuring. Equal places of two rows
    /// are the same round.
    pub samples: Vec<f64>,
    /// Median of each run, in nanoseconds per message.
    pub runs: Vec<f64>,
    /// Million bytes per second, by the median and this format's own raw bytes.
    pub mb_per_s: f64,
    /// Allocations per message, if they were counted.
    pub allocations: Option<f64>,
}

/// A row divided by the base, figure by figure. Below 1 is smaller or faster.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct Ratios {
    pub raw: f64,
    pub gzip: f64,
    pub zstd: f64,
    pub dictionary: Option<f64>,
    pub batch_gzip: f64,
    pub batch_zstd: f64,
    pub encode: f64,
    pub decode: f64,
    pub scan: f64,
}

/// Method of measurement.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Method {
    /// Budget of one measurement, in seconds.
    pub time: f64,
    /// Number of runs, each with that budget.
    pub runs: usize,
    /// Messages that all rows are measured on: those that no schema was learned on.
    pub measured_messages: usize,
    /// Messages that were compressed as one stream, spread evenly over the measured ones.
    pub sample_messages: usize,
    /// Messages in the timed set.
    pub timed_messages: usize,
    /// Bytes of the timed set in the input's format.
    pub timed_bytes: usize,
    /// Messages that were compressed alone.
    pub alone_messages: usize,
    /// Level of gzip.
    pub gzip_level: u32,
    /// Level of zstd.
    pub zstd_level: i32,
    /// The method in sentences.
    pub text: Vec<String>,
}
