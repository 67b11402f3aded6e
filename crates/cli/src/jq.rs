//! `polywire jq`.

mod messages;
mod variables;

use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};

use polywire_core::format::{Format, Nature};
use polywire_core::tools::transform::{Transformed, transform};
use polywire_core::{Error, ErrorKind, Fault, LossKind};
use polywire_jq::{Apart, Beside, End, Filter, Host, Memory, NATIVE, Raw, Results, Said, Stopped, Val};

use crate::args::jq::JqArgs;
use crate::args::output::Compress;
use crate::bad::BadMessages;
use crate::failure::{Failure, unwritten};
use crate::input::Place;
use crate::output::{self, Outlet, Plan, Target};
use crate::{alloc, diagnostics, input, losses, stderr};

use messages::{Messages, Next, Open};

/// Bytes of output that are collected before they are written.
const CHUNK: usize = 64 << 10;

/// Most errors of a filter that are printed one by one.
const SHOWN: u64 = 10;

/// Runs the verb, on a thread with a stack for filters.
pub fn run(args: JqArgs) -> Result<(), Failure> {
    polywire_jq::thread(move || {
        let bad = BadMessages::new(&args.bad)?;
        let outcome = filtered(&args, bad.as_ref());
        let complete = bad.map_or(Ok(true), |bad| bad.finish());
        outcome?;
        if complete? { Ok(()) } else { Err(Failure::No) }
    })
    .map_err(Failure::from)?
}

fn filtered(args: &JqArgs, bad: Option<&BadMessages>) -> Result<(), Failure> {
    let (words, positional) = variables::words(args)?;
    let (text, name, inputs) = filter_text(args, words)?;
    let output = args.output.output.as_deref().filter(|path| *path != Path::new("-"));
    let to = match args.to {
        None if args.output.in_place => None,
        to => Some(to.or_else(|| output::by_extension(output).ok()).unwrap_or(NATIVE)),
    };
    let variables = variables::variables(args, positional, &args.limits.limits())?;
    let names: Vec<&str> = variables.iter().map(|(name, _)| name.as_str()).collect();
    let filter = Filter::compile(&text, &name, &names).map_err(|found| {
        diagnostics::print(&found);
        Failure::Filter
    })?;
    let values: Vec<Val> = variables.into_iter().map(|(_, value)| value).collect();
    let places = input::places(&inputs)?;
    let job = Job { args, bad, filter: &filter, values: &values };
    match output::plan(&args.output, &places, to)? {
        Plan::Stream(target, compress, to) => job.run(places, &target, Some(compress), Some(to), false)?.verdict(),
        Plan::Each(..) if args.follow.follow => {
            Err(Error::usage("--follow with a folder as the output").expected("one output, since the input never ends").into())
        }
        Plan::Each(targets, compress, to) => {
            let mut worst = Ok(());
            for (place, target) in places.into_iter().zip(&targets) {
                match job.run(vec![place], target, compress, to, true)?.verdict() {
                    // A file that raised errors says more than one that lost something.
                    Err(failure @ (Failure::Reported | Failure::No)) if !matches!(worst, Err(Failure::Reported)) => worst = Err(failure),
                    Err(failure @ Failure::Halted(_)) => return Err(failure),
                    Err(Failure::Reported | Failure::No) | Ok(()) => {}
                    Err(failure) => return Err(failure),
                }
            }
            worst
        }
    }
}

/// A filter and its options, to be run once for each output.
struct Job<'a> {
    args: &'a JqArgs,
    bad: Option<&'a BadMessages>,
    filter: &'a Filter,
    values: &'a [Val],
}

/// The outcome of a run.
struct Ended {
    end: End,
    /// True if the filter raised errors.
    raised: bool,
    /// True if losses are accepted, or there are none.
    accepted: bool,
    /// True unless the last result had to be true, and was not.
    held: bool,
}

impl Ended {
    fn verdict(self) -> Result<(), Failure> {
        match self.end {
            End::Halted(code) => Err(Failure::Halted(code)),
            End::Done if self.raised => Err(Failure::Reported),
            End::Done if !self.accepted || !self.held => Err(Failure::No),
            End::Done => Ok(()),
        }
    }
}

