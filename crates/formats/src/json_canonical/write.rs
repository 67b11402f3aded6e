//! Events to canonical JSON text.

use polywire_core::value::lexical::spells_float;
use polywire_core::value::nearest_f64;
use polywire_core::walk::Forward;
use polywire_core::{Error, Hint, Losses, Lost, Needs, Next, Open, Result, Scalar, Sink, Span, Spelling, Str, Writer};

use super::{number, order};
use crate::json::JsonWriter;

const ROUNDED: &str = "number rounded to the nearest 64-bit float";

/// Writes canonical JSON: the values of the JSON writer, with numbers as ECMAScript prints them and
/// the names of each object in order.
#[derive(Debug, Default)]
pub struct CanonicalWriter {
    json: JsonWriter,
    compact: Vec<u8>,
    losses: Losses,
    /// Span of the first container of the message.
    at: Span,
}

impl CanonicalWriter {
    /// Writes a number as the nearest binary64 number (RFC 8785 3.1, RFC 7493 2.2). `whole` has the
    /// digits of an integer.
    fn number(&mut self, value: f64, whole: Option<&str>, at: Span) -> Result<()> {
        let text = number::text(value);
        if whole.is_some_and(|digits| digits != text) {
            self.losses.rounded(ROUNDED, at);
        }
        self.text(&text, value, at)
    }

    /// Writes a number by its text.
    fn text(&mut self, text: &str, value: f64, at: Span) -> Result<()> {
        if spells_float(text) {
            let spelling = Spelling::digits(text);
            return Sink::scalar(&mut self.json, Scalar::F64(value, Hint::new(&spelling)), at);
        }
        Sink::scalar(&mut self.json, Scalar::big(Str::Scratch(text)), at)
    }

    /// Writes a number that is given by its digits.
    fn large(&mut self, digits: &str, whole: Option<&str>, hint: Hint<'_>, at: Span) -> Result<()> {
        let Some(value) = nearest_f64(digits, hint) else {
            self.losses.value("number beyond 64-bit floats became text", at);
            return Sink::scalar(&mut self.json, Scalar::Text(Str::Scratch(digits)), at);
        };
        self.number(value, whole, at)
    }

    fn float(&mut self, value: f64, at: Span) -> Result<()> {
        if !value.is_finite() {
            return Sink::scalar(&mut self.json, Scalar::f64(value), at);
        }
        let text = number::text(value);
        if value == 0.0 && value.is_sign_negative() {
            self.losses.value("minus zero became zero", at);
        } else if !spells_float(&text) {
            // Also beyond 64-bit integers: up to 1e+21 the text is that of a large integer.
            self.losses.integer(at);
        }
        self.text(&text, value, at)
    }
}

impl<'m> Forward<'m> for CanonicalWriter {
    type To = JsonWriter;

    fn to(&mut self) -> &mut JsonWriter {
        &mut self.json
    }

    fn needs(&self) -> Needs {
        Sink::needs(&self.json)
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if self.at == Span::NONE {
            self.at = at;
        }
        Sink::open(&mut self.json, open, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        /// Whole numbers up to this are exact (RFC 7493 2.2).
        const EXACT: u64 = 1 << 53;
        match value {
            Scalar::UInt(value, _) if value > EXACT => self.number(value as f64, Some(itoa::Buffer::new().format(value)), at),
            Scalar::Int(value, _) if value.unsigned_abs() > EXACT => self.number(value as f64, Some(itoa::Buffer::new().format(value)), at),
            Scalar::F64(value, _) => self.float(value, at),
            Scalar::F32(value, _) => self.float(f64::from(value), at),
            Scalar::Big(digits, hint) => self.large(digits.get(), Some(digits.get()), hint, at),
            Scalar::Decimal(digits, hint) => {
                if nearest_f64(digits.get(), hint).is_some() {
                    self.losses.rounded(ROUNDED, at);
                }
                self.large(digits.get(), None, hint, at)
            }
            other => Sink::scalar(&mut self.json, other, at),
        }
    }
}

impl Writer for CanonicalWriter {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.compact.clear();
        self.json.finish(&mut self.compact)?;
        let compact =
            std::str::from_utf8(&self.compact).map_err(|_| Error::internal("JSON text that is no UTF-8").format_is(super::NAME))?;
        for _ in 0..order::put(compact, out)? {
            self.losses.value("entry dropped, because an earlier one has its key", self.at);
        }
        self.at = Span::NONE;
        Ok(())
    }

    fn reset(&mut self) {
        self.json.reset();
        self.losses.clear();
        self.at = Span::NONE;
    }

    fn losses(&mut self) -> Vec<Lost> {
        let mut lost = self.json.losses();
        lost.extend(self.losses.take());
        lost
    }
}
