//! Marks for the paths of a projection that have named something.

use crate::tools::adapt::projection::Projection;

/// A mark for each node of a projection whose path named a value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hits(Vec<bool>);

impl Hits {
    /// Makes no marks, for `projection`.
    pub(crate) fn new(projection: &Projection) -> Hits {
        Hits(vec![false; projection.node_count()])
    }

    /// Marks a node.
    #[inline]
    pub(crate) fn mark(&mut self, node: usize) {
        if let Some(mark) = self.0.get_mut(node) {
            *mark = true;
        }
    }

    /// Adds the marks of another one for the same projection.
    pub(crate) fn join(&mut self, other: &Hits) {
        self.0.iter_mut().zip(&other.0).for_each(|(mark, other)| *mark |= other);
    }

    /// Returns the indices of the paths that have named nothing. `nested` says that a path may lead
    /// on from where another one ends; if not, it has named something with that one.
    pub(crate) fn missing(&self, projection: &Projection, nested: bool) -> Vec<usize> {
        let marked = |node: &usize| self.0.get(*node) == Some(&true);
        let named = |nodes: &[usize]| nodes.last().is_some_and(marked) || !nested && nodes.iter().any(marked);
        let ways = projection.ways().iter().enumerate();
        ways.filter(|(_, way)| way.nodes.len() > 1 && !named(&way.nodes)).map(|(index, _)| index).collect()
    }
}
