//! Reads packet after packet over the index. A packet that is not plainly right is left to
//! [`super::exact`], which also reports what is wrong with it.
//!
//! Nearly all packets lie inside of the indexed part of the buffer; they are read with [`Part`],
//! which holds still and so stays in registers. One that reaches over its end is read again with
//! [`Moving`], which moves the index along.

use super::index::Index;
use super::records::{Entry, Line, Records};
use crate::wire::{BAR, END, LF, TAB, is_keyword_byte, is_operator};

const OPERATOR: u8 = 1;
const KEYWORD: u8 = 2;
const DIGIT: u8 = 4;

/// Classes of bytes at the start of a line.
const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        if is_operator(byte as u8) {
            class[byte] |= OPERATOR;
        }
        if is_keyword_byte(byte as u8) {
            class[byte] |= KEYWORD;
        }
        if (byte as u8).is_ascii_digit() {
            class[byte] |= DIGIT;
        }
        byte += 1;
    }
    class
};

/// Returns the size whose digits start at `from`, and where they end. Returns `None` if there are
/// none, or if it is over the limit.
#[inline(always)]
fn size(buf: &[u8], from: usize, limit: usize) -> Option<(usize, usize)> {
    let mut at = from;
    let mut value = 0usize;
    loop {
        let digit = buf.get(at)?.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        // So it is 9 over the limit at most, which is half of what a `usize` holds.
        if value > limit / 10 {
            return None;
        }
        value = value * 10 + usize::from(digit);
        at += 1;
    }
    if at == from || value > limit { None } else { Some((value, at)) }
}

/// The stops of the index, in order, as a packet is read, and where its lines are kept.
trait Stops {
    /// Returns the next stop.
    fn stop(&mut self) -> Option<u32>;
    /// Returns the next stop that ends a line of one byte.
    fn mark(&mut self) -> Option<u32>;
    /// Leaves out those before `at`, which is the start of a line.
    fn step_over(&mut self, at: usize) -> Option<()>;
    /// Leaves out those of a content with a size, and that of the end mark at `end` after it.
    fn step_over_content(&mut self, end: usize) -> Option<()>;
    /// Keeps a line of the tape.
    fn keep(&mut self, number: usize, line: Line) -> Option<()>;
}

/// The indexed part.
struct Part<'i> {
    stops: &'i [u32],
    next: usize,
    marks: &'i [u32],
    /// The next mark.
    mark: usize,
    /// Where the part ends.
    end: usize,
    lines: &'i mut [Line],
}

impl Stops for Part<'_> {
    #[inline(always)]
    fn stop(&mut self) -> Option<u32> {
        let stop = *self.stops.get(self.next)?;
        self.next += 1;
        Some(stop)
    }

    #[inline(always)]
    fn mark(&mut self) -> Option<u32> {
        loop {
            let stop = *self.marks.get(self.mark)? as usize;
            self.mark += 1;
            if stop >= self.next {
                self.next = stop;
                return self.stop();
            }
        }
    }

    #[inline(always)]
    fn step_over(&mut self, at: usize) -> Option<()> {
        if at > self.end {
            return None;
        }
        while self.stops.get(self.next).is_some_and(|stop| (*stop as usize) < at) {
            self.next += 1;
        }
        Some(())
    }

    #[inline(always)]
    fn step_over_content(&mut self, end: usize) -> Option<()> {
        // The end mark is among the marks, of which there are fewer.
        loop {
            let stop = *self.marks.get(self.mark)? as usize;
            self.mark += 1;
            if *self.stops.get(stop)? as usize > end {
                self.next = stop + 1;
                return Some(());
            }
        }
    }

    #[inline(always)]
    fn keep(&mut self, number: usize, line: Line) -> Option<()> {
        *self.lines.get_mut(number)? = line;
        Some(())
    }
}

/// The indexed part, which moves along.
struct Moving<'w, 'b> {
    buf: &'b [u8],
    index: &'w mut Index,
    records: &'w mut Records,
}

impl Moving<'_, '_> {
    /// Makes a stop readable. None at the end of the buffer.
    fn want(&mut self) -> Option<()> {
        while self.index.next == self.index.stops().len() {
            if self.index.end() >= self.buf.len() {
                return None;
            }
            self.index.refill(self.buf);
        }
        Some(())
    }
}

impl Stops for Moving<'_, '_> {
    fn stop(&mut self) -> Option<u32> {
        self.want()?;
        self.index.next += 1;
        Some(self.index.stops()[self.index.next - 1])
    }

    fn mark(&mut self) -> Option<u32> {
        loop {
            let marks = self.index.marks();
            if let Some(stop) = marks.get(marks.partition_point(|stop| (*stop as usize) < self.index.next)) {
                self.index.next = *stop as usize;
                return self.stop();
            }
            self.index.next = self.index.stops().len();
            self.want()?;
        }
    }

    fn step_over(&mut self, at: usize) -> Option<()> {
        if at >= self.index.end() {
            self.index.seek(at.min(self.buf.len()));
        }
        while self.index.stops().get(self.index.next).is_some_and(|stop| (*stop as usize) < at) {
            self.index.next += 1;
        }
        Some(())
    }

    fn step_over_content(&mut self, end: usize) -> Option<()> {
        self.step_over(end + END.len())
    }

    fn keep(&mut self, number: usize, line: Line) -> Option<()> {
        self.records.line(number, line);
        Some(())
    }
}

