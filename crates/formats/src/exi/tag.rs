//! Start tags: the namespaces and attributes of an element before its first content.

use polywire_core::{Error, ErrorKind, Result, Span};
use polywire_exi::{Name, Value};

use super::names::Names;
use crate::xml::is_qname;

/// Number of attributes up to which each is compared with each.
const FEW: usize = 8;

/// An attribute: ranges of [`Tag::text`], and its place in the stream.
#[derive(Debug, Clone, Copy)]
pub struct Attribute {
    name: (usize, usize),
    value: (usize, usize),
    /// The bytes that it was read from.
    pub at: Span,
}

/// A name that elements have had.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// Ranges of [`Tag::known_text`].
    local: (usize, usize),
    uri: (usize, usize),
    /// The name with its prefix, as it was complete last.
    full: (usize, usize),
    /// The declarations that were in force then.
    stamp: u64,
}

/// The start tag of the element that started last, while it is not complete.
#[derive(Debug, Default)]
pub struct Tag {
    /// The names and values of attributes.
    text: String,
    /// The names of elements by their number in the stream.
    known: Vec<Option<Known>>,
    known_text: String,
    /// The element's number.
    element: usize,
    /// The element's prefix, if the stream has one.
    prefix: String,
    has_prefix: bool,
    attributes: Vec<Attribute>,
    /// Attributes whose prefix is not settled: their namespace and prefix.
    pending: Vec<Pending>,
    /// Number of declarations around the element.
    pub scope: usize,
    /// The bytes of the element's start.
    pub at: Span,
    /// The element's complete name.
    name: (usize, usize),
    /// True if the declarations around the element may stand in it again.
    contained: bool,
    /// True between the element's start and its first content.
    pub waits: bool,
}

#[derive(Debug)]
struct Pending {
    name: (String, String, Option<String>),
    value: Kept,
    at: Span,
}

#[derive(Debug)]
enum Kept {
    Text(String),
    Name(String, String, Option<String>),
}

impl Tag {
    /// Forgets the document.
    pub fn clear(&mut self) {
        self.known.clear();
        self.known_text.clear();
        self.waits = false;
    }

    /// Begins the tag of an element.
    ///
    /// # Errors
    /// The name is none of XML's.
    pub fn begin(&mut self, name: Name<'_>, at: Span, names: &Names) -> Result<()> {
        self.element = name.id as usize;
        if self.known.len() <= self.element {
            self.known.resize(self.element + 1, None);
        }
        if self.known[self.element].is_none() {
            check(name.local, at)?;
            let start = self.known_text.len();
            self.known_text.push_str(name.local);
            let middle = self.known_text.len();
            self.known_text.push_str(name.uri);
            let end = self.known_text.len();
            let known = Known { local: (start, middle), uri: (middle, end), full: (start, middle), stamp: u64::MAX };
            self.known[self.element] = Some(known);
        }
        self.prefix.clear();
        self.prefix.push_str(name.prefix.unwrap_or(""));
        self.has_prefix = name.prefix.is_some();
        self.text.clear();
        self.attributes.clear();
        self.pending.clear();
        self.scope = names.len();
        self.at = at;
        self.waits = true;
        self.contained = false;
        Ok(())
    }

    /// Makes the element self-contained: a declaration that is in force is none of its own.
    pub fn self_contained(&mut self) {
        self.contained = true;
    }

    fn push(&mut self, name: &[&str], value: &str, at: Span) {
        let start = self.text.len();
        name.iter().for_each(|part| self.text.push_str(part));
        let middle = self.text.len();
        self.text.push_str(value);
        self.attributes.push(Attribute { name: (start, middle), value: (middle, self.text.len()), at });
    }

    /// Adds the declaration of a prefix.
    pub fn namespace(&mut self, prefix: &str, uri: &str, own: bool, at: Span, names: &mut Names) -> Result<()> {
        let reserved = matches!(prefix, "xml" | "xmlns") || uri == crate::xml::XMLNS_SPACE || uri == crate::xml::XML_SPACE;
        if prefix == "xml" && uri == crate::xml::XML_SPACE {
            return Ok(());
        }
        if reserved || !prefix.is_empty() && uri.is_empty() || names.is_new(prefix, self.scope) || !is_local(prefix, true) {
            let error = Error::data(ErrorKind::Syntax, at.start).seen(format!("the prefix `{prefix}` for the namespace `{uri}`"));
            return Err(error.expected("each prefix once in an element, by Namespaces in XML 1.0"));
        }
        if own {
            self.prefix.clear();
            self.prefix.push_str(prefix);
            self.has_prefix = true;
        }
        if self.contained && names.uri(prefix) == Some(uri) {
            return Ok(());
        }
        names.declare(prefix, uri);
        if prefix.is_empty() {
            self.push(&["xmlns"], uri, at);
        } else {
            self.push(&["xmlns:", prefix], uri, at);
        }
        Ok(())
    }

    /// Adds an attribute.
    pub fn attribute(&mut self, name: Name<'_>, value: Value<'_>, at: Span) -> Result<()> {
        check(name.local, at)?;
        if let (Value::Text(text), true) = (value, name.uri.is_empty()) {
            self.push(&[name.local], text, at);
            return Ok(());
        }
        let keep = |name: Name<'_>| (name.uri.to_string(), name.local.to_string(), name.prefix.map(str::to_string));
        let value = match value {
            Value::Text(text) => Kept::Text(text.to_string()),
            Value::Name(name) => {
                let (uri, local, prefix) = keep(name);
                Kept::Name(uri, local, prefix)
            }
        };
        self.pending.push(Pending { name: keep(name), value, at });
        Ok(())
    }

