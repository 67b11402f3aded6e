//! Text to CBOR.

use polywire_core::bytes::{Mark, OutBuf};
use polywire_core::{Budget, Error, ErrorKind, Result};

use super::literal::{self, Number};
use super::print::narrowest;
use crate::cbor::wire::{self, BREAK, BYTES, FLOAT16, FLOAT32, FLOAT64, INDEFINITE, LIST, MAP, NEGATIVE, Shortest, TAG, TEXT, UINT};
use crate::cbor::wire::{FALSE, NULL, SIMPLE_OR_FLOAT, TAG_BIG, TAG_BIG_NEGATIVE, TRUE};

/// A range of bytes of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    start: u32,
    end: u32,
}

/// Bytes of the longest text. Its places need 32 bits, and so do those of its CBOR, of which there
/// may be thrice as much.
const LONGEST: usize = 1 << 30;

impl Range {
    fn new(start: usize, end: usize) -> Range {
        Range { start: start as u32, end: end as u32 }
    }

    pub(super) fn start(self) -> usize {
        self.start as usize
    }

    pub(super) fn end(self) -> usize {
        self.end as usize
    }
}

/// The meaning of a text.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    /// The value as CBOR.
    pub(super) cbor: Vec<u8>,
    /// Place of each head in the text, in the order of the heads, and of each break.
    pub(super) places: Vec<Range>,
    /// Places of the comments, with their marks.
    pub(super) comments: Vec<Range>,
}

/// Parses one value, which lies at `base` of a stream.
pub(super) fn parse(message: &[u8], base: u64, budget: &mut Budget) -> Result<Parsed> {
    if message.len() > LONGEST {
        return Err(Error::data(ErrorKind::Limit, base)
            .seen(format!("a text of {} bytes", message.len()))
            .expected("at most 1 GiB in one value"));
    }
    let text = std::str::from_utf8(message).map_err(|error| {
        Error::data(ErrorKind::Encoding, base + error.valid_up_to() as u64).seen("bytes that are no UTF-8").expected("text in UTF-8")
    })?;
    let mut parser = Parser {
        text,
        at: 0,
        base,
        budget,
        outs: vec![OutBuf::default()],
        levels: Vec::new(),
        string: None,
        is_spaced: false,
        after_string: false,
        parsed: Parsed::default(),
    };
    parser.value()?;
    let Parser { mut outs, mut parsed, budget, .. } = parser;
    if let Some(out) = outs.first_mut() {
        out.finish(&mut parsed.cbor);
    }
    budget.decode(parsed.cbor.len() as u64, base)?;
    Ok(parsed)
}

/// An open container.
#[derive(Debug)]
enum Level {
    /// An array or a map.
    Container {
        map: bool,
        /// Place of the head; `None` if the length is indefinite.
        head: Option<(Mark, Option<u8>)>,
        /// Number of keys and values.
        count: u64,
    },
    Tag,
    /// A byte string of CBOR, and the string before it that it goes on with.
    Embedded(Option<Pending>, usize),
    /// The pieces of a string of indefinite length, and their type.
    Pieces(Option<u8>),
}

/// A string that more pieces may follow.
#[derive(Debug)]
struct Pending {
    major: u8,
    bytes: Vec<u8>,
    place: Range,
}

/// The next thing to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    /// A value, or the end of the container, if it may end here.
    Value(bool),
    /// The text after a value.
    After,
}

struct Parser<'t, 'b> {
    text: &'t str,
    at: usize,
    base: u64,
    budget: &'b mut Budget,
    /// Output, and one more for each embedded CBOR around.
    outs: Vec<OutBuf>,
    levels: Vec<Level>,
    string: Option<Pending>,
    /// True if white space or a comment is behind the last value.
    is_spaced: bool,
    /// True if the last value was a string.
    after_string: bool,
    parsed: Parsed,
}

