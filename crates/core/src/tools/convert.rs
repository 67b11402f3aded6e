//! From any format to any other, message by message.

use std::io::{Read, Write};

use crate::error::{Error, ErrorKind, Fault, Result};
use crate::format::dialect::Dialect;
use crate::limits::Limits;
use crate::tools::adapt::Walker;
use crate::tools::bad::{Bad, is_of_message};
use crate::tools::count::Count;
use crate::tools::loss::{Loss, LossReport};
use crate::tools::message::Message;
use crate::tools::parallel::is_apart;
use crate::tools::slurp::Slurp;
use crate::tools::stream::Stream;
use crate::tools::take::{Sample, Take};
use crate::tools::transform::{Made, Transform, Transformed, transform};
use crate::tools::trial::listed;
use crate::walk::layout::Layout;
use crate::walk::loss::Lost;
use crate::walk::write::Writer;

/// The outcome of a conversion.
#[derive(Debug, Default)]
pub struct Conversion {
    /// Messages written.
    pub messages: u64,
    /// Bad messages whose reason was written in their place.
    pub reasons: u64,
    /// Values that the target could not keep.
    pub losses: LossReport,
}

/// Bytes of output that are collected before they are written.
const CHUNK: usize = 64 << 10;

/// Converts every message that `walker` finds in `input` to the format or dialect `to`. Messages
/// before an error are written.
///
/// If `to` is the dialect that is read, bytes that the schema does not know are kept where the
/// format allows it.
pub fn convert<R: Read>(input: &mut Stream<R>, output: &mut dyn Write, walker: &mut Walker, to: impl Into<Dialect>) -> Result<Conversion> {
    let mut converter = Converter::new(to);
    converter.add(input, output, walker)?;
    converter.finish(output)?;
    Ok(converter.done)
}

/// A conversion of several inputs, one after the other, to one stream.
pub struct Converter {
    to: Dialect,
    layout: Layout,
    /// Made for the first input.
    writer: Option<Box<dyn Writer>>,
    /// Fields that the records have, if the caller knows them.
    fields: Vec<String>,
    out: Vec<u8>,
    take: Take,
    slurp: Option<Slurp>,
    unbuffered: bool,
    threads: usize,
    bad: Option<Bad>,
    lossless: bool,
    done: Conversion,
}

impl Converter {
    /// Starts a conversion to the format or dialect `to`.
    pub fn new(to: impl Into<Dialect>) -> Converter {
        Converter {
            to: to.into(),
            layout: Layout::COMPACT,
            writer: None,
            fields: Vec::new(),
            out: Vec::new(),
            take: Take::default(),
            slurp: None,
            unbuffered: false,
            threads: 1,
            bad: None,
            lossless: false,
            done: Conversion::default(),
        }
    }

    /// Announces the fields that the records of all inputs have, before the first input: see
    /// [`Writer::fields`].
    #[must_use]
    pub fn fields(self, fields: Vec<String>) -> Converter {
        Converter { fields, ..self }
    }

    /// Converts only the messages that `take` takes.
    #[must_use]
    pub fn take(self, take: Take) -> Converter {
        Converter { take, ..self }
    }

    /// Writes all messages as one message, the list of them. They are held in memory, within
    /// `limits`, if the format has no [`ListMarks`](crate::format::ListMarks).
    #[must_use]
    pub fn slurp(self, limits: &Limits) -> Converter {
        let slurp = Some(Slurp::new(&self.to, limits));
        Converter { slurp, ..self }
    }

    /// Writes and flushes each message at once if `unbuffered`, and not only when many bytes have
    /// come together.
    #[must_use]
    pub fn unbuffered(self, unbuffered: bool) -> Converter {
        Converter { unbuffered, ..self }
    }

    /// Sets the look of the output. A look of lines is an error for a format that has none; colours
    /// are left out there.
    #[must_use]
    pub fn layout(self, layout: Layout) -> Converter {
        Converter { layout, ..self }
    }

    /// Converts on as many `threads`, where messages can be framed apart from each other. The
    /// outcome is the same.
    #[must_use]
    pub fn threads(self, threads: usize) -> Converter {
        Converter { threads, ..self }
    }

    /// Steps over `bad` messages, where the framing gives the next one's place: one that cannot be
    /// read, or that the target cannot hold. Nothing is written of it.
    #[must_use]
    pub fn skip_bad(self, bad: Option<Bad>) -> Converter {
        Converter { bad, ..self }
    }

