//! The document type declaration (XML 1.0, sections 2.8, 3.2, 3.3 and 4.2), as far as a processor
//! that does not validate needs it: internal entities, default values of attributes, and the
//! attributes whose values are tokens.
//!
//! Nothing outside of the document is ever fetched.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use polywire_core::{Error, ErrorKind};

use super::chars::{is_name_char, skip_space};
use super::markup;

/// A set of names.
pub type Names<'t> = HashSet<&'t str, RandomState>;

/// The declarations of a document type.
#[derive(Debug, Default)]
pub struct Dtd<'t> {
    /// Replacements for references to its general entities.
    pub entities: Vec<Replacement<'t>>,
    by_name: HashMap<&'t str, u32, RandomState>,
    /// Attributes with a default value, by element.
    defaults: HashMap<&'t str, Vec<Preset<'t>>, RandomState>,
    /// Attributes whose type is not CDATA, by element.
    tokens: HashMap<&'t str, Names<'t>, RandomState>,
    /// True if parts of it are outside of the document.
    pub is_partial: bool,
}

/// The replacement for a reference to an entity.
#[derive(Debug)]
pub enum Replacement<'t> {
    /// Text, in which character references are expanded and references to entities are not (section
    /// 4.5).
    Text(Cow<'t, str>),
    /// Something outside of the document.
    External,
}

/// An attribute that applies where it is not written.
#[derive(Debug, Clone, Copy)]
pub struct Preset<'t> {
    /// Its name.
    pub name: &'t str,
    /// Range of its literal in the document, without quotes.
    pub value: (usize, usize),
}

impl<'t> Dtd<'t> {
    /// Returns the number of the entity with this name, and its replacement.
    pub fn entity(&self, name: &str) -> Option<(u32, &Replacement<'t>)> {
        let id = *self.by_name.get(name)?;
        Some((id, &self.entities[id as usize]))
    }

    /// Returns true if any entity's text has markup in it.
    pub fn has_markup(&self) -> bool {
        self.entities.iter().any(|entity| matches!(entity, Replacement::Text(text) if text.contains('<')))
    }

    /// Returns true if attributes are declared.
    pub fn has_attributes(&self) -> bool {
        !self.defaults.is_empty() || !self.tokens.is_empty()
    }

    /// Returns the attributes of an element that have default values.
    pub fn defaults(&self, element: &str) -> &[Preset<'t>] {
        self.defaults.get(element).map_or(&[], Vec::as_slice)
    }

