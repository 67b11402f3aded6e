//! Lists and objects that a worker has received in a call, by number.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use polywire_doc::{Datum, Ref};

/// Lists and objects that a worker has received in a call, by number.
#[derive(Default)]
pub(crate) struct Received(Mutex<Vec<Root>>);

/// A value that was received, with those below it.
struct Root {
    value: Datum,
    /// Number of the value itself, if it is a list or object.
    first: u32,
    /// Lists and objects in it.
    count: u32,
    /// Their numbers by their places in the document, once somebody has asked.
    numbers: Option<HashMap<u32, u32>>,
}

impl Received {
    /// Begins a call.
    pub fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Adds a value that has `count` lists and objects, with itself.
    pub(super) fn add(&self, value: &Datum, count: u32) {
        let mut roots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let first = roots.last().map_or(0, |root| root.first + root.count);
        if count > 0 {
            roots.push(Root { value: value.clone(), first, count, numbers: None });
        }
    }

    /// Returns the number of a list or object that was received.
    pub(super) fn number(&self, value: Ref<'_>) -> Option<u32> {
        let (doc, at) = value.place()?;
        let mut roots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_doc = |root: &&mut Root| root.value.view().place().is_some_and(|(of, _)| Arc::ptr_eq(of, doc));
        let root = roots.iter_mut().find(of_doc)?;
        if let Some((_, top)) = root.value.view().place()
            && top == at
        {
            return Some(root.first);
        }
        let Root { value, first, numbers, .. } = root;
        numbers.get_or_insert_with(|| numbers_of(value.view(), *first)).get(&at).copied()
    }
}

/// Numbers all lists and objects in the order in which they are written.
fn numbers_of(root: Ref<'_>, first: u32) -> HashMap<u32, u32> {
    let mut numbers = HashMap::new();
    let mut open = vec![root];
    let mut next = first;
    while let Some(value) = open.pop() {
        if let Some((_, at)) = value.place() {
            numbers.insert(at, next);
            next += 1;
        }
        let below = open.len();
        open.extend(value.items().filter(is_container));
        open.extend(value.members().map(|(_, member)| member).filter(is_container));
        open[below..].reverse();
    }
    numbers
}

fn is_container(value: &Ref<'_>) -> bool {
    value.is_list() || value.is_object()
}
