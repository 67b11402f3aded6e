//! Translates the parser's events into those of a walk.

use std::borrow::Cow;
use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use num_bigint::BigUint;
use polywire_core::value::lexical::is_number;
use polywire_core::{
    Budget, Error, ErrorKind, Field, Frame, Hint, Len, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Spelling, Str,
};
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Tag};

use super::frame::{BOM, Framer};
use super::places::Places;
use super::plain::{self, Plain};
use super::remarks;

const NAME: &str = "yaml";

/// Values that the aliases of one message may stand for, and values per byte of the message beyond
/// that. The general limits bound the work on a message; ten short lines of aliases reach them, and
/// nobody writes such lines on purpose.
const ALIASED: u64 = 100_000;
const ALIASED_PER_BYTE: u64 = 10;

/// Prefix of the names of the types that YAML itself defines (YAML 1.2.2 section 10).
const CORE: &str = "tag:yaml.org,2002:";

/// Reads YAML.
#[derive(Debug, Default)]
pub struct YamlReader {
    framer: Framer,
}

impl Reader for YamlReader {
    fn frame(&mut self, buf: &[u8], _: u64, eof: bool) -> Result<Frame> {
        Ok(self.framer.frame(buf, eof))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        let bom = if msg.starts_with(BOM) { BOM.len() } else { 0 };
        let walked = match simdutf8::compat::from_utf8(&msg[bom..]) {
            Ok(text) => Walk::new(text, base + bom as u64, sink, budget).message(),
            Err(error) => {
                let at = bom + error.valid_up_to();
                let wide = msg.starts_with(b"\xff\xfe") || msg.starts_with(b"\xfe\xff");
                let error =
                    Error::data(ErrorKind::Encoding, base + at as u64).seen(format!("byte 0x{:02x}", msg[at])).expected("UTF-8 text");
                Err(if wide { error.hint("this looks like UTF-16: convert it to UTF-8 first") } else { error })
            }
        };
        walked.map_err(|error| error.format_is(NAME))
    }
}

/// A container that is open.
#[derive(Debug, Clone, Copy)]
struct Level {
    is_map: bool,
    /// True in maps while the value of a key is due.
    value_due: bool,
    /// True in brackets or braces.
    flow: bool,
}

