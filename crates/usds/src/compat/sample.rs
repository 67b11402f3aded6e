//! Sample documents that show how a reader decodes them.

use polywire_core::value::Value;

use super::side::{Side, Spot, TypeStep};
use crate::dictionary::{Enumeration, Type};
use crate::events::MAX_DEPTH;
use crate::wire::codes::Simple;

/// Most values of a sample. A type whose smallest value is larger has no sample.
pub(super) const MOST_VALUES: u32 = 4000;

/// Links that samples follow before they leave out all optional parts.
const FEW_LINKS: u32 = 2;

/// SampleKind of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SampleKind {
    /// All optional parts are absent; numbers are 0.
    Least,
    /// All parts are present, with values that differ from their neighbours'.
    Distinct,
    /// Numbers are as large as possible, texts longer than a hundred bytes.
    Large,
    /// Numbers are as small as possible.
    Low,
}

impl SampleKind {
    pub(super) const ALL: [SampleKind; 4] = [SampleKind::Distinct, SampleKind::Least, SampleKind::Large, SampleKind::Low];
}

/// Generator of values of one version.
pub(super) struct Maker<'s> {
    side: &'s Side,
    kind: SampleKind,
    left: u32,
    links: u32,
    count: u64,
}

impl<'s> Maker<'s> {
    pub(super) fn new(side: &'s Side, kind: SampleKind) -> Maker<'s> {
        Maker { side, kind, left: MOST_VALUES, links: 0, count: 0 }
    }

    /// Returns a document with `leaf` at that type, or `None` if no document reaches it.
    pub(super) fn document(mut self, spot: &Spot, leaf: Value) -> Option<Value> {
        let side = self.side;
        let mut value = self.around(side.tag_type(spot.tag), &spot.steps, leaf)?;
        let mut tag = spot.tag;
        while !side.is_root(tag) {
            let spot = side.above(tag)?;
            let is_member = matches!(type_at(side, side.tag_type(spot.tag), &spot.steps), Some(Type::Polymorph(_)));
            if is_member {
                value = member(side, tag, value);
            }
            value = self.around(side.tag_type(spot.tag), &spot.steps, value)?;
            tag = spot.tag;
        }
        Some(Value::record([(side.tag_name(tag), value)]))
    }

    /// Returns a value of a type with `leaf` at the end of `steps`.
    fn around(&mut self, ty: &Type, steps: &[TypeStep], leaf: Value) -> Option<Value> {
        let Some((step, rest)) = steps.split_first() else { return Some(leaf) };
        let side = self.side;
        match (side.dictionary.resolve(ty), step) {
            (Type::Array(element), TypeStep::Element) => Some(Value::List(vec![self.around(element, rest, leaf)?])),
            (Type::Structure(fields), TypeStep::Field(at)) => {
                let mut values = Vec::new();
                let mut leaf = Some(leaf);
                for (n, field) in (0..).zip(fields) {
                    let value = if n == *at {
                        self.around(&field.ty, rest, leaf.take()?)?
                    } else if field.nullable && self.kind == SampleKind::Least {
                        continue;
                    } else {
                        match self.sample(&field.ty) {
                            Some(value) => value,
                            None if field.nullable => continue,
                            None => return None,
                        }
                    };
                    values.push((field.name.clone(), value));
                }
                Some(Value::record(values))
            }
            _ => None,
        }
    }

    /// Returns a structure with one field of another kind of sample.
    pub(super) fn structure(mut self, ty: &Type, field: u32, other: SampleKind) -> Option<Value> {
        let Type::Structure(fields) = ty else { return None };
        let chosen = fields.get(field as usize)?;
        let leaf = Maker::new(self.side, other).sample(&chosen.ty)?;
        self.around(ty, &[TypeStep::Field(field)], leaf)
    }

    /// Returns a value of a type.
    pub(super) fn sample(&mut self, ty: &Type) -> Option<Value> {
        self.left = self.left.checked_sub(1).filter(|_| self.links < MAX_DEPTH / 2)?;
        let least = self.kind == SampleKind::Least || self.links >= FEW_LINKS;
        Some(match ty {
            Type::Link(id) => {
                let side = self.side;
                side.round(*id)?;
                self.links += 1;
                let value = self.sample(side.tag_type(*id));
                self.links -= 1;
                value?
            }
            Type::Simple(simple) => self.number(*simple),
            Type::Text { .. } => Value::text(match self.kind {
                SampleKind::Least => String::new(),
                SampleKind::Distinct => char::from(b'a' + (self.next() % 26) as u8).to_string(),
                SampleKind::Large => "long".repeat(50),
                SampleKind::Low => "x".into(),
            }),
            Type::Array(_) if least => Value::List(Vec::new()),
            // The elements have no value.
            Type::Array(element) => Value::List(self.sample(element).into_iter().collect()),
            Type::Structure(fields) => {
                let mut values = Vec::new();
                for field in fields {
                    if field.nullable && least {
                        continue;
                    }
                    match self.sample(&field.ty) {
                        Some(value) => values.push((field.name.clone(), value)),
                        None if field.nullable => {}
                        None => return None,
                    }
                }
                Value::record(values)
            }
            Type::Enumeration(enumeration) => {
                let count = enumeration.members.len();
                let at = match self.kind {
                    SampleKind::Least => 0,
                    SampleKind::Distinct => self.next() as usize % count,
                    SampleKind::Large | SampleKind::Low => count - 1,
                };
                enumerator(enumeration, at)
            }
            Type::Polymorph(members) => {
                let side = self.side;
                let tag = *members.iter().min_by_key(|id| side.round(**id).unwrap_or(u32::MAX))?;
                side.round(tag)?;
                self.links += 1;
                let value = self.sample(side.tag_type(tag));
                self.links -= 1;
                match side.tag_type(tag) {
                    Type::Polymorph(_) => value?,
                    _ => member(side, tag, value?),
                }
            }
        })
    }

    fn next(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    fn number(&mut self, simple: Simple) -> Value {
        let Some((low, high)) = simple.range() else {
            return match simple {
                Simple::Boolean => Value::Bool(match self.kind {
                    SampleKind::Least => false,
                    SampleKind::Distinct => self.next() % 2 == 1,
                    SampleKind::Large | SampleKind::Low => true,
                }),
                Simple::Float => Value::F32(match self.kind {
                    SampleKind::Least => 0.0,
                    SampleKind::Distinct => self.next() as f32 + 0.5,
                    SampleKind::Large => f32::MAX,
                    SampleKind::Low => -1.5,
                }),
                _ => Value::F64(match self.kind {
                    SampleKind::Least => 0.0,
                    SampleKind::Distinct => self.next() as f64 + 0.5,
                    SampleKind::Large => f64::MAX,
                    SampleKind::Low => -1.5,
                }),
            };
        };
        whole(match self.kind {
            SampleKind::Least => 0,
            SampleKind::Distinct => i128::from(self.next()).min(high),
            SampleKind::Large => high,
            SampleKind::Low => low,
        })
    }
}

/// Returns an integer in its only representation.
pub(super) fn whole(number: i128) -> Value {
    if number < 0 { Value::Int(number as i64) } else { Value::UInt(number as u64) }
}

/// Returns the enumerator at a position.
pub(super) fn enumerator(enumeration: &Enumeration, at: usize) -> Value {
    let name = enumeration.members.get(at).map_or_else(String::new, |(name, _)| name.clone());
    Value::Variant { name, index: at as u32, values: Vec::new() }
}

/// Returns a member of a polymorph. Members are identified by name.
pub(super) fn member(side: &Side, tag: u32, value: Value) -> Value {
    Value::Variant { name: side.tag_name(tag).to_string(), index: 0, values: vec![value] }
}

fn type_at<'t>(side: &'t Side, ty: &'t Type, steps: &[TypeStep]) -> Option<&'t Type> {
    steps.iter().try_fold(ty, |ty, step| match (side.dictionary.resolve(ty), step) {
        (Type::Array(element), TypeStep::Element) => Some(&**element),
        (Type::Structure(fields), TypeStep::Field(at)) => fields.get(*at as usize).map(|field| &field.ty),
        _ => None,
    })
}

/// Returns values of a type that another type is likely to misread.
pub(super) fn telling(side: &Side, ty: &Type) -> Vec<Value> {
    let mut values = match ty {
        Type::Simple(simple) => match simple.range() {
            Some((low, high)) => [7, -1, 200, 300, high, low, 0, 1].into_iter().filter(|n| (low..=high).contains(n)).map(whole).collect(),
            None if *simple == Simple::Boolean => vec![Value::Bool(true), Value::Bool(false)],
            None => Vec::new(),
        },
        Type::Text { utf8 } => {
            let octets = (!utf8).then(|| Value::Octets(vec![0xff]));
            octets.into_iter().chain([Value::text("AB"), Value::text(""), Value::text("long".repeat(50))]).collect()
        }
        Type::Enumeration(enumeration) => (0..enumeration.members.len().min(20)).map(|at| enumerator(enumeration, at)).collect(),
        Type::Array(_) => vec![Value::List(Vec::new())],
        Type::Polymorph(members) => {
            let made = members.iter().take(20).filter(|id| !matches!(side.tag_type(**id), Type::Polymorph(_)));
            made.filter_map(|id| Some(member(side, *id, Maker::new(side, SampleKind::Distinct).sample(side.tag_type(*id))?))).collect()
        }
        Type::Structure(_) | Type::Link(_) => Vec::new(),
    };
    values.extend(samples(side, ty));
    values
}

/// Returns a value of each kind.
pub(super) fn samples(side: &Side, ty: &Type) -> Vec<Value> {
    let mut kinds = SampleKind::ALL.into_iter();
    // If the first is too large, so are the others.
    let Some(first) = kinds.next().and_then(|kind| Maker::new(side, kind).sample(ty)) else {
        return Maker::new(side, SampleKind::Least).sample(ty).into_iter().collect();
    };
    std::iter::once(first).chain(kinds.filter_map(|kind| Maker::new(side, kind).sample(ty))).collect()
}
