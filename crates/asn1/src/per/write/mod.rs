//! Held messages to bits (X.691).
//!
//! The writer makes CANONICAL-PER, which is BASIC-PER too: values that are defaults are left out,
//! and the elements of a SET OF are sorted. A relay keeps the choices of the message that it
//! repeats.

mod choices;
mod lengths;
mod lists;
mod numbers;
mod strings;
mod structures;
mod times;

use std::sync::Arc;

use polywire_core::value::{Held, Item};
use polywire_core::walk::Path;
use polywire_core::{
    Error, ErrorKind, Fault, Field as Name, Limits, Losses, Lost, Needs, Next, Note, Open, Part as Fragment, Result, Scalar, Sink, Span,
    Str, Writer,
};

use super::EXTENSIONS;
use super::bits::BitsOut;
use super::layout::{Code, Coded, Layout, Size};
use crate::model::TypeId;
use crate::walk::UNKNOWN;
use crate::walk::checks::{self, Outside};
use crate::walk::keys::Keys;
use crate::walk::lower::{self, Given, Value};

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
