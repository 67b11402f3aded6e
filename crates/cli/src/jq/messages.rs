//! The messages of a run, from one input after the other.

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::path::Path;

use polywire_core::format::{Dialect, Format};
use polywire_core::tools::adapt::{Missed, Walker};
use polywire_core::tools::parallel::is_apart;
use polywire_core::tools::{Bad, Take};
use polywire_core::{Error, Limits, Surrogates};
use polywire_jq::{Cutter, Results, Val, ValSink};

use crate::args::convert::SurrogatesArg;
use crate::args::jq::JqArgs;
use crate::args::output::Compress;
use crate::bad::BadMessages;
use crate::failure::Failure;
use crate::input::{self, Following, Input, Live, Place};
use crate::message_type::Typed;
use crate::missed::{self, Unmatched};
use crate::{output, stderr};

/// Reads messages of the inputs as values.
pub struct Messages<'a> {
    args: &'a JqArgs,
    /// Inputs that are not open yet; `None` is stdin.
    left: VecDeque<Option<Place>>,
    /// Format of the results; that of the input, if there is none.
    to: Option<&'static Format>,
    limits: Limits,
    sink: ValSink,
    take: Take,
    bad: Option<(&'a BadMessages, Bad)>,
    following: Option<Following>,
    /// Format of the file that is followed, once it is known.
    followed: Option<&'static Format>,
    /// True if results are wanted as soon as messages come.
    live: bool,
    open: Option<Open>,
    /// Name of the input that was read last.
    name: Option<String>,
    /// Offset of the message that was read last, if one was.
    base: Option<u64>,
    unknown: u64,
    /// Paths to open that named nothing in any input, once one was read.
    unopened: Option<Vec<Missed>>,
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
    place: Option<Place>,
    pub input: Input,
    pub walker: Walker,
    /// Number of messages so far.
    count: u64,
}

