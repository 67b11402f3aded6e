//! From packet to packet over the index. What is not plainly right is left to [`super::exact`], which also says what is wrong with it.

use super::index::Index;
use super::tape::{Entry, Line, Records};
use crate::wire::{BAR, LF, TAB, is_keyword_byte, is_operator};

const OPERATOR: u8 = 1;
const KEYWORD: u8 = 2;
const DIGIT: u8 = 4;

/// What a byte is at the start of a line.
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

/// A size in digits, which end before `end`. None if there are none, or if it is over the limit.
#[inline]
fn size(buf: &[u8], from: usize, end: usize, limit: u64) -> Option<usize> {
    let digits = buf.get(from..end)?;
    let mut value = 0u64;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    if digits.is_empty() || value > limit { None } else { usize::try_from(value).ok() }
}

/// Where the walk is in the index.
#[derive(Clone, Copy)]
struct Place {
    /// The next stop.
    next: usize,
    count: usize,
}

/// Takes up the index at `at`, behind what was stepped over.
#[inline]
fn step_over(buf: &[u8], index: &mut Index, mut place: Place, at: usize) -> Place {
    if at >= index.end() {
        index.seek(at.min(buf.len()));
        return Place { next: 0, count: 0 };
    }
    let stops = index.stops();
    while place.next < place.count && (stops[place.next] as usize) < at {
        place.next += 1;
    }
    place
}

/// Makes `wanted` stops readable, one or two. None at the end of the buffer.
#[inline(always)]
fn want(buf: &[u8], index: &mut Index, place: Place, wanted: usize) -> Option<Place> {
    if place.next + wanted <= place.count { Some(place) } else { fill(buf, index, place, wanted) }
}

#[cold]
#[inline(never)]
fn fill(buf: &[u8], index: &mut Index, mut place: Place, wanted: usize) -> Option<Place> {
    while place.next + wanted > place.count {
        if index.end() >= buf.len() {
            return None;
        }
        let kept = (place.next < place.count).then(|| index.stops()[place.next]);
        place = Place { next: 0, count: index.refill(buf, kept) };
    }
    Some(place)
}

/// Reads packets from `start` on, as long as they are plainly right. Tells where the first is that is not, or the end of the buffer.
pub(super) fn walk(buf: &[u8], index: &mut Index, records: &mut Records, limit: u64) -> usize {
    let mut place = Place { next: 0, count: 0 };
    index.seek(0);
    let mut start = 0;
    while start < buf.len() {
        let before = records.line_count;
        match packet(buf, index, &mut place, records, limit, start) {
            Some(end) => start = end,
            None => {
                records.line_count = before;
                break;
            }
        }
    }
    start
}

