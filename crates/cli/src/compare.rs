//! `polywire compare`.

use std::io::{self, IsTerminal, stdin};
use std::path::Path;
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use indicatif::{ProgressBar, ProgressStyle};
use polywire_compare::baseline::RUNS;
use polywire_compare::rival::Rival;
use polywire_compare::{Baseline, Comparison, Given, Messages, Options, Progress, compare, records_at_top, report};
use polywire_core::Error;
use polywire_core::format::Format;
use polywire_core::format::{Binder, Dialect};
use polywire_core::tools::adapt::Walker;
use polywire_formats::registry::{self, FORMATS};

#[cfg(not(feature = "rivals"))]
use crate::absent;
use crate::alloc;
use crate::args::compare::{CompareArgs, ComparisonReport, SchemaFor};
use crate::args::schema_file::SchemaArg;
use crate::failure::{Failure, unwritten};
use crate::input::{self, Input};
use crate::message_type::Typed;
use crate::reserved::Reserved;
use crate::{started, stderr, stdout};

/// Runs the verb.
pub fn run(args: &CompareArgs) -> Result<(), Failure> {
    let rivals = rivals(args)?;
    if let Some(folder) = &args.schemas {
        let failed = |error| Failure::about(Error::io("making the folder", &error), Some(&folder.display().to_string()));
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let runs = usize::from(args.runs).max(if args.fail_above_time.is_some() { RUNS } else { 1 });
    let baseline = baseline(args, runs)?;
    // A page that cannot be written is found before minutes of measuring, not after.
    let page = args.html.as_deref().map(Reserved::file).transpose()?;
    let shared = shared_schema(args)?;
    let own = |format: &Format| args.schema.iter().find(|schema| schema.format.is_some_and(|of| of.name == format.name));
    let mut inputs = inputs(args)?;
    let mut formats: Vec<&'static Format> = if args.formats.is_empty() {
        FORMATS
            .iter()
            .copied()
            .filter(|format| {
                let adopts = |binder: &dyn Binder| binder.adopts() || binder.writes() && (shared.is_for(format) || own(format).is_some());
                (format.writer.is_some() || format.binder.is_some_and(adopts))
                    && registry::unframed(format).name == format.name
                    && registry::notation_of(format).is_none()
            })
            .collect()
    } else {
        args.formats.clone()
    };
    // All messages in one file of columns are no format of messages.
    let (columns, mut formats): (Vec<_>, Vec<_>) = formats.drain(..).partition(|format| format.columns.is_some());
    let Some(first) = inputs.first_mut() else { return Err(Error::internal("no input").into()) };
    let framing = first.format(args.from.from)?;
    // The input's own format is what the others are compared with.
    let own_format = registry::unframed(framing);
    let is_named = !args.formats.is_empty();
    if own_format.columns.is_none() && (formats.is_empty() || !is_named && registry::notation_of(own_format).is_some()) {
        formats.push(own_format);
    }
    shared.is_used_by(&formats)?;
    are_used_by(&args.schema, &formats)?;
    let typed = Typed::new(&shared, first, framing, &formats, &args.limits.limits())?;
    let mut bound = Vec::new();
    for &format in &formats {
        let (dialect, file) = match own(format) {
            Some(schema) => (Dialect::with_schema(format, &schema.file, args.ty.as_deref(), &args.include)?, Some(&schema.file)),
            None => (typed.dialect(format)?, shared.schema.as_ref()),
        };
        if let Some(file) = file.filter(|_| dialect.is_bound()) {
            let failed = |error| Failure::about(Error::io("reading", &error), Some(&file.display().to_string()));
            bound.push(Given { dialect, file: file.clone(), text: std::fs::read(file).map_err(failed)? });
        }
    }
    let messages = messages(args, inputs, &typed)?;
    let options = Options {
        formats,
        columns,
        bound,
        base: args.base,
        time: args.time,
        runs,
        sort: args.sort,
        purpose: args.purpose,
        limits: args.limits.limits(),
        allocations: Some(polywire_heap::made),
        heap: Some(alloc::HEAP),
        more: args.more(),
        rivals,
        programs: args.programs.clone(),
        timeout: Duration::from_secs_f64(args.rival_timeout),
        command: command(),
    };
    let bar = bar();
    let kinds = messages.into_kinds();
    let outcome = on_enough_stack(|| {
        let compared = kinds.iter().map(|messages| compare(messages, &options, &mut |progress| show(&bar, progress)));
        compared.collect::<Result<Vec<Comparison>, Error>>()
    });
    bar.finish_and_clear();
    let mut comparisons = outcome?;
    let mut failures = Vec::new();
    if let Some(baseline) = &baseline {
        for comparison in &mut comparisons {
            let against = baseline.against(comparison)?;
            failures.extend(against.failures(args.fail_above, args.fail_above_time));
            comparison.baseline = Some(against);
        }
    }
    if let Some(page) = page {
        page.write(&report::html(&comparisons)?)?;
    }
    if let Some(folder) = &args.schemas {
        for (number, comparison) in comparisons.iter().enumerate() {
            write_schemas(comparison, &if number == 0 { folder.clone() } else { folder.join(format!("kind-{}", number + 1)) })?;
        }
    }
    stdout::write(text(&comparisons, args.report)?.as_bytes()).map_err(|error| unwritten(&error))?;
    if failures.is_empty() {
        return Ok(());
    }
    failures.iter().for_each(|failure| stderr::say(format_args!("{failure}")));
    Err(Failure::No)
}

