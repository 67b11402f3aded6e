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

/// Number of names whose memory is kept for the next document.
const KEPT: usize = 1 << 10;

/// A name that elements have had.
#[derive(Debug, Default)]
struct Known {
    /// Number of the document that has the name.
    document: u64,
    uri: String,
    /// The name with its prefix, as it was complete last.
    full: String,
    /// Length of the name without its prefix.
    local: usize,
    /// The declarations that were in force then.
    stamp: u64,
}

impl Known {
    /// Returns the prefix, or nothing.
    #[inline]
    fn prefix(&self) -> &str {
        &self.full[..(self.full.len() - self.local).saturating_sub(1)]
    }
}

/// The start tag of the element that started last, while it is not complete.
#[derive(Debug, Default)]
pub struct Tag {
    /// The names and values of attributes.
    text: String,
    /// The names of elements by their number in the stream.
    known: Vec<Known>,
    /// Number of this document.
    document: u64,
    /// The element's number.
    element: usize,
    /// The element's prefix, if the stream has one.
    prefix: String,
    has_prefix: bool,
    attributes: Vec<Attribute>,
    /// Attributes whose prefix is not settled: their namespace and prefix.
    pending: Vec<Pending>,
    /// The prefix that stood last for a namespace: the declarations in force, the namespace, and
    /// the prefix.
    settled: (u64, String, String),
    /// Number of declarations around the element.
    pub scope: usize,
    /// The bytes of the element's start.
    pub at: Span,
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
        self.known.truncate(KEPT);
        self.document += 1;
        self.settled.0 = u64::MAX;
        self.waits = false;
    }

    /// Begins the tag of an element.
    ///
    /// # Errors
    /// The name is none of XML's.
    #[inline]
    pub fn begin(&mut self, name: Name<'_>, at: Span, names: &Names) -> Result<()> {
        self.element = name.id as usize;
        self.know(name, at)?;
        self.has_prefix = name.prefix.is_some();
        if let Some(prefix) = name.prefix {
            self.prefix.clear();
            self.prefix.push_str(prefix);
        }
        self.text.clear();
        self.attributes.clear();
        self.pending.clear();
        self.scope = names.len();
        self.at = at;
        self.waits = true;
        self.contained = false;
        Ok(())
    }

    #[inline]
    fn know(&mut self, name: Name<'_>, at: Span) -> Result<()> {
        if self.known.get(name.id as usize).is_some_and(|known| known.document == self.document) {
            return Ok(());
        }
        self.learn(name, at)
    }

    #[cold]
    fn learn(&mut self, name: Name<'_>, at: Span) -> Result<()> {
        check(name.local, at)?;
        let id = name.id as usize;
        if self.known.len() <= id {
            self.known.resize_with(id + 1, Known::default);
        }
        let known = &mut self.known[id];
        known.uri.clear();
        known.uri.push_str(name.uri);
        known.full.clear();
        known.full.push_str(name.local);
        (known.document, known.local, known.stamp) = (self.document, name.local.len(), u64::MAX);
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
        self.know(name, at)?;
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
    #[inline]
    pub fn complete(&mut self, names: &mut Names) -> Result<()> {
        self.waits = false;
        let known = &self.known[self.element];
        let has_name = known.stamp == names.stamp() && (!self.has_prefix || self.prefix == known.prefix());
        if has_name && self.attributes.len() < 2 && self.pending.is_empty() {
            return Ok(());
        }
        if !has_name {
            self.complete_name(names);
        }
        self.complete_attributes(names)
    }

    #[inline(never)]
    fn complete_attributes(&mut self, names: &mut Names) -> Result<()> {
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
    #[inline(never)]
    fn complete_name(&mut self, names: &mut Names) {
        let mut known = std::mem::take(&mut self.known[self.element]);
        let (stamp, uri) = (self.settled.0, &self.settled.1);
        if self.has_prefix || stamp != names.stamp() || *uri != known.uri {
            let given = self.has_prefix.then(|| self.prefix.clone());
            self.settled.2 = self.settle(&known.uri, given, true, self.at, names);
            self.settled.0 = names.stamp();
            self.settled.1.clone_from(&known.uri);
        }
        let prefix = &*self.settled.2;
        if known.prefix() != prefix {
            let end = known.full.len() - known.local;
            let colon = if prefix.is_empty() { "" } else { ":" };
            known.full.replace_range(..end, prefix);
            known.full.insert_str(prefix.len(), colon);
        }
        known.stamp = names.stamp();
        self.known[self.element] = known;
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
    #[inline]
    pub fn name(&self) -> &str {
        &self.known[self.element].full
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
