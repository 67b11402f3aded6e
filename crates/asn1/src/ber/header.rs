//! Identifier and length octets (X.690 8.1.2 and 8.1.3): the only code that knows their layout.

use polywire_core::{Error, ErrorKind, Result};

use super::Rules;
use crate::walk::plan::TagKey;

/// Identifier and length octets of one encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub tag: TagKey,
    pub constructed: bool,
    /// Place of the first octet.
    pub start: usize,
    /// Place of the first contents octet.
    pub contents: usize,
    /// Place behind the last contents octet, or [`Head::INDEFINITE`].
    pub end: usize,
}

impl Head {
    /// End of contents that end-of-contents octets end.
    pub const INDEFINITE: usize = usize::MAX;

    pub fn is_indefinite(&self) -> bool {
        self.end == Head::INDEFINITE
    }
}

/// Returns whether end-of-contents octets are at a place.
#[inline]
pub(crate) fn is_end(msg: &[u8], at: usize) -> bool {
    matches!(msg.get(at..), Some([0, 0, ..]))
}

/// Reads a head at `at`. Its contents end at or before `limit`.
///
/// # Errors
/// The octets are no head, or not in the form of the rules.
#[inline(always)]
pub(crate) fn head(msg: &[u8], at: usize, limit: usize, base: u64, rules: Rules) -> Result<Head> {
    if let Some(head) = short_head(msg, at, limit, rules) {
        return Ok(head);
    }
    // Unpacked and packed again, so that a short head stays in registers.
    let Head { tag, constructed, start, contents, end } = long_head(msg, at, limit, base, rules)?;
    Ok(Head { tag, constructed, start, contents, end })
}

/// Reads a head of one octet of each kind.
#[inline(always)]
fn short_head(msg: &[u8], at: usize, limit: usize, rules: Rules) -> Option<Head> {
    let [first, length, ..] = msg.get(at..limit)? else { return None };
    let end = at + 2 + usize::from(*length);
    if first & 0x1f == 0x1f || *length >= 0x80 || end > limit || (rules == Rules::Canonical && first & 0x20 != 0) {
        return None;
    }
    let tag = TagKey::new(u64::from(first >> 6), u64::from(first & 0x1f));
    Some(Head { tag, constructed: first & 0x20 != 0, start: at, contents: at + 2, end })
}

#[inline(never)]
fn long_head(msg: &[u8], at: usize, limit: usize, base: u64, rules: Rules) -> Result<Head> {
    let head = any_head(&msg[..limit.min(msg.len())], at, base)?;
    let offset = base + at as u64;
    let length_at = base + head.identifier as u64;
    let refuse = |seen: &'static str, rule: &'static str| Err(refused(rules, seen, rule, length_at));
    let end = match head.length {
        None => {
            if rules == Rules::Distinguished {
                return refuse("an indefinite length", "a definite length (X.690 10.1)");
            }
            Head::INDEFINITE
        }
        Some(length) => {
            if rules == Rules::Canonical && head.constructed {
                return refuse("a constructed encoding of definite length", "an indefinite length (X.690 9.1)");
            }
            if rules != Rules::Basic && head.long_length {
                let rule = if rules == Rules::Canonical {
                    "the fewest length octets (X.690 9.1)"
                } else {
                    "the fewest length octets (X.690 10.1)"
                };
                return refuse("a length in too many octets", rule);
            }
            let end = usize::try_from(length).ok().and_then(|length| head.contents.checked_add(length));
            match end.filter(|end| *end <= limit) {
                Some(end) => end,
                None => return Err(beyond(length, limit - head.contents.min(limit), limit == msg.len(), offset)),
            }
        }
    };
    if rules != Rules::Basic && head.long_tag {
        return Err(refused(rules, "a tag number in too many octets", "the fewest octets (X.690 8.1.2.2)", offset));
    }
    Ok(Head { tag: head.tag, constructed: head.constructed, start: at, contents: head.contents, end })
}

/// Head whose length is not compared with the bytes that are there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnyHead {
    pub tag: TagKey,
    pub constructed: bool,
    /// Place of the length octets.
    pub identifier: usize,
    pub contents: usize,
    /// `None` if it is indefinite.
    pub length: Option<u64>,
    pub long_length: bool,
    pub long_tag: bool,
}

