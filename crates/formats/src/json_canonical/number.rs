//! Numbers as ECMAScript prints them (RFC 8785 3.2.2.3).

/// Returns the text of a finite number as `Number.prototype.toString` makes it (ECMA-262,
/// Number::toString).
pub(super) fn text(value: f64) -> String {
    if value == 0.0 {
        return "0".to_string();
    }
    // The shortest digits that give the number back; a tie goes to the even one.
    let mut buffer = ryu::Buffer::new();
    let shortest = buffer.format_finite(value);
    let (sign, shortest) = shortest.strip_prefix('-').map_or(("", shortest), |rest| ("-", rest));
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((shortest, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let significant = all.trim_start_matches('0');
    let digits = significant.trim_end_matches('0');
    // The number is 0.digits times ten to this.
    let zeros = (all.len() - significant.len()) as i32;
    let point = exponent.parse::<i32>().unwrap_or(0) + whole.len() as i32 - zeros;
    let count = digits.len() as i32;
    match point {
        _ if count <= point && point <= 21 => format!("{sign}{digits}{}", "0".repeat((point - count) as usize)),
        1..=21 => format!("{sign}{}.{}", &digits[..point as usize], &digits[point as usize..]),
        -5..=0 => format!("{sign}0.{}{digits}", "0".repeat(-point as usize)),
        _ => {
            let fraction = if count > 1 { format!(".{}", &digits[1..]) } else { String::new() };
            format!("{sign}{}{fraction}e{:+}", &digits[..1], point - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn numbers_are_those_of_the_standard() {
        // RFC 8785, appendix B, and the borders between the forms.
        for (bits, expected) in [
            (0x0000000000000000, "0"),
            (0x8000000000000000, "0"),
            (0x0000000000000001, "5e-324"),
            (0x8000000000000001, "-5e-324"),
            (0x7fefffffffffffff, "1.7976931348623157e+308"),
            (0xffefffffffffffff, "-1.7976931348623157e+308"),
            (0x4340000000000000, "9007199254740992"),
            (0xc340000000000000, "-9007199254740992"),
            (0x4430000000000000, "295147905179352830000"),
            (0x44b52d02c7e14af5, "9.999999999999997e+22"),
            (0x44b52d02c7e14af6, "1e+23"),
            (0x44b52d02c7e14af7, "1.0000000000000001e+23"),
            (0x444b1ae4d6e2ef4e, "999999999999999700000"),
            (0x444b1ae4d6e2ef4f, "999999999999999900000"),
            (0x444b1ae4d6e2ef50, "1e+21"),
            (0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"),
            (0x3eb0c6f7a0b5ed8d, "0.000001"),
            (0x41b3de4355555553, "333333333.3333332"),
            (0x41b3de4355555557, "333333333.33333343"),
            (0xbecbf647612f3696, "-0.0000033333333333333333"),
            (0x43143ff3c1cb0959, "1424953923781206.2"),
        ] {
            assert_eq!(text(f64::from_bits(bits)), expected, "{bits:016x}");
        }
        for value in [1.0, -1.5, 100.0, 0.5, 123456.789, 1e20, 1e-7] {
            assert_eq!(text(value).parse::<f64>().unwrap(), value);
        }
    }
}
