//! Text that is known to be UTF-8.

/// The bytes as text, if they are UTF-8. Short ones are mostly ASCII, and a few wide reads tell that faster than a decoder does.
#[inline(always)]
pub fn utf8(bytes: &[u8]) -> Option<&str> {
    if is_short_ascii(bytes) {
        // SAFETY: all bytes are below 0x80, and any such bytes are UTF-8.
        return Some(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    long(bytes)
}

fn long(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}

const HIGH: u64 = 0x8080_8080_8080_8080;

/// Whether it is ASCII of at most 32 bytes: two reads that may overlap cover any length between one of them and both.
#[inline(always)]
fn is_short_ascii(bytes: &[u8]) -> bool {
    let wide = |chunk: &[u8; 8]| u64::from_le_bytes(*chunk);
    let narrow = |chunk: &[u8; 4]| u64::from(u32::from_le_bytes(*chunk));
    match bytes.len() {
        8..=16 => match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(first), Some(last)) => (wide(first) | wide(last)) & HIGH == 0,
            _ => false,
        },
        4..=7 => match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(first), Some(last)) => (narrow(first) | narrow(last)) & HIGH == 0,
            _ => false,
        },
        0..=3 => bytes.iter().all(u8::is_ascii),
        17..=32 => {
            let (low, high) = bytes.split_at(16);
            let all = low.chunks_exact(8).filter_map(|chunk| chunk.first_chunk()).map(wide).fold(0, |all, word| all | word);
            match bytes.last_chunk::<8>() {
                Some(last) if high.len() <= 8 => (all | wide(last)) & HIGH == 0,
                Some(last) => high.first_chunk().is_some_and(|first| (all | wide(first) | wide(last)) & HIGH == 0),
                None => false,
            }
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The standard library says the same of every length, with a bad byte at every place.
    #[test]
    fn it_agrees_with_the_standard_library() {
        for len in 0..80 {
            let ascii: Vec<u8> = (0..len).map(|n| b'a' + (n % 26) as u8).collect();
            assert_eq!(utf8(&ascii), std::str::from_utf8(&ascii).ok());
            for at in 0..len {
                for byte in [0x80, 0xff, 0xc3, 0xe2] {
                    let mut bytes = ascii.clone();
                    bytes[at] = byte;
                    assert_eq!(utf8(&bytes), std::str::from_utf8(&bytes).ok(), "{len} {at}");
                    if at + 1 < len {
                        bytes[at + 1] = 0xa9;
                        assert_eq!(utf8(&bytes), std::str::from_utf8(&bytes).ok(), "{len} {at}");
                    }
                }
            }
        }
    }

    #[test]
    fn it_agrees_on_random_bytes() {
        let mut rng = fastrand::Rng::with_seed(11);
        for _ in 0..20_000 {
            let high = rng.u8(1..20);
            let bytes: Vec<u8> = (0..rng.usize(..50)).map(|_| if rng.u8(..) < high { rng.u8(..) } else { rng.u8(..128) }).collect();
            assert_eq!(utf8(&bytes), std::str::from_utf8(&bytes).ok());
        }
    }
}
