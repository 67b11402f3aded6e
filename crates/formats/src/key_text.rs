//! Conversion of keys that are no text into text, for formats whose keys are text.
//!
//! A scalar becomes its JSON text without quotes, a container its compact JSON text. Different keys
//! may become the same text: the caller notes a loss.

use polywire_core::{Error, Field, Open, Result, Scalar, Sink, Span, Str, Writer};

use crate::json::JsonWriter;

/// Makes text of the events of a key.
#[derive(Debug, Default)]
pub(crate) struct KeyText {
    json: JsonWriter,
    depth: usize,
    bytes: Vec<u8>,
}

impl KeyText {
    /// Returns true while a key that is a container is open: its events belong here.
    pub(crate) fn is_open(&self) -> bool {
        self.depth > 0
    }

    /// Opens a container: the key itself, or one inside of it.
    ///
    /// # Errors
    /// Its keys are containers too deep within each other, or too long.
    pub(crate) fn open(&mut self, open: Open<'_>, at: Span) -> Result<()> {
        self.json.open(open, at)?;
        self.depth += 1;
        Ok(())
    }

    /// Adds the name of a value inside of the key.
    pub(crate) fn field(&mut self, field: Field<'_, '_>) -> Result<()> {
        self.json.field(field, Span::NONE).map(|_| ())
    }

    /// Adds a scalar inside of the key.
    pub(crate) fn inner(&mut self, value: Scalar<'_, '_>) -> Result<()> {
        self.json.scalar(value, Span::NONE)
    }

    /// Closes a container. Returns the text if the container was the key.
    pub(crate) fn close(&mut self, at: Span) -> Result<Option<&str>> {
        self.json.close(at)?;
        self.depth -= 1;
        if self.depth > 0 { Ok(None) } else { self.finish().map(Some) }
    }

    /// Returns the text of a key that is a scalar.
    pub(crate) fn scalar(&mut self, value: Scalar<'_, '_>) -> Result<&str> {
        if let Scalar::Text(text) = value {
            self.bytes.clear();
            self.bytes.extend_from_slice(text.get().as_bytes());
            return self.text();
        }
        if let Scalar::Octets(octets) = value
            && let Ok(text) = std::str::from_utf8(octets.get())
        {
            return self.scalar(Scalar::Text(Str::Scratch(text)));
        }
        self.json.scalar(value, Span::NONE)?;
        let text = self.finish()?;
        // The remaining strings are times and base64, which need no escapes.
        Ok(text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text))
    }

    /// Drops an unfinished key.
    pub(crate) fn reset(&mut self) {
        self.json.reset();
        self.depth = 0;
    }

    fn finish(&mut self) -> Result<&str> {
        self.bytes.clear();
        self.json.finish(&mut self.bytes)?;
        self.json.losses();
        self.text()
    }

    fn text(&self) -> Result<&str> {
        std::str::from_utf8(&self.bytes).map_err(|_| Error::internal("JSON that is no UTF-8"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polywire_core::Len;

    #[test]
    fn keys_become_their_json_text() {
        let mut key = KeyText::default();
        for (scalar, text) in [
            (Scalar::uint(5), "5"),
            (Scalar::int(-5), "-5"),
            (Scalar::f64(0.5), "0.5"),
            (Scalar::f64(f64::NAN), "null"),
            (Scalar::Bool(true), "true"),
            (Scalar::Null, "null"),
            (Scalar::Bytes(Str::Scratch(&[0, 255])), "AP8="),
            (Scalar::Octets(Str::Scratch(b"\"a\"")), "\"a\""),
            (Scalar::Text(Str::Scratch("b\n")), "b\n"),
        ] {
            assert_eq!(key.scalar(scalar).unwrap(), text);
        }
        key.open(Open::List(Len::Unknown), Span::NONE).unwrap();
        key.open(Open::Map(Len::Unknown), Span::NONE).unwrap();
        key.field(Field::named(Str::Scratch("a"))).unwrap();
        key.inner(Scalar::uint(1)).unwrap();
        assert_eq!(key.close(Span::NONE).unwrap(), None);
        assert!(key.is_open());
        assert_eq!(key.close(Span::NONE).unwrap(), Some("[{\"a\":1}]"));
        assert!(!key.is_open());
    }
}
