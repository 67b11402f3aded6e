//! Message after message from an input that is read in pieces.

use std::io::{self, Cursor, Read};

use crate::error::{Error, ErrorKind, Result};
use crate::format::declaration::{Framing, Nature};
use crate::format::payload::Codec;
use crate::limits::{Budget, Limits};
use crate::text::lines::Lines;
use crate::tools::adapt::Walker;
use crate::tools::batch::{Batch, in_codecs, line_end, raw};
use crate::tools::message::Message;
use crate::tools::tee::{Held, tee};
use crate::walk::read::Frame;

/// How much is read at a time, in bytes.
const CHUNK: usize = 128 << 10;

/// Reads messages one by one. Memory: a buffer, and at most twice the longest message.
pub struct Stream<R: ?Sized> {
    buf: Vec<u8>,
    /// The last message, if it has bytes that the stream has not.
    amended: Vec<u8>,
    /// The offset of that one.
    amended_at: Option<u64>,
    /// The next message starts here in `buf`, or what separates it from the last.
    start: usize,
    /// The batch under way starts here in `buf`.
    held: Option<usize>,
    /// Bounds of the last message in `buf`, and the end of the one before it.
    last: (usize, usize, usize),
    /// The error that comes after the last batch.
    failed: Option<Error>,
    /// Offset of `buf[0]` in the stream.
    base: u64,
    eof: bool,
    /// A message of no bytes was handed over, as the last one.
    ended: bool,
    /// Bytes of one message at most; of what is read as it stands, all that the input has.
    most: u64,
    /// True if only one message may come.
    single: bool,
    /// Number of messages so far.
    taken: u64,
    /// Lines before `buf`, of a text format.
    lines: Option<Lines>,
    /// True if the end of the input ends no message.
    only_ended: bool,
    /// The codecs that were taken off, innermost first, such as `tar in zstd`.
    codecs: Option<String>,
    /// True if the caller brings the bytes.
    fed: bool,
    /// Bytes that the next read is offered at most.
    room: usize,
    input: R,
}

/// The part of a stream around its last message.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'s> {
    buf: &'s [u8],
    base: u64,
    taken: u64,
    lines: Option<Lines>,
    codecs: Option<&'s str>,
}

impl Surroundings<'_> {
    /// Returns an error with its place: see [`Stream::explain`].
    #[cold]
    pub fn explain(&self, error: Error) -> Error {
        let at = error.offset().and_then(|offset| offset.checked_sub(self.base)).filter(|at| *at <= self.buf.len() as u64);
        let error = if self.taken > 0 { error.or_message(self.taken) } else { error };
        let error = in_codecs(error, self.codecs);
        match (self.lines, at) {
            (Some(lines), Some(at)) => error.or_place(|| lines.place(self.buf, at as usize)),
            _ => error,
        }
    }
}

/// A stream that is read ahead, the same that follows, and the bytes between them.
pub type Twice = (Stream<Box<dyn Read>>, Stream<Box<dyn Read>>, Held);

impl<R: Read> Stream<R> {
    /// Makes a stream of the messages of `input`.
    pub fn new(input: R) -> Stream<R> {
        Stream {
            input,
            buf: Vec::new(),
            amended: Vec::new(),
            amended_at: None,
            start: 0,
            held: None,
            last: (0, 0, 0),
            failed: None,
            base: 0,
            eof: false,
            ended: false,
            most: u64::MAX,
            single: false,
            taken: 0,
            lines: None,
            only_ended: false,
            codecs: None,
            fed: false,
            room: CHUNK,
        }
    }

    /// Fails if the stream has not exactly one message: at its end, or at the second one.
    #[must_use]
    pub fn exactly_one(mut self, only: bool) -> Stream<R> {
        self.single = only;
        self
    }

    /// Hands out only messages whose end their own bytes mark. The input may end within one, which
    /// then is [`Stream::rest`].
    #[must_use]
    pub fn only_ended(mut self) -> Stream<R> {
        self.only_ended = true;
        self
    }

