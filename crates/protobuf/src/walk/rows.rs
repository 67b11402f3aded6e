//! Rows of columns straight to messages, without events. The twin is the writer that takes events:
//! it writes all that this leaves, such as maps, sums, and values of another type than their
//! field's.

use std::ops::Range;

use polywire_core::columns::{FieldView, Values, View};

use crate::model::{Cardinality, Kind, Presence};
use crate::plan::{Field, Plan};
use crate::wire::framing::Framing;
use crate::wire::{MAX_LENGTH, WireType, varint};

/// Most levels of messages, as many as columns have.
const MAX_DEPTH: u32 = 100;

/// Appends the rows as messages to `out`, each in its frame. Returns false, and leaves `out` as it
/// was, if they have to be walked.
pub(super) fn rows(plan: &Plan, framing: Framing, view: &View<'_>, rows: Range<usize>, out: &mut Vec<u8>) -> bool {
    let Values::Record(parts) = &view.values else { return false };
    if framing != Framing::Delimited || plan.has_views() || view.valid.is_some() {
        return false;
    }
    let Some(steps) = steps(plan, plan.root, parts, 0) else { return false };
    let start = out.len();
    let mut to = Room { bytes: std::mem::take(out), at: start, promised: 0 };
    let done = rows.into_iter().try_for_each(|row| {
        to.reserve(PIECE);
        let begin = to.begin();
        message(&steps, row, &mut to)?;
        to.end(begin)
    });
    to.bytes.truncate(if done.is_some() { to.at } else { start });
    *out = to.bytes;
    done.is_some()
}

/// A field of a message, and the column of its values.
struct Step<'v> {
    /// Bytes of the tag, and their number.
    tag: [u8; 8],
    tag_len: usize,
    /// Null is an error, and the walk's.
    required: bool,
    /// A value that is the default of its type is not written.
    implicit: bool,
    view: &'v View<'v>,
    put: Put<'v>,
}

/// The way of a value to its bytes.
enum Put<'v> {
    One(Scalar<'v>),
    /// A list of values: start and end of each, the items, and whether they are packed.
    List(&'v [(usize, usize)], &'v View<'v>, Scalar<'v>, bool),
}

