//! Texts of defaults as values (docs/spec/extprot.md 2.3).

use crate::model::{Literal, Primitive};

/// Returns the value of a default's text, or `None` if the text is invalid or out of range for the
/// type.
pub fn literal(primitive: Primitive, text: &[u8]) -> Option<Literal> {
    if primitive == Primitive::String {
        return Some(Literal::Bytes(text.to_vec()));
    }
    let text = std::str::from_utf8(text).ok()?;
    Some(match primitive {
        Primitive::Bool if text.eq_ignore_ascii_case("true") => Literal::Bool(true),
        Primitive::Bool if text.eq_ignore_ascii_case("false") => Literal::Bool(false),
        Primitive::Bool => return None,
        Primitive::Byte => Literal::Byte(u8::try_from(integer(text)?).ok()?),
        Primitive::Int | Primitive::Long => Literal::Int(i64::try_from(integer(text)?).ok()?),
        Primitive::Float => Literal::Float(float(text)?),
        Primitive::String => return None,
    })
}

/// Returns the text of a value.
pub fn text(literal: &Literal) -> Vec<u8> {
    match literal {
        Literal::Bool(value) => value.to_string().into_bytes(),
        Literal::Byte(value) => value.to_string().into_bytes(),
        Literal::Int(value) => value.to_string().into_bytes(),
        // `Debug` always writes a point or an exponent.
        Literal::Float(value) => format!("{value:?}").into_bytes(),
        Literal::Bytes(bytes) => bytes.clone(),
    }
}

fn signed(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

/// Parses an optional sign and the digits of an INT (docs/spec/extprot.md 2.1).
fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = signed(text);
    let (base, digits) = match digits.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => (16, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        _ => (10, digits),
    };
    if !digits.starts_with(|c: char| c.is_digit(base)) {
        return None;
    }
    let mut value = 0i128;
    for digit in digits.chars().filter(|c| *c != '_') {
        // Out of range for all types already; more digits make no difference.
        value = (value * i128::from(base) + i128::from(digit.to_digit(base)?)).min(1 << 100);
    }
    Some(if negative { -value } else { value })
}

/// Parses an optional sign and an INT or a FLOAT (docs/spec/extprot.md 2.1).
fn float(text: &str) -> Option<f64> {
    let (negative, digits) = signed(text);
    let value = if digits
        .get(..2)
        .is_some_and(|start| start.eq_ignore_ascii_case("0x") || start.eq_ignore_ascii_case("0o") || start.eq_ignore_ascii_case("0b"))
    {
        integer(digits).filter(|value| *value < 1 << 100)? as f64
    } else {
        let shape = digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'.' | b'e' | b'E' | b'+' | b'-'));
        if !shape || !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        digits.replace('_', "").parse::<f64>().ok()?
    };
    let value = if negative { -value } else { value };
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_as_specified() {
        use Primitive::*;
        for (primitive, text, value) in [
            (Bool, "TRUE", Literal::Bool(true)),
            (Bool, "false", Literal::Bool(false)),
            (Byte, "0xff", Literal::Byte(255)),
            (Byte, "-0", Literal::Byte(0)),
            (Int, "-3", Literal::Int(-3)),
            (Int, "1_000", Literal::Int(1000)),
            (Long, "-9223372036854775808", Literal::Int(i64::MIN)),
            (Long, "0b101", Literal::Int(5)),
            (Float, "3", Literal::Float(3.0)),
            (Float, "-1.", Literal::Float(-1.0)),
            (Float, "1e3", Literal::Float(1000.0)),
            (Float, "0x10", Literal::Float(16.0)),
            (String, "5", Literal::Bytes(b"5".to_vec())),
        ] {
            assert_eq!(literal(primitive, text.as_bytes()), Some(value), "{text}");
        }
        for (primitive, text) in [
            (Bool, "1"),
            (Bool, ""),
            (Byte, "256"),
            (Byte, "-1"),
            (Int, "9223372036854775808"),
            (Int, "1.0"),
            (Int, "5L"),
            (Int, ""),
            (Int, "-"),
            (Int, "_1"),
            (Int, "ten"),
            (Long, "0x"),
            (Float, "1e999"),
            (Float, "nan"),
            (Float, "inf"),
            (Float, ".5"),
            (Float, "1e"),
        ] {
            assert_eq!(literal(primitive, text.as_bytes()), None, "{text}");
        }
        assert_eq!(literal(Int, &vec![b'9'; 1_000_000]), None);
    }

    #[test]
    fn values_are_written_as_they_are_read() {
        for (primitive, value) in [
            (Primitive::Float, Literal::Float(1e300)),
            (Primitive::Float, Literal::Float(-0.5)),
            (Primitive::Float, Literal::Float(5.0)),
            (Primitive::Int, Literal::Int(i64::MIN)),
            (Primitive::Byte, Literal::Byte(7)),
            (Primitive::Bool, Literal::Bool(true)),
            (Primitive::String, Literal::Bytes(vec![0, 255, b'"'])),
        ] {
            assert_eq!(literal(primitive, &text(&value)), Some(value));
        }
    }
}
