//! The values of a message that paths name, by their number in the walk.

use crate::error::Result;
use crate::tools::adapt::{Projection, Sought, chosen};
use crate::value::tree::Tree;
use crate::walk::event::{Note, Span};
use crate::walk::forward::Forward;
use crate::walk::sink::{Needs, Sink};

/// A tree of the events that an inspection gets.
pub(super) struct Guessed<'m>(pub(super) Tree<'m>);

impl<'m> Forward<'m> for Guessed<'m> {
    type To = Tree<'m>;

    fn to(&mut self) -> &mut Tree<'m> {
        &mut self.0
    }

    fn needs(&self) -> Needs {
        Needs::GUESSES
    }

    fn note(&mut self, _: Note<'_>, _: Span) -> Result<()> {
        Ok(())
    }
}

/// Returns the numbers of the values that `paths` name in the message in `tree`, in order: values,
/// keys among them, are counted from 0 as they come. A message that broke off is taken as if it
/// ended there.
pub(super) fn numbers(mut tree: Tree<'_>, paths: &Projection, sought: &mut Sought, repeats: bool) -> Vec<usize> {
    while tree.open_place().is_some() {
        if tree.close(Span::NONE).is_err() {
            break;
        }
    }
    if tree.root().is_none() {
        return Vec::new();
    }
    let mut nodes = chosen(&tree, paths, repeats, &mut sought.hits);
    nodes.sort_unstable();
    if let Some(mut names) = sought.names(paths, false) {
        // The sink of names takes everything.
        let _ = tree.emit(&mut names);
    }
    let mut numbers = Vec::with_capacity(nodes.len());
    let mut nodes = nodes.into_iter().peekable();
    let mut number = 0;
    for node in 0..tree.node_count() {
        if nodes.peek().is_none() {
            break;
        }
        if tree.is_open(node) || tree.is_scalar(node) {
            if nodes.next_if_eq(&node).is_some() {
                numbers.push(number);
            }
            number += 1;
        }
    }
    numbers
}
