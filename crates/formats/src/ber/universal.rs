//! The meaning of the universal types (X.690 8.2 to 8.26, tag numbers of X.680 8.4): contents
//! octets to values.

use std::fmt::Write;

use polywire_core::text::oids;
use polywire_core::{Budget, Error, ErrorKind, Result, Scalar, Str, Timestamp};

pub(super) const BIT_STRING: u64 = 3;
pub(super) const OCTET_STRING: u64 = 4;
pub(super) const SEQUENCE: u64 = 16;
pub(super) const SET: u64 = 17;

/// The ways in which a type may be encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Primitive,
    Constructed,
    /// Primitive, or constructed of segments.
    String,
    /// Not a type of X.680.
    Unknown,
}

pub(super) fn form(number: u64) -> Form {
    match number {
        1 | 2 | 5 | 6 | 9 | 10 | 13 | 14 | 31..=36 => Form::Primitive,
        8 | 11 | 16 | 17 | 29 => Form::Constructed,
        3 | 4 | 7 | 12 | 18..=28 | 30 => Form::String,
        _ => Form::Unknown,
    }
}

/// Reports whether ASN.1 has such a tag of the universal class.
pub(super) fn plausible(number: u64, constructed: bool) -> bool {
    match form(number) {
        Form::Primitive => !constructed,
        Form::Constructed => constructed,
        Form::String => true,
        Form::Unknown => false,
    }
}

pub(super) fn name(number: u64) -> &'static str {
    match number {
        1 => "BOOLEAN",
        2 => "INTEGER",
        3 => "BIT STRING",
        4 => "OCTET STRING",
        5 => "NULL",
        6 => "OBJECT IDENTIFIER",
        7 => "ObjectDescriptor",
        8 => "EXTERNAL",
        9 => "REAL",
        10 => "ENUMERATED",
        11 => "EMBEDDED PDV",
        12 => "UTF8String",
        13 => "RELATIVE-OID",
        14 => "TIME",
        16 => "SEQUENCE",
        17 => "SET",
        18 => "NumericString",
        19 => "PrintableString",
        20 => "T61String",
        21 => "VideotexString",
        22 => "IA5String",
        23 => "UTCTime",
        24 => "GeneralizedTime",
        25 => "GraphicString",
        26 => "VisibleString",
        27 => "GeneralString",
        28 => "UniversalString",
        29 => "CHARACTER STRING",
        30 => "BMPString",
        31 => "DATE",
        32 => "TIME-OF-DAY",
        33 => "DATE-TIME",
        34 => "DURATION",
        35 => "OID-IRI",
        36 => "RELATIVE-OID-IRI",
        _ => "a type that ASN.1 does not have",
    }
}

/// The value of a primitive encoding, or of a string joined from its segments.
pub(super) struct Leaf<'m, 's> {
    pub value: Scalar<'m, 's>,
    /// True if the value alone does not show its type, and needs a tag.
    pub tagged: bool,
    pub note: Option<&'static str>,
}

impl<'m, 's> Leaf<'m, 's> {
    fn plain(value: Scalar<'m, 's>, note: Option<&'static str>) -> Self {
        Leaf { value, tagged: false, note }
    }

    fn tagged(value: Scalar<'m, 's>, note: Option<&'static str>) -> Self {
        Leaf { value, tagged: true, note }
    }
}

/// The place of contents octets, and the cost that decoding them may have.
pub(super) struct Contents<'a, 's> {
    /// Offset of the first contents octet in the stream.
    pub at: u64,
    pub budget: &'a mut Budget,
    pub scratch: &'s mut String,
}

