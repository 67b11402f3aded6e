//! JSON's numbers as exact scalars.

use polywire_core::value::{binary64, gives_back};
use polywire_core::{Hint, Scalar, Str};

/// Powers of ten that an `f64` holds exactly.
const EXACT: [f64; 23] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22];

/// Number in the input, with its grammar checked.
#[derive(Debug, Clone, Copy)]
pub struct Number {
    /// Offset after its last byte.
    pub end: usize,
    negative: bool,
    /// The digits as one whole number. Meaningless if there are more than 19.
    mantissa: u64,
    /// Number of digits without leading zeros.
    digits: u32,
    /// Power of ten that multiplies the mantissa.
    power: i64,
    is_float: bool,
    has_exponent: bool,
}

/// A mistake in a number, and its offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed {
    /// Offset of the byte that does not fit.
    pub at: usize,
    /// Description of the expected bytes.
    pub expected: &'static str,
}

/// Reads the number that starts at `at` (RFC 8259 section 6).
///
/// # Errors
/// A digit is missing: at the start, after the point, or in the exponent.
#[inline(always)]
pub fn scan(bytes: &[u8], at: usize) -> Result<Number, Malformed> {
    let mut at = at;
    let negative = bytes.get(at) == Some(&b'-');
    at += usize::from(negative);
    let start = at;
    let (mut mantissa, mut digits) = (0, 0);
    match bytes.get(at) {
        Some(b'0') => at += 1,
        Some(b'1'..=b'9') => {
            (mantissa, at) = run(bytes, at, 0);
            digits = (at - start) as u32;
        }
        _ => return Err(Malformed { at, expected: "a digit" }),
    }
    if let Some(b'.' | b'e' | b'E') = bytes.get(at) {
        return after_whole(bytes, at, negative, mantissa, digits);
    }
    Ok(Number { end: at, negative, mantissa, digits, power: 0, is_float: false, has_exponent: false })
}

/// Takes a run of digits into the mantissa. Past 19 digits the mantissa wraps and is not used.
#[inline(always)]
fn run(bytes: &[u8], mut at: usize, mut mantissa: u64) -> (u64, usize) {
    if let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let (value, count) = leading_digits(*eight);
        mantissa = mantissa.wrapping_mul(POWERS[count & 15]).wrapping_add(value);
        at += count;
        if count < 8 {
            return (mantissa, at);
        }
    }
    // Long numbers are of one length, mostly, so that the branches are guessed.
    while let Some(byte) = bytes.get(at) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    (mantissa, at)
}

/// Powers of ten that eight digits need. The length lets an index be masked instead of checked.
const POWERS: [u64; 16] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 0, 0, 0, 0, 0, 0, 0];

/// Returns the number that the digits at the start of eight bytes make, and how many they are.
#[inline(always)]
fn leading_digits(text: [u8; 8]) -> (u64, usize) {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let digits = u64::from_le_bytes(text) ^ (ONES * 0x30);
    // Neither a digit nor a digit and six has a bit above the lowest four. A carry can only come
    // from a byte that is no digit, to later ones.
    let others = (digits | digits.wrapping_add(ONES * 6)) & (ONES * 0xf0);
    let count = others.trailing_zeros() as usize / 8;
    // Zeros before the digits, so that there are eight; two shifts, since one of 64 bits is none.
    let digits = (digits << (4 * (8 - count))) << (4 * (8 - count));
    // Pairs of digits, then of pairs, then of fours, each in place.
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff, count)
}

