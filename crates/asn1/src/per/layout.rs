//! Layout: widths, orders and counts of the types of a plan, as X.691 needs them.

use std::sync::Arc;

use super::bits::BitsOut;
use super::{Variant, write};
use crate::model::{Addition, Alphabet, Bounds, Kind, Model, Presence, Range, StringKind, TimeKind, TypeId, Value};
use crate::walk::plan::{Op, Plan};
use crate::walk::values;
use polywire_core::Tree;

/// Types of a plan for one of the variants, ALIGNED and UNALIGNED.
#[derive(Debug)]
pub(crate) struct Layout {
    pub plan: Arc<Plan>,
    /// True for the ALIGNED variant.
    pub aligned: bool,
    /// True for OER.
    pub octets: bool,
    /// True if the reader refuses what is not canonical.
    pub canonical: bool,
    /// Name of the format.
    pub name: &'static str,
    /// By the numbers of types.
    codes: Vec<Code>,
    pub numbers: Vec<Number>,
    pub sizes: Vec<Size>,
    pub characters: Vec<Characters>,
    /// By the plan's numbers of structures.
    pub structures: Vec<Structure>,
    /// By the plan's numbers of choices.
    pub choices: Vec<Choice>,
    /// By the plan's numbers of enumerations.
    pub enumerations: Vec<Field>,
}

/// Kind of a type's encoding. Numbers are indexes in [`Layout`] or, where the plan has a list of
/// that kind, in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    Boolean,
    Null,
    Real,
    /// Float of 32 or 64 bits, in OER (X.696 12).
    Float(u32),
    Integer(u32),
    Enumerated(u32),
    /// Bits, and their size.
    Bits(u32, u32),
    /// Size, and the type of the contents.
    Octets(u32),
    Oid,
    RelativeOid,
    /// Text whose characters have different sizes: a length and bytes.
    Text(StringKind),
    Iri,
    Characters(u32),
    /// Text of one number of octets, in OER.
    FixedText(StringKind, u32),
    Time(TimeKind),
    Structure(u32),
    /// Type of the elements, and the size.
    List(TypeId, u32),
    Choice(u32),
    Open,
}

/// Bit-field of a number of a range (X.691 11.5.6 and 11.5.7), up to two octets in the ALIGNED
/// variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field {
    pub bits: u32,
    pub align: bool,
}

impl Field {
    /// Returns the field of `count` different numbers.
    pub fn of(count: u128, aligned: bool) -> Field {
        let bits = 128 - count.saturating_sub(1).leading_zeros();
        match (aligned, count) {
            (false, _) | (true, 0..=255) => Field { bits, align: false },
            (true, 256) => Field { bits: 8, align: true },
            (true, _) => Field { bits: 16, align: true },
        }
    }
}

/// Encoding of whole numbers (X.691 13).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Number {
    pub form: Form,
    /// Least number, for forms that count from it.
    pub low: i128,
    /// Root values.
    pub range: Range,
    pub extensible: bool,
}

/// Form of whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A bit-field (X.691 11.5.6, 11.5.7.1 to 3).
    Field(Field),
    /// Octets behind their number, which has a field and counts from 1 (X.691 11.5.7.4).
    Octets(Field),
    /// Octets of a fixed number, and whether they are two's complement (X.696 10).
    Plain(u32, bool),
    /// Octets behind a length: a number from `low` up (X.691 11.7).
    Semi,
    /// Octets behind a length: two's complement (X.691 11.8).
    Free,
}

/// Sizes of a string or list (X.691 11.9).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub low: u64,
    /// Greatest size. 64K and more is none: the length is in no field.
    pub high: Option<u64>,
    /// Greatest size of the root, whatever it is.
    pub most: Option<u64>,
    pub field: Field,
    pub extensible: bool,
}

impl Size {
    /// Sizes without a constraint.
    pub const ANY: Size = Size { low: 0, high: None, most: None, field: Field { bits: 0, align: false }, extensible: false };

