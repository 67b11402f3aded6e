//! Values of defaults as messages.

use polywire_core::{Field, Len, Open, Result, Scalar, Sink, Span, Str, Tree};

use crate::model::{TypeId, Value};
use crate::walk::plan::{Op, Plan};
use crate::walk::{LENGTH, VALUE, raise};

/// Returns a value as a message, or `None` if it is not known.
pub(crate) fn message(plan: &Plan, ty: TypeId, value: &Value) -> Option<Tree<'static>> {
    let mut tree = Tree::without_spans();
    emit(plan, ty, value, &mut tree)?.ok()?;
    Some(tree)
}

fn emit(plan: &Plan, ty: TypeId, value: &Value, tree: &mut Tree<'static>) -> Option<Result<()>> {
    let at = Span::NONE;
    let scalar = match value {
        Value::Boolean(is) => Scalar::Bool(*is),
        Value::Null => Scalar::Null,
        Value::Integer(number) | Value::Enumerated(number) => return Some(tree.scalar(raise::whole(*number, &mut String::new()), at)),
        Value::Digits(digits) => Scalar::big(Str::Scratch(digits)),
        Value::Real(text) => Scalar::f64(match &**text {
            "PLUS-INFINITY" => f64::INFINITY,
            "MINUS-INFINITY" => f64::NEG_INFINITY,
            "NOT-A-NUMBER" => f64::NAN,
            digits => digits.parse().ok()?,
        }),
        Value::RealParts(mantissa, base, exponent) => Scalar::f64(*mantissa as f64 * (*base as f64).powi(i32::try_from(*exponent).ok()?)),
        Value::Bits(bytes, bits) => {
            let record = Open::Record { name: "", len: Len::Claimed(2) };
            return Some(tree.open(record, at).and_then(|_| {
                tree.field(Field::named(Str::Scratch(VALUE)), at)?;
                tree.scalar(Scalar::Bytes(Str::Scratch(bytes)), at)?;
                tree.field(Field::named(Str::Scratch(LENGTH)), at)?;
                tree.scalar(Scalar::uint(*bits), at)?;
                tree.close(at)
            }));
        }
        Value::Octets(bytes) => Scalar::Bytes(Str::Scratch(bytes)),
        Value::Text(text) => Scalar::Text(Str::Scratch(text)),
        Value::Characters(characters) => {
            let text: String = characters.iter().collect();
            return Some(tree.scalar(Scalar::Text(Str::Scratch(&text)), at));
        }
        Value::Oid(arcs) => {
            let arcs: Vec<String> = arcs.iter().map(u128::to_string).collect();
            return Some(tree.scalar(Scalar::Text(Str::Scratch(&arcs.join("."))), at));
        }
        Value::Choice(name, inner) => {
            let Op::Choice(index) = plan.node(ty).op else { return None };
            let choice = plan.choice(index);
            let found = choice.named(name)?;
            tree.open(Open::Variant { name, index: found }, at).ok()?;
            emit(plan, choice.alternatives[found as usize].ty, inner, tree)?.ok()?;
            return Some(tree.close(at));
        }
        Value::Structure(parts) => {
            let Op::Structure(index) = plan.node(ty).op else { return None };
            let structure = plan.structure(index);
            tree.open(Open::Record { name: "", len: Len::Unknown }, at).ok()?;
            for (name, part) in parts {
                let found = structure.named(name, 0)?;
                tree.field(Field::named(Str::Scratch(name)), at).ok()?;
                emit(plan, structure.components[found as usize].ty, part, tree)?.ok()?;
            }
            return Some(tree.close(at));
        }
        Value::List(parts) => {
            let Op::List(element) = plan.node(ty).op else {
                // Names of bits, none of them.
                return parts.is_empty().then(|| tree.open(Open::List(Len::Claimed(0)), at).and_then(|_| tree.close(at)));
            };
            tree.open(Open::List(Len::Claimed(parts.len() as u64)), at).ok()?;
            for part in parts {
                emit(plan, element, part, tree)?.ok()?;
            }
            return Some(tree.close(at));
        }
        Value::Open(ty, inner) => return emit(plan, *ty, inner, tree),
        _ => return None,
    };
    Some(tree.scalar(scalar, at))
}