    /// Returns the bytes that were read and not yet taken.
    pub fn rest(&self) -> &[u8] {
        &self.buf[self.start..]
    }

    /// Reads ahead until `bytes` are there or the input ends, for recognition. Returns true with
    /// the bytes if the input has no more.
    pub fn peek(&mut self, bytes: usize) -> Result<(&[u8], bool)> {
        self.any().look(bytes)?;
        Ok((&self.buf[self.start..], self.eof))
    }

    /// Returns the next message as `walker`'s format frames it; `None` at the end.
    ///
    /// # Errors
    /// The input cannot be read or framed. Errors of the walk go through [`Stream::explain`].
    pub fn next(&mut self, walker: &mut Walker) -> Result<Option<Message<'_>>> {
        let Some((from, to)) = self.any().take(walker)? else { return Ok(None) };
        if let Some(amended) = walker.amended(&self.buf[from..to]) {
            // Most offsets of errors are right: those behind what was added.
            let base = (self.base + from as u64).saturating_sub(amended.added as u64);
            self.amended = amended.bytes;
            self.amended_at = Some(base);
            return Ok(Some(Message { bytes: &self.amended, base }));
        }
        self.amended_at = None;
        Ok(Some(self.message(from, to)))
    }

    /// Hands the bytes that were read and not yet taken to `take`, with their offset, and takes the
    /// messages whose bytes and number it returns. Returns the number.
    pub fn take_many(&mut self, take: impl FnOnce(&[u8], u64) -> (usize, usize)) -> usize {
        if !self.is_plain() {
            return 0;
        }
        let (bytes, messages) = take(&self.buf[self.start..], self.offset());
        if messages > 0 {
            self.start = (self.start + bytes).min(self.buf.len());
            self.taken += messages as u64;
            self.last = (self.start, self.start, self.start);
            self.amended_at = None;
        }
        messages
    }

    /// Returns the message that [`Stream::next`] returned last; no bytes before the first.
    pub fn last(&self) -> Message<'_> {
        match self.amended_at {
            Some(base) => Message { bytes: &self.amended, base },
            None => self.message(self.last.1, self.last.2),
        }
    }

    /// Returns the number of messages so far.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Returns the input, such as one that was filled since a read failed with
    /// [`io::ErrorKind::WouldBlock`]. The stream goes on where it was.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.input
    }

    /// Returns the next messages, as many as `size` bytes have and at least one; `None` at the end.
    /// The memory of a `spare` batch is used again.
    ///
    /// # Errors
    /// As [`Stream::next`], after all messages before the error were returned.
    pub fn batch(&mut self, walker: &mut Walker, size: usize, spare: Option<Batch>) -> Result<Option<Batch>> {
        self.any().cut(walker, size, spare)
    }

    /// Returns the bytes of the message that came last as they are in the stream: with its line
    /// break, or with the length before it.
    pub fn raw(&self, framing: Framing) -> &[u8] {
        let (before, from, to) = self.last;
        raw(&self.buf, before, from, to, framing)
    }

    /// Returns the next message, and leaves it in the stream. The walker must be another one than
    /// that which reads the stream.
    ///
    /// # Errors
    /// As [`Stream::next`].
    pub fn peek_message(&mut self, walker: &mut Walker) -> Result<Option<Message<'_>>> {
        Ok(self.any().find(walker)?.map(|(from, to)| self.message(from, to)))
    }

    fn any(&mut self) -> &mut Stream<dyn Read + '_> {
        self
    }

    fn message(&self, from: usize, to: usize) -> Message<'_> {
        Message { bytes: &self.buf[from..to], base: self.base + from as u64 }
    }

    /// Makes a stream of the messages that `codec` decodes from the input, each at most as long as
    /// `limits` allow. No message may have been taken yet.
    pub fn decoded(self, codec: &'static Codec, limits: &Limits) -> Result<Stream<Box<dyn Read>>>
    where
        R: 'static,
    {
        let single = self.single;
        let outer = self.codecs.as_ref().map_or_else(String::new, |outer| format!(" in {outer}"));
        let codecs = Some(format!("{}{outer}", codec.name));
        let decoded = codec.reader(Box::new(self.into_input())).map_err(|error| in_codecs(failed(error, 0), codecs.as_deref()))?;
        Ok(Stream { most: limits.decoded, single, codecs, ..Stream::new(decoded) })
    }

    /// Declares that the input is what `codecs` decode, innermost first: each message is at most as
    /// long as `limits` allow, and offsets of errors count decoded bytes. [`Stream::decoded`] says
    /// so itself.
    #[must_use]
    pub fn decoded_by(self, codecs: impl Into<String>, limits: &Limits) -> Stream<R> {
        Stream { most: limits.decoded, codecs: Some(codecs.into()), ..self }
    }

    /// Makes a stream of the messages in what `decode` makes of the input, such as text in another
    /// character set. No message may have been taken yet.
    #[must_use]
    pub fn through(self, decode: impl FnOnce(Box<dyn Read>) -> Box<dyn Read>) -> Stream<Box<dyn Read>>
    where
        R: 'static,
    {
        let (most, single, codecs) = (self.most, self.single, self.codecs.clone());
        Stream { most, single, codecs, ..Stream::new(decode(Box::new(self.into_input()))) }
    }

    /// Returns the bytes that were not yet taken, to be read in pieces.
    pub fn into_input(mut self) -> impl Read {
        self.buf.drain(..self.start);
        Cursor::new(self.buf).chain(self.input)
    }

    /// Makes two streams of the rest: one that is read ahead, and one that follows it.
    pub fn tee(mut self) -> Twice
    where
        R: 'static,
    {
        self.buf.drain(..self.start);
        let (leader, follower) = tee(Cursor::new(self.buf).chain(self.input));
        let held = leader.held();
        let of = |input: Box<dyn Read>| Stream { most: self.most, single: self.single, codecs: self.codecs.clone(), ..Stream::new(input) };
        (of(Box::new(leader)), of(Box::new(follower)), held)
    }

    /// Returns all remaining bytes in one piece.
    pub fn read_all(mut self) -> Result<Vec<u8>> {
        self.buf.drain(..self.start);
        let one_too_many = self.most.saturating_sub(self.buf.len() as u64).saturating_add(1);
        self.input
            .take(one_too_many)
            .read_to_end(&mut self.buf)
            .map_err(|error| in_codecs(failed(error, self.base), self.codecs.as_deref()))?;
        within(self.most, self.buf.len(), self.base)?;
        Ok(self.buf)
    }
}