/// Reads the report that is compared with, and refuses times that cannot be compared before minutes
/// are spent on them.
fn baseline(args: &CompareArgs, runs: usize) -> Result<Option<Baseline>, Failure> {
    let Some(path) = &args.baseline else { return Ok(None) };
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| Failure::about(Error::io("reading", &error), Some(&name)))?;
    let baseline = Baseline::parse(&bytes).map_err(|error| Failure::about(error, Some(&name)))?;
    match args.fail_above_time.and_then(|_| baseline.no_times(runs)) {
        Some(why) => {
            let error = Error::usage(format!("times that cannot be compared: {why}"));
            Err(Failure::about(error.expected("a baseline of the same machine, build and version, with as many runs"), Some(&name)))
        }
        None => Ok(Some(baseline)),
    }
}

/// Returns the command line, with the program's name in place of its path.
fn command() -> Vec<String> {
    let arguments = started::arguments().iter().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once("polywire".to_string()).chain(arguments).collect()
}

/// Returns the libraries that were asked for.
#[cfg(feature = "rivals")]
fn rivals(args: &CompareArgs) -> Result<Vec<&'static dyn Rival>, Failure> {
    Ok(if args.rivals { polywire_rivals::RIVALS.to_vec() } else { Vec::new() })
}

/// Runs the comparison on a large stack: other libraries recurse.
#[cfg(feature = "rivals")]
fn on_enough_stack<T: Send>(work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(polywire_rivals::STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| Error::io("starting a thread", &error))?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Runs the comparison: our own code does not recurse deeply.
#[cfg(not(feature = "rivals"))]
fn on_enough_stack<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    work()
}

/// Returns none: this program has no other libraries.
#[cfg(not(feature = "rivals"))]
fn rivals(args: &CompareArgs) -> Result<Vec<&'static dyn Rival>, Failure> {
    if args.rivals { Err(absent::option("--rivals", "rivals", started::arguments().get(1..).unwrap_or_default())) } else { Ok(Vec::new()) }
}

/// Returns the schema that is for all formats that take it.
fn shared_schema(args: &CompareArgs) -> Result<SchemaArg, Failure> {
    let mut shared = args.schema.iter().filter(|schema| schema.format.is_none());
    let first = shared.next();
    if let (Some(first), Some(second)) = (first, shared.next()) {
        let error = Error::usage(format!("the schemas {} and {} for the same formats", first.file.display(), second.file.display()));
        return Err(error.expected("one schema without a format").hint("name the format of each, as FORMAT=FILE").into());
    }
    Ok(SchemaArg::new(first.map(|schema| schema.file.clone()), args.ty.clone(), args.include.clone()))
}

