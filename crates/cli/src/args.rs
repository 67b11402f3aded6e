//! What can be said on the command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use polywire_compare::corpus::{self, CORPORA, Corpus};
use polywire_compare::program::Program;
use polywire_compare::{Options, Sort};
use polywire_core::format::Format;
use polywire_core::format::{Binder, Dialect};
use polywire_core::schema::language::SchemaLanguage;
use polywire_core::tools::adapt::{Doubles, Opening, Projection};
use polywire_core::walk::Path;
use polywire_core::{Error, Limits};
use polywire_formats::payload::PAYLOADS;
use polywire_formats::registry;
use polywire_schema::languages::{self, LANGUAGES};

#[cfg(not(feature = "gateway"))]
use crate::absent::Absent;

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
    Compare(CompareArgs),
    Convert(ConvertArgs),
    Inspect(InspectArgs),
    Diff(DiffArgs),
    Schema(SchemaArgs),
    #[cfg(feature = "gateway")]
    Serve(ServeArgs),
    #[cfg(feature = "gateway")]
    Query(QueryArgs),
    #[cfg(feature = "gateway")]
    Table(TableArgs),
    /// Serve a folder of tables and routes over HTTP (not in this program: feature `gateway`)
    #[cfg(not(feature = "gateway"))]
    Serve(Absent),
    /// Run one script in ql over a folder of tables (not in this program: feature `gateway`)
    #[cfg(not(feature = "gateway"))]
    Query(Absent),
    /// Write tables of the query language (not in this program: feature `gateway`)
    #[cfg(not(feature = "gateway"))]
    Table(Absent),
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

/// Serve a folder of tables and routes over HTTP: questions in ql to services of any format, one answer each
#[cfg(feature = "gateway")]
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The folder: tables/, routes/ and config.json, or config/dev.json
    #[arg(default_value = ".")]
    pub folder: PathBuf,

    /// The configuration, if it is elsewhere
    #[arg(short, long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// The folder of tables, if it is elsewhere
    #[arg(short, long, value_name = "FOLDER")]
    pub tables: Option<PathBuf>,

    /// The folder of routes, if it is elsewhere
    #[arg(short, long, value_name = "FOLDER")]
    pub routes: Option<PathBuf>,

    /// Address to listen at
    #[arg(long, default_value = "127.0.0.1")]
    pub host: std::net::IpAddr,

    /// Port to listen at; 0 takes a free one
    #[arg(short, long, default_value_t = 3000)]
    pub port: u16,

    /// A port for /metrics, at the same address: the numbers are shown there, and not with the rest
    #[arg(short, long, value_name = "PORT", alias = "monPort")]
    pub monitor_port: Option<u16>,

    /// Threads that serve, and that run hooks [default: the number of processors]
    #[arg(short = 'n', long, alias = "noWorkers")]
    pub threads: Option<usize>,

    /// Don't read changed files again
    #[arg(long)]
    pub no_watch: bool,

    /// Write a line of JSON for each answered request to this file, which SIGHUP opens again; - for stderr
    #[arg(long, value_name = "FILE")]
    pub access_log: Option<PathBuf>,

    /// Seconds for answers that are under way when it is told to end
    #[arg(long, value_name = "SECONDS", default_value_t = 65)]
    pub grace: u64,

    /// Run no scripts of callers, only routes
    #[arg(short = 'q', long, visible_alias = "disable-q", alias = "disableQ")]
    pub no_ad_hoc: bool,

    /// Have no console: no page at /, no scripts over WebSocket
    #[arg(short = 'e', long, visible_alias = "disable-console", alias = "disableConsole")]
    pub no_console: bool,

    /// A path that says `ok` while the gateway serves, besides /healthz
    #[arg(short = 'a', long, value_name = "PATH", alias = "ecvPath")]
    pub ecv_path: Option<String>,

    /// Speak TLS: the file of the certificate and those that lead to an authority, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// The file of the certificate's key, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    #[command(flatten)]
    pub exchange: ExchangeArgs,
}

