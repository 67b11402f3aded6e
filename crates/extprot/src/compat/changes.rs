//! Changes from one protocol to another, by position, in the categories of docs/spec/extprot.md
//! 7.1.

use std::collections::HashSet;

use polywire_core::text::diagnostic::Place;

use super::reads::{MOST, TypeStep, accepts};
use crate::model::{Constructor, Field, Kind, NodeId, Primitive, Protocol, Sum, Union};

/// A change.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub kind: &'static str,
    /// Path in the old type, if the position exists there.
    pub old: Option<Vec<TypeStep>>,
    /// Path in the new type, if the position exists there.
    pub new: Option<Vec<TypeStep>>,
    /// Path for people.
    pub path: String,
    /// Description in one sentence.
    pub message: String,
    pub old_at: Option<Place>,
    pub new_at: Option<Place>,
    /// True if only a name or a default changed.
    pub warns: bool,
}

/// Returns all changes between two types.
pub(super) fn changes(
    old: &Protocol,
    new: &Protocol,
    o: NodeId,
    n: NodeId,
    root: &str,
    places: (Option<Place>, Option<Place>),
) -> Vec<Change> {
    let mut walk = Walk {
        old,
        new,
        same: HashSet::new(),
        changes: Vec::new(),
        at: Vec::new(),
        to: Vec::new(),
        path: root.to_string(),
        places: vec![places],
    };
    walk.node(o, n);
    walk.changes
}

struct Walk<'p> {
    old: &'p Protocol,
    new: &'p Protocol,
    /// Pairs of types without changes.
    same: HashSet<(NodeId, NodeId)>,
    changes: Vec<Change>,
    /// Path in the old type, and path in the new type.
    at: Vec<TypeStep>,
    to: Vec<TypeStep>,
    path: String,
    /// Innermost places around the position.
    places: Vec<(Option<Place>, Option<Place>)>,
}

/// A value of a row: a field, or an unnamed element or argument.
#[derive(Clone, Copy)]
struct Part<'p> {
    field: Option<&'p Field>,
    ty: NodeId,
}

type Row<'p> = Vec<Part<'p>>;

fn parts(nodes: &[NodeId]) -> Row<'_> {
    nodes.iter().map(|ty| Part { field: None, ty: *ty }).collect()
}

fn fields(fields: &[Field]) -> Row<'_> {
    fields.iter().map(|field| Part { field: Some(field), ty: field.ty }).collect()
}

/// A constructor or variant.
struct Case<'p> {
    name: &'p str,
    constant: bool,
    number: u32,
    at: Place,
    row: Row<'p>,
}

impl Case<'_> {
    fn step(&self) -> TypeStep {
        if self.constant { TypeStep::Constant(self.number) } else { TypeStep::Case(self.number) }
    }
}

fn constructors(sum: &Sum) -> Vec<Case<'_>> {
    let case = |one: &'_ Constructor| (one.is_constant(), one.number, one.at);
    sum.constructors
        .iter()
        .map(|one| {
            let (constant, number, at) = case(one);
            Case { name: &one.name, constant, number, at, row: parts(&one.arguments) }
        })
        .collect()
}

fn variants(union: &Union) -> Vec<Case<'_>> {
    (0..)
        .zip(&union.variants)
        .map(|(number, one)| Case { name: &one.name, constant: false, number, at: one.at, row: fields(&one.fields) })
        .collect()
}

/// Words for the constructors of a sum, or the variants of a message.
struct Words {
    noun: &'static str,
    added: &'static str,
    removed: &'static str,
    renamed: &'static str,
    renumbered: &'static str,
}

const CONSTRUCTOR: Words = Words {
    noun: "constructor",
    added: "constructor_added",
    removed: "constructor_removed",
    renamed: "constructor_renamed",
    renumbered: "constructor_renumbered",
};

const VARIANT: Words = Words {
    noun: "variant",
    added: "variant_added",
    removed: "variant_removed",
    renamed: "variant_renamed",
    renumbered: "variant_renumbered",
};

/// A type as a whole, for comparison with one of another kind.
enum Shape<'p> {
    Primitive(Primitive),
    List,
    Row(Row<'p>),
    Cases(Vec<Case<'p>>, &'static Words),
    External,
}

