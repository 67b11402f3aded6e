//! Places: where a value stands among the paths of a projection that may have positions.

use std::collections::HashMap;

use crate::tools::adapt::hits::Hits;
use crate::tools::adapt::projection::Projection;
use crate::value::tree::Tree;
use crate::walk::event::{Open, Scalar};
use crate::walk::slice::Slice;

/// The places of a value: the nodes of a projection that lead to it. None means that no path does.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places(Vec<Place>);

#[derive(Debug, Clone, Copy)]
struct Place {
    node: usize,
    /// The positions behind the node count in this value: no list on the way has counted for them.
    counts: bool,
    /// The value is what a payload holds that the path already opened.
    opened: bool,
}

impl Places {
    /// No path leads here.
    pub(crate) const NOWHERE: Places = Places(Vec::new());

    /// Returns the places of the message itself.
    pub(crate) fn root() -> Places {
        Places(vec![Place { node: Projection::ROOT, counts: true, opened: false }])
    }

    /// Returns whether no path leads here.
    pub(crate) fn is_nowhere(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a path ends here that did not open this payload already.
    pub(crate) fn is_whole(&self, projection: &Projection) -> bool {
        self.0.iter().any(|place| !place.opened && projection.is_whole(place.node))
    }

    /// Marks the paths that end here.
    pub(crate) fn mark(&self, projection: &Projection, hits: &mut Hits) {
        for place in self.0.iter().filter(|place| !place.opened && projection.is_whole(place.node)) {
            hits.mark(place.node);
        }
    }

    /// Returns the places of what a payload here holds: a path that ended here does not open that
    /// again.
    pub(crate) fn inside(&self, projection: &Projection) -> Places {
        let opened = |place: &Place| Place { opened: place.opened || projection.is_whole(place.node), ..*place };
        Places(self.0.iter().map(opened).collect())
    }

    /// Returns the places of the value that is called `name` here.
    pub(crate) fn named(&self, projection: &Projection, name: &str) -> Places {
        let child = |place: &Place| Some(Place { node: projection.child(place.node, name)?, counts: true, opened: false });
        Places(self.0.iter().filter_map(child).collect())
    }

    /// Returns the places of element `at` of `len`: those that names lead to through the list, and
    /// those that positions lead to.
    pub(crate) fn element(&self, projection: &Projection, at: u64, len: u64) -> Places {
        self.positions(projection, |slice| slice.holds(at, len), true)
    }

    /// Returns the places of the value of a map's entry whose key is the number `key`.
    pub(crate) fn keyed(&self, projection: &Projection, key: i64) -> Places {
        self.positions(projection, |slice| slice == Slice::one(key), false)
    }

    /// Adds the places of `other`.
    pub(crate) fn join(&mut self, other: Places) {
        self.0.extend(other.0);
    }

    fn positions(&self, projection: &Projection, holds: impl Fn(Slice) -> bool, through: bool) -> Places {
        let mut places = Vec::new();
        for place in &self.0 {
            if through && projection.goes_by_name(place.node) {
                places.push(Place { counts: false, ..*place });
            }
            let slices = if place.counts { projection.slices(place.node) } else { &[] };
            let led = slices.iter().filter(|(slice, _)| holds(*slice));
            places.extend(led.map(|&(_, node)| Place { node, counts: true, opened: false }));
        }
        Places(places)
    }

    /// Returns whether a position counts in this value.
    fn has_positions(&self, projection: &Projection) -> bool {
        self.0.iter().any(|place| place.counts && !projection.slices(place.node).is_empty())
    }
}

/// A child of a container in a tree, by node.
pub(crate) enum Child {
    /// A note.
    Note(usize),
    /// A value, its name or key, and its places.
    Value { called: Called, at: usize, places: Places },
}

/// The name or key before a value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Called {
    /// Nothing.
    Nothing,
    /// A field, by node.
    Field(usize),
    /// A map's key that is no text, by node.
    Key(usize),
}

/// Lists the children of the container at `at`, whose places are `places`, with their own places.
/// `repeats` says that fields of one name are a list.
pub(crate) fn children(tree: &Tree<'_>, at: usize, places: &Places, projection: &Projection, repeats: bool) -> Vec<Child> {
    let mut children = Vec::new();
    let open = tree.open_at(at);
    let inside = match open {
        Open::Variant { name, .. } => places.named(projection, name),
        _ => places.clone(),
    };
    let named = matches!(open, Open::Record { .. } | Open::Map(_));
    let close = tree.after_value(at) - 1;
    let mut node = at + 1;
    let mut elements = 0;
    while node < close {
        if tree.is_note(node) {
            children.push(Child::Note(node));
            node += 1;
        } else if tree.is_field(node) {
            let value = tree.skip_notes(node + 1);
            let places = inside.named(projection, tree.field_at(node).name.get());
            children.push(Child::Value { called: Called::Field(node), at: value, places });
            node = tree.after_value(value);
        } else if named {
            let value = tree.skip_notes(tree.after_value(node));
            let places = number(tree, node).map_or(Places::NOWHERE, |key| inside.keyed(projection, key));
            children.push(Child::Value { called: Called::Key(node), at: value, places });
            node = tree.after_value(value);
        } else {
            children.push(Child::Value { called: Called::Nothing, at: node, places: Places::NOWHERE });
            elements += 1;
            node = tree.after_value(node);
        }
    }
    if named {
        if repeats {
            occurrences(tree, &mut children, projection);
        }
        return children;
    }
    let transparent = matches!(open, Open::Tagged { .. });
    let values = children.iter_mut().filter_map(|child| match child {
        Child::Value { places, .. } => Some(places),
        Child::Note(_) => None,
    });
    for (at, places) in values.enumerate() {
        *places = if transparent { inside.clone() } else { inside.element(projection, at as u64, elements) };
    }
    children
}

/// Returns the number that the scalar at `node` is.
fn number(tree: &Tree<'_>, node: usize) -> Option<i64> {
    if tree.after_value(node) != node + 1 {
        return None;
    }
    match tree.scalar_at(node) {
        Scalar::UInt(key, _) => i64::try_from(key).ok(),
        Scalar::Int(key, _) => Some(key),
        _ => None,
    }
}

/// Counts fields of one name as the elements of a list, unless there is one alone and its value is
/// a list.
fn occurrences(tree: &Tree<'_>, children: &mut [Child], projection: &Projection) {
    let mut counts: HashMap<String, (u64, u64)> = HashMap::new();
    let name = |field: usize| tree.field_at(field).name.get().to_string();
    for child in children.iter() {
        if let Child::Value { called: Called::Field(field), places, .. } = child
            && places.has_positions(projection)
        {
            counts.entry(name(*field)).or_default().1 += 1;
        }
    }
    if counts.is_empty() {
        return;
    }
    for child in children {
        let Child::Value { called: Called::Field(field), at, places } = child else { continue };
        let Some((seen, len)) = counts.get_mut(&name(*field)) else { continue };
        if *len > 1 || !is_sequence(tree, *at) {
            *places = places.element(projection, *seen, *len);
        }
        *seen += 1;
    }
}

fn is_sequence(tree: &Tree<'_>, at: usize) -> bool {
    tree.after_value(at) != at + 1 && matches!(tree.open_at(at), Open::List(_) | Open::Tuple(_))
}