    /// Returns the attributes of an element whose values are tokens: white space around them means
    /// nothing (section 3.3.3).
    pub fn tokens(&self, element: &str) -> Option<&Names<'t>> {
        self.tokens.get(element)
    }

    /// Reads the declaration whose `<!DOCTYPE` stands at `at` of `text`; returns its end.
    pub fn read(&mut self, text: &'t str, at: usize) -> Result<usize, Error> {
        let mut cursor = Cursor { text, at: at + "<!DOCTYPE".len() };
        cursor.space()?;
        cursor.name("the name of the document type")?;
        if cursor.skip_space() && cursor.external_id(false)? {
            self.is_partial = true;
            cursor.skip_space();
        }
        if cursor.eat(b"[") {
            self.subset(&mut cursor)?;
            cursor.skip_space();
        }
        cursor.expect(b">", "`>`, the end of the document type declaration")?;
        Ok(cursor.at)
    }

    /// Reads the internal subset, after its `[`.
    fn subset(&mut self, cursor: &mut Cursor<'t>) -> Result<(), Error> {
        let mut declared = HashSet::default();
        loop {
            cursor.skip_space();
            if cursor.eat(b"]") {
                return Ok(());
            } else if cursor.looks_at(b"<!--") {
                cursor.at = markup::comment(cursor.text, cursor.at)?;
            } else if cursor.looks_at(b"<?") {
                cursor.at = markup::instruction(cursor.text, cursor.at)?;
            } else if cursor.eat(b"<!ENTITY") {
                self.entity_declaration(cursor)?;
            } else if cursor.eat(b"<!ATTLIST") {
                self.attributes(cursor, &mut declared)?;
            } else if cursor.eat(b"<!ELEMENT") {
                cursor.element()?;
            } else if cursor.eat(b"<!NOTATION") {
                cursor.space()?;
                cursor.name("the name of a notation")?;
                cursor.space()?;
                if !cursor.external_id(true)? {
                    return Err(markup::syntax(cursor.text, cursor.at, "`SYSTEM` or `PUBLIC`"));
                }
                cursor.end()?;
            } else if cursor.looks_at(b"%") {
                return Err(Error::data(ErrorKind::Unsupported, cursor.at as u64)
                    .seen("a reference to a parameter entity")
                    .expected("declarations")
                    .hint("parameter entities are not expanded; put their text in their place"));
            } else {
                return Err(markup::syntax(cursor.text, cursor.at, "a declaration, or `]`"));
            }
        }
    }

    /// Reads an entity declaration, after its `<!ENTITY` (section 4.2).
    fn entity_declaration(&mut self, cursor: &mut Cursor<'t>) -> Result<(), Error> {
        cursor.space()?;
        let parameter = cursor.eat(b"%");
        if parameter {
            cursor.space()?;
        }
        let name = cursor.name("the name of an entity")?;
        cursor.space()?;
        let is = if cursor.external_id(false)? {
            if cursor.skip_space() && !parameter && cursor.eat(b"NDATA") {
                cursor.space()?;
                cursor.name("the name of a notation")?;
            }
            Replacement::External
        } else {
            let (start, end) = cursor.literal("the value of an entity, in quotes")?;
            Replacement::Text(replacement(cursor.text, start, end)?)
        };
        cursor.end()?;
        // The first declaration binds (section 4.2).
        if !parameter && !self.by_name.contains_key(name) {
            self.by_name.insert(name, self.entities.len() as u32);
            self.entities.push(is);
        }
        Ok(())
    }

    /// Reads an attribute list declaration, after its `<!ATTLIST` (section 3.3).
    fn attributes(&mut self, cursor: &mut Cursor<'t>, declared: &mut HashSet<(&'t str, &'t str), RandomState>) -> Result<(), Error> {
        cursor.space()?;
        let element = cursor.name("the name of an element")?;
        loop {
            let spaced = cursor.skip_space();
            if cursor.eat(b">") {
                return Ok(());
            }
            if !spaced {
                return Err(markup::syntax(cursor.text, cursor.at, "white space or `>`"));
            }
            let name = cursor.name("the name of an attribute, or `>`")?;
            cursor.space()?;
            let tokens = cursor.attribute_type()?;
            cursor.space()?;
            let value = cursor.default_value()?;
            // The first declaration binds (section 3.3).
            if declared.insert((element, name)) {
                if tokens {
                    self.tokens.entry(element).or_default().insert(name);
                }
                if let Some(value) = value {
                    self.defaults.entry(element).or_default().push(Preset { name, value });
                }
            }
        }
    }
}

/// Returns the replacement text of an entity whose literal is `text[start..end]` (section 4.5).
fn replacement(text: &str, start: usize, end: usize) -> Result<Cow<'_, str>, Error> {
    let literal = &text[start..end];
    if !literal.bytes().any(|byte| matches!(byte, b'&' | b'%' | b'\r')) {
        return Ok(Cow::Borrowed(literal));
    }
    let mut made = String::with_capacity(literal.len());
    let mut at = start;
    while at < end {
        let next = text[at..end].find(['&', '%']).map_or(end, |n| at + n);
        markup::push_normalised(&mut made, &text[at..next]);
        at = next;
        if at == end {
            break;
        }
        if text.as_bytes()[at] == b'%' {
            return Err(Error::data(ErrorKind::Unsupported, at as u64)
                .seen("a reference to a parameter entity")
                .expected("text")
                .hint("the internal subset has no parameter entities within declarations (XML 1.0, section 2.8); write `&#37;` for a percent sign"));
        }
        let after = if text.as_bytes().get(at + 1) == Some(&b'#') {
            let (c, after) = markup::char_reference(text, at)?;
            made.push(c);
            after
        } else {
            let (_, after) = markup::reference(text, at)?;
            made.push_str(&text[at..after]);
            after
        };
        at = after;
    }
    if at > end {
        return Err(markup::syntax(text, end, "`;` after a reference"));
    }
    Ok(Cow::Owned(made))
}

/// A position in declarations.
pub struct Cursor<'t> {
    /// The document.
    pub text: &'t str,
    /// The position.
    pub at: usize,
}

