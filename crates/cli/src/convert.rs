//! `polywire convert`.

use std::io::IsTerminal;
use std::path::Path;

use polywire_core::format::{Dialect, Format};
use polywire_core::tools::FieldNames;
use polywire_core::tools::adapt::{Missed, Walker};
use polywire_core::tools::convert::{Conversion, Converter};
use polywire_core::walk::{EntryPath, Path as ValuePath};
use polywire_core::{Error, Surrogates};

use crate::args::convert::{ConvertArgs, SurrogatesArg};
use crate::args::output::Compress;
use crate::bad::BadMessages;
use crate::columns::{self, Gathered};
use crate::failure::Failure;
use crate::input::{Following, Input, Live, Place};
use crate::message_type::Typed;
use crate::missed::{self, Unmatched};
use crate::output::{Outlet, Plan, Target};
use crate::{input, losses, output, stderr};

/// Runs the verb.
pub fn run(args: ConvertArgs) -> Result<(), Failure> {
    let places = input::places(&args.inputs)?;
    let bad = BadMessages::new(&args.bad)?;
    let outcome = convert(&args, &places, bad.as_ref());
    let complete = bad.map_or(Ok(true), |bad| bad.finish());
    outcome?;
    if complete? { Ok(()) } else { Err(Failure::No) }
}

fn convert(args: &ConvertArgs, places: &[Place], bad: Option<&BadMessages>) -> Result<(), Failure> {
    match output::plan(&args.output, places, args.to)? {
        Plan::Stream(target, compress, to) if args.follow.follow => follow(args, bad, places, &target, compress, to),
        Plan::Each(..) if args.follow.follow => {
            Err(Error::usage("--follow with a folder as the output").expected("one output, since the input never ends").into())
        }
        Plan::Stream(target, compress, to) => to_one(args, bad, places, &target, compress, to),
        Plan::Each(targets, compress, to) => to_many(args, bad, places, &targets, compress, to),
    }
}

/// An input, and the ways to read and to write its messages.
struct Opened {
    input: Input,
    walker: Walker,
    to: Dialect,
    /// The messages once more, for the schema of an output of columns.
    again: Option<Walker>,
    /// Advice of the input's format about the output's.
    advice: Option<String>,
}

impl Opened {
    /// Prints the advice, if there is any.
    fn advise(&mut self) {
        if let Some(advice) = self.advice.take() {
            stderr::say(format_args!("{}: {advice}", self.input.name));
        }
    }
}

/// Opens an input, to be converted to `to` or to its own format. Returns `None` for a file of a
/// folder that is in no known format; stderr says so.
fn opened(
    args: &ConvertArgs,
    bad: Option<&BadMessages>,
    place: Option<&Place>,
    from: Option<&'static Format>,
    to: Option<&'static Format>,
) -> Result<Option<Opened>, Failure> {
    let limits = args.limits.limits();
    let path = place.map(|place| place.path.as_path());
    let mut input = input::open(path)?;
    let is_wanted_at_once = args.output.unbuffered || args.take.is_short() || std::io::stdout().is_terminal();
    if is_wanted_at_once && path.is_none_or(|path| path == Path::new("-")) {
        input.live = Some(Live { format: from });
    }
    let mut input = input.opened(args.open.as_ref(), &limits)?.in_charset(&args.from.charset, from)?;
    let is_plain = args.open.is_none() && args.each.each.is_none() && !args.shape.join && args.shape.shape().is_none();
    input.wanted = args.select.as_ref().filter(|_| is_plain).map(|select| select.0.paths().cloned().collect());
    let from = match input.format(from) {
        Err(failure) if place.is_some_and(|place| place.found) && failure.is_unknown_format() => {
            stderr::say(format_args!("{}: skipped, its bytes look like no format", input.name));
            return Ok(None);
        }
        found => found?,
    };
    let to = to.unwrap_or(from);
    if to.columns.is_none() {
        args.schema.is_used_by(&[from, to])?;
    }
    args.from.is_used_by(&[from], Some(to))?;
    args.to_settings.is_used_by(to)?;
    let typed = Typed::new(&args.schema, &mut input, from, &[to], &limits)?;
    // Messages that are wanted at once do not wait for others to show what they are.
    let ahead = !args.follow.follow && !args.output.unbuffered;
    let mut source = args.from.settings.applied(typed.dialect(from)?, ahead)?;
    if to.columns.is_some() {
        source = source.typed();
    }
    if args.ignore_unknown {
        source = source.ignoring_unknown().ok_or_else(|| {
            Error::usage(format!("--ignore-unknown for {}", from.name))
                .expected("a format with names that the schema has to know, and a schema")
                .hint("--unknown drop leaves out fields that only have numbers")
        })?;
    }
    let advice = source.advice(to);
    let is_decoded = input.is_decoded();
    let walk = |source: Dialect| {
        Walker::new(source, &limits)
            .unknown(args.unknown.policy())
            .numbers(args.numbers.policy())
            .sorted(args.layout.sort_keys)
            .doubles(args.duplicates.policy())
            .surrogates(args.surrogates.map_or(Surrogates::Refuse, SurrogatesArg::policy))
            .each(args.each.each.clone().or_else(|| args.shape.join.then(EntryPath::default)))
            .shape(args.shape.shape())
            .select(args.select.clone().map(|select| select.0))
            .open(args.open.as_ref().and_then(|open| open.opening(is_decoded)))
    };
    let again = to.columns.map(|_| walk(source.clone()));
    let walker = walk(source);
    input::remark_whole(&walker, &input.name);
    if let Some(bad) = bad {
        bad.begin(&input.name, from, args.each.each.is_some() || args.shape.join)?;
    }
    let to = match to.columns {
        Some(_) => to.into(),
        None => args.to_settings.applied(typed.dialect(to)?)?,
    };
    let to = if from.columns.is_some() { to.typed() } else { to };
    input.stream = input.stream.exactly_one(args.exactly_one);
    Ok(Some(Opened { input, walker, to, again, advice }))
}

