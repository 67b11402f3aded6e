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
    /// A whole number outside both.
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
