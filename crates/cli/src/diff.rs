//! `polywire diff`.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use polywire_core::format::Format;
use polywire_core::tools::adapt::{Missed, Walker};
use polywire_core::tools::diff::{Found, Options, Outcome, Side, streams};
use polywire_core::{Error, Span};
use serde::Serialize;

use crate::args::diff::DiffArgs;
use crate::args::report::DumpReport;
use crate::failure::{Failure, unwritten};
use crate::input::{self, Input};
use crate::message_type::Typed;
use crate::missed::{self, Unmatched};
use crate::{stderr, stdout};

/// Most characters of a value that are shown, without `--full`.
const SHOWN: usize = 60;

const PLACE: Style = Style::new().bold();
const LEFT: Style = AnsiColor::Red.on_default();
const RIGHT: Style = AnsiColor::Green.on_default();
const DIM: Style = Style::new().dimmed();

/// Runs the verb.
pub fn run(args: &DiffArgs) -> Result<(), Failure> {
    if [&args.left, &args.right].iter().all(|path| path.as_path() == Path::new("-")) {
        return Err(Error::usage("stdin as both inputs").hint("name a file for one of them").into());
    }
    let mut report = Report {
        out: BufWriter::new(stdout::stdout().map_err(|error| unwritten(&error))?),
        look: Look { colour: AutoStream::choice(&io::stdout()) != ColorChoice::Never },
    };
    let found = match (args.left.is_dir(), args.right.is_dir()) {
        (false, false) => pair(args, &args.left, &args.right, None, &mut report)?,
        (true, true) => folders(args, &mut report)?,
        _ => return Err(Error::usage("a folder and a file").expected("two files, or two folders").into()),
    };
    report.out.flush().map_err(|error| unwritten(&error))?;
    let unmatched = [
        Unmatched { option: "--select", paths: found.selected, fails: true },
        Unmatched { option: "--open", paths: found.opened, fails: true },
        Unmatched { option: "--ignore", paths: found.ignored, fails: false },
    ];
    missed::remark(&unmatched, args.strict.strict_paths)?;
    if found.differ { Err(Failure::No) } else { Ok(()) }
}

/// The outcome of one or more pairs of files: whether they differ, and the paths that named nothing
/// in any of them.
#[derive(Default)]
struct Compared {
    pairs: usize,
    differ: bool,
    selected: Vec<Missed>,
    opened: Vec<Missed>,
    ignored: Vec<Missed>,
}

impl Compared {
    /// Adds the outcome of a pair.
    fn add(&mut self, pair: Compared) {
        let keep = |all: &mut Vec<Missed>, these: Vec<Missed>| match self.pairs {
            0 => *all = these,
            _ => all.retain(|missed| these.iter().any(|other| other.path == missed.path)),
        };
        keep(&mut self.selected, pair.selected);
        keep(&mut self.opened, pair.opened);
        keep(&mut self.ignored, pair.ignored);
        self.differ |= pair.differ;
        self.pairs += 1;
    }
}

/// The printed report.
struct Report {
    out: BufWriter<stdout::Stdout>,
    look: Look,
}

/// Compares the files of two folders that have the same name. A file without a counterpart is a
/// difference.
fn folders(args: &DiffArgs, report: &mut Report) -> Result<Compared, Failure> {
    let of = |folder: &Path| -> Result<BTreeSet<PathBuf>, Failure> {
        let places = input::places(&[folder.to_path_buf()])?.into_iter();
        Ok(places.filter_map(|place| Some(place.path.strip_prefix(folder).ok()?.to_path_buf())).collect())
    };
    let (left, right) = (of(&args.left)?, of(&args.right)?);
    let mut all = Compared::default();
    for file in left.union(&right) {
        let name = file.display().to_string();
        let alone = match (left.contains(file), right.contains(file)) {
            (true, true) => {
                match pair(args, &args.left.join(file), &args.right.join(file), Some(&name), report) {
                    Err(failure) if failure.is_unknown_format() => {
                        stderr::say(format_args!("{name}: skipped, its bytes look like no format"));
                    }
                    found => all.add(found?),
                }
                continue;
            }
            (true, false) => &args.left,
            _ => &args.right,
        };
        all.differ = true;
        let folder = alone.display().to_string();
        let written = match args.report {
            DumpReport::Text => report.look.alone(&name, &folder, &mut report.out),
            DumpReport::Json => alone_json(&name, &folder, &mut report.out),
        };
        written.map_err(|error| unwritten(&error))?;
    }
    Ok(all)
}

