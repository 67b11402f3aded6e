//! Default values: as descriptors write them, and those of the types.

use super::enumeration::Enum;
use super::kind::Kind;

/// The value of an absent field.
#[derive(Debug, Clone, PartialEq)]
pub enum Default {
    /// A value of `double`.
    Double(f64),
    /// A value of `float`.
    Float(f32),
    /// A value of a signed integer type.
    Int(i64),
    /// A value of an unsigned integer type.
    UInt(u64),
    /// A value of `bool`.
    Bool(bool),
    /// A value of `string`.
    String(Box<str>),
    /// A value of `bytes`.
    Bytes(Box<[u8]>),
    /// A number of an enum.
    Enum(i32),
}

impl Default {
    /// Returns the default of a type; `None` for messages.
    pub fn of(kind: Kind, enumeration: Option<&Enum>) -> Option<Default> {
        Some(match kind {
            Kind::Double => Default::Double(0.0),
            Kind::Float => Default::Float(0.0),
            Kind::Int64 | Kind::Int32 | Kind::SFixed32 | Kind::SFixed64 | Kind::SInt32 | Kind::SInt64 => Default::Int(0),
            Kind::UInt64 | Kind::UInt32 | Kind::Fixed64 | Kind::Fixed32 => Default::UInt(0),
            Kind::Bool => Default::Bool(false),
            Kind::String => Default::String("".into()),
            Kind::Bytes => Default::Bytes(Box::new([])),
            Kind::Enum(_) => Default::Enum(enumeration?.values.first()?.number),
            Kind::Message(_) | Kind::Group(_) => return None,
        })
    }

    /// Reads the text of a descriptor (descriptor.proto, `default_value`). Returns `None` if it is
    /// no value of the type.
    pub fn read(text: &str, kind: Kind, enumeration: Option<&Enum>) -> Option<Default> {
        Some(match kind {
            Kind::Double => Default::Double(float(text)?),
            // Parsing goes through binary64, as in compilers: a descriptor has the shortest text of
            // the binary32.
            Kind::Float => Default::Float(match text {
                "inf" => f32::INFINITY,
                "-inf" => f32::NEG_INFINITY,
                "nan" | "-nan" => f32::NAN,
                _ => text.parse().ok()?,
            }),
            Kind::Int64 | Kind::SFixed64 | Kind::SInt64 => Default::Int(text.parse().ok()?),
            Kind::Int32 | Kind::SFixed32 | Kind::SInt32 => Default::Int(text.parse::<i32>().ok()?.into()),
            Kind::UInt64 | Kind::Fixed64 => Default::UInt(text.parse().ok()?),
            Kind::UInt32 | Kind::Fixed32 => Default::UInt(text.parse::<u32>().ok()?.into()),
            Kind::Bool => Default::Bool(text.parse().ok()?),
            Kind::String => Default::String(text.into()),
            Kind::Bytes => Default::Bytes(unescape(text)?.into()),
            Kind::Enum(_) => Default::Enum(enumeration?.by_name(text)?.number),
            Kind::Message(_) | Kind::Group(_) => return None,
        })
    }

    /// Returns whether the value is the default of its type, which implicit presence does not
    /// write. Negative zero is not.
    pub fn is_zero(&self) -> bool {
        match self {
            Default::Double(value) => value.to_bits() == 0,
            Default::Float(value) => value.to_bits() == 0,
            Default::Int(value) => *value == 0,
            Default::UInt(value) => *value == 0,
            Default::Bool(value) => !value,
            Default::String(value) => value.is_empty(),
            Default::Bytes(value) => value.is_empty(),
            Default::Enum(value) => *value == 0,
        }
    }
}

fn float(text: &str) -> Option<f64> {
    Some(match text {
        "inf" => f64::INFINITY,
        "-inf" => f64::NEG_INFINITY,
        "nan" | "-nan" => f64::NAN,
        _ => text.parse().ok()?,
    })
}

/// Returns the bytes of a text with C escapes; Unicode escapes become UTF-8.
pub(crate) fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let [escape, tail @ ..] = rest else { return None };
        rest = tail;
        bytes.push(match escape {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => *escape,
            b'u' | b'U' => {
                let count = if *escape == b'u' { 4 } else { 8 };
                let digits =
                    std::str::from_utf8(rest.get(..count)?).ok().filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
                rest = &rest[count..];
                let letter = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
                bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            b'0'..=b'7' => digits(*escape, &mut rest, 8, 2)?,
            b'x' | b'X' => {
                let [first, tail @ ..] = rest else { return None };
                rest = tail;
                digits(*first, &mut rest, 16, 1)?
            }
            _ => return None,
        });
    }
    Some(bytes)
}

/// Reads a number of the digit `first` and at most `more` others.
fn digits(first: u8, rest: &mut &[u8], radix: u32, more: usize) -> Option<u8> {
    let mut value = char::from(first).to_digit(radix)?;
    for _ in 0..more {
        let Some(digit) = rest.first().and_then(|byte| char::from(*byte).to_digit(radix)) else { break };
        value = value * radix + digit;
        *rest = &rest[1..];
    }
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_c() {
        assert_eq!(unescape("a\\000b\\xfe\\n\\\"\\\\\\7x\\377").unwrap(), b"a\0b\xfe\n\"\\\x07x\xff");
        assert_eq!(unescape("\\u00e4\\U0001F980").unwrap(), "ä🦀".as_bytes());
        assert!(unescape("\\u12").is_none() && unescape("\\ud800").is_none());
        assert!(unescape("\\").is_none() && unescape("\\x").is_none() && unescape("\\777").is_none() && unescape("\\q").is_none());
    }

    #[test]
    fn a_default_is_of_its_type() {
        assert_eq!(Default::read("-5", Kind::Int32, None), Some(Default::Int(-5)));
        assert_eq!(Default::read("4294967296", Kind::UInt32, None), None);
        assert_eq!(Default::read("-inf", Kind::Float, None), Some(Default::Float(f32::NEG_INFINITY)));
        assert_eq!(Default::read("1e3", Kind::Double, None), Some(Default::Double(1000.0)));
    }
}