    /// Fails at the first message that the target cannot keep whole, if `lossless`. Nothing is
    /// written of it, and the error lists what would be lost. Without, losses are counted.
    #[must_use]
    pub fn lossless(self, lossless: bool) -> Converter {
        Converter { lossless, ..self }
    }

    /// Returns the number of bad messages so far.
    pub fn bad(&self) -> u64 {
        self.bad.as_ref().map_or(0, Bad::count)
    }

    /// Returns the outcome so far.
    pub fn done(&self) -> &Conversion {
        &self.done
    }

    /// Returns the outcome.
    pub fn into_done(self) -> Conversion {
        self.done
    }

    /// Returns true if no further message is taken.
    pub fn is_over(&self) -> bool {
        self.take.is_over()
    }

    /// Returns the number of messages that were read so far, whether they were taken or not.
    pub fn read(&self) -> u64 {
        self.take.seen()
    }

    /// Converts every message that `walker` finds in `input`, and returns the number that was
    /// read. Messages before an error are written. Nothing is read after the last message that is
    /// taken.
    ///
    /// # Errors
    /// The format cannot be written, a message cannot be read or written, or `output` fails.
    pub fn add<R: Read>(&mut self, input: &mut Stream<R>, output: &mut dyn Write, walker: &mut Walker) -> Result<u64> {
        let before = self.take.seen();
        self.begin(walker)?;
        if let Some(scribes) = self.scribes(input, walker)? {
            let outcome = self.add_apart(input, output, walker, scribes);
            self.flush(output)?;
            return outcome.map(|()| self.take.seen() - before);
        }
        let outcome = loop {
            if self.take.is_over() {
                break Ok(());
            }
            let message = match input.next(walker) {
                Ok(Some(message)) => message,
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            };
            if !self.take.next() {
                walker.pass(message.bytes, message.base);
            } else if let Err(error) = self.put(message, walker) {
                let is_full = self.done.messages > 0 && self.writer.as_ref().is_some_and(|writer| writer.only_one().is_some());
                let takes_bad = is_of_message(&error) && self.writer.as_ref().is_some_and(|writer| writer.takes_bad());
                let may_go_on = !is_full && (takes_bad || self.bad.as_ref().is_some_and(|bad| bad.may_pass(&error)));
                let goes_on = may_go_on && {
                    self.writer.iter_mut().for_each(|writer| writer.reset());
                    // The framing holds, too, if nothing but the target has failed.
                    let is_framed = walker.recover_from(message)
                        || takes_bad && walker.walk(message.bytes, message.base, &mut Count::default()).is_ok();
                    is_framed || Bad::is_cut(&error, input.is_at_end())
                };
                let error = input.explain(error);
                let kept = match (&mut self.bad, &mut self.writer) {
                    (_, Some(writer)) if goes_on && takes_bad => {
                        self.done.reasons += 1;
                        writer.bad(&error, &mut self.out)
                    }
                    (Some(bad), _) if goes_on => bad.take(&error, input.raw(walker.format().framing)),
                    _ => Err(error),
                };
                if kept.is_err() {
                    break kept;
                }
            }
            if self.unbuffered || self.out.len() >= CHUNK {
                self.write(output)?;
            }
        };
        self.flush(output)?;
        outcome.map(|()| self.take.seen() - before)
    }

    /// Returns the first of the transforms that convert messages apart from each other, if there is
    /// more than one thread and nothing is against it.
    fn scribes<R: Read>(&self, input: &Stream<R>, walker: &Walker) -> Result<Option<Scribe>> {
        let is_plain = self.threads > 1 && self.slurp.is_none() && !self.unbuffered && self.take.is_all() && input.is_plain();
        if !is_plain || !is_apart(walker.format(), Some(self.to.format())) {
            return Ok(None);
        }
        let Some(scribe) = Scribe::new(walker, &self.to, &self.layout)? else { return Ok(None) };
        let scribe = Scribe { lossless: self.lossless, ..scribe };
        Ok(Some(scribe).filter(|scribe| scribe.writer.only_one().is_none()))
    }

