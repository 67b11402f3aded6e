//! Namespaces in force (Namespaces in XML 1.0).

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::super::markup::XML_SPACE;

/// Number of declarations up to which prefixes are searched one by one, and hashed beyond.
const FEW: usize = 8;

/// Namespaces declared in the elements around.
#[derive(Debug, Default)]
pub(super) struct Scope<'t> {
    declared: Vec<Declared<'t>>,
    /// The last of `declared` by prefix, once there are more than [`FEW`].
    latest: Option<HashMap<Cow<'t, str>, usize, RandomState>>,
}

#[derive(Debug)]
struct Declared<'t> {
    prefix: Cow<'t, str>,
    uri: Cow<'t, str>,
    /// Index of the declaration that this one hides.
    hidden: Option<usize>,
}

impl<'t> Scope<'t> {
    /// Returns the number of declarations in force.
    pub(super) fn len(&self) -> usize {
        self.declared.len()
    }

    /// Adds a declaration.
    pub(super) fn declare(&mut self, prefix: Cow<'t, str>, uri: Cow<'t, str>) {
        let count = self.declared.len();
        self.declared.push(Declared { prefix, uri, hidden: None });
        let first = match (count, &self.latest) {
            (..FEW, None) => return,
            (_, None) => 0,
            (_, Some(_)) => count,
        };
        let latest = self.latest.get_or_insert_default();
        for n in first..=count {
            self.declared[n].hidden = latest.insert(self.declared[n].prefix.clone(), n);
        }
    }

    /// Returns the namespace of a prefix, if it has one.
    pub(super) fn uri(&self, prefix: &str) -> Option<&str> {
        let found = match &self.latest {
            None => self.declared.iter().rposition(|declared| declared.prefix == prefix),
            Some(latest) => latest.get(prefix).copied(),
        };
        match found {
            Some(at) => Some(&self.declared[at].uri),
            None if prefix == "xml" => Some(XML_SPACE),
            None => None,
        }
    }

    /// Drops all but the first `scope` declarations.
    pub(super) fn leave(&mut self, scope: usize) {
        let Some(latest) = &mut self.latest else { return self.declared.truncate(scope) };
        while self.declared.len() > scope {
            if let Some(Declared { prefix, hidden, .. }) = self.declared.pop() {
                match hidden {
                    Some(at) => latest.insert(prefix, at),
                    None => latest.remove(&prefix),
                };
            }
        }
    }
}
