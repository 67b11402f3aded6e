//! `polywire schema`.

use std::io::{Write, stdout};
use std::path::Path;

use polywire_core::schema::language::Direction;
use polywire_core::schema::language::SchemaLoss;
use polywire_core::tools::adapt::Walker;
use polywire_core::{Error, ErrorKind, Fault};
use polywire_schema::check::{self, Question, versions};
use polywire_schema::infer::Inference;

use crate::args::{CheckArgs, CheckReport, Directions, InferArgs, SchemaArgs, SchemaVerb};
use crate::compile;
use crate::failure::{Failure, unwritten};
use crate::{input, schema_text};

/// Runs the verb.
pub fn run(args: &SchemaArgs) -> Result<(), Failure> {
    match &args.verb {
        SchemaVerb::Infer(args) => infer(args),
        SchemaVerb::Check(args) => check(args),
        SchemaVerb::Format(args) => schema_text::format(args),
        SchemaVerb::Convert(args) => schema_text::convert(args),
        SchemaVerb::Compile(args) => compile::run(args),
    }
}

fn infer(args: &InferArgs) -> Result<(), Failure> {
    let mut inference = Inference::new();
    if args.files.is_empty() {
        add(None, args, &mut inference)?;
    }
    for file in &args.files {
        add(Some(file), args, &mut inference)?;
    }
    let schema = inference.finish(args.name.as_deref());
    let (text, losses) = args.lang.0.write(&schema)?;
    stdout().lock().write_all(text.as_bytes()).map_err(|error| unwritten(&error))?;
    if losses.is_empty() {
        return Ok(());
    }
    eprint!("{}", lost(args.lang.0.title(), &losses));
    Err(Failure::No)
}

fn check(args: &CheckArgs) -> Result<(), Failure> {
    let Some((new, olds)) = args.files.split_last() else {
        return Err(Error::usage("no file").expected("the versions of a schema").into());
    };
    let language = schema_text::language(Some(new), args.lang)?;
    let rules = language.compatibility().ok_or_else(|| {
        Error::new(ErrorKind::Unsupported, Fault::Caller)
            .seen(format!("a schema in the language {}", language.title()))
            .expected("a language that has rules about versions")
    })?;
    let mut all = olds.iter().map(|file| versions::file(file, &args.include)).collect::<Result<Vec<_>, Error>>()?;
    if let Some(source) = &args.against {
        all.extend(versions::revisions(new, source, &args.include)?);
    }
    if all.is_empty() {
        return Err(Error::usage("one version")
            .expected("an older version to hold it against")
            .hint("name its file first, or say --against git:HEAD")
            .into());
    }
    all.push(versions::file(new, &args.include)?);
    let directions = match args.direction {
        Directions::Backward => vec![Direction::Backward],
        Directions::Forward => vec![Direction::Forward],
        Directions::Both => Direction::ALL.to_vec(),
    };
    let question = Question { root: args.root.as_deref(), directions, strict: args.strict };
    let verdict = check::check(rules, &mut all, &question).map_err(|diagnostics| schema_text::refused(&diagnostics))?;
    let text = match args.report {
        CheckReport::Text => verdict.text(),
        CheckReport::Json => verdict.json(),
        CheckReport::Github => verdict.github(),
    };
    stdout().lock().write_all(text.as_bytes()).map_err(|error| unwritten(&error))?;
    if verdict.holds() { Ok(()) } else { Err(Failure::No) }
}

/// Adds the messages of one file.
fn add(file: Option<&Path>, args: &InferArgs, inference: &mut Inference) -> Result<(), Failure> {
    let mut input = input::open(file)?;
    let format = input.format(args.from.from)?;
    let mut walker = Walker::new(format, &args.limits.limits()).doubles(args.doubled.into());
    let about = |error| Failure::about(error, Some(&input.name));
    let before = inference.samples();
    while let Some(message) = input.stream.next(&mut walker).map_err(about)? {
        inference.add(|sink| walker.walk(message.bytes, message.base, sink)).map_err(about)?;
    }
    if inference.samples() == before {
        return Err(input::no_message(format, input.stream.offset(), &input.name));
    }
    Ok(())
}

/// What a language could not say, for people.
pub fn lost(language: &str, losses: &[SchemaLoss]) -> String {
    let lines = losses.iter().map(|loss| format!("  {}: {}\n", loss.at, loss.what));
    format!("polywire: {language} could not say everything:\n{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_told_with_their_place() {
        let loss = SchemaLoss { at: "Voucher.sum".into(), what: "decimal became text".into() };
        assert_eq!(lost("X", &[loss]), "polywire: X could not say everything:\n  Voucher.sum: decimal became text\n");
    }
}
