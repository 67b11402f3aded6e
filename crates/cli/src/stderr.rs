//! Lines on stderr: for people, or as JSON for programs. A line that cannot be written changes
//! nothing: the exit code says how the run ended, and results are on stdout.

use std::cell::Cell;
use std::fmt::Arguments;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use crate::args::errors::Form;

/// True if each line is a JSON object.
static JSON: AtomicBool = AtomicBool::new(false);

/// Sets the form of all lines from here on.
pub fn set_form(form: Form) {
    JSON.store(form == Form::Json, Ordering::Relaxed);
}

/// Reports whether each line is a JSON object.
pub fn is_json() -> bool {
    JSON.load(Ordering::Relaxed)
}

/// A line for people, as JSON.
#[derive(Serialize)]
struct Remark<'t> {
    r#type: &'static str,
    text: &'t str,
}

thread_local! {
    /// True while lines are left out.
    static HUSHED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `look`, whose lines come again later, without any of them.
pub fn hushed<T>(look: impl FnOnce() -> T) -> T {
    HUSHED.set(true);
    let outcome = look();
    HUSHED.set(false);
    outcome
}

/// Writes a line, with the program's name before it.
pub fn say(what: Arguments<'_>) {
    if HUSHED.get() {
        return;
    }
    if is_json() {
        object(&Remark { r#type: "remark", text: &what.to_string() });
    } else {
        lines(format_args!("polywire: {what}\n"));
    }
}

/// Writes text that has its own line breaks. Colours are left out where stderr has none.
pub fn lines(text: Arguments<'_>) {
    let text = text.to_string();
    if is_json() {
        object(&Remark { r#type: "remark", text: text.trim_end() });
        return;
    }
    // One write, so that lines of several processes do not mix.
    let _ = anstream::stderr().write_all(text.as_bytes());
}

/// Writes an object on a line of its own.
pub fn object(object: &impl Serialize) {
    if let Ok(mut line) = serde_json::to_string(object) {
        line.push('\n');
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}
