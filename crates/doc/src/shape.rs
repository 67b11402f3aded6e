//! What is declared of a service's messages beyond what they say themselves.

use polywire_core::walk::{Path, PathStep};

/// Which values of a message are lists even if they come once, and how unmarked text is read: so that one item and two have the same shape, and a code of
/// digits stays a code. Paths are of names; lists on the way are looked through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    /// The first, if there is one, is the message itself.
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Node {
    list: bool,
    reads: Option<Reads>,
    members: Vec<(Box<str>, u32)>,
}

/// How unmarked text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// As a number, where it is one.
    Number,
    /// As it is.
    Text,
}

/// A place in a message, as far as something is declared of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Declared(u32);

impl Declared {
    /// Nothing is declared of what is here and below.
    pub const NOTHING: Declared = Declared(u32::MAX);
}

impl Shape {
    /// Declares that the values which `path` leads to are lists even if they come once.
    pub fn list(&mut self, path: &Path) {
        let at = self.make(path);
        self.nodes[at].list = true;
    }

    /// Declares how the texts which `path` leads to are read.
    pub fn reads(&mut self, path: &Path, reads: Reads) {
        let at = self.make(path);
        self.nodes[at].reads = Some(reads);
    }

    /// Whether nothing is declared.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The message itself.
    #[inline]
    pub fn root(&self) -> Declared {
        if self.is_empty() { Declared::NOTHING } else { Declared(0) }
    }

    /// The member `name` of the value at `at`.
    #[inline]
    pub fn member(&self, at: Declared, name: &str) -> Declared {
        let Some(node) = self.nodes.get(at.0 as usize) else { return Declared::NOTHING };
        let found = node.members.iter().find(|(known, _)| **known == *name);
        found.map_or(Declared::NOTHING, |&(_, member)| Declared(member))
    }

    /// Whether the value is a list even if it comes once.
    #[inline]
    pub fn is_list(&self, at: Declared) -> bool {
        self.nodes.get(at.0 as usize).is_some_and(|node| node.list)
    }

    /// How the value's text is read.
    #[inline]
    pub fn reading(&self, at: Declared) -> Option<Reads> {
        self.nodes.get(at.0 as usize).and_then(|node| node.reads)
    }

    /// The paths that are declared to be lists.
    pub fn lists(&self) -> Vec<Path> {
        self.paths(|node| node.list)
    }

    /// The paths whose texts are declared to be read so.
    pub fn read_as(&self, reads: Reads) -> Vec<Path> {
        self.paths(|node| node.reads == Some(reads))
    }

    fn paths(&self, which: impl Fn(&Node) -> bool) -> Vec<Path> {
        let mut found = Vec::new();
        let mut open = vec![(0, Path::default())];
        while let Some((at, path)) = open.pop() {
            let Some(node): Option<&Node> = self.nodes.get(at) else { break };
            if which(node) {
                found.push(path.clone());
            }
            for (name, member) in node.members.iter().rev() {
                let mut path = path.clone();
                path.0.push(PathStep::Name(name.to_string()));
                open.push((*member as usize, path));
            }
        }
        found
    }

    fn make(&mut self, path: &Path) -> usize {
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        let mut at = 0;
        for step in &path.0 {
            let PathStep::Name(name) = step else { continue };
            at = match self.member(Declared(at as u32), name) {
                Declared::NOTHING => {
                    self.nodes.push(Node::default());
                    let member = self.nodes.len() - 1;
                    self.nodes[at].members.push((name.as_str().into(), member as u32));
                    member
                }
                Declared(member) => member as usize,
            };
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_declared_is_found_by_name() {
        let path = |text: &str| Path::parse(text).unwrap();
        let mut shape = Shape::default();
        assert_eq!((shape.is_empty(), shape.root()), (true, Declared::NOTHING));
        shape.list(&path("a.items[].b"));
        shape.list(&path("a.items"));
        shape.reads(&path("a.items.b.n"), Reads::Number);
        shape.reads(&path("a.id"), Reads::Text);
        let items = shape.member(shape.member(shape.root(), "a"), "items");
        assert!(shape.is_list(items) && !shape.is_list(shape.root()));
        assert_eq!(shape.reading(shape.member(shape.member(items, "b"), "n")), Some(Reads::Number));
        assert_eq!(shape.member(items, "x"), Declared::NOTHING);
        assert_eq!(shape.member(Declared::NOTHING, "a"), Declared::NOTHING);
        let shown = |paths: Vec<Path>| paths.iter().map(Path::to_string).collect::<Vec<_>>();
        assert_eq!(shown(shape.lists()), ["a.items", "a.items.b"]);
        assert_eq!(shown(shape.read_as(Reads::Number)), ["a.items.b.n"]);
        assert_eq!(shown(shape.read_as(Reads::Text)), ["a.id"]);
    }
}
