//! The tables of a comparison as text in cells: the same for terminals, Markdown and HTML.

use super::figures::{bytes, count, counted, ratio, spread, thousands};
use crate::comparison::{Comparison, Lost, Row, Time, Times, Verdict};

/// One table.
pub(crate) struct Grid {
    pub(crate) title: &'static str,
    /// One per column; a line break splits a heading over two lines. The first two columns are text, the others numbers.
    pub(crate) header: Vec<&'static str>,
    pub(crate) rows: Vec<(Mark, Vec<String>)>,
}

/// What is special about a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Plain,
    Base,
    Lossy,
    Impossible,
}

/// For figures that do not exist.
const NONE: &str = "–";

/// Longest name of a format that is shown whole.
const NAME: usize = 14;

pub(crate) fn grids(comparison: &Comparison) -> [Grid; 3] {
    [size_grid(comparison), time_grid(comparison), rate_grid(comparison)]
}

fn size_grid(comparison: &Comparison) -> Grid {
    let cells = |row: &Row| {
        let size = |of: fn(&crate::comparison::Sizes) -> Option<f64>| or_none(row.sizes.as_ref().and_then(of).map(bytes));
        let times = |of: fn(&crate::comparison::Ratios) -> f64| or_none(row.ratios.as_ref().map(of).map(ratio));
        vec![
            size(|sizes| Some(sizes.raw)),
            times(|ratios| ratios.raw),
            size(|sizes| Some(sizes.gzip)),
            size(|sizes| Some(sizes.zstd)),
            times(|ratios| ratios.zstd),
            size(|sizes| sizes.dictionary.as_ref().map(|dictionary| dictionary.zstd)),
            size(|sizes| Some(sizes.batch_gzip)),
            size(|sizes| Some(sizes.batch_zstd)),
            times(|ratios| ratios.batch_zstd),
        ]
    };
    let header = vec![
        "#",
        "format",
        "raw",
        "× base",
        "gzip\nalone",
        "zstd\nalone",
        "× base",
        "zstd\n+ dict",
        "gzip\nstream",
        "zstd\nstream",
        "× base",
    ];
    Grid { title: "Bytes per message", header, rows: rows(comparison, true, cells) }
}

fn time_grid(comparison: &Comparison) -> Grid {
    let cells = |row: &Row| {
        let mut cells = Vec::new();
        for (of, relative) in PARTS {
            let time = row.times.as_ref().map(of);
            cells.push(or_none(time.map(|time| spread(time.ns.median, time.ns.relative()))));
            cells.push(or_none(row.ratios.as_ref().map(relative).map(ratio)));
        }
        cells
    };
    let header = vec!["#", "format", "encode", "× base", "decode to a tree", "× base", "scan", "× base"];
    Grid { title: "Time per message, median and spread", header, rows: rows(comparison, false, cells) }
}

type Part = (fn(&Times) -> &Time, fn(&crate::comparison::Ratios) -> f64);

const PARTS: [Part; 3] = [
    (|times| &times.encode, |ratios| ratios.encode),
    (|times| &times.decode, |ratios| ratios.decode),
    (|times| &times.scan, |ratios| ratios.scan),
];

fn rate_grid(comparison: &Comparison) -> Grid {
    let cells = |row: &Row| {
        let mut cells = Vec::new();
        for (of, _) in PARTS {
            cells.push(or_none(row.times.as_ref().map(|times| count(of(times).mb_per_s))));
        }
        for (of, _) in PARTS {
            cells.push(or_none(row.times.as_ref().and_then(|times| of(times).allocations).map(count)));
        }
        cells
    };
    let header = vec!["#", "format", "encode\nMB/s", "decode\nMB/s", "scan\nMB/s", "encode\nallocs", "decode\nallocs", "scan\nallocs"];
    Grid { title: "Throughput, and allocations per message", header, rows: rows(comparison, false, cells) }
}

fn rows(comparison: &Comparison, with_impossible: bool, cells: impl Fn(&Row) -> Vec<String>) -> Vec<(Mark, Vec<String>)> {
    let shown = comparison.rows.iter().filter(|row| with_impossible || row.verdict != Verdict::Impossible);
    shown
        .map(|row| {
            let mark = match row.verdict {
                Verdict::Lossy => Mark::Lossy,
                Verdict::Impossible => Mark::Impossible,
                Verdict::Exact if comparison.base.as_ref() == Some(&row.format) => Mark::Base,
                Verdict::Exact => Mark::Plain,
            };
            let mut all = vec![or_none(row.rank.map(|rank| rank.to_string())), cut(&row.format, NAME)];
            all.extend(cells(row));
            (mark, all)
        })
        .collect()
}

fn or_none(text: Option<String>) -> String {
    text.unwrap_or_else(|| NONE.to_string())
}

/// The first `most` characters, the last one `…` if there are more.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_string(),
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// What was compared, in one sentence.
pub(crate) fn subject(comparison: &Comparison) -> String {
    let input = &comparison.input;
    let from = match input.sources.as_slice() {
        [] => String::new(),
        [one] => format!(" from {}", visible(one)),
        [first, rest @ ..] => format!(" from {} and {}", visible(first), counted(rest.len() as u64, "other input")),
    };
    let each = if input.smallest == input.largest {
        String::new()
    } else {
        format!(", {} to {} bytes each", thousands(input.smallest as u64), thousands(input.largest as u64))
    };
    let messages = counted(input.messages as u64, "message");
    format!("{messages} in {}{from}: {} as they came{each}", input.format, counted(input.bytes as u64, "byte"))
}

/// What the ratios refer to and what the order is, in one sentence.
pub(crate) fn order(comparison: &Comparison) -> String {
    let base = comparison.base.as_ref().map_or_else(String::new, |base| format!("; × base is the ratio to {base}"));
    format!("Ordered by {}{base}.", comparison.sort)
}

/// Everything that a row loses or why it is not possible, one line each, at most `most` losses.
pub(crate) fn complaints(row: &Row, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(why) = &row.why {
        lines.push(format!("not possible: {}", visible(why)));
    }
    lines.extend(row.losses.iter().take(most).map(lost));
    let more = row.losses.len().saturating_sub(most) as u64 + row.more;
    if more > 0 {
        lines.push(format!("and {}", counted(more, "more such loss").replace("losss", "losses")));
    }
    lines
}

/// What goes beside the values, one line each.
pub(crate) fn remarks(row: &Row, most: usize) -> Vec<String> {
    row.remarks.iter().take(most).map(lost).collect()
}

fn lost(lost: &Lost) -> String {
    let example = lost.example.as_ref().map_or_else(String::new, |[before, after]| format!(", such as {before} → {after}"));
    visible(&format!("{}: {} ({}){example}", lost.path, lost.what, counted(lost.count, "time")))
}

/// Text from the user's data with its control characters made visible, so that it cannot steer a terminal.
pub(crate) fn visible(text: &str) -> String {
    let steers = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if steers(c) { c.escape_unicode().to_string() } else { c.to_string() }).collect()
}