/// Run one script in ql over a folder of tables, without a server, and print its result
#[cfg(feature = "gateway")]
#[derive(Debug, Args)]
pub struct QueryArgs {
    /// The script, such as 'select title from items where id = 7'; @FILE for a file, - for stdin
    pub script: String,

    /// Print what the script would do, without running it: as a script that begins with `explain`
    #[arg(long, conflicts_with = "analyze")]
    pub explain: bool,

    /// Run the script and print what it did, with its requests: as one that begins with `explain analyze`
    #[arg(long)]
    pub analyze: bool,

    /// The folder: tables/, and config.json
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub tables: PathBuf,

    #[command(flatten)]
    pub exchange: ExchangeArgs,
}

/// Tables of the query language
#[cfg(feature = "gateway")]
#[derive(Debug, Args)]
pub struct TableArgs {
    #[command(subcommand)]
    pub verb: TableVerb,
}

#[cfg(feature = "gateway")]
#[derive(Debug, Subcommand)]
pub enum TableVerb {
    New(TableNewArgs),
}

/// Write a `create table` for a service, from what it replies: where the rows are, what is a list, a number, a text
///
/// Replies come from files, or else from the URL. With several replies, a list that has one element in one of them is known by another.
#[cfg(feature = "gateway")]
#[derive(Debug, Args)]
pub struct TableNewArgs {
    /// Address of the service, with sample values: 'http://shop.example/items?q=lamp'
    pub url: String,

    /// A recorded reply, instead of asking the service; may be given several times
    #[arg(long, value_name = "FILE")]
    pub reply: Vec<PathBuf>,

    /// Media type of the recorded replies [default: by the file's ending, or by the bytes]
    #[arg(long = "type", value_name = "TYPE", requires = "reply")]
    pub media_type: Option<String>,

    /// Name of the table [default: by host and path]
    #[arg(long)]
    pub name: Option<String>,

    /// HTTP method: get, post, put, delete or patch
    #[arg(long, default_value = "get", value_parser = ["get", "post", "put", "delete", "patch"])]
    pub method: String,

    /// A header of the request; may be given several times
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub headers: Vec<String>,
}

/// Where replies come from.
#[cfg(feature = "gateway")]
#[derive(Debug, Args)]
pub struct ExchangeArgs {
    /// Keep what services reply in this folder, without secrets
    #[arg(long, value_name = "FOLDER", conflicts_with = "replay")]
    pub record: Option<PathBuf>,

    /// Answer from such a folder, without any network
    #[arg(long, value_name = "FOLDER")]
    pub replay: Option<PathBuf>,

    /// Where replies of verbs with `expires` are kept: memory, off, redis://HOST, or rediss://HOST with TLS [default: the configuration's]
    #[arg(long, value_name = "WHERE")]
    pub cache: Option<String>,

    /// Log on stderr: error, warn, info, debug or trace, or TARGET=LEVEL[,…] [default: what RUST_LOG says]
    #[arg(long, value_name = "LEVEL")]
    pub log: Option<String>,

    /// JSON file that names modules which read the replies of tables: {"table": "module.js"} [default: config/xformers.json of the folder]
    #[arg(short = 'x', long, value_name = "FILE")]
    pub xformers: Option<PathBuf>,
}

/// Show what your own messages cost in every format: bytes, compressed bytes, time, allocations
///
/// Each format's round trip is proved first, value by value; a format that changes values is shown with what it changes, and not ranked.
#[derive(Debug, Args)]
#[command(after_help = corpora())]
pub struct CompareArgs {
    /// Files with one message or many, all in one format; - or nothing: stdin
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

    /// Budget of one measurement; each format has three
    #[arg(long, value_name = "SECONDS", default_value_t = Options::TIME, value_parser = seconds)]
    pub time: f64,

