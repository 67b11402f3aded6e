//! What bare text means where nothing marks its type: in XML's values profile and in cells of CSV. Readers and writers share the rule, so that one is the other's inverse.

/// What unmarked text is read as.
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
    /// The shortest digits of an `f64`, as the writer writes them.
    F64(f64),
    /// A number with a fraction or an exponent that an `f64` would change.
    Decimal,
    /// Anything else.
    Text,
}

/// Reads unmarked text.
pub fn classify(text: &str) -> Lexical {
    let bytes = text.as_bytes();
    match bytes.first() {
        Some(b't') if text == "true" => Lexical::Bool(true),
        Some(b'f') if text == "false" => Lexical::Bool(false),
        Some(b'-' | b'0'..=b'9') => number(text),
        _ => Lexical::Text,
    }
}

fn number(text: &str) -> Lexical {
    let bytes = text.as_bytes();
    let negative = bytes[0] == b'-';
    let digits = &bytes[usize::from(negative)..];
    let whole = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if whole == 0 || (digits[0] == b'0' && whole > 1) {
        return Lexical::Text;
    }
    if whole == digits.len() {
        return match (negative, text.parse::<i64>(), text.parse::<u64>()) {
            // `-0` is no canonical integer.
            (true, Ok(0), _) => Lexical::Text,
            (true, Ok(value), _) => Lexical::Int(value),
            (false, _, Ok(value)) => Lexical::UInt(value),
            _ => Lexical::Big,
        };
    }
    if !is_fractional(&digits[whole..]) {
        return Lexical::Text;
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => {
            let mut buffer = ryu::Buffer::new();
            let shortest = buffer.format_finite(value);
            if shortest == text {
                Lexical::F64(value)
            } else if value_of(shortest) != value_of(text) {
                Lexical::Decimal
            } else {
                Lexical::Text
            }
        }
        _ => Lexical::Decimal,
    }
}

/// Whether `text` is a number as JSON writes it (RFC 8259, section 6).
pub fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let whole = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    whole > 0 && (digits[0] != b'0' || whole == 1) && (whole == digits.len() || is_fractional(&digits[whole..]))
}

/// Whether `rest` is what JSON's grammar lets follow the whole part of a number (RFC 8259, section 6), and not empty.
fn is_fractional(rest: &[u8]) -> bool {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut rest = rest;
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    match rest {
        [] => true,
        [b'e' | b'E', exponent @ ..] => {
            let exponent = match exponent {
                [b'+' | b'-', exponent @ ..] => exponent,
                exponent => exponent,
            };
            !exponent.is_empty() && digits(exponent) == exponent.len()
        }
        _ => false,
    }
}

/// Sign, digits without zeros at either end, and power of ten of their last: the same for all spellings of one number.
fn value_of(number: &str) -> (bool, Vec<u8>, i64) {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
    // An exponent that no i64 holds is far from that of any f64, and so is its stand-in.
    let mut exponent = exponent.parse::<i64>().unwrap_or(if exponent.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 });
    let fraction = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    exponent -= fraction as i64;
    let mut digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).skip_while(|&byte| byte == b'0').collect();
    while digits.last() == Some(&b'0') {
        digits.pop();
        exponent += 1;
    }
    if digits.is_empty() {
        exponent = 0;
    }
    (mantissa.starts_with('-'), digits, exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_canonical_spellings_are_more_than_text() {
        for (text, lexical) in [
            ("0", Lexical::UInt(0)),
            ("18446744073709551615", Lexical::UInt(u64::MAX)),
            ("18446744073709551616", Lexical::Big),
            ("-1", Lexical::Int(-1)),
            ("-9223372036854775808", Lexical::Int(i64::MIN)),
            ("-9223372036854775809", Lexical::Big),
            ("1.5", Lexical::F64(1.5)),
            ("1e16", Lexical::F64(1e16)),
            ("-0.0", Lexical::F64(-0.0)),
            ("5e-324", Lexical::F64(5e-324)),
            ("0.1000000000000000055511151231257827", Lexical::Decimal),
            ("1e400", Lexical::Decimal),
            ("1e-400", Lexical::Decimal),
            ("1e99999999999999999999", Lexical::Decimal),
            ("true", Lexical::Bool(true)),
        ] {
            assert_eq!(classify(text), lexical, "{text}");
        }
        for text in
            ["", "-", "-0", "01", "+1", " 1", "1 ", "1.", ".5", "1e", "1e+", "1.50", "1e5", "1E16", "0e0", "True", "nan", "inf", "1_0", "٣"]
        {
            assert_eq!(classify(text), Lexical::Text, "{text}");
        }
    }
}