/// Returns the dialect of an output for the messages of all `places`, of which `opened` is the
/// first: columns have a schema, which is given or inferred.
fn target(args: &ConvertArgs, bad: Option<&BadMessages>, places: &[Place], opened: &mut Opened) -> Result<Dialect, Failure> {
    let to = opened.to.format();
    let (Some(columnar), Some(again)) = (to.columns, &mut opened.again) else { return Ok(opened.to.clone()) };
    let chosen = match columns::given(args, &opened.input, places.len() <= 1)? {
        Some(chosen) => chosen,
        None if !is_read_twice(places) => Gathered::default().first(&mut opened.input, again)?,
        None => stderr::hushed(|| gathered(args, bad, places, to))?.all(),
    };
    Ok(args.to_settings.applied(Dialect::bound(to, columnar.adopt(&chosen.schema, chosen.is_all)?))?)
}

/// Returns the schema of the messages in files, which are read once for it.
fn gathered(args: &ConvertArgs, bad: Option<&BadMessages>, places: &[Place], to: &'static Format) -> Result<Gathered, Failure> {
    let mut gathered = Gathered::default();
    for place in places {
        let open = || opened(args, bad, Some(place), args.from.from, Some(to));
        let Ok(Some(Opened { mut input, mut walker, .. })) = open() else { continue };
        let mut found = Gathered::default();
        if !found.add(&mut input, &mut walker, args.threads.count()) {
            found = Gathered::default();
            let Some(Opened { mut input, mut walker, .. }) = open()? else { continue };
            found.add_good(&mut input, &mut walker);
        }
        gathered = gathered.merge(found);
    }
    Ok(gathered)
}

/// Returns a converter to `to` that does what the arguments say.
fn converter(args: &ConvertArgs, bad: Option<&BadMessages>, to: Dialect, outlet: &Outlet) -> Converter {
    let converter = Converter::new(to)
        .take(args.take.take())
        .layout(args.layout.layout(outlet.is_plain_stdout))
        .unbuffered(args.output.unbuffered || outlet.is_terminal)
        .threads(args.threads.count())
        .skip_bad(bad.map(BadMessages::receiver));
    if args.shape.slurp { converter.slurp(&args.limits.limits()) } else { converter }
}

/// Converts the messages of all inputs to one stream.
fn to_one(
    args: &ConvertArgs,
    bad: Option<&BadMessages>,
    places: &[Place],
    target: &Target,
    compress: Compress,
    to: &'static Format,
) -> Result<(), Failure> {
    let mut stream = None;
    let mut sought = Sought::default();
    let fields = stderr::hushed(|| fields(args, bad, places, to));
    let is_joined = fields.is_some();
    let outcome = fill(args, bad, places, to, &mut sought, &mut stream, |opened| {
        let to = self::target(args, bad, places, opened)?;
        let outlet = Outlet::open(target, compress)?;
        Ok((converter(args, bad, to, &outlet).fields(fields.clone().unwrap_or_default()), outlet))
    });
    let is_lossy = stream.as_ref().is_some_and(|(converter, _)| !converter.done().losses.is_empty());
    let outcome = end(args, outcome, stream, sought, to);
    if to.first_gives_fields && !is_joined && is_lossy && is_read_once(places) {
        stderr::say(format_args!(
            "stdin is read once, so its first message gives the fields of {}; a file is read twice for them",
            to.name
        ));
    }
    outcome
}

