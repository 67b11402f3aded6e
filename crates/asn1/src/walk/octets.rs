//! Contents octets of X.690 for the types whose values are one scalar. PER and OER use the same
//! octets for object identifiers, numbers of any size, reals and times.

/// Appends two's complement in as few octets as possible (X.690 8.3.2).
pub(crate) fn put_integer(number: i128, out: &mut Vec<u8>) {
    let octets = number.to_be_bytes();
    out.extend_from_slice(&octets[superfluous(&octets)..]);
}

/// Returns the number of octets at the start of a number in two's complement that it could do
/// without.
pub(crate) fn superfluous(octets: &[u8]) -> usize {
    octets.windows(2).take_while(|pair| pair[0] == 0 && pair[1] < 0x80 || pair[0] == 0xff && pair[1] >= 0x80).count()
}

/// Returns the number of one to eight octets in two's complement.
#[inline(always)]
pub(crate) fn short(octets: &[u8]) -> i64 {
    let first = octets.first().map_or(0, |first| i64::from(*first as i8));
    octets.iter().skip(1).fold(first, |number, octet| number << 8 | i64::from(*octet))
}

/// Reads two's complement of at most sixteen octets without superfluous ones.
#[inline]
pub(crate) fn integer(octets: &[u8]) -> Option<i128> {
    let (&first, rest) = octets.split_first()?;
    if rest.len() > 15 {
        let kept = &octets[superfluous(octets)..];
        return if kept.len() > 16 { None } else { integer(kept) };
    }
    Some(rest.iter().fold(i128::from(first as i8), |number, octet| number << 8 | i128::from(*octet)))
}

/// Appends an object identifier (X.690 8.19). Returns `None` if it has no such arcs (X.660).
pub(crate) fn put_oid(arcs: &[u128], out: &mut Vec<u8>) -> Option<()> {
    let [root, second, rest @ ..] = arcs else { return None };
    if *root > 2 || *root < 2 && *second > 39 {
        return None;
    }
    put_arcs(std::iter::once((root * 40).checked_add(*second)?).chain(rest.iter().copied()), out)
}

/// Appends the arcs of a relative object identifier (X.690 8.20).
pub(crate) fn put_arcs(arcs: impl Iterator<Item = u128>, out: &mut Vec<u8>) -> Option<()> {
    for arc in arcs {
        let groups = (128 - arc.leading_zeros()).div_ceil(7).max(1);
        for group in (0..groups).rev() {
            out.push((arc >> (group * 7)) as u8 & 0x7f | if group > 0 { 0x80 } else { 0 });
        }
    }
    Some(())
}

/// Appends an object identifier from its text. `relative` ones have no root.
pub(crate) fn put_oid_text(text: &str, relative: bool, out: &mut Vec<u8>) -> Option<()> {
    let arc = |text: &str| -> Option<u128> {
        let plain = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit()) && (text.len() == 1 || !text.starts_with('0'));
        plain.then(|| text.parse().ok())?
    };
    let mut arcs = text.split('.').map(arc);
    if relative {
        return arcs.try_for_each(|arc| put_arcs(std::iter::once(arc?), out));
    }
    let (root, second) = (arcs.next()??, arcs.next()??);
    put_oid(&[root, second], out)?;
    arcs.try_for_each(|arc| put_arcs(std::iter::once(arc?), out))
}

/// Appends a real (X.690 8.5 and 11.3): base 2, an odd mantissa, the shortest exponent. Zero has no
/// octets.
pub(crate) fn put_real(value: f64, out: &mut Vec<u8>) {
    let bits = value.to_bits();
    let (raised, fraction) = ((bits >> 52 & 0x7ff) as i16, bits & ((1 << 52) - 1));
    match (raised, fraction) {
        (0, 0) if value.is_sign_negative() => return out.push(0x43),
        (0, 0) => return,
        (0x7ff, 0) => return out.push(if value < 0.0 { 0x41 } else { 0x40 }),
        (0x7ff, _) => return out.push(0x42),
        _ => {}
    }
    let mantissa = fraction | if raised > 0 { 1 << 52 } else { 0 };
    let zeros = mantissa.trailing_zeros();
    let mantissa = mantissa >> zeros;
    let exponent = raised.max(1) - 1075 + zeros as i16;
    let sign = if value < 0.0 { 0x40 } else { 0 };
    match i8::try_from(exponent) {
        Ok(exponent) => out.extend_from_slice(&[0x80 | sign, exponent as u8]),
        Err(_) => {
            let [high, low] = exponent.to_be_bytes();
            out.extend_from_slice(&[0x81 | sign, high, low]);
        }
    }
    let octets = mantissa.to_be_bytes();
    out.extend_from_slice(&octets[mantissa.leading_zeros() as usize / 8..]);
}

