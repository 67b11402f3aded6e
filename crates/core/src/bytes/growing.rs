//! Memory for a message that grows while it is written.

use crate::bytes::room::Place;

/// A buffer whose spare memory is initialised, so that short pieces are copied without a call and
/// with one check of the memory left.
#[derive(Debug, Default)]
pub struct Growing {
    /// Bytes of the text so far, then bytes without meaning.
    bytes: Vec<u8>,
    at: usize,
    /// Length at the start. Memory grows with what comes after it, so that appending to a long
    /// buffer costs no more.
    start: usize,
}

impl Growing {
    /// Memory that is added first, in bytes.
    const FIRST: usize = 128;

    /// Continues `bytes`.
    pub fn behind(bytes: Vec<u8>) -> Growing {
        let at = bytes.len();
        Growing { bytes, at, start: at }
    }

    /// Returns the bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.truncate(self.at);
        self.bytes
    }

    /// Returns the number of bytes so far.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.at
    }

    /// Returns whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.at == 0
    }

    /// Removes the bytes after the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.at = self.at.min(len);
    }

    /// Has `write` append a piece; again, with more memory, where it returns `None`.
    #[inline(always)]
    pub fn write(&mut self, mut write: impl FnMut(&mut Place<'_>) -> Option<()>) {
        loop {
            let mut place = Place::new(&mut self.bytes, self.at);
            if write(&mut place).is_some() {
                self.at = place.position();
                return;
            }
            self.grow(Growing::FIRST);
        }
    }

    /// Appends the first `len` bytes, at most nine, of a little-endian number: the head of a value.
    #[inline(always)]
    pub fn head(&mut self, bytes: u128, len: usize) {
        if self.bytes.len() - self.at < 16 {
            self.grow(Growing::FIRST);
        }
        if let Some(place) = self.bytes.get_mut(self.at..).and_then(|rest| rest.first_chunk_mut()) {
            *place = bytes.to_le_bytes();
        }
        self.at += len;
    }

    /// Appends a head, as [`Growing::head`], and a text, which is likely to be short.
    #[inline(always)]
    pub fn framed(&mut self, bytes: u128, len: usize, text: &[u8]) {
        let length = text.len();
        let Some(place) = self.bytes.get_mut(self.at..).and_then(|rest| rest.first_chunk_mut::<64>()).filter(|_| length <= 32) else {
            return self.framed_long(bytes, len, text);
        };
        place[..16].copy_from_slice(&bytes.to_le_bytes());
        let Some(place) = place[len & 15..].first_chunk_mut::<32>() else { return };
        // Two pieces of one size, which may overlap, make any length from one piece to two.
        if let (Some(first), Some(last)) = (text.first_chunk::<16>(), text.last_chunk::<16>()) {
            place[..16].copy_from_slice(first);
            place[length - 16..length].copy_from_slice(last);
        } else if let (Some(first), Some(last)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
            place[..8].copy_from_slice(first);
            place[length - 8..length].copy_from_slice(last);
        } else if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
            place[..4].copy_from_slice(first);
            place[length - 4..length].copy_from_slice(last);
        } else if let [first, .., last] | [first @ last] = text {
            place[0] = *first;
            place[length / 2] = text[length / 2];
            place[length - 1] = *last;
        }
        self.at += len + length;
    }

    #[inline(never)]
    fn framed_long(&mut self, bytes: u128, len: usize, text: &[u8]) {
        if self.bytes.len() - self.at < 64 + text.len() {
            self.grow(64 + text.len());
        }
        self.head(bytes, len);
        self.push(text);
    }

    /// Appends any number of bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.bytes.len() - self.at < bytes.len() {
            self.grow(bytes.len());
        }
        self.bytes[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    /// Removes the last byte, if it is `byte`.
    #[inline(always)]
    pub fn drop_last(&mut self, byte: u8) {
        if self.at > self.start && self.bytes[self.at - 1] == byte {
            self.at -= 1;
        }
    }

    /// Puts `head` in the place of the `old` bytes at `at`, and moves what is behind them.
    pub fn replace(&mut self, at: usize, old: usize, head: &[u8]) {
        if head.len() > old {
            let more = head.len() - old;
            if self.bytes.len() - self.at < more {
                self.grow(more);
            }
            self.bytes.copy_within(at + old..self.at, at + head.len());
            self.at += more;
        }
        self.bytes[at..at + head.len()].copy_from_slice(head);
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) {
        let twice = self.start + (self.bytes.len() - self.start) * 2;
        self.bytes.resize(twice.max(self.at + more).max(self.start + Growing::FIRST), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_appended() {
        let text: Vec<u8> = (1..=200).collect();
        let mut growing = Growing::behind(b"before,".to_vec());
        let mut expected = b"before,".to_vec();
        growing.drop_last(b',');
        for length in (0..=200).chain(0..40) {
            growing.write(|place| {
                place.put(*b"<")?;
                place.text(&text[..length])?;
                place.put(*b",")
            });
            growing.drop_last(b';');
            growing.drop_last(b',');
            growing.push(&text[..length]);
            growing.head(u128::from_le_bytes(*b"0123456789abcdef"), length % 10);
            growing.framed(u128::from_le_bytes(*b"0123456789abcdef"), 9 - length % 10, &text[..length]);
            expected.push(b'<');
            expected.extend_from_slice(&text[..length].repeat(2));
            expected.extend_from_slice(&b"0123456789"[..length % 10]);
            expected.extend_from_slice(&b"0123456789"[..9 - length % 10]);
            expected.extend_from_slice(&text[..length]);
        }
        growing.replace(8, 0, b"--");
        growing.replace(0, 3, b"aft");
        expected.splice(8..8, *b"--");
        expected[..3].copy_from_slice(b"aft");
        assert_eq!(growing.len(), expected.len());
        growing.push(b"x");
        growing.truncate(expected.len());
        assert!(!growing.is_empty() && growing.finish() == expected);
    }
}