/// Reads packets from the start of `buf`, as long as they are plainly right. Returns the offset of
/// the first one that is not, or the end of the buffer.
pub(super) fn walk(buf: &[u8], index: &mut Index, records: &mut Records, limit: usize) -> usize {
    index.seek(0);
    let mut start = 0;
    while start < buf.len() {
        start = inside(buf, index, records, limit, start);
        if start == buf.len() {
            break;
        }
        let lines = records.line_count;
        let Some((entry, count)) = packet(buf, &mut Moving { buf, index, records }, lines, limit, start) else { break };
        records.packet(entry);
        records.line_count = count;
        start = entry.end as usize + END.len();
    }
    start
}

/// Reads the packets within the indexed part. Returns the offset of the first one that is not
/// within it, or not plainly right.
fn inside(buf: &[u8], index: &mut Index, records: &mut Records, limit: usize, mut start: usize) -> usize {
    let (stops, marks) = (index.stops(), index.marks());
    let (mut line_count, mut packet_count) = (records.line_count, records.packet_count);
    let (lines, packets) = records.room(stops.len() / 2 + 1, stops.len() + 1);
    let mut next = index.next;
    let mut part = Part { stops, next, marks, mark: 0, end: index.end(), lines };
    while start < buf.len() {
        let Some((entry, count)) = packet(buf, &mut part, line_count, limit, start) else { break };
        let Some(slot) = packets.get_mut(packet_count) else { break };
        *slot = entry;
        packet_count += 1;
        line_count = count;
        start = entry.end as usize + END.len();
        next = part.next;
    }
    index.next = next;
    (records.line_count, records.packet_count) = (line_count, packet_count);
    start
}

/// Returns the packet at `start`, whose lines are kept from number `lines` on, and the number after
/// its last line.
#[inline(always)]
fn packet(buf: &[u8], stops: &mut impl Stops, lines: usize, limit: usize, start: usize) -> Option<(Entry, usize)> {
    let mut count = lines;
    let mut at = start;
    let mut first = *buf.get(at)?;
    while CLASS[usize::from(first)] & OPERATOR != 0 {
        let name_end = stops.stop()?;
        if *buf.get(name_end as usize)? != TAB {
            return None;
        }
        let end = stops.stop()?;
        stops.keep(count, Line { name_end, end })?;
        count += 1;
        at = end as usize + 1;
        first = *buf.get(at)?;
    }
    let entity = count;
    let entry = |content: usize, method: usize, method_end: usize, end: usize| Entry {
        lines: lines as u32,
        entity: entity as u32,
        content: content as u32,
        method: method as u32,
        method_end: method_end as u32,
        end: end as u32,
    };
    // Where a content without a size ends is not known before its data.
    let mut content_end = None;
    if first == LF {
        stops.stop()?;
        at += 1;
    } else if CLASS[usize::from(first)] & DIGIT != 0 {
        let (size, end) = size(buf, at, limit)?;
        if buf[end] != LF {
            return None;
        }
        stops.stop()?;
        let end_mark = (end + 1).checked_add(size)?;
        if buf.get(end_mark..end_mark.checked_add(2)?)? != END {
            return None;
        }
        content_end = Some(end_mark);
        at = end + 1;
    } else if first == BAR && *buf.get(at + 1)? == LF {
        stops.stop()?;
        return Some((entry(at, at, at, at), count));
    } else {
        return None;
    }
    let content = at;
    // Behind a content with a size are its end mark and, so, no operator.
    first = *buf.get(at)?;
    if matches!(first, b'=' | b'?') && *buf.get(at + 1)? == LF {
        stops.stop()?;
        at += 2;
        first = *buf.get(at)?;
    }
    while CLASS[usize::from(first)] & OPERATOR != 0 {
        let name_end = stops.stop()?;
        let end = match *buf.get(name_end as usize)? {
            TAB => stops.stop()?,
            b' ' => sized_value(buf, stops, name_end as usize + 1, limit)?,
            _ => return None,
        };
        stops.keep(count, Line { name_end, end })?;
        count += 1;
        at = end as usize + 1;
        first = *buf.get(at)?;
    }
    if let Some(end) = content_end {
        if at == end {
            stops.step_over_content(end)?;
            return Some((entry(content, end, end, end), count));
        }
        if at > end || CLASS[usize::from(first)] & KEYWORD == 0 {
            return None;
        }
        let method_end = stops.stop()? as usize;
        if method_end >= end || buf[method_end] != LF || buf[end - 1] != LF {
            return None;
        }
        stops.step_over_content(end)?;
        return Some((entry(content, at, method_end, end), count));
    }
    if CLASS[usize::from(first)] & KEYWORD != 0 {
        let method_end = stops.stop()? as usize;
        if *buf.get(method_end)? != LF {
            return None;
        }
        let end = loop {
            let mark = stops.mark()? as usize - 1;
            if buf[mark] == BAR {
                break mark;
            }
        };
        return Some((entry(content, at, method_end, end), count));
    }
    if first == BAR && *buf.get(at + 1)? == LF {
        stops.stop()?;
        return Some((entry(content, at, at, at), count));
    }
    None
}

/// Returns the end of a sized value that starts with the digits of its size.
#[inline(always)]
fn sized_value(buf: &[u8], stops: &mut impl Stops, digits: usize, limit: usize) -> Option<u32> {
    let (size, tab) = size(buf, digits, limit)?;
    if buf[tab] != TAB {
        return None;
    }
    let end = (tab + 1).checked_add(size)?;
    if *buf.get(end)? != LF {
        return None;
    }
    stops.step_over(end + 1)?;
    u32::try_from(end).ok()
}
