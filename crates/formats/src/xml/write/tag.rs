//! Start tags: the names and attributes that can stand as they are.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use super::super::chars::{is_qname, split};
use super::super::markup::{XML_SPACE, XMLNS_SPACE};
use super::super::values::NAMESPACE;

/// Number of attributes up to which each is compared with each.
const FEW: usize = 8;

/// Attributes that wait for the end of their tag.
#[derive(Debug, Default)]
pub struct Attributes {
    pool: String,
    /// Ranges of name and value in the pool: start of the name, its end and start of the value, its
    /// end.
    ranges: Vec<(usize, usize, usize)>,
}

impl Attributes {
    /// Adds an attribute.
    pub fn push(&mut self, name: &str, value: &str) {
        let start = self.pool.len();
        self.pool.push_str(name);
        let middle = self.pool.len();
        self.pool.push_str(value);
        self.ranges.push((start, middle, self.pool.len()));
    }

    /// Returns the number of attributes.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Returns name and value of an attribute.
    pub fn get(&self, n: usize) -> (&str, &str) {
        let (start, middle, end) = self.ranges[n];
        (&self.pool[start..middle], &self.pool[middle..end])
    }

    /// Drops all attributes.
    pub fn clear(&mut self) {
        self.pool.clear();
        self.ranges.clear();
    }

    /// Returns how many attributes, from the first, can stand in one tag, beside marks if it
    /// `is_marked`. Those after them must become elements, so that all keep their order.
    pub fn fit(&self, scope: &Prefixes, is_root: bool, is_marked: bool) -> usize {
        let count = self.len();
        if count == 0 {
            return 0;
        }
        let mut fit = (0..count).find(|&n| !can_stand(self.get(n).0, self.get(n).1, is_root)).unwrap_or(count);
        fit = self.first_double(fit).unwrap_or(fit);
        if (0..fit).all(|n| !self.get(n).0.contains(':')) {
            return fit;
        }
        let declared = self.declared(fit);
        // The place of the declaration in this tag that each attribute needs.
        let mut needs = Vec::with_capacity(fit);
        for n in 0..fit {
            match split(self.get(n).0) {
                Some((prefix, _)) if prefix != "xmlns" => match declared.get(prefix) {
                    // By its namespace it would be a mark, and could be there twice.
                    Some(&place) if is_marked && self.get(place).1 == NAMESPACE => break,
                    None if is_marked && scope.uri(prefix) == Some(NAMESPACE) => break,
                    Some(&place) => needs.push(place),
                    None if scope.uri(prefix).is_some() => needs.push(0),
                    None => break,
                },
                _ => needs.push(0),
            }
        }
        fit = closed(&needs, needs.len());
        match self.first_expanded_double(fit, scope) {
            Some(double) => closed(&needs, double),
            None => fit,
        }
    }

    fn first_double(&self, count: usize) -> Option<usize> {
        if count <= FEW {
            return (1..count).find(|&n| (0..n).any(|other| self.get(n).0 == self.get(other).0));
        }
        let mut seen = HashSet::with_capacity_and_hasher(count, RandomState::default());
        (0..count).find(|&n| !seen.insert(self.get(n).0))
    }

    fn declared(&self, count: usize) -> HashMap<&str, usize, RandomState> {
        (0..count).filter_map(|n| self.get(n).0.strip_prefix("xmlns:").map(|prefix| (prefix, n))).collect()
    }

    /// Returns the first attribute with the local name and the namespace of one before it.
    fn first_expanded_double(&self, count: usize, scope: &Prefixes) -> Option<usize> {
        let declared = self.declared(count);
        let mut seen = HashSet::with_hasher(RandomState::default());
        (0..count).find(|&n| match split(self.get(n).0) {
            Some((prefix, local)) if prefix != "xmlns" => {
                let uri = declared.get(prefix).map(|&place| self.get(place).1).or_else(|| scope.uri(prefix));
                !seen.insert((local, uri.unwrap_or("")))
            }
            _ => false,
        })
    }

    /// Reports whether the first `count` attributes declare `prefix`.
    pub fn declares(&self, prefix: &str, count: usize) -> bool {
        (0..count).any(|n| self.get(n).0.strip_prefix("xmlns:") == Some(prefix))
    }
}

