//! `polywire diff`.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use polywire_core::format::Format;
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Missed, Walker};
use polywire_core::tools::diff::{Ahead, Difference, Found, Half, Line, Mark, Options, Outcome, Side, Tolerance, What, streams};
use polywire_core::tools::tee::Held;
use polywire_core::{Error, Span};
use serde::Serialize;

use crate::args::diff::DiffArgs;
use crate::args::report::DiffReport;
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
const HUNK: Style = AnsiColor::Cyan.on_default();

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
    for key in &found.keys {
        stderr::say(format_args!("--key {key} fits no message and no element of a list"));
    }
    missed::remark(&unmatched, args.strict.strict_paths)?;
    if args.strict.strict_paths && !found.keys.is_empty() {
        return Err(Failure::Paths);
    }
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
    /// Keys that nothing had.
    keys: Vec<String>,
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
        match self.pairs {
            0 => self.keys = pair.keys,
            _ => self.keys.retain(|key| pair.keys.contains(key)),
        }
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
            DiffReport::Text | DiffReport::Unified => report.look.alone(&name, &folder, &mut report.out),
            DiffReport::Json => alone_json(&name, &folder, &mut report.out),
        };
        written.map_err(|error| unwritten(&error))?;
    }
    Ok(all)
}

/// Compares two files. Within folders, they have a name.
fn pair(args: &DiffArgs, left: &Path, right: &Path, file: Option<&str>, report: &mut Report) -> Result<Compared, Failure> {
    let limits = args.limits.limits();
    let paths = [left, right];
    let decoded = |path: &Path, from| -> Result<Input, Failure> {
        input::open(Some(path))?.opened(args.open.as_ref(), &limits)?.in_charset(&args.charset, from)
    };
    let open = |path: &Path, from| -> Result<(Input, &'static Format), Failure> {
        let mut input = decoded(path, from)?;
        let format = input.format(from)?;
        Ok((input, format))
    };
    let (mut left, left_format) = open(left, args.from_a.or(args.from))?;
    let (mut right, right_format) = open(right, args.from_b.or(args.from))?;
    let schemas = args.schemas()?;
    match &schemas {
        None => args.schema.is_used_by(&[left_format, right_format])?,
        Some([of_left, of_right]) => {
            of_left.is_used_by(&[left_format])?;
            of_right.is_used_by(&[right_format])?;
        }
    }
    args.settings.is_used_by(&[left_format, right_format], None)?;
    args.charset.is_for(left_format)?;
    args.charset.is_for(right_format)?;
    let typed = match &schemas {
        Some([of_left, of_right]) => {
            [Typed::new(of_left, &mut left, left_format, &[], &limits)?, Typed::new(of_right, &mut right, right_format, &[], &limits)?]
        }
        None => {
            // A message of a format that takes the schema decides its type.
            let (sample, format) = match args.schema.is_for(left_format) {
                true => (&mut left, left_format),
                false => (&mut right, right_format),
            };
            let typed = Typed::new(&args.schema, sample, format, &[], &limits)?;
            [typed.clone(), typed]
        }
    };
    let walker = |side: Side, input: &Input| -> Result<Walker, Failure> {
        let (typed, format) = match side {
            Side::Left => (&typed[0], left_format),
            Side::Right => (&typed[1], right_format),
        };
        let select = args.select.as_ref().map(|select| select.0.clone());
        let opening = args.open.as_ref().and_then(|open| open.opening(input.is_decoded()));
        let walker = Walker::new(args.settings.applied(typed.dialect(format)?, true)?, &limits).doubles(args.duplicates.policy());
        Ok(walker.each(args.each.each.clone()).select(select).open(opening))
    };
    let (mut left_walker, mut right_walker) = (walker(Side::Left, &left)?, walker(Side::Right, &right)?);
    input::remark_whole(&left_walker, &left.name);
    input::remark_whole(&right_walker, &right.name);
    let keys = args.key.as_ref().map(|keys| keys.0.clone()).unwrap_or_default();
    let looks_ahead = !args.no_align || keys.iter().any(|key| key.is_for(&[]));
    let ahead = |path: &Path, input: &mut Input, side, from| -> Result<Option<Lead>, Failure> {
        if !looks_ahead {
            return Ok(None);
        }
        let walker = walker(side, input)?;
        if path != Path::new("-") && path.is_file() {
            // It is read once more, rather than held.
            let stream = open(path, from)?.0.stream;
            return Ok(Some(Lead { stream, walker, held: Held::default() }));
        }
        let empty: Box<dyn Read> = Box::new(io::empty());
        let (stream, follower, held) = std::mem::replace(&mut input.stream, Stream::new(empty)).tee();
        input.stream = follower;
        Ok(Some(Lead { stream, walker, held }))
    };
    let mut left_lead = ahead(paths[0], &mut left, Side::Left, args.from_a.or(args.from))?;
    let mut right_lead = ahead(paths[1], &mut right, Side::Right, args.from_b.or(args.from))?;
    let options = Options {
        ignore: args.ignore.as_ref().map(|ignore| ignore.0.clone()),
        limit: args.max,
        shown: if args.full || args.report == DiffReport::Json { usize::MAX } else { SHOWN },
        align: !args.no_align,
        keys,
        tolerance: Tolerance { epsilon: args.epsilon, same_numbers: args.same_numbers },
        listing: args.report == DiffReport::Unified,
    };
    let Report { out, look } = report;
    let mut named = file.filter(|_| args.report == DiffReport::Text);
    let mut heads = (args.report == DiffReport::Unified).then(|| [left.name.clone(), right.name.clone()]);
    let one = Half { stream: &mut left.stream, walker: &mut left_walker, ahead: left_lead.as_mut().map(Lead::ahead) };
    let other = Half { stream: &mut right.stream, walker: &mut right_walker, ahead: right_lead.as_mut().map(Lead::ahead) };
    let outcome = streams(one, other, &options, &mut |found| {
        let written = match &found.what {
            What::Listing(lines) => {
                heads.take().map_or(Ok(()), |names| look.heads(&names, out)).and_then(|()| look.listing(found, lines, out))
            }
            What::Difference(difference) if args.report == DiffReport::Json => json(found, difference, file, out),
            What::Difference(difference) => {
                named.take().map_or(Ok(()), |name| look.file(name, out)).and_then(|()| look.text(found, difference, out))
            }
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
        DiffReport::Text | DiffReport::Unified => look.summary(&outcome, args, out),
        DiffReport::Json => summary_json(&outcome, file, out),
    }
    .map_err(|error| unwritten(&error))?;
    told(&outcome, file);
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
        keys: outcome.unused_keys,
    })
}

