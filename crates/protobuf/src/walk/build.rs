//! Makes the bytes of a message: fields in the order of their numbers, as all serialisers write them, in whatever order they come.

use polywire_core::bytes::{Mark, OutBuf, zigzag};

use super::visit::Value;
use crate::model::Kind;
use crate::plan::Field;
use crate::wire::{WireType, tag_of, varint};

/// A message that is being made.
#[derive(Debug, Default)]
pub(crate) struct Build {
    out: OutBuf,
    levels: Vec<Level>,
    /// Where the fields of the open messages start, innermost last: number, and bytes since the message started.
    runs: Vec<(u32, usize)>,
}

#[derive(Debug)]
struct Level {
    mark: Mark,
    end: End,
    /// Its first run.
    runs: usize,
    /// Number of the last field.
    last: u32,
    sorted: bool,
}

/// What comes when a level is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Nothing: the message itself.
    Nothing,
    /// The tag and the length, where it started. Both fit into a gap: five bytes each.
    Length(u32),
    /// The same, unless it is empty.
    UnlessEmpty(u32),
    /// The end tag of the group of that number.
    Group(u32),
}

impl Build {
    /// Starts a message.
    pub(crate) fn begin(&mut self) {
        self.clear();
        self.push(End::Nothing);
    }

    /// Forgets the message.
    pub(crate) fn clear(&mut self) {
        self.out.clear();
        self.levels.clear();
        self.runs.clear();
    }

    /// Ends the message and appends it to `out`.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        self.close();
        self.out.finish(out);
    }

    fn push(&mut self, end: End) {
        let mark = self.out.open();
        self.levels.push(Level { mark, end, runs: self.runs.len(), last: 0, sorted: true });
    }

    /// A value of field `number` follows.
    #[inline]
    fn field(&mut self, number: u32) {
        let Some(level) = self.levels.last_mut() else { return };
        if level.last != number {
            level.sorted &= level.last < number;
            level.last = number;
            self.runs.push((number, self.out.since(level.mark)));
        }
    }

    #[inline]
    fn tag(&mut self, number: u32, wire: WireType) {
        self.field(number);
        varint::put(self.out.bytes_mut(), u64::from(tag_of(number, wire)));
    }

    /// Opens a message or a map's entry as the value of field `number`.
    pub(crate) fn open(&mut self, number: u32) {
        self.field(number);
        self.push(End::Length(tag_of(number, WireType::Len)));
    }

    /// Opens bytes or a packed list as the value of field `number`, which is absent if nothing comes.
    pub(crate) fn open_unless_empty(&mut self, number: u32) {
        self.field(number);
        self.push(End::UnlessEmpty(tag_of(number, WireType::Len)));
    }

    /// Opens the message of a field, as that is laid out.
    pub(crate) fn open_message(&mut self, field: &Field) {
        if field.wire == WireType::Start {
            self.tag(field.number, WireType::Start);
            self.push(End::Group(field.number));
        } else {
            self.open(field.number);
        }
    }

    /// Closes what was opened last.
    pub(crate) fn close(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        if !level.sorted {
            self.sort(&level);
        }
        self.runs.truncate(level.runs);
        match level.end {
            End::Nothing => {}
            End::UnlessEmpty(_) if self.out.since(level.mark) == 0 => {}
            End::Length(tag) | End::UnlessEmpty(tag) => {
                let length = self.out.since(level.mark) as u64;
                let (mut prefix, tag_len) = varint::bytes(u64::from(tag));
                let (bytes, len) = varint::bytes(length);
                // Nobody has a message of 32 GiB in memory.
                prefix[tag_len..tag_len + len].copy_from_slice(&bytes[..len]);
                self.out.close(level.mark, &prefix[..tag_len + len]);
            }
            End::Group(number) => varint::put(self.out.bytes_mut(), u64::from(tag_of(number, WireType::End))),
        }
    }

    /// Brings the fields of a message into the order of their numbers, those of one number as they came.
    #[cold]
    fn sort(&mut self, level: &Level) {
        let bytes = self.out.take_since(level.mark);
        let runs = &self.runs[level.runs..];
        let ends = runs.iter().skip(1).map(|(_, start)| *start).chain([bytes.len()]);
        let mut pieces: Vec<(u32, usize, usize)> = runs.iter().zip(ends).map(|((number, start), end)| (*number, *start, end)).collect();
        pieces.sort_by_key(|(number, ..)| *number);
        for (_, start, end) in pieces {
            self.out.put(&bytes[start..end]);
        }
    }

    /// Appends a field as it is, tag and value.
    pub(crate) fn raw(&mut self, number: u32, bytes: &[u8]) {
        self.field(number);
        self.out.put(bytes);
    }

    /// Appends a scalar with its tag. The value is one of the field's kind.
    #[inline]
    pub(crate) fn scalar(&mut self, field: &Field, value: Value<'_>) {
        self.field(field.number);
        let out = self.out.bytes_mut();
        varint::put(out, u64::from(field.tag));
        put(out, field.kind, value);
    }

    /// Appends a scalar of a packed list that is open.
    #[inline]
    pub(crate) fn element(&mut self, kind: Kind, value: Value<'_>) {
        put(self.out.bytes_mut(), kind, value);
    }

    /// Appends a varint as field `number`.
    pub(crate) fn varint(&mut self, number: u32, value: u64) {
        self.tag(number, WireType::Varint);
        varint::put(self.out.bytes_mut(), value);
    }

    /// Appends text or bytes as field `number`.
    pub(crate) fn bytes(&mut self, number: u32, bytes: &[u8]) {
        self.tag(number, WireType::Len);
        varint::put(self.out.bytes_mut(), bytes.len() as u64);
        self.out.put(bytes);
    }
}

