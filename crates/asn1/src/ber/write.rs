//! Values to encodings of a known type.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use polywire_core::value::{Entry, Held, View};
use polywire_core::walk::{Forward, Path, PathStep};
use polywire_core::{Error, ErrorKind, Fault, Losses, Lost, Needs, Result, Scalar, Sink, Tree, Writer};

use super::Rules;
use super::back::Back;
use super::header::{any_head, length, put_tag};
use super::read::SEGMENT;
use crate::model::{Addition, Kind, Presence, TypeId};
use crate::walk::keys::Keys;
use crate::walk::lower::{self, Chosen, Enumerator, Value, below};
use crate::walk::plan::{First, Occurrence, Op, Plan, Structure, TagKey};
use crate::walk::{UNKNOWN, octets, scalars, values};

/// Writes messages of one type, in BER, DER or CER. BER has definite lengths and whole strings.
#[derive(Debug)]
pub struct BerWriter {
    plan: Arc<Plan>,
    defaults: Arc<Defaults>,
    rules: Rules,
    held: Held,
    back: Back,
    scratch: Scratch,
}

#[derive(Debug, Default)]
struct Scratch {
    contents: Vec<u8>,
    keys: Keys,
}

impl BerWriter {
    /// Makes a writer of messages of the plan's root type.
    pub fn new(plan: Arc<Plan>, defaults: Arc<Defaults>, rules: Rules) -> BerWriter {
        BerWriter { plan, defaults, rules, held: Held::new(None), back: Back::default(), scratch: Scratch::default() }
    }

    /// Sets whether additions of a later version are written back. The events must then come
    /// straight from a [`BerReader`](super::BerReader).
    #[must_use]
    pub fn unknown(mut self, kept: bool) -> BerWriter {
        self.held = Held::new(kept.then_some(UNKNOWN));
        self
    }
}

impl<'m> Forward<'m> for BerWriter {
    type To = Held;

    fn to(&mut self) -> &mut Held {
        &mut self.held
    }

    fn needs(&self) -> Needs {
        Sink::needs(&self.held)
    }
}

impl Writer for BerWriter {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let tree = std::mem::take(&mut self.held.tree);
        let Some(root) = tree.root() else { return Err(Error::usage("no value").expected("a message").format_is(self.rules.name())) };
        self.back.clear();
        self.scratch.keys.clear();
        let mut encode = Encode {
            plan: &self.plan,
            defaults: Some(&self.defaults),
            rules: self.rules,
            out: &mut self.back,
            losses: &mut self.held.losses,
            keys: &mut self.scratch.keys,
            contents: &mut self.scratch.contents,
            given: Vec::new(),
            items: Vec::new(),
            depth: MAX_DEPTH,
        };
        let encoded = encode.value(self.plan.root, root);
        encoded.map_err(|error| {
            let error = error.format_is(self.rules.name());
            // The path of the message itself.
            if error.path().is_none() { error.path_is(Path::default()) } else { error }
        })?;
        out.extend_from_slice(self.back.bytes());
        self.held.tree = tree.recycle();
        Ok(())
    }

    fn reset(&mut self) {
        self.held.reset();
        self.back.clear();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.held.losses()
    }
}

/// Deepest nesting of values, since encoding recurses.
const MAX_DEPTH: u32 = 256;

/// Encodings of the default values of a plan's components, in DER and CER.
#[derive(Debug, Default)]
pub struct Defaults(HashMap<(u32, u32), [Box<[u8]>; 2], RandomState>);

impl Defaults {
    /// Returns the encoding of the default value of a component.
    pub(crate) fn of(&self, structure: u32, component: u32, rules: Rules) -> Option<&[u8]> {
        let [der, cer] = self.0.get(&(structure, component))?;
        Some(if rules == Rules::Canonical { cer } else { der })
    }
}

