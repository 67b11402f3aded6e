//! Contents octets to scalars: the mapping that all encodings share when they read.

use std::fmt::Write;

use num_bigint::BigInt;
use polywire_core::{Budget, Error, ErrorKind, Hint, Result, Scalar, Spelling, Str, Timestamp};

use super::octets::{self, Real};
use crate::syntax::StringKind;

/// Name under which a number's own octets travel in its hint.
pub(crate) const WIRE: &str = "asn1";

#[cold]
pub(crate) fn bad(seen: impl Into<std::borrow::Cow<'static, str>>, expected: &'static str, at: u64) -> Error {
    Error::data(ErrorKind::Syntax, at).seen(seen).expected(expected)
}

/// Returns a whole number.
#[inline]
pub(crate) fn whole<'m, 's>(number: i128, scratch: &'s mut String) -> Scalar<'m, 's> {
    match (u64::try_from(number), i64::try_from(number)) {
        (Ok(number), _) => Scalar::uint(number),
        (_, Ok(number)) => Scalar::int(number),
        _ => {
            scratch.clear();
            // Writing to a string cannot fail.
            let _ = write!(scratch, "{number}");
            Scalar::big(Str::Scratch(scratch))
        }
    }
}

/// Reads two's complement (X.690 8.3).
///
/// # Errors
/// No octets, or more digits than the limit.
#[inline]
pub(crate) fn integer<'m, 's>(raw: &[u8], at: u64, budget: &mut Budget, scratch: &'s mut String) -> Result<Scalar<'m, 's>> {
    if let (1..=8, Some(&first)) = (raw.len(), raw.first()) {
        let number = raw[1..].iter().fold(i64::from(first as i8), |number, octet| number << 8 | i64::from(*octet));
        return Ok(Scalar::int(number));
    }
    long_integer(raw, at, budget, scratch)
}

#[cold]
fn long_integer<'m, 's>(raw: &[u8], at: u64, budget: &mut Budget, scratch: &'s mut String) -> Result<Scalar<'m, 's>> {
    if raw.is_empty() {
        return Err(bad("an INTEGER without contents octets", "at least one (X.690 8.3.1)", at));
    }
    if let Some(number) = octets::integer(raw) {
        return Ok(whole(number, scratch));
    }
    let raw = &raw[octets::superfluous(raw)..];
    // An octet is 2.408… digits; one more covers the remainder.
    let most = raw.len() as u64 * 2409 / 1000 + 1;
    budget.digits(usize::try_from(most).unwrap_or(usize::MAX), at)?;
    budget.decode(most, at)?;
    scratch.clear();
    // Writing to a string cannot fail.
    let _ = write!(scratch, "{}", BigInt::from_signed_bytes_be(raw));
    Ok(Scalar::big(Str::Scratch(scratch)))
}

/// Emits a real to `emit`, which gets a scalar that lives for the call.
///
/// A number in decimal digits has them, with their exponent, in its hint. A number that neither a
/// binary64 nor the decimal digits of the limits hold is an error.
///
/// # Errors
/// The octets are no real (X.690 8.5), or more digits than the limit; errors of `emit`.
pub(crate) fn real<'m>(raw: &[u8], at: u64, budget: &mut Budget, emit: impl FnOnce(Scalar<'m, '_>) -> Result<()>) -> Result<()> {
    let found = octets::real(raw).map_err(|seen| bad(seen, "a real number (X.690 8.5)", at))?;
    match found {
        Real::Float(value) => emit(Scalar::f64(value)),
        Real::Digits(text) => {
            budget.digits(text.len(), at)?;
            budget.decode(text.len() as u64, at)?;
            let digits = octets::json_digits(text).ok_or_else(|| bad("a REAL in decimal digits", "NR1, NR2 or NR3 of ISO 6093", at))?;
            let (mantissa, exponent) = digits.split_once('e').unwrap_or((&digits, "0"));
            let fraction = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
            let exponent: Option<i32> = exponent.parse::<i64>().ok().and_then(|exponent| i32::try_from(exponent - fraction as i64).ok());
            let exponent = exponent.ok_or_else(|| bad("a REAL with an exponent of more than 32 bits", "a smaller one", at))?;
            let spelling = Spelling::decimal(&digits, exponent);
            match polywire_core::value::binary64(&digits) {
                Some(value) => emit(Scalar::F64(value, Hint::new(&spelling))),
                None => emit(Scalar::Decimal(Str::Scratch(&digits), Hint::new(&spelling))),
            }
        }
        Real::Wide => {
            let digits = wide(raw, at, budget)?;
            let spelling = Spelling::wire(WIRE, 0, raw);
            if digits.contains(['.', 'e']) {
                emit(Scalar::Decimal(Str::Scratch(&digits), Hint::new(&spelling)))
            } else {
                emit(Scalar::Decimal(Str::Scratch(&format!("{digits}.0")), Hint::new(&spelling)))
            }
        }
    }
}

