//! Values as JSON text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::datum::Datum;
use super::nodes::{Doc, Node, Tag};
use super::view::{Items, Members, Ref, View};
use polywire_core::{Scalar, Timestamp};
use polywire_json::JsonOutput;

impl Ref<'_> {
    /// Appends compact JSON (RFC 8259) to `out`. Numbers keep their digits; floats have the shortest ones that name them, without a fraction of zero.
    /// Bytes become base64 text, times RFC 3339 text; NaN
    /// and the infinities become null.
    pub fn write_json(self, out: &mut Vec<u8>) {
        let mut text = JsonOutput::behind(std::mem::take(out), room(self));
        write(self, &mut text);
        text.close(b"");
        *out = text.finish();
    }
}

impl Datum {
    /// As [`Ref::write_json`], by itself.
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.view().write_json(&mut out);
        out
    }
}

/// Longer text gets room as it comes.
const MOST_ROOM: usize = 256 << 10;

/// Levels of values of one's own that the guess looks into, as answers wrap their rows, and entries of each.
const LOOKED_INTO: (usize, usize) = (4, 16);

/// A guess at the bytes of a value's text.
fn room(value: Ref<'_>) -> usize {
    fn guess(value: Ref<'_>, levels: usize) -> usize {
        if let Some((doc, at)) = value.place() {
            return match doc.node(at).tag {
                Tag::List | Tag::Object => doc.nodes.len() * 32 + doc.written.len(),
                Tag::Text | Tag::Written | Tag::Bytes | Tag::Big | Tag::Decimal => doc.node(at).b as usize,
                _ => 0,
            };
        }
        // Several values of one document share its bytes.
        let of_entries = match value.view() {
            _ if levels == 0 => None,
            View::List(items) => items.take(LOOKED_INTO.1).map(|item| guess(item, levels - 1)).max(),
            View::Object(members) => members.take(LOOKED_INTO.1).map(|(_, member)| guess(member, levels - 1)).max(),
            _ => None,
        };
        of_entries.unwrap_or(0) + value.len() * 64
    }
    guess(value, LOOKED_INTO.0).min(MOST_ROOM)
}

