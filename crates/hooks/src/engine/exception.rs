//! Exceptions of the engine as errors.

use polywire_doc::Datum;
use rquickjs::{Coerced, Ctx, Error, FromJs, Value};

use super::error::{ErrorKind, Place, Raised, ScriptError};
use super::limits::Clock;

/// Marks of frames that mean nothing to the author of a script: our own scripts, and the engine's
/// functions.
const OWN: [&str; 2] = ["polywire:", "(native)"];
/// Most frames that are kept.
const FRAMES: usize = 10;
/// Longest message that is kept, in bytes.
const LONGEST: usize = 4096;

/// Returns the error for what ended a call; takes the pending exception.
#[cold]
pub(super) fn error_of(ctx: &Ctx<'_>, raised: Raised, clock: &Clock) -> ScriptError {
    let error = match raised {
        Raised::Known(error) => return error,
        Raised::Pending(error) => error,
    };
    match error {
        Error::Exception => thrown(ctx, &ctx.catch(), clock),
        Error::Allocation => out_of_memory(),
        error if clock.was_over() => out_of_time().with_frames(vec![error.to_string()]),
        error @ (Error::FromJs { .. } | Error::Utf8(_)) => ScriptError::new(ErrorKind::Answer, error.to_string()),
        error => ScriptError::new(ErrorKind::Internal, error.to_string()),
    }
}

pub(super) fn out_of_time() -> ScriptError {
    ScriptError::new(ErrorKind::Time, "the call took longer than it may")
        .with_hint("look for a loop that does not end, or raise the time limit of hooks")
}

fn out_of_memory() -> ScriptError {
    ScriptError::new(ErrorKind::Memory, "the modules need more memory than they may")
        .with_hint("look for lists that grow from call to call, or raise the memory limit of hooks")
}

fn thrown<'js>(ctx: &Ctx<'js>, value: &Value<'js>, clock: &Clock) -> ScriptError {
    let stack = member(value, "stack").unwrap_or_default();
    let frames: Vec<String> = stack
        .lines()
        .map(|line| line.trim().to_string())
        .filter(|line| !line.is_empty() && !OWN.iter().any(|own| line.contains(own)))
        .take(FRAMES)
        .collect();
    let place = frames.iter().find_map(|frame| place(frame));
    let name = member(value, "name").unwrap_or_default();
    let message = member(value, "message").unwrap_or_default();

    let error = if clock.check() {
        out_of_time()
    } else if value.is_null() || (name == "InternalError" && matches!(message.as_str(), "out of memory" | "string too long")) {
        // An exception that there was no memory for is null.
        out_of_memory()
    } else if value.is_error() && (message.contains("call stack size") || message.contains("stack overflow")) {
        ScriptError::new(ErrorKind::Stack, "the functions call each other too deeply").with_hint("look for a recursion that does not end")
    } else if value.is_error() {
        let code = member(value, "code");
        if code.as_deref() == ErrorKind::Template.code() {
            return ScriptError::new(ErrorKind::Template, message);
        }
        // A text that does not parse has no function as its innermost frame.
        let unparsed = frames.first().is_some_and(|frame| !frame.ends_with(')')) && !stack.starts_with("    at parse (native)");
        let is_load = (name == "SyntaxError" && unparsed) || code.as_deref() == ErrorKind::Load.code();
        let kind = if is_load { ErrorKind::Load } else { ErrorKind::Thrown };
        ScriptError::new(kind, cut(if name.is_empty() { message } else { format!("{name}: {message}") }))
    } else {
        let text = Coerced::<String>::from_js(ctx, value.clone()).map(|text| text.0).unwrap_or_else(|_| {
            ctx.catch();
            "a value without text".to_string()
        });
        let spelt = ctx.json_stringify(value.clone()).ok().flatten().and_then(|json| json.to_string().ok());
        if spelt.is_none() {
            ctx.catch();
        }
        let shown = member(value, "message").unwrap_or_else(|| if value.is_object() { spelt.clone().unwrap_or(text) } else { text });
        ScriptError::new(ErrorKind::Thrown, cut(shown)).with_thrown(copy(value, 8))
    };
    error.at(place).with_frames(frames)
}

fn member(value: &Value<'_>, name: &str) -> Option<String> {
    let value: Value<'_> = match value.as_object()?.get(name) {
        Ok(value) => value,
        Err(_) => {
            value.ctx().catch();
            return None;
        }
    };
    value.as_string()?.to_string().ok()
}

fn cut(mut message: String) -> String {
    if message.len() > LONGEST {
        message.truncate((0..=LONGEST).rev().find(|at| message.is_char_boundary(*at)).unwrap_or(0));
    }
    message
}

/// Reads `at name (file:line:column)`, or `at file:line:column`.
fn place(frame: &str) -> Option<Place> {
    let inner = frame.strip_prefix("at ")?;
    let inner = match (inner.rfind('('), inner.strip_suffix(')')) {
        (Some(open), Some(_)) => &inner[open + 1..inner.len() - 1],
        _ => inner,
    };
    let (rest, last) = inner.rsplit_once(':')?;
    let last = last.parse().ok()?;
    Some(match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some((file, line)) => Place { file: file.to_string(), line, column: last },
        None => Place { file: rest.to_string(), line: last, column: 0 },
    })
}

/// Copies a thrown value without calling any function of it.
fn copy(value: &Value<'_>, depth: usize) -> Option<Datum> {
    if let Some(text) = value.as_string() {
        return text.to_string().ok().map(Datum::from);
    }
    if let Some(truth) = value.as_bool() {
        return Some(Datum::Bool(truth));
    }
    if let Some(number) = value.as_int() {
        return Some(Datum::int(i64::from(number)));
    }
    if let Some(number) = value.as_float() {
        return Some(Datum::F64(number));
    }
    if value.is_null() {
        return Some(Datum::Null);
    }
    if value.is_function() || value.is_proxy() || depth == 0 {
        return None;
    }
    if let Some(list) = value.as_array() {
        return Some(Datum::list(
            (0..list.len().min(1000))
                .map(|index| list.get::<Value<'_>>(index).ok().and_then(|value| copy(&value, depth - 1)).unwrap_or(Datum::Null)),
        ));
    }
    let object = value.as_object()?;
    let members = object.keys::<String>().take(1000).flatten();
    Some(Datum::object(members.filter_map(|name| {
        let value = object.get::<_, Value<'_>>(name.as_str()).ok().and_then(|value| copy(&value, depth - 1))?;
        Some((name, value))
    })))
}
