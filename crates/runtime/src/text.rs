//! Checks that bytes are UTF-8.

/// Returns the bytes as text if they are UTF-8. Short texts are mostly ASCII, for which two or four
/// wide reads are enough.
#[inline(always)]
pub fn utf8(bytes: &[u8]) -> Option<&str> {
    if is_short_ascii(bytes) {
        // SAFETY: all bytes are below 0x80, and any such bytes are UTF-8.
        return Some(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    other(bytes)
}

#[inline(never)]
fn other(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// Returns whether the bytes are at most 32, and ASCII. Reads of the first and the last may
/// overlap.
#[inline(always)]
fn is_short_ascii(bytes: &[u8]) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let wide = |chunk: Option<&[u8; 8]>| chunk.map_or(HIGH, |chunk| u64::from_le_bytes(*chunk));
    let narrow = |chunk: Option<&[u8; 4]>| chunk.map_or(HIGH, |chunk| u64::from(u32::from_le_bytes(*chunk)));
    let all = match bytes.len() {
        8..=16 => wide(bytes.first_chunk()) | wide(bytes.last_chunk()),
        17..=32 => {
            let (low, high) = (&bytes[..16], &bytes[bytes.len() - 16..]);
            wide(low.first_chunk()) | wide(low.last_chunk()) | wide(high.first_chunk()) | wide(high.last_chunk())
        }
        4..=7 => narrow(bytes.first_chunk()) | narrow(bytes.last_chunk()),
        0..=3 => bytes.iter().fold(0, |all, byte| all | u64::from(*byte)),
        _ => HIGH,
    };
    all & HIGH == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_the_standard_library() {
        for len in 0..80 {
            let ascii: Vec<u8> = (0..len).map(|n| b'a' + (n % 26) as u8).collect();
            assert_eq!(utf8(&ascii), std::str::from_utf8(&ascii).ok());
            for at in 0..len {
                for tail in [&[0x80][..], &[0xff], &[0xc3, 0xa9], &[0xe2, 0x82, 0xac]] {
                    let mut bytes = ascii.clone();
                    let end = (at + tail.len()).min(len);
                    bytes[at..end].copy_from_slice(&tail[..end - at]);
                    assert_eq!(utf8(&bytes), std::str::from_utf8(&bytes).ok(), "{len} {at}");
                }
            }
        }
    }
}