/// Decodes the contents of the universal type `number`, which is neither constructed nor a bit
/// string.
pub(super) fn decode<'m, 's>(number: u64, bytes: Str<'m, 's, [u8]>, contents: Contents<'_, 's>) -> Result<Leaf<'m, 's>> {
    let raw = bytes.get();
    let at = contents.at;
    let sized = |size: usize| if raw.len() == size { Ok(()) } else { Err(wrong_size(number, raw.len(), at)) };
    Ok(match number {
        1 => {
            sized(1)?;
            Leaf::plain(
                Scalar::Bool(raw[0] != 0),
                (!matches!(raw[0], 0 | 0xff)).then_some("true by an octet other than ff, which DER forbids"),
            )
        }
        2 | 10 => {
            let (value, long) = integer(raw, number, contents)?;
            let value = value.unwrap_or(Scalar::Bytes(bytes));
            let note = match value {
                Scalar::Bytes(_) => Some("an integer of more digits than the limit `digits` allows"),
                _ => long.then_some("an integer in more octets than needed"),
            };
            Leaf { value, tagged: number == 10 || matches!(value, Scalar::Bytes(_)), note }
        }
        4 => Leaf::plain(Scalar::Bytes(bytes), None),
        5 => {
            sized(0)?;
            Leaf::plain(Scalar::Null, None)
        }
        6 | 13 => object_identifier(number, bytes, contents)?,
        9 => real(bytes, at)?,
        12 => match utf8(bytes) {
            Some(text) => Leaf::plain(Scalar::Text(text), None),
            None => Leaf::plain(Scalar::Octets(bytes), Some("a UTF8String that is not UTF-8")),
        },
        // T61String, VideotexString, GraphicString and GeneralString switch character sets by
        // escapes; their ASCII part is ASCII.
        7 | 18 | 19 | 20 | 21 | 22 | 25 | 26 | 27 => match utf8(bytes) {
            Some(text) if raw.is_ascii() && !raw.contains(&0x1b) => Leaf::plain(Scalar::Text(text), Some(name(number))),
            _ => Leaf::plain(Scalar::Octets(bytes), Some(name(number))),
        },
        23 | 24 => match (moment(number, raw), utf8(bytes)) {
            (Some(moment), _) => Leaf::plain(Scalar::Time(moment), Some(name(number))),
            (None, Some(text)) => Leaf::tagged(Scalar::Text(text), Some(other_moment(number))),
            (None, None) => Leaf::tagged(Scalar::Octets(bytes), Some(other_moment(number))),
        },
        28 | 30 => transcoded(number, bytes, contents)?,
        14 | 31..=36 => match utf8(bytes) {
            Some(text) => Leaf::tagged(Scalar::Text(text), Some(name(number))),
            None => Leaf::tagged(Scalar::Octets(bytes), Some(name(number))),
        },
        _ => Leaf::tagged(Scalar::Bytes(bytes), None),
    })
}

/// Returns the remark on a time that is not written as DER does.
fn other_moment(number: u64) -> &'static str {
    if number == 23 { "a UTCTime not as DER writes it" } else { "a GeneralizedTime not as DER writes it" }
}

fn utf8<'m, 's>(bytes: Str<'m, 's, [u8]>) -> Option<Str<'m, 's, str>> {
    match bytes {
        Str::Input(bytes) => std::str::from_utf8(bytes).ok().map(Str::Input),
        Str::Scratch(bytes) => std::str::from_utf8(bytes).ok().map(Str::Scratch),
    }
}

#[cold]
fn wrong_size(number: u64, size: usize, at: u64) -> Error {
    let expected = match number {
        1 => "one octet (X.690 8.2)",
        5 => "none (X.690 8.8)",
        _ => "at least one",
    };
    let plural = if size == 1 { "" } else { "s" };
    Error::data(ErrorKind::Syntax, at).seen(format!("{} of {size} contents octet{plural}", name(number))).expected(expected)
}

/// Reads two's complement, highest octet first (X.690 8.3). Returns no scalar if it has more digits
/// than the limit, and true if octets are superfluous.
fn integer<'s>(raw: &[u8], number: u64, contents: Contents<'_, 's>) -> Result<(Option<Scalar<'static, 's>>, bool)> {
    let Some(&first) = raw.first() else { return Err(wrong_size(number, 0, contents.at)) };
    let negative = first >= 0x80;
    let fill = if negative { 0xff } else { 0 };
    let long = raw.len() > 1 && first == fill && (raw[1] >= 0x80) == negative;
    let digits = &raw[raw.iter().take_while(|octet| **octet == fill).count()..];
    if digits.len() <= 8 {
        let mut octets = [fill; 9];
        octets[9 - digits.len()..].copy_from_slice(digits);
        let value = octets.iter().skip(1).fold(i128::from(octets[0] as i8), |value, octet| value << 8 | i128::from(*octet));
        if let Ok(value) = u64::try_from(value) {
            return Ok((Some(Scalar::uint(value)), long));
        }
        if let Ok(value) = i64::try_from(value) {
            return Ok((Some(Scalar::int(value)), long));
        }
    }
    // An octet is 2.408… digits; one more covers the remainder.
    let most = digits.len() as u64 * 2409 / 1000 + 1;
    if most > u64::from(contents.budget.limits().digits) {
        return Ok((None, long));
    }
    contents.budget.decode(most, contents.at)?;
    decimal(digits, negative, contents.scratch);
    Ok((Some(Scalar::big(Str::Scratch(contents.scratch))), long))
}

