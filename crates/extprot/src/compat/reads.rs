//! The mechanical check of docs/spec/extprot.md 7.1: whether a reader of one type accepts every
//! value of another.

use std::collections::HashSet;

use polywire_core::schema::language::{Effect, Rule};

use super::rule;
use super::sample::{self, Sample};
use crate::model::{Field, Kind, NodeId, Primitive, Protocol, Sum, Union};

/// TypeStep from a type to one of its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum TypeStep {
    /// A field, element or argument, by position.
    Part(u32),
    /// The elements of a list.
    Item,
    /// A constant constructor, by number.
    Constant(u32),
    /// A constructor with arguments or a variant, by number.
    Case(u32),
}

/// Most failures that are collected. Nested types can multiply them.
pub(super) const MOST: usize = 1000;

/// A value that the reader refuses or misreads.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    /// Path from the root of the writer's type.
    pub writer: Vec<TypeStep>,
    /// Path from the root of the reader's type.
    pub reader: Vec<TypeStep>,
    pub rule: Rule,
    pub effect: Effect,
    /// Value of the writer's whole type that shows the failure.
    pub value: Option<Sample>,
}

/// Returns all failures of a reader of one type with values of another.
pub(super) fn reads(reader: &Protocol, writer: &Protocol, r: NodeId, w: NodeId) -> Vec<Failure> {
    let mut check = Check { reader, writer, sound: HashSet::new(), failures: Vec::new(), at: Vec::new(), to: Vec::new() };
    check.node(r, w);
    check.failures
}

struct Check<'p> {
    reader: &'p Protocol,
    writer: &'p Protocol,
    /// Pairs of types without failures.
    sound: HashSet<(NodeId, NodeId)>,
    failures: Vec<Failure>,
    /// Path in the writer's type, and path in the reader's type.
    at: Vec<TypeStep>,
    to: Vec<TypeStep>,
}

/// A row of values.
#[derive(Clone, Copy)]
enum Row<'p> {
    Parts(&'p [NodeId]),
    Fields(&'p [Field]),
}

impl<'p> Row<'p> {
    fn len(self) -> usize {
        match self {
            Row::Parts(parts) => parts.len(),
            Row::Fields(fields) => fields.len(),
        }
    }

    fn get(self, n: usize) -> Option<NodeId> {
        match self {
            Row::Parts(parts) => parts.get(n).copied(),
            Row::Fields(fields) => fields.get(n).map(|field| field.ty),
        }
    }

    fn fields(self) -> &'p [Field] {
        match self {
            Row::Parts(_) => &[],
            Row::Fields(fields) => fields,
        }
    }
}

/// Returns the wire type of a primitive, as its code in docs/spec/extprot.md 4.2.
const fn wire(primitive: Primitive) -> u8 {
    match primitive {
        Primitive::Int => 0,
        Primitive::Bool | Primitive::Byte => 2,
        Primitive::String => 3,
        Primitive::Long => 6,
        Primitive::Float => 8,
    }
}

/// Returns whether a primitive is read from another (docs/spec/extprot.md 5.4).
pub(super) const fn accepts(reader: Primitive, writer: Primitive) -> bool {
    match reader {
        Primitive::Bool | Primitive::Byte => matches!(writer, Primitive::Bool | Primitive::Byte),
        Primitive::Int => matches!(writer, Primitive::Int | Primitive::Bool | Primitive::Byte),
        Primitive::Long => matches!(writer, Primitive::Long | Primitive::Int | Primitive::Bool | Primitive::Byte),
        Primitive::Float => !matches!(writer, Primitive::String),
        Primitive::String => matches!(writer, Primitive::String),
    }
}

/// Returns a value that another type reads as a different value, if there is one.
fn converted(reader: Primitive, writer: Primitive) -> Option<Sample> {
    /// Smallest positive integer that a binary64 cannot hold.
    const ODD: i64 = (1 << 53) + 1;
    match (reader, writer) {
        (Primitive::Bool, Primitive::Byte) => Some(Sample::Byte(7)),
        (Primitive::Float, Primitive::Int | Primitive::Long) => Some(Sample::Int(ODD)),
        _ => None,
    }
}

