//! Effective constraints, as PER sees them (X.691 10.3), and those of a REAL, which OER sees
//! (X.696 12).

use super::{Form, Resolver, ScopeId};
use crate::model::{self, Alphabet, Bounds, Constraints, Range, RealBounds, TypeId};
use crate::syntax::{Constraint, ConstraintKind, Element, ElementSet, Elements};

/// Kind of a type, as far as constraints act on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    /// A whole number.
    Number,
    /// A string of bits or bytes, or a list: the size alone.
    Sized,
    /// A string of characters whose size and alphabet count.
    Characters,
    /// A real number: mantissa, base and exponent.
    Real,
    /// A type whose constraints PER does not see.
    Other,
}

/// Part of a constraint that PER sees. `None` is no bound.
#[derive(Debug, Clone, Default)]
struct Seen {
    value: Option<Vec<Range>>,
    size: Option<Vec<Range>>,
    alphabet: Option<Alphabet>,
    /// Mantissas, bases and exponents of a REAL.
    real: Option<[Vec<Range>; 3]>,
    extensible: bool,
}

impl Seen {
    fn is_nothing(&self) -> bool {
        self.value.is_none() && self.size.is_none() && self.alphabet.is_none() && self.real.is_none()
    }

    /// Union: a part that one side leaves open is open (X.691 10.3.21).
    fn or(self, other: Seen) -> Seen {
        let join = |one: Option<Vec<Range>>, two: Option<Vec<Range>>| match (one, two) {
            (Some(mut one), Some(two)) => {
                one.extend(two);
                Some(one)
            }
            _ => None,
        };
        Seen {
            value: join(self.value, other.value),
            size: join(self.size, other.size),
            alphabet: match (self.alphabet, other.alphabet) {
                (Some(one), Some(two)) => Some(one.or(&two)),
                _ => None,
            },
            real: self.real.zip(other.real).map(|(one, two)| {
                let [mut mantissa, mut base, mut exponent] = one;
                [&mut mantissa, &mut base, &mut exponent].into_iter().zip(two).for_each(|(one, two)| one.extend(two));
                [mantissa, base, exponent]
            }),
            extensible: self.extensible | other.extensible,
        }
    }

    /// Intersection: a part that PER does not see has no effect (X.691 10.3.21).
    fn and(self, other: Seen) -> Seen {
        Seen {
            value: meet(self.value, other.value),
            size: meet(self.size, other.size),
            alphabet: match (self.alphabet, other.alphabet) {
                (Some(one), Some(two)) => Some(one.and(&two)),
                (one, two) => one.or(two),
            },
            real: match (self.real, other.real) {
                (Some([a, b, c]), Some([x, y, z])) => {
                    Some([(a, x), (b, y), (c, z)].map(|(one, two)| meet(Some(one), Some(two)).unwrap_or_default()))
                }
                (one, two) => one.or(two),
            },
            extensible: self.extensible | other.extensible,
        }
    }
}

fn meet(one: Option<Vec<Range>>, two: Option<Vec<Range>>) -> Option<Vec<Range>> {
    match (one, two) {
        (Some(one), Some(two)) => {
            let (one, two) = (joined(one), joined(two));
            let mut both = Vec::new();
            let (mut left, mut right) = (0, 0);
            while let (Some(a), Some(b)) = (one.get(left), two.get(right)) {
                both.extend(a.and(*b));
                let first = match (a.high, b.high) {
                    (None, _) => false,
                    (_, None) => true,
                    (Some(a), Some(b)) => a < b,
                };
                if first {
                    left += 1;
                } else {
                    right += 1;
                }
            }
            Some(both)
        }
        (one, two) => one.or(two),
    }
}

/// Returns the ranges in ascending order, without overlaps.
fn joined(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_unstable_by_key(|range| (range.low.is_some(), range.low));
    let mut all: Vec<Range> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match all.last_mut() {
            Some(last) if last.high.is_none_or(|high| range.low.is_none_or(|low| low <= high.saturating_add(1))) => {
                last.high = match (last.high, range.high) {
                    (Some(one), Some(two)) => Some(one.max(two)),
                    _ => None,
                };
            }
            _ => all.push(range),
        }
    }
    all
}

/// Returns the least range around all, or `None` if there are none.
fn hull(ranges: &[Range]) -> Option<Range> {
    let mut ranges = ranges.iter();
    let mut all = *ranges.next()?;
    for range in ranges {
        all.low = all.low.zip(range.low).map(|(one, two)| one.min(two));
        all.high = all.high.zip(range.high).map(|(one, two)| one.max(two));
    }
    Some(all)
}

