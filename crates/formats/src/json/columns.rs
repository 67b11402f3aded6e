//! JSON text straight to columns, whose names are known beforehand. Its twin is the walk, which
//! reads all that this leaves: what is damaged, unusual or does not fit.

use std::sync::Arc;

use polywire_core::columns::{Filling, Form, Names, Shape};
use polywire_core::{Limits, Scalar};
use polywire_json::cursor::Cursor;
use polywire_json::number;
use polywire_json::string::{long_plain_end, plain_end};

/// Appends messages to the columns of one shape.
#[derive(Debug, Default)]
pub(crate) struct ColumnReader {
    shape: Option<Arc<Shape>>,
    /// Keys of the records, by their nodes.
    keys: Vec<Box<[Key]>>,
    levels: Vec<Level>,
    unescaped: String,
}

/// A member's name with quotes and colon, as it stands in most texts.
#[derive(Debug)]
struct Key {
    text: Box<[u8]>,
    /// The first sixteen bytes, and a mask of those that there are.
    start: u128,
    mask: u128,
    node: u32,
}

/// An open container.
#[derive(Debug, Clone, Copy)]
struct Level {
    node: u32,
    /// The node of the elements, in a list.
    item: u32,
    is_list: bool,
    /// Row of a record.
    row: usize,
    /// Place of the member that is expected next.
    next: u32,
    /// Number of members so far.
    seen: u32,
}

impl Key {
    fn new(name: &str, node: u32) -> Key {
        // No text holds the bytes of a name that JSON escapes: it is left to the walk.
        let is_plain = plain_end(name.as_bytes(), 0) == name.len();
        let text: Box<[u8]> = if is_plain { format!("\"{name}\":").into_bytes() } else { vec![0xff; 4] }.into();
        let (mut start, mut mask) = ([0; 16], [0; 16]);
        for (at, byte) in text.iter().take(16).enumerate() {
            (start[at], mask[at]) = (*byte, 0xff);
        }
        Key { start: u128::from_le_bytes(start), mask: u128::from_le_bytes(mask), text, node }
    }

    /// Reports whether it stands at `at`.
    #[inline(always)]
    fn is_at(&self, bytes: &[u8], at: usize) -> bool {
        let Some(rest) = bytes.get(at..) else { return false };
        match rest.first_chunk() {
            Some(chunk) => {
                (u128::from_le_bytes(*chunk) ^ self.start) & self.mask == 0
                    && (self.text.len() <= 16 || rest[16..].starts_with(&self.text[16..]))
            }
            None => rest.starts_with(&self.text),
        }
    }

    /// Returns the name alone.
    fn name(&self) -> &[u8] {
        &self.text[1..self.text.len() - 2]
    }
}

/// Returns the offset of the first byte from `at` on that is no white space. With `lines`, a line
/// break is none.
#[inline(always)]
fn white(bytes: &[u8], mut at: usize, lines: bool) -> usize {
    while let Some(&byte) = bytes.get(at)
        && byte <= b' '
        && (matches!(byte, b' ' | b'\t' | b'\r') || (!lines && byte == b'\n'))
    {
        at += 1;
    }
    at
}

impl ColumnReader {
    /// Appends a message to columns: see [`Reader::fill`](polywire_core::Reader::fill). With
    /// `lines`, a message has no line break.
    pub(crate) fn fill(&mut self, msg: &[u8], lines: bool, filling: &mut Filling<'_>, limits: &Limits) -> bool {
        if !self.shape.as_ref().is_some_and(|shape| Arc::ptr_eq(shape, filling.shape)) {
            self.learn(filling.shape);
        }
        // No value has less than one byte.
        let len = msg.len() as u64;
        if len > limits.items || len > limits.decoded {
            return false;
        }
        let Ok(text) = simdutf8::basic::from_utf8(msg) else { return false };
        self.levels.clear();
        self.message(text, lines, filling, limits).is_some()
    }

    /// Prepares for the columns of another shape.
    #[cold]
    fn learn(&mut self, shape: &Arc<Shape>) {
        let keys = |form: &Form| match form {
            Form::Record(members) => members.iter().map(|member| Key::new(&member.name, member.node)).collect(),
            _ => Box::default(),
        };
        self.keys = shape.nodes.iter().map(|node| keys(&node.form)).collect();
        self.shape = Some(Arc::clone(shape));
    }