    fn new(bounds: Option<Bounds>, extensible: bool, aligned: bool) -> Size {
        let range = bounds.map_or(Range::SIZES, |bounds| bounds.range);
        let number = |bound: Option<i128>| bound.map(|bound| u64::try_from(bound).unwrap_or(if bound < 0 { 0 } else { u64::MAX }));
        let (low, most) = (number(range.low).unwrap_or(0), number(range.high));
        let high = most.filter(|high| *high < 65_536 && low <= *high);
        let field = high.map_or(Field { bits: 0, align: false }, |high| Field::of(u128::from(high - low) + 1, aligned));
        Size { low, high, most, field, extensible }
    }

    /// Returns the sizes of OER: a length is left out if there is one size (X.696 13 and 14).
    pub fn of_octets(bounds: Option<Bounds>, extensible: bool) -> Size {
        match bounds.map(|bounds| bounds.range).filter(|_| !extensible) {
            None => Size::ANY,
            Some(range) => {
                let size = Size::new(Some(Bounds { range, extensible: false }), false, false);
                Size { high: size.most.filter(|most| *most == size.low), field: Size::ANY.field, ..size }
            }
        }
    }

    /// Returns the size that all root values have, if the encoding leaves it out.
    #[inline]
    pub fn fixed(&self) -> Option<u64> {
        self.high.filter(|high| *high == self.low)
    }

    pub fn contains(&self, size: u64) -> bool {
        self.low <= size && self.most.is_none_or(|most| size <= most)
    }
}

/// Strings of characters that have one size (X.691 30).
#[derive(Debug)]
pub(crate) struct Characters {
    pub kind: StringKind,
    pub size: Size,
    /// Characters of root values.
    pub root: Letters,
    /// Characters of other values.
    pub all: Letters,
    /// True if the characters of root values begin at a byte (X.691 30.5.6 and 30.5.7).
    pub align: bool,
    /// Permitted characters.
    pub alphabet: Alphabet,
}

/// Numbers of characters.
#[derive(Debug)]
pub(crate) struct Letters {
    /// Width of a character.
    pub bits: u32,
    /// Characters by their numbers. Empty if these are the characters' own codes.
    pub by_number: Box<[u32]>,
}

impl Letters {
    fn of(alphabet: &Alphabet, aligned: bool) -> Letters {
        let count = alphabet.len().max(1);
        let mut bits = 64 - (count - 1).leading_zeros();
        if aligned && bits > 0 {
            bits = bits.next_power_of_two();
        }
        let last = alphabet.ranges().last().map_or(0, |(_, last)| *last);
        let own = u64::from(last) < 1 << bits || count > 65_536;
        let by_number = if own { Box::default() } else { alphabet.ranges().iter().flat_map(|(low, high)| *low..=*high).collect() };
        Letters { bits, by_number }
    }
}

/// SEQUENCE or SET (X.691 19 and 21).
#[derive(Debug, Default)]
pub(crate) struct Structure {
    pub root: Part,
    pub extensible: bool,
    pub additions: Box<[Extra]>,
    /// True if its components have no parts with components, and are not compared with each other.
    pub is_row: bool,
}

/// Components with one preamble.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub steps: Box<[Step]>,
    /// Number of bits of the preamble.
    pub optionals: u32,
}

/// Component in its place on the wire.
#[derive(Debug)]
pub(crate) struct Step {
    /// Index in the plan's structure.
    pub component: u32,
    pub ty: TypeId,
    /// Bit of the preamble that says whether it is there.
    pub bit: Option<u32>,
    pub default: Option<Coded>,
    /// True if nothing is under way behind its value: it has no components, chooses no row of a
    /// table, and is not compared with a default.
    pub is_leaf: bool,
    /// Form that most of its values have.
    pub quick: Quick,
    /// True for a list of rows that chooses no row of a table, and is not compared with a default.
    pub is_rows: bool,
}

