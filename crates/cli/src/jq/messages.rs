//! The messages of a run, from one input after the other.

use std::collections::VecDeque;

use polywire_core::format::{Dialect, Format};
use polywire_core::tools::adapt::Walker;
use polywire_core::tools::parallel::is_apart;
use polywire_core::{Error, Limits, Surrogates};
use polywire_jq::{Cutter, Results, Val, ValSink};

use crate::args::convert::SurrogatesArg;
use crate::args::jq::JqArgs;
use crate::failure::Failure;
use crate::input::{self, Input, Place};
use crate::message_type::Typed;
use crate::stderr;

/// Reads messages of the inputs as values.
pub struct Messages<'a> {
    args: &'a JqArgs,
    /// Inputs that are not open yet; `None` is stdin.
    left: VecDeque<Option<Place>>,
    to: &'static Format,
    limits: Limits,
    sink: ValSink,
    open: Option<Open>,
    /// Name of the input that was read last.
    name: Option<String>,
    /// Offset of the message that was read last, if one was.
    base: Option<u64>,
    unknown: u64,
    /// The failure of an input that a filter asked for.
    pub failure: Option<Failure>,
}

/// The message that came.
pub enum Next {
    /// It, for the filter.
    Value(Val),
    /// Its results are written, and the last one is true or not.
    Cut(bool),
    /// None, after the last one.
    End,
}

/// An input under way.
pub struct Open {
    pub input: Input,
    pub walker: Walker,
    /// Number of messages so far.
    count: u64,
}

impl<'a> Messages<'a> {
    /// Makes the messages of `places`, of stdin if there are none. `to` is the format of results,
    /// which may decide the type of messages.
    pub fn new(args: &'a JqArgs, places: Vec<Place>, to: &'static Format, sink: ValSink, limits: Limits) -> Messages<'a> {
        let mut left: VecDeque<Option<Place>> = places.into_iter().map(Some).collect();
        if left.is_empty() {
            left.push_back(None);
        }
        Messages { args, left, to, limits, sink, open: None, name: None, base: None, unknown: 0, failure: None }
    }

    /// Returns the dialect of results.
    pub fn target(&self, to: &'static Format) -> Result<Dialect, Failure> {
        Ok(self.args.schema.dialect(to)?)
    }

    /// Returns the next message as a value; `None` after the last one.
    pub fn next(&mut self) -> Result<Option<Val>, Failure> {
        match self.next_or_cut(None)? {
            Next::Value(value) => Ok(Some(value)),
            Next::Cut(_) | Next::End => Ok(None),
        }
    }

    /// Returns the next message, or has its results written by `cut`, if that can.
    pub fn next_or_cut(&mut self, mut cut: Option<(&mut Cutter<'_>, &mut Results)>) -> Result<Next, Failure> {
        loop {
            if !self.begin()? {
                return Ok(Next::End);
            }
            let Some(open) = &mut self.open else { continue };
            let failed = |error: Error| Failure::about(error, Some(&open.input.name));
            match open.input.stream.next(&mut open.walker).map_err(failed)? {
                Some(message) => {
                    self.base = Some(message.base);
                    open.count += 1;
                    if let Some((cutter, results)) = &mut cut
                        && let Some(last) = cutter.message(&mut open.walker, message, results)
                    {
                        return Ok(Next::Cut(last));
                    }
                    let walked = open.walker.walk(message.bytes, message.base, &mut self.sink);
                    walked.map_err(|error| failed(open.input.stream.explain(error)))?;
                    self.unknown += self.sink.take_unknown();
                    let value = self.sink.take();
                    return value.map(Next::Value).ok_or_else(|| Error::internal("a message without a value").into());
                }
                None => {
                    let format = open.walker.format();
                    // Nothing is no message, and no mistake for a filter: it has no results then.
                    if open.count == 0 && self.args.each.each.is_some() && !format.may_be_empty {
                        return Err(input::no_message(&open.walker, open.input.stream.offset(), &open.input.name));
                    }
                    self.end_input();
                }
            }
        }
    }

    /// Opens the next input, unless one is open. Returns false after the last one.
    pub fn begin(&mut self) -> Result<bool, Failure> {
        while self.open.is_none() {
            let Some(place) = self.left.pop_front() else { return Ok(false) };
            self.open = self.opened(place.as_ref())?;
        }
        Ok(true)
    }

    /// Ends the input that is open.
    pub fn end_input(&mut self) {
        if let Some(open) = self.open.take() {
            input::remarks(&open.walker, &open.input.name);
        }
    }

    /// Returns the input that is open, if none of its messages was taken and all may be taken at
    /// once.
    pub fn untouched(&mut self) -> Option<&mut Open> {
        let to = self.to;
        self.open.as_mut().filter(|open| open.count == 0 && is_apart(open.walker.format(), Some(to)))
    }

    fn opened(&mut self, place: Option<&Place>) -> Result<Option<Open>, Failure> {
        let path = place.map(|place| place.path.as_path());
        let from = &self.args.from;
        let mut input = input::open(path)?.opened(None, &self.limits)?.in_charset(&from.charset, from.from)?;
        self.name = path.is_some().then(|| input.name.clone());
        let is_empty = {
            let start = input.start()?;
            start.iter().all(u8::is_ascii_whitespace)
        };
        if is_empty && self.args.from.from.is_none() {
            return Ok(None);
        }
        let from = match input.format(self.args.from.from) {
            Err(failure) if place.is_some_and(|place| place.found) && failure.is_unknown_format() => {
                stderr::say(format_args!("{}: skipped, its bytes look like no format", input.name));
                return Ok(None);
            }
            found => found?,
        };
        self.args.schema.is_used_by(&[from, self.to])?;
        self.args.from.is_used_by(&[from], Some(self.to))?;
        let typed = Typed::new(&self.args.schema, &mut input, from, &[self.to], &self.limits)?;
        let walker = Walker::new(self.args.from.settings.applied(typed.dialect(from)?, true)?, &self.limits)
            .doubles(self.args.duplicates.policy())
            .surrogates(self.args.surrogates.map_or(Surrogates::Refuse, SurrogatesArg::policy))
            .each(self.args.each.each.clone());
        input::remark_whole(&walker, &input.name);
        Ok(Some(Open { input, walker, count: 0 }))
    }

    /// Returns the name of the file that the last message came from, if it has one.
    pub fn name(&self) -> Option<String> {
        self.name.clone()
    }

    /// Returns the failure of an error about the last message.
    pub fn about(&self, error: Error) -> Failure {
        let placed = match self.base {
            Some(base) => error.or_at(base),
            None => error,
        };
        Failure::about(placed, self.open.as_ref().map(|open| open.input.name.as_str()).or(self.name.as_deref()))
    }

    /// Returns the failure of an error that ends the run at the last message.
    pub fn ended_by(&self, error: Error) -> Failure {
        match &self.open {
            Some(open) => Failure::about(open.input.stream.explain(error), Some(&open.input.name)),
            None => error.into(),
        }
    }

    /// Returns the number of parts that a reader did not understand.
    pub fn unknown(&self) -> u64 {
        self.unknown
    }
}
