//! A buffer whose spare memory is initialised, for whole messages that are written at once.

/// Memory for one message, which is written by a function that starts over where there is too
/// little. The position then stays in a register, and no write has to look for more memory.
#[derive(Debug, Clone, Default)]
pub struct Room {
    /// Bytes of the message, then bytes without meaning.
    bytes: Vec<u8>,
    len: usize,
}

/// The place of the next byte in a [`Room`].
#[derive(Debug)]
pub struct Place<'r> {
    bytes: &'r mut [u8],
    at: usize,
}

/// The outcome of a function that writes a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// The message is written.
    Written,
    /// There is too little memory.
    TooLong,
    /// The function does not write such messages.
    Unfit,
}

impl Room {
    /// Memory for a first message, in bytes.
    const FIRST: usize = 1 << 10;

    /// Has `write` write a message, again and with more memory if there was too little. Returns
    /// false, and holds nothing, if the function does not write such messages.
    pub fn fill(&mut self, mut write: impl FnMut(&mut Place<'_>) -> Fit) -> bool {
        self.len = 0;
        loop {
            let mut place = Place { bytes: &mut self.bytes, at: 0 };
            match write(&mut place) {
                Fit::Written => self.len = place.at,
                Fit::Unfit => return false,
                Fit::TooLong => {
                    // The contents have no meaning, so none are moved.
                    let more = (2 * self.bytes.len()).max(Room::FIRST);
                    self.bytes = vec![0; more];
                    continue;
                }
            }
            return true;
        }
    }

    /// Returns whether there is no message.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends the message to `out`, and forgets it.
    #[inline]
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes[..self.len]);
        self.len = 0;
    }

    /// Forgets the message and keeps the memory.
    pub fn clear(&mut self) {
        self.len = 0;
    }
}

impl<'r> Place<'r> {
    #[inline(always)]
    pub(super) fn new(bytes: &'r mut [u8], at: usize) -> Place<'r> {
        Place { bytes, at }
    }

    #[inline(always)]
    pub(super) fn position(&self) -> usize {
        self.at
    }
}

// All return `None` where there is too little memory.
impl Place<'_> {
    /// Appends bytes whose number is known at compile time.
    #[inline(always)]
    pub fn put<const N: usize>(&mut self, bytes: [u8; N]) -> Option<()> {
        *self.bytes.get_mut(self.at..)?.first_chunk_mut()? = bytes;
        self.at += N;
        Some(())
    }

    /// Appends one byte and a fixed-width number's bytes.
    #[inline(always)]
    pub fn tagged<const N: usize>(&mut self, tag: u8, number: [u8; N]) -> Option<()> {
        let place = self.bytes.get_mut(self.at..)?.first_chunk_mut::<9>()?;
        place[0] = tag;
        place[1..=N].copy_from_slice(&number);
        self.at += 1 + N;
        Some(())
    }

    /// Appends text that is likely to be short.
    #[inline(always)]
    pub fn text(&mut self, text: &[u8]) -> Option<()> {
        let length = text.len();
        // Two pieces of one size, which may overlap, make any length from one piece to two.
        let rest = self.bytes.get_mut(self.at..)?;
        if length > 32 {
            rest.get_mut(..length)?.copy_from_slice(text);
        } else {
            let place = rest.first_chunk_mut::<32>()?;
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
        }
        self.at += length;
        Some(())
    }

    /// Removes the last byte, if it is `byte`.
    #[inline(always)]
    pub fn drop_last(&mut self, byte: u8) {
        if self.at.checked_sub(1).and_then(|last| self.bytes.get(last)) == Some(&byte) {
            self.at -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_all_lengths_are_written() {
        let text: Vec<u8> = (1..=120).collect();
        let mut room = Room::default();
        for length in 0..=120 {
            for times in [1, 2, 100] {
                let mut calls = 0;
                let filled = room.fill(|place| {
                    calls += 1;
                    let mut write = || {
                        for _ in 0..times {
                            place.put(*b"<")?;
                            place.text(&text[..length])?;
                            place.tagged(b'>', [7, 8])?;
                            place.put(*b",")?;
                        }
                        place.drop_last(b';');
                        place.drop_last(b',');
                        Some(())
                    };
                    if write().is_some() { Fit::Written } else { Fit::TooLong }
                });
                assert!(filled && !room.is_empty() && calls < 6);
                let mut expected = [&b"<"[..], &text[..length], &[b'>', 7, 8, b',']].concat().repeat(times);
                expected.pop();
                let mut out = b"-".to_vec();
                room.finish(&mut out);
                assert_eq!(out[1..], expected);
                assert!(room.is_empty());
            }
        }
        assert!(!room.fill(|_| Fit::Unfit) && room.is_empty());
    }
}
