//! Values as the interpreter takes them: indexing, iterating, updating.

use std::sync::Arc;

use jaq_core::box_iter::{BoxIter, box_once};
use jaq_core::path::Opt;
use jaq_core::val::Range;
use jaq_core::{Exn, ValT, ValX};

use super::{Kind, List, Object, Text, Val, ValError, ValR, of_text};
use crate::guard;

impl From<bool> for Val {
    fn from(value: bool) -> Val {
        Val::Bool(value)
    }
}

impl From<isize> for Val {
    fn from(value: isize) -> Val {
        Val::Int(value as i64)
    }
}

impl From<String> for Val {
    fn from(text: String) -> Val {
        Val::Text(Text::from(text))
    }
}

impl From<Range<Val>> for Val {
    fn from(range: Range<Val>) -> Val {
        let bound = |bound: Option<Val>| bound.unwrap_or_default();
        Val::object([(Val::text("start"), bound(range.start)), (Val::text("end"), bound(range.end))])
    }
}

impl FromIterator<Val> for Val {
    fn from_iter<I: IntoIterator<Item = Val>>(values: I) -> Val {
        let mut list = Vec::new();
        for value in values {
            list.push(value);
            if list.len().is_multiple_of(1 << 12) {
                guard::list(list.len());
            }
        }
        Val::list(list)
    }
}

/// Returns the error of an index that does not fit.
fn cannot_index(value: &Val, index: &Val) -> ValError {
    let kind = value.kind().name();
    match index.as_str() {
        Some(name) => ValError::str(format_args!("Cannot index {kind} with string {}", Val::text(name).excerpt(100))),
        None => ValError::str(format_args!("Cannot index {kind} with {}", index.kind().name())),
    }
}

/// Returns the error of a value without parts.
pub(crate) fn cannot_iterate(value: &Val) -> ValError {
    let kind = value.kind();
    match kind {
        Kind::Null => ValError::str("Cannot iterate over null"),
        _ => ValError::str(format_args!("Cannot iterate over {} ({})", kind.name(), value.excerpt(14))),
    }
}

/// Returns the place that a number names in a list, counted from the end if it is negative. Places
/// before the list are `None`.
fn place(index: f64, len: usize) -> Option<usize> {
    let index = index.floor();
    let index = if index < 0.0 { index + len as f64 } else { index };
    (index >= 0.0).then_some(index as usize)
}

/// Returns the bounds of a slice of `len` values (jq's manual, "Array/String Slice").
pub(crate) fn slice(range: &Range<&Val>, len: usize) -> Result<(usize, usize), ValError> {
    let bound = |bound: Option<&Val>, other: f64| match bound {
        None | Some(Val::Null) => Ok(other),
        Some(value) => match value.num() {
            Some(number) => Ok(number.float()),
            None => Err(ValError::str("Start and end indices of an array slice must be numbers")),
        },
    };
    let from_end = |at: f64| if at < 0.0 { at + len as f64 } else { at };
    let from = from_end(bound(range.start, 0.0)?).floor().clamp(0.0, len as f64);
    let to = from_end(bound(range.end, len as f64)?).ceil().clamp(0.0, len as f64);
    let from = if from.is_nan() { 0 } else { from as usize };
    let to = if to.is_nan() { len } else { to as usize };
    Ok((from, to.max(from)))
}

/// Returns the range that an object of `start` and `end` names.
fn range_of(object: &Object) -> Range<&Val> {
    object.get_text("start")..object.get_text("end")
}

/// Returns a part of a text by its characters.
fn text_slice(text: &str, range: &Range<&Val>) -> ValR {
    if text.is_ascii() {
        let (from, to) = slice(range, text.len())?;
        return Ok(Val::text(&text[from..to]));
    }
    let (from, to) = slice(range, text.chars().count())?;
    Ok(Val::from(text.chars().skip(from).take(to - from).collect::<String>()))
}

/// Returns the places at which `part` begins in `values`.
pub(crate) fn places(values: &[Val], part: &[Val]) -> Val {
    if part.is_empty() {
        return Val::Null;
    }
    let found = values.windows(part.len()).enumerate().filter(|(_, window)| *window == part);
    found.map(|(at, _)| Val::Int(at as i64)).collect()
}

type Entries = BoxIter<'static, ValR<(Val, Val)>>;

impl ValT for Val {
    fn from_num(text: &str) -> ValR {
        of_text(text).ok_or_else(|| ValError::str(format_args!("{text} is no number")))
    }

    fn from_map<I: IntoIterator<Item = (Val, Val)>>(entries: I) -> ValR {
        let mut object = Object::new();
        for (key, value) in entries {
            if key.kind() != Kind::String {
                let (kind, shown) = (key.kind().name(), key.excerpt(14));
                return Err(ValError::str(format_args!("Object keys must be strings, but got {kind} ({shown})")));
            }
            object.insert(key, value);
        }
        Ok(Val::Object(Arc::new(object)))
    }

