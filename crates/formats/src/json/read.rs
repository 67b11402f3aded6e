//! JSON text to events: one pass, no tree, nothing allocated per value.
//!
//! Libraries that give byte offsets and exact numbers take two to three times as long as the
//! fastest parsers, which build trees. All of the toolkit depends on reading, so the parser is
//! here. It checks the text for UTF-8 once, searches strings eight bytes at a time, and makes whole
//! numbers while it checks their digits.

use polywire_core::{
    Budget, Error, ErrorKind, Field, Frame, Hint, Len, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Spelling, Str, Surrogates,
};
use polywire_json::cursor::{Cursor, Mistake, MistakeKind};
use polywire_json::frame::Framer;
use polywire_json::string::{long_plain_end, plain_end};

use polywire_json::number;

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
        }
    }

    /// Walks like [`Reader::walk`], for a sink whose type is known, which saves an indirect call
    /// per event.
    pub fn walk_into<'m, S: Sink<'m> + ?Sized>(&mut self, msg: &'m [u8], base: u64, sink: &mut S, budget: &mut Budget) -> Result<()> {
        // The text before a bad byte is walked, so that an earlier mistake is reported first and a
        // dump shows all that was understood.
        let (text, utf8_ends_at) = match simdutf8::basic::from_utf8(msg) {
            Ok(text) => (text, None),
            Err(_) => match std::str::from_utf8(msg) {
                Ok(text) => (text, None),
                Err(error) => {
                    let valid = error.valid_up_to();
                    (std::str::from_utf8(&msg[..valid]).unwrap_or_default(), Some(valid))
                }
            },
        };
        let name = self.name;
        self.stack.clear();
        let mut walk = Walk {
            text,
            bytes: text.as_bytes(),
            pos: 0,
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
        let bad_byte = |valid: usize| {
            Error::data(ErrorKind::Encoding, base + valid as u64).seen(format!("byte 0x{:02x}", msg[valid])).expected("UTF-8 text")
        };
        match (outcome, utf8_ends_at) {
            (Ok(true), Some(valid)) => Err(bad_byte(valid).format_is(name)),
            (Ok(_), _) => Ok(()),
            (Err(error), Some(valid)) if error.kind() == ErrorKind::Truncated => Err(bad_byte(valid).format_is(name)),
            (Err(error), _) => Err(error.format_is(name)),
        }
    }
}