/// Appends a real in decimal digits, in the one form of DER (X.690 11.3.2): NR3 with a whole
/// mantissa that does not end with zero. `text` is a number in JSON's syntax.
pub(crate) fn put_decimal(text: &str, out: &mut Vec<u8>) -> Option<()> {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    let digits = digits.trim_start_matches('0');
    let kept = digits.trim_end_matches('0');
    if kept.is_empty() {
        // Zero has no octets, and minus zero its own (X.690 8.5.2, 8.5.9).
        if negative {
            out.push(0x43);
        }
        return Some(());
    }
    let exponent = exponent.checked_sub(fraction.len() as i64)?.checked_add((digits.len() - kept.len()) as i64)?;
    out.push(3);
    if negative {
        out.push(b'-');
    }
    out.extend_from_slice(kept.as_bytes());
    out.extend_from_slice(b".E");
    if exponent == 0 {
        out.push(b'+');
    }
    out.extend_from_slice(exponent.to_string().as_bytes());
    Some(())
}

/// A real on the wire.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Real<'o> {
    /// A binary64 number.
    Float(f64),
    /// Decimal digits, as NR1, NR2 or NR3 of ISO 6093 write them.
    Digits(&'o str),
    /// A binary number that a binary64 does not hold exactly.
    Wide,
}

/// Reads a real (X.690 8.5).
///
/// # Errors
/// A description of the mistake.
pub(crate) fn real(octets: &[u8]) -> Result<Real<'_>, &'static str> {
    let Some((&first, rest)) = octets.split_first() else { return Ok(Real::Float(0.0)) };
    if first & 0xbf == 0x80
        && let [exponent, mantissa @ ..] = rest
        && (1..=6).contains(&mantissa.len())
    {
        // Base 2, an exponent of one octet: the product is exact, and a normal number.
        let number = mantissa.iter().fold(0u64, |number, octet| number << 8 | u64::from(*octet));
        let value = number as f64 * f64::from_bits(((1023 + i64::from(*exponent as i8)) as u64) << 52);
        return Ok(Real::Float(if first & 0x40 != 0 { -value } else { value }));
    }
    Ok(match (first, rest.len()) {
        (0x40, 0) => Real::Float(f64::INFINITY),
        (0x41, 0) => Real::Float(f64::NEG_INFINITY),
        (0x42, 0) => Real::Float(f64::NAN),
        (0x43, 0) => Real::Float(-0.0),
        (0x80.., _) => match binary(first, rest)? {
            Some(value) => Real::Float(value),
            None => Real::Wide,
        },
        (1..=3, _) => Real::Digits(std::str::from_utf8(rest).map_err(|_| "a REAL in decimal digits that are no text")?),
        _ => return Err("a REAL of no known form"),
    })
}

/// Returns whether a real has the form of CER and DER (X.690 11.3).
pub(crate) fn is_canonical_real(octets: &[u8]) -> bool {
    let mut again = Vec::new();
    let known = match real(octets) {
        Ok(Real::Float(value)) => {
            put_real(value, &mut again);
            true
        }
        Ok(Real::Digits(text)) => json_digits(text).and_then(|digits| put_decimal(&digits, &mut again)).is_some(),
        _ => return true,
    };
    known && again == octets
}

/// Reads sign, base, scale, exponent and mantissa (X.690 8.5.7).
fn binary(first: u8, rest: &[u8]) -> Result<Option<f64>, &'static str> {
    let bits_per_digit = match first >> 4 & 3 {
        0 => 1,
        1 => 3,
        2 => 4,
        _ => return Err("a REAL of a reserved base"),
    };
    let scale = i64::from(first >> 2 & 3);
    let split = match first & 3 {
        3 => rest.split_first().and_then(|(&size, rest)| rest.split_at_checked(usize::from(size))),
        size => rest.split_at_checked(usize::from(size) + 1),
    };
    let Some((exponent, mantissa)) = split.filter(|(exponent, _)| !exponent.is_empty()) else {
        return Err("a REAL without its exponent");
    };
    let mantissa = &mantissa[mantissa.iter().take_while(|octet| **octet == 0).count()..];
    if exponent.len() > 4 || mantissa.len() > 16 {
        return Ok(None);
    }
    if mantissa.is_empty() {
        return Ok(Some(if first & 0x40 != 0 { -0.0 } else { 0.0 }));
    }
    let exponent = exponent[1..].iter().fold(i64::from(exponent[0] as i8), |value, octet| value << 8 | i64::from(*octet));
    let number = mantissa.iter().fold(0u128, |value, octet| value << 8 | u128::from(*octet));
    let zeros = number.trailing_zeros();
    let Some(odd) = u64::try_from(number >> zeros).ok().filter(|odd| *odd < 1 << 53) else { return Ok(None) };
    let power = exponent * bits_per_digit + scale + i64::from(zeros);
    if power < -1074 || power + i64::from(odd.ilog2()) > 1023 {
        return Ok(None);
    }
    // In two steps, so that the intermediate product is a normal number.
    let two_to = |power: i64| f64::from_bits(((1023 + power) as u64) << 52);
    let value = odd as f64 * two_to(power / 2) * two_to(power - power / 2);
    Ok(Some(if first & 0x40 != 0 { -value } else { value }))
}

