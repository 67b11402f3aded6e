//! `polywire jq`.

mod messages;
mod variables;

use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};

use polywire_core::format::Nature;
use polywire_core::{Error, ErrorKind, Fault, LossKind};
use polywire_jq::{End, Filter, Host, Memory, NATIVE, Raw, Results, Said, Stopped, Val};

use crate::args::jq::JqArgs;
use crate::failure::{Failure, unwritten};
use crate::output::{self, Outlet};
use crate::{alloc, diagnostics, input, losses, stderr};

use messages::{Messages, Next};

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
    let memory = Memory { most: args.max_memory, used: Some(alloc::HEAP.live) };
    let mut run = Run { filter: &filter, values: &values, host: &host, memory, last: None, raised: 0 };
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
    let unknown = host.messages.borrow().unknown();
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
    fn add(&mut self, value: &Val) -> Result<(), Failure> {
        self.results.add(value)?;
        self.added()
    }

    /// Writes what was added, if it is time.
    fn added(&mut self) -> Result<(), Failure> {
        if self.live || self.results.bytes().len() >= CHUNK { self.flush() } else { Ok(()) }
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

/// A filter on its way over the inputs.
struct Run<'a> {
    filter: &'a Filter,
    values: &'a [Val],
    host: &'a Program<'a>,
    memory: Memory,
    /// Truth of the last result.
    last: Option<bool>,
    /// Number of inputs on which the filter raised an error.
    raised: u64,
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

    fn next(&self) -> Result<Option<Val>, Failure> {
        self.host.messages.borrow_mut().next()
    }

    fn one(&mut self, input: Val, out: &mut Output) -> Result<End, Failure> {
        let last = &mut self.last;
        let outcome = self.filter.run(input, self.values, self.host, self.memory, &mut |value| {
            *last = Some(value.is_true());
            out.add(&value)
        });
        match outcome {
            Ok(end) => Ok(end),
            Err(Stopped::Receiver(failure)) => Err(failure),
            Err(Stopped::Bound(error)) => Err(error.into()),
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
