//! Giving values back: a filter may nest them deeper than any stack.

use std::cell::Cell;
use std::sync::Arc;

use super::{List, Object, Tagged, Val, Variant};

/// Levels that are given back by recursion. Below, a list of what is left takes its place.
const LEVELS: u32 = 100;

thread_local! {
    static LEVEL: Cell<u32> = const { Cell::new(0) };
}

/// Gives back the values that `take` returns.
fn release(take: impl FnOnce(&mut dyn FnMut(Val))) {
    let level = LEVEL.try_with(Cell::get).unwrap_or(0);
    if level < LEVELS {
        let _ = LEVEL.try_with(|cell| cell.set(level + 1));
        take(&mut drop);
        let _ = LEVEL.try_with(|cell| cell.set(level));
        return;
    }
    let mut left = Vec::new();
    take(&mut |value| left.push(value));
    while let Some(value) = left.pop() {
        match value {
            Val::List(list) => {
                if let Some(mut list) = Arc::into_inner(list) {
                    left.append(&mut list.values);
                }
            }
            Val::Object(object) => {
                if let Some(mut object) = Arc::into_inner(object) {
                    left.extend(object.take().into_iter().flat_map(|(key, value)| [key, value]));
                }
            }
            Val::Variant(variant) => {
                if let Some(mut variant) = Arc::into_inner(variant) {
                    left.append(&mut variant.values);
                }
            }
            Val::Tagged(tagged) => {
                if let Some(mut tagged) = Arc::into_inner(tagged) {
                    left.push(std::mem::take(&mut tagged.value));
                }
            }
            _ => {}
        }
    }
}

impl Drop for List {
    fn drop(&mut self) {
        if self.values.iter().any(Val::is_container) {
            let values = std::mem::take(&mut self.values);
            release(|give| values.into_iter().for_each(give));
        }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        if self.entries().iter().any(|(key, value)| value.is_container() || key.is_container()) {
            let entries = self.take();
            release(|give| {
                for (key, value) in entries {
                    give(key);
                    give(value);
                }
            });
        }
    }
}

impl Drop for Variant {
    fn drop(&mut self) {
        if self.values.iter().any(Val::is_container) {
            let values = std::mem::take(&mut self.values);
            release(|give| values.into_iter().for_each(give));
        }
    }
}

impl Drop for Tagged {
    fn drop(&mut self) {
        if self.value.is_container() {
            let value = std::mem::take(&mut self.value);
            release(|give| give(value));
        }
    }
}
