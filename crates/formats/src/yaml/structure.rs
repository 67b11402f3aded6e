//! The structure of YAML documents in block style: sequences and mappings by their indentation,
//! line by line (YAML 1.2.2 section 8.2).

use std::borrow::Cow;

use polywire_core::walk::{Amended, Shape, Step, Structure};
use polywire_core::{Error, ErrorKind, Frame, Reader, Result};
use polywire_json::cursor::Cursor;

use super::frame::BOM;

/// The structure of YAML documents, one after the other. Flow collections are not entered.
#[derive(Debug, Default)]
pub(super) struct YamlStructure {
    levels: Vec<Level>,
    /// Column of the first byte of the buffer, if that stands behind others in its line.
    column: Option<usize>,
    /// The node of the value that was found last.
    node: Option<Node>,
    /// The end of the value under way lies not before this offset.
    searched: usize,
    /// A part of the value under way was stepped over.
    is_inside: bool,
    /// A flow collection was entered.
    flow: bool,
    /// Offset of the dash in the element of a sequence that was found last.
    blank: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    /// Column of its entries.
    indent: usize,
    is_list: bool,
}

/// A node: where it starts, behind its indicator.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// Offset of its first byte, or of its line if it begins one.
    at: usize,
    column: usize,
    begins_line: bool,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    List,
    Map,
    Flow { is_list: bool },
    Scalar,
}

/// A line, or what is left of one.
#[derive(Debug, Clone, Copy)]
struct Line<'b> {
    /// Column of its first byte that is no space.
    column: usize,
    /// Offset of that byte.
    at: usize,
    /// Its contents from there.
    text: &'b [u8],
    /// Offset of the next line.
    next: usize,
}

impl Line<'_> {
    /// Reports whether nothing stands in it but a comment.
    fn is_blank(&self) -> bool {
        matches!(self.text.trim_ascii().first(), None | Some(b'#'))
    }

    /// Reports whether it separates documents.
    fn is_mark(&self) -> bool {
        self.column == 0 && [&b"---"[..], b"..."].iter().any(|mark| self.text.strip_prefix(*mark).is_some_and(is_apart))
    }

    fn is_item(&self) -> bool {
        self.text.strip_prefix(b"-").is_some_and(is_apart)
    }
}

/// Reports whether an indicator stands apart from what follows it.
fn is_apart(rest: &[u8]) -> bool {
    matches!(rest.first(), None | Some(b' ' | b'\t' | b'\n' | b'\r'))
}

impl YamlStructure {
    /// Returns the line that begins at `at`, where `column` bytes stand before it; `None` if more
    /// bytes are needed.
    fn line(buf: &[u8], at: usize, column: usize, eof: bool) -> Option<Line<'_>> {
        let rest = buf.get(at..)?;
        let next = match memchr::memchr(b'\n', rest) {
            Some(end) => at + end + 1,
            None if eof => buf.len(),
            None => return None,
        };
        let text = &buf[at..next];
        let marked = if at == 0 && text.starts_with(BOM) { BOM.len() } else { 0 };
        let spaces = text[marked..].iter().take_while(|byte| **byte == b' ').count();
        Some(Line { column: column + spaces, at: at + marked + spaces, text: &text[marked + spaces..], next })
    }

    /// Finds the node behind an indicator that ends at `at`, in column `column`. Its lines are
    /// indented by more than `parent`, or by as much if it is a sequence and `same` is true.
    fn node(buf: &[u8], at: usize, column: usize, parent: Option<usize>, same: bool, eof: bool) -> Option<Node> {
        let line = YamlStructure::line(buf, at, column, eof)?;
        let scalar = |at, column| Some(Node { at, column, begins_line: false, kind: Kind::Scalar });
        let mut text = line.text;
        text = unmarked(text);
        let is_marked = text.len() < line.text.len();
        if !matches!(text.trim_ascii().first(), None | Some(b'#')) {
            return Some(Node { at: line.at, column: line.column, begins_line: false, kind: kind(text) });
        }
        let mut next = line.next;
        loop {
            if next >= buf.len() && eof {
                return scalar(line.at.min(buf.len()), line.column);
            }
            let below = YamlStructure::line(buf, next, 0, eof)?;
            if below.is_blank() {
                next = below.next;
                continue;
            }
            let is_inside = parent.is_none_or(|parent| below.column > parent || same && below.column == parent && below.is_item());
            if below.is_mark() || !is_inside {
                return scalar(line.at, line.column);
            }
            let kind = kind(below.text);
            let at = if is_marked { line.at } else { next };
            return Some(Node { at, column: below.column, begins_line: !is_marked, kind });
        }
    }

    fn missing<'s>(&self, base: u64, buf: &[u8], eof: bool) -> Result<Step<'s>> {
        match eof {
            true => Err(Error::truncated(base + buf.len() as u64, "a value").format_is("yaml")),
            false => Ok(Step::More(1)),
        }
    }

    fn found<'s>(&mut self, node: Node, at: usize, name: Option<Cow<'s, str>>) -> Step<'s> {
        self.node = Some(Node { at: node.at - at, ..node });
        let shape = match node.kind {
            Kind::List | Kind::Flow { is_list: true } => Shape::List,
            Kind::Map | Kind::Flow { .. } => Shape::Named,
            Kind::Scalar => Shape::Scalar,
        };
        self.searched = 0;
        Step::Value { at, shape, name }
    }
}

