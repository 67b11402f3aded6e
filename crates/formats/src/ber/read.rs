//! Walks one encoding.

use polywire_core::bytes::Input;
use polywire_core::{Budget, Error, ErrorKind, Frame, Len, Next, Note, Open, Part, PartKind, Reader, Result, Scalar, Sink, Span, Str};

use super::frame::{Framer, is_end, stray_end};
use super::header::{Class, Header, Length, header};
use super::spaces::{APPLICATION, CONTEXT, NAME, PRIVATE, UNIVERSAL};
use super::universal::{self, BIT_STRING, Contents, Form, Leaf, OCTET_STRING, SEQUENCE, SET};

#[derive(Debug, Default)]
pub(super) struct BerReader {
    framer: Framer,
    levels: Vec<Level>,
    scratch: Scratch,
}

/// Memory that is reused from value to value.
#[derive(Debug, Default)]
struct Scratch {
    /// Text made of numbers and of other encodings.
    text: String,
    /// Strings joined from their segments.
    bytes: Vec<u8>,
}

impl Reader for BerReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        self.framer.frame(buf, base, eof).map_err(|error| error.format_is(NAME))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.levels.clear();
        let input = Input::new(msg, base);
        let walk = Walk { input, msg, base, size: msg.len(), sink, budget, levels: &mut self.levels, scratch: &mut self.scratch };
        walk.run().map_err(|error| error.format_is(NAME))
    }
}

/// A constructed encoding that was entered.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// Position after its contents if its length is definite, else that of the encoding around it.
    end: u64,
    indefinite: bool,
    /// Number of containers that were opened for it: a list, or a tag and the list in it.
    opened: u8,
    rule: Rule,
}

/// The rule that the values in a constructed encoding follow, beyond their own.
#[derive(Debug, Clone, Copy)]
enum Rule {
    None,
    /// Segments of a bit string; true after one with unused bits, which only the last may have
    /// (X.690 8.6.4).
    Segments(bool),
    /// Elements of a SET, which DER sorts.
    Set(Order),
}

/// The order of a SET's elements as far as it was read.
#[derive(Debug, Default, Clone, Copy)]
struct Order {
    /// Range of the last whole element.
    last: Option<(usize, usize)>,
    /// Start of the element that is being read.
    current: Option<usize>,
    /// True if an element was out of order.
    broken: bool,
}

impl Order {
    /// Ends the current element at `end`. Returns its range if it is the first one out of order.
    fn end(&mut self, message: &[u8], end: usize) -> Option<(usize, usize)> {
        let range = (self.current.take()?, end);
        let last = self.last.replace(range)?;
        if self.broken || in_order(&message[last.0..last.1], &message[range.0..range.1]) {
            return None;
        }
        self.broken = true;
        Some(range)
    }
}

/// Reports whether two elements of a SET are in the order of DER: by their encodings, as in a SET
/// OF (X.690 11.6), or by their tags, as in a SET (X.690 10.3).
fn in_order(first: &[u8], second: &[u8]) -> bool {
    let tag = |bytes: &[u8]| header(&mut Input::new(bytes, 0)).ok().map(|header| (bytes[0] >> 6, header.number));
    first <= second || tag(first) < tag(second)
}

struct Walk<'m, 'a> {
    input: Input<'m>,
    msg: &'m [u8],
    base: u64,
    size: usize,
    sink: &'a mut dyn Sink<'m>,
    budget: &'a mut Budget,
    levels: &'a mut Vec<Level>,
    scratch: &'a mut Scratch,
}

/// The sink's answer: more events, or none.
#[derive(PartialEq, Eq)]
enum Flow {
    On,
    Stop,
}

