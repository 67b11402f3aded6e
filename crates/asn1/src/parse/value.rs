//! Values.

use super::types::is_value_word;
use super::{By, Parsed, Parser};
use crate::lex::Kind;
use crate::syntax::{Value, ValueKind};

impl Parser<'_> {
    /// Parses a value as far as its form is clear without its type.
    pub fn value(&mut self) -> Parsed<Value> {
        self.deeper(|parser| {
            let start = parser.at;
            let kind = parser.value_kind().by("X.680 17.7")?;
            Ok(Value { at: parser.place_from(start), span: parser.span_from(start), kind })
        })
    }

    fn value_kind(&mut self) -> Parsed<ValueKind> {
        let word = self.peek();
        let simple = match word.kind {
            Kind::Sign('{') => {
                self.balanced()?;
                return Ok(ValueKind::Braces);
            }
            Kind::Sign('-') => {
                self.at += 1;
                match self.peek().kind {
                    Kind::Number => ValueKind::Number(true),
                    Kind::Real => ValueKind::Real(true),
                    _ => return Err(self.expected("a number")),
                }
            }
            Kind::Number => ValueKind::Number(false),
            Kind::Real => ValueKind::Real(false),
            Kind::Text => ValueKind::Text,
            Kind::Bits => ValueKind::Bits,
            Kind::Hex => ValueKind::Hex,
            Kind::Upper => match self.text(word) {
                "TRUE" => ValueKind::Boolean(true),
                "FALSE" => ValueKind::Boolean(false),
                "NULL" if self.ahead(1).kind != Kind::Sign(':') => ValueKind::Null,
                text if is_value_word(text) => ValueKind::Special,
                _ => return self.upper_value(),
            },
            Kind::Lower => return self.lower_value(),
            Kind::Sign('[') => return self.open_value(),
            _ => return Err(self.expected("a value")),
        };
        self.at += 1;
        Ok(simple)
    }

    fn lower_value(&mut self) -> Parsed<ValueKind> {
        if self.ahead(1).kind == Kind::Sign(':') {
            let name = self.name();
            self.at += 1;
            return Ok(ValueKind::Choice(name, Box::new(self.value()?)));
        }
        self.referred()
    }

    /// Parses a reference, or a field of what it refers to.
    fn referred(&mut self) -> Parsed<ValueKind> {
        let reference = self.reference()?;
        let mut fields = Vec::new();
        while self.is_sign('.') && matches!(self.ahead(1).kind, Kind::UpperField | Kind::LowerField) {
            self.at += 1;
            fields.push(self.name());
        }
        Ok(if fields.is_empty() { ValueKind::Reference(reference) } else { ValueKind::Field(reference, fields) })
    }

    fn upper_value(&mut self) -> Parsed<ValueKind> {
        let start = self.at;
        if self.ahead(1).kind == Kind::Sign('.') && self.ahead(2).kind == Kind::Lower {
            return self.referred();
        }
        let ty = self.ty()?;
        if self.is_sign(':') {
            self.at += 1;
            return Ok(ValueKind::Open(Box::new(ty), Box::new(self.value()?)));
        }
        self.at = start;
        match self.referred()? {
            field @ ValueKind::Field(..) => Ok(field),
            _ => {
                self.at = start;
                Err(self.expected("a value"))
            }
        }
    }

    fn open_value(&mut self) -> Parsed<ValueKind> {
        let ty = self.ty()?;
        self.expect_sign(':')?;
        Ok(ValueKind::Open(Box::new(ty), Box::new(self.value()?)))
    }
}