impl Structure for YamlStructure {
    fn next<'s>(&'s mut self, buf: &'s [u8], base: u64, eof: bool) -> Result<Step<'s>> {
        let unsupported = |at: usize, seen: &'static str| {
            let error = Error::data(ErrorKind::Unsupported, base + at as u64).seen(seen);
            Err(error
                .expected("sequences and mappings in block style on the way to entries")
                .hint("convert the document to json first, whose entries can be read")
                .format_is("yaml"))
        };
        if self.flow {
            return unsupported(0, "a flow collection");
        }
        let mut at = 0;
        let line = loop {
            if at >= buf.len() && eof {
                return Ok(match self.levels.pop() {
                    Some(_) => {
                        self.passed();
                        Step::Close(buf.len())
                    }
                    None => Step::End,
                });
            }
            let column = if at == 0 { self.column.unwrap_or(0) } else { 0 };
            let Some(line) = YamlStructure::line(buf, at, column, eof) else { return self.missing(base, buf, eof) };
            let is_passed = line.is_blank()
                || self.levels.is_empty() && (line.is_mark() && line.text[3..].trim_ascii().is_empty() || line.text.starts_with(b"%"));
            if !is_passed {
                break line;
            }
            self.column = None;
            at = line.next;
        };
        let Some(level) = self.levels.last().copied() else {
            // Contents may stand behind the mark of the document's start.
            let mark = if line.is_mark() { 3 } else { 0 };
            let (from, column) = if mark > 0 { (line.at + mark, mark) } else { (at, 0) };
            let Some(node) = YamlStructure::node(buf, from, column, None, false, eof) else { return self.missing(base, buf, eof) };
            let node = if mark == 0 && node.at == line.at { Node { at, begins_line: true, ..node } } else { node };
            let at = if mark > 0 { node.at } else { at };
            return Ok(self.found(node, at, None));
        };
        if line.is_mark() || line.column < level.indent || level.is_list && line.column == level.indent && !line.is_item() {
            self.levels.pop();
            self.passed();
            return Ok(Step::Close(0));
        }
        if line.column > level.indent {
            let error = Error::data(ErrorKind::Syntax, base + line.at as u64).seen(format!("an entry in column {}", line.column + 1));
            return Err(error.expected(format!("one in column {}", level.indent + 1)).format_is("yaml"));
        }
        if level.is_list {
            let Some(node) = YamlStructure::node(buf, line.at + 1, line.column + 1, Some(level.indent), false, eof) else {
                return self.missing(base, buf, eof);
            };
            self.blank = Some(line.at - at);
            return Ok(self.found(node, at, None));
        }
        let (name, end) = match key(line.text) {
            Some(key) => key,
            None => return unsupported(line.at, "a key that is neither plain nor in quotes, in a line of its own"),
        };
        let Some(node) = YamlStructure::node(buf, line.at + end, line.column + end, Some(level.indent), true, eof) else {
            return self.missing(base, buf, eof);
        };
        self.blank = None;
        Ok(self.found(node, node.at, Some(name)))
    }

    fn enter(&mut self, _: &[u8]) -> usize {
        let Some(node) = self.node.take() else { return 0 };
        let is_list = matches!(node.kind, Kind::List | Kind::Flow { is_list: true });
        self.flow = matches!(node.kind, Kind::Flow { .. });
        self.levels.push(Level { indent: node.column, is_list });
        self.column = (!node.begins_line).then_some(node.column);
        node.at
    }

    fn value(&mut self, reader: &mut dyn Reader, buf: &[u8], base: u64, eof: bool, entry: bool) -> Result<Frame> {
        let Some(level) = self.levels.last().copied() else { return reader.frame(buf, base, eof) };
        if entry && level.is_list && self.column.is_some() {
            let error = Error::data(ErrorKind::Unsupported, base).seen("an entry that begins in the line of another one");
            return Err(error.expected("entries in lines of their own").hint("convert the document to json first").format_is("yaml"));
        }
        let same = self.node.is_some_and(|node| node.kind == Kind::List && node.column == level.indent) && !level.is_list;
        let starts = !self.is_inside;
        let mut at = self.searched;
        loop {
            if at >= buf.len() && eof {
                return Ok(Frame::Message { start: 0, end: buf.len() });
            }
            let Some(line) = YamlStructure::line(buf, at, 0, eof) else {
                if entry || at == 0 {
                    return Ok(Frame::More(1));
                }
                (self.is_inside, self.searched) = (true, 0);
                return Ok(Frame::Between(at));
            };
            let is_first = starts && at == 0;
            let is_inside = line.column > level.indent || same && line.column == level.indent && line.is_item();
            if !is_first && !line.is_blank() && (line.is_mark() || !is_inside) {
                return Ok(Frame::Message { start: 0, end: at });
            }
            at = line.next;
            self.searched = at;
        }
    }

    fn passed(&mut self) {
        self.column = None;
        self.node = None;
        (self.is_inside, self.searched) = (false, 0);
    }

    fn steps_over(&self) -> bool {
        true
    }

    fn amended(&self, entry: &[u8]) -> Option<Amended> {
        // An element of a sequence has a dash before it, which becomes a space.
        let dash = self.blank?;
        let mut bytes = entry.to_vec();
        *bytes.get_mut(dash)? = b' ';
        Some(Amended { bytes, at: 0, added: 0 })
    }
}

