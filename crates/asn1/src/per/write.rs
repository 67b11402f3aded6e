//! Held messages to bits (X.691).
//!
//! The writer makes CANONICAL-PER, which is BASIC-PER too: values that are defaults are left out,
//! and the elements of a SET OF are sorted. A relay keeps the choices of the message that it
//! repeats.

mod times;

use std::sync::Arc;

use polywire_core::value::{Held, Item, View};
use polywire_core::walk::{Path, PathStep};
use polywire_core::{
    Error, ErrorKind, Fault, Field as Name, Limits, Losses, Lost, Needs, Next, Note, Open, Part as Fragment, Result, Scalar, Sink, Span,
    Str, Writer,
};

use super::EXTENSIONS;
use super::bits::BitsOut;
use super::layout::{Characters, Code, Coded, Extra, Field, Form, Layout, Letters, Number, Part, Size, Step};
use crate::model::{StringKind, TypeId};
use crate::walk::checks::{self, Outside};
use crate::walk::keys::Keys;
use crate::walk::lower::{self, Chosen, Enumerator, Given, Value};
use crate::walk::{UNKNOWN, octets};

/// Deepest nesting that the writer takes: it recurses.
const DEEPEST: u32 = Limits::DEFAULT.depth;

/// Most values of a default.
const MOST_VALUES: u64 = 100_000;

/// Number of octets, bits, characters or elements in the unit of fragments (X.691 11.9.3.8).
const FRAGMENT: u64 = 16_384;

/// Writer of messages of one type, in PER.
#[derive(Debug)]
pub struct PerWriter {
    layout: Arc<Layout>,
    held: Held,
    relay: bool,
}

impl PerWriter {
    /// Returns a writer of a layout. A relay writes the messages of a reader of the same layout.
    pub(crate) fn new(layout: Arc<Layout>, relay: bool) -> PerWriter {
        PerWriter { layout, held: Held::new(relay.then_some(UNKNOWN)), relay }
    }
}

impl<'m> Sink<'m> for PerWriter {
    fn needs(&self) -> Needs {
        self.held.needs()
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.held.open(open, at)
    }

    fn field(&mut self, field: Name<'m, '_>, at: Span) -> Result<Next> {
        self.held.field(field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.held.scalar(value, at)
    }

    fn part(&mut self, part: Fragment<'_>, at: Span) -> Result<()> {
        self.held.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.held.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        if let (true, Note::Frame(text)) = (self.relay, note)
            && text.starts_with(EXTENSIONS)
        {
            self.held.tree.field(Name::named(Str::Scratch(UNKNOWN)), at)?;
            return self.held.tree.scalar(Scalar::Text(Str::Scratch(text)), at);
        }
        self.held.note(note, at)
    }
}

impl Writer for PerWriter {
    fn only_one(&self) -> Option<&'static str> {
        Some("write each into a file of its own, since nothing in its bits shows where a message ends")
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let tree = std::mem::take(&mut self.held.tree);
        let Some(root) = tree.root() else { return Err(Error::usage("no value").expected("a message").format_is(self.layout.name)) };
        let mut encode = Encode::new(&self.layout, &mut self.held.losses, self.relay);
        encode.value(self.layout.plan.root(), root).map_err(|error| {
            let error = error.format_is(self.layout.name);
            // The path of the message itself.
            if error.path().is_none() { error.path_is(Path::default()) } else { error }
        })?;
        out.extend_from_slice(encode.complete());
        self.held.tree = tree.recycle();
        Ok(())
    }

    fn reset(&mut self) {
        self.held.reset();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.held.losses()
    }
}

/// Returns the encoding of a default, to which values are compared.
pub(crate) fn alone(layout: &Layout, ty: TypeId, item: Value<'_>) -> Option<Coded> {
    let mut losses = Losses::default();
    let mut encode = Encode::new(layout, &mut losses, false);
    encode.left = Some(MOST_VALUES);
    encode.value(ty, item).ok()?;
    let values = MOST_VALUES - encode.left?;
    Some(Coded { bits: encode.out, values })
}

/// Encoder of one message. Recursion is bounded by `depth`.
struct Encode<'w, 't> {
    layout: &'w Layout,
    losses: &'w mut Losses,
    relay: bool,
    out: BitsOut,
    /// Memory of encodings within the encoding.
    spare: Vec<BitsOut>,
    keys: Keys,
    octets: Vec<u8>,
    given: Given<'t>,
    depth: u32,
    /// Number of values that a comparison with a default may still look at.
    left: Option<u64>,
}

