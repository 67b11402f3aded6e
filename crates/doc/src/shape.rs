//! Declarations about a service's messages, beyond what the messages themselves show.

use polywire_core::walk::{Path, PathStep};

/// Values of a message that are lists even if they occur once, and the types of its unmarked text.
///
/// With it, one item and two have the same shape, and a code of digits stays text. Paths consist of
/// names and pass through lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    /// The first node, if there is one, is the message itself.
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Node {
    list: bool,
    reads: Option<Reads>,
    members: Vec<(Box<str>, u32)>,
}

/// The type of unmarked text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// A number, where the text is one.
    Number,
    /// Text, unchanged.
    Text,
}

/// A place in a message, as far as declarations reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Declared(u32);

impl Declared {
    /// No declarations, here or below.
    pub const NOTHING: Declared = Declared(u32::MAX);
}

impl Shape {
    /// Declares that the values at `path` are lists even if they occur once.
    pub fn list(&mut self, path: &Path) {
        let at = self.make(path);
        self.nodes[at].list = true;
    }

    /// Declares the type of the texts at `path`.
    pub fn reads(&mut self, path: &Path, reads: Reads) {
        let at = self.make(path);
        self.nodes[at].reads = Some(reads);
    }

    /// Returns true if nothing is declared.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the place of the message itself.
    #[inline]
    pub fn root(&self) -> Declared {
        if self.is_empty() { Declared::NOTHING } else { Declared(0) }
    }

    /// Returns the place of the member `name` of the value at `at`.
    #[inline]
    pub fn member(&self, at: Declared, name: &str) -> Declared {
        let Some(node) = self.nodes.get(at.0 as usize) else { return Declared::NOTHING };
        let found = node.members.iter().find(|(known, _)| **known == *name);
        found.map_or(Declared::NOTHING, |&(_, member)| Declared(member))
    }

    /// Returns true if the value is a list even if it occurs once.
    #[inline]
    pub fn is_list(&self, at: Declared) -> bool {
        self.nodes.get(at.0 as usize).is_some_and(|node| node.list)
    }

    /// Returns the type of the value's text.
    #[inline]
    pub fn reading(&self, at: Declared) -> Option<Reads> {
        self.nodes.get(at.0 as usize).and_then(|node| node.reads)
    }

    /// Returns the paths that are declared to be lists.
    pub fn lists(&self) -> Vec<Path> {
        self.paths(|node| node.list)
    }

    /// Returns the paths whose texts are declared to be of type `reads`.
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
