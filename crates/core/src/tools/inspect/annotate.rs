//! The sink that makes rows of a walk's events.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use crate::error::{Error, Result};
use crate::format::declaration::{Format, Nature, Repeats};
use crate::format::dialect::Dialect;
use crate::format::payload::Contents;
use crate::format::payload::raw::RAW;
use crate::limits::Budget;
use crate::tools::adapt::{Doubles, Missed, Sought, Walker};
use crate::value::show;
use crate::value::tree::Tree;
use crate::walk::entries::Amended;
use crate::walk::event::{Field, Len, Next, Note, Open, Part, PartKind, Scalar, Span};
use crate::walk::path::{Path, PathStep};
use crate::walk::sink::{Needs, Sink};
use crate::walk::track::Tracker;

use super::chosen::{Guessed, numbers};
use super::shifted::Shifted;
use super::source::{Source, Whole};
use super::{Inspection, Marks, Options, Row, What};

/// Most bytes that introduce a value within its span: a quote, a header, a short start tag.
const HEAD: usize = 64;

/// The receiver of rows. It returns false if it wants no more.
type Rows<'r> = &'r mut dyn FnMut(&Row<'_>) -> Result<bool>;

/// Inspects a stream, or the payload of `level`. Recursion is bounded by [`Options::MAX_DEPTH`].
pub(super) fn annotate(
    dialect: &Dialect,
    source: &mut dyn Source,
    options: &Options,
    budget: &mut Budget,
    level: u32,
    rows: Rows<'_>,
) -> Result<Inspection> {
    let limits = if level == 0 { options.limits } else { *budget.inner(0).limits() };
    let format = dialect.format();
    let is_raw = level == 0 && format.name == RAW.name;
    let each = options.each.clone().filter(|_| level == 0);
    let mut walker = Walker::new(dialect.clone(), &limits).doubles(Doubles::Keep).each(each);
    let unit = if walker.count_bits() { 8 } else { 1 };
    let paths = options.wanted.paths.as_ref().filter(|_| level == 0);
    let mut sought = paths.map(Sought::new);
    // A text may be sought inside of payloads, too; places and paths are those of the message.
    let tracks = if level == 0 { options.wanted.by_place() } else { options.wanted.find.is_some() };
    let mut state = State { tracks, ..State::default() };
    let broken = loop {
        let message = match source.next(&mut walker, state.told / unit) {
            Ok(Some(message)) => message,
            Ok(None) => break walker.no_entry().filter(|_| level == 0),
            Err(error) => break Some(error),
        };
        let (bytes, base) = source.bytes();
        let range = (message.start - base) as usize..(message.end - base) as usize;
        if level == 0 && options.wanted.skips(state.message, message) {
            if let Err(error) = walker.walk(&bytes[range], message.start, &mut Unseen) {
                break Some(error);
            }
            state.told = message.end * unit;
            state.message += 1;
            continue;
        }
        let amended = walker.amended(&bytes[range.clone()]);
        if let (Some(paths), Some(sought)) = (paths, &mut sought) {
            let mut tree = Guessed(Tree::without_spans());
            let whole = amended.as_ref().map_or(&bytes[range.clone()], |amended| &amended.bytes);
            // A mistake shows when the message is walked for its rows.
            let _ = walker.walk(whole, message.start, &mut tree);
            state.choose(numbers(tree.0, paths, sought, format.repeats == Repeats::List));
        }
        let mut sink = Annotate { state: &mut state, bytes, base, unit, options, budget, level, is_raw, rows };
        let walked = sink.message(message).and_then(|()| match &amended {
            None => walker.walk(&bytes[range], message.start, &mut sink),
            Some(Amended { bytes, at, added }) => {
                let mut shifted = Shifted { sink: &mut sink, from: message.start + *at as u64, by: *added as u64 };
                let outcome = walker.walk(bytes, message.start, &mut shifted);
                outcome.map_err(|error| match error.offset() {
                    Some(offset) => {
                        let at = shifted.offset(offset);
                        error.at(at)
                    }
                    None => error,
                })
            }
        });
        let ended = match walked {
            Ok(()) => sink.end_message(),
            Err(error) if sink.state.refused || sink.state.stopped => Err(error),
            Err(error) => break Some(error),
        };
        budget.settle(walker.budget());
        match ended {
            Ok(()) => {}
            Err(_) if state.stopped => break None,
            Err(error) => return Err(error),
        }
    };
    if !state.stopped {
        if let Err(error) = source.read_on()
            && broken.is_none()
        {
            return Err(error);
        }
        let (bytes, base) = source.bytes();
        let mut sink = Annotate { state: &mut state, bytes, base, unit, options, budget, level, is_raw, rows };
        let finished = sink.finish(broken.as_ref());
        if !state.stopped {
            finished?;
        }
    }
    let (bytes, base) = source.bytes();
    let end = base + bytes.len() as u64;
    let broken = broken.map(|error| match error.offset() {
        Some(at) if format.nature == Nature::Text && at >= base => {
            error.or_message(state.message + 1).or_place(|| source.lines().place(bytes, usize::try_from(at - base).unwrap_or(usize::MAX)))
        }
        Some(_) => error.or_message(state.message + 1),
        None => error,
    });
    let missed: Vec<Missed> = match (paths, &sought) {
        (Some(paths), Some(sought)) => sought.missed(paths, false),
        _ => Vec::new(),
    };
    let (inside, broken) = match state.inside.take() {
        Some((inside, broken_inside)) => (Some(inside), broken.or(broken_inside)),
        None => (None, broken),
    };
    Ok(Inspection {
        messages: state.message,
        inside,
        closed: state.closed,
        broken,
        shown: 0,
        values: 0,
        stopped: state.stopped,
        end,
        missed,
    })
}

/// A sink for a message of which no row is wanted.
struct Unseen;

impl<'m> Sink<'m> for Unseen {
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        Ok(Next::Skip)
    }

    fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next> {
        Ok(Next::Skip)
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        Ok(())
    }
}

