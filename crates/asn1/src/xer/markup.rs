//! Tags and characters of one document. Only what X.693 needs of XML is read: elements without
//! attributes, references to characters, CDATA; comments and instructions are stepped over.

use polywire_core::{Error, ErrorKind, Result};

use super::characters::{control, is_xml};

/// First of the characters that XML lacks and others refer to all the same.
const POOR: char = '\u{fffe}';

/// Place in a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Markup<'m> {
    /// The document.
    pub text: &'m str,
    /// Offset of the next byte.
    pub at: usize,
    /// Offset of the document in its stream.
    pub base: u64,
    /// True if ends of lines stay as they are: the canonical rules write a carriage return as
    /// itself.
    pub verbatim: bool,
}

/// Tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag<'m> {
    pub kind: TagKind,
    pub name: &'m str,
    /// Offset of its first byte.
    pub start: usize,
}

/// Kinds of tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TagKind {
    Start,
    /// A start and an end in one.
    Empty,
    End,
}

impl<'m> Markup<'m> {
    pub fn new(text: &'m str, base: u64) -> Markup<'m> {
        Markup { text, at: 0, base, verbatim: false }
    }

    fn bytes(&self) -> &'m [u8] {
        self.text.as_bytes()
    }

    /// Makes the error of the character at `at`, where `expected` should be.
    #[cold]
    pub fn wrong(&self, at: usize, expected: &'static str) -> Error {
        match self.text.get(at..).and_then(|rest| rest.chars().next()) {
            Some(seen) => self.error(at, format!("{seen:?}")).expected(expected),
            None => Error::truncated(self.base + self.text.len() as u64, expected),
        }
    }

    /// Makes the error of something at `at`.
    #[cold]
    pub fn error(&self, at: usize, seen: impl Into<std::borrow::Cow<'static, str>>) -> Error {
        Error::data(ErrorKind::Syntax, self.base + at as u64).seen(seen)
    }

    /// Steps over white space.
    pub fn white(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.bytes().get(self.at) {
            self.at += 1;
        }
    }

    /// Steps over what begins at the cursor up to `end`.
    fn past(&mut self, end: &'static str, expected: &'static str) -> Result<()> {
        match self.text[self.at..].find(end) {
            Some(found) => {
                self.at += found + end.len();
                Ok(())
            }
            None => Err(Error::truncated(self.base + self.text.len() as u64, expected)),
        }
    }

    /// Steps over a comment or an instruction at the cursor. Returns false if there is none.
    fn aside(&mut self) -> Result<bool> {
        let rest = &self.text[self.at..];
        if rest.starts_with("<!--") {
            self.at += 4;
            self.past("-->", "the end of a comment")?;
        } else if rest.starts_with("<?") {
            self.past("?>", "the end of an instruction")?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Steps over white space, comments and instructions. Returns whether the document ends.
    pub fn ends(&mut self) -> Result<bool> {
        loop {
            self.white();
            if self.at == self.text.len() {
                return Ok(true);
            }
            if !self.aside()? {
                return Ok(false);
            }
        }
    }

    /// Reads the next tag.
    ///
    /// # Errors
    /// Something else comes next.
    pub fn tag(&mut self) -> Result<Tag<'m>> {
        if self.ends()? {
            return Err(Error::truncated(self.base + self.text.len() as u64, "a tag"));
        }
        let start = self.at;
        let bytes = self.bytes();
        if bytes[start] != b'<' {
            return Err(self.wrong(start, "a tag"));
        }
        if self.text[start..].starts_with("<!") {
            return Err(self.error(start, "a declaration or CDATA").expected("a tag (X.693 8.2: no document type)"));
        }
        let is_end = bytes.get(start + 1) == Some(&b'/');
        let from = start + 1 + usize::from(is_end);
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':' | 0x80..);
        let to = from + bytes[from..].iter().take_while(|byte| is_name(byte)).count();
        if from == to {
            return Err(self.wrong(from, "the name of an element"));
        }
        self.at = to;
        self.white();
        let kind = match (bytes.get(self.at), bytes.get(self.at + 1)) {
            (Some(b'>'), _) => TagKind::Start,
            (Some(b'/'), Some(b'>')) if !is_end => TagKind::Empty,
            (Some(byte), _) if self.at > to && is_name(byte) => {
                return Err(self.error(self.at, "an attribute").expected("'>', as Basic XER has none"));
            }
            _ => return Err(self.wrong(self.at, "'>'")),
        };
        self.at += if kind == TagKind::Empty { 2 } else { 1 };
        Ok(Tag { kind: if is_end { TagKind::End } else { kind }, name: &self.text[from..to], start })
    }