/// A scalar that may outlive its event.
#[derive(Debug, Clone)]
enum Kept<'m> {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    F64(f64),
    /// A float with its digits.
    Spelled(f64, Spelling<'m>),
    Big(Cow<'m, str>),
    Decimal(Cow<'m, str>),
    Text(Cow<'m, str>),
    Bytes(Vec<u8>),
}

impl<'m> Kept<'m> {
    fn scalar(&self) -> Scalar<'m, '_> {
        match self {
            Kept::Null => Scalar::Null,
            Kept::Bool(value) => Scalar::Bool(*value),
            Kept::Int(value) => Scalar::int(*value),
            Kept::UInt(value) => Scalar::uint(*value),
            Kept::F64(value) => Scalar::f64(*value),
            Kept::Spelled(value, spelling) => Scalar::F64(*value, Hint::new(spelling)),
            Kept::Big(text) => Scalar::big(shared(text)),
            Kept::Decimal(text) => Scalar::decimal(shared(text)),
            Kept::Text(text) => Scalar::Text(shared(text)),
            Kept::Bytes(bytes) => Scalar::Bytes(Str::Scratch(bytes)),
        }
    }

    /// Returns the bytes that were made for it.
    fn made(&self) -> usize {
        match self {
            Kept::Big(Cow::Owned(text)) | Kept::Decimal(Cow::Owned(text)) | Kept::Text(Cow::Owned(text)) => text.len(),
            Kept::Bytes(bytes) => bytes.len(),
            _ => 0,
        }
    }
}

fn shared<'m, 's>(text: &'s Cow<'m, str>) -> Str<'m, 's, str> {
    match text {
        Cow::Borrowed(text) => Str::Input(text),
        Cow::Owned(text) => Str::Scratch(text),
    }
}

/// The contents of values that have an anchor, in order.
#[derive(Debug)]
enum Taped<'m> {
    Open { is_map: bool },
    Scalar(Kept<'m>),
    Close,
    Alias(usize),
}

/// The sink stopped the walk.
struct Stopped;

struct Walk<'m, 'r> {
    text: &'m str,
    base: u64,
    sink: &'r mut dyn Sink<'m>,
    budget: &'r mut Budget,
    places: Places<'m>,
    /// Everything before this is emitted.
    pos: usize,
    levels: Vec<Level>,
    /// Number of levels below which a value must end before events are emitted again.
    muted: Option<usize>,
    tape: Vec<Taped<'m>>,
    /// Place of each anchor's value on the tape; without an end while it is open.
    anchors: HashMap<usize, (usize, Option<usize>)>,
    /// Anchors whose value is open, and the level that it opened at.
    open_anchors: Vec<(usize, usize)>,
    /// Number of values that aliases stood for.
    aliased: u64,
}

impl<'m, 'r> Walk<'m, 'r> {
    fn new(text: &'m str, base: u64, sink: &'r mut dyn Sink<'m>, budget: &'r mut Budget) -> Self {
        Walk {
            text,
            base,
            sink,
            budget,
            places: Places::new(text),
            pos: 0,
            levels: Vec::new(),
            muted: None,
            tape: Vec::new(),
            anchors: HashMap::new(),
            open_anchors: Vec::new(),
            aliased: 0,
        }
    }

    fn message(&mut self) -> Result<()> {
        let mut parser = Parser::new_from_str(self.text);
        let mut documents = 0;
        while let Some(event) = parser.next_event() {
            let (event, span) = event.map_err(|error| self.syntax(&error))?;
            let start = self.places.byte(span.start.index()).max(self.pos);
            let end = self.places.byte(span.end.index()).max(start);
            let outcome = match event {
                Event::Nothing | Event::StreamStart | Event::DocumentEnd => Ok(()),
                Event::StreamEnd => {
                    self.remarks(self.text.len())?;
                    break;
                }
                Event::DocumentStart(explicit) => {
                    documents += 1;
                    if documents > 1 {
                        return Err(Error::data(ErrorKind::Trailing, self.at(start))
                            .seen("another document")
                            .expected("the end of the message"));
                    }
                    self.remarks(start)?;
                    if explicit {
                        self.pos = end;
                    }
                    Ok(())
                }
                Event::Alias(id) => {
                    self.remarks(start)?;
                    self.pos = end;
                    self.alias(id, Span::at(self.base, start, end))?
                }
                Event::Scalar(text, style, anchor, tag) => self.written(text, style, anchor, tag.as_deref(), start, end)?,
                Event::SequenceStart(anchor, tag) => self.container(false, anchor, tag.as_deref(), start, end)?,
                Event::MappingStart(anchor, tag) => self.container(true, anchor, tag.as_deref(), start, end)?,
                Event::SequenceEnd | Event::MappingEnd => self.end(start, end)?,
            };
            if let Err(Stopped) = outcome {
                return Ok(());
            }
        }
        if documents == 0 {
            return Err(Error::truncated(self.at(self.text.len()), "a document"));
        }
        Ok(())
    }

    fn at(&self, pos: usize) -> u64 {
        self.base + pos as u64
    }

    #[cold]
    fn syntax(&self, error: &ScanError) -> Error {
        let at = self.at(self.places.byte(error.marker().index()));
        let info = error.info().to_string();
        if info.contains("recursion limit") {
            return Error::data(ErrorKind::Limit, at)
                .seen("more than 255 nested containers in brackets or braces")
                .hint("write the outer ones as indented blocks");
        }
        Error::data(ErrorKind::Syntax, at).seen(info)
    }

    /// Emits the comments and directives up to `end`.
    fn remarks(&mut self, end: usize) -> Result<()> {
        while let Some((note, from, to)) = remarks::next(self.text, self.pos, end) {
            self.note(note, Span::at(self.base, from, to))?;
            self.pos = to;
        }
        self.pos = self.pos.max(end);
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        if self.muted.is_none() { self.sink.note(note, at) } else { Ok(()) }
    }

    /// Emits the comments in `from..to`, inside of a value that is emitted as one event.
    fn inner_remarks(&mut self, mut from: usize, to: usize) -> Result<()> {
        let outer = Span::at(self.base, self.pos, self.pos);
        while let Some((note, _, end)) = remarks::next(self.text, from, to) {
            self.note(note, outer)?;
            from = end;
        }
        Ok(())
    }

    /// Emits the properties before a value that has an anchor or a tag; returns the start of the
    /// value itself.
    fn properties(&mut self, anchor: usize, tag: Option<&Tag>, known: &[&str], start: usize, end: usize) -> Result<usize> {
        self.remarks(start)?;
        if anchor == 0 && tag.is_none() {
            return Ok(start);
        }
        let inner = remarks::after_properties(self.text.as_bytes(), start, end);
        self.inner_remarks(start, inner)?;
        if let Some(tag) = tag
            && !known.contains(&core_name(tag))
        {
            let text = format!("{}{}", tag.handle, tag.suffix);
            self.note(Note::Directive(&text), Span::at(self.base, start, start))?;
        }
        Ok(inner)
    }

    fn container(&mut self, is_map: bool, anchor: usize, tag: Option<&Tag>, start: usize, end: usize) -> Result<Result<(), Stopped>> {
        self.properties(anchor, tag, if is_map { &["map"] } else { &["seq"] }, start, end)?;
        let flow = end > start && matches!(self.text.as_bytes()[end - 1], b'[' | b'{');
        let end = if flow || anchor != 0 || tag.is_some() { end } else { start };
        self.pos = end;
        self.anchor(anchor);
        self.tape(|| Taped::Open { is_map });
        self.open(is_map, flow, Span::at(self.base, start, end))
    }

    fn end(&mut self, start: usize, end: usize) -> Result<Result<(), Stopped>> {
        let flow = self.levels.last().is_some_and(|level| level.flow);
        let span = if flow {
            self.remarks(start)?;
            self.pos = end;
            Span::at(self.base, start, end)
        } else {
            // It ends with its contents; the parser reports the end at the next token.
            Span::at(self.base, self.pos, self.pos)
        };
        self.tape(|| Taped::Close);
        self.close(span)?;
        self.anchored();
        Ok(Ok(()))
    }

    fn written(
        &mut self,
        text: Cow<'m, str>,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        start: usize,
        end: usize,
    ) -> Result<Result<(), Stopped>> {
        let missing = text.is_empty() && style == ScalarStyle::Plain && anchor == 0 && tag.is_none();
        let mut text = text;
        let span = if missing {
            // Its place is that of the next token.
            Span::at(self.base, self.pos, self.pos)
        } else {
            let in_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
            let bytes = self.text.as_bytes();
            // The parser counts the header of a block only if something precedes it.
            let start = if in_block && anchor == 0 && tag.is_none() { remarks::block_header(bytes, self.pos, start) } else { start };
            let inner = self.properties(anchor, tag, &["str", "int", "float", "bool", "null", "binary", "!"], start, end)?;
            self.pos = start;
            if in_block {
                let header = remarks::line_end(bytes, inner, end);
                self.inner_remarks(inner, header)?;
            }
            self.pos = end;
            // The parser copies most scalars, also those that stand in the message as they are.
            if style == ScalarStyle::Plain
                && let Some(lent) = self.text.get(inner..inner + text.len()).filter(|lent| *lent == text)
            {
                text = Cow::Borrowed(lent);
            }
            Span::at(self.base, start, end)
        };
        self.budget.decode(if matches!(text, Cow::Owned(_)) { text.len() as u64 } else { 0 }, span.start)?;
        let kept = self.resolve(text, style, tag, span.start)?;
        self.anchor(anchor);
        let outcome = self.scalar(&kept, span)?;
        self.tape(|| Taped::Scalar(kept));
        self.anchored();
        Ok(outcome)
    }

    fn resolve(&self, text: Cow<'m, str>, style: ScalarStyle, tag: Option<&Tag>, at: u64) -> Result<Kept<'m>> {
        let wrong = |expected: &'static str| {
            let shown: String = text.chars().take(40).collect();
            Err(Error::data(ErrorKind::Syntax, at).seen(format!("{shown:?}")).expected(expected))
        };
        let plain = plain::classify(&text);
        match tag.map(core_name) {
            Some("str" | "!") => return Ok(Kept::Text(text)),
            Some("binary") => {
                let digits: String = text.chars().filter(|char| !char.is_ascii_whitespace()).collect();
                return match STANDARD.decode(&digits) {
                    Ok(bytes) => Ok(Kept::Bytes(bytes)),
                    Err(_) => wrong("base64 after the tag !!binary"),
                };
            }
            Some("null") if plain != Plain::Null => return wrong("null after the tag !!null"),
            Some("bool") if !matches!(plain, Plain::Bool(_)) => return wrong("true or false after the tag !!bool"),
            Some("int") if !matches!(plain, Plain::Int { .. }) => return wrong("a whole number after the tag !!int"),
            Some("float") => match plain {
                Plain::Int { base: 10, .. } => {
                    self.budget.digits(text.len(), at)?;
                    return Ok(float(&text));
                }
                Plain::Float | Plain::Special(_) => {}
                _ => return wrong("a number after the tag !!float"),
            },
            Some("null" | "bool" | "int") => {}
            _ if style != ScalarStyle::Plain => return Ok(Kept::Text(text)),
            _ => {}
        }
        Ok(match plain {
            Plain::Null => Kept::Null,
            Plain::Bool(value) => Kept::Bool(value),
            Plain::Special(special) => Kept::F64(special.value()),
            Plain::Float => {
                self.budget.digits(text.len(), at)?;
                float(&text)
            }
            Plain::Int { negative, digits, base } => {
                self.budget.digits(digits.len(), at)?;
                integer(negative, digits, base)
            }
            Plain::Text => Kept::Text(text),
        })
    }

    /// Starts the value of an anchor.
    fn anchor(&mut self, anchor: usize) {
        if anchor != 0 {
            self.anchors.insert(anchor, (self.tape.len(), None));
            self.open_anchors.push((anchor, self.levels.len()));
        }
    }

    /// Ends a value, which may be that of an anchor.
    fn anchored(&mut self) {
        if let Some(&(anchor, level)) = self.open_anchors.last()
            && level == self.levels.len()
        {
            self.open_anchors.pop();
            if let Some((_, end)) = self.anchors.get_mut(&anchor) {
                *end = Some(self.tape.len());
            }
        }
    }

    fn tape(&mut self, taped: impl FnOnce() -> Taped<'m>) {
        if !self.open_anchors.is_empty() {
            self.tape.push(taped());
        }
    }

    /// Emits the value of `anchor` once more.
    fn alias(&mut self, anchor: usize, span: Span) -> Result<Result<(), Stopped>> {
        let most = ALIASED + ALIASED_PER_BYTE * self.text.len() as u64;
        let tape = std::mem::take(&mut self.tape);
        let outcome = self.replay(&tape, anchor, span, most);
        self.tape = tape;
        let outcome = outcome?;
        self.tape(|| Taped::Alias(anchor));
        Ok(outcome)
    }

    fn replay(&mut self, tape: &[Taped<'m>], anchor: usize, span: Span, most: u64) -> Result<Result<(), Stopped>> {
        let range = |walk: &Self, anchor| match walk.anchors.get(&anchor) {
            Some(&(from, Some(to))) => Ok((from, to)),
            _ => Err(Error::data(ErrorKind::Syntax, span.start)
                .seen("an alias inside of the value that it names")
                .hint("a value that holds itself has no end")),
        };
        let mut ranges = vec![range(self, anchor)?];
        let mut at = span;
        while let Some((from, to)) = ranges.last_mut() {
            if from == to {
                ranges.pop();
                continue;
            }
            let taped = &tape[*from];
            *from += 1;
            self.aliased += 1;
            if self.aliased > most {
                return Err(Error::data(ErrorKind::Limit, span.start)
                    .seen(format!("aliases that stand for more than {most} values"))
                    .hint("if the message is not hostile, write its aliases out"));
            }
            let outcome = match taped {
                Taped::Open { is_map } => self.open(*is_map, false, at)?,
                Taped::Scalar(kept) => {
                    self.budget.decode(kept.made() as u64, span.start)?;
                    self.scalar(kept, at)?
                }
                Taped::Close => {
                    self.close(at)?;
                    Ok(())
                }
                Taped::Alias(anchor) => {
                    let range = range(self, *anchor)?;
                    ranges.push(range);
                    continue;
                }
            };
            if outcome.is_err() {
                return Ok(outcome);
            }
            // The contents are not on the wire here.
            at = Span::new(span.end, span.end);
        }
        Ok(Ok(()))
    }

    /// Prepares for a value; returns true if it is the key of a map.
    fn before(&mut self) -> bool {
        match self.levels.last_mut() {
            Some(level) if level.is_map => {
                level.value_due = !level.value_due;
                level.value_due
            }
            _ => false,
        }
    }

    /// Ends a value.
    fn after(&mut self) {
        if self.muted == Some(self.levels.len()) {
            self.muted = None;
        }
    }

    fn open(&mut self, is_map: bool, flow: bool, at: Span) -> Result<Result<(), Stopped>> {
        self.budget.enter(at.start)?;
        self.budget.item(at.start)?;
        self.before();
        if self.muted.is_none() {
            match self.sink.open(if is_map { Open::Map(Len::Unknown) } else { Open::List(Len::Unknown) }, at)? {
                Next::Enter => {}
                Next::Skip => self.muted = Some(self.levels.len()),
                Next::Stop => return Ok(Err(Stopped)),
            }
        }
        self.levels.push(Level { is_map, value_due: false, flow });
        Ok(Ok(()))
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.levels.pop();
        self.budget.leave();
        if self.muted.is_none() {
            self.sink.close(at)?;
        }
        self.after();
        Ok(())
    }

    fn scalar(&mut self, kept: &Kept<'m>, at: Span) -> Result<Result<(), Stopped>> {
        self.budget.item(at.start)?;
        let is_key = self.before();
        if self.muted.is_some() {
            if !is_key {
                self.after();
            }
            return Ok(Ok(()));
        }
        if is_key && let Kept::Text(name) = kept {
            match self.sink.field(Field::named(shared(name)), at)? {
                Next::Enter => {}
                Next::Skip => self.muted = Some(self.levels.len()),
                Next::Stop => return Ok(Err(Stopped)),
            }
            return Ok(Ok(()));
        }
        self.sink.scalar(kept.scalar(), at)?;
        Ok(Ok(()))
    }
}

/// Returns the name of a type that YAML itself defines, `!` for plain text, or an empty name for
/// other tags.
fn core_name(tag: &Tag) -> &str {
    if tag.handle == CORE {
        &tag.suffix
    } else if tag.handle.is_empty() {
        if tag.suffix == "!" { "!" } else { tag.suffix.strip_prefix(CORE).unwrap_or_default() }
    } else {
        ""
    }
}

fn float<'m>(text: &Cow<'m, str>) -> Kept<'m> {
    if let Plain::Special(special) = plain::classify(text) {
        return Kept::F64(special.value());
    }
    let mut json = String::new();
    let digits = match text {
        Cow::Borrowed(text) if is_number(text) => Some(*text),
        _ => None,
    };
    match (plain::float(text, &mut json), digits) {
        (Some(value), Some(digits)) => Kept::Spelled(value, Spelling::digits(digits)),
        (Some(value), None) => Kept::F64(value),
        (None, Some(digits)) => Kept::Decimal(Cow::Borrowed(digits)),
        (None, None) => Kept::Decimal(Cow::Owned(json)),
    }
}

fn integer<'m>(negative: bool, digits: &str, base: u32) -> Kept<'m> {
    if let Ok(value) = u64::from_str_radix(digits, base) {
        if !negative {
            return Kept::UInt(value);
        }
        if let Some(value) = 0i64.checked_sub_unsigned(value) {
            return if value < 0 { Kept::Int(value) } else { Kept::UInt(0) };
        }
    }
    let digits = match base {
        10 => digits.trim_start_matches('0').to_string(),
        _ => BigUint::parse_bytes(digits.as_bytes(), base).unwrap_or_default().to_string(),
    };
    Kept::Big(Cow::Owned(if negative { format!("-{digits}") } else { digits }))
}