/// Form of a value that is read with few steps. A value that lacks it is read as all others are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quick {
    /// None.
    Never,
    /// One bit.
    Flag,
    /// A truth value in an octet.
    Octet,
    /// A number from `low` up in `bits` bits, all of which are its values.
    Field { bits: u32, low: i64 },
    /// A number in up to seven octets behind their count, in two's complement or from zero up.
    Whole { signed: bool },
    /// A real number in up to seven octets behind their count.
    Real,
    /// UTF8String where an octet begins, behind the count of its octets.
    Utf8,
    /// Octets of a fixed number, without contents of their own.
    Octets(u32),
}

/// Default as it would be written.
#[derive(Debug, Clone)]
pub(crate) struct Coded {
    pub bits: BitsOut,
    /// Number of values in it.
    pub values: u64,
}

/// Extension addition.
#[derive(Debug)]
pub(crate) enum Extra {
    One(Step),
    Group(Part),
}

/// CHOICE (X.691 23).
#[derive(Debug, Default)]
pub(crate) struct Choice {
    /// Field of the indexes of root alternatives.
    pub field: Option<Field>,
    /// Alternatives of the plan by their index on the wire.
    pub order: Box<[u32]>,
    /// Indexes on the wire by the plan's root alternatives.
    pub index: Box<[u32]>,
    pub extensible: bool,
}

impl Layout {
    pub fn new(plan: Arc<Plan>, variant: Variant) -> Layout {
        let aligned = variant == Variant::Aligned;
        let model = Arc::clone(plan.model());
        let mut layout = Layout {
            aligned,
            octets: matches!(variant, Variant::Octets | Variant::CanonicalOctets),
            canonical: variant == Variant::CanonicalOctets,
            name: variant.format(),
            codes: Vec::with_capacity(model.types.len()),
            numbers: Vec::new(),
            sizes: vec![Size::ANY],
            characters: Vec::new(),
            structures: Vec::new(),
            choices: Vec::new(),
            enumerations: plan.enumerations.iter().map(|known| Field::of(u128::from(known.root), aligned)).collect(),
            plan,
        };
        layout.structures.resize_with(layout.plan.structures.len(), Structure::default);
        layout.choices.resize_with(layout.plan.choices.len(), Choice::default);
        for ty in (0..model.types.len() as u32).map(TypeId) {
            let code = layout.make(&model, ty);
            layout.codes.push(code);
        }
        layout.defaults(&model);
        layout.leaves();
        layout
    }

    /// Returns whether values of a type have no components.
    #[inline]
    pub fn is_leaf(&self, ty: TypeId) -> bool {
        match self.code(ty) {
            Code::Structure(_) | Code::List(..) | Code::Choice(_) | Code::Open => false,
            Code::Octets(_) | Code::Bits(..) => self.plan.node(ty).contents.is_none(),
            _ => true,
        }
    }

    /// Returns the form that most values of a type have.
    fn quick(&self, ty: TypeId) -> Quick {
        match self.code(ty) {
            // Canonical readers look at the form of each value, and aligned ones at its place.
            _ if self.canonical || self.aligned => Quick::Never,
            Code::Boolean => {
                if self.octets {
                    Quick::Octet
                } else {
                    Quick::Flag
                }
            }
            Code::Integer(index) => {
                let number = &self.numbers[index as usize];
                match (number.form, number.range) {
                    _ if number.extensible => Quick::Never,
                    (Form::Semi, Range::SIZES) => Quick::Whole { signed: false },
                    (Form::Free, Range::ALL) => Quick::Whole { signed: true },
                    (Form::Plain(bits, _) | Form::Field(Field { bits, .. }), Range { low: Some(low), high: Some(high) })
                        if bits < 64 && high.abs_diff(low) == (1 << bits) - 1 =>
                    {
                        i64::try_from(low).map_or(Quick::Never, |low| Quick::Field { bits, low })
                    }
                    _ => Quick::Never,
                }
            }
            Code::Real => Quick::Real,
            // A constraint is looked at.
            Code::Text(_) if self.octets && self.plan.node(ty).constrained => Quick::Never,
            Code::Text(StringKind::Utf8) => Quick::Utf8,
            Code::Octets(size) => match self.sizes[size as usize] {
                size if size.extensible => Quick::Never,
                size => size.fixed().and_then(|octets| u32::try_from(octets).ok()).map_or(Quick::Never, Quick::Octets),
            },
            _ => Quick::Never,
        }
    }

