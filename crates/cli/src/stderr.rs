//! Lines for people on stderr. A line that cannot be written changes nothing: the exit code says
//! how the run ended, and results are on stdout.

use std::cell::Cell;
use std::fmt::Arguments;
use std::io::Write;

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
    lines(format_args!("polywire: {what}\n"));
}

/// Writes text that has its own line breaks. Colours are left out where stderr has none.
pub fn lines(text: Arguments<'_>) {
    // One write, so that lines of several processes do not mix.
    let text = text.to_string();
    let _ = anstream::stderr().write_all(text.as_bytes());
}