impl<R: ?Sized> Stream<R> {
    /// Reports whether its messages may be taken in batches: it has no rule about their number or
    /// its end.
    pub(crate) fn is_plain(&self) -> bool {
        !self.single && !self.only_ended
    }

    /// Reports whether the input ended behind the last message.
    pub fn is_at_end(&self) -> bool {
        self.eof && self.start == self.buf.len()
    }

    /// Returns an error about the message that came last, or about framing, with the number of the
    /// message, and with line, column and excerpt if the format is a text format and the place is
    /// still at hand.
    #[cold]
    pub fn explain(&self, error: Error) -> Error {
        self.surroundings().explain(error)
    }

    /// Returns the part of the stream that errors about the last message are explained by.
    pub fn surroundings(&self) -> Surroundings<'_> {
        Surroundings { buf: &self.buf, base: self.base, taken: self.taken, lines: self.lines, codecs: self.codecs.as_deref() }
    }

    /// Returns the offset of the first byte not yet taken.
    pub fn offset(&self) -> u64 {
        self.base + self.start as u64
    }

    /// Drops the bytes of messages that were taken.
    fn drop_passed(&mut self) {
        let passed = self.held.unwrap_or(self.start);
        if passed > 0 {
            if let Some(lines) = &mut self.lines {
                lines.pass(&self.buf[..passed]);
            }
            self.buf.drain(..passed);
            self.base += passed as u64;
            self.start -= passed;
            self.held = self.held.map(|_| 0);
        }
    }
}