impl<'p> Check<'p> {
    fn fail(&mut self, rule: Rule, effect: Effect, value: Option<Sample>) {
        if self.failures.len() < MOST {
            self.failures.push(Failure { writer: self.at.clone(), reader: self.to.clone(), rule, effect, value });
        }
    }

    fn refuse(&mut self, rule: Rule, w: NodeId) {
        let value = sample::smallest(self.writer, w);
        self.fail(rule, Effect::Refused, value);
    }

    /// Wraps the values found since `since` into a larger value.
    fn wrap(&mut self, since: usize, whole: impl Fn(Sample) -> Option<Sample>) {
        for failure in &mut self.failures[since..] {
            failure.value = failure.value.take().and_then(&whole);
        }
    }

    /// Compares a part on both sides, and wraps the values that it finds into a larger value.
    fn part(&mut self, to: Option<TypeStep>, at: Option<TypeStep>, r: NodeId, w: NodeId, whole: impl Fn(Sample) -> Option<Sample>) {
        let since = self.failures.len();
        let (depth_at, depth_to) = (self.at.len(), self.to.len());
        self.at.extend(at);
        self.to.extend(to);
        self.node(r, w);
        self.at.truncate(depth_at);
        self.to.truncate(depth_to);
        self.wrap(since, whole);
    }

    fn node(&mut self, r: NodeId, w: NodeId) {
        if self.failures.len() >= MOST || self.sound.contains(&(r, w)) {
            return;
        }
        let before = self.failures.len();
        self.pair(r, w);
        if self.failures.len() == before {
            self.sound.insert((r, w));
        }
    }

    fn pair(&mut self, r: NodeId, w: NodeId) {
        let (reader, writer) = (self.reader, self.writer);
        // Types without a writer have no messages.
        if !writer[w].encodable {
            return;
        }
        match (&reader[r].kind, &writer[w].kind) {
            (Kind::External(one), Kind::External(other)) if one == other => {}
            (Kind::External(_), _) | (_, Kind::External(_)) => self.fail(rule::EXTERNAL, Effect::Refused, None),
            (Kind::Primitive { primitive, .. }, _) => self.primitive(*primitive, w),
            (Kind::List { element: into, .. }, Kind::List { element: from, .. }) => {
                self.part(Some(TypeStep::Item), Some(TypeStep::Item), *into, *from, |value| Some(Sample::List(vec![value])));
            }
            (Kind::List { .. }, _) | (_, Kind::List { .. }) => self.refuse(rule::SHAPE, w),
            (Kind::Tuple(parts), _) => self.tuple(Row::Parts(parts), w),
            (Kind::Record(record), _) => self.message(Row::Fields(&record.fields), None, w),
            (Kind::Union(union), _) => self.union(union, w),
            (Kind::Sum(sum), _) => self.sum(sum, w),
            (Kind::Subset(subset), _) => {
                let wanted: Vec<(u32, NodeId)> = subset.fields.iter().map(|wanted| (wanted.position, wanted.field.ty)).collect();
                self.subset(&wanted, w);
            }
        }
    }

    fn primitive(&mut self, into: Primitive, w: NodeId) {
        let writer = self.writer;
        match &writer[w].kind {
            Kind::Primitive { primitive: from, .. } => self.convert(into, *from, w),
            Kind::Tuple(parts) => self.first(into, Row::Parts(parts), None, w),
            Kind::Record(record) => self.first(into, Row::Fields(&record.fields), None, w),
            Kind::Sum(sum) => {
                self.constants(sum, 0, 0);
                self.single(
                    sum.constructors.iter().filter(|one| !one.is_constant()).map(|one| Row::Parts(&one.arguments)),
                    |check, row| {
                        check.first(into, row, Some(0), w);
                    },
                );
            }
            Kind::Union(union) => {
                self.single(union.variants.iter().map(|one| Row::Fields(&one.fields)), |check, row| check.first(into, row, Some(0), w));
            }
            _ => self.refuse(rule::SHAPE, w),
        }
    }

