//! Exceptions of the engine as errors.

use polywire_doc::Datum;
use rquickjs::{Coerced, Ctx, Error, FromJs, Value};

use super::{Shared, Trouble};
use crate::error::{HookError, HookErrorKind, Place};

/// Frames of our own scripts and of the engine's functions, which say nothing to the author of a hook.
const OWN: [&str; 2] = ["polywire:", "(native)"];
/// The `code` of an error that a malformed template makes.
pub(super) const TEMPLATE: &str = "POLYWIRE_TEMPLATE";
/// Frames that are kept.
const FRAMES: usize = 10;
/// Longest message that is kept.
const LONGEST: usize = 4096;

/// The error for what went wrong; it takes the pending exception.
#[cold]
pub(super) fn of(ctx: &Ctx<'_>, trouble: Trouble, shared: &Shared) -> HookError {
    let error = match trouble {
        Trouble::Own(error) => return error,
        Trouble::Engine(error) => error,
    };
    match error {
        Error::Exception => thrown(ctx, &ctx.catch(), shared),
        Error::Allocation => out_of_memory(),
        error if shared.clock.was_over() => out_of_time().stack_frames(vec![error.to_string()]),
        error @ (Error::FromJs { .. } | Error::Utf8(_)) => HookError::new(HookErrorKind::Answer, error.to_string()),
        error => HookError::new(HookErrorKind::Internal, error.to_string()),
    }
}

pub(super) fn out_of_time() -> HookError {
    HookError::new(HookErrorKind::Time, "the call took longer than it may")
        .hint("look for a loop that does not end, or raise the time limit of hooks")
}

fn out_of_memory() -> HookError {
    HookError::new(HookErrorKind::Memory, "the modules need more memory than they may")
        .hint("look for lists that grow from call to call, or raise the memory limit of hooks")
}

fn thrown<'js>(ctx: &Ctx<'js>, value: &Value<'js>, shared: &Shared) -> HookError {
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

    let error = if shared.clock.check() {
        out_of_time()
    } else if value.is_null() || (name == "InternalError" && matches!(message.as_str(), "out of memory" | "string too long")) {
        // An exception that there was no memory for is null.
        out_of_memory()
    } else if value.is_error() && (message.contains("call stack size") || message.contains("stack overflow")) {
        HookError::new(HookErrorKind::Stack, "the functions call each other too deeply").hint("look for a recursion that does not end")
    } else if value.is_error() {
        // Text that does not parse is in no function.
        let unparsed = frames.first().is_some_and(|frame| !frame.ends_with(')')) && !stack.starts_with("    at parse (native)");
        let kind = if name == "SyntaxError" && unparsed { HookErrorKind::Load } else { HookErrorKind::Thrown };
        let code = member(value, "code");
        if code.as_deref() == Some(TEMPLATE) {
            return HookError::new(HookErrorKind::Template, message);
        }
        let kind = if code.as_deref() == Some("MODULE_NOT_FOUND") { HookErrorKind::Load } else { kind };
        HookError::new(kind, cut(if name.is_empty() { message } else { format!("{name}: {message}") }))
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
        HookError::new(HookErrorKind::Thrown, cut(shown)).with_thrown(copy(value, 8))
    };
    error.at(place).stack_frames(frames)
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

/// `at name (file:line:column)`, or `at file:line:column`.
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

/// A thrown value without asking any function of it.
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