impl<'a> Messages<'a> {
    /// Makes the messages of `places`, of stdin if there are none. `to` is the format of results,
    /// which may decide the type of messages.
    ///
    /// # Errors
    /// The inputs cannot be followed.
    pub fn new(
        args: &'a JqArgs,
        bad: Option<&'a BadMessages>,
        places: Vec<Place>,
        to: Option<&'static Format>,
        sink: ValSink,
    ) -> Result<Messages<'a>, Failure> {
        let following = args.follow.follow.then(|| Following::new(&places)).transpose()?;
        let live = following.is_some() || args.output.unbuffered || std::io::stdout().is_terminal();
        let mut left: VecDeque<Option<Place>> = places.into_iter().map(Some).collect();
        if left.is_empty() {
            left.push_back(None);
        }
        let (take, limits, bad) = (args.take.take(), args.limits.limits(), bad.map(|bad| (bad, bad.receiver())));
        let fresh = Messages {
            args,
            left,
            to,
            limits,
            sink,
            take,
            bad,
            following,
            followed: None,
            live,
            open: None,
            name: None,
            base: None,
            unknown: 0,
            unopened: None,
            failure: None,
        };
        Ok(fresh)
    }

    /// Returns the dialect of results.
    pub fn target(&self, to: &'static Format) -> Result<Dialect, Failure> {
        Ok(self.args.schema.dialect(to)?)
    }

    /// Returns the format of the input that is open.
    pub fn format(&self) -> Option<&'static Format> {
        self.open.as_ref().map(|open| open.walker.format())
    }

    /// Returns the name of the input that is open, for people.
    pub fn input_name(&self) -> Option<String> {
        self.open.as_ref().map(|open| open.input.name.clone())
    }

    /// Returns the compression of the input that is open.
    ///
    /// # Errors
    /// It is not written.
    pub fn compression(&self) -> Result<Compress, Failure> {
        let Some(open) = &self.open else { return Ok(Compress::None) };
        output::in_place_compression(&open.input.codecs, &open.input.name)
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
            if self.take.is_over() || !self.begin()? {
                return Ok(Next::End);
            }
            let Some(open) = &mut self.open else { continue };
            let failed = |error: Error| Failure::about(error, Some(&open.input.name));
            match open.input.stream.next(&mut open.walker).map_err(failed)? {
                Some(message) => {
                    open.count += 1;
                    if !self.take.next() {
                        open.walker.pass(message.bytes, message.base);
                        continue;
                    }
                    self.base = Some(message.base);
                    if let Some((cutter, results)) = &mut cut
                        && let Some(last) = cutter.message(&mut open.walker, message, results)
                    {
                        return Ok(Next::Cut(last));
                    }
                    let walked = open.walker.walk(message.bytes, message.base, &mut self.sink);
                    if let Err(error) = walked {
                        self.sink.take();
                        let allows = |(_, bad): &(&BadMessages, Bad)| bad.allows(&mut open.walker, message, &error);
                        let is_framed = self.bad.as_ref().is_some_and(allows);
                        let is_cut = self.bad.as_ref().is_some_and(|(_, bad)| bad.allows_cut(&open.input.stream, &error));
                        self.passed(error, is_framed || is_cut)?;
                        continue;
                    }
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
        let Some(open) = self.open.take() else { return };
        self.unopened = Some(missed::in_all(self.unopened.take(), open.walker.unopened()));
        input::remarks(&open.walker, &open.input.name);
        if let Some(following) = &self.following
            && following.goes_on(&open.input.stream, self.take.is_over())
        {
            self.left.push_front(open.place);
        }
    }

    /// Steps over the last message, whose error this is, if its end is known and it may be bad.
    ///
    /// # Errors
    /// The error, or that the message cannot be kept.
    pub fn passed(&mut self, error: Error, is_framed: bool) -> Result<(), Failure> {
        let Some(Open { input, walker, .. }) = &self.open else { return Err(error.into()) };
        let passed = match &mut self.bad {
            Some((_, bad)) if is_framed && bad.may_pass(&error) => bad.step_over(&input.stream, walker, error),
            _ => Err(input.stream.explain(error)),
        };
        passed.map_err(|error| Failure::about(error, Some(&input.name)))
    }

    /// Fails if a message was asked for that is not there.
    pub fn found(&self, name: Option<&str>) -> Result<(), Failure> {
        self.args.take.found(self.take.seen(), name)
    }

    /// Returns the input that is open, if none of its messages was taken and all may be taken at
    /// once.
    pub fn untouched(&mut self) -> Option<(&mut Open, Option<&mut Bad>)> {
        let (to, is_plain) = (self.to, self.take.is_all() && self.following.is_none());
        let open = self.open.as_mut().filter(|open| is_plain && open.count == 0 && is_apart(open.walker.format(), to))?;
        Some((open, self.bad.as_mut().map(|(_, bad)| bad)))
    }

    fn opened(&mut self, place: Option<&Place>) -> Result<Option<Open>, Failure> {
        let path = place.map(|place| place.path.as_path());
        let from = &self.args.from;
        let mut input = input::open(path)?;
        if (self.live || self.args.take.is_short()) && path.is_none_or(|path| path == Path::new("-")) {
            input.live = Some(Live { format: from.from });
        }
        let mut input = input.opened(self.args.open.as_ref(), &self.limits)?.in_charset(&from.charset, from.from)?;
        self.name = path.is_some().then(|| input.name.clone());
        // A file that is followed may be empty before it grows.
        let may_be_empty = self.args.from.from.is_none() && self.following.is_none();
        let is_empty = |input: &mut Input| Ok::<_, Failure>(may_be_empty && input.start()?.iter().all(u8::is_ascii_whitespace));
        if input.live.is_none() && is_empty(&mut input)? {
            return Ok(None);
        }
        let from = match input.format(self.args.from.from.or(self.followed)) {
            Err(_) if is_empty(&mut input)? => return Ok(None),
            Err(failure) if place.is_some_and(|place| place.found) && failure.is_unknown_format() => {
                stderr::say(format_args!("{}: skipped, its bytes look like no format", input.name));
                return Ok(None);
            }
            found => found?,
        };
        let to = self.to.unwrap_or(from);
        self.args.schema.is_used_by(&[from, to])?;
        self.args.from.is_used_by(&[from], Some(to))?;
        let typed = Typed::new(&self.args.schema, &mut input, from, &[to], &self.limits)?;
        // Messages that are wanted at once do not wait for others to show what they are.
        let walker = Walker::new(self.args.from.settings.applied(typed.dialect(from)?, !self.live)?, &self.limits)
            .doubles(self.args.duplicates.policy())
            .surrogates(self.args.surrogates.map_or(Surrogates::Refuse, SurrogatesArg::policy))
            .each(self.args.each.each.clone())
            .open(self.args.open.as_ref().and_then(|open| open.opening(input.is_decoded())));
        input::remark_whole(&walker, &input.name);
        if let Some((bad, _)) = &self.bad {
            bad.begin(&input.name, from, self.args.each.each.is_some())?;
        }
        if let Some(following) = &self.following {
            input.stream = following.stream(&input, &walker)?;
            self.followed = Some(from);
        }
        Ok(Some(Open { place: place.cloned(), input, walker, count: 0 }))
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

    /// Remarks on the paths to open that named nothing. Fails if there are any.
    ///
    /// # Errors
    /// The answer is no, or paths have to name something.
    pub fn matched(&mut self) -> Result<(), Failure> {
        let now = self.open.as_ref().map(|open| open.walker.unopened());
        let paths = match now {
            Some(now) => missed::in_all(self.unopened.take(), now),
            None => self.unopened.take().unwrap_or_default(),
        };
        missed::remark(&[Unmatched { option: "--open", paths, fails: true }], self.args.strict.strict_paths)
    }

    /// Returns the number of parts that a reader did not understand.
    pub fn unknown(&self) -> u64 {
        self.unknown
    }
}
