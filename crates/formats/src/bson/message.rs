//! Messages that are no documents: a document of one field, [`MESSAGE`], holds them.
//!
//! A document that looks like such a wrapper is wrapped itself, so that reading has an inverse. A
//! document looks like one if its only field is `$msg`, and the field's value is no document, or a
//! document that looks like one.

use super::cursor::Cursor;
use super::wire::{DOCUMENT, MESSAGE, MIN_DOCUMENT};

/// Bytes before the value: length, type, name.
const HEAD: usize = 4 + 1 + MESSAGE.len() + 1;

/// Reports whether `msg` is a wrapper around a message. Takes time linear in the number of nested
/// documents.
pub(super) fn is_wrapped(msg: &[u8]) -> bool {
    let (mut start, mut end) = (0, None);
    loop {
        let rest = &msg[start..];
        let Some(len) = rest.first_chunk().map(|len| i32::from_le_bytes(*len)) else { return false };
        let Some(doc) = usize::try_from(len).ok().filter(|&len| len >= MIN_DOCUMENT).and_then(|len| rest.get(..len)) else { return false };
        if end.is_some_and(|end| start + doc.len() != end) {
            return false;
        }
        let named = doc.get(5..HEAD).is_some_and(|name| name.strip_suffix(b"\0") == Some(MESSAGE.as_bytes()));
        if !named || doc.last() != Some(&0) {
            return false;
        }
        if doc[4] == DOCUMENT {
            end = Some(start + doc.len() - 1);
            start += HEAD;
            continue;
        }
        let mut cursor = Cursor::new(doc, 0);
        cursor.end = doc.len() - 1;
        cursor.input.seek(HEAD);
        return cursor.skip(doc[4]).is_ok() && cursor.pos() == cursor.end;
    }
}

#[cfg(test)]
mod tests {
    use super::is_wrapped;

    #[test]
    fn only_what_is_no_document_in_the_end_is_wrapped() {
        let wrap = |kind: u8, value: &[u8]| {
            let mut doc = (value.len() as i32 + 11).to_le_bytes().to_vec();
            doc.push(kind);
            doc.extend(b"$msg\0");
            doc.extend(value);
            doc.push(0);
            doc
        };
        let five = wrap(0x10, &[5, 0, 0, 0]);
        assert!(is_wrapped(&five));
        assert!(is_wrapped(&wrap(3, &five)));
        assert!(is_wrapped(&wrap(3, &wrap(3, &five))));
        assert!(is_wrapped(&wrap(4, &[5, 0, 0, 0, 0])));
        let empty = [5, 0, 0, 0, 0];
        assert!(!is_wrapped(&empty));
        assert!(!is_wrapped(&wrap(3, &empty)));
        assert!(!is_wrapped(&wrap(3, &wrap(3, &empty))));
        for end in 0..five.len() {
            assert!(!is_wrapped(&five[..end]));
        }
        // A second field, and a length that leaves a byte over.
        assert!(!is_wrapped(&wrap(0x10, b"\x05\0\0\0\x0aa\0")));
        assert!(!is_wrapped(&wrap(0x10, &[5, 0, 0, 0, 0])));
    }
}
