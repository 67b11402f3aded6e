//! Numbers of variable length, written.

/// Appends a UVARINT in its shortest form.
#[inline(always)]
pub fn put_uvarint(out: &mut Vec<u8>, value: u64) {
    if value < 0x80 {
        out.push(value as u8);
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
        // 65 bits: the lowest seven first.
        out.push(0x80 | sign as u8);
        put_uvarint(out, magnitude >> 6);
    }
}

/// Bytes that a UVARINT takes.
#[inline]
pub const fn uvarint_len(value: u64) -> usize {
    ((70 - (value | 1).leading_zeros()) / 7) as usize
}
