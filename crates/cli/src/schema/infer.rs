//! `polywire schema infer`.

use std::path::Path;

use polywire_core::tools::adapt::Walker;
use polywire_core::{Error, Schema};
use polywire_schema::infer::Inference;

use crate::args::schema::infer::InferArgs;
use crate::bad::BadMessages;
use crate::failure::{Failure, unwritten};
use crate::input;
use crate::losses;
use crate::{stderr, stdout};

/// Runs the verb.
pub fn run(args: &InferArgs) -> Result<(), Failure> {
    let bad = BadMessages::new(&args.bad)?;
    let outcome = infer(args, bad.as_ref());
    let complete = bad.map_or(Ok(true), |bad| bad.finish());
    outcome?;
    if complete? { Ok(()) } else { Err(Failure::No) }
}

/// Infers and writes the schema.
fn infer(args: &InferArgs, bad: Option<&BadMessages>) -> Result<(), Failure> {
    let mut inference = Inference::new();
    let mut own = None;
    if args.files.is_empty() {
        own = add(None, args, bad, &mut inference)?;
    }
    let places = input::places(&args.files)?;
    for place in &places {
        own = add(Some(&place.path), args, bad, &mut inference)?;
    }
    let is_own = places.len() <= 1 && args.each.each.is_none() && args.open.is_none() && args.name.is_none();
    let schema = match own.filter(|_| is_own) {
        // A file of columns knows more than its values show.
        Some(own) => own,
        None => inference.finish(args.name.as_deref()),
    };
    let (text, losses) = args.lang.0.write_mapped(&schema)?;
    match &args.output {
        Some(path) => {
            let failed = |error| Failure::about(Error::io("writing", &error), Some(&path.display().to_string()));
            std::fs::write(path, &text).map_err(failed)?;
        }
        None => stdout::write(text.as_bytes()).map_err(|error| unwritten(&error))?,
    }
    // Remarks: the schema is what was asked for.
    if !losses.is_empty() {
        stderr::lines(format_args!("{}", losses::of_schema(args.lang.0.title(), &losses)));
    }
    Ok(())
}

/// Adds the messages of one file. Returns the schema that the file has with it, if it is one of
/// columns.
fn add(file: Option<&Path>, args: &InferArgs, bad: Option<&BadMessages>, inference: &mut Inference) -> Result<Option<Schema>, Failure> {
    let limits = args.limits.limits();
    let mut input = input::open(file)?.opened(args.open.as_ref(), &limits)?.in_charset(&args.from.charset, args.from.from)?;
    let format = input.format(args.from.from)?;
    args.from.is_used_by(&[format], None)?;
    let mut walker = Walker::new(args.from.settings.applied(format.into(), true)?, &limits)
        .doubles(args.duplicates.policy())
        .each(args.each.each.clone());
    walker = walker.open(args.open.as_ref().and_then(|open| open.opening(input.is_decoded())));
    input::remark_whole(&walker, &input.name);
    let about = |error| Failure::about(error, Some(&input.name));
    let before = inference.samples();
    match bad {
        Some(bad) => {
            bad.begin(&input.name, format, args.each.each.is_some())?;
            inference.add_good(&mut input.stream, &mut walker, &mut bad.receiver())
        }
        None => inference.add_stream(&mut input.stream, &mut walker, args.threads.count()),
    }
    .map_err(about)?;
    if inference.samples() == before {
        return Err(input::no_message(&walker, input.stream.offset(), &input.name));
    }
    Ok(input.columns().map(|(schema, _)| schema.clone()))
}
