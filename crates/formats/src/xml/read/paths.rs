//! The known paths of elements and attributes in a document, and which followed which: in a list of
//! similar records, the same will follow again, and so they will in a stream of similar documents.

use polywire_core::bytes::Starter;

use super::super::chars::{Name, ends_name};

/// Paths that are kept, at most. Documents of more are made by programs that use values as names.
const MOST: usize = 2048;

/// Most bytes of a name that is kept.
const LONGEST: usize = 1024;

/// Number of siblings that are compared with an unexpected name.
const STEPS: usize = 16;

/// A known path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathId(u32);

impl PathId {
    /// No known path.
    pub const NONE: PathId = PathId(u32::MAX);
    /// The document, which contains the root element.
    pub const DOCUMENT: PathId = PathId(0);

    /// Returns its number, counted from 0; for [`PathId::NONE`], one beyond all others.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The target of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Element,
    Attribute,
}

/// The known paths. Knowledge of one document is a guess for the next one.
#[derive(Debug, Default)]
pub(super) struct Paths {
    nodes: Vec<Node>,
}

#[derive(Debug)]
struct Node {
    name: Starter,
    /// True if the name has a colon.
    colon: bool,
    /// The path that followed it the last time.
    after: PathId,
    /// The next of its siblings, approximately in the order of the document.
    sibling: PathId,
    elements: Inner,
    attributes: Inner,
}

/// The contents of an element, of one kind.
#[derive(Debug, Clone, Copy)]
struct Inner {
    /// The path that came first the last time.
    likely: PathId,
    /// Start of the chain of siblings.
    chain: PathId,
}

impl Inner {
    const NOTHING: Inner = Inner { likely: PathId::NONE, chain: PathId::NONE };
}

impl Paths {
    /// Prepares for another document. Paths that are known stay so, unless there are too many.
    pub(super) fn begin(&mut self) {
        // The next document has room for as many others.
        if self.nodes.len() > MOST / 2 {
            self.nodes.clear();
        }
        if self.nodes.is_empty() {
            self.nodes.reserve(64);
            self.add("", false);
        }
    }

    /// Returns the path that probably comes first in `parent`.
    #[inline(always)]
    pub(super) fn first(&self, parent: PathId, kind: Kind) -> PathId {
        self.nodes.get(parent.index()).map_or(PathId::NONE, |node| node.inner(kind).likely)
    }

    /// Returns the path that probably comes after `path`.
    #[inline(always)]
    pub(super) fn after(&self, path: PathId) -> PathId {
        self.nodes.get(path.index()).map_or(PathId::NONE, |node| node.after)
    }

    /// Returns the end of the name of `path`, if it stands at `at` of `bytes`, perhaps as the
    /// beginning of a longer one.
    #[inline(always)]
    pub(super) fn name_at(&self, path: PathId, bytes: &[u8], at: usize) -> Option<Name> {
        let node = self.nodes.get(path.index())?;
        Some(Name { end: node.name.ends(bytes, at)?, colon: node.colon })
    }

    /// Returns the end of the name of `path`, if it stands at `at` of `bytes` as a whole.
    #[inline(always)]
    pub(super) fn whole_name_at(&self, path: PathId, bytes: &[u8], at: usize) -> Option<Name> {
        let name = self.name_at(path, bytes, at)?;
        bytes.get(name.end).is_some_and(|byte| ends_name(*byte)).then_some(name)
    }

    /// Returns the path after `last` whose name stands at `at` of `bytes` in place of `likely`: the
    /// one after `likely`, or one that comes before it. Records have members that not all of them
    /// have.
    #[inline]
    pub(super) fn second_guess(&mut self, last: PathId, likely: PathId, bytes: &[u8], at: usize) -> Option<(PathId, Name)> {
        let sibling = self.nodes.get(last.index())?.sibling;
        let (path, name) = [self.after(likely), sibling].into_iter().find_map(|path| Some((path, self.whole_name_at(path, bytes, at)?)))?;
        self.nodes[last.index()].after = path;
        Some((path, name))
    }

