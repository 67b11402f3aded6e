//! Whether two messages have the same value, whatever formats they came in, and where they differ.

use std::collections::HashMap;

use crate::event::{Open, Scalar, Span};
use crate::path::{Path, Step, key_text};
use crate::show;
use crate::tree::{Entry, Item, View};

/// One place where two values differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Where.
    pub path: Path,
    /// What the left side has there, in short, and its byte range; `None` if nothing.
    pub left: Option<(String, Span)>,
    /// What the right side has there.
    pub right: Option<(String, Span)>,
}

/// The first `limit` differences between two values.
///
/// Values are equal if they have the same kind and contents. Fields and map entries are matched by key, whatever their order; those of one
/// key in their order. A map whose keys are all text equals a record with those fields. Numbers are equal if kind and
/// value are: 1 is not 1.0, and a float32 equals the float64 that it widens to. All NaNs are one value.
pub fn differences(left: Item<'_, '_>, right: Item<'_, '_>, limit: usize) -> Vec<Difference> {
    let mut diff = Diff { path: Vec::new(), found: Vec::new(), limit };
    diff.values(left, right);
    diff.found
}

/// Whether two values are equal in the sense of [`differences`].
pub fn equal(left: Item<'_, '_>, right: Item<'_, '_>) -> bool {
    differences(left, right, 1).is_empty()
}

struct Diff {
    path: Vec<Step>,
    found: Vec<Difference>,
    limit: usize,
}

impl Diff {
    fn report(&mut self, left: Option<Item<'_, '_>>, right: Option<Item<'_, '_>>) {
        if self.found.len() < self.limit {
            let side = |item: Option<Item<'_, '_>>| item.map(|item| (show::item(item, 40), item.span()));
            self.found.push(Difference { path: Path(self.path.clone()), left: side(left), right: side(right) });
        }
    }

    /// Recursion is bounded by the depth that the readers' budgets allowed.
    fn values(&mut self, left: Item<'_, '_>, right: Item<'_, '_>) {
        if self.found.len() >= self.limit {
            return;
        }
        match (left.view(), right.view()) {
            (View::Scalar(one), View::Scalar(other)) => {
                if !same(&one, &other) {
                    self.report(Some(left), Some(right));
                }
            }
            (View::Open(one), View::Open(other)) => {
                if !alike(&one, &other) {
                    self.report(Some(left), Some(right));
                } else if is_named(&one) {
                    self.named(left, right);
                } else {
                    self.sequences(left, right);
                }
            }
            _ => self.report(Some(left), Some(right)),
        }
    }

    fn step(&mut self, step: Step, left: Option<Item<'_, '_>>, right: Option<Item<'_, '_>>) {
        self.path.push(step);
        match (left, right) {
            (Some(left), Some(right)) => self.values(left, right),
            (left, right) => self.report(left, right),
        }
        self.path.pop();
    }

    fn sequences(&mut self, left: Item<'_, '_>, right: Item<'_, '_>) {
        let (mut left, mut right) = (left.entries(), right.entries());
        for index in 0.. {
            match (left.next(), right.next()) {
                (None, None) => return,
                (one, other) => self.step(Step::Index(index), one.map(Entry::value), other.map(Entry::value)),
            }
            if self.found.len() >= self.limit {
                return;
            }
        }
    }

    fn named(&mut self, left: Item<'_, '_>, right: Item<'_, '_>) {
        let (mut one, mut other) = (left.entries(), right.entries());
        // Most often the order is the same, and nothing needs to be looked up.
        loop {
            let before = (one.clone(), other.clone());
            match (one.next(), other.next()) {
                (None, None) => return,
                (Some(l), Some(r)) if key(&l) == key(&r) && !matches!(key(&l), Key::Container) => {
                    self.step(step_of(&l), Some(l.value()), Some(r.value()));
                }
                _ => {
                    (one, other) = before;
                    break;
                }
            }
        }
        let mut rest: HashMap<Key, std::collections::VecDeque<Item<'_, '_>>> = HashMap::new();
        let mut containers = Vec::new();
        let mut order = Vec::new();
        for entry in other {
            match (key(&entry), entry) {
                (Key::Container, Entry::Pair(..)) => containers.push(entry),
                (key, _) => {
                    rest.entry(key).or_default().push_back(entry.value());
                    order.push(entry);
                }
            }
        }
        for entry in one {
            let found = match (key(&entry), entry) {
                (Key::Container, Entry::Pair(wanted, _)) => {
                    let place = containers.iter().position(|entry| matches!(entry, Entry::Pair(key, _) if equal(wanted, *key)));
                    place.map(|place| containers.remove(place).value())
                }
                (key, _) => rest.get_mut(&key).and_then(std::collections::VecDeque::pop_front),
            };
            self.step(step_of(&entry), Some(entry.value()), found);
        }
        for entry in order {
            if let Some(value) = rest.get_mut(&key(&entry)).and_then(std::collections::VecDeque::pop_front) {
                self.step(step_of(&entry), None, Some(value));
            }
        }
        for entry in containers {
            self.step(step_of(&entry), None, Some(entry.value()));
        }
    }
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Name(String),
    /// A scalar that is no text: kind and spelling.
    Scalar(&'static str, String),
    Container,
}

fn key(entry: &Entry<'_, '_>) -> Key {
    match entry {
        Entry::Field(name, _) => Key::Name((*name).to_string()),
        Entry::Pair(key, _) => match key.view() {
            View::Scalar(scalar) => Key::Scalar(scalar.kind(), show::scalar(&scalar, usize::MAX)),
            View::Open(_) => Key::Container,
        },
        Entry::Element(_) => Key::Container,
    }
}

fn step_of(entry: &Entry<'_, '_>) -> Step {
    match entry {
        Entry::Field(name, _) => Step::Name((*name).to_string()),
        Entry::Pair(key, _) => Step::Key(match key.view() {
            View::Scalar(scalar) => key_text(&scalar),
            View::Open(open) => format!("a {}", open.kind()),
        }),
        Entry::Element(_) => Step::Each,
    }
}

fn is_named(open: &Open<'_>) -> bool {
    matches!(open, Open::Map(_) | Open::Record { .. })
}

/// Whether two containers are of one kind, entries aside.
fn alike(left: &Open<'_>, right: &Open<'_>) -> bool {
    match (left, right) {
        (Open::List(_), Open::List(_)) | (Open::Tuple(_), Open::Tuple(_)) => true,
        (Open::Variant { name, index }, Open::Variant { name: other, index: at }) => name == other && index == at,
        (Open::Tagged { space, code }, Open::Tagged { space: other, code: number }) => space == other && code == number,
        (Open::Record { name, .. }, Open::Record { name: other, .. }) => name == other,
        (Open::Record { name: "", .. } | Open::Map(_), Open::Record { name: "", .. } | Open::Map(_)) => true,
        _ => false,
    }
}

/// Whether two scalars are equal in the sense of [`differences`].
pub fn same(left: &Scalar<'_, '_>, right: &Scalar<'_, '_>) -> bool {
    let float = |value: f64| if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() };
    match (left, right) {
        (Scalar::F32(one), Scalar::F32(other)) => float(f64::from(*one)) == float(f64::from(*other)),
        (Scalar::F32(narrow), Scalar::F64(wide)) | (Scalar::F64(wide), Scalar::F32(narrow)) => float(f64::from(*narrow)) == float(*wide),
        (Scalar::F64(one), Scalar::F64(other)) => float(*one) == float(*other),
        (Scalar::Big(one), Scalar::Big(other)) => one.get() == other.get(),
        (Scalar::Decimal(one), Scalar::Decimal(other)) => same_decimal(one.get(), other.get()),
        (Scalar::Text(one), Scalar::Text(other)) => one.get() == other.get(),
        (Scalar::Bytes(one), Scalar::Bytes(other)) | (Scalar::Octets(one), Scalar::Octets(other)) => one.get() == other.get(),
        (left, right) => left == right,
    }
}

