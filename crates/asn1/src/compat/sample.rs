//! Values of a type that show a change.

use polywire_core::value::Value;
use smol_str::SmolStr;

use crate::model::{Addition, Alternative, Component, Constraints, Kind, Model, Presence, StringKind, TypeId};

/// Deepest nesting of a sample.
const MAX_DEPTH: u32 = 40;

/// Most elements and characters of a sample.
const MAX_SIZE: i128 = 64;

/// Step to the place of a change.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Goal {
    /// Way to a component.
    Field(SmolStr),
    /// Way to an element.
    Item,
    /// Way to an alternative.
    Case(SmolStr),
    /// The value there.
    Is(Value),
}

/// Returns a value with the place that `goal` leads to. `edge` chooses among the values there: the
/// least, one with all that may be absent, the greatest, one in between. `None` for types without
/// easy values.
pub(super) fn sample(model: &Model, id: TypeId, goal: &[Goal], edge: u32) -> Option<Value> {
    Sampling { model, edge }.value(id, Some(goal), 0)
}

struct Sampling<'m> {
    model: &'m Model,
    edge: u32,
}

impl Sampling<'_> {
    /// Returns a value. `goal` is `None` beside the way to the change.
    fn value(&self, id: TypeId, goal: Option<&[Goal]>, depth: u32) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        let ty = self.model.ty(id);
        if let Some([Goal::Is(value)]) = goal {
            return Some(value.clone());
        }
        // The edge counts at the end of the way alone.
        let edge = if goal.is_some_and(<[Goal]>::is_empty) { self.edge } else { 0 };
        let Constraints { value: bounds, size, alphabet, .. } = &ty.constraints;
        let size = size.map(|size| size.range).unwrap_or(crate::model::Range::SIZES);
        let (least, most) = (size.low.unwrap_or(0), size.high.unwrap_or(i128::MAX));
        let length = usize::try_from(match edge {
            2 => most.min(least + 3).min(MAX_SIZE.max(least)),
            3 => most.min(MAX_SIZE.max(least)),
            _ => least,
        })
        .ok()
        .filter(|length| *length <= 4096)?;
        Some(match &ty.kind {
            Kind::Boolean => Value::Bool(edge != 2),
            Kind::Null => Value::Null,
            Kind::Real => Value::F64(if edge == 2 { -2.5 } else { 1.5 }),
            Kind::Integer(_) => {
                let range = bounds.map(|bounds| bounds.range).unwrap_or_default();
                let (low, high) = (range.low.or(range.high.map(|high| high - 1)).unwrap_or(0), range.high);
                let number = match edge {
                    2 => high.unwrap_or(low + 1000),
                    3 => high.map_or(low + 1, |high| high.min(low + 1)),
                    _ => low,
                };
                match u64::try_from(number) {
                    Ok(number) => Value::UInt(number),
                    Err(_) => Value::Int(i64::try_from(number).ok()?),
                }
            }
            Kind::Enumerated(items) => {
                let (name, _) = if edge == 2 { items.root.last() } else { items.root.first() }?;
                Value::Text(name.to_string())
            }
            Kind::Bits(names) if !names.is_empty() && size.high != size.low => Value::List(Vec::new()),
            Kind::Bits(_) if size.low.is_some() && size.low == size.high => Value::Bytes(vec![0; length.div_ceil(8)]),
            Kind::Bits(_) => Value::record([("value", Value::Bytes(vec![0; length.div_ceil(8)])), ("length", Value::UInt(length as u64))]),
            Kind::Octets if ty.contents.is_some() => return self.value(ty.contents?, None, depth + 1),
            Kind::Octets => Value::Bytes((1..=length).map(|byte| byte as u8).collect()),
            Kind::Oid => Value::text("1.2.3"),
            Kind::RelativeOid => Value::text("1.2"),
            Kind::Text(StringKind::GeneralizedTime) => Value::text("20260101000000Z"),
            Kind::Text(StringKind::UtcTime) => Value::text("260101000000Z"),
            Kind::Text(_) => {
                let letters = alphabet.as_ref().map(crate::model::Alphabet::ranges);
                let letter = letters.and_then(|ranges| ranges.first()).map_or(Some('0'), |(low, _)| char::from_u32(*low))?;
                Value::Text(std::iter::repeat_n(letter, length).collect())
            }
            Kind::SequenceOf(element) | Kind::SetOf(element) => {
                let (within, length) = match goal {
                    Some([Goal::Item, rest @ ..]) => (Some(rest), length.max(1)),
                    _ => (None, length),
                };
                let mut items = Vec::with_capacity(length);
                for index in 0..length {
                    items.push(self.value(*element, if index == 0 { within } else { None }, depth + 1)?);
                }
                Value::List(items)
            }
            Kind::Sequence(structure) | Kind::Set(structure) => {
                let (wanted, rest) = match goal {
                    Some([Goal::Field(name), rest @ ..]) => (Some(name), Some(rest)),
                    _ => (None, None),
                };
                let mut fields = Vec::new();
                let mut add = |component: &Component, addition: bool| {
                    let is_way = wanted == Some(&component.name);
                    let needed = component.presence == Presence::Required && !addition;
                    if is_way || needed || (edge == 1 && !addition) {
                        let value = self.value(component.ty, if is_way { rest } else { None }, depth + 1);
                        match value {
                            Some(value) => fields.push((component.name.to_string(), value)),
                            None if is_way || needed => return None,
                            None => {}
                        }
                    }
                    Some(())
                };
                for component in &structure.root {
                    add(component, false)?;
                }
                for addition in &structure.additions {
                    match addition {
                        Addition::Component(component) => add(component, true)?,
                        Addition::Group(components, _) => {
                            let is_way = components.iter().any(|component| wanted == Some(&component.name));
                            for component in components {
                                add(component, !is_way)?;
                            }
                        }
                    }
                }
                Value::Record { name: String::new(), fields }
            }
            Kind::Choice(choice) => {
                let all = || choice.root.iter().chain(&choice.additions);
                let (alternative, rest): (&Alternative, Option<&[Goal]>) = match goal {
                    Some([Goal::Case(name), rest @ ..]) => (all().find(|alternative| alternative.name == *name)?, Some(rest)),
                    _ => (choice.root.first()?, None),
                };
                let index = all().position(|other| other.name == alternative.name)? as u32;
                let value = self.value(alternative.ty, rest, depth + 1)?;
                Value::Variant { name: alternative.name.to_string(), index, values: vec![value] }
            }
            _ => return None,
        })
    }
}
