//! The report for documents and pull requests.

use comfy_table::{CellAlignment, Table, presets};

use super::grid::{grids, order, remarks, schemas, subject, unranked};
use crate::comparison::Comparison;

/// Returns the comparison as Markdown with tables.
pub fn markdown(comparison: &Comparison) -> String {
    let mut out = format!("{}.\n{}\n", escaped(&subject(comparison)), escaped(&order(comparison)));
    for grid in grids(comparison) {
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN);
        table.set_header(grid.header.iter().map(|text| text.replace('\n', " ")));
        for (_, cells) in &grid.rows {
            table.add_row(cells.iter().map(|text| escaped(text)));
        }
        for column in table.column_iter_mut().skip(2) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        out += &format!("\n### {}\n\n", grid.title);
        for (at, line) in table.lines().enumerate() {
            out += &if at == 1 { aligned(&line) } else { line };
            out.push('\n');
        }
    }
    let list = |title: &str, lines: Vec<String>| {
        let items: String = lines.iter().map(|line| format!("- {line}\n")).collect();
        if items.is_empty() { items } else { format!("\n### {title}\n\n{items}") }
    };
    let named = |name: &str, lines: Vec<String>| lines.into_iter().map(|line| format!("**{name}** {}", escaped(&line))).collect::<Vec<_>>();
    out += &list("Recommendation", comparison.advice.iter().map(|line| escaped(line)).collect());
    out += &list("Schemas", schemas(comparison).into_iter().flat_map(|(name, line)| named(&escaped(&name), vec![line])).collect());
    let unranked = unranked(comparison, usize::MAX);
    out += &list("Not ranked", unranked.into_iter().flat_map(|(name, lines)| named(&escaped(&name), lines)).collect());
    out += &list("Lost beside the values", comparison.rows.iter().flat_map(|row| named(&row.format, remarks(row, usize::MAX))).collect());
    out += &list("Method", comparison.method.text.iter().map(|line| escaped(line)).collect());
    out += &list("Caveats", comparison.caveats.iter().map(|line| escaped(line)).collect());
    out += &format!("\nMeasured on {}.\n", escaped(&comparison.machine.line()));
    out
}

/// Returns the line below the headings, with the colons that align numbers right.
fn aligned(line: &str) -> String {
    let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
    let cells = cells.iter().enumerate().map(|(at, cell)| {
        let dashes = "-".repeat(cell.chars().count().saturating_sub(1));
        if at == 1 { format!("{dashes}-") } else { format!("{dashes}:") }
    });
    format!("|{}|", cells.collect::<Vec<_>>().join("|"))
}

/// Returns text with the special characters of Markdown and HTML escaped.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '~' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn tables_are_markdown() {
        let text = markdown(&sample::comparison(1.0));
        let table: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
        // Sizes show all of 5 formats, 3 libraries and the headings of 2 groups; times leave out
        // those that are not possible. One format of columns has a table of its own.
        assert_eq!(table.len(), (2 + 10) + (2 + 1) + 2 * (2 + 8) + (2 + 2));
        assert!(text.contains("### Schemas\n\n- **learner** inferred from 50 messages"), "{text}");
        assert!(table[1].contains("-:|") && !table[1].contains("||"), "{}", table[1]);
        assert!(text.contains("**loser** vouchers\\[\\].sum: number became text"), "{text}");
        assert!(text.contains("**second · fails** takes no part: message 2:"), "{text}");
        assert!(text.contains("**second · differs** n: otherwise (2 times)"), "{text}");
    }

    #[test]
    fn data_cannot_break_out() {
        assert_eq!(escaped("a|b<script>*x*"), "a\\|b&lt;script>\\*x\\*");
    }
}
