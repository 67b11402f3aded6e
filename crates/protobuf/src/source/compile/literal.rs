//! The values of numbers and strings in `.proto` text.

use crate::model::unescape;

/// Returns the value of an integer in base 8, 10 or 16.
pub(super) fn integer(text: &str) -> Option<u64> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u64::from_str_radix(digits, 16).ok();
    }
    if text.len() > 1 && text.starts_with('0') { u64::from_str_radix(text, 8).ok() } else { text.parse().ok() }
}

/// Returns the value of a number with a point or an exponent, or of an integer beyond 64 bits.
pub(super) fn float(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// Appends the bytes of a quoted string.
pub(super) fn string(quoted: &str, out: &mut Vec<u8>) -> Option<()> {
    let mut inner = quoted.chars();
    let quote = inner.next()?;
    let inner = inner.as_str();
    out.extend(unescape(inner.strip_suffix(quote).unwrap_or(inner))?);
    Some(())
}

/// Returns a number as descriptors have it: with 15 digits, or 6 for binary32, as C's `%g` prints
/// them, or with as many as it needs.
pub(super) fn shown(value: f64, single: bool) -> String {
    if value.is_nan() {
        return "nan".into();
    }
    // The cast rounds, and overflows to infinity.
    let value = if single { f64::from(value as f32) } else { value };
    if value.is_infinite() {
        return if value > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let short = general(value, if single { 6 } else { 15 });
    let same = if single { short.parse() == Ok(value as f32) } else { short.parse() == Ok(value) };
    if same { short } else { general(value, if single { 9 } else { 17 }) }
}

/// Returns a number as `%.{digits}g` prints it.
fn general(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return if value.is_sign_negative() { "-0".into() } else { "0".into() };
    }
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text.into() };
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
    } else {
        trimmed(&format!("{value:.*}", (digits as i32 - 1 - exponent).max(0) as usize))
    }
}

/// Returns bytes with the escapes of C, as the default of a `bytes` field.
pub(super) fn escaped(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b'"' => out.push_str("\\\""),
            b'\'' => out.push_str("\\'"),
            b'\\' => out.push_str("\\\\"),
            b' '..=b'~' => out.push(char::from(*byte)),
            byte => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_c_does() {
        for (value, text) in [
            (1.5e-3, "0.0015"),
            (-0.0, "-0"),
            (1e15, "1e+15"),
            (123_456_789_012_345.0, "123456789012345"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e-5, "1e-05"),
            (12.0, "12"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(shown(value, false), text);
        }
        assert_eq!(shown(f64::NAN, true), "nan");
        for (value, text) in [(2e8, "2e+08"), (0.1, "0.1"), (16_777_217.0, "16777216"), (1e39, "inf"), (1.5e-3, "0.0015")] {
            assert_eq!(shown(value, true), text);
        }
    }

    #[test]
    fn integers_have_three_bases() {
        assert_eq!(
            [integer("0"), integer("017"), integer("0x1F"), integer("18446744073709551615")],
            [Some(0), Some(15), Some(31), Some(u64::MAX)]
        );
        assert_eq!([integer("08"), integer("18446744073709551616"), integer("")], [None; 3]);
        assert_eq!([float("1e3"), float("1.")], [Some(1000.0), Some(1.0)]);
    }
}
