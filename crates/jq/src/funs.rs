//! Filters that are written in Rust: those that the interpreter's crates have only for values of
//! their own, and those in which jq differs from them.

mod formats;
mod paths;

use jaq_core::box_iter::box_once;
use jaq_core::load::parse::Def;
use jaq_core::native::{Filter, Fun, bome, run, unary, v};
use jaq_core::{Exn, RunPtr, ValT as _, ValX};

use crate::host::{Kind, Said};
use crate::value::{Kind as ValKind, Val, ValError, ValR, of_text, places};

/// Returns the definitions that filters may use.
pub(crate) fn defs() -> Vec<Def<&'static str>> {
    let ours = jaq_core::load::parse(include_str!("defs.jq"), |parser| parser.defs()).unwrap_or_default();
    let natives: Vec<(&str, usize)> = natives().iter().map(|(name, arguments, _)| (*name, arguments.len())).collect();
    // A definition hides a native filter of its name.
    let theirs = jaq_core::defs().chain(jaq_std::defs()).filter(|def| !natives.contains(&(def.name, def.args.len())));
    theirs.chain(ours).collect()
}

/// Returns the native filters that filters may use; the first of a name counts.
pub(crate) fn funs() -> impl Iterator<Item = Fun<Kind>> {
    let ours = natives().into_vec().into_iter().map(run::<Kind>);
    ours.chain(jaq_core::funs::<Kind>()).chain(jaq_std::funs::<Kind>())
}

/// Returns the names of all filters, with the number of their arguments.
fn names() -> Val {
    let defs = defs();
    let defs = defs.iter().map(|def| (def.name, def.args.len()));
    let funs: Vec<_> = funs().map(|(name, arguments, _)| (name, arguments.len())).collect();
    defs.chain(funs).map(|(name, count)| Val::from(format!("{name}/{count}"))).collect()
}

