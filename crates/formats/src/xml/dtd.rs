//! The document type declaration (XML 1.0, sections 2.8, 3.2, 3.3 and 4.2), as far as a processor
//! that does not validate needs it: internal entities, default values of attributes, and the
//! attributes whose values are tokens.
//!
//! Internal parameter entities are expanded within [`FACTOR`] and [`SLACK`]; references to external
//! ones are stepped over. Nothing outside of the document is ever fetched.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use foldhash::fast::RandomState;
use polywire_core::{Error, ErrorKind};

use super::chars::{is_name_char, skip_space};
use super::markup::{self, Reference};

/// Bytes that entities may add per byte of the document, beyond [`SLACK`].
pub const FACTOR: u64 = 2;
/// Bytes that entities may add to any document.
pub const SLACK: u64 = 8 << 20;

/// A set of names.
pub type Names = HashSet<String, RandomState>;

/// The declarations of a document type.
#[derive(Debug, Default)]
pub struct Dtd {
    /// Replacements for references to its general entities.
    pub entities: Vec<Replacement>,
    by_name: HashMap<String, u32, RandomState>,
    /// Attributes with a default value, by element.
    defaults: HashMap<String, Vec<Preset>, RandomState>,
    /// Attributes whose type is not CDATA, by element.
    tokens: HashMap<String, Names, RandomState>,
    /// True if an entity that is not declared here may be declared elsewhere: parts of the document
    /// type are outside of the document, or it has references to parameter entities (section 4.1).
    pub is_partial: bool,
    /// True if the document declares that nothing outside of it matters (section 2.9).
    pub standalone: bool,
    /// Ranges of references to parameter entities that were stepped over.
    pub skipped: Vec<(usize, usize)>,
    /// Offset of an entity's or notation's name with a colon, which namespaces forbid.
    pub colon: Option<usize>,
    /// Bytes of the texts of parameter entities that were expanded.
    pub expanded: u64,
}

/// The replacement for a reference to an entity.
#[derive(Debug)]
pub enum Replacement {
    /// Text, in which character references are expanded and references to entities are not (section
    /// 4.5).
    Text(String),
    /// Text outside of the document.
    External,
    /// Data of a notation, which no text can refer to.
    Unparsed,
}

/// An attribute that applies where it is not written.
#[derive(Debug, Clone)]
pub struct Preset {
    /// Its name.
    pub name: String,
    /// Its literal, without quotes.
    pub value: String,
}

/// A parameter entity.
enum Parameter {
    Text(Rc<str>),
    External,
}

/// A text whose declarations are being read.
struct Layer {
    /// The text of a parameter entity, and its place among the open ones; the document without.
    text: Option<(Rc<str>, String)>,
    at: usize,
}

/// The state of reading an internal subset.
#[derive(Default)]
struct Subset {
    parameters: HashMap<String, Parameter, RandomState>,
    /// Parameter entities whose texts are being read.
    open: HashSet<String, RandomState>,
    /// Attributes that were declared: element and name.
    declared: HashSet<(String, String), RandomState>,
    /// True after a reference that was stepped over: later declarations do not count (section 5.1).
    ignores: bool,
}

/// The end of a step of [`Dtd::declaration`].
enum Step {
    Read,
    /// A reference to a parameter entity.
    Parameter(String),
    /// The end of the subset.
    End,
}

impl Dtd {
    /// Returns the number of the entity with this name, and its replacement.
    pub fn entity(&self, name: &str) -> Option<(u32, &Replacement)> {
        let id = *self.by_name.get(name)?;
        Some((id, &self.entities[id as usize]))
    }

    /// Returns true if an entity of this name can be stepped over: its text, if it has one, is
    /// outside of the document.
    pub fn steps_over(&self, name: &str) -> bool {
        match self.entity(name) {
            Some((_, replacement)) => matches!(replacement, Replacement::External),
            None => self.is_partial && !self.standalone,
        }
    }

    /// Returns true if any entity's text has markup in it, or references that may be stepped over.
    pub fn has_markup(&self) -> bool {
        let steps_over = self.is_partial || self.entities.iter().any(|entity| matches!(entity, Replacement::External));
        let marked = |text: &str| text.contains('<') || steps_over && text.contains('&');
        self.entities.iter().any(|entity| matches!(entity, Replacement::Text(text) if marked(text)))
    }

