//! SEQUENCE, SET, SEQUENCE OF, SET OF and CHOICE (X.697 27 to 31), and the values that choose rows
//! of tables.

use num_bigint::BigInt;
use polywire_core::{Error, ErrorKind, Field, Len, Next, Note, Open, Result, Scalar, Str};
use polywire_json::cursor::Text;
use polywire_json::scan::{Scan, Token};

use super::{Frame, Walk, opaque, shortened};
use crate::model::TypeId;
use crate::walk::plan::{Occurrence, Structure};
use crate::walk::{Op, Plan, checks, octets};

/// Deepest choice within choices that chooses a row.
const DEEPEST_KEY: u32 = 8;

impl<'m> Walk<'_, 'm> {
    pub(super) fn structure(&mut self, ty: TypeId, index: u32) -> Result<()> {
        let (token, start) = self.token()?;
        if token != Token::Object {
            return Err(self.misfit(ty, token, "an object", start));
        }
        self.budget.enter(self.offset(start))?;
        self.scan.cursor.at += 1;
        let span = self.span(start);
        if !self.open(Open::Record { name: "", len: Len::Unknown }, start, span)? {
            self.budget.leave();
            return Ok(());
        }
        let known = self.plan.structure(index);
        self.keys.enter();
        if known.has_keys {
            self.find_keys(known, DEEPEST_KEY);
        }
        let seen = self.seen.len();
        self.seen.resize(seen + known.components.len(), false);
        self.members(index, seen, 0, true)
    }

    /// Reads members up to the first whose value is under way. `first` is true behind the brace.
    pub(super) fn members(&mut self, structure: u32, seen: usize, mut next: u32, mut first: bool) -> Result<()> {
        let plan = self.plan;
        let known = plan.structure(structure);
        loop {
            if self.ended(first, b'}', "',' or '}'")? {
                return self.structure_end(known, seen);
            }
            first = false;
            self.scan.cursor.white();
            let start = self.scan.cursor.at;
            let name = self.scan.string()?;
            let span = self.span(start);
            let found = match name {
                Text::Plain(name) => known.written_as(name, next),
                Text::Unescaped => known.written_as(&self.scan.scratch, next),
            };
            self.scan.expect(b':', "':'")?;
            let Some(index) = found else {
                self.addition(known, name, start)?;
                continue;
            };
            next = index + 1;
            let component = &known.components[index as usize];
            if std::mem::replace(&mut self.seen[seen + index as usize], true) {
                let error = Error::data(ErrorKind::DoubledKey, self.offset(start));
                return Err(error.seen(format!("a second member `{}`", known.written(index))).expected("one"));
            }
            self.budget.item(self.offset(start))?;
            let field = Field { slot: Some(index), ..Field::named(Str::Scratch(&component.name)) };
            match self.sink.field(field, span)? {
                Next::Enter => {}
                Next::Skip => {
                    self.skip()?;
                    continue;
                }
                Next::Stop => {
                    self.stopped = true;
                    return Ok(());
                }
            }
            let before = self.frames.len();
            self.frames.push(Frame::Structure { structure, seen, next });
            self.value(component.ty)?;
            // A scalar leaves no frame: on with the next member.
            if self.frames.len() > before + 1 || self.stopped {
                return Ok(());
            }
            self.frames.pop();
        }
    }

    /// Reads what is between two members or elements. Returns true at the end.
    fn ended(&mut self, first: bool, close: u8, expected: &'static str) -> Result<bool> {
        if first {
            return Ok(self.scan.eat(close));
        }
        if self.scan.eat(b',') {
            return Ok(false);
        }
        self.scan.expect(close, expected).map(|()| true)
    }

    /// Reads a member of a later version: its name starts at `start`.
    #[cold]
    fn addition(&mut self, known: &Structure, name: Text<'m>, start: usize) -> Result<()> {
        if !known.extensible {
            let name = match name {
                Text::Plain(name) => name,
                Text::Unescaped => &self.scan.scratch,
            };
            let names: Vec<&str> = (0..known.components.len().min(8) as u32).map(|index| known.written(index).as_str()).collect();
            let more = if known.components.len() > 8 { ", …" } else { "" };
            let error = Error::data(ErrorKind::Syntax, self.offset(start)).seen(format!("the member `{}`", shortened(name)));
            return Err(error.expected(format!("a component: {}{more}", names.join(", "))));
        }
        self.budget.item(self.offset(start))?;
        self.skip()?;
        let text = self.scan.cursor.text;
        let span = self.span(start);
        self.sink.note(Note::Unknown(&text.as_bytes()[start..self.scan.cursor.at]), span)
    }

    fn structure_end(&mut self, known: &Structure, seen: usize) -> Result<()> {
        let at = self.scan.cursor.at - 1;
        let missing = known.components.iter().zip(&self.seen[seen..]).find(|(component, seen)| {
            // A sender of an earlier version has no additions.
            component.presence == Occurrence::Required && component.addition.is_none() && !**seen
        });
        if let Some((component, _)) = missing {
            let error = Error::data(ErrorKind::Syntax, self.offset(at)).seen("the end of the object");
            return Err(error.expected(format!("the component `{}` of type {}", component.name, self.plan.shown(component.ty))));
        }
        self.seen.truncate(seen);
        self.keys.leave();
        self.budget.leave();
        let span = self.span(at);
        self.sink.close(span)
    }

    pub(super) fn list(&mut self, ty: TypeId, element: TypeId) -> Result<()> {
        let (token, start) = self.token()?;
        if token != Token::Array {
            return Err(self.misfit(ty, token, "an array", start));
        }
        self.budget.enter(self.offset(start))?;
        self.scan.cursor.at += 1;
        let span = self.span(start);
        if !self.open(Open::List(Len::Unknown), start, span)? {
            self.budget.leave();
            return Ok(());
        }
        self.elements(ty, element, 0)
    }

    /// Reads elements up to the first that is under way. `count` were read.
    pub(super) fn elements(&mut self, ty: TypeId, element: TypeId, mut count: u64) -> Result<()> {
        loop {
            if self.ended(count == 0, b']', "',' or ']'")? {
                break;
            }
            count += 1;
            let before = self.frames.len();
            self.frames.push(Frame::List { ty, element, count });
            self.value(element)?;
            if self.frames.len() > before + 1 || self.stopped {
                return Ok(());
            }
            self.frames.pop();
        }
        let at = self.scan.cursor.at - 1;
        if self.checked && self.plan.node(ty).constrained {
            let outside = checks::size(&self.plan.model().ty(ty).constraints, count);
            self.check(outside, at)?;
        }
        self.budget.leave();
        let span = self.span(at);
        self.sink.close(span)
    }

    pub(super) fn choice(&mut self, ty: TypeId, index: u32) -> Result<()> {
        let plan = self.plan;
        let choice = plan.choice(index);
        let (token, start) = self.token()?;
        if token != Token::Object {
            return Err(self.misfit(ty, token, "an object of one member", start));
        }
        self.budget.enter(self.offset(start))?;
        self.scan.cursor.at += 1;
        self.scan.cursor.white();
        let at = self.scan.cursor.at;
        let name = self.scan.string()?;
        let name = match name {
            Text::Plain(name) => name,
            Text::Unescaped => &self.scan.scratch,
        };
        let Some(found) = choice.written_as(name) else {
            let name = name.to_string();
            if choice.extensible {
                return self.later(&name, start);
            }
            let names: Vec<&str> = (0..choice.alternatives.len().min(8) as u32).map(|index| choice.written(index).as_str()).collect();
            let more = if choice.alternatives.len() > 8 { ", …" } else { "" };
            let error = Error::data(ErrorKind::Syntax, self.offset(at)).seen(format!("the member `{}`", shortened(&name)));
            return Err(error.expected(format!("an alternative: {}{more}", names.join(", "))));
        };
        self.scan.expect(b':', "':'")?;
        let alternative = &choice.alternatives[found as usize];
        let span = self.span(start);
        if !self.open(Open::Variant { name: &alternative.name, index: found }, start, span)? {
            self.budget.leave();
            return Ok(());
        }
        self.frames.push(Frame::Variant);
        self.value(alternative.ty)
    }

    /// Reads an alternative of a later version, whose value becomes the bytes of its text.
    #[cold]
    fn later(&mut self, name: &str, start: usize) -> Result<()> {
        self.scan.expect(b':', "':'")?;
        let span = self.span(start);
        // No other encoding has an alternative of this index.
        if !self.open(Open::Variant { name, index: u32::MAX }, start, span)? {
            self.budget.leave();
            return Ok(());
        }
        let (_, at) = self.token()?;
        self.budget.item(self.offset(at))?;
        self.skip()?;
        let text = self.scan.cursor.text;
        self.scalar(Scalar::Bytes(Str::Input(&text.as_bytes()[at..self.scan.cursor.at])), at)?;
        self.frames.push(Frame::Variant);
        Ok(())
    }

    /// Looks for the members of an object that choose rows, as they may come behind the values that
    /// need them. Mistakes are left to be found when the members are read.
    fn find_keys(&mut self, known: &Structure, deepest: u32) {
        let start = self.scan.cursor.at;
        let mut left = known.components.iter().filter(|component| component.is_key).count();
        let depth = self.budget.limits().depth;
        let mut look = |walk: &mut Self| -> Result<()> {
            let mut first = true;
            while left > 0 && !walk.ended(first, b'}', "")? {
                first = false;
                walk.scan.cursor.white();
                let name = walk.scan.string()?;
                let found = match name {
                    Text::Plain(name) => known.written_as(name, 0),
                    Text::Unescaped => known.written_as(&walk.scan.scratch, 0),
                };
                walk.scan.expect(b':', "':'")?;
                let component = found.map(|index| &known.components[index as usize]).filter(|component| component.is_key);
                if let (Some(component), Some(index)) = (component, found) {
                    left -= 1;
                    let before = walk.scan.cursor.at;
                    walk.find_key(index, component.ty, deepest);
                    walk.scan.cursor.at = before;
                }
                walk.scan.skip(depth)?;
            }
            Ok(())
        };
        // The walk comes to the same mistake.
        let _ = look(self);
        self.scan.cursor.at = start;
    }

    /// Keeps a value that chooses rows, or the values in it that do.
    fn find_key(&mut self, component: u32, ty: TypeId, deepest: u32) {
        self.octets.clear();
        let Some(found) = key(self.plan, &mut self.scan, ty, self.octets, DEEPEST_KEY) else { return };
        self.keys.begin(component);
        self.keys.put(self.octets);
        if let Some(structure) = found.filter(|_| deepest > 0) {
            self.scan.cursor.at += 1;
            self.keys.enter();
            let known = self.plan.structure(structure);
            if known.has_keys {
                self.find_keys(known, deepest - 1);
            }
            self.keys.leave();
        }
        self.keys.end();
    }
}

