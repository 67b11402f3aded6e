//! Which parts of a message are kept.

use std::fmt;

use polywire_core::tools::adapt::Projection;
use polywire_core::walk::{Path, PathStep};

/// What of a message is wanted: the values that paths of names lead to, each with everything below it. Lists on the way are looked through: `a.b` names `b` in
/// each element of the list `a`. Scalars on the way are kept, since they cost little and may say why there is nothing below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The first is the message itself.
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Node {
    everything: bool,
    /// Whether it is only to be written as JSON.
    written: bool,
    members: Vec<(Box<str>, u32)>,
}

/// What is wanted at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Only what is there.
    Reached,
    Everything,
    /// Everything, to be written.
    Written,
}

/// A place in a message, as far as it is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place(u32);

impl Place {
    /// Everything below it is wanted.
    pub const EVERYTHING: Place = Place(u32::MAX);

    /// Everything below it is wanted, and nobody looks at it; see [`Wanted::write`].
    pub const WRITTEN: Place = Place(u32::MAX - 1);

    /// Whether everything below it is wanted.
    #[inline]
    pub fn is_whole(self) -> bool {
        self == Place::EVERYTHING || self == Place::WRITTEN
    }
}

impl Wanted {
    /// All of the message.
    pub fn everything() -> Wanted {
        Wanted { nodes: vec![Node { everything: true, ..Node::default() }] }
    }

    /// Only what the message is, with no member.
    pub fn nothing() -> Wanted {
        Wanted { nodes: vec![Node::default()] }
    }

    /// What any of `paths` leads to.
    pub fn paths<'p, P: IntoIterator<Item = &'p str>>(paths: impl IntoIterator<Item = P>) -> Wanted {
        let mut this = Wanted::nothing();
        for path in paths {
            this.add(path);
        }
        this
    }

    /// Adds what `path` leads to, with everything below. The empty path leads to the message itself.
    pub fn add<'p>(&mut self, path: impl IntoIterator<Item = &'p str>) {
        if let Some(at) = self.way(path) {
            // Nodes below are left where they are, and never looked at again.
            self.nodes[at] = Node { everything: true, ..Node::default() };
        }
    }

    /// Adds what `path` leads to as [`Wanted::add`], where nobody will look at it but who writes it as JSON: an object there may be kept as its JSON text. What is
    /// added by another path too is kept as usual.
    pub fn write<'p>(&mut self, path: impl IntoIterator<Item = &'p str>) {
        if let Some(at) = self.way(path) {
            let node = &mut self.nodes[at];
            let known = node.everything && !node.written || !node.members.is_empty();
            *node = Node { everything: true, written: !known, members: Vec::new() };
        }
    }

    /// The same with nothing that is only to be written.
    #[must_use]
    pub fn looked_at(&self) -> Wanted {
        let mut this = self.clone();
        this.nodes.iter_mut().for_each(|node| node.written = false);
        this
    }

    /// Adds what `path` leads to, without what is below if that is a list or an object: whether it is there, and what it is.
    pub fn reach<'p>(&mut self, path: impl IntoIterator<Item = &'p str>) {
        self.way(path);
    }

    /// The place of `path`, made if it is not there; `None` if everything on the way is wanted.
    fn way<'p>(&mut self, path: impl IntoIterator<Item = &'p str>) -> Option<usize> {
        let mut at = 0;
        for name in path {
            if self.nodes[at].everything {
                // What is below is looked at.
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

    /// Adds what `other` wants.
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

    /// Whether all that `other` wants is wanted.
    pub fn includes(&self, other: &Wanted) -> bool {
        other.ends().into_iter().all(|(path, wanted)| {
            let end = path.into_iter().try_fold(self.root(), |place, name| self.member(place, name));
            end.is_some_and(|place| wanted == End::Reached || place.is_whole())
        })
    }

    /// How many places it tells apart, as a measure of what it costs to keep.
    pub fn places(&self) -> usize {
        self.nodes.len()
    }

    /// What `self` wants of a message that stands below `path` in another.
    #[must_use]
    pub fn below<'p>(&self, path: impl IntoIterator<Item = &'p str>) -> Wanted {
        let mut this = Wanted::nothing();
        let path: Vec<&str> = path.into_iter().collect();
        for (names, end) in self.ends() {
            this.add_end(path.iter().copied().chain(names), end);
        }
        this
    }

    /// Whether all of the message is wanted.
    pub fn is_everything(&self) -> bool {
        self.nodes[0].everything
    }

    /// The message itself.
    pub fn root(&self) -> Place {
        self.place(0)
    }

    /// Where the member `name` of the value at `place` is, if it is wanted.
    #[inline]
    pub fn member(&self, place: Place, name: &str) -> Option<Place> {
        if place.is_whole() {
            return Some(place);
        }
        self.find(place.0 as usize, name).map(|member| self.place(member))
    }

    /// The same for readers that take a [`Projection`]; `None` if everything is wanted.
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

    /// The paths to where no more names are told apart, and what is wanted there.
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

/// The paths, separated by commas; `*` for everything.
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
        wanted.add([]);
        assert!(wanted.is_everything() && wanted.projection().is_none() && wanted.to_string() == "*");
        assert_eq!(Wanted::nothing().to_string(), "");
    }
}
