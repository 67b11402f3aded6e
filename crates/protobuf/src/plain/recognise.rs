//! Recognition of messages by reading them. Fields to the last byte are rare by chance, and so are
//! lengths that fit.

use polywire_core::format::Confidence;

use super::guess::field;
use crate::wire;
use crate::wire::framing::Framing;
use polywire_core::Frame;

/// Inputs below this length prove little.
const SHORTEST: usize = 12;

/// Counts the fields in `start`, or returns `None` if it holds anything else. Unless it is `whole`,
/// the last field may be cut off.
fn fields(start: &[u8], whole: bool) -> Option<usize> {
    let (mut at, mut count) = (0, 0);
    while at < start.len() {
        match field(start, at) {
            Some(next) => (at, count) = (next, count + 1),
            // At most one field is cut off, and no tag is wrong.
            None if !whole && count > 0 => break,
            None => return None,
        }
    }
    Some(count)
}

/// Returns whether the numbers of the fields never fall.
fn in_order(start: &[u8]) -> bool {
    let (mut at, mut last) = (0, 0);
    while let Some(next) = field(start, at) {
        let Ok((tag, _, _)) = wire::tag(start, at) else { return false };
        if tag.number() < last {
            return false;
        }
        (at, last) = (next, tag.number());
    }
    true
}

fn is_plain_text(start: &[u8]) -> bool {
    let text = match std::str::from_utf8(start) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default(),
        Err(_) => return false,
    };
    !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
}

/// Recognises one message without a frame.
pub(crate) fn whole(start: &[u8], whole: bool) -> Confidence {
    if start.is_empty() || is_plain_text(start) {
        return Confidence::No;
    }
    match fields(start, whole) {
        None | Some(0) => Confidence::No,
        // Messages start with a small field number, whose tag has one byte, and serialisers write
        // fields in the order of their numbers.
        Some(count) if count > 1 && start.len() >= SHORTEST && start[0] < 0x80 && in_order(start) => Confidence::Likely,
        Some(_) => Confidence::Possible,
    }
}

/// Counts the messages of a stream that have fields, or returns `None` if any has something else.
fn framed(framing: Framing, start: &[u8], whole: bool) -> Option<usize> {
    let (mut at, mut count) = (0, 0);
    while at < start.len() {
        match framing.frame(&start[at..], 0, false).ok()? {
            Frame::Message { start: from, end } => {
                let known = fields(&start[at + from..at + end], true)?;
                // An empty message is a length of 0, which much else has too.
                (at, count) = (at + end, count + usize::from(known > 0));
            }
            Frame::More(_) if !whole && count > 0 => break,
            _ => return None,
        }
    }
    Some(count)
}

pub(crate) fn delimited(start: &[u8], whole: bool) -> Confidence {
    // Streams that start with an empty message are rarer than other formats that start with a zero.
    if is_plain_text(start) || start.first() == Some(&0) {
        return Confidence::No;
    }
    match framed(Framing::Delimited, start, whole) {
        None | Some(0) => Confidence::No,
        Some(count) if count > 1 && start.len() >= SHORTEST => Confidence::Likely,
        Some(_) => Confidence::Possible,
    }
}

pub(crate) fn grpc(start: &[u8], whole: bool) -> Confidence {
    match framed(Framing::Grpc, start, whole) {
        None | Some(0) => Confidence::No,
        Some(_) if start.len() >= SHORTEST => Confidence::Likely,
        Some(_) => Confidence::Possible,
    }
}

pub(crate) fn confluent(start: &[u8], whole: bool) -> Confidence {
    match Framing::Confluent.head(start, 0) {
        Ok(head) if head.len < start.len() && fields(&start[head.len..], whole).is_some_and(|count| count > 0) => Confidence::Possible,
        _ => Confidence::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_to_the_last_byte_are_likely() {
        let message = *b"\x08\x01\x12\x09hi, hello";
        assert_eq!(whole(&message, true), Confidence::Likely);
        assert_eq!(whole(&message[..8], false), Confidence::Possible);
        assert_eq!(whole(&message[..8], true), Confidence::No);
        assert_eq!(whole(b"(0(0(0(0(0", true), Confidence::No);
        assert_eq!(whole(b"", true), Confidence::No);
        let mut stream = vec![13];
        stream.extend(message);
        assert_eq!(delimited(&stream, true), Confidence::Possible);
        stream.extend(stream.clone());
        assert_eq!((delimited(&stream, true), whole(&stream, true)), (Confidence::Likely, Confidence::No));
        assert_eq!(delimited(&stream[..20], false), Confidence::Possible);
        assert_eq!(delimited(&stream[..20], true), Confidence::No);
        let call = [&[0, 0, 0, 0, 13], &message[..]].concat();
        assert_eq!((grpc(&call, true), whole(&call, true)), (Confidence::Likely, Confidence::No));
        let record = [&[0, 0, 0, 1, 9, 0], &message[..]].concat();
        assert_eq!((confluent(&record, true), grpc(&record, true)), (Confidence::Possible, Confidence::No));
    }
}