    fn convert(&mut self, into: Primitive, from: Primitive, w: NodeId) {
        if !accepts(into, from) {
            self.refuse(rule::WIDENING, w);
        } else if let Some(value) = converted(into, from) {
            self.fail(rule::RANGE, Effect::Warns, Some(value));
        }
    }

    /// Compares a primitive with the first value of a row.
    fn first(&mut self, into: Primitive, row: Row<'p>, case: Option<u32>, w: NodeId) {
        let writer = self.writer;
        let first = row.get(0).map(|first| (first, &writer[first].kind));
        match first {
            Some((first, Kind::Primitive { .. })) => {
                let at = self.at.len();
                self.at.extend(case.map(TypeStep::Case));
                let whole = |value| sample_row(writer, row, case, &[(0, value)]);
                // Only the writer's side has this step: that is promotion.
                self.at.push(TypeStep::Part(0));
                let since = self.failures.len();
                if let Kind::Primitive { primitive: from, .. } = &writer[first].kind {
                    self.convert(into, *from, first);
                }
                self.wrap(since, whole);
                self.at.truncate(at);
            }
            _ => match case {
                Some(_) => {
                    let value = sample_row(writer, row, case, &[]);
                    self.fail(rule::FIRST_ELEMENT, Effect::Refused, value);
                }
                None => self.refuse(rule::FIRST_ELEMENT, w),
            },
        }
    }

