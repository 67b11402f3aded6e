//! Values of modules, such as defaults, to events.

use polywire_core::{Field, Len, Open, Scalar, Sink, Span, Str};

use super::plan::{Op, Plan};
use super::{LENGTH, VALUE};
use crate::model::{TypeId, Value};

/// Emits a value of a type. Returns `None` if it is not known, or none of the type.
pub(crate) fn emit<'m>(plan: &Plan, ty: TypeId, value: &Value, sink: &mut dyn Sink<'m>) -> Option<()> {
    let node = plan.node(ty);
    let at = Span::NONE;
    let mut scalar = |scalar: Scalar<'m, '_>| sink.scalar(scalar, at).ok();
    match (node.op, value) {
        (_, Value::Boolean(value)) => scalar(Scalar::Bool(*value)),
        (_, Value::Null) => scalar(Scalar::Null),
        (Op::Enumerated(index), Value::Integer(number) | Value::Enumerated(number)) => {
            let enumeration = &plan.enumerations[index as usize];
            scalar(Scalar::Text(Str::Scratch(&enumeration.items[enumeration.numbered(*number)? as usize].0)))
        }
        (Op::Real, Value::Integer(number)) => scalar(Scalar::f64(*number as f64)),
        (_, Value::Integer(number) | Value::Enumerated(number)) => scalar(super::raise::whole(*number, &mut String::new())),
        (_, Value::Digits(digits)) => scalar(Scalar::big(Str::Scratch(digits))),
        (_, Value::Real(text)) => match text.as_str() {
            "PLUS-INFINITY" => scalar(Scalar::f64(f64::INFINITY)),
            "MINUS-INFINITY" => scalar(Scalar::f64(f64::NEG_INFINITY)),
            "NOT-A-NUMBER" => scalar(Scalar::f64(f64::NAN)),
            text => scalar(Scalar::decimal(Str::Scratch(&super::octets::json_digits(text)?))),
        },
        (_, Value::RealParts(mantissa, 10, exponent)) => scalar(Scalar::decimal(Str::Scratch(&format!("{mantissa}e{exponent}")))),
        (_, Value::RealParts(mantissa, 2, exponent)) => {
            let exponent = i32::try_from(*exponent).ok().filter(|exponent| exponent.abs() < 1000)?;
            scalar(Scalar::f64(*mantissa as f64 * f64::from(exponent).exp2()))
        }
        (Op::Bits(index), Value::Bits(bytes, count)) => {
            let bits = &plan.bits[index as usize];
            if !bits.names.is_empty() {
                sink.open(Open::List(Len::Unknown), at).ok()?;
                for bit in (0..*count).filter(|bit| bytes.get((bit / 8) as usize).is_some_and(|byte| byte & 0x80 >> (bit % 8) != 0)) {
                    sink.scalar(Scalar::uint(bit), at).ok()?;
                }
                return sink.close(at).ok();
            }
            sink.open(Open::Record { name: "", len: Len::Claimed(2) }, at).ok()?;
            sink.field(Field::named(Str::Scratch(VALUE)), at).ok()?;
            sink.scalar(Scalar::Bytes(Str::Scratch(bytes)), at).ok()?;
            sink.field(Field::named(Str::Scratch(LENGTH)), at).ok()?;
            sink.scalar(Scalar::uint(*count), at).ok()?;
            sink.close(at).ok()
        }
        (_, Value::Bits(bytes, _) | Value::Octets(bytes)) => scalar(Scalar::Bytes(Str::Scratch(bytes))),
        (_, Value::Text(text)) => scalar(Scalar::Text(Str::Scratch(text))),
        (_, Value::Characters(characters)) => scalar(Scalar::Text(Str::Scratch(&characters.iter().collect::<String>()))),
        (_, Value::Oid(arcs)) => {
            let arcs: Vec<String> = arcs.iter().map(u128::to_string).collect();
            scalar(Scalar::Text(Str::Scratch(&arcs.join("."))))
        }
        (Op::Choice(index), Value::Choice(name, inner)) => {
            let choice = plan.choice(index);
            let found = choice.named(name)?;
            sink.open(Open::Variant { name, index: found }, at).ok()?;
            emit(plan, choice.alternatives[found as usize].ty, inner, sink)?;
            sink.close(at).ok()
        }
        (Op::Structure(index), Value::Structure(components)) => {
            let structure = plan.structure(index);
            sink.open(Open::Record { name: "", len: Len::Unknown }, at).ok()?;
            for (name, value) in components {
                let component = &structure.components[structure.named(name, 0)? as usize];
                sink.field(Field::named(Str::Scratch(name)), at).ok()?;
                emit(plan, component.ty, value, sink)?;
            }
            sink.close(at).ok()
        }
        (Op::List(element), Value::List(elements)) => {
            sink.open(Open::List(Len::Unknown), at).ok()?;
            elements.iter().try_for_each(|value| emit(plan, element, value, sink))?;
            sink.close(at).ok()
        }
        // `{}` is an empty list, structure or string of bits, whichever the type is.
        (Op::List(_), Value::Structure(none)) if none.is_empty() => {
            sink.open(Open::List(Len::Unknown), at).ok()?;
            sink.close(at).ok()
        }
        (_, Value::Open(inner, value)) => emit(plan, *inner, value, sink),
        _ => None,
    }
}
