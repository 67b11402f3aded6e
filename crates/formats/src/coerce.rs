//! Numbers and truth values in unmarked text, as scripts read them. `core::lexical` is stricter:
//! there each value has one spelling.

use num_bigint::BigUint;
use polywire_core::Scalar;

use polywire_json::number;

/// The result of a first look at a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Glance {
    /// Neither a truth value nor a number.
    Text,
    /// This number.
    Whole(u64),
    /// Undecided: [`truth`] and [`number()`] decide.
    Unsure,
}

/// Looks at `text`, which has no white space at its ends. This decides most texts and whole
/// numbers.
#[inline(always)]
pub fn glance(text: &str, digits: u32) -> Glance {
    let bytes = text.as_bytes();
    match bytes.first() {
        Some(b'1'..=b'9') => {}
        Some(b'0' | b'-' | b'+' | b'.' | b't' | b'T' | b'y' | b'Y' | b'f' | b'F' | b'n' | b'N') => return Glance::Unsure,
        _ => return Glance::Text,
    }
    let mut value = 0u64;
    for byte in bytes {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return if matches!(byte, b'.' | b'e' | b'E') { Glance::Unsure } else { Glance::Text };
        }
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
    }
    // A number of 19 digits fits.
    if bytes.len() <= 19.min(digits as usize) { Glance::Whole(value) } else { Glance::Unsure }
}

/// Returns the truth value that `text` spells in any letter case: true, yes, false, no. `text` has
/// no white space at its ends.
#[inline]
pub fn truth(text: &str) -> Option<bool> {
    match text.as_bytes() {
        [b't' | b'T', ..] if text.eq_ignore_ascii_case("true") => Some(true),
        [b'y' | b'Y', ..] if text.eq_ignore_ascii_case("yes") => Some(true),
        [b'f' | b'F', ..] if text.eq_ignore_ascii_case("false") => Some(false),
        [b'n' | b'N', ..] if text.eq_ignore_ascii_case("no") => Some(false),
        _ => None,
    }
}

/// Returns the exact number that JavaScript's `Number` makes of `text`, which has no white space at
/// its ends.
///
/// Beyond JSON's numbers, these are leading zeros, a plus sign, a point without digits on one side,
/// and hexadecimal digits after `0x`. The infinities are text, and so are numbers of more than
/// `digits` digits.
#[inline]
pub fn number<'t>(text: &'t str, scratch: &'t mut String, digits: u32) -> Option<Scalar<'t, 't>> {
    let bytes = text.as_bytes();
    if !matches!(bytes.first(), Some(b'0'..=b'9' | b'-' | b'+' | b'.')) {
        return None;
    }
    match number::scan(bytes, 0) {
        Ok(found) if found.end == bytes.len() && found.end <= digits as usize => Some(found.scalar(text)),
        // A date or the like: it starts with a number of JSON, and what follows makes no other
        // number of it.
        Ok(_) if matches!(bytes[0], b'1'..=b'9') => None,
        _ => odd(text, scratch, digits),
    }
}

/// Reads numbers that JSON does not spell this way.
fn odd<'t>(text: &str, scratch: &'t mut String, digits: u32) -> Option<Scalar<'t, 't>> {
    if text.len() > digits as usize {
        return None;
    }
    scratch.clear();
    if let Some(hex) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        if hex.is_empty() || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        scratch.push_str(&BigUint::parse_bytes(hex.as_bytes(), 16)?.to_string());
    } else {
        plain(text, scratch)?;
    }
    let found = number::scan(scratch.as_bytes(), 0).ok()?;
    Some(found.scalar(scratch))
}

/// Writes a decimal number in JSON's spelling.
fn plain(text: &str, out: &mut String) -> Option<()> {
    let (negative, unsigned) = match text.as_bytes()[0] {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    if negative {
        out.push('-');
    }
    let whole = whole.trim_start_matches('0');
    out.push_str(if whole.is_empty() { "0" } else { whole });
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    if let Some(exponent) = exponent {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if unsigned.is_empty() || !all_digits(unsigned) {
            return None;
        }
        out.push('e');
        out.push_str(exponent);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use polywire_core::Str;

    use super::*;

    fn read(text: &str) -> Option<String> {
        number(text, &mut String::new(), 100).map(|scalar| match scalar {
            Scalar::UInt(value, _) => format!("UInt {value}"),
            Scalar::Int(value, _) => format!("Int {value}"),
            Scalar::F64(value, _) => format!("F64 {value:?}"),
            Scalar::Big(Str::Input(text) | Str::Scratch(text), _) => format!("Big {text}"),
            Scalar::Decimal(text, _) => format!("Decimal {}", text.get()),
            other => panic!("{other:?} is no number"),
        })
    }

    #[test]
    fn numbers_are_those_of_javascript() {
        for (text, expected) in [
            ("12", "UInt 12"),
            ("-3", "Int -3"),
            ("007", "UInt 7"),
            ("+5", "UInt 5"),
            ("-007", "Int -7"),
            ("1e3", "F64 1000.0"),
            ("229.0", "F64 229.0"),
            (".5", "F64 0.5"),
            ("5.", "UInt 5"),
            ("-.5e1", "F64 -5.0"),
            ("0x10", "UInt 16"),
            ("0XfF", "UInt 255"),
            ("0xffffffffffffffffff", "Big 4722366482869645213695"),
            ("00", "UInt 0"),
            ("9007199254740993", "UInt 9007199254740993"),
            ("123456789012345678901234567890", "Big 123456789012345678901234567890"),
            ("000123456789012345678901234567890", "Big 123456789012345678901234567890"),
            ("1e400", "Decimal 1e400"),
            (".12345678901234567890", "Decimal 0.12345678901234567890"),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
        let long = "9".repeat(101);
        for text in [
            "",
            "-",
            "+",
            ".",
            "e",
            "1e",
            "1e+",
            "0x",
            "0xg",
            "-0x1",
            "1 2",
            "1,2",
            "1_0",
            "Infinity",
            "NaN",
            "+-1",
            "1.2.3",
            "2012-06-22",
            "12a",
            "--1",
            &long,
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn short_cuts_agree() {
        let mut rng = fastrand::Rng::with_seed(8);
        for _ in 0..20_000 {
            let text: String = (0..rng.usize(..22))
                .map(|_| *b"0123456789012345678901234567890123456789-.etruyn".get(rng.usize(..48)).unwrap_or(&b'0') as char)
                .collect();
            let digits = rng.u32(..25);
            let mut scratch = String::new();
            let slow = number(&text, &mut scratch, digits);
            match glance(&text, digits) {
                Glance::Text => assert_eq!((truth(&text), slow), (None, None), "{text}"),
                Glance::Whole(value) => assert_eq!((truth(&text), slow), (None, Some(Scalar::uint(value))), "{text}"),
                Glance::Unsure => {}
            }
        }
        assert_eq!(glance("9999999999999999999", 4096), Glance::Whole(9_999_999_999_999_999_999));
    }

    #[test]
    fn truth_is_spelt_in_four_words() {
        for (text, value) in [("true", true), ("YES", true), ("False", false), ("nO", false)] {
            assert_eq!(truth(text), Some(value));
        }
        for text in ["", "t", "truely", "not", "y", "1", "é"] {
            assert_eq!(truth(text), None);
        }
    }
}