#[inline(always)]
fn after_whole(bytes: &[u8], mut at: usize, negative: bool, mut mantissa: u64, mut digits: u32) -> Result<Number, Malformed> {
    let mut power = 0i64;
    if bytes.get(at) == Some(&b'.') {
        let start = at + 1;
        // Zeros before the first other digit do not count.
        let first = if digits == 0 { start + bytes[start..].iter().take_while(|byte| **byte == b'0').count() } else { start };
        (mantissa, at) = run(bytes, first, mantissa);
        if at == start {
            return Err(Malformed { at, expected: "a digit after the decimal point" });
        }
        digits = digits.saturating_add((at - first) as u32);
        power = -((at - start) as i64);
    }
    let has_exponent = matches!(bytes.get(at), Some(b'e' | b'E'));
    if has_exponent {
        at += 1;
        let below_one = bytes.get(at) == Some(&b'-');
        if let Some(b'+' | b'-') = bytes.get(at) {
            at += 1;
        }
        let start = at;
        let mut exponent = 0i64;
        while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
            exponent = exponent.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
            at += 1;
        }
        if at == start {
            return Err(Malformed { at, expected: "a digit of the exponent" });
        }
        power = power.saturating_add(if below_one { -exponent } else { exponent });
    }
    Ok(Number { end: at, negative, mantissa, digits, power, is_float: true, has_exponent })
}

impl Number {
    /// Returns whether the number has a minus sign.
    #[inline(always)]
    pub const fn is_negative(&self) -> bool {
        self.negative
    }

    /// Returns whether the number has a point or an exponent.
    #[inline(always)]
    pub const fn is_float(&self) -> bool {
        self.is_float
    }

    /// Returns the magnitude of a number of at most 18 digits, without a point or an exponent.
    #[inline(always)]
    pub fn whole(&self) -> Option<u64> {
        (!self.is_float && self.digits <= 18).then_some(self.mantissa)
    }

    /// Returns the value of an integer that has one spelling, for which writers need no hint. Other
    /// numbers are for [`Number::hinted`].
    #[inline(always)]
    pub fn integer(&self) -> Option<Scalar<'static, 'static>> {
        let magnitude = self.whole()?;
        match (self.negative, magnitude) {
            (false, value) => Some(Scalar::uint(value)),
            (true, 0) => None,
            (true, value) => Some(Scalar::int(-(value as i64))),
        }
    }

    /// Returns the mantissa of at most 15 digits, and the power of ten that it is multiplied by.
    #[inline(always)]
    pub fn decimal(&self) -> Option<(u64, i64)> {
        (self.digits <= 15).then_some((self.mantissa, self.power))
    }

    /// Returns the digits of a number of at most 15, without an exponent, and how many of them are
    /// behind the point.
    #[inline(always)]
    pub fn fraction(&self) -> Option<(u64, u32)> {
        (self.digits <= 15 && !self.has_exponent).then_some((self.mantissa, self.power.unsigned_abs() as u32))
    }

    /// Returns the nearest `f64`, if two exact ones give it.
    ///
    /// A mantissa below 2^53 and an exact power of ten need one rounding, so that the result is the
    /// nearest (Clinger 1990, section 3).
    #[inline]
    pub fn nearest(&self) -> Option<f64> {
        let (mantissa, power) = self.decimal()?;
        let scale = EXACT.get(usize::try_from(power.unsigned_abs()).ok()?)?;
        let magnitude = mantissa as f64;
        let value = if power < 0 { magnitude / scale } else { magnitude * scale };
        Some(if self.negative { -value } else { value })
    }

    /// Returns the number's value. `text` is its spelling.
    #[inline(always)]
    pub fn scalar<'m, 's>(&self, text: &'m str) -> Scalar<'m, 's> {
        self.hinted(text, Hint::NONE)
    }

    /// Returns the number's value. `text` is its spelling, and `hint` has it for writers.
    #[inline(always)]
    pub fn hinted<'m, 's>(&self, text: &'m str, hint: Hint<'s>) -> Scalar<'m, 's> {
        if self.is_float {
            return self.float(text, hint);
        }
        if self.digits <= 19 {
            return match (self.negative, self.mantissa) {
                (false, value) => Scalar::uint(value),
                // The integers have no negative zero; the floats do.
                (true, 0) => Scalar::F64(-0.0, hint),
                (true, value) if value <= 1 << 63 => Scalar::int((value as i64).wrapping_neg()),
                _ => Scalar::big(Str::Input(text)),
            };
        }
        match text.parse::<u64>() {
            Ok(value) => Scalar::uint(value),
            Err(_) => Scalar::big(Str::Input(text)),
        }
    }