/// Whether two decimals in JSON's number syntax are the same number, whatever their spelling.
pub fn same_decimal(left: &str, right: &str) -> bool {
    left == right || decimal(left) == decimal(right)
}

/// A decimal as sign, digits without zeros at either end, and the exponent of the last digit.
fn decimal(text: &str) -> (bool, String, i64) {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // An exponent beyond i64 names one number per spelling, which is enough to tell numbers apart.
    let exponent = exponent.parse::<i64>().unwrap_or(i64::MAX).saturating_sub(fraction.len() as i64);
    let digits = format!("{whole}{fraction}");
    let kept = digits.trim_end_matches('0');
    if kept.is_empty() {
        // Zero is one number, whatever its exponent.
        return (negative, String::new(), 0);
    }
    let exponent = exponent.saturating_add((digits.len() - kept.len()) as i64);
    (negative, kept.trim_start_matches('0').to_string(), exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;
    use crate::value::Value;

    fn found(left: &Value, right: &Value) -> Vec<String> {
        let (mut one, mut other) = (Tree::new(), Tree::new());
        left.emit(&mut one).unwrap();
        right.emit(&mut other).unwrap();
        differences(one.root().unwrap(), other.root().unwrap(), 10).into_iter().map(|found| found.path.to_string()).collect()
    }

    #[test]
    fn order_of_fields_and_kind_of_object_do_not_matter() {
        let left = Value::record([("a", Value::UInt(1)), ("b", Value::Null)]);
        let right = Value::Map(vec![(Value::text("b"), Value::Null), (Value::text("a"), Value::UInt(1))]);
        assert!(found(&left, &right).is_empty());
    }

    #[test]
    fn differences_have_paths() {
        let left = Value::record([("a", Value::List(vec![Value::UInt(1), Value::UInt(2)])), ("b", Value::Null), ("c", Value::F64(1.0))]);
        let right = Value::record([("a", Value::List(vec![Value::UInt(1)])), ("c", Value::UInt(1)), ("d", Value::Null)]);
        assert_eq!(found(&left, &right), ["a[1]", "b", "c", "d"]);
    }

    #[test]
    fn keys_that_are_no_text_are_matched_by_value() {
        let pair = |n: u64| (Value::List(vec![Value::UInt(n)]), Value::UInt(n));
        let left = Value::Map(vec![pair(1), pair(2), (Value::UInt(3), Value::Null)]);
        let right = Value::Map(vec![(Value::UInt(3), Value::Null), pair(2), pair(1)]);
        assert!(found(&left, &right).is_empty());
        assert_eq!(found(&left, &Value::Map(vec![pair(2), pair(1), (Value::text("3"), Value::Null)])), ["[3]", "3"]);
    }

    #[test]
    fn numbers_are_exact() {
        assert!(found(&Value::F32(0.5), &Value::F64(0.5)).is_empty());
        assert!(found(&Value::F64(f64::NAN), &Value::F64(-f64::NAN)).is_empty());
        assert_eq!(found(&Value::F64(0.0), &Value::F64(-0.0)).len(), 1);
        assert!(found(&Value::Decimal("1.50e1".into()), &Value::Decimal("15".into())).is_empty());
        assert!(found(&Value::Decimal("0.00".into()), &Value::Decimal("0e-71".into())).is_empty());
        assert_eq!(found(&Value::Decimal("1.5".into()), &Value::Decimal("-1.5".into())).len(), 1);
    }
}
