//! Walks: every message of an input as calls of the program's functions.

use std::ffi::c_void;
use std::io::{Empty, Read};

use polywire_core::tools::adapt::Walker;
use polywire_core::tools::{Message, Stream};
use polywire_core::{Error, Field, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span};

use crate::convert::{Input, ReadCallback};
use crate::error::{ErrorObject, Status};
use crate::event::{FieldOfC, NoteOfC, OpenOfC, PartOfC, ScalarOfC, SpanOfC};
use crate::format::{FormatObject, dialect};
use crate::guard::guard;
use crate::options::Options;
use crate::pointer::{BytesIn, In, InMut, New, SizedIn};

/// The answer of a callback: go on, and into the value that is announced.
pub const POLYWIRE_ENTER: u32 = 0;
/// The answer of a callback to `open` or `field`: step over the value. Its framing and limits are
/// checked, its contents are not, and it has no `close`.
pub const POLYWIRE_SKIP: u32 = 1;
/// The answer of a callback: end the walk of all messages, without an error.
pub const POLYWIRE_STOP: u32 = 2;

/// A value in parts comes as one scalar.
pub const POLYWIRE_NEEDS_WHOLE_TEXT: u32 = 1;
/// Repeated fields come once, as one list.
pub const POLYWIRE_NEEDS_GROUPED: u32 = 2;
/// Fields come in the order of their schema.
pub const POLYWIRE_NEEDS_SCHEMA_ORDER: u32 = 4;
/// Values that no schema describes come as the format's best guess, not as bytes.
pub const POLYWIRE_NEEDS_GUESSES: u32 = 8;

/// The functions that a walk calls. Set `size` to sizeof(polywire_sink), and what is not wanted to
/// null. A record is `open`, then `field` and its value for each field, then `close`; entries of
/// other containers are values.
///
/// Each function gets the pointer `user`, and the byte range of what it is about. It returns
/// POLYWIRE_ENTER, POLYWIRE_SKIP or POLYWIRE_STOP. It may not use the stream that calls it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SinkOfC {
    /// sizeof(polywire_sink), by which the library knows the version of the header.
    size: usize,
    /// A sum of POLYWIRE_NEEDS_… values, or 0.
    needs: u32,
    /// A message begins. `message` counts from 1. POLYWIRE_SKIP passes over it.
    begin: Option<extern "C" fn(user: *mut c_void, message: u64, at: SpanOfC) -> u32>,
    /// A container starts; `at` are the bytes that open it.
    open: Option<extern "C" fn(user: *mut c_void, open: *const OpenOfC, at: SpanOfC) -> u32>,
    /// The name of the value that follows.
    field: Option<extern "C" fn(user: *mut c_void, field: *const FieldOfC, at: SpanOfC) -> u32>,
    /// A value without parts.
    scalar: Option<extern "C" fn(user: *mut c_void, scalar: *const ScalarOfC, at: SpanOfC) -> u32>,
    /// A piece of a text or of bytes.
    part: Option<extern "C" fn(user: *mut c_void, part: *const PartOfC, at: SpanOfC) -> u32>,
    /// The innermost container ends; `at` are the bytes that close it.
    close: Option<extern "C" fn(user: *mut c_void, at: SpanOfC) -> u32>,
    /// Something that is no value.
    note: Option<extern "C" fn(user: *mut c_void, note: *const NoteOfC, at: SpanOfC) -> u32>,
    /// The message ends. It was read without an error.
    end: Option<extern "C" fn(user: *mut c_void, message: u64) -> u32>,
}

/// A sink that calls C.
struct Calls {
    sink: SinkOfC,
    user: *mut c_void,
    /// Number of the last message.
    message: u64,
    stopped: bool,
}

