//! Cells and rows in the text.

use memchr::{memchr, memchr2, memchr3};
use polywire_core::{Error, ErrorKind, Result};

/// Name in the registry and in errors.
pub const NAME: &str = "csv";

/// The byte order mark that spreadsheets put before UTF-8 text.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// Possible bytes between cells; the header decides. The writer uses the first.
pub const SEPARATORS: [u8; 4] = *b",;\t|";

/// The bytes that mark cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks {
    /// The byte between cells.
    pub separator: u8,
    /// The byte around cells that hold separators or line breaks, if any may be.
    pub quote: Option<u8>,
}

impl Default for Marks {
    fn default() -> Marks {
        Marks { separator: SEPARATORS[0], quote: Some(b'"') }
    }
}

/// One cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Offset of its contents, without quotes.
    pub from: usize,
    /// Offset after its contents.
    pub to: usize,
    /// True if it stands in quotes.
    pub quoted: bool,
    /// True if its contents have escaped quotes (`""`).
    pub doubled: bool,
}

impl Cell {
    /// Returns the offset of its first byte, which may be a quote.
    pub fn start(&self) -> usize {
        self.from - usize::from(self.quoted)
    }

    /// Returns the offset after its last byte.
    pub fn end(&self) -> usize {
        self.to + usize::from(self.quoted)
    }
}

/// Reads the cell that starts at `at`; errors count from `base`.
pub fn cell(bytes: &[u8], at: usize, marks: Marks, base: u64) -> Result<Cell> {
    let Some(quote) = marks.quote else {
        let rest = &bytes[at..];
        let end = memchr3(marks.separator, b'\n', b'\r', rest).map_or(bytes.len(), |end| at + end);
        return Ok(Cell { from: at, to: end, quoted: false, doubled: false });
    };
    if bytes.get(at) == Some(&quote) {
        return quoted(bytes, at + 1, quote, marks.separator, base);
    }
    let rest = &bytes[at..];
    let is_end = |byte: u8| byte == marks.separator || matches!(byte, b'\n' | b'\r') || byte == quote;
    let end = rest.iter().position(|&byte| is_end(byte)).map_or(bytes.len(), |end| at + end);
    if bytes.get(end) == Some(&quote) {
        return Err(Error::data(ErrorKind::Syntax, base + end as u64)
            .seen("a quote within a cell")
            .expected("no quotes, or a cell that begins with one")
            .hint("put the cell in quotes, and write each quote in it twice"));
    }
    Ok(Cell { from: at, to: end, quoted: false, doubled: false })
}

fn quoted(bytes: &[u8], from: usize, quote: u8, separator: u8, base: u64) -> Result<Cell> {
    let mut at = from;
    let mut doubled = false;
    loop {
        let Some(found) = memchr(quote, &bytes[at..]) else {
            return Err(Error::truncated(base + bytes.len() as u64, "the closing quote of a cell"));
        };
        let to = at + found;
        match bytes.get(to + 1) {
            Some(byte) if *byte == quote => {
                doubled = true;
                at = to + 2;
            }
            None | Some(b'\n' | b'\r') => return Ok(Cell { from, to, quoted: true, doubled }),
            Some(byte) if *byte == separator => return Ok(Cell { from, to, quoted: true, doubled }),
            Some(_) => {
                return Err(Error::data(ErrorKind::Syntax, base + to as u64 + 1)
                    .seen("more after the closing quote")
                    .expected("a separator or the end of the row")
                    .hint("write each quote within a cell twice"));
            }
        }
    }
}

/// Puts `raw`, the contents of `cell`, into `out`; two quotes become one.
pub fn unescape(raw: &str, cell: &Cell, marks: Marks, out: &mut String) {
    out.clear();
    let (true, Some(quote)) = (cell.doubled, marks.quote) else { return out.push_str(raw) };
    let mut rest = raw;
    while let Some(found) = memchr(quote, rest.as_bytes()) {
        out.push_str(&rest[..=found]);
        rest = rest.get(found + 2..).unwrap_or_default();
    }
    out.push_str(rest);
}

/// Returns the offset after the line break at `at` (LF, CR LF or CR), or `at`.
pub fn after_break(bytes: &[u8], at: usize) -> usize {
    match &bytes[at..] {
        [b'\r', b'\n', ..] => at + 2,
        [b'\n' | b'\r', ..] => at + 1,
        _ => at,
    }
}

/// Reports whether a row has a single cell. In a table of one column a blank line is a row.
pub fn is_single(row: &[u8], marks: Marks) -> bool {
    cell(row, 0, marks, 0).is_ok_and(|cell| row.get(cell.end()) != Some(&marks.separator))
}

/// Returns the offset of the first byte from `at` on whose line is not blank.
pub fn after_blank_lines(bytes: &[u8], mut at: usize) -> usize {
    loop {
        let next = after_break(bytes, at);
        if next == at {
            return at;
        }
        at = next;
    }
}

/// The search for the end of a row. Line breaks within quotes belong to their cell. Quotes
/// elsewhere than around a cell are an error that must not swallow the rows after it.
#[derive(Debug, Default, Clone, Copy)]
pub struct RowEnd {
    at: usize,
    quote: Option<u8>,
    quoted: bool,
    /// Offset after the last closing quote: a quote right there continues the cell.
    closed: usize,
}