enum Level<'d> {
    List(Items<'d>),
    Object(Members<'d>),
}

/// Appends a value, with a comma behind it.
fn write(value: Ref<'_>, out: &mut JsonOutput) {
    let mut levels: Vec<Level<'_>> = Vec::new();
    let mut value = value;
    loop {
        match value.place() {
            Some((doc, at)) => node(doc, doc.node(at), out),
            None => match value.view() {
                View::List(items) => {
                    out.put(b"[");
                    levels.push(Level::List(items));
                }
                View::Object(members) => {
                    out.put(b"{");
                    levels.push(Level::Object(members));
                }
                View::Null => out.put(b"null,"),
                View::Bool(true) => out.put(b"true,"),
                View::Bool(false) => out.put(b"false,"),
                View::Int(value) => number(value, out),
                View::UInt(value) => number(value, out),
                View::F32(value) => float(value, out),
                View::F64(value) => float(value, out),
                View::Big(text) | View::Decimal(text) => {
                    out.push(text.as_bytes());
                    out.put(b",");
                }
                View::Text(text) => out.string_of_utf8(text.as_bytes(), 0, text.len()),
                View::Bytes(bytes) => base64(bytes, out),
                View::Time(moment) => time(moment, out),
            },
        }
        value = loop {
            let end = match levels.last_mut() {
                None => return,
                Some(Level::List(items)) => match items.next() {
                    Some(item) => break item,
                    None => b"],",
                },
                Some(Level::Object(members)) => match members.next() {
                    Some((name, member)) => {
                        out.string_of_utf8(name.as_bytes(), 0, name.len());
                        out.close(b":");
                        break member;
                    }
                    None => b"},",
                },
            };
            levels.pop();
            out.close(end);
        };
    }
}

/// The text of one value of a document, with all below it.
pub(super) fn text_of(doc: &Doc, value: Node) -> Vec<u8> {
    let mut out = JsonOutput::default();
    node(doc, value, &mut out);
    out.close(b"");
    out.finish()
}

/// Appends one value of a document, with all below it and a comma behind.
fn node(doc: &Doc, node: Node, out: &mut JsonOutput) {
    if !matches!(node.tag, Tag::List | Tag::Object) {
        return scalar(doc, node, out);
    }
    // Containers that are open: their entries, and whether they are objects.
    let mut levels: Vec<(std::slice::Iter<'_, Node>, bool)> = Vec::with_capacity(16);
    let (mut entries, mut is_object) = (doc.entries(node).iter(), node.tag == Tag::Object);
    out.put(if is_object { b"{" } else { b"[" });
    loop {
        let Some(&node) = entries.next() else {
            out.close(if is_object { b"}," } else { b"]," });
            match levels.pop() {
                Some(level) => (entries, is_object) = level,
                None => return,
            }
            continue;
        };
        if is_object {
            doc.names.write(node.name, out);
        }
        if matches!(node.tag, Tag::List | Tag::Object) {
            levels.push((entries, is_object));
            (entries, is_object) = (doc.entries(node).iter(), node.tag == Tag::Object);
            out.put(if is_object { b"{" } else { b"[" });
            continue;
        }
        scalar(doc, node, out);
    }
}

/// Appends a scalar, and a comma.
#[inline(always)]
fn scalar(doc: &Doc, node: Node, out: &mut JsonOutput) {
    match node.tag {
        Tag::Text => {
            let (bytes, start) = doc.lies_in(node);
            let end = start + node.b as usize;
            if end <= bytes.len() {
                out.string_of_utf8(bytes, start, end);
            }
        }
        Tag::Null => out.put(b"null,"),
        Tag::False => out.put(b"false,"),
        Tag::True => out.put(b"true,"),
        Tag::Int => number(node.bits() as i64, out),
        Tag::UInt => number(node.bits(), out),
        Tag::F32 => float(f32::from_bits(node.a), out),
        Tag::F64 => float(f64::from_bits(node.bits()), out),
        Tag::Big | Tag::Decimal => {
            out.push(doc.slice(node));
            out.put(b",");
        }
        Tag::Bytes => base64(doc.slice(node), out),
        Tag::Time => match doc.time(node) {
            Some(moment) => time(moment, out),
            None => out.put(b"null,"),
        },
        Tag::Written => {
            out.push(doc.json(node));
            out.put(b",");
        }
        Tag::List | Tag::Object => {}
    }
}

/// Appends what is told, and a comma.
pub(super) fn told(value: Scalar<'_, '_>, out: &mut JsonOutput) {
    match value {
        Scalar::Null => out.put(b"null,"),
        Scalar::Bool(true) => out.put(b"true,"),
        Scalar::Bool(false) => out.put(b"false,"),
        Scalar::Int(value, _) => number(value, out),
        Scalar::UInt(value, _) => number(value, out),
        Scalar::F32(value, _) => float(value, out),
        Scalar::F64(value, _) => float(value, out),
        Scalar::Big(text, _) | Scalar::Decimal(text, _) => {
            out.push(text.get().as_bytes());
            out.put(b",");
        }
        Scalar::Text(text) => out.string_of_utf8(text.get().as_bytes(), 0, text.get().len()),
        Scalar::Bytes(bytes) => base64(bytes.get(), out),
        Scalar::Octets(bytes) => match std::str::from_utf8(bytes.get()) {
            Ok(text) => out.string_of_utf8(text.as_bytes(), 0, text.len()),
            Err(_) => base64(bytes.get(), out),
        },
        Scalar::Time(moment) => time(moment, out),
        // A kind of scalar that documents do not have.
        _ => out.put(b"null,"),
    }
}

#[inline(always)]
fn number(value: impl itoa::Integer, out: &mut JsonOutput) {
    out.short(itoa::Buffer::new().format(value).as_bytes());
    out.put(b",");
}

fn float<F: ryu::Float + Into<f64> + Copy>(value: F, out: &mut JsonOutput) {
    if !value.into().is_finite() {
        return out.put(b"null,");
    }
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format_finite(value);
    out.short(text.strip_suffix(".0").unwrap_or(text).as_bytes());
    out.put(b",");
}

fn base64(bytes: &[u8], out: &mut JsonOutput) {
    out.put(b"\"");
    out.push(STANDARD.encode(bytes).as_bytes());
    out.put(b"\",");
}

fn time(moment: Timestamp, out: &mut JsonOutput) {
    let text = moment.to_string();
    out.string_of_utf8(text.as_bytes(), 0, text.len());
}