/// Reads a head at `at`.
///
/// # Errors
/// The octets are none; [`ErrorKind::Truncated`] if some are missing.
pub(crate) fn any_head(bytes: &[u8], at: usize, base: u64) -> Result<AnyHead> {
    let offset = base + at as u64;
    let cut = |what: &'static str| Error::truncated(base + bytes.len() as u64, what);
    let &first = bytes.get(at).ok_or_else(|| cut("a tag"))?;
    let mut place = at + 1;
    let mut number = u64::from(first & 0x1f);
    let mut long_tag = false;
    if number == 0x1f {
        number = 0;
        loop {
            let &byte = bytes.get(place).ok_or_else(|| cut("a tag number"))?;
            if number == 0 && byte == 0x80 {
                return Err(Error::data(ErrorKind::Syntax, offset)
                    .seen("a tag number with leading zeros")
                    .expected("its shortest form (X.690 8.1.2.4.2)"));
            }
            if number >> 55 != 0 {
                return Err(Error::data(ErrorKind::Range, offset).seen("a tag number of more than 62 bits").expected("a tag"));
            }
            number = number << 7 | u64::from(byte & 0x7f);
            place += 1;
            if byte < 0x80 {
                break;
            }
        }
        long_tag = number < 0x1f;
    }
    let identifier = place;
    let constructed = first & 0x20 != 0;
    let &octet = bytes.get(place).ok_or_else(|| cut("a length"))?;
    place += 1;
    let mut long_length = false;
    let length = match octet {
        0x00..=0x7f => Some(u64::from(octet)),
        0x80 if constructed => None,
        0x80 => {
            return Err(Error::data(ErrorKind::Syntax, base + identifier as u64)
                .seen("a primitive encoding of indefinite length")
                .expected("a definite length (X.690 8.1.3.2)"));
        }
        0xff => {
            return Err(Error::data(ErrorKind::Syntax, base + identifier as u64)
                .seen("byte 0xff")
                .expected("a length (X.690 8.1.3.5 reserves 0xff)"));
        }
        _ => {
            let mut value = 0u64;
            for n in 0..octet & 0x7f {
                let &byte = bytes.get(place).ok_or_else(|| cut("a length"))?;
                place += 1;
                long_length |= n == 0 && byte == 0;
                if value >> 56 != 0 {
                    return Err(Error::data(ErrorKind::Range, base + identifier as u64)
                        .seen("a length of more than 64 bits")
                        .expected("a length"));
                }
                value = value << 8 | u64::from(byte);
            }
            long_length |= value < 0x80;
            Some(value)
        }
    };
    let tag = TagKey::new(u64::from(first >> 6), number);
    Ok(AnyHead { tag, constructed, identifier, contents: place, length, long_length, long_tag })
}

#[cold]
fn beyond(length: u64, left: usize, is_all: bool, at: u64) -> Error {
    let (kind, place) = if is_all { (ErrorKind::Truncated, "in the message") } else { (ErrorKind::Syntax, "in the value around") };
    Error::data(kind, at).seen(format!("a length of {length} bytes, with {left} left {place}")).expected("as many bytes")
}

/// Makes the error of an encoding that DER or CER does not have.
#[cold]
pub(crate) fn refused(rules: Rules, seen: impl Into<std::borrow::Cow<'static, str>>, rule: &'static str, at: u64) -> Error {
    Error::data(ErrorKind::Syntax, at)
        .seen(seen)
        .expected(rule)
        .hint(format!("the encoding is not {}; read it as asn1-ber", rules.title()))
        .format_is(rules.name())
}

/// Appends identifier octets.
pub(crate) fn put_tag(tag: TagKey, constructed: bool, out: &mut [u8; 11]) -> usize {
    let first = tag.class() << 6 | if constructed { 0x20 } else { 0 };
    let number = tag.number();
    if number < 0x1f {
        out[0] = first | number as u8;
        return 1;
    }
    out[0] = first | 0x1f;
    let groups = (64 - number.leading_zeros() as usize).div_ceil(7);
    for group in 0..groups {
        let rest = groups - 1 - group;
        out[1 + group] = (number >> (rest * 7)) as u8 & 0x7f | if rest > 0 { 0x80 } else { 0 };
    }
    1 + groups
}

/// Returns length octets in their shortest form, at the end of the array, and their number.
#[inline]
pub(crate) fn length(length: usize) -> ([u8; 9], usize) {
    let mut out = [0; 9];
    if length < 0x80 {
        out[8] = length as u8;
        return (out, 1);
    }
    out[1..].copy_from_slice(&(length as u64).to_be_bytes());
    let count = 8 - (length as u64).leading_zeros() as usize / 8;
    out[8 - count] = 0x80 | count as u8;
    (out, count + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_all_forms() {
        let read = |bytes: &[u8]| any_head(bytes, 0, 0);
        for (bytes, tag, length) in [
            (&[0x30, 0][..], TagKey::new(0, 16), Some(0)),
            (&[0x9f, 0x81, 0x00, 0x81, 0x80], TagKey::new(2, 128), Some(128)),
            (&[0xff, 0x1f, 0x80], TagKey::new(3, 31), None),
            (&[4, 0x88, 255, 255, 255, 255, 255, 255, 255, 255], TagKey::new(0, 4), Some(u64::MAX)),
        ] {
            let head = read(bytes).unwrap();
            assert_eq!((head.tag, head.length, head.contents), (tag, length, bytes.len()));
        }
        for wrong in [&[0x9f, 0x80, 1, 0][..], &[4, 0x80], &[4, 0xff], &[4, 0x89, 1, 0, 0, 0, 0, 0, 0, 0, 0], &[4, 0x82, 1], &[]] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
        let long = [4, 0x88, 255, 255, 255, 255, 255, 255, 255, 255];
        assert_eq!(head(&long, 0, long.len(), 0, Rules::Basic).unwrap_err().kind(), ErrorKind::Truncated);
    }

    #[test]
    fn heads_are_written_as_they_are_read() {
        for number in [0, 30, 31, 127, 128, 16383, 16384, TagKey::MAX_NUMBER] {
            let mut tag = [0; 11];
            let size = put_tag(TagKey::new(2, number), true, &mut tag);
            for contents in [0, 127, 128, 255, 256, 1 << 20] {
                let (octets, count) = length(contents);
                let bytes = [&tag[..size], &octets[9 - count..]].concat();
                let found = any_head(&bytes, 0, 0).map(|head| (head.tag, head.length, head.contents, head.long_length, head.long_tag));
                if number <= 1 << 55 {
                    assert_eq!(found.unwrap(), (TagKey::new(2, number), Some(contents as u64), bytes.len(), false, false));
                }
            }
        }
    }
}
