//! Selects the parts of a message to keep.

use std::fmt;

use polywire_core::tools::adapt::Projection;
use polywire_core::walk::{Path, PathStep};

/// The wanted parts of a message: the values at given paths, each with everything below it.
///
/// Paths consist of names and pass through lists: `a.b` means `b` in each element of the list `a`.
/// Scalars on the way are kept: they cost little, and explain why there is nothing below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The first node is the message itself.
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Node {
    everything: bool,
    /// True if the value is only written as JSON.
    written: bool,
    members: Vec<(Box<str>, u32)>,
}

/// The wanted part at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Only the value's presence and kind.
    Reached,
    Everything,
    /// Everything, for writing only.
    Written,
}

/// A place in a message, as far as it is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place(u32);

impl Place {
    /// Everything below this place is wanted.
    pub const EVERYTHING: Place = Place(u32::MAX);

    /// Everything below this place is wanted, for writing only; see [`Wanted::write`].
    pub const WRITTEN: Place = Place(u32::MAX - 1);

    /// Returns true if everything below this place is wanted.
    #[inline]
    pub fn is_whole(self) -> bool {
        self == Place::EVERYTHING || self == Place::WRITTEN
    }
}

impl Wanted {
    /// Wants the whole message.
    pub fn everything() -> Wanted {
        Wanted { nodes: vec![Node { everything: true, ..Node::default() }] }
    }

    /// Wants no member: only the kind of the message, or its value if that is a scalar.
    pub fn nothing() -> Wanted {
        Wanted { nodes: vec![Node::default()] }
    }

    /// Wants the values at `paths`.
    pub fn paths<'p, P: IntoIterator<Item = &'p str>>(paths: impl IntoIterator<Item = P>) -> Wanted {
        let mut this = Wanted::nothing();
        for path in paths {
            this.add(path);
        }
        this
    }

