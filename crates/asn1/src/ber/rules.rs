//! Restrictions of DER and CER on contents octets (X.690 11).

use super::Rules;
use super::header::refused;
use crate::model::StringKind;
use crate::walk::plan::{Op, Plan};
use polywire_core::Result;

/// Checks that the contents octets of a primitive encoding are in the one form of DER and CER.
///
/// # Errors
/// They are not; the error names the rule.
pub(crate) fn check(plan: &Plan, op: Op, octets: &[u8], unused: u8, at: u64, rules: Rules) -> Result<()> {
    let refuse = |seen: &'static str, rule: &'static str| Err(refused(rules, seen, rule, at));
    match op {
        Op::Boolean => match octets {
            [0 | 0xff] => Ok(()),
            _ => refuse("TRUE that is not 0xff", "0xff (X.690 11.1)"),
        },
        Op::Integer | Op::Enumerated(_) if crate::walk::octets::superfluous(octets) > 0 => {
            refuse("a number with superfluous octets", "the fewest octets (X.690 8.3.2)")
        }
        Op::Bits(index) => {
            let last = octets.last().copied().unwrap_or(0);
            if last & !(0xffu8 << unused) != 0 && unused > 0 {
                return refuse("unused bits that are not zero", "zeros (X.690 11.2.1)");
            }
            let bits = &plan.bits[index as usize];
            let count = octets.len() as u64 * 8 - u64::from(unused);
            let is_zero = !octets.is_empty() && last >> unused & 1 == 0;
            if !bits.names.is_empty() && is_zero && count > bits.least {
                return refuse("a zero at the end of named bits", "no zeros at the end (X.690 11.2.2)");
            }
            Ok(())
        }
        Op::Real => real(octets).map_or(Ok(()), |(seen, rule)| refuse(seen, rule)),
        Op::Text(StringKind::GeneralizedTime) => match is_time(octets, 14) {
            true => Ok(()),
            false => refuse("a GeneralizedTime in another form", "YYYYMMDDhhmmss, no zeros at the end of a fraction, Z (X.690 11.7)"),
        },
        Op::Text(StringKind::UtcTime) => match is_time(octets, 12) && octets.len() == 13 {
            true => Ok(()),
            false => refuse("a UTCTime in another form", "YYMMDDhhmmssZ (X.690 11.8)"),
        },
        _ => Ok(()),
    }
}

/// Returns whether octets are a GeneralizedTime or UTCTime in the form of DER (X.690 11.7, 11.8),
/// which other canonical rules share.
pub(crate) fn is_canonical_time(kind: StringKind, octets: &[u8]) -> bool {
    match kind {
        StringKind::GeneralizedTime => is_time(octets, 14),
        StringKind::UtcTime => is_time(octets, 12) && octets.len() == 13,
        _ => true,
    }
}

/// Returns whether octets are a time of `digits` digits, a fraction without zeros at the end, and
/// `Z`.
fn is_time(octets: &[u8], digits: usize) -> bool {
    let Some((whole, rest)) = octets.split_at_checked(digits) else { return false };
    let fraction = match rest {
        [b'Z'] => true,
        [b'.', fraction @ .., last, b'Z'] => fraction.iter().all(u8::is_ascii_digit) && (b'1'..=b'9').contains(last),
        _ => false,
    };
    fraction && whole.iter().all(u8::is_ascii_digit)
}

/// Returns what is wrong with a real (X.690 11.3).
fn real(octets: &[u8]) -> Option<(&'static str, &'static str)> {
    let (&first, rest) = octets.split_first()?;
    match first {
        0x80.. => {
            if first & 0x30 != 0 || first & 0x0c != 0 {
                return Some(("a REAL of another base than 2, or scaled", "base 2 without a scale (X.690 11.3.1)"));
            }
            let (size, rest) = match first & 3 {
                3 => match rest.split_first() {
                    Some((0..=3, _)) => return Some(("an exponent in too many octets", "the fewest octets (X.690 11.3.1)")),
                    Some((&size, rest)) => (usize::from(size), rest),
                    None => return None,
                },
                size => (usize::from(size) + 1, rest),
            };
            let (exponent, mantissa) = rest.split_at_checked(size)?;
            if crate::walk::octets::superfluous(exponent) > 0 {
                return Some(("an exponent in too many octets", "the fewest octets (X.690 11.3.1)"));
            }
            match mantissa {
                [0, _, ..] => Some(("a mantissa in too many octets", "the fewest octets (X.690 11.3.1)")),
                [.., last] if last & 1 == 1 => None,
                _ => Some(("an even mantissa, or zero in octets", "an odd mantissa (X.690 11.3.1)")),
            }
        }
        1..=3 => {
            let wrong = Some(("a decimal REAL in another form", "NR3 with a whole mantissa that does not end with zero (X.690 11.3.2)"));
            let mut one = Vec::new();
            let text = std::str::from_utf8(rest).ok().and_then(crate::walk::octets::json_digits);
            match text.and_then(|text| crate::walk::octets::put_decimal(&text, &mut one)) {
                Some(()) if one == octets => None,
                _ => wrong,
            }
        }
        _ => None,
    }
}
