//! Pieces of markup that stand in content and in document type declarations alike.
//!
//! Offsets here, also those of errors, count from the start of the text that is being read.

use std::borrow::Cow;

use polywire_core::{Error, ErrorKind};

use super::chars::{is_char, is_space, scan_name};

/// The namespace that the prefix `xml` is bound to (Namespaces in XML 1.0, section 3).
pub const XML_SPACE: &str = "http://www.w3.org/XML/1998/namespace";
/// The namespace that the prefix `xmlns` is bound to.
pub const XMLNS_SPACE: &str = "http://www.w3.org/2000/xmlns/";

/// Returns a syntax error at `at`.
#[cold]
pub fn syntax(text: &str, at: usize, expected: impl Into<Cow<'static, str>>) -> Error {
    match text[floor(text, at)..].chars().next() {
        None => Error::truncated(text.len() as u64, expected),
        Some(c) => Error::data(ErrorKind::Syntax, at as u64).seen(show(c)).expected(expected),
    }
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

fn show(c: char) -> String {
    if c.is_control() { format!("U+{:04X}", u32::from(c)) } else { format!("`{c}`") }
}

/// Returns the end of the name at `at`.
pub fn name(text: &str, at: usize, expected: &'static str) -> Result<usize, Error> {
    scan_name(text, at).map(|name| name.end).map_err(|wrong| syntax(text, wrong, expected))
}

/// Returns the end of the comment whose `<!--` stands at `at` (section 2.5).
pub fn comment(text: &str, at: usize) -> Result<usize, Error> {
    let inner = at + 4;
    match memchr::memmem::find(&text.as_bytes()[inner..], b"--") {
        None => Err(Error::truncated(text.len() as u64, "`-->`, the end of a comment")),
        Some(n) if text.as_bytes().get(inner + n + 2) == Some(&b'>') => Ok(inner + n + 3),
        Some(n) if inner + n + 2 == text.len() => Err(Error::truncated(text.len() as u64, "`-->`, the end of a comment")),
        Some(n) => Err(Error::data(ErrorKind::Syntax, (inner + n) as u64).seen("`--` within a comment").expected("`-->`")),
    }
}

/// Returns the end of the processing instruction whose `<?` stands at `at` (section 2.6).
pub fn instruction(text: &str, at: usize) -> Result<usize, Error> {
    let target = at + 2;
    let end = name(text, target, "the name of a processing instruction")?;
    if text[target..end].eq_ignore_ascii_case("xml") {
        return Err(Error::data(ErrorKind::Syntax, at as u64)
            .seen(format!("`<?{}`", &text[target..end]))
            .expected("a processing instruction, or an XML declaration at the very start of the document"));
    }
    let rest = &text.as_bytes()[end..];
    if !rest.starts_with(b"?>") && !rest.first().copied().is_some_and(is_space) {
        return Err(syntax(text, end, "white space or `?>`"));
    }
    match memchr::memmem::find(rest, b"?>") {
        Some(n) => Ok(end + n + 2),
        None => Err(Error::truncated(text.len() as u64, "`?>`, the end of a processing instruction")),
    }
}

/// Returns the name of the processing instruction that `text` is; empty for anything else.
pub fn target(text: &str) -> &str {
    let Some(inner) = text.strip_prefix("<?") else { return "" };
    scan_name(inner, 0).map_or("", |name| &inner[..name.end])
}

/// The target of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference<'t> {
    /// A character, by its number or as one of the five predefined entities (section 4.6).
    Char(char),
    /// An entity that has to be declared.
    Entity(&'t str),
}

/// Reads the reference whose `&` stands at `at`, and returns its end (section 4.1).
pub fn reference(text: &str, at: usize) -> Result<(Reference<'_>, usize), Error> {
    if text.as_bytes().get(at + 1) == Some(&b'#') {
        return char_reference(text, at).map(|(c, end)| (Reference::Char(c), end));
    }
    let end = name(text, at + 1, "the name of an entity after `&`; a plain `&` is written `&amp;`")?;
    if text.as_bytes().get(end) != Some(&b';') {
        return Err(syntax(text, end, "`;` after the name of an entity; a plain `&` is written `&amp;`"));
    }
    let name = &text[at + 1..end];
    Ok((predefined(name).map_or(Reference::Entity(name), Reference::Char), end + 1))
}

fn predefined(name: &str) -> Option<char> {
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "apos" => '\'',
        "quot" => '"',
        _ => return None,
    })
}

