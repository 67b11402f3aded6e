//! Keeps only what paths with positions name. The message is held as a tree, since a position from
//! the end needs the length of its list.

use crate::error::Result;
use crate::tools::adapt::hits::Hits;
use crate::tools::adapt::places::{Called, Child, Places, children};
use crate::tools::adapt::projection::Projection;
use crate::value::tree::Tree;
use crate::walk::event::{Next, Open, Scalar, Span};
use crate::walk::sink::Sink;

/// A choice from a message held as a tree.
pub(crate) struct Pick<'a> {
    /// The paths.
    pub(crate) projection: &'a Projection,
    /// True if fields of one name are a list.
    pub(crate) repeats: bool,
    /// Marks for the paths that named something.
    pub(crate) hits: &'a mut Hits,
}

impl Pick<'_> {
    /// Emits the parts of the message in `tree` that the projection names; null if there are none.
    pub(crate) fn emit<'m>(mut self, tree: &Tree<'m>, sink: &mut dyn Sink<'m>) -> Result<()> {
        let root = tree.skip_notes(0);
        let places = Places::root();
        if root < tree.node_count() && self.wants(tree, root, &places) {
            self.value(tree, root, &places, sink)?;
            return Ok(());
        }
        sink.scalar(Scalar::Null, Span::NONE)
    }

    /// Returns whether anything of the value at `at` may be wanted: not of a scalar where paths
    /// lead on, nor of a case that none of them names.
    fn wants(&self, tree: &Tree<'_>, at: usize, places: &Places) -> bool {
        if places.is_nowhere() || places.is_whole(self.projection) {
            return !places.is_nowhere();
        }
        match container(tree, at) {
            None => false,
            Some(Open::Variant { name, .. }) => !places.named(self.projection, name).is_nowhere(),
            Some(_) => true,
        }
    }

    /// Emits what is wanted of a value. Returns false after [`Next::Stop`]. Recursion is bounded by
    /// the depth that the reader's budget allowed.
    fn value<'m>(&mut self, tree: &Tree<'m>, at: usize, places: &Places, sink: &mut dyn Sink<'m>) -> Result<bool> {
        let case = match container(tree, at) {
            Some(Open::Variant { name, .. }) => Some(places.named(self.projection, name)),
            _ => None,
        };
        for places in [Some(places), case.as_ref()].into_iter().flatten() {
            if places.is_whole(self.projection) {
                places.mark(self.projection, self.hits);
                return all(tree, at, sink);
            }
        }
        match sink.open(tree.open_at(at).unclaimed(), tree.span(at))? {
            Next::Enter => {}
            next => return Ok(next == Next::Skip),
        }
        for child in children(tree, at, places, self.projection, self.repeats) {
            let Child::Value { called, at, places } = child else { continue };
            if !self.wants(tree, at, &places) {
                continue;
            }
            match called {
                Called::Nothing => {}
                Called::Field(field) => match tree.emit_node(field, sink)? {
                    Next::Enter => {}
                    Next::Skip => continue,
                    Next::Stop => return Ok(false),
                },
                Called::Key(key) if !all(tree, key, sink)? => return Ok(false),
                Called::Key(_) => {}
            }
            if !self.value(tree, at, &places, sink)? {
                return Ok(false);
            }
        }
        sink.close(tree.span(tree.after_value(at) - 1))?;
        Ok(true)
    }
}

/// Returns the nodes of the outermost values that `projection` names. Marks the paths that named
/// something. `repeats` says that fields of one name are a list.
pub(crate) fn chosen(tree: &Tree<'_>, projection: &Projection, repeats: bool, hits: &mut Hits) -> Vec<usize> {
    let mut nodes = Vec::new();
    // Values whose insides paths lead to, with their places.
    let mut ahead = vec![(tree.skip_notes(0), Places::root())];
    while let Some((at, places)) = ahead.pop() {
        if places.is_nowhere() || at >= tree.node_count() || tree.is_close(at) {
            continue;
        }
        let case = match container(tree, at) {
            Some(Open::Variant { name, .. }) => Some(places.named(projection, name)),
            _ => None,
        };
        if let Some(whole) = [Some(&places), case.as_ref()].into_iter().flatten().find(|places| places.is_whole(projection)) {
            whole.mark(projection, hits);
            nodes.push(at);
        } else if container(tree, at).is_some() {
            for child in children(tree, at, &places, projection, repeats) {
                if let Child::Value { at, places, .. } = child {
                    ahead.push((at, places));
                }
            }
        }
    }
    nodes
}

fn container<'t>(tree: &'t Tree<'_>, at: usize) -> Option<Open<'t>> {
    (tree.after_value(at) != at + 1).then(|| tree.open_at(at))
}

/// Emits the whole value at `at`. Returns false after [`Next::Stop`].
fn all<'m>(tree: &Tree<'m>, at: usize, sink: &mut dyn Sink<'m>) -> Result<bool> {
    let end = tree.after_value(at);
    let mut node = at;
    while node < end {
        match tree.emit_node(node, sink)? {
            Next::Enter => node += 1,
            Next::Skip if tree.is_field(node) => node = tree.after_value(tree.skip_notes(node + 1)),
            Next::Skip => node = tree.after_value(node),
            Next::Stop => return Ok(false),
        }
    }
    Ok(true)
}