fn is_read_once(places: &[Place]) -> bool {
    places.is_empty() || places.iter().any(|place| place.path == Path::new("-"))
}

/// Reports whether all inputs are files.
fn is_read_twice(places: &[Place]) -> bool {
    !is_read_once(places) && places.iter().all(|place| place.path.metadata().is_ok_and(|file| file.is_file()))
}

/// Returns the fields of all messages, for a format whose first message gives the fields of all.
/// Returns `None` where the inputs cannot be read twice, or need not be.
///
/// A message that cannot be read ends the look: the conversion reports it.
fn fields(args: &ConvertArgs, bad: Option<&BadMessages>, places: &[Place], to: &'static Format) -> Option<Vec<String>> {
    if !to.first_gives_fields || !is_read_twice(places) || args.shape.slurp || args.sample.sample().is_some() {
        return None;
    }
    let mut names = FieldNames::default();
    let mut take = args.take.take();
    for place in places {
        let Ok(Some(Opened { mut input, mut walker, .. })) = opened(args, bad, Some(place), args.from.from, Some(to)) else { continue };
        let is_steady = walker.has_steady_fields();
        if is_steady && places.len() == 1 {
            return None;
        }
        while !take.is_over()
            && let Ok(Some(message)) = input.stream.next(&mut walker)
        {
            if !take.next() {
                walker.pass(message.bytes, message.base);
                continue;
            }
            if walker.walk(message.bytes, message.base, &mut names).is_err() {
                names.reset();
                if bad.is_none() {
                    break;
                }
                walker.recover();
                continue;
            }
            if is_steady {
                break;
            }
        }
    }
    names.into_names()
}

/// Ends a stream after the `outcome` of its inputs.
fn end(
    args: &ConvertArgs,
    outcome: Result<(), Failure>,
    stream: Option<(Converter, Outlet)>,
    sought: Sought,
    to: &Format,
) -> Result<(), Failure> {
    let Some((mut converter, mut outlet)) = stream else {
        outcome?;
        return Err(Error::usage("no file of a known format").hint("name the format with --from").into());
    };
    // Messages before an error are written, in an output that is whole.
    let ended = converter.finish(&mut outlet).map_err(Failure::from);
    let finished = match (&outcome, &ended) {
        (Err(Failure::Unread), _) | (_, Err(Failure::Unread)) => Err(Failure::Unread),
        _ => outlet.finish(),
    };
    if let Err(failure) = outcome.and(ended).and(finished) {
        report_before(args, &failure, sought, converter.done(), to, None);
        return Err(failure);
    }
    args.take.found(converter.read(), None)?;
    let is_decoded = sought.is_decoded;
    let matched = sought.remark(args);
    let accepted = report(args, converter.done(), to, None, is_decoded);
    matched?;
    if accepted { Ok(()) } else { Err(Failure::No) }
}

/// Converts the inputs into a stream that `begin` makes for the first one.
fn fill(
    args: &ConvertArgs,
    bad: Option<&BadMessages>,
    places: &[Place],
    to: &'static Format,
    sought: &mut Sought,
    stream: &mut Option<(Converter, Outlet)>,
    begin: impl Fn(&mut Opened) -> Result<(Converter, Outlet), Failure>,
) -> Result<(), Failure> {
    let mut sample = args.sample.sample();
    let mut sampled = Vec::new();
    for place in places.iter().map(Some).chain(places.is_empty().then_some(None)) {
        if stream.as_ref().is_some_and(|(converter, _)| converter.is_over()) {
            break;
        }
        let Some(mut opened) = opened(args, bad, place, args.from.from, Some(to))? else { continue };
        sought.is_decoded |= opened.input.is_decoded();
        let (converter, outlet) = match stream {
            Some(stream) => stream,
            None => {
                opened.advise();
                stream.insert(begin(&mut opened)?)
            }
        };
        let Opened { input, walker, .. } = &mut opened;
        let count = match &mut sample {
            Some(sample) => {
                can_sample(walker, &input.name)?;
                converter.offer(&mut input.stream, walker, sampled.len(), sample)
            }
            None => {
                let count = converter.add(&mut input.stream, outlet, walker);
                sought.add(walker);
                count
            }
        };
        let count = count.map_err(|error| Failure::about(error, Some(&input.name)))?;
        has_messages(converter, count, &opened)?;
        input::remarks(&opened.walker, &opened.input.name);
        if sample.is_some() {
            sampled.push(opened);
        }
    }
    let (Some(sample), Some((converter, outlet))) = (sample, stream) else { return Ok(()) };
    for one in sample.into_messages() {
        let Some(Opened { input, walker, .. }) = sampled.get_mut(one.input) else { continue };
        converter.add_sampled(one.message(), outlet, walker).map_err(|error| Failure::about(error, Some(&input.name)))?;
    }
    sampled.iter().for_each(|opened| sought.add(&opened.walker));
    Ok(())
}