/// The part that is the same for every input, and compiled once.
impl Stream<dyn Read + '_> {
    /// Reads until `bytes` are there or the input ends.
    fn look(&mut self, bytes: usize) -> Result<()> {
        while self.buf.len() - self.start < bytes && !self.eof {
            self.fill()?;
        }
        Ok(())
    }

    /// Does what [`Stream::batch`] does.
    fn cut(&mut self, walker: &mut Walker, size: usize, spare: Option<Batch>) -> Result<Option<Batch>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let Batch { bytes: mut buf, mut places, .. } = spare.unwrap_or_default();
        buf.clear();
        places.clear();
        let before = self.taken;
        self.held = Some(self.start);
        loop {
            // Filling the buffer moves the batch.
            let held = |stream: &Self| stream.held.unwrap_or(0);
            if self.start - held(self) >= size {
                break;
            }
            self.take_found(walker, held(self), size, &mut places);
            if self.start - held(self) >= size {
                break;
            }
            match self.take(walker) {
                Ok(Some((from, to))) => places.push((from - held(self), to - held(self))),
                Ok(None) => break,
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        let held = self.held.take().unwrap_or(0);
        let Some((_, end)) = places.last().copied() else {
            return self.failed.take().map_or(Ok(None), Err);
        };
        let framing = walker.format().framing;
        let end = held + end;
        // The stream keeps the break behind the last line, which the reader may know.
        let whole = if framing == Framing::Lines { end + line_end(&self.buf[end..]) } else { end };
        if let Some(lines) = &mut self.lines {
            lines.pass(&self.buf[..held]);
        }
        let lines = self.lines;
        if let Some(lines) = &mut self.lines {
            lines.pass(&self.buf[held..end]);
        }
        buf.extend_from_slice(&self.buf[end..]);
        std::mem::swap(&mut buf, &mut self.buf);
        buf.truncate(whole);
        buf.drain(..held);
        let base = self.base + held as u64;
        self.base += end as u64;
        self.start -= end;
        let is_last = self.failed.is_none() && self.is_at_end();
        Ok(Some(Batch { bytes: buf, places, base, before, lines, framing, codecs: self.codecs.clone(), is_last }))
    }

    /// Takes the next messages that the reader finds at once, up to `size` bytes from `held` on.
    /// Appends their bounds, which count from there.
    fn take_found(&mut self, walker: &mut Walker, held: usize, size: usize, places: &mut Vec<(usize, usize)>) {
        if !self.is_plain() {
            return;
        }
        let (from, count) = (self.start, places.len());
        walker.frame_many(&self.buf[from..], self.offset(), size - (from - held), places);
        for place in &mut places[count..] {
            *place = (place.0 + from - held, place.1 + from - held);
        }
        if let [.., before, last] = places[count.saturating_sub(1)..] {
            self.last = (before.1 + held, last.0 + held, last.1 + held);
        } else if let [last] = places[count..] {
            self.last = (from, last.0 + held, last.1 + held);
        }
        if places.len() > count {
            self.start = self.last.2;
            self.taken += (places.len() - count) as u64;
        }
    }

    /// Takes the next message, and returns its bounds in `buf`.
    fn take(&mut self, walker: &mut Walker) -> Result<Option<(usize, usize)>> {
        let Some((from, to)) = self.find(walker)? else {
            return match self.single && self.taken == 0 {
                true => Err(self.explain(Error::truncated(self.offset(), "exactly one message"))),
                false => Ok(None),
            };
        };
        self.taken += 1;
        if self.single && self.taken > 1 {
            let error = Error::data(ErrorKind::Trailing, self.base + from as u64);
            return Err(self.explain(error.seen("a second message").expected("exactly one")));
        }
        // No bytes at all are one message where the schema names its type.
        if to == self.start && std::mem::replace(&mut self.ended, true) {
            return Err(Error::internal("a second message of no bytes").at(self.base + from as u64));
        }
        self.last = (self.start, from, to);
        self.start = to;
        Ok(Some((from, to)))
    }

    /// Returns the bounds of the next message in `buf`.
    fn find(&mut self, walker: &mut Walker) -> Result<Option<(usize, usize)>> {
        if self.lines.is_none() && walker.format().nature == Nature::Text {
            // Nothing was dropped from the buffer before.
            self.lines = Some(Lines::default());
        }
        loop {
            let base = self.base + self.start as u64;
            let framed = walker.frame(&self.buf[self.start..], base, self.eof && !self.only_ended);
            match framed.map_err(|error| self.explain(error.or_message(self.taken + 1)))? {
                Frame::Message { start, end } => {
                    let from = self.start + start;
                    let to = (self.start + end).min(self.buf.len());
                    if to <= self.start && !(self.eof && self.start == self.buf.len()) {
                        return Err(Error::internal("a message of no bytes").at(base));
                    }
                    return Ok(Some((from, to)));
                }
                Frame::Between(0) => return Err(Error::internal("no bytes between messages").at(base)),
                Frame::Between(bytes) => self.start = (self.start + bytes).min(self.buf.len()),
                Frame::End => return Ok(None),
                Frame::More(_) if self.eof && self.only_ended => return Ok(None),
                Frame::More(_) if self.eof => return Err(Error::internal("more bytes wanted after the end").at(base)),
                Frame::More(_) if self.fed => {
                    within(self.most, self.buf.len() - self.start, base)?;
                    return Ok(None);
                }
                Frame::More(_) => self.fill()?,
            }
        }
    }

    /// Reads once.
    fn fill(&mut self) -> Result<()> {
        self.drop_passed();
        within(self.most, self.buf.len() - self.start, self.base + self.start as u64)?;
        // The buffer grows in proportion to its contents, so that all moves together stay linear;
        // never by a length that a message claims.
        let old = self.buf.len();
        // The room is cleared before each read, so it doubles only while reads fill it: a pipe
        // hands out little at once.
        let room = self.room.min(old / 2).max(CHUNK);
        self.buf.resize(old + room, 0);
        let read = loop {
            match self.input.read(&mut self.buf[old..]) {
                Ok(read) => break read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.buf.truncate(old);
                    return Err(in_codecs(failed(error, self.base + old as u64), self.codecs.as_deref()));
                }
            }
        };
        self.buf.truncate(old + read);
        self.room = if read == room { room * 2 } else { CHUNK };
        self.eof = read == 0;
        Ok(())
    }
}

