//! The text of a decimal128 (MongoDB's specification "BSON Decimal128 Type Handling in Drivers").

use crate::bson::decimal128::{self, DIGITS, MAX_EXPONENT, MIN_EXPONENT};

/// Encodes a text. Returns `None` if it is no number, or if the number has to be rounded.
pub(super) fn parse(text: &str) -> Option<[u8; 16]> {
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let sign = if negative { -1.0 } else { 1.0 };
    match unsigned.to_ascii_lowercase().as_str() {
        "inf" | "infinity" => return decimal128::special(sign * f64::INFINITY),
        "nan" => return decimal128::special(f64::NAN),
        _ => {}
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, self::exponent(exponent)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let digits = all.trim_start_matches('0');
    if digits.is_empty() {
        return decimal128::encode(negative, "0", exponent.clamp(MIN_EXPONENT, MAX_EXPONENT));
    }
    // Zeros that the number does not need go before it is too long or too small, and come where its
    // exponent is too large.
    let significant = digits.trim_end_matches('0').len();
    let mut kept = digits.len();
    while kept > significant && (kept > DIGITS || exponent < MIN_EXPONENT) {
        kept -= 1;
        exponent = exponent.checked_add(1)?;
    }
    let mut digits = digits[..kept].to_string();
    while exponent > MAX_EXPONENT && digits.len() < DIGITS {
        digits.push('0');
        exponent -= 1;
    }
    let fits = digits.len() <= DIGITS && (MIN_EXPONENT..=MAX_EXPONENT).contains(&exponent);
    if fits { decimal128::encode(negative, &digits, exponent) } else { None }
}

fn exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Only a zero has a place for an exponent of more digits.
    let value = digits.parse::<i64>().unwrap_or(1 << 40).min(1 << 40);
    Some(if text.starts_with('-') { -value } else { value })
}

/// Returns the text of a finite number: ± `digits` × 10^`exponent`.
pub(super) fn text(negative: bool, digits: &str, exponent: i64) -> String {
    let sign = if negative { "-" } else { "" };
    let length = digits.len() as i64;
    // The exponent with one digit before the point.
    let adjusted = exponent + length - 1;
    if exponent > 0 || adjusted < -6 {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        return format!("{sign}{first}{point}{rest}E{adjusted:+}");
    }
    let fraction = -exponent;
    match fraction {
        0 => format!("{sign}{digits}"),
        _ if fraction < length => {
            let (whole, fraction) = digits.split_at((length - fraction) as usize);
            format!("{sign}{whole}.{fraction}")
        }
        _ => format!("{sign}0.{}{digits}", "0".repeat((fraction - length) as usize)),
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, text};

    #[test]
    fn texts_are_those_of_the_specification() {
        for (negative, digits, exponent, expected) in [
            (false, "0", 0, "0"),
            (true, "0", -2, "-0.00"),
            (false, "0", 3, "0E+3"),
            (false, "12345", -2, "123.45"),
            (false, "12345", -5, "0.12345"),
            (false, "1", -7, "1E-7"),
            (false, "12", -7, "0.0000012"),
            (true, "12", 10, "-1.2E+11"),
        ] {
            assert_eq!(text(negative, digits, exponent), expected);
            assert!(parse(expected).is_some());
        }
        assert_eq!(parse("10E6111"), parse("1.0E+6112"));
        assert_eq!(parse("1E6144"), parse(&format!("1{}E6111", "0".repeat(33))));
        for text in ["", ".", "1..2", "1e", "e5", "1.2.3", "0x1", "1 ", "--1", "1E6145", "12345678901234567890123456789012345", "1e-6177"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