fn shape(protocol: &Protocol, node: NodeId) -> Shape<'_> {
    match &protocol[node].kind {
        Kind::Primitive { primitive, .. } => Shape::Primitive(*primitive),
        Kind::List { .. } => Shape::List,
        Kind::Tuple(of) => Shape::Row(parts(of)),
        Kind::Record(record) => Shape::Row(fields(&record.fields)),
        Kind::Subset(subset) => {
            Shape::Row(subset.fields.iter().map(|wanted| Part { field: Some(&wanted.field), ty: wanted.field.ty }).collect())
        }
        Kind::Sum(sum) => Shape::Cases(constructors(sum), &CONSTRUCTOR),
        Kind::Union(union) => Shape::Cases(variants(union), &VARIANT),
        Kind::External(_) => Shape::External,
    }
}

/// Returns the first case with values.
fn first<'c, 'p>(cases: &'c [Case<'p>]) -> Option<&'c Case<'p>> {
    cases.iter().find(|case| !case.constant)
}

impl<'p> Walk<'p> {
    fn report(&mut self, kind: &'static str, old: Option<Vec<TypeStep>>, new: Option<Vec<TypeStep>>, message: String) {
        let places = self.places.last().copied().unwrap_or_default();
        self.report_at(kind, old, new, places, message);
    }

    fn report_at(
        &mut self,
        kind: &'static str,
        old: Option<Vec<TypeStep>>,
        new: Option<Vec<TypeStep>>,
        places: (Option<Place>, Option<Place>),
        message: String,
    ) {
        if self.changes.len() < MOST {
            let warns = matches!(kind, "field_renamed" | "constructor_renamed" | "variant_renamed" | "default_changed");
            let (old_at, new_at) = places;
            self.changes.push(Change { kind, old, new, path: self.path.clone(), message, old_at, new_at, warns });
        }
    }

    fn here(&self) -> (Option<Vec<TypeStep>>, Option<Vec<TypeStep>>) {
        (Some(self.at.clone()), Some(self.to.clone()))
    }

    fn report_here(&mut self, kind: &'static str, message: String) {
        let (old, new) = self.here();
        self.report(kind, old, new, message);
    }

    fn became(&self, o: NodeId, n: NodeId) -> String {
        let (was, is) = (self.old.type_name(o), self.new.type_name(n));
        if was == is {
            // A declaration kept its name and changed its meaning.
            return format!("`{was}`, which was {}, became {}", word(&self.old[o].kind), word(&self.new[n].kind));
        }
        format!("`{was}` became `{is}`")
    }

    /// Compares a part: `name` is for people, then the steps, and the places of the part itself.
    fn part(&mut self, name: &str, at: TypeStep, to: TypeStep, places: (Option<Place>, Option<Place>), go: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push_str(name);
        self.at.push(at);
        self.to.push(to);
        let outer = self.places.last().copied().unwrap_or_default();
        self.places.push((places.0.or(outer.0), places.1.or(outer.1)));
        go(self);
        self.places.pop();
        self.to.pop();
        self.at.pop();
        self.path.truncate(length);
    }

    fn node(&mut self, o: NodeId, n: NodeId) {
        if self.changes.len() >= MOST || self.same.contains(&(o, n)) {
            return;
        }
        let before = self.changes.len();
        self.pair(o, n);
        if self.changes.len() == before {
            self.same.insert((o, n));
        }
    }

