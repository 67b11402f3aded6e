//! Recognises tables: names in the first row, and the same number of cells in those that follow.

use polywire_core::format::Confidence;

use super::lex::{BOM, Marks, RowEnd, after_blank_lines, cell, separator};

/// The byte around cells.
const QUOTE: Option<u8> = Some(b'"');

/// Rows that are looked at, at most.
const ROWS: usize = 32;

/// Judges `start`, and is never certain: much other text has the same number of commas on each
/// line. One column is no sign at all.
pub fn recognise(start: &[u8], whole: bool) -> Confidence {
    table(start, whole).map_or(Confidence::No, |(confidence, _)| confidence)
}

/// Judges `start` as [`recognise`] does, where tabs are between the cells.
pub fn recognise_tabs(start: &[u8], whole: bool) -> Confidence {
    table(start, whole).filter(|(_, separator)| *separator == b'\t').map_or(Confidence::No, |(confidence, _)| confidence)
}

/// Returns how well `start` looks like a table, and its separator.
fn table(start: &[u8], whole: bool) -> Option<(Confidence, u8)> {
    let bytes = start.strip_prefix(BOM).unwrap_or(start);
    let control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    // The last character may be cut.
    let text = std::str::from_utf8(bytes).map_or_else(|error| !whole && error.error_len().is_none(), |_| true);
    if !text || bytes.iter().any(control) {
        return None;
    }
    let (header, mut at) = row(bytes, after_blank_lines(bytes, 0), None, whole)?;
    let separator = separator(&bytes[..at], QUOTE);
    let names = cells(bytes, header, separator)?;
    if names.len() < 2 || !names.iter().all(|name| is_name(name)) {
        return None;
    }
    let mut rows = 0;
    while rows < ROWS
        && let Some((row, next)) = row(bytes, after_blank_lines(bytes, at), Some(separator), whole)
    {
        if cells(bytes, row, separator).is_none_or(|cells| cells.len() != names.len()) {
            return None;
        }
        rows += 1;
        at = next;
    }
    match rows {
        0 => None,
        1 => Some((Confidence::Possible, separator)),
        _ => Some((Confidence::Likely, separator)),
    }
}

/// Returns the start of the row at `at`, and that of the next row if the row is complete.
fn row(bytes: &[u8], at: usize, separator: Option<u8>, whole: bool) -> Option<(usize, usize)> {
    let end = RowEnd::new(at, QUOTE).find(bytes, at, separator, whole).or((whole && at < bytes.len()).then_some(bytes.len()))?;
    Some((at, end))
}

/// Returns the contents of the cells of the row that starts at `at`.
fn cells(bytes: &[u8], mut at: usize, separator: u8) -> Option<Vec<&[u8]>> {
    let mut cells = Vec::new();
    loop {
        let cell = cell(bytes, at, Marks { separator, quote: QUOTE }, 0).ok()?;
        cells.push(&bytes[cell.from..cell.to]);
        at = cell.end() + 1;
        if bytes.get(cell.end()) != Some(&separator) {
            return Some(cells);
        }
    }
}

/// Reports whether a cell may be a column's name: not a number, a time, a mark of another format,
/// or a sentence.
fn is_name(cell: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(cell) else { return false };
    text.trim().chars().next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && text.len() <= 100
        && !text.contains(['{', '}', '<', '>', '=', '\n'])
        && !text.contains(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_tables_and_little_else() {
        for (start, whole, confidence) in [
            ("id,name\n1,a\n2,b\n", true, Confidence::Likely),
            ("\u{feff}id;name\r\n1;\"a;\r\nb\"\r\n", true, Confidence::Possible),
            ("id\tname\n1\ta\n2\tb\n3", false, Confidence::Likely),
            ("id\tname\n1\ta\n2\tb\n3", true, Confidence::No),
            ("id,name\n1,a", true, Confidence::Possible),
            ("id,name\n1,a", false, Confidence::No),
            ("id,name\n", true, Confidence::No),
            ("\"id\",\"name\"\n\"1\",\"a\"\n", true, Confidence::Possible),
            ("id\n1\n2\n", true, Confidence::No),
            ("Dear Ann,\nwe thank you,\n", true, Confidence::No),
            ("2026-11-21 10:00:00,123 INFO a\n2026-11-21 10:00:01,456 INFO b\n", true, Confidence::No),
            ("{\"a\":1,\"b\":2}\n{\"a\":1,\"b\":2}\n", true, Confidence::No),
            ("[1,2]\n[3,4]\n", true, Confidence::No),
            ("<a b=\"c,d\">\n<e,f>\n", true, Confidence::No),
            ("a: 1, 2\nb: 3, 4\n", true, Confidence::No),
            ("- a, b\n- c, d\n", true, Confidence::No),
            (":_source\tpsyc://example\n:_target\tpsyc://other\n", true, Confidence::No),
            ("a,b\n1,\u{1}\n2,3\n", true, Confidence::No),
        ] {
            assert_eq!(recognise(start.as_bytes(), whole), confidence, "{start:?}");
        }
        assert_eq!(recognise(b"a,b\n1,\xff\n2,3\n", true), Confidence::No);
        assert_eq!(recognise(b"a,b\n1,2\n2,3\n\xe6\x97", false), Confidence::Likely);
    }
}
