//! `polywire jq`.

mod messages;
mod variables;

use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};

use polywire_core::format::Nature;
use polywire_core::tools::transform::{Transformed, transform};
use polywire_core::{Error, ErrorKind, Fault, LossKind};
use polywire_jq::{Apart, Beside, End, Filter, Host, Memory, NATIVE, Raw, Results, Said, Stopped, Val};

use crate::args::jq::JqArgs;
use crate::failure::{Failure, unwritten};
use crate::output::{self, Outlet};
use crate::{alloc, diagnostics, input, losses, stderr};

use messages::{Messages, Next, Open};

/// Bytes of output that are collected before they are written.
const CHUNK: usize = 64 << 10;

/// Most errors of a filter that are printed one by one.
const SHOWN: u64 = 10;

/// Runs the verb, on a thread with a stack for filters.
pub fn run(args: JqArgs) -> Result<(), Failure> {
    polywire_jq::thread(move || filtered(args)).map_err(Failure::from)?
}

fn filtered(args: JqArgs) -> Result<(), Failure> {
    let (words, positional) = variables::words(&args)?;
    let (text, name, inputs) = filter_text(&args, words)?;
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let to = args.to.or_else(|| output::by_extension(output).ok()).unwrap_or(NATIVE);
    let raw = match (args.join_output, args.raw_output) {
        (true, _) => Raw::Joined,
        (_, true) => Raw::Lines,
        _ => Raw::No,
    };
    if raw != Raw::No && to.nature != Nature::Text {
        return Err(Error::usage(format!("--raw-output with {}", to.name)).expected("a format of text, such as the default").into());
    }
    let limits = args.limits.limits();
    let variables = variables::variables(&args, positional, &limits)?;
    let names: Vec<&str> = variables.iter().map(|(name, _)| name.as_str()).collect();
    let filter = Filter::compile(&text, &name, &names).map_err(|found| {
        diagnostics::print(&found);
        Failure::Filter
    })?;
    let values: Vec<Val> = variables.into_iter().map(|(_, value)| value).collect();
    let places = input::places(&inputs)?;
    let (target, compress) = output::one(output, args.compress, &places)?;
    let sink = if args.slurp { filter.elements_sink() } else { filter.sink() };
    let messages = Messages::new(&args, places, to, sink, limits);
    let dialect = messages.target(to)?;
    let outlet = Outlet::open(&target, compress)?;
    let results = Results::new(dialect, raw, &args.layout.layout(outlet.is_plain_stdout))?.sorted(args.layout.sort_keys);
    let mut out = Output { results, live: args.unbuffered || outlet.is_terminal, outlet };
    let host = Program { messages: RefCell::new(messages) };
    let memory = Memory { most: args.max_memory, used: Some(alloc::HEAP.live), ..Memory::default() };
    let threads = if out.live { 1 } else { args.threads.count() };
    let mut run = Run { filter: &filter, values: &values, host: &host, memory, threads, last: None, raised: 0, unknown: 0 };
    let outcome = run.all(&args, &mut out);
    out.flush()?;
    out.outlet.finish()?;
    // The error of an input was one of the filter's to catch, and ends the run all the same.
    if let Some(failure) = host.messages.borrow_mut().failure.take() {
        return Err(failure);
    }
    let end = outcome?;
    if run.raised > SHOWN {
        stderr::say(format_args!("{} more messages failed", run.raised - SHOWN));
    }
    let unknown = run.unknown + host.messages.borrow().unknown();
    if unknown > 0 {
        stderr::say(format_args!("{unknown} parts that the input's schema does not know were dropped"));
    }
    let dropped = (unknown > 0).then_some(LossKind::Remark);
    let lost = out.results.losses();
    losses::print(lost.cautions(), 0, &format!("other programs may not read all of this {}", to.name));
    if !lost.is_empty() {
        let advice = args.lossy.advice(lost.kinds());
        losses::of_results(lost.iter(), lost.others(), &format!("{} could not keep everything{advice}", to.name));
    }
    match end {
        End::Halted(code) => Err(Failure::Halted(code)),
        End::Done if run.raised > 0 => Err(Failure::Reported),
        End::Done if !args.lossy.accept(lost.kinds().chain(dropped)) => Err(Failure::No),
        End::Done if args.exit_status && !run.last.unwrap_or(false) => Err(Failure::No),
        End::Done => Ok(()),
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
        let Some(Open { input, walker, .. }) = messages.untouched() else { return Ok(false) };
        let name = input.name.as_str();
        let Some(own) = Apart::new(self.filter, self.values, self.memory, walker, &out.results)? else { return Ok(false) };
        let mut failed = None;
        let outcome = transform(&mut input.stream, walker, self.threads, own, None, &mut |part: Transformed<'_, Beside>| {
            let Beside { losses, raised, raised_in_all, last, unknown } = part.beside;
            out.results.join(losses);
            self.last = last.or(self.last);
            self.unknown += unknown;
            let mut rest = part.out;
            let mut written = 0;
            for (at, error) in raised.into_iter().take(SHOWN.saturating_sub(self.raised) as usize) {
                let (before, behind) = rest.split_at((at - written).min(rest.len()));
                (rest, written) = (behind, at);
                out.write(before).map_err(|failure| stopped(&mut failed, failure))?;
                Failure::about(error, Some(name)).print();
            }
            self.raised += raised_in_all;
            out.write(rest).map_err(|failure| stopped(&mut failed, failure))
        });
        match (failed, outcome) {
            (Some(failure), _) => Err(failure),
            (None, outcome) => outcome.map(|_| true).map_err(|error| Failure::about(error, Some(name))),
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
            Err(Stopped::Receiver(Stop::Result(error)) | Stopped::Bound(error)) => Err(self.host.messages.borrow().ended_by(error)),
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
