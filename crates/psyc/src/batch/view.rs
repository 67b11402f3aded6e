//! Batches, and views of their packets.

use core::ops::Range;

use super::end::End;
use super::records::{Entry, Line, Records};
use crate::packet::{self, Content, Header, Modifier, Operator, Sizing, State};
use crate::wire::{BAR, END, LF, TAB};

/// The packets of a buffer.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'t, 'b> {
    pub(super) buf: &'b [u8],
    pub(super) records: &'t Records,
    pub(super) end: End,
}

impl<'t, 'b> Batch<'t, 'b> {
    /// Returns the number of packets.
    pub fn len(&self) -> usize {
        self.records.packet_count
    }

    /// Returns whether there is no whole packet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how the batch ends.
    pub fn end(&self) -> End {
        self.end
    }

    /// Returns a packet by its number.
    #[inline]
    pub fn packet(&self, number: usize) -> Option<Packet<'t, 'b>> {
        Packet::new(self.buf, self.records, number)
    }

    /// Returns all packets.
    #[inline]
    pub fn packets(&self) -> Packets<'t, 'b> {
        Packets { batch: *self, numbers: 0..self.len() }
    }
}

impl<'t, 'b> IntoIterator for Batch<'t, 'b> {
    type Item = Packet<'t, 'b>;
    type IntoIter = Packets<'t, 'b>;

    fn into_iter(self) -> Packets<'t, 'b> {
        self.packets()
    }
}

/// A packet in a batch: views into the buffer.
#[derive(Debug, Clone, Copy)]
pub struct Packet<'t, 'b> {
    buf: &'b [u8],
    lines: &'t [Line],
    entry: Entry,
    start: usize,
}

impl<'t, 'b> Packet<'t, 'b> {
    #[inline]
    pub(super) fn new(buf: &'b [u8], records: &'t Records, number: usize) -> Option<Packet<'t, 'b>> {
        let packets = records.packets();
        let entry = *packets.get(number)?;
        let end = packets.get(number + 1).map_or(records.line_count, |next| next.lines as usize);
        let start = if number == 0 { 0 } else { packets[number - 1].end as usize + END.len() };
        Some(Packet { buf, lines: &records.lines()[entry.lines as usize..end], entry, start })
    }

    /// Returns its place in the buffer, with its end mark.
    #[inline]
    pub fn span(&self) -> Range<usize> {
        self.start..self.entry.end as usize + END.len()
    }

