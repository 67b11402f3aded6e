//! The tables of a comparison as text in cells: the same for terminals, Markdown and HTML.

use std::borrow::Cow;

use super::figures::{bytes, count, counted, ratio, spread, thousands, time};
use crate::comparison::{
    Against, Change, CodecTimes, ColumnsRow, Comparison, FieldBytes, Fields, Group, Lost, Network, Origin, Price, ProgramRow, RivalRow,
    Row, RowSchema, Time, Times, Verdict,
};
use crate::holdout::{FITTING, HELD_OUT};

/// One table.
pub(crate) struct Grid {
    pub(crate) title: &'static str,
    /// One per column; a line break splits a heading over two lines. The first two columns are
    /// text, the others numbers.
    pub(crate) header: Vec<Cow<'static, str>>,
    pub(crate) rows: Vec<(Mark, Vec<String>)>,
}

/// Mark of a special row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Plain,
    Base,
    Lossy,
    Impossible,
    /// Heading of the rows below it, in the second column.
    Group,
}

/// Cell of a missing figure.
const NONE: &str = "–";

/// Longest name of a format that is shown in full.
const NAME: usize = 16;

pub(crate) fn grids(comparison: &Comparison) -> Vec<Grid> {
    let mut grids = vec![size_grid(comparison), time_grid(comparison), rate_grid(comparison)];
    grids.extend(
        [quantile_grid(comparison), compression_grid(comparison), memory_grid(comparison), network_grid(comparison)].into_iter().flatten(),
    );
    grids.extend(comparison.fields.as_ref().map(field_grid));
    grids.extend(comparison.baseline.as_ref().and_then(|against| baseline_grid(comparison, against)));
    if !comparison.columns.is_empty() {
        grids.push(column_grid(comparison));
    }
    if !comparison.programs.is_empty() {
        grids.push(program_grid(comparison));
    }
    grids
}