/// Encodes the default values of a plan. Those that cannot be encoded are left out: their
/// components are always written, and accepted.
pub fn defaults(plan: &Plan) -> Defaults {
    let mut all = Defaults::default();
    for ty in &plan.model().types {
        let (Kind::Sequence(known) | Kind::Set(known)) = &ty.kind else { continue };
        let Some(structure) = plan.structure_of(known) else { continue };
        let additions = known.additions.iter().flat_map(|addition| match addition {
            Addition::Component(component) => std::slice::from_ref(component),
            Addition::Group(group, _) => group.as_slice(),
        });
        for component in known.root.iter().chain(additions) {
            let Presence::Default(value) = &component.presence else { continue };
            let Some(index) = plan.structure(structure).named(&component.name, 0) else { continue };
            if all.0.contains_key(&(structure, index)) {
                continue;
            }
            let mut tree = Tree::new();
            if values::emit(plan, component.ty, value, &mut tree).is_none() {
                continue;
            }
            let Some(root) = tree.root() else { continue };
            let encode = |rules| encoded(plan, component.ty, root, rules);
            if let (Ok(der), Ok(cer)) = (encode(Rules::Distinguished), encode(Rules::Canonical)) {
                all.0.insert((structure, index), [der, cer]);
            }
        }
    }
    all
}

/// Encodes one value.
///
/// # Errors
/// It does not fit the type.
pub(crate) fn encoded(plan: &Plan, ty: TypeId, item: Value<'_>, rules: Rules) -> Result<Box<[u8]>> {
    let (mut out, mut losses, mut keys, mut contents) = (Back::default(), Losses::default(), Keys::default(), Vec::new());
    let mut encode = Encode {
        plan,
        defaults: None,
        rules,
        out: &mut out,
        losses: &mut losses,
        keys: &mut keys,
        contents: &mut contents,
        given: Vec::new(),
        items: Vec::new(),
        depth: MAX_DEPTH,
    };
    encode.value(ty, item)?;
    Ok(out.bytes().into())
}

/// An encoder of one message, from its last byte to its first.
struct Encode<'w, 't> {
    plan: &'w Plan,
    /// `None` while defaults are encoded.
    defaults: Option<&'w Defaults>,
    rules: Rules,
    out: &'w mut Back,
    losses: &'w mut Losses,
    keys: &'w mut Keys,
    /// Contents octets of one scalar.
    contents: &'w mut Vec<u8>,
    /// Components of the open structures, innermost last.
    given: Vec<Option<Value<'t>>>,
    /// Elements of the open lists.
    items: Vec<Value<'t>>,
    depth: u32,
}