impl Calls {
    /// Takes the functions of a program.
    fn new(sink: *const SinkOfC, user: *mut c_void) -> Result<Calls> {
        let sink = sink.sized("a sink")?;
        let known = POLYWIRE_NEEDS_WHOLE_TEXT | POLYWIRE_NEEDS_GROUPED | POLYWIRE_NEEDS_SCHEMA_ORDER | POLYWIRE_NEEDS_GUESSES;
        if sink.needs & !known != 0 {
            return Err(Error::usage(format!("the needs {}", sink.needs)).expected("a sum of POLYWIRE_NEEDS_… values"));
        }
        Ok(Calls { sink, user, message: 0, stopped: false })
    }

    /// Takes the answer to something that announces a value.
    fn next(&mut self, answer: u32) -> Result<Next> {
        match answer {
            POLYWIRE_ENTER => Ok(Next::Enter),
            POLYWIRE_SKIP => Ok(Next::Skip),
            POLYWIRE_STOP => {
                self.stopped = true;
                Ok(Next::Stop)
            }
            _ => Err(Error::usage(format!("the answer {answer} of a callback")).expected("POLYWIRE_ENTER, _SKIP or _STOP")),
        }
    }

    /// Takes the answer to something that was.
    fn done(&mut self, answer: u32) -> Result<()> {
        match self.next(answer)? {
            Next::Stop => Err(Error::usage("the end of the walk, which the program wants")),
            Next::Enter | Next::Skip => Ok(()),
        }
    }

    /// Walks a message.
    fn message(&mut self, message: Message<'_>, walker: &mut Walker) -> Result<()> {
        self.message += 1;
        let at = Span::at(message.base, 0, message.bytes.len());
        let answer = self.sink.begin.map_or(POLYWIRE_ENTER, |begin| begin(self.user, self.message, at.into()));
        match self.next(answer)? {
            Next::Enter => {}
            Next::Skip => {
                walker.pass(message.bytes, message.base);
                return Ok(());
            }
            Next::Stop => return Ok(()),
        }
        let outcome = walker.walk(message.bytes, message.base, self);
        if self.stopped {
            return Ok(());
        }
        outcome?;
        let answer = self.sink.end.map_or(POLYWIRE_ENTER, |end| end(self.user, self.message));
        self.next(answer).map(|_| ())
    }

    /// Walks the messages of a stream, until its end or the program's.
    fn messages<R: Read>(&mut self, stream: &mut Stream<R>, walker: &mut Walker) -> Result<()> {
        while !self.stopped
            && let Some(message) = stream.next(walker)?
        {
            if let Err(error) = self.message(message, walker) {
                return Err(stream.explain(error));
            }
        }
        Ok(())
    }
}

impl<'m> Sink<'m> for Calls {
    fn needs(&self) -> Needs {
        let all = [
            (POLYWIRE_NEEDS_WHOLE_TEXT, Needs::WHOLE_TEXT),
            (POLYWIRE_NEEDS_GROUPED, Needs::GROUPED),
            (POLYWIRE_NEEDS_SCHEMA_ORDER, Needs::SCHEMA_ORDER),
            (POLYWIRE_NEEDS_GUESSES, Needs::GUESSES),
        ];
        let wanted = all.into_iter().filter(|(flag, _)| self.sink.needs & flag != 0);
        wanted.fold(Needs::NONE, |needs, (_, need)| needs | need)
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        let Some(call) = self.sink.open else { return Ok(Next::Enter) };
        self.next(call(self.user, &OpenOfC::new(&open), at.into()))
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        let Some(call) = self.sink.field else { return Ok(Next::Enter) };
        self.next(call(self.user, &FieldOfC::new(&field), at.into()))
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        let Some(call) = self.sink.scalar else { return Ok(()) };
        self.done(call(self.user, &ScalarOfC::new(&value), at.into()))
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        let Some(call) = self.sink.part else { return Ok(()) };
        self.done(call(self.user, &PartOfC::new(&part), at.into()))
    }

    fn close(&mut self, at: Span) -> Result<()> {
        let Some(call) = self.sink.close else { return Ok(()) };
        self.done(call(self.user, at.into()))
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        let Some(call) = self.sink.note else { return Ok(()) };
        self.done(call(self.user, &NoteOfC::new(&note), at.into()))
    }
}

