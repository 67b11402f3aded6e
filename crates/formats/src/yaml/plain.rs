//! The meaning of scalars without quotes: the core schema (YAML 1.2.2 section 10.3.2).

use polywire_core::value::binary64;

/// A plain scalar, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plain<'t> {
    /// `null`, `~` or nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number: its sign, digits and their base.
    Int {
        /// True if the number is below zero.
        negative: bool,
        /// Digits, with any leading zeros.
        digits: &'t str,
        /// 8, 10 or 16.
        base: u32,
    },
    /// A number with a point or an exponent, as written.
    Float,
    /// `.inf` and `.nan`.
    Special(Special),
    /// Anything else.
    Text,
}

/// Floats without digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// Infinity.
    Inf,
    /// Negative infinity.
    NegInf,
    /// Not a number.
    Nan,
}

impl Special {
    /// Returns the float.
    pub fn value(self) -> f64 {
        match self {
            Special::Inf => f64::INFINITY,
            Special::NegInf => f64::NEG_INFINITY,
            Special::Nan => f64::NAN,
        }
    }
}

/// Takes a plain scalar apart.
pub fn classify(text: &str) -> Plain<'_> {
    match text {
        "" | "null" | "Null" | "NULL" | "~" => return Plain::Null,
        "true" | "True" | "TRUE" => return Plain::Bool(true),
        "false" | "False" | "FALSE" => return Plain::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Plain::Special(Special::Nan),
        _ => {}
    }
    let (negative, rest) = match text.as_bytes()[0] {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        b'.' | b'0'..=b'9' => (false, text),
        _ => return Plain::Text,
    };
    if matches!(rest, ".inf" | ".Inf" | ".INF") {
        return Plain::Special(if negative { Special::NegInf } else { Special::Inf });
    }
    for (prefix, base) in [("0o", 8), ("0x", 16)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            let fits = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(base));
            return if fits { Plain::Int { negative: false, digits, base } } else { Plain::Text };
        }
    }
    if !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()) {
        return Plain::Int { negative, digits: rest, base: 10 };
    }
    if is_float(rest) { Plain::Float } else { Plain::Text }
}

/// Reports whether `text`, which has no sign, is a number.
fn is_float(text: &str) -> bool {
    let (mantissa, exponent) = text.split_once(['e', 'E']).map_or((text, None), |(mantissa, exponent)| (mantissa, Some(exponent)));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_fits = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    (!whole.is_empty() || !fraction.is_empty()) && digits(whole) && digits(fraction) && exponent_fits
}

/// Returns the float of `text`, which [`classify`] takes for a number. Returns `None` if an `f64`
/// would change it; `json` is then the number in JSON's syntax.
pub fn float(text: &str, json: &mut String) -> Option<f64> {
    json.clear();
    let rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if text.starts_with('-') {
        json.push('-');
    }
    let split = rest.find(['e', 'E']).unwrap_or(rest.len());
    let (mantissa, exponent) = rest.split_at(split);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = whole.trim_start_matches('0');
    json.push_str(if whole.is_empty() { "0" } else { whole });
    if !fraction.is_empty() || exponent.is_empty() {
        json.push('.');
        json.push_str(if fraction.is_empty() { "0" } else { fraction });
    }
    json.push_str(exponent);
    binary64(json)
}