impl<'t> Parser<'t, '_> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, what: &str) -> bool {
        let eaten = self.rest().starts_with(what);
        self.at += if eaten { what.len() } else { 0 };
        eaten
    }

    #[cold]
    fn wrong(&self, at: usize, expected: &'static str) -> Error {
        let error = match self.text[at..].chars().next() {
            Some(c) => Error::data(ErrorKind::Syntax, self.base + at as u64).seen(format!("`{}`", c.escape_debug())),
            None => Error::truncated(self.base + at as u64, expected),
        };
        error.expected(expected)
    }

    /// Steps over white space and comments.
    fn space(&mut self) -> Result<()> {
        loop {
            let start = self.at;
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'/') => match self.rest()[1..].find('/') {
                    Some(end) => {
                        self.at += end + 2;
                        self.parsed.comments.push(Range::new(start, self.at));
                    }
                    None => return Err(self.wrong(self.text.len(), "`/`, the end of the comment")),
                },
                Some(b'#') => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                    self.parsed.comments.push(Range::new(start, self.at));
                }
                _ => return Ok(()),
            }
        }
    }

    fn out(&mut self) -> &mut OutBuf {
        // There is always one: only an embedded value adds and takes one.
        let last = self.outs.len() - 1;
        &mut self.outs[last]
    }

    /// Notes the place of a head that comes next.
    fn place(&mut self, start: usize, end: usize) {
        if self.outs.len() == 1 {
            self.parsed.places.push(Range::new(start, end));
        }
    }

    /// Writes a head, as long as `width` says.
    fn head(&mut self, major: u8, arg: u64, width: Option<u8>, at: usize) -> Result<()> {
        let head = head(major, arg, width).ok_or_else(|| {
            let error =
                Error::data(ErrorKind::Syntax, self.base + at as u64).seen(format!("{arg} in the encoding _{}", width.unwrap_or(0)));
            error.expected("an encoding that is long enough")
        })?;
        self.out().put(&head);
        Ok(())
    }

    fn value(&mut self) -> Result<()> {
        let mut due = Due::Value(false);
        loop {
            let from = self.at;
            self.space()?;
            self.is_spaced = self.at > from;
            due = match due {
                Due::Value(may_end) => self.start(may_end)?,
                Due::After if self.levels.is_empty() => {
                    return match self.peek() {
                        None => Ok(()),
                        Some(_) => {
                            let error = self.wrong(self.at, "the end of the value");
                            Err(Error::data(ErrorKind::Trailing, self.base + self.at as u64)
                                .seen(error.seen_text().to_string())
                                .expected("the end of the value"))
                        }
                    };
                }
                Due::After => self.after()?,
            };
        }
    }

    /// Reads what follows a value in the innermost container.
    fn after(&mut self) -> Result<Due> {
        let is_value_due = matches!(self.levels.last(), Some(Level::Container { map: true, count, .. }) if count % 2 == 1);
        if is_value_due {
            return if self.eat(":") { Ok(Due::Value(false)) } else { Err(self.wrong(self.at, "`:`, and the value of the key")) };
        }
        if matches!(self.levels.last(), Some(Level::Tag)) {
            if !self.eat(")") {
                return Err(self.wrong(self.at, "`)`, the end of the tagged value"));
            }
            self.levels.pop();
            self.budget.leave();
            return Ok(Due::After);
        }
        if self.eat(",") {
            return Ok(Due::Value(true));
        }
        let is_next = self.is_spaced && self.peek().is_some_and(|byte| !matches!(byte, b']' | b'}' | b'>' | b')' | b':'));
        let is_map = matches!(self.levels.last(), Some(Level::Container { map: true, .. }));
        if is_next && self.after_string && !is_map && self.string_start() {
            // One string by RFC 8610, G.4, and two by later texts.
            let error = Error::data(ErrorKind::Syntax, self.base + self.at as u64).seen("a string beside another one");
            return Err(error.expected("`,` between two strings, or `+` between the pieces of one"));
        }
        if is_next { Ok(Due::Value(false)) } else { self.end(true) }
    }

    /// Reads the end of the innermost container.
    fn end(&mut self, has_values: bool) -> Result<Due> {
        let start = self.at;
        let (end, expected) = match self.levels.last() {
            Some(Level::Container { map: true, .. }) => ("}", if has_values { "`,` or `}`" } else { "a key, or `}`" }),
            Some(Level::Container { .. }) => ("]", if has_values { "`,` or `]`" } else { "a value, or `]`" }),
            Some(Level::Embedded(..)) => (">>", "`,` or `>>`"),
            Some(Level::Pieces(_)) => (")", "`,` or `)`"),
            Some(Level::Tag) | None => return Err(self.wrong(start, "a value")),
        };
        if !self.eat(end) {
            return Err(self.wrong(start, expected));
        }
        match self.levels.pop() {
            Some(Level::Container { map, head, count }) => {
                self.budget.leave();
                match head {
                    Some((mark, width)) => {
                        let (major, count) = if map { (MAP, count / 2) } else { (LIST, count) };
                        let bytes = self::head(major, count, width).ok_or_else(|| {
                            let error = Error::data(ErrorKind::Syntax, self.base + start as u64);
                            error.seen(format!("{count} entries")).expected("an encoding that is long enough for their number")
                        })?;
                        self.out().close(mark, &bytes);
                    }
                    None => {
                        self.place(start, self.at);
                        self.out().byte(BREAK);
                    }
                }
                Ok(Due::After)
            }
            Some(Level::Pieces(_)) => {
                self.place(start, self.at);
                self.out().byte(BREAK);
                Ok(Due::After)
            }
            Some(Level::Embedded(before, from)) => {
                self.budget.leave();
                let mut bytes = Vec::new();
                if let Some(mut out) = self.outs.pop() {
                    out.finish(&mut bytes);
                }
                self.budget.decode(bytes.len() as u64, self.base + from as u64)?;
                self.string = before;
                self.piece(BYTES, bytes, from)
            }
            Some(Level::Tag) | None => Err(self.wrong(start, "a value")),
        }
    }

    /// Counts a value that begins at `at`.
    fn count(&mut self, at: usize) -> Result<()> {
        self.budget.item(self.base + at as u64)?;
        match self.levels.last_mut() {
            Some(Level::Container { count, .. }) => *count += 1,
            Some(Level::Pieces(_)) => return Err(self.wrong(at, "a piece of a string")),
            _ => {}
        }
        Ok(())
    }

    /// Reads a value, or the start of one; `may_end` says that the container may end here.
    fn start(&mut self, may_end: bool) -> Result<Due> {
        let start = self.at;
        self.after_string = false;
        let Some(byte) = self.peek() else { return Err(self.wrong(start, "a value")) };
        match byte {
            b'[' | b'{' => {
                self.count(start)?;
                self.budget.enter(self.base + start as u64)?;
                self.at += 1;
                let map = byte == b'{';
                let head = match self.indicator()? {
                    Some(INDEFINITE) => {
                        self.place(start, self.at);
                        self.out().byte((if map { MAP } else { LIST }) << 5 | INDEFINITE);
                        None
                    }
                    width => {
                        self.place(start, self.at);
                        Some((self.out().open(), width))
                    }
                };
                self.levels.push(Level::Container { map, head, count: 0 });
                Ok(Due::Value(true))
            }
            b']' | b'}' | b'>' | b')' if may_end => self.end(false),
            b'(' => {
                self.at += 1;
                if !self.eat("_") {
                    return Err(self.wrong(self.at, "`_`, and the pieces of a string of indefinite length"));
                }
                self.count(start)?;
                self.levels.push(Level::Pieces(None));
                self.space()?;
                self.piece_start()
            }
            _ if self.string_start() => {
                if !matches!(self.levels.last(), Some(Level::Pieces(_))) {
                    self.count(start)?;
                }
                self.piece_start()
            }
            b'-' | b'+' | b'0'..=b'9' | b'I' | b'N' => self.number(),
            _ => self.name(),
        }
    }

    /// Reports whether a string begins here.
    fn string_start(&self) -> bool {
        let rest = self.rest();
        let prefix = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        rest.starts_with('"') || rest.starts_with("<<") || rest.as_bytes().get(prefix) == Some(&b'\'') && prefix < 12
    }

    /// Reads a piece of a string: one that stands alone, or one that goes on with others.
    fn piece_start(&mut self) -> Result<Due> {
        let start = self.at;
        if self.eat("<<") {
            self.budget.enter(self.base + start as u64)?;
            let before = self.string.take();
            self.levels.push(Level::Embedded(before, start));
            self.outs.push(OutBuf::default());
            return Ok(Due::Value(true));
        }
        let rest = self.rest();
        let prefix = &rest[..rest.bytes().take_while(u8::is_ascii_alphanumeric).count()];
        let Some(quote @ (b'"' | b'\'')) = rest.as_bytes().get(prefix.len()).copied() else { return Err(self.wrong(start, "a string")) };
        let from = start + prefix.len() + 1;
        let end = self.quote_end(from, quote)?;
        let contents = &self.text[from..end];
        self.at = end + 1;
        let wrong = |at: usize, seen: String, expected: &'static str| {
            Err(Error::data(ErrorKind::Syntax, self.base + at as u64).seen(seen).expected(expected))
        };
        if (quote == b'"') != prefix.is_empty() && quote == b'"' {
            return wrong(start, format!("the prefix {prefix} before text"), "it before a string in single quotes");
        }
        let mut bytes = Vec::new();
        match prefix {
            "" => {
                if let Err(at) = literal::unescaped(contents, &mut bytes) {
                    return wrong(from + at, "a backslash".into(), "an escape of JSON, or \\u{…}");
                }
            }
            "h" | "b64" | "b32" | "h32" => match literal::coded(prefix, contents) {
                Ok(coded) => bytes = coded,
                Err(at) => return wrong(from + at, format!("no bytes in {prefix}'…'"), "whole bytes in that encoding"),
            },
            "float" => return self.odd_float(contents, start),
            _ => {
                return wrong(start, format!("the prefix `{prefix}`"), "one of h, b64, b32, h32, float");
            }
        }
        self.piece(if quote == b'"' { TEXT } else { BYTES }, bytes, start)
    }

    /// Returns the offset of the quote that ends a string.
    fn quote_end(&self, from: usize, quote: u8) -> Result<usize> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        loop {
            at += match memchr::memchr2(quote, b'\\', &bytes[at.min(bytes.len())..]) {
                None => return Err(self.wrong(bytes.len(), "the end of the string")),
                Some(n) if bytes[at + n] == quote => return Ok(at + n),
                Some(n) => n + 2,
            };
        }
    }

    /// Adds a piece, and reads what follows: more pieces, or the end of the string.
    fn piece(&mut self, major: u8, bytes: Vec<u8>, start: usize) -> Result<Due> {
        let end = self.at;
        match &mut self.string {
            None => self.string = Some(Pending { major, bytes, place: Range::new(start, end) }),
            Some(string) => {
                string.bytes.extend_from_slice(&bytes);
                string.place.end = end as u32;
            }
        }
        let width = self.indicator()?;
        let (after, comments) = (self.at, self.parsed.comments.len());
        if width.is_none() {
            self.space()?;
            if self.eat("+") {
                self.space()?;
                return if self.string_start() { self.piece_start() } else { Err(self.wrong(self.at, "a string")) };
            }
        }
        self.at = after;
        self.parsed.comments.truncate(comments);
        self.string_end(width)
    }

    /// Writes the string that is whole.
    fn string_end(&mut self, width: Option<u8>) -> Result<Due> {
        self.after_string = true;
        let Some(Pending { major, bytes, place }) = self.string.take() else { return Err(Error::internal("a string without pieces")) };
        if major == TEXT && std::str::from_utf8(&bytes).is_err() {
            let error = Error::data(ErrorKind::Encoding, self.base + u64::from(place.start)).seen("text with bytes that are no UTF-8");
            return Err(error.expected("UTF-8, or a byte string as the first piece"));
        }
        let (start, end) = (place.start(), self.at.max(place.end()));
        if width == Some(INDEFINITE) {
            if !bytes.is_empty() {
                return Err(self.wrong(end.saturating_sub(1), "pieces in `(_ …)`: only an empty string is followed by `_`"));
            }
            self.place(start, end);
            self.place(end, end);
            self.out().put(&[major << 5 | INDEFINITE, BREAK]);
            return Ok(Due::After);
        }
        if let Some(Level::Pieces(kind)) = self.levels.last_mut() {
            match kind {
                None => {
                    *kind = Some(major);
                    self.place(start, start);
                    self.out().byte(major << 5 | INDEFINITE);
                }
                Some(kind) if *kind != major => return Err(self.wrong(start, "a piece of the same type as those before")),
                Some(_) => {}
            }
        }
        self.place(start, end);
        self.head(major, bytes.len() as u64, width, start)?;
        self.out().put(&bytes);
        Ok(Due::After)
    }

    /// Reads an encoding indicator (RFC 8949, section 8.1): additional information without 24, or
    /// [`INDEFINITE`].
    fn indicator(&mut self) -> Result<Option<u8>> {
        if !self.eat("_") {
            return Ok(None);
        }
        let start = self.at;
        let word = self.rest().bytes().take_while(u8::is_ascii_alphanumeric).count();
        self.at += word;
        match &self.text[start..self.at] {
            "" | "7" => Ok(Some(INDEFINITE)),
            "i" => Ok(Some(4)),
            digit @ ("0" | "1" | "2" | "3") => Ok(Some(digit.as_bytes()[0] - b'0')),
            _ => Err(self.wrong(start, "one of the encoding indicators _, _i, _0, _1, _2, _3")),
        }
    }

    /// Reads a number, or a tag and the bracket behind it.
    fn number(&mut self) -> Result<Due> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let is_hex = matches!(bytes[start..], [b'0', b'x' | b'X', ..] | [b'-' | b'+', b'0', b'x' | b'X', ..]);
        let mut end = start + 1;
        while let Some(&byte) = bytes.get(end) {
            let is_sign = matches!(byte, b'-' | b'+') && matches!((is_hex, bytes[end - 1]), (false, b'e' | b'E') | (true, b'p' | b'P'));
            if !(byte.is_ascii_alphanumeric() || byte == b'.' || is_sign) {
                break;
            }
            end += 1;
        }
        self.at = end;
        let text = &self.text[start..end];
        self.budget.digits(text.len(), self.base + start as u64)?;
        let number = literal::number(text).ok_or_else(|| {
            Error::data(ErrorKind::Syntax, self.base + start as u64)
                .seen(format!("`{text}`"))
                .expected("a number, such as 1, -1, 0x1f, 1.5 or 1e9")
        })?;
        let width = self.indicator()?;
        if width == Some(INDEFINITE) {
            return Err(self.wrong(self.at, "one of the encoding indicators _0, _1, _2, _3"));
        }
        self.count(start)?;
        let end = self.at;
        match number {
            Number::Whole(negative, magnitude) if self.peek() == Some(b'(') => {
                let Some(tag) = u64::try_from(&magnitude).ok().filter(|_| !negative) else {
                    return Err(self.wrong(start, "the number of a tag, below 2^64"));
                };
                self.at += 1;
                self.budget.enter(self.base + start as u64)?;
                self.place(start, self.at);
                self.head(TAG, tag, width, start)?;
                self.levels.push(Level::Tag);
                return Ok(Due::Value(false));
            }
            Number::Whole(negative, mut magnitude) => {
                if negative {
                    magnitude -= 1_u32;
                }
                self.place(start, end);
                match u64::try_from(&magnitude) {
                    Ok(small) => self.head(if negative { NEGATIVE } else { UINT }, small, width, start)?,
                    Err(_) if width.is_some() => return Err(self.wrong(start, "no encoding indicator: the number is a bignum")),
                    Err(_) => {
                        self.place(start, end);
                        let bytes = magnitude.to_bytes_be();
                        self.head(TAG, if negative { TAG_BIG_NEGATIVE } else { TAG_BIG }, None, start)?;
                        self.head(BYTES, bytes.len() as u64, None, start)?;
                        self.out().put(&bytes);
                    }
                }
            }
            Number::Float(value) => {
                self.place(start, end);
                self.float(value, width, start)?;
            }
        }
        Ok(Due::After)
    }

    /// Writes a float: the shortest, or that of `width`.
    fn float(&mut self, value: f64, width: Option<u8>, start: usize) -> Result<()> {
        let narrowest = narrowest(value);
        let info = width.map_or(narrowest, |width| 24 + width);
        if !(narrowest..=27).contains(&info) {
            let error = Error::data(ErrorKind::Syntax, self.base + start as u64).seen(format!("{value:?} in the encoding _{}", info - 24));
            return Err(error.expected("an encoding that holds the number").hint("_1 is a float of 16 bits, _2 of 32, _3 of 64"));
        }
        let out = self.out();
        match info {
            25 => out.tagged(FLOAT16, if value.is_nan() { 0x7e00 } else { wire::to_half(value as f32).unwrap_or(0) }.to_be_bytes()),
            26 => out.tagged(FLOAT32, if value.is_nan() { 0x7fc0_0000 } else { (value as f32).to_bits() }.to_be_bytes()),
            _ => out.tagged(FLOAT64, if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() }.to_be_bytes()),
        }
        Ok(())
    }

    /// Writes the float of the bytes in `float'…'`.
    fn odd_float(&mut self, digits: &str, start: usize) -> Result<Due> {
        self.place(start, self.at);
        if self.string.is_some() || matches!(self.levels.last(), Some(Level::Pieces(_))) {
            return Err(self.wrong(start, "a piece of a string"));
        }
        let bytes = literal::hex(digits).unwrap_or_default();
        let first = match bytes.len() {
            2 => FLOAT16,
            4 => FLOAT32,
            8 => FLOAT64,
            _ => return Err(self.wrong(start, "float'…' with 2, 4 or 8 bytes in hexadecimal digits")),
        };
        self.out().byte(first);
        self.out().put(&bytes);
        Ok(Due::After)
    }

    /// Reads a simple value.
    fn name(&mut self) -> Result<Due> {
        let start = self.at;
        let length = self.rest().bytes().take_while(u8::is_ascii_alphanumeric).count();
        self.at += length;
        let code = match &self.text[start..self.at] {
            "false" => FALSE,
            "true" => TRUE,
            "null" => NULL,
            "undefined" => NULL + 1,
            "simple" if self.eat("(") => {
                self.space()?;
                let from = self.at;
                self.at += self.rest().bytes().take_while(u8::is_ascii_digit).count();
                let code = self.text[from..self.at].parse::<u8>().ok().filter(|code| !(24..32).contains(code));
                let Some(code) = code else { return Err(self.wrong(from, "a number from 0 to 23, or from 32 to 255")) };
                self.space()?;
                if !self.eat(")") {
                    return Err(self.wrong(self.at, "`)`"));
                }
                self.count(start)?;
                self.place(start, self.at);
                self.head(SIMPLE_OR_FLOAT, code.into(), None, start)?;
                return Ok(Due::After);
            }
            _ if self.text[start..].starts_with("...") => {
                let error =
                    Error::data(ErrorKind::Syntax, self.base + start as u64).seen("`...`, which stands for parts that are left out");
                return Err(error.expected("the whole value"));
            }
            _ => return Err(self.wrong(start, "a value")),
        };
        self.count(start)?;
        self.place(start, self.at);
        self.out().byte(code);
        Ok(Due::After)
    }
}

/// Returns a head as long as `width` says, or `None` if that is too short.
fn head(major: u8, arg: u64, width: Option<u8>) -> Option<Vec<u8>> {
    let bytes = arg.to_be_bytes();
    let length = match width {
        None => return Some(Shortest::new(major, arg).as_bytes().to_vec()),
        Some(4) => return (arg < 24).then(|| vec![major << 5 | arg as u8]),
        Some(width) => 1 << width,
    };
    let (zeros, rest) = bytes.split_at(8 - length);
    let first = major << 5 | (24 + width.unwrap_or(0));
    zeros.iter().all(|byte| *byte == 0).then(|| [&[first], rest].concat())
}