    /// Adds the value at `path` with everything below it. The empty path means the whole message.
    pub fn add<'p>(&mut self, path: impl IntoIterator<Item = &'p str>) {
        if let Some(at) = self.way(path) {
            // Nodes below stay in the vector, unused.
            self.nodes[at] = Node { everything: true, ..Node::default() };
        }
    }

    /// Adds the value at `path` for writing only: as [`Wanted::add`], but an object there may be
    /// kept as JSON text. A value that another path adds too is kept as usual.
    pub fn write<'p>(&mut self, path: impl IntoIterator<Item = &'p str>) {
        if let Some(at) = self.way(path) {
            let node = &mut self.nodes[at];
            let known = node.everything && !node.written || !node.members.is_empty();
            *node = Node { everything: true, written: !known, members: Vec::new() };
        }
    }

    /// Returns the same selection, with nothing for writing only.
    #[must_use]
    pub fn looked_at(&self) -> Wanted {
        let mut this = self.clone();
        this.nodes.iter_mut().for_each(|node| node.written = false);
        this
    }

    /// Adds the presence and kind of the value at `path`, without the contents of a list or object.
    pub fn reach<'p>(&mut self, path: impl IntoIterator<Item = &'p str>) {
        self.way(path);
    }

    /// Returns the node of `path`, a new one if need be. Returns `None` if the path passes a value
    /// that is wanted whole.
    fn way<'p>(&mut self, path: impl IntoIterator<Item = &'p str>) -> Option<usize> {
        let mut at = 0;
        for name in path {
            if self.nodes[at].everything {
                // A path that leads into the value looks at it.
                self.nodes[at].written = false;
                return None;
            }
            at = match self.find(at, name) {
                Some(member) => member as usize,
                None => {
                    self.nodes.push(Node::default());
                    let member = self.nodes.len() - 1;
                    self.nodes[at].members.push((name.into(), member as u32));
                    member
                }
            };
        }
        Some(at)
    }

    /// Returns paths to all values of which something is wanted; `None` if that is the message
    /// itself.
    pub fn all_paths(&self) -> Option<Vec<Path>> {
        let path = |names: Vec<&str>| Path(names.into_iter().map(|name| PathStep::Name(name.to_string())).collect());
        let paths: Vec<Path> = self.ends().into_iter().map(|(names, _)| path(names)).collect();
        (!self.nodes[0].everything).then_some(paths)
    }

    /// Adds everything that `other` wants.
    pub fn merge(&mut self, other: &Wanted) {
        other.ends().into_iter().for_each(|(path, end)| self.add_end(path, end));
    }

    fn add_end<'p>(&mut self, path: impl IntoIterator<Item = &'p str>, end: End) {
        match end {
            End::Everything => self.add(path),
            End::Written => self.write(path),
            End::Reached => self.reach(path),
        }
    }

    /// Returns true if `self` wants everything that `other` wants.
    pub fn includes(&self, other: &Wanted) -> bool {
        other.ends().into_iter().all(|(path, wanted)| {
            let end = path.into_iter().try_fold(self.root(), |place, name| self.member(place, name));
            end.is_some_and(|place| wanted == End::Reached || place.is_whole())
        })
    }

    /// Returns the number of places, a measure of the cost of keeping it.
    pub fn places(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the selection for a message that is the value at `path` of another.
    #[must_use]
    pub fn below<'p>(&self, path: impl IntoIterator<Item = &'p str>) -> Wanted {
        let mut this = Wanted::nothing();
        let path: Vec<&str> = path.into_iter().collect();
        for (names, end) in self.ends() {
            this.add_end(path.iter().copied().chain(names), end);
        }
        this
    }

    /// Returns true if the whole message is wanted.
    pub fn is_everything(&self) -> bool {
        self.nodes[0].everything
    }

    /// Returns the place of the message itself.
    pub fn root(&self) -> Place {
        self.place(0)
    }

    /// Returns the place of the member `name` of the value at `place`, if it is wanted.
    #[inline]
    pub fn member(&self, place: Place, name: &str) -> Option<Place> {
        if place.is_whole() {
            return Some(place);
        }
        self.find(place.0 as usize, name).map(|member| self.place(member))
    }

    /// Returns the selection for readers that take a [`Projection`]; `None` if everything is
    /// wanted.
    pub fn projection(&self) -> Option<Projection> {
        if self.is_everything() {
            return None;
        }
        let path = |(end, _): (Vec<&str>, End)| Path(end.into_iter().map(|name| PathStep::Name(name.to_string())).collect());
        Some(Projection::new(&self.ends().into_iter().filter(|(end, _)| !end.is_empty()).map(path).collect::<Vec<_>>()))
    }

    #[inline]
    fn place(&self, node: u32) -> Place {
        match self.nodes[node as usize] {
            Node { everything: true, written: false, .. } => Place::EVERYTHING,
            Node { everything: true, written: true, .. } => Place::WRITTEN,
            _ => Place(node),
        }
    }

    #[inline]
    fn find(&self, at: usize, name: &str) -> Option<u32> {
        self.nodes.get(at)?.members.iter().find(|(known, _)| **known == *name).map(|&(_, member)| member)
    }

    /// Returns the longest paths, each with true if everything below it is wanted, and false for
    /// its presence and kind alone. Nothing is for writing only.
    pub fn leaves(&self) -> Vec<(Vec<&str>, bool)> {
        self.ends().into_iter().map(|(path, end)| (path, end != End::Reached)).collect()
    }

    /// Returns the longest paths, and the wanted part at the end of each.
    fn ends(&self) -> Vec<(Vec<&str>, End)> {
        let mut ends = Vec::new();
        let mut open = vec![(0, Vec::new())];
        while let Some((at, path)) = open.pop() {
            let node: &Node = &self.nodes[at];
            if node.everything || node.members.is_empty() {
                let end = match node {
                    Node { everything: false, .. } => End::Reached,
                    Node { written: false, .. } => End::Everything,
                    Node { written: true, .. } => End::Written,
                };
                ends.push((path, end));
                continue;
            }
            for (name, member) in node.members.iter().rev() {
                let mut path = path.clone();
                path.push(&**name);
                open.push((*member as usize, path));
            }
        }
        ends
    }
}