impl<'w, 't> Encode<'w, 't> {
    fn new(layout: &'w Layout, losses: &'w mut Losses, relay: bool) -> Encode<'w, 't> {
        Encode {
            layout,
            losses,
            relay,
            out: BitsOut::default(),
            spare: Vec::new(),
            keys: Keys::default(),
            octets: Vec::new(),
            given: Vec::new(),
            depth: DEEPEST,
            left: None,
        }
    }

    /// Returns the octets of a complete encoding (X.691 11.1).
    fn complete(&self) -> &[u8] {
        if self.out.bytes().is_empty() && !self.layout.octets { &[0] } else { self.out.bytes() }
    }

    fn enter(&mut self, item: Value<'t>) -> Result<()> {
        if self.depth == 0 {
            let error = Error::new(ErrorKind::Limit, Fault::Data).seen(format!("more than {DEEPEST} values within each other"));
            return Err(error.at(item.opening().start).hint("flatten the message"));
        }
        self.depth -= 1;
        Ok(())
    }

    fn value(&mut self, ty: TypeId, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        self.octets.clear();
        if let Some(left) = &mut self.left {
            *left = left.checked_sub(1).ok_or_else(|| Error::internal("a value that is larger than the default"))?;
        }
        match layout.code(ty) {
            Code::Boolean => {
                let is = lower::boolean(item, self.losses)?;
                self.key(&[if is { 0xff } else { 0 }]);
                if layout.octets {
                    self.out.put(if is { 0xff } else { 0 }, 8);
                } else {
                    self.out.flag(is);
                }
                Ok(())
            }
            Code::Null => lower::null(item, self.losses),
            Code::Real => {
                lower::real(item, self.losses, &mut self.octets)?;
                self.counted_octets(&Size::ANY);
                Ok(())
            }
            Code::Integer(index) => self.integer(ty, index, item),
            Code::Enumerated(index) => self.enumerated(index, item),
            Code::Bits(index, size) => self.bit_string(ty, index, size, item),
            Code::Octets(size) => self.octet_string(ty, size, item),
            Code::Oid | Code::RelativeOid => {
                lower::oid(item, layout.code(ty) == Code::RelativeOid, self.losses, &mut self.octets)?;
                self.keyed();
                self.counted_octets(&Size::ANY);
                Ok(())
            }
            Code::Iri => {
                self.octets.extend_from_slice(lower::iri(item, self.losses)?.as_bytes());
                self.counted_octets(&Size::ANY);
                Ok(())
            }
            Code::Text(kind) => {
                lower::text(kind, item, self.losses, &mut self.octets)?;
                self.keyed();
                self.check_text(ty, item)?;
                self.counted_octets(&Size::ANY);
                Ok(())
            }
            Code::FixedText(kind, octets) => {
                lower::text(kind, item, self.losses, &mut self.octets)?;
                self.keyed();
                if self.octets.len() != octets as usize {
                    return Err(beyond(format!("{} octets", self.octets.len()), format!("{octets} octets"), item));
                }
                self.check_text(ty, item)?;
                self.out.copy(&self.octets, u64::from(octets) * 8);
                Ok(())
            }
            Code::Characters(index) => self.characters(index, item),
            Code::Float(bits) => {
                let octets = lower::float(item, bits == 32, self.losses)?;
                self.out.put(octets, bits);
                Ok(())
            }
            Code::Time(kind) => self.time(kind, item),
            Code::Structure(index) => self.structure(index, item),
            Code::List(element, size) => self.list(ty, element, size, item),
            Code::Choice(index) => self.choice(index, item),
            Code::Open => self.open_type(ty, item),
        }
    }

    /// Refuses a text of OER, whose octets are at hand, outside of its constraint.
    fn check_text(&self, ty: TypeId, item: Value<'t>) -> Result<()> {
        if !self.layout.octets || self.relay || !self.layout.plan.node(ty).constrained {
            return Ok(());
        }
        match checks::scalar(&self.layout.plan, ty, &self.octets, 0) {
            Some(Outside { seen, expected }) => Err(beyond(seen, expected, item)),
            None => Ok(()),
        }
    }

    fn key(&mut self, octets: &[u8]) {
        if self.keys.is_open() {
            self.keys.put(octets);
        }
    }

