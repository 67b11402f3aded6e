//! The meaning of text whose type nothing marks, as in typed XML, cells of CSV and variables of
//! PSYC. Only canonical spellings are more than text. Each value thus has one spelling, and a
//! reader and a writer that share the rule are inverses.

use crate::value::binary64::binary64;
use crate::value::same::same_decimal;

/// The meaning of unmarked text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Lexical {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number below zero.
    Int(i64),
    /// A whole number from zero up.
    UInt(u64),
    /// A whole number outside `i64` and `u64`.
    Big,
    /// The shortest digits of a float, with a point or an exponent, or more digits that a float
    /// gives back: [`binary64`].
    F64(f64),
    /// A number with a fraction or an exponent that a float would change.
    Decimal,
    /// Anything else.
    Text,
}

/// Classifies unmarked text. Bytes that are not UTF-8 are [`Lexical::Text`] too.
pub fn classify(text: impl AsRef<[u8]>) -> Lexical {
    let text = text.as_ref();
    match text.first() {
        Some(b't') if text == b"true" => Lexical::Bool(true),
        Some(b'f') if text == b"false" => Lexical::Bool(false),
        Some(b'-' | b'0'..=b'9') => number(text),
        _ => Lexical::Text,
    }
}

/// Returns whether `digits`, as unmarked text, are the float `value`.
pub fn spells(digits: &str, value: f64) -> bool {
    matches!(classify(digits), Lexical::F64(read) if read.to_bits() == value.to_bits())
}

fn number(text: &[u8]) -> Lexical {
    let negative = text[0] == b'-';
    let digits = &text[usize::from(negative)..];
    let whole = run(digits);
    if whole == 0 || (digits[0] == b'0' && whole > 1) || !is_tail(&digits[whole..]) {
        return Lexical::Text;
    }
    let Ok(text) = std::str::from_utf8(text) else { return Lexical::Text };
    if whole == digits.len() {
        return match (negative, text.parse::<i64>(), text.parse::<u64>()) {
            // `-0` is no whole number.
            (true, Ok(0), _) => Lexical::Text,
            (true, Ok(value), _) => Lexical::Int(value),
            (false, _, Ok(value)) => Lexical::UInt(value),
            _ => Lexical::Big,
        };
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => {
            let mut buffer = ryu::Buffer::new();
            let shortest = buffer.format_finite(value);
            if shortest == text {
                Lexical::F64(value)
            } else if same_decimal(shortest, text) {
                Lexical::Text
            } else {
                binary64(text).map_or(Lexical::Decimal, Lexical::F64)
            }
        }
        _ => Lexical::Decimal,
    }
}

fn run(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Returns whether `rest` may follow the whole part of a number (RFC 8259 section 6).
fn is_tail(mut rest: &[u8]) -> bool {
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = run(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    match rest {
        [] => true,
        [b'e' | b'E', exponent @ ..] => {
            let exponent = exponent.strip_prefix(b"+").or(exponent.strip_prefix(b"-")).unwrap_or(exponent);
            !exponent.is_empty() && run(exponent) == exponent.len()
        }
        _ => false,
    }
}

/// Returns whether `digits` are a number in JSON's syntax that reads as a float, not as an integer.
pub fn spells_float(digits: impl AsRef<[u8]>) -> bool {
    let text = digits.as_ref();
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let whole = run(unsigned);
    let tail = &unsigned[whole..];
    whole > 0 && (unsigned[0] != b'0' || whole == 1) && if tail.is_empty() { text == b"-0" } else { is_tail(tail) }
}

/// Returns whether a writer of `value` certainly needs no `digits`. They are then its shortest, and
/// it is not halfway between two binary32 numbers.
pub fn is_redundant(digits: &str, value: f64) -> bool {
    /// Low bits of a binary64 number in the range of normal binary32 numbers that the latter lack.
    const LOST: u64 = (1 << 29) - 1;
    is_shortest(digits) && value.to_bits() & LOST != 1 << 28
}

/// Returns whether `digits` are certainly the shortest spelling of their number: at most 15 digits
/// without an exponent, of which neither the first nor the last is a superfluous zero.
fn is_shortest(digits: &str) -> bool {
    let unsigned = digits.strip_prefix('-').unwrap_or(digits);
    let Some((whole, fraction)) = unsigned.split_once('.') else { return false };
    let plain = unsigned.len() <= 16 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let first = whole != "0" || fraction.starts_with(|digit| digit != '0');
    plain && first && fraction.ends_with(|digit| digit != '0')
}

/// Returns whether all of `text` is a number in JSON's syntax (RFC 8259 section 6).
pub fn is_number(text: impl AsRef<[u8]>) -> bool {
    let text = text.as_ref();
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let whole = run(digits);
    whole > 0 && (digits[0] != b'0' || whole == 1) && is_tail(&digits[whole..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_a_float_are_no_integer() {
        for (digits, expected) in
            [("1.0", true), ("1e5", true), ("-0", true), ("0", false), ("-3", false), ("1.", false), ("NaN", false), ("", false)]
        {
            assert_eq!(spells_float(digits), expected, "{digits}");
        }
    }

    #[test]
    fn digits_are_redundant_where_the_float_gives_them_and_its_narrower_neighbours() {
        for (digits, expected) in [
            ("0.1", true),
            ("-65.625", true),
            ("100.5", true),
            ("0.01", false),
            ("1.50", false),
            ("1.0", false),
            ("1e5", false),
            ("-65.613616999999977", false),
            // Halfway between two binary32 numbers, as a binary64 number.
            ("1.37339848279953", false),
        ] {
            assert_eq!(is_redundant(digits, digits.parse().unwrap()), expected, "{digits}");
        }
    }

    #[test]
    fn only_canonical_spellings_are_more_than_text() {
        for (text, expected) in [
            ("0", Lexical::UInt(0)),
            ("18446744073709551615", Lexical::UInt(u64::MAX)),
            ("18446744073709551616", Lexical::Big),
            ("-1", Lexical::Int(-1)),
            ("-9223372036854775809", Lexical::Big),
            ("1.5", Lexical::F64(1.5)),
            ("-0.0", Lexical::F64(-0.0)),
            ("1e16", Lexical::F64(1e16)),
            ("-65.613616999999977", Lexical::F64(-65.61361699999998)),
            ("0.10000000000000000001", Lexical::Decimal),
            ("1e400", Lexical::Decimal),
            ("true", Lexical::Bool(true)),
        ] {
            assert_eq!(classify(text.as_bytes()), expected, "{text}");
        }
        for text in ["", "-", "-0", "00100", "+1", " 1", "1 ", "1.", ".5", "1e", "1.50", "1e5", "True", "nan", "1_0", "http://1"] {
            assert_eq!(classify(text.as_bytes()), Lexical::Text, "{text}");
        }
    }
}
