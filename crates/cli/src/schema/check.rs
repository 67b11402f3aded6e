//! `polywire schema check`.

use std::path::Path;

use polywire_core::schema::language::Direction;
use polywire_core::{Error, ErrorKind, Fault};
use polywire_schema::check::versions::Version;
use polywire_schema::check::{self, Question, Verdict, versions};

use super::text;
use crate::args::schema::check::{CheckArgs, CheckReport, Directions};
use crate::failure::{Failure, unwritten};
use crate::{stderr, stdout};

/// Runs the verb.
pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    let Some((new, olds)) = args.files.split_last() else {
        return Err(Error::usage("no file").expected("the versions of a schema").into());
    };
    if let Some(folder) = args.files.iter().find(|file| file.is_dir()) {
        return Err(a_folder(folder).into());
    }
    let directions = match args.direction {
        Directions::Backward => vec![Direction::Backward],
        Directions::Forward => vec![Direction::Forward],
        Directions::Both => Direction::ALL.to_vec(),
    };
    let question = Question { root: args.root.as_deref(), directions, strict: args.strict };
    let verdict = if args.against.is_empty() {
        if olds.is_empty() {
            return Err(Error::usage("one version")
                .expected("an older version to compare with")
                .hint("name its file first, or use --against git:HEAD")
                .into());
        }
        let olds = olds.iter().map(|file| versions::file(file, &args.include)).collect::<Result<Vec<_>, Error>>()?;
        checked(new, olds, args, &question)?
    } else {
        let (first, others) = args.files.split_first().unwrap_or((new, &[]));
        let mut verdict = checked(first, past(first, args)?, args, &question)?;
        for file in others {
            verdict.add(checked(file, past(file, args)?, args, &question)?);
        }
        verdict
    };
    let report = match args.report {
        CheckReport::Text => verdict.text(),
        CheckReport::Json => verdict.json(),
        CheckReport::Github => verdict.github(),
    };
    stdout::write(report.as_bytes()).map_err(|error| unwritten(&error))?;
    if verdict.holds() { Ok(()) } else { Err(Failure::No) }
}

/// Compares a file with older versions.
fn checked(new: &Path, mut versions: Vec<Version>, args: &CheckArgs, question: &Question<'_>) -> Result<Verdict, Failure> {
    let language = text::language(Some(new), args.lang)?;
    let rules = language.compatibility().ok_or_else(|| {
        Error::new(ErrorKind::Unsupported, Fault::Caller)
            .seen(format!("a schema in the language {}", language.title()))
            .expected("a language with compatibility rules")
    })?;
    versions.push(versions::file(new, &args.include)?);
    check::check(rules, &mut versions, question).map_err(|diagnostics| text::refused(&diagnostics))
}

/// Returns the versions of a file in git. A file that a source does not have is new, and breaks
/// nobody.
fn past(file: &Path, args: &CheckArgs) -> Result<Vec<Version>, Error> {
    let missing = std::fs::metadata(file).err().map(|error| Error::io(&file.display().to_string(), &error));
    let mut all = Vec::new();
    for source in &args.against {
        let found = versions::revisions(file, source, &args.include);
        match (found, &missing) {
            (Ok(found), None) if found.is_empty() => {
                stderr::say(format_args!("{} is new, {source} does not have it: nothing to compare", file.display()));
            }
            (Ok(found), None) => all.extend(found),
            (Ok(found), Some(_)) if !found.is_empty() => {
                return Err(Error::new(ErrorKind::Io, Fault::Environment)
                    .seen(format!("no file {}", file.display()))
                    .expected(format!("the new version of what {source} has"))
                    .hint("if it was deleted, leave it out: a removed file has no readers and no writers to compare"));
            }
            (Err(error), None) => return Err(error),
            (_, Some(_)) => {}
        }
    }
    missing.map_or(Ok(all), Err)
}

/// Returns the error about a folder, with the files that it may stand for.
fn a_folder(folder: &Path) -> Error {
    let name = folder.display().to_string();
    let name = name.trim_end_matches('/');
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let known = entries.filter(|path| text::language(Some(path), None).is_ok()).min();
    let files = match known.as_deref().and_then(Path::extension) {
        Some(extension) => format!("name the files in it: {name}/*.{}", extension.display()),
        None => "name the files in it".to_string(),
    };
    Error::usage(format!("the folder `{name}`")).expected("files").hint(files)
}
