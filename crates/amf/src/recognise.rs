//! Recognition of messages by reading them.

use polywire_core::ErrorKind;
use polywire_core::format::Confidence;

use crate::machine::{Machine, Root};
use crate::marker::{amf0, amf3, shared};
use crate::token::Token;

/// Deepest nesting that is looked into.
const DEPTH: u32 = 64;

/// Names and texts that show a message of people's data.
const EVIDENT: usize = 2;

/// Judges whether bytes are a shared object.
pub(crate) fn shared(start: &[u8], _: bool) -> Confidence {
    let signed = start.get(shared::COUNTED..).is_some_and(|rest| rest.starts_with(&shared::SIGNATURE[..4]));
    if start.starts_with(&shared::MAGIC) && signed { Confidence::Certain } else { Confidence::No }
}

/// Judges whether bytes are a packet of remoting.
pub(crate) fn packet(start: &[u8], whole: bool) -> Confidence {
    match start {
        [0, 0 | 3, headers @ .., _] if headers.len() > 6 => {}
        _ => return Confidence::No,
    }
    match look(Root::Packet, start, whole) {
        Some(texts) if texts > 0 => Confidence::Likely,
        _ => Confidence::No,
    }
}

/// Judges whether bytes are values of AMF0.
pub(crate) fn amf0(start: &[u8], whole: bool) -> Confidence {
    values(Root::Amf0, start, whole, &[amf0::OBJECT, amf0::ECMA_ARRAY, amf0::STRICT_ARRAY, amf0::TYPED_OBJECT, amf0::STRING])
}

/// Judges whether bytes are values of AMF3.
pub(crate) fn amf3(start: &[u8], whole: bool) -> Confidence {
    values(Root::Amf3, start, whole, &[amf3::OBJECT, amf3::ARRAY, amf3::DICTIONARY, amf3::VECTOR_OBJECT])
}

fn values(root: Root, start: &[u8], whole: bool, kinds: &[u8]) -> Confidence {
    let control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
    if start.is_empty() || std::str::from_utf8(start).is_ok() && !start.iter().any(control) {
        return Confidence::No;
    }
    match look(root, start, whole) {
        Some(texts) if texts >= EVIDENT && kinds.contains(&start[0]) => Confidence::Likely,
        // Numbers and nulls prove nothing: most bytes are some.
        Some(0) | None => Confidence::No,
        Some(_) => Confidence::Possible,
    }
}

/// Reads messages up to the end. Returns the number of names and texts that people write, or `None`
/// if something is wrong.
fn look(root: Root, start: &[u8], whole: bool) -> Option<usize> {
    let mut machine = Machine::default();
    let (mut rest, mut texts) = (start, 0);
    while !rest.is_empty() {
        machine.begin(root, DEPTH, !whole);
        loop {
            match machine.next(rest, 0) {
                Ok(Token::Name | Token::Text | Token::Member) if !machine.found.repeated => {
                    let text = std::str::from_utf8(machine.found.slice.of(rest)).ok()?;
                    if text.contains(|c: char| c.is_control() && !c.is_whitespace()) {
                        return None;
                    }
                    texts += usize::from(text.len() > 1);
                }
                Ok(Token::End) => break,
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Truncated && !whole => return Some(texts),
                Err(_) => return None,
            }
        }
        rest = rest.get(machine.pos()..)?;
    }
    Some(texts)
}