    /// Refuses all cases but the first, which `first` checks.
    fn single(&mut self, mut rows: impl Iterator<Item = Row<'p>>, first: impl FnOnce(&mut Self, Row<'p>)) {
        if let Some(row) = rows.next() {
            first(self, row);
        }
        for (n, row) in (1..).zip(rows) {
            self.unknown_case(n, row, rule::FIRST_ONLY);
        }
    }

    fn unknown_case(&mut self, number: u32, row: Row<'p>, rule: Rule) {
        let value = sample_row(self.writer, row, Some(number), &[]);
        self.at.push(TypeStep::Case(number));
        self.fail(rule, Effect::Refused, value);
        self.at.pop();
    }

    /// Refuses the constant constructors of a sum from number `from` on, for a reader that knows
    /// `known` of them.
    fn constants(&mut self, sum: &Sum, from: u32, known: u32) {
        let rule = if known == 0 { rule::FIRST_ONLY } else { rule::UNKNOWN_TAG };
        for constructor in sum.constructors.iter().filter(|one| one.is_constant() && one.number >= from) {
            self.at.push(TypeStep::Constant(constructor.number));
            self.fail(rule, Effect::Refused, Some(Sample::Constant(constructor.number)));
            self.at.pop();
        }
    }

    /// Compares two rows of values. `to` and `at` are the constructors or variants that they belong
    /// to.
    fn row(&mut self, into: Row<'p>, to: Option<u32>, from: Row<'p>, at: Option<u32>) {
        let (depth_at, depth_to) = (self.at.len(), self.to.len());
        self.at.extend(at.map(TypeStep::Case));
        self.to.extend(to.map(TypeStep::Case));
        let writer = self.writer;
        for n in 0..into.len() {
            let step = Some(TypeStep::Part(n as u32));
            match (into.get(n), from.get(n)) {
                (Some(r), Some(w)) => {
                    let since = self.failures.len();
                    self.part(step, step, r, w, |value| sample_row(writer, from, at, &[(n, value)]));
                    if self.failures[since..].iter().all(|failure| failure.effect == Effect::Warns) {
                        self.moved(into.fields(), from, at, n);
                    }
                }
                (Some(r), None) if !self.reader[r].default.exists => {
                    let value = sample_row(writer, from, at, &[]);
                    self.at.extend(step);
                    self.to.extend(step);
                    self.fail(rule::MISSING, Effect::Refused, value);
                    self.at.pop();
                    self.to.pop();
                }
                _ => {}
            }
        }
        self.at.truncate(depth_at);
        self.to.truncate(depth_to);
    }

    /// Reports a field that the reader takes for another, although it knows both names.
    fn moved(&mut self, into: &[Field], from: Row<'p>, case: Option<u32>, n: usize) {
        let (Some(r), Some(w)) = (into.get(n), from.fields().get(n)) else { return };
        if r.name == w.name || !into.iter().any(|field| field.name == w.name) {
            return;
        }
        let value = sample_row(self.writer, from, case, &distinct(self.writer, from, n));
        self.misplaced(rule::MOVED, TypeStep::Part(n as u32), value);
    }

    fn tuple(&mut self, into: Row<'p>, w: NodeId) {
        let writer = self.writer;
        match &writer[w].kind {
            Kind::Primitive { primitive, .. } => self.promote(into, *primitive, w),
            Kind::Tuple(parts) => self.row(into, None, Row::Parts(parts), None),
            Kind::Record(record) => self.row(into, None, Row::Fields(&record.fields), None),
            Kind::Sum(sum) => {
                self.constants(sum, 0, 0);
                self.any_tag(into, sum.constructors.iter().filter(|one| !one.is_constant()).map(|one| Row::Parts(&one.arguments)));
            }
            Kind::Union(union) => self.any_tag(into, union.variants.iter().map(|one| Row::Fields(&one.fields))),
            _ => self.refuse(rule::SHAPE, w),
        }
    }

    /// Compares a tuple with constructors or variants. The reader does not see which one it is.
    fn any_tag(&mut self, into: Row<'p>, rows: impl Iterator<Item = Row<'p>>) {
        for (n, row) in (0..).zip(rows) {
            let before = self.failures.len();
            self.row(into, None, row, Some(n));
            if n > 0 && self.failures.len() == before {
                let value = sample_row(self.writer, row, Some(n), &[]);
                self.at.push(TypeStep::Case(n));
                self.fail(rule::TAG_IGNORED, Effect::Warns, value);
                self.at.pop();
            }
        }
    }

    /// Compares a bare primitive with a row of values.
    fn promote(&mut self, into: Row<'p>, from: Primitive, w: NodeId) {
        let reader = self.reader;
        let first = into.get(0).map(|first| &reader[first].kind);
        let rest = (1..into.len()).filter_map(|n| into.get(n)).all(|part| reader[part].default.exists);
        match first {
            Some(Kind::Primitive { primitive, .. }) if wire(*primitive) == wire(from) && rest => self.convert(*primitive, from, w),
            _ => self.refuse(rule::EXACT_PROMOTION, w),
        }
    }

    /// Compares a plain message, or the variant of a union with only one.
    fn message(&mut self, into: Row<'p>, to: Option<u32>, w: NodeId) {
        let writer = self.writer;
        match &writer[w].kind {
            Kind::Primitive { primitive, .. } => self.promote(into, *primitive, w),
            Kind::Tuple(parts) => self.row(into, to, Row::Parts(parts), None),
            Kind::Record(record) => self.row(into, to, Row::Fields(&record.fields), None),
            Kind::Sum(sum) => {
                self.constants(sum, 0, 0);
                self.single(
                    sum.constructors.iter().filter(|one| !one.is_constant()).map(|one| Row::Parts(&one.arguments)),
                    |check, row| {
                        check.row(into, to, row, Some(0));
                    },
                );
            }
            Kind::Union(union) => {
                for (n, variant) in (0..).zip(&union.variants) {
                    let row = Row::Fields(&variant.fields);
                    if n == 0 { self.row(into, to, row, Some(0)) } else { self.unknown_case(n, row, rule::UNKNOWN_TAG) }
                }
            }
            _ => self.refuse(rule::SHAPE, w),
        }
    }

    fn union(&mut self, into: &'p Union, w: NodeId) {
        let writer = self.writer;
        let rows = |n: usize| into.variants.get(n).map(|variant| Row::Fields(&variant.fields));
        match &writer[w].kind {
            Kind::Sum(sum) => {
                self.constants(sum, 0, 0);
                let cases = sum.constructors.iter().filter(|one| !one.is_constant()).map(|one| Row::Parts(&one.arguments));
                self.cases(rows, cases);
            }
            Kind::Union(union) => {
                self.cases(rows, union.variants.iter().map(|variant| Row::Fields(&variant.fields)));
                let position = |name: &str| into.variants.iter().position(|variant| variant.name == name);
                for (n, variant) in union.variants.iter().enumerate() {
                    if n < into.variants.len() && position(&variant.name).is_some_and(|known| known != n) {
                        let value = sample_row(writer, Row::Fields(&variant.fields), Some(n as u32), &[]);
                        self.misplaced(rule::NUMBERING, TypeStep::Case(n as u32), value);
                    }
                }
            }
            _ => {
                if let Some(first) = rows(0) {
                    self.message(first, Some(0), w);
                }
            }
        }
    }

    /// Compares cases by number.
    fn cases(&mut self, into: impl Fn(usize) -> Option<Row<'p>>, from: impl Iterator<Item = Row<'p>>) {
        for (n, row) in from.enumerate() {
            let number = n as u32;
            match into(n) {
                Some(into) => self.row(into, Some(number), row, Some(number)),
                None => self.unknown_case(number, row, rule::UNKNOWN_TAG),
            }
        }
    }

    fn misplaced(&mut self, rule: Rule, step: TypeStep, value: Option<Sample>) {
        self.at.push(step);
        self.to.push(step);
        self.fail(rule, Effect::Misread, value);
        self.at.pop();
        self.to.pop();
    }

    fn sum(&mut self, into: &'p Sum, w: NodeId) {
        let writer = self.writer;
        let carrying: Vec<Row<'p>> =
            into.constructors.iter().filter(|one| !one.is_constant()).map(|one| Row::Parts(&one.arguments[..])).collect();
        let rows = |n: usize| carrying.get(n).copied();
        match &writer[w].kind {
            Kind::Sum(sum) => {
                let constants = into.constructors.iter().filter(|one| one.is_constant()).count() as u32;
                self.constants(sum, constants, constants);
                self.cases(rows, sum.constructors.iter().filter(|one| !one.is_constant()).map(|one| Row::Parts(&one.arguments)));
                for constructor in &sum.constructors {
                    let same_kind = |other: &&crate::model::Constructor| other.is_constant() == constructor.is_constant();
                    let numbers = into.constructors.iter().filter(same_kind).count() as u32;
                    let known = into.constructors.iter().filter(same_kind).find(|other| other.name == constructor.name);
                    if constructor.number < numbers && known.is_some_and(|known| known.number != constructor.number) {
                        let (step, value) = if constructor.is_constant() {
                            (TypeStep::Constant(constructor.number), Some(Sample::Constant(constructor.number)))
                        } else {
                            let row = Row::Parts(&constructor.arguments);
                            (TypeStep::Case(constructor.number), sample_row(writer, row, Some(constructor.number), &[]))
                        };
                        self.misplaced(rule::NUMBERING, step, value);
                    }
                }
            }
            Kind::Union(union) => self.cases(rows, union.variants.iter().map(|variant| Row::Fields(&variant.fields))),
            Kind::Tuple(parts) => self.first_case(rows(0), Row::Parts(parts), w),
            Kind::Record(record) => self.first_case(rows(0), Row::Fields(&record.fields), w),
            Kind::Primitive { primitive, .. } => match rows(0) {
                Some(first) => {
                    self.to.push(TypeStep::Case(0));
                    self.promote(first, *primitive, w);
                    self.to.pop();
                }
                None => self.refuse(rule::EXACT_PROMOTION, w),
            },
            _ => self.refuse(rule::SHAPE, w),
        }
    }

    fn first_case(&mut self, into: Option<Row<'p>>, from: Row<'p>, w: NodeId) {
        match into {
            Some(into) => self.row(into, Some(0), from, None),
            None => self.refuse(rule::UNKNOWN_TAG, w),
        }
    }

    fn subset(&mut self, wanted: &[(u32, NodeId)], w: NodeId) {
        let writer = self.writer;
        match &writer[w].kind {
            Kind::Tuple(parts) => self.wanted(wanted, Row::Parts(parts), None),
            Kind::Record(record) => self.wanted(wanted, Row::Fields(&record.fields), None),
            Kind::Sum(sum) => {
                self.constants(sum, 0, 0);
                self.single(
                    sum.constructors.iter().filter(|one| !one.is_constant()).map(|one| Row::Parts(&one.arguments)),
                    |check, row| {
                        check.wanted(wanted, row, Some(0));
                    },
                );
            }
            Kind::Union(union) => {
                for (n, variant) in (0..).zip(&union.variants) {
                    let row = Row::Fields(&variant.fields);
                    if n == 0 { self.wanted(wanted, row, Some(0)) } else { self.unknown_case(n, row, rule::UNKNOWN_TAG) }
                }
            }
            _ => self.refuse(rule::SUBSET, w),
        }
    }

    fn wanted(&mut self, wanted: &[(u32, NodeId)], from: Row<'p>, at: Option<u32>) {
        let writer = self.writer;
        let depth = self.at.len();
        self.at.extend(at.map(TypeStep::Case));
        for (n, (position, r)) in wanted.iter().enumerate() {
            let (to, step) = (Some(TypeStep::Part(n as u32)), Some(TypeStep::Part(*position)));
            match from.get(*position as usize) {
                Some(w) => self.part(to, step, *r, w, |value| sample_row(writer, from, at, &[(*position as usize, value)])),
                None if !self.reader[*r].default.exists => {
                    let value = sample_row(writer, from, at, &[]);
                    self.at.extend(step);
                    self.to.extend(to);
                    self.fail(rule::MISSING, Effect::Refused, value);
                    self.at.pop();
                    self.to.pop();
                }
                None => {}
            }
        }
        self.at.truncate(depth);
    }
}

