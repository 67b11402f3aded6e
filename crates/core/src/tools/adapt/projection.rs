//! Projections: the values of a message that paths name.

use crate::walk::path::{Path, PathStep};
use crate::walk::slice::Slice;

/// The values of a message that are named by one of several paths, with all they hold.
///
/// Lists and tagged values on the way are looked through: `a.b` names `b` in each element of the
/// list `a`. A position names elements of the list that it stands behind: `a[0].b` names `b` in the
/// first one. In formats where fields of one name are a list, it counts these.
#[derive(Debug, Clone, Default)]
pub struct Projection {
    nodes: Vec<Node>,
    paths: Vec<Way>,
    /// The same paths, each up to its first position; `None` if none has one.
    by_names: Option<Box<Projection>>,
}

#[derive(Debug, Clone, Default)]
struct Node {
    /// All of the value is wanted.
    whole: bool,
    fields: Vec<(String, usize)>,
    /// The node of `*`, for names that are not among these.
    others: Option<usize>,
    /// The nodes that positions lead to.
    slices: Vec<(Slice, usize)>,
}

/// A path, and the nodes that it passes, its end last.
#[derive(Debug, Clone)]
pub(crate) struct Way {
    pub(crate) path: Path,
    pub(crate) nodes: Vec<usize>,
}

impl Projection {
    /// The node of the message itself.
    pub(crate) const ROOT: usize = 0;

    /// Makes the projection of all that `paths` name. In a path, `*` stands for every name; where
    /// both fit, a name goes before it.
    pub fn new(paths: &[Path]) -> Projection {
        let mut this = Projection { nodes: vec![Node::default()], ..Projection::default() };
        let mut cut = Vec::new();
        for path in paths {
            let steps = steps(path);
            let named = steps.iter().take_while(|step| matches!(step, Step::Name(_))).count();
            cut.push(Path(steps[..named].iter().map(|step| PathStep::Name(step.name().to_string())).collect()));
            let mut at = Projection::ROOT;
            let mut nodes = vec![at];
            for step in steps {
                at = this.step(at, step);
                nodes.push(at);
            }
            this.nodes[at].whole = true;
            this.paths.push(Way { path: path.clone(), nodes });
        }
        for node in &mut this.nodes {
            node.others = node.fields.iter().find(|(name, _)| name == "*").map(|(_, child)| *child);
        }
        if this.nodes.iter().any(|node| !node.slices.is_empty()) {
            this.by_names = Some(Box::new(Projection::new(&cut)));
        }
        this
    }

    /// Returns its paths.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(|way| &way.path)
    }

    fn step(&mut self, at: usize, step: Step<'_>) -> usize {
        let node = &self.nodes[at];
        let known = match step {
            Step::Name(name) => node.fields.iter().find(|(known, _)| known == name).map(|(_, child)| *child),
            Step::Slice(slice) => node.slices.iter().find(|(known, _)| *known == slice).map(|(_, child)| *child),
        };
        known.unwrap_or_else(|| {
            self.nodes.push(Node::default());
            let child = self.nodes.len() - 1;
            match step {
                Step::Name(name) => self.nodes[at].fields.push((name.to_string(), child)),
                Step::Slice(slice) => self.nodes[at].slices.push((slice, child)),
            }
            child
        })
    }

    /// Returns whether a path has a position: then the lists that it passes must be known whole.
    pub(crate) fn has_positions(&self) -> bool {
        self.by_names.is_some()
    }

    /// Returns a projection that names no less, and has no positions: every path up to its first.
    pub(crate) fn by_names(&self) -> &Projection {
        self.by_names.as_deref().unwrap_or(self)
    }

    /// Returns the paths, in their order.
    pub(crate) fn ways(&self) -> &[Way] {
        &self.paths
    }

    /// Returns the number of nodes.
    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the node that the name `name` leads to from `at`.
    #[inline]
    pub(crate) fn child(&self, at: usize, name: &str) -> Option<usize> {
        let node = &self.nodes[at];
        // Lengths are compared first: most names differ in length.
        let found = node.fields.iter().find(|(known, _)| known.len() == name.len() && known == name);
        found.map_or(node.others, |(_, child)| Some(*child))
    }

    /// Returns the node that `*` leads to from `at`.
    #[inline]
    pub(crate) fn others(&self, at: usize) -> Option<usize> {
        self.nodes[at].others
    }

    /// Returns whether a path ends at `node`.
    #[inline]
    pub(crate) fn is_whole(&self, node: usize) -> bool {
        self.nodes[node].whole
    }

    /// Returns whether a path ends at `node`, or a name leads on from it.
    pub(crate) fn goes_by_name(&self, node: usize) -> bool {
        self.nodes[node].whole || !self.nodes[node].fields.is_empty()
    }

    /// Reports whether it names fields of a record, and nothing within them.
    pub(crate) fn is_names(&self) -> bool {
        let Some(root) = self.nodes.first() else { return false };
        let ends = |node: &Node| node.whole && node.fields.is_empty() && node.slices.is_empty();
        !root.whole && root.others.is_none() && root.slices.is_empty() && root.fields.iter().all(|(_, child)| ends(&self.nodes[*child]))
    }

    /// Reports whether it names the field `name` of a record.
    pub(crate) fn keeps(&self, name: &str) -> bool {
        self.nodes.first().is_some_and(|root| root.fields.iter().any(|(known, _)| known == name))
    }

    /// Returns the positions that lead on from `node`, and the nodes they lead to.
    pub(crate) fn slices(&self, node: usize) -> &[(Slice, usize)] {
        &self.nodes[node].slices
    }
}

/// A step that a projection goes by.
#[derive(Clone, Copy)]
enum Step<'p> {
    Name(&'p str),
    Slice(Slice),
}

impl<'p> Step<'p> {
    fn name(self) -> &'p str {
        match self {
            Step::Name(name) => name,
            Step::Slice(_) => "",
        }
    }
}

/// Returns the steps of a path. Lists are looked through without a step, so `[]` counts only where
/// a position follows it directly: `[][0]` is the first element of each list in a list.
fn steps(path: &Path) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    for (at, step) in path.0.iter().enumerate() {
        match step {
            PathStep::Name(name) => steps.push(Step::Name(name)),
            PathStep::Index(index) => steps.push(Step::Slice(Slice::one(i64::try_from(*index).unwrap_or(i64::MAX)))),
            PathStep::Slice(slice) => steps.push(Step::Slice(*slice)),
            PathStep::Each => {
                let next = path.0[at..].iter().find(|step| **step != PathStep::Each);
                if matches!(next, Some(PathStep::Index(_) | PathStep::Slice(_))) {
                    steps.push(Step::Slice(Slice::ALL));
                }
            }
            PathStep::Key(_) => {}
        }
    }
    steps
}