/// Compares two files. Within folders, they have a name.
fn pair(args: &DiffArgs, left: &Path, right: &Path, file: Option<&str>, report: &mut Report) -> Result<Compared, Failure> {
    let limits = args.limits.limits();
    let open = |path: &Path, from| -> Result<(Input, &'static Format), Failure> {
        let mut input = input::open(Some(path))?.opened(args.open.as_ref(), &limits)?.in_charset(&args.charset, from)?;
        let format = input.format(from)?;
        Ok((input, format))
    };
    let (mut left, left_format) = open(left, args.from_a.or(args.from))?;
    let (mut right, right_format) = open(right, args.from_b.or(args.from))?;
    args.schema.is_used_by(&[left_format, right_format])?;
    args.settings.is_used_by(&[left_format, right_format], None)?;
    args.charset.is_for(left_format)?;
    args.charset.is_for(right_format)?;
    // A message of a format that takes the schema decides its type.
    let (sample, format) = match args.schema.is_for(left_format) {
        true => (&mut left, left_format),
        false => (&mut right, right_format),
    };
    let typed = Typed::new(&args.schema, sample, format, &[], &limits)?;
    let walker = |format, input: &Input| -> Result<Walker, Failure> {
        let select = args.select.as_ref().map(|select| select.0.clone());
        let opening = args.open.as_ref().and_then(|open| open.opening(input.is_decoded()));
        let walker = Walker::new(args.settings.applied(typed.dialect(format)?, true)?, &limits).doubles(args.duplicates.policy());
        let walker = walker.each(args.each.each.clone()).select(select).open(opening);
        input::remark_whole(&walker, &input.name);
        Ok(walker)
    };
    let (mut left_walker, mut right_walker) = (walker(left_format, &left)?, walker(right_format, &right)?);
    let options = Options {
        ignore: args.ignore.as_ref().map(|ignore| ignore.0.clone()),
        limit: args.max,
        shown: if args.full || args.report == DumpReport::Json { usize::MAX } else { SHOWN },
    };
    let Report { out, look } = report;
    let mut named = file.filter(|_| args.report == DumpReport::Text);
    let outcome = streams((&mut left.stream, &mut left_walker), (&mut right.stream, &mut right_walker), &options, &mut |found| {
        let written = match args.report {
            DumpReport::Text => named.take().map_or(Ok(()), |name| look.file(name, out)).and_then(|()| look.text(found, out)),
            DumpReport::Json => json(found, file, out),
        };
        written.map_err(|error| Error::io("writing the output", &error))
    });
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(failed) => {
            out.flush().map_err(|error| unwritten(&error))?;
            let name = match failed.side {
                Some(Side::Left) => Some(left.name.as_str()),
                Some(Side::Right) => Some(right.name.as_str()),
                None => None,
            };
            return Err(Failure::about(failed.error, name));
        }
    };
    for (count, input, walker) in [(outcome.left, &left, &left_walker), (outcome.right, &right, &right_walker)] {
        if count == 0 && !walker.format().may_be_empty {
            return Err(input::no_message(walker, input.stream.offset(), &input.name));
        }
    }
    match args.report {
        DumpReport::Text => look.summary(&outcome, args.max, out),
        DumpReport::Json => summary_json(&outcome, file, out),
    }
    .map_err(|error| unwritten(&error))?;
    let neither = |of: fn(&Walker) -> Vec<Missed>| {
        let right = of(&right_walker);
        of(&left_walker).into_iter().filter(|missed| right.iter().any(|other| other.path == missed.path)).collect()
    };
    Ok(Compared {
        pairs: 1,
        differ: outcome.differences > 0,
        selected: neither(Walker::unselected),
        opened: neither(Walker::unopened),
        ignored: outcome.unmatched,
    })
}

/// Look of a report for people.
struct Look {
    colour: bool,
}

impl Look {
    /// Writes the name of the file that differences follow of.
    fn file(&self, name: &str, out: &mut impl Write) -> io::Result<()> {
        self.put(PLACE, name, out)?;
        writeln!(out, ":")
    }