/// The sink that makes rows. A row waits for the next one, which may lie inside of its bytes or be
/// a remark about it.
struct Annotate<'s, 'r> {
    state: &'s mut State,
    /// The bytes at hand, from offset `base` on.
    bytes: &'s [u8],
    base: u64,
    /// Number of the units of spans in a byte: 8 if they count bits.
    unit: u64,
    options: &'s Options,
    /// The rest of the message's budget, for its payloads.
    budget: &'s mut Budget,
    level: u32,
    /// True if a value is the whole stream.
    is_raw: bool,
    rows: &'s mut (dyn FnMut(&Row<'_>) -> Result<bool> + 'r),
}

/// State that stays from message to message. Its memory is used for row after row.
#[derive(Debug, Default)]
struct State {
    /// `rows` failed: the walk's error is its own.
    refused: bool,
    /// `rows` wants no more.
    stopped: bool,
    message: u64,
    /// All bytes before this belong to rows that were emitted.
    told: u64,
    /// True if `waiting` is a row.
    waits: bool,
    waiting: Box<Waiting>,
    /// The memory of another row, while the one that waited is emitted.
    spare: Option<Box<Waiting>>,
    /// Remarks about the row that comes next.
    remarks: Vec<Cow<'static, str>>,
    levels: Vec<Level>,
    in_part: bool,
    /// The parts of a value so far, if payloads are looked for.
    parts: Vec<u8>,
    /// The value of the row that is being made.
    value: String,
    /// True if that row holds what is sought.
    hit: bool,
    /// Emptied names, for other names.
    names: Vec<String>,
    /// True if rows have paths.
    tracks: bool,
    tracker: Tracker,
    chosen: Chosen,
    /// True if a payload was not opened.
    closed: bool,
    /// The whole messages inside of a stream that is a payload, and the error that ended them.
    inside: Option<(u64, Option<Error>)>,
}

/// The values of the message that paths name.
#[derive(Debug, Default)]
struct Chosen {
    /// Their numbers in the walk, in order.
    numbers: Vec<usize>,
    /// The first of them that did not come yet.
    next: usize,
    /// Number of the next value.
    number: usize,
    /// Depth of the chosen container around the current place.
    around: Option<usize>,
    /// The name of a chosen value came, and the value did not yet.
    named: bool,
}

impl Chosen {
    fn is_next(&self) -> bool {
        self.numbers.get(self.next) == Some(&self.number)
    }
}

#[derive(Debug)]
struct Waiting {
    what: What,
    message: u64,
    bytes: Span,
    at: Span,
    depth: usize,
    label: Option<PathStep>,
    named: bool,
    kind: &'static str,
    value: String,
    notes: Vec<Cow<'static, str>>,
    payload: Option<Payload>,
    path: Option<Path>,
    marks: Marks,
    /// The bytes before the row belong to a chosen value.
    chosen_before: bool,
}

