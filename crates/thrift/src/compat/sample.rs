//! Values that show a change.

use polywire_core::Value;

use crate::idl::model::{Model, Ty};
use crate::idl::syntax::{Base, Requiredness, StructKind};

/// Deepest nesting of a value.
const DEPTH: u32 = 12;

/// Most values of a message with all of its fields.
const MOST: u32 = 200;

/// Values that a sample has to have.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wish {
    /// Number of an enum's value.
    pub number: Option<(usize, i32)>,
    /// Number of whole numbers.
    pub int: Option<i64>,
    /// True for structs with all of their fields.
    pub full: bool,
}

/// Returns a value of a struct with its required fields and that of the number `wanted`. `None` if
/// there is none of finite size.
pub(super) fn sample(model: &Model, of: usize, wanted: Option<i16>, wish: Wish) -> Option<Value> {
    let plain = Wish { full: false, ..wish };
    Making { model, left: MOST }.structure(of, wanted, plain, wish, 0)
}

/// Reports whether values of a type have an enum in them, without looking into structs.
pub(super) fn holds(ty: &Ty, of: usize) -> bool {
    match ty {
        Ty::Enum(id) => *id == of,
        Ty::List(inner) | Ty::Set(inner) => holds(inner, of),
        Ty::Map(key, value) => holds(key, of) || holds(value, of),
        Ty::Base(_) | Ty::Struct(_) | Ty::Stream => false,
    }
}

struct Making<'m> {
    model: &'m Model,
    left: u32,
}

impl Making<'_> {
    /// Makes a struct; `wish` is for the field `wanted`, `others` for its other ones.
    fn structure(&mut self, of: usize, wanted: Option<i16>, others: Wish, wish: Wish, depth: u32) -> Option<Value> {
        let found = &self.model.structs[of];
        if found.kind == StructKind::Union {
            let (index, field) = match wanted {
                Some(id) => found.fields.iter().enumerate().find(|(_, field)| field.id == id)?,
                None => found.fields.iter().enumerate().next()?,
            };
            let value = self.value(&field.ty, wish, depth + 1)?;
            return Some(Value::Variant { name: field.name.clone(), index: index as u32, values: vec![value] });
        }
        let mut fields = Vec::new();
        for field in &found.fields {
            let is = Some(field.id) == wanted;
            let required = field.requiredness == Requiredness::Required;
            if !(is || required || others.full && self.left > 0) {
                continue;
            }
            match self.value(&field.ty, if is { wish } else { others }, depth + 1) {
                Some(value) => fields.push((field.name.clone(), value)),
                None if is || required => return None,
                None => {}
            }
        }
        Some(Value::Record { name: String::new(), fields })
    }

    fn value(&mut self, ty: &Ty, wish: Wish, depth: u32) -> Option<Value> {
        if depth > DEPTH {
            return None;
        }
        self.left = self.left.saturating_sub(1);
        Some(match ty {
            Ty::Base(base) => match base {
                Base::Bool => Value::Bool(true),
                Base::I8 | Base::I16 | Base::I32 | Base::I64 => Value::int(wish.int.unwrap_or(1)),
                Base::Double | Base::Float => Value::F64(1.5),
                Base::String => Value::text("a"),
                Base::Binary => Value::Bytes(vec![0xff]),
                Base::Uuid => Value::text("00000000-0000-0000-0000-000000000001"),
            },
            Ty::List(inner) | Ty::Set(inner) => Value::List(vec![self.value(inner, wish, depth + 1)?]),
            Ty::Map(key, value) => Value::Map(vec![(self.value(key, wish, depth + 1)?, self.value(value, wish, depth + 1)?)]),
            Ty::Struct(id) => self.structure(*id, None, wish, wish, depth)?,
            Ty::Enum(id) => match wish.number {
                Some((of, number)) if of == *id => Value::int(i64::from(number)),
                _ => Value::int(i64::from(self.model.enums[*id].members.first()?.number)),
            },
            Ty::Stream => return None,
        })
    }
}
