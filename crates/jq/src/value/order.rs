//! Equality and order of values, as jq has them, with explicit stacks: a filter may nest values
//! deeper than any stack.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use super::number::cmp_floats;
use super::{Kind, Val};

impl PartialEq for Val {
    #[inline]
    fn eq(&self, other: &Val) -> bool {
        match (self, other) {
            (Val::Int(one), Val::Int(other)) => one == other,
            (Val::Text(one), Val::Text(other)) => one.as_str() == other.as_str(),
            (Val::Null, Val::Null) => true,
            (Val::Bool(one), Val::Bool(other)) => one == other,
            _ => self.cmp(other) == Ordering::Equal,
        }
    }
}

impl Eq for Val {}

impl PartialOrd for Val {
    fn partial_cmp(&self, other: &Val) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Comparisons that are left.
enum Due<'v> {
    Pair(Cow<'v, Val>, Cow<'v, Val>),
    Known(Ordering),
}

impl Ord for Val {
    fn cmp(&self, other: &Val) -> Ordering {
        if let Some(order) = scalars(self, other) {
            return order;
        }
        let mut due = vec![Due::Pair(Cow::Borrowed(self), Cow::Borrowed(other))];
        while let Some(next) = due.pop() {
            let order = match next {
                Due::Known(order) => order,
                Due::Pair(one, other) => pair(one, other, &mut due),
            };
            if order != Ordering::Equal {
                return order;
            }
        }
        Ordering::Equal
    }
}

/// Compares two values as far as they are no containers; the contents of containers are due.
fn pair<'v>(one: Cow<'v, Val>, other: Cow<'v, Val>, due: &mut Vec<Due<'v>>) -> Ordering {
    if let Some(order) = scalars(&one, &other) {
        return order;
    }
    if !one.is_plain() || !other.is_plain() {
        due.push(Due::Pair(Cow::Owned(one.into_owned().plain()), Cow::Owned(other.into_owned().plain())));
        return Ordering::Equal;
    }
    match (one, other) {
        (Cow::Borrowed(Val::List(one)), Cow::Borrowed(Val::List(other))) => {
            if Arc::ptr_eq(one, other) {
                return Ordering::Equal;
            }
            let (one, other) = (&one.values, &other.values);
            due.push(Due::Known(one.len().cmp(&other.len())));
            let from = due.len();
            due.extend(one.iter().zip(other).map(|(one, other)| Due::Pair(Cow::Borrowed(one), Cow::Borrowed(other))));
            due[from..].reverse();
            Ordering::Equal
        }
        (Cow::Borrowed(Val::Object(one)), Cow::Borrowed(Val::Object(other))) => {
            if Arc::ptr_eq(one, other) {
                return Ordering::Equal;
            }
            let (one, other) = (sorted(one.entries()), sorted(other.entries()));
            let keys = one.iter().map(|(key, _)| key).cmp(other.iter().map(|(key, _)| key));
            if keys != Ordering::Equal {
                return keys;
            }
            let pairs = one.into_iter().zip(other).rev();
            due.extend(pairs.map(|((_, one), (_, other))| Due::Pair(Cow::Borrowed(one), Cow::Borrowed(other))));
            Ordering::Equal
        }
        // A value made for the comparison owns its contents.
        (one, other) => match (one.into_owned(), other.into_owned()) {
            (Val::List(one), Val::List(other)) => {
                due.push(Due::Known(one.values.len().cmp(&other.values.len())));
                let from = due.len();
                let pairs = one.values.iter().zip(&other.values);
                due.extend(pairs.map(|(one, other)| Due::Pair(Cow::Owned(one.clone()), Cow::Owned(other.clone()))));
                due[from..].reverse();
                Ordering::Equal
            }
            (Val::Object(one), Val::Object(other)) => {
                let (one, other) = (sorted(one.entries()), sorted(other.entries()));
                let keys = one.iter().map(|(key, _)| key).cmp(other.iter().map(|(key, _)| key));
                let pairs = one.into_iter().zip(other).rev();
                due.extend(pairs.map(|((_, one), (_, other))| Due::Pair(Cow::Owned(one.clone()), Cow::Owned(other.clone()))));
                keys
            }
            _ => Ordering::Equal,
        },
    }
}

fn sorted(entries: &[(Val, Val)]) -> Vec<(&Val, &Val)> {
    let mut sorted: Vec<(&Val, &Val)> = entries.iter().map(|(key, value)| (key, value)).collect();
    sorted.sort_by(|one, other| one.0.cmp(other.0));
    sorted
}

/// Compares values of different kinds, and those that are no containers.
fn scalars(one: &Val, other: &Val) -> Option<Ordering> {
    let kind = one.kind();
    let kinds = kind.cmp(&other.kind());
    if kinds != Ordering::Equal {
        return Some(kinds);
    }
    match kind {
        Kind::Null => Some(Ordering::Equal),
        Kind::Bool => Some(one.is_true().cmp(&other.is_true())),
        Kind::Number => Some(match (one, other) {
            (Val::Int(one), Val::Int(other)) => one.cmp(other),
            (Val::F64(one), Val::F64(other)) => cmp_floats(*one, *other),
            (Val::Exact(one), Val::Exact(other)) if one.is_same_decimal(other) => Ordering::Equal,
            _ => match (one.num(), other.num()) {
                (Some(one), Some(other)) => one.cmp(&other),
                _ => Ordering::Equal,
            },
        }),
        Kind::String => match (one, other) {
            (Val::Time(one), Val::Time(other)) => Some(one.time.cmp(&other.time)),
            _ => Some(one.bytes().cmp(&other.bytes())),
        },
        Kind::Array | Kind::Object => None,
    }
}
