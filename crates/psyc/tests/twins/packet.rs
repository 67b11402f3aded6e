//! The parser of packets against its plain twin: the grammar, read from a whole input by the
//! shortest code that does.

use polywire_psyc::packet::State;
use polywire_psyc::wire::parse::{ParseState, step, step_within};
use polywire_psyc::wire::{Code, Limits, Mode, PacketStep, Parser, is_keyword_byte, is_operator};

/// The items after joining parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    Routing(u8, Vec<u8>, Vec<u8>),
    State(u8),
    Entity(u8, Vec<u8>, Vec<u8>, Option<usize>),
    Body(Vec<u8>, Vec<u8>),
    Complete(Option<usize>),
    /// The input ended inside a sized value, or sized data; what was there of it.
    Partial(Vec<u8>),
    Error(i32),
    /// The input ended.
    More,
}

struct Twin<'a> {
    input: &'a [u8],
    mode: Mode,
    limits: Limits,
    events: Vec<Event>,
}

/// Why no event follows.
struct Stop;

#[derive(Clone, Copy)]
struct Bound {
    end: usize,
    code: i32,
}

const UNBOUNDED: Bound = Bound { end: usize::MAX, code: 0 };

impl Twin<'_> {
    fn more<T>(&mut self) -> Result<T, Stop> {
        self.events.push(Event::More);
        Err(Stop)
    }

    fn error<T>(&mut self, code: i32) -> Result<T, Stop> {
        self.events.push(Event::Error(code));
        Err(Stop)
    }

    fn byte(&mut self, at: usize, bound: Bound) -> Result<u8, Stop> {
        if at >= bound.end {
            return self.error(bound.code);
        }
        match self.input.get(at) {
            Some(byte) => Ok(*byte),
            None => self.more(),
        }
    }

    fn expect(&mut self, at: usize, byte: u8, code: i32) -> Result<usize, Stop> {
        if self.byte(at, UNBOUNDED)? == byte { Ok(at + 1) } else { self.error(code) }
    }

    fn end_mark(&mut self, at: usize) -> Result<usize, Stop> {
        let at = self.expect(at, b'|', -8)?;
        self.expect(at, b'\n', -8)
    }

    fn digits(&mut self, mut at: usize, bound: Bound, code: i32) -> Result<(u128, usize), Stop> {
        let mut size = 0;
        while self.input.get(at).is_some_and(u8::is_ascii_digit) {
            size = size * 10 + u128::from(self.byte(at, bound)? - b'0');
            if size > self.limits.size as u128 {
                return self.error(code);
            }
            at += 1;
        }
        Ok((size, at))
    }

    /// A keyword; the byte behind it has to be there.
    fn keyword(&mut self, mut at: usize, bound: Bound) -> Result<usize, Stop> {
        while is_keyword_byte(self.byte(at, bound)?) {
            at += 1;
        }
        Ok(at)
    }

    /// A line up to its LF.
    fn line(&mut self, start: usize, bound: Bound, entity: bool) -> Result<usize, Stop> {
        let operator = self.byte(start, bound)?;
        let end = self.keyword(start + 1, bound)?;
        if end == start + 1 {
            return self.error(-3);
        }
        let name = self.input[start + 1..end].to_vec();
        match self.input[end] {
            b'\t' => {
                let mut at = end + 1;
                while self.byte(at, bound)? != b'\n' {
                    if at - end > self.limits.value {
                        return self.error(-10);
                    }
                    at += 1;
                }
                let value = self.input[end + 1..at].to_vec();
                self.events.push(if entity { Event::Entity(operator, name, value, None) } else { Event::Routing(operator, name, value) });
                Ok(at)
            }
            b' ' if entity => {
                let (size, at) = self.digits(end + 1, bound, -5)?;
                let after = self.byte(at, bound)?;
                if at == end + 1 {
                    return self.error(-5);
                }
                if after != b'\t' {
                    return self.error(-4);
                }
                let size = size as usize;
                let value = at + 1;
                if bound.end != usize::MAX && value + size + 1 > bound.end {
                    return self.error(bound.code);
                }
                if self.input.len() - value < size {
                    self.events.push(Event::Partial(self.input[value..].to_vec()));
                    return self.more();
                }
                self.events.push(Event::Entity(operator, name, self.input[value..value + size].to_vec(), Some(size)));
                Ok(value + size)
            }
            _ => self.error(-4),
        }
    }

    /// Data of a size.
    fn sized(&mut self, method: &[u8], at: usize, size: usize) -> Result<usize, Stop> {
        if self.input.len() - at < size {
            self.events.push(Event::Partial(self.input[at..].to_vec()));
            return self.more();
        }
        self.events.push(Event::Body(method.to_vec(), self.input[at..at + size].to_vec()));
        Ok(at + size)
    }

    /// Data up to a delimiter, whose first LF lies within the bound and not before `from`; and
    /// where its bar is.
    fn delimited(&mut self, method: &[u8], data: usize, from: usize, keep_lf: usize, bound: Bound) -> Result<usize, Stop> {
        match (from..self.input.len()).find(|at| self.input[*at..].starts_with(b"\n|\n")) {
            Some(end) if end < bound.end => {
                self.events.push(Event::Body(method.to_vec(), self.input[data..(end + keep_lf).max(data)].to_vec()));
                Ok(end + 1)
            }
            _ if bound.end != usize::MAX && self.input.len() >= bound.end + 2 => self.error(-9),
            _ => self.more(),
        }
    }

    /// Returns the bytes between the routing header and the end mark, and the place of the end
    /// mark.
    fn content(&mut self, start: usize, size: Option<usize>) -> Result<usize, Stop> {
        let alone = self.mode == Mode::Content;
        let bound = match size {
            Some(size) => Bound { end: start.saturating_add(size), code: -2 },
            None if alone || self.limits.content == usize::MAX => UNBOUNDED,
            None => Bound { end: start + self.limits.content, code: -9 },
        };
        let mut at = start;
        loop {
            if alone && at + 1 >= self.input.len() {
                return Ok(self.input.len());
            }
            if at > start {
                at = self.expect(at, b'\n', -6)?;
            }
            if size.is_some() && at == bound.end {
                return Ok(at);
            }
            let byte = self.byte(at, UNBOUNDED)?;
            if is_operator(byte) {
                if at == start && matches!(byte, b'=' | b'?') && self.byte(at, bound)? == byte && self.byte(at + 1, bound)? == b'\n' {
                    self.events.push(Event::State(byte));
                    at += 1;
                } else {
                    at = self.line(at, bound, true)?;
                }
            } else if is_keyword_byte(byte) {
                let end = self.keyword(at, bound)?;
                if self.input[end] != b'\n' {
                    return self.error(-7);
                }
                let method = self.input[at..end].to_vec();
                let data = end + 1;
                if alone {
                    let end = (self.input.len() - 1).max(data);
                    self.sized(&method, data, end - data)?;
                    return Ok(self.input.len());
                }
                let Some(_) = size else { return self.delimited(&method, data, end, 0, bound) };
                let left = bound.end - data;
                at = self.sized(&method, data, left.saturating_sub(1))?;
                return if left > 0 { self.expect(at, b'\n', -8) } else { Ok(at) };
            } else if byte == b'|' && size.is_none() && !alone {
                return Ok(at);
            } else {
                return self.error(-8);
            }
        }
    }

    fn opaque(&mut self, start: usize, size: Option<usize>) -> Result<usize, Stop> {
        if let Some(size) = size {
            return self.sized(b"", start, size);
        }
        // The LF before the content may be that of the delimiter.
        let bound = match self.limits.content {
            usize::MAX => UNBOUNDED,
            limit => Bound { end: start + limit, code: -9 },
        };
        let rest = &self.input[start..];
        if rest.starts_with(b"|\n") {
            self.events.push(Event::Body(Vec::new(), Vec::new()));
            return Ok(start);
        }
        if rest.is_empty() || rest == b"|" {
            return self.more();
        }
        self.delimited(b"", start, start, 1, bound)
    }

    fn packet(&mut self, start: usize) -> Result<usize, Stop> {
        if self.mode == Mode::Content {
            let at = self.content(start, None)?;
            self.events.push(Event::Complete(None));
            return Ok(at);
        }
        let mut at = start;
        let mut size = None;
        while is_operator(self.byte(at, UNBOUNDED)?) {
            at = self.line(at, UNBOUNDED, false)? + 1;
        }
        if self.input[at].is_ascii_digit() || self.input[at] == b'\n' {
            if self.input[at] != b'\n' {
                let (told, end) = self.digits(at, UNBOUNDED, -2)?;
                size = Some(told as usize);
                at = end;
            }
            at = self.expect(at, b'\n', -2)?;
            at = if self.mode == Mode::RoutingOnly { self.opaque(at, size)? } else { self.content(at, size)? };
        }
        let at = self.end_mark(at)?;
        self.events.push(Event::Complete(size));
        Ok(at)
    }
}