/// Returns all digits of a binary real that is wider than a binary64.
fn wide(raw: &[u8], at: u64, budget: &mut Budget) -> Result<String> {
    let first = raw[0];
    let bits_per_digit = [1, 3, 4, 4][usize::from(first >> 4 & 3)];
    let (size, start) = if first & 3 == 3 { (usize::from(raw[1]), 2) } else { (usize::from(first & 3) + 1, 1) };
    let (exponent, mantissa) = raw[start..].split_at(size);
    let large = || budget.digits(usize::MAX, at).err().unwrap_or_else(|| bad("a REAL of huge exponent", "a smaller one", at));
    let exponent = octets::integer(exponent).and_then(|exponent| i32::try_from(exponent).ok()).ok_or_else(large)?;
    let power = i64::from(exponent) * bits_per_digit + i64::from(first >> 2 & 3);
    // Each power of two is less than one digit, before or behind the point.
    let most = power.unsigned_abs() + mantissa.len() as u64 * 3;
    budget.digits(usize::try_from(most).unwrap_or(usize::MAX), at)?;
    budget.decode(most * 2, at)?;
    let number = BigInt::from_bytes_be(num_bigint::Sign::Plus, mantissa);
    let sign = if first & 0x40 != 0 { "-" } else { "" };
    Ok(if power >= 0 {
        format!("{sign}{}", number << power)
    } else {
        // n / 2^p is n * 5^p / 10^p.
        format!("{sign}{}e{power}", number * BigInt::from(5).pow(power.unsigned_abs() as u32))
    })
}

/// Reads an object identifier (X.690 8.19), or a relative one (8.20), as its arcs with points
/// between.
///
/// # Errors
/// The octets are none, or an arc has more than 128 bits.
pub(crate) fn oid<'m, 's>(raw: &[u8], relative: bool, at: u64, budget: &mut Budget, scratch: &'s mut String) -> Result<Scalar<'m, 's>> {
    let wrong = |seen: &'static str, at: u64| bad(seen, "an object identifier (X.690 8.19)", at);
    if raw.is_empty() {
        return Err(wrong("no contents octets", at));
    }
    // An octet becomes at most three characters and a point.
    budget.decode(raw.len() as u64 * 4, at)?;
    scratch.clear();
    let (mut arc, mut start) = (0u128, 0);
    for (n, octet) in raw.iter().enumerate() {
        if n == start && *octet == 0x80 {
            return Err(wrong("an arc with leading zeros", at + n as u64));
        }
        if arc >> 121 != 0 {
            return Err(wrong("an arc of more than 128 bits", at + n as u64));
        }
        arc = arc << 7 | u128::from(octet & 0x7f);
        if *octet >= 0x80 {
            continue;
        }
        let point = if start > 0 { "." } else { "" };
        // Writing to a string cannot fail.
        let _ = if start == 0 && !relative {
            let root = (arc / 40).min(2);
            write!(scratch, "{root}.{}", arc - root * 40)
        } else {
            write!(scratch, "{point}{arc}")
        };
        (arc, start) = (0, n + 1);
    }
    if start < raw.len() {
        return Err(wrong("an arc without an end", at + raw.len() as u64));
    }
    Ok(Scalar::Text(Str::Scratch(scratch)))
}

/// Returns a string of octets as UTF-8.
#[inline]
pub(crate) fn utf8<'m, 's>(octets: Str<'m, 's, [u8]>) -> Option<Str<'m, 's, str>> {
    match octets {
        Str::Input(octets) => polywire_core::bytes::utf8(octets).map(Str::Input),
        Str::Scratch(octets) => polywire_core::bytes::utf8(octets).map(Str::Scratch),
    }
}

/// Reads a character string or a time (X.690 8.23, 11.7, 11.8). Text is what is text; other octets
/// stay octets. Times as DER writes them are moments, others text.
///
/// # Errors
/// Octets that are no characters of a type of fixed character size, or a budget that is spent.
pub(crate) fn text<'m: 's, 's>(
    kind: StringKind,
    octets: Str<'m, 's, [u8]>,
    at: u64,
    budget: &mut Budget,
    scratch: &'s mut String,
) -> Result<Scalar<'m, 's>> {
    let raw = octets.get();
    Ok(match kind {
        StringKind::Utf8 | StringKind::Numeric | StringKind::Printable | StringKind::Ia5 | StringKind::Visible => match utf8(octets) {
            Some(text) => Scalar::Text(text),
            None => Scalar::Octets(octets),
        },
        // Escapes switch the character sets of these; their ASCII part is ASCII.
        StringKind::Teletex | StringKind::Videotex | StringKind::Graphic | StringKind::General | StringKind::ObjectDescriptor => {
            match utf8(octets) {
                Some(text) if raw.is_ascii() && !raw.contains(&0x1b) => Scalar::Text(text),
                _ => Scalar::Octets(octets),
            }
        }
        StringKind::UtcTime | StringKind::GeneralizedTime => match (moment(kind, raw), utf8(octets)) {
            (Some(moment), _) => Scalar::Time(moment.as_text()),
            (None, Some(text)) => Scalar::Text(text),
            (None, None) => Scalar::Octets(octets),
        },
        StringKind::Bmp | StringKind::Universal => {
            // 16 bits become at most three bytes.
            budget.decode(raw.len() as u64 / 2 * 3, at)?;
            scratch.clear();
            let good = if kind == StringKind::Bmp {
                let (pairs, rest) = raw.as_chunks::<2>();
                let units = pairs.iter().map(|pair| u16::from_be_bytes(*pair));
                rest.is_empty() && char::decode_utf16(units).all(|c| c.map(|c| scratch.push(c)).is_ok())
            } else {
                let (quads, rest) = raw.as_chunks::<4>();
                rest.is_empty() && quads.iter().all(|quad| char::from_u32(u32::from_be_bytes(*quad)).map(|c| scratch.push(c)).is_some())
            };
            if good { Scalar::Text(Str::Scratch(scratch)) } else { Scalar::Octets(octets) }
        }
    })
}

