//! INTEGER, ENUMERATED and REAL (X.697 21 to 23).

use polywire_core::value::binary64;
use polywire_core::{Error, ErrorKind, Hint, Result, Scalar, Str};
use polywire_json::cursor::Text;
use polywire_json::number;
use polywire_json::scan::Token;

use super::super::BASE_10;
use super::structures::put_whole;
use super::{Walk, shortened};
use crate::model::{Kind, TypeId};
use crate::walk::{octets, raise};

impl<'m> Walk<'_, 'm> {
    pub(super) fn integer(&mut self, ty: TypeId) -> Result<()> {
        let (token, start) = self.token()?;
        if token != Token::Number {
            return Err(self.misfit(ty, token, "a number", start));
        }
        let (digits, number) = self.scan.number()?;
        if number.is_float() {
            let error = Error::data(ErrorKind::Syntax, self.offset(start)).seen(format!("`{}`", shortened(digits)));
            return Err(error.expected("a whole number without a point and an exponent (X.697 21)"));
        }
        let scalar = match number.integer() {
            Some(scalar) => scalar,
            None => {
                self.budget.digits(digits.len(), self.offset(start))?;
                match number.hinted(digits, Hint::NONE) {
                    // Minus zero is zero.
                    Scalar::F64(..) => Scalar::uint(0),
                    scalar => scalar,
                }
            }
        };
        let is_named = matches!(&self.plan.model().ty(ty).kind, Kind::Integer(names) if !names.is_empty());
        if self.checked && self.plan.node(ty).constrained || self.guesses && is_named {
            self.octets.clear();
            if put_whole(digits, self.octets).is_some() {
                self.judge(ty, 0, start)?;
            }
        }
        self.scalar(scalar, start)
    }

    pub(super) fn enumerated(&mut self, ty: TypeId, index: u32) -> Result<()> {
        let known = &self.plan.enumerations[index as usize];
        let (text, start) = self.string(ty)?;
        let span = self.span(start);
        let name = match text {
            Text::Plain(name) => name,
            Text::Unescaped => &self.scan.scratch,
        };
        match known.written_as(name) {
            Some(found) => self.sink.scalar(Scalar::Text(Str::Scratch(&known.items[found as usize].0)), span),
            // An enumerator of a later version.
            None if known.extensible => self.sink.scalar(Scalar::Text(Str::Scratch(name)), span),
            None => {
                let names: Vec<&str> = (0..known.items.len().min(8) as u32).map(|item| known.written(item).as_str()).collect();
                let more = if known.items.len() > 8 { ", …" } else { "" };
                let error = Error::data(ErrorKind::Syntax, self.offset(start)).seen(format!("`{}`", shortened(name)));
                Err(error.expected(format!("an enumerator: {}{more}", names.join(", "))))
            }
        }
    }

    pub(super) fn real(&mut self, ty: TypeId) -> Result<()> {
        let (token, start) = self.token()?;
        match token {
            Token::Number => {
                let (digits, number) = self.scan.number()?;
                self.budget.digits(digits.len(), self.offset(start))?;
                if number.is_float() {
                    return self.scalar(number.hinted(digits, Hint::NONE), start);
                }
                let span = self.span(start);
                match binary64(digits) {
                    Some(value) => self.sink.scalar(Scalar::f64(value), span),
                    None => self.sink.scalar(Scalar::decimal(Str::Scratch(&format!("{digits}.0"))), span),
                }
            }
            Token::String => {
                let special = match self.scan.string()? {
                    Text::Plain("-0") => -0.0,
                    Text::Plain("INF") => f64::INFINITY,
                    Text::Plain("-INF") => f64::NEG_INFINITY,
                    Text::Plain("NaN") => f64::NAN,
                    _ => return Err(self.misfit(ty, token, "a number, or one of the strings -0, INF, -INF, NaN", start)),
                };
                self.scalar(Scalar::f64(special), start)
            }
            Token::Object => self.base_10(start),
            _ => Err(self.misfit(ty, token, "a number", start)),
        }
    }

    /// Reads a number whose base is ten. Its digits may stand in a string, as others write them.
    fn base_10(&mut self, start: usize) -> Result<()> {
        self.scan.cursor.at += 1;
        self.member(BASE_10)?;
        let (token, at) = self.token()?;
        let digits = match token {
            Token::Number => self.scan.number()?.0,
            Token::String => match self.scan.string()? {
                Text::Plain(digits) if number::is_number(digits.as_bytes()) => digits,
                _ => return Err(self.scan.wrong(at, "the digits of a number")),
            },
            _ => return Err(self.scan.wrong(at, "a number")),
        };
        self.budget.digits(digits.len(), self.offset(at))?;
        self.octets.clear();
        octets::put_decimal(digits, self.octets)
            .ok_or_else(|| raise::bad("a number with an exponent of more than 64 bits", "a smaller one", self.offset(at)))?;
        self.scan.expect(b'}', "'}', as the object has one member")?;
        let (span, at) = (self.span(start), self.offset(at));
        let sink = &mut *self.sink;
        raise::real(self.octets, at, self.budget, |scalar| sink.scalar(scalar, span))
    }
}
