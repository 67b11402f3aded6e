//! `polywire schema check`.

use polywire_core::schema::language::Direction;
use polywire_core::{Error, ErrorKind, Fault};
use polywire_schema::check::{self, Question, versions};

use super::text;
use crate::args::schema::check::{CheckArgs, CheckReport, Directions};
use crate::failure::{Failure, unwritten};
use crate::stdout;

/// Runs the verb.
pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    let Some((new, olds)) = args.files.split_last() else {
        return Err(Error::usage("no file").expected("the versions of a schema").into());
    };
    let language = text::language(Some(new), args.lang)?;
    let rules = language.compatibility().ok_or_else(|| {
        Error::new(ErrorKind::Unsupported, Fault::Caller)
            .seen(format!("a schema in the language {}", language.title()))
            .expected("a language with compatibility rules")
    })?;
    let mut all = olds.iter().map(|file| versions::file(file, &args.include)).collect::<Result<Vec<_>, Error>>()?;
    if let Some(source) = &args.against {
        all.extend(versions::revisions(new, source, &args.include)?);
    }
    if all.is_empty() {
        return Err(Error::usage("one version")
            .expected("an older version to compare with")
            .hint("name its file first, or use --against git:HEAD")
            .into());
    }
    all.push(versions::file(new, &args.include)?);
    let directions = match args.direction {
        Directions::Backward => vec![Direction::Backward],
        Directions::Forward => vec![Direction::Forward],
        Directions::Both => Direction::ALL.to_vec(),
    };
    let question = Question { root: args.root.as_deref(), directions, strict: args.strict };
    let verdict = check::check(rules, &mut all, &question).map_err(|diagnostics| text::refused(&diagnostics))?;
    let report = match args.report {
        CheckReport::Text => verdict.text(),
        CheckReport::Json => verdict.json(),
        CheckReport::Github => verdict.github(),
    };
    stdout::write(report.as_bytes()).map_err(|error| unwritten(&error))?;
    if verdict.holds() { Ok(()) } else { Err(Failure::No) }
}
