//! Held messages to XML text (X.693 8 and 9).

mod canonical;
mod structures;

use std::io::Write as _;
use std::sync::Arc;

use polywire_core::value::{Held, View};
use polywire_core::walk::{Indent, Layout, Path};
use polywire_core::{
    Budget, Error, ErrorKind, Fault, Field as Name, Limits, Losses, Lost, Needs, Next, Note, Open, Part as Fragment, Result, Scalar, Sink,
    Span, Str, Writer,
};

pub(crate) use canonical::Canonical;
use canonical::{Mark, rule};

use super::markup::is_element;
use super::{characters, name_of, type_name};
use crate::jer::hex;
use crate::model::{Kind, StringKind, TypeId};
use crate::walk::keys::Keys;
use crate::walk::lower::{self, Enumerator, Given, Value};
use crate::walk::raise::{self, WIRE};
use crate::walk::scalars::is_time;
use crate::walk::{Op, Plan, UNKNOWN, octets};

/// Deepest nesting that the writer takes: it recurses.
const DEEPEST: u32 = Limits::DEFAULT.depth;

/// Writer of messages of one type, in XER.
#[derive(Debug)]
pub struct XerWriter {
    plan: Arc<Plan>,
    held: Held,
    relay: bool,
    indent: Option<Indent>,
    /// Tables of the canonical rules, if the writer keeps them.
    rules: Option<Arc<Canonical>>,
    /// Rules by the offsets in the last message from which they hold, if a reader wants them.
    marks: Option<Vec<Mark>>,
}

impl XerWriter {
    /// Returns a writer of a plan's root type. A relay writes the messages of a reader of the same
    /// type.
    pub(crate) fn new(plan: Arc<Plan>, rules: Option<Arc<Canonical>>, relay: bool) -> XerWriter {
        XerWriter { plan, held: Held::new(relay.then_some(UNKNOWN)), relay, indent: None, rules, marks: None }
    }
}

impl<'m> Sink<'m> for XerWriter {
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
        self.held.note(note, at)
    }
}

impl Writer for XerWriter {
    fn lay_out(&mut self, layout: &Layout) -> bool {
        if self.rules.is_some() {
            // The canonical rules have one look (X.693 9.1.2).
            return layout.indent.is_none() && layout.colors.is_none();
        }
        self.indent = layout.indent;
        layout.colors.is_none()
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let tree = std::mem::take(&mut self.held.tree);
        let Some(root) = tree.root() else {
            return Err(Error::usage("no value").expected("a message").format_is(name_of(self.rules.is_some())));
        };
        let name = name_of(self.rules.is_some());
        if let Some(marks) = &mut self.marks {
            marks.clear();
        }
        let mut encode = Encode {
            plan: &self.plan,
            losses: &mut self.held.losses,
            relay: self.relay,
            indent: self.indent,
            rules: self.rules.as_deref(),
            marks: self.marks.as_mut(),
            out,
            keys: Keys::default(),
            octets: Vec::new(),
            text: String::new(),
            given: Vec::new(),
            depth: DEEPEST,
            level: 0,
        };
        let root_name = type_name(&self.plan, self.plan.root());
        encode.element(&root_name, self.plan.root(), root).map_err(|error| {
            let error = error.format_is(name);
            // The path of the message itself.
            if error.path().is_none() { error.path_is(Path::default()) } else { error }
        })?;
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

/// Encoder of one message. Recursion is bounded by `depth`.
struct Encode<'w, 't> {
    plan: &'w Plan,
    losses: &'w mut Losses,
    relay: bool,
    indent: Option<Indent>,
    rules: Option<&'w Canonical>,
    marks: Option<&'w mut Vec<Mark>>,
    out: &'w mut Vec<u8>,
    keys: Keys,
    octets: Vec<u8>,
    text: String,
    given: Given<'t>,
    depth: u32,
    /// Number of open elements.
    level: usize,
}

/// Contents of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    Characters,
    Elements,
}

impl<'w, 't> Encode<'w, 't> {
    fn enter(&mut self, item: Value<'t>) -> Result<()> {
        if self.depth == 0 {
            let error = Error::new(ErrorKind::Limit, Fault::Data).seen(format!("more than {DEEPEST} values within each other"));
            return Err(error.at(item.opening().start).hint("flatten the message"));
        }
        self.depth -= 1;
        Ok(())
    }

    /// Puts the octets at hand to the key that is under way.
    fn keyed(&mut self) {
        if self.keys.is_open() {
            self.keys.put(&self.octets);
        }
    }

    /// Begins a line, if the text has lines.
    fn line(&mut self) {
        if let Some(indent) = self.indent
            && self.level > 0
        {
            self.out.push(b'\n');
            indent.put(self.level, self.out);
        }
    }