/// Fails if a schema is for a format that is not compared.
fn are_used_by(schemas: &[SchemaFor], formats: &[&'static Format]) -> Result<(), Error> {
    let unused = schemas.iter().filter_map(|schema| schema.format).find(|of| formats.iter().all(|format| format.name != of.name));
    match unused {
        None => Ok(()),
        Some(format) if format.binder.is_none() => {
            Err(Error::usage(format!("a schema for {}", format.name)).expected("a format that takes one"))
        }
        Some(format) => {
            Err(Error::usage(format!("a schema for {}", format.name)).expected("a format that is compared").hint("add it to --formats"))
        }
    }
}

/// Writes the schemas of all rows to a folder.
fn write_schemas(comparison: &Comparison, folder: &Path) -> Result<(), Failure> {
    let failed = |error| Failure::about(Error::io("making the folder", &error), Some(&folder.display().to_string()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    for schema in comparison.rows.iter().filter(|row| row.sizes.is_some()).filter_map(|row| row.schema.as_ref()) {
        let Some(text) = &schema.text else { continue };
        let path = folder.join(&schema.name);
        let failed = |error| Failure::about(Error::io("writing", &error), Some(&path.display().to_string()));
        std::fs::write(&path, text).map_err(failed)?;
    }
    Ok(())
}

/// Opens all inputs.
fn inputs(args: &CompareArgs) -> Result<Vec<Input>, Failure> {
    let mut inputs = Vec::new();
    match (args.corpus, args.files.as_slice()) {
        (Some(corpus), _) => inputs.push(input::bundled(corpus)),
        (None, []) if stdin().is_terminal() => {
            return Err(Error::usage("no messages").hint("name files, pipe messages in, or try --corpus packets").into());
        }
        (None, []) => inputs
            .push(input::open(None)?.opened(args.open.as_ref(), &args.limits.limits())?.in_charset(&args.from.charset, args.from.from)?),
        (None, files) => {
            for place in input::places(files)? {
                let mut input = input::open(Some(&place.path))?
                    .opened(args.open.as_ref(), &args.limits.limits())?
                    .in_charset(&args.from.charset, args.from.from)?;
                match input.format(args.from.from) {
                    Err(failure) if place.found && failure.is_unknown_format() => {
                        stderr::say(format_args!("{}: skipped, its bytes look like no format", input.name));
                    }
                    _ => inputs.push(input),
                }
            }
            if inputs.is_empty() {
                return Err(Error::usage("no file of a known format").hint("name the format with --from").into());
            }
        }
    }
    Ok(inputs)
}

/// Reads all messages of all inputs.
fn messages(args: &CompareArgs, inputs: Vec<Input>, typed: &Typed<'_>) -> Result<Messages, Failure> {
    let mut messages: Option<Messages> = None;
    for mut input in inputs {
        let framing = input.format(args.from.from)?;
        let format = registry::unframed(framing);
        let dialect = match args.schema.iter().find(|schema| schema.format.is_some_and(|of| of.name == format.name)) {
            Some(schema) => Dialect::with_schema(format, &schema.file, args.ty.as_deref(), &args.include)?,
            None => typed.dialect(format)?,
        };
        args.from.is_used_by(&[format], None)?;
        let dialect = args.from.settings.applied(dialect, true)?;
        let all = messages.get_or_insert_with(|| Messages::new(dialect, &args.limits.limits()).doubles(args.duplicates.policy()));
        if all.format().name != format.name {
            let error = Error::usage(format!("messages in {} after others in {}", format.name, all.format().name))
                .hint("compare files of one format at a time, or convert them first");
            return Err(Failure::about(error, Some(&input.name)));
        }
        // A stream with a framing of its own is no document.
        let found = match &args.each {
            None if !args.whole && format.name == framing.name && !all.dialect().is_bound() => records_at_top(format, input.start()?),
            asked => asked.clone(),
        };
        all.open(args.open.as_ref().and_then(|open| open.opening(input.is_decoded())));
        let count = all
            .add_framed(&input.name, &mut input.stream, framing, found.as_ref())
            .map_err(|error| Failure::about(error, Some(&input.name)))?;
        if count == 0 {
            let walker = Walker::new(framing, &args.limits.limits());
            return Err(input::no_message(&walker, input.stream.offset(), &input.name));
        }
        if let (Some(path), None) = (&found, &args.each) {
            let sentence = "the document is a list, and its entries are the messages";
            stderr::say(format_args!("{}: {sentence} (--each '{path}'); --whole takes it for one message", input.name));
        }
    }
    messages.ok_or_else(|| Error::internal("no input").into())
}

fn text(comparisons: &[Comparison], report: ComparisonReport) -> Result<String, Error> {
    let each = |text: &dyn Fn(&Comparison) -> String| comparisons.iter().map(text).collect::<Vec<String>>().join("\n");
    Ok(match report {
        ComparisonReport::Table => {
            let colour = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
            each(&|comparison| report::table(comparison, colour))
        }
        ComparisonReport::Json => report::json(comparisons)?,
        ComparisonReport::Csv => report::csv(comparisons)?,
        ComparisonReport::Markdown => each(&report::markdown),
    })
}

/// Returns a progress bar on stderr, hidden unless that is a terminal. It is drawn only by `show`,
/// so that nothing runs beside a measurement.
fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{msg:>22} {wide_bar} {pos}/{len}");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn show(bar: &ProgressBar, progress: Progress) {
    bar.set_length(progress.total as u64);
    bar.set_position(progress.done as u64);
    bar.set_message(format!("{} {}", progress.stage, progress.format));
}
