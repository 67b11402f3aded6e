//! Numbers and strings of the notation.

use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use num_bigint::BigUint;

/// A number.
#[derive(Debug, PartialEq)]
pub(super) enum Number {
    /// A whole number: true if it is below zero, and its magnitude.
    Whole(bool, BigUint),
    Float(f64),
}

/// Reads a number without its encoding indicator. Returns `None` if it is none.
pub(super) fn number(text: &str) -> Option<Number> {
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let signed = |value: f64| Some(Number::Float(if negative { -value } else { value }));
    match unsigned {
        "Infinity" => return signed(f64::INFINITY),
        "NaN" => return (unsigned.len() == text.len()).then_some(Number::Float(f64::NAN)),
        _ => {}
    }
    let radix = match unsigned.as_bytes() {
        [b'0', b'x' | b'X', ..] => 16,
        [b'0', b'o' | b'O', ..] => 8,
        [b'0', b'b' | b'B', ..] => 2,
        _ => 10,
    };
    let digits = if radix == 10 { unsigned } else { &unsigned[2..] };
    if radix == 16 && digits.contains(['.', 'p', 'P']) {
        return hex_float(digits).and_then(signed);
    }
    if !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix)) {
        let is_plain = radix != 10 || digits == "0" || !digits.starts_with('0');
        let magnitude = BigUint::parse_bytes(digits.as_bytes(), radix)?;
        return match is_plain {
            // There is no such whole number, and the float is -0.0.
            true if negative && magnitude.bits() == 0 => None,
            true => Some(Number::Whole(negative, magnitude)),
            false => None,
        };
    }
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if radix != 10 || !are_digits(whole) || !are_digits(fraction) || !are_digits(exponent) {
        return None;
    }
    digits.parse().ok().and_then(signed)
}

/// Reads a float in hexadecimal digits, without `0x`, as C has them: `1.8p-3`.
fn hex_float(digits: &str) -> Option<f64> {
    let (mantissa, exponent) = digits.split_once(['p', 'P']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent: i64 = exponent.strip_prefix('+').unwrap_or(exponent).parse().ok()?;
    let all = format!("{whole}{fraction}");
    let all = all.trim_start_matches('0');
    // More digits than 64 bits hold would have to be rounded with care.
    if whole.is_empty() && fraction.is_empty() || all.len() > 13 {
        return None;
    }
    let magnitude = if all.is_empty() { 0 } else { u64::from_str_radix(all, 16).ok()? };
    let exponent = exponent.checked_sub(4 * i64::try_from(fraction.len()).ok()?)?.clamp(-5000, 5000);
    // Two steps, so that a subnormal number is not rounded to zero on the way.
    let half = (exponent / 2) as i32;
    let value = magnitude as f64 * 2f64.powi(half) * 2f64.powi(exponent as i32 - half);
    Some(value)
}

/// Reads the contents of `h'…'` or of another prefix. White space and comments are left out.
/// Returns the offset of the first wrong character as the error.
pub(super) fn coded(prefix: &str, contents: &str) -> Result<Vec<u8>, usize> {
    let mut plain = String::with_capacity(contents.len());
    let mut ends = None;
    let mut line = false;
    let mut comment = false;
    for (at, c) in contents.char_indices() {
        match c {
            '\n' if line => line = false,
            _ if line => {}
            // A slash is a digit of base64.
            '/' if prefix != "b64" => comment = !comment,
            _ if comment => {}
            '#' => line = true,
            ' ' | '\t' | '\n' | '\r' => {}
            _ if c.is_ascii() => {
                ends = Some(at);
                plain.push(c);
            }
            _ => return Err(at),
        }
    }
    if comment {
        return Err(contents.len());
    }
    let wrong = ends.unwrap_or(0);
    match prefix {
        "h" => hex(&plain).ok_or(wrong),
        "b64" => {
            let plain = plain.replace('-', "+").replace('_', "/");
            FORGIVING.decode(plain.as_bytes()).map_err(|_| wrong)
        }
        "b32" => base32(&plain, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567").ok_or(wrong),
        "h32" => base32(&plain, b"0123456789ABCDEFGHIJKLMNOPQRSTUV").ok_or(wrong),
        _ => Err(0),
    }
}

/// Base64 with or without padding.
static FORGIVING: GeneralPurpose =
    GeneralPurpose::new(&base64::alphabet::STANDARD, GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent));

pub(super) fn hex(digits: &str) -> Option<Vec<u8>> {
    let value = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(value(*high)? << 4 | value(*low)?)).collect()
}

/// Reads base32 without padding, or with it, in either letter case (RFC 4648, sections 6 and 7).
fn base32(text: &str, alphabet: &[u8; 32]) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if matches!(digits.len() % 8, 1 | 3 | 6) {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() * 5 / 8);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for digit in digits.bytes() {
        let value = alphabet.iter().position(|known| *known == digit.to_ascii_uppercase())? as u32;
        bits = bits << 5 | value;
        held += 5;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    Some(bytes)
}

