//! Names that are likely to come next: those of the object before. Finding a string's end by its
//! bytes makes everything after it wait; comparing it with a guess does not.

use polywire_lanes::U8x16;

/// The last name at each place, which is a depth and a number of names before it. They stay from
/// message to message.
#[derive(Debug)]
pub(super) struct Names(Vec<Guess>);

/// A name and its closing quote, which have no escapes.
#[derive(Debug, Clone, Copy)]
struct Guess {
    /// The name, the quote, and bytes without meaning.
    bytes: [u8; 32],
    /// One bit for each byte of the name, and for the quote.
    mask: u32,
    length: u8,
}

impl Names {
    const PLACES: usize = 128;

    /// The first guess is the empty name.
    pub(super) fn new() -> Names {
        Names(vec![Guess { bytes: [b'"'; 32], mask: 1, length: 0 }; Names::PLACES])
    }

    /// Returns the index of a place. Places far apart may share one.
    #[inline(always)]
    pub(super) fn place(depth: usize, before: usize) -> usize {
        depth.wrapping_mul(37).wrapping_add(before) % Names::PLACES
    }

    /// Returns the length of the name that starts at `from`, if it is the guess.
    #[inline(always)]
    pub(super) fn length(&self, place: usize, bytes: &[u8], from: usize) -> Option<usize> {
        let guess = self.0.get(place)?;
        let chunk = bytes.get(from..)?.first_chunk::<32>()?;
        let ([seen, more], []) = chunk.as_chunks::<16>() else { return None };
        let ([kept, rest], []) = guess.bytes.as_chunks::<16>() else { return None };
        let equal = |seen: &[u8; 16], kept: &[u8; 16]| U8x16::new(*seen).simd_eq(U8x16::new(*kept)).to_bitmask();
        let equal = equal(seen, kept) | equal(more, rest) << 16;
        (equal & guess.mask == guess.mask).then_some(usize::from(guess.length))
    }

    /// Keeps the name at `bytes[from..end]`, which has no escapes and is closed.
    #[inline]
    pub(super) fn keep(&mut self, place: usize, bytes: &[u8], from: usize, end: usize) {
        if let Some(chunk) = bytes.get(from..).and_then(|rest| rest.first_chunk::<32>())
            && let Some(guess) = self.0.get_mut(place)
            && end - from < 32
        {
            *guess = Guess { bytes: *chunk, mask: u32::MAX >> (31 - (end - from)), length: (end - from) as u8 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn a_guess_is_the_whole_name() {
        let mut names = Names::new();
        for (kept, seen, expected) in [
            (&b"sum\": 1.5, and more than that and that"[..], &b"sum\":20.25, and more than that and that"[..], Some(3)),
            (b"sum\": 1.5, and more than that and that", b"summary\":20.25, and more than that and", None),
            (b"summary\":20.25, and more than that and", b"sum\":20.25, and more than that and that", None),
            (b"\": 1.5, and more than that and that and", b"\":20.25, and more than that and that", Some(0)),
            (b"fifteen bytes..\":1, and more than that", b"fifteen bytes..\":2, and more than that", Some(15)),
            (b"sixteen bytes...\":1, and more than that", b"sixteen bytes...\":2, and more than that", Some(16)),
            (b"a name of thirty-one bytes.....\":1, and", b"a name of thirty-one bytes.....\":2, and", Some(31)),
            (b"a name of thirty-two bytes......\":1,", b"a name of thirty-two bytes......\":1,", None),
            (b"sum\": 1.5, and more than that and that", b"sum\":20.25", None),
        ] {
            let end = kept.iter().position(|byte| *byte == b'"').unwrap();
            names = Names::new();
            assert_eq!(names.length(5, seen, 0), seen.starts_with(b"\"").then_some(0));
            names.keep(5, kept, 0, end);
            assert_eq!(names.length(5, seen, 0), expected, "{}", String::from_utf8_lossy(seen));
            assert_eq!(names.length(6, seen, 0), seen.starts_with(b"\"").then_some(0));
        }
        assert!(Names::place(usize::MAX, usize::MAX) < Names::PLACES);
        assert_eq!(names.length(Names::PLACES, b"sum\": 1.5, and more than that and that", 0), None);
    }
}
