//! Writing of numbers of variable length, and of sized bytes.

/// Appends a UVARINT in its shortest form.
#[inline(always)]
pub fn put_uvarint(out: &mut Vec<u8>, value: u64) {
    if value < 0x80 {
        out.push(value as u8);
    } else if value < 1 << 14 {
        out.extend_from_slice(&[value as u8 | 0x80, (value >> 7) as u8]);
    } else {
        put_long(out, value);
    }
}

fn put_long(out: &mut Vec<u8>, mut value: u64) {
    let mut bytes = [0; 10];
    let mut len = 0;
    while value >= 0x80 {
        bytes[len] = value as u8 | 0x80;
        value >>= 7;
        len += 1;
    }
    bytes[len] = value as u8;
    out.extend_from_slice(&bytes[..=len]);
}

/// Appends a VARINT in its shortest form.
pub fn put_varint(out: &mut Vec<u8>, value: i64) {
    let magnitude = value.unsigned_abs();
    let sign = u64::from(value < 0);
    if magnitude < 1 << 63 {
        put_uvarint(out, magnitude << 1 | sign);
    } else {
        // 65 bits, of which the lowest seven come first.
        out.push(0x80 | sign as u8);
        put_uvarint(out, magnitude >> 6);
    }
}

/// Appends bytes. Up to sixteen are copied as wide numbers, without a call, since most texts are
/// short.
#[inline(always)]
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    let len = bytes.len();
    let wide = match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        // Where the two parts overlap, they are equal.
        (Some(first), Some(last)) if len <= 16 => {
            u128::from(u64::from_le_bytes(*first)) | u128::from(u64::from_le_bytes(*last)) << (8 * (len - 8))
        }
        _ => return out.extend_from_slice(bytes),
    };
    let end = out.len() + len;
    out.extend_from_slice(&wide.to_le_bytes());
    out.truncate(end);
}

/// Appends the length and then the bytes.
#[inline(always)]
pub(crate) fn put_sized(out: &mut Vec<u8>, bytes: &[u8]) {
    put_uvarint(out, bytes.len() as u64);
    put_bytes(out, bytes);
}

/// Returns the number of bytes of a UVARINT.
#[inline]
pub const fn uvarint_len(value: u64) -> usize {
    ((70 - (value | 1).leading_zeros()) / 7) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_appended_as_they_are() {
        for len in 0..40u8 {
            let bytes: Vec<u8> = (0..len).map(|n| n.wrapping_mul(37) ^ 0x5a).collect();
            let mut out = vec![1, 2, 3];
            put_bytes(&mut out, &bytes);
            assert_eq!(out, [&[1, 2, 3], &bytes[..]].concat());
        }
    }
}
