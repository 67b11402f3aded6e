//! Attributes of the open elements: which can stand in their tags.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use super::super::chars::split;
use super::super::write::tag::{Prefixes, can_stand};

/// The attributes that the open elements have.
#[derive(Debug, Default)]
pub struct Attributes {
    /// Depth and expanded name of each.
    known: HashSet<(usize, Box<str>), RandomState>,
    /// The same, in order.
    order: Vec<(usize, Box<str>)>,
}

impl Attributes {
    /// Adds an attribute of the element at `depth`, if that can have it. Declarations of the same
    /// tag are in `scope`.
    pub fn add(&mut self, depth: usize, name: &str, value: &str, scope: &Prefixes) -> bool {
        if !can_stand(name, value, depth <= 1) {
            return false;
        }
        let expanded = match split(name) {
            Some((prefix, local)) if prefix != "xmlns" => match scope.uri(prefix) {
                Some(uri) => format!("{{{uri}}}{local}").into_boxed_str(),
                None => return false,
            },
            _ => name.into(),
        };
        let is_new = self.known.insert((depth, expanded.clone()));
        if is_new {
            self.order.push((depth, expanded));
        }
        is_new
    }

    /// Drops those of elements at `depth` and deeper.
    pub fn leave(&mut self, depth: usize) {
        while let Some(last) = self.order.pop_if(|(of, _)| *of >= depth) {
            self.known.remove(&last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_has_an_attribute_once() {
        let mut scope = Prefixes::default();
        scope.declare("x", "urn:1");
        scope.declare("y", "urn:1");
        let mut attributes = Attributes::default();
        assert!(attributes.add(1, "a", "", &scope));
        assert!(!attributes.add(1, "a", "", &scope));
        assert!(attributes.add(2, "a", "", &scope));
        assert!(attributes.add(2, "x:a", "", &scope));
        assert!(!attributes.add(2, "y:a", "", &scope));
        assert!(!attributes.add(2, "z:a", "", &scope));
        assert!(!attributes.add(2, "1", "", &scope));
        attributes.leave(2);
        assert!(attributes.add(2, "y:a", "", &scope));
        assert!(!attributes.add(1, "a", "", &scope));
    }
}