    fn key_values(self) -> Entries {
        guard::look();
        match self {
            Val::List(list) => Box::new(owned(list).into_iter().enumerate().map(|(at, value)| Ok((Val::Int(at as i64), value)))),
            Val::Object(object) => Box::new(entries(object).into_iter().map(Ok)),
            value if !value.is_plain() => value.plain().key_values(),
            value => box_once(Err(cannot_iterate(&value))),
        }
    }

    fn values(self) -> Box<dyn Iterator<Item = ValR>> {
        guard::look();
        match self {
            Val::List(list) => Box::new(owned(list).into_iter().map(Ok)),
            Val::Object(object) => Box::new(entries(object).into_iter().map(|(_, value)| Ok(value))),
            value if !value.is_plain() => value.plain().values(),
            value => box_once(Err(cannot_iterate(&value))),
        }
    }

    #[inline]
    fn index(self, index: &Val) -> ValR {
        match (&self, index) {
            (Val::Object(object), Val::Text(_)) => Ok(object.get(index).cloned().unwrap_or_default()),
            (Val::List(list), Val::Int(at)) => {
                Ok(place(*at as f64, list.values.len()).and_then(|at| list.values.get(at)).cloned().unwrap_or_default())
            }
            _ => self.index_rare(index),
        }
    }

    fn range(self, range: Range<&Val>) -> ValR {
        match self {
            Val::Null => Ok(Val::Null),
            Val::List(list) => {
                let (from, to) = slice(&range, list.values.len())?;
                Ok(Val::list(list.values[from..to].to_vec()))
            }
            Val::Bytes(bytes) => {
                let (from, to) = slice(&range, bytes.len())?;
                Ok(Val::Bytes(Arc::new(bytes[from..to].to_vec())))
            }
            value if !value.is_plain() => value.plain().range(range),
            value => match value.as_str() {
                Some(text) => text_slice(text, &range),
                None => Err(cannot_index(&value, &Val::empty_object())),
            },
        }
    }