impl Default for Waiting {
    fn default() -> Waiting {
        Waiting {
            what: What::Syntax,
            message: 0,
            bytes: Span::NONE,
            at: Span::NONE,
            depth: 0,
            label: None,
            named: false,
            kind: "syntax",
            value: String::new(),
            notes: Vec::new(),
            payload: None,
            path: None,
            marks: Marks::default(),
            chosen_before: false,
        }
    }
}

/// The message in a value.
#[derive(Debug)]
struct Payload {
    contents: Contents,
    bytes: Bytes,
}

/// Where the bytes of a payload are, before they are decoded.
#[derive(Debug)]
enum Bytes {
    /// Among those that are inspected: their offsets in the stream.
    Among(Range<u64>),
    /// They are not: text that was unescaped, a value that came in parts.
    Made(Vec<u8>),
    /// Nobody asks for them.
    Closed,
}

#[derive(Debug)]
struct Level {
    kind: &'static str,
    entries: Entries,
    /// Label of the next value, if its name is known.
    name: Option<PathStep>,
    /// True if that name has no row.
    named: bool,
    /// Format of the bytes in it, if it is a tag that declares one.
    holds: Option<&'static Format>,
}

#[derive(Debug)]
enum Entries {
    /// Counted; the index of the next.
    Numbered(u64),
    Named,
    One,
}

impl State {
    /// Begins a message of which the values with these numbers are chosen.
    fn choose(&mut self, numbers: Vec<usize>) {
        self.chosen = Chosen { numbers, ..Chosen::default() };
    }

    /// Keeps the memory of a name.
    fn recycle(&mut self, step: Option<PathStep>) {
        if let Some(PathStep::Name(mut name) | PathStep::Key(mut name)) = step
            && self.names.len() < 8
        {
            name.clear();
            self.names.push(name);
        }
    }

    /// Follows a name to its value's chosen state.
    fn follow_field(&mut self, name: &str) {
        if self.tracks {
            self.tracker.field(name);
            self.chosen.named = self.chosen.around.is_none() && self.chosen.is_next();
        }
    }

    /// Follows the end of a container.
    fn follow_close(&mut self) {
        if self.tracks {
            self.tracker.close();
            if self.chosen.around == Some(self.levels.len()) {
                self.chosen.around = None;
            }
        }
    }

    /// Follows the start of a value. Returns the marks of its row.
    fn follow_value(&mut self) -> Marks {
        let chosen = &mut self.chosen;
        let is_next = chosen.is_next();
        let within = chosen.around.is_some();
        chosen.next += usize::from(is_next);
        chosen.number += 1;
        let named = std::mem::take(&mut chosen.named);
        Marks { chosen: within || is_next, first: is_next && !within && !named, hit: false }
    }
}