#[inline]
fn put(out: &mut Vec<u8>, kind: Kind, value: Value<'_>) {
    match value {
        Value::Bool(value) => out.push(u8::from(value)),
        // Negative numbers have ten bytes, so that int32 reads as int64 (encoding guide, "Signed Integers").
        Value::I32(value) => match kind {
            Kind::SInt32 => varint::put(out, u64::from(zigzag(i64::from(value)) as u32)),
            Kind::SFixed32 => out.extend_from_slice(&value.to_le_bytes()),
            _ => varint::put(out, i64::from(value) as u64),
        },
        Value::I64(value) => match kind {
            Kind::SInt64 => varint::put(out, zigzag(value)),
            Kind::SFixed64 => out.extend_from_slice(&value.to_le_bytes()),
            _ => varint::put(out, value as u64),
        },
        Value::U32(value) if kind == Kind::Fixed32 => out.extend_from_slice(&value.to_le_bytes()),
        Value::U32(value) => varint::put(out, u64::from(value)),
        Value::U64(value) if kind == Kind::Fixed64 => out.extend_from_slice(&value.to_le_bytes()),
        Value::U64(value) => varint::put(out, value),
        Value::F32(value) => out.extend_from_slice(&value.to_bits().to_le_bytes()),
        Value::F64(value) => out.extend_from_slice(&value.to_bits().to_le_bytes()),
        Value::Text(text) => {
            varint::put(out, text.len() as u64);
            out.extend_from_slice(text.as_bytes());
        }
        Value::Octets(bytes) | Value::Bytes(bytes) => {
            varint::put(out, bytes.len() as u64);
            out.extend_from_slice(bytes);
        }
        Value::Enum(number) => varint::put(out, i64::from(number) as u64),
    }
}

/// Whether a value is the default of its type, which a field of implicit presence does not write. A negative zero is not.
pub(crate) fn is_default(value: Value<'_>) -> bool {
    match value {
        Value::Bool(value) => !value,
        Value::I32(value) | Value::Enum(value) => value == 0,
        Value::I64(value) => value == 0,
        Value::U32(value) => value == 0,
        Value::U64(value) => value == 0,
        Value::F32(value) => value.to_bits() == 0,
        Value::F64(value) => value.to_bits() == 0,
        Value::Text(text) => text.is_empty(),
        Value::Octets(bytes) | Value::Bytes(bytes) => bytes.is_empty(),
    }
}
