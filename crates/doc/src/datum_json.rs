//! JSON text of any value.

use super::datum::Datum;
use super::json;
use super::nodes::Tag;
use super::view::{Items, Members, Ref, View};
use polywire_json::JsonOutput;

impl Ref<'_> {
    /// Appends the value as compact JSON (RFC 8259) to `out`.
    ///
    /// Numbers keep their digits; floats only those beyond the shortest ones. Other floats have the
    /// shortest digits that identify them, without `.0`. NaN and the infinities become null. Bytes
    /// become base64 text, and times RFC 3339 text.
    pub fn write_json(self, out: &mut Vec<u8>) {
        let mut text = JsonOutput::behind(std::mem::take(out), room(self));
        write(self, &mut text, usize::MAX);
        text.close(b"");
        *out = text.finish();
    }
}

impl Datum {
    /// Returns the text of [`Ref::write_json`].
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.view().write_json(&mut out);
        out
    }

    /// Returns the text of [`Ref::write_json`], or `None` if it is much longer than `most` bytes. A
    /// text of one document may exceed it by the length of that document's.
    pub fn to_json_within(&self, most: usize) -> Option<Vec<u8>> {
        let mut text = JsonOutput::behind(Vec::new(), room(self.view()).min(most));
        if !write(self.view(), &mut text, most) {
            return None;
        }
        text.close(b"");
        Some(text.finish())
    }
}

/// Largest reservation, in bytes. Longer text grows as it comes.
const MOST_ROOM: usize = 256 << 10;

/// Levels, and entries per level, that the guess looks into. Answers wrap the rows of a document in
/// a few lists and objects outside of it.
const LOOKED_INTO: (usize, usize) = (4, 16);

/// Returns a guess at the length of a value's text, in bytes.
fn room(value: Ref<'_>) -> usize {
    fn guess(value: Ref<'_>, levels: usize) -> usize {
        if let Some((doc, at)) = value.place() {
            return match doc.node(at).tag {
                Tag::List | Tag::Object => doc.nodes.len() * 32 + doc.written.len(),
                Tag::Spelled | Tag::Text | Tag::Written | Tag::Bytes | Tag::Big | Tag::Decimal => doc.node(at).b as usize,
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

enum OpenContainer<'d> {
    List(Items<'d>),
    Object(Members<'d>),
}

/// Appends a value and a comma. Returns false, with a part of it, if it is longer than `most`.
fn write(value: Ref<'_>, out: &mut JsonOutput, most: usize) -> bool {
    let mut levels: Vec<OpenContainer<'_>> = Vec::new();
    let mut value = value;
    loop {
        match value.place() {
            Some((doc, at)) => json::node(doc, doc.node(at), out),
            None => match value.view() {
                View::List(items) => {
                    out.put(b"[");
                    levels.push(OpenContainer::List(items));
                }
                View::Object(members) => {
                    out.put(b"{");
                    levels.push(OpenContainer::Object(members));
                }
                View::Null => out.put(b"null,"),
                View::Bool(true) => out.put(b"true,"),
                View::Bool(false) => out.put(b"false,"),
                View::Int(value) => json::number(value, out),
                View::UInt(value) => json::number(value, out),
                View::F32(value) => json::float(value, out),
                View::F64(value) => json::float(value, out),
                View::Big(text) | View::Decimal(text) => {
                    out.push(text.as_bytes());
                    out.put(b",");
                }
                View::Text(text) => out.string_of_utf8(text.as_bytes(), 0, text.len()),
                View::Bytes(bytes) => json::base64(bytes, out),
                View::Time(moment) => json::time(moment, out),
            },
        }
        if out.len() > most {
            return false;
        }
        value = loop {
            let end = match levels.last_mut() {
                None => return true,
                Some(OpenContainer::List(items)) => match items.next() {
                    Some(item) => break item,
                    None => b"],",
                },
                Some(OpenContainer::Object(members)) => match members.next() {
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