    /// Returns the structure of a type whose values are rows.
    #[inline]
    pub fn row(&self, ty: TypeId) -> Option<u32> {
        let Code::Structure(index) = self.code(ty) else { return None };
        self.structures[index as usize].is_row.then_some(index)
    }

    /// Finds the components that are read without a frame.
    fn leaves(&mut self) {
        for index in 0..self.structures.len() as u32 {
            let steps = self.alone(index);
            let found: Vec<(bool, Quick)> =
                steps.into_iter().map(|(ty, is_alone)| (is_alone && self.is_leaf(ty), self.quick(ty))).collect();
            for (step, (is_leaf, quick)) in self.steps(index).zip(found) {
                (step.is_leaf, step.quick) = (is_leaf, quick);
            }
            let structure = &mut self.structures[index as usize];
            let steps = &structure.root.steps;
            structure.is_row = !steps.is_empty() && steps.iter().all(|step| step.is_leaf);
        }
        for index in 0..self.structures.len() as u32 {
            let steps = self.alone(index);
            let is_rows = |ty| match self.code(ty) {
                Code::List(element, _) => !self.canonical && self.row(element).is_some(),
                _ => false,
            };
            let found: Vec<bool> = steps.into_iter().map(|(ty, is_alone)| is_alone && is_rows(ty)).collect();
            for (step, is_rows) in self.steps(index).zip(found) {
                step.is_rows = is_rows;
            }
        }
    }

    /// Returns the types of a structure's components, and whether nothing is done behind their
    /// values: they choose no row of a table, and are not compared with a default.
    fn alone(&mut self, structure: u32) -> Vec<(TypeId, bool)> {
        let canonical = self.canonical;
        let steps: Vec<_> = self.steps(structure).map(|step| (step.component, step.ty, step.default.is_some())).collect();
        let components = &self.plan.structure(structure).components;
        let is_alone = |component: u32, has_default: bool| !(components[component as usize].is_key || canonical && has_default);
        steps.into_iter().map(|(component, ty, has_default)| (ty, is_alone(component, has_default))).collect()
    }

    /// Writes the defaults. Those that have defaults within are written again when these are known.
    fn defaults(&mut self, model: &Model) {
        let mut again = Vec::new();
        for ty in (0..model.types.len() as u32).map(TypeId) {
            let (Kind::Sequence(structure) | Kind::Set(structure)) = &model.ty(ty).kind else { continue };
            let Code::Structure(index) = self.code(ty) else { continue };
            let groups = structure.additions.iter().flat_map(|addition| match addition {
                Addition::Component(known) => std::slice::from_ref(known),
                Addition::Group(group, _) => group,
            });
            for known in structure.root.iter().chain(groups) {
                let Presence::Default(value) = &known.presence else { continue };
                let Some(component) = self.plan.structure(index).named(&known.name, 0) else { continue };
                if self.steps(index).any(|step| step.component == component && step.default.is_some()) {
                    continue;
                }
                self.set_default(index, component, known.ty, value);
                if matches!(value, Value::Structure(_) | Value::List(_) | Value::Choice(..)) {
                    again.push((index, component, known.ty, value));
                }
            }
        }
        for (index, component, ty, value) in again {
            self.set_default(index, component, ty, value);
        }
    }

    fn steps(&mut self, structure: u32) -> impl Iterator<Item = &mut Step> {
        let structure = &mut self.structures[structure as usize];
        let groups = structure.additions.iter_mut().flat_map(|extra| match extra {
            Extra::One(step) => std::slice::from_mut(step),
            Extra::Group(part) => &mut part.steps,
        });
        structure.root.steps.iter_mut().chain(groups)
    }

    fn set_default(&mut self, structure: u32, component: u32, ty: TypeId, value: &Value) {
        let mut tree = Tree::without_spans();
        let coded = values::emit(&self.plan, ty, value, &mut tree).and_then(|()| write::alone(self, ty, tree.root()?));
        if let Some(step) = self.steps(structure).find(|step| step.component == component) {
            step.default = coded;
        }
    }

