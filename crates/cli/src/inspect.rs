//! `polywire inspect`.

use std::io::{self, BufWriter, Write};

use anstream::{AutoStream, ColorChoice};
use polywire_core::Error;
use polywire_core::tools::adapt::Walker;
use polywire_core::tools::inspect::{Options, inspect};
use polywire_formats::payload::PAYLOADS;
use polywire_formats::registry;

use crate::args::inspect::InspectArgs;
use crate::args::report::DumpReport;
use crate::dump::{Look, json, text};
use crate::failure::{Failure, unwritten};
use crate::message_type::Typed;
use crate::{input, stdout};

/// Runs the verb.
pub fn run(args: &InspectArgs) -> Result<(), Failure> {
    let mut input = input::open(args.input.as_deref())?;
    let format = input.format_or_raw(args.from.from)?;
    args.schema.is_used_by(&[format])?;
    let limits = args.limits.limits();
    let dialect = Typed::new(&args.schema, &mut input, format, &[], &limits)?.dialect(format)?;
    let name = input.name;
    let bytes = input.stream.read_all().map_err(|error| Failure::about(error, Some(&name)))?;
    let colour = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
    let mut out = BufWriter::with_capacity(64 << 10, stdout::stdout().map_err(|error| unwritten(&error))?);
    let look = Look::new(bytes.len(), colour, args.full, args.depth);
    let default = Options {
        limits,
        payloads: Some(&PAYLOADS),
        depth: args.depth,
        each: args.each.each.clone(),
        tag_name: registry::tag_name,
        ..Options::default()
    };
    let options = if args.full || args.report == DumpReport::Json { Options { shown: usize::MAX, ..default } } else { default };
    let outcome = inspect(dialect, &bytes, &options, &mut |row| {
        let written = match args.report {
            DumpReport::Text => text(row, &mut out, look),
            DumpReport::Json => json(row, &mut out),
        };
        written.map_err(|error| Error::io("writing the output", &error))
    })?;
    out.flush().map_err(|error| Error::io("writing the output", &error))?;
    match outcome.broken {
        None if outcome.messages == 0 && !format.may_be_empty => {
            Err(input::no_message(&Walker::new(format, &limits), bytes.len() as u64, &name))
        }
        None => Ok(()),
        Some(error) => Err(Failure::about(error, Some(&name))),
    }
}