impl Resolver<'_> {
    fn subject(&mut self, id: TypeId) -> (Subject, Option<Alphabet>) {
        let base = self.base(id);
        match &self.drafts[base.0 as usize].form {
            Form::Integer(_) => (Subject::Number, None),
            Form::Bits(_) | Form::Octets | Form::List { .. } => (Subject::Sized, None),
            Form::Real => (Subject::Real, None),
            Form::Text(kind) => match Alphabet::of(*kind) {
                Some(alphabet) => (Subject::Characters, Some(alphabet)),
                None => (Subject::Other, None),
            },
            _ => (Subject::Other, None),
        }
    }

    /// Returns the constraints of a type that PER sees, those of the types that it refers to first.
    pub(super) fn effective(&mut self, id: TypeId) -> Constraints {
        if let Some(known) = self.effective.get(&id) {
            return known.clone().unwrap_or_default();
        }
        self.base(id);
        // A type whose bounds lead to it has none.
        self.effective.insert(id, None);
        let mut lineage = vec![id];
        loop {
            let last = lineage[lineage.len() - 1];
            let next = match &self.drafts[last.0 as usize].form {
                Form::Alias(next) => *next,
                Form::Selection(name, of) => {
                    let (name, of) = (name.clone(), *of);
                    match self.selected(&name, of) {
                        Some(next) => next,
                        None => break,
                    }
                }
                _ => break,
            };
            if lineage.len() > 10_000 {
                break;
            }
            lineage.push(next);
        }
        let (subject, alphabet) = self.subject(id);
        let mut found = Constraints::default();
        if subject != Subject::Other {
            while let Some(step) = lineage.pop() {
                if let Some(Some(known)) = self.effective.get(&step) {
                    found = known.clone();
                    continue;
                }
                for (constraint, scope) in self.drafts[step.0 as usize].constraints.clone() {
                    let seen = self.constraint(&constraint, scope, id, subject, alphabet.as_ref(), &found);
                    self.apply(&mut found, seen, &constraint);
                }
            }
        }
        self.effective.insert(id, Some(found.clone()));
        found
    }

    /// Applies a constraint to the values that the ones before it leave (X.680 50.8).
    fn apply(&mut self, found: &mut Constraints, seen: Seen, constraint: &Constraint) {
        if seen.is_nothing() && !seen.extensible {
            return;
        }
        let mut empty = false;
        let mut bound = |before: Option<Bounds>, ranges: Option<Vec<Range>>| {
            let Some(ranges) = ranges else { return before.map(|bounds| Bounds { extensible: false, ..bounds }) };
            let before = before.map_or(Range::ALL, |bounds| bounds.range);
            let ranges: Vec<Range> = ranges.iter().filter_map(|range| range.and(before)).collect();
            match hull(&ranges) {
                Some(range) => Some(Bounds { range, extensible: seen.extensible }),
                None => {
                    empty = true;
                    None
                }
            }
        };
        found.value = bound(found.value, seen.value);
        found.size = bound(found.size, seen.size);
        if let Some(alphabet) = seen.alphabet {
            found.alphabet = Some(match &found.alphabet {
                Some(before) => before.and(&alphabet),
                None => alphabet,
            });
        }
        if let Some([mantissa, base, exponent]) = seen.real {
            let before = found.real.unwrap_or(RealBounds { mantissa: Range::ALL, base: Range::ALL, exponent: Range::ALL });
            let part = |ranges: Vec<Range>, before: Range| hull(&ranges).and_then(|range| range.and(before));
            let parts = [part(mantissa, before.mantissa), part(base, before.base), part(exponent, before.exponent)];
            found.real = match parts {
                [Some(mantissa), Some(base), Some(exponent)] => Some(RealBounds { mantissa, base, exponent }),
                // Zero alone.
                _ => None,
            };
        }
        found.extensible = seen.extensible;
        if empty {
            self.caution("empty", constraint.at, "no value meets this constraint", "X.680 50.7 wants one at least");
        }
    }

    fn constraint(
        &mut self,
        constraint: &Constraint,
        scope: ScopeId,
        id: TypeId,
        subject: Subject,
        alphabet: Option<&Alphabet>,
        before: &Constraints,
    ) -> Seen {
        match &constraint.kind {
            ConstraintKind::Subtype(set) => self.set(set, scope, &About { id, subject, alphabet, before, within: Within::Value }),
            _ => Seen::default(),
        }
    }

    fn set(&mut self, set: &ElementSet, scope: ScopeId, about: &About<'_>) -> Seen {
        let mut seen = match &set.root {
            Some(root) => self.elements(root, scope, about),
            None => Seen::default(),
        };
        seen.extensible |= set.extensible;
        seen
    }

    fn elements(&mut self, elements: &Elements, scope: ScopeId, about: &About<'_>) -> Seen {
        match elements {
            Elements::Union(parts) => {
                let mut parts = parts.iter();
                let mut all = parts.next().map(|part| self.elements(part, scope, about)).unwrap_or_default();
                let mut letters = Vec::new();
                for part in parts {
                    let next = self.elements(part, scope, about);
                    // Long unions of characters are joined at the end.
                    match (&all.alphabet, &next.alphabet) {
                        (Some(_), Some(alphabet)) if about.within == Within::Alphabet => letters.extend_from_slice(alphabet.ranges()),
                        _ => all = all.or(next),
                    }
                }
                if let Some(alphabet) = &all.alphabet
                    && !letters.is_empty()
                {
                    letters.extend_from_slice(alphabet.ranges());
                    all.alphabet = Some(Alphabet::new(letters));
                }
                all
            }
            Elements::Intersection(parts) => {
                let mut parts = parts.iter();
                let first = parts.next().map(|part| self.elements(part, scope, about)).unwrap_or_default();
                parts.fold(first, |all, part| {
                    let next = self.elements(part, scope, about);
                    all.and(next)
                })
            }
            // EXCEPT and what follows it is ignored (X.691 10.3.21).
            Elements::Except(from, _) => self.elements(from, scope, about),
            Elements::AllExcept(_) => Seen::default(),
            Elements::One(element) => self.element(element, scope, about),
        }
    }

    fn element(&mut self, element: &Element, scope: ScopeId, about: &About<'_>) -> Seen {
        match element {
            Element::Parenthesised(set) => self.set(set, scope, about),
            Element::Size(constraint) if matches!(about.subject, Subject::Sized | Subject::Characters) && about.within == Within::Value => {
                let about = About { within: Within::Size, ..*about };
                let seen = match &constraint.kind {
                    ConstraintKind::Subtype(set) => self.set(set, scope, &about),
                    _ => Seen::default(),
                };
                Seen { size: seen.value, extensible: seen.extensible, ..Seen::default() }
            }
            Element::From(constraint) if about.subject == Subject::Characters && about.within == Within::Value => {
                let about = About { within: Within::Alphabet, ..*about };
                match &constraint.kind {
                    ConstraintKind::Subtype(set) if !set.extensible => self.set(set, scope, &about),
                    _ => Seen::default(),
                }
            }
            Element::Components { inner, .. } if about.subject == Subject::Real && about.within == Within::Value => {
                let mut parts = [Range::ALL; 3].map(|all| vec![all]);
                for known in inner {
                    let Some(part) = ["mantissa", "base", "exponent"].iter().position(|part| known.name.text == **part) else { continue };
                    if let Some(Constraint { kind: ConstraintKind::Subtype(set), .. }) = &known.constraint {
                        let seen = self.set(set, scope, &About { within: Within::Part, ..*about });
                        parts[part] = seen.value.filter(|_| !seen.extensible).unwrap_or_else(|| vec![Range::ALL]);
                    }
                }
                Seen { real: Some(parts), ..Seen::default() }
            }
            Element::Value(value) => match (about.within, about.subject) {
                (Within::Value, Subject::Real) => {
                    // Zero has any exponent.
                    let is_zero = matches!(self.value(value, scope, about.id), Some(model::Value::Real(text)) if text == "0");
                    let one = |number| vec![Range { low: Some(number), high: Some(number) }];
                    Seen { real: is_zero.then(|| [one(0), one(2), Vec::new()]), ..Seen::default() }
                }
                (Within::Size | Within::Part, _) | (Within::Value, Subject::Number) => {
                    let number = match about.within {
                        Within::Size | Within::Part => self.number(value, scope),
                        _ => self.value(value, scope, about.id).and_then(|value| value.as_integer()),
                    };
                    let range = number.map(|number| Range { low: Some(number), high: Some(number) });
                    Seen { value: range.map(|range| vec![range]), ..Seen::default() }
                }
                (Within::Alphabet, _) => {
                    let letters = self.value(value, scope, about.id).and_then(letters);
                    let alphabet = letters.map(|letters| Alphabet::new(letters.into_iter().map(|letter| (letter, letter)).collect()));
                    Seen { alphabet, ..Seen::default() }
                }
                _ => Seen::default(),
            },
            Element::Range { low, low_open, high, high_open, .. } => {
                if about.within == Within::Alphabet {
                    let all = about.alphabet.map(|alphabet| (alphabet.ranges()[0].0, alphabet.ranges()[alphabet.ranges().len() - 1].1));
                    let mut bound = |value: &Option<crate::syntax::Value>, other: Option<u32>| match value {
                        None => other,
                        Some(value) => self.value(value, scope, about.id).and_then(letters).and_then(|letters| letters.first().copied()),
                    };
                    let low = bound(low, all.map(|all| all.0)).map(|low| low + u32::from(*low_open));
                    let high = bound(high, all.map(|all| all.1)).map(|high| high.saturating_sub(u32::from(*high_open)));
                    let range = low.zip(high).filter(|(low, high)| low <= high);
                    let whole = range.map(|range| Alphabet::new(vec![range]));
                    let alphabet = match (whole, about.alphabet) {
                        (Some(one), Some(all)) => Some(one.and(all)),
                        (one, _) => one,
                    };
                    return Seen { alphabet, ..Seen::default() };
                }
                if about.within == Within::Value && about.subject != Subject::Number {
                    return Seen::default();
                }
                let parent = match about.within {
                    Within::Size => Range::SIZES,
                    Within::Part => Range::ALL,
                    _ => about.before.value.map_or(Range::ALL, |bounds| bounds.range),
                };
                // A bound that is not known, or is beyond 128 bits, is none.
                let mut bound = |value: &Option<crate::syntax::Value>, other: Option<i128>| match value {
                    None => other,
                    Some(value) => {
                        let number = match about.within {
                            Within::Size | Within::Part => self.number(value, scope),
                            _ => self.value(value, scope, about.id).and_then(|value| value.as_integer()),
                        };
                        number.or(other)
                    }
                };
                let low = bound(low, parent.low).map(|low| low.saturating_add(i128::from(*low_open)));
                let high = bound(high, parent.high).map(|high| high.saturating_sub(i128::from(*high_open)));
                if let (Some(low), Some(high), Element::Range { at, .. }) = (low, high, element)
                    && low > high
                {
                    self.caution("empty", *at, format!("the range {low}..{high} is empty"), "the lower bound comes first (X.680 51.4)");
                    return Seen { value: Some(Vec::new()), ..Seen::default() };
                }
                Seen { value: Some(vec![Range { low, high }]), ..Seen::default() }
            }
            Element::Type(ty) => {
                let other = self.ty(ty, scope);
                let (subject, alphabet) = self.subject(other);
                match about.within {
                    Within::Size | Within::Part if subject == Subject::Number => {
                        Seen { value: self.effective(other).value.map(|bounds| vec![bounds.range]), ..Seen::default() }
                    }
                    Within::Size | Within::Part => Seen::default(),
                    Within::Alphabet => Seen { alphabet: self.effective(other).alphabet.or(alphabet), ..Seen::default() },
                    Within::Value => {
                        let inner = self.effective(other);
                        Seen {
                            value: inner.value.map(|bounds| vec![bounds.range]),
                            size: inner.size.map(|bounds| vec![bounds.range]),
                            alphabet: inner.alphabet,
                            real: inner.real.map(|real| [vec![real.mantissa], vec![real.base], vec![real.exponent]]),
                            extensible: false,
                        }
                    }
                }
            }
            _ => Seen::default(),
        }
    }
}

/// Place of an element: in SIZE, in FROM, on a part of a REAL, or in none of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Value,
    Size,
    Alphabet,
    Part,
}

/// The type that a constraint is on.
#[derive(Debug, Clone, Copy)]
struct About<'a> {
    id: TypeId,
    subject: Subject,
    alphabet: Option<&'a Alphabet>,
    before: &'a Constraints,
    within: Within,
}

fn letters(value: model::Value) -> Option<Vec<u32>> {
    match value {
        model::Value::Text(text) => Some(text.chars().map(u32::from).collect()),
        model::Value::Characters(letters) => Some(letters.into_iter().map(u32::from).collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_meet_and_join() {
        let range = |low, high| Range { low, high };
        let one = vec![range(Some(7), Some(9)), range(Some(1), Some(3)), range(Some(4), Some(4))];
        assert_eq!(joined(one.clone()), [range(Some(1), Some(4)), range(Some(7), Some(9))]);
        assert_eq!(meet(Some(one), Some(vec![range(Some(4), None)])), Some(vec![range(Some(4), Some(4)), range(Some(7), Some(9))]));
        assert_eq!(joined(vec![range(Some(1), None), range(None, Some(-5))]), [range(None, Some(-5)), range(Some(1), None)]);
    }
}
