//! Lookup of fields by name.

use std::collections::HashMap;

use crate::plan::{Plan, Run};

/// Largest number of fields that are searched one by one.
const FEW: usize = 16;

/// Index of the fields of large records, for fields that come out of order.
#[derive(Debug)]
pub(super) struct Index {
    /// For each large record, by its first slot: the numbers of its fields in the order of their
    /// names.
    sorted: HashMap<u32, Box<[u32]>>,
}

impl Index {
    pub(super) fn new(plan: &Plan) -> Index {
        let large = plan.cases.iter().filter(|case| case.slots.len as usize > FEW);
        let sorted = large.map(|case| {
            let names = &plan.names[case.slots.range()];
            let mut numbers: Vec<u32> = (0..case.slots.len).collect();
            numbers.sort_by_key(|number| &names[*number as usize]);
            (case.slots.first, numbers.into_boxed_slice())
        });
        Index { sorted: sorted.collect() }
    }

    /// Returns the number of the field `name` in the record with these slots.
    pub(super) fn find(&self, plan: &Plan, slots: Run, name: &str) -> Option<u32> {
        let names = &plan.names[slots.range()];
        if names.len() <= FEW {
            return names.iter().position(|known| **known == *name).map(|number| number as u32);
        }
        let sorted = self.sorted.get(&slots.first)?;
        let found = sorted.binary_search_by(|number| (*names[*number as usize]).cmp(name)).ok()?;
        Some(sorted[found])
    }
}