    /// Returns its bytes, with its end mark.
    #[inline]
    pub fn bytes(&self) -> &'b [u8] {
        &self.buf[self.span()]
    }

    /// Returns the number of lines of its routing header.
    #[inline]
    pub fn routing_len(&self) -> usize {
        (self.entry.entity - self.entry.lines) as usize
    }

    /// Returns the routing header.
    #[inline]
    pub fn routing(&self) -> Lines<'t, 'b> {
        self.routing_head().lines()
    }

    /// Returns the number of lines of its entity header.
    #[inline]
    pub fn entity_len(&self) -> usize {
        self.lines.len() - self.routing_len()
    }

    /// Returns the entity header.
    #[inline]
    pub fn entity(&self) -> Lines<'t, 'b> {
        self.entity_head().lines()
    }

    #[inline]
    fn routing_head(&self) -> Head<'t, 'b> {
        Head { buf: self.buf, lines: &self.lines[..self.routing_len()], start: self.start }
    }

    #[inline]
    fn entity_head(&self) -> Head<'t, 'b> {
        let state = if self.state().is_some() { 2 } else { 0 };
        Head { buf: self.buf, lines: &self.lines[self.routing_len()..], start: self.entry.content as usize + state }
    }

    /// Returns the packet in the form that the renderer and the state take, with sizes where it has
    /// them.
    pub fn to_packet(&self) -> packet::Packet<'b, Head<'t, 'b>> {
        let sizing = if self.content_size().is_some() { Sizing::Need } else { Sizing::No };
        let content = Content::Parts { state: self.state(), entity: self.entity_head(), method: self.method(), data: self.data() };
        packet::Packet { routing: self.routing_head(), content, sizing }
    }

    /// Returns the offset after the routing header.
    fn routing_end(&self) -> usize {
        match self.routing_len() {
            0 => self.start,
            lines => self.lines[lines - 1].end as usize + 1,
        }
    }

    /// Returns whether it has a content, which may be empty.
    pub fn has_content(&self) -> bool {
        self.buf[self.routing_end()] != BAR
    }

    /// Returns the declared size of its content.
    pub fn content_size(&self) -> Option<usize> {
        self.buf[self.routing_end()].is_ascii_digit().then(|| self.content().len())
    }

    /// Returns the bytes of its content, with the last LF.
    #[inline]
    pub fn content(&self) -> &'b [u8] {
        &self.buf[self.entry.content as usize..self.entry.end as usize]
    }

    /// Returns the state line.
    #[inline]
    pub fn state(&self) -> Option<State> {
        match self.content() {
            [b'=', LF, ..] => Some(State::Reset),
            [b'?', LF, ..] => Some(State::Resync),
            _ => None,
        }
    }

    /// Returns its method, empty if it has no body.
    #[inline]
    pub fn method(&self) -> &'b [u8] {
        &self.buf[self.entry.method as usize..self.entry.method_end as usize]
    }

    /// Returns the argument of the method.
    #[inline]
    pub fn data(&self) -> &'b [u8] {
        let start = self.entry.method_end as usize + 1;
        self.buf.get(start..(self.entry.end as usize).saturating_sub(1)).unwrap_or_default()
    }
}

/// A header of a packet in a batch, which can be rendered or applied without a copy.
#[derive(Debug, Clone, Copy)]
pub struct Head<'t, 'b> {
    buf: &'b [u8],
    lines: &'t [Line],
    start: usize,
}

impl<'t, 'b> Header<'b> for Head<'t, 'b> {
    type Lines = Lines<'t, 'b>;

    #[inline]
    fn lines(self) -> Lines<'t, 'b> {
        Lines { buf: self.buf, lines: self.lines.iter(), start: self.start }
    }
}

/// The lines of a header.
#[derive(Debug, Clone)]
pub struct Lines<'t, 'b> {
    buf: &'b [u8],
    lines: core::slice::Iter<'t, Line>,
    start: usize,
}

impl<'b> Iterator for Lines<'_, 'b> {
    type Item = Modifier<'b>;

    #[inline]
    fn next(&mut self) -> Option<Modifier<'b>> {
        let line = *self.lines.next()?;
        let (name_end, end) = (line.name_end as usize, line.end as usize);
        // A tape says nothing else of its buffer: each part is there.
        let bytes = self.buf.get(self.start..end)?;
        let (name, after) = bytes.split_at_checked(name_end - self.start)?;
        let (operator, name) = name.split_first()?;
        let (separator, value) = after.split_first()?;
        self.start = end + 1;
        let operator = Operator::from_byte(*operator)?;
        if *separator == TAB {
            return Some(Modifier { operator, name, value, sizing: Sizing::No });
        }
        let digits = value.iter().take_while(|byte| **byte != TAB).count();
        Some(Modifier { operator, name, value: value.get(digits + 1..)?, sizing: Sizing::Need })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.lines.size_hint()
    }
}

impl ExactSizeIterator for Lines<'_, '_> {}

/// The packets of a batch.
#[derive(Debug, Clone)]
pub struct Packets<'t, 'b> {
    batch: Batch<'t, 'b>,
    numbers: Range<usize>,
}

impl<'t, 'b> Iterator for Packets<'t, 'b> {
    type Item = Packet<'t, 'b>;

    #[inline]
    fn next(&mut self) -> Option<Packet<'t, 'b>> {
        self.batch.packet(self.numbers.next()?)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.numbers.size_hint()
    }
}

impl ExactSizeIterator for Packets<'_, '_> {}
