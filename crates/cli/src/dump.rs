//! The rows of an inspection: text with a hex view for people, or JSON for programs.

use std::io;

use anstyle::{AnsiColor, Style};
use polywire_core::tools::inspect::{Row, What};
use polywire_core::value::show::escaped;
use polywire_core::walk::PathStep;
use serde::Serialize;
use unicode_width::UnicodeWidthChar;

/// Columns of a line.
const WIDTH: usize = 100;
/// Bytes that one line of the hex view shows.
const LINE: usize = 16;
/// Most lines of one row's hex view, without `--full`.
const LINES: usize = 4;
/// Columns of the hex view: three per byte, one more between the eighth and the ninth, none at the
/// end.
const HEX: usize = 3 * LINE;
/// Deepest indentation, in columns. Deeper rows show their depth as a number.
const INDENT: usize = 20;

/// Most columns of a word that is moved to the next line instead of being broken.
const LONG_WORD: usize = 32;

const DIM: Style = Style::new().dimmed();
const PLAIN: Style = Style::new();
const CONTAINER: Style = AnsiColor::Cyan.on_default();
const NAME: Style = AnsiColor::Blue.on_default().bold();
const TEXT: Style = AnsiColor::Green.on_default();
const NUMBER: Style = AnsiColor::Yellow.on_default();
const BYTES: Style = AnsiColor::Magenta.on_default();
const BROKEN: Style = AnsiColor::Red.on_default();

/// Look of a text report.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// True for escape sequences of colours.
    pub colour: bool,
    /// True for all bytes and all text of long values.
    pub full: bool,
    /// Hexadecimal digits of an offset.
    pub digits: usize,
    /// Levels of payloads that are opened.
    pub depth: u32,
}

impl Look {
    /// Returns the look of a report about `len` bytes.
    pub fn new(len: usize, colour: bool, full: bool, depth: u32) -> Look {
        let digits = (usize::BITS - len.leading_zeros()).div_ceil(4) as usize;
        Look { colour, full, digits: digits.max(4), depth }
    }
}

/// Writes a row as lines for people: offset, bytes, meaning.
pub fn text(row: &Row<'_>, out: &mut impl io::Write, look: Look) -> io::Result<()> {
    if row.what == What::Message && row.level == 0 {
        // One message alone needs no heading.
        return if row.message == 0 { Ok(()) } else { heading(row, out, look) };
    }
    let lines = row.raw.len().div_ceil(LINE);
    // A line that reports one more line would take its place.
    let shown = if look.full || lines == LINES + 1 { lines } else { lines.min(LINES) };
    let left = row.raw.len().saturating_sub(shown * LINE);
    let room = match row.what {
        _ if look.full => usize::MAX,
        What::Unread => LINES.max(shown),
        _ => shown.max(2),
    };
    let meaning = meaning(row, WIDTH - look.digits - 2 - HEX - 2, room, look);
    let of_bytes = match row.what {
        What::Open | What::Close => CONTAINER,
        What::Field | What::Key => NAME,
        What::Value | What::Part => PLAIN,
        What::Message | What::Note | What::Syntax | What::Payload => DIM,
        What::Unread => BROKEN,
    };
    for n in 0..shown.max(meaning.len()).max(1) {
        let bytes = &row.raw[(n * LINE).min(row.raw.len())..(n * LINE + LINE).min(row.raw.len())];
        let bytes = if n < shown { bytes } else { &[] };
        let mut line = Line { out, colour: look.colour, column: 0 };
        if !bytes.is_empty() {
            // An offset that does not count from the start of the input is marked.
            let mark = if row.decoded { "+" } else { "" };
            line.put(DIM, &format!("{mark}{:0width$x}", row.bytes.start as usize + n * LINE, width = look.digits))?;
            line.pad(look.digits + 2)?;
            line.put(of_bytes, &hex(bytes))?;
        } else if n == 0 {
            line.pad(look.digits + 2)?;
            line.put(DIM, &without_bytes(row))?;
        } else if n == shown && left > 0 {
            line.pad(look.digits + 2)?;
            line.put(DIM, &more(left))?;
        }
        for (at, (style, words)) in meaning.get(n).into_iter().flatten().enumerate() {
            if at == 0 {
                line.pad(look.digits + 2 + HEX + 2)?;
            }
            line.put(*style, words)?;
        }
        line.end()?;
    }
    if left > 0 && meaning.len() <= shown {
        let mut line = Line { out, colour: look.colour, column: 0 };
        line.pad(look.digits + 2)?;
        line.put(DIM, &more(left))?;
        line.end()?;
    }
    Ok(())
}