impl<'m> Walk<'m, '_> {
    fn run(mut self) -> Result<()> {
        loop {
            if self.value()? == Flow::Stop {
                return Ok(());
            }
            self.close_ended()?;
            if self.levels.is_empty() {
                break;
            }
        }
        match self.input.remaining() {
            0 => Ok(()),
            more => Err(Error::data(ErrorKind::Trailing, self.input.offset())
                .seen(format!("{more} more bytes"))
                .expected("the end of the message")),
        }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::at(self.base, start, end)
    }

    /// Returns the position at which the innermost level ends at the latest.
    fn limit(&self) -> u64 {
        self.levels.last().map_or(u64::MAX, |level| level.end)
    }

    /// Closes the levels that end here.
    fn close_ended(&mut self) -> Result<()> {
        while let Some(level) = self.levels.last().copied() {
            let start = self.input.pos();
            if level.indefinite {
                if !self.input.rest().starts_with(&[0, 0]) || start as u64 + 2 > level.end {
                    break;
                }
                self.input.seek(start + 2);
            } else if (start as u64) < level.end {
                break;
            }
            self.levels.pop();
            match level.rule {
                Rule::Set(mut order) => self.in_set(order.end(self.msg, start))?,
                Rule::Segments(true) => self.last_segment(),
                _ => {}
            }
            let end = self.input.pos();
            self.sink.close(self.span(start, end))?;
            self.budget.leave();
            if level.opened == 2 {
                self.sink.close(self.span(end, end))?;
                self.budget.leave();
            }
        }
        Ok(())
    }

    /// Remarks on an element of a SET that is out of order.
    fn in_set(&mut self, element: Option<(usize, usize)>) -> Result<()> {
        match element {
            Some((start, end)) => self.sink.note(Note::Coerced("an element of a SET out of the order of DER"), self.span(start, end)),
            None => Ok(()),
        }
    }

    /// Remembers that no segment may follow in the bit string around, if there is one.
    fn last_segment(&mut self) {
        if let Some(Level { rule: Rule::Segments(ended), .. }) = self.levels.last_mut() {
            *ended = true;
        }
    }

    /// Checks the value that starts at `start` by the rule of the encoding around it.
    fn check_rule(&mut self, header: &Header, start: usize) -> Result<()> {
        let at = self.base + start as u64;
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        match &mut level.rule {
            Rule::None => Ok(()),
            Rule::Segments(_) if header.class != Class::Universal || header.number != BIT_STRING => Err(Error::data(ErrorKind::Syntax, at)
                .seen("an encoding of another type")
                .expected("a segment of the BIT STRING (X.690 8.6.4)")),
            Rule::Segments(true) => Err(Error::data(ErrorKind::Syntax, at)
                .seen("a segment after one with unused bits")
                .expected("unused bits in the last segment only (X.690 8.6.4)")),
            Rule::Segments(false) => Ok(()),
            Rule::Set(order) => {
                let element = order.end(self.msg, start);
                order.current = Some(start);
                self.in_set(element)
            }
        }
    }

    /// Reads one encoding; of a constructed one, only the part before its contents.
    fn value(&mut self) -> Result<Flow> {
        let start = self.input.pos();
        let at = self.input.offset();
        self.budget.item(at)?;
        if let (0, Some(level)) = (self.input.remaining(), self.levels.last()) {
            return Err(if level.indefinite {
                Error::truncated(at, "a value or the end-of-contents octets")
            } else {
                self.cut_off(level.end)
            });
        }
        let header = header(&mut self.input)?;
        if is_end(&header) {
            return Err(stray_end(at));
        }
        let end = contents_end(&header, &self.input, self.limit(), at)?;
        self.check_rule(&header, start)?;
        if header.long_tag {
            self.sink
                .note(Note::Coerced("a tag number below 31 in more octets than needed"), self.span(start, start + header.identifier))?;
        }
        if header.long_length {
            self.sink
                .note(Note::Coerced("a length in more octets than needed"), self.span(start + header.identifier, start + header.size))?;
        }
        let form = if header.class == Class::Universal { universal::form(header.number) } else { Form::Unknown };
        let remark = match (form == Form::String && header.constructed, header.length == Length::Indefinite) {
            (true, true) => Some("not DER: segments of indefinite length"),
            (true, false) => Some("not DER: in segments"),
            (false, true) => Some("not DER: indefinite length"),
            (false, false) => None,
        };
        if let Some(remark) = remark {
            self.sink.note(Note::Coerced(remark), self.span(start, start + header.size))?;
        }
        match (form, header.constructed) {
            (Form::Primitive, true) | (Form::Constructed, false) => Err(Error::data(ErrorKind::Syntax, at)
                .seen(format!("a {} {}", if header.constructed { "constructed" } else { "primitive" }, universal::name(header.number)))
                .expected(format!("a {} one", if header.constructed { "primitive" } else { "constructed" }))),
            (Form::String, true) if header.number != BIT_STRING => self.segmented(header, start, end),
            (_, true) => self.constructed(header, start, end),
            (_, false) => self.primitive(header, start),
        }
    }

    /// Opens a constructed encoding: a SEQUENCE as a list, anything else as a tag around a list.
    fn constructed(&mut self, header: Header, start: usize, end: u64) -> Result<Flow> {
        let (tag_end, body) = (start + header.identifier, start + header.size);
        let plain = header.class == Class::Universal && header.number == SEQUENCE;
        if !plain {
            match self.open(tag(&header), self.span(start, tag_end))? {
                Next::Enter => {}
                Next::Skip => return self.skip(&header, end),
                Next::Stop => return Ok(Flow::Stop),
            }
        }
        let list_start = if plain { start } else { tag_end };
        match self.open(Open::List(Len::Unknown), self.span(list_start, body))? {
            Next::Enter => {
                let indefinite = header.length == Length::Indefinite;
                let rule = match (header.class, header.number) {
                    (Class::Universal, SET) => Rule::Set(Order::default()),
                    (Class::Universal, BIT_STRING) => Rule::Segments(false),
                    _ => Rule::None,
                };
                self.levels.push(Level { end, indefinite, opened: if plain { 1 } else { 2 }, rule });
                Ok(Flow::On)
            }
            Next::Skip => {
                self.skip(&header, end)?;
                if !plain {
                    let here = self.input.pos();
                    self.sink.close(self.span(here, here))?;
                    self.budget.leave();
                }
                Ok(Flow::On)
            }
            Next::Stop => Ok(Flow::Stop),
        }
    }

    /// Opens a container, within the budget if the sink enters it.
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        name_universal(self.sink, &open, at)?;
        let next = self.sink.open(open, at)?;
        if next == Next::Enter {
            self.budget.enter(at.start)?;
        }
        Ok(next)
    }

    /// Closes a container that ends by its length.
    fn close(&mut self) -> Result<()> {
        let end = self.input.pos();
        self.budget.leave();
        self.sink.close(self.span(end, end))
    }

    /// Steps over the contents.
    fn skip(&mut self, outer: &Header, end: u64) -> Result<Flow> {
        let mut open = 0u64;
        let (mut length, mut to) = (outer.length, end);
        loop {
            match length {
                Length::Indefinite => open += 1,
                Length::Definite(_) if to > self.size as u64 => return Err(self.cut_off(to)),
                Length::Definite(_) => self.input.seek(to as usize),
            }
            loop {
                if open == 0 {
                    return Ok(Flow::On);
                }
                let at = self.input.offset();
                let inner = header(&mut self.input)?;
                to = contents_end(&inner, &self.input, end, at)?;
                length = inner.length;
                if !is_end(&inner) {
                    break;
                }
                open -= 1;
            }
        }
    }

    #[cold]
    fn cut_off(&self, end: u64) -> Error {
        let missing = end.saturating_sub(self.size as u64);
        Error::truncated(self.base + self.size as u64, format!("{missing} more bytes of contents"))
    }

    fn primitive(&mut self, header: Header, start: usize) -> Result<Flow> {
        let Length::Definite(len) = header.length else { return Err(Error::internal("a primitive encoding of indefinite length")) };
        let what = if header.class == Class::Universal { universal::name(header.number) } else { "contents" };
        let content = self.input.take(len, what)?;
        let tag_end = start + header.identifier;
        if header.class != Class::Universal {
            let (at, value) = ([start, tag_end, self.input.pos()], Scalar::Bytes(Str::Input(content)));
            return tagged_scalar(self.sink, self.budget, tag(&header), self.base, at, value, None);
        }
        if header.number == BIT_STRING {
            return self.bits(&header, start, content);
        }
        let at = self.base + (start + header.size) as u64;
        let contents = Contents { at, budget: self.budget, scratch: &mut self.scratch.text };
        let Leaf { value, tagged, note } = universal::decode(header.number, Str::Input(content), contents)?;
        if !tagged {
            let at = Span::at(self.base, start, self.input.pos());
            if let Some(note) = note {
                self.sink.note(Note::Coerced(note), at)?;
            }
            self.sink.scalar(value, at)?;
            return Ok(Flow::On);
        }
        tagged_scalar(self.sink, self.budget, tag(&header), self.base, [start, tag_end, self.input.pos()], value, note)
    }

    /// Reads a bit string: the number of unused bits in the last octet, and the octets (X.690
    /// 8.6.2).
    fn bits(&mut self, header: &Header, start: usize, content: &'m [u8]) -> Result<Flow> {
        let body = start + header.size;
        let unused = match content {
            [unused @ 0..=7, rest @ ..] if *unused == 0 || !rest.is_empty() => *unused,
            _ => {
                let seen = content
                    .first()
                    .map_or("no contents octets".to_string(), |n| format!("{n} unused bits in {} octets", content.len() - 1));
                return Err(Error::data(ErrorKind::Syntax, self.base + body as u64)
                    .seen(seen)
                    .expected("a bit string: 0 to 7 unused bits, then octets (X.690 8.6.2)"));
            }
        };
        if unused > 0 {
            self.last_segment();
            let last = self.input.pos() - 1;
            if content.last().is_some_and(|octet| octet & ((1 << unused) - 1) != 0) {
                self.sink.note(Note::Coerced("unused bits that are not 0, which DER forbids"), self.span(last, last + 1))?;
            }
        }
        match self.open(tag(header), self.span(start, start + header.identifier))? {
            Next::Enter => {}
            Next::Skip => return Ok(Flow::On),
            Next::Stop => return Ok(Flow::Stop),
        }
        match self.open(Open::Tuple(Len::Claimed(2)), self.span(start + header.identifier, body))? {
            Next::Enter => {
                self.sink.scalar(Scalar::uint(u64::from(unused)), self.span(body, body + 1))?;
                self.sink.scalar(Scalar::Bytes(Str::Input(&content[1..])), self.span(body + 1, self.input.pos()))?;
                self.close()?;
            }
            Next::Skip => {}
            Next::Stop => return Ok(Flow::Stop),
        }
        self.close()?;
        Ok(Flow::On)
    }

    /// Reads a string in segments: octets part by part; text is joined first.
    fn segmented(&mut self, header: Header, start: usize, end: u64) -> Result<Flow> {
        let mut segments = Segments { levels: Vec::new(), number: header.number };
        segments.enter(self, &header, end, start)?;
        if header.number == OCTET_STRING {
            return self.parts(segments, start);
        }
        self.scratch.bytes.clear();
        while let Some(segment) = segments.next(self)? {
            self.budget.decode(segment.len() as u64, self.input.offset())?;
            self.scratch.bytes.extend_from_slice(segment);
        }
        let (body, tag_end, stop) = (start + header.size, start + header.identifier, self.input.pos());
        let contents = Contents { at: self.base + body as u64, budget: self.budget, scratch: &mut self.scratch.text };
        let Leaf { value, tagged, note } = universal::decode(header.number, Str::Scratch(&self.scratch.bytes), contents)?;
        if tagged {
            return tagged_scalar(self.sink, self.budget, tag(&header), self.base, [start, tag_end, stop], value, note);
        }
        let at = Span::at(self.base, start, stop);
        if let Some(note) = note {
            self.sink.note(Note::Coerced(note), at)?;
        }
        self.sink.scalar(value, at)?;
        Ok(Flow::On)
    }

    fn parts(&mut self, mut segments: Segments, start: usize) -> Result<Flow> {
        let part = |bytes, last| Part { bytes, kind: PartKind::Bytes, total: None, last };
        // A segment is passed on once the next is known, because the last part is marked as such.
        let mut waiting: Option<(&[u8], usize)> = None;
        let mut from = start;
        while let Some(segment) = segments.next(self)? {
            if let Some((bytes, to)) = waiting.replace((segment, self.input.pos())) {
                self.sink.part(part(bytes, false), self.span(from, to))?;
                from = to;
            }
        }
        let at = self.span(from, self.input.pos());
        match waiting {
            Some((bytes, _)) => self.sink.part(part(bytes, true), at)?,
            None => self.sink.scalar(Scalar::Bytes(Str::Input(&[])), at)?,
        }
        Ok(Flow::On)
    }
}