    /// Puts the octets at hand to the key that is under way.
    fn keyed(&mut self) {
        if self.keys.is_open() {
            self.keys.put(&self.octets);
        }
    }

    // Parts of encodings.

    fn align(&mut self) {
        if self.layout.aligned {
            self.out.align();
        }
    }

    fn field(&mut self, field: Field, number: u128) {
        if field.align {
            self.align();
        }
        self.out.put_wide(number, field.bits);
    }

    /// Puts a length without bounds, in PER less than 16K.
    fn length(&mut self, count: u64) {
        if self.layout.octets {
            // The shortest form (X.696 8.6.5).
            if count < 0x80 {
                self.out.put(count, 8);
            } else {
                let octets = 8 - u64::from(count.leading_zeros()) / 8;
                self.out.put(0x80 | octets, 8);
                self.out.put(count, octets as u32 * 8);
            }
            return;
        }
        self.align();
        if count < 128 {
            self.out.put(count, 8);
        } else {
            self.out.put(0x8000 | count, 16);
        }
    }

    /// Puts a count of things, and the things, in fragments if they are many (X.691 11.9).
    fn fragments(&mut self, count: u64, mut put: impl FnMut(&mut Self, u64, u64) -> Result<()>) -> Result<()> {
        let mut done = 0;
        while count - done >= FRAGMENT && !self.layout.octets {
            let blocks = ((count - done) / FRAGMENT).min(4);
            self.align();
            self.out.put(0xc0 | blocks, 8);
            put(self, done, blocks * FRAGMENT)?;
            done += blocks * FRAGMENT;
        }
        self.length(count - done);
        put(self, done, count - done)
    }

    /// Puts the octets at hand with a length of their number, in a size that holds it.
    fn counted_octets(&mut self, size: &Size) {
        let octets = std::mem::take(&mut self.octets);
        let count = octets.len() as u64;
        match size.high {
            Some(high) => {
                if high != size.low {
                    self.field(size.field, u128::from(count - size.low));
                }
                if count > 0 && (high != size.low || high > 2) {
                    self.align();
                }
                self.out.copy(&octets, count * 8);
            }
            None => {
                // Nothing in it can fail.
                let _ = self.fragments(count, |encode, from, count| {
                    encode.out.copy(&octets[from as usize..], count * 8);
                    Ok(())
                });
            }
        }
        self.octets = octets;
    }