/// The events of an input.
pub fn twin(input: &[u8], mode: Mode, limits: Limits) -> Vec<Event> {
    let mut twin = Twin { input, mode, limits, events: Vec::new() };
    let mut at = 0;
    while let Ok(end) = twin.packet(at) {
        at = end;
        if at == input.len() || mode == Mode::Content {
            break;
        }
    }
    twin.events
}

/// The events that the parser gives for an input that comes in pieces which end at `ends`; the last
/// at the end of the input.
pub fn parsed(input: &[u8], mode: Mode, limits: Option<Limits>, ends: &[usize]) -> Vec<Event> {
    let mut parser = Parser::new(mode);
    if let Some(limits) = limits {
        parser = parser.limits(limits);
    }
    let mut events = Vec::new();
    let mut open: Option<Event> = None;
    let mut ends = ends.iter().copied();
    let (mut start, mut end) = (0, ends.next().unwrap_or(input.len()));
    let extend = |open: &mut Option<Event>, part: &[u8]| match open {
        Some(Event::Entity(_, _, value, _) | Event::Body(_, value)) => value.extend_from_slice(part),
        other => panic!("a part of {other:?}"),
    };
    loop {
        let buf = &input[start..end];
        match parser.next(buf) {
            Err(fault) => {
                assert!(fault.at <= buf.len(), "an error at {} of {}", fault.at, buf.len());
                for _ in 0..2 {
                    assert_eq!(parser.next(buf), Err(fault), "an error is said for good");
                }
                events.push(Event::Error(fault.code.number()));
                return events;
            }
            Ok(PacketStep::More) => {
                assert!(parser.cursor() <= buf.len());
                let Some(next) = ends.next() else {
                    events.extend(open.map(|event| match event {
                        Event::Entity(_, _, value, _) | Event::Body(_, value) => Event::Partial(value),
                        other => other,
                    }));
                    events.push(Event::More);
                    return events;
                };
                start += parser.cursor();
                parser.drop_read();
                end = next;
            }
            Ok(PacketStep::Routing(line)) => events.push(Event::Routing(line.operator.byte(), line.name.to_vec(), line.value.to_vec())),
            Ok(PacketStep::State(state)) => events.push(Event::State(if state == State::Reset { b'=' } else { b'?' })),
            Ok(PacketStep::EntityStart(line)) => {
                assert!(open.is_none());
                open = Some(Event::Entity(line.operator.byte(), line.name.to_vec(), line.value.to_vec(), parser.value_size()));
            }
            Ok(PacketStep::Entity(line)) => {
                events.push(Event::Entity(line.operator.byte(), line.name.to_vec(), line.value.to_vec(), parser.value_size()));
            }
            Ok(PacketStep::EntityPart(part) | PacketStep::BodyPart(part)) => extend(&mut open, part),
            Ok(PacketStep::EntityEnd(part) | PacketStep::BodyEnd(part)) => {
                extend(&mut open, part);
                events.extend(open.take());
            }
            Ok(PacketStep::BodyStart(method, part)) => match open {
                Some(_) => extend(&mut open, part),
                None => open = Some(Event::Body(method.to_vec(), part.to_vec())),
            },
            Ok(PacketStep::Body(method, part)) => {
                if open.is_some() {
                    extend(&mut open, part);
                    events.extend(open.take());
                } else {
                    events.push(Event::Body(method.to_vec(), part.to_vec()));
                }
            }
            Ok(PacketStep::Complete) => {
                events.push(Event::Complete(parser.content_size()));
                if mode == Mode::Content || start + parser.cursor() == input.len() {
                    return events;
                }
            }
        }
    }
}

