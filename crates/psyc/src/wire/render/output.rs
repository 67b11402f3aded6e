//! Where rendered bytes go.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

/// Takes bytes in order. Nothing if there is no room for them: then nothing more is to be written.
pub(super) trait Output {
    fn put(&mut self, bytes: &[u8]) -> Option<()>;

    #[inline]
    fn byte(&mut self, byte: u8) -> Option<()> {
        self.put(&[byte])
    }

    /// Writes bytes, with the bytes around them.
    #[inline]
    fn between<const B: usize, const A: usize>(&mut self, before: [u8; B], bytes: &[u8], after: [u8; A]) -> Option<()> {
        self.put(&before)?;
        self.put(bytes)?;
        self.put(&after)
    }

    /// Decimal digits.
    #[inline]
    fn number(&mut self, number: usize) -> Option<()> {
        let mut text = [0; 20];
        let at = write_digits(number, &mut text);
        self.put(&text[at..])
    }
}

/// Writes digits to the end of `text`, and says where they start.
#[inline]
pub(super) fn write_digits(mut number: usize, text: &mut [u8; 20]) -> usize {
    let mut at = text.len();
    loop {
        at -= 1;
        text[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return at;
        }
    }
}

/// A buffer that is long enough, as the lengths were computed before.
pub(super) struct Buffer<'o> {
    rest: &'o mut [u8],
}

impl<'o> Buffer<'o> {
    #[inline]
    pub(super) fn new(rest: &'o mut [u8]) -> Buffer<'o> {
        Buffer { rest }
    }
}

// Without a way to panic, and with one way out of it all, the state of the buffer stays in
// registers.
impl Output for Buffer<'_> {
    #[inline(always)]
    fn put(&mut self, bytes: &[u8]) -> Option<()> {
        let (to, rest) = core::mem::take(&mut self.rest).split_at_mut_checked(bytes.len())?;
        copy(to, bytes);
        self.rest = rest;
        Some(())
    }

    #[inline(always)]
    fn byte(&mut self, byte: u8) -> Option<()> {
        let (to, rest) = core::mem::take(&mut self.rest).split_first_mut()?;
        *to = byte;
        self.rest = rest;
        Some(())
    }

    // One test of the room for all three.
    #[inline(always)]
    fn between<const B: usize, const A: usize>(&mut self, before: [u8; B], bytes: &[u8], after: [u8; A]) -> Option<()> {
        let (to, rest) = core::mem::take(&mut self.rest).split_at_mut_checked(bytes.len() + (B + A))?;
        let (start, to) = to.split_first_chunk_mut()?;
        let (to, end) = to.split_last_chunk_mut()?;
        (*start, *end) = (before, after);
        copy(to, bytes);
        self.rest = rest;
        Some(())
    }

    #[inline(always)]
    fn number(&mut self, number: usize) -> Option<()> {
        if number < 10 {
            self.byte(b'0' + number as u8)
        } else if number < 100 {
            self.byte(b'0' + (number / 10) as u8)?;
            self.byte(b'0' + (number % 10) as u8)
        } else {
            let (text, at) = long_digits(number);
            self.put(text.get(at..)?)
        }
    }
}

/// Returns the digits at the end of a text, and where they start; apart, so that short sizes stay
/// fast.
#[inline(never)]
fn long_digits(number: usize) -> ([u8; 20], usize) {
    let mut text = [0; 20];
    let at = write_digits(number, &mut text);
    (text, at)
}

#[cfg(feature = "alloc")]
impl Output for Vec<u8> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) -> Option<()> {
        self.extend_from_slice(bytes);
        Some(())
    }
}

/// Copies between slices of one length. Names and values are short: a call of `memcpy` would cost
/// more than the copy, so bytes are moved as two words that overlap.
#[inline(always)]
fn copy(to: &mut [u8], from: &[u8]) {
    #[inline(always)]
    fn ends<const N: usize>(to: &mut [u8], from: &[u8]) {
        if let (Some(to), Some(from)) = (to.first_chunk_mut::<N>(), from.first_chunk::<N>()) {
            *to = *from;
        }
        if let (Some(to), Some(from)) = (to.last_chunk_mut::<N>(), from.last_chunk::<N>()) {
            *to = *from;
        }
    }
    let len = from.len();
    if len >= 8 {
        match len {
            0..=16 => ends::<8>(to, from),
            17..=32 => ends::<16>(to, from),
            33..=64 => ends::<32>(to, from),
            _ => to.copy_from_slice(from),
        }
    } else if len >= 4 {
        ends::<4>(to, from);
    } else if len >= 2 {
        ends::<2>(to, from);
    } else if let ([to], [from]) = (to, from) {
        *to = *from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_whole() {
        let from: [u8; 80] = core::array::from_fn(|n| n as u8 + 1);
        for len in 0..80 {
            let mut out = [0; 81];
            let mut buffer = Buffer::new(&mut out);
            assert_eq!(buffer.put(&from[..len]).and_then(|()| buffer.byte(0xff)), Some(()));
            assert_eq!((&out[..len], out[len]), (&from[..len], 0xff));
            let mut out = [0; 84];
            assert_eq!(Buffer::new(&mut out[..len + 3]).between([1], &from[..len], [2, 3]), Some(()));
            assert_eq!((out[0], &out[1..=len], &out[len + 1..len + 4]), (1, &from[..len], &[2, 3, 0][..]));
        }
    }

    #[test]
    fn what_is_too_long_is_not_taken() {
        let mut out = [0; 40];
        for len in 0..40 {
            assert_eq!(Buffer::new(&mut out[..len]).put(&[1; 41][..=len]), None);
            assert_eq!(Buffer::new(&mut out[..len]).between([0], &[1; 41][..len], []), None);
        }
        assert_eq!(Buffer::new(&mut out[..1]).number(10), None);
        assert_eq!(Buffer::new(&mut out[..2]).number(100), None);
        assert_eq!(Buffer::new(&mut []).byte(0), None);
    }

    #[test]
    fn numbers_are_as_they_are_shown() {
        for number in [0, 7, 10, 99, 100, 999, 1000, 1 << (usize::BITS / 2), usize::MAX] {
            let mut out = [b' '; 21];
            assert_eq!(Buffer::new(&mut out).number(number), Some(()));
            assert_eq!(core::str::from_utf8(&out).map(str::trim_end), Ok(number.to_string().as_str()));
        }
    }
}