/// Appends the contents octets of X.690 of a value that chooses a row; those of a choice follow the
/// index of its alternative. Returns the index of the structure if the value is one.
fn key(plan: &Plan, scan: &mut Scan<'_>, ty: TypeId, out: &mut Vec<u8>, depth: u32) -> Option<Option<u32>> {
    match (plan.node(ty).op, scan.token().ok()?) {
        (Op::Boolean, token @ (Token::True | Token::False)) => out.push(if token == Token::True { 0xff } else { 0 }),
        (Op::Integer, Token::Number) => {
            let (digits, number) = scan.number().ok()?;
            put_whole(digits, out).filter(|()| !number.is_float())?;
        }
        (Op::Structure(index), Token::Object) => return Some(Some(index)),
        (Op::Choice(index), Token::Object) if depth > 0 => {
            let choice = plan.choice(index);
            scan.cursor.at += 1;
            let name = scan.string().ok()?;
            let found = match name {
                Text::Plain(name) => choice.written_as(name)?,
                Text::Unescaped => choice.written_as(&scan.scratch)?,
            };
            scan.expect(b':', "").ok()?;
            out.push(found as u8);
            return key(plan, scan, choice.alternatives[found as usize].ty, out, depth - 1);
        }
        (op, Token::String) => {
            let text = match scan.string().ok()? {
                Text::Plain(text) => text,
                Text::Unescaped => &scan.scratch,
            };
            match op {
                Op::Enumerated(index) => {
                    let known = &plan.enumerations[index as usize];
                    octets::put_integer(known.items[known.written_as(text)? as usize].1, out);
                }
                Op::Oid => octets::put_oid_text(text, false, out)?,
                Op::RelativeOid => octets::put_oid_text(text, true, out)?,
                Op::Octets if plan.model().ty(ty).json.base64 => return opaque::unbase64(text, out).then_some(None),
                Op::Octets => return opaque::unhex(text, out).then_some(None),
                Op::Text(_) => out.extend_from_slice(text.as_bytes()),
                _ => return None,
            }
        }
        _ => return None,
    }
    Some(None)
}

/// Appends the contents octets of a whole number.
pub(super) fn put_whole(digits: &str, out: &mut Vec<u8>) -> Option<()> {
    match digits.parse() {
        Ok(number) => octets::put_integer(number, out),
        // Longer numbers take quadratic time.
        Err(_) if digits.len() > 4096 => return None,
        Err(_) => out.extend_from_slice(&digits.parse::<BigInt>().ok()?.to_signed_bytes_be()),
    }
    Some(())
}