fn heading(row: &Row<'_>, out: &mut impl io::Write, look: Look) -> io::Result<()> {
    let mut line = Line { out, colour: look.colour, column: 0 };
    let text = format!("── message {}, {} ", row.message + 1, row.value);
    let rule = "─".repeat(WIDTH.saturating_sub(text.chars().count()));
    line.put(DIM, &format!("{text}{rule}"))?;
    line.end()
}

fn more(left: usize) -> String {
    format!("… {left} bytes more")
}

/// Returns the text in place of the bytes of a row without bytes.
fn without_bytes(row: &Row<'_>) -> String {
    match row.what {
        What::Payload | What::Message => String::new(),
        What::Unread if row.level > 0 => "it ends here".to_string(),
        What::Unread => "the input ends here".to_string(),
        _ if row.at.is_empty() => "no bytes of its own".to_string(),
        _ => format!("among {:04x} to {:04x} above", row.at.start, row.at.end - 1),
    }
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(HEX);
    for (n, byte) in bytes.iter().enumerate() {
        if n > 0 {
            text.push_str(if n == LINE / 2 { "  " } else { " " });
        }
        text.extend([byte >> 4, byte & 15].map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])));
    }
    text
}

/// Line of output, with its current column.
struct Line<'a, W> {
    out: &'a mut W,
    colour: bool,
    column: usize,
}

impl<W: io::Write> Line<'_, W> {
    fn put(&mut self, style: Style, text: &str) -> io::Result<()> {
        self.column += text.chars().map(columns).sum::<usize>();
        if self.colour && style != PLAIN { write!(self.out, "{style}{text}{style:#}") } else { write!(self.out, "{text}") }
    }

    fn pad(&mut self, to: usize) -> io::Result<()> {
        let spaces = to.saturating_sub(self.column);
        self.column += spaces;
        write!(self.out, "{:spaces$}", "")
    }

    fn end(self) -> io::Result<()> {
        writeln!(self.out)
    }
}

fn columns(c: char) -> usize {
    c.width().unwrap_or(0)
}

type Styled = Vec<(Style, String)>;

/// Returns the meaning of a row in at most `room` lines of `width` columns, indented by its depth.
fn meaning(row: &Row<'_>, width: usize, room: usize, look: Look) -> Vec<Styled> {
    let indent = (2 * row.depth).min(INDENT);
    let mut flow = Flow { lines: vec![Vec::new()], column: 0, width, indent, room, cut: false };
    flow.start_line();
    if 2 * row.depth > INDENT {
        flow.words(DIM, &format!("{}: ", row.depth));
    }
    if let (Some(PathStep::Index(index)), What::Open | What::Value | What::Part) = (row.label, row.what) {
        flow.words(DIM, &format!("[{index}] "));
    }
    if let Some(PathStep::Name(name) | PathStep::Key(name)) = row.label.filter(|_| row.named) {
        let mut shown = String::new();
        escaped(name, usize::MAX, &mut shown);
        flow.words(NAME, &format!("{shown}: "));
    }
    // It comes first, since a long value may be cut.
    if let Some(contents) = row.holds.filter(|_| row.what != What::Payload && row.level >= look.depth) {
        flow.words(DIM, &format!("(looks like {contents}) "));
    }
    match row.what {
        What::Field => flow.words(NAME, &format!("{}:", row.value)),
        What::Key => flow.words(NAME, &format!("key {}:", row.value)),
        What::Open => {
            flow.words(CONTAINER, row.kind);
            if !row.value.is_empty() {
                flow.words(CONTAINER, &format!(" {}", row.value));
            }
        }
        What::Close => flow.words(CONTAINER, &format!("end of {}", row.kind)),
        What::Syntax => flow.words(DIM, &glyphs(row.raw)),
        What::Unread if row.kind == "not decoded" => flow.words(BROKEN, row.value),
        What::Unread if row.at.is_empty() => flow.words(BROKEN, &format!("cut off: {}", row.value)),
        What::Unread => flow.words(BROKEN, &format!("wrong at {:04x}: {}", row.at.start, row.value)),
        What::Note => flow.words(DIM, format!("{} {}", row.kind, row.value).trim()),
        What::Payload => {
            flow.words(CONTAINER, &format!("↳ {}, {} bytes", row.holds.map_or_else(String::new, ToString::to_string), row.at.len()));
        }
        What::Message => flow.words(DIM, &format!("── message {}, {}", row.message + 1, row.value)),
        What::Value | What::Part => {
            match row.kind {
                "null" | "bool" | "integer" | "text" | "bytes" => {}
                _ if row.what == What::Part => flow.words(DIM, "part "),
                kind => flow.words(DIM, &format!("{kind} ")),
            }
            flow.words(style_of(row.kind), row.value);
        }
    }
    for note in row.notes {
        flow.words(DIM, &format!(" ({note})"));
    }
    flow.lines
}

