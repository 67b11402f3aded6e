//! Values as JSON text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::datum::Datum;
use super::nodes::{Doc, Node, Tag};
use super::view::{Items, Members, Ref, View};
use crate::bytes::json_string::{self, Short};
use crate::time::Timestamp;

impl Ref<'_> {
    /// Appends compact JSON (RFC 8259) to `out`. Numbers keep their digits; floats have the shortest ones that name them, without a fraction of zero.
    /// Bytes become base64 text, times RFC 3339 text; NaN
    /// and the infinities become null.
    pub fn write_json(self, out: &mut Vec<u8>) {
        write(self, out);
    }
}

impl Datum {
    /// As [`Ref::write_json`], by itself.
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write(self.view(), &mut out);
        out
    }
}

enum Level<'d> {
    List(Items<'d>),
    Object(Members<'d>),
}

pub(super) fn write(value: Ref<'_>, out: &mut Vec<u8>) {
    let mut levels: Vec<Level<'_>> = Vec::new();
    let mut value = value;
    loop {
        match value.place() {
            Some((doc, at)) => node(doc, doc.node(at), out),
            None => match value.view() {
                View::List(items) => {
                    out.push(b'[');
                    levels.push(Level::List(items));
                }
                View::Object(members) => {
                    out.push(b'{');
                    levels.push(Level::Object(members));
                }
                View::Null => out.extend_from_slice(b"null"),
                View::Bool(value) => out.extend_from_slice(if value { b"true" } else { b"false" }),
                View::Int(value) => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
                View::UInt(value) => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
                View::F32(value) => float(value, out),
                View::F64(value) => float(value, out),
                View::Big(text) | View::Decimal(text) => out.extend_from_slice(text.as_bytes()),
                View::Text(text) => json_string::string(out, text, Short::All),
                View::Bytes(bytes) => base64(bytes, out),
                View::Time(moment) => time(moment, out),
            },
        }
        value = loop {
            let end = match levels.last_mut() {
                None => return,
                Some(Level::List(items)) => match items.next() {
                    Some(item) => {
                        comma(out);
                        break item;
                    }
                    None => b']',
                },
                Some(Level::Object(members)) => match members.next() {
                    Some((name, member)) => {
                        comma(out);
                        json_string::string(out, name, Short::All);
                        out.push(b':');
                        break member;
                    }
                    None => b'}',
                },
            };
            levels.pop();
            out.push(end);
        };
    }
}

/// Before an entry, unless it is the first: a value never ends with an opening bracket.
fn comma(out: &mut Vec<u8>) {
    if !matches!(out.last(), Some(b'[' | b'{')) {
        out.push(b',');
    }
}

/// One value of a document, with all below it.
pub(super) fn node(doc: &Doc, node: Node, out: &mut Vec<u8>) {
    if !matches!(node.tag, Tag::List | Tag::Object) {
        return scalar(doc, node, out);
    }
    // Containers that are open: where their entries end, and whether they are objects.
    let mut levels: Vec<(u32, u32, bool)> = Vec::with_capacity(16);
    let (mut at, mut end, mut is_object) = (node.a, node.a + node.b, node.tag == Tag::Object);
    out.push(if is_object { b'{' } else { b'[' });
    loop {
        if at == end {
            out.push(if is_object { b'}' } else { b']' });
            match levels.pop() {
                Some(level) => (at, end, is_object) = level,
                None => return,
            }
            if at != end {
                out.push(b',');
            }
            continue;
        }
        let node = doc.nodes[at as usize];
        at += 1;
        if is_object {
            out.extend_from_slice(doc.names.json(node.name));
        }
        if matches!(node.tag, Tag::List | Tag::Object) {
            levels.push((at, end, is_object));
            (at, end, is_object) = (node.a, node.a + node.b, node.tag == Tag::Object);
            out.push(if is_object { b'{' } else { b'[' });
            continue;
        }
        scalar(doc, node, out);
        if at != end {
            out.push(b',');
        }
    }
}

#[inline]
fn scalar(doc: &Doc, node: Node, out: &mut Vec<u8>) {
    match node.tag {
        Tag::Text => json_string::string_of_utf8(out, doc.slice(node), Short::All),
        Tag::Null => out.extend_from_slice(b"null"),
        Tag::False => out.extend_from_slice(b"false"),
        Tag::True => out.extend_from_slice(b"true"),
        Tag::Int => out.extend_from_slice(itoa::Buffer::new().format(node.bits() as i64).as_bytes()),
        Tag::UInt => out.extend_from_slice(itoa::Buffer::new().format(node.bits()).as_bytes()),
        Tag::F32 => float(f32::from_bits(node.a), out),
        Tag::F64 => float(f64::from_bits(node.bits()), out),
        Tag::Big | Tag::Decimal => out.extend_from_slice(doc.slice(node)),
        Tag::Bytes => base64(doc.slice(node), out),
        Tag::Time => match doc.time(node) {
            Some(moment) => time(moment, out),
            None => out.extend_from_slice(b"null"),
        },
        Tag::List | Tag::Object => {}
    }
}

fn float<F: ryu::Float + Into<f64> + Copy>(value: F, out: &mut Vec<u8>) {
    if !value.into().is_finite() {
        return out.extend_from_slice(b"null");
    }
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format_finite(value);
    out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
}

fn base64(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(STANDARD.encode(bytes).as_bytes());
    out.push(b'"');
}

fn time(moment: Timestamp, out: &mut Vec<u8>) {
    json_string::string(out, &moment.to_string(), Short::All);
}