    /// Returns true if attributes are declared.
    pub fn has_attributes(&self) -> bool {
        !self.defaults.is_empty() || !self.tokens.is_empty()
    }

    /// Returns the attributes of an element that have default values.
    pub fn defaults(&self, element: &str) -> &[Preset] {
        self.defaults.get(element).map_or(&[], Vec::as_slice)
    }

    /// Returns the attributes of an element whose values are tokens: white space around them means
    /// nothing (section 3.3.3).
    pub fn tokens(&self, element: &str) -> Option<&Names> {
        self.tokens.get(element)
    }

    /// Reads the declaration whose `<!DOCTYPE` stands at `at` of `text`; returns its end.
    pub fn read(&mut self, text: &str, at: usize) -> Result<usize, Error> {
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
    fn subset(&mut self, document: &mut Cursor<'_>) -> Result<(), Error> {
        let mut subset = Subset::default();
        let mut layers = vec![Layer { text: None, at: document.at }];
        // The reference in the document that the open texts stand for.
        let mut reference = document.at;
        while let Some(Layer { text, at }) = layers.pop() {
            let inner = text.as_ref().map(|(text, _)| Rc::clone(text));
            let mut cursor = Cursor { text: inner.as_deref().unwrap_or(document.text), at };
            cursor.skip_space();
            if let Some((text, name)) = &text
                && cursor.at == text.len()
            {
                subset.open.remove(name);
                continue;
            }
            let start = cursor.at;
            if text.is_none() {
                reference = start;
            }
            let is_document = text.is_none();
            // Offsets in the text of an entity are the offset of the reference to it.
            let place = |error: Error| if is_document { error } else { error.at(reference as u64) };
            let step = self.declaration(&mut cursor, &mut subset, is_document).map_err(place)?;
            let after = cursor.at;
            match step {
                Step::End => {
                    document.at = after;
                    return Ok(());
                }
                Step::Read => layers.push(Layer { text, at: after }),
                Step::Parameter(name) => {
                    layers.push(Layer { text, at: after });
                    // Entities that are not declared may be so in what was not read (section 4.1).
                    self.is_partial = true;
                    match subset.parameters.get(&name) {
                        Some(Parameter::Text(text)) => {
                            if subset.open.contains(&name) {
                                let error = Error::data(ErrorKind::Syntax, reference as u64);
                                return Err(error
                                    .seen(format!("a reference to the parameter entity `{name}` within itself"))
                                    .expected("entities that do not contain themselves"));
                            }
                            self.expanded += 1 + text.len() as u64;
                            if self.expanded > SLACK + FACTOR * document.text.len() as u64 {
                                return Err(too_much(reference as u64));
                            }
                            layers.push(Layer { text: Some((Rc::clone(text), name.clone())), at: 0 });
                            subset.open.insert(name);
                        }
                        None if self.standalone => {
                            return Err(Error::data(ErrorKind::Syntax, reference as u64)
                                .seen(format!("a reference to the parameter entity `{name}`"))
                                .expected("an entity that is declared, in a document that stands alone"));
                        }
                        Some(Parameter::External) | None => {
                            let end = if is_document { after } else { reference };
                            self.skipped.push((reference, end));
                            subset.ignores = !self.standalone;
                        }
                    }
                }
            }
        }
        Err(Error::truncated(document.text.len() as u64, "`]`, the end of the internal subset"))
    }

    /// Reads one declaration; `document` is true outside of the texts of entities.
    fn declaration(&mut self, cursor: &mut Cursor<'_>, subset: &mut Subset, document: bool) -> Result<Step, Error> {
        if document && cursor.eat(b"]") {
            return Ok(Step::End);
        } else if cursor.looks_at(b"<!--") {
            cursor.at = markup::comment(cursor.text, cursor.at)?;
        } else if cursor.looks_at(b"<?") {
            cursor.at = markup::instruction(cursor.text, cursor.at)?;
        } else if cursor.eat(b"<!ENTITY") {
            self.entity_declaration(cursor, subset)?;
        } else if cursor.eat(b"<!ATTLIST") {
            self.attributes(cursor, subset)?;
        } else if cursor.eat(b"<!ELEMENT") {
            cursor.element()?;
        } else if cursor.eat(b"<!NOTATION") {
            cursor.space()?;
            let name = cursor.name("the name of a notation")?;
            self.note_colon(name, cursor.at);
            cursor.space()?;
            if !cursor.external_id(true)? {
                return Err(markup::syntax(cursor.text, cursor.at, "`SYSTEM` or `PUBLIC`"));
            }
            cursor.end()?;
        } else if cursor.eat(b"%") {
            let name = cursor.name("the name of a parameter entity after `%`")?.to_string();
            cursor.expect(b";", "`;` after the name of a parameter entity")?;
            return Ok(Step::Parameter(name));
        } else {
            return Err(markup::syntax(cursor.text, cursor.at, if document { "a declaration, or `]`" } else { "a declaration" }));
        }
        Ok(Step::Read)
    }

    /// Remembers a name that ends at `end` and has a colon.
    fn note_colon(&mut self, name: &str, end: usize) {
        if name.contains(':') {
            self.colon.get_or_insert(end - name.len());
        }
    }

    /// Reads an entity declaration, after its `<!ENTITY` (section 4.2).
    fn entity_declaration(&mut self, cursor: &mut Cursor<'_>, subset: &mut Subset) -> Result<(), Error> {
        cursor.space()?;
        let parameter = cursor.eat(b"%");
        if parameter {
            cursor.space()?;
        }
        let name = cursor.name("the name of an entity")?;
        self.note_colon(name, cursor.at);
        cursor.space()?;
        let is = if cursor.external_id(false)? {
            if cursor.skip_space() && !parameter && cursor.eat(b"NDATA") {
                cursor.space()?;
                cursor.name("the name of a notation")?;
                Replacement::Unparsed
            } else {
                Replacement::External
            }
        } else {
            let (start, end) = cursor.literal("the value of an entity, in quotes")?;
            Replacement::Text(replacement(cursor.text, start, end)?)
        };
        cursor.end()?;
        // The first declaration binds (section 4.2).
        if subset.ignores {
            return Ok(());
        }
        if parameter {
            subset.parameters.entry(name.to_string()).or_insert_with(|| match is {
                Replacement::Text(text) => Parameter::Text(text.into()),
                Replacement::External | Replacement::Unparsed => Parameter::External,
            });
        } else if !self.by_name.contains_key(name) {
            self.by_name.insert(name.to_string(), self.entities.len() as u32);
            self.entities.push(is);
        }
        Ok(())
    }

    /// Reads an attribute list declaration, after its `<!ATTLIST` (section 3.3).
    fn attributes(&mut self, cursor: &mut Cursor<'_>, subset: &mut Subset) -> Result<(), Error> {
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
            if let Some((start, end)) = value {
                self.references(cursor.text, start, end)?;
            }
            // The first declaration binds (section 3.3).
            if !subset.ignores && subset.declared.insert((element.to_string(), name.to_string())) {
                if tokens {
                    self.tokens.entry(element.to_string()).or_default().insert(name.to_string());
                }
                if let Some((start, end)) = value {
                    let preset = Preset { name: name.to_string(), value: cursor.text[start..end].to_string() };
                    self.defaults.entry(element.to_string()).or_default().push(preset);
                }
            }
        }
    }

