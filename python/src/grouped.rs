//! Trees in which a repeated field is one list, as dictionaries hold it.

use polywire_core::Needs;
use polywire_core::value::Tree;
use polywire_core::walk::Forward;

/// Makes a tree, and asks for repeated fields as lists.
pub struct Grouped<'t, 'm>(pub &'t mut Tree<'m>);

impl<'m> Forward<'m> for Grouped<'_, 'm> {
    type To = Tree<'m>;

    fn to(&mut self) -> &mut Tree<'m> {
        self.0
    }

    fn needs(&self) -> Needs {
        Needs::GROUPED | Needs::WHOLE_TEXT
    }
}