/// Reads UTCTime as RFC 5280 4.1.2.5.1 does (years 1950 to 2049), and GeneralizedTime as DER writes
/// it (X.690 11.7), both in UTC to the second.
pub(crate) fn moment(kind: StringKind, raw: &[u8]) -> Option<Timestamp> {
    let (century, digits, fraction) = match (kind, raw) {
        (StringKind::UtcTime, [digits @ .., b'Z']) if digits.len() == 12 => (if digits[0] >= b'5' { 19 } else { 20 }, digits, &b""[..]),
        (StringKind::GeneralizedTime, [all @ .., b'Z']) if all.len() >= 14 => (0, &all[..14], &all[14..]),
        _ => return None,
    };
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let pair = |at: usize| u32::from(digits[at] - b'0') * 10 + u32::from(digits[at + 1] - b'0');
    let (year, rest) = match kind {
        StringKind::UtcTime => (century * 100 + pair(0), 2),
        _ => (pair(0) * 100 + pair(2), 4),
    };
    let nanos = match fraction {
        [] => 0,
        // DER writes no zeros at the end (X.690 11.7.3).
        [b'.', digits @ .., last] if digits.len() < 9 && digits.iter().all(u8::is_ascii_digit) && (b'1'..=b'9').contains(last) => {
            let number = digits.iter().chain([last]).fold(0u32, |number, digit| number * 10 + u32::from(digit - b'0'));
            number * 10u32.pow(8 - digits.len() as u32)
        }
        _ => return None,
    };
    let (month, day, hour, minute, second) = (pair(rest), pair(rest + 2), pair(rest + 4), pair(rest + 6), pair(rest + 8));
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return None,
    };
    if day == 0 || day > days || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Timestamp::new(days_since_epoch(year, month, day) * 86_400 + i64::from(hour * 3600 + minute * 60 + second), nanos)
}

/// Returns the days from 1970-01-01 to a date of the Gregorian calendar.
fn days_since_epoch(year: u32, month: u32, day: u32) -> i64 {
    // Years begin with March, so that the leap day is the last.
    let (year, month) = if month > 2 { (i64::from(year), month - 3) } else { (i64::from(year) - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = i64::from((153 * month + 2) / 5 + day - 1);
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_der() {
        let shown = |kind, raw: &str| moment(kind, raw.as_bytes()).map(|moment| moment.to_string());
        assert_eq!(shown(StringKind::UtcTime, "491231235959Z").as_deref(), Some("2049-12-31T23:59:59Z"));
        assert_eq!(shown(StringKind::UtcTime, "500101000000Z").as_deref(), Some("1950-01-01T00:00:00Z"));
        assert_eq!(shown(StringKind::GeneralizedTime, "19920722132100.3Z").as_deref(), Some("1992-07-22T13:21:00.3Z"));
        assert_eq!(shown(StringKind::GeneralizedTime, "20000229000000Z").as_deref(), Some("2000-02-29T00:00:00Z"));
        for raw in ["19920722132100.30Z", "19920722132100", "20010229000000Z", "20010132000000Z", "20010101240000Z", "20010101000000.Z"] {
            assert_eq!(shown(StringKind::GeneralizedTime, raw), None, "{raw}");
        }
        for raw in ["4912312359Z", "491231235960Z", "491331235959Z"] {
            assert_eq!(shown(StringKind::UtcTime, raw), None, "{raw}");
        }
    }

    #[test]
    fn reals_wider_than_a_binary64_keep_their_digits() {
        let read = |raw: &[u8]| {
            let mut found = String::new();
            real(raw, 0, &mut Budget::new(&polywire_core::Limits::DEFAULT), |scalar| {
                found = scalar.digits().unwrap_or("").to_string();
                Ok(())
            })
            .map(|()| found)
        };
        assert_eq!(read(&[0x80, 0, 0x20, 0, 0, 0, 0, 0, 1]).unwrap(), "9007199254740993.0");
        assert_eq!(read(&[0xc0, 0xff, 0x20, 0, 0, 0, 0, 0, 1]).unwrap(), "-45035996273704965e-1");
        assert_eq!(read(&[0x82, 0x7f, 0, 0, 1]).unwrap_err().kind(), ErrorKind::Limit);
        assert_eq!(read(b"\x0315.E-1").unwrap(), "15e-1");
    }
}
