//! Where rendered bytes go.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

/// Takes bytes in order.
pub(super) trait Output {
    fn put(&mut self, bytes: &[u8]);

    #[inline]
    fn byte(&mut self, byte: u8) {
        self.put(&[byte]);
    }

    /// Decimal digits.
    #[inline]
    fn number(&mut self, number: usize) {
        let mut text = [0; 20];
        let at = write_digits(number, &mut text);
        self.put(&text[at..]);
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

/// A buffer that is long enough.
pub(super) struct Buffer<'o> {
    rest: &'o mut [u8],
}

impl<'o> Buffer<'o> {
    pub(super) fn new(rest: &'o mut [u8]) -> Buffer<'o> {
        Buffer { rest }
    }
}

// A buffer that is too short takes nothing more. It never is: without a way to panic, its state stays in registers.
impl Output for Buffer<'_> {
    #[inline(always)]
    fn put(&mut self, bytes: &[u8]) {
        if let Some((to, rest)) = core::mem::take(&mut self.rest).split_at_mut_checked(bytes.len()) {
            copy(to, bytes);
            self.rest = rest;
        }
    }

    #[inline(always)]
    fn byte(&mut self, byte: u8) {
        if let Some((to, rest)) = core::mem::take(&mut self.rest).split_first_mut() {
            *to = byte;
            self.rest = rest;
        }
    }

    #[inline]
    fn number(&mut self, number: usize) {
        if number < 10 {
            self.byte(b'0' + number as u8);
        } else if number < 100 {
            self.put(&[b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]);
        } else {
            let mut text = [0; 20];
            let at = write_digits(number, &mut text);
            self.put(&text[at..]);
        }
    }
}

#[cfg(feature = "alloc")]
impl Output for Vec<u8> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Copies between slices of one length. Names and values are short: a call of `memcpy` would cost more than the copy, so bytes are moved as two
/// words that overlap.
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
    match from.len() {
        8..=16 => ends::<8>(to, from),
        17..=32 => ends::<16>(to, from),
        4..=7 => ends::<4>(to, from),
        2..=3 => ends::<2>(to, from),
        0 => {}
        1 => to[0] = from[0],
        _ => to.copy_from_slice(from),
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
            buffer.put(&from[..len]);
            buffer.byte(0xff);
            assert_eq!((&out[..len], out[len]), (&from[..len], 0xff));
        }
    }

    #[test]
    fn numbers_are_as_they_are_shown() {
        for number in [0, 7, 10, 99, 100, 999, 1000, 4_294_967_296, usize::MAX] {
            let mut out = [b' '; 21];
            Buffer::new(&mut out).number(number);
            assert_eq!(core::str::from_utf8(&out).map(str::trim_end), Ok(number.to_string().as_str()));
        }
    }
}
