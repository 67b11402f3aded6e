//! Values without components, as characters or empty elements.

use num_bigint::BigInt;
use polywire_core::value::binary64;
use polywire_core::{Error, ErrorKind, Result, Scalar, Span, Str};

use super::super::markup::{TagKind, shortened};
use super::{Around, Walk};
use crate::model::{Kind, StringKind, TypeId};
use crate::walk::scalars::{self, Contents};
use crate::walk::{Op, checks, octets, raise};

/// White space of XML.
const WHITE: [char; 4] = [' ', '\t', '\n', '\r'];

impl<'m> Walk<'_, 'm> {
    /// Reads the characters of an element without white space around them, and where they stand.
    fn trimmed(&mut self, around: Around<'m>) -> Result<(Str<'m, 'static, str>, Span, usize)> {
        let (text, span, start) = self.text_of(around, false)?;
        Ok(match text {
            Some(text) => {
                let found = text.trim_matches(WHITE);
                let start = start + (text.len() - text.trim_start_matches(WHITE).len());
                let at = self.offset(start);
                (Str::Input(found), Span::new(at, at + found.len() as u64), start)
            }
            // Characters that were put together are few.
            None => (Str::Input(""), span, start),
        })
    }

    /// Reads the characters of an element. Without a value they are in `characters`.
    fn text_of(&mut self, around: Around<'m>, controls: bool) -> Result<(Option<&'m str>, Span, usize)> {
        let start = self.markup.at;
        self.characters.clear();
        let text = if around.empty { Some("") } else { self.markup.characters(self.characters, controls)? };
        Ok((text, self.span(start), start))
    }

    /// Reads a word: characters without white space around them. `take` gets it, with its offset.
    fn short<T>(&mut self, around: Around<'m>, take: impl FnOnce(&mut Self, &str, Span, usize) -> Result<T>) -> Result<T> {
        let (text, span, start) = self.trimmed(around)?;
        if self.characters.is_empty() {
            return take(self, text.get(), span, start);
        }
        let made = std::mem::take(self.characters);
        let result = take(self, made.trim_matches(WHITE), span, start);
        *self.characters = made;
        result
    }

    /// Returns whether the value in an element is an element.
    fn holds_element(&mut self, around: Around<'m>) -> Result<bool> {
        Ok(!around.empty && self.markup.is_tag()? && self.markup.peek()?.kind != TagKind::End)
    }

    pub(super) fn integer(&mut self, ty: TypeId, around: Around<'m>) -> Result<()> {
        let plan = self.plan;
        let names = if let Kind::Integer(names) = &plan.model().ty(ty).kind { &names[..] } else { &[] };
        if self.holds_element(around)? {
            let (name, span) = self.word(around, "a whole number")?;
            let Some((_, number)) = names.iter().find(|(known, _)| known == name) else {
                return Err(self.misnamed(name, span).expected("a whole number, or the name of one"));
            };
            self.octets.clear();
            octets::put_integer(*number, self.octets);
            let scalar = raise::integer(self.octets, span.start, self.budget, self.text)?;
            self.sink.scalar(scalar, span)?;
            return self.end(around).map(drop);
        }
        self.short(around, |walk, text, span, start| {
            walk.budget.digits(text.len(), span.start)?;
            walk.octets.clear();
            if put_whole(text, walk.octets).is_none() {
                let error = walk.markup.error(start, format!("`{}`", shortened(text)));
                return Err(error.expected("a whole number without a plus sign and leading zeros"));
            }
            if walk.checked && plan.node(ty).constrained || walk.guesses && !names.is_empty() {
                walk.judge(ty, 0, span, start)?;
            }
            let scalar = raise::integer(walk.octets, span.start, walk.budget, walk.text)?;
            walk.sink.scalar(scalar, span)
        })?;
        self.end(around).map(drop)
    }

    pub(super) fn enumerated(&mut self, index: u32, around: Around<'m>) -> Result<()> {
        let known = &self.plan.enumerations[index as usize];
        let (name, span) = self.word(around, "the element of an enumerator")?;
        match known.named(name) {
            Some(found) => self.sink.scalar(Scalar::Text(Str::Scratch(&known.items[found as usize].0)), span)?,
            // An enumerator of a later version.
            None if known.extensible => self.sink.scalar(Scalar::Text(Str::Input(name)), span)?,
            None => {
                let names: Vec<&str> = known.items.iter().take(8).map(|(name, _)| &**name).collect();
                let more = if known.items.len() > 8 { ", …" } else { "" };
                return Err(self.misnamed(name, span).expected(format!("an enumerator: {}{more}", names.join(", "))));
            }
        }
        self.end(around).map(drop)
    }

    pub(super) fn real(&mut self, around: Around<'m>) -> Result<()> {
        if self.holds_element(around)? {
            let (name, span) = self.word(around, "a number")?;
            let special = match name {
                "PLUS-INFINITY" => f64::INFINITY,
                "MINUS-INFINITY" => f64::NEG_INFINITY,
                "NOT-A-NUMBER" => f64::NAN,
                _ => return Err(self.misnamed(name, span).expected("a number, <PLUS-INFINITY/>, <MINUS-INFINITY/> or <NOT-A-NUMBER/>")),
            };
            self.sink.scalar(Scalar::f64(special), span)?;
            return self.end(around).map(drop);
        }
        self.short(around, |walk, text, span, start| {
            walk.budget.digits(text.len(), span.start)?;
            let digits = octets::json_digits(text).filter(|_| !text.starts_with(['+', ' ']) && !text.contains(','));
            let Some(digits) = digits else {
                return Err(walk.markup.error(start, format!("`{}`", shortened(text))).expected("a number"));
            };
            match binary64(&digits) {
                Some(value) => walk.sink.scalar(Scalar::f64(value), span),
                None if digits.contains(['.', 'e']) => walk.sink.scalar(Scalar::decimal(Str::Scratch(&digits)), span),
                None => walk.sink.scalar(Scalar::decimal(Str::Scratch(&format!("{digits}.0"))), span),
            }
        })?;
        self.end(around).map(drop)
    }

    pub(super) fn bits(&mut self, ty: TypeId, index: u32, around: Around<'m>) -> Result<()> {
        let plan = self.plan;
        let start = self.markup.at;
        let count = if self.holds_element(around)? { self.named_bits(index, around)? } else { self.digits_of_bits(around)? };
        let span = self.span(start);
        self.judge(ty, count, span, start)?;
        let contents = Contents { octets: Str::Scratch(&self.octets[..]), bits: count, at: span.start, span };
        let entered = scalars::emit(plan, plan.node(ty).op, contents, self.sink, self.budget, self.text)?;
        self.stopped = !entered;
        if self.stopped { Ok(()) } else { self.end(around).map(drop) }
    }

    /// Reads bits as digits, into the octets at hand. Returns their number.
    fn digits_of_bits(&mut self, around: Around<'m>) -> Result<u64> {
        let (text, _, start) = self.text_of(around, false)?;
        self.octets.clear();
        let mut count = 0;
        for (at, byte) in text.unwrap_or(self.characters).bytes().enumerate() {
            let bit = match byte {
                b'0' => 0,
                b'1' => 0x80,
                b' ' | b'\t' | b'\n' | b'\r' => continue,
                _ => return Err(self.markup.wrong(if text.is_some() { start + at } else { start }, "0 or 1")),
            };
            if count % 8 == 0 {
                self.octets.push(0);
            }
            if let Some(last) = self.octets.last_mut() {
                *last |= bit >> (count % 8);
            }
            count += 1;
        }
        Ok(count)
    }

    /// Reads bits as elements of their names.
    fn named_bits(&mut self, index: u32, around: Around<'m>) -> Result<u64> {
        let shape = &self.plan.bits[index as usize];
        self.octets.clear();
        while self.holds_element(around)? {
            let (name, span) = self.word(around, "the element of a bit")?;
            let found = shape.names.iter().find(|(known, _)| known == name).and_then(|(_, bit)| usize::try_from(*bit).ok());
            // A module with a higher one costs memory that the message does not have.
            let Some(bit) = found.filter(|bit| *bit < 1 << 20) else {
                return Err(self.misnamed(name, span).expected("0, 1, or the name of a bit"));
            };
            self.budget.item(span.start)?;
            if self.octets.len() <= bit / 8 {
                self.octets.resize(bit / 8 + 1, 0);
            }
            self.octets[bit / 8] |= 0x80 >> (bit % 8);
        }
        let last = self.octets.last().map_or(0, |last| self.octets.len() as u64 * 8 - u64::from(last.trailing_zeros()));
        let count = last.max(shape.least);
        self.octets.resize(usize::try_from(count.div_ceil(8)).unwrap_or(0), 0);
        Ok(count)
    }

    /// Reads hexadecimal digits, into the octets at hand.
    pub(super) fn hexadecimal(&mut self, around: Around<'m>) -> Result<()> {
        let (text, _, start) = self.text_of(around, false)?;
        self.octets.clear();
        if hex_into(text.unwrap_or(self.characters), self.octets) {
            return Ok(());
        }
        let seen = format!("`{}`", shortened(text.unwrap_or(self.characters)));
        Err(self.markup.error(start, seen).expected("hexadecimal digits, two for each octet"))
    }

    pub(super) fn octet_string(&mut self, ty: TypeId, around: Around<'m>) -> Result<()> {
        let start = self.markup.at;
        self.hexadecimal(around)?;
        let span = self.span(start);
        self.judge(ty, 0, span, start)?;
        self.sink.scalar(Scalar::Bytes(Str::Scratch(self.octets)), span)?;
        self.end(around).map(drop)
    }

    pub(super) fn oid(&mut self, ty: TypeId, around: Around<'m>) -> Result<()> {
        let relative = self.plan.node(ty).op == Op::RelativeOid;
        self.short(around, |walk, text, span, start| {
            walk.octets.clear();
            if octets::put_oid_text(text, relative, walk.octets).is_none() {
                let error = walk.markup.error(start, format!("`{}`", shortened(text)));
                return Err(error.expected(if relative { "arcs with points between" } else { "arcs with points between, as 1.2.840" }));
            }
            walk.judge(ty, 0, span, start)?;
            walk.sink.scalar(Scalar::Text(Str::Scratch(text)), span)
        })?;
        self.end(around).map(drop)
    }

    /// Reads characters, a time or an OID-IRI.
    pub(super) fn string(&mut self, ty: TypeId, around: Around<'m>) -> Result<()> {
        let node = self.plan.node(ty);
        let is_text = matches!(node.op, Op::Text(kind) if !matches!(kind, StringKind::UtcTime | StringKind::GeneralizedTime));
        if !is_text {
            return self.time(ty, around);
        }
        let (text, span, start) = self.text_of(around, true)?;
        if let Op::Text(kind) = node.op
            && self.checked
            && node.constrained
        {
            self.octets.clear();
            checks::put_counted(kind, text.unwrap_or(self.characters), self.octets);
            self.judge(ty, 0, span, start)?;
        }
        let text = match text {
            Some(text) => Str::Input(text),
            None => Str::Scratch(&self.characters[..]),
        };
        self.sink.scalar(Scalar::Text(text), span)?;
        self.end(around).map(drop)
    }

    fn time(&mut self, ty: TypeId, around: Around<'m>) -> Result<()> {
        let op = self.plan.node(ty).op;
        self.short(around, |walk, text, span, start| match op {
            Op::Text(kind) => {
                let scalar = raise::text(kind, Str::Scratch(text.as_bytes()), span.start, walk.budget, walk.text)?;
                walk.sink.scalar(scalar, span)
            }
            Op::Time(kind) if !scalars::is_time(kind, text) => {
                let error = Error::data(ErrorKind::Syntax, walk.offset(start)).seen(format!("`{}`", shortened(text)));
                Err(error.expected(kind.keyword()))
            }
            _ => walk.sink.scalar(Scalar::Text(Str::Scratch(text)), span),
        })?;
        self.end(around).map(drop)
    }
}

/// Appends the octets of hexadecimal digits, with white space between. Returns false if the text
/// has something else, or half an octet.
pub(super) fn hex_into(text: &str, out: &mut Vec<u8>) -> bool {
    let mut half = None;
    for byte in text.bytes().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
        let Some(digit) = char::from(byte).to_digit(16) else { return false };
        half = match half {
            None => Some(digit as u8),
            Some(high) => {
                out.push(high << 4 | digit as u8);
                None
            }
        };
    }
    half.is_none()
}

/// Appends the contents octets of a whole number.
pub(super) fn put_whole(digits: &str, out: &mut Vec<u8>) -> Option<()> {
    let number = digits.strip_prefix('-').unwrap_or(digits);
    let is_plain =
        !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()) && (number.len() == 1 || !number.starts_with('0'));
    if !is_plain {
        return None;
    }
    match digits.parse() {
        Ok(number) => octets::put_integer(number, out),
        // Longer numbers take quadratic time.
        Err(_) if digits.len() > 4096 => return None,
        Err(_) => out.extend_from_slice(&digits.parse::<BigInt>().ok()?.to_signed_bytes_be()),
    }
    Some(())
}