/// Writes a number as decimal digits: `octets` is the magnitude, or the low octets of the two's
/// complement if it is negative.
fn decimal(octets: &[u8], negative: bool, out: &mut String) {
    // Limbs of 32 bits, the highest first.
    let mut limbs: Vec<u32> = octets
        .rchunks(4)
        .rev()
        .map(|chunk| {
            let fill = if negative { u32::MAX } else { 0 };
            chunk.iter().fold(fill, |limb, octet| limb << 8 | u32::from(*octet))
        })
        .collect();
    if negative {
        let mut carry = true;
        for limb in limbs.iter_mut().rev() {
            (*limb, carry) = (!*limb).overflowing_add(u32::from(carry));
        }
        if carry {
            limbs.insert(0, 1);
        }
    }
    const BILLION: u64 = 1_000_000_000;
    let mut groups = Vec::new();
    let mut high = 0;
    while high < limbs.len() {
        let mut rest = 0u64;
        for limb in &mut limbs[high..] {
            let value = rest << 32 | u64::from(*limb);
            *limb = (value / BILLION) as u32;
            rest = value % BILLION;
        }
        groups.push(rest);
        high += limbs[high..].iter().take_while(|limb| **limb == 0).count();
    }
    out.clear();
    if negative {
        out.push('-');
    }
    let mut groups = groups.into_iter().rev().skip_while(|group| *group == 0);
    // Writing to a string cannot fail.
    let _ = write!(out, "{}", groups.next().unwrap_or(0));
    for group in groups {
        let _ = write!(out, "{group:09}");
    }
}

/// Reads subidentifiers of seven bits per octet; the first stands for two arcs (X.690 8.19).
fn object_identifier<'m, 's>(number: u64, bytes: Str<'m, 's, [u8]>, contents: Contents<'_, 's>) -> Result<Leaf<'m, 's>> {
    let (raw, at) = (bytes.get(), contents.at);
    let bad = |seen: &'static str, n: usize| {
        Error::data(ErrorKind::Syntax, at + n as u64).seen(seen).expected("an object identifier (X.690 8.19)")
    };
    if raw.is_empty() {
        return Err(bad("no contents octets", 0));
    }
    // An octet becomes at most three characters and a dot.
    contents.budget.decode(raw.len() as u64 * 4, at)?;
    let out = contents.scratch;
    out.clear();
    let mut arc = 0u128;
    let mut start = 0;
    for (n, octet) in raw.iter().enumerate() {
        if n == start && *octet == 0x80 {
            return Err(bad("an arc with leading zeros", n));
        }
        if arc >> 121 != 0 {
            return Ok(Leaf::tagged(Scalar::Bytes(bytes), Some("an object identifier with an arc of more than 128 bits")));
        }
        arc = arc << 7 | u128::from(octet & 0x7f);
        if *octet >= 0x80 {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = match (number, start) {
            (6, 0) => {
                let root = (arc / 40).min(2);
                write!(out, "{root}.{}", arc - root * 40)
            }
            (_, 0) => write!(out, "{arc}"),
            _ => write!(out, ".{arc}"),
        };
        (arc, start) = (0, n + 1);
    }
    if start < raw.len() {
        return Err(bad("an arc without an end", raw.len()));
    }
    let note = if number == 6 { oids::name(out) } else { None };
    Ok(Leaf::tagged(Scalar::Text(Str::Scratch(out)), note))
}