impl RowEnd {
    /// Starts the search in a row that starts at `start`.
    pub fn new(start: usize, quote: Option<u8>) -> RowEnd {
        RowEnd { at: start, quote, quoted: false, closed: usize::MAX }
    }

    /// Returns true while the search is within quotes.
    pub fn is_quoted(&self) -> bool {
        self.quoted
    }

    /// Returns the offset after the line break that ends the row, or `None` if it is not there. A
    /// call with more bytes continues where the last one stopped; `eof` means that there are no
    /// more. A separator of `None` stands for any.
    pub fn find(&mut self, bytes: &[u8], start: usize, separator: Option<u8>, eof: bool) -> Option<usize> {
        let separates = |byte: u8| separator.map_or(SEPARATORS.contains(&byte), |separator| separator == byte);
        loop {
            let rest = &bytes[self.at..];
            let found = match self.quote {
                Some(quote) if self.quoted => memchr(quote, rest),
                Some(quote) => memchr3(quote, b'\n', b'\r', rest),
                None => memchr2(b'\n', b'\r', rest),
            };
            let Some(found) = found.map(|found| self.at + found) else {
                self.at = bytes.len();
                return None;
            };
            if bytes[found] == b'\r' && found + 1 == bytes.len() && !eof {
                // A line feed after it would belong to the break.
                self.at = found;
                return None;
            }
            self.at = found + 1;
            if self.quoted {
                self.quoted = false;
                self.closed = self.at;
            } else if self.quote != Some(bytes[found]) {
                return Some(after_break(bytes, found));
            } else {
                self.quoted = found == start || found == self.closed || separates(bytes[found - 1]);
            }
        }
    }
}

/// Returns the separator that a header has most of, outside of quotes.
pub fn separator(header: &[u8], quote: Option<u8>) -> u8 {
    let mut counts = [0u64; SEPARATORS.len()];
    let mut quoted = false;
    for byte in header {
        if quote == Some(*byte) {
            quoted = !quoted;
        } else if !quoted && let Some(index) = SEPARATORS.iter().position(|separator| separator == byte) {
            counts[index] += 1;
        }
    }
    // `max_by_key` returns the last of equals.
    let most = (0..SEPARATORS.len()).rev().max_by_key(|index| counts[*index]);
    SEPARATORS[most.unwrap_or(0)]
}

/// Returns the offset of a NUL that shows that a header at `start` is UTF-16: one of its first two
/// bytes is NUL, and so is each other byte of the first few.
pub fn looks_like_utf16(bytes: &[u8], start: usize) -> Option<usize> {
    let head = &bytes[start..bytes.len().min(start + 8)];
    let wide = |odd: usize| head.len() >= 4 && head.iter().enumerate().all(|(n, byte)| (*byte == 0) == (n % 2 == odd));
    [0, 1].into_iter().find(|odd| wide(*odd)).map(|odd| start + odd)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(text: &str) -> Result<Vec<&str>> {
        let mut cells = Vec::new();
        let mut at = 0;
        loop {
            let cell = cell(text.as_bytes(), at, Marks::default(), 0)?;
            cells.push(&text[cell.from..cell.to]);
            if text.as_bytes().get(cell.end()) != Some(&b',') {
                return Ok(cells);
            }
            at = cell.end() + 1;
        }
    }

    #[test]
    fn cells_with_and_without_quotes() {
        assert_eq!(contents("a,,\"b,\n\"\"c\"\"\", d \r\n").unwrap(), ["a", "", "b,\n\"\"c\"\"", " d "]);
        assert_eq!(contents("").unwrap(), [""]);
        assert_eq!(contents("a,\"b\"\rc").unwrap(), ["a", "b"]);
        assert_eq!(contents("a,b\rc").unwrap(), ["a", "b"]);
        for (text, at) in [("a\"b", 1), ("\"a\"b", 3), ("\"a\" ,", 3), ("a,\"b", 4)] {
            assert_eq!(contents(text).unwrap_err().offset(), Some(at), "{text:?}");
        }
    }

    #[test]
    fn the_end_of_a_row_is_found_however_the_bytes_arrive() {
        for (text, end) in [
            ("a,b\nc", Some(4)),
            ("a,\"b\n\"\nc", Some(7)),
            ("\"a\"\"\n\",b\r\nc", Some(10)),
            ("a\"b\nc\"\n", Some(4)),
            ("a\"\"b\nc", Some(5)),
            ("a,b\rc", Some(4)),
            ("\"a\rb\"\r\nc", Some(7)),
            ("a\r\rb", Some(2)),
            ("\"a\nb", None),
            ("a,b", None),
        ] {
            assert_eq!(RowEnd::new(0, Some(b'"')).find(text.as_bytes(), 0, Some(b','), true), end, "{text:?}");
            let mut search = RowEnd::new(0, Some(b'"'));
            let stepwise = (0..=text.len()).find_map(|len| search.find(&text.as_bytes()[..len], 0, Some(b','), false));
            assert_eq!(stepwise, end, "{text:?}");
        }
    }

    #[test]
    fn the_header_tells_the_separator() {
        for (header, expected) in
            [("a,b;c,d", b','), ("a;b", b';'), ("a\tb,c\td", b'\t'), ("\"a;b;c\"|d", b'|'), ("a", b','), ("a;b,c", b',')]
        {
            assert_eq!(separator(header.as_bytes(), Some(b'"')), expected, "{header}");
        }
    }
}