    /// Other libraries of each format beside it, each checked before it is timed
    #[cfg_attr(not(feature = "rivals"), doc = "(not in this program: feature `rivals`)")]
    #[arg(long)]
    pub rivals: bool,

    /// Enter a program of your own that reads the messages on stdin; may be given more than once
    #[arg(long = "rival", value_name = "NAME=COMMAND")]
    pub programs: Vec<Program>,

    /// Longest run of such a program
    #[arg(long, value_name = "SECONDS", default_value_t = Options::TIMEOUT.as_secs_f64(), value_parser = seconds)]
    pub rival_timeout: f64,

    /// How to print the comparison
    #[arg(long, value_enum, default_value_t = ComparisonReport::Table)]
    pub report: ComparisonReport,

    /// Write a page with charts to this file, too
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// What a key means that comes twice in one record
    #[arg(long, value_name = "POLICY", value_enum, default_value_t = DoubledKeys::Error)]
    pub doubled: DoubledKeys,

    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ComparisonReport {
    /// For terminals, at most 100 columns wide
    Table,
    /// Everything that was measured
    Json,
    /// One line a format
    Csv,
    Markdown,
}

/// The list of the bundled messages below the help.
fn corpora() -> String {
    let width = CORPORA.iter().map(|corpus| corpus.name.len()).max().unwrap_or(0);
    let lines = CORPORA.iter().map(|corpus| format!("  {:width$}  {}", corpus.name, corpus.about));
    format!("Bundled messages, for --corpus:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// The columns of `--sort`.
fn columns() -> impl TypedValueParser<Value = Sort> {
    PossibleValuesParser::new(Sort::ALL.iter().map(|(name, _)| *name)).try_map(|name| name.parse::<Sort>())
}

/// A number of seconds above zero.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && Duration::try_from_secs_f64(seconds).is_ok() => Ok(seconds),
        _ => Err("a number of seconds above 0 is wanted, such as 0.5".to_string()),
    }
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

    #[command(flatten)]
    pub schema: SchemaArg,

    /// Accept losses: exit code 0 all the same
    #[arg(long)]
    pub lossy: bool,

    /// Keep only what these paths name, such as vouchers.goods_name; the rest is stepped over unread
    #[arg(long, value_name = "PATH[,PATH…]")]
    pub select: Option<Selection>,

    /// Put the messages that text or bytes at these paths hold in their place; . is the message itself, such as a compressed file
    #[arg(long, value_name = "PATH[,PATH…]")]
    pub open: Option<OpenPaths>,

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

    #[command(flatten)]
    pub schema: SchemaArg,

    /// Open payloads: messages that text or bytes hold, compressed or not, and so many levels of what these hold in turn
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=i64::from(polywire_core::tools::inspect::Options::MAX_DEPTH)))]
    pub depth: u32,

    /// Show long values whole
    #[arg(long)]
    pub full: bool,

    /// A dump for people, or one JSON object a row for programs
    #[arg(long, value_enum, default_value_t = DumpReport::Text)]
    pub report: DumpReport,

    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Compare messages by value, across formats, and show where they differ