/// Returns a value of a row with some given parts; of the constructor or variant `case` if that is
/// a number.
fn sample_row(protocol: &Protocol, row: Row<'_>, case: Option<u32>, given: &[(usize, Sample)]) -> Option<Sample> {
    let part = |n: usize| match given.iter().find(|(place, _)| *place == n) {
        Some((_, value)) => Some(value.clone()),
        None => sample::smallest(protocol, row.get(n)?),
    };
    let parts = (0..row.len()).map(part).collect::<Option<Vec<_>>>()?;
    Some(match case {
        Some(number) => Sample::Case(number, parts),
        None => Sample::Parts(parts),
    })
}

/// Returns values that differ between the fields of a row from field `n` on, where the types allow
/// it.
fn distinct(protocol: &Protocol, row: Row<'_>, n: usize) -> Vec<(usize, Sample)> {
    let other = |node: NodeId| match &protocol[node].kind {
        Kind::Primitive { primitive, .. } => Some(match primitive {
            Primitive::Bool => Sample::Bool(false),
            Primitive::Byte => Sample::Byte(1),
            Primitive::Int | Primitive::Long => Sample::Int(1),
            Primitive::Float => Sample::Float(1.5),
            Primitive::String => Sample::Bytes(b"y".to_vec()),
        }),
        Kind::List { element, .. } => sample::smallest(protocol, *element).map(|value| Sample::List(vec![value])),
        _ => None,
    };
    row.get(n).and_then(other).map(|value| (n, value)).into_iter().collect()
}