fn style_of(kind: &str) -> Style {
    match kind {
        "text" | "octets" | "part of text" | "part of octets" => TEXT,
        "bytes" | "part of bytes" => BYTES,
        _ => NUMBER,
    }
}

/// Returns punctuation as it is, and white space made visible; `None` for bytes that are not ASCII
/// text.
fn glyphs(raw: &[u8]) -> String {
    let glyph = |byte: &u8| match byte {
        b'\n' => Some('↵'),
        b'\r' => Some('␍'),
        b'\t' => Some('→'),
        b' ' => Some('·'),
        b'!'..=b'~' => Some(char::from(*byte)),
        _ => None,
    };
    raw.iter().take(256).map(glyph).collect::<Option<String>>().unwrap_or_default()
}

/// Breaks text into lines, between words if possible.
struct Flow {
    lines: Vec<Styled>,
    column: usize,
    width: usize,
    indent: usize,
    room: usize,
    cut: bool,
}

impl Flow {
    fn start_line(&mut self) {
        // Lines after the first are indented further.
        let indent = self.indent + if self.lines.len() > 1 { 2 } else { 0 };
        self.column = indent;
        if let Some(line) = self.lines.last_mut() {
            line.push((PLAIN, " ".repeat(indent)));
        }
    }

    fn words(&mut self, style: Style, text: &str) {
        for word in text.split_inclusive(' ') {
            let wide: usize = word.trim_end_matches(' ').chars().map(columns).sum();
            let fresh = self.width - self.indent - 2;
            if self.column + wide > self.width && wide <= fresh && wide <= LONG_WORD && !self.new_line() {
                return;
            }
            for c in word.chars() {
                if self.column + columns(c) > self.width {
                    if c == ' ' {
                        continue;
                    }
                    if !self.new_line() {
                        return;
                    }
                }
                self.put(style, c);
            }
        }
    }

    /// Returns false if there is no room for another line, and the text is cut.
    fn new_line(&mut self) -> bool {
        if self.lines.len() < self.room {
            if let Some((_, text)) = self.lines.last_mut().and_then(|line| line.last_mut()) {
                text.truncate(text.trim_end_matches(' ').len());
            }
            self.lines.push(Vec::new());
            self.start_line();
            return true;
        }
        if !self.cut {
            self.cut = true;
            while self.column + 1 > self.width {
                let Some((_, text)) = self.lines.last_mut().and_then(|line| line.last_mut()) else { break };
                let Some(c) = text.pop() else { break };
                self.column -= columns(c);
            }
            self.put(DIM, '…');
        }
        false
    }

    fn put(&mut self, style: Style, c: char) {
        self.column += columns(c);
        let Some(line) = self.lines.last_mut() else { return };
        match line.last_mut() {
            Some((last, text)) if *last == style => text.push(c),
            _ => line.push((style, c.to_string())),
        }
    }
}

/// Writes a row as one line of JSON: an object with the keys `message`, `start`, `end`, `depth`,
/// `what`, `label`, `kind`, `value`, `notes`.
///
/// `at` is there if the reader places the value at other bytes than the row's. `holds` names the
/// payload: its `format`, and its `codecs` from the outermost. In payloads, `level` is there, and
/// `decoded`: true if offsets count from the start of the decoded payload.
pub fn json(row: &Row<'_>, out: &mut impl io::Write) -> io::Result<()> {
    let record = Record {
        message: row.message,
        start: row.bytes.start,
        end: row.bytes.end,
        depth: row.depth,
        what: row.what.name(),
        label: match row.label {
            None => None,
            Some(PathStep::Name(name) | PathStep::Key(name)) => Some(Label::Name(name)),
            Some(PathStep::Index(index)) => Some(Label::Index(*index)),
            Some(PathStep::Each | PathStep::Slice(_)) => Some(Label::Name("[]")),
        },
        kind: row.kind,
        value: row.value,
        notes: row.notes,
        at: (row.at != row.bytes).then_some([row.at.start, row.at.end]),
        holds: row
            .holds
            .map(|contents| Holds { format: contents.format.name, codecs: contents.codecs.iter().map(|codec| codec.name).collect() }),
        level: (row.level > 0).then_some(row.level),
        decoded: (row.level > 0).then_some(row.decoded),
    };
    serde_json::to_writer(&mut *out, &record)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Record<'a> {
    message: u64,
    start: u64,
    end: u64,
    depth: usize,
    what: &'static str,
    label: Option<Label<'a>>,
    kind: &'a str,
    value: &'a str,
    notes: &'a [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    holds: Option<Holds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decoded: Option<bool>,
}

#[derive(Serialize)]
struct Holds {
    format: &'static str,
    codecs: Vec<&'static str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Label<'a> {
    Name(&'a str),
    Index(u64),
}