fn natives() -> Box<[Filter<RunPtr<Kind>>]> {
    Box::new([
        ("type", v(0), |cv| bome(Ok(Val::text(cv.1.kind().name())))),
        ("excerpt", v(0), |cv| bome(Ok(Val::from(cv.1.excerpt(14))))),
        ("builtins", v(0), |_| bome(Ok(names()))),
        ("nan", v(0), |_| bome(Ok(Val::F64(f64::NAN)))),
        ("infinite", v(0), |_| bome(Ok(Val::F64(f64::INFINITY)))),
        ("isnan", v(0), |cv| bome(float(&cv.1).map(|value| value.is_nan().into()))),
        ("isinfinite", v(0), |cv| bome(float(&cv.1).map(|value| value.is_infinite().into()))),
        ("isnormal", v(0), |cv| bome(float(&cv.1).map(|value| value.is_normal().into()))),
        ("length", v(0), |cv| bome(length(&cv.1))),
        ("keys", v(0), |cv| bome(keys(cv.1))),
        ("has", v(1), |cv| unary(cv, |value, key| has(&value, &key))),
        ("contains", v(1), |cv| unary(cv, |value, other| contains(&value, &other).map(Val::from))),
        ("indices", v(1), |cv| unary(cv, indices)),
        ("bsearch", v(1), |cv| unary(cv, bsearch)),
        ("flatten_to", v(1), |cv| unary(cv, flatten)),
        ("tojson", v(0), |cv| bome(cv.1.to_json().map(Val::from).map_err(|error| ValError::str(error.what())))),
        ("tostring", v(0), |cv| bome(cv.1.into_text().map_err(|error| ValError::str(error.what())))),
        ("fromjson", v(0), |cv| {
            let read = cv.1.as_str().ok_or_else(|| not(&cv.1, "a string, and so no JSON text"));
            bome(read.and_then(formats::from_json))
        }),
        ("tonumber", v(0), |cv| bome(to_number(cv.1))),
        ("toboolean", v(0), |cv| bome(to_boolean(cv.1))),
        ("tobytes", v(0), |cv| {
            let bytes = cv.1.bytes().ok_or_else(|| not(&cv.1, "a string"));
            bome(bytes.map(|bytes| Val::Bytes(bytes.to_vec().into())))
        }),
        ("ltrimstr", v(1), |cv| unary(cv, |value, part| Ok(trimmed(value, &part, true, false)))),
        ("rtrimstr", v(1), |cv| unary(cv, |value, part| Ok(trimmed(value, &part, false, true)))),
        ("trimstr", v(1), |cv| unary(cv, |value, part| Ok(trimmed(value, &part, true, true)))),
        ("trim", v(0), |cv| bome(trim(&cv.1, str::trim))),
        ("ltrim", v(0), |cv| bome(trim(&cv.1, str::trim_start))),
        ("rtrim", v(0), |cv| bome(trim(&cv.1, str::trim_end))),
        ("startswith", v(1), |cv| {
            unary(cv, |value, part| match (value.bytes(), part.bytes()) {
                (Some(value), Some(part)) => Ok(value.starts_with(part).into()),
                _ => Err(ValError::str("startswith() requires string inputs")),
            })
        }),
        ("endswith", v(1), |cv| {
            unary(cv, |value, part| match (value.bytes(), part.bytes()) {
                (Some(value), Some(part)) => Ok(value.ends_with(part).into()),
                _ => Err(ValError::str("endswith() requires string inputs")),
            })
        }),
        ("split_text", v(1), |cv| {
            unary(cv, |value, separator| match (value.as_str(), separator.as_str()) {
                (Some(_), Some(_)) => value / separator,
                _ => Err(ValError::str("split input and separator must be strings")),
            })
        }),
        ("utf8bytelength", v(0), |cv| {
            let error = || ValError::str(format_args!("{} ({}) only strings have UTF-8 byte length", cv.1.kind().name(), cv.1.excerpt(14)));
            bome(cv.1.bytes().map(|bytes| Val::from(bytes.len())).ok_or_else(error))
        }),
        ("delpaths", v(1), |cv| unary(cv, |value, paths| paths::delete(value, &paths))),
        ("join", v(1), |cv| unary(cv, join)),
        ("implode", v(0), |cv| bome(implode(&cv.1))),
        ("base64_text", v(0), |cv| bome(formats::base64(cv.1))),
        ("base64_of", v(0), |cv| bome(formats::from_base64(&cv.1))),
        ("base32_text", v(0), |cv| bome(formats::base32(cv.1))),
        ("base32_of", v(0), |cv| bome(formats::from_base32(&cv.1))),
        ("html_text", v(0), |cv| bome(formats::html(cv.1))),
        ("csv_row", v(0), |cv| bome(formats::csv(&cv.1))),
        ("tsv_row", v(0), |cv| bome(formats::tsv(&cv.1))),
        ("debug_empty", v(0), |cv| {
            cv.0.data().say(Said::Debug(&cv.1));
            Box::new(std::iter::empty())
        }),
        ("stderr_empty", v(0), |cv| {
            cv.0.data().say(Said::Stderr(&cv.1));
            Box::new(std::iter::empty())
        }),
        ("say_halt", v(0), |cv| {
            cv.0.data().say(Said::Halt(&cv.1));
            Box::new(std::iter::empty())
        }),
        ("input", v(0), |cv| box_once(next(&cv.0.data().clone()).unwrap_or_else(|| Err(Exn::from(ValError::str("break")))))),
        ("inputs", v(0), |cv| {
            let data = cv.0.data().clone();
            Box::new(std::iter::from_fn(move || next(&data)))
        }),
        ("input_filename", v(0), |cv| bome(Ok(cv.0.data().name().map_or(Val::Null, Val::from)))),
    ])
}

fn next<'a>(data: &crate::host::Data<'_>) -> Option<ValX<'a, Val>> {
    // The error of an input ends the run; the host has it.
    data.next().map(|value| value.map_err(|message| Exn::from(ValError::str(message))))
}

/// Returns the error of a value that is not what a filter takes.
pub(super) fn not(value: &Val, what: &str) -> ValError {
    ValError::str(format_args!("{} ({}) is not {what}", value.kind().name(), value.excerpt(14)))
}

fn float(value: &Val) -> Result<f64, ValError> {
    let error = || ValError::str(format_args!("{} ({}) number required", value.kind().name(), value.excerpt(14)));
    value.num().map(|number| number.float()).ok_or_else(error)
}

