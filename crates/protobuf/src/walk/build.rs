//! Makes the bytes of a message. Fields may come in any order, and are written in the order of
//! their numbers, as all serialisers do.

use polywire_core::bytes::{Mark, OutBuf, zigzag};

use crate::model::Kind;
use crate::plan::Field;
use crate::scalar::Value;
use crate::wire::{WireType, set, tag_of, varint};

/// A message in the making.
#[derive(Debug, Default)]
pub(crate) struct Build {
    out: OutBuf,
    levels: Vec<BuildLevel>,
    /// Runs of fields of the open messages, innermost last: number, and offset from the message's
    /// start.
    runs: Vec<(u32, usize)>,
}

#[derive(Debug)]
struct BuildLevel {
    mark: Mark,
    end: LevelEnd,
    /// Index of its first run.
    runs: usize,
    /// Number of the last field.
    last: u32,
    sorted: bool,
}

/// The bytes that closing a level adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LevelEnd {
    /// Nothing: the level is the message itself.
    Nothing,
    /// Tag and length, at the level's start. Five bytes each fit into the gap.
    Length(u32),
    /// Tag and length, unless the level is empty.
    UnlessEmpty(u32),
    /// The end tag of the group of that number.
    Group(u32),
    /// Tag and length at the level's start, and the end tag of a MessageSet's item.
    Item,
}

impl Build {
    /// Starts a message.
    pub(crate) fn begin(&mut self) {
        self.clear();
        self.push(LevelEnd::Nothing);
    }

    /// Discards the message.
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

    fn push(&mut self, end: LevelEnd) {
        let mark = self.out.open();
        self.levels.push(BuildLevel { mark, end, runs: self.runs.len(), last: 0, sorted: true });
    }

    /// Records that a value of field `number` follows.
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
        self.push(LevelEnd::Length(tag_of(number, WireType::Len)));
    }

    /// Opens bytes or a packed list as the value of field `number`; without content, the field is
    /// absent.
    pub(crate) fn open_unless_empty(&mut self, number: u32) {
        self.field(number);
        self.push(LevelEnd::UnlessEmpty(tag_of(number, WireType::Len)));
    }

    /// Opens the message of a field, as a group or with a length.
    pub(crate) fn open_message(&mut self, field: &Field) {
        if field.wire == WireType::Start {
            self.tag(field.number, WireType::Start);
            self.push(LevelEnd::Group(field.number));
        } else if field.in_set {
            self.field(field.number);
            let out = self.out.bytes_mut();
            varint::put(out, u64::from(tag_of(set::ITEM, WireType::Start)));
            varint::put(out, u64::from(tag_of(set::TYPE, WireType::Varint)));
            varint::put(out, u64::from(field.number));
            self.push(LevelEnd::Item);
        } else {
            self.open(field.number);
        }
    }

    /// Closes the innermost level.
    pub(crate) fn close(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        if !level.sorted {
            self.sort(&level);
        }
        self.runs.truncate(level.runs);
        match level.end {
            LevelEnd::Nothing => {}
            LevelEnd::UnlessEmpty(_) if self.out.since(level.mark) == 0 => {}
            LevelEnd::Length(tag) | LevelEnd::UnlessEmpty(tag) => self.prefix(&level, tag),
            LevelEnd::Group(number) => varint::put(self.out.bytes_mut(), u64::from(tag_of(number, WireType::End))),
            LevelEnd::Item => {
                self.prefix(&level, tag_of(set::MESSAGE, WireType::Len));
                varint::put(self.out.bytes_mut(), u64::from(tag_of(set::ITEM, WireType::End)));
            }
        }
    }

    /// Writes a tag and the length of a level at its start.
    #[inline(always)]
    fn prefix(&mut self, level: &BuildLevel, tag: u32) {
        let length = self.out.since(level.mark) as u64;
        let (mut prefix, tag_len) = varint::bytes(u64::from(tag));
        let (bytes, len) = varint::bytes(length);
        // Tag and length fit, as no message in memory has 32 GiB.
        prefix[tag_len..tag_len + len].copy_from_slice(&bytes[..len]);
        self.out.close(level.mark, &prefix[..tag_len + len]);
    }

    /// Discards the innermost level with its content, as if it had never been opened.
    pub(crate) fn discard(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        drop(self.out.take_since(level.mark));
        self.runs.truncate(level.runs);
    }

    /// Sorts the fields of a message by number. Fields of one number keep their order.
    #[cold]
    fn sort(&mut self, level: &BuildLevel) {
        let bytes = self.out.take_since(level.mark);
        let runs = &self.runs[level.runs..];
        let ends = runs.iter().skip(1).map(|(_, start)| *start).chain([bytes.len()]);
        let mut pieces: Vec<(u32, usize, usize)> = runs.iter().zip(ends).map(|((number, start), end)| (*number, *start, end)).collect();
        pieces.sort_by_key(|(number, ..)| *number);
        for (_, start, end) in pieces {
            self.out.put(&bytes[start..end]);
        }
    }

    /// Appends an encoded field, tag and value.
    pub(crate) fn raw(&mut self, number: u32, bytes: &[u8]) {
        self.field(number);
        self.out.put(bytes);
    }

    /// Appends a scalar of the field's kind, with its tag.
    #[inline]
    pub(crate) fn scalar(&mut self, field: &Field, value: Value<'_>) {
        self.field(field.number);
        let out = self.out.bytes_mut();
        varint::put(out, u64::from(field.tag));
        put(out, field.kind, value);
    }

    /// Appends a scalar to the open packed list.
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
        // Negative numbers take ten bytes, so that int32 reads as int64 (encoding guide, "Signed
        // Integers").
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