/// Emits a scalar in a tag: the tag spans the identifier octets, the scalar the length and
/// contents.
fn tagged_scalar<'m>(
    sink: &mut dyn Sink<'m>,
    budget: &mut Budget,
    tag: Open<'_>,
    base: u64,
    [start, tag_end, end]: [usize; 3],
    value: Scalar<'m, '_>,
    note: Option<&'static str>,
) -> Result<Flow> {
    let at = Span::at(base, start, tag_end);
    name_universal(sink, &tag, at)?;
    match sink.open(tag, at)? {
        Next::Enter => {}
        Next::Skip => return Ok(Flow::On),
        Next::Stop => return Ok(Flow::Stop),
    }
    budget.enter(base + start as u64)?;
    let at = Span::at(base, tag_end, end);
    if let Some(note) = note {
        sink.note(Note::Coerced(note), at)?;
    }
    sink.scalar(value, at)?;
    budget.leave();
    sink.close(Span::at(base, end, end))?;
    Ok(Flow::On)
}

/// Notes the type of a universal tag.
fn name_universal<'m>(sink: &mut dyn Sink<'m>, open: &Open<'_>, at: Span) -> Result<()> {
    match *open {
        Open::Tagged { space: UNIVERSAL, code } => sink.note(Note::Coerced(universal::name(code)), at),
        _ => Ok(()),
    }
}

