//! `polywire inspect`.

use std::io::{self, BufWriter, Write};

use anstream::{AutoStream, ColorChoice};
use polywire_core::Error;
use polywire_core::tools::adapt::Walker;
use polywire_core::tools::inspect::{Inspection, Options, Wanted, inspect_from};
use polywire_formats::payload::PAYLOADS;
use polywire_formats::registry;
use polywire_report::RowLine;

use crate::args::inspect::InspectArgs;
use crate::args::report::DumpReport;
use crate::dump::{self, Look, Printer};
use crate::failure::{Failure, unwritten};
use crate::message_type::Typed;
use crate::missed::{self, Unmatched};
use crate::{input, pager, stderr, terminal};

/// Bytes of a stream of unknown length that are looked at for its length.
const START: usize = 4096;

/// Runs the verb.
pub fn run(args: &InspectArgs) -> Result<(), Failure> {
    let mut input = input::open(args.input.as_deref())?.in_charset(&args.from.charset, args.from.from)?;
    if let Some(charset) = input.charset {
        stderr::say(format_args!("{}: offsets count in the text as UTF-8; it was {}", input.name, charset.name()));
    }
    let format = input.format_or_raw(args.from.from)?;
    args.schema.is_used_by(&[format])?;
    args.from.is_used_by(&[format], None)?;
    let limits = args.limits.limits();
    let dialect = args.from.settings.applied(Typed::new(&args.schema, &mut input, format, &[], &limits)?.dialect(format)?, true)?;
    let (start, _) = input.stream.peek(START + 1).map_err(|error| Failure::about(error, Some(&input.name)))?;
    // A pipe may or may not have said by now that nothing follows.
    let len = match start.len() <= START {
        true => Some(start.len() as u64),
        false => args.input.as_ref().and_then(|path| path.metadata().ok()).filter(|file| file.is_file()).map(|file| file.len()),
    };
    let colour = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
    let mut printer = Printer::new(Look::new(len, width(args), colour, args.full, args.depth));
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
    let outcome = inspect_from(dialect, input.stream.into_input(), &options, &mut |row| {
        let written = match args.report {
            DumpReport::Text => printer.row(row, &mut out),
            DumpReport::Json => RowLine::new(row).write(&mut out),
        };
        written.map_err(unwritable)
    });
    let outcome = match outcome {
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
    printer.write(&mut out).map_err(unwritable)?;
    out.flush().map_err(unwritable)?;
    // The pager ends before anything is remarked on the same terminal.
    drop(out);
    match outcome.broken {
        None if outcome.messages == 0 && !outcome.stopped && !format.may_be_empty => {
            Err(input::no_message(&Walker::new(format, &limits), outcome.end, &input.name))
        }
        None => found(args, &outcome),
        Some(error) => Err(Failure::about(error, Some(&input.name))),
    }
}

/// Returns the columns of a line: those asked for, those of the terminal, or a fixed number.
fn width(args: &InspectArgs) -> usize {
    args.width.or_else(terminal::columns).unwrap_or(dump::WIDTH)
}

/// Remarks on what was asked for and is not there; the answer is no then.
fn found(args: &InspectArgs, outcome: &Inspection) -> Result<(), Failure> {
    let plural = |count: u64| if count == 1 { "" } else { "s" };
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
