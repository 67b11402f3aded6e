//! The text of a map's key: equal keys have equal text, and keys of different kinds have not.

use std::fmt::Write;

use crate::value::same::decimal;
use crate::walk::event::{Open, Scalar};
use crate::walk::track::key_text;

/// Writes keys that are no names. Containers are compared by their contents in order.
#[derive(Debug, Default)]
pub struct KeyText {
    text: String,
    /// Brackets that close the containers that are open.
    ends: String,
}

impl KeyText {
    /// Makes the text of a key that is a scalar.
    pub fn of_scalar(value: &Scalar<'_, '_>) -> String {
        let mut key = KeyText::default();
        key.scalar(value);
        key.text
    }

    /// Adds the start of a container.
    pub fn open(&mut self, open: Open<'_>) {
        self.comma();
        let (start, end) = match open {
            Open::Map(_) | Open::Record { .. } => ('{', '}'),
            Open::Tagged { space, code } => {
                let _ = write!(self.text, "{space:?} {code}");
                ('(', ')')
            }
            Open::Variant { name, .. } => {
                let _ = write!(self.text, "{name:?}");
                ('(', ')')
            }
            _ => ('[', ']'),
        };
        self.text.push(start);
        self.ends.push(end);
    }

    /// Adds the name of a field, whose value follows.
    pub fn field(&mut self, name: &str) {
        self.comma();
        let _ = write!(self.text, "{name:?}:");
    }

    /// Adds a value that has no parts.
    pub fn scalar(&mut self, value: &Scalar<'_, '_>) {
        self.comma();
        match value {
            Scalar::Bytes(bytes) => self.bytes(bytes.get()),
            Scalar::Octets(bytes) => {
                self.text.push_str("octets ");
                self.bytes(bytes.get());
            }
            Scalar::Decimal(text, _) => {
                let (negative, digits, exponent) = decimal(text.get());
                _ = write!(self.text, "{}{digits}e{exponent}", if negative { "-" } else { "" });
            }
            // The integer 1 and the float 1.0 are two keys; the float of either width is one.
            Scalar::F64(value, _) => _ = write!(self.text, "{value:?}"),
            Scalar::F32(value, _) => _ = write!(self.text, "{:?}", f64::from(*value)),
            value => self.text.push_str(&key_text(value)),
        }
    }

    /// Adds a part of text or bytes.
    pub fn part(&mut self, bytes: &[u8]) {
        self.comma();
        self.bytes(bytes);
    }

    /// Ends the innermost container.
    pub fn close(&mut self) {
        self.text.extend(self.ends.pop());
    }

    /// Returns the text.
    pub fn finish(self) -> String {
        self.text
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.text.push_str("h'");
        for byte in bytes {
            let _ = write!(self.text, "{byte:02x}");
        }
        self.text.push('\'');
    }

    fn comma(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(['[', '{', '(', ':']) {
            self.text.push(',');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::event::{Len, Str};

    #[test]
    fn keys_of_other_kinds_and_contents_have_other_text() {
        let text = |bytes: &'static [u8]| KeyText::of_scalar(&Scalar::Bytes(Str::Input(bytes)));
        assert_eq!(text(&[1, 0xab]), "h'01ab'");
        assert_ne!(text(b"0123456789abcdef0"), text(b"0123456789abcdef1"));
        assert_eq!(KeyText::of_scalar(&Scalar::Text(Str::Input("1"))), "\"1\"");
        assert_eq!(KeyText::of_scalar(&Scalar::uint(1)), "1");
        assert_eq!(KeyText::of_scalar(&Scalar::f64(1.0)), "1.0");
        assert_eq!(KeyText::of_scalar(&Scalar::f64(f64::from(0.1f32))), KeyText::of_scalar(&Scalar::f32(0.1)));
        let decimal = |text: &'static str| KeyText::of_scalar(&Scalar::decimal(Str::Input(text)));
        assert_eq!(decimal("1.50"), decimal("15e-1"));
        assert_ne!(decimal("1.5"), KeyText::of_scalar(&Scalar::f64(1.5)));
        assert_ne!(decimal("-1.5"), decimal("1.5"));
        assert_ne!(KeyText::of_scalar(&Scalar::Octets(Str::Input(b"a"))), text(b"a"));
        let mut key = KeyText::default();
        key.open(Open::List(Len::Unknown));
        key.scalar(&Scalar::uint(1));
        key.open(Open::Record { name: "", len: Len::Unknown });
        key.field("a:");
        key.open(Open::Tagged { space: "x", code: 7 });
        key.scalar(&Scalar::Null);
        key.close();
        key.field("b");
        key.scalar(&Scalar::Text(Str::Input("[")));
        key.close();
        key.scalar(&Scalar::Text(Str::Input("")));
        key.close();
        assert_eq!(key.finish(), r#"[1,{"a:":"x" 7(null),"b":"["},""]"#);
    }
}
