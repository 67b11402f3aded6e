//! JSON text to events: one pass, no tree, nothing allocated per value.
//!
//! Libraries that give byte offsets and exact numbers take two to three times as long as the
//! fastest parsers, which build trees. All of the toolkit depends on reading, so the parser is
//! here. It checks the text for UTF-8 once, searches strings eight bytes at a time, and makes whole
//! numbers while it checks their digits.

#[cfg(feature = "columns")]
use polywire_core::Limits;
#[cfg(feature = "columns")]
use polywire_core::columns::Filling;
use polywire_core::{
    Budget, Error, ErrorKind, Field, Frame, Hint, Len, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Spelling, Str, Surrogates,
};
use polywire_json::cursor::{Cursor, Mistake, MistakeKind};
use polywire_json::frame::Framer;
use polywire_json::string::{long_plain_end, plain_end};

use polywire_json::number;

#[cfg(feature = "columns")]
use super::columns::ColumnReader;
use super::mistakes;
use super::names::Names;

const NAME: &str = "json";

/// Reads JSON.
#[derive(Debug)]
pub struct JsonReader {
    /// Name of the format, for errors.
    name: &'static str,
    framer: Framer,
    stack: Vec<Level>,
    names: Names,
    unescaped: String,
    surrogates: Surrogates,
    /// Text in WTF-8.
    wide: Vec<u8>,
    #[cfg(feature = "columns")]
    columns: ColumnReader,
}

/// An open container.
#[derive(Debug, Clone, Copy)]
struct Level {
    is_object: bool,
    /// Number of names so far in the object around it.
    outer_names: usize,
}

impl Default for JsonReader {
    fn default() -> Self {
        JsonReader::named(NAME)
    }
}

impl Reader for JsonReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        Ok(self.framer.frame(buf, base == 0, eof))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.walk_into(msg, base, sink, budget)
    }

    #[cfg(feature = "columns")]
    fn fill(&mut self, msg: &[u8], _: u64, filling: &mut Filling<'_>, limits: &Limits) -> bool {
        self.columns.fill(msg, false, filling, limits)
    }

    fn surrogates(&mut self, surrogates: Surrogates) {
        self.surrogates = surrogates;
    }
}

impl JsonReader {
    /// Creates a reader for a format whose messages are JSON; errors call it `name`.
    pub(crate) fn named(name: &'static str) -> JsonReader {
        JsonReader {
            name,
            framer: Framer::default(),
            stack: Vec::new(),
            names: Names::new(),
            unescaped: String::new(),
            surrogates: Surrogates::Refuse,
            wide: Vec::new(),
            #[cfg(feature = "columns")]
            columns: ColumnReader::default(),
        }
    }

    /// Appends a line to columns as [`Reader::fill`] does a text. It has no line break.
    #[cfg(feature = "columns")]
    pub(crate) fn fill_line(&mut self, line: &[u8], filling: &mut Filling<'_>, limits: &Limits) -> bool {
        self.columns.fill(line, true, filling, limits)
    }

    /// Walks like [`Reader::walk`], for a sink whose type is known, which saves an indirect call
    /// per event.
    pub fn walk_into<'m, S: Sink<'m> + ?Sized>(&mut self, msg: &'m [u8], base: u64, sink: &mut S, budget: &mut Budget) -> Result<()> {
        let (text, utf8_ends_at) = mistakes::text_of(msg);
        let name = self.name;
        self.stack.clear();
        let mut walk = Walk {
            text,
            bytes: text.as_bytes(),
            base,
            stack: &mut self.stack,
            names: &mut self.names,
            seen: 0,
            unescaped: &mut self.unescaped,
            surrogates: self.surrogates,
            wide: &mut self.wide,
            replaced: false,
        };
        let outcome = walk.message(sink, budget);
        let outcome = match (outcome, utf8_ends_at) {
            // A sink that stops has not seen the bad byte.
            (Ok(false), _) | (Ok(true), None) => Ok(()),
            (outcome, Some(valid)) => mistakes::at_bad_byte(outcome.map(|_| ()), msg, base, valid),
            (Err(error), None) => Err(error),
        };
        outcome.map_err(|error| error.format_is(name))
    }
}

struct Walk<'m, 'r> {
    text: &'m str,
    bytes: &'m [u8],
    base: u64,
    stack: &'r mut Vec<Level>,
    names: &'r mut Names,
    /// Number of names so far in the innermost object.
    seen: usize,
    unescaped: &'r mut String,
    surrogates: Surrogates,
    wide: &'r mut Vec<u8>,
    /// True if halves of pairs were replaced in the last string.
    replaced: bool,
}

