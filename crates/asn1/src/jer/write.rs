//! Held messages to JSON text (X.697).

use std::io::Write as _;
use std::sync::Arc;

use polywire_core::value::{Entry, Held, View};
use polywire_core::walk::{Layout, Path, PathStep};
use polywire_core::{
    Budget, Error, ErrorKind, Fault, Field as Name, Limits, Losses, Lost, Needs, Next, Note, Open, Part as Fragment, Result, Scalar, Sink,
    Span, Str, Writer,
};
use polywire_json::layout::lay_out;
use polywire_json::string::{Short, string};

use super::{BASE_10, CONTAINING, NAME, fixed_bits, opaque};
use crate::model::{Kind, StringKind, TimeKind, TypeId};
use crate::walk::keys::Keys;
use crate::walk::lower::{self, Chosen, Enumerator, Given, Value, below};
use crate::walk::raise::{self, WIRE};
use crate::walk::scalars::is_time;
use crate::walk::{LENGTH, Op, Plan, UNKNOWN, VALUE, octets};

/// Deepest nesting that the writer takes: it recurses.
const DEEPEST: u32 = Limits::DEFAULT.depth;

/// Writer of messages of one type, in JER.
#[derive(Debug)]
pub struct JerWriter {
    plan: Arc<Plan>,
    held: Held,
    relay: bool,
    layout: Layout,
    /// The compact text of a message that gets another look.
    compact: Vec<u8>,
}

impl JerWriter {
    /// Returns a writer of a plan's root type. A relay writes the messages of a reader of the same
    /// type.
    pub(crate) fn new(plan: Arc<Plan>, relay: bool) -> JerWriter {
        JerWriter { plan, held: Held::new(relay.then_some(UNKNOWN)), relay, layout: Layout::COMPACT, compact: Vec::new() }
    }
}