impl<'s> Annotate<'s, '_> {
    fn message(&mut self, at: Span) -> Result<()> {
        let bytes = at.len();
        let at = Span::new(at.start * self.unit, at.end * self.unit);
        // Separators before a message come before its own row.
        self.syntax_until(at.start)?;
        if self.level == 0 {
            self.budget.reset();
        }
        let state = &mut *self.state;
        state.parts.clear();
        state.value.clear();
        state.levels.clear();
        if state.tracks {
            state.tracker = Tracker::default();
        }
        let _ = write!(state.value, "{bytes} bytes");
        self.add(What::Message, Span::new(at.start, at.start), None, "message", Marks::default())?;
        self.state.waiting.at = at;
        Ok(())
    }

    fn end_message(&mut self) -> Result<()> {
        self.flush()?;
        if !self.state.remarks.is_empty() {
            self.state.value.clear();
            let told = self.state.told;
            self.add(What::Note, Span::new(told, told), None, "remark", Marks::default())?;
            self.flush()?;
        }
        self.state.message += 1;
        Ok(())
    }

    /// Returns the offset after the bytes at hand, in the units of spans.
    fn end(&self) -> u64 {
        (self.base + self.bytes.len() as u64) * self.unit
    }

    /// Returns the bytes of a span, and the span itself if it counts bits.
    fn placed(&self, at: Span) -> (Span, Option<Span>) {
        if self.unit == 1 {
            return (at, None);
        }
        let start = at.start / self.unit;
        let end = if at.is_empty() { start } else { at.end.div_ceil(self.unit) };
        (Span::new(start, end), Some(at))
    }

    fn finish(&mut self, broken: Option<&Error>) -> Result<()> {
        self.flush()?;
        let end = self.end();
        let Some(error) = broken else { return self.syntax_until(end) };
        let mut value = String::new();
        for c in error.what().chars() {
            // The quotes are the message's own.
            if matches!(c, '"' | '\'' | '\\') { value.push(c) } else { value.extend(c.escape_debug()) }
        }
        let told = self.state.told;
        let bit = if self.unit == 1 { 0 } else { error.bit_offset().map_or(0, u64::from) };
        let from = error.offset().map_or(told, |offset| (offset * self.unit + bit).clamp(told, end));
        self.tell(&mut Waiting {
            what: What::Unread,
            message: self.state.message,
            bytes: Span::new(told, end),
            at: Span::new(from, end),
            depth: self.state.levels.len(),
            kind: "not understood",
            value,
            ..Waiting::default()
        })
    }

    /// Makes the row for an event that the reader places at `at`; its text is in `value`.
    fn add(&mut self, what: What, at: Span, label: Option<PathStep>, kind: &'static str, marks: Marks) -> Result<()> {
        if self.state.waits {
            let waiting = &mut self.state.waiting;
            // A start tag spans its attributes, and a header may span the value: inner rows account
            // for their own bytes.
            let yields = matches!(waiting.what, What::Open | What::Field | What::Key) && what != What::Close;
            let inside = waiting.bytes.start <= at.start && at.start < waiting.bytes.end;
            if yields && inside && !at.is_empty() {
                waiting.bytes.end = at.start;
            }
        }
        self.flush()?;
        let end = at.end.min(self.end());
        let state = &mut *self.state;
        let start = at.start.max(state.told);
        let waiting = &mut state.waiting;
        waiting.bytes = if start < end { Span::new(start, end) } else { Span::new(state.told, state.told) };
        (waiting.what, waiting.at, waiting.message, waiting.kind) = (what, at, state.message, kind);
        waiting.depth = state.levels.len();
        waiting.named = label.is_some() && state.levels.last_mut().is_some_and(|level| std::mem::take(&mut level.named));
        waiting.label = label;
        std::mem::swap(&mut waiting.value, &mut state.value);
        waiting.notes.clear();
        waiting.notes.append(&mut state.remarks);
        waiting.marks = marks;
        if state.tracks {
            waiting.marks.hit = std::mem::take(&mut state.hit);
            waiting.path = Some(state.tracker.last_path());
            waiting.chosen_before = state.chosen.around.is_some();
        }
        state.waits = true;
        Ok(())
    }

    /// Emits the row that waits.
    fn flush(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.state.waits) {
            return Ok(());
        }
        let spare = self.state.spare.take().unwrap_or_default();
        let mut waiting = std::mem::replace(&mut self.state.waiting, spare);
        let mut outcome = Ok(());
        if !waiting.bytes.is_empty() {
            let before = Marks { chosen: waiting.chosen_before || waiting.marks.chosen && !waiting.marks.first, ..Marks::default() };
            let path = waiting.path.as_ref().map(|path| around(&waiting, path));
            outcome = self.syntax(waiting.bytes.start, waiting.depth, before, path);
        }
        let outcome = outcome.and_then(|()| self.tell(&mut waiting));
        self.state.recycle(waiting.label.take());
        waiting.payload = None;
        self.state.spare = Some(std::mem::replace(&mut self.state.waiting, waiting));
        outcome
    }

    /// Emits the row that waits, and accounts for the bytes before `end` that no event spans.
    fn syntax_until(&mut self, end: u64) -> Result<()> {
        self.flush()?;
        let chosen = self.state.chosen.around.is_some();
        let path = self.state.tracks.then(|| self.state.tracker.path());
        self.syntax(end, self.state.levels.len(), Marks { chosen, ..Marks::default() }, path)
    }

    fn syntax(&mut self, end: u64, depth: usize, marks: Marks, path: Option<Path>) -> Result<()> {
        if self.state.told >= end {
            return Ok(());
        }
        let bytes = Span::new(self.state.told, end);
        let (raw, hit) = self.account(bytes);
        let (bytes, bits) = self.placed(bytes);
        self.pass_on(&Row {
            what: What::Syntax,
            message: self.state.message,
            bytes,
            bits,
            raw,
            at: bytes,
            depth,
            label: None,
            named: false,
            kind: "syntax",
            value: "",
            notes: &[],
            holds: None,
            level: self.level,
            decoded: false,
            path: path.as_ref(),
            marks: Marks { hit, ..marks },
        })
    }

    /// Counts bytes as those of a row. Returns them, and true if what is sought is among them.
    fn account(&mut self, bytes: Span) -> (&'s [u8], bool) {
        self.state.told = bytes.end;
        let (bytes, _) = self.placed(bytes);
        let raw = &self.bytes[(bytes.start - self.base) as usize..(bytes.end - self.base) as usize];
        let needle = if self.state.tracks { self.options.wanted.find.as_ref() } else { None };
        (raw, needle.is_some_and(|needle| needle.is_among(raw)))
    }

    fn tell(&mut self, row: &mut Waiting) -> Result<()> {
        let told = self.state.told;
        let bytes = if row.bytes.is_empty() { Span::new(told, told) } else { row.bytes };
        let (raw, hit) = self.account(bytes);
        row.marks.hit |= hit;
        let Waiting { what, message, at, depth, named, kind, marks, .. } = *row;
        let ((bytes, bits), (at, _)) = (self.placed(bytes), self.placed(at));
        let holds = row.payload.as_ref().map(|payload| &payload.contents);
        let (label, value, notes, path, level) = (row.label.as_ref(), &row.value, &row.notes, row.path.as_ref(), self.level);
        let shown =
            Row { what, message, bytes, bits, raw, at, depth, label, named, kind, value, notes, holds, level, decoded: false, path, marks };
        self.pass_on(&shown)?;
        match &row.payload {
            Some(payload) => self.open_payload(row, payload),
            None => Ok(()),
        }
    }

    /// Hands a row over. Fails if that fails, or if no more are wanted.
    fn pass_on(&mut self, row: &Row<'_>) -> Result<()> {
        match (self.rows)(row) {
            Ok(true) => Ok(()),
            Ok(false) => {
                self.state.stopped = true;
                Err(Error::usage("no more rows are wanted"))
            }
            Err(error) => {
                self.state.refused = true;
                Err(error)
            }
        }
    }

    /// Remembers the payload in the value of the row that waits.
    fn look_inside(&mut self, bytes: &[u8]) {
        let Some(payloads) = self.options.payloads else { return };
        let declared = self.state.levels.last().and_then(|level| level.holds).map(Contents::plain);
        let Some(contents) = declared.or_else(|| payloads.look(bytes)) else { return };
        if !self.state.waits {
            return;
        }
        let waiting = &mut self.state.waiting;
        let bytes = if self.level >= self.options.depth {
            self.state.closed = true;
            Bytes::Closed
        } else {
            match if self.unit == 1 { place_in(self.bytes, self.base, waiting.at, bytes) } else { None } {
                Some(range) => Bytes::Among(range),
                None => Bytes::Made(bytes.to_vec()),
            }
        };
        waiting.payload = Some(Payload { contents, bytes });
    }

    /// Emits the rows of the payload in the value of `row`.
    fn open_payload(&mut self, row: &Waiting, payload: &Payload) -> Result<()> {
        let (bytes, origin) = match &payload.bytes {
            Bytes::Closed => return Ok(()),
            Bytes::Among(range) => {
                let at_hand = (range.start - self.base) as usize..(range.end - self.base) as usize;
                (&self.bytes[at_hand], Some(range.start))
            }
            Bytes::Made(bytes) => (bytes.as_slice(), None),
        };
        let codecs = payload.contents.codecs.as_slice();
        let origin = origin.filter(|_| codecs.is_empty());
        let mut decoded = Vec::new();
        let (bytes, outcome) = match self.options.payloads {
            Some(payloads) if !codecs.is_empty() => {
                let outcome = payloads.decode(bytes, codecs, self.budget, row.at.start / self.unit, &mut decoded);
                (decoded.as_slice(), outcome)
            }
            _ => (bytes, Ok(())),
        };
        let (level, depth, message) = (self.level + 1, row.depth + 1, row.message);
        let start = origin.unwrap_or(0);
        let path = row.path.as_ref();
        // All rows of the payload belong to the value that holds it.
        let marks = Marks { first: false, ..row.marks };
        let heading = Row {
            what: What::Payload,
            message,
            bytes: Span::new(start, start),
            bits: None,
            raw: &[],
            at: Span::new(start, start + bytes.len() as u64),
            depth,
            label: None,
            named: false,
            kind: payload.contents.format.name,
            value: "",
            notes: &[],
            holds: Some(&payload.contents),
            level,
            decoded: origin.is_none(),
            path,
            marks,
        };
        self.pass_on(&heading)?;
        let mut stopped = false;
        let mut refused = false;
        let rows = &mut *self.rows;
        let mut nested = |inner: &Row<'_>| {
            // The heading stands for the first message.
            if inner.what == What::Message && inner.level == level && inner.message == 0 {
                return Ok(true);
            }
            let place = |at: Span| if inner.decoded { at } else { Span::new(at.start + start, at.end + start) };
            // Messages of a payload within this one are counted there.
            let of_message = if inner.what == What::Message { inner.message } else { message };
            let joined = match (path, inner.path) {
                (Some(path), Some(inner)) => Some(Path(path.0.iter().chain(&inner.0).cloned().collect())),
                _ => None,
            };
            let outcome = rows(&Row {
                message: of_message,
                bytes: place(inner.bytes),
                bits: inner.bits.map(|bits| if inner.decoded { bits } else { Span::new(bits.start + start * 8, bits.end + start * 8) }),
                at: place(inner.at),
                depth: inner.depth + depth,
                decoded: inner.decoded || origin.is_none(),
                path: joined.as_ref().or(path),
                marks: Marks { hit: marks.hit || inner.marks.hit, ..marks },
                ..*inner
            });
            stopped |= matches!(outcome, Ok(false));
            refused |= outcome.is_err();
            outcome
        };
        // A payload's error shows in its rows; the message around it goes on.
        let inspected = annotate(&payload.contents.format.into(), &mut Whole::new(bytes), self.options, self.budget, level, &mut nested);
        self.state.stopped |= stopped;
        self.state.refused |= refused;
        let inspected = inspected?;
        self.state.closed |= inspected.closed;
        if self.is_raw && !codecs.is_empty() && !stopped {
            let around = codecs.iter().rev().map(|codec| codec.name).collect::<Vec<&str>>().join(" in ");
            // A codec's error is the cause of a message's that is cut off there.
            let undecoded = outcome.as_ref().err().map(|error| {
                Error::data(error.kind(), bytes.len() as u64).seen(error.seen_text().to_string()).hint(error.advice().to_string())
            });
            let broken = undecoded.or(inspected.broken).map(|error| error.or_decoded(around));
            self.state.inside = Some((inspected.messages, broken));
        }
        if stopped {
            return Err(Error::usage("no more rows are wanted"));
        }
        let Err(error) = outcome else { return Ok(()) };
        let value: String = error.what().chars().flat_map(char::escape_debug).collect();
        let end = Span::new(bytes.len() as u64, bytes.len() as u64);
        self.pass_on(&Row { what: What::Unread, bytes: end, at: end, kind: "not decoded", value: &value, holds: None, ..heading })
    }

    /// Starts a value; returns its label, and true for a map's key.
    fn label(&mut self) -> (Option<PathStep>, bool) {
        let Some(level) = self.state.levels.last_mut() else { return (None, false) };
        match &mut level.entries {
            Entries::One => (None, false),
            Entries::Numbered(next) => {
                *next += 1;
                (Some(PathStep::Index(*next - 1)), false)
            }
            Entries::Named => match level.name.take() {
                Some(name) => (Some(name), false),
                None => (None, true),
            },
        }
    }

    /// Labels the next value of the map by the last key.
    fn name_by_key(&mut self, key: String) {
        if let Some(level) = self.state.levels.last_mut() {
            level.name = Some(PathStep::Key(key));
        }
    }

    /// Notes whether a text that a row shows in short holds what is sought.
    fn search(&mut self, text: &str) {
        if self.state.tracks
            && let Some(needle) = &self.options.wanted.find
        {
            self.state.hit |= needle.is_in(text);
        }
    }

    fn search_bytes(&mut self, bytes: &[u8]) {
        if self.state.tracks
            && let Some(needle) = &self.options.wanted.find
        {
            self.state.hit |= needle.is_among(bytes);
        }
    }
}