/// Reports whether an attribute by itself can stand in a tag. A root can have no declaration of the
/// values profile, which the document would be taken for.
pub fn can_stand(name: &str, value: &str, is_root: bool) -> bool {
    if !is_qname(name) {
        return false;
    }
    if name == "xmlns" {
        return value != XML_SPACE && value != XMLNS_SPACE;
    }
    match name.strip_prefix("xmlns:") {
        None => true,
        Some(prefix) => {
            prefix != "xmlns"
                && !value.is_empty()
                && value != XMLNS_SPACE
                && (prefix == "xml") == (value == XML_SPACE)
                && !(is_root && value == NAMESPACE)
        }
    }
}

/// Returns the largest number up to `limit` whose attributes need none beyond themselves.
fn closed(needs: &[usize], limit: usize) -> usize {
    let (mut fit, mut furthest) = (0, 0);
    for (n, &need) in needs[..limit].iter().enumerate() {
        furthest = furthest.max(need);
        if furthest <= n {
            fit = n + 1;
        }
    }
    fit
}

/// The prefixes that the elements around declare.
#[derive(Debug, Default)]
pub struct Prefixes {
    order: Vec<Box<str>>,
    uris: HashMap<Box<str>, Vec<Box<str>>, RandomState>,
}

impl Prefixes {
    /// Returns the number of declarations.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Adds a declaration.
    pub fn declare(&mut self, prefix: &str, uri: &str) {
        self.order.push(prefix.into());
        self.uris.entry(prefix.into()).or_default().push(uri.into());
    }

    /// Returns the namespace of a prefix.
    pub fn uri(&self, prefix: &str) -> Option<&str> {
        match self.uris.get(prefix).and_then(|uris| uris.last()) {
            Some(uri) => Some(uri),
            None if prefix == "xml" => Some(XML_SPACE),
            None => None,
        }
    }

    /// Drops all but the first `count` declarations.
    pub fn leave(&mut self, count: usize) {
        while self.order.len() > count {
            if let Some(uris) = self.order.pop().and_then(|prefix| self.uris.get_mut(&prefix)) {
                uris.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(attributes: &[(&str, &str)]) -> usize {
        let mut all = Attributes::default();
        for (name, value) in attributes {
            all.push(name, value);
        }
        let mut scope = Prefixes::default();
        scope.declare("o", "urn:o");
        all.fit(&scope, true, false)
    }

    #[test]
    fn attributes_fit_up_to_the_first_that_cannot() {
        assert_eq!(fit(&[("a", ""), ("b", "")]), 2);
        assert_eq!(fit(&[("a", ""), ("b", ""), ("a", "")]), 2);
        assert_eq!(fit(&[("a", ""), ("b c", ""), ("d", "")]), 1);
        assert_eq!(fit(&[("o:a", ""), ("x:a", "")]), 1);
        assert_eq!(fit(&[("a", ""), ("x:a", ""), ("b", ""), ("xmlns:x", "urn:x")]), 4);
        assert_eq!(fit(&[("a", ""), ("x:a", ""), ("b", ""), ("1", ""), ("xmlns:x", "urn:x")]), 1);
        assert_eq!(fit(&[("x:a", ""), ("y:a", ""), ("xmlns:x", "urn:o"), ("xmlns:y", "urn:y")]), 4);
        assert_eq!(fit(&[("xmlns:x", "urn:o"), ("x:a", ""), ("o:a", "")]), 2);
        assert_eq!(fit(&[("xmlns:x", "")]), 0);
        assert_eq!(fit(&[("xmlns:q", NAMESPACE)]), 0);
        let many: Vec<(String, String)> = (0..100).map(|n| (format!("a{}", n % 90), String::new())).collect();
        assert_eq!(fit(&many.iter().map(|(name, value)| (&**name, &**value)).collect::<Vec<_>>()), 90);
    }

    #[test]
    fn prefixes_leave_with_their_elements() {
        let mut scope = Prefixes::default();
        scope.declare("a", "1");
        scope.declare("a", "2");
        assert_eq!((scope.uri("a"), scope.uri("b"), scope.uri("xml")), (Some("2"), None, Some(XML_SPACE)));
        scope.leave(1);
        assert_eq!(scope.uri("a"), Some("1"));
        scope.leave(0);
        assert_eq!(scope.uri("a"), None);
    }
}