/// Reads the contents of a string in quotes, with JSON's escapes, `\'` and `\u{…}`. Returns the
/// offset of the first wrong character as the error.
pub(super) fn unescaped(contents: &str, out: &mut Vec<u8>) -> Result<(), usize> {
    let mut rest = contents;
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        let start = contents.len() - rest.len() + at;
        let (c, length) = escape(&rest[at + 1..]).ok_or(start)?;
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        rest = &rest[at + 1 + length..];
    }
    out.extend_from_slice(rest.as_bytes());
    Ok(())
}

/// Reads an escape behind its backslash; returns its length too.
fn escape(text: &str) -> Option<(char, usize)> {
    let c = match text.chars().next()? {
        c @ ('"' | '\'' | '\\' | '/') => c,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            if let Some(digits) = text[1..].strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(digits, _)| digits) {
                let is_good = (1..=6).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
                let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_good)?;
                return Some((char::from_u32(code)?, digits.len() + 3));
            }
            let unit = |at: usize| {
                let digits = text.get(at..at + 4).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
                u16::from_str_radix(digits, 16).ok()
            };
            let first = unit(1)?;
            if !(0xd800..0xdc00).contains(&first) {
                return Some((char::from_u32(first.into())?, 5));
            }
            let second = text.get(5..7).filter(|escape| *escape == "\\u").and_then(|_| unit(7))?;
            let c = char::decode_utf16([first, second]).next()?.ok()?;
            return Some((c, 11));
        }
        _ => return None,
    };
    Some((c, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_several_spellings() {
        let whole = |negative, magnitude: u128| Some(Number::Whole(negative, magnitude.into()));
        for (text, expected) in [
            ("0", whole(false, 0)),
            ("-1", whole(true, 1)),
            ("+7", whole(false, 7)),
            ("0x1F", whole(false, 31)),
            ("-0b101", whole(true, 5)),
            ("0o17", whole(false, 15)),
            ("18446744073709551616", whole(false, 1 << 64)),
            ("-0", None),
            ("-0.0", Some(Number::Float(-0.0))),
            ("1.5", Some(Number::Float(1.5))),
            ("1e300", Some(Number::Float(1e300))),
            ("-4.0E-1", Some(Number::Float(-0.4))),
            ("Infinity", Some(Number::Float(f64::INFINITY))),
            ("-Infinity", Some(Number::Float(f64::NEG_INFINITY))),
            ("0x1.8p1", Some(Number::Float(3.0))),
            ("0x.8p-1074", Some(Number::Float(0.0))),
            ("0x1p-1074", Some(Number::Float(5e-324))),
            ("01", None),
            ("1.", None),
            (".5", None),
            ("1e", None),
            ("0x", None),
            ("0b2", None),
            ("-", None),
            ("1a", None),
            ("-NaN", None),
            ("infinity", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
        assert!(matches!(number("NaN"), Some(Number::Float(value)) if value.is_nan()));
    }

    #[test]
    fn bytes_have_several_spellings() {
        for (prefix, contents, bytes) in [
            ("h", "", Ok(vec![])),
            ("h", "01 fF /an 0x/ 02 # end\n03", Ok(vec![1, 255, 2, 3])),
            ("h", "012", Err(2)),
            ("h", "01 0g", Err(4)),
            ("h", "01 / open", Err(9)),
            ("b64", "AP-_ AA", Ok(vec![0, 255, 191, 0])),
            ("b64", "AP+/AA==", Ok(vec![0, 255, 191, 0])),
            ("b64", "A", Err(0)),
            ("b32", "MZXW6YTBOI======", Ok(b"foobar".to_vec())),
            ("h32", "cpnmuoj1", Ok(b"fooba".to_vec())),
            ("b32", "1", Err(0)),
            ("h", "é", Err(0)),
        ] {
            assert_eq!(coded(prefix, contents), bytes, "{prefix}'{contents}'");
        }
    }

    #[test]
    fn escapes_are_jsons_and_two_more() {
        let read = |text: &str| {
            let mut out = Vec::new();
            unescaped(text, &mut out).map(|()| String::from_utf8(out).unwrap())
        };
        assert_eq!(read(r#"a\"\'\\\/\n\u00fc\ud800\udd51\u{1F600}\u{a}"#).unwrap(), "a\"'\\/\nü𐅑😀\n");
        for (bad, at) in
            [(r"a\x", 1), (r"\u12", 0), (r"\ud800", 0), (r"\udd51", 0), (r"\u{}", 0), (r"\u{110000}", 0), ("a\\", 1), (r"\ud800\u0041", 0)]
        {
            assert_eq!(read(bad), Err(at), "{bad}");
        }
    }
}