/// Returns a table of figures that some rows have, without other libraries.
fn extra_grid(
    comparison: &Comparison,
    title: &'static str,
    header: &[&'static str],
    cells: impl Fn(&Row) -> Option<Vec<String>>,
) -> Option<Grid> {
    comparison.rows.iter().find_map(&cells)?;
    let width = header.len();
    let or_nothing = |row: &Row| cells(row).unwrap_or_else(|| vec![NONE.to_string(); width]);
    let alone: Vec<Row> = comparison.rows.iter().map(|row| Row { rivals: Vec::new(), ..row.clone() }).collect();
    let comparison = Comparison { rows: alone, ..comparison.clone() };
    let header = ["#", "format"].iter().chain(header).map(|text| Cow::Borrowed(*text)).collect();
    Some(Grid { title, header, rows: rows(&comparison, false, or_nothing, |_| Vec::new()) })
}

fn quantile_grid(comparison: &Comparison) -> Option<Grid> {
    let cells = |row: &Row| {
        let found = row.quantiles?;
        Some([found.smallest, found.p50, found.p90, found.p99, found.largest].map(|length| bytes(length as f64)).to_vec())
    };
    extra_grid(comparison, "Bytes of a message, at quantiles", &["smallest", "p50", "p90", "p99", "largest"], cells)
}

fn compression_grid(comparison: &Comparison) -> Option<Grid> {
    let codecs = comparison.rows.iter().filter_map(|row| row.compression.as_ref()).map(Vec::len).max()?;
    let header = [
        "gzip\npack",
        "gzip\nunpack",
        "zstd -3\npack",
        "zstd -3\nunpack",
        "zstd -9\npack",
        "zstd -9\nunpack",
        "+ dict\npack",
        "+ dict\nunpack",
    ];
    let cells = |row: &Row| {
        let of = |codec: &CodecTimes| [time(codec.compress.ns.median), time(codec.decompress.ns.median)];
        let mut cells: Vec<String> = row.compression.as_ref()?.iter().flat_map(of).collect();
        cells.resize(2 * codecs, NONE.to_string());
        Some(cells)
    };
    extra_grid(comparison, "Time to compress and decompress a message alone, median", &header[..(2 * codecs).min(header.len())], cells)
}

fn memory_grid(comparison: &Comparison) -> Option<Grid> {
    let cells = |row: &Row| {
        let memory = row.memory?;
        let each = |made: u64| ratio(made as f64 / memory.message.max(1) as f64);
        Some(vec![
            bytes(memory.message as f64),
            bytes(memory.encode as f64),
            each(memory.encode),
            bytes(memory.decode as f64),
            each(memory.decode),
        ])
    };
    let header = ["message", "encode", "× message", "decode", "× message"];
    extra_grid(comparison, "Most heap at once, in bytes, of the longest timed message", &header, cells)
}

fn network_grid(comparison: &Comparison) -> Option<Grid> {
    let cells = |row: &Row| {
        if row.network.is_none() && row.price.is_none() {
            return None;
        }
        let sent = |of: fn(&Network) -> f64| or_none(row.network.as_ref().map(of).map(time));
        let paid = |of: fn(&Price) -> f64| or_none(row.price.as_ref().map(of).map(|price| format!("{price:.4}")));
        Some(vec![sent(|network| network.raw_ns), sent(|network| network.zstd_ns), paid(|price| price.raw), paid(|price| price.zstd)])
    };
    let header = ["raw", "zstd\nalone", "price of\na million", "zstd\nalone"];
    extra_grid(comparison, "Time on the network, and price of a million messages", &header, cells)
}

fn baseline_grid(comparison: &Comparison, against: &Against) -> Option<Grid> {
    let cells = |row: &Row| {
        let mut changes = against.changes.iter().filter(|change| change.format == row.format).peekable();
        changes.peek()?;
        let all: Vec<&Change> = changes.collect();
        let of = |figure: &str| {
            let change = all.iter().find(|change| change.figure == figure);
            or_none(change.map(|change| format!("{:+.1}%{}", 100.0 * change.change, if change.time && change.overlap { "~" } else { "" })))
        };
        Some(["raw", "gzip", "zstd", "zstd with a dictionary", "zstd stream", "encode", "decode", "scan"].map(of).to_vec())
    };
    let header = ["raw", "gzip\nalone", "zstd\nalone", "zstd\n+ dict", "zstd\nstream", "encode", "decode", "scan"];
    extra_grid(comparison, "Change since the baseline; ~ within the runs", &header, cells)
}

/// Most formats whose bytes the table of fields has; the other reports have all.
const FIELD_FORMATS: usize = 6;

/// Most paths in that table.
const FIELD_PATHS: usize = 25;

/// Longest path that is shown in full.
const FIELD_PATH: usize = 34;

fn field_grid(fields: &Fields) -> Grid {
    let shown: Vec<&String> = fields.formats.iter().take(FIELD_FORMATS).collect();
    let total = |format: &String| fields.paths.iter().filter_map(|field| field.bytes.get(format)).sum::<f64>();
    let totals: Vec<f64> = shown.iter().map(|format| total(format)).collect();
    let line = |field: &FieldBytes| {
        let share = |(format, total): (&&String, &f64)| match field.bytes.get(*format) {
            Some(bytes) if *total > 0.0 => format!("{:.1}%", 100.0 * bytes / total),
            _ => NONE.to_string(),
        };
        let mut cells = vec![String::new(), cut(&visible(&field.path), FIELD_PATH)];
        cells.extend(shown.iter().zip(&totals).map(share));
        (Mark::Plain, cells)
    };
    let names = shown.iter().map(|format| Cow::Owned(cut(format, 9)));
    let header = [Cow::Borrowed(""), Cow::Borrowed("path")].into_iter().chain(names).collect();
    Grid {
        title: "Where the bytes go: share of the raw bytes, values and their names",
        header,
        rows: fields.paths.iter().take(FIELD_PATHS).map(line).collect(),
    }
}

/// Returns a library's name with its format, for places without the format above it.
pub(crate) fn rival_name(row: &Row, rival: &RivalRow) -> String {
    format!("{} · {}", row.format, rival.name)
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
    let of_rival = |rival: &RivalRow| {
        let mut cells = vec![or_none(rival.raw.map(bytes)), or_none(rival.ratios.as_ref().and_then(|ratios| ratios.raw).map(ratio))];
        cells.resize(9, NONE.to_string());
        cells
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
    Grid {
        title: "Bytes per message",
        header: header.into_iter().map(Cow::Borrowed).collect(),
        rows: rows(comparison, true, cells, of_rival),
    }
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
    let of_rival = |rival: &RivalRow| {
        let time = |time: &Option<Time>| or_none(time.as_ref().map(|time| spread(time.ns.median, time.ns.relative())));
        let ratios = rival.ratios.as_ref();
        vec![
            time(&rival.encode),
            or_none(ratios.and_then(|ratios| ratios.encode).map(ratio)),
            time(&rival.decode),
            or_none(ratios.and_then(|ratios| ratios.decode).map(ratio)),
            NONE.to_string(),
            NONE.to_string(),
        ]
    };
    let header = vec!["#", "format", "encode", "× base", "decode to a tree", "× base", "scan", "× base"];
    Grid {
        title: "Time per message, median and spread",
        header: header.into_iter().map(Cow::Borrowed).collect(),
        rows: rows(comparison, false, cells, of_rival),
    }
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
    let of_rival = |rival: &RivalRow| {
        let both = [rival.encode.as_ref(), rival.decode.as_ref(), None];
        let rates = both.map(|time| or_none(time.map(|time| count(time.mb_per_s))));
        rates.into_iter().chain(both.map(|time| or_none(time.and_then(|time| time.allocations).map(count)))).collect()
    };
    let header = vec!["#", "format", "encode\nMB/s", "decode\nMB/s", "scan\nMB/s", "encode\nallocs", "decode\nallocs", "scan\nallocs"];
    Grid {
        title: "Throughput, and allocations per message",
        header: header.into_iter().map(Cow::Borrowed).collect(),
        rows: rows(comparison, false, cells, of_rival),
    }
}

fn column_grid(comparison: &Comparison) -> Grid {
    let messages = comparison.input.messages.max(1) as f64;
    let row = |row: &ColumnsRow| {
        let mark = match (row.bytes, row.losses.is_empty()) {
            (None, _) => Mark::Impossible,
            (Some(_), false) => Mark::Lossy,
            (Some(_), true) => Mark::Plain,
        };
        let per_message = row.bytes.map(|bytes| format!("{:.1}", bytes as f64 / messages));
        let lost: u64 = row.losses.iter().map(|lost| lost.count).sum();
        let cells = vec![
            NONE.to_string(),
            row.format.clone(),
            or_none(row.bytes.map(|bytes| bytes.to_string())),
            or_none(per_message),
            or_none(row.bytes.map(|_| lost.to_string())),
        ];
        (mark, cells)
    };
    let header = vec!["#", "format", "bytes of\nthe file", "divided by\nmessages", "values\nlost"];
    Grid {
        title: "Columnar: all messages in one file, with its own compression",
        header: header.into_iter().map(Cow::Borrowed).collect(),
        rows: comparison.columns.iter().map(row).collect(),
    }
}

fn program_grid(comparison: &Comparison) -> Grid {
    let run = |time: Option<crate::comparison::Spread>| or_none(time.map(|time| spread(time.median, time.relative())));
    let row = |program: &ProgramRow| {
        let mark = if program.verdict == Verdict::Exact { Mark::Plain } else { Mark::Impossible };
        let claimed = or_none(program.claimed.map(|claimed| count(claimed as f64)));
        let cells = vec![
            NONE.to_string(),
            cut(&visible(&program.name), NAME),
            run(program.run),
            run(program.start_up),
            run(program.per_message),
            or_none(program.mb_per_s.map(count)),
            claimed,
        ];
        (mark, cells)
    };
    let header = vec!["#", "program", "run on\nall messages", "run on\nnothing", "difference\nper message", "MB/s", "messages\nclaimed"];
    Grid {
        title: "Own programs, from start to end",
        header: header.into_iter().map(Cow::Borrowed).collect(),
        rows: comparison.programs.iter().map(row).collect(),
    }
}

/// Returns a row for each format, and below it one for each of its rivals. Each group has a heading
/// if some format has a schema.
fn rows(
    comparison: &Comparison,
    with_impossible: bool,
    cells: impl Fn(&Row) -> Vec<String>,
    of_rival: impl Fn(&RivalRow) -> Vec<String>,
) -> Vec<(Mark, Vec<String>)> {
    let shown = |verdict: Verdict| with_impossible || !matches!(verdict, Verdict::Impossible | Verdict::Unfit);
    let grouped = comparison.rows.iter().any(|row| row.group == Group::WithSchema);
    let mut all: Vec<(Mark, Vec<String>)> = Vec::new();
    let mut group = None;
    for row in comparison.rows.iter().filter(|row| shown(row.verdict)) {
        if grouped && group != Some(row.group) {
            group = Some(row.group);
            all.push((Mark::Group, vec![String::new(), row.group.title().to_string()]));
        }
        let mark = match row.verdict {
            Verdict::Exact if comparison.base.as_ref() == Some(&row.format) => Mark::Base,
            verdict => marked(verdict),
        };
        let mut line = vec![or_none(row.rank.map(|rank| rank.to_string())), cut(&row.format, NAME)];
        line.extend(cells(row));
        all.push((mark, line));
        for rival in row.rivals.iter().filter(|rival| shown(rival.verdict)) {
            let mut line = vec![NONE.to_string(), cut(&format!("· {}", rival.name), NAME)];
            line.extend(of_rival(rival));
            all.push((marked(rival.verdict), line));
        }
    }
    let columns = all.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
    all.iter_mut().for_each(|(_, cells)| cells.resize(columns, String::new()));
    all
}

fn marked(verdict: Verdict) -> Mark {
    match verdict {
        Verdict::Exact => Mark::Plain,
        Verdict::Lossy | Verdict::Unfit => Mark::Lossy,
        Verdict::Impossible => Mark::Impossible,
    }
}

fn or_none(text: Option<String>) -> String {
    text.unwrap_or_else(|| NONE.to_string())
}

/// Returns the first `most` characters, the last one `…` if there are more.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_string(),
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// Returns the subject of the comparison, in one sentence.
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
    let entries = match input.each.as_deref() {
        None => String::new(),
        Some(".") => ", the entries of the list at the top,".to_string(),
        Some(path) => format!(", the entries at {},", visible(path)),
    };
    let kind = input.kind.as_ref().map_or_else(String::new, |kind| format!(" of a kind ({})", visible(kind)));
    format!("{messages}{kind}{entries} in {}{from}: {} as they came{each}", input.format, counted(input.bytes as u64, "byte"))
}

/// Returns the order of the rows and the base of the ratios, in one sentence.
pub(crate) fn order(comparison: &Comparison) -> String {
    let base = comparison.base.as_ref().map_or_else(String::new, |base| format!("; × base is the ratio to {base}"));
    format!("Ordered by {}{base}.", comparison.sort)
}

/// Returns all complaints about rows, rivals and programs: a name, and a line for each of at most
/// `most` losses.
pub(crate) fn unranked(comparison: &Comparison, most: usize) -> Vec<(String, Vec<String>)> {
    let mut all = Vec::new();
    for row in &comparison.rows {
        all.push((row.format.clone(), complaints(row, most)));
        for rival in &row.rivals {
            all.push((rival_name(row, rival), rival_complaints(rival, most)));
        }
    }
    let whole = |row: &ColumnsRow| row.why.iter().map(|why| visible(why)).collect::<Vec<String>>();
    all.extend(comparison.columns.iter().filter(|row| row.why.is_some()).map(|row| (row.format.clone(), whole(row))));
    all.extend(comparison.programs.iter().map(|program| (visible(&program.name), program_complaints(program))));
    all.retain(|(_, lines)| !lines.is_empty());
    all
}

/// Returns a line for each of at most `most` losses of a row, or the reason why it is impossible.
pub(crate) fn complaints(row: &Row, most: usize) -> Vec<String> {
    let mut lines = listed("not possible", row.why.as_ref(), &row.losses, row.more, most);
    if row.verdict == Verdict::Unfit
        && let Some(unfit) = row.schema.as_ref().and_then(unfit)
    {
        lines.push(format!("{unfit}, and a row is ranked if {FITTING} % fit"));
    }
    lines
}

/// Returns a line about the schema of each row that has figures.
pub(crate) fn schemas(comparison: &Comparison) -> Vec<(String, String)> {
    let line = |row: &Row| Some((row.format.clone(), schema(row.schema.as_ref()?)));
    comparison.rows.iter().filter(|row| row.sizes.is_some()).filter_map(line).collect()
}

fn schema(schema: &RowSchema) -> String {
    let origin = match (schema.origin, &schema.file, schema.learned_on, schema.held_out) {
        (Origin::Given, Some(file), ..) => format!("given, {}", visible(file)),
        (Origin::Given, None, ..) => "given".to_string(),
        (Origin::Inferred, _, Some(learned), Some(held_out)) => {
            format!("inferred from {}, measured on {} others", counted(learned as u64, "message"), thousands(held_out as u64))
        }
        (Origin::Inferred, _, learned, _) => {
            let messages = learned.map_or_else(|| "messages".to_string(), |learned| counted(learned as u64, "message"));
            format!("inferred from the {messages} that it is measured on; nothing could be held out of fewer than {HELD_OUT}")
        }
    };
    let mut parts = vec![origin];
    parts.extend(unfit(schema).map(|unfit| {
        let charged = schema.charged_as.as_ref().map_or_else(|| "as they came".to_string(), |format| format!("as {format}"));
        format!("{unfit}, charged {charged}")
    }));
    parts.extend(schema.bytes.zip(schema.zstd).map(|(bytes, zstd)| {
        format!("its own {}, {} with zstd, are not in the messages'", counted(bytes as u64, "byte"), thousands(zstd as u64))
    }));
    parts.extend(schema.no_text.as_ref().map(|why| format!("no text of it: {}", visible(why))));
    parts.join("; ")
}

/// Returns the number of messages that do not fit, if there are any.
fn unfit(schema: &RowSchema) -> Option<String> {
    let held_out = schema.held_out.filter(|_| schema.unfit > 0)?;
    let need = if schema.unfit == 1 { "needs" } else { "need" };
    Some(format!("{} of {} {need} a new version", thousands(schema.unfit as u64), thousands(held_out as u64)))
}

/// Returns the values that a library reads differently, or the reason why it takes no part.
pub(crate) fn rival_complaints(rival: &RivalRow, most: usize) -> Vec<String> {
    listed("takes no part", rival.why.as_ref(), &rival.losses, rival.more, most)
}

/// Returns the missing figures of a program, with the reasons.
pub(crate) fn program_complaints(program: &ProgramRow) -> Vec<String> {
    let mut lines = listed("no figures", program.why.as_ref(), &[], 0, 0);
    lines.extend(listed("start-up unknown, since with nothing on stdin", program.no_start_up.as_ref(), &[], 0, 0));
    if program.start_up.is_some() && program.per_message.is_none() {
        lines.push("a run on all messages takes no longer than one on nothing: enter more messages".to_string());
    }
    lines
}

fn listed(refusal: &str, why: Option<&String>, losses: &[Lost], more: u64, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(why) = why {
        lines.push(format!("{refusal}: {}", visible(why)));
    }
    lines.extend(losses.iter().take(most).map(lost));
    let more = losses.len().saturating_sub(most) as u64 + more;
    if more > 0 {
        lines.push(format!("and {}", counted(more, "more such loss").replace("losss", "losses")));
    }
    lines
}

/// Returns the losses beside the values, a line each.
pub(crate) fn remarks(row: &Row, most: usize) -> Vec<String> {
    row.remarks.iter().take(most).map(lost).collect()
}

fn lost(lost: &Lost) -> String {
    let example = lost.example.as_ref().map_or_else(String::new, |[before, after]| format!(", such as {before} → {after}"));
    visible(&format!("{}: {} ({}){example}", lost.path, lost.what, counted(lost.count, "time")))
}

/// Returns text from the user's data with visible control characters, so that it cannot control a
/// terminal.
pub(crate) fn visible(text: &str) -> String {
    let steers = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if steers(c) { c.escape_unicode().to_string() } else { c.to_string() }).collect()
}