///
/// The first message is compared with the first, the second with the second, and so on. Fields are matched by name, whatever their order; numbers
/// are exact: 1 is not 1.0. Exit code 0: all are equal, and nothing is printed; 1: they differ.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The one file; - is stdin
    pub left: PathBuf,

    /// The other file, in the same format or another; - is stdin
    pub right: PathBuf,

    /// Format of both files [default: recognised by the first bytes, else by the file's ending]
    #[arg(long, value_name = "FORMAT", value_parser = format_named)]
    pub from: Option<&'static Format>,

    /// Format of the one file
    #[arg(long, value_name = "FORMAT", value_parser = format_named)]
    pub from_a: Option<&'static Format>,

    /// Format of the other file
    #[arg(long, value_name = "FORMAT", value_parser = format_named)]
    pub from_b: Option<&'static Format>,

    /// Leave out what these paths name, such as header.date; * is every name
    #[arg(long, value_name = "PATH[,PATH…]")]
    pub ignore: Option<Selection>,

    /// Compare only what these paths name
    #[arg(long, value_name = "PATH[,PATH…]")]
    pub select: Option<Selection>,

    /// Put the messages that text or bytes at these paths hold in their place; . is the message itself, such as a compressed file
    #[arg(long, value_name = "PATH[,PATH…]")]
    pub open: Option<OpenPaths>,

    /// Show so many differences; the others are counted
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub max: u64,

    /// Show long values whole
    #[arg(long)]
    pub full: bool,

    /// For people, or one JSON object a line for programs
    #[arg(long, value_enum, default_value_t = DumpReport::Text)]
    pub report: DumpReport,

    /// What a key means that comes twice in one record
    #[arg(long, value_name = "POLICY", value_enum, default_value_t = DoubledKeys::Error)]
    pub doubled: DoubledKeys,

    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DumpReport {
    Text,
    Json,
}

/// Work with schemas
#[derive(Debug, Args)]
pub struct SchemaArgs {
    #[command(subcommand)]
    pub verb: SchemaVerb,
}

#[derive(Debug, Subcommand)]
pub enum SchemaVerb {
    Infer(InferArgs),
    Check(CheckArgs),
    Format(FormatSchemaArgs),
    Convert(ConvertSchemaArgs),
    Compile(CompileArgs),
}

/// Tell whether readers and writers of two versions of a schema understand each other
///
/// The last file is the new version; it is held against all others, or against revisions in git. Each change is shown with the rule that it breaks and a message that
/// shows it: one that the other side refuses or silently takes for something else.
#[derive(Debug, Args)]
#[command(after_help = "Exit code 1: some version does not go together with the new one.")]
pub struct CheckArgs {
    /// The versions, oldest first; with --against the new one alone
    #[arg(required = true)]
    pub files: Vec<PathBuf>,

    /// Hold the file against its own past: a revision, or every revision of a range that changed it
    #[arg(long, value_name = "git:REV|git:FROM..TO")]
    pub against: Option<String>,

    /// The type of messages to look at [default: all]
    #[arg(long = "type", value_name = "NAME")]
    pub root: Option<String>,

    /// What must hold: the new version reads old messages (backward), the old ones read new messages (forward)
    #[arg(long, value_name = "DIRECTION", value_enum, default_value_t = Directions::Both)]
    pub direction: Directions,

    /// Folder to look up what the files import; may be given more than once [default: where they are, and above]
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include: Vec<String>,

    /// Say 'no' to changed names and defaults too
    #[arg(long)]
    pub strict: bool,

    /// Language of the files [default: by their ending]
    #[arg(long, value_name = "LANGUAGE", value_parser = readable_language_names())]
    pub lang: Option<Language>,

    /// How to print the answer
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
    /// Commands of GitHub's workflows
    Github,
}

/// Lay schema files out in the one way that their language has
///
/// Comments stay, and so does the meaning. Without --check or --write, the text is printed.
#[derive(Debug, Args)]
pub struct FormatSchemaArgs {
    /// Files in a schema language; - or nothing: stdin
    pub files: Vec<PathBuf>,

    /// Language of the files [default: by the file's ending]
    #[arg(long, value_name = "LANGUAGE", value_parser = readable_language_names())]
    pub lang: Option<Language>,

    /// Print nothing but the names of files that are laid out otherwise; the exit code is 1 if there are any
    #[arg(long, conflicts_with = "write")]
    pub check: bool,

    /// Change the files
    #[arg(long)]
    pub write: bool,
}

/// Print a schema in another language
///
/// What that language cannot say goes to stderr, and the exit code is 1 then.
#[derive(Debug, Args)]
pub struct ConvertSchemaArgs {
    /// A file in a schema language; - or nothing: stdin
    pub file: Option<PathBuf>,

