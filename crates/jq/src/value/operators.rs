//! Arithmetic of values, as jq has it.

use std::ops::{Add, Div, Mul, Neg, Rem, Sub};
use std::sync::Arc;

use super::{Object, Text, Val, ValError, ValR};
use crate::guard;

/// Bytes of the longest text that a filter may make at once.
pub(crate) const LONGEST: usize = 1 << 30;

/// Returns the error of two values that an operator does not take.
fn cannot(one: &Val, other: &Val, done: &str) -> ValError {
    let part = |value: &Val| format!("{} ({})", value.kind().name(), value.excerpt(14));
    ValError::str(format_args!("{} and {} cannot be {done}", part(one), part(other)))
}

fn too_long() -> ValError {
    ValError::str(format_args!("Repeat string result too long"))
}

impl Add for Val {
    type Output = ValR;

    fn add(self, other: Val) -> ValR {
        match (self, other) {
            (Val::Null, value) | (value, Val::Null) => Ok(value),
            (Val::Int(one), Val::Int(other)) if one.checked_add(other).is_some() => Ok(Val::Int(one + other)),
            (Val::Text(mut one), Val::Text(other)) => {
                if one.as_str().len() + other.as_str().len() > LONGEST {
                    return Err(too_long());
                }
                one.push(other.as_str());
                Ok(Val::Text(one))
            }
            (Val::List(mut one), Val::List(other)) => {
                guard::list(one.values.len() + other.values.len());
                let list = Arc::make_mut(&mut one);
                list.tuple = false;
                list.values.extend(other.values.iter().cloned());
                Ok(Val::List(one))
            }
            (Val::Object(mut one), Val::Object(other)) => {
                guard::list(one.len() + other.len());
                Arc::make_mut(&mut one).extend(other.entries().iter().cloned());
                Ok(Val::Object(one))
            }
            (Val::Bytes(one), Val::Bytes(other)) => Ok(Val::Bytes(Arc::new([one.as_slice(), other.as_slice()].concat()))),
            (one, other) if !one.is_plain() || !other.is_plain() => one.plain() + other.plain(),
            (one, other) => match (one.num(), other.num()) {
                (Some(one), Some(other)) => Ok(one.add(other).into()),
                _ => match (one.as_str(), other.as_str()) {
                    (Some(first), Some(second)) => Ok(Val::Text(Text::from(format!("{first}{second}")))),
                    _ => Err(cannot(&one, &other, "added")),
                },
            },
        }
    }
}

impl Sub for Val {
    type Output = ValR;

    fn sub(self, other: Val) -> ValR {
        match (self, other) {
            (Val::List(mut one), Val::List(other)) => {
                let mut without: Vec<&Val> = other.values.iter().collect();
                without.sort();
                Arc::make_mut(&mut one).values.retain(|value| without.binary_search(&value).is_err());
                Ok(Val::List(one))
            }
            (one, other) if !one.is_plain() || !other.is_plain() => one.plain() - other.plain(),
            (one, other) => match (one.num(), other.num()) {
                (Some(one), Some(other)) => Ok(one.sub(other).into()),
                _ => Err(cannot(&one, &other, "subtracted")),
            },
        }
    }
}

impl Mul for Val {
    type Output = ValR;

    fn mul(self, other: Val) -> ValR {
        match (self, other) {
            (Val::Object(one), Val::Object(other)) => Ok(Val::Object(merged(one, other))),
            (one, other) if !one.is_plain() || !other.is_plain() => one.plain() * other.plain(),
            (one, other) => match (one.num(), other.num()) {
                (Some(one), Some(other)) => Ok(one.mul(other).into()),
                (None, Some(times)) if one.as_str().is_some() => repeated(&one, times.float()),
                (Some(times), None) if other.as_str().is_some() => repeated(&other, times.float()),
                _ => Err(cannot(&one, &other, "multiplied")),
            },
        }
    }
}

/// Returns a text a number of times; null if that is none (jq 1.7's manual, "Multiplication").
fn repeated(text: &Val, times: f64) -> ValR {
    let text = text.as_str().unwrap_or_default();
    if times.is_nan() || times <= 0.0 {
        return Ok(Val::Null);
    }
    // A fraction of a time is one time.
    let times = if times < 1.0 { 1.0 } else { times };
    if text.len() as f64 * times > LONGEST as f64 {
        return Err(too_long());
    }
    Ok(Val::Text(Text::from(text.repeat(times as usize))))
}

/// Returns `one` with the entries of `other`, objects merged within each other.
fn merged(mut one: Arc<Object>, other: Arc<Object>) -> Arc<Object> {
    guard::stack();
    let object = Arc::make_mut(&mut one);
    for (key, value) in other.entries() {
        match (object.get_mut(key), value) {
            (Some(known @ Val::Object(_)), Val::Object(more)) => {
                if let Val::Object(inner) = std::mem::take(known) {
                    *known = Val::Object(merged(inner, more.clone()));
                }
            }
            (Some(known), value) => *known = value.clone(),
            (None, value) => object.insert(key.clone(), value.clone()),
        }
    }
    one
}

impl Div for Val {
    type Output = ValR;

    fn div(self, other: Val) -> ValR {
        if let (Some(one), Some(divisor)) = (self.num(), other.num()) {
            if divisor.float() == 0.0 {
                return Err(cannot(&self, &other, "divided because the divisor is zero"));
            }
            return Ok(one.div(divisor).into());
        }
        match (self.as_str(), other.as_str()) {
            (Some(text), Some(separator)) => Ok(Val::list(split(text, separator))),
            _ => Err(cannot(&self, &other, "divided")),
        }
    }
}

/// Returns the pieces of a text between separators; its characters where the separator is empty.
fn split(text: &str, separator: &str) -> Vec<Val> {
    match (text, separator) {
        ("", _) => Vec::new(),
        (text, "") => text.chars().map(|char| Val::text(char.encode_utf8(&mut [0; 4]))).collect(),
        (text, separator) => text.split(separator).map(Val::text).collect(),
    }
}

impl Rem for Val {
    type Output = ValR;

    fn rem(self, other: Val) -> ValR {
        match (self.num(), other.num()) {
            (Some(one), Some(divisor)) => match one.rem(divisor) {
                Some(rest) => Ok(rest.into()),
                None => Err(cannot(&self, &other, "divided (remainder) because the divisor is zero")),
            },
            _ => Err(cannot(&self, &other, "divided (remainder)")),
        }
    }
}

impl Neg for Val {
    type Output = ValR;

    fn neg(self) -> ValR {
        match self.num() {
            Some(number) => Ok(number.neg().into()),
            None => Err(ValError::str(format_args!("{} ({}) cannot be negated", self.kind().name(), self.excerpt(14)))),
        }
    }
}
