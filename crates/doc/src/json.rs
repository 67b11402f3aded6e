//! JSON text of scalars, and of values in a document. Each value is followed by a comma.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::nodes::{Doc, DocNode, Node, Tag};
use polywire_core::value::lexical::spells_float;
use polywire_core::value::same_decimal;
use polywire_core::{Hint, Scalar, Timestamp};
use polywire_json::JsonOutput;

/// Returns the text of one value of a document, without the comma.
pub(super) fn text_of(doc: &Doc, value: Node) -> Vec<u8> {
    let mut out = JsonOutput::default();
    node(doc, value, &mut out);
    out.close(b"");
    out.finish()
}

/// Appends one value of a document and a comma.
pub(super) fn node(doc: &Doc, node: Node, out: &mut JsonOutput) {
    if !matches!(node.tag, Tag::List | Tag::Object) {
        return node_scalar(doc, node, out);
    }
    // Open containers: the entries still to come, and whether they are members of an object.
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
        node_scalar(doc, node, out);
    }
}

/// Appends a scalar of a document and a comma.
#[inline(always)]
fn node_scalar(doc: &Doc, node: Node, out: &mut JsonOutput) {
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
        Tag::Spelled | Tag::Big | Tag::Decimal => {
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

/// Returns the digits of a float that are another number than its shortest digits.
pub(super) fn longer<'s>(value: f64, hint: Hint<'s>) -> Option<&'s str> {
    // Up to 15 digits are the shortest, however they are written.
    let digits = hint.digits().filter(|digits| digits.len() > 15 && value.is_finite() && spells_float(digits))?;
    (!same_decimal(ryu::Buffer::new().format_finite(value), digits)).then_some(digits)
}

/// Appends a scalar of a walk and a comma.
pub(super) fn scalar(value: Scalar<'_, '_>, out: &mut JsonOutput) {
    match value {
        Scalar::Null => out.put(b"null,"),
        Scalar::Bool(true) => out.put(b"true,"),
        Scalar::Bool(false) => out.put(b"false,"),
        Scalar::Int(value, _) => number(value, out),
        Scalar::UInt(value, _) => number(value, out),
        Scalar::F32(value, _) => float(value, out),
        Scalar::F64(value, hint) => match longer(value, hint) {
            Some(digits) => {
                out.push(digits.as_bytes());
                out.put(b",");
            }
            None => float(value, out),
        },
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
        // A scalar that documents do not have.
        _ => out.put(b"null,"),
    }
}

#[inline(always)]
pub(super) fn number(value: impl itoa::Integer, out: &mut JsonOutput) {
    out.short(itoa::Buffer::new().format(value).as_bytes());
    out.put(b",");
}

pub(super) fn float<F: ryu::Float + Into<f64> + Copy>(value: F, out: &mut JsonOutput) {
    if !value.into().is_finite() {
        return out.put(b"null,");
    }
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format_finite(value);
    out.short(text.strip_suffix(".0").unwrap_or(text).as_bytes());
    out.put(b",");
}

pub(super) fn base64(bytes: &[u8], out: &mut JsonOutput) {
    out.put(b"\"");
    out.push(STANDARD.encode(bytes).as_bytes());
    out.put(b"\",");
}

pub(super) fn time(moment: Timestamp, out: &mut JsonOutput) {
    let text = moment.to_string();
    out.string_of_utf8(text.as_bytes(), 0, text.len());
}

/// Shows the JSON text of the value.
impl fmt::Debug for DocNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&text_of(&self.doc, self.doc.node(self.at))))
    }
}