    /// Reads a message. Returns nothing if it is the walk's.
    fn message(&mut self, text: &str, lines: bool, filling: &mut Filling<'_>, limits: &Limits) -> Option<()> {
        let bytes = text.as_bytes();
        let shape = Arc::clone(filling.shape);
        let depth = limits.depth as usize;
        let mut node = shape.root;
        let mut at = white(bytes, 0, lines);
        loop {
            let (form, is_nullable) = {
                let node = shape.node(node);
                (&node.form, node.nullable)
            };
            match *bytes.get(at)? {
                b'"' => {
                    let from = at + 1;
                    let end = long_plain_end(bytes, from);
                    let is_plain = bytes.get(end) == Some(&b'"');
                    at = if is_plain { end + 1 } else { self.unescape(text, from, end)? };
                    let column = filling.columns.get_mut(node as usize)?;
                    let value = if is_plain { &bytes[from..end] } else { self.unescaped.as_bytes() };
                    let is_put = match form {
                        Form::Text | Form::Octets if is_plain => column.put_part(bytes, from, end),
                        Form::Text | Form::Octets => column.put_bytes(value),
                        Form::Names(names) => column.put_key(key_of(names, value)?),
                        _ => false,
                    };
                    if !is_put {
                        return None;
                    }
                    filling.size += value.len() + 4;
                }
                b'-' | b'0'..=b'9' => {
                    let number = number::scan(bytes, at).ok()?;
                    if number.end - at > limits.digits as usize {
                        return None;
                    }
                    let token = &text[at..number.end];
                    at = number.end;
                    let column = filling.columns.get_mut(node as usize)?;
                    let is_put = match form {
                        Form::Whole => match number.scalar(token) {
                            Scalar::UInt(value, _) => column.put_uint(value),
                            Scalar::Int(value, _) => column.put_int(value),
                            _ => false,
                        },
                        Form::F64 | Form::Number if number.is_float() => match number.scalar(token) {
                            // Whole floats lose their point in a column of all numbers.
                            Scalar::F64(value, _) if matches!(form, Form::F64) || value.fract() != 0.0 => column.put_f64(value),
                            _ => false,
                        },
                        Form::Number => match number.integer() {
                            Some(Scalar::UInt(value, _)) if value <= 1 << 53 => column.put_f64(value as f64),
                            Some(Scalar::Int(value, _)) if value >= -(1 << 53) => column.put_f64(value as f64),
                            _ => false,
                        },
                        Form::Digits(false) => column.put_bytes(token.as_bytes()),
                        Form::Digits(true) if number.integer().is_some() => column.put_bytes(token.as_bytes()),
                        _ => false,
                    };
                    if !is_put {
                        return None;
                    }
                    filling.size += 8;
                }
                b'{' => {
                    let Form::Record(members) = form else { return None };
                    if self.levels.len() >= depth {
                        return None;
                    }
                    let row = filling.columns.get(node as usize)?.len;
                    at = white(bytes, at + 1, lines);
                    if bytes.get(at) == Some(&b'}') {
                        if !filling.end_record(node, members, 0) {
                            return None;
                        }
                        at += 1;
                    } else {
                        let mut level = Level { node, item: 0, is_list: false, row, next: 0, seen: 0 };
                        (node, at) = self.key(bytes, at, lines, &mut level, filling)?;
                        self.levels.push(level);
                        continue;
                    }
                }
                b'[' => {
                    let Form::List(item) = form else { return None };
                    if self.levels.len() >= depth {
                        return None;
                    }
                    at = white(bytes, at + 1, lines);
                    if bytes.get(at) == Some(&b']') {
                        if !filling.end_list(node, *item) {
                            return None;
                        }
                        at += 1;
                    } else {
                        self.levels.push(Level { node, item: *item, is_list: true, row: 0, next: 0, seen: 0 });
                        node = *item;
                        continue;
                    }
                }
                b't' if bytes[at..].starts_with(b"true") => {
                    at = put_bool(filling, form, node, true)?.then_some(at + 4)?;
                }
                b'f' if bytes[at..].starts_with(b"false") => {
                    at = put_bool(filling, form, node, false)?.then_some(at + 5)?;
                }
                b'n' if bytes[at..].starts_with(b"null") => {
                    if !is_nullable || matches!(form, Form::Other) || self.is_lossy_null(&shape) {
                        return None;
                    }
                    filling.columns.get_mut(node as usize)?.nulls(1);
                    filling.size += 8;
                    at += 4;
                }
                _ => return None,
            }
            // A value ended: containers may end with it, or another entry comes.
            loop {
                let Some(level) = self.levels.last_mut() else {
                    return (white(bytes, at, lines) == bytes.len()).then_some(());
                };
                let mut here = *level;
                at = white(bytes, at, lines);
                match *bytes.get(at)? {
                    b',' => {
                        at = white(bytes, at + 1, lines);
                        if here.is_list {
                            node = here.item;
                        } else {
                            (node, at) = self.key(bytes, at, lines, &mut here, filling)?;
                            *self.levels.last_mut()? = here;
                        }
                        break;
                    }
                    b'}' if !here.is_list => {
                        let Form::Record(members) = &shape.node(here.node).form else { return None };
                        if !filling.end_record(here.node, members, here.seen as usize) {
                            return None;
                        }
                    }
                    b']' if here.is_list => {
                        if !filling.end_list(here.node, here.item) {
                            return None;
                        }
                    }
                    _ => return None,
                }
                self.levels.pop();
                at += 1;
            }
        }
    }

