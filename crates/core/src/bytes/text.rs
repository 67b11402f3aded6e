//! Text that is known to be UTF-8.
#![allow(unsafe_code)]

use polywire_lanes::U8x16;

/// Returns the bytes as text, if they are UTF-8. Most short texts are ASCII, and a few wide reads
/// find that out faster than a decoder.
#[inline(always)]
pub fn utf8(bytes: &[u8]) -> Option<&str> {
    if is_short_ascii(bytes) {
        // SAFETY: all bytes are below 0x80, and any such bytes are UTF-8.
        return Some(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    other(bytes)
}

fn other(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}

const HIGH: u64 = 0x8080_8080_8080_8080;

/// Returns true for ASCII of at most 256 bytes. Reads of the first and the last bytes may overlap.
#[inline(always)]
fn is_short_ascii(bytes: &[u8]) -> bool {
    let wide = |chunk: Option<&[u8; 8]>| chunk.map_or(HIGH, |chunk| u64::from_le_bytes(*chunk));
    let narrow = |chunk: Option<&[u8; 4]>| chunk.map_or(HIGH, |chunk| u64::from(u32::from_le_bytes(*chunk)));
    let all = match bytes.len() {
        8..=16 => wide(bytes.first_chunk()) | wide(bytes.last_chunk()),
        4..=7 => narrow(bytes.first_chunk()) | narrow(bytes.last_chunk()),
        0..=3 => bytes.iter().fold(0, |all, byte| all | u64::from(*byte)),
        17..=256 => return is_ascii(bytes),
        _ => HIGH,
    };
    all & HIGH == 0
}

/// Returns true for ASCII of at least sixteen bytes.
fn is_ascii(bytes: &[u8]) -> bool {
    let Some(last) = bytes.last_chunk::<16>() else { return false };
    let (chunks, _) = bytes.as_chunks::<16>();
    chunks.iter().fold(U8x16::new(*last), |all, chunk| all | U8x16::new(*chunk)).to_bitmask() == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The standard library says the same of every length, with a bad byte at every place.
    #[test]
    fn it_agrees_with_the_standard_library() {
        for len in (0..80).chain(250..262) {
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
            let high = rng.u8(..3);
            let bytes: Vec<u8> = (0..rng.usize(..300)).map(|_| if rng.u8(..) < high { rng.u8(..) } else { rng.u8(..128) }).collect();
            assert_eq!(utf8(&bytes), std::str::from_utf8(&bytes).ok());
        }
    }
}