    /// Checks the references in the default value `text[start..end]`: entities are declared before
    /// it, and their text is in the document (sections 3.1 and 4.1).
    fn references(&self, text: &str, start: usize, end: usize) -> Result<(), Error> {
        let mut at = start;
        while let Some(n) = memchr::memchr(b'&', &text.as_bytes()[at..end]) {
            let (reference, after) = markup::reference(&text[..end], at + n)?;
            if let Reference::Entity(name) = reference {
                let error = |seen: &str| Error::data(ErrorKind::Syntax, (at + n) as u64).seen(format!("a reference to {seen} `{name}`"));
                match self.entity(name) {
                    Some((_, Replacement::Text(_))) => {}
                    None if self.is_partial && !self.standalone => {}
                    None => return Err(error("the entity").expected("an entity that is declared before the default value that uses it")),
                    Some(_) => return Err(error("the external entity").expected("text in the value of an attribute")),
                }
            }
            at = after;
        }
        Ok(())
    }
}

/// Returns the error for entities that add too much.
#[cold]
pub fn too_much(at: u64) -> Error {
    Error::data(ErrorKind::Limit, at)
        .seen("entities that expand to many times the document")
        .expected(format!("at most {FACTOR} times its length and {} MiB", SLACK >> 20))
        .hint("such documents are usually attacks on memory; if this one is genuine, expand its entities first")
}