impl<'m> Sink<'m> for JerWriter {
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

impl Writer for JerWriter {
    fn lay_out(&mut self, layout: &Layout) -> bool {
        self.layout = layout.clone();
        true
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let tree = std::mem::take(&mut self.held.tree);
        let Some(root) = tree.root() else { return Err(Error::usage("no value").expected("a message").format_is(NAME)) };
        let is_compact = self.layout == Layout::COMPACT;
        self.compact.clear();
        let mut encode = Encode {
            plan: &self.plan,
            losses: &mut self.held.losses,
            relay: self.relay,
            out: if is_compact { &mut *out } else { &mut self.compact },
            keys: Keys::default(),
            octets: Vec::new(),
            text: String::new(),
            given: Vec::new(),
            depth: DEEPEST,
        };
        encode.value(self.plan.root(), root).map_err(|error| {
            let error = error.format_is(NAME);
            // The path of the message itself.
            if error.path().is_none() { error.path_is(Path::default()) } else { error }
        })?;
        if !is_compact {
            lay_out(&self.compact, &self.layout, out);
        }
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
    out: &'w mut Vec<u8>,
    keys: Keys,
    octets: Vec<u8>,
    text: String,
    given: Given<'t>,
    depth: u32,
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

    fn string(&mut self, text: &str) {
        string(self.out, text, Short::All);
    }

    /// Puts the octets at hand as hexadecimal digits in a string.
    fn hexadecimal(&mut self) {
        self.out.push(b'"');
        opaque::hex(&self.octets, self.out);
        self.out.push(b'"');
    }

    fn value(&mut self, ty: TypeId, item: Value<'t>) -> Result<()> {
        let plan = self.plan;
        let node = plan.node(ty);
        self.octets.clear();
        if node.contents.is_some()
            && let Some(contents) = self.keys.contents(plan, node)
        {
            self.enter(item)?;
            self.out.push(b'{');
            self.string(CONTAINING);
            self.out.push(b':');
            self.value(contents, item)?;
            self.out.push(b'}');
            self.depth += 1;
            return Ok(());
        }
        match node.op {
            Op::Boolean => {
                let is = lower::boolean(item, self.losses)?;
                self.octets.push(if is { 0xff } else { 0 });
                self.keyed();
                self.out.extend_from_slice(if is { b"true" } else { b"false" });
            }
            Op::Null => {
                lower::null(item, self.losses)?;
                self.out.extend_from_slice(b"null");
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
            }
            Op::Enumerated(index) => self.enumerated(index, item)?,
            Op::Real => self.real(item)?,
            Op::Bits(index) => self.bits(ty, index, item)?,
            Op::Octets => {
                lower::bytes(item, self.losses, &mut self.octets)?;
                self.keyed();
                if plan.model().ty(ty).json.base64 {
                    opaque::base64(&self.octets, self.out);
                } else {
                    self.hexadecimal();
                }
            }
            Op::Oid | Op::RelativeOid => {
                let relative = node.op == Op::RelativeOid;
                lower::oid(item, relative, self.losses, &mut self.octets)?;
                self.keyed();
                raise::oid(&self.octets, relative, item.opening().start, &mut Budget::new(&Limits::DEFAULT), &mut self.text)?;
                string(self.out, &self.text, Short::All);
            }
            Op::Iri => {
                let text = lower::iri(item, self.losses)?;
                self.string(text);
            }
            Op::Text(kind) => self.characters(kind, item)?,
            Op::Time(kind) => self.time(kind, item)?,
            Op::Structure(index) => self.structure(index, item)?,
            Op::List(element) => self.list(element, item)?,
            Op::Choice(index) => self.choice(index, item)?,
            Op::Open => match self.keys.resolve(plan, node) {
                Some(found) => return self.value(found, item),
                None => {
                    lower::bytes(item, self.losses, &mut self.octets)
                        .map_err(|error| error.expected("bytes, since no table has the type of this value"))?;
                    opaque::put(&self.octets, self.out);
                }
            },
        }
        Ok(())
    }

    fn enumerated(&mut self, index: u32, item: Value<'t>) -> Result<()> {
        let known = &self.plan.enumerations[index as usize];
        if let (true, View::Scalar(Scalar::Text(name))) = (self.relay && known.extensible, item.view())
            && known.named(name.get()).is_none()
        {
            self.string(name.get());
            return Ok(());
        }
        match lower::enumerator(known, item)? {
            Enumerator::Known(found) => {
                if self.keys.is_open() {
                    octets::put_integer(known.items[found as usize].1, &mut self.octets);
                    self.keyed();
                }
                self.string(known.written(found));
                Ok(())
            }
            Enumerator::Number(_) | Enumerator::Addition(_) => {
                let error = Error::new(ErrorKind::Unsupported, Fault::Data).seen("the number of an unknown enumerator");
                let error = error.expected("an enumerator that the module has").at(item.opening().start);
                Err(error.hint("JER writes the name of an enumerator, not its number"))
            }
        }
    }

    /// Puts a number, or the name of what is none. One of base ten has its digits (X.697 23).
    fn real(&mut self, item: Value<'t>) -> Result<()> {
        if let View::Scalar(Scalar::Decimal(digits, _)) = item.view()
            && item.exponent().is_none()
            && item.wire(WIRE).is_none()
        {
            self.out.extend_from_slice(digits.get().as_bytes());
            return Ok(());
        }
        lower::real(item, self.losses, &mut self.octets)?;
        let out = &mut *self.out;
        raise::real(&self.octets, item.opening().start, &mut Budget::new(&Limits::DEFAULT), |scalar| {
            match scalar {
                Scalar::F64(_, hint) | Scalar::Decimal(_, hint) if hint.exponent().is_some() => {
                    out.push(b'{');
                    string(out, BASE_10, Short::All);
                    out.push(b':');
                    out.extend_from_slice(scalar.digits().unwrap_or("0").as_bytes());
                    out.push(b'}');
                }
                Scalar::F64(value, _) if value.is_nan() => string(out, "NaN", Short::All),
                Scalar::F64(value, _) if value.is_infinite() => string(out, if value > 0.0 { "INF" } else { "-INF" }, Short::All),
                Scalar::F64(value, _) if value == 0.0 && value.is_sign_negative() => string(out, "-0", Short::All),
                Scalar::F64(value, _) => {
                    // Writing to a vector cannot fail.
                    let _ = write!(out, "{value:?}");
                }
                scalar => out.extend_from_slice(scalar.digits().unwrap_or("0").as_bytes()),
            }
            Ok(())
        })
    }

    fn bits(&mut self, ty: TypeId, index: u32, item: Value<'t>) -> Result<()> {
        let count = lower::bits(&self.plan.bits[index as usize], item, self.losses, &mut self.octets)?;
        self.keyed();
        match fixed_bits(self.plan, ty) {
            Some((fixed, false)) if fixed == count => self.hexadecimal(),
            Some((fixed, false)) => {
                let error = Error::new(ErrorKind::Range, Fault::Data).seen(format!("{count} bits")).expected(format!("{fixed} bits"));
                return Err(error.at(item.opening().start).hint("the module's constraint forbids it"));
            }
            // An extensible size is no fixed one (X.697 24).
            _ => {
                self.out.push(b'{');
                self.string(VALUE);
                self.out.push(b':');
                self.hexadecimal();
                self.out.push(b',');
                self.string(LENGTH);
                // Writing to a vector cannot fail.
                let _ = write!(self.out, ":{count}}}");
            }
        }
        Ok(())
    }

    fn characters(&mut self, kind: StringKind, item: Value<'t>) -> Result<()> {
        let is_time = matches!(kind, StringKind::UtcTime | StringKind::GeneralizedTime);
        // JSON has all characters; a relay writes back what the type does not allow.
        let is_narrow = matches!(kind, StringKind::Numeric | StringKind::Printable | StringKind::Ia5 | StringKind::Visible);
        if let View::Scalar(Scalar::Text(text)) = item.view()
            && (self.relay || !is_time && (!is_narrow || text.get().is_ascii()))
        {
            if self.keys.is_open() {
                self.keys.put(text.get().as_bytes());
            }
            self.string(text.get());
            return Ok(());
        }
        lower::text(kind, item, self.losses, &mut self.octets)?;
        self.keyed();
        let raised = if is_time {
            std::str::from_utf8(&self.octets).ok()
        } else {
            let (raw, at) = (Str::Scratch(&self.octets[..]), item.opening().start);
            match raise::text(kind, raw, at, &mut Budget::new(&Limits::DEFAULT), &mut self.text)? {
                Scalar::Text(text) => Some(text.get()),
                _ => None,
            }
        };
        match raised {
            Some(text) => string(self.out, text, Short::All),
            None => {
                self.losses.value("octets that are no text became U+FFFD", item.opening());
                let text = String::from_utf8_lossy(&self.octets);
                string(self.out, &text, Short::All);
            }
        }
        Ok(())
    }

    fn time(&mut self, kind: TimeKind, item: Value<'t>) -> Result<()> {
        let text = lower::time(kind, item, self.losses)?;
        if !is_time(kind, text) {
            return Err(lower::misfit(item, kind.keyword()));
        }
        self.string(text);
        Ok(())
    }

    fn choice(&mut self, index: u32, item: Value<'t>) -> Result<()> {
        let plan = self.plan;
        let choice = plan.choice(index);
        self.enter(item)?;
        self.out.push(b'{');
        if let View::Open(Open::Variant { name, index }) = item.view()
            && choice.extensible
            && (!name.is_empty() || index == u32::MAX)
            && choice.named(name).is_none()
            && let Some(Entry::Element(value)) = item.entries().next()
            && let View::Scalar(Scalar::Bytes(bytes)) = value.view()
            && opaque::is_json(bytes.get())
        {
            // An alternative of a later version, as the reader gave it.
            self.string(name);
            self.out.push(b':');
            self.out.extend_from_slice(bytes.get());
        } else {
            match lower::chosen(plan, choice, item)? {
                Chosen::Known(alternative, value) => {
                    let found = &choice.alternatives[alternative as usize];
                    if self.keys.is_open() {
                        self.keys.put(&[alternative as u8]);
                    }
                    self.string(choice.written(alternative));
                    self.out.push(b':');
                    match value {
                        Some(value) => self.value(found.ty, value).map_err(|error| below(error, PathStep::Name(found.name.to_string())))?,
                        None => self.out.extend_from_slice(b"null"),
                    }
                }
                Chosen::Unknown(..) => {
                    let error = Error::new(ErrorKind::Unsupported, Fault::Data).seen("an alternative of a later version, without its name");
                    let error = error.expected("an alternative that the module has").at(item.opening().start);
                    return Err(error.hint("JER writes the name of an alternative, which no other encoding has"));
                }
            }
        }
        self.out.push(b'}');
        self.depth += 1;
        Ok(())
    }

    fn list(&mut self, element: TypeId, item: Value<'t>) -> Result<()> {
        self.enter(item)?;
        self.out.push(b'[');
        for (entry, index) in lower::elements(item)?.zip(0u64..) {
            if index > 0 {
                self.out.push(b',');
            }
            self.value(element, entry.value()).map_err(|error| below(error, PathStep::Index(index)))?;
        }
        self.out.push(b']');
        self.depth += 1;
        Ok(())
    }

    fn structure(&mut self, index: u32, item: Value<'t>) -> Result<()> {
        let plan = self.plan;
        let structure = plan.structure(index);
        self.enter(item)?;
        let start = self.given.len();
        let mut unknown = Vec::new();
        lower::components(plan, structure, item, &mut self.given, &mut unknown, self.losses)?;
        self.keys.enter();
        if structure.has_keys {
            self.put_keys(index, start)?;
        }
        self.out.push(b'{');
        let mut first = true;
        for (component, at) in structure.components.iter().zip(0u32..) {
            let Some(value) = self.given[start + at as usize] else {
                if component.presence == crate::walk::plan::Occurrence::Required && component.addition.is_none() {
                    return Err(lower::absent(plan, structure, at, item));
                }
                continue;
            };
            if !std::mem::take(&mut first) {
                self.out.push(b',');
            }
            self.string(structure.written(at));
            self.out.push(b':');
            self.value(component.ty, value).map_err(|error| below(error, PathStep::Name(component.name.to_string())))?;
        }
        for member in unknown {
            if !std::mem::take(&mut first) {
                self.out.push(b',');
            }
            self.octets.clear();
            lower::bytes(member, self.losses, &mut self.octets)?;
            self.out.extend_from_slice(&self.octets);
        }
        self.out.push(b'}');
        self.keys.leave();
        self.given.truncate(start);
        self.depth += 1;
        Ok(())
    }

    /// Notes the values that choose rows of tables: values that need them may come before them.
    fn put_keys(&mut self, index: u32, start: usize) -> Result<()> {
        let structure = self.plan.structure(index);
        let written = self.out.len();
        for (component, at) in structure.components.iter().zip(0u32..).filter(|(component, _)| component.is_key) {
            let Some(value) = self.given[start + at as usize] else { continue };
            self.keys.begin(at);
            let put = self.put_key(component.ty, value).map_err(|error| below(error, PathStep::Name(component.name.to_string())));
            self.keys.end();
            self.out.truncate(written);
            put?;
        }
        Ok(())
    }

    /// Notes a value that chooses rows, or the values in it that do.
    fn put_key(&mut self, mut ty: TypeId, mut item: Value<'t>) -> Result<()> {
        let (plan, whole) = (self.plan, (ty, item));
        let mut alternatives = Vec::new();
        while let Op::Choice(index) = plan.node(ty).op {
            let choice = plan.choice(index);
            let Chosen::Known(found, Some(value)) = lower::chosen(plan, choice, item)? else { break };
            alternatives.push(found as u8);
            (ty, item) = (choice.alternatives[found as usize].ty, value);
        }
        let Op::Structure(index) = plan.node(ty).op else { return self.value(whole.0, whole.1) };
        let structure = plan.structure(index);
        self.keys.put(&alternatives);
        self.enter(item)?;
        let start = self.given.len();
        // Losses are noted where the structure is written.
        let (mut unknown, mut losses) = (Vec::new(), Losses::default());
        lower::components(plan, structure, item, &mut self.given, &mut unknown, &mut losses)?;
        self.keys.enter();
        let put = self.put_keys(index, start);
        self.keys.leave();
        self.given.truncate(start);
        self.depth += 1;
        put
    }
}
