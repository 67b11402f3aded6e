//! `polywire`: one program for messages on the wire.
#![forbid(unsafe_code)]

mod inspect;

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use clap::{Args, Parser, Subcommand, ValueEnum};
use polywire_core::error::{Error, ErrorKind, Fault, Result};
use polywire_core::format::{Confidence, Format};
use polywire_core::inspect::{Options, inspect};
use polywire_formats::registry;

/// One program for messages on the wire
#[derive(Debug, Parser)]
#[command(name = "polywire", version)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Show what the bytes mean, each value with its byte range
    Inspect(InspectArgs),
}

#[derive(Debug, Args)]
struct InspectArgs {
    /// File to read; `-` or none: standard input
    file: Option<PathBuf>,
    /// Format of the input; recognised if not given
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// Lines for people, or one JSON object a row
    #[arg(long, value_enum, default_value = "text")]
    report: Report,
    /// Show all bytes and all text of long values
    #[arg(long)]
    full: bool,
    /// Colours in the text report
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    color: Color,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Report {
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

/// How much of the input recognition looks at, in bytes.
const LOOK_AT: usize = 64 << 10;

fn main() -> ExitCode {
    let Verb::Inspect(args) = Cli::parse().verb;
    match run_inspect(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If standard error is gone, there is nobody to tell.
            let _ = writeln!(io::stderr(), "polywire: {error}");
            ExitCode::from(exit_code(&error))
        }
    }
}

fn exit_code(error: &Error) -> u8 {
    match error.fault() {
        Fault::Caller => 2,
        Fault::Data | Fault::Schema | Fault::Us => 3,
        Fault::Environment => 4,
    }
}

fn run_inspect(args: &InspectArgs) -> Result<()> {
    let named = args.from.as_deref().map(registry::find).transpose()?;
    let file = args.file.as_deref().filter(|file| *file != OsStr::new("-"));
    let bytes = match file {
        Some(file) => std::fs::read(file).map_err(|error| Error::io(&format!("reading {}", file.display()), &error))?,
        None => {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes).map_err(|error| Error::io("reading standard input", &error))?;
            bytes
        }
    };
    let ending = file.and_then(|file| file.extension()).and_then(OsStr::to_str);
    let format = match named {
        Some(format) => format,
        None => recognise(&bytes, ending)?,
    };
    let stdout = io::stdout();
    let colour = match args.color {
        Color::Auto => AutoStream::choice(&stdout) != ColorChoice::Never,
        Color::Always => true,
        Color::Never => false,
    };
    let mut out = io::BufWriter::with_capacity(64 << 10, stdout.lock());
    let look = inspect::Look::new(bytes.len(), colour, args.full);
    let shown = if args.full || args.report == Report::Json { usize::MAX } else { Options::default().shown };
    let options = Options { shown, ..Options::default() };
    let mut failed = None;
    let outcome = inspect(format, &bytes, &options, &mut |row| {
        let written = match args.report {
            Report::Text => inspect::text(row, &mut out, look),
            Report::Json => inspect::json(row, &mut out),
        };
        written.map_err(|error| {
            let told = Error::io("writing", &error);
            failed = Some(error);
            told
        })
    });
    let flushed = out.flush();
    if let Some(error) = failed.or(flushed.err()) {
        // Whoever reads has seen enough.
        return if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(Error::io("writing the report", &error)) };
    }
    outcome?.broken.map_or(Ok(()), Err)
}

/// The format that the bytes look like, or else the one that the file's ending names.
fn recognise(bytes: &[u8], ending: Option<&str>) -> Result<&'static Format> {
    let start = &bytes[..bytes.len().min(LOOK_AT)];
    let whole = start.len() == bytes.len();
    let looks = |format: &Format| (format.recognise)(start, whole);
    let seen = registry::recognise(start, whole);
    let ended = ending.and_then(registry::by_extension);
    match (seen, ended) {
        (Some(seen), Some(ended)) if looks(seen) < Confidence::Likely && looks(ended) == looks(seen) => Ok(ended),
        (Some(seen), _) => Ok(seen),
        (None, Some(ended)) => Ok(ended),
        (None, None) => Err(Error::new(ErrorKind::UnknownFormat, Fault::Data)
            .seen("the input looks like no known format")
            .hint("name its format with --from")),
    }
}