    /// Puts an element that has the value.
    fn element(&mut self, name: &str, ty: TypeId, item: Value<'t>) -> Result<()> {
        self.line();
        self.out.push(b'<');
        self.out.extend_from_slice(name.as_bytes());
        self.out.push(b'>');
        self.level += 1;
        let inside = self.value(ty, item)?;
        self.level -= 1;
        if inside == Inside::Nothing {
            self.out.pop();
            self.out.extend_from_slice(b"/>");
            return Ok(());
        }
        if let (Inside::Elements, Some(indent)) = (inside, self.indent) {
            self.out.push(b'\n');
            indent.put(self.level, self.out);
        }
        self.out.extend_from_slice(b"</");
        self.out.extend_from_slice(name.as_bytes());
        self.out.push(b'>');
        Ok(())
    }

    /// Puts an element without contents.
    fn word(&mut self, name: &str) -> Inside {
        self.line();
        self.out.push(b'<');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"/>");
        Inside::Elements
    }

    fn characters(&mut self, text: &str, item: Value<'t>) -> Result<Inside> {
        if !characters::put(text, self.rules.is_some(), self.out) {
            if self.rules.is_some() {
                let error = Error::new(ErrorKind::Unsupported, Fault::Data).seen("a character that XML does not have");
                return Err(error.expected("characters of XML, as the canonical rules have no other form").at(item.opening().start));
            }
            self.losses.caution("character that XML does not have kept", item.opening());
        }
        Ok(if text.is_empty() { Inside::Nothing } else { Inside::Characters })
    }

    /// Puts the octets at hand as hexadecimal digits.
    fn hexadecimal(&mut self) -> Inside {
        hex(&self.octets, self.out);
        if self.octets.is_empty() { Inside::Nothing } else { Inside::Characters }
    }

    /// Puts an element as it is.
    fn raw(&mut self, element: &[u8]) -> Inside {
        self.line();
        self.out.extend_from_slice(element);
        Inside::Elements
    }

    fn value(&mut self, ty: TypeId, item: Value<'t>) -> Result<Inside> {
        let plan = self.plan;
        let node = plan.node(ty);
        self.octets.clear();
        self.mark(rule::of(node.op));
        if node.contents.is_some()
            && let Some(contents) = self.keys.contents(plan, node)
        {
            return self.typed(contents, item);
        }
        Ok(match node.op {
            Op::Boolean => {
                let is = lower::boolean(item, self.losses)?;
                self.octets.push(if is { 0xff } else { 0 });
                self.keyed();
                self.word(if is { "true" } else { "false" })
            }
            Op::Null => {
                lower::null(item, self.losses)?;
                Inside::Nothing
            }
            Op::Integer => {
                let names = if let Kind::Integer(names) = &plan.model().ty(ty).kind { &names[..] } else { &[] };
                let found = lower::integer(item, names, self.losses, &mut self.octets)?;
                self.keyed();
                // Writing to a vector cannot fail.
                let _ = match found {
                    Some(number) => write!(self.out, "{number}"),
                    None => write!(self.out, "{}", num_bigint::BigInt::from_signed_bytes_be(&self.octets)),
                };
                Inside::Characters
            }
            Op::Enumerated(index) => self.enumerated(index, item)?,
            Op::Real => self.real(item)?,
            Op::Bits(index) => {
                let mut count = lower::bits(&plan.bits[index as usize], item, self.losses, &mut self.octets)?;
                self.keyed();
                if self.rules.is_some() {
                    count = canonical::shortest(&plan.bits[index as usize], &self.octets, count);
                }
                let bit = |at: u64| self.octets[(at / 8) as usize] & 0x80 >> (at % 8) != 0;
                self.out.extend((0..count).map(|at| if bit(at) { b'1' } else { b'0' }));
                if count == 0 { Inside::Nothing } else { Inside::Characters }
            }
            Op::Octets => {
                lower::bytes(item, self.losses, &mut self.octets)?;
                self.keyed();
                self.hexadecimal()
            }
            Op::Oid | Op::RelativeOid => {
                let relative = node.op == Op::RelativeOid;
                lower::oid(item, relative, self.losses, &mut self.octets)?;
                self.keyed();
                raise::oid(&self.octets, relative, item.opening().start, &mut Budget::new(&Limits::DEFAULT), &mut self.text)?;
                self.out.extend_from_slice(self.text.as_bytes());
                Inside::Characters
            }
            Op::Iri => {
                let text = lower::iri(item, self.losses)?;
                self.characters(text, item)?
            }
            Op::Text(kind) => self.string(kind, item)?,
            Op::Time(kind) => {
                let text = lower::time(kind, item, self.losses)?;
                if !is_time(kind, text) {
                    return Err(lower::misfit(item, kind.keyword()));
                }
                self.characters(text, item)?
            }
            Op::Structure(index) => self.structure(index, item)?,
            Op::List(element) => self.list(ty, element, item)?,
            Op::Choice(index) => self.choice(index, item)?,
            Op::Open => match self.keys.resolve(plan, node) {
                Some(found) => self.typed(found, item)?,
                None => {
                    lower::bytes(item, self.losses, &mut self.octets)
                        .map_err(|error| error.expected("bytes, since no table has the type of this value"))?;
                    let octets = std::mem::take(&mut self.octets);
                    let inside = if is_element(&octets) { Some(self.raw(&octets)) } else { None };
                    self.octets = octets;
                    match inside {
                        Some(inside) => inside,
                        None if self.rules.is_some() => return Err(canonical::no_digits(item)),
                        None => self.hexadecimal(),
                    }
                }
            },
        })
    }