    /// Reads a name and the colon at `at`. Returns the node of the value, whose column is ready for
    /// it, and the value's offset.
    #[inline(always)]
    fn key(&self, bytes: &[u8], at: usize, lines: bool, level: &mut Level, filling: &mut Filling<'_>) -> Option<(u32, usize)> {
        let keys = self.keys.get(level.node as usize)?;
        let (place, behind) = match keys.get(level.next as usize) {
            Some(key) if key.is_at(bytes, at) => (level.next as usize, at + key.text.len()),
            _ => other_key(keys, bytes, at, lines, level.next as usize)?,
        };
        level.next = place as u32 + 1;
        level.seen += 1;
        let node = keys.get(place)?.node;
        filling.ready(node, level.row).then(|| (node, white(bytes, behind, lines)))
    }

    /// Unescapes the string whose text starts at `from` and is plain up to `end`. Returns the
    /// offset behind it.
    #[inline(never)]
    fn unescape(&mut self, text: &str, from: usize, end: usize) -> Option<usize> {
        let mut cursor = Cursor { text, at: from };
        cursor.unescape(end, &mut self.unescaped).ok()?;
        Some(cursor.at)
    }

    /// Reports whether null in place of the last member is a loss.
    fn is_lossy_null(&self, shape: &Shape) -> bool {
        match self.levels.last() {
            Some(level) if !level.is_list => match &shape.node(level.node).form {
                Form::Record(members) => members.get(level.next.wrapping_sub(1) as usize).is_none_or(|member| member.lossy_null),
                _ => true,
            },
            _ => false,
        }
    }
}

/// Finds another key than the expected one, and returns its place and the offset after the colon.
#[inline(never)]
fn other_key(keys: &[Key], bytes: &[u8], at: usize, lines: bool, expected: usize) -> Option<(usize, usize)> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let end = plain_end(bytes, at + 1);
    if bytes.get(end) != Some(&b'"') {
        return None;
    }
    let name = &bytes[at + 1..end];
    // Members that are absent stand between this one and the last.
    let place = (expected..keys.len()).chain(0..expected.min(keys.len())).find(|place| keys[*place].name() == name)?;
    let colon = white(bytes, end + 1, lines);
    (bytes.get(colon) == Some(&b':')).then_some((place, colon + 1))
}

fn key_of(names: &Names, value: &[u8]) -> Option<u32> {
    names.keys.get(std::str::from_utf8(value).ok()?).copied()
}

#[inline(always)]
fn put_bool(filling: &mut Filling<'_>, form: &Form, node: u32, value: bool) -> Option<bool> {
    filling.size += 1;
    Some(matches!(form, Form::Bool) && filling.columns.get_mut(node as usize)?.put_bool(value))
}
