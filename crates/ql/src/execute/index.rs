//! Values by the keys of those that equal them: a row or an operand is found without a look at all
//! others.

use std::collections::HashMap;

use polywire_doc::{LooseKey, Ref};

/// Bytes of an entry, beside the text of its key.
const ENTRY: u64 = 96;

/// Numbers of values.
#[derive(Debug, Default)]
pub(super) struct Index {
    by_key: HashMap<LooseKey, Vec<u32>>,
    /// Numbers of values without a key, which equal no value that has one.
    others: Vec<u32>,
}

impl Index {
    /// Returns the bytes that a value takes in an index, with the elements of a list.
    pub fn weight(value: Ref<'_>) -> u64 {
        let one = |value: Ref<'_>| ENTRY + value.as_str().map_or(0, |text| text.len() as u64);
        one(value) + if value.is_list() { value.items().map(one).sum::<u64>() } else { 0 }
    }

    /// Adds a value, and the elements of a list: an operand may equal either.
    pub fn add(&mut self, value: Ref<'_>, number: u32) {
        if value.is_list() {
            value.items().for_each(|element| self.add_one(element, number));
        }
        self.add_one(value, number);
    }

    /// Adds a value, and no element of it.
    pub fn add_one(&mut self, value: Ref<'_>, number: u32) {
        match value.loose_key() {
            Some(key) => self.by_key.entry(key).or_default().push(number),
            None => self.others.push(number),
        }
    }

    /// Returns the numbers of the values that may equal `value`; no others do. A number may come
    /// twice.
    pub fn near(&self, value: Ref<'_>) -> &[u32] {
        match value.loose_key() {
            Some(key) => self.by_key.get(&key).map_or(&[], Vec::as_slice),
            None => &self.others,
        }
    }
}