    /// Converts every message that `walker` finds in `input`, on several threads.
    fn add_apart<R: Read>(&mut self, input: &mut Stream<R>, output: &mut dyn Write, walker: &mut Walker, own: Scribe) -> Result<()> {
        let (take, done) = (&mut self.take, &mut self.done);
        let (scribes, outcome) =
            transform(input, walker, self.threads, own, self.bad.as_mut(), &mut |part: Transformed<'_, LossReport>| {
                take.pass(part.messages + part.bad);
                done.messages += part.messages;
                done.losses.join(part.beside);
                output.write_all(part.out).map_err(|error| Error::io("writing", &error))
            });
        scribes.into_iter().for_each(|scribe| walker.join(scribe.walker));
        outcome
    }

    /// Offers every message that is taken to `sample`, as one of the input number `number`, and
    /// returns the number that was read.
    ///
    /// # Errors
    /// The input cannot be read or framed.
    pub fn offer<R: Read>(&mut self, input: &mut Stream<R>, walker: &mut Walker, number: usize, sample: &mut Sample) -> Result<u64> {
        let before = self.take.seen();
        while !self.take.is_over() {
            let Some(message) = input.next(walker)? else { break };
            walker.pass(message.bytes, message.base);
            if self.take.next() {
                sample.offer(number, message);
            }
        }
        Ok(self.take.seen() - before)
    }

    /// Converts a message of a sample, and writes it.
    ///
    /// # Errors
    /// As [`Converter::add`].
    pub fn add_sampled(&mut self, message: Message<'_>, output: &mut dyn Write, walker: &mut Walker) -> Result<()> {
        self.begin(walker)?;
        let outcome = self.put(message, walker);
        if self.unbuffered || self.out.len() >= CHUNK || outcome.is_err() {
            self.write(output)?;
        }
        outcome
    }

    /// Ends the stream after all inputs: writes the rest.
    ///
    /// # Errors
    /// The list of all messages cannot be written, or `output` fails.
    pub fn finish(&mut self, output: &mut dyn Write) -> Result<()> {
        let mut outcome = Ok(());
        if let (Some(slurp), Some(writer)) = (&mut self.slurp, &mut self.writer) {
            outcome = slurp.end(&mut **writer, &mut self.out);
            if !self.out.is_empty() {
                self.out.extend_from_slice(self.to.format().separator.as_bytes());
            }
        }
        if let (None, Some(writer)) = (&self.slurp, &mut self.writer) {
            outcome = writer.end_stream(&mut self.out);
        }
        self.flush(output)?;
        outcome
    }

    /// Makes the writer, if there is none, and introduces it to the input's reader.
    fn begin(&mut self, walker: &mut Walker) -> Result<()> {
        if self.writer.is_none() {
            let Some(mut writer) = walker.writer(&self.to) else { return Err(unwritable(&self.to)) };
            lay_out(&mut *writer, &self.layout, &self.to)?;
            match &mut self.slurp {
                None => writer.begin_stream(),
                Some(slurp) if self.layout.indent.is_some() => slurp.hold(),
                Some(_) => {}
            }
            writer.fields(&self.fields);
            self.writer = Some(writer);
        }
        if let (Some(writer), None) = (&mut self.writer, &self.slurp) {
            walker.meets(&mut **writer);
        }
        Ok(())
    }

    /// Converts one message into `out`.
    fn put(&mut self, message: Message<'_>, walker: &mut Walker) -> Result<()> {
        let (to, done, out) = (self.to.format(), &mut self.done, &mut self.out);
        let Some(writer) = &mut self.writer else { return Err(Error::internal("no writer")) };
        if self.slurp.is_none()
            && let (Some(instead), 1..) = (writer.only_one(), done.messages)
        {
            return Err(Error::new(ErrorKind::Unsupported, Fault::Caller)
                .seen("a second message")
                .expected("one, since this format does not mark where a message ends")
                .hint(instead)
                .at(message.base)
                .format_is(to.name));
        }
        if self.slurp.is_none() && walker.pass_to(message.bytes, message.base, &mut **writer, out) {
            out.extend_from_slice(to.separator.as_bytes());
            done.messages += 1;
            return Ok(());
        }
        let written = out.len();
        let outcome = match &mut self.slurp {
            Some(slurp) => slurp.put(message, walker, &mut **writer, out),
            None => walker
                .walk(message.bytes, message.base, &mut **writer)
                .and_then(|()| writer.finish(out).map_err(|error| error.or_at(message.base))),
        };
        if let Err(error) = outcome {
            out.truncate(written);
            return Err(error);
        }
        let lost = writer.losses();
        if self.lossless
            && let Some(error) = lossy(walker, message, &lost, &self.to)
        {
            out.truncate(written);
            return Err(error);
        }
        if self.slurp.is_none() {
            out.extend_from_slice(to.separator.as_bytes());
        }
        done.messages += 1;
        walker.losses(&mut done.losses, message.bytes, message.base, &lost);
        Ok(())
    }

    /// Writes what has come together, and flushes it if nothing is buffered.
    fn write(&mut self, output: &mut dyn Write) -> Result<()> {
        let written = output.write_all(&self.out).and_then(|()| if self.unbuffered { output.flush() } else { Ok(()) });
        self.out.clear();
        written.map_err(|error| Error::io("writing", &error))
    }

    fn flush(&mut self, output: &mut dyn Write) -> Result<()> {
        self.write(output)?;
        output.flush().map_err(|error| Error::io("writing", &error))
    }
}