pub(crate) fn length(value: &Val) -> ValR {
    Ok(match value {
        Val::Null => Val::Int(0),
        Val::Text(text) => Val::from(text.as_str().chars().count()),
        Val::Bytes(bytes) => Val::from(bytes.len()),
        Val::List(list) => Val::from(list.values.len()),
        Val::Object(object) => Val::from(object.len()),
        value if !value.is_plain() => return length(&value.clone().plain()),
        value => match (value.num(), value.as_str(), value.bytes()) {
            (Some(number), ..) if number.float() < 0.0 => number.neg().into(),
            (Some(number), ..) => number.into(),
            (_, Some(text), _) => Val::from(text.chars().count()),
            (_, _, Some(bytes)) => Val::from(bytes.len()),
            _ => return Err(ValError::str(format_args!("{} ({}) has no length", value.kind().name(), value.excerpt(14)))),
        },
    })
}

fn keys(value: Val) -> ValR {
    let shown = value.clone();
    let keys: Result<Vec<Val>, ValError> = value.key_values().map(|entry| entry.map(|(key, _)| key)).collect();
    let mut keys = keys.map_err(|_| ValError::str(format_args!("{} ({}) has no keys", shown.kind().name(), shown.excerpt(14))))?;
    keys.sort();
    Ok(Val::list(keys))
}

fn has(value: &Val, key: &Val) -> ValR {
    match (value, key.num()) {
        (Val::Object(object), _) if object.get(key).is_some() => Ok(true.into()),
        (Val::Object(_), None) if key.kind() == ValKind::String => Ok(false.into()),
        (Val::List(list), Some(at)) => {
            let at = at.float();
            Ok((at >= 0.0 && at.floor() < list.values.len() as f64).into())
        }
        (value, _) if !value.is_plain() => has(&value.clone().plain(), key),
        _ => Err(ValError::str(format_args!("Cannot check whether {} has a {} key", value.kind().name(), key.kind().name()))),
    }
}