    #[inline]
    pub fn code(&self, ty: TypeId) -> Code {
        self.codes[ty.0 as usize]
    }

    fn make(&mut self, model: &Model, ty: TypeId) -> Code {
        let Constrained { value, size, extensible } = Constrained::of(model, ty);
        match self.plan.node(ty).op {
            Op::Boolean => Code::Boolean,
            Op::Null => Code::Null,
            Op::Real => {
                let known = &model.ty(ty).constraints;
                let float = known.real.filter(|_| self.octets && !known.extensible).and_then(|real| real.float());
                float.map_or(Code::Real, Code::Float)
            }
            Op::Integer => {
                self.numbers.push(if self.octets { Number::of_octets(value) } else { Number::new(value, self.aligned) });
                Code::Integer(self.numbers.len() as u32 - 1)
            }
            Op::Enumerated(index) => Code::Enumerated(index),
            Op::Bits(index) => Code::Bits(index, self.size(size, extensible)),
            Op::Octets => Code::Octets(self.size(size, extensible)),
            Op::Oid => Code::Oid,
            Op::RelativeOid => Code::RelativeOid,
            Op::Iri => Code::Iri,
            Op::Text(kind) => self.text(model, ty, kind, size, extensible),
            Op::Time(kind) => Code::Time(kind),
            Op::Structure(index) => {
                if let Kind::Sequence(structure) | Kind::Set(structure) = &model.ty(ty).kind
                    && self.structures[index as usize].root.steps.is_empty()
                {
                    self.structures[index as usize] = Structure::new(structure);
                }
                Code::Structure(index)
            }
            Op::List(element) => Code::List(element, self.size(size, extensible)),
            Op::Choice(index) => {
                if let Kind::Choice(choice) = &model.ty(ty).kind {
                    let order: Box<[u32]> = choice.order.as_slice().into();
                    let mut index_of = vec![0; order.len()];
                    for (at, root) in (0..).zip(&order) {
                        index_of[*root as usize] = at;
                    }
                    self.choices[index as usize] = Choice {
                        field: (!order.is_empty()).then(|| Field::of(order.len() as u128, self.aligned)),
                        order,
                        index: index_of.into(),
                        extensible: choice.extensible,
                    };
                }
                Code::Choice(index)
            }
            Op::Open => Code::Open,
        }
    }

    fn size(&mut self, bounds: Option<Bounds>, extensible: bool) -> u32 {
        if bounds.is_none() {
            return 0;
        }
        let size = if self.octets { Size::of_octets(bounds, extensible) } else { Size::new(bounds, extensible, self.aligned) };
        self.sizes.push(size);
        self.sizes.len() as u32 - 1
    }

    fn text(&mut self, model: &Model, ty: TypeId, kind: StringKind, size: Option<Bounds>, extensible: bool) -> Code {
        let known = match kind {
            // The useful types are VisibleString without constraints (X.680 46 and 47).
            StringKind::UtcTime | StringKind::GeneralizedTime => Alphabet::of(StringKind::Visible),
            kind => Alphabet::of(kind),
        };
        let Some(all) = known else { return Code::Text(kind) };
        if self.octets {
            let width = match kind {
                StringKind::Bmp => 2,
                StringKind::Universal => 4,
                _ => 1,
            };
            let fixed = Size::of_octets(size, extensible).fixed().and_then(|size| u32::try_from(size * width).ok());
            return fixed.map_or(Code::Text(kind), |octets| Code::FixedText(kind, octets));
        }
        let permitted = model.ty(ty).constraints.alphabet.clone();
        let extensible = extensible && (size.is_some() || permitted.is_some());
        let size = Size::new(size, extensible, self.aligned);
        let alphabet = permitted.unwrap_or_else(|| all.clone());
        let (root, all) = (Letters::of(&alphabet, self.aligned), Letters::of(&all, self.aligned));
        let align = match (size.fixed(), size.high) {
            (Some(size), _) => size * u64::from(root.bits) > 16,
            (None, Some(most)) => most * u64::from(root.bits) >= 16,
            (None, None) => true,
        };
        self.characters.push(Characters { kind, size, root, all, align: align && self.aligned, alphabet });
        Code::Characters(self.characters.len() as u32 - 1)
    }
}