/// Converts single messages, on a thread of its own.
struct Scribe {
    walker: Walker,
    writer: Box<dyn Writer>,
    to: Dialect,
    layout: Layout,
    lossless: bool,
}

impl Scribe {
    /// Makes one for the messages of `walker`, if these need not be read in their order.
    fn new(walker: &Walker, to: &Dialect, layout: &Layout) -> Result<Option<Scribe>> {
        let Some(mut walker) = walker.fork() else { return Ok(None) };
        let Some(mut writer) = walker.writer(to) else { return Err(unwritable(to)) };
        lay_out(&mut *writer, layout, to)?;
        writer.begin_stream();
        walker.meets(&mut *writer);
        Ok(Some(Scribe { walker, writer, to: to.clone(), layout: layout.clone(), lossless: false }))
    }
}

impl Transform for Scribe {
    type Beside = LossReport;

    fn beside() -> LossReport {
        LossReport::part()
    }

    fn fork(&self) -> Result<Scribe> {
        let fork = Scribe::new(&self.walker, &self.to, &self.layout)?.ok_or_else(|| Error::internal("a walker that forks once"))?;
        Ok(Scribe { lossless: self.lossless, ..fork })
    }

    fn message(&mut self, message: Message<'_>, made: &mut Made<'_, LossReport>) -> Result<()> {
        let Scribe { walker, writer, to, lossless, .. } = self;
        let written = made.bytes.len();
        let outcome = walker.walk(message.bytes, message.base, &mut **writer);
        let outcome = outcome.and_then(|()| writer.finish(&mut made.bytes).map_err(|error| error.or_at(message.base)));
        if outcome.is_err() {
            made.bytes.truncate(written);
            return outcome;
        }
        let lost = writer.losses();
        if *lossless && let Some(error) = lossy(walker, message, &lost, to) {
            made.bytes.truncate(written);
            return Err(error);
        }
        made.bytes.extend_from_slice(to.format().separator.as_bytes());
        walker.losses(&mut made.beside, message.bytes, message.base, &lost);
        Ok(())
    }

    fn recover(&mut self, message: Message<'_>) -> bool {
        self.writer.reset();
        self.walker.recover_from(message)
    }
}

/// Returns the error that lists what `to` cannot keep of a message, if it is anything.
fn lossy(walker: &mut Walker, message: Message<'_>, lost: &[Lost], to: &Dialect) -> Option<Error> {
    // Losses of a shape come with those of the writer.
    let mut report = LossReport::default();
    walker.losses(&mut report, message.bytes, message.base, lost);
    let first = report.iter().map(|loss| loss.first).min()?;
    let all: Vec<String> = report.iter().map(ToString::to_string).collect();
    let at = |first: &&Loss| first.path.clone();
    let path = report.iter().min_by_key(|loss| loss.first).as_ref().map(at).unwrap_or_default();
    let names: Vec<&str> = all.iter().map(String::as_str).collect();
    Some(
        Error::new(ErrorKind::Loss, Fault::Caller)
            .seen(listed(&names))
            .expected(format!("a message that {} keeps whole", to.format().name))
            .at(first)
            .path_is(path),
    )
}

/// Sets the look of a writer of `to`.
///
/// # Errors
/// It has lines, and the format has no look of lines.
pub fn lay_out(writer: &mut dyn Writer, layout: &Layout, to: &Dialect) -> Result<()> {
    if *layout == Layout::COMPACT || writer.lay_out(layout) || layout.indent.is_none() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Usage, Fault::Caller)
        .seen(format!("lines and indentation for the format `{}`", to.format().name))
        .expected("a format that has them")
        .hint("leave out --pretty and --indent"))
}

#[cold]
fn unwritable(to: &Dialect) -> Error {
    let error = Error::new(ErrorKind::Unsupported, Fault::Caller)
        .seen(format!("the format `{}`", to.format().name))
        .expected("a format that can be written");
    match (to.format().binder.is_some(), to.is_bound()) {
        (true, false) => error.hint("it is written by a schema: name one with --schema"),
        (_, true) => error.hint("messages of that type can only be read"),
        _ => error,
    }
}