    fn float<'m, 's>(&self, text: &'m str, hint: Hint<'s>) -> Scalar<'m, 's> {
        // The nearest f64 gives back up to 15 digits.
        if let Some(value) = self.nearest() {
            return Scalar::F64(value, hint);
        }
        let value = text.parse::<f64>().unwrap_or(f64::INFINITY);
        let gives_back = match self.digits {
            ..=15 => Some(value.is_finite() && value.abs() >= f64::MIN_POSITIVE).filter(|normal| *normal),
            16..=19 => gives_back(self.mantissa, self.power, value),
            _ => None,
        };
        if gives_back.unwrap_or_else(|| binary64(text).is_some()) {
            Scalar::F64(value, hint)
        } else {
            Scalar::Decimal(Str::Input(text), hint)
        }
    }
}

/// Returns whether all of `token` is one number.
pub fn is_number(token: &[u8]) -> bool {
    scan(token, 0).is_ok_and(|number| number.end == token.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Scalar<'_, '_> {
        let number = scan(text.as_bytes(), 0).unwrap_or_else(|bad| panic!("{text}: {} at {}", bad.expected, bad.at));
        assert_eq!(number.end, text.len(), "{text}");
        number.scalar(text)
    }

    #[test]
    fn whole_numbers_are_exact() {
        assert_eq!(value("0"), Scalar::uint(0));
        assert_eq!(value("18446744073709551615"), Scalar::uint(u64::MAX));
        assert_eq!(value("-9223372036854775808"), Scalar::int(i64::MIN));
        for big in ["18446744073709551616", "-9223372036854775809", "100000000000000000000000000"] {
            assert_eq!(value(big), Scalar::big(Str::Input(big)));
        }
        assert!(matches!(value("-0"), Scalar::F64(zero, _) if zero.is_sign_negative()));
    }

    #[test]
    fn fractions_are_floats_where_a_float_gives_them_back() {
        for (text, float) in
            [("1.5", 1.5), ("0.1", 0.1), ("1e3", 1000.0), ("-2.50", -2.5), ("1E-7", 1e-7), ("0.8444218515250481", 0.8444218515250481)]
        {
            assert_eq!(value(text), Scalar::f64(float), "{text}");
        }
        assert_eq!(value("1.7976931348623157e308"), Scalar::f64(f64::MAX));
        assert_eq!(value("5e-324"), Scalar::f64(5e-324));
        for exact in ["0.10000000000000000001", "1e400", "123456789.123456789", "3e-324", "1e-999999999999999999999"] {
            assert_eq!(value(exact), Scalar::decimal(Str::Input(exact)), "{exact}");
        }
    }

    #[test]
    fn leading_digits_are_those_of_the_plain_way() {
        let plain = |text: [u8; 8]| {
            let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            (text[..count].iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0')), count)
        };
        for byte in 0..=255 {
            for place in 0..8 {
                let mut text = *b"98765432";
                text[place] = byte;
                assert_eq!(leading_digits(text), plain(text), "{byte:#x} at {place}");
            }
        }
        let mut rng = fastrand::Rng::with_seed(8);
        for _ in 0..50_000 {
            let odd = rng.u8(..60);
            let text: [u8; 8] = std::array::from_fn(|_| if rng.u8(..) < odd { rng.u8(..) } else { rng.u8(b'0'..=b'9') });
            assert_eq!(leading_digits(text), plain(text), "{text:?}");
        }
    }

    #[test]
    fn agrees_with_the_standard_library() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..50_000 {
            let text = format!("{}.{}e{}", rng.u32(..), rng.u32(..) >> rng.u32(..32), rng.i32(-30..30));
            if let Scalar::F64(float, _) = value(&text) {
                assert_eq!(float, text.parse::<f64>().unwrap(), "{text}");
            }
        }
    }

    #[test]
    fn the_grammar_is_kept() {
        for (bad, at) in [("-", 1), ("1.", 2), (".5", 0), ("1e", 2), ("1e+", 3), ("-a", 1), ("+1", 0)] {
            assert_eq!(scan(bad.as_bytes(), 0).err().map(|bad| bad.at), Some(at), "{bad}");
        }
        assert_eq!(scan(b"01", 0).ok().map(|number| number.end), Some(1));
    }
}