impl Default for Wanted {
    fn default() -> Self {
        Wanted::everything()
    }
}

/// Shows the paths, separated by commas; `*` means everything.
impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let leaves = self.ends().into_iter().filter_map(|(path, end)| (end != End::Reached).then_some(path));
        for (n, leaf) in leaves.enumerate() {
            if n > 0 {
                f.write_str(", ")?;
            }
            if leaf.is_empty() {
                f.write_str("*")?;
            } else {
                f.write_str(&leaf.join("."))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_everything_below() {
        let mut wanted = Wanted::paths([vec!["a", "b"], vec!["a", "c", "d"], vec!["e"]]);
        assert_eq!(wanted.to_string(), "a.b, a.c.d, e");
        let a = wanted.member(wanted.root(), "a").unwrap();
        assert_eq!(wanted.member(a, "b"), Some(Place::EVERYTHING));
        assert_eq!(wanted.member(Place::EVERYTHING, "any"), Some(Place::EVERYTHING));
        assert_eq!((wanted.member(a, "x"), wanted.member(wanted.root(), "b")), (None, None));
        wanted.add(["a"]);
        wanted.add(["a", "z"]);
        assert_eq!(wanted.to_string(), "a, e");
        wanted.merge(&Wanted::paths([["f", "g"]]));
        assert_eq!(wanted.below(["r", "s"]).to_string(), "r.s.a, r.s.e, r.s.f.g");
        assert!(wanted.projection().is_some());
        let places = wanted.places();
        wanted.reach(["g", "h"]);
        wanted.reach(["a", "b"]);
        assert_eq!((wanted.places(), wanted.to_string().as_str()), (places + 2, "a, e, f.g"));
        let g = wanted.member(wanted.root(), "g").unwrap();
        assert!(wanted.member(g, "h").is_some_and(|h| h != Place::EVERYTHING) && wanted.member(g, "i").is_none());
        let reaching = wanted.below(["r"]);
        assert!(reaching.includes(&wanted.below(["r"])) && !reaching.includes(&wanted));
        assert!(wanted.includes(&Wanted::paths([["a", "b"], ["f", "g"]])) && !wanted.includes(&Wanted::paths([["g", "h"]])));
        assert!(wanted.includes(&Wanted::nothing()) && !Wanted::nothing().includes(&wanted));
        let mut written = Wanted::paths([["a", "b"]]);
        written.write(["a", "c"]);
        written.write(["a", "b"]);
        written.write(["d"]);
        let place = |wanted: &Wanted, path: &[&str]| path.iter().try_fold(wanted.root(), |place, name| wanted.member(place, name));
        let below = written.below(["r"]);
        for (wanted, root) in [(&written, &[][..]), (&below, &["r"])] {
            let at = |path: &[&str]| place(wanted, &[root, path].concat());
            assert_eq!(
                (at(&["a", "b"]), at(&["a", "c", "x"]), at(&["d"])),
                (Some(Place::EVERYTHING), Some(Place::WRITTEN), Some(Place::WRITTEN))
            );
        }
        assert_eq!((written.to_string().as_str(), place(&written.looked_at(), &["d"])), ("a.b, a.c, d", Some(Place::EVERYTHING)));
        assert!(written.includes(&written.looked_at()) && written.looked_at().includes(&written));
        written.reach(["d", "e"]);
        written.write(["a"]);
        assert_eq!((place(&written, &["d"]), place(&written, &["a"])), (Some(Place::EVERYTHING), Some(Place::EVERYTHING)));
        assert_eq!(Wanted::paths([["a", "b"]]).leaves(), [(vec!["a", "b"], true)]);
        assert_eq!((Wanted::nothing().leaves(), Wanted::everything().leaves()), (vec![(vec![], false)], vec![(vec![], true)]));
        wanted.add([]);
        assert!(wanted.is_everything() && wanted.projection().is_none() && wanted.to_string() == "*");
        assert_eq!(Wanted::nothing().to_string(), "");
    }
}