    /// Returns the path of `name` in `parent`, which came after `last`; adds a new one if need be.
    /// Returns none if there are too many, or if the name is too long.
    #[inline(never)]
    pub(super) fn find(&mut self, parent: PathId, kind: Kind, last: PathId, name: &str, colon: bool) -> PathId {
        let Some(inner) = self.nodes.get(parent.index()).map(|node| node.inner(kind)) else { return PathId::NONE };
        let start = if last == PathId::NONE { inner.chain } else { last };
        let mut found = start;
        let mut known = false;
        for _ in 0..STEPS {
            let Some(node) = self.nodes.get(found.index()) else { break };
            known = node.name.is(name.as_bytes());
            if known {
                break;
            }
            // Behind the last of the siblings comes the first.
            found = if node.sibling == PathId::NONE { inner.chain } else { node.sibling };
            if found == start {
                break;
            }
        }
        if !known {
            if self.nodes.len() == MOST || name.len() > LONGEST {
                return PathId::NONE;
            }
            found = self.add(name, colon);
            let chain = match last {
                PathId::NONE => &mut self.nodes[parent.index()].inner_mut(kind).chain,
                last => &mut self.nodes[last.index()].sibling,
            };
            let sibling = std::mem::replace(chain, found);
            self.nodes[found.index()].sibling = sibling;
        }
        match last {
            PathId::NONE => self.nodes[parent.index()].inner_mut(kind).likely = found,
            last => self.nodes[last.index()].after = found,
        }
        found
    }

    fn add(&mut self, name: &str, colon: bool) -> PathId {
        let id = PathId(self.nodes.len() as u32);
        self.nodes.push(Node {
            name: Starter::new(name.as_bytes()),
            colon,
            after: PathId::NONE,
            sibling: PathId::NONE,
            elements: Inner::NOTHING,
            attributes: Inner::NOTHING,
        });
        id
    }
}

impl Node {
    #[inline(always)]
    fn inner(&self, kind: Kind) -> Inner {
        match kind {
            Kind::Element => self.elements,
            Kind::Attribute => self.attributes,
        }
    }

    fn inner_mut(&mut self, kind: Kind) -> &mut Inner {
        match kind {
            Kind::Element => &mut self.elements,
            Kind::Attribute => &mut self.attributes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paths_of_a_document_are_known_in_the_next_one() {
        let mut paths = Paths::default();
        paths.begin();
        let a = paths.find(PathId::DOCUMENT, Kind::Element, PathId::NONE, "a", false);
        let b = paths.find(a, Kind::Element, PathId::NONE, "b", false);
        let c = paths.find(a, Kind::Element, b, "c", false);
        paths.begin();
        assert_eq!(paths.first(PathId::DOCUMENT, Kind::Element), a);
        assert_eq!(paths.first(a, Kind::Element), b);
        assert_eq!(paths.after(b), c);
        // In another order, they are found as well.
        assert_eq!(paths.find(a, Kind::Element, PathId::NONE, "c", false), c);
        assert_eq!(paths.find(a, Kind::Element, c, "b", false), b);
        assert_eq!(paths.find(a, Kind::Attribute, PathId::NONE, "b", false), PathId(4));
    }

    #[test]
    fn what_is_kept_has_bounds() {
        let mut paths = Paths::default();
        paths.begin();
        let long = "a".repeat(LONGEST + 1);
        assert_eq!(paths.find(PathId::DOCUMENT, Kind::Element, PathId::NONE, &long, false), PathId::NONE);
        let mut last = PathId::NONE;
        for n in 1..MOST {
            last = paths.find(PathId::DOCUMENT, Kind::Element, last, &format!("a{n}"), false);
            assert_eq!(last, PathId(n as u32));
        }
        assert_eq!(paths.find(PathId::DOCUMENT, Kind::Element, last, "b", false), PathId::NONE);
        paths.begin();
        assert_eq!(paths.find(PathId::DOCUMENT, Kind::Element, PathId::NONE, "b", false), PathId(1));
    }
}
