//! The rows of an inspection as text with a hex view, for people.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use anstyle::{AnsiColor, Style};
use polywire_core::Span;
use polywire_core::tools::inspect::{Row, What};
use polywire_core::value::show::escaped;
use polywire_core::walk::PathStep;
use unicode_width::UnicodeWidthChar;

/// Columns of a line where there is no terminal.
pub const WIDTH: usize = 100;
/// Columns that the meaning of a row has at least, where lines are wide enough.
const ROOM: usize = 36;
/// Most lines of one row's hex view, without `--full`.
const LINES: usize = 4;
/// Bytes of lines that are written at once.
const CHUNK: usize = 64 << 10;
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
const PLACE: Style = Style::new().bold();

/// Look of a text report.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// True for escape sequences of colours.
    pub colour: bool,
    /// True for all bytes and all text of long values.
    pub full: bool,
    /// Levels of payloads that are opened.
    pub depth: u32,
    /// Columns of a line.
    width: usize,
    /// Hexadecimal digits of an offset.
    digits: usize,
    /// Bytes that one line shows.
    bytes: usize,
    /// True if offsets have a bit.
    bits: bool,
}

/// Place of a line: an offset, and a bit in formats whose values begin anywhere in a byte.
#[derive(Clone, Copy)]
struct Place {
    offset: u64,
    bit: Option<u64>,
}

impl Look {
    /// Returns the look of a report about `len` bytes in lines of `width` columns. If the length is
    /// not known, offsets have 8 digits.
    pub fn new(len: Option<u64>, width: usize, colour: bool, full: bool, depth: u32) -> Look {
        let digits = len.map_or(8, |len| (u64::BITS - len.leading_zeros()).div_ceil(4) as usize).max(4);
        let rest = |bytes: usize| width.saturating_sub(digits + 2 + hex_columns(bytes) + 2 + bytes + 2 + 2);
        let bytes = [32, 16, 8].into_iter().find(|bytes| rest(*bytes) >= ROOM);
        let bytes = bytes.unwrap_or(if rest(8) >= ROOM / 2 { 8 } else { 4 });
        // A line holds an offset, some bytes, and a few words at least.
        let width = width.max(digits + 2 + hex_columns(bytes) + 2 + bytes + 2 + 2 + INDENT + 8);
        Look { colour, full, depth, width, digits, bytes, bits: false }
    }

    /// Leaves room for the bits of offsets, in formats whose values begin anywhere in a byte.
    #[must_use]
    pub fn counting_bits(self, bits: bool) -> Look {
        Look { bits, width: self.width + if bits { 2 } else { 0 }, ..self }
    }

    /// Returns the columns of an offset, and of the space behind it.
    fn offset_columns(&self) -> usize {
        self.digits + if self.bits { 4 } else { 2 }
    }

    /// Returns the column of the bytes as text.
    fn ascii_column(&self) -> usize {
        self.offset_columns() + hex_columns(self.bytes) + 2
    }

    /// Returns the column of the meaning.
    fn meaning_column(&self) -> usize {
        self.ascii_column() + self.bytes + 2 + 2
    }
}

/// Returns the bits of bytes that lie in a span, with points for the others, and a space between
/// bytes.
fn pattern(bits: Span, bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 9);
    for (byte, first) in bytes.iter().zip((bits.start & !7..).step_by(8)) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.extend((0..8).map(|bit| match (first + bit, byte & 0x80 >> bit) {
            (at, _) if at < bits.start || at >= bits.end => '.',
            (_, 0) => '0',
            _ => '1',
        }));
    }
    text
}

/// Returns the columns of some bytes in hexadecimal: three per byte, one more after each eighth,
/// none at the end.
const fn hex_columns(bytes: usize) -> usize {
    3 * bytes - 1 + bytes.div_ceil(8) - 1
}

/// Writes rows as lines for people: offset, bytes, the same as text, meaning. Its memory is used
/// for row after row.
pub struct Printer {
    look: Look,
    /// The meaning of the row, in pieces of one style each.
    meaning: Meaning,
    /// Lines that were not written yet.
    out: Vec<u8>,
    /// Columns that the current line has.
    column: usize,
    /// The path that was written last.
    place: String,
}

/// Words in pieces of one style each.
#[derive(Default)]
struct Meaning {
    words: String,
    /// Style of a piece, and its end in `words`.
    pieces: Vec<(Style, usize)>,
}

impl Meaning {
    fn clear(&mut self) {
        self.words.clear();
        self.pieces.clear();
    }

    fn put(&mut self, style: Style, words: &str) {
        self.words.push_str(words);
        self.end(style);
    }

    /// Gives a style to all words after the last piece.
    fn end(&mut self, style: Style) {
        self.pieces.push((style, self.words.len()));
    }