/// Walks all messages of `bytes`, and calls the functions of `sink`. Null for `format` means the
/// one that the bytes look like.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_walk(
    bytes: *const u8,
    length: usize,
    format: *const FormatObject,
    options: *const Options,
    sink: *const SinkOfC,
    user: *mut c_void,
    error: *mut *mut ErrorObject,
) -> Status {
    guard(error, || {
        let bytes = bytes.bytes(length)?;
        let mut walker = Walker::new(dialect(format, bytes)?, &Options::of(options).limits);
        Calls::new(sink, user)?.messages(&mut Stream::new(bytes), &mut walker)
    })
}

/// Walks all messages that `read` returns. Memory: a buffer, and at most twice the longest message.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_walk_stream(
    read: ReadCallback,
    read_user: *mut c_void,
    format: *const FormatObject,
    options: *const Options,
    sink: *const SinkOfC,
    user: *mut c_void,
    error: *mut *mut ErrorObject,
) -> Status {
    guard(error, || {
        let dialect = format.wanted("a format")?.dialect.clone();
        let mut walker = Walker::new(dialect, &Options::of(options).limits);
        Calls::new(sink, user)?.messages(&mut Stream::new(Input::new(read, read_user)), &mut walker)
    })
}

/// A walk of an input whose bytes the program brings as they come. One thread at a time uses it.
/// Free it with polywire_stream_free().
pub struct StreamObject {
    walker: Walker,
    stream: Stream<Empty>,
    calls: Calls,
    /// True after an error, and after the end.
    over: bool,
}

impl StreamObject {
    /// Walks the messages that are there.
    fn walk(&mut self) -> Result<()> {
        let outcome = self.calls.messages(&mut self.stream, &mut self.walker);
        self.over |= outcome.is_err() || self.calls.stopped;
        outcome
    }
}

/// Makes a stream. The struct `sink` is copied; `user` has to live as long as the stream.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_stream_new(
    format: *const FormatObject,
    options: *const Options,
    sink: *const SinkOfC,
    user: *mut c_void,
    stream: *mut *mut StreamObject,
    error: *mut *mut ErrorObject,
) -> Status {
    stream.clear();
    guard(error, || {
        let options = Options::of(options);
        let walker = Walker::new(format.wanted("a format")?.dialect.clone(), &options.limits);
        let calls = Calls::new(sink, user)?;
        stream.make(StreamObject { walker, stream: Stream::fed(options.longest), calls, over: false });
        Ok(())
    })
}

/// Takes the next bytes of the input, in pieces of any length, and walks each message that is
/// complete. The bytes of an unfinished one are kept: polywire_options_set_max_message() bounds
/// them. Nothing can be fed after an error; what is fed after POLYWIRE_STOP is passed over.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_stream_feed(stream: *mut StreamObject, bytes: *const u8, length: usize, error: *mut *mut ErrorObject) -> Status {
    guard(error, || {
        let stream = stream.wanted_mut("a stream")?;
        let bytes = bytes.bytes(length)?;
        if stream.calls.stopped {
            return Ok(());
        }
        if stream.over {
            return Err(Error::usage("bytes for a stream that is over").expected("a new stream"));
        }
        stream.stream.feed(bytes);
        stream.walk()
    })
}

/// Ends the input, and walks a last message that only the end of the input ends.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_stream_end(stream: *mut StreamObject, error: *mut *mut ErrorObject) -> Status {
    guard(error, || {
        let stream = stream.wanted_mut("a stream")?;
        if std::mem::replace(&mut stream.over, true) {
            return Ok(());
        }
        stream.stream.end();
        stream.walk()
    })
}

/// Returns the number of messages that were begun.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_stream_messages(stream: *const StreamObject) -> u64 {
    stream.object().map_or(0, |stream| stream.calls.message)
}

/// Frees a stream. Null is fine.
#[unsafe(no_mangle)]
pub extern "C" fn polywire_stream_free(stream: *mut StreamObject) {
    stream.free();
}