    fn pair(&mut self, o: NodeId, n: NodeId) {
        let (old, new) = (self.old, self.new);
        match (&old[o].kind, &new[n].kind) {
            (Kind::Primitive { primitive: before, default: was }, Kind::Primitive { primitive: after, default: is }) => {
                if before != after {
                    let kind = between(*before, *after);
                    self.report_here(kind, self.became(o, n));
                } else if was != is {
                    self.report_here("default_changed", format!("the default of `{}` changed", before.name()));
                }
            }
            (Kind::List { element: before, array: was }, Kind::List { element: after, array: is }) => {
                if was != is {
                    self.report_here("list_array_changed", self.became(o, n));
                }
                self.part("[]", TypeStep::Item, TypeStep::Item, (None, None), |walk| walk.node(*before, *after));
            }
            (Kind::External(before), Kind::External(after)) if before == after => {}
            (Kind::Sum(before), Kind::Sum(after)) => self.cases(constructors(before), constructors(after), &CONSTRUCTOR),
            (Kind::Union(before), Kind::Union(after)) => self.cases(variants(before), variants(after), &VARIANT),
            (Kind::Record(_) | Kind::Subset(_), Kind::Record(_) | Kind::Subset(_)) | (Kind::Tuple(_), Kind::Tuple(_)) => {
                if let (Shape::Row(before), Shape::Row(after)) = (shape(old, o), shape(new, n)) {
                    self.row(&before, &after);
                }
            }
            (Kind::Record(before), Kind::Union(after)) => {
                self.report_here("message_became_union", self.became(o, n));
                let cases = variants(after);
                self.to.push(TypeStep::Case(0));
                self.row(&fields(&before.fields), first(&cases).map_or(&[], |case| &case.row));
                self.to.pop();
                self.others(&cases, VARIANT.added, false);
            }
            (Kind::Union(before), Kind::Record(after)) => {
                self.report_here("union_became_message", self.became(o, n));
                let cases = variants(before);
                self.at.push(TypeStep::Case(0));
                self.row(first(&cases).map_or(&[], |case| &case.row), &fields(&after.fields));
                self.at.pop();
                self.others(&cases, VARIANT.removed, true);
            }
            _ => self.reshaped(o, n),
        }
    }

    /// Compares types of different kinds.
    fn reshaped(&mut self, o: NodeId, n: NodeId) {
        let (old, new) = (self.old, self.new);
        match (shape(old, o), shape(new, n)) {
            (Shape::Primitive(before), Shape::Row(row)) => self.promoted(o, n, before, &row, None, &[]),
            (Shape::Primitive(before), Shape::Cases(cases, words)) => {
                let row = first(&cases).map_or(&[][..], |case| &case.row);
                self.promoted(o, n, before, row, Some(words), &cases);
            }
            (Shape::Row(row), Shape::Primitive(after)) => self.demoted(o, n, after, &row, None, &[]),
            (Shape::Cases(cases, words), Shape::Primitive(after)) => {
                let row = first(&cases).map_or(&[][..], |case| &case.row);
                self.demoted(o, n, after, row, Some(words), &cases);
            }
            (Shape::Row(before), Shape::Row(after)) => {
                self.report_here("shape_changed", self.became(o, n));
                self.row(&before, &after);
            }
            (Shape::Row(before), Shape::Cases(cases, words)) => {
                self.report_here("shape_changed", self.became(o, n));
                self.to.push(TypeStep::Case(0));
                self.row(&before, first(&cases).map_or(&[], |case| &case.row));
                self.to.pop();
                self.others(&cases, words.added, false);
            }
            (Shape::Cases(cases, words), Shape::Row(after)) => {
                self.report_here("shape_changed", self.became(o, n));
                self.at.push(TypeStep::Case(0));
                self.row(first(&cases).map_or(&[], |case| &case.row), &after);
                self.at.pop();
                self.others(&cases, words.removed, true);
            }
            (Shape::Cases(before, _), Shape::Cases(after, words)) => {
                self.report_here("shape_changed", self.became(o, n));
                self.cases(before, after, words);
            }
            _ => self.report_here("field_type_changed", self.became(o, n)),
        }
    }

    fn promoted(&mut self, o: NodeId, n: NodeId, before: Primitive, row: &[Part<'p>], words: Option<&Words>, cases: &[Case<'p>]) {
        let Some(after) = row.first().and_then(|part| primitive(self.new, part.ty)).filter(|after| related(before, *after)) else {
            return self.report_here("field_type_changed", self.became(o, n));
        };
        self.report_here("primitive_promoted", self.became(o, n));
        if before != after {
            self.report_here(
                between(before, after),
                format!("`{}` became `{}`, as the first part of a larger type", before.name(), after.name()),
            );
        }
        self.to.extend(words.map(|_| TypeStep::Case(0)));
        self.beyond(&row[1..], 1, true);
        self.to.truncate(self.to.len() - usize::from(words.is_some()));
        if let Some(words) = words {
            self.others(cases, words.added, false);
        }
    }