fn tag(header: &Header) -> Open<'static> {
    let space = match header.class {
        Class::Universal => UNIVERSAL,
        Class::Application => APPLICATION,
        Class::Context => CONTEXT,
        Class::Private => PRIVATE,
    };
    Open::Tagged { space, code: header.number }
}

/// Returns the position after the contents if the length is definite, else `limit`. Returns an
/// error if that is outside of the encoding around it.
fn contents_end(header: &Header, input: &Input<'_>, limit: u64, at: u64) -> Result<u64> {
    let body = input.pos() as u64;
    let end = match header.length {
        Length::Indefinite => limit,
        // An end beyond 64 bits is beyond the end of all bytes.
        Length::Definite(len) => body.saturating_add(len),
    };
    if end > limit || body > limit {
        let left = limit.saturating_sub(body - header.size as u64);
        let size = (header.size as u64).saturating_add(end.saturating_sub(body));
        return Err(Error::data(ErrorKind::Syntax, at)
            .seen(format!("an encoding of {size} bytes where the encoding around it has {left} left"))
            .expected("an encoding that ends within it"));
    }
    Ok(end)
}

/// The segments of a constructed string (X.690 8.7.3), which may have segments themselves.
struct Segments {
    levels: Vec<(u64, bool)>,
    number: u64,
}

