//! A whole tree of plain values to JSON text: the writer's fast way. Its twin is the sink, which
//! writes all values.

use polywire_core::bytes::{Fit, Place};
use polywire_core::value::lexical::spells_float;
use polywire_core::value::{Plain, Tree};
use polywire_json::string::{Short, is_short_and_plain, string_of_utf8};

use super::float::Buffer;

/// Writes the tree, if all of its values are plain and all keys are text. `levels` and `escaped`
/// are memory to use.
#[inline]
pub(super) fn write(tree: &Tree<'_>, place: &mut Place<'_>, levels: &mut Vec<bool>, escaped: &mut Vec<u8>) -> Fit {
    let Some(events) = tree.plain() else { return Fit::Unfit };
    levels.clear();
    // Each value has a comma behind it, which the end of a container replaces.
    let mut is_object = false;
    let mut named = false;
    for event in events {
        if let Plain::Name(name) = event {
            named = true;
            if string(place, name, *b"\":", escaped).is_none() {
                return Fit::TooLong;
            }
            continue;
        }
        if is_object && !named && event != Plain::Close {
            return Fit::Unfit;
        }
        named = false;
        let written = match event {
            Plain::Text(text) => string(place, text, *b"\",", escaped),
            Plain::UInt(value @ 0..=9) => place.put([b'0' + value as u8, b',']),
            Plain::UInt(value) => place.text(itoa::Buffer::new().format(value).as_bytes()).and_then(|()| place.put(*b",")),
            Plain::Int(value) => place.text(itoa::Buffer::new().format(value).as_bytes()).and_then(|()| place.put(*b",")),
            Plain::F64(_, Some(digits)) if spells_float(digits) => place.text(digits).and_then(|()| place.put(*b",")),
            Plain::F64(value, _) if value.is_finite() => place.text(Buffer::new().format(value).as_bytes()).and_then(|()| place.put(*b",")),
            Plain::Bool(true) => place.put(*b"true,"),
            Plain::Bool(false) => place.put(*b"false,"),
            Plain::Null => place.put(*b"null,"),
            Plain::List(_) => {
                levels.push(is_object);
                is_object = false;
                place.put(*b"[")
            }
            Plain::Map(_) => {
                levels.push(is_object);
                is_object = true;
                place.put(*b"{")
            }
            Plain::Close => {
                place.drop_last(b',');
                let end = if is_object { *b"}," } else { *b"]," };
                is_object = levels.pop().unwrap_or_default();
                place.put(end)
            }
            Plain::Name(_) | Plain::F64(..) | Plain::Other => return Fit::Unfit,
        };
        if written.is_none() {
            return Fit::TooLong;
        }
    }
    place.drop_last(b',');
    Fit::Written
}

/// Writes a string, and `after`, which begins with its closing quote.
#[inline(always)]
fn string(place: &mut Place<'_>, text: &str, after: [u8; 2], escaped: &mut Vec<u8>) -> Option<()> {
    if is_short_and_plain(text.as_bytes()) {
        place.put(*b"\"")?;
        place.text(text.as_bytes())?;
        return place.put(after);
    }
    escaped.clear();
    string_of_utf8(escaped, text.as_bytes(), Short::Lines);
    place.text(&escaped[..escaped.len() - 1])?;
    place.put(after)
}