    fn iter(&self) -> impl Iterator<Item = (Style, &str)> {
        let mut start = 0;
        self.pieces.iter().map(move |(style, end)| (*style, &self.words[std::mem::replace(&mut start, *end)..*end]))
    }

    fn columns(&self) -> usize {
        if self.words.is_ascii() { self.words.len() } else { self.words.chars().map(columns).sum() }
    }
}

impl Printer {
    /// Makes a printer of this look.
    pub fn new(look: Look) -> Printer {
        Printer { look, meaning: Meaning::default(), out: Vec::new(), column: 0, place: String::new() }
    }

    /// Adds all lines of a row, and writes lines once there are many.
    pub fn row(&mut self, row: &Row<'_>, to: &mut impl io::Write) -> io::Result<()> {
        self.add(row);
        if self.out.len() >= CHUNK { self.write(to) } else { Ok(()) }
    }

    /// Writes the lines that were not written yet.
    pub fn write(&mut self, to: &mut impl io::Write) -> io::Result<()> {
        to.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }

    fn add(&mut self, row: &Row<'_>) {
        if row.what == What::Message && row.level == 0 {
            // One message alone needs no heading, if all of it is shown.
            self.place.clear();
            if row.message > 0 || row.path.is_some() {
                self.heading(row);
            }
            return;
        }
        if let Some(path) = row.path.filter(|_| row.stands_alone()) {
            let place = path.to_string();
            // A name and its value are at the same path.
            if place != self.place {
                self.put(PLACE, &place);
                self.end_line();
                self.place = place;
            }
        }
        self.lines(row);
    }

    /// Adds a remark on a line of its own.
    pub fn remark(&mut self, remark: &str) {
        self.put(DIM, remark);
        self.end_line();
    }

    fn heading(&mut self, row: &Row<'_>) {
        let text = format!("── message {}, {} ", row.message + 1, row.value);
        let rule = "─".repeat(self.look.width.saturating_sub(text.chars().count()));
        self.put(DIM, &format!("{text}{rule}"));
        self.end_line();
    }

    fn lines(&mut self, row: &Row<'_>) {
        let look = self.look;
        let lines = row.raw.len().div_ceil(look.bytes);
        // A line that reports one more line would take its place.
        let shown = if look.full || lines == LINES + 1 { lines } else { lines.min(LINES) };
        let left = row.raw.len().saturating_sub(shown * look.bytes);
        self.meaning.clear();
        let indent = (2 * row.depth).min(INDENT);
        meaning(row, &mut self.meaning, look);
        let width = look.width - look.meaning_column();
        let fits = indent + self.meaning.columns() <= width;
        let broken = if fits {
            Vec::new()
        } else {
            let room = match row.what {
                _ if look.full => usize::MAX,
                What::Unread => LINES.max(shown),
                _ => shown.max(2),
            };
            let mut flow = Flow { lines: vec![Vec::new()], column: 0, width, indent, room, cut: false };
            flow.start_line();
            self.meaning.iter().for_each(|(style, words)| flow.words(style, words));
            flow.lines
        };
        let of_bytes = match row.what {
            What::Open | What::Close => CONTAINER,
            What::Field | What::Key => NAME,
            What::Value | What::Part => PLAIN,
            What::Message | What::Note | What::Syntax | What::Payload => DIM,
            What::Unread => BROKEN,
        };
        // A few bits are shown as such: their bytes hold those of other rows too.
        let of_bits = row.bits.filter(|bits| row.raw.len() * 9 <= look.bytes + 1 && (bits.start & 7 != 0 || bits.end & 7 != 0));
        for n in 0..shown.max(broken.len()).max(1) {
            let bytes = &row.raw[(n * look.bytes).min(row.raw.len())..(n * look.bytes + look.bytes).min(row.raw.len())];
            let bytes = if n < shown { bytes } else { &[] };
            let offset = row.bytes.start + (n * look.bytes) as u64;
            let place = Place { offset, bit: row.bits.map(|bits| if n == 0 { bits.start & 7 } else { 0 }) };
            if !bytes.is_empty() && !look.colour {
                self.plain_bytes(place, row.decoded, bytes, of_bits);
            } else if !bytes.is_empty() {
                self.offset(place, row.decoded);
                self.pad(look.offset_columns());
                self.hex(of_bytes, bytes);
                self.pad(look.ascii_column());
                match of_bits {
                    Some(bits) => self.bits(bits, bytes),
                    None => self.ascii(bytes),
                }
            } else if n == 0 {
                self.pad(look.offset_columns());
                self.put(DIM, &without_bytes(row));
            } else if n == shown && left > 0 {
                self.pad(look.offset_columns());
                self.put(DIM, &more(left));
            }
            if fits && n == 0 && !self.meaning.words.is_empty() {
                self.pad(look.meaning_column() + indent);
                self.all_meaning();
            }
            for (at, (style, words)) in broken.get(n).into_iter().flatten().enumerate() {
                if at == 0 {
                    self.pad(look.meaning_column());
                }
                self.put(*style, words);
            }
            self.end_line();
        }
        if left > 0 && broken.len() <= shown {
            self.pad(look.offset_columns());
            self.put(DIM, &more(left));
            self.end_line();
        }
    }