impl Job<'_> {
    /// Runs the filter over the messages of `places`. Results go to `target`, in the format `to` or
    /// that of the input, compressed as is said or as the input is. `is_one` of many outputs is
    /// named in messages to people.
    fn run(
        &self,
        places: Vec<Place>,
        target: &Target,
        compress: Option<Compress>,
        to: Option<&'static Format>,
        is_one: bool,
    ) -> Result<Ended, Failure> {
        let Job { args, filter, .. } = *self;
        let sink = if args.slurp { filter.elements_sink() } else { filter.sink() };
        let mut messages = Messages::new(args, self.bad, places, to, sink)?;
        // An output depends on its input.
        let is_there = !is_one || messages.begin()?;
        let Some(to) = to.or_else(|| messages.format()).filter(|_| is_there) else {
            return Ok(Ended { end: End::Done, raised: false, accepted: true, held: true });
        };
        let compress = compress.map_or_else(|| messages.compression(), Ok)?;
        let file = messages.input_name().filter(|_| is_one);
        let about = file.as_deref().map_or_else(String::new, |file| format!("{file}: "));
        let raw = match (args.join_output, args.raw_output) {
            (true, _) => Raw::Joined,
            (_, true) => Raw::Lines,
            _ => Raw::No,
        };
        if raw != Raw::No && to.nature != Nature::Text {
            return Err(Error::usage(format!("--raw-output with {}", to.name)).expected("a format of text, such as the default").into());
        }
        let dialect = messages.target(to)?;
        let outlet = Outlet::open(target, compress)?;
        let results = Results::new(dialect, raw, &args.layout.layout(outlet.is_plain_stdout))?.sorted(args.layout.sort_keys);
        let live = args.output.unbuffered || args.follow.follow || outlet.is_terminal;
        let mut out = Output { results, live, outlet };
        let host = Program { messages: RefCell::new(messages) };
        let memory = Memory { most: args.max_memory, used: Some(alloc::HEAP.live), ..Memory::default() };
        let threads = if out.live { 1 } else { args.threads.count() };
        let is_single = !args.null_input && !args.slurp;
        let mut run = Run { filter, values: self.values, host: &host, memory, threads, is_single, last: None, raised: 0, unknown: 0 };
        let outcome = run.all(args, &mut out);
        out.flush()?;
        // The error of an input was one of the filter's to catch, and ends the run all the same.
        let outcome = host.messages.borrow_mut().failure.take().map_or(outcome, Err);
        let lost = out.results.losses();
        let unknown = run.unknown + host.messages.borrow().unknown();
        let dropped = (unknown > 0).then_some(LossKind::Remark);
        let accepted = args.lossy.accept(lost.kinds().chain(dropped));
        let is_whole = matches!(outcome, Ok(End::Done)) && run.raised == 0 && accepted;
        let stays = if args.output.in_place && !is_whole { ", so the file stays as it was" } else { "" };
        let matched = if outcome.is_ok() { host.messages.borrow_mut().matched() } else { Ok(()) };
        let tell = || {
            if unknown > 0 {
                stderr::say(format_args!("{about}{unknown} parts that the input's schema does not know were dropped"));
            }
            losses::print(lost.cautions(), 0, &format!("{about}other programs may not read all of this {}", to.name), false);
            if !lost.is_empty() {
                let advice = args.lossy.advice(lost.kinds());
                losses::of_results(lost.iter(), lost.others(), &format!("{about}{} could not keep everything{stays}{advice}", to.name));
            }
        };
        let end = match outcome {
            Err(failure) if is_one => {
                tell();
                return Err(failure);
            }
            outcome => {
                // Only a whole result takes the place of a file.
                if !args.output.in_place || is_whole {
                    out.outlet.finish()?;
                }
                outcome.inspect_err(|_| tell())?
            }
        };
        host.messages.borrow().found(file.as_deref())?;
        if run.raised > SHOWN {
            stderr::say(format_args!("{about}{} more messages failed", run.raised - SHOWN));
        }
        if !stays.is_empty() && (run.raised > 0 || end != End::Done) {
            let why = if run.raised > 0 { "raised errors" } else { "ended the run" };
            stderr::say(format_args!("{about}the filter {why}{stays}"));
        }
        tell();
        matched?;
        Ok(Ended { end, raised: run.raised > 0, accepted, held: !args.exit_status || run.last.unwrap_or(false) })
    }
}