/// A string in the text.
enum Found {
    /// Unescaped between the quotes, at this range.
    Plain(usize, usize),
    /// Unescaped into the scratch buffer.
    Unescaped,
    /// Unescaped into the buffer of WTF-8: it has halves of surrogate pairs.
    Wide,
}

/// The result of a value.
enum Outcome {
    /// Read, or stepped over.
    Done,
    /// A container with entries, entered; true for an object.
    Entered(bool),
    /// The sink stopped the walk.
    Stopped,
}

impl<'m> Walk<'m, '_> {
    /// Reads a message; returns false if the sink stopped.
    fn message<S: Sink<'m> + ?Sized>(&mut self, sink: &mut S, budget: &mut Budget) -> Result<bool> {
        let Some(end) = self.value_and_contents(sink, budget)? else { return Ok(false) };
        let at = self.white(end);
        if at < self.bytes.len() {
            return Err(self.unexpected(at, ErrorKind::Trailing, "the end of the message"));
        }
        Ok(true)
    }

    /// Reads a value and its contents; returns the offset after it, or none if the sink stopped.
    ///
    /// The cursor is a local here and in what this calls: in memory, each step would wait for the
    /// one before it to be stored.
    fn value_and_contents<S: Sink<'m> + ?Sized>(&mut self, sink: &mut S, budget: &mut Budget) -> Result<Option<usize>> {
        let mut at = self.white(0);
        let mut name_due = false;
        loop {
            let mut next = Next::Enter;
            if name_due {
                (next, at) = self.name(at, sink, budget)?;
            }
            match next {
                Next::Enter => {
                    let outcome;
                    (outcome, at) = self.value(at, sink, budget)?;
                    match outcome {
                        Outcome::Done => {}
                        Outcome::Entered(is_object) => {
                            name_due = is_object;
                            continue;
                        }
                        Outcome::Stopped => return Ok(None),
                    }
                }
                Next::Skip => at = self.skip(at, budget)?,
                Next::Stop => return Ok(None),
            }
            // A value ended: containers may end with it, or another entry comes.
            loop {
                let Some(&Level { is_object, outer_names }) = self.stack.last() else { return Ok(Some(at)) };
                at = self.white(at);
                match self.byte(at) {
                    Some(b',') => {
                        at = self.white(at + 1);
                        name_due = is_object;
                        break;
                    }
                    Some(byte) if byte == if is_object { b'}' } else { b']' } => {
                        self.stack.pop();
                        self.seen = outer_names;
                        budget.leave();
                        sink.close(self.span(at, at + 1))?;
                        at += 1;
                    }
                    _ => return Err(self.unexpected(at, ErrorKind::Syntax, if is_object { "',' or '}'" } else { "',' or ']'" })),
                }
            }
        }
    }

    /// Reads the value at `start` and returns the offset after it, or that of a container's first
    /// entry.
    #[inline(always)]
    fn value<S: Sink<'m> + ?Sized>(&mut self, start: usize, sink: &mut S, budget: &mut Budget) -> Result<(Outcome, usize)> {
        budget.item(self.base + start as u64)?;
        let end = match self.byte(start) {
            Some(b'"') => {
                let (found, end) = self.string(start, false, sink, budget)?;
                let text = match found {
                    Found::Plain(from, to) => Scalar::Text(Str::Input(&self.text[from..to])),
                    Found::Unescaped => Scalar::Text(Str::Scratch(self.unescaped)),
                    Found::Wide => Scalar::Octets(Str::Scratch(self.wide)),
                };
                sink.scalar(text, self.span(start, end))?;
                end
            }
            Some(b'-' | b'0'..=b'9') => {
                let number = match number::scan(self.bytes, start) {
                    Ok(number) => number,
                    Err(bad) => return Err(self.unexpected(bad.at, ErrorKind::Syntax, bad.expected)),
                };
                budget.digits(number.end - start, self.base + start as u64)?;
                let span = self.span(start, number.end);
                match number.integer() {
                    Some(integer) => sink.scalar(integer, span)?,
                    None => {
                        let text = &self.text[start..number.end];
                        let spelling = Spelling::digits(text);
                        sink.scalar(number.hinted(text, Hint::new(&spelling)), span)?;
                    }
                }
                number.end
            }
            Some(open @ (b'{' | b'[')) => return self.open(start, open == b'{', sink, budget),
            Some(b't') => self.literal(start, b"true", Scalar::Bool(true), sink)?,
            Some(b'f') => self.literal(start, b"false", Scalar::Bool(false), sink)?,
            Some(b'n') => self.literal(start, b"null", Scalar::Null, sink)?,
            _ => return Err(self.unexpected(start, ErrorKind::Syntax, "a value")),
        };
        Ok((Outcome::Done, end))
    }

    fn open<S: Sink<'m> + ?Sized>(&mut self, start: usize, is_object: bool, sink: &mut S, budget: &mut Budget) -> Result<(Outcome, usize)> {
        budget.enter(self.base + start as u64)?;
        let open = if is_object { Open::Record { name: "", len: Len::Unknown } } else { Open::List(Len::Unknown) };
        match sink.open(open, self.span(start, start + 1))? {
            Next::Enter => {}
            Next::Skip => {
                budget.leave();
                return Ok((Outcome::Done, self.skip(start, budget)?));
            }
            Next::Stop => return Ok((Outcome::Stopped, start)),
        }
        let at = self.white(start + 1);
        if self.byte(at) == Some(if is_object { b'}' } else { b']' }) {
            budget.leave();
            sink.close(self.span(at, at + 1))?;
            return Ok((Outcome::Done, at + 1));
        }
        self.stack.push(Level { is_object, outer_names: self.seen });
        self.seen = 0;
        Ok((Outcome::Entered(is_object), at))
    }

    /// Reads a member's name and the colon, and returns the offset of its value.
    #[inline(always)]
    fn name<S: Sink<'m> + ?Sized>(&mut self, start: usize, sink: &mut S, budget: &mut Budget) -> Result<(Next, usize)> {
        if self.byte(start) != Some(b'"') {
            return Err(self.unexpected(start, ErrorKind::Syntax, "a name in double quotes"));
        }
        budget.item(self.base + start as u64)?;
        let (found, end) = self.string(start, true, sink, budget)?;
        let name = match found {
            Found::Plain(from, to) => Str::Input(&self.text[from..to]),
            Found::Unescaped | Found::Wide => Str::Scratch(self.unescaped.as_str()),
        };
        let next = sink.field(Field::named(name), self.span(start, end))?;
        let colon = self.white(end);
        if self.byte(colon) != Some(b':') {
            return Err(self.unexpected(colon, ErrorKind::Syntax, "':'"));
        }
        Ok((next, self.white(colon + 1)))
    }

    /// Reads the string at `start`, a name or a value, and returns the offset after it.
    #[inline(always)]
    fn string<S: Sink<'m> + ?Sized>(&mut self, start: usize, is_name: bool, sink: &mut S, budget: &mut Budget) -> Result<(Found, usize)> {
        let from = start + 1;
        if !is_name {
            let end = long_plain_end(self.bytes, from);
            if self.bytes.get(end) == Some(&b'"') {
                return Ok((Found::Plain(from, end), end + 1));
            }
            return self.escaped(from, end, is_name, sink, budget);
        }
        let place = Names::place(self.stack.len(), self.seen);
        self.seen += 1;
        if let Some(length) = self.names.length(place, self.bytes, from) {
            return Ok((Found::Plain(from, from + length), from + length + 1));
        }
        let end = plain_end(self.bytes, from);
        if self.bytes.get(end) == Some(&b'"') {
            self.names.keep(place, self.bytes, from, end);
            return Ok((Found::Plain(from, end), end + 1));
        }
        self.escaped(from, end, is_name, sink, budget)
    }

    /// Reads a string that is not plain to its end, or has none.
    #[inline(never)]
    fn escaped<S: Sink<'m> + ?Sized>(
        &mut self,
        from: usize,
        end: usize,
        is_name: bool,
        sink: &mut S,
        budget: &mut Budget,
    ) -> Result<(Found, usize)> {
        let (found, after) = self.unescape(from, end, is_name, budget)?;
        if self.replaced {
            self.replaced = false;
            sink.note(Note::Coerced("halves of surrogate pairs became U+FFFD"), self.span(from - 1, after))?;
        }
        Ok((found, after))
    }

    fn unescape(&mut self, from: usize, end: usize, is_name: bool, budget: &mut Budget) -> Result<(Found, usize)> {
        let mut cursor = Cursor { text: self.text, at: from };
        match cursor.unescape(end, self.unescaped) {
            Ok(()) => {
                budget.decode(self.unescaped.len() as u64, self.base + from as u64)?;
                Ok((Found::Unescaped, cursor.at))
            }
            Err(Mistake { kind: MistakeKind::HalfPair(_), .. }) if self.allows_halves(is_name) => self.halves(from, end, budget),
            Err(mistake) => Err(self.mistake(mistake)),
        }
    }

    /// Reports whether a string may have halves of surrogate pairs. A name cannot be octets.
    fn allows_halves(&self, is_name: bool) -> bool {
        match self.surrogates {
            Surrogates::Refuse => false,
            Surrogates::Replace => true,
            Surrogates::Keep => !is_name,
        }
    }

    /// Reads a string with halves of surrogate pairs, which is plain up to `end`.
    #[cold]
    fn halves(&mut self, from: usize, end: usize, budget: &mut Budget) -> Result<(Found, usize)> {
        let mut cursor = Cursor { text: self.text, at: from };
        if let Err(mistake) = cursor.unescape_wide(end, self.wide) {
            return Err(self.mistake(mistake));
        }
        let after = cursor.at;
        budget.decode(self.wide.len() as u64, self.base + from as u64)?;
        if self.surrogates == Surrogates::Keep {
            return Ok((Found::Wide, after));
        }
        // U+FFFD has as many bytes as a half; no character has such a second byte.
        for at in 0..self.wide.len().saturating_sub(2) {
            if self.wide[at] == 0xed && self.wide[at + 1] >= 0xa0 {
                self.wide[at..at + 3].copy_from_slice("\u{fffd}".as_bytes());
            }
        }
        self.unescaped.clear();
        self.unescaped.push_str(&String::from_utf8_lossy(self.wide));
        self.replaced = true;
        Ok((Found::Unescaped, after))
    }

    #[cold]
    fn mistake(&self, mistake: Mistake) -> Error {
        mistakes::mistake(self.text, self.base, mistake)
    }

    #[inline]
    fn literal<const N: usize, S: Sink<'m> + ?Sized>(
        &mut self,
        start: usize,
        word: &'static [u8; N],
        value: Scalar<'m, '_>,
        sink: &mut S,
    ) -> Result<usize> {
        if self.bytes.get(start..start + N) != Some(word) {
            return Err(mistakes::misspelt(self.text, self.base, start, word));
        }
        sink.scalar(value, self.span(start, start + N))?;
        Ok(start + N)
    }

    /// Steps over the value at `at` and returns the offset after it. Brackets must match; the rest
    /// is not checked.
    fn skip(&mut self, mut at: usize, budget: &Budget) -> Result<usize> {
        let outer = self.stack.len();
        loop {
            let Some(byte) = self.byte(at) else { return Err(self.unexpected(at, ErrorKind::Truncated, "the rest of a value")) };
            match byte {
                b'{' | b'[' => {
                    if self.stack.len() >= budget.limits().depth as usize {
                        return Err(budget.too_deep(self.base + at as u64));
                    }
                    self.stack.push(Level { is_object: byte == b'{', outer_names: self.seen });
                    at += 1;
                }
                b'}' | b']' => {
                    if self.stack.len() == outer || self.stack.pop().map(|level| level.is_object) != Some(byte == b'}') {
                        return Err(self.unexpected(at, ErrorKind::Syntax, "a value, and brackets that match"));
                    }
                    at += 1;
                }
                b'"' => {
                    at += 1;
                    loop {
                        at = plain_end(self.bytes, at);
                        match self.byte(at) {
                            Some(b'"') => break,
                            Some(b'\\') => at = (at + 2).min(self.bytes.len()),
                            Some(_) => {
                                return Err(self.unexpected(at, ErrorKind::Syntax, "an escape such as \\n instead of a control character"));
                            }
                            None => return Err(self.unexpected(at, ErrorKind::Truncated, "the closing '\"' of a string")),
                        }
                    }
                    at += 1;
                }
                b',' | b':' if self.stack.len() == outer => return Err(self.unexpected(at, ErrorKind::Syntax, "a value")),
                b' ' | b'\n' | b'\r' | b'\t' | b',' | b':' => {
                    at += 1;
                    continue;
                }
                _ => {
                    while let Some(byte) = self.byte(at)
                        && !matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b'{' | b'}' | b'[' | b']' | b'"' | b',' | b':')
                    {
                        at += 1;
                    }
                }
            }
            if self.stack.len() == outer {
                return Ok(at);
            }
        }
    }

    /// Returns the offset of the first byte from `at` on that is no white space.
    #[inline(always)]
    fn white(&self, mut at: usize) -> usize {
        while let Some(&byte) = self.bytes.get(at) {
            // Mostly there is none, and one comparison shows it.
            if byte > b' ' || !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                break;
            }
            at += 1;
        }
        at
    }

    #[inline(always)]
    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Returns the span of `start..end` of the message.
    #[inline(always)]
    fn span(&self, start: usize, end: usize) -> Span {
        Span::at(self.base, start, end)
    }

    /// Returns the error for an unexpected byte at `at`, or at the end of the input, for missing
    /// bytes.
    #[cold]
    fn unexpected(&self, at: usize, kind: ErrorKind, expected: &'static str) -> Error {
        mistakes::unexpected(self.text, self.base, at, kind, expected)
    }
}