/// Reads special values, binary and decimal encodings (X.690 8.5). Numbers that an `f64` would
/// change stay as they are, in a tag.
fn real<'m, 's>(bytes: Str<'m, 's, [u8]>, at: u64) -> Result<Leaf<'m, 's>> {
    let raw = bytes.get();
    let Some(&first) = raw.first() else { return Ok(Leaf::plain(Scalar::f64(0.0), None)) };
    let exact = match (first, raw.len()) {
        (0x40, 1) => Some(f64::INFINITY),
        (0x41, 1) => Some(f64::NEG_INFINITY),
        (0x42, 1) => Some(f64::NAN),
        (0x43, 1) => Some(-0.0),
        (0x80.., _) => binary_real(first, &raw[1..]),
        (1..=3, _) => {
            let text = match bytes {
                Str::Input(bytes) => utf8(Str::Input(&bytes[1..])),
                Str::Scratch(bytes) => utf8(Str::Scratch(&bytes[1..])),
            };
            return Ok(match text {
                Some(text) => Leaf::tagged(Scalar::Text(text), Some("REAL in decimal digits")),
                None => Leaf::tagged(Scalar::Bytes(bytes), Some("a REAL in decimal digits that are no text")),
            });
        }
        _ => {
            return Err(Error::data(ErrorKind::Syntax, at)
                .seen(format!("a REAL that starts with 0x{first:02x}"))
                .expected("a binary, decimal or special encoding (X.690 8.5.6)"));
        }
    };
    Ok(match exact {
        Some(value) => Leaf::plain(Scalar::f64(value), None),
        None => Leaf::tagged(Scalar::Bytes(bytes), Some("REAL that binary64 does not hold exactly")),
    })
}

/// Reads sign, base, scale, exponent and mantissa (X.690 8.5.7), if a binary64 holds the number
/// exactly.
fn binary_real(first: u8, rest: &[u8]) -> Option<f64> {
    let bits_per_digit = match first >> 4 & 3 {
        0 => 1,
        1 => 3,
        2 => 4,
        _ => return None,
    };
    let scale = i64::from(first >> 2 & 3);
    let (exponent, mantissa) = match first & 3 {
        3 => {
            let (&size, rest) = rest.split_first()?;
            rest.split_at_checked(usize::from(size))?
        }
        size => rest.split_at_checked(usize::from(size) + 1)?,
    };
    if exponent.len() > 4 {
        return None;
    }
    let (&sign, lower) = exponent.split_first()?;
    let exponent = lower.iter().fold(i64::from(sign as i8), |value, octet| value << 8 | i64::from(*octet));
    let mantissa = &mantissa[mantissa.iter().take_while(|octet| **octet == 0).count()..];
    if mantissa.is_empty() || mantissa.len() > 16 {
        return None;
    }
    let number = mantissa.iter().fold(0u128, |value, octet| value << 8 | u128::from(*octet));
    let zeros = number.trailing_zeros();
    let odd = u64::try_from(number >> zeros).ok().filter(|odd| *odd < 1 << 53)?;
    let power = exponent * bits_per_digit + scale + i64::from(zeros);
    let top = power + i64::from(odd.ilog2());
    if power < -1074 || top > 1023 {
        return None;
    }
    // In two steps, so that the intermediate product is a normal number.
    let two_to = |power: i64| f64::from_bits(((1023 + power) as u64) << 52);
    let value = odd as f64 * two_to(power / 2) * two_to(power - power / 2);
    Some(if first & 0x40 != 0 { -value } else { value })
}

/// Reads UTCTime as RFC 5280 4.1.2.5.1 does (years 1950 to 2049), and GeneralizedTime as DER writes
/// it (X.690 11.7), both in UTC to the second.
fn moment(number: u64, raw: &[u8]) -> Option<Timestamp> {
    let (century, digits, fraction) = match (number, raw) {
        (23, [digits @ .., b'Z']) if digits.len() == 12 => (if digits[0] >= b'5' { "19" } else { "20" }, digits, &b""[..]),
        (24, [all @ .., b'Z']) if all.len() >= 14 => ("", &all[..14], &all[14..]),
        _ => return None,
    };
    let digits = std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))?;
    let fraction = std::str::from_utf8(fraction).ok().filter(|fraction| fraction.len() <= 10)?;
    let (year, rest) = digits.split_at(digits.len() - 10);
    let text = format!("{century}{year}-{}-{}T{}:{}:{}{fraction}Z", &rest[..2], &rest[2..4], &rest[4..6], &rest[6..8], &rest[8..]);
    Timestamp::from_rfc3339(&text)
}