/// Returns the text of the filter, its name for people, and the inputs.
fn filter_text(args: &JqArgs, mut words: Vec<String>) -> Result<(String, String, Vec<PathBuf>), Failure> {
    let paths = |words: Vec<String>| words.into_iter().map(PathBuf::from).collect();
    if let Some(file) = &args.from_file {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).map_err(|error| Failure::about(Error::io("reading", &error), Some(&name)))?;
        return Ok((text, name, paths(words)));
    }
    if words.is_empty() {
        return Err(Error::usage("no filter").expected("a filter, such as .vouchers[].goods_name, and files").into());
    }
    let text = words.remove(0);
    Ok((text, "filter".into(), paths(words)))
}

/// Results on their way out.
struct Output {
    results: Results,
    outlet: Outlet,
    /// True if each result is written at once.
    live: bool,
}

impl Output {
    /// Writes what was added, if it is time.
    fn added(&mut self) -> Result<(), Failure> {
        if self.live || self.results.bytes().len() >= CHUNK { self.flush() } else { Ok(()) }
    }

    /// Writes bytes that others made.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.flush()?;
        self.outlet.write_all(bytes).map_err(|error| unwritten(&error))
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let bytes = self.results.bytes();
        let written = self.outlet.write_all(bytes).and_then(|()| if self.live { self.outlet.flush() } else { Ok(()) });
        self.results.clear();
        written.map_err(|error| unwritten(&error))
    }
}

/// The program as a running filter sees it.
struct Program<'a> {
    messages: RefCell<Messages<'a>>,
}

impl Host for Program<'_> {
    fn next(&self) -> Option<Result<Val, String>> {
        let next = self.messages.borrow_mut().next();
        match next {
            Ok(value) => value.map(Ok),
            Err(failure) => {
                let text = match &failure {
                    Failure::Error(error, _) => error.to_string(),
                    _ => "no input".to_string(),
                };
                self.messages.borrow_mut().failure = Some(failure);
                Some(Err(text))
            }
        }
    }

    fn name(&self) -> Option<String> {
        self.messages.borrow().name()
    }

    fn say(&self, said: Said<'_>) {
        match said {
            Said::Debug(value) => stderr::lines(format_args!("[\"DEBUG:\",{value}]\n")),
            Said::Stderr(value) => stderr::lines(format_args!("{value}")),
            Said::Halt(value) => match value.as_str() {
                Some(text) => stderr::lines(format_args!("{text}")),
                None => stderr::lines(format_args!("{value}\n")),
            },
        }
    }
}

/// The reason why a result stops the run.
enum Stop {
    /// The format cannot hold it.
    Result(Error),
    /// The output cannot be written.
    Output(Failure),
}

/// Keeps the failure that stops a run on several threads, and returns an error that does.
fn stopped(failed: &mut Option<Failure>, failure: Failure) -> Error {
    *failed = Some(failure);
    Error::internal("a run that was stopped")
}

/// A filter on its way over the inputs.
struct Run<'a> {
    filter: &'a Filter,
    values: &'a [Val],
    host: &'a Program<'a>,
    memory: Memory,
    threads: usize,
    /// True if the filter runs once for each message.
    is_single: bool,
    /// Truth of the last result.
    last: Option<bool>,
    /// Number of inputs on which the filter raised an error.
    raised: u64,
    /// Number of parts of messages that other threads' readers did not understand.
    unknown: u64,
}

