//! The terminal that results are shown on.

use std::io::{IsTerminal, stdout};

/// Returns its number of columns, as `COLUMNS` or the terminal says it; `None` if stdout is no
/// terminal.
pub fn columns() -> Option<usize> {
    if !stdout().is_terminal() {
        return None;
    }
    let named = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    named.or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)))
}