/// Converts the messages of a file that grows, as they come.
fn follow(
    args: &ConvertArgs,
    bad: Option<&BadMessages>,
    places: &[Place],
    target: &Target,
    compress: Compress,
    to: &'static Format,
) -> Result<(), Failure> {
    if to.columns.is_some() {
        let error = Error::usage(format!("--follow with {} as the output", to.name));
        return Err(error.expected("a format whose messages can be read before the output ends").into());
    }
    let following = Following::new(places)?;
    let mut sought = Sought::default();
    let mut stream: Option<(Converter, Outlet)> = None;
    let mut from = args.from.from;
    let outcome = loop {
        let Opened { mut input, mut walker, to: dialect, .. } = match opened(args, bad, places.first(), from, Some(to)) {
            Ok(Some(opened)) => opened,
            Ok(None) => break Ok(()),
            Err(failure) => break Err(failure),
        };
        input.stream = match following.stream(&input, &walker) {
            Ok(stream) => stream,
            Err(failure) => break Err(failure),
        };
        from = Some(walker.format());
        let (converter, outlet) = match &mut stream {
            Some(stream) => stream,
            None => {
                let outlet = Outlet::open(target, compress)?;
                stream.insert((converter(args, bad, dialect, &outlet).unbuffered(true), outlet))
            }
        };
        let added = converter.add(&mut input.stream, outlet, &mut walker);
        sought.add(&walker);
        if let Err(error) = added {
            break Err(Failure::about(error, Some(&input.name)));
        }
        if !following.goes_on(&input.stream, converter.is_over()) {
            break Ok(());
        }
    };
    end(args, outcome, stream, sought, to)
}

/// Converts each input to an output of its own.
fn to_many(
    args: &ConvertArgs,
    bad: Option<&BadMessages>,
    places: &[Place],
    targets: &[Target],
    compress: Option<Compress>,
    to: Option<&'static Format>,
) -> Result<(), Failure> {
    let mut sought = Sought::default();
    let (mut written, mut accepted) = (0_usize, true);
    for (place, target) in places.iter().zip(targets) {
        let Some(mut opened) = opened(args, bad, Some(place), args.from.from, to)? else { continue };
        if written == 0 {
            opened.advise();
        }
        let to = self::target(args, bad, std::slice::from_ref(place), &mut opened)?;
        let compress = compress.map_or_else(|| output::in_place_compression(&opened.input.codecs, &opened.input.name), Ok)?;
        let mut outlet = Outlet::open(target, compress)?;
        let mut converter = converter(args, bad, to, &outlet);
        let Opened { input, walker, to: dialect, .. } = &mut opened;
        let about = |error| Failure::about(error, Some(&input.name));
        let count = match args.sample.sample() {
            Some(mut sample) => {
                can_sample(walker, &input.name)?;
                let count = converter.offer(&mut input.stream, walker, 0, &mut sample).map_err(about)?;
                for one in sample.into_messages() {
                    converter.add_sampled(one.message(), &mut outlet, walker).map_err(about)?;
                }
                Ok(count)
            }
            None => converter.add(&mut input.stream, &mut outlet, walker).map_err(about),
        };
        let count = match count.and_then(|count| converter.finish(&mut outlet).map(|()| count).map_err(about)) {
            Ok(count) => count,
            Err(failure) => {
                sought.add(walker);
                sought.is_decoded = input.is_decoded();
                report_before(args, &failure, sought, converter.done(), dialect.format(), Some(&input.name));
                return Err(failure);
            }
        };
        args.take.found(converter.read(), Some(&input.name))?;
        sought.add(walker);
        input::remarks(walker, &input.name);
        let format = dialect.format();
        has_messages(&converter, count, &opened)?;
        let kept = report(args, converter.done(), format, Some(&opened.input.name), opened.input.is_decoded());
        if kept || !args.output.in_place {
            outlet.finish()?;
        }
        accepted &= kept;
        written += 1;
    }
    if written == 0 {
        return Err(Error::usage("no file of a known format").hint("name the format with --from").into());
    }
    sought.remark(args)?;
    if accepted { Ok(()) } else { Err(Failure::No) }
}