impl Run<'_> {
    fn all(&mut self, args: &JqArgs, out: &mut Output) -> Result<End, Failure> {
        if args.null_input {
            return self.one(Val::Null, out);
        }
        if args.slurp {
            let mut all = Vec::new();
            while let Some(value) = self.next()? {
                all.push(value);
            }
            return self.one(Val::list(all), out);
        }
        let mut cutter = self.filter.cutter();
        loop {
            if self.host.messages.borrow_mut().begin()? && self.apart(out)? {
                self.host.messages.borrow_mut().end_input();
                continue;
            }
            let cut = cutter.as_mut().map(|cutter| (cutter, &mut out.results));
            let next = self.host.messages.borrow_mut().next_or_cut(cut)?;
            match next {
                Next::Cut(last) => {
                    self.last = Some(last);
                    out.added()?;
                }
                Next::Value(value) => {
                    let end = self.one(value, out)?;
                    if end != End::Done {
                        return Ok(end);
                    }
                }
                Next::End => return Ok(End::Done),
            }
        }
    }

    /// Takes all messages of the input that is open on several threads. Returns false if they have
    /// to be taken one by one.
    fn apart(&mut self, out: &mut Output) -> Result<bool, Failure> {
        if self.threads < 2 || self.filter.talks() {
            return Ok(false);
        }
        let mut messages = self.host.messages.borrow_mut();
        let Some((Open { input, walker, .. }, bad)) = messages.untouched() else { return Ok(false) };
        let name = input.name.as_str();
        let Some(own) = Apart::new(self.filter, self.values, self.memory, walker, &out.results)? else { return Ok(false) };
        let mut failed = None;
        let (apart, outcome) = transform(&mut input.stream, walker, self.threads, own, bad, &mut |part: Transformed<'_, Beside>| {
            let Beside { losses, raised, raised_in_all, last, unknown } = part.beside;
            out.results.join(losses);
            self.last = last.or(self.last);
            self.unknown += unknown;
            let mut rest = part.out;
            let mut written = part.start;
            for (at, error) in raised.into_iter().take(SHOWN.saturating_sub(self.raised) as usize) {
                let (before, behind) = rest.split_at((at - written).min(rest.len()));
                (rest, written) = (behind, at);
                out.write(before).map_err(|failure| stopped(&mut failed, failure))?;
                Failure::about(error, Some(name)).print();
            }
            self.raised += raised_in_all;
            out.write(rest).map_err(|failure| stopped(&mut failed, failure))
        });
        apart.into_iter().for_each(|apart| walker.join(apart.into_walker()));
        match (failed, outcome) {
            (Some(failure), _) => Err(failure),
            (None, outcome) => outcome.map(|()| true).map_err(|error| Failure::about(error, Some(name))),
        }
    }

    fn next(&self) -> Result<Option<Val>, Failure> {
        self.host.messages.borrow_mut().next()
    }

    fn one(&mut self, input: Val, out: &mut Output) -> Result<End, Failure> {
        let last = &mut self.last;
        let outcome = self.filter.run(input, self.values, self.host, self.memory, &mut |value| {
            out.results.add(&value).map_err(Stop::Result)?;
            *last = Some(value.is_true());
            out.added().map_err(Stop::Output)
        });
        match outcome {
            Ok(end) => Ok(end),
            Err(Stopped::Receiver(Stop::Output(failure))) => Err(failure),
            Err(Stopped::Receiver(Stop::Result(error)) | Stopped::Bound(error)) => {
                // It is that of a message, unless the filter has none or takes more.
                let is_of_message = !self.filter.talks() && self.is_single;
                self.host.messages.borrow_mut().passed(error, is_of_message).map(|()| End::Done)
            }
            Err(Stopped::Raised(raised)) => {
                self.raised += 1;
                if self.raised <= SHOWN {
                    // Results before it come first.
                    out.flush()?;
                    self.host.messages.borrow().about(raised.error()).print();
                }
                Ok(End::Done)
            }
        }
    }
}

/// Returns the error of a value in JSON that an option gives.
fn bad_value(option: &str, error: &Error) -> Failure {
    Error::new(ErrorKind::Usage, Fault::Caller).seen(format!("the value of {option}: {error}")).into()
}