    /// Language to print the schema in
    #[arg(long, value_name = "LANGUAGE", value_parser = language_names(), required_unless_present = "binary")]
    pub to: Option<Language>,

    /// Write the schema with all that it imports in the binary form of its own language, such as a descriptor set, to a file
    #[arg(long = "descriptor-set", id = "binary", value_name = "FILE")]
    pub binary: Option<PathBuf>,

    /// Folder to look up what the files import; may be given more than once [default: where they are, and above]
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include: Vec<String>,

    /// Language of the file [default: by the file's ending]
    #[arg(long, value_name = "LANGUAGE", value_parser = readable_language_names())]
    pub lang: Option<Language>,
}

/// Make typed code of a schema: types, and what encodes, decodes and checks them
///
/// The same schema gives the same code. Build scripts do the same with the library behind this verb.
#[derive(Debug, Args)]
pub struct CompileArgs {
    /// A file in a schema language that code can be made of
    pub file: PathBuf,

    /// Language of the code
    #[arg(long, value_name = "LANGUAGE", default_value = "rust", value_parser = ["rust"])]
    #[allow(dead_code, reason = "it has one value")]
    pub lang: String,

    /// Encodings that the types have, such as extprot,usds [default: that of the schema's language]
    #[arg(long, value_name = "ENCODING", value_delimiter = ',')]
    pub encoding: Vec<String>,

    /// File to write the code to [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Folder to look up what the file imports; may be given more than once [default: where the file is, and above]
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include: Vec<String>,

    /// Messages of Protocol Buffers keep the fields that their schema does not have
    #[arg(long)]
    pub unknown_fields: bool,

    /// Derive serde's traits; the program then needs serde
    #[arg(long)]
    pub serde: bool,

    /// Leave out the types that own what they have
    #[arg(long)]
    pub borrowed_only: bool,

    /// Leave out the types that borrow from the message and an arena
    #[arg(long, conflicts_with = "borrowed_only")]
    pub owned_only: bool,
}

/// Print a schema that accepts all messages of the input
///
/// One pass, in memory that does not grow with the number of messages. The same messages give the same schema.
#[derive(Debug, Args)]
pub struct InferArgs {
    /// Files with one message or many, all of one kind; - or nothing: stdin
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub from: FromArg,

    /// Language to print the schema in
    #[arg(long, value_name = "LANGUAGE", default_value = LANGUAGES[0].name(), value_parser = language_names())]
    pub lang: Language,

    /// Name of the messages' type [default: as the messages say, else Message]
    #[arg(long)]
    pub name: Option<String>,

    /// What a key means that comes twice in one record
    #[arg(long, value_name = "POLICY", value_enum, default_value_t = DoubledKeys::Error)]
    pub doubled: DoubledKeys,

    #[command(flatten)]
    pub limits: LimitArgs,
}

/// A schema language of the registry.
#[derive(Clone, Copy)]
pub struct Language(pub &'static dyn SchemaLanguage);

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Language({})", self.0.name())
    }
}

/// The languages that schemas are printed in.
fn language_names() -> impl TypedValueParser<Value = Language> {
    named_languages(|_| true)
}

/// The languages that schemas are read from.
fn readable_language_names() -> impl TypedValueParser<Value = Language> {
    named_languages(|language| language.reader().is_some())
}

