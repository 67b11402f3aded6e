//! The inference as a sink: it counts each value at its place.

use polywire_core::{Error, Field, Next, Open, Part, PartKind, Result, Scalar, Sink, Span, Str};

use super::place::{FieldSeen, Id, NONE, Places};
use super::thresholds::{MAX_FIELDS, MAX_MEMBER_NAME, MAX_NAME, MAX_PLACES};

/// The position of the walk among the places.
#[derive(Debug, Default)]
pub(crate) struct Position {
    frames: Vec<Frame>,
    /// The start of a value in parts, and its length so far.
    part: Vec<u8>,
    length: usize,
    /// Number of the current record; shows that a field comes twice in one.
    serial: u64,
    whole: bool,
}

/// A container that is open.
#[derive(Debug, Clone, Copy)]
enum Frame {
    Items {
        place: Id,
        at: usize,
        first: bool,
    },
    Named {
        record: Id,
        serial: u64,
        /// The last field.
        last: Id,
        entries: u64,
        /// Number of different fields so far.
        distinct: u64,
        /// The last of these fields that came for the first time.
        newest: Id,
        /// The place of the announced field's value.
        due: Option<Id>,
        /// True if a key that is no text came, and its value is due.
        keyed: bool,
    },
    Variant {
        place: Id,
        case: usize,
        at: usize,
    },
    Tag {
        inner: Id,
    },
    /// A container whose place was given up.
    Dead,
}

impl Position {
    /// Resets the position for a new message.
    pub fn start(&mut self) {
        self.frames.clear();
        self.part.clear();
        self.length = 0;
        self.whole = false;
    }

    /// Makes the next record's number larger than all of `other`, whose places are merged in.
    pub fn merge(&mut self, other: &Position) {
        self.serial = self.serial.max(other.serial);
    }

    /// Returns the number of the last record.
    pub fn serial(&self) -> u64 {
        self.serial
    }

    /// Makes the next record's number larger than `serial`.
    pub fn resume(&mut self, serial: u64) {
        self.serial = serial;
    }

    /// Returns true if a whole value came.
    pub fn is_whole(&self) -> bool {
        self.whole
    }
}

/// A message on its way into the places.
pub(crate) struct Feed<'p> {
    pub places: &'p mut Places,
    pub position: &'p mut Position,
}

impl Feed<'_> {
    /// Returns the place of the next value, or nothing if it was given up.
    fn place(&mut self) -> Option<Id> {
        let places = &mut *self.places;
        let id = match self.position.frames.last_mut() {
            None => Some(0),
            Some(Frame::Dead) => None,
            Some(Frame::Tag { inner }) => Some(*inner),
            Some(Frame::Items { place, at, first }) => {
                *at += 1;
                Some(places.item(*place, *at - 1, *first))
            }
            Some(Frame::Variant { place, case, at }) => {
                *at += 1;
                places.case_value(*place, *case, *at - 1)
            }
            Some(Frame::Named { record, entries, due, keyed, .. }) => match due.take() {
                Some(place) => Some(place),
                None => {
                    let depth = places.named(*record).depth + 1;
                    *keyed = !*keyed;
                    *entries += u64::from(*keyed);
                    let known = if *keyed { places.named(*record).keys } else { places.named(*record).values };
                    let place = known.unwrap_or_else(|| places.place(depth));
                    let named = places.named_mut(*record);
                    let slot = if *keyed { &mut named.keys } else { &mut named.values };
                    *slot = Some(place);
                    Some(place)
                }
            },
        };
        if id.is_none()
            && let Some(frame) = self.position.frames.last_mut()
        {
            *frame = Frame::Dead;
        }
        if self.thin_out() { None } else { id }
    }

    /// Gives up the deepest places if there are too many; returns true if the innermost container
    /// is among them.
    fn thin_out(&mut self) -> bool {
        if self.places.live() <= MAX_PLACES {
            return false;
        }
        self.places.thin_out();
        let limit = self.places.limit();
        self.position.frames.iter_mut().skip(limit).for_each(|frame| *frame = Frame::Dead);
        self.position.frames.len() > limit
    }

    /// Enters a container, also one that was given up, so that the reader checks it.
    fn enter(&mut self, frame: Frame) -> Next {
        self.position.frames.push(frame);
        Next::Enter
    }

    fn value(&mut self, value: &Scalar<'_, '_>) {
        self.position.whole |= self.position.frames.is_empty();
        if let Some(place) = self.place() {
            self.places.at_mut(place).add(value);
        }
    }
}

