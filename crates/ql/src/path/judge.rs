//! Values of expressions, by the rules of JavaScript.

use std::cmp::Ordering;

use polywire_doc::{Datum, Ref};

use super::expression::{ElementStep, Expression, Node, Operator};

/// Returns whether the expression holds for `element`.
pub(super) fn holds(expression: &Expression, element: Ref<'_>) -> bool {
    truthy(&value(&expression.root, element))
}

/// The target of a computed step.
pub(super) enum Place {
    Index(u64),
    Name(String),
}

/// Returns the target that the expression computes for `value`.
pub(super) fn place(expression: &Expression, of: Ref<'_>) -> Option<Place> {
    let found = value(&expression.root, of)?;
    if let Some(name) = found.view().as_str() {
        return Some(Place::Name(name.to_string()));
    }
    let number = found.view().as_f64()?;
    (number >= 0.0 && number.fract() == 0.0).then_some(Place::Index(number as u64))
}

fn truthy(value: &Option<Datum>) -> bool {
    value.as_ref().is_some_and(|value| value.view().is_truthy())
}

fn value(node: &Node, element: Ref<'_>) -> Option<Datum> {
    match node {
        Node::Undefined => None,
        Node::Null => Some(Datum::Null),
        Node::Bool(value) => Some(Datum::Bool(*value)),
        Node::Number(number) => Some(Datum::F64(*number)),
        Node::Text(text) => Some(Datum::text(&**text)),
        Node::Element(steps) => follow(steps, element),
        Node::Not(node) => Some(Datum::Bool(!truthy(&value(node, element)))),
        Node::Minus(node) => number(&value(node, element)).map(|number| Datum::F64(-number)),
        Node::Two(Operator::Or, left, right) => Some(value(left, element)).filter(truthy).unwrap_or_else(|| value(right, element)),
        Node::Two(Operator::And, left, right) => {
            let left = value(left, element);
            if truthy(&left) { value(right, element) } else { left }
        }
        Node::Two(operator, left, right) => two(*operator, value(left, element), value(right, element)),
    }
}

fn follow(steps: &[ElementStep], element: Ref<'_>) -> Option<Datum> {
    let mut here = element;
    for (n, step) in steps.iter().enumerate() {
        here = match step {
            ElementStep::Name(name) => match here.get(name) {
                Some(member) => member,
                None if &**name == "length" && n + 1 == steps.len() => return length(here),
                None => return None,
            },
            ElementStep::Index(index) => here.index(usize::try_from(*index).ok()?)?,
        };
    }
    Some(here.to_datum())
}

fn length(value: Ref<'_>) -> Option<Datum> {
    match value.as_str() {
        Some(text) => Some(Datum::UInt(text.encode_utf16().count() as u64)),
        None => value.is_list().then(|| Datum::UInt(value.len() as u64)),
    }
}

fn number(value: &Option<Datum>) -> Option<f64> {
    let view = value.as_ref()?.view();
    match view.view() {
        polywire_doc::View::Null => Some(0.0),
        polywire_doc::View::Bool(value) => Some(f64::from(u8::from(value))),
        polywire_doc::View::Text(text) if text.trim().is_empty() => Some(0.0),
        polywire_doc::View::Text(text) => text.trim().parse().ok(),
        _ => view.as_f64(),
    }
}

fn two(operator: Operator, left: Option<Datum>, right: Option<Datum>) -> Option<Datum> {
    let answer = match operator {
        Operator::Equal => equal(&left, &right),
        Operator::NotEqual => !equal(&left, &right),
        Operator::Same => same(&left, &right),
        Operator::NotSame => !same(&left, &right),
        Operator::Less => order(&left, &right) == Some(Ordering::Less),
        Operator::LessOrEqual => matches!(order(&left, &right), Some(Ordering::Less | Ordering::Equal)),
        Operator::Greater => order(&left, &right) == Some(Ordering::Greater),
        Operator::GreaterOrEqual => matches!(order(&left, &right), Some(Ordering::Greater | Ordering::Equal)),
        Operator::Or | Operator::And => return None,
        Operator::Add | Operator::Subtract | Operator::Multiply | Operator::Divide | Operator::Remainder => {
            return arithmetic(operator, left, right);
        }
    };
    Some(Datum::Bool(answer))
}

fn equal(left: &Option<Datum>, right: &Option<Datum>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => left.view().loosely_equals(right.view()),
        (None, None) => true,
        (Some(value), None) | (None, Some(value)) => value.view().is_null(),
    }
}

fn same(left: &Option<Datum>, right: &Option<Datum>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => left == right,
        (left, right) => left.is_none() && right.is_none(),
    }
}

/// Compares two texts by their letters, anything else by number. Returns `None` where JavaScript
/// finds neither smaller nor equal.
fn order(left: &Option<Datum>, right: &Option<Datum>) -> Option<Ordering> {
    if let (Some(left), Some(right)) = (left, right)
        && let (Some(left), Some(right)) = (left.view().as_str(), right.view().as_str())
    {
        return Some(left.cmp(right));
    }
    number(left)?.partial_cmp(&number(right)?)
}

fn arithmetic(operator: Operator, left: Option<Datum>, right: Option<Datum>) -> Option<Datum> {
    if operator == Operator::Add
        && let (Some(one), Some(other)) = (&left, &right)
        && let (Some(one), Some(other)) = (one.view().as_str(), other.view().as_str())
    {
        return Some(Datum::from([one, other].concat()));
    }
    let (left, right) = (number(&left)?, number(&right)?);
    let result = match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        Operator::Divide => left / right,
        _ => left % right,
    };
    Some(Datum::F64(result))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::datum;

    #[test]
    fn expressions_hold_as_in_javascript() {
        let element = datum(r#"{"p":2.5,"q":"3","n":null,"s":"abc","l":[1,2],"t":true,"z":0,"o":{"k":"v"}}"#);
        for (text, expected) in [
            ("@.p > 2", true),
            ("@.p>2 && @.q == 3", true),
            ("@.q === 3", false),
            ("@.missing == null", true),
            ("@.missing", false),
            ("!@.missing", true),
            ("@.n == null && @.n !== undefined", true),
            ("@.s < 'abd'", true),
            ("@.s >= 'abd' || @.t", true),
            ("@.l.length == 2", true),
            ("@.l[1] - 1 == 1", true),
            ("@.o['k'] == \"v\"", true),
            ("(@.p + 1) * 2 == 7", true),
            ("-@.p < 0", true),
            ("@.z", false),
            ("@.z == false", true),
            ("1 / 0 > 5", true),
            ("@.s > 1", false),
            ("@.s.length % 2 == 1", true),
        ] {
            assert_eq!(holds(&Expression::read(text).unwrap(), element.view()), expected, "{text}");
        }
    }
}