enum Scalar<'v> {
    Bool,
    /// Numbers as varints without zigzag, each of which the field takes.
    I64(&'v [i64]),
    I32(&'v [i32]),
    /// A number as a varint, within those bounds; true if it is zigzag.
    Int(i64, i64, bool),
    UInt(u64),
    /// A number of four or eight bytes.
    Fixed32(i64, i64),
    Fixed64,
    UFixed64,
    F32,
    F64,
    Piece,
    /// Numbers of the names in the dictionary; none if the enum does not have it.
    Names(&'v [usize], Vec<Option<i32>>),
    Message(Vec<Step<'v>>),
}

/// Returns the steps of a message type, in the order of the numbers.
fn steps<'v>(plan: &Plan, message: u32, parts: &'v [FieldView<'v>], depth: u32) -> Option<Vec<Step<'v>>> {
    let ty = plan.message(message);
    if depth >= MAX_DEPTH || ty.message_set {
        return None;
    }
    let mut steps = Vec::new();
    let mut known = 0;
    for field in &ty.fields {
        let Some(part) = parts.iter().find(|part| part.name == &*field.name) else {
            if field.presence == Presence::Required {
                return None;
            }
            continue;
        };
        known += 1;
        if field.oneof.is_some() || field.cardinality == Cardinality::Map {
            return None;
        }
        let put = match (&part.view.values, field.cardinality) {
            (Values::List(ends, items), Cardinality::Repeated) => Put::List(ends, items, scalar(plan, field, items, depth)?, field.packed),
            (_, Cardinality::Singular) => Put::One(scalar(plan, field, &part.view, depth)?),
            _ => return None,
        };
        let wire = if matches!(put, Put::List(.., true)) { WireType::Len } else { field.wire };
        let (bytes, tag_len) = varint::bytes(u64::from(crate::wire::tag_of(field.number, wire)));
        let mut tag = [0; 8];
        tag[..tag_len].copy_from_slice(&bytes[..tag_len]);
        let required = part.required || field.presence == Presence::Required;
        let implicit = field.presence == Presence::Implicit && field.message().is_none();
        steps.push(Step { tag, tag_len, required, implicit, view: &part.view, put });
    }
    (known == parts.len()).then_some(steps)
}

/// Returns the way of a field's values, if those of the view are of its type.
fn scalar<'v>(plan: &Plan, field: &Field, view: &'v View<'v>, depth: u32) -> Option<Scalar<'v>> {
    let is_whole = matches!(
        view.values,
        Values::I8(_) | Values::I16(_) | Values::I32(_) | Values::I64(_) | Values::U8(_) | Values::U16(_) | Values::U32(_) | Values::U64(_)
    );
    let (i32s, i64s, u32s) = ((i64::from(i32::MIN), i64::from(i32::MAX)), (i64::MIN, i64::MAX), (0, i64::from(u32::MAX)));
    Some(match (field.kind, &view.values) {
        (Kind::Bool, Values::Bool(_)) => Scalar::Bool,
        (Kind::Int32, Values::I32(values)) => Scalar::I32(values),
        (Kind::Int64, Values::I64(values)) => Scalar::I64(values),
        (Kind::Int32, _) if is_whole => Scalar::Int(i32s.0, i32s.1, false),
        (Kind::Int64, _) if is_whole => Scalar::Int(i64s.0, i64s.1, false),
        (Kind::SInt32, _) if is_whole => Scalar::Int(i32s.0, i32s.1, true),
        (Kind::SInt64, _) if is_whole => Scalar::Int(i64s.0, i64s.1, true),
        (Kind::UInt32, _) if is_whole => Scalar::UInt(u64::from(u32::MAX)),
        (Kind::UInt64, _) if is_whole => Scalar::UInt(u64::MAX),
        (Kind::Fixed32, _) if is_whole => Scalar::Fixed32(u32s.0, u32s.1),
        (Kind::SFixed32, _) if is_whole => Scalar::Fixed32(i32s.0, i32s.1),
        (Kind::Fixed64, _) if is_whole => Scalar::UFixed64,
        (Kind::SFixed64, _) if is_whole => Scalar::Fixed64,
        (Kind::Float, Values::F32(_)) => Scalar::F32,
        (Kind::Double, Values::F64(_)) => Scalar::F64,
        (Kind::String, Values::Text(_)) | (Kind::Bytes, Values::Bytes(_)) => Scalar::Piece,
        (Kind::Enum(_), Values::Names(keys, names)) => {
            let own = &plan.enums[field.enumeration()?];
            Scalar::Names(keys, names.iter().map(|name| own.number_of(name)).collect())
        }
        (Kind::Message(_), Values::Record(parts)) => Scalar::Message(steps(plan, field.message()?, parts, depth + 1)?),
        _ => return None,
    })
}

/// Returns the whole number at a place, if it is one of 64 bits with a sign.
#[inline(always)]
fn int(values: &Values<'_>, at: usize) -> Option<i64> {
    match values {
        Values::I64(values) => values.get(at).copied(),
        Values::I32(values) => values.get(at).map(|value| i64::from(*value)),
        Values::U32(values) => values.get(at).map(|value| i64::from(*value)),
        other => {
            let small = |values: &Values<'_>| match values {
                Values::I8(values) => values.get(at).map(|value| i64::from(*value)),
                Values::I16(values) => values.get(at).map(|value| i64::from(*value)),
                Values::U8(values) => values.get(at).map(|value| i64::from(*value)),
                Values::U16(values) => values.get(at).map(|value| i64::from(*value)),
                Values::U64(values) => values.get(at).and_then(|value| i64::try_from(*value).ok()),
                _ => None,
            };
            small(other)
        }
    }
}

/// Returns the whole number at a place, if it is one of 64 bits without a sign.
#[inline(always)]
fn uint(values: &Values<'_>, at: usize) -> Option<u64> {
    match values {
        Values::U64(values) => values.get(at).copied(),
        other => u64::try_from(int(other, at)?).ok(),
    }
}

/// Appends the fields of a message. Returns nothing if it is the walk's. Recursion ends with the
/// steps, which have at most `MAX_DEPTH` levels.
fn message(steps: &[Step<'_>], row: usize, to: &mut Room) -> Option<()> {
    // Room for all fields at once. Long texts, lists and messages within make their own.
    let room = PIECE * (steps.len() + 1);
    to.promise(room);
    for step in steps {
        if !step.view.is_valid(row) {
            if step.required {
                return None;
            }
            continue;
        }
        match &step.put {
            Put::One(scalar) => {
                one(step, scalar, step.view, row, to, step.tag_len, step.implicit)?;
                if matches!(scalar, Scalar::Message(_)) {
                    to.promise(room);
                }
            }
            Put::List(ends, items, scalar, is_packed) => {
                let (start, end) = *ends.get(row)?;
                if start == end {
                    continue;
                }
                if *is_packed {
                    to.put(step.tag, step.tag_len);
                    let begin = to.begin();
                    for at in start..end {
                        items.is_valid(at).then_some(())?;
                        item(step, scalar, items, at, to, 0)?;
                    }
                    to.end(begin)?;
                } else {
                    for at in start..end {
                        items.is_valid(at).then_some(())?;
                        item(step, scalar, items, at, to, step.tag_len)?;
                    }
                }
                to.promise(room);
            }
        }
    }
    Some(())
}

/// Appends a value of a list.
#[inline(never)]
fn item(step: &Step<'_>, scalar: &Scalar<'_>, items: &View<'_>, at: usize, to: &mut Room, tag_len: usize) -> Option<()> {
    to.reserve(PIECE);
    one(step, scalar, items, at, to, tag_len, false)
}

/// Appends a value after its tag, of which `tag_len` bytes are written. There is room for a piece.
#[inline(always)]
fn one(step: &Step<'_>, scalar: &Scalar<'_>, view: &View<'_>, at: usize, to: &mut Room, tag_len: usize, implicit: bool) -> Option<()> {
    let values = &view.values;
    let tag = &step.tag;
    match scalar {
        Scalar::Piece => {
            let (Values::Text(pieces) | Values::Bytes(pieces)) = values else { return None };
            let (piece, len) = pieces.get(at)?;
            if !(implicit && len == 0) {
                to.piece(tag, tag_len, piece, len);
            }
        }
        Scalar::I64(values) => {
            let value = *values.get(at)?;
            if !(implicit && value == 0) {
                to.varint(tag, tag_len, value as u64);
            }
        }
        Scalar::I32(values) => {
            let value = *values.get(at)?;
            if !(implicit && value == 0) {
                to.varint(tag, tag_len, i64::from(value) as u64);
            }
        }
        Scalar::Int(low, high, zigzag) => {
            let value = int(values, at)?;
            if value < *low || value > *high {
                return None;
            }
            if !(implicit && value == 0) {
                to.varint(tag, tag_len, if *zigzag { polywire_core::bytes::zigzag(value) } else { value as u64 });
            }
        }
        Scalar::UInt(high) => {
            let value = uint(values, at)?;
            if value > *high {
                return None;
            }
            if !(implicit && value == 0) {
                to.varint(tag, tag_len, value);
            }
        }
        Scalar::Bool => {
            let Values::Bool(bits) = values else { return None };
            let value = bits.get(at);
            if !implicit || value {
                to.varint(tag, tag_len, u64::from(value));
            }
        }
        Scalar::F64 => {
            let Values::F64(values) = values else { return None };
            let bits = values.get(at)?.to_bits();
            if !(implicit && bits == 0) {
                to.wide(tag, tag_len, bits);
            }
        }
        Scalar::F32 => {
            let Values::F32(values) = values else { return None };
            let bits = values.get(at)?.to_bits();
            if !(implicit && bits == 0) {
                to.fixed(tag, tag_len, bits.to_le_bytes());
            }
        }
        Scalar::Fixed32(low, high) => {
            let value = int(values, at)?;
            if value < *low || value > *high {
                return None;
            }
            if !(implicit && value == 0) {
                to.fixed(tag, tag_len, (value as u32).to_le_bytes());
            }
        }
        Scalar::Fixed64 => {
            let value = int(values, at)?;
            if !(implicit && value == 0) {
                to.fixed(tag, tag_len, value.to_le_bytes());
            }
        }
        Scalar::UFixed64 => {
            let value = uint(values, at)?;
            if !(implicit && value == 0) {
                to.fixed(tag, tag_len, value.to_le_bytes());
            }
        }
        Scalar::Names(keys, numbers) => {
            let number = (*numbers.get(*keys.get(at)?)?)?;
            if !(implicit && number == 0) {
                to.varint(tag, tag_len, i64::from(number) as u64);
            }
        }
        Scalar::Message(steps) => {
            to.put(*tag, tag_len);
            let begin = to.begin();
            message(steps, at, to)?;
            to.end(begin)?;
        }
    }
    Some(())
}

/// Bytes that are written, and room behind them, so that most values are one copy of a fixed size.
struct Room {
    bytes: Vec<u8>,
    at: usize,
    /// Room that the fields of the message may need behind a long text.
    promised: usize,
}

/// Room for a tag, a number, and a short text.
const PIECE: usize = 48;

impl Room {
    /// Makes room for `more` bytes.
    #[inline(always)]
    fn reserve(&mut self, more: usize) {
        if self.bytes.len() - self.at < more {
            self.grow(more);
        }
    }

    /// Makes room for `more` bytes, and keeps as much behind long texts.
    #[inline(always)]
    fn promise(&mut self, more: usize) {
        self.promised = more;
        self.reserve(more);
    }

    #[cold]
    fn grow(&mut self, more: usize) {
        let len = (self.bytes.len() * 2).max(self.at + more).max(4096);
        self.bytes.resize(len, 0);
    }

    /// Writes `N` bytes, of which `len` count.
    #[inline(always)]
    fn put<const N: usize>(&mut self, bytes: [u8; N], len: usize) {
        if let Some(place) = self.bytes.get_mut(self.at..).and_then(|rest| rest.first_chunk_mut()) {
            *place = bytes;
        }
        self.at += len;
    }

    #[inline(always)]
    fn varint(&mut self, tag: &[u8; 8], tag_len: usize, value: u64) {
        // A tag of one byte, as most are, is one copy with its number.
        if tag_len == 1 && value < 0x80 {
            self.put([tag[0], value as u8], 2);
        } else if tag_len == 1 && value < 1 << 49 {
            let len = varint::len(value);
            self.put((u64::from(tag[0]) | spread(value, len) << 8).to_le_bytes(), 1 + len);
        } else {
            self.put(*tag, tag_len);
            self.number(value);
        }
    }

    /// Writes a varint. There is room for it.
    #[inline(always)]
    fn number(&mut self, value: u64) {
        if value < 0x80 {
            self.put([value as u8], 1);
        } else if value < 1 << 56 {
            let len = varint::len(value);
            self.put(spread(value, len).to_le_bytes(), len);
        } else {
            let (bytes, len) = varint::bytes(value);
            self.put(bytes, len);
        }
    }

    #[inline(always)]
    fn fixed<const N: usize>(&mut self, tag: &[u8; 8], tag_len: usize, value: [u8; N]) {
        self.put(*tag, tag_len);
        self.put(value, N);
    }

    /// Writes eight bytes.
    #[inline(always)]
    fn wide(&mut self, tag: &[u8; 8], tag_len: usize, value: u64) {
        match tag_len {
            1 => self.put((u128::from(tag[0]) | u128::from(value) << 8).to_le_bytes(), 9),
            _ => self.fixed(tag, tag_len, value.to_le_bytes()),
        }
    }

    /// Writes the first `len` bytes of `piece` with tag and length.
    #[inline(always)]
    fn piece(&mut self, tag: &[u8; 8], tag_len: usize, piece: &[u8], len: usize) {
        self.varint(tag, tag_len, len as u64);
        match piece.first_chunk::<16>() {
            Some(chunk) if len <= 16 => self.put(*chunk, len),
            _ => {
                self.reserve(len + self.promised + PIECE);
                if let (Some(place), Some(piece)) = (self.bytes.get_mut(self.at..self.at + len), piece.get(..len)) {
                    place.copy_from_slice(piece);
                }
                self.at += len;
            }
        }
    }

    /// Begins a value with a length, for which one byte is left. Returns where.
    #[inline(always)]
    fn begin(&mut self) -> usize {
        self.at += 1;
        self.at
    }

    /// Ends a value with a length.
    #[inline(always)]
    fn end(&mut self, begin: usize) -> Option<()> {
        let length = self.at - begin;
        if length < 0x80 {
            self.bytes[begin - 1] = length as u8;
            return Some(());
        }
        self.end_long(begin, length)
    }

    #[inline(never)]
    fn end_long(&mut self, begin: usize, length: usize) -> Option<()> {
        if length as u64 > MAX_LENGTH {
            return None;
        }
        let (bytes, len) = varint::bytes(length as u64);
        self.reserve(len + self.promised + PIECE);
        self.bytes.copy_within(begin..self.at, begin + len - 1);
        self.bytes[begin - 1..begin - 1 + len].copy_from_slice(&bytes[..len]);
        self.at += len - 1;
        Some(())
    }
}

/// Returns the varint of `len` bytes of a number below 2^56: seven bits go to each byte.
#[inline(always)]
const fn spread(value: u64, len: usize) -> u64 {
    let fours = (value & 0x0fff_ffff) | (value & 0x00ff_ffff_f000_0000) << 4;
    let pairs = (fours & 0x0000_3fff_0000_3fff) | (fours & 0x0fff_c000_0fff_c000) << 2;
    let ones = (pairs & 0x007f_007f_007f_007f) | (pairs & 0x3f80_3f80_3f80_3f80) << 1;
    ones | (0x8080_8080_8080_8080 & ((1 << (8 * (len - 1))) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_plain_way() {
        let mut rng = fastrand::Rng::with_seed(2);
        for _ in 0..50_000 {
            let value = rng.u64(..) >> rng.u32(..64);
            let mut to = Room { bytes: Vec::new(), at: 0, promised: 0 };
            to.reserve(PIECE);
            let tag = [0x88, 0x01, 0, 0, 0, 0, 0, 0];
            let tag_len = rng.usize(1..=2);
            to.varint(&tag, tag_len, value);
            let mut expected = tag[..tag_len].to_vec();
            varint::put(&mut expected, value);
            assert_eq!(&to.bytes[..to.at], expected, "{value}");
        }
    }
}
