//! `polywire inspect`.

use std::cell::RefCell;
use std::io::{self, BufWriter, Read, Write};
use std::rc::Rc;

use anstream::{AutoStream, ColorChoice};
use polywire_core::format::payload::raw::RAW;
use polywire_core::tools::adapt::Walker;
use polywire_core::tools::inspect::{Inspection, Options, Wanted, inspect_from};
use polywire_core::{Error, ErrorKind};
use polywire_formats::payload::PAYLOADS;
use polywire_formats::registry;
use polywire_report::RowLine;

use crate::args::inspect::InspectArgs;
use crate::args::report::DumpReport;
use crate::broken::Broken;
use crate::dump::{self, Look, Printer};
use crate::failure::{Failure, unwritten};
use crate::input::Input;
use crate::message_type::Typed;
use crate::missed::{self, Unmatched};
use crate::{column_facts, input, pager, stderr, stdout, terminal};

/// Bytes of a stream of unknown length that are looked at for its length.
const START: usize = 4096;

/// Runs the verb.
pub fn run(args: &InspectArgs) -> Result<(), Failure> {
    let limits = args.limits.limits();
    let mut input = input::open(args.input.as_deref())?;
    let cut = Rc::new(RefCell::new(None));
    let inside = looks_inside(args) || args.from.from.is_none() && input.is_text_around_bytes()?;
    let unclear = if inside { None } else { input.unclear()? };
    if unclear.is_some() || inside {
        input = unpacked(input.opened(None, &limits)?, &cut);
    }
    let mut input = input.in_charset(&args.from.charset, args.from.from)?;
    if let Some(charset) = input.charset {
        stderr::say(format_args!("{}: offsets count in the text as UTF-8; it was {}", input.name, charset.name()));
    }
    let format = match (input.format_or_raw(args.from.from), unclear) {
        (Ok(format), _) => format,
        (Err(_), _) if cut.borrow().is_some() => &RAW,
        (Err(failure), unclear) => return Err(unclear.unwrap_or(failure)),
    };
    if let Some(columnar) = format.columns {
        if has_rows(args) {
            let error = Error::usage(format!("a place within {}", format.name)).expected("a format whose messages have bytes of their own");
            return Err(Failure::about(error.hint("convert it first: polywire convert --to jsonl"), Some(&input.name)));
        }
        let facts = input.column_facts(columnar)?;
        let text = match args.report {
            DumpReport::Text => column_facts::text(&facts),
            DumpReport::Json => column_facts::json(&facts)?,
        };
        return stdout::write(text.as_bytes()).map_err(|error| unwritten(&error));
    }
    let codecs = input.is_decoded().then(|| names(&input));
    let is_decoded = codecs.is_some();
    if let Some(codecs) = &codecs {
        stderr::say(format_args!("{}: offsets count in the decoded bytes, in {codecs}", input.name));
    } else if format.name == RAW.name && has_rows(args) {
        stderr::say(format_args!("{}: the rows are of the bytes as they are; --depth and `convert --open .` look inside", input.name));
    }
    args.schema.is_used_by(&[format])?;
    args.from.is_used_by(&[format], None)?;
    let dialect = args.from.settings.applied(Typed::new(&args.schema, &mut input, format, &[], &limits)?.dialect(format)?, true)?;
    let (start, _) = input.stream.peek(START + 1).map_err(|error| Failure::about(error, Some(&input.name)))?;
    // A pipe may or may not have said by now that nothing follows.
    let len = match start.len() <= START {
        true => Some(start.len() as u64),
        false if is_decoded => None,
        false => args.input.as_ref().and_then(|path| path.metadata().ok()).filter(|file| file.is_file()).map(|file| file.len()),
    };
    let colour = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
    let bits = dialect.reader().count_bits(true);
    let mut printer = Printer::new(Look::new(len, width(args), colour, args.full, args.depth).counting_bits(bits));
    let mut out = BufWriter::with_capacity(64 << 10, pager::open(!args.no_pager).map_err(|error| unwritten(&error))?);
    let mut wanted = Wanted::default();
    (wanted.at, wanted.message, wanted.limit) = (args.at, args.message.map(|number| number - 1), args.limit);
    (wanted.paths, wanted.find) = (args.path.as_ref().map(|paths| paths.0.clone()), args.find.clone());
    let default = Options {
        limits,
        payloads: Some(&PAYLOADS),
        depth: args.depth,
        each: args.each.each.clone(),
        wanted,
        tag_name: registry::tag_name,
        ..Options::default()
    };
    let options = if args.full || args.report == DumpReport::Json { Options { shown: usize::MAX, ..default } } else { default };
    let unwritable = |error: io::Error| Error::io("writing the output", &error);
    // A compressed file is one value: an error in it is the command's.
    let mut broken = Broken::new(u32::from(format.name == RAW.name));
    let outcome = inspect_from(dialect, input.stream.into_input(), &options, &mut |row| {
        broken.row(row);
        let mut row = *row;
        row.decoded |= is_decoded;
        let written = match args.report {
            DumpReport::Text => printer.row(&row, &mut out),
            DumpReport::Json => RowLine::new(&row).write(&mut out),
        };
        written.map_err(unwritable)
    });
    let mut outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            printer.write(&mut out).map_err(unwritable)?;
            return Err(error.into());
        }
    };
    if outcome.stopped && args.report == DumpReport::Text && args.limit.is_some_and(|limit| outcome.values >= limit) {
        let plural = if outcome.values == 1 { "" } else { "s" };
        let remark = format!("… {} value{plural} shown (--limit); the input goes on", outcome.values);
        printer.remark(&remark);
    }
    if args.report == DumpReport::Text && !outcome.stopped && !has_rows(args) {
        count(&outcome).inspect(|count| printer.remark(count));
    }
    // A codec's error is the cause of a message's that is cut off there.
    if !outcome.stopped {
        outcome.broken = cut.take().or(outcome.broken);
    }
    printer.write(&mut out).map_err(unwritable)?;
    out.flush().map_err(unwritable)?;
    // The pager ends before anything is remarked on the same terminal.
    drop(out);
    broken.remark();
    match outcome.broken {
        None if outcome.messages == 0 && !outcome.stopped && !format.may_be_empty => {
            Err(input::no_message(&Walker::new(format, &limits), outcome.end, &input.name))
        }
        None => found(args, &outcome),
        Some(error) => {
            let error = codecs.into_iter().fold(error, |error, codecs| error.or_decoded(codecs));
            Err(Failure::about(error, Some(&input.name)))
        }
    }
}

