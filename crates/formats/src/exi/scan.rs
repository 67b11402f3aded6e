//! Takes XML apart that the writer of XML has made: it is well-formed, in UTF-8, and has no CDATA
//! sections.

use memchr::{memchr, memmem};
use polywire_core::{Error, Result};

use crate::xml::{Reference, doctype_end, is_blank, reference};

/// A receiver of a document's parts.
pub trait Parts {
    /// A document type, as it is written.
    fn doctype(&mut self, text: &str) -> Result<()>;
    /// A comment, without its marks.
    fn comment(&mut self, text: &str) -> Result<()>;
    /// An instruction: its target and the rest.
    fn instruction(&mut self, target: &str, text: &str) -> Result<()>;
    /// A start tag: its name, and its attributes in order.
    fn start(&mut self, name: &str, attributes: &[(&str, &str)]) -> Result<()>;
    /// Text. `unclear` means that a reader takes it for layout.
    fn text(&mut self, text: &str, unclear: bool) -> Result<()>;
    /// A reference to an entity.
    fn reference(&mut self, name: &str) -> Result<()>;
    /// The end of the innermost element.
    fn end(&mut self) -> Result<()>;
}

/// An open element.
#[derive(Debug, Clone, Copy)]
struct Level {
    had_text: bool,
    preserve: bool,
    has_attributes: bool,
}

/// Memory for one document after the other.
#[derive(Debug, Default)]
pub struct Scanner {
    levels: Vec<Level>,
    /// Values of attributes, or text.
    made: String,
    /// Ranges of names in the document, and of values in `made`.
    attributes: Vec<(usize, usize, usize, usize)>,
}

impl Scanner {
    /// Hands the parts of a document over.
    pub fn scan(&mut self, xml: &str, parts: &mut impl Parts) -> Result<()> {
        self.levels.clear();
        let bytes = xml.as_bytes();
        let mut at = 0;
        let mut after_start = false;
        while at < bytes.len() {
            let rest = &xml[at..];
            let started = std::mem::take(&mut after_start);
            if !rest.starts_with('<') {
                let end = memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
                self.run(&rest[..end], started && rest[end..].starts_with("</"), parts)?;
                at += end;
            } else if let Some(inner) = rest.strip_prefix("<!--") {
                let end = memmem::find(inner.as_bytes(), b"-->").ok_or_else(broken)?;
                parts.comment(&inner[..end])?;
                at += end + 7;
            } else if let Some(inner) = rest.strip_prefix("<?") {
                let end = memmem::find(inner.as_bytes(), b"?>").ok_or_else(broken)?;
                let (target, text) = inner[..end].split_once([' ', '\t', '\n', '\r']).unwrap_or((&inner[..end], ""));
                parts.instruction(target, text.trim_start())?;
                at += end + 4;
            } else if rest.starts_with("<!") {
                let end = doctype_end(rest.as_bytes()).ok_or_else(broken)?;
                parts.doctype(&rest[..end])?;
                at += end;
            } else if rest.starts_with("</") {
                at += memchr(b'>', rest.as_bytes()).ok_or_else(broken)? + 1;
                self.levels.pop();
                parts.end()?;
            } else {
                let (end, empty) = self.start(rest, parts)?;
                at += end;
                after_start = !empty;
                if empty {
                    self.levels.pop();
                    parts.end()?;
                }
            }
        }
        Ok(())
    }

    /// Hands a start tag over. Returns its end, and true for an empty element's.
    fn start(&mut self, tag: &str, parts: &mut impl Parts) -> Result<(usize, bool)> {
        let bytes = tag.as_bytes();
        let ends = |byte: &u8| matches!(byte, b' ' | b'/' | b'>' | b'\t' | b'\n' | b'\r');
        let name_end = bytes.iter().position(ends).ok_or_else(broken)?;
        let mut at = name_end;
        self.made.clear();
        self.attributes.clear();
        let empty = loop {
            while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
                at += 1;
            }
            match bytes.get(at).copied().ok_or_else(broken)? {
                b'>' => break false,
                b'/' => {
                    at += 1;
                    break true;
                }
                _ => {}
            }
            let equals = at + memchr(b'=', &bytes[at..]).ok_or_else(broken)?;
            let quote = bytes.get(equals + 1).copied().ok_or_else(broken)?;
            let end = equals + 2 + memchr(quote, &bytes[equals + 2..]).ok_or_else(broken)?;
            let start = self.made.len();
            unescape(&tag[equals + 2..end], &mut self.made)?;
            self.attributes.push((at, equals, start, self.made.len()));
            at = end + 1;
        };
        let attributes: Vec<(&str, &str)> = self
            .attributes
            .iter()
            .map(|(name, name_end, value, value_end)| (&tag[*name..*name_end], &self.made[*value..*value_end]))
            .collect();
        let mut preserve = self.levels.last().is_some_and(|level| level.preserve);
        if let Some((_, value)) = attributes.iter().find(|(name, _)| *name == "xml:space") {
            preserve = *value == "preserve";
        }
        self.levels.push(Level { had_text: false, preserve, has_attributes: !attributes.is_empty() });
        parts.start(&tag[1..name_end], &attributes)?;
        Ok((at + 1, empty))
    }

    /// Hands text over. `alone` means that it is all that its element has.
    fn run(&mut self, text: &str, alone: bool, parts: &mut impl Parts) -> Result<()> {
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        let alone = alone && !level.has_attributes;
        let may_be_layout = !level.had_text && !level.preserve && !alone;
        if may_be_layout && is_blank(text) && text.contains('\n') {
            return Ok(());
        }
        let mut rest = text;
        loop {
            let end = reference_to_entity(rest)?;
            self.made.clear();
            unescape(&rest[..end.map_or(rest.len(), |(start, _)| start)], &mut self.made)?;
            if !self.made.is_empty() {
                let blank = is_blank(&self.made) && self.made.contains('\n');
                if let Some(level) = self.levels.last_mut() {
                    level.had_text = true;
                }
                parts.text(&self.made, may_be_layout && blank)?;
            }
            let Some((start, end)) = end else { return Ok(()) };
            parts.reference(&rest[start + 1..end - 1])?;
            rest = &rest[end..];
        }
    }
}