impl<'t> Cursor<'t> {
    /// Reports whether `what` stands here.
    pub fn looks_at(&self, what: &[u8]) -> bool {
        self.text.as_bytes()[self.at..].starts_with(what)
    }

    /// Steps over `what` if it stands here; returns true if it does.
    pub fn eat(&mut self, what: &[u8]) -> bool {
        let there = self.looks_at(what);
        self.at += if there { what.len() } else { 0 };
        there
    }

    /// Steps over `what`, which must stand here.
    pub fn expect(&mut self, what: &[u8], expected: &'static str) -> Result<(), Error> {
        if self.eat(what) { Ok(()) } else { Err(markup::syntax(self.text, self.at, expected)) }
    }

    /// Skips white space; returns true if there was any.
    pub fn skip_space(&mut self) -> bool {
        let start = self.at;
        self.at = skip_space(self.text.as_bytes(), start);
        self.at > start
    }

    /// Skips white space, which must be here.
    pub fn space(&mut self) -> Result<(), Error> {
        if self.skip_space() { Ok(()) } else { Err(markup::syntax(self.text, self.at, "white space")) }
    }

    /// Reads the name that must stand here.
    pub fn name(&mut self, expected: &'static str) -> Result<&'t str, Error> {
        let start = self.at;
        self.at = markup::name(self.text, start, expected)?;
        Ok(&self.text[start..self.at])
    }

    /// Reads the end of a declaration.
    fn end(&mut self) -> Result<(), Error> {
        self.skip_space();
        self.expect(b">", "`>`, the end of a declaration")
    }

    /// Returns the range of a quoted literal, without quotes.
    pub fn literal(&mut self, expected: &'static str) -> Result<(usize, usize), Error> {
        let bytes = self.text.as_bytes();
        let quote = match bytes.get(self.at) {
            Some(&quote @ (b'"' | b'\'')) => quote,
            _ => return Err(markup::syntax(self.text, self.at, expected)),
        };
        let start = self.at + 1;
        match memchr::memchr(quote, &bytes[start..]) {
            Some(n) => {
                self.at = start + n + 1;
                Ok((start, start + n))
            }
            None => Err(Error::truncated(self.text.len() as u64, "the closing quote")),
        }
    }

    /// Reads `SYSTEM "…"` or `PUBLIC "…" "…"` (section 4.2.2), if there is one; returns true if so.
    /// Notations may have a public identifier alone.
    fn external_id(&mut self, notation: bool) -> Result<bool, Error> {
        if self.eat(b"SYSTEM") {
            self.space()?;
            self.literal("a system identifier, in quotes")?;
            return Ok(true);
        }
        if !self.eat(b"PUBLIC") {
            return Ok(false);
        }
        self.space()?;
        let (start, end) = self.literal("a public identifier, in quotes")?;
        let public = |byte: u8| byte.is_ascii_alphanumeric() || b" \r\n-'()+,./:=?;!*#@$_%".contains(&byte);
        if let Some(n) = self.text.as_bytes()[start..end].iter().position(|&byte| !public(byte)) {
            return Err(markup::syntax(self.text, start + n, "a character of a public identifier"));
        }
        let spaced = self.skip_space();
        if notation && self.looks_at(b">") {
            return Ok(true);
        }
        if !spaced {
            return Err(markup::syntax(self.text, self.at, "white space"));
        }
        self.literal("a system identifier, in quotes")?;
        Ok(true)
    }

    /// Reads an element declaration, after its `<!ELEMENT` (section 3.2). Content models are
    /// checked for their characters and parentheses only.
    fn element(&mut self) -> Result<(), Error> {
        self.space()?;
        self.name("the name of an element")?;
        self.space()?;
        if self.eat(b"EMPTY") || self.eat(b"ANY") {
            return self.end();
        }
        self.expect(b"(", "`EMPTY`, `ANY` or `(`")?;
        let mut depth = 1u32;
        while depth > 0 {
            self.skip_space();
            match self.text.as_bytes().get(self.at) {
                Some(b'(') => depth += 1,
                Some(b')') => depth -= 1,
                Some(b'|' | b',' | b'?' | b'*' | b'+') => {}
                Some(b'#') if self.looks_at(b"#PCDATA") => {}
                _ => {
                    self.name("a content model")?;
                    continue;
                }
            }
            self.at += 1;
        }
        if self.looks_at(b"?") || self.looks_at(b"*") || self.looks_at(b"+") {
            self.at += 1;
        }
        self.end()
    }

    /// Reads the type of an attribute (section 3.3.1); returns true if its values are tokens.
    fn attribute_type(&mut self) -> Result<bool, Error> {
        if self.eat(b"(") {
            return self.choices().map(|()| true);
        }
        let start = self.at;
        match self.name("the type of an attribute")? {
            "CDATA" => Ok(false),
            "ID" | "IDREF" | "IDREFS" | "ENTITY" | "ENTITIES" | "NMTOKEN" | "NMTOKENS" => Ok(true),
            "NOTATION" => {
                self.space()?;
                self.expect(b"(", "`(`")?;
                self.choices().map(|()| true)
            }
            _ => Err(markup::syntax(self.text, start, "the type of an attribute")),
        }
    }

    /// Reads the values that an attribute may have, after their `(`.
    fn choices(&mut self) -> Result<(), Error> {
        loop {
            self.skip_space();
            let start = self.at;
            // A name token is a name that may start with any of a name's characters.
            self.at += self.text[start..].find(|c| !is_name_char(c)).unwrap_or(self.text.len() - start);
            if self.at == start {
                return Err(markup::syntax(self.text, self.at, "a name token"));
            }
            self.skip_space();
            if self.eat(b")") {
                return Ok(());
            }
            self.expect(b"|", "`|` or `)`")?;
        }
    }

    /// Reads the default of an attribute (section 3.3.2); returns its range if it is a value.
    fn default_value(&mut self) -> Result<Option<(usize, usize)>, Error> {
        if self.eat(b"#REQUIRED") || self.eat(b"#IMPLIED") {
            return Ok(None);
        }
        if self.eat(b"#FIXED") {
            self.space()?;
        }
        let (start, end) = self.literal("`#REQUIRED`, `#IMPLIED`, `#FIXED` or a default value, in quotes")?;
        match memchr::memchr(b'<', &self.text.as_bytes()[start..end]) {
            Some(n) => Err(markup::syntax(self.text, start + n, "no `<` in the value of an attribute; write `&lt;`")),
            None => Ok(Some((start, end))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doctype(subset: &str) -> Result<usize, Error> {
        Dtd::default().read(&format!("<!DOCTYPE a [{subset}]>"), 0)
    }

    #[test]
    fn declarations_are_read() {
        for good in [
            "",
            " <!ELEMENT a (b, (c|d)*, e?)+ > <!ELEMENT b EMPTY><!ELEMENT c (#PCDATA|x)*> <!-- ]> --> <?pi ]> ?>",
            "<!ENTITY a 'x\"&b;&#60;'><!ENTITY % p \"&#37;\" >",
            "<!ENTITY a SYSTEM 'x'><!ENTITY b PUBLIC '-//X//Y' \"z\" NDATA gif>",
            "<!NOTATION gif PUBLIC 'x'><!NOTATION b SYSTEM 'y'>",
            "<!ATTLIST a b CDATA 'x>y' c (u|v) #REQUIRED d NOTATION (gif) #IMPLIED e NMTOKENS #FIXED ' a '>",
        ] {
            assert!(doctype(good).is_ok(), "{good}: {:?}", doctype(good));
        }
        for bad in [
            "<!ENTITY a>",
            "<!ENTITY a 'x>",
            "<!ENTITY a '&'>",
            "<!ENTITY a '%b;'>",
            "%p;",
            "x",
            "<!ELEMENT a (b>",
            "<!ATTLIST a b CDATA '<'>",
            "<!ATTLIST a b STRING 'x'>",
            "<!NOTATION a>",
            "<!ENTITY a PUBLIC '{' 'x'>",
            "<![INCLUDE[]]>",
        ] {
            assert!(doctype(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_first_declaration_binds() {
        let mut dtd = Dtd::default();
        dtd.read("<!DOCTYPE a [<!ENTITY e '1'><!ENTITY e '2'><!ATTLIST a x CDATA 'y'><!ATTLIST a x ID #IMPLIED>]>", 0).unwrap();
        let (_, entity) = dtd.entity("e").unwrap();
        assert!(matches!(entity, Replacement::Text(text) if text == "1"));
        assert_eq!(dtd.defaults("a").len(), 1);
        assert!(dtd.tokens("a").is_none());
    }
}