    /// Puts a value in a string or open type: an element of its type's name.
    fn typed(&mut self, ty: TypeId, item: Value<'t>) -> Result<Inside> {
        self.enter(item)?;
        self.element(&type_name(self.plan, ty), ty, item)?;
        self.depth += 1;
        Ok(Inside::Elements)
    }

    fn enumerated(&mut self, index: u32, item: Value<'t>) -> Result<Inside> {
        let known = &self.plan.enumerations[index as usize];
        if let (true, View::Scalar(Scalar::Text(name))) = (self.relay && known.extensible, item.view())
            && known.named(name.get()).is_none()
        {
            return Ok(self.word(name.get()));
        }
        match lower::enumerator(known, item)? {
            Enumerator::Known(found) => {
                let (name, number) = &known.items[found as usize];
                if self.keys.is_open() {
                    octets::put_integer(*number, &mut self.octets);
                    self.keyed();
                }
                Ok(self.word(name))
            }
            Enumerator::Number(_) | Enumerator::Addition(_) => {
                let error = Error::new(ErrorKind::Unsupported, Fault::Data).seen("the number of an unknown enumerator");
                let error = error.expected("an enumerator that the module has").at(item.opening().start);
                Err(error.hint("XER writes the name of an enumerator, not its number"))
            }
        }
    }

    fn real(&mut self, item: Value<'t>) -> Result<Inside> {
        let from = self.out.len();
        if let View::Scalar(Scalar::Decimal(digits, _)) = item.view()
            && item.wire(WIRE).is_none()
        {
            self.out.extend_from_slice(digits.get().as_bytes());
            self.canonical_real(from);
            return Ok(Inside::Characters);
        }
        lower::real(item, self.losses, &mut self.octets)?;
        let mut special = None;
        let out = &mut *self.out;
        raise::real(&self.octets, item.opening().start, &mut Budget::new(&Limits::DEFAULT), |scalar| {
            match scalar {
                Scalar::F64(_, hint) if hint.exponent().is_some() => out.extend_from_slice(scalar.digits().unwrap_or("0").as_bytes()),
                Scalar::F64(value, _) if value.is_nan() => special = Some("NOT-A-NUMBER"),
                Scalar::F64(value, _) if value.is_infinite() => {
                    special = Some(if value > 0.0 { "PLUS-INFINITY" } else { "MINUS-INFINITY" });
                }
                Scalar::F64(value, _) => {
                    // Writing to a vector cannot fail.
                    let _ = if value == 0.0 { write!(out, "{value}") } else { write!(out, "{value:?}") };
                }
                scalar => out.extend_from_slice(scalar.digits().unwrap_or("0").as_bytes()),
            }
            Ok(())
        })?;
        self.canonical_real(from);
        Ok(special.map_or(Inside::Characters, |name| self.word(name)))
    }

    fn string(&mut self, kind: StringKind, item: Value<'t>) -> Result<Inside> {
        let is_time = matches!(kind, StringKind::UtcTime | StringKind::GeneralizedTime);
        // XML has most characters; a relay writes back what the type does not allow.
        let is_narrow = matches!(kind, StringKind::Numeric | StringKind::Printable | StringKind::Ia5 | StringKind::Visible);
        if let View::Scalar(Scalar::Text(text)) = item.view()
            && (self.relay || !is_time && (!is_narrow || text.get().is_ascii()))
        {
            if self.keys.is_open() {
                self.keys.put(text.get().as_bytes());
            }
            let one = self.one_time(kind, text.get(), item)?;
            return self.characters(&one, item);
        }
        lower::text(kind, item, self.losses, &mut self.octets)?;
        self.keyed();
        let octets = std::mem::take(&mut self.octets);
        let mut text = std::mem::take(&mut self.text);
        let raised = if is_time {
            std::str::from_utf8(&octets).ok()
        } else {
            let (raw, at) = (Str::Scratch(&octets[..]), item.opening().start);
            match raise::text(kind, raw, at, &mut Budget::new(&Limits::DEFAULT), &mut text)? {
                Scalar::Text(text) => Some(text.get()),
                _ => None,
            }
        };
        let inside = match raised {
            Some(text) => self.one_time(kind, text, item).and_then(|one| self.characters(&one, item)),
            None => {
                self.losses.value("octets that are no text became U+FFFD", item.opening());
                self.characters(&String::from_utf8_lossy(&octets), item)
            }
        };
        (self.octets, self.text) = (octets, text);
        inside
    }
}
