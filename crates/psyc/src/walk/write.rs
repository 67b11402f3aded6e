//! Events to packets.

use memchr::memchr;
use polywire_core::bytes::{Mark as Gap, OutBuf};
use polywire_core::{Error, Field, Losses, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Writer};

use super::tags::{NAME, ROUTING, state_code};
use crate::dict::{KEY_END, KEY_START};
use crate::packet::{Operator, State};
use crate::record::name::{self, Place};
use crate::record::words::{self, DATA, Mark, PAIR, VALUE_METHOD};
use crate::value::PSYC_EPOCH;
use crate::wire::{BAR, CONTENT_SIZE_MAX, ELEM_SIZE_MAX, END, LF, MODIFIER_SIZE_MAX, TAB, needs_size};
use polywire_core::value::lexical::{Lexical, classify, is_number, spells};

/// Writes PSYC packets. Sizes are written where the grammar needs them, and above the nominal
/// limits of docs/spec/psyc.md 2, which receivers may enforce.
#[derive(Debug, Default)]
pub struct PsycWriter {
    routing: Vec<u8>,
    content: OutBuf,
    levels: Vec<OpenContainer>,
    done: bool,
    /// The packet's method, empty if it has none.
    method: Vec<u8>,
    /// The name of the variable that comes next.
    name: String,
    /// The code of a tag around its value that is an operator.
    tag: Option<u64>,
    /// True once a line of the entity header was begun.
    entity: bool,
    /// A value of the field that is the data of a packet, as long as it is the last.
    data: Option<Held>,
    /// Length of the content before the data.
    data_at: usize,
    /// The payload of the scalar at hand.
    scratch: Vec<u8>,
    keyword: Vec<u8>,
    losses: Losses,
}