impl Segments {
    fn enter(&mut self, walk: &mut Walk<'_, '_>, header: &Header, end: u64, start: usize) -> Result<()> {
        walk.budget.enter(walk.base + start as u64)?;
        self.levels.push((end, header.length == Length::Indefinite));
        Ok(())
    }

    fn next<'m>(&mut self, walk: &mut Walk<'m, '_>) -> Result<Option<&'m [u8]>> {
        while let Some((end, indefinite)) = self.levels.last().copied() {
            let start = walk.input.pos();
            let ended = if indefinite {
                let ended = walk.input.rest().starts_with(&[0, 0]) && start as u64 + 2 <= end;
                walk.input.seek(start + if ended { 2 } else { 0 });
                ended
            } else {
                start as u64 >= end
            };
            if ended {
                self.levels.pop();
                walk.budget.leave();
                continue;
            }
            let at = walk.input.offset();
            walk.budget.item(at)?;
            let header = header(&mut walk.input)?;
            if header.class != Class::Universal || (header.number != OCTET_STRING && header.number != self.number) {
                return Err(Error::data(ErrorKind::Syntax, at)
                    .seen("an encoding of another type")
                    .expected(format!("a segment of the {} (X.690 8.7.3)", universal::name(self.number))));
            }
            let end = contents_end(&header, &walk.input, end, at)?;
            match header.length {
                Length::Definite(len) if !header.constructed => return walk.input.take(len, "a segment").map(Some),
                _ => self.enter(walk, &header, end, start)?,
            }
        }
        Ok(None)
    }
}