impl<'t> Encode<'_, 't> {
    /// Writes a value of a type.
    fn value(&mut self, ty: TypeId, item: Value<'t>) -> Result<()> {
        let node = self.plan.node(ty);
        let behind = self.out.len();
        let constructed = match node.op {
            Op::Choice(index) => {
                self.choice(index, item)?;
                self.tags(&node.tags, behind);
                return Ok(());
            }
            Op::Open => {
                self.open(ty, item)?;
                self.tags(&node.tags, behind);
                return Ok(());
            }
            Op::Structure(index) => {
                self.enter(item)?;
                self.structure(index, item)?;
                self.depth += 1;
                true
            }
            Op::List(element) => {
                self.enter(item)?;
                self.list(ty, element, item)?;
                self.depth += 1;
                true
            }
            op => {
                if let Some(inner) = self.keys.contents(self.plan, node).filter(|inner| !is_plain_bytes(self.plan, Some(*inner), item)) {
                    let constructed = self.contained(op, inner, item)?;
                    return self.finished(ty, constructed, behind);
                }
                self.contents.clear();
                let mut contents = std::mem::take(self.contents);
                let scalar = self.scalar(ty, op, item, &mut contents);
                let constructed = scalar.map(|()| self.put_contents(op, &contents));
                *self.contents = contents;
                constructed?
            }
        };
        self.finished(ty, constructed, behind)
    }

    /// Writes the tags of a type in front of its contents.
    fn finished(&mut self, ty: TypeId, constructed: bool, behind: usize) -> Result<()> {
        let plan = self.plan;
        let Some((last, outer)) = plan.node(ty).tags.split_last() else { return Err(Error::internal("a type without a tag")) };
        self.head(*last, constructed, behind);
        self.tags(outer, behind);
        Ok(())
    }

    fn enter(&mut self, item: Value<'_>) -> Result<()> {
        if self.depth == 0 {
            return Err(Error::new(ErrorKind::Limit, Fault::Data)
                .seen(format!("values more than {MAX_DEPTH} deep"))
                .expected("a message that is less deep")
                .at(item.opening().start));
        }
        self.depth -= 1;
        Ok(())
    }

    /// Writes the head of the contents that are in front of `behind`.
    #[inline]
    fn head(&mut self, tag: TagKey, constructed: bool, behind: usize) {
        if constructed && self.rules == Rules::Canonical {
            // The contents were written behind their end-of-contents octets.
            self.out.put(&[0x80]);
        } else {
            let (octets, count) = length(self.out.len() - behind);
            self.out.put(&octets[9 - count..]);
        }
        let mut octets = [0; 11];
        let count = put_tag(tag, constructed, &mut octets);
        self.out.put(&octets[..count]);
    }

    /// Writes the explicit tags around an encoding.
    fn tags(&mut self, tags: &[TagKey], behind: usize) {
        for tag in tags.iter().rev() {
            if self.rules == Rules::Canonical {
                let inner = self.out.front(behind).to_vec();
                self.out.cut(behind);
                self.out.put(&[0, 0]);
                self.out.put(&inner);
            }
            self.head(*tag, true, behind);
        }
    }

    /// Begins a constructed encoding: in CER, with the octets that end it.
    fn begin(&mut self) {
        if self.rules == Rules::Canonical {
            self.out.put(&[0, 0]);
        }
    }

    fn choice(&mut self, index: u32, item: Value<'t>) -> Result<()> {
        let plan = self.plan;
        let choice = plan.choice(index);
        match lower::chosen(plan, choice, item)? {
            Chosen::Known(found, value) => {
                let alternative = &choice.alternatives[found as usize];
                self.enter(item)?;
                match value {
                    Some(value) => {
                        self.value(alternative.ty, value).map_err(|error| below(error, PathStep::Name(alternative.name.to_string())))?;
                    }
                    None => {
                        let behind = self.out.len();
                        let tags = &plan.node(alternative.ty).tags;
                        let Some((last, outer)) = tags.split_last() else { return Err(Error::internal("NULL without a tag")) };
                        self.head(*last, false, behind);
                        self.tags(outer, behind);
                    }
                }
                self.depth += 1;
            }
            Chosen::Unknown(_, bytes) => self.raw(bytes, item)?,
        }
        Ok(())
    }

    /// Writes the bytes of one encoding.
    fn raw(&mut self, bytes: &[u8], item: Value<'_>) -> Result<()> {
        if !is_encoding(bytes) {
            return Err(lower::misfit(item, "the bytes of one encoding").seen(format!("{} bytes that are no encoding", bytes.len())));
        }
        self.out.put(bytes);
        Ok(())
    }

    fn open(&mut self, ty: TypeId, item: Value<'t>) -> Result<()> {
        let node = self.plan.node(ty);
        let found = self.keys.resolve(self.plan, node).filter(|found| !is_plain_bytes(self.plan, Some(*found), item));
        if let Some(found) = found {
            self.enter(item)?;
            self.value(found, item)?;
            self.depth += 1;
            return Ok(());
        }
        let mut bytes = Vec::new();
        lower::bytes(item, self.losses, &mut bytes)
            .map_err(|_| lower::misfit(item, "the bytes of an encoding").hint("no table gives the type of this value"))?;
        self.raw(&bytes, item)
    }

    /// Writes the value in a string, and returns whether the string is constructed.
    fn contained(&mut self, op: Op, inner: TypeId, item: Value<'t>) -> Result<bool> {
        let behind = self.out.len();
        self.enter(item)?;
        self.value(inner, item)?;
        self.depth += 1;
        let size = self.out.len() - behind;
        if self.rules == Rules::Canonical && size > SEGMENT {
            let mut contents = self.out.front(behind).to_vec();
            self.out.cut(behind);
            if matches!(op, Op::Bits(_)) {
                contents.insert(0, 0);
            }
            return Ok(self.put_contents(op, &contents));
        }
        if matches!(op, Op::Bits(_)) {
            self.out.put(&[0]);
        }
        Ok(false)
    }

    /// Writes contents octets. CER has long strings in segments (X.690 9.2); true is returned for
    /// these.
    fn put_contents(&mut self, op: Op, contents: &[u8]) -> bool {
        let is_bits = matches!(op, Op::Bits(_));
        let is_long = contents.len() > SEGMENT + usize::from(is_bits);
        if self.rules != Rules::Canonical || !is_long || !matches!(op, Op::Octets | Op::Bits(_) | Op::Text(_)) {
            self.out.put(contents);
            return false;
        }
        self.begin();
        let (unused, octets) = if is_bits { (contents[0], &contents[1..]) } else { (0, contents) };
        let tag = TagKey::new(0, if is_bits { 3 } else { 4 });
        for (segment, at) in octets.chunks(SEGMENT).zip(0..).collect::<Vec<_>>().into_iter().rev() {
            let behind = self.out.len();
            self.out.put(segment);
            if is_bits {
                self.out.put(&[if (at + 1) * SEGMENT >= octets.len() { unused } else { 0 }]);
            }
            self.head(tag, false, behind);
        }
        true
    }

    /// Appends the contents octets of a scalar.
    fn scalar(&mut self, ty: TypeId, op: Op, item: Value<'t>, out: &mut Vec<u8>) -> Result<()> {
        let plan = self.plan;
        match op {
            Op::Boolean => out.push(if lower::boolean(item, self.losses)? { 0xff } else { 0 }),
            Op::Null => lower::null(item, self.losses)?,
            Op::Integer => {
                let names = match &plan.model().ty(ty).kind {
                    Kind::Integer(names) => &names[..],
                    _ => &[],
                };
                lower::integer(item, names, self.losses, out)?;
            }
            Op::Enumerated(index) => {
                let enumeration = &plan.enumerations[index as usize];
                match lower::enumerator(enumeration, item)? {
                    Enumerator::Known(index) => octets::put_integer(enumeration.items[index as usize].1, out),
                    Enumerator::Number(number) => octets::put_integer(number, out),
                    Enumerator::Addition(_) => {
                        return Err(lower::misfit(item, "the number of an enumerator")
                            .seen("an enumerator of a later version, by its index")
                            .hint("BER writes numbers, and other encodings indexes"));
                    }
                }
            }
            Op::Real => lower::real(item, self.losses, out)?,
            Op::Bits(index) => {
                out.push(0);
                let bits = lower::bits(&plan.bits[index as usize], item, self.losses, out)?;
                out[0] = ((out.len() as u64 - 1) * 8 - bits) as u8;
            }
            Op::Octets => lower::bytes(item, self.losses, out)?,
            Op::Oid => lower::oid(item, false, self.losses, out)?,
            Op::RelativeOid => lower::oid(item, true, self.losses, out)?,
            Op::Iri => out.extend_from_slice(lower::iri(item, self.losses)?.as_bytes()),
            Op::Text(kind) => lower::text(kind, item, self.losses, out)?,
            Op::Time(kind) => {
                let text = lower::time(kind, item, self.losses)?;
                if !scalars::put_time(kind, text, out) {
                    return Err(lower::misfit(item, kind.keyword()));
                }
            }
            Op::Structure(_) | Op::List(_) | Op::Choice(_) | Op::Open => return Err(Error::internal("a structure as a scalar")),
        }
        Ok(())
    }

    fn structure(&mut self, index: u32, item: Value<'t>) -> Result<()> {
        let plan = self.plan;
        let structure = plan.structure(index);
        let start = self.given.len();
        let mut unknown = Vec::new();
        lower::components(plan, structure, item, &mut self.given, &mut unknown, self.losses)?;
        let keyed = !plan.tables.is_empty();
        if keyed {
            self.keys.enter();
            if structure.has_keys {
                self.keys_of(structure, start)?;
            }
        }
        self.begin();
        if structure.is_set && self.rules != Rules::Basic {
            self.set(index, structure, start, item, &unknown)?;
        } else {
            let additions = structure.additions.1;
            for at in (0..structure.components.len() as u32).rev() {
                if at + 1 == additions {
                    self.unknowns(&unknown)?;
                }
                self.component(index, structure, at, start, item)?;
            }
            if additions == 0 {
                self.unknowns(&unknown)?;
            }
        }
        if keyed {
            self.keys.leave();
        }
        self.given.truncate(start);
        Ok(())
    }

    fn unknowns(&mut self, unknown: &[Value<'t>]) -> Result<()> {
        for item in unknown.iter().rev() {
            if let View::Scalar(Scalar::Bytes(bytes)) = item.view() {
                self.raw(bytes.get(), *item)?;
            }
        }
        Ok(())
    }

    /// Keeps the values that choose rows, before anything of the structure is written.
    fn keys_of(&mut self, structure: &Structure, start: usize) -> Result<()> {
        for (component, index) in structure.components.iter().zip(0..) {
            let Some(item) = self.given[start + index as usize].filter(|_| component.is_key) else { continue };
            self.keys.begin(index);
            let (mut ty, mut item, mut key) = (component.ty, item, Vec::new());
            while let Op::Choice(choice) = self.plan.node(ty).op {
                let choice = self.plan.choice(choice);
                let Chosen::Known(found, Some(inner)) = lower::chosen(self.plan, choice, item)? else { break };
                key.push(found as u8);
                (ty, item) = (choice.alternatives[found as usize].ty, inner);
            }
            let op = self.plan.node(ty).op;
            if let Op::Structure(within) = op {
                self.keys.put(&key);
                self.keys_within(within, item)?;
            }
            // An error is reported where the component is written.
            if !matches!(op, Op::Choice(_) | Op::Structure(_) | Op::List(_) | Op::Open) && self.scalar(ty, op, item, &mut key).is_ok() {
                self.keys.put(&key);
            }
            self.keys.end();
        }
        Ok(())
    }

    /// Keeps the keys in a key that is a structure.
    fn keys_within(&mut self, index: u32, item: Value<'t>) -> Result<()> {
        let structure = self.plan.structure(index);
        if !structure.has_keys {
            return Ok(());
        }
        self.enter(item)?;
        let start = self.given.len();
        // Losses are noted where the structure is written.
        let (mut unknown, mut losses) = (Vec::new(), Losses::default());
        if lower::components(self.plan, structure, item, &mut self.given, &mut unknown, &mut losses).is_ok() {
            self.keys.enter();
            let kept = self.keys_of(structure, start);
            self.keys.leave();
            kept?;
        }
        self.given.truncate(start);
        self.depth += 1;
        Ok(())
    }

    /// Writes one component, if it is there.
    fn component(&mut self, index: u32, structure: &Structure, at: u32, start: usize, around: Value<'t>) -> Result<()> {
        let component = &structure.components[at as usize];
        let Some(item) = self.given[start + at as usize] else {
            if component.presence == Occurrence::Required && component.addition.is_none() {
                return Err(lower::absent(self.plan, structure, at, around));
            }
            return Ok(());
        };
        let behind = self.out.len();
        self.value(component.ty, item).map_err(|error| below(error, PathStep::Name(component.name.to_string())))?;
        if component.presence == Occurrence::Default
            && self.rules != Rules::Basic
            && let Some(default) = self.defaults.and_then(|defaults| defaults.of(index, at, self.rules))
            && self.out.front(behind) == default
        {
            self.out.cut(behind);
        }
        Ok(())
    }

    /// Writes the components of a SET in the order of their tags (X.690 9.3, 10.3).
    fn set(&mut self, index: u32, structure: &Structure, start: usize, item: Value<'t>, unknown: &[Value<'t>]) -> Result<()> {
        let behind = self.out.len();
        let mut parts: Vec<(TagKey, Vec<u8>)> = Vec::new();
        for at in 0..structure.components.len() as u32 {
            self.component(index, structure, at, start, item)?;
            let bytes = self.out.front(behind).to_vec();
            self.out.cut(behind);
            let Some(head) = any_head(&bytes, 0, 0).ok().filter(|_| !bytes.is_empty()) else { continue };
            let tag = match structure.components[at as usize].first {
                First::Choice(choice) if self.rules == Rules::Canonical => self.plan.choice(choice).least(),
                _ => head.tag,
            };
            parts.push((tag, bytes));
        }
        for item in unknown {
            if let View::Scalar(Scalar::Bytes(bytes)) = item.view()
                && let Ok(head) = any_head(bytes.get(), 0, 0)
                && is_encoding(bytes.get())
            {
                parts.push((head.tag, bytes.get().to_vec()));
            }
        }
        parts.sort_by_key(|(tag, _)| *tag);
        for (_, bytes) in parts.iter().rev() {
            self.out.put(bytes);
        }
        Ok(())
    }

    fn list(&mut self, ty: TypeId, element: TypeId, item: Value<'t>) -> Result<()> {
        let start = self.items.len();
        for entry in lower::elements(item)? {
            match entry {
                Entry::Element(value) => self.items.push(value),
                entry => return Err(lower::misfit(entry.value(), "an element")),
            }
        }
        self.begin();
        let behind = self.out.len();
        let sorts = self.rules != Rules::Basic && matches!(self.plan.model().ty(ty).kind, Kind::SetOf(_));
        let mut ends = Vec::new();
        for at in (start..self.items.len()).rev() {
            if sorts {
                ends.push(self.out.len() - behind);
            }
            self.value(element, self.items[at]).map_err(|error| below(error, PathStep::Index((at - start) as u64)))?;
        }
        self.items.truncate(start);
        if sorts && ends.len() > 1 {
            // The elements from the last to the first, each by its distance from the end.
            let bytes = self.out.front(behind).to_vec();
            let mut parts: Vec<&[u8]> = Vec::with_capacity(ends.len());
            for (at, end) in ends.iter().enumerate() {
                let begin = ends.get(at + 1).copied().unwrap_or(bytes.len());
                parts.push(&bytes[bytes.len() - begin..bytes.len() - end]);
            }
            parts.sort_by(|one, two| padded(one, two));
            let mut place = 0;
            let into = self.out.front_mut(behind);
            for part in parts {
                into[place..place + part.len()].copy_from_slice(part);
                place += part.len();
            }
        }
        Ok(())
    }
}