/// Reports whether `value` contains `other`: texts as a part, lists and objects in each of their
/// entries, other values if they are equal.
fn contains(value: &Val, other: &Val) -> Result<bool, ValError> {
    crate::guard::stack();
    if !value.is_plain() || !other.is_plain() {
        return contains(&value.clone().plain(), &other.clone().plain());
    }
    Ok(match (value, other) {
        (Val::Object(one), Val::Object(other)) => {
            for (key, part) in other.entries() {
                match one.get(key) {
                    Some(value) if value.kind() == part.kind() && contains(value, part)? => {}
                    _ => return Ok(false),
                }
            }
            true
        }
        (Val::List(one), Val::List(other)) => {
            for part in &other.values {
                let mut found = false;
                for value in &one.values {
                    found = found || value.kind() == part.kind() && contains(value, part)?;
                }
                if !found {
                    return Ok(false);
                }
            }
            true
        }
        (one, other) if one.kind() != other.kind() => {
            let part = |value: &Val| format!("{} ({})", value.kind().name(), value.excerpt(14));
            return Err(ValError::str(format_args!("{} and {} cannot have their containment checked", part(one), part(other))));
        }
        (one, part) => match (one.bytes(), part.bytes()) {
            (Some(one), Some(part)) => part.is_empty() || find(one, part).is_some(),
            _ => one == part,
        },
    })
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// Returns the places of `part` in `value`: of a text by its characters.
fn indices(value: Val, part: Val) -> ValR {
    match (&value, &part) {
        (Val::Null, _) => Ok(Val::Null),
        (Val::List(list), Val::List(part)) => Ok(places(&list.values, &part.values)),
        (Val::List(list), part) => {
            let found = list.values.iter().enumerate().filter(|(_, value)| *value == part);
            Ok(found.map(|(at, _)| Val::Int(at as i64)).collect())
        }
        _ => match (value.as_str(), part.as_str()) {
            (Some(_), Some("")) => Ok(Val::Null),
            (Some(text), Some(part)) => {
                let starts = text.char_indices().map(|(at, _)| at).enumerate();
                Ok(starts.filter(|(_, at)| text[*at..].starts_with(part)).map(|(count, _)| Val::Int(count as i64)).collect())
            }
            _ => value.clone().index(&part),
        },
    }
}

fn bsearch(value: Val, target: Val) -> ValR {
    let Val::List(list) = &value else {
        return Err(ValError::str(format_args!("{} ({}) cannot be searched from", value.kind().name(), value.excerpt(14))));
    };
    // The first of equal values, as a search by halves of all that are less finds it.
    let at = list.values.partition_point(|value| *value < target);
    Ok(match list.values.get(at) {
        Some(found) if *found == target => Val::Int(at as i64),
        _ => Val::Int(-1 - at as i64),
    })
}

fn flatten(value: Val, depth: Val) -> ValR {
    fn into(value: &Val, depth: f64, out: &mut Vec<Val>) {
        crate::guard::stack();
        match value {
            Val::List(list) if depth >= 0.0 => list.values.iter().for_each(|value| into(value, depth - 1.0, out)),
            value => out.push(value.clone()),
        }
    }
    let depth = float(&depth)?;
    let mut out = Vec::new();
    for entry in value.values() {
        into(&entry?, depth - 1.0, &mut out);
    }
    Ok(Val::list(out))
}

fn to_number(value: Val) -> ValR {
    if value.kind() == ValKind::Number {
        return Ok(value);
    }
    let error = || ValError::str(format_args!("{} ({}) cannot be parsed as a number", value.kind().name(), value.excerpt(14)));
    let text = value.as_str().ok_or_else(error)?;
    // Rust's floats have names that jq's numbers have not.
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    of_text(text.trim_start_matches('+')).filter(|_| is_number).or_else(|| (text == "nan").then_some(Val::F64(f64::NAN))).ok_or_else(error)
}

fn to_boolean(value: Val) -> ValR {
    match (&value, value.as_str()) {
        (Val::Bool(_), _) => Ok(value),
        (_, Some("true")) => Ok(true.into()),
        (_, Some("false")) => Ok(false.into()),
        _ => Err(ValError::str(format_args!("{} ({}) cannot be parsed as a boolean", value.kind().name(), value.excerpt(14)))),
    }
}

/// Returns a text without a part at its start and its end; any other value as it is.
fn trimmed(value: Val, part: &Val, start: bool, end: bool) -> Val {
    let (Some(text), Some(part)) = (value.as_str(), part.as_str()) else { return value };
    let mut rest = text;
    if start {
        rest = rest.strip_prefix(part).unwrap_or(rest);
    }
    if end {
        rest = rest.strip_suffix(part).unwrap_or(rest);
    }
    if rest.len() == text.len() { value } else { Val::text(rest) }
}

fn trim(value: &Val, trim: fn(&str) -> &str) -> ValR {
    match value.as_str() {
        Some(text) => Ok(Val::text(trim(text))),
        None => Err(ValError::str(format_args!("{} ({}) cannot be trimmed", value.kind().name(), value.excerpt(14)))),
    }
}

fn join(value: Val, separator: Val) -> ValR {
    let mut out = String::new();
    let mut first = true;
    for entry in value.values() {
        let entry = entry?;
        if !first {
            match separator.as_str() {
                Some(separator) => out.push_str(separator),
                None if separator == Val::Null => {}
                None => return Val::from(out) + separator,
            }
        }
        first = false;
        match entry.kind() {
            ValKind::Null => {}
            ValKind::Bool | ValKind::Number => out.push_str(&entry.to_json().map_err(|error| ValError::str(error.what()))?),
            _ => match entry.as_str() {
                Some(text) => out.push_str(text),
                None => return Val::from(out) + entry,
            },
        }
        if out.len() > crate::value::LONGEST {
            return Err(ValError::str("Result of join too long"));
        }
    }
    Ok(Val::from(out))
}

fn implode(value: &Val) -> ValR {
    let Val::List(list) = value else { return Err(ValError::str("implode input must be an array")) };
    let mut text = String::new();
    for code in &list.values {
        let number = code.num().map(|number| number.float()).filter(|number| !number.is_nan());
        let Some(number) = number else {
            let shown = format!("{} ({})", code.kind().name(), code.excerpt(14));
            return Err(ValError::str(format_args!("{shown} can't be imploded, unicode codepoint needs to be numeric")));
        };
        // jq replaces what is no character.
        text.push(char::from_u32(number as u32).filter(|_| number >= 0.0).unwrap_or('\u{fffd}'));
    }
    Ok(Val::from(text))
}