    /// Puts the extension bit of a size, and returns the size that the encoding has.
    fn sized(&mut self, size: &'w Size, count: u64, item: Value<'t>, what: &'static str) -> Result<&'w Size> {
        let inside = size.contains(count);
        if size.extensible {
            self.out.flag(!inside);
            return Ok(if inside { size } else { &Size::ANY });
        }
        if inside { Ok(size) } else { Err(beyond_size(size, count, what, item)) }
    }

    /// Puts a small number (X.691 11.6).
    fn small(&mut self, number: u64) {
        if number < 64 {
            self.out.put(number, 7);
            return;
        }
        self.out.flag(true);
        let octets = u64::from(64 - number.leading_zeros()).div_ceil(8);
        self.length(octets);
        self.out.put(number, octets as u32 * 8);
    }

    fn integer(&mut self, ty: TypeId, index: u32, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        let number = &layout.numbers[index as usize];
        let found = match &layout.plan.model().ty(ty).kind {
            crate::model::Kind::Integer(names) => lower::integer(item, names, self.losses, &mut self.octets)?,
            _ => lower::integer(item, &[], self.losses, &mut self.octets)?,
        };
        self.keyed();
        self.whole(number, found, item)
    }

    /// Puts a number, whose octets in two's complement are at hand.
    fn whole(&mut self, number: &Number, found: Option<i128>, item: Value<'t>) -> Result<()> {
        let inside = match found {
            Some(found) => number.range.contains(found),
            // Beyond 128 bits, a bound on its side excludes it.
            None if self.octets.first().is_some_and(|first| *first >= 0x80) => number.range.low.is_none(),
            None => number.range.high.is_none(),
        };
        if number.extensible {
            self.out.flag(!inside);
            if !inside {
                self.counted_octets(&Size::ANY);
                return Ok(());
            }
        }
        if !inside {
            let bound = |bound: Option<i128>, open: &str| bound.map_or_else(|| open.to_string(), |bound| bound.to_string());
            let expected = format!("{} to {}", bound(number.range.low, "MIN"), bound(number.range.high, "MAX"));
            let seen = found.map_or_else(|| "a number beyond 128 bits".to_string(), |found| found.to_string());
            return Err(beyond(seen, expected, item));
        }
        match (number.form, found) {
            (Form::Field(field), Some(found)) => {
                self.field(field, found.wrapping_sub(number.low) as u128);
                Ok(())
            }
            (Form::Octets(field), Some(found)) => {
                let above = found.wrapping_sub(number.low) as u128;
                let octets = (128 - above.leading_zeros()).div_ceil(8).max(1);
                self.field(field, u128::from(octets - 1));
                self.align();
                self.out.put_wide(above, octets * 8);
                Ok(())
            }
            (Form::Plain(bits, _), Some(found)) => {
                self.out.put(found as u64, bits);
                Ok(())
            }
            (Form::Semi, Some(found)) => {
                let above = (found.wrapping_sub(number.low) as u128).to_be_bytes();
                let zeros = above.iter().take_while(|octet| **octet == 0).count().min(15);
                self.octets.clear();
                self.octets.extend_from_slice(&above[zeros..]);
                self.counted_octets(&Size::ANY);
                Ok(())
            }
            (Form::Semi, None) if number.low == 0 => {
                if self.octets.first() == Some(&0) {
                    self.octets.remove(0);
                }
                self.counted_octets(&Size::ANY);
                Ok(())
            }
            (Form::Free, _) => {
                self.counted_octets(&Size::ANY);
                Ok(())
            }
            (_, None) => Err(beyond("a number beyond 128 bits".into(), "a smaller one".into(), item)),
        }
    }

    fn enumerated(&mut self, index: u32, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        let known = &layout.plan.enumerations[index as usize];
        match lower::enumerator(known, item)? {
            Enumerator::Known(found) if layout.octets => {
                octets::put_integer(known.items[found as usize].1, &mut self.octets);
                self.keyed();
                self.number();
                Ok(())
            }
            Enumerator::Number(number) if layout.octets => {
                octets::put_integer(number, &mut self.octets);
                self.number();
                Ok(())
            }
            Enumerator::Addition(_) if layout.octets => {
                let error = Error::new(ErrorKind::Unsupported, Fault::Data).seen("the place of an unknown enumerator");
                Err(error.expected("an enumerator that the module has, or a number").at(item.opening().start))
            }
            Enumerator::Known(found) => {
                if self.keys.is_open() {
                    octets::put_integer(known.items[found as usize].1, &mut self.octets);
                    self.keyed();
                }
                if known.extensible {
                    self.out.flag(found >= known.root);
                }
                if found < known.root {
                    self.field(layout.enumerations[index as usize], u128::from(found));
                } else {
                    self.small(u64::from(found - known.root));
                }
                Ok(())
            }
            Enumerator::Addition(addition) => {
                self.out.flag(true);
                self.small(u64::from(addition));
                Ok(())
            }
            Enumerator::Number(number) => {
                let error = Error::new(ErrorKind::Unsupported, Fault::Data).seen(format!("the number {number} of an unknown enumerator"));
                let error = error.expected("an enumerator that the module has").at(item.opening().start);
                Err(error.hint("PER writes the place of an enumerator, not its number"))
            }
        }
    }

    /// Puts the number of an enumerator, whose octets are at hand (X.696 11).
    fn number(&mut self) {
        match self.octets[..] {
            [octet] if octet < 0x80 => self.out.put(u64::from(octet), 8),
            _ => {
                self.out.put(0x80 | self.octets.len() as u64, 8);
                self.out.copy(&self.octets, self.octets.len() as u64 * 8);
            }
        }
    }

    fn bit_string(&mut self, ty: TypeId, index: u32, size: u32, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        let shape = &layout.plan.bits[index as usize];
        let known = &layout.sizes[size as usize];
        let mut count = match layout.plan.node(ty).contents {
            Some(contents) => {
                self.contained(contents, item)?;
                self.octets.len() as u64 * 8
            }
            None => lower::bits(shape, item, self.losses, &mut self.octets)?,
        };
        if !shape.names.is_empty() && layout.plan.node(ty).contents.is_none() {
            // Zeros at the end do not count: as few as the size allows (X.691 16.2 and 16.3).
            let last = self.octets.iter().rposition(|octet| *octet != 0);
            let set = last.map_or(0, |last| last as u64 * 8 + u64::from(8 - self.octets[last].trailing_zeros()));
            count = set.max(known.low);
            self.octets.resize(usize::try_from(count.div_ceil(8)).unwrap_or(0), 0);
        }
        let size = self.sized(known, count, item, "bits")?;
        let octets = std::mem::take(&mut self.octets);
        if layout.octets {
            if size.fixed().is_none() {
                self.length(octets.len() as u64 + 1);
                self.out.put(octets.len() as u64 * 8 - count, 8);
            }
            self.out.copy(&octets, octets.len() as u64 * 8);
            self.octets = octets;
            return Ok(());
        }
        match size.high {
            Some(high) => {
                if high != size.low {
                    self.field(size.field, u128::from(count - size.low));
                }
                if count > 0 && (high != size.low || high > 16) {
                    self.align();
                }
                self.out.copy(&octets, count);
            }
            None => self.fragments(count, |encode, from, count| {
                encode.out.copy(&octets[(from / 8) as usize..], count);
                Ok(())
            })?,
        }
        self.octets = octets;
        Ok(())
    }

    fn octet_string(&mut self, ty: TypeId, size: u32, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        match layout.plan.node(ty).contents {
            Some(contents) => self.contained(contents, item)?,
            None => {
                lower::bytes(item, self.losses, &mut self.octets)?;
                self.keyed();
            }
        }
        let size = self.sized(&layout.sizes[size as usize], self.octets.len() as u64, item, "octets")?;
        self.counted_octets(size);
        Ok(())
    }

    /// Makes the complete encoding of a value, in the octets at hand.
    fn contained(&mut self, ty: TypeId, item: Value<'t>) -> Result<()> {
        self.enter(item)?;
        let mut inside = self.spare.pop().unwrap_or_default();
        inside.clear();
        let outside = std::mem::replace(&mut self.out, inside);
        let result = self.value(ty, item);
        let inside = std::mem::replace(&mut self.out, outside);
        self.depth += 1;
        result?;
        self.octets.clear();
        let octets = if inside.bytes().is_empty() && !self.layout.octets { &[0][..] } else { inside.bytes() };
        self.octets.extend_from_slice(octets);
        self.spare.push(inside);
        Ok(())
    }

    fn characters(&mut self, index: u32, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        let known: &'w Characters = &layout.characters[index as usize];
        lower::text(known.kind, item, self.losses, &mut self.octets)?;
        self.keyed();
        let mut codes = Vec::with_capacity(self.octets.len());
        match known.kind {
            StringKind::Bmp => codes.extend(self.octets.as_chunks::<2>().0.iter().map(|pair| u32::from(u16::from_be_bytes(*pair)))),
            StringKind::Universal => codes.extend(self.octets.as_chunks::<4>().0.iter().map(|quad| u32::from_be_bytes(*quad))),
            _ => codes.extend(self.octets.iter().map(|octet| u32::from(*octet))),
        }
        let count = codes.len() as u64;
        let odd = codes.iter().find(|code| !known.alphabet.contains(**code));
        let root = known.size.contains(count) && odd.is_none();
        if known.size.extensible {
            self.out.flag(!root);
        } else if !root {
            return Err(match odd {
                Some(code) => {
                    let seen =
                        char::from_u32(*code).map_or_else(|| format!("U+{code:04X}"), |character| format!("the character {character:?}"));
                    beyond(seen, "a character that the constraint permits".into(), item)
                }
                None => beyond_size(&known.size, count, "characters", item),
            });
        }
        let (size, letters, align) = if root { (&known.size, &known.root, known.align) } else { (&Size::ANY, &known.all, layout.aligned) };
        let unknown = |code: u32| {
            !letters.by_number.is_empty() && letters.by_number.binary_search(&code).is_err()
                || letters.bits < 32 && code >> letters.bits != 0 && letters.by_number.is_empty()
        };
        if let Some(code) = codes.iter().find(|code| unknown(**code)) {
            return Err(beyond(format!("U+{code:04X}"), format!("a character of {}", known.kind.keyword()), item));
        }
        match size.high {
            Some(high) => {
                if high != size.low {
                    self.field(size.field, u128::from(count - size.low));
                }
                if align && count > 0 {
                    self.align();
                }
                self.letters(letters, &codes);
                Ok(())
            }
            None => self.fragments(count, |encode, from, count| {
                encode.letters(letters, &codes[from as usize..(from + count) as usize]);
                Ok(())
            }),
        }
    }

    fn letters(&mut self, letters: &Letters, codes: &[u32]) {
        for code in codes {
            let number = match letters.by_number.is_empty() {
                true => *code,
                false => letters.by_number.binary_search(code).unwrap_or(0) as u32,
            };
            self.out.put(u64::from(number), letters.bits);
        }
    }

    fn choice(&mut self, index: u32, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        let (known, choice) = (&layout.choices[index as usize], layout.plan.choice(index));
        self.enter(item)?;
        let chosen = lower::chosen(&layout.plan, choice, item)?;
        if layout.octets {
            self.tag(choice, &chosen);
        }
        match chosen {
            Chosen::Known(alternative, value) => {
                let found = &choice.alternatives[alternative as usize];
                self.key(&[alternative as u8]);
                let root = known.index.get(alternative as usize);
                if known.extensible && !layout.octets {
                    self.out.flag(root.is_none());
                }
                let down = |error| below(error, PathStep::Name(found.name.to_string()));
                match root {
                    Some(at) => {
                        if let Some(field) = known.field.filter(|_| !layout.octets) {
                            self.field(field, u128::from(*at));
                        }
                        if let Some(value) = value {
                            self.value(found.ty, value).map_err(down)?;
                        }
                    }
                    None => {
                        if !layout.octets {
                            self.small(u64::from(alternative) - known.order.len() as u64);
                        }
                        match value {
                            Some(value) => self.within_open(found.ty, value).map_err(down)?,
                            None => {
                                self.octets.clear();
                                if !layout.octets {
                                    self.octets.push(0);
                                }
                                self.counted_octets(&Size::ANY);
                            }
                        }
                    }
                }
            }
            Chosen::Unknown(extra, bytes) => {
                if !layout.octets {
                    self.out.flag(true);
                    self.small(u64::from(extra));
                }
                self.octets.clear();
                self.octets.extend_from_slice(bytes);
                self.counted_octets(&Size::ANY);
            }
        }
        self.depth += 1;
        Ok(())
    }

    /// Puts the tag of an alternative (X.696 8.7). One that is a choice without a tag has that of
    /// its own alternative.
    fn tag(&mut self, choice: &crate::walk::plan::Choice, chosen: &Chosen<'t>) {
        let (class, number) = match chosen {
            Chosen::Known(alternative, _) => match self.layout.plan.node(choice.alternatives[*alternative as usize].ty).tags.first() {
                Some(tag) => (u64::from(tag.class()), tag.number()),
                None => return,
            },
            Chosen::Unknown(tag, _) => (u64::from(tag >> 30), u64::from(tag & 0x3fff_ffff)),
        };
        if number < 0x3f {
            self.out.put(class << 6 | number, 8);
            return;
        }
        self.out.put(class << 6 | 0x3f, 8);
        let groups = (64 - number.leading_zeros()).div_ceil(7);
        for group in (0..groups).rev() {
            self.out.put(number >> (group * 7) & 0x7f | if group > 0 { 0x80 } else { 0 }, 8);
        }
    }

    fn open_type(&mut self, ty: TypeId, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        match self.keys.resolve(&layout.plan, layout.plan.node(ty)) {
            Some(found) => self.within_open(found, item),
            None => {
                lower::bytes(item, self.losses, &mut self.octets)
                    .map_err(|error| error.expected("bytes, since no table has the type of this value"))?;
                self.counted_octets(&Size::ANY);
                Ok(())
            }
        }
    }

    /// Puts a value as an open type (X.691 11.2).
    fn within_open(&mut self, ty: TypeId, item: Value<'t>) -> Result<()> {
        self.contained(ty, item)?;
        self.counted_octets(&Size::ANY);
        Ok(())
    }

    fn list(&mut self, ty: TypeId, element: TypeId, size: u32, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        let count = lower::elements(item)?.count() as u64;
        let size = self.sized(&layout.sizes[size as usize], count, item, "elements")?;
        self.enter(item)?;
        let order = if !self.relay && matches!(layout.plan.model().ty(ty).kind, crate::model::Kind::SetOf(_)) {
            Some(self.sorted(element, item)?)
        } else {
            None
        };
        let mut entries = lower::elements(item)?.enumerate();
        let mut one = |encode: &mut Self, at: u64| {
            let (index, value) = match &order {
                Some(order) => order.get(at as usize).copied(),
                None => entries.next().map(|(index, entry)| (index, entry.value())),
            }
            .ok_or_else(|| Error::internal("a list that got shorter"))?;
            encode.value(element, value).map_err(|error| below(error, PathStep::Index(index as u64)))
        };
        if layout.octets {
            let octets = (64 - count.leading_zeros()).div_ceil(8).max(1);
            self.length(u64::from(octets));
            self.out.put(count, octets * 8);
            for at in 0..count {
                one(self, at)?;
            }
            self.depth += 1;
            return Ok(());
        }
        match size.high {
            Some(high) => {
                if high != size.low {
                    self.field(size.field, u128::from(count - size.low));
                }
                for at in 0..count {
                    one(self, at)?;
                }
            }
            None => self.fragments(count, |encode, from, count| (from..from + count).try_for_each(|at| one(encode, at)))?,
        }
        self.depth += 1;
        Ok(())
    }

    /// Returns the elements of a SET OF in the order of their encodings (X.691 22.1).
    fn sorted(&mut self, element: TypeId, item: Value<'t>) -> Result<Vec<(usize, Value<'t>)>> {
        let mut encoded = Vec::new();
        for (index, entry) in lower::elements(item)?.enumerate() {
            let outside = std::mem::take(&mut self.out);
            let result = self.value(element, entry.value());
            let inside = std::mem::replace(&mut self.out, outside);
            result.map_err(|error| below(error, PathStep::Index(index as u64)))?;
            encoded.push((inside, index, entry.value()));
        }
        encoded.sort_by(|one, two| one.0.bytes().cmp(two.0.bytes()));
        Ok(encoded.into_iter().map(|(_, index, value)| (index, value)).collect())
    }

    fn structure(&mut self, index: u32, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        let (known, structure) = (&layout.structures[index as usize], layout.plan.structure(index));
        self.enter(item)?;
        let start = self.given.len();
        let mut unknown = Vec::new();
        lower::components(&layout.plan, structure, item, &mut self.given, &mut unknown, self.losses)?;
        self.drop_defaults(index, start);
        let bitmap = match unknown.first().map(|first| first.view()) {
            Some(View::Scalar(Scalar::Text(text))) => text.get().strip_prefix(EXTENSIONS),
            _ => None,
        };
        let is_there = |encode: &Self, step: &Step| encode.given[start + step.component as usize].is_some();
        let has = |encode: &Self, extra: &Extra| match extra {
            Extra::One(step) => is_there(encode, step),
            Extra::Group(part) => part.steps.iter().any(|step| is_there(encode, step)),
        };
        let any = known.additions.iter().any(|extra| has(self, extra)) || bitmap.is_some();
        if known.extensible {
            self.out.flag(any);
        } else if any {
            return Err(Error::internal("additions of a type that is not extensible"));
        }
        self.keys.enter();
        self.part(index, &known.root, start, item)?;
        if any {
            let was = |at: usize| bitmap.is_some_and(|bitmap| bitmap.as_bytes().get(at) == Some(&b'1'));
            let last = (0..known.additions.len()).rev().find(|at| has(self, &known.additions[*at])).map_or(0, |last| last + 1);
            let count = bitmap.map_or(known.additions.len(), |bitmap| bitmap.len().max(last));
            if layout.octets {
                let octets = count.div_ceil(8) as u64;
                self.length(octets + 1);
                self.out.put(octets * 8 - count as u64, 8);
            } else if count <= 64 {
                self.out.put(count as u64 - 1, 7);
            } else {
                self.out.flag(true);
                self.length(count as u64);
            }
            for at in 0..count {
                let there = match known.additions.get(at) {
                    Some(extra) => has(self, extra) || matches!(extra, Extra::Group(_)) && was(at),
                    None => was(at),
                };
                self.out.flag(there);
            }
            if layout.octets {
                self.out.align();
            }
            let mut kept = unknown.iter().skip(1);
            for at in 0..count {
                match known.additions.get(at) {
                    Some(Extra::One(step)) => {
                        if let Some(value) = self.given[start + step.component as usize] {
                            self.component(index, step, value, true)?;
                        }
                    }
                    Some(extra @ Extra::Group(part)) if has(self, extra) || was(at) => self.group(index, part, start, item)?,
                    Some(Extra::Group(_)) => {}
                    None if was(at) => {
                        let bytes = kept.next().ok_or_else(|| Error::internal("an addition without its bytes"))?;
                        self.octets.clear();
                        lower::bytes(*bytes, self.losses, &mut self.octets)?;
                        self.counted_octets(&Size::ANY);
                    }
                    None => {}
                }
            }
        }
        self.keys.leave();
        self.given.truncate(start);
        self.depth += 1;
        Ok(())
    }

    /// Leaves out components whose value is their default.
    fn drop_defaults(&mut self, index: u32, start: usize) {
        if self.relay {
            return;
        }
        let known = &self.layout.structures[index as usize];
        let groups = known.additions.iter().flat_map(|extra| match extra {
            Extra::One(step) => std::slice::from_ref(step),
            Extra::Group(part) => &part.steps,
        });
        for step in known.root.steps.iter().chain(groups) {
            let (Some(default), Some(value)) = (&step.default, self.given[start + step.component as usize]) else { continue };
            if self.is_default(step.ty, value, default) {
                self.given[start + step.component as usize] = None;
            }
        }
    }

    /// Returns whether a value would be written as a default. It looks at no more values than the
    /// default has, so that defaults within defaults cost no more.
    fn is_default(&mut self, ty: TypeId, value: Value<'t>, default: &Coded) -> bool {
        let mut losses = Losses::default();
        let mut encode = Encode::new(self.layout, &mut losses, false);
        encode.depth = self.depth;
        encode.left = Some(default.values.min(self.left.unwrap_or(u64::MAX)));
        let same = encode.value(ty, value).is_ok() && encode.out == default.bits;
        let spent = encode.left.map_or(0, |left| default.values.saturating_sub(left));
        self.left = self.left.map(|left| left.saturating_sub(spent));
        same
    }

    /// Puts a preamble and the components behind it.
    fn part(&mut self, structure: u32, part: &'w Part, start: usize, item: Value<'t>) -> Result<()> {
        for step in part.steps.iter().filter(|step| step.bit.is_some()) {
            self.out.flag(self.given[start + step.component as usize].is_some());
        }
        if self.layout.octets {
            self.out.align();
        }
        for step in &part.steps {
            match self.given[start + step.component as usize] {
                Some(value) => self.component(structure, step, value, false)?,
                None if step.bit.is_some() => {}
                None => return Err(lower::absent(&self.layout.plan, self.layout.plan.structure(structure), step.component, item)),
            }
        }
        Ok(())
    }

    /// Puts the components of `[[ ]]`, which are one open type (X.691 19.9).
    fn group(&mut self, structure: u32, part: &'w Part, start: usize, item: Value<'t>) -> Result<()> {
        let mut inside = self.spare.pop().unwrap_or_default();
        inside.clear();
        let outside = std::mem::replace(&mut self.out, inside);
        let result = self.part(structure, part, start, item);
        let inside = std::mem::replace(&mut self.out, outside);
        result?;
        self.octets.clear();
        let octets = if inside.bytes().is_empty() && !self.layout.octets { &[0][..] } else { inside.bytes() };
        self.octets.extend_from_slice(octets);
        self.spare.push(inside);
        self.counted_octets(&Size::ANY);
        Ok(())
    }

    fn component(&mut self, structure: u32, step: &Step, value: Value<'t>, open: bool) -> Result<()> {
        let component = &self.layout.plan.structure(structure).components[step.component as usize];
        if component.is_key {
            self.keys.begin(step.component);
        }
        let result = if open { self.within_open(step.ty, value) } else { self.value(step.ty, value) };
        if component.is_key {
            self.keys.end();
        }
        result.map_err(|error| below(error, PathStep::Name(component.name.to_string())))
    }
}

#[cold]
fn beyond(seen: String, expected: String, item: Item<'_, 'static>) -> Error {
    let error = Error::new(ErrorKind::Range, Fault::Data).seen(seen).expected(expected).at(item.opening().start);
    error.hint("the module's constraint forbids it")
}

#[cold]
fn beyond_size(size: &Size, count: u64, what: &str, item: Item<'_, 'static>) -> Error {
    let most = size.most.map_or_else(|| "more".to_string(), |most| most.to_string());
    let expected = if size.most == Some(size.low) { format!("{most} {what}") } else { format!("{} to {most} {what}", size.low) };
    beyond(format!("{count} {what}"), expected, item)
}

fn below(error: Error, step: PathStep) -> Error {
    let mut path = error.path().cloned().unwrap_or_default();
    path.0.insert(0, step);
    error.path_is(path)
}
