//! The structure of XML documents: elements, their names, and where they start.

use memchr::{memchr, memchr3, memmem};
use polywire_core::walk::{Amended, Shape, Step, Structure};
use polywire_core::{Error, ErrorKind, Result};

use super::chars::{ends_name, skip_space};
use super::encoding::{self, Charset, UTF8_MARK};
use super::frame::Markup;

/// The structure of XML documents, one after the other. Every element has entries; attributes and
/// text are none.
#[derive(Debug, Default)]
pub(super) struct XmlStructure {
    /// Names of the open elements, and the number of namespaces that are declared within them.
    levels: Vec<(Vec<u8>, usize)>,
    /// Declared prefixes, and the namespaces in quotes.
    namespaces: Vec<(Vec<u8>, Vec<u8>)>,
    /// True if the innermost element is an empty one: it ends at once.
    empty: bool,
}

impl Structure for XmlStructure {
    fn next<'s>(&'s mut self, buf: &'s [u8], base: u64, eof: bool) -> Result<Step<'s>> {
        if std::mem::take(&mut self.empty) {
            self.leave();
            return Ok(Step::Close(0));
        }
        let missing = |what: &'static str| match eof {
            true => Err(Error::truncated(base + buf.len() as u64, what).format_is("xml")),
            false => Ok(Step::More(1)),
        };
        let wrong = |at: usize, seen: String, expected: &'static str| {
            Err(Error::data(ErrorKind::Syntax, base + at as u64).seen(seen).expected(expected).format_is("xml"))
        };
        let at = match self.levels.is_empty() {
            false => match memchr(b'<', buf) {
                Some(at) => at,
                None if buf.is_empty() => return missing("the end of an element"),
                None => return Ok(Step::Between(buf.len())),
            },
            true => {
                let mark = if base == 0 { preamble(buf, eof)? } else { Some(0) };
                let Some(mark) = mark else { return Ok(Step::More(1)) };
                let at = skip_space(buf, mark);
                match buf.get(at) {
                    Some(b'<') => at,
                    Some(byte) => return wrong(at, format!("byte 0x{byte:02x}"), "'<', the start of an element"),
                    None if eof => return Ok(Step::End),
                    None => return Ok(Step::More(1)),
                }
            }
        };
        let rest = &buf[at..];
        let Some(markup) = Markup::at(rest, false) else { return missing("markup") };
        let end = match markup {
            Markup::Comment => memmem::find(rest, b"-->").map(|n| n + 3),
            Markup::Section => memmem::find(rest, b"]]>").map(|n| n + 3),
            Markup::Instruction => memmem::find(rest, b"?>").map(|n| n + 2),
            Markup::Doctype => doctype_end(rest),
            Markup::Other => return wrong(at + 1, format!("byte 0x{:02x}", rest[1]), "a name, behind '<'"),
            Markup::Start if tag_end(rest).is_none() => return missing("the end of a tag"),
            Markup::Start => return Ok(Step::Value { at, shape: Shape::Named, name: Some(String::from_utf8_lossy(name(rest))) }),
            Markup::End => {
                let Some(end) = memchr(b'>', rest) else { return missing("the end of a tag") };
                let name = rest[2..end].trim_ascii_end();
                return match self.leave() {
                    Some(open) if open == name => Ok(Step::Close(at + end + 1)),
                    open => {
                        let expected =
                            open.map_or_else(|| "an element".to_string(), |open| format!("</{}>", String::from_utf8_lossy(&open)));
                        let error = Error::data(ErrorKind::Syntax, base + at as u64).seen(format!("</{}>", String::from_utf8_lossy(name)));
                        Err(error.expected(expected).format_is("xml"))
                    }
                };
            }
        };
        match end {
            Some(end) => Ok(Step::Between(at + end)),
            None if at > 0 => Ok(Step::Between(at)),
            None => missing("the end of a comment, a section or an instruction"),
        }
    }

    fn enter(&mut self, buf: &[u8]) -> usize {
        let end = tag_end(buf).unwrap_or(buf.len());
        self.empty = buf[..end].ends_with(b"/>");
        self.namespaces.extend(namespaces(&buf[..end]));
        self.levels.push((name(buf).to_vec(), self.namespaces.len()));
        end
    }

    fn passed(&mut self) {}

    fn amended(&self, entry: &[u8]) -> Option<Amended> {
        let tag = &entry[..tag_end(entry)?];
        let at = 1 + name(tag).len();
        let own: Vec<(Vec<u8>, Vec<u8>)> = namespaces(tag).collect();
        let mut added: Vec<(&[u8], Vec<u8>)> = Vec::new();
        for (prefix, namespace) in self.namespaces.iter().rev() {
            let is_used = || memmem::find(entry, &[prefix, &b":"[..]].concat()).is_some();
            let is_known = own.iter().any(|(own, _)| own == prefix) || added.iter().any(|(known, _)| known == prefix);
            if !is_known && is_used() {
                added.push((prefix, [b" xmlns:", &prefix[..], b"=", namespace].concat()));
            }
        }
        let inserted: Vec<u8> = added.into_iter().flat_map(|(_, declaration)| declaration).collect();
        if inserted.is_empty() {
            return None;
        }
        Some(Amended { bytes: [&entry[..at], &inserted, &entry[at..]].concat(), at, added: inserted.len() })
    }

    fn repeats(&self) -> bool {
        true
    }
}

