//! Strings of bits, octets and characters, object identifiers and times (X.697 24, 25, 32 to 40).

use polywire_core::{Error, ErrorKind, Result, Scalar, Str};
use polywire_json::cursor::Text;
use polywire_json::scan::Token;

use super::super::{fixed_bits, opaque};
use super::{Walk, shortened};
use crate::model::{StringKind, TypeId};
use crate::walk::scalars::{self, Contents};
use crate::walk::{LENGTH, Op, VALUE, checks, octets, raise};

impl<'m> Walk<'_, 'm> {
    /// Reads a string of hexadecimal digits, into the octets at hand.
    fn hexadecimal(&mut self) -> Result<()> {
        self.octets_by(opaque::unhex, "hexadecimal digits, two for each octet")
    }

    /// Reads a string that `decode` makes octets of, into those at hand.
    fn octets_by(&mut self, decode: fn(&str, &mut Vec<u8>) -> bool, expected: &'static str) -> Result<()> {
        self.scan.cursor.white();
        let at = self.scan.cursor.at;
        let text = match self.scan.string()? {
            Text::Plain(text) => text,
            Text::Unescaped => &self.scan.scratch,
        };
        self.octets.clear();
        if decode(text, self.octets) {
            return Ok(());
        }
        let error = Error::data(ErrorKind::Syntax, self.offset(at)).seen(format!("`{}`", shortened(text)));
        Err(error.expected(expected))
    }

    pub(super) fn octet_string(&mut self, ty: TypeId) -> Result<()> {
        let (token, start) = self.token()?;
        if token != Token::String {
            return Err(self.misfit(ty, token, "a string of hexadecimal digits", start));
        }
        if self.plan.model().ty(ty).json.base64 {
            self.octets_by(opaque::unbase64, "Base64 (X.697 15)")?;
        } else {
            self.hexadecimal()?;
        }
        self.judge(ty, 0, start)?;
        let span = self.span(start);
        self.sink.scalar(Scalar::Bytes(Str::Scratch(self.octets)), span)
    }

    pub(super) fn bits(&mut self, ty: TypeId) -> Result<()> {
        let plan = self.plan;
        let (token, start) = self.token()?;
        let fixed = fixed_bits(plan, ty);
        let count = match (token, fixed) {
            // Others write a string too where the size is extensible.
            (Token::String, Some((count, _))) => {
                self.hexadecimal()?;
                count
            }
            (Token::Object, _) => self.value_and_length()?,
            (_, Some((_, false))) => return Err(self.misfit(ty, token, "a string of hexadecimal digits", start)),
            _ => return Err(self.misfit(ty, token, "an object of `value` and `length`", start)),
        };
        let octets = self.octets.len() as u64;
        if count.div_ceil(8) != octets {
            let error = Error::data(ErrorKind::Syntax, self.offset(start)).seen(format!("{octets} octets for {count} bits"));
            return Err(error.expected(format!("{} octets (X.697 24)", count.div_ceil(8))));
        }
        if !count.is_multiple_of(8) && self.octets.last().is_some_and(|last| last << (count % 8) != 0) {
            let error = Error::data(ErrorKind::Syntax, self.offset(start)).seen("bits behind the last that are not 0");
            return Err(error.expected("zeros (X.697 24)"));
        }
        self.judge(ty, count, start)?;
        let span = self.span(start);
        let contents = Contents { octets: Str::Scratch(&self.octets[..]), bits: count, at: span.start, span };
        let entered = scalars::emit(plan, plan.node(ty).op, contents, self.sink, self.budget, self.text)?;
        self.stopped = !entered;
        Ok(())
    }

    /// Reads the members of a bit string, the octets into those at hand. Returns the count of bits.
    fn value_and_length(&mut self) -> Result<u64> {
        let start = self.scan.cursor.at;
        self.scan.cursor.at += 1;
        let (mut value, mut length) = (false, None);
        loop {
            self.scan.cursor.white();
            let at = self.scan.cursor.at;
            let name = match self.scan.string()? {
                Text::Plain(name) => name,
                Text::Unescaped => &self.scan.scratch,
            };
            let (is_value, is_length) = (name == VALUE && !value, name == LENGTH && length.is_none());
            if !is_value && !is_length {
                let error = Error::data(ErrorKind::Syntax, self.offset(at)).seen(format!("the member `{}`", shortened(name)));
                return Err(error.expected("`value` and `length`, each once"));
            }
            self.scan.expect(b':', "':'")?;
            let (token, at) = self.token()?;
            if is_value {
                self.hexadecimal()?;
                value = true;
            } else {
                let number = if token == Token::Number {
                    Some(self.scan.number()?.1).filter(|number| !number.is_negative()).and_then(|number| number.whole())
                } else {
                    None
                };
                length = Some(number.ok_or_else(|| self.scan.wrong(at, "the number of bits"))?);
            }
            if !self.scan.eat(b',') {
                break;
            }
        }
        self.scan.expect(b'}', "',' or '}'")?;
        match length {
            Some(length) if value => Ok(length),
            _ => {
                let error = Error::data(ErrorKind::Syntax, self.offset(start)).seen("an object with one of `value` and `length`");
                Err(error.expected("both"))
            }
        }
    }

    pub(super) fn oid(&mut self, ty: TypeId) -> Result<()> {
        let relative = self.plan.node(ty).op == Op::RelativeOid;
        let (text, start) = self.string(ty)?;
        self.octets.clear();
        let found = match text {
            Text::Plain(text) => text,
            Text::Unescaped => &self.scan.scratch,
        };
        if octets::put_oid_text(found, relative, self.octets).is_none() {
            let error = Error::data(ErrorKind::Syntax, self.offset(start)).seen(format!("`{}`", shortened(found)));
            return Err(error.expected(if relative { "arcs with points between" } else { "arcs with points between, as 1.2.840" }));
        }
        self.judge(ty, 0, start)?;
        self.emit_text(text, start)
    }

    /// Emits the string that was read last.
    fn emit_text(&mut self, text: Text<'m>, start: usize) -> Result<()> {
        let span = self.span(start);
        let text = match text {
            Text::Plain(text) => Str::Input(text),
            Text::Unescaped => Str::Scratch(&self.scan.scratch[..]),
        };
        self.sink.scalar(Scalar::Text(text), span)
    }

    /// Reads characters, a time or an OID-IRI.
    pub(super) fn characters(&mut self, ty: TypeId) -> Result<()> {
        let node = self.plan.node(ty);
        let (text, start) = self.string(ty)?;
        let found = match text {
            Text::Plain(text) => text,
            Text::Unescaped => &self.scan.scratch,
        };
        match node.op {
            Op::Text(kind @ (StringKind::UtcTime | StringKind::GeneralizedTime)) => {
                let (at, span) = (self.offset(start), self.span(start));
                let raw = match text {
                    Text::Plain(text) => Str::Input(text.as_bytes()),
                    Text::Unescaped => Str::Scratch(self.scan.scratch.as_bytes()),
                };
                let scalar = raise::text(kind, raw, at, self.budget, self.text)?;
                return self.sink.scalar(scalar, span);
            }
            Op::Text(kind) if self.checked && node.constrained => {
                self.octets.clear();
                checks::put_counted(kind, found, self.octets);
                self.judge(ty, 0, start)?;
            }
            Op::Time(kind) if !scalars::is_time(kind, found) => {
                let error = Error::data(ErrorKind::Syntax, self.offset(start)).seen(format!("`{}`", shortened(found)));
                return Err(error.expected(kind.keyword()));
            }
            _ => {}
        }
        self.emit_text(text, start)
    }
}