    /// Writes the offset of a line. One that does not count from the start of the input is marked.
    fn offset(&mut self, place: Place, decoded: bool) {
        let Place { offset, bit } = place;
        let start = self.start_style(DIM);
        if decoded {
            self.out.push(b'+');
            self.column += 1;
        }
        let digits = ((u64::BITS - offset.leading_zeros()).div_ceil(4) as usize).max(self.look.digits);
        for digit in (0..digits).rev() {
            self.out.push(DIGITS[(offset >> (4 * digit)) as usize & 15]);
        }
        self.column += digits;
        if let Some(bit) = bit {
            self.out.extend_from_slice(&[b'.', DIGITS[bit as usize & 7]]);
            self.column += 2;
        }
        self.end_style(DIM, start);
    }

    /// Writes the start of a line without colours in one piece: offset, bytes, the bytes as text.
    fn plain_bytes(&mut self, place: Place, decoded: bool, bytes: &[u8], of_bits: Option<Span>) {
        let Place { offset, bit } = place;
        let pattern = of_bits.map(|bits| pattern(bits, bytes));
        let text_columns = pattern.as_ref().map_or(bytes.len(), String::len);
        let look = self.look;
        let mark = usize::from(decoded);
        let digits = ((u64::BITS - offset.leading_zeros()).div_ceil(4) as usize).max(look.digits);
        let hex = (mark + digits + if bit.is_some() { 3 } else { 0 }).max(look.offset_columns());
        let ascii = (hex + hex_columns(bytes.len())).max(look.ascii_column());
        let start = self.out.len();
        spaces(&mut self.out, ascii + text_columns + 2);
        let line = &mut self.out[start..];
        if decoded {
            line[0] = b'+';
        }
        let mut rest = offset;
        for at in (mark..mark + digits).rev() {
            line[at] = DIGITS[(rest & 15) as usize];
            rest >>= 4;
        }
        if let Some(bit) = bit {
            (line[mark + digits], line[mark + digits + 1]) = (b'.', DIGITS[bit as usize & 7]);
        }
        let (mut at, mut text) = (hex, ascii);
        line[text] = b'|';
        if let Some(pattern) = &pattern {
            line[text + 1..text + 1 + pattern.len()].copy_from_slice(pattern.as_bytes());
        }
        for (n, byte) in bytes.iter().enumerate() {
            // One more space stands before each eighth byte.
            at += usize::from(n > 0 && n % 8 == 0);
            (line[at], line[at + 1]) = (DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]);
            at += 3;
            text += 1;
            if pattern.is_none() {
                line[text] = if matches!(byte, b' '..=b'~') { *byte } else { b'.' };
            }
        }
        line[ascii + text_columns + 1] = b'|';
        self.column = ascii + text_columns + 2;
    }

    fn hex(&mut self, style: Style, bytes: &[u8]) {
        let start = self.start_style(style);
        for (n, byte) in bytes.iter().enumerate() {
            if n > 0 {
                self.out.extend_from_slice(if n % 8 == 0 { b"  " } else { b" " });
            }
            self.out.extend_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
        self.column += hex_columns(bytes.len());
        self.end_style(style, start);
    }

    /// Writes the bits of bytes, with points for those of other rows.
    fn bits(&mut self, bits: Span, bytes: &[u8]) {
        let start = self.start_style(DIM);
        let pattern = pattern(bits, bytes);
        self.out.push(b'|');
        self.out.extend_from_slice(pattern.as_bytes());
        self.out.push(b'|');
        self.column += pattern.len() + 2;
        self.end_style(DIM, start);
    }

    /// Writes bytes as ASCII text, with points for what is not printable.
    fn ascii(&mut self, bytes: &[u8]) {
        let start = self.start_style(DIM);
        self.out.push(b'|');
        self.out.extend(bytes.iter().map(|byte| if matches!(byte, b' '..=b'~') { *byte } else { b'.' }));
        self.out.push(b'|');
        self.column += bytes.len() + 2;
        self.end_style(DIM, start);
    }

    fn all_meaning(&mut self) {
        if !self.look.colour {
            self.out.extend_from_slice(self.meaning.words.as_bytes());
            return;
        }
        let meaning = std::mem::take(&mut self.meaning);
        meaning.iter().for_each(|(style, words)| self.put(style, words));
        self.meaning = meaning;
    }

    fn put(&mut self, style: Style, text: &str) {
        self.column += if text.is_ascii() { text.len() } else { text.chars().map(columns).sum() };
        let start = self.start_style(style);
        self.out.extend_from_slice(text.as_bytes());
        self.end_style(style, start);
    }

    /// Starts a style; returns whether it has to be ended.
    fn start_style(&mut self, style: Style) -> bool {
        let starts = self.look.colour && style != PLAIN;
        if starts {
            // Writing to memory cannot fail.
            let _ = write!(self.out, "{style}");
        }
        starts
    }

    fn end_style(&mut self, style: Style, started: bool) {
        if started {
            let _ = write!(self.out, "{style:#}");
        }
    }

    fn pad(&mut self, to: usize) {
        let missing = to.saturating_sub(self.column);
        spaces(&mut self.out, missing);
        self.column += missing;
    }

    fn end_line(&mut self) {
        self.out.push(b'\n');
        self.column = 0;
    }
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Appends spaces.
fn spaces(out: &mut Vec<u8>, mut count: usize) {
    const SPACES: &[u8; 128] = &[b' '; 128];
    while count > SPACES.len() {
        out.extend_from_slice(SPACES);
        count -= SPACES.len();
    }
    out.extend_from_slice(&SPACES[..count]);
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

fn columns(c: char) -> usize {
    // The others are those that rows are made of.
    if matches!(c, ' '..='~' | '·' | '─' | '…' | '↵') { 1 } else { c.width().unwrap_or(0) }
}

type Styled = Vec<(Style, String)>;

/// Appends the meaning of a row to `to`, without its indentation.
fn meaning(row: &Row<'_>, to: &mut Meaning, look: Look) {
    // Writing to a String cannot fail.
    macro_rules! put {
        ($style:expr, $($args:tt)*) => {{
            let _ = write!(to.words, $($args)*);
            to.end($style);
        }};
    }
    if 2 * row.depth > INDENT {
        put!(DIM, "{}: ", row.depth);
    }
    if let (Some(PathStep::Index(index)), What::Open | What::Value | What::Part) = (row.label, row.what) {
        put!(DIM, "[{index}] ");
    }
    if let Some(PathStep::Name(name) | PathStep::Key(name)) = row.label.filter(|_| row.named) {
        escaped(name, usize::MAX, &mut to.words);
        to.put(NAME, ": ");
    }
    // It comes first, since a long value may be cut.
    if let Some(contents) = row.holds.filter(|_| row.what != What::Payload && row.level >= look.depth) {
        put!(DIM, "(looks like {contents}) ");
    }
    match row.what {
        What::Field => {
            to.words.push_str(row.value);
            to.put(NAME, ":");
        }
        What::Key => put!(NAME, "key {}:", row.value),
        What::Open => {
            to.words.push_str(row.kind);
            if !row.value.is_empty() {
                to.words.push(' ');
                to.words.push_str(row.value);
            }
            to.end(CONTAINER);
        }
        What::Close => put!(CONTAINER, "end of {}", row.kind),
        What::Syntax => {
            glyphs(row.raw, &mut to.words);
            to.end(DIM);
        }
        What::Unread if row.kind == "not decoded" => to.put(BROKEN, row.value),
        What::Unread if row.at.is_empty() => put!(BROKEN, "cut off: {}", row.value),
        What::Unread => put!(BROKEN, "wrong at {:04x}: {}", row.at.start, row.value),
        What::Note => to.put(DIM, format!("{} {}", row.kind, row.value).trim()),
        What::Payload => {
            put!(CONTAINER, "↳ {}, {} bytes", row.holds.map_or_else(String::new, ToString::to_string), row.at.len());
        }
        What::Message => put!(DIM, "── message {}, {}", row.message + 1, row.value),
        What::Value | What::Part => {
            match row.kind {
                "null" | "bool" | "integer" | "text" | "bytes" => {}
                _ if row.what == What::Part => to.put(DIM, "part "),
                kind => {
                    to.words.push_str(kind);
                    to.put(DIM, " ");
                }
            }
            to.put(if look.colour { style_of(row.kind) } else { PLAIN }, row.value);
        }
    }
    for note in row.notes {
        put!(DIM, " ({note})");
    }
}

fn style_of(kind: &str) -> Style {
    match kind {
        "text" | "octets" | "part of text" | "part of octets" => TEXT,
        "bytes" | "part of bytes" => BYTES,
        _ => NUMBER,
    }
}

/// Appends punctuation as it is, and white space made visible; nothing for bytes that are not ASCII
/// text.
fn glyphs(raw: &[u8], to: &mut String) {
    let start = to.len();
    for byte in raw.iter().take(256) {
        match byte {
            b'\n' => to.push('↵'),
            b'\r' => to.push('␍'),
            b'\t' => to.push('→'),
            b' ' => to.push('·'),
            b'!'..=b'~' => to.push(char::from(*byte)),
            _ => return to.truncate(start),
        }
    }
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