/// Reads the character reference whose `&#` stands at `at`, and returns its end.
pub fn char_reference(text: &str, at: usize) -> Result<(char, usize), Error> {
    let bytes = text.as_bytes();
    let (radix, digits) = if bytes.get(at + 2) == Some(&b'x') { (16, at + 3) } else { (10, at + 2) };
    let mut code = 0u32;
    let mut end = digits;
    while let Some(digit) = bytes.get(end).and_then(|&byte| char::from(byte).to_digit(radix)) {
        // A code far beyond the last character need not grow.
        code = if code > 0x11_0000 { code } else { code * radix + digit };
        end += 1;
    }
    if end == digits {
        return Err(syntax(text, end, "the digits of a character reference"));
    }
    if bytes.get(end) != Some(&b';') {
        return Err(syntax(text, end, "`;` after a character reference"));
    }
    match char::from_u32(code).filter(|&c| is_char(c)) {
        Some(c) => Ok((c, end + 1)),
        None => Err(Error::data(ErrorKind::Syntax, at as u64)
            .seen(format!("`{}`", &text[at..(end + 1).min(at + 24)]))
            .expected("a reference to a character that XML 1.0 allows")),
    }
}

/// Appends `text` with each line end normalised to one line feed (section 2.11).
pub fn push_normalised(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\r', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        out.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read() {
        assert_eq!(reference("&lt;", 0).unwrap(), (Reference::Char('<'), 4));
        assert_eq!(reference("a&#x1F980;b", 1).unwrap(), (Reference::Char('🦀'), 10));
        assert_eq!(reference("&#10;", 0).unwrap(), (Reference::Char('\n'), 5));
        assert_eq!(reference("&é;", 0).unwrap(), (Reference::Entity("é"), 4));
        for bad in ["&", "&;", "& ", "&a", "&a b;", "&#;", "&#x;", "&#0;", "&#xD800;", "&#xFFFE;", "&#x110000;", "&#99999999999;", "&#12"] {
            assert!(reference(bad, 0).is_err(), "{bad}");
        }
    }

    #[test]
    fn comments_and_instructions_end_where_they_should() {
        assert_eq!(comment("<!-- a - b -->c", 0).unwrap(), 14);
        assert_eq!(comment("<!---->", 0).unwrap(), 7);
        for bad in ["<!-- a -- b -->", "<!-- a --->", "<!--", "<!-- --", "<!--->"] {
            assert!(comment(bad, 0).is_err(), "{bad}");
        }
        assert_eq!(instruction("<?a b?c?>", 0).unwrap(), 9);
        assert_eq!(instruction("<?a?>", 0).unwrap(), 5);
        assert_eq!((target("<?a:b c:d?>"), target("<?a?>"), target("<!DOCTYPE a:b>")), ("a:b", "a", ""));
        for bad in ["<?", "<? a?>", "<?a", "<?a b", "<?xml version='1.0'?>", "<?XmL?>", "<?a/?>"] {
            assert!(instruction(bad, 0).is_err(), "{bad}");
        }
    }

    #[test]
    fn line_ends_become_line_feeds() {
        let mut out = String::new();
        push_normalised(&mut out, "a\r\nb\rc\n\r\r\n");
        assert_eq!(out, "a\nb\nc\n\n\n");
    }
}