struct Walk<'m, 'r> {
    text: &'m str,
    bytes: &'m [u8],
    pos: usize,
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
        self.white();
        let ended = self.value_and_contents(sink, budget)?;
        if ended {
            self.white();
            if self.pos < self.bytes.len() {
                return Err(self.unexpected(ErrorKind::Trailing, "the end of the message"));
            }
        }
        Ok(ended)
    }

    /// Reads a value and its contents; returns false if the sink stopped.
    fn value_and_contents<S: Sink<'m> + ?Sized>(&mut self, sink: &mut S, budget: &mut Budget) -> Result<bool> {
        let mut name_due = false;
        loop {
            let next = if name_due { self.name(sink, budget)? } else { Next::Enter };
            match next {
                Next::Enter => match self.value(sink, budget)? {
                    Outcome::Done => {}
                    Outcome::Entered(is_object) => {
                        name_due = is_object;
                        continue;
                    }
                    Outcome::Stopped => return Ok(false),
                },
                Next::Skip => self.skip(budget)?,
                Next::Stop => return Ok(false),
            }
            // A value ended: containers may end with it, or another entry comes.
            loop {
                let Some(&Level { is_object, outer_names }) = self.stack.last() else { return Ok(true) };
                self.white();
                match self.peek() {
                    Some(b',') => {
                        self.pos += 1;
                        self.white();
                        name_due = is_object;
                        break;
                    }
                    Some(byte) if byte == if is_object { b'}' } else { b']' } => {
                        self.pos += 1;
                        self.stack.pop();
                        self.seen = outer_names;
                        budget.leave();
                        sink.close(self.span(self.pos - 1))?;
                    }
                    _ => return Err(self.unexpected(ErrorKind::Syntax, if is_object { "',' or '}'" } else { "',' or ']'" })),
                }
            }
        }
    }

    #[inline]
    fn value<S: Sink<'m> + ?Sized>(&mut self, sink: &mut S, budget: &mut Budget) -> Result<Outcome> {
        let start = self.pos;
        budget.item(self.base + start as u64)?;
        match self.peek() {
            Some(b'"') => match self.string(false, sink, budget)? {
                Found::Plain(from, to) => {
                    let text = &self.text[from..to];
                    sink.scalar(Scalar::Text(Str::Input(text)), self.span(start))?;
                }
                Found::Unescaped => sink.scalar(Scalar::Text(Str::Scratch(self.unescaped)), self.span(start))?,
                Found::Wide => sink.scalar(Scalar::Octets(Str::Scratch(self.wide)), self.span(start))?,
            },
            Some(b'-' | b'0'..=b'9') => {
                let number = match number::scan(self.bytes, start) {
                    Ok(number) => number,
                    Err(bad) => {
                        self.pos = bad.at;
                        return Err(self.unexpected(ErrorKind::Syntax, bad.expected));
                    }
                };
                budget.digits(number.end - start, self.base + start as u64)?;
                self.pos = number.end;
                match number.integer() {
                    Some(integer) => sink.scalar(integer, self.span(start))?,
                    None => {
                        let text = &self.text[start..number.end];
                        let spelling = Spelling::digits(text);
                        sink.scalar(number.hinted(text, Hint::new(&spelling)), self.span(start))?;
                    }
                }
            }
            Some(open @ (b'{' | b'[')) => return self.open(open == b'{', sink, budget),
            Some(b't') => self.literal(b"true", Scalar::Bool(true), sink)?,
            Some(b'f') => self.literal(b"false", Scalar::Bool(false), sink)?,
            Some(b'n') => self.literal(b"null", Scalar::Null, sink)?,
            _ => return Err(self.unexpected(ErrorKind::Syntax, "a value")),
        }
        Ok(Outcome::Done)
    }

    fn open<S: Sink<'m> + ?Sized>(&mut self, is_object: bool, sink: &mut S, budget: &mut Budget) -> Result<Outcome> {
        let start = self.pos;
        budget.enter(self.base + start as u64)?;
        let open = if is_object { Open::Record { name: "", len: Len::Unknown } } else { Open::List(Len::Unknown) };
        match sink.open(open, Span::at(self.base, start, start + 1))? {
            Next::Enter => {}
            Next::Skip => {
                budget.leave();
                return self.skip(budget).map(|()| Outcome::Done);
            }
            Next::Stop => return Ok(Outcome::Stopped),
        }
        self.pos += 1;
        self.white();
        if self.peek() == Some(if is_object { b'}' } else { b']' }) {
            self.pos += 1;
            budget.leave();
            sink.close(self.span(self.pos - 1))?;
            return Ok(Outcome::Done);
        }
        self.stack.push(Level { is_object, outer_names: self.seen });
        self.seen = 0;
        Ok(Outcome::Entered(is_object))
    }

    /// Reads a member's name and the colon.
    #[inline]
    fn name<S: Sink<'m> + ?Sized>(&mut self, sink: &mut S, budget: &mut Budget) -> Result<Next> {
        let start = self.pos;
        if self.peek() != Some(b'"') {
            return Err(self.unexpected(ErrorKind::Syntax, "a name in double quotes"));
        }
        budget.item(self.base + start as u64)?;
        let found = self.string(true, sink, budget)?;
        let name = match found {
            Found::Plain(from, to) => Str::Input(&self.text[from..to]),
            Found::Unescaped | Found::Wide => Str::Scratch(self.unescaped.as_str()),
        };
        let at = Span::at(self.base, start, self.pos);
        let next = sink.field(Field::named(name), at)?;
        self.white();
        if self.peek() != Some(b':') {
            return Err(self.unexpected(ErrorKind::Syntax, "':'"));
        }
        self.pos += 1;
        self.white();
        Ok(next)
    }

    /// Reads the string at the cursor, a name or a value.
    #[inline(always)]
    fn string<S: Sink<'m> + ?Sized>(&mut self, is_name: bool, sink: &mut S, budget: &mut Budget) -> Result<Found> {
        let from = self.pos + 1;
        if !is_name {
            let end = long_plain_end(self.bytes, from);
            if self.bytes.get(end) == Some(&b'"') {
                self.pos = end + 1;
                return Ok(Found::Plain(from, end));
            }
            return self.escaped(from, end, is_name, sink, budget);
        }
        let place = Names::place(self.stack.len(), self.seen);
        self.seen += 1;
        if let Some(length) = self.names.length(place, self.bytes, from) {
            self.pos = from + length + 1;
            return Ok(Found::Plain(from, from + length));
        }
        let end = plain_end(self.bytes, from);
        if self.bytes.get(end) == Some(&b'"') {
            self.names.keep(place, self.bytes, from, end);
            self.pos = end + 1;
            return Ok(Found::Plain(from, end));
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
    ) -> Result<Found> {
        let found = self.unescape(from, end, is_name, budget)?;
        if self.replaced {
            self.replaced = false;
            sink.note(Note::Coerced("halves of surrogate pairs became U+FFFD"), Span::at(self.base, from - 1, self.pos))?;
        }
        Ok(found)
    }

    fn unescape(&mut self, from: usize, end: usize, is_name: bool, budget: &mut Budget) -> Result<Found> {
        let mut cursor = Cursor { text: self.text, at: from };
        let outcome = cursor.unescape(end, self.unescaped);
        self.pos = cursor.at;
        match outcome {
            Ok(()) => {
                budget.decode(self.unescaped.len() as u64, self.base + from as u64)?;
                Ok(Found::Unescaped)
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
    fn halves(&mut self, from: usize, end: usize, budget: &mut Budget) -> Result<Found> {
        let mut cursor = Cursor { text: self.text, at: from };
        let outcome = cursor.unescape_wide(end, self.wide);
        self.pos = cursor.at;
        if let Err(mistake) = outcome {
            return Err(self.mistake(mistake));
        }
        budget.decode(self.wide.len() as u64, self.base + from as u64)?;
        if self.surrogates == Surrogates::Keep {
            return Ok(Found::Wide);
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
        Ok(Found::Unescaped)
    }

    #[cold]
    fn mistake(&mut self, Mistake { at, kind }: Mistake) -> Error {
        self.pos = at;
        match kind {
            MistakeKind::Control => self.unexpected(ErrorKind::Syntax, "an escape such as \\n instead of a control character"),
            MistakeKind::Unclosed => self.unexpected(ErrorKind::Truncated, "the closing '\"' of a string"),
            MistakeKind::Escape => self.unexpected(ErrorKind::Syntax, "one of \" \\ / b f n r t u after a backslash"),
            MistakeKind::Digits { .. } => self.unexpected(ErrorKind::Syntax, "four hexadecimal digits"),
            MistakeKind::HalfPair(_) => Error::data(ErrorKind::Encoding, self.base + at as u64)
                .seen("half of a surrogate pair")
                .expected("two \\u escapes that make one character")
                .hint("such text has no meaning in Unicode; its writer may have cut a string within a character; --surrogates replace reads it, and --surrogates keep all but names"),
        }
    }

    #[inline]
    fn literal<const N: usize, S: Sink<'m> + ?Sized>(&mut self, word: &'static [u8; N], value: Scalar<'m, '_>, sink: &mut S) -> Result<()> {
        let start = self.pos;
        if self.bytes.get(start..start + N) != Some(word) {
            return Err(self.misspelt(word));
        }
        self.pos += N;
        sink.scalar(value, self.span(start))
    }

    #[cold]
    fn misspelt(&mut self, word: &[u8]) -> Error {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        self.pos += word.iter().zip(rest).take_while(|(wanted, byte)| wanted == byte).count();
        self.unexpected(ErrorKind::Syntax, "true, false or null")
    }

    /// Steps over the value at the cursor. Brackets must match; the rest is not checked.
    fn skip(&mut self, budget: &Budget) -> Result<()> {
        let outer = self.stack.len();
        loop {
            let Some(byte) = self.peek() else { return Err(self.unexpected(ErrorKind::Truncated, "the rest of a value")) };
            match byte {
                b'{' | b'[' => {
                    if self.stack.len() >= budget.limits().depth as usize {
                        return Err(budget.too_deep(self.base + self.pos as u64));
                    }
                    self.stack.push(Level { is_object: byte == b'{', outer_names: self.seen });
                    self.pos += 1;
                }
                b'}' | b']' => {
                    if self.stack.len() == outer || self.stack.pop().map(|level| level.is_object) != Some(byte == b'}') {
                        return Err(self.unexpected(ErrorKind::Syntax, "a value, and brackets that match"));
                    }
                    self.pos += 1;
                }
                b'"' => {
                    self.pos += 1;
                    loop {
                        self.pos = plain_end(self.bytes, self.pos);
                        match self.peek() {
                            Some(b'"') => break,
                            Some(b'\\') => self.pos = (self.pos + 2).min(self.bytes.len()),
                            Some(_) => {
                                return Err(self.unexpected(ErrorKind::Syntax, "an escape such as \\n instead of a control character"));
                            }
                            None => return Err(self.unexpected(ErrorKind::Truncated, "the closing '\"' of a string")),
                        }
                    }
                    self.pos += 1;
                }
                b',' | b':' if self.stack.len() == outer => return Err(self.unexpected(ErrorKind::Syntax, "a value")),
                b' ' | b'\n' | b'\r' | b'\t' | b',' | b':' => {
                    self.pos += 1;
                    continue;
                }
                _ => {
                    while let Some(byte) = self.peek()
                        && !matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b'{' | b'}' | b'[' | b']' | b'"' | b',' | b':')
                    {
                        self.pos += 1;
                    }
                }
            }
            if self.stack.len() == outer {
                return Ok(());
            }
        }
    }

    #[inline]
    fn white(&mut self) {
        while let Some(&byte) = self.bytes.get(self.pos) {
            // Mostly there is none, and one comparison shows it.
            if byte > b' ' || !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                break;
            }
            self.pos += 1;
        }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    /// Returns the span from `start` to the cursor.
    #[inline]
    fn span(&self, start: usize) -> Span {
        Span::at(self.base, start, self.pos)
    }

    /// Returns the error for an unexpected byte at the cursor, or at the end of the input, for
    /// missing bytes.
    #[cold]
    fn unexpected(&self, kind: ErrorKind, expected: &'static str) -> Error {
        let at = self.base + self.pos as u64;
        match self.text.get(self.pos..).and_then(|rest| rest.chars().next()) {
            Some(seen) => Error::data(if kind == ErrorKind::Truncated { ErrorKind::Syntax } else { kind }, at)
                .seen(format!("{seen:?}"))
                .expected(expected),
            None => Error::truncated(at, expected),
        }
    }
}
