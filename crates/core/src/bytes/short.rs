//! Appending short texts without a call that copies memory, which costs more than the copy.

/// Appends `before`, `text` and `after`. Texts of up to 32 bytes take one check of the memory left.
/// `before` and `after` have at most four bytes each.
#[inline]
pub fn framed<const B: usize, const A: usize>(out: &mut Vec<u8>, before: [u8; B], text: &[u8], after: [u8; A]) {
    const { assert!(B <= 4 && A <= 4) };
    let at = out.len();
    let length = text.len();
    // Two pieces of one size, which may overlap, make any length from one piece to two. They go to
    // bytes that were appended as zeros, and zeros left over are cut off.
    if let (8..=16, Some(first), Some(last)) = (length, text.first_chunk::<8>(), text.last_chunk::<8>()) {
        out.extend_from_slice(&[0; 24]);
        let place = &mut out[at..];
        place[..B].copy_from_slice(&before);
        place[B..B + 8].copy_from_slice(first);
        place[B + length - 8..B + length].copy_from_slice(last);
        place[B + length..B + length + A].copy_from_slice(&after);
    } else if let (4..=7, Some(first), Some(last)) = (length, text.first_chunk::<4>(), text.last_chunk::<4>()) {
        out.extend_from_slice(&[0; 16]);
        let place = &mut out[at..];
        place[..B].copy_from_slice(&before);
        place[B..B + 4].copy_from_slice(first);
        place[B + length - 4..B + length].copy_from_slice(last);
        place[B + length..B + length + A].copy_from_slice(&after);
    } else if let [first, .., last] | [first @ last] = text
        && length < 4
    {
        out.extend_from_slice(&[0; 12]);
        let place = &mut out[at..];
        place[..B].copy_from_slice(&before);
        place[B] = *first;
        place[B + length / 2] = text[length / 2];
        place[B + length - 1] = *last;
        place[B + length..B + length + A].copy_from_slice(&after);
    } else if let (17..=32, Some(first), Some(last)) = (length, text.first_chunk::<16>(), text.last_chunk::<16>()) {
        out.extend_from_slice(&[0; 40]);
        let place = &mut out[at..];
        place[..B].copy_from_slice(&before);
        place[B..B + 16].copy_from_slice(first);
        place[B + length - 16..B + length].copy_from_slice(last);
        place[B + length..B + length + A].copy_from_slice(&after);
    } else {
        out.reserve(B + length + A);
        out.extend_from_slice(&before);
        out.extend_from_slice(text);
        out.extend_from_slice(&after);
    }
    out.truncate(at + B + length + A);
}

#[cfg(test)]
mod tests {
    use super::framed;

    #[test]
    fn texts_of_all_lengths_are_appended() {
        let text: Vec<u8> = (1..=80).collect();
        for before in 0..4 {
            for length in 0..=80 {
                let mut out = text[..before].to_vec();
                let mut expected = out.clone();
                framed(&mut out, [], &text[..length], []);
                expected.extend_from_slice(&text[..length]);
                framed(&mut out, *b"<", &text[..length], *b">,");
                expected.extend([&b"<"[..], &text[..length], b">,"].concat());
                framed(&mut out, *b"abcd", &text[..length], *b"efgh");
                expected.extend([&b"abcd"[..], &text[..length], b"efgh"].concat());
                assert_eq!(out, expected, "{length} bytes");
            }
        }
    }
}