impl XmlStructure {
    /// Leaves the innermost element, and returns its name.
    fn leave(&mut self) -> Option<Vec<u8>> {
        let (name, _) = self.levels.pop()?;
        self.namespaces.truncate(self.levels.last().map_or(0, |(_, namespaces)| *namespaces));
        Some(name)
    }
}

/// Returns the prefixes that a tag declares, and their namespaces in quotes.
fn namespaces(tag: &[u8]) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
    let mut at = 1 + name(tag).len();
    std::iter::from_fn(move || {
        loop {
            at = skip_space(tag, at);
            let rest = tag.get(at..)?;
            let equals = memchr(b'=', rest)?;
            let start = skip_space(rest, equals + 1);
            let quote = *rest.get(start)?;
            let end = start + 1 + memchr(quote, rest.get(start + 1..)?)? + 1;
            at += end;
            if let Some(prefix) = rest[..equals].trim_ascii_end().strip_prefix(b"xmlns:") {
                return Some((prefix.to_vec(), rest[start..end].to_vec()));
            }
        }
    })
}

/// Checks the encoding of a stream by its start. Returns the length of its byte order mark, or
/// `None` if more bytes are needed.
fn preamble(buf: &[u8], eof: bool) -> Result<Option<usize>> {
    if !eof && (buf.len() < 4 || encoding::declaration_is_open(buf)) {
        return Ok(None);
    }
    match encoding::detect(buf, 0).map_err(|error| error.format_is("xml"))? {
        (Charset::Utf8 | Charset::Ascii, _) => Ok(Some(if buf.starts_with(UTF8_MARK) { UTF8_MARK.len() } else { 0 })),
        (charset, _) => {
            let error = Error::data(ErrorKind::Unsupported, 0).seen(format!("entries of a document in another encoding ({charset:?})"));
            Err(error.expected("UTF-8, since an entry has no declaration").hint("convert the document to UTF-8 first").format_is("xml"))
        }
    }
}

/// Returns the name of the tag that `tag` begins with.
fn name(tag: &[u8]) -> &[u8] {
    let rest = &tag[1.min(tag.len())..];
    let end = rest.iter().position(|byte| ends_name(*byte)).unwrap_or(rest.len());
    &rest[..end]
}

/// Returns the offset behind the tag that `tag` begins with.
pub(super) fn tag_end(tag: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr3(b'>', b'"', b'\'', &tag[at..])?;
        match tag[at] {
            b'>' => return Some(at + 1),
            quote => at += 1 + memchr(quote, &tag[at + 1..])? + 1,
        }
    }
}

/// Returns the offset behind the document type declaration that `rest` begins with.
pub fn doctype_end(rest: &[u8]) -> Option<usize> {
    let (mut at, mut inside) = (0, false);
    loop {
        let tail = &rest[at..];
        at += if inside && tail.starts_with(b"<!--") {
            memmem::find(tail, b"-->")? + 3
        } else if inside && tail.starts_with(b"<?") {
            memmem::find(tail, b"?>")? + 2
        } else {
            match *tail.first()? {
                quote @ (b'"' | b'\'') => memchr(quote, &tail[1..])? + 2,
                b'[' => {
                    inside = true;
                    1
                }
                b']' => {
                    inside = false;
                    1
                }
                b'>' if !inside => return Some(at + 1),
                _ => 1,
            }
        };
    }
}