    /// Writes that a file is in one of the folders only.
    fn alone(&self, name: &str, folder: &str, out: &mut impl Write) -> io::Result<()> {
        self.put(PLACE, name, out)?;
        writeln!(out, ": only in {folder}")
    }

    fn text(&self, found: &Found, out: &mut impl Write) -> io::Result<()> {
        let difference = &found.difference;
        self.put(DIM, &format!("message {}: ", found.message + 1), out)?;
        self.put(PLACE, &difference.path.to_string(), out)?;
        writeln!(out)?;
        for (mark, style, side) in [('-', LEFT, &difference.left), ('+', RIGHT, &difference.right)] {
            let (value, bytes) = match side {
                None => ("nothing", String::new()),
                Some((value, at)) => (value.as_str(), format!("  {}", place(*at))),
            };
            self.put(style, &format!("  {mark} {value}"), out)?;
            self.put(DIM, &bytes, out)?;
            writeln!(out)?;
        }
        Ok(())
    }

    fn summary(&self, outcome: &Outcome, max: u64, out: &mut impl Write) -> io::Result<()> {
        let Outcome { left, right, differing, differences, .. } = *outcome;
        if differences == 0 {
            return Ok(());
        }
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        let of = left.max(right);
        let shown = if differences > max { format!(", of which {max} shown (--max)") } else { String::new() };
        let counts = if left == right { String::new() } else { format!("; {left} on the left, {right} on the right") };
        let text = format!("{differences} difference{}{shown}, in {differing} of {of} message{}{counts}", plural(differences), plural(of));
        self.put(DIM, &text, out)?;
        writeln!(out)
    }

    fn put(&self, style: Style, text: &str, out: &mut impl Write) -> io::Result<()> {
        if self.colour && !text.is_empty() { write!(out, "{style}{text}{style:#}") } else { write!(out, "{text}") }
    }
}

fn place(at: Span) -> String {
    match at.len() {
        0 => "no bytes of its own".to_string(),
        1 => format!("byte {}", at.start),
        _ => format!("bytes {} to {}", at.start, at.end - 1),
    }
}

/// Writes a difference as one line of JSON: an object with the keys `what`, `message`, `path`,
/// `left` and `right`, and within folders `file`.
///
/// `left` and `right` have `value`, `start` and `end`, or are null.
fn json(found: &Found, file: Option<&str>, out: &mut impl Write) -> io::Result<()> {
    let difference = &found.difference;
    let record = DifferenceRecord {
        what: "difference",
        file,
        message: found.message,
        path: if difference.path.0.is_empty() { String::new() } else { difference.path.to_string() },
        left: difference.left.as_ref().map(There::of),
        right: difference.right.as_ref().map(There::of),
    };
    serde_json::to_writer(&mut *out, &record)?;
    writeln!(out)
}

#[derive(Serialize)]
struct DifferenceRecord<'a> {
    what: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    message: u64,
    path: String,
    left: Option<There<'a>>,
    right: Option<There<'a>>,
}

#[derive(Serialize)]
struct There<'a> {
    value: &'a str,
    start: u64,
    end: u64,
}

impl<'a> There<'a> {
    fn of((value, at): &'a (String, Span)) -> There<'a> {
        There { value, start: at.start, end: at.end }
    }
}

/// Writes that a file is in one of the folders only.
fn alone_json(file: &str, folder: &str, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &AloneRecord { what: "file", file, folder })?;
    writeln!(out)
}

#[derive(Serialize)]
struct AloneRecord<'a> {
    what: &'static str,
    file: &'a str,
    folder: &'a str,
}

fn summary_json(outcome: &Outcome, file: Option<&str>, out: &mut impl Write) -> io::Result<()> {
    let record = SummaryRecord {
        what: "summary",
        file,
        differences: outcome.differences,
        differing_messages: outcome.differing,
        left_messages: outcome.left,
        right_messages: outcome.right,
    };
    serde_json::to_writer(&mut *out, &record)?;
    writeln!(out)
}

#[derive(Serialize)]
struct SummaryRecord<'a> {
    what: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    differences: u64,
    differing_messages: u64,
    left_messages: u64,
    right_messages: u64,
}