/// Returns the range of the first reference to an entity that is none of XML's own.
fn reference_to_entity(text: &str) -> Result<Option<(usize, usize)>> {
    let mut at = 0;
    while let Some(found) = memchr(b'&', &text.as_bytes()[at..]) {
        let start = at + found;
        match reference(text, start)? {
            (Reference::Char(_), end) => at = end,
            (Reference::Entity(_), end) => return Ok(Some((start, end))),
        }
    }
    Ok(None)
}

/// Appends text with its references to characters resolved.
fn unescape(text: &str, out: &mut String) -> Result<()> {
    let mut at = 0;
    while let Some(found) = memchr(b'&', &text.as_bytes()[at..]) {
        out.push_str(&text[at..at + found]);
        match reference(text, at + found)? {
            (Reference::Char(c), end) => {
                out.push(c);
                at = end;
            }
            (Reference::Entity(_), _) => return Err(broken()),
        }
    }
    out.push_str(&text[at..]);
    Ok(())
}

#[cold]
fn broken() -> Error {
    Error::internal("a document that XML's writer did not make well-formed").format_is("exi")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct List(Vec<String>);

    impl Parts for List {
        fn doctype(&mut self, text: &str) -> Result<()> {
            self.0.push(text.to_string());
            Ok(())
        }
        fn comment(&mut self, text: &str) -> Result<()> {
            self.0.push(format!("--{text}"));
            Ok(())
        }
        fn instruction(&mut self, target: &str, text: &str) -> Result<()> {
            self.0.push(format!("?{target} {text}"));
            Ok(())
        }
        fn start(&mut self, name: &str, attributes: &[(&str, &str)]) -> Result<()> {
            self.0.push(format!("<{name} {attributes:?}"));
            Ok(())
        }
        fn text(&mut self, text: &str, unclear: bool) -> Result<()> {
            self.0.push(format!("{text:?}{}", if unclear { "?" } else { "" }));
            Ok(())
        }
        fn reference(&mut self, name: &str) -> Result<()> {
            self.0.push(format!("&{name}"));
            Ok(())
        }
        fn end(&mut self) -> Result<()> {
            self.0.push("/".to_string());
            Ok(())
        }
    }

    fn parts(xml: &str) -> String {
        let mut list = List::default();
        Scanner::default().scan(xml, &mut list).unwrap();
        list.0.join(";")
    }

    #[test]
    fn documents_come_in_parts() {
        assert_eq!(parts("<a x=\"1&lt;\" y='\"'/>"), "<a [(\"x\", \"1<\"), (\"y\", \"\\\"\")];/");
        assert_eq!(
            parts("<!DOCTYPE a [<!ENTITY e SYSTEM 'f'>]><?p q?><a>x&amp;&e;y</a><!--c-->"),
            "<!DOCTYPE a [<!ENTITY e SYSTEM 'f'>]>;?p q;<a [];\"x&\";&e;\"y\";/;--c"
        );
        assert_eq!(parts("<a>\n <b>\n</b>\n</a>"), "<a [];<b [];\"\\n\";/;/");
        assert_eq!(parts("<a>&#10;<b/></a>"), "<a [];\"\\n\"?;<b [];/;/");
        assert_eq!(parts("<a xml:space=\"preserve\">\n<b/></a>"), "<a [(\"xml:space\", \"preserve\")];\"\\n\";<b [];/;/");
    }
}