/// Fails if an input had no message, and needs one.
fn has_messages(converter: &Converter, count: u64, opened: &Opened) -> Result<(), Failure> {
    let Opened { input, walker, .. } = opened;
    if count == 0 && !walker.format().may_be_empty && !converter.is_over() {
        return Err(input::no_message(walker, input.stream.offset(), &input.name));
    }
    Ok(())
}

/// Fails for messages that are gone once the next one is there.
fn can_sample(walker: &Walker, name: &str) -> Result<(), Failure> {
    if walker.reads_whole() {
        let error = Error::usage(format!("--sample of the entries of {}", walker.format().name));
        return Err(Failure::about(error.hint("convert the entries to a stream first, such as jsonl"), Some(name)));
    }
    Ok(())
}

/// Prints losses. Returns false if the caller does not accept all of it.
fn report(args: &ConvertArgs, done: &Conversion, to: &Format, file: Option<&str>, is_decoded: bool) -> bool {
    let about = file.map_or_else(String::new, |file| format!("{file}: "));
    losses::print(done.losses.cautions(), 0, &format!("{about}other programs may not read all of this {}", to.name), is_decoded);
    let accepted = args.lossy.accept(done.losses.kinds());
    let advice = args.lossy.advice(done.losses.kinds());
    let stays = if args.output.in_place && !accepted { ", so the file stays as it was" } else { "" };
    losses::print(
        done.losses.iter(),
        done.losses.others(),
        &format!("{about}{} could not keep everything{stays}{advice}", to.name),
        is_decoded,
    );
    if done.reasons > 0 {
        let (messages, are) = if done.reasons == 1 { ("message", "is a row") } else { ("messages", "are rows") };
        stderr::say(format_args!("{about}{} bad {messages} {are} with the reason in `_error`", done.reasons));
    }
    accepted && done.reasons == 0
}

/// Prints what there is to say about the messages before the error that ends a run: what they lost,
/// the paths that named nothing in them, and their number. Says nothing if there are none.
fn report_before(args: &ConvertArgs, failure: &Failure, sought: Sought, done: &Conversion, to: &Format, file: Option<&str>) {
    if done.messages == 0 || !matches!(failure, Failure::Error(..)) {
        return;
    }
    // The error decides about the exit code.
    let is_decoded = sought.is_decoded;
    let _ = sought.remark(args);
    report(args, done, to, file, is_decoded);
    let (messages, were) = if done.messages == 1 { ("message", "was") } else { ("messages", "were") };
    // An output of its own is written whole, or not at all.
    let kept = if file.is_some() { "read" } else { "written" };
    stderr::say(format_args!("{} {messages} {were} {kept} before this error:", done.messages));
}

/// The paths that named nothing in any input.
#[derive(Default)]
struct Sought {
    /// Paths of `--select`, once an input was read.
    selected: Option<Vec<Missed>>,
    /// Paths of `--open`.
    opened: Option<Vec<Missed>>,
    /// True if an input was compressed.
    is_decoded: bool,
}

impl Sought {
    /// Prints the paths that named nothing. Fails if `--strict-paths` was given, or if that makes
    /// the answer no.
    fn remark(self, args: &ConvertArgs) -> Result<(), Failure> {
        let (mut selected, mut opened) = (self.selected.unwrap_or_default(), self.opened.unwrap_or_default());
        // A path that leads into a value which is opened only later.
        let closed = args.open.iter().flat_map(|open| selected.iter().filter_map(|missed| open.above(&missed.path)));
        let closed: Vec<ValuePath> = closed.cloned().collect();
        selected.retain(|missed| !closed.iter().any(|path| missed.path.0.starts_with(&path.0)));
        opened.retain(|missed| !closed.contains(&missed.path));
        let unmatched =
            [Unmatched { option: "--select", paths: selected, fails: true }, Unmatched { option: "--open", paths: opened, fails: true }];
        for path in &closed {
            stderr::say(format_args!("--select comes before --open, which opens {path}: select {path} whole"));
        }
        missed::remark(&unmatched, args.strict.strict_paths)?;
        match (closed.is_empty(), args.strict.strict_paths) {
            (true, _) => Ok(()),
            (false, true) => Err(Failure::Paths),
            (false, false) => Err(Failure::No),
        }
    }

    /// Adds the paths of an input.
    fn add(&mut self, walker: &Walker) {
        self.selected = Some(missed::in_all(self.selected.take(), walker.unselected()));
        self.opened = Some(missed::in_all(self.opened.take(), walker.unopened()));
    }
}