impl<'m> Sink<'m> for Feed<'_> {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        self.position.whole |= self.position.frames.is_empty();
        let depth = self.position.frames.len();
        let Some(place) = self.place() else { return Ok(self.enter(Frame::Dead)) };
        let places = &mut *self.places;
        if depth >= places.limit() || places.at(place).opaque {
            places.make_opaque(place);
            return Ok(self.enter(Frame::Dead));
        }
        let frame = match open {
            Open::List(_) => Frame::Items { place, at: 0, first: places.items_open(place, false) },
            Open::Tuple(_) => Frame::Items { place, at: 0, first: places.items_open(place, true) },
            Open::Map(_) | Open::Record { .. } => {
                let name = if let Open::Record { name, .. } = open { name } else { "" };
                let record = places.record_at(place, if name.len() > MAX_NAME { "" } else { name });
                places.named_mut(record).count += 1;
                self.position.serial += 1;
                Frame::Named {
                    record,
                    serial: self.position.serial,
                    last: NONE,
                    entries: 0,
                    distinct: 0,
                    newest: NONE,
                    due: None,
                    keyed: false,
                }
            }
            Open::Variant { name, index } => match places.case(place, if name.len() > MAX_NAME { &name[..0] } else { name }, index) {
                Some(case) => Frame::Variant { place, case, at: 0 },
                None => Frame::Dead,
            },
            Open::Tagged { space, code } => match places.tag(place, space, code) {
                Some(inner) => Frame::Tag { inner },
                None => Frame::Dead,
            },
            _ => Frame::Dead,
        };
        Ok(self.enter(frame))
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        let Some(Frame::Named { record, serial, last, entries, distinct, newest, due, .. }) = self.position.frames.last_mut() else {
            return Ok(Next::Enter);
        };
        *entries += 1;
        let name = field.name.get();
        let places = &mut *self.places;
        let named = places.named(*record);
        if !named.map && (name.len() > MAX_NAME || (named.fields.len() == MAX_FIELDS && named.find(name, *last).is_none())) {
            places.make_map(*record);
        }
        let named = places.named_mut(*record);
        named.text_keys = true;
        if named.map {
            *due = named.values;
            return Ok(Next::Enter);
        }
        if let Some(known) = named.find(name, *last) {
            let seen = &mut named.fields[known as usize];
            let is_new = seen.seen_in != *serial;
            if is_new {
                seen.records += 1;
                seen.positions = seen.positions.saturating_add(*distinct);
                seen.seen_in = *serial;
                *distinct += 1;
            } else {
                seen.repeated = true;
            }
            seen.number = seen.number.filter(|&number| field.id == Some(number));
            *due = Some(seen.place);
            if is_new {
                named.follows(known, *newest);
                *newest = known;
            }
            *last = known;
        } else {
            let depth = named.depth + 1;
            let place = places.place(depth);
            let positions = *distinct;
            *distinct += 1;
            let (name, number, seen_in) = (name.into(), field.id, *serial);
            let before = Some(Vec::new());
            let seen = FieldSeen { name, place, next: NONE, records: 1, positions, before, repeated: false, number, seen_in };
            let named = places.named_mut(*record);
            *last = named.insert(seen, *last);
            named.follows(*last, *newest);
            *newest = *last;
            *due = Some(place);
            self.thin_out();
        }
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
        self.value(&value);
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, _: Span) -> Result<()> {
        let position = &mut *self.position;
        let keep = (4 * MAX_MEMBER_NAME).saturating_sub(position.part.len()).min(part.bytes.len());
        position.part.extend_from_slice(&part.bytes[..keep]);
        position.length += part.bytes.len();
        if !part.last {
            return Ok(());
        }
        let start = std::mem::take(&mut position.part);
        let length = std::mem::take(&mut position.length);
        match part.kind {
            PartKind::Bytes => self.value(&Scalar::Bytes(Str::Scratch(&start))),
            PartKind::Octets => self.value(&Scalar::Octets(Str::Scratch(&start))),
            PartKind::Text if length > start.len() => {
                self.position.whole |= self.position.frames.is_empty();
                if let Some(place) = self.place() {
                    self.places.at_mut(place).texts().add_long(length);
                }
            }
            PartKind::Text => {
                let text = std::str::from_utf8(&start).map_err(|_| Error::internal("parts of text that are no UTF-8"))?;
                self.value(&Scalar::Text(Str::Scratch(text)));
            }
        }
        self.position.part = start;
        self.position.part.clear();
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        match self.position.frames.pop() {
            Some(Frame::Items { place, at, .. }) => self.places.items_close(place, at),
            Some(Frame::Variant { place, case, at }) => self.places.case_close(place, case, at),
            Some(Frame::Named { record, entries, .. }) => {
                let named = self.places.named_mut(record);
                named.singles += u64::from(entries == 1 && named.keys.is_none());
            }
            Some(Frame::Tag { .. } | Frame::Dead) => {}
            None => return Err(Error::internal("a close without its open")),
        }
        Ok(())
    }
}