/// Returns the number in JSON's syntax that NR1, NR2 or NR3 write, or `None` if it is none of them.
pub(crate) fn json_digits(text: &str) -> Option<String> {
    let text = text.trim_start_matches(' ').replace(',', ".");
    let (negative, text) = match text.strip_prefix(['+', '-']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, &text[..]),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).map_or((text, None), |(mantissa, exponent)| (mantissa, Some(exponent)));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    let exponent = exponent.map(|exponent| exponent.strip_prefix('+').unwrap_or(exponent));
    let is_exponent = |text: &str| !text.trim_start_matches('-').is_empty() && digits(text.strip_prefix('-').unwrap_or(text));
    if !digits(whole) || !digits(fraction) || whole.is_empty() && fraction.is_empty() || exponent.is_some_and(|text| !is_exponent(text)) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let sign = if negative { "-" } else { "" };
    let mut out = format!("{sign}{}", if whole.is_empty() { "0" } else { whole });
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    if let Some(exponent) = exponent.filter(|exponent| !exponent.trim_start_matches(['-', '0']).is_empty()) {
        out.push('e');
        out.push_str(exponent);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_as_short_as_possible() {
        for (number, octets) in [
            (0, &[0][..]),
            (127, &[0x7f]),
            (128, &[0, 0x80]),
            (-128, &[0x80]),
            (-129, &[0xff, 0x7f]),
            (1 << 64, &[1, 0, 0, 0, 0, 0, 0, 0, 0]),
        ] {
            let mut out = Vec::new();
            put_integer(number, &mut out);
            assert_eq!(out, octets, "{number}");
            assert_eq!(integer(&out), Some(number));
        }
        assert_eq!(integer(&[&[0; 20][..], &[5]].concat()), Some(5));
        assert_eq!(integer(&[1; 17]), None);
    }

    #[test]
    fn reals_come_back() {
        for value in [1.0, -2.5, 5e-324, f64::MAX, f64::MIN_POSITIVE, 0.1, 1e300, 0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, -4096.0] {
            let mut out = Vec::new();
            put_real(value, &mut out);
            assert_eq!(real(&out), Ok(Real::Float(value)), "{value}");
            let Ok(Real::Float(back)) = real(&out) else { panic!() };
            assert_eq!(back.to_bits(), value.to_bits());
        }
        assert_eq!(real(&[0x80 | 0x10, 2, 3]), Ok(Real::Float(192.0)));
        assert_eq!(real(&[0xb0, 2, 3]), Err("a REAL of a reserved base"));
        assert_eq!(real(&[0x81, 0x7f, 0xff, 1]), Ok(Real::Wide));
    }

    #[test]
    fn decimal_reals_have_one_form() {
        for (text, octets) in [("1.50", "\u{3}15.E-1"), ("-2000", "\u{3}-2.E3"), ("7", "\u{3}7.E+0"), ("0.0", ""), ("12e-3", "\u{3}12.E-3")]
        {
            let mut out = Vec::new();
            put_decimal(text, &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), octets, "{text}");
        }
        for (text, json) in
            [("15.E-1", Some("15e-1")), ("  +1", Some("1")), ("-.5", Some("-0.5")), ("007,25", Some("7.25")), ("1E", None), ("", None)]
        {
            assert_eq!(json_digits(text).as_deref(), json, "{text}");
        }
    }

    #[test]
    fn object_identifiers_from_text() {
        let octets = |text| {
            let mut out = Vec::new();
            put_oid_text(text, false, &mut out).map(|()| out)
        };
        assert_eq!(octets("1.2.840.113549"), Some(vec![0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d]));
        assert_eq!(octets("2.999.3"), Some(vec![0x88, 0x37, 3]));
        for wrong in ["", "1", "1.40", "3.1", "1.2.x", "1.2.", "1.02"] {
            assert_eq!(octets(wrong), None, "{wrong}");
        }
    }
}