/// Returns the names of the codecs that were taken off, such as `gzip in zstd`.
fn names(input: &Input) -> String {
    input.codecs.iter().rev().map(|codec| codec.name).collect::<Vec<&str>>().join(" in ")
}

/// Reports whether some of the rows are asked for by their place or contents.
fn has_rows(args: &InspectArgs) -> bool {
    args.at.is_some() || args.message.is_some() || args.path.is_some() || args.find.is_some()
}

/// Reports whether a compressed input is looked at inside: for what only its messages have.
fn looks_inside(args: &InspectArgs) -> bool {
    has_rows(args) || args.each.each.is_some() || args.from.from.is_some_and(|format| format.name != RAW.name)
}

/// Returns the number of messages, if there are several.
fn count(outcome: &Inspection) -> Option<String> {
    let whole = outcome.inside.unwrap_or(outcome.messages);
    let plural = if whole == 1 { "" } else { "s" };
    match &outcome.broken {
        None if whole > 1 => Some(format!("… {whole} messages")),
        Some(error) if whole > 0 => {
            let rest = if error.kind() == ErrorKind::Truncated { "cut off" } else { "broken" };
            Some(format!("… {whole} whole message{plural}, 1 {rest}"))
        }
        _ => None,
    }
}

/// The error that ended the decoding of an input.
type Ended = Rc<RefCell<Option<Error>>>;

/// Returns an input whose bytes end where decoding fails. `ended` gets the error.
fn unpacked(mut input: Input, ended: &Ended) -> Input {
    if input.is_decoded() {
        let codecs = names(&input);
        let ended = Rc::clone(ended);
        input.stream = input.stream.through(|decoder| Box::new(Decoded { decoder, codecs, read: 0, ended }));
    }
    input
}

/// Decoded bytes, up to the first that cannot be decoded.
struct Decoded {
    decoder: Box<dyn Read>,
    codecs: String,
    read: u64,
    ended: Ended,
}

impl Read for Decoded {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.decoder.read(buf) {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                let error = Error::data(ErrorKind::Encoding, self.read).seen(error.to_string()).or_decoded(self.codecs.clone());
                *self.ended.borrow_mut() = Some(error);
                Ok(0)
            }
            read => read.inspect(|read| self.read += *read as u64),
        }
    }
}

/// Returns the columns of a line: those asked for, those of the terminal, or a fixed number.
fn width(args: &InspectArgs) -> usize {
    args.width.or_else(terminal::columns).unwrap_or(dump::WIDTH)
}

/// Remarks on what was asked for and is not there; the answer is no then.
fn found(args: &InspectArgs, outcome: &Inspection) -> Result<(), Failure> {
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    if args.find.is_some() && outcome.closed {
        stderr::say(format_args!("--find looked at values, and not at the messages that they hold; --depth N looks into those, too"));
    }
    if outcome.shown > 0 {
        let paths = if outcome.stopped { Vec::new() } else { outcome.missed.clone() };
        return missed::remark(&[Unmatched { option: "--path", paths, fails: true }], args.strict.strict_paths);
    }
    match (args.at, args.message) {
        (Some(at), _) if !outcome.stopped && at >= outcome.end => {
            let end = outcome.end;
            stderr::say(format_args!("--at {at} is beyond the end: the input has {end} byte{}", plural(end)));
        }
        (_, Some(number)) if !outcome.stopped && number > outcome.messages => {
            let messages = outcome.messages;
            stderr::say(format_args!("--message {number} is not there: the input has {messages} message{}", plural(messages)));
        }
        _ if !outcome.missed.is_empty() => {
            missed::remark(&[Unmatched { option: "--path", paths: outcome.missed.clone(), fails: true }], args.strict.strict_paths)?;
        }
        _ if args.at.is_some() || args.find.is_some() || args.path.is_some() => {
            stderr::say(format_args!("nothing fits all that was asked for"));
        }
        _ => return Ok(()),
    }
    Err(Failure::No)
}