    /// Returns the next tag, and leaves it to be read.
    pub fn peek(&mut self) -> Result<Tag<'m>> {
        let mut ahead = *self;
        let tag = ahead.tag()?;
        self.at = tag.start;
        Ok(tag)
    }

    /// Returns whether a tag comes next, after white space, comments and instructions.
    pub fn is_tag(&mut self) -> Result<bool> {
        let before = self.at;
        let found = !self.ends()? && self.bytes()[self.at] == b'<' && !self.text[self.at..].starts_with("<!");
        self.at = before;
        Ok(found)
    }

    /// Steps over the rest of an element behind its start tag. `depth` bounds the elements in it.
    ///
    /// # Errors
    /// The element is not well formed, or deeper.
    pub fn skip(&mut self, tag: Tag<'m>, depth: u32) -> Result<()> {
        let mut open = Vec::new();
        if tag.kind == TagKind::Start {
            open.push(tag.name);
        }
        let mut unused = String::new();
        while let Some(name) = open.last() {
            unused.clear();
            self.characters(&mut unused, false)?;
            let tag = self.tag()?;
            match tag.kind {
                TagKind::Empty => {}
                TagKind::Start if open.len() >= depth as usize => {
                    let error = Error::data(ErrorKind::Limit, self.base + tag.start as u64);
                    return Err(error
                        .seen(format!("more than {depth} elements within each other"))
                        .hint("the limit `depth` guards against hostile input; raise it if the message is genuine"));
                }
                TagKind::Start => open.push(tag.name),
                TagKind::End => {
                    if tag.name != *name {
                        return Err(self.mismatch(tag, name));
                    }
                    open.pop();
                }
            }
        }
        Ok(())
    }

    /// Makes the error of an end tag that is not that of the element.
    #[cold]
    pub fn mismatch(&self, tag: Tag<'_>, name: &str) -> Error {
        let slash = if tag.kind == TagKind::End { "/" } else { "" };
        self.error(tag.start, format!("<{slash}{}>", shortened(tag.name))).expected(format!("</{}>", shortened(name)))
    }

    /// Reads characters up to the next tag. Returns them if they are in the document as they are;
    /// else they are appended to `out`. `controls` takes elements for control characters too.
    ///
    /// # Errors
    /// A character that XML lacks, an unknown reference, or CDATA without an end.
    pub fn characters(&mut self, out: &mut String, controls: bool) -> Result<Option<&'m str>> {
        let first = self.at;
        let mut plain = true;
        loop {
            let rest = &self.bytes()[self.at..];
            let end = self.at + rest.iter().position(|byte| matches!(byte, b'<' | b'&')).unwrap_or(rest.len());
            let piece = &self.text[self.at..end];
            self.check(piece)?;
            let from = self.at;
            self.at = end;
            let is_reference = self.bytes().get(end) == Some(&b'&');
            if !is_reference && plain && (self.verbatim || !piece.contains('\r')) {
                let mut ahead = *self;
                if !ahead.more(controls)? {
                    return Ok(Some(&self.text[first..end]));
                }
            }
            plain = false;
            self.lines(&self.text[from..end], out);
            if is_reference {
                out.push(self.reference()?);
            } else if !self.aside_in(out, controls)? {
                return Ok(None);
            }
        }
    }

    /// Returns whether something other than a tag is at the cursor, which belongs to characters.
    fn more(&mut self, controls: bool) -> Result<bool> {
        self.aside_in(&mut String::new(), controls)
    }

    /// Reads a comment, an instruction, CDATA or the element of a control character. Returns false
    /// if there is none of them.
    fn aside_in(&mut self, out: &mut String, controls: bool) -> Result<bool> {
        if self.aside()? {
            return Ok(true);
        }
        if self.text[self.at..].starts_with("<![CDATA[") {
            let from = self.at + 9;
            self.at = from;
            self.past("]]>", "the end of CDATA")?;
            let piece = &self.text[from..self.at - 3];
            self.check(piece)?;
            self.lines(piece, out);
            return Ok(true);
        }
        if controls && self.bytes().get(self.at) == Some(&b'<') {
            let mut ahead = *self;
            if let Ok(tag) = ahead.tag()
                && tag.kind != TagKind::End
                && let Some(character) = control(tag.name)
            {
                if tag.kind == TagKind::Start {
                    let end = ahead.tag()?;
                    if end.kind != TagKind::End || end.name != tag.name {
                        return Err(self.mismatch(end, tag.name));
                    }
                }
                out.push(character);
                *self = ahead;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Appends text with line feeds for all ends of lines (XML 1.0 2.11).
    fn lines(&self, piece: &str, out: &mut String) {
        if self.verbatim {
            return out.push_str(piece);
        }
        for (line, text) in piece.split('\r').enumerate() {
            if line > 0 && !text.starts_with('\n') {
                out.push('\n');
            }
            out.push_str(text);
        }
    }

    /// Refuses control characters, which XML lacks.
    fn check(&self, piece: &str) -> Result<()> {
        match piece.bytes().position(|byte| byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r')) {
            None => Ok(()),
            Some(_) => {
                let at = piece.as_ptr() as usize - self.text.as_ptr() as usize;
                let at = at + piece.bytes().position(|byte| byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r')).unwrap_or(0);
                Err(self.wrong(at, "a character of XML"))
            }
        }
    }

    /// Reads a reference to a character.
    fn reference(&mut self) -> Result<char> {
        let start = self.at;
        // No name or number of a character is longer.
        let name = self.text.get(start + 1..).and_then(|rest| rest.split_once(';')).map(|(name, _)| name).filter(|name| name.len() <= 10);
        let found = name.and_then(|name| match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => {
                let number = name.strip_prefix('#')?;
                let code = match number.strip_prefix('x') {
                    Some(digits) => u32::from_str_radix(digits, 16),
                    None => number.parse(),
                };
                char::from_u32(code.ok()?).filter(|found| is_xml(*found) || *found >= POOR)
            }
        });
        match (found, name) {
            (Some(found), Some(name)) => {
                self.at += name.len() + 2;
                Ok(found)
            }
            _ => {
                let name = name.map_or_else(|| "'&'".to_string(), |name| format!("&{name};"));
                Err(self.error(start, name).expected("the reference to a character, such as &amp; or &#38;"))
            }
        }
    }
}

/// Returns the start of a text, for errors.
pub(super) fn shortened(text: &str) -> &str {
    text.char_indices().nth(60).map_or(text, |(at, _)| &text[..at])
}

/// Returns whether bytes are one element, without anything around it.
pub(super) fn is_element(bytes: &[u8]) -> bool {
    let Some(text) = polywire_core::bytes::utf8(bytes).filter(|text| text.starts_with('<')) else { return false };
    let mut markup = Markup::new(text, 0);
    let Ok(tag) = markup.tag() else { return false };
    tag.start == 0 && tag.kind != TagKind::End && markup.skip(tag, polywire_core::Limits::MAX_DEPTH).is_ok() && markup.at == text.len()
}