/// Returns what follows the tag and the anchor that a node may begin with.
fn unmarked(mut text: &[u8]) -> &[u8] {
    while let Some(b'!' | b'&') = text.first() {
        let end = text.iter().position(|byte| byte.is_ascii_whitespace()).unwrap_or(text.len());
        let spaces = text[end..].iter().take_while(|byte| **byte == b' ').count();
        text = &text[end + spaces..];
    }
    text
}

/// Returns the kind of the node that `text` begins with.
fn kind(text: &[u8]) -> Kind {
    let text = unmarked(text);
    match text.first() {
        Some(b'-') if is_apart(&text[1..]) => Kind::List,
        Some(b'[') => Kind::Flow { is_list: true },
        Some(b'{') => Kind::Flow { is_list: false },
        Some(b'|' | b'>' | b'*') => Kind::Scalar,
        Some(b'?') if is_apart(&text[1..]) => Kind::Map,
        _ if key(text).is_some() => Kind::Map,
        _ => Kind::Scalar,
    }
}

/// Returns the key that a line begins with, and the offset behind its colon.
fn key(line: &[u8]) -> Option<(Cow<'_, str>, usize)> {
    match line.first()? {
        quote @ (b'"' | b'\'') => {
            let mut at = 1;
            loop {
                match line.get(at)? {
                    b'\\' if *quote == b'"' => at += 2,
                    byte if byte == quote && *quote == b'\'' && line.get(at + 1) == Some(quote) => at += 2,
                    byte if byte == quote => break,
                    _ => at += 1,
                }
            }
            let colon = at + 1 + line[at + 1..].iter().take_while(|byte| **byte == b' ').count();
            if line.get(colon) != Some(&b':') || !is_apart(&line[colon + 1..]) {
                return None;
            }
            let name = String::from_utf8_lossy(&line[1..at]);
            let name = if *quote == b'\'' { Cow::Owned(name.replace("''", "'")) } else { unescaped(name) };
            Some((name, colon + 1))
        }
        b'?' | b'&' | b'!' | b'|' | b'>' | b'[' | b'{' | b'@' | b'`' | b'%' if *line.first()? != b'?' || is_apart(&line[1..]) => None,
        _ => {
            let mut from = 0;
            loop {
                let colon = from + memchr::memchr(b':', &line[from..])?;
                if is_apart(&line[colon + 1..]) {
                    let name = &line[..colon];
                    // White space and a hash start a comment.
                    if memchr::memmem::find(name, b" #").is_some() {
                        return None;
                    }
                    return Some((String::from_utf8_lossy(name.trim_ascii_end()), colon + 1));
                }
                from = colon + 1;
            }
        }
    }
}

/// Returns a name without the escapes of double quotes; one with rare escapes as it is.
fn unescaped(name: Cow<'_, str>) -> Cow<'_, str> {
    if !name.contains('\\') {
        return name;
    }
    // JSON's escapes are YAML's too (YAML 1.2.2 section 5.7).
    let (text, mut unescaped) = (format!("{name}\""), String::new());
    match Cursor::new(&text).unescape(0, &mut unescaped) {
        Ok(()) => Cow::Owned(unescaped),
        Err(_) => name,
    }
}