/// An input whose bytes the caller brings as they come.
///
/// ```
/// use polywire_core::tools::Stream;
///
/// let mut stream = Stream::fed(1 << 20);
/// stream.feed(b"some of the bytes");
/// stream.end();
/// assert_eq!(stream.rest(), b"some of the bytes");
/// ```
impl Stream<io::Empty> {
    /// Makes a stream of messages of at most `longest` bytes, whose bytes [`Stream::feed`] brings.
    /// [`Stream::next`] returns `None` where it needs more of them, and at the end.
    pub fn fed(longest: u64) -> Stream<io::Empty> {
        Stream { fed: true, most: longest, ..Stream::new(io::empty()) }
    }

    /// Appends the next bytes of the input, in pieces of any length.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.drop_passed();
        self.buf.extend_from_slice(bytes);
    }

    /// Ends the input.
    pub fn end(&mut self) {
        self.eof = true;
    }
}

/// Makes the error for an input that cannot be read up to `offset`: the fault of the file system,
/// or of the bytes that a codec decodes.
#[cold]
fn failed(error: io::Error, offset: u64) -> Error {
    if error.kind() != io::ErrorKind::InvalidData {
        return Error::io("reading", &error);
    }
    // A decoder may know more, such as the offset in its own input.
    let said = error.to_string();
    match error.into_inner().map(|inner| inner.downcast::<Error>()) {
        Some(Ok(inner)) => *inner,
        _ => Error::data(ErrorKind::Encoding, offset).seen(said),
    }
}

/// Fails if a message of `len` bytes or more at `base` is beyond what a codec may make of one.
fn within(most: u64, len: usize, base: u64) -> Result<()> {
    Budget::new(&Limits::DEFAULT.with_decoded(most)).decode(len as u64, base)
}
