//! The report for terminals: at most 100 columns wide, with any figures.

use anstyle::{AnsiColor, Style};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use super::grid::{Mark, grids, order, remarks, schemas, subject, unranked};
use crate::comparison::Comparison;

/// Most columns of the report.
pub const WIDTH: u16 = 100;

/// Most losses that are listed for one format; the other reports list all.
const LOSSES: usize = 5;

/// Returns the comparison as tables with notes below; `colour` adds ANSI styles.
pub fn table(comparison: &Comparison, colour: bool) -> String {
    let paint = |style: Style, text: &str| if colour { format!("{style}{text}{style:#}") } else { text.to_string() };
    let strong = Style::new().bold();
    let faint = Style::new().dimmed();
    let warning = AnsiColor::Yellow.on_default();
    let mut out = String::new();
    for line in wrapped("", &subject(comparison)) {
        out += &paint(strong, &line);
        out.push('\n');
    }
    for grid in grids(comparison) {
        out += &format!("\n{}\n", paint(strong, grid.title));
        let heading = grid.header.iter().map(|text| text.lines().count()).max().unwrap_or(1);
        let header: Vec<&str> = grid.header.iter().map(AsRef::as_ref).collect();
        let lines = layout(&header, grid.rows.iter().map(|(_, cells)| cells.as_slice()), |column| column == 1);
        for (at, line) in lines.iter().enumerate() {
            let style = match at.checked_sub(heading).and_then(|row| grid.rows.get(row)) {
                None => faint,
                Some((Mark::Base, _)) => strong,
                Some((Mark::Group, _)) => faint,
                Some((Mark::Lossy | Mark::Impossible, _)) => warning,
                Some((Mark::Plain, _)) => Style::new(),
            };
            out += &if style.is_plain() { line.clone() } else { paint(style, line) };
            out.push('\n');
        }
    }
    out += &format!("\n{}\n", order(comparison));
    if !comparison.advice.is_empty() {
        out += &format!("\n{}\n", paint(strong, "Recommendation:"));
        for sentence in &comparison.advice {
            out += &wrapped("  -", sentence).into_iter().map(|line| line + "\n").collect::<String>();
        }
    }
    let schemas = schemas(comparison);
    if !schemas.is_empty() {
        out += "\nSchemas:\n";
        for (name, line) in schemas {
            out += &noted(&name, &line);
        }
    }
    let unranked = unranked(comparison, LOSSES);
    if !unranked.is_empty() {
        out += &format!("\n{}\n", paint(warning, "Not ranked:"));
        for (name, lines) in unranked {
            for line in lines {
                out += &noted(&name, &line);
            }
        }
    }
    let noted_rows: Vec<_> = comparison.rows.iter().filter(|row| !row.remarks.is_empty()).collect();
    if !noted_rows.is_empty() {
        out += "\nLost beside the values:\n";
        for row in noted_rows {
            for line in remarks(row, LOSSES) {
                out += &noted(&row.format, &line);
            }
        }
    }
    out.push('\n');
    for line in summary(comparison) {
        for line in wrapped("", &line) {
            out += &paint(faint, &line);
            out.push('\n');
        }
    }
    for caveat in &comparison.caveats {
        for line in wrapped("!", caveat) {
            out += &paint(warning, &line);
            out.push('\n');
        }
    }
    out
}

/// Returns the method in few lines; the HTML report has it in full.
fn summary(comparison: &Comparison) -> Vec<String> {
    let method = &comparison.method;
    let mut lines = vec![
        format!(
            "Every message was written, read back and compared value by value. Sizes: gzip -{}, zstd -{}; the dictionary was trained on every other \
             message and measured on the rest.",
            method.gzip_level, method.zstd_level
        ),
        format!(
            "Times: medians of interleaved rounds, {} s a measurement, ± half the distance of the quartiles. Encode: tree → bytes; decode: bytes → \
             recycled tree; scan: bytes → counter. MB/s by each format's own bytes.",
            method.time
        ),
    ];
    if comparison.rows.iter().any(|row| !row.rivals.is_empty()) {
        lines.push(
            "Other libraries (·) read the bytes of their format's row, and were checked value by value. Encode: their own tree → bytes; \
             decode: bytes → their own tree, dropped again."
                .to_string(),
        );
    }
    lines.push(comparison.machine.line());
    lines
}

/// Returns the cells as lines of aligned columns, the header first. Columns with `is_text` are
/// aligned left, numbers right.
pub fn layout<'c>(header: &[&str], rows: impl Iterator<Item = &'c [String]>, is_text: impl Fn(usize) -> bool) -> Vec<String> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.iter().copied());
    for cells in rows {
        table.add_row(cells);
    }
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_cell_alignment(if is_text(at) { CellAlignment::Left } else { CellAlignment::Right });
    }
    table.lines().map(|line| line.trim_end().to_string()).collect()
}

fn noted(name: &str, text: &str) -> String {
    wrapped(&format!("  {name}:"), text).into_iter().map(|line| line + "\n").collect()
}

/// Returns `text` in lines of [`WIDTH`], after `label` if there is one.
fn wrapped(label: &str, text: &str) -> Vec<String> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
    if label.is_empty() {
        table.add_row([text]);
    } else {
        table.add_row([label, text]);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.lines().map(|line| line.trim_end().to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn widest(text: &str) -> usize {
        text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
    }

    #[test]
    fn any_figures_fit() {
        for factor in [1e-9, 1.0, 1e3, 1e6, 1e12, 1e17] {
            for comparison in [sample::comparison(factor), sample::with_more(factor)] {
                let text = table(&comparison, false);
                assert!(widest(&text) <= usize::from(WIDTH), "{factor}: {}\n{text}", widest(&text));
            }
        }
    }

    #[test]
    fn a_row_that_loses_values_says_what() {
        let text = table(&sample::comparison(1.0), false);
        assert!(text.contains("Not ranked:"), "{text}");
        assert!(text.contains("vouchers[].sum: number became text (7 times)"), "{text}");
        assert!(text.contains("not possible: message 3 cannot be written"), "{text}");
    }

    #[test]
    fn libraries_stand_below_their_format_and_programs_apart() {
        let text = table(&sample::comparison(1.0), false);
        let lines: Vec<&str> = text.lines().collect();
        let format = lines.iter().position(|line| line.contains(" second ")).unwrap();
        assert!(lines[format + 1].contains("· a-library-of-…") && lines[format + 2].contains("· differs"), "{text}");
        assert!(text.contains("second · differs:") && text.contains("takes no part: message 2"), "{text}");
        assert!(text.contains("Own programs") && text.contains("no figures: exit status: 3"), "{text}");
    }

    #[test]
    fn groups_have_headings_and_schemas_a_line() {
        let text = table(&sample::comparison(1.0), false);
        let at = |needle: &str| text.find(needle).unwrap_or_else(|| panic!("{needle}: {text}"));
        assert!(at("without a schema") < at(" second ") && at(" loser ") < at("with a schema") && at("with a schema") < at(" learner "));
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("learner: inferred from 50 messages, measured on 50 others; 2 of 50 need a new version, charged as first"));
        assert!(words.contains("its own 1,234 bytes, 567 with zstd, are not in the messages'"), "{words}");
    }

    #[test]
    fn colour_only_when_asked_for_and_never_from_the_data() {
        let comparison = sample::comparison(1.0);
        assert!(!table(&comparison, false).contains('\u{1b}'));
        assert!(table(&comparison, true).contains("\u{1b}[1m"));
    }
}