struct Constrained {
    value: Option<Bounds>,
    size: Option<Bounds>,
    extensible: bool,
}

impl Constrained {
    fn of(model: &Model, ty: TypeId) -> Constrained {
        let known = &model.ty(ty).constraints;
        Constrained { value: known.value, size: known.size, extensible: known.extensible }
    }
}

impl Number {
    pub fn new(bounds: Option<Bounds>, aligned: bool) -> Number {
        let range = bounds.map_or(Range::ALL, |bounds| bounds.range);
        let extensible = bounds.is_some_and(|bounds| bounds.extensible);
        let form = match (range.low, range.high) {
            (Some(low), Some(high)) => {
                let distance = high.abs_diff(low);
                if aligned && distance >= 65_536 {
                    let octets = (128 - distance.leading_zeros()).div_ceil(8);
                    Form::Octets(Field::of(u128::from(octets), aligned))
                } else {
                    Form::Field(match distance.checked_add(1) {
                        Some(count) => Field::of(count, aligned),
                        None => Field { bits: 128, align: false },
                    })
                }
            }
            (Some(_), None) => Form::Semi,
            _ => Form::Free,
        };
        Number { form, low: range.low.unwrap_or(0), range, extensible }
    }
}

impl Number {
    /// Returns the encoding of OER (X.696 10).
    pub fn of_octets(bounds: Option<Bounds>) -> Number {
        let range = bounds.filter(|bounds| !bounds.extensible).map_or(Range::ALL, |bounds| bounds.range);
        let fits = |low: i128, high: i128| range.low.is_some_and(|known| low <= known) && range.high.is_some_and(|known| known <= high);
        let form = if range.low.is_some_and(|low| low >= 0) {
            [8, 16, 32, 64].into_iter().find(|bits| fits(0, (1 << bits) - 1)).map_or(Form::Semi, |bits| Form::Plain(bits, false))
        } else {
            let signed = [8, 16, 32, 64].into_iter().find(|bits| fits(-1 << (bits - 1), (1 << (bits - 1)) - 1));
            signed.map_or(Form::Free, |bits| Form::Plain(bits, true))
        };
        Number { form, low: 0, range, extensible: false }
    }
}

impl Structure {
    fn new(structure: &crate::model::Structure) -> Structure {
        let count = |addition: &Addition| match addition {
            Addition::Component(_) => 1,
            Addition::Group(group, _) => group.len() as u32,
        };
        let extras: u32 = structure.additions.iter().map(count).sum();
        let place = |root: u32| if root < structure.first { root } else { root + extras };
        let root = Part::new(structure.order.iter().map(|root| (place(*root), &structure.root[*root as usize])));
        let mut next = structure.first;
        let additions = structure.additions.iter().map(|addition| {
            let start = next;
            next += count(addition);
            match addition {
                Addition::Component(known) => Extra::One(Step { bit: None, ..Step::new(start, known, &mut 0) }),
                Addition::Group(group, _) => Extra::Group(Part::new((start..).zip(group))),
            }
        });
        let additions = additions.collect();
        Structure { root, extensible: structure.extensible, additions, is_row: false }
    }
}

impl Part {
    fn new<'c>(components: impl Iterator<Item = (u32, &'c crate::model::Component)>) -> Part {
        let mut optionals = 0;
        let steps = components.map(|(index, known)| Step::new(index, known, &mut optionals)).collect();
        Part { steps, optionals }
    }
}

impl Step {
    fn new(component: u32, known: &crate::model::Component, optionals: &mut u32) -> Step {
        let bit = (known.presence != Presence::Required).then(|| {
            *optionals += 1;
            *optionals - 1
        });
        Step { component, ty: known.ty, bit, default: None, is_leaf: false, quick: Quick::Never, is_rows: false }
    }
}