/// The quick parser and the full one do the same, call by call: the same steps, and the same state
/// after each.
fn quick_and_full(input: &[u8], flags: u8) {
    let (mut quick, mut full) = (ParseState::new(flags), ParseState::new(flags));
    for _ in 0..=2 * input.len() + 2 {
        let (a, b): (Result<PacketStep<'_>, Code>, _) = (step(&mut quick, input), step_within(&mut full, input, &Limits::NONE));
        assert_eq!((a, quick), (b, full), "{:?}", String::from_utf8_lossy(input));
        if matches!(a, Err(_) | Ok(PacketStep::More)) || quick.cursor == input.len() && a == Ok(PacketStep::Complete) {
            return;
        }
    }
    panic!("the parser does not come to an end: {:?}", String::from_utf8_lossy(input));
}

/// Parser and twin agree on an input, whole, byte by byte, and cut at two places that `choice`
/// picks. A lone content has to be whole.
pub fn agree(input: &[u8], mode: Mode, choice: u8) {
    let flags = match mode {
        Mode::All => 0,
        Mode::RoutingOnly => 1,
        Mode::Content => 2,
    };
    quick_and_full(input, flags);
    let few = Limits { size: 1 << (choice % 12), content: usize::from(choice % 29), value: usize::from(choice % 7) };
    for limits in [None, Some(few)] {
        let expected = twin(input, mode, limits.unwrap_or_default());
        let shown = String::from_utf8_lossy(input);
        assert_eq!(parsed(input, mode, limits, &[input.len()]), expected, "{shown:?} {mode:?} {limits:?}");
        if mode == Mode::Content {
            continue;
        }
        let each: Vec<usize> = (1..=input.len()).collect();
        assert_eq!(parsed(input, mode, limits, &each), expected, "{shown:?} byte by byte, {mode:?} {limits:?}");
        let cut = usize::from(choice) % (input.len() + 1);
        let two = [cut, (cut + usize::from(choice) / 7).min(input.len()), input.len()];
        assert_eq!(parsed(input, mode, limits, &two), expected, "{shown:?} cut at {two:?}, {mode:?} {limits:?}");
    }
}