    /// Completes the tag: every prefix is declared.
    ///
    /// # Errors
    /// The element's name, or two of its attributes, cannot stand in XML.
    pub fn complete(&mut self, names: &mut Names) -> Result<()> {
        self.waits = false;
        self.complete_name(names)?;
        if self.pending.is_empty() {
            return self.check_doubles(names);
        }
        // The declarations that are missing come before the attributes that need them.
        let mut pending = std::mem::take(&mut self.pending);
        for Pending { name: (uri, local, prefix), value, at } in pending.drain(..) {
            let value = match value {
                Kept::Text(text) => text,
                Kept::Name(uri, local, prefix) => match &*self.settle(&uri, prefix, true, at, names) {
                    "" => local,
                    prefix => format!("{prefix}:{local}"),
                },
            };
            match &*self.settle(&uri, prefix, false, at, names) {
                "" => self.push(&[&local], &value, at),
                prefix => self.push(&[prefix, ":", &local], &value, at),
            }
        }
        self.pending = pending;
        self.check_doubles(names)
    }

    /// Finds the element's name with its prefix.
    fn complete_name(&mut self, names: &mut Names) -> Result<()> {
        let Some(known) = self.known[self.element] else { return Err(Error::internal("an element without a name").format_is("exi")) };
        let full = &self.known_text[known.full.0..known.full.1];
        let has_prefix = full.len() - (known.local.1 - known.local.0);
        if known.stamp == names.stamp() && (!self.has_prefix || self.prefix == full[..has_prefix.saturating_sub(1)]) {
            self.name = known.full;
            return Ok(());
        }
        let uri = self.known_text[known.uri.0..known.uri.1].to_string();
        let given = self.has_prefix.then(|| self.prefix.clone());
        let prefix = self.settle(&uri, given, true, self.at, names);
        let local = &self.known_text[known.local.0..known.local.1];
        let name = if prefix.is_empty() { local.to_string() } else { format!("{prefix}:{local}") };
        let mut full = known.full;
        if self.known_text[full.0..full.1] != name {
            full = (self.known_text.len(), self.known_text.len() + name.len());
            self.known_text.push_str(&name);
        }
        self.known[self.element] = Some(Known { full, stamp: names.stamp(), ..known });
        self.name = full;
        Ok(())
    }

    /// Returns the prefix that stands for a namespace, and declares it if it does not.
    fn settle(&mut self, uri: &str, prefix: Option<String>, default: bool, at: Span, names: &mut Names) -> String {
        if let Some(prefix) = &prefix
            && names.uri(prefix) == Some(uri)
            && (default || !prefix.is_empty())
        {
            return prefix.clone();
        }
        if uri.is_empty() {
            if default && names.uri("") != Some("") && !names.is_new("", self.scope) {
                names.declare("", "");
                self.push(&["xmlns"], "", at);
            }
            return String::new();
        }
        let prefix = match prefix {
            Some(prefix) if !prefix.is_empty() && names.uri(&prefix).is_none() && is_local(&prefix, false) => prefix,
            _ => names.make(uri, self.scope),
        };
        if names.uri(&prefix) != Some(uri) {
            names.declare(&prefix, uri);
            self.push(&["xmlns:", &prefix], uri, at);
        }
        prefix
    }

    /// Checks that no two attributes are the same.
    fn check_doubles(&self, names: &Names) -> Result<()> {
        let count = self.attributes.len();
        let name = |n: usize| self.name_of(self.attributes[n]);
        let is_plain = |n: usize| !name(n).contains(':');
        if count < 2 || count <= FEW && (0..count).all(is_plain) && (1..count).all(|n| (0..n).all(|other| name(n) != name(other))) {
            return Ok(());
        }
        let mut all: Vec<(&str, &str, Span)> = self
            .attributes
            .iter()
            .map(|attribute| {
                let name = self.name_of(*attribute);
                match name.split_once(':') {
                    Some(("xmlns", _)) | None => (name, "", attribute.at),
                    Some((prefix, local)) => (local, names.uri(prefix).unwrap_or(""), attribute.at),
                }
            })
            .collect();
        all.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
        match all.windows(2).find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
            None => Ok(()),
            Some(pair) => Err(Error::data(ErrorKind::DoubledKey, pair[1].2.start)
                .seen(format!("a second attribute `{}`", pair[1].0))
                .expected("each attribute once in an element")),
        }
    }

    /// Returns the element's name with its prefix, once the tag is complete.
    pub fn name(&self) -> &str {
        &self.known_text[self.name.0..self.name.1]
    }

    /// Returns the attributes, with declarations.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// Returns the name of an attribute, with its prefix.
    pub fn name_of(&self, attribute: Attribute) -> &str {
        &self.text[attribute.name.0..attribute.name.1]
    }

    /// Returns the value of an attribute.
    pub fn value_of(&self, attribute: Attribute) -> &str {
        &self.text[attribute.value.0..attribute.value.1]
    }
}

fn is_local(name: &str, or_empty: bool) -> bool {
    if name.is_empty() { or_empty } else { !name.contains(':') && is_qname(name) }
}

fn check(local: &str, at: Span) -> Result<()> {
    if is_local(local, false) {
        return Ok(());
    }
    Err(Error::data(ErrorKind::Syntax, at.start).seen(format!("the name `{local}`")).expected("a name of XML without a colon"))
}