/// Returns the path of the bytes before a row with this path: the container's, or the value's
/// between its name and itself.
fn around(row: &Waiting, path: &Path) -> Path {
    let announces = matches!(row.what, What::Field | What::Key);
    let counted = matches!(row.label, Some(PathStep::Index(_)));
    let kept = if announces || counted { path.0.len().saturating_sub(1) } else { path.0.len() };
    Path(path.0[..kept].to_vec())
}

/// Finds the value with the span `at` in `whole`, which starts at offset `base`, after the bytes
/// that introduce it; `None` if it was escaped.
fn place_in(whole: &[u8], base: u64, at: Span, value: &[u8]) -> Option<Range<u64>> {
    let start = usize::try_from(at.start.checked_sub(base)?).ok()?;
    let span = whole.get(start..usize::try_from(at.end.checked_sub(base)?).ok()?)?;
    let first = (0..=span.len().checked_sub(value.len())?.min(HEAD)).find(|first| span[*first..].starts_with(value))?;
    let start = at.start + first as u64;
    Some(start..start + value.len() as u64)
}

impl<'m> Sink<'m> for Annotate<'_, '_> {
    fn needs(&self) -> Needs {
        Needs::GUESSES
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        let (label, is_key) = self.label();
        let kind = match open {
            Open::Tagged { .. } => "tag",
            _ => open.kind(),
        };
        if is_key {
            self.name_by_key(format!("a {kind}"));
        }
        let mut marks = Marks::default();
        if self.state.tracks {
            marks = self.state.follow_value();
            self.state.tracker.open(&open);
            if let Open::Record { name, .. } | Open::Variant { name, .. } = open {
                self.search(name);
            }
        }
        let mut holds = None;
        if let Open::Tagged { space, code } = open {
            self.state.remarks.extend((self.options.tag_name)(space, code).map(Cow::Borrowed));
            holds = self.options.payloads.and_then(|payloads| (payloads.tagged)(space, code));
        }
        let shown = self.options.shown;
        let out = &mut self.state.value;
        out.clear();
        // Writing to a string cannot fail.
        let _ = match open {
            Open::Record { name, .. } => show::escaped(name, shown, out),
            Open::Variant { name, index } => {
                show::escaped(name, shown, out);
                write!(out, "{}case {index}", if name.is_empty() { "" } else { ", " }).is_ok()
            }
            Open::Tagged { space, code } => write!(out, "{space} {code}").is_ok(),
            _ => true,
        };
        if let Open::List(Len::Claimed(count))
        | Open::Map(Len::Claimed(count))
        | Open::Tuple(Len::Claimed(count))
        | Open::Record { len: Len::Claimed(count), .. } = open
        {
            let _ = write!(out, "{}of {count}", if out.is_empty() { "" } else { " " });
        }
        self.add(What::Open, at, label, kind, marks)?;
        let entries = match open {
            Open::List(_) | Open::Tuple(_) | Open::Variant { .. } => Entries::Numbered(0),
            Open::Map(_) | Open::Record { .. } => Entries::Named,
            Open::Tagged { .. } => Entries::One,
        };
        if marks.chosen && self.state.chosen.around.is_none() {
            self.state.chosen.around = Some(self.state.levels.len());
        }
        self.state.levels.push(Level { kind, entries, name: None, named: false, holds });
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        let name = field.name.get();
        let shown = self.options.shown;
        let state = &mut *self.state;
        state.value.clear();
        show::escaped(name, shown, &mut state.value);
        if let Some(level) = state.levels.last_mut() {
            let end = if name.len() <= shown { name.len() } else { name.char_indices().nth(shown).map_or(name.len(), |(end, _)| end) };
            let mut kept = state.names.pop().unwrap_or_default();
            kept.push_str(&name[..end]);
            level.name = Some(PathStep::Name(kept));
            level.named = at.is_empty();
        }
        let mut marks = Marks::default();
        if state.tracks {
            state.follow_field(name);
            marks.chosen = state.chosen.around.is_some() || state.chosen.named;
            marks.first = state.chosen.named;
            if at.is_empty() {
                // The name has no row: the value's is the first.
                state.chosen.named = false;
            }
            self.search(name);
        }
        if !at.is_empty() {
            self.add(What::Field, at, None, "field", marks)?;
        }
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        let (label, is_key) = self.label();
        let mut marks = Marks::default();
        if self.state.tracks {
            marks = self.state.follow_value();
            self.state.tracker.scalar(&value);
            match &value {
                Scalar::Text(text) => self.search(text.get()),
                Scalar::Bytes(bytes) | Scalar::Octets(bytes) => self.search_bytes(bytes.get()),
                other => self.search(&show::scalar(other, usize::MAX)),
            }
        }
        let shown = self.options.shown;
        let out = &mut self.state.value;
        out.clear();
        match value {
            Scalar::Text(text) => show::quoted(text.get(), shown, out),
            Scalar::Bytes(bytes) => show::binary(bytes.get(), shown, out),
            Scalar::Octets(bytes) => show::octets(bytes.get(), shown, out),
            other => show::write_scalar(&other, shown, out),
        }
        if is_key {
            let key = self.state.value.clone();
            self.name_by_key(key);
        }
        self.add(if is_key { What::Key } else { What::Value }, at, label, value.kind(), marks)?;
        if !is_key {
            match value {
                Scalar::Text(text) => self.look_inside(text.get().as_bytes()),
                Scalar::Bytes(bytes) | Scalar::Octets(bytes) => self.look_inside(bytes.get()),
                _ => {}
            }
        }
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        let starts = !self.state.in_part;
        let (label, is_key) = if starts { self.label() } else { (None, false) };
        if is_key {
            self.name_by_key("a value in parts".to_string());
        }
        let mut marks = Marks::default();
        if self.state.tracks {
            marks = match starts {
                true => self.state.follow_value(),
                // As the parts before it.
                false => Marks { first: false, ..self.state.waiting.marks },
            };
            self.state.tracker.part(&part);
            self.search_bytes(part.bytes);
        }
        self.state.in_part = !part.last;
        let shown = self.options.shown;
        let out = &mut self.state.value;
        out.clear();
        let kind = match (part.kind, std::str::from_utf8(part.bytes)) {
            (PartKind::Text, Ok(text)) => {
                show::quoted(text, shown, out);
                "part of text"
            }
            (PartKind::Bytes, _) => {
                show::binary(part.bytes, shown, out);
                "part of bytes"
            }
            _ => {
                show::octets(part.bytes, shown, out);
                "part of octets"
            }
        };
        self.add(What::Part, at, label, kind, marks)?;
        if self.options.payloads.is_some() {
            self.state.parts.extend_from_slice(part.bytes);
            if part.last {
                let whole = std::mem::take(&mut self.state.parts);
                self.look_inside(&whole);
            }
        }
        Ok(())
    }