    fn demoted(&mut self, o: NodeId, n: NodeId, after: Primitive, row: &[Part<'p>], words: Option<&Words>, cases: &[Case<'p>]) {
        let Some(before) = row.first().and_then(|part| primitive(self.old, part.ty)).filter(|before| related(*before, after)) else {
            return self.report_here("field_type_changed", self.became(o, n));
        };
        self.report_here("primitive_demoted", self.became(o, n));
        if before != after {
            self.report_here(
                between(before, after),
                format!("`{}`, the first part of a larger type, became `{}`", before.name(), after.name()),
            );
        }
        self.at.extend(words.map(|_| TypeStep::Case(0)));
        self.beyond(&row[1..], 1, false);
        self.at.truncate(self.at.len() - usize::from(words.is_some()));
        if let Some(words) = words {
            self.others(cases, words.removed, true);
        }
    }

    /// Reports all cases other than the first that has values; they have no counterpart.
    fn others(&mut self, cases: &[Case<'p>], kind: &'static str, removed: bool) {
        let first = first(cases).map(|case| case.number);
        for case in cases.iter().filter(|case| case.constant || Some(case.number) != first) {
            self.lone(case, kind, removed);
        }
    }

    /// Reports a case that only one version has.
    fn lone(&mut self, case: &Case<'p>, kind: &'static str, removed: bool) {
        let noun = kind.split('_').next().unwrap_or_default();
        let outer = self.places.last().copied().unwrap_or_default();
        let mut steps = if removed { self.at.clone() } else { self.to.clone() };
        steps.push(case.step());
        let message = format!("{noun} `{}` was {}", case.name, if removed { "removed" } else { "added" });
        let (old, new, places) =
            if removed { (Some(steps), None, (Some(case.at), outer.1)) } else { (None, Some(steps), (outer.0, Some(case.at))) };
        let length = self.path.len();
        self.path.push('.');
        self.path.push_str(case.name);
        self.report_at(kind, old, new, places, message);
        self.path.truncate(length);
    }

    /// Compares the values that both versions have, then reports those that only one has.
    fn row(&mut self, before: &[Part<'p>], after: &[Part<'p>]) {
        let field = |part: &Part<'p>| part.field;
        for (n, (was, is)) in before.iter().zip(after).enumerate() {
            let step = TypeStep::Part(n as u32);
            let name = is.field.or(was.field).map_or_else(|| format!(".{n}"), |field| format!(".{}", field.name));
            let places = (field(was).map(|field| field.at), field(is).map(|field| field.at));
            self.part(&name, step, step, places, |walk| {
                if let (Some(was), Some(is)) = (was.field, is.field) {
                    walk.renamed(was, is, before, after);
                }
                walk.node(was.ty, is.ty);
            });
        }
        if let Some(more) = after.get(before.len()..) {
            self.beyond(more, before.len(), true);
        }
        if let Some(more) = before.get(after.len()..) {
            self.beyond(more, after.len(), false);
        }
    }

    fn renamed(&mut self, was: &Field, is: &Field, before: &[Part<'p>], after: &[Part<'p>]) {
        if was.name == is.name {
            return;
        }
        let has = |row: &[Part<'p>], name: &str| row.iter().any(|part| part.field.is_some_and(|field| field.name == name));
        let moved = has(after, &was.name) || has(before, &is.name);
        let message = if moved {
            format!("where field `{}` was is field `{}`: fields are known by their position alone", was.name, is.name)
        } else {
            format!("field `{}` was renamed to `{}`", was.name, is.name)
        };
        self.report_here("field_renamed", message);
    }

    /// Reports the values after the last that both versions have.
    fn beyond(&mut self, row: &[Part<'p>], from: usize, added: bool) {
        for (n, part) in (from..).zip(row) {
            let step = TypeStep::Part(n as u32);
            let default = if added { self.new[part.ty].default.exists } else { self.old[part.ty].default.exists };
            let with = if default { "with a default" } else { "without a default" };
            let (kind, message) = match (part.field, added) {
                (Some(field), true) if default => ("field_added_with_default", format!("field `{}` was added, {with}", field.name)),
                (Some(field), true) => ("field_added_without_default", format!("field `{}` was added, {with}", field.name)),
                (Some(field), false) => ("field_removed", format!("field `{}` was removed, which was {with}", field.name)),
                (None, true) if default => ("element_added_with_default", format!("element {n} was added, {with}")),
                (None, true) => ("element_added_without_default", format!("element {n} was added, {with}")),
                (None, false) => ("element_removed", format!("element {n} was removed, which was {with}")),
            };
            let at = part.field.map(|field| field.at);
            let places = if added { (None, at) } else { (at, None) };
            let name = part.field.map_or_else(|| format!(".{n}"), |field| format!(".{}", field.name));
            self.part(&name, step, step, places, |walk| walk.report_here(kind, message));
        }
    }

    fn cases(&mut self, before: Vec<Case<'p>>, after: Vec<Case<'p>>, words: &Words) {
        let named =
            |cases: &[Case<'p>], constant: bool, name: &str| cases.iter().position(|case| case.constant == constant && case.name == name);
        let numbered = |cases: &[Case<'p>], constant: bool, number: u32| {
            cases.iter().position(|case| case.constant == constant && case.number == number)
        };
        for is in &after {
            match named(&before, is.constant, is.name).map(|was| &before[was]) {
                Some(was) if was.number == is.number => {
                    self.part(&format!(".{}", is.name), was.step(), is.step(), (Some(was.at), Some(is.at)), |walk| {
                        walk.row(&was.row, &is.row);
                    });
                }
                Some(was) => {
                    let message = format!("{} `{}` was number {} and is number {}", words.noun, is.name, was.number, is.number);
                    self.part(&format!(".{}", is.name), was.step(), is.step(), (Some(was.at), Some(is.at)), |walk| {
                        walk.report_here(words.renumbered, message);
                        walk.row(&was.row, &is.row);
                    });
                }
                None => match numbered(&before, is.constant, is.number).map(|was| &before[was]) {
                    Some(was) if named(&after, was.constant, was.name).is_none() => {
                        let message = format!("{} `{}` was renamed to `{}`", words.noun, was.name, is.name);
                        self.part(&format!(".{}", is.name), was.step(), is.step(), (Some(was.at), Some(is.at)), |walk| {
                            walk.report_here(words.renamed, message);
                            walk.row(&was.row, &is.row);
                        });
                    }
                    _ => self.lone(is, words.added, false),
                },
            }
        }
        for was in &before {
            let taken = numbered(&after, was.constant, was.number).is_some_and(|is| named(&before, was.constant, after[is].name).is_none());
            if named(&after, was.constant, was.name).is_none() && !taken {
                self.lone(was, words.removed, true);
            }
        }
        self.first_constant(&before, &after);
    }

    /// The first constant constructor is the default of its type (docs/spec/extprot.md 6).
    fn first_constant(&mut self, before: &[Case<'p>], after: &[Case<'p>]) {
        let default = |cases: &[Case<'p>]| cases.iter().find(|case| case.constant && case.number == 0).map(|case| case.name.to_string());
        let (was, is) = (default(before), default(after));
        if was != is {
            let or_none = |name: Option<String>| name.map_or_else(|| "nothing".to_string(), |name| format!("`{name}`"));
            self.report_here(
                "default_changed",
                format!("the default was {} and is {}: the first constant constructor", or_none(was), or_none(is)),
            );
        }
    }
}

fn primitive(protocol: &Protocol, node: NodeId) -> Option<Primitive> {
    match &protocol[node].kind {
        Kind::Primitive { primitive, .. } => Some(*primitive),
        _ => None,
    }
}

/// Returns the name of a type's kind, for people.
fn word(kind: &Kind) -> &'static str {
    match kind {
        Kind::Primitive { primitive, .. } => primitive.name(),
        Kind::List { array: false, .. } => "a list",
        Kind::List { array: true, .. } => "an array",
        Kind::Tuple(_) => "a tuple",
        Kind::Sum(_) => "a sum type",
        Kind::Record(_) => "a record",
        Kind::Union(_) => "a message of several variants",
        Kind::Subset(_) => "a subset",
        Kind::External(_) => "a message of another module",
    }
}

/// Returns whether one of two primitives can be read as the other.
fn related(one: Primitive, other: Primitive) -> bool {
    accepts(one, other) || accepts(other, one)
}

/// Returns the name of the change from one primitive to another.
fn between(before: Primitive, after: Primitive) -> &'static str {
    if accepts(after, before) {
        "numeric_widening"
    } else if accepts(before, after) {
        "numeric_narrowing"
    } else {
        "field_type_changed"
    }
}