fn named_languages(which: fn(&dyn SchemaLanguage) -> bool) -> impl TypedValueParser<Value = Language> {
    let listed = LANGUAGES.iter().copied().filter(move |language| which(*language));
    PossibleValuesParser::new(listed.map(|language| PossibleValue::new(language.name()).help(language.title())))
        .try_map(|name| languages::find(&name).map(Language))
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
pub struct SchemaArg {
    /// Read, and write, the formats that take a schema by the one in this file
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,

    /// Type of the messages in that schema [default: as the schema's language says]
    #[arg(long = "type", value_name = "NAME", requires = "schema")]
    pub ty: Option<String>,

    /// Folder to look up what the schema imports; may be given more than once [default: where the schema is, and above]
    #[arg(short = 'I', long = "include", value_name = "DIR", requires = "schema")]
    pub include: Vec<String>,
}

impl SchemaArg {
    /// The format as the schema explains it, where that is in its language; by itself otherwise.
    pub fn dialect(&self, format: &'static Format) -> Result<Dialect, Error> {
        match &self.schema {
            Some(path) if self.is_for(format) => Dialect::with_schema(format, path, self.ty.as_deref(), &self.include),
            _ => Ok(format.into()),
        }
    }

    /// Whether the format takes the schema: one whose ending no other format has for its own.
    pub fn is_for(&self, format: &Format) -> bool {
        let (Some(path), Some(binder)) = (&self.schema, format.binder) else { return false };
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let has = |binder: &dyn Binder| binder.endings().contains(&ending);
        has(binder) || !registry::FORMATS.iter().filter_map(|format| format.binder).any(has)
    }

    /// Fails if there is a schema, and none of `formats` takes it.
    pub fn is_used_by(&self, formats: &[&'static Format]) -> Result<(), Error> {
        if self.schema.is_none() || formats.iter().any(|format| self.is_for(format)) {
            return Ok(());
        }
        let names: Vec<&str> = formats.iter().map(|format| format.name).collect();
        Err(Error::usage(format!("a schema for {}", names.join(" and ")))
            .expected("a format that takes one in its language")
            .hint("say which format it is with --from, if it was taken for another one"))
    }
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
        Limits::MAX.with_depth(self.max_depth).with_items(self.max_items).with_decoded(self.max_decoded).with_digits(self.max_digits)
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

/// The paths of `--select` and `--ignore`.
#[derive(Debug, Clone)]
pub struct Selection(pub Projection);

impl std::str::FromStr for Selection {
    type Err = Error;

    fn from_str(text: &str) -> Result<Selection, Error> {
        Ok(Selection(Projection::new(&paths(text)?)))
    }
}

/// The paths of `--open`.
#[derive(Debug, Clone)]
pub struct OpenPaths {
    paths: Projection,
    /// Whether the message itself is to be opened.
    pub root: bool,
}

impl std::str::FromStr for OpenPaths {
    type Err = Error;

    fn from_str(text: &str) -> Result<OpenPaths, Error> {
        let (root, others): (Vec<&str>, Vec<&str>) = text.split(',').partition(|path| *path == ".");
        let mut found = if others.is_empty() { Vec::new() } else { paths(&others.join(","))? };
        found.extend(root.first().map(|_| Path::default()));
        Ok(OpenPaths { paths: Projection::new(&found), root: !root.is_empty() })
    }
}

impl OpenPaths {
    /// What a walker is to open.
    pub fn opening(&self) -> Opening {
        Opening { paths: self.paths.clone(), payloads: &PAYLOADS }
    }
}

/// Paths with commas between.
fn paths(text: &str) -> Result<Vec<Path>, Error> {
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
    Ok(paths)
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
    fn a_time_budget_is_above_zero() {
        assert_eq!(seconds("0.5"), Ok(0.5));
        for bad in ["0", "-1", "inf", "NaN", "", "1s"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_point_is_the_message_itself() {
        let parsed = |text: &str| text.parse::<OpenPaths>().map(|open| open.root).ok();
        assert_eq!(["a.b", ".", "a,.,b", "\"x,y\".z,."].map(parsed), [Some(false), Some(true), Some(true), Some(true)]);
        assert_eq!(["", "a,", "..", ".a"].map(parsed), [None; 4]);
    }

    #[test]
    fn a_selection_splits_at_commas_outside_of_quotes() {
        assert!("a,b.c,\"x,y\".z".parse::<Selection>().is_ok());
        for bad in ["", "a,,b", "a,", "\"a,b"] {
            assert!(bad.parse::<Selection>().is_err(), "{bad}");
        }
    }
}