/// A stream that is read ahead of its comparison.
struct Lead {
    stream: Stream<Box<dyn Read>>,
    walker: Walker,
    held: Held,
}

impl Lead {
    fn ahead(&mut self) -> Ahead<'_> {
        Ahead { stream: &mut self.stream, walker: &mut self.walker, held: self.held.clone() }
    }
}

/// Remarks on what was compared otherwise than one might expect.
fn told(outcome: &Outcome, file: Option<&str>) {
    let about = file.map_or_else(String::new, |file| format!("{file}: "));
    if outcome.unaligned {
        stderr::say(format_args!("{about}a part with nothing in common is too long to be aligned, and was compared as it stands"));
    }
    if outcome.doubled > 0 {
        let (count, have) = (outcome.doubled, if outcome.doubled == 1 { " has" } else { "s have" });
        stderr::say(format_args!(
            "{about}--key: {count} element{have} the key of another one beside it; those of one key were matched in order"
        ));
    }
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

    /// Writes the names of both sides, as a patch has them.
    fn heads(&self, [left, right]: &[String; 2], out: &mut impl Write) -> io::Result<()> {
        self.put(LEFT, &format!("--- {left}"), out)?;
        writeln!(out)?;
        self.put(RIGHT, &format!("+++ {right}"), out)?;
        writeln!(out)
    }

    /// Writes a message that differs, with the lines around its differences.
    fn listing(&self, found: &Found, lines: &[Line], out: &mut impl Write) -> io::Result<()> {
        self.put(HUNK, &format!("@@ {} @@", number(found)), out)?;
        writeln!(out)?;
        for Line { mark, depth, text } in lines {
            let (sign, style) = match mark {
                Mark::Both => (' ', Style::new()),
                Mark::Left => ('-', LEFT),
                Mark::Right => ('+', RIGHT),
                Mark::Gap => (' ', DIM),
            };
            self.put(style, &format!("{sign}{:indent$}{text}", "", indent = 2 * depth), out)?;
            writeln!(out)?;
        }
        Ok(())
    }

    fn text(&self, found: &Found, difference: &Difference, out: &mut impl Write) -> io::Result<()> {
        self.put(DIM, &format!("{}: ", number(found)), out)?;
        self.put(PLACE, &difference.path.to_string(), out)?;
        if difference.path != difference.right_path {
            self.put(DIM, ", on the right ", out)?;
            self.put(PLACE, &difference.right_path.to_string(), out)?;
        }
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

    fn summary(&self, outcome: &Outcome, args: &DiffArgs, out: &mut impl Write) -> io::Result<()> {
        let Outcome { left, right, compared, differing, differences, unlisted, .. } = *outcome;
        if differences == 0 {
            return Ok(());
        }
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        let shown = if args.report == DiffReport::Unified { differences - unlisted } else { differences.min(args.max) };
        let shown = if shown < differences { format!(", of which {shown} shown (--max)") } else { String::new() };
        let counts = if left == right { String::new() } else { format!("; {left} on the left, {right} on the right") };
        let text = format!(
            "{differences} difference{}{shown}, in {differing} of {compared} message{}{counts}",
            plural(differences),
            plural(compared)
        );
        self.put(DIM, &text, out)?;
        writeln!(out)
    }

    fn put(&self, style: Style, text: &str, out: &mut impl Write) -> io::Result<()> {
        if self.colour && !text.is_empty() { write!(out, "{style}{text}{style:#}") } else { write!(out, "{text}") }
    }
}

/// Returns the number of a message, and its number on the right if that is another one.
fn number(found: &Found) -> String {
    match (found.left, found.right) {
        (Some(left), Some(right)) if left != right => format!("message {}, on the right {}", left + 1, right + 1),
        (left, right) => format!("message {}", left.or(right).unwrap_or(0) + 1),
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
/// `left` and `right` have `value`, `start` and `end`, or are null. `right_message` and
/// `right_path` are there where they are others than on the left.
fn json(found: &Found, difference: &Difference, file: Option<&str>, out: &mut impl Write) -> io::Result<()> {
    let path = |path: &polywire_core::walk::Path| if path.0.is_empty() { String::new() } else { path.to_string() };
    let record = DifferenceRecord {
        what: "difference",
        file,
        message: found.left.or(found.right).unwrap_or(0),
        right_message: found.right.filter(|right| found.left.is_some_and(|left| left != *right)),
        path: path(&difference.path),
        right_path: (difference.path != difference.right_path).then(|| path(&difference.right_path)),
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
    #[serde(skip_serializing_if = "Option::is_none")]
    right_message: Option<u64>,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    right_path: Option<String>,
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
