//! JSON text that grows. Spare memory after the text lets appends copy chunks of a fixed size.

use crate::string::{Short, copy_plain, escape, plain_end};

/// Text with spare memory after it. Each value is appended with a comma, and [`JsonOutput::close`]
/// removes the last one of a container.
#[derive(Debug, Default)]
pub struct JsonOutput {
    /// The text, then spare bytes without meaning.
    bytes: Vec<u8>,
    /// Length of the text in bytes.
    len: usize,
    /// Length of the text at the start. Memory grows with the text after it, so that appending to
    /// long text costs no more.
    start: usize,
}

impl JsonOutput {
    /// Continues `text`, with memory for about `room` bytes more.
    pub fn behind(text: Vec<u8>, room: usize) -> JsonOutput {
        let len = text.len();
        let mut output = JsonOutput { bytes: text, len, start: len };
        output.grow(room);
        output
    }

    /// Returns the text.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.truncate(self.len);
        self.bytes
    }

    /// Returns the text so far.
    #[inline]
    pub fn text(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Returns the length of the text in bytes.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Removes the text after the first `len` bytes.
    #[inline(always)]
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) {
        let twice = self.start + (self.bytes.len() - self.start) * 2;
        self.bytes.resize(twice.max(self.len + more + 64), 0);
    }

    /// Appends the first `len` bytes of `text`.
    #[inline(always)]
    pub fn array<const N: usize>(&mut self, text: &[u8; N], len: usize) {
        if self.bytes.len() - self.len < N {
            self.grow(N);
        }
        if let Some(place) = self.bytes.get_mut(self.len..).and_then(|rest| rest.first_chunk_mut()) {
            *place = *text;
        }
        self.len += len.min(N);
    }

    /// Appends text whose length is known at compile time.
    #[inline(always)]
    pub fn put<const N: usize>(&mut self, text: &[u8; N]) {
        self.array(text, N);
    }

    /// Appends any text.
    pub fn push(&mut self, text: &[u8]) {
        if self.bytes.len() - self.len < text.len() {
            self.grow(text.len());
        }
        self.bytes[self.len..self.len + text.len()].copy_from_slice(text);
        self.len += text.len();
    }

    /// Appends text that is likely to be short, as numbers are.
    #[inline(always)]
    pub fn short(&mut self, text: &[u8]) {
        let len = text.len();
        if len > 16 || self.bytes.len() - self.len < 16 {
            return self.push(text);
        }
        // Two pieces of one size, which may overlap, make any length from one piece to two.
        let place = &mut self.bytes[self.len..self.len + len];
        if let (Some(first), Some(last)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
            place[..8].copy_from_slice(first);
            place[len - 8..].copy_from_slice(last);
        } else if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
            place[..4].copy_from_slice(first);
            place[len - 4..].copy_from_slice(last);
        } else {
            place.iter_mut().zip(text).for_each(|(place, byte)| *place = *byte);
        }
        self.len += len;
    }

    /// Removes the comma at the end, if there is one, and appends `close`.
    #[inline(always)]
    pub fn close<const N: usize>(&mut self, close: &[u8; N]) {
        if self.len > 0 && self.bytes[self.len - 1] == b',' {
            self.len -= 1;
        }
        self.put(close);
    }

    /// Appends `msg[start..end]` as a string and a comma, with the required escapes. Returns false
    /// if the bytes are not UTF-8.
    #[inline(always)]
    pub fn string(&mut self, msg: &[u8], start: usize, end: usize) -> bool {
        self.quoted::<true>(msg, start, end)
    }

    /// Appends like [`JsonOutput::string`] without a check of UTF-8: other bytes are copied as they
    /// are.
    #[inline(always)]
    pub fn string_of_utf8(&mut self, msg: &[u8], start: usize, end: usize) {
        self.quoted::<false>(msg, start, end);
    }

    #[inline(always)]
    fn quoted<const CHECK: bool>(&mut self, msg: &[u8], start: usize, end: usize) -> bool {
        let room = end - start + 48;
        if self.bytes.len() - self.len < room {
            self.grow(room);
        }
        self.put(b"\"");
        let done = copy_plain::<CHECK>(msg, start, end, &mut self.bytes[self.len..]);
        self.len += done;
        if start + done < end && !self.rest::<CHECK>(msg, start, start + done, end) {
            return false;
        }
        self.put(b"\",");
        true
    }

    /// Appends `msg[at..end]`, the rest of the string `msg[start..end]`. Returns false if `CHECK`
    /// is set and the string is not UTF-8.
    #[inline(never)]
    fn rest<const CHECK: bool>(&mut self, msg: &[u8], start: usize, mut at: usize, end: usize) -> bool {
        if CHECK && simdutf8::basic::from_utf8(&msg[start..end]).is_err() {
            return false;
        }
        loop {
            let room = end - at + 48;
            if self.bytes.len() - self.len < room {
                self.grow(room);
            }
            let done = copy_plain::<false>(msg, at, end, &mut self.bytes[self.len..]);
            (self.len, at) = (self.len + done, at + done);
            // `copy_plain` leaves the last bytes of the message, which are fewer than sixteen.
            let plain = plain_end(&msg[..end], at);
            self.push(&msg[at..plain]);
            at = plain;
            if at >= end {
                return true;
            }
            let (escape, length) = escape(msg[at], Short::All);
            self.array(&escape, length);
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_those_of_the_plain_way() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..20_000 {
            let odd = rng.u8(..40);
            let text: String =
                (0..rng.usize(..60)).map(|_| if rng.u8(..) < odd { rng.char('\0'..'\u{300}') } else { rng.lowercase() }).collect();
            let (before, behind) = (rng.usize(..5), rng.usize(..20));
            let msg = [vec![b'"'; before], text.clone().into_bytes(), vec![0xff; behind]].concat();
            let mut output = JsonOutput::behind(Vec::new(), rng.usize(..100));
            assert!(output.string(&msg, before, msg.len() - behind));
            let mut expected = Vec::new();
            crate::string::string(&mut expected, &text, Short::All);
            expected.push(b',');
            let mut known = JsonOutput::behind(Vec::new(), rng.usize(..100));
            known.string_of_utf8(&msg, before, msg.len() - behind);
            assert_eq!(known.finish(), expected);
            assert_eq!(String::from_utf8(output.finish()), String::from_utf8(expected));
            if behind > 0 {
                assert!(!JsonOutput::default().string(&msg, before, msg.len() - behind + 1), "0xff is no UTF-8");
            }
        }
    }

    #[test]
    fn pieces_of_all_lengths_are_appended() {
        let text: Vec<u8> = (0..60).collect();
        let (mut output, mut expected) = (JsonOutput::default(), Vec::new());
        for length in (0..=60).chain(0..20) {
            output.short(&text[..length]);
            expected.extend_from_slice(&text[..length]);
        }
        output.put(b"a,");
        output.close(b"}");
        output.close(b"]");
        expected.extend_from_slice(b"a}]");
        assert_eq!(output.finish(), expected);
    }
}