/// Returns the replacement text of an entity whose literal is `text[start..end]` (section 4.5).
fn replacement(text: &str, start: usize, end: usize) -> Result<String, Error> {
    let mut made = String::with_capacity(end - start);
    let mut at = start;
    while at < end {
        let next = text[at..end].find(['&', '%']).map_or(end, |n| at + n);
        markup::push_normalised(&mut made, &text[at..next]);
        at = next;
        if at == end {
            break;
        }
        if text.as_bytes()[at] == b'%' {
            return Err(Error::data(ErrorKind::Syntax, at as u64)
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
    Ok(made)
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

    /// Reads an element declaration, after its `<!ELEMENT` (section 3.2). The content model is
    /// checked for its syntax only.
    fn element(&mut self) -> Result<(), Error> {
        self.space()?;
        self.name("the name of an element")?;
        self.space()?;
        if !self.eat(b"EMPTY") && !self.eat(b"ANY") {
            self.expect(b"(", "`EMPTY`, `ANY` or `(`")?;
            self.skip_space();
            if self.eat(b"#PCDATA") {
                self.mixed()?;
            } else {
                self.children()?;
            }
        }
        self.end()
    }

    /// Reads the rest of a model of text and elements, after its `#PCDATA` (section 3.2.2).
    fn mixed(&mut self) -> Result<(), Error> {
        let mut named = false;
        loop {
            self.skip_space();
            if self.eat(b")") {
                break;
            }
            self.expect(b"|", "`|` or `)`")?;
            self.skip_space();
            self.name("the name of an element")?;
            named = true;
        }
        if !self.eat(b"*") && named {
            return Err(markup::syntax(self.text, self.at, "`*` after a model of text and elements"));
        }
        Ok(())
    }

    /// Reads the rest of a model of elements, after its first `(` (section 3.2.1).
    fn children(&mut self) -> Result<(), Error> {
        // The separator of each open list, once it is known.
        let mut open: Vec<Option<u8>> = vec![None];
        loop {
            self.skip_space();
            if self.eat(b"(") {
                open.push(None);
                continue;
            }
            self.name("the name of an element, or `(`")?;
            self.occurrence();
            loop {
                self.skip_space();
                let Some(separator) = open.last_mut() else { return Ok(()) };
                match self.text.as_bytes().get(self.at) {
                    Some(b')') => {
                        self.at += 1;
                        open.pop();
                        self.occurrence();
                        if open.is_empty() {
                            return Ok(());
                        }
                    }
                    Some(&byte @ (b'|' | b',')) if *separator.get_or_insert(byte) == byte => {
                        self.at += 1;
                        break;
                    }
                    _ => {
                        let expected = match separator {
                            None => "`,`, `|` or `)`",
                            Some(b',') => "`,` or `)`",
                            Some(_) => "`|` or `)`",
                        };
                        return Err(markup::syntax(self.text, self.at, expected));
                    }
                }
            }
        }
    }

    /// Steps over `?`, `*` or `+`.
    fn occurrence(&mut self) {
        self.at += usize::from(matches!(self.text.as_bytes().get(self.at), Some(b'?' | b'*' | b'+')));
    }

    /// Reads the type of an attribute (section 3.3.1); returns true if its values are tokens.
    fn attribute_type(&mut self) -> Result<bool, Error> {
        if self.eat(b"(") {
            return self.choices(false).map(|()| true);
        }
        let start = self.at;
        match self.name("the type of an attribute")? {
            "CDATA" => Ok(false),
            "ID" | "IDREF" | "IDREFS" | "ENTITY" | "ENTITIES" | "NMTOKEN" | "NMTOKENS" => Ok(true),
            "NOTATION" => {
                self.space()?;
                self.expect(b"(", "`(`")?;
                self.choices(true).map(|()| true)
            }
            _ => Err(markup::syntax(self.text, start, "the type of an attribute")),
        }
    }

    /// Reads the values that an attribute may have, after their `(`; `notations` are names.
    fn choices(&mut self, notations: bool) -> Result<(), Error> {
        loop {
            self.skip_space();
            let start = self.at;
            // A name token is a name that may start with any of a name's characters.
            self.at += self.text[start..].find(|c| !is_name_char(c)).unwrap_or(self.text.len() - start);
            if self.at == start {
                return Err(markup::syntax(self.text, self.at, "a name token"));
            }
            if notations {
                markup::name(self.text, start, "the name of a notation")?;
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
            " <!ELEMENT a ((b|c)+ , (d , e)?)* ><!ELEMENT b ( #PCDATA )*><!ELEMENT c (( a | b )| c?)>",
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
            "%p",
            "<!ENTITY % p 'x'>%p;",
            "<!ENTITY % p ']'>%p;",
            "<!ENTITY % p '<!ENTITY a \"x\"'>%p;",
            "<!ENTITY % p '&#37;p;'>%p;",
            "<!ENTITY % p '<!ENTITY a \"&#37;p;\">'>%p;",
            "x",
            "<!ELEMENT a (b>",
            "<!ELEMENT a (b, c | d)>",
            "<!ELEMENT a (b c)>",
            "<!ELEMENT a (b, )>",
            "<!ELEMENT a ()>",
            "<!ELEMENT a (b) c>",
            "<!ELEMENT a (b, #PCDATA)>",
            "<!ELEMENT a (#PCDATA | b)>",
            "<!ELEMENT a (#PCDATA | (b))*>",
            "<!ELEMENT a (#PCDATA, b)*>",
            "<!ELEMENT a (b ?)>",
            "<!ELEMENT a EMPTY ANY>",
            "<!ATTLIST a b NOTATION (1) #IMPLIED>",
            "<!ATTLIST a b CDATA '&'>",
            "<!ATTLIST a b CDATA '&c;'>",
            "<!ENTITY c SYSTEM 'x'><!ATTLIST a b CDATA '&c;'>",
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

    fn read(subset: &str) -> Dtd {
        let mut dtd = Dtd::default();
        dtd.read(&format!("<!DOCTYPE a [{subset}]>"), 0).unwrap();
        dtd
    }

    #[test]
    fn internal_parameter_entities_are_expanded() {
        // The example of XML 1.0, appendix D.
        let dtd = read("<!ENTITY % xx '&#37;zz;'><!ENTITY % zz '&#60;!ENTITY tricky \"error-prone\" >' >%xx; <!ATTLIST a b ID #IMPLIED>");
        assert!(matches!(dtd.entity("tricky"), Some((_, Replacement::Text(text))) if text == "error-prone"));
        assert!(dtd.skipped.is_empty() && dtd.tokens("a").is_some() && dtd.is_partial);
        // One after the other is not one within the other.
        let dtd = read("<!ENTITY % p '<!ATTLIST a b CDATA \"x\">'>%p;%p;");
        assert_eq!(dtd.defaults("a").len(), 1);
    }

    #[test]
    fn external_parameter_entities_are_stepped_over_and_later_declarations_with_them() {
        let subset = "<!ENTITY a 'x'><!ENTITY % p SYSTEM 'x'>%p;<!ENTITY b 'y'>%q;";
        let dtd = read(subset);
        assert!(dtd.entity("a").is_some() && dtd.entity("b").is_none());
        let at = "<!DOCTYPE a [".len();
        let places: Vec<usize> = ["%p;", "%q;"].iter().map(|name| at + subset.find(name).unwrap()).collect();
        assert_eq!(dtd.skipped, [(places[0], places[0] + 3), (places[1], places[1] + 3)]);
        assert!(dtd.steps_over("b") && !dtd.steps_over("a"));
        // A document that stands alone depends on nothing outside of it.
        let mut alone = Dtd { standalone: true, ..Dtd::default() };
        alone.read("<!DOCTYPE a [<!ENTITY % p SYSTEM 'x'>%p;<!ENTITY b 'y'>]>", 0).unwrap();
        assert!(alone.entity("b").is_some() && !alone.steps_over("c"));
    }

    #[test]
    fn parameter_entities_that_multiply_are_bounded() {
        let mut subset = format!("<!ENTITY % p0 '<!--{}-->'>", "x".repeat(4000));
        for n in 1..8 {
            let inner = format!("&#37;p{};", n - 1).repeat(8);
            subset.push_str(&format!("<!ENTITY % p{n} '{inner}'>"));
        }
        let error = doctype(&format!("{subset}%p7;")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
        assert_eq!(error.offset(), Some(("<!DOCTYPE a [".len() + subset.len()) as u64));
    }
}
