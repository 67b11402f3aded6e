//! Prefixes in force, and prefixes for namespaces that a stream has none for.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::xml::{XML_SPACE, XMLNS_SPACE};

/// The namespace of `xsi:type`, whose prefix every document knows.
pub const XSI_SPACE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// A declaration.
#[derive(Debug)]
struct Declared {
    prefix: String,
    uri: String,
    /// The declaration of the same prefix that it hides.
    hidden: Option<usize>,
    /// Number of the declarations of the document up to it.
    stamp: u64,
}

/// The declarations in force.
#[derive(Debug, Default)]
pub struct Names {
    declared: Vec<Declared>,
    latest: HashMap<String, usize, RandomState>,
    /// The place of the latest declaration without a prefix, which most names need.
    default: Option<usize>,
    stamp: u64,
    /// Numbers of the prefixes that were made, by namespace.
    made: HashMap<String, usize, RandomState>,
}

impl Names {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.declared.clear();
        self.latest.clear();
        self.default = None;
        self.made.clear();
        self.stamp = 0;
    }

    /// Returns a number for the declarations in force: where it is the same, they are.
    pub fn stamp(&self) -> u64 {
        self.declared.last().map_or(0, |declared| declared.stamp)
    }

    /// Returns the number of declarations in force.
    pub fn len(&self) -> usize {
        self.declared.len()
    }

    /// Leaves an element, before which there were `len` declarations.
    pub fn leave(&mut self, len: usize) {
        while self.declared.len() > len {
            let Some(gone) = self.declared.pop() else { return };
            if gone.prefix.is_empty() {
                self.default = gone.hidden;
                continue;
            }
            match gone.hidden {
                Some(hidden) => self.latest.insert(gone.prefix, hidden),
                None => self.latest.remove(&gone.prefix),
            };
        }
    }

    /// Declares a prefix.
    pub fn declare(&mut self, prefix: &str, uri: &str) {
        let place = self.declared.len();
        let hidden = match prefix {
            "" => self.default.replace(place),
            _ => self.latest.insert(prefix.to_string(), place),
        };
        self.stamp += 1;
        self.declared.push(Declared { prefix: prefix.to_string(), uri: uri.to_string(), hidden, stamp: self.stamp });
    }

    fn latest(&self, prefix: &str) -> Option<usize> {
        if prefix.is_empty() { self.default } else { self.latest.get(prefix).copied() }
    }

    /// Returns the prefixes in force that were declared before the declaration `len`, with their
    /// namespaces.
    pub fn in_force(&self, len: usize) -> impl Iterator<Item = (&str, &str)> {
        let is_latest = |(place, declared): &(usize, &Declared)| self.latest(&declared.prefix) == Some(*place);
        self.declared.iter().enumerate().take(len).filter(is_latest).map(|(_, declared)| (declared.prefix.as_str(), declared.uri.as_str()))
    }

    /// Returns the namespace of a prefix; that of the empty one is empty unless it is declared.
    pub fn uri(&self, prefix: &str) -> Option<&str> {
        match prefix {
            "" => {}
            "xml" => return Some(XML_SPACE),
            "xmlns" => return Some(XMLNS_SPACE),
            _ => {}
        }
        match self.latest(prefix) {
            Some(place) => self.declared.get(place).map(|declared| declared.uri.as_str()),
            None if prefix.is_empty() => Some(""),
            None => None,
        }
    }

    /// Returns whether a prefix is declared behind the first `len` declarations.
    pub fn is_new(&self, prefix: &str, len: usize) -> bool {
        self.latest(prefix).is_some_and(|place| place >= len)
    }

    /// Returns a prefix for a namespace: one that stands for it already, or one that can be
    /// declared by an element before which there were `len` declarations.
    pub fn make(&mut self, uri: &str, len: usize) -> String {
        if uri == XML_SPACE {
            return "xml".to_string();
        }
        if uri == XSI_SPACE && (self.uri("xsi") == Some(uri) || !self.is_new("xsi", len)) {
            return "xsi".to_string();
        }
        let count = self.made.len();
        let number = *self.made.entry(uri.to_string()).or_insert(count);
        let mut prefix = format!("ns{number}");
        while self.uri(&prefix) != Some(uri) && self.is_new(&prefix, len) {
            prefix.push('_');
        }
        prefix
    }
}