#[derive(Debug)]
struct Held(Vec<u8>);

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValuePlace {
    /// In a line of the entity header.
    Variable,
    /// In a list or a dict: the byte that ends a value without a size.
    Element(u8),
    /// In braces.
    Key,
    /// In place of the packet.
    Data,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ContainerKind {
    /// The packet's record or map.
    Packet,
    /// Nothing of its own on the wire: an operator, a state, a tag that was dropped.
    Around,
    /// Elements of a list.
    Items,
    /// Entries of a dict.
    Entries,
    /// The value of a case whose type is its name, if it has one value without a mark.
    Case,
}

#[derive(Debug, Clone, Copy)]
struct OpenContainer {
    kind: ContainerKind,
    context: ValuePlace,
    /// In dicts: the place where the first key that is no name turns the dict into a map.
    map: Option<Gap>,
    /// The place of the variable's name, if a prefix can mark the value as a dict.
    prefix: Option<Gap>,
    size: Option<(Gap, Gap)>,
    /// Length, and position, of what was written before the sized part.
    start: (usize, usize),
    /// Values so far; of dicts and packets, keys left out.
    count: u32,
    /// A key was written, or a field announced.
    value_due: bool,
    has_other_keys: bool,
    /// True for the entry of a packet that is a map: it closes itself after two values.
    pair: bool,
    /// In a case: the length of its payload.
    payload: usize,
}

impl OpenContainer {
    fn new(kind: ContainerKind, context: ValuePlace) -> OpenContainer {
        OpenContainer {
            kind,
            context,
            map: None,
            prefix: None,
            size: None,
            start: (0, 0),
            count: 0,
            value_due: false,
            has_other_keys: false,
            pair: false,
            payload: 0,
        }
    }
}

#[cold]
fn broken(seen: &'static str) -> Error {
    Error::internal(seen).format_is(NAME)
}

/// The form that a container is written in.
#[derive(Clone, Copy)]
enum Container<'s> {
    List,
    Tuple,
    /// A record without a type, or a map.
    Dict,
    Record(&'s str),
    Variant(&'s str, u32),
    Tagged(&'s str, u64),
}

impl Container<'_> {
    fn mark(self) -> Mark {
        match self {
            Container::List => Mark::List,
            Container::Tuple => Mark::Tuple,
            Container::Dict => Mark::Dict,
            Container::Record(_) => Mark::Record,
            Container::Variant(..) => Mark::Variant,
            Container::Tagged(..) => Mark::Tagged,
        }
    }
}

fn put_digits(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Puts the payload of a scalar into `out`, and says how it is marked.
fn spell(value: &Scalar<'_, '_>, at: Span, out: &mut Vec<u8>, losses: &mut Losses) -> Option<Mark> {
    out.clear();
    let float = |value: f64| match value {
        value if value.is_nan() => "nan",
        value if value > 0.0 => "inf",
        _ => "-inf",
    };
    match value {
        Scalar::Null => return Some(Mark::Null),
        Scalar::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        Scalar::Int(value, _) => out.extend_from_slice(itoa::Buffer::new().format(*value).as_bytes()),
        Scalar::UInt(value, _) => put_digits(*value, out),
        Scalar::F64(value, hint) if value.is_finite() => match hint.digits().filter(|digits| spells(digits, *value)) {
            Some(digits) => out.extend_from_slice(digits.as_bytes()),
            None => out.extend_from_slice(ryu::Buffer::new().format_finite(*value).as_bytes()),
        },
        Scalar::F64(value, _) => {
            out.extend_from_slice(float(*value).as_bytes());
            return Some(Mark::Float);
        }
        Scalar::F32(value, _) => {
            if value.is_finite() {
                out.extend_from_slice(ryu::Buffer::new().format_finite(*value).as_bytes());
            } else {
                out.extend_from_slice(float(f64::from(*value)).as_bytes());
            }
            return Some(Mark::Float32);
        }
        Scalar::Big(digits, _) => {
            out.extend_from_slice(digits.get().as_bytes());
            if classify(out) != Lexical::Big {
                losses.value("big integer in an unusual spelling became text", at);
                return Some(Mark::Text);
            }
        }
        Scalar::Decimal(digits, _) => {
            out.extend_from_slice(digits.get().as_bytes());
            match classify(&*out) {
                Lexical::Decimal => {}
                _ if is_number(&*out) => return Some(Mark::Decimal),
                _ => {
                    losses.value("decimal in an unusual spelling became text", at);
                    return Some(Mark::Text);
                }
            }
        }
        Scalar::Text(text) => {
            out.extend_from_slice(text.get().as_bytes());
            if classify(out) != Lexical::Text {
                return Some(Mark::Text);
            }
        }
        Scalar::Bytes(bytes) => {
            out.extend_from_slice(bytes.get());
            return Some(Mark::Bytes);
        }
        Scalar::Octets(bytes) => {
            out.extend_from_slice(bytes.get());
            if simdutf8::basic::from_utf8(out).is_ok() {
                return Some(Mark::Octets);
            }
        }
        Scalar::Time(moment) => {
            let seconds = i128::from(moment.seconds()) - i128::from(PSYC_EPOCH);
            out.extend_from_slice(itoa::Buffer::new().format(seconds).as_bytes());
            if moment.nanos() > 0 {
                out.push(b'.');
                let nanos = 1_000_000_000 + moment.nanos();
                out.extend_from_slice(&itoa::Buffer::new().format(nanos).as_bytes()[1..]);
            }
            return Some(Mark::Date);
        }
        _ => {
            losses.value("value of a kind that PSYC does not know became null", at);
            return Some(Mark::Null);
        }
    }
    None
}

impl PsycWriter {
    /// Makes a variable of data that turned out not to be the last field.
    fn release(&mut self) {
        if let Some(Held(bytes)) = self.data.take() {
            self.scratch.clear();
            self.scratch.extend_from_slice(&bytes);
            let mark =
                if simdutf8::basic::from_utf8(&bytes).is_ok() && classify(&bytes) != Lexical::Text { Some(Mark::Text) } else { None };
            let name = std::mem::replace(&mut self.name, DATA.to_string());
            self.variable(mark, Operator::Set);
            self.name = name;
        }
    }

    /// Writes a line of the entity header whose payload is in the scratch.
    fn variable(&mut self, mark: Option<Mark>, operator: Operator) {
        self.entity = true;
        let mark = self.mark_variable(mark);
        self.keyword_of_name();
        let structured = |value: &[u8]| operator.takes_whole_values() && words::structured(&self.keyword, value).is_some();
        if mark.is_none() && structured(&self.scratch) {
            self.keyword.clear();
            name::put_masked(&self.name, &mut self.keyword);
        }
        let length = self.scratch.len() + mark.map_or(0, |mark| 1 + mark.word().len() + usize::from(!self.scratch.is_empty()));
        self.content.byte(operator.byte());
        self.content.put(&self.keyword);
        if length > MODIFIER_SIZE_MAX || memchr(LF, &self.scratch).is_some() {
            self.content.byte(b' ');
            put_digits(length as u64, self.content.bytes_mut());
        }
        self.content.byte(TAB);
        self.put_marked(mark);
        self.content.byte(LF);
    }

    fn keyword_of_name(&mut self) {
        self.keyword.clear();
        name::put(&self.name, Place::Name, &mut self.keyword);
    }

    /// Returns the mark of a value of a variable: one that looks marked has to be.
    fn mark_variable(&self, mark: Option<Mark>) -> Option<Mark> {
        match mark {
            None if words::marked(&self.scratch).is_some() => {
                Some(if simdutf8::basic::from_utf8(&self.scratch).is_ok() { Mark::Text } else { Mark::Octets })
            }
            mark => mark,
        }
    }

    /// Writes the payload in the scratch, marked as values of variables, data and keys are.
    fn put_marked(&mut self, mark: Option<Mark>) {
        if let Some(mark) = mark {
            self.content.byte(b'=');
            self.content.put(mark.word().as_bytes());
            if !self.scratch.is_empty() {
                self.content.byte(b' ');
            }
        }
        self.content.put(&self.scratch);
    }

    /// Prepares for a value and says where it stands.
    fn begin(&mut self) -> Result<ValuePlace> {
        let Some(level) = self.levels.last_mut() else {
            return if self.done { Err(broken("a second value in one message")) } else { Ok(ValuePlace::Data) };
        };
        match level.kind {
            ContainerKind::Around => Ok(level.context),
            ContainerKind::Packet if level.value_due => Ok(ValuePlace::Variable),
            ContainerKind::Packet => {
                self.release();
                self.entity = true;
                self.content.byte(Operator::Set.byte());
                self.content.put(PAIR);
                let mut pair = OpenContainer::new(ContainerKind::Items, ValuePlace::Variable);
                pair.pair = true;
                pair.size = Some((self.content.open(), self.content.open()));
                self.content.byte(TAB);
                pair.start = (self.content.len(), self.content.position());
                self.levels.push(pair);
                self.content.byte(BAR);
                Ok(ValuePlace::Element(BAR))
            }
            ContainerKind::Items => {
                self.content.byte(BAR);
                Ok(ValuePlace::Element(BAR))
            }
            ContainerKind::Entries if level.value_due => Ok(ValuePlace::Element(KEY_START)),
            ContainerKind::Entries => {
                level.has_other_keys = true;
                self.content.byte(KEY_START);
                Ok(ValuePlace::Key)
            }
            ContainerKind::Case => {
                self.general_case();
                self.begin()
            }
        }
    }

    /// Notes that a value is complete.
    fn ended(&mut self, context: ValuePlace) {
        let Some(level) = self.levels.last_mut() else {
            self.done = true;
            return;
        };
        if context == ValuePlace::Key {
            // For a value in a tag that was dropped, the dict is updated when the tag closes.
            level.value_due = level.kind == ContainerKind::Entries;
            return;
        }
        level.count += 1;
        level.value_due = false;
        if level.pair && level.count == 2 {
            self.close_container();
        }
    }

    /// Writes a case, whose type was its name, in the form that holds anything.
    fn general_case(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        let written = self.content.cut(level.start.1);
        let context = level.context;
        let type_end = 1 + crate::wire::keyword_len(&written[1..]);
        self.content.byte(b'=');
        self.content.put(Mark::Variant.word().as_bytes());
        let mut general = OpenContainer::new(ContainerKind::Items, context);
        general.size = Some((self.content.open(), self.content.open()));
        general.start = (self.content.len(), self.content.position());
        self.content.put(&written[1..type_end]);
        self.content.put(b"| 0");
        if level.count == 1 {
            self.content.byte(BAR);
            self.put_element(None, &written[written.len() - level.payload..], BAR);
            general.count = 1;
        }
        self.levels.push(general);
    }

    fn put_element(&mut self, mark: Option<Mark>, payload: &[u8], stop: u8) {
        if let Some(mark) = mark {
            self.content.byte(b'=');
            self.content.put(mark.word().as_bytes());
        }
        if payload.is_empty() {
            return;
        }
        if payload.len() > ELEM_SIZE_MAX || memchr(stop, payload).is_some() {
            if mark.is_some() {
                self.content.byte(b':');
            }
            put_digits(payload.len() as u64, self.content.bytes_mut());
        }
        self.content.byte(b' ');
        self.content.put(payload);
    }

    fn put_key(&mut self, mark: Option<Mark>) {
        let length = self.scratch.len() + mark.map_or(0, |mark| 1 + mark.word().len() + usize::from(!self.scratch.is_empty()));
        let digit = mark.is_none() && self.scratch.first().is_some_and(u8::is_ascii_digit);
        if digit || length > ELEM_SIZE_MAX || memchr(KEY_END, &self.scratch).is_some() {
            put_digits(length as u64, self.content.bytes_mut());
            self.content.byte(b' ');
        }
        self.put_marked(mark);
        self.content.byte(KEY_END);
    }

    /// Writes a scalar whose payload is in the scratch.
    fn put_scalar(&mut self, context: ValuePlace, mark: Option<Mark>, value: &Scalar<'_, '_>) -> Result<()> {
        match context {
            ValuePlace::Element(stop) => {
                let scratch = std::mem::take(&mut self.scratch);
                self.put_element(mark, &scratch, stop);
                self.scratch = scratch;
            }
            ValuePlace::Key => self.put_key(Some(mark.unwrap_or(Mark::Value))),
            ValuePlace::Data => {
                self.start_data();
                let mark = self.mark_variable(mark);
                self.put_marked(mark);
                if self.content.len() > self.data_at {
                    self.content.byte(LF);
                }
            }
            ValuePlace::Variable => {
                let code = self.tag.take();
                let operator =
                    code.map_or(Some(Operator::Set), |code| Operator::from_byte((code % ROUTING) as u8)).unwrap_or(Operator::Set);
                if let Some(code) = code.filter(|code| *code >= ROUTING) {
                    let mark = self.mark_variable(mark);
                    self.keyword_of_name();
                    // The routing header comes first, and has no sizes.
                    let structured =
                        mark.is_none() && operator.takes_whole_values() && words::structured(&self.keyword, &self.scratch).is_some();
                    if self.entity || self.data.is_some() || memchr(LF, &self.scratch).is_some() {
                        self.levels.pop();
                        self.open_container(ValuePlace::Variable, Container::Tagged(NAME, code))?;
                        let context = self.begin()?;
                        // Its losses were noted before.
                        let mark = spell(value, Span::NONE, &mut self.scratch, &mut Losses::default());
                        self.put_scalar(context, mark, value)?;
                        return Ok(());
                    }
                    if structured {
                        self.keyword.clear();
                        name::put_masked(&self.name, &mut self.keyword);
                    }
                    self.routing.push(operator.byte());
                    self.routing.extend_from_slice(&self.keyword);
                    self.routing.push(TAB);
                    if let Some(mark) = mark {
                        self.routing.push(b'=');
                        self.routing.extend_from_slice(mark.word().as_bytes());
                        if !self.scratch.is_empty() {
                            self.routing.push(b' ');
                        }
                    }
                    self.routing.extend_from_slice(&self.scratch);
                    self.routing.push(LF);
                    return Ok(());
                }
                let text = matches!(value, Scalar::Text(_)) || matches!(value, Scalar::Octets(_)) && mark.is_none();
                self.release_keeping_scratch();
                if code.is_none() && text && self.name == DATA && !self.method.is_empty() && !self.scratch.is_empty() {
                    self.data = Some(Held(self.scratch.clone()));
                } else {
                    self.variable(mark, operator);
                }
            }
        }
        Ok(())
    }

    fn release_keeping_scratch(&mut self) {
        if self.data.is_some() {
            let scratch = std::mem::take(&mut self.scratch);
            self.release();
            self.scratch = scratch;
        }
    }

    fn start_data(&mut self) {
        self.content.put(VALUE_METHOD);
        self.content.byte(LF);
        self.data_at = self.content.len();
    }

    fn open_container(&mut self, context: ValuePlace, container: Container<'_>) -> Result<()> {
        let code = if context == ValuePlace::Variable { self.tag.take() } else { None };
        let mut level = OpenContainer::new(ContainerKind::Items, context);
        let mut mark = Some(container.mark());
        match context {
            ValuePlace::Variable => {
                if let Some(code) = code.filter(|code| *code >= ROUTING) {
                    // No structured value in the routing header.
                    self.levels.pop();
                    self.open_container(ValuePlace::Variable, Container::Tagged(NAME, code))?;
                    let context = self.begin()?;
                    return self.open_container(context, container);
                }
                let operator = code.and_then(|code| Operator::from_byte(code as u8)).unwrap_or(Operator::Set);
                self.release();
                self.entity = true;
                self.keyword_of_name();
                self.content.byte(operator.byte());
                // A name with a keyword of its own can mark lists and dicts.
                if operator.takes_whole_values() && self.keyword.starts_with(b"_") {
                    match container {
                        Container::List => {
                            self.content.put(b"_list");
                            mark = None;
                        }
                        Container::Dict => {
                            level.prefix = Some(self.content.open());
                            mark = None;
                        }
                        _ => {}
                    }
                }
                self.content.put(&self.keyword);
                level.size = Some((self.content.open(), self.content.open()));
                self.content.byte(TAB);
                level.start = (self.content.len(), self.content.position());
            }
            ValuePlace::Key => {
                level.size = Some((self.content.open(), self.content.open()));
                level.start = (self.content.len(), self.content.position());
            }
            ValuePlace::Data => {
                self.start_data();
                level.start = (self.content.len(), self.content.position());
            }
            ValuePlace::Element(_) => {
                if let Container::Variant(name, 0) = container {
                    self.keyword.clear();
                    name::put(name, Place::Name, &mut self.keyword);
                    if Mark::of(&self.keyword).is_none() {
                        level.kind = ContainerKind::Case;
                        level.start = (self.content.len(), self.content.position());
                        self.content.byte(b'=');
                        self.content.put(&self.keyword);
                        self.levels.push(level);
                        return Ok(());
                    }
                }
            }
        }
        let is_dict = matches!(container, Container::Dict);
        if let Some(mark) = mark {
            self.content.byte(b'=');
            if is_dict {
                self.content.byte(b'_');
                level.map = Some(self.content.open());
            } else {
                self.content.put(mark.word().as_bytes());
            }
            if !matches!(context, ValuePlace::Element(_)) {
                self.content.byte(b' ');
            }
        } else if is_dict {
            level.map = Some(self.content.open());
        }
        if let ValuePlace::Element(_) = context {
            level.size = Some((self.content.open(), self.content.open()));
            level.start = (self.content.len(), self.content.position());
        }
        self.keyword.clear();
        match container {
            Container::Dict => level.kind = ContainerKind::Entries,
            Container::Record(name) => {
                level.kind = ContainerKind::Entries;
                name::put(name, Place::Name, self.content.bytes_mut());
            }
            Container::Variant(name, index) => {
                name::put(name, Place::Name, self.content.bytes_mut());
                self.content.put(b"| ");
                put_digits(u64::from(index), self.content.bytes_mut());
            }
            Container::Tagged(space, code) => {
                name::put(space, Place::Name, self.content.bytes_mut());
                self.content.put(b"| ");
                put_digits(code, self.content.bytes_mut());
            }
            Container::List | Container::Tuple => {}
        }
        self.levels.push(level);
        Ok(())
    }

    fn fill(&mut self, gaps: (Gap, Gap), before: &[u8], number: usize, after: &[u8]) {
        let mut text = [0; 24];
        let mut digits = itoa::Buffer::new();
        let mut len = 0;
        for piece in [before, digits.format(number).as_bytes(), after] {
            text[len..len + piece.len()].copy_from_slice(piece);
            len += piece.len();
        }
        // A gap holds ten bytes.
        let first = len.min(10);
        self.content.close(gaps.0, &text[..first]);
        self.content.close(gaps.1, &text[first..len]);
    }

    /// Ends the innermost list, dict or case.
    fn close_container(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        // The type of an element stands before what its size counts, that of a variable's value or
        // a key within.
        let element = self.content.len() - level.start.0;
        if let Some(gap) = level.map {
            match (level.prefix, level.has_other_keys) {
                (Some(_), true) => self.content.close(gap, b"=_map "),
                (Some(_), false) => {}
                (None, true) => self.content.close(gap, b"map"),
                (None, false) => self.content.close(gap, b"dict"),
            }
        }
        let length = self.content.len() - level.start.0;
        if let (Some(prefix), false) = (level.prefix, level.has_other_keys) {
            self.content.close(prefix, b"_dict");
        }
        match (level.context, level.size) {
            (ValuePlace::Variable, size) => {
                let unsized_fits = length <= MODIFIER_SIZE_MAX && memchr(LF, &self.content.bytes_mut()[level.start.1..]).is_none();
                if let (Some(gaps), false) = (size, unsized_fits) {
                    self.fill(gaps, b" ", length, b"");
                }
                self.content.byte(LF);
            }
            (ValuePlace::Element(_), Some(gaps)) if element > 0 => self.fill(gaps, b":", element, b" "),
            (ValuePlace::Element(_), _) => {}
            (ValuePlace::Key, size) => {
                if let Some(gaps) = size {
                    self.fill(gaps, b"", length, b" ");
                }
                self.content.byte(KEY_END);
            }
            (ValuePlace::Data, _) => self.content.byte(LF),
        }
        self.ended(level.context);
    }
}

impl<'m> Sink<'m> for PsycWriter {
    fn needs(&self) -> Needs {
        Needs::WHOLE_TEXT
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        let in_state = self.levels.len() == 1 && self.levels[0].kind == ContainerKind::Around && self.levels[0].context == ValuePlace::Data;
        // A state is a tag around all that waits here for the packet that it belongs to.
        let state = self.tag.filter(|_| in_state);
        if self.levels.is_empty() && !self.done || state.is_some() {
            match open {
                Open::Record { .. } | Open::Map(_) => {
                    if let Some(code) = state {
                        self.content.byte((code - 512) as u8);
                        self.content.byte(LF);
                        self.tag = None;
                    }
                    if let Open::Record { name, .. } = open
                        && !name.is_empty()
                    {
                        name::put(name, Place::Method, &mut self.method);
                    }
                    self.levels.push(OpenContainer::new(ContainerKind::Packet, ValuePlace::Data));
                    return Ok(Next::Enter);
                }
                Open::Tagged { space: NAME, code } if state.is_none() && [State::Reset, State::Resync].map(state_code).contains(&code) => {
                    self.tag = Some(code);
                    self.levels.push(OpenContainer::new(ContainerKind::Around, ValuePlace::Data));
                    return Ok(Next::Enter);
                }
                _ => {}
            }
        }
        self.no_state()?;
        let operator_possible = self.levels.last().is_some_and(|level| level.kind == ContainerKind::Packet && level.value_due);
        let context = self.begin()?;
        let container = match open {
            Open::List(_) => Container::List,
            Open::Tuple(_) => Container::Tuple,
            Open::Map(_) | Open::Record { name: "", .. } => Container::Dict,
            Open::Record { name, .. } => Container::Record(name),
            Open::Variant { name, index } => Container::Variant(name, index),
            Open::Tagged { space: NAME, code } if operator_possible && is_operator_code(code) => {
                self.tag = Some(code);
                self.levels.push(OpenContainer::new(ContainerKind::Around, context));
                return Ok(Next::Enter);
            }
            Open::Tagged { space: "", .. } => {
                self.losses.value("tag dropped", at);
                self.levels.push(OpenContainer::new(ContainerKind::Around, context));
                return Ok(Next::Enter);
            }
            Open::Tagged { space, code } => Container::Tagged(space, code),
            other => return Err(Error::unknown_event(other.kind())),
        };
        self.open_container(context, container)?;
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _at: Span) -> Result<Next> {
        let Some(level) =
            self.levels.last_mut().filter(|level| matches!(level.kind, ContainerKind::Packet | ContainerKind::Entries) && !level.value_due)
        else {
            return Err(broken("a field outside of all records"));
        };
        level.value_due = true;
        let name = field.name.get();
        if level.kind == ContainerKind::Packet {
            self.name.clear();
            self.name.push_str(name);
        } else {
            self.content.byte(KEY_START);
            self.scratch.clear();
            self.scratch.extend_from_slice(name.as_bytes());
            let mark = words::marked(&self.scratch).map(|_| Mark::Text);
            self.put_key(mark);
        }
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.no_state()?;
        let mark = spell(&value, at, &mut self.scratch, &mut self.losses);
        if let Some(level) = self.levels.last_mut().filter(|level| level.kind == ContainerKind::Case) {
            if mark.is_none() && level.count == 0 && !self.scratch.is_empty() {
                level.count = 1;
                level.payload = self.scratch.len();
                let ValuePlace::Element(stop) = level.context else { return Err(broken("a case outside of lists and dicts")) };
                if self.scratch.len() > ELEM_SIZE_MAX || memchr(stop, &self.scratch).is_some() {
                    self.content.byte(b':');
                    put_digits(self.scratch.len() as u64, self.content.bytes_mut());
                }
                self.content.byte(b' ');
                self.content.put(&self.scratch);
                return Ok(());
            }
            self.general_case();
        }
        let scratch = std::mem::take(&mut self.scratch);
        let context = self.begin()?;
        self.scratch = scratch;
        self.put_scalar(context, mark, &value)?;
        self.ended(context);
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Err(broken("a value in parts"))
    }

    fn close(&mut self, _: Span) -> Result<()> {
        let Some(level) = self.levels.last() else { return Err(broken("a close without an open")) };
        match level.kind {
            ContainerKind::Packet if level.value_due => return Err(broken("a record that ends after a name")),
            ContainerKind::Entries if level.value_due => return Err(broken("a dict that ends after a key")),
            ContainerKind::Packet => {
                self.levels.pop();
                self.ended(ValuePlace::Data);
            }
            ContainerKind::Around => {
                let context = level.context;
                self.tag = None;
                self.levels.pop();
                self.ended(context);
            }
            _ => self.close_container(),
        }
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.losses.note(note, at);
        Ok(())
    }
}

/// Returns whether a tag is an operator in a header.
fn is_operator_code(code: u64) -> bool {
    let operator = u8::try_from(code % ROUTING).ok().and_then(Operator::from_byte);
    code < 2 * ROUTING && operator.is_some_and(|operator| code >= ROUTING || operator != Operator::Set)
}

impl PsycWriter {
    /// Turns a state around a value that is no packet into an ordinary tagged value.
    fn no_state(&mut self) -> Result<()> {
        if let (1, Some(code)) = (self.levels.len(), self.tag)
            && self.levels[0].kind == ContainerKind::Around
            && self.levels[0].context == ValuePlace::Data
        {
            self.tag = None;
            self.levels.clear();
            self.open_container(ValuePlace::Data, Container::Tagged(NAME, code))?;
        }
        Ok(())
    }
}

impl PsycWriter {
    /// Forgets the message.
    fn clear(&mut self) {
        self.routing.clear();
        self.content.clear();
        self.levels.clear();
        self.method.clear();
        self.name.clear();
        self.scratch.clear();
        self.done = false;
        self.tag = None;
        self.entity = false;
        self.data = None;
        self.data_at = 0;
    }
}

impl Writer for PsycWriter {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if !self.done || !self.levels.is_empty() {
            return Err(broken("the end of a message that is not whole"));
        }
        if !self.method.is_empty() {
            self.content.put(&self.method);
            self.content.byte(LF);
            self.data_at = self.content.len();
            if let Some(Held(data)) = self.data.take() {
                self.content.put(&data);
                self.content.byte(LF);
            }
        }
        let length = self.content.len();
        self.scratch.clear();
        let (data_at, has_data) = (self.data_at, self.data_at > 0 && self.data_at < length);
        self.content.finish(&mut self.scratch);
        out.reserve(self.routing.len() + length + 32);
        out.extend_from_slice(&self.routing);
        if length > 0 {
            if length > CONTENT_SIZE_MAX || has_data && needs_size(&self.scratch[data_at..length - 1]) {
                put_digits(length as u64, out);
            }
            out.push(LF);
            out.extend_from_slice(&self.scratch);
        }
        out.extend_from_slice(END);
        self.clear();
        Ok(())
    }

    fn reset(&mut self) {
        self.clear();
        self.losses.clear();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.losses.take()
    }
}
