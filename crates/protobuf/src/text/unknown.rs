//! Fields that the schema does not have, by their numbers, as `protoc --decode` prints them.

use std::io::Write;

use polywire_core::{Error, Result};

use super::quote::quoted;
use crate::wire::{self, Groups, WireType, array, length, skip, varint};

/// The treatment of fields that the schema does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownFields {
    /// They are left out.
    #[default]
    LeftOut,
    /// They are printed with their numbers as names. Readers of the text need a schema that has
    /// them.
    ByNumber,
}

/// Largest number of levels of bytes within bytes that are taken for messages.
const LEVELS: usize = 10;

/// An open message.
struct Level {
    /// End of its fields.
    end: usize,
    /// End of its value.
    after: usize,
    /// The value is bytes that are taken for a message; it is no group.
    guessed: bool,
}

/// Appends the field that is the whole of `bytes`, at `indent` levels. Bytes that are fields to
/// their end are taken for a message.
pub(super) fn field(out: &mut Vec<u8>, bytes: &[u8], indent: usize, depth: u32) -> Result<()> {
    let wrong = |_| Error::internal("an unknown field that is broken behind its check");
    let mut levels: Vec<Level> = Vec::new();
    let mut groups = Groups::default();
    let mut at = 0;
    loop {
        while let Some(level) = levels.last()
            && at == level.end
        {
            at = level.after;
            levels.pop();
            put_indent(out, indent + levels.len());
            out.extend_from_slice(b"}\n");
        }
        let end = levels.last().map_or(bytes.len(), |level| level.end);
        if at >= end {
            return Ok(());
        }
        let window = &bytes[..end];
        let (tag, wire, next) = wire::tag(window, at).map_err(wrong)?;
        put_indent(out, indent + levels.len());
        out.extend_from_slice(itoa::Buffer::new().format(tag.number()).as_bytes());
        match wire {
            WireType::Varint => {
                let (value, next) = varint::read(window, next).map_err(wrong)?;
                put(out, format_args!(": {value}\n"))?;
                at = next;
            }
            WireType::Fixed32 => {
                let value = u32::from_le_bytes(array(window, next).map_err(wrong)?);
                put(out, format_args!(": 0x{value:08x}\n"))?;
                at = next + 4;
            }
            WireType::Fixed64 => {
                let value = u64::from_le_bytes(array(window, next).map_err(wrong)?);
                put(out, format_args!(": 0x{value:016x}\n"))?;
                at = next + 8;
            }
            WireType::Len => {
                let (from, to) = length(window, next).map_err(wrong)?;
                let guessed = levels.iter().filter(|level| level.guessed).count();
                if from < to && guessed < LEVELS && are_fields(&bytes[..to], from, depth) {
                    out.extend_from_slice(b" {\n");
                    levels.push(Level { end: to, after: to, guessed: true });
                    at = from;
                } else {
                    out.extend_from_slice(b": ");
                    quoted(out, &bytes[from..to], false)?;
                    out.push(b'\n');
                    at = to;
                }
            }
            WireType::Start => {
                let (end, after) = groups.end(window, next, tag.number(), depth).map_err(wrong)?;
                out.extend_from_slice(b" {\n");
                levels.push(Level { end, after, guessed: false });
                at = next;
            }
            WireType::End => return Err(Error::internal("the end of a group outside of it")),
        }
    }
}

/// Returns whether the bytes from `at` to the end of `window` are fields.
fn are_fields(window: &[u8], mut at: usize, depth: u32) -> bool {
    while at < window.len() {
        match wire::tag(window, at).and_then(|(tag, wire, next)| skip::value(window, next, tag, wire, depth)) {
            Ok(next) => at = next,
            Err(_) => return false,
        }
    }
    true
}

fn put_indent(out: &mut Vec<u8>, levels: usize) {
    out.resize(out.len() + levels * 2, b' ');
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) -> Result<()> {
    out.write_fmt(text).map_err(|error| Error::io("writing to memory", &error))
}
