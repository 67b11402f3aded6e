//! Lines for people on stderr. A line that cannot be written changes nothing: the exit code says
//! how the run ended, and results are on stdout.

use std::fmt::Arguments;
use std::io::Write;

/// Writes a line, with the program's name before it.
pub fn say(what: Arguments<'_>) {
    lines(format_args!("polywire: {what}\n"));
}

/// Writes text that has its own line breaks. Colours are left out where stderr has none.
pub fn lines(text: Arguments<'_>) {
    // One write, so that lines of several processes do not mix.
    let text = text.to_string();
    let _ = anstream::stderr().write_all(text.as_bytes());
}
