//! Numbers as text (docs/spec/psyc.md 16).

/// The leading part of an input that is a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Prefix<T> {
    /// The number of bytes read. If it is less than the input's length, the rest is no number, or
    /// the number does not fit.
    pub read: usize,
    /// The value of the bytes read. The sign is applied only if they are the whole input.
    pub value: T,
}

/// Reads an optional `-` and digits. Reading stops before a digit that would leave the range of an
/// `i64`.
///
/// An empty input and a lone `-` are read to their ends and give zero: a caller that refuses them
/// checks the length. [`i64::MIN`] followed by other bytes gives the value that fits without the
/// sign, [`i64::MAX`].
pub fn signed(input: &[u8]) -> Prefix<i64> {
    let negative = input.first() == Some(&b'-');
    let sign = usize::from(negative);
    let Prefix { read, value } = digits(&input[sign..], i64::MAX as u64 + u64::from(negative));
    let read = sign + read;
    let value = match value {
        _ if !negative || read < input.len() => i64::try_from(value).unwrap_or(i64::MAX),
        _ => 0i64.wrapping_sub_unsigned(value),
    };
    Prefix { read, value }
}

/// Reads digits. Reading stops before a digit that would leave the range of a `u64`.
pub fn unsigned(input: &[u8]) -> Prefix<u64> {
    digits(input, u64::MAX)
}

/// Reads `#` and a number as [`signed`] does (psyc-D27). Nothing is read if there is no `#`.
pub fn list_index(input: &[u8]) -> Prefix<i64> {
    match input.strip_prefix(b"#") {
        Some(rest) => {
            let Prefix { read, value } = signed(rest);
            Prefix { read: read + 1, value }
        }
        None => Prefix::default(),
    }
}

fn digits(input: &[u8], max: u64) -> Prefix<u64> {
    let mut value = 0u64;
    for (read, byte) in input.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return Prefix { read, value };
        }
        match value.checked_mul(10).and_then(|value| value.checked_add(u64::from(digit))) {
            Some(next) if next <= max => value = next,
            _ => return Prefix { read, value },
        }
    }
    Prefix { read: input.len(), value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_kept() {
        for (input, read, value) in [
            ("", 0, 0),
            ("-", 1, 0),
            ("-0", 2, 0),
            ("00012", 5, 12),
            ("9223372036854775807", 19, i64::MAX),
            ("9223372036854775808", 18, 922_337_203_685_477_580),
            ("-9223372036854775808", 20, i64::MIN),
            ("-9223372036854775808x", 20, i64::MAX),
            ("-9223372036854775809", 19, 922_337_203_685_477_580),
            ("-12x", 3, 12),
            ("+1", 0, 0),
        ] {
            assert_eq!(signed(input.as_bytes()), Prefix { read, value }, "{input}");
        }
        assert_eq!(unsigned(b"18446744073709551615"), Prefix { read: 20, value: u64::MAX });
        assert_eq!(unsigned(b"18446744073709551616"), Prefix { read: 19, value: 1_844_674_407_370_955_161 });
        assert_eq!(unsigned(b"-1"), Prefix { read: 0, value: 0 });
    }

    #[test]
    fn indices_of_lists() {
        assert_eq!(list_index(b"#-7"), Prefix { read: 3, value: -7 });
        assert_eq!(list_index(b"#12{"), Prefix { read: 3, value: 12 });
        assert_eq!(list_index(b"#"), Prefix { read: 1, value: 0 });
        assert_eq!(list_index(b"12"), Prefix { read: 0, value: 0 });
        assert_eq!(list_index(b""), Prefix { read: 0, value: 0 });
    }
}