    fn map_values<'a, I: Iterator<Item = ValX<'a, Val>>>(self, opt: Opt, f: impl Fn(Val) -> I) -> ValX<'a, Val> {
        guard::look();
        match self {
            Val::List(list) => {
                let values = owned(list).into_iter().filter_map(|value| f(value).next());
                Ok(Val::list(values.collect::<Result<Vec<Val>, Exn<'a, Val>>>()?))
            }
            Val::Object(object) => {
                let record = object.record.clone();
                let changed = entries(object).into_iter().filter_map(|(key, value)| Some(f(value).next()?.map(|value| (key, value))));
                Ok(Val::Object(Arc::new(Object::of(record, changed.collect::<Result<Vec<_>, Exn<'a, Val>>>()?))))
            }
            value if !value.is_plain() => value.plain().map_values(opt, f),
            value => opt.fail(value, |value| Exn::from(cannot_iterate(&value))),
        }
    }

    fn map_index<'a, I: Iterator<Item = ValX<'a, Val>>>(self, index: &Val, opt: Opt, f: impl Fn(Val) -> I) -> ValX<'a, Val> {
        let index = &index.clone().plain();
        match (self, index) {
            (Val::Null, _) if index.kind() == Kind::String => Val::empty_object().map_index(index, opt, f),
            (Val::Null, _) if index.num().is_some() => Val::list(Vec::new()).map_index(index, opt, f),
            (Val::Null, Val::Object(_)) => Val::list(Vec::new()).map_index(index, opt, f),
            (Val::Object(mut object), key) if key.kind() == Kind::String => {
                let inner = Arc::make_mut(&mut object);
                // The value is taken out, so that it can be changed in place.
                let value = inner.get_mut(key).map(std::mem::take);
                let known = value.is_some();
                match f(value.unwrap_or_default()).next().transpose()? {
                    Some(value) => inner.insert(key.clone(), value),
                    None if known => inner.remove(key),
                    None => {}
                }
                Ok(Val::Object(object))
            }
            (Val::List(mut list), at) if at.num().is_some() => {
                let index = at.num().map_or(f64::NAN, |number| number.float());
                let fail = |list, what: &str| opt.fail(Val::List(list), |_| Exn::from(ValError::str(what)));
                if index.is_nan() {
                    return fail(list, "Cannot set array element at NaN index");
                }
                let Some(place) = place(index, list.values.len()) else {
                    return fail(list, "Out of bounds negative array index");
                };
                // jq-1.7's own bound.
                if place > 536_870_911 {
                    return fail(list, "Array index too large");
                }
                let inner = Arc::make_mut(&mut list);
                let known = place < inner.values.len();
                let value = if known { std::mem::take(&mut inner.values[place]) } else { Val::Null };
                match f(value).next().transpose()? {
                    Some(value) if known => inner.values[place] = value,
                    Some(value) => {
                        guard::list(place);
                        inner.values.resize(place, Val::Null);
                        inner.values.push(value);
                    }
                    None if known => {
                        inner.values.remove(place);
                    }
                    None => {}
                }
                Ok(Val::List(list))
            }
            (value @ (Val::List(_) | Val::Text(_) | Val::Bytes(_)), Val::Object(range)) => value.map_range(range_of(range), opt, f),
            (value, index) if !value.is_plain() => value.plain().map_index(index, opt, f),
            (value, index) => opt.fail(value, |value| Exn::from(cannot_index(&value, index))),
        }
    }

    fn map_range<'a, I: Iterator<Item = ValX<'a, Val>>>(self, range: Range<&Val>, opt: Opt, f: impl Fn(Val) -> I) -> ValX<'a, Val> {
        match self {
            Val::Null => Val::list(Vec::new()).map_range(range, opt, f),
            Val::List(mut list) => {
                let (from, to) = match slice(&range, list.values.len()) {
                    Ok(bounds) => bounds,
                    Err(error) => return opt.fail(Val::List(list), |_| Exn::from(error)),
                };
                let part = Val::list(list.values[from..to].to_vec());
                let instead = match f(part).next().transpose()? {
                    Some(Val::List(instead)) => owned(instead),
                    None => Vec::new(),
                    Some(_) => return Err(Exn::from(ValError::str("A slice of an array can only be assigned another array"))),
                };
                Arc::make_mut(&mut list).values.splice(from..to, instead);
                Ok(Val::List(list))
            }
            value if !value.is_plain() => value.plain().map_range(range, opt, f),
            value => opt.fail(value, |value| {
                let kind = value.kind().name();
                Exn::from(match value.as_str() {
                    Some(_) => ValError::str("Cannot update string slices"),
                    None => ValError::str(format_args!("Cannot update field at object index of {kind}")),
                })
            }),
        }
    }

    fn as_bool(&self) -> bool {
        self.is_true()
    }

    fn into_string(self) -> Val {
        match self {
            Val::Text(_) => self,
            // The interpreter has no error here; the bound of the result stands in its place.
            value => value.into_text().unwrap_or_else(|error| Val::from(error.what())),
        }
    }
}

impl Val {
    fn index_rare(self, index: &Val) -> ValR {
        match (&self, index) {
            (Val::Null, _) if matches!(index.kind(), Kind::String | Kind::Number | Kind::Object | Kind::Null) => Ok(Val::Null),
            (Val::Object(object), _) if index.kind() == Kind::String => {
                let text = index.as_str().map(Val::text);
                Ok(object.get(index).or_else(|| object.get(&text?)).cloned().unwrap_or_default())
            }
            // Maps of other formats have keys of every kind.
            (Val::Object(object), _) if object.get(index).is_some() => Ok(object.get(index).cloned().unwrap_or_default()),
            (Val::List(list), _) if index.kind() == Kind::Number => {
                let at = index.num().map_or(f64::NAN, |number| number.float());
                Ok(place(at, list.values.len()).and_then(|at| list.values.get(at)).cloned().unwrap_or_default())
            }
            (Val::Bytes(bytes), _) if index.kind() == Kind::Number => {
                let at = index.num().map_or(f64::NAN, |number| number.float());
                Ok(place(at, bytes.len()).and_then(|at| bytes.get(at)).map_or(Val::Null, |byte| Val::Int(i64::from(*byte))))
            }
            (Val::List(list), Val::List(part)) => Ok(places(&list.values, &part.values)),
            (Val::List(_) | Val::Bytes(_), Val::Object(range)) => self.clone().range(range_of(range)),
            (_, Val::Object(range)) if self.kind() == Kind::String => self.clone().range(range_of(range)),
            _ if !self.is_plain() => self.plain().index(&index.clone().plain()),
            _ if !index.is_plain() => self.index(&index.clone().plain()),
            _ => Err(cannot_index(&self, index)),
        }
    }
}

/// Returns the values of a list, without a copy where nobody else has it.
pub(crate) fn owned(list: Arc<List>) -> Vec<Val> {
    match Arc::try_unwrap(list) {
        Ok(mut list) => std::mem::take(&mut list.values),
        Err(list) => list.values.clone(),
    }
}

/// Returns the entries of an object, without a copy where nobody else has it.
pub(crate) fn entries(object: Arc<Object>) -> Vec<(Val, Val)> {
    match Arc::try_unwrap(object) {
        Ok(mut object) => object.take(),
        Err(object) => object.entries().to_vec(),
    }
}