/// Compares encodings as if the shorter had zeros behind (X.690 11.6).
fn padded(one: &[u8], two: &[u8]) -> std::cmp::Ordering {
    let common = one.len().min(two.len());
    one[..common].cmp(&two[..common]).then(one.len().cmp(&two.len()))
}

/// Returns whether a value is bytes, and its type has none: then they are the bytes of its
/// encoding.
fn is_plain_bytes(plan: &Plan, ty: Option<TypeId>, item: Value<'_>) -> bool {
    let is_string = ty.is_some_and(|ty| matches!(plan.node(ty).op, Op::Octets | Op::Bits(_) | Op::Open));
    matches!(item.view(), View::Scalar(Scalar::Bytes(_))) && !is_string
}

/// Returns whether bytes are one encoding.
fn is_encoding(bytes: &[u8]) -> bool {
    let (mut at, mut open) = (0usize, 0u64);
    loop {
        let Ok(head) = any_head(bytes, at, 0) else { return false };
        match head.length {
            _ if bytes[at..head.contents] == [0, 0] => {
                let Some(left) = open.checked_sub(1) else { return false };
                (at, open) = (at + 2, left);
            }
            None => (at, open) = (head.contents, open + 1),
            Some(length) => match usize::try_from(length).ok().and_then(|length| head.contents.checked_add(length)) {
                Some(end) if end <= bytes.len() => at = end,
                _ => return false,
            },
        }
        if open == 0 {
            return at == bytes.len();
        }
    }
}