/// Reads BMPString, 16 bits per character, and UniversalString, 32 bits (X.690 8.23.7, 8.23.8).
fn transcoded<'m, 's>(number: u64, bytes: Str<'m, 's, [u8]>, contents: Contents<'_, 's>) -> Result<Leaf<'m, 's>> {
    let raw = bytes.get();
    // 16 bits become at most three bytes.
    contents.budget.decode(raw.len() as u64 / 2 * 3, contents.at)?;
    let out = contents.scratch;
    out.clear();
    let good = if number == 30 {
        let (pairs, rest) = raw.as_chunks::<2>();
        rest.is_empty() && char::decode_utf16(pairs.iter().map(|pair| u16::from_be_bytes(*pair))).all(|c| c.map(|c| out.push(c)).is_ok())
    } else {
        let (quads, rest) = raw.as_chunks::<4>();
        rest.is_empty() && quads.iter().all(|quad| char::from_u32(u32::from_be_bytes(*quad)).map(|c| out.push(c)).is_some())
    };
    Ok(match good {
        true => Leaf::plain(Scalar::Text(Str::Scratch(out)), Some(name(number))),
        false => Leaf::plain(
            Scalar::Octets(bytes),
            Some(if number == 30 { "a BMPString that is no text" } else { "a UniversalString that is no text" }),
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(value: i128) -> String {
        let mut out = String::new();
        let octets = value.to_be_bytes();
        let fill = if value < 0 { 0xff } else { 0 };
        let rest = &octets[octets.iter().take_while(|octet| **octet == fill).count()..];
        decimal(rest, value < 0, &mut out);
        out
    }

    #[test]
    fn big_numbers_in_decimal() {
        for bits in 0..127 {
            for value in [1i128 << bits, -(1i128 << bits), (1 << bits) - 1, -(1 << bits) + 1, i128::MAX >> bits, i128::MIN >> bits] {
                assert_eq!(digits(value).trim_start_matches('-'), value.unsigned_abs().to_string(), "{value}");
            }
        }
        let mut out = String::new();
        decimal(&[0; 9], true, &mut out);
        assert_eq!(out, "-4722366482869645213696");
    }

    #[test]
    fn reals_that_are_exact_and_others() {
        for value in [1.0, -2.5, 5e-324, f64::MAX, f64::MIN_POSITIVE, 0.1, 1e300] {
            let bits = f64::to_bits(value);
            let raised = (bits >> 52 & 0x7ff) as i32;
            let mantissa = (bits & ((1 << 52) - 1)) | if raised > 0 { 1 << 52 } else { 0 };
            let power = (raised.max(1) - 1075) as i16;
            let mut rest = power.to_be_bytes().to_vec();
            rest.extend(mantissa.to_be_bytes());
            let first = 0x81 | if value < 0.0 { 0x40 } else { 0 };
            assert_eq!(binary_real(first, &rest), Some(value));
        }
        assert_eq!(binary_real(0x80 | 0x10, &[2, 3]), Some(192.0));
        assert_eq!(binary_real(0x80 | 0x24, &[0xff, 1]), Some(0.125));
        assert_eq!(binary_real(0x81, &[4, 0, 1]), None);
        assert_eq!(binary_real(0x80, &[0, 0x20, 0, 0, 0, 0, 0, 1]), None);
        assert_eq!(binary_real(0x80, &[]), None);
        // A length of the exponent that is zero (X.690 8.5.7.4 d).
        assert_eq!(binary_real(0x83, &[0, 1]), None);
    }

    #[test]
    fn moments() {
        let text = |number, raw: &str| moment(number, raw.as_bytes()).map(|moment| moment.to_string());
        assert_eq!(text(23, "491231235959Z").as_deref(), Some("2049-12-31T23:59:59Z"));
        assert_eq!(text(23, "500101000000Z").as_deref(), Some("1950-01-01T00:00:00Z"));
        assert_eq!(text(24, "19920722132100.3Z").as_deref(), Some("1992-07-22T13:21:00.3Z"));
        for (number, raw) in [
            (23, "4912312359Z"),
            (23, "491231235960Z"),
            (23, "491331235959Z"),
            (24, "19920722132100.30Z"),
            (24, "19920722132100"),
            (24, "1992072213210é0Z"),
        ] {
            assert_eq!(text(number, raw), None, "{raw}");
        }
    }
}