/// One packet; tells where the next starts.
#[inline(always)]
fn packet(buf: &[u8], index: &mut Index, place: &mut Place, records: &mut Records, limit: u64, start: usize) -> Option<usize> {
    let mut at = start;
    let mut p = *place;
    let lines = records.line_count;
    let mut line_count = lines;
    let mut first = *buf.get(at)?;
    while CLASS[usize::from(first)] & OPERATOR != 0 {
        p = want(buf, index, p, 2)?;
        let [name_end, end] = *index.stops().get(p.next..)?.first_chunk()?;
        if *buf.get(name_end as usize)? != TAB {
            return None;
        }
        records.line(line_count, Line { name_end, end });
        line_count += 1;
        p.next += 2;
        at = end as usize + 1;
        first = *buf.get(at)?;
    }
    let entity = line_count;
    let (content, content_end) = if first == LF {
        p = want(buf, index, p, 1)?;
        p.next += 1;
        (at + 1, usize::MAX)
    } else if CLASS[usize::from(first)] & DIGIT != 0 {
        p = want(buf, index, p, 1)?;
        let end = *index.stops().get(p.next)? as usize;
        p.next += 1;
        if *buf.get(end)? != LF {
            return None;
        }
        let size = size(buf, at, end, limit)?;
        let content_end = (end + 1).checked_add(size)?;
        if buf.get(content_end..content_end.checked_add(2)?)? != b"|\n" {
            return None;
        }
        (end + 1, content_end)
    } else if first == BAR && *buf.get(at + 1)? == LF {
        p = want(buf, index, p, 1)?;
        p.next += 1;
        let here = at as u32;
        records.packet(Entry { lines: lines as u32, entity: entity as u32, content: here, method: here, method_end: here, end: here });
        records.line_count = line_count;
        *place = p;
        return Some(at + 2);
    } else {
        return None;
    };
    at = content;
    let sized = content_end != usize::MAX;
    if at < content_end {
        first = *buf.get(at)?;
        if matches!(first, b'=' | b'?') && *buf.get(at + 1)? == LF {
            p = want(buf, index, p, 1)?;
            p.next += 1;
            at += 2;
            first = *buf.get(at)?;
        }
    }
    while at < content_end && CLASS[usize::from(first)] & OPERATOR != 0 {
        p = want(buf, index, p, 2)?;
        let [name_end, mut end] = *index.stops().get(p.next..)?.first_chunk()?;
        p.next += 2;
        let after = *buf.get(name_end as usize)?;
        if after != TAB {
            if after != b' ' {
                return None;
            }
            (end, p) = sized_value(buf, index, p, name_end as usize + 1, limit)?;
        }
        records.line(line_count, Line { name_end, end });
        line_count += 1;
        at = end as usize + 1;
        first = *buf.get(at)?;
    }
    let (method, method_end, end);
    if sized && at >= content_end {
        if at > content_end {
            return None;
        }
        p = step_over(buf, index, p, content_end + 2);
        (method, method_end, end) = (content_end, content_end, content_end);
    } else if CLASS[usize::from(first)] & KEYWORD != 0 {
        p = want(buf, index, p, 1)?;
        (method, method_end) = (at, *index.stops().get(p.next)? as usize);
        p.next += 1;
        if *buf.get(method_end)? != LF {
            return None;
        }
        if sized {
            if method_end >= content_end || buf[content_end - 1] != LF {
                return None;
            }
            end = content_end;
            p = step_over(buf, index, p, content_end + 2);
        } else {
            let mark = loop {
                if let Some(mark) = index.next_mark(p.next) {
                    break mark;
                }
                p.next = p.count;
                p = fill(buf, index, p, 1)?;
            };
            end = *index.stops().get(mark)? as usize - 1;
            p.next = mark + 1;
        }
    } else if first == BAR && !sized && *buf.get(at + 1)? == LF {
        p = want(buf, index, p, 1)?;
        p.next += 1;
        (method, method_end, end) = (at, at, at);
    } else {
        return None;
    }
    records.packet(Entry {
        lines: lines as u32,
        entity: entity as u32,
        content: content as u32,
        method: method as u32,
        method_end: method_end as u32,
        end: end as u32,
    });
    records.line_count = line_count;
    *place = p;
    Some(end + 2)
}

/// A value with its size, from its first digit on: where it ends, and where the index goes on.
#[inline]
fn sized_value(buf: &[u8], index: &mut Index, place: Place, digits: usize, limit: u64) -> Option<(u32, Place)> {
    let mut tab = digits;
    while CLASS[usize::from(*buf.get(tab)?)] & DIGIT != 0 {
        tab += 1;
    }
    if *buf.get(tab)? != TAB {
        return None;
    }
    let end = (tab + 1).checked_add(size(buf, digits, tab, limit)?)?;
    if *buf.get(end)? != LF {
        return None;
    }
    // The two stops of the line were read: the LF is the one that ends it, or one in the value.
    let place = Place { next: place.next - 1, ..place };
    Some((end as u32, step_over(buf, index, place, end + 1)))
}