    fn close(&mut self, at: Span) -> Result<()> {
        let marks = Marks { chosen: self.state.chosen.around.is_some(), ..Marks::default() };
        if at.is_empty() {
            // The bytes before the end are the container's, which matters to those chosen.
            let outcome = if marks.chosen { self.flush() } else { Ok(()) };
            self.state.levels.pop();
            self.state.follow_close();
            return outcome;
        }
        // Bytes before those that close belong to what is open.
        self.syntax_until(at.start.min(self.end()))?;
        let kind = self.state.levels.pop().map_or("", |level| level.kind);
        self.state.value.clear();
        self.state.follow_close();
        self.add(What::Close, at, None, kind, marks)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        let shown = self.options.shown;
        let out = &mut self.state.value;
        out.clear();
        let kind = match note {
            Note::Layout(_) => return Ok(()),
            Note::Coerced(remark) => {
                let state = &mut *self.state;
                let row = &mut state.waiting;
                let within = state.waits && !at.is_empty() && row.what != What::Message && row.at.start <= at.start && at.end <= row.at.end;
                if within {
                    row.notes.push(remark.into());
                } else {
                    state.remarks.push(remark.into());
                }
                return Ok(());
            }
            // It is about the value that follows, whose row does not wait yet.
            Note::Meaning(meaning) => {
                self.state.remarks.push(meaning.to_string().into());
                return Ok(());
            }
            Note::Comment(text) => {
                show::quoted(text, shown, out);
                self.search(text);
                "comment"
            }
            Note::Directive(text) => {
                show::quoted(text, shown, out);
                self.search(text);
                "directive"
            }
            Note::Frame(text) => {
                out.push_str(text);
                self.search(text);
                ""
            }
            Note::Unknown(bytes) => {
                show::binary(bytes, shown, out);
                "bytes of unknown meaning"
            }
        };
        let marks = Marks { chosen: self.state.chosen.around.is_some(), ..Marks::default() };
        self.add(What::Note, at, None, kind, marks)
    }
}
