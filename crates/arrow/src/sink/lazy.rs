//! Columns that are filled lazily: nulls that are due, and rows that are taken back.

use polywire_core::columns::Data;

use super::Rows;
use crate::plan::{Id, Kind, Plan};

impl Rows {
    /// Appends nulls to a column up to `len` values.
    #[inline(always)]
    pub(super) fn pad(&mut self, id: Id, len: usize) {
        let have = self.columns[id as usize].len;
        if have < len {
            self.nulls(id, len - have);
        }
    }

    #[inline(never)]
    pub(super) fn nulls(&mut self, id: Id, count: usize) {
        let Kind::Sum(cases) = &self.plan.nodes[id as usize].kind else {
            return self.columns[id as usize].nulls(count);
        };
        if cases.tag.is_some() {
            return self.columns[id as usize].nulls(count);
        }
        // A union's nulls are those of a child.
        let (case, child) = match cases.null {
            Some(null) => (cases.cases.len(), null),
            None => (0, cases.cases[0].node.unwrap_or(0)),
        };
        for _ in 0..count {
            let place = self.columns[child as usize].len;
            self.nulls(child, 1);
            let column = &mut self.columns[id as usize];
            if let Data::Union(ids, places) = &mut column.data {
                ids.push(case as i8);
                places.push(place as i32);
            }
            column.push();
        }
    }

    /// Fills a column and all below it, at the end of a batch.
    pub(super) fn settle(&mut self, plan: &Plan, id: Id, len: usize) {
        self.pad(id, len);
        match &plan.node(id).kind {
            Kind::List { item, .. } => self.settle(plan, *item, self.last_end(id)),
            Kind::Map { key, value, .. } => {
                let end = self.last_end(id);
                self.settle(plan, *key, end);
                self.settle(plan, *value, end);
            }
            Kind::Tuple(items) => items.iter().for_each(|item| self.settle(plan, *item, len)),
            Kind::Record(record) => record.fields.iter().for_each(|field| self.settle(plan, field.node, len)),
            Kind::Sum(cases) => match cases.tag {
                Some(tag) => {
                    self.settle(plan, tag, len);
                    cases.cases.iter().filter_map(|case| case.node).for_each(|node| self.settle(plan, node, len));
                }
                None => {
                    for child in cases.cases.iter().filter_map(|case| case.node).chain(cases.null) {
                        self.settle(plan, child, self.columns[child as usize].len);
                    }
                }
            },
            _ => {}
        }
    }

    pub(super) fn last_end(&self, id: Id) -> usize {
        match &self.columns[id as usize].data {
            Data::Ends(ends) => ends.last().copied().unwrap_or(0) as usize,
            _ => 0,
        }
    }

    /// Takes back the values of a column and all below it from `len` on.
    pub(super) fn truncate(&mut self, plan: &Plan, id: Id, len: usize) {
        match &plan.node(id).kind {
            Kind::Sum(cases) if cases.tag.is_none() => {
                let mut lens: Vec<(Id, usize)> = Vec::new();
                if let Data::Union(ids, places) = &self.columns[id as usize].data {
                    for (case, place) in ids.iter().zip(places).skip(len).rev() {
                        let child = cases.cases.get(*case as usize).map_or(cases.null, |case| case.node);
                        if let Some(child) = child {
                            match lens.iter_mut().find(|(other, _)| *other == child) {
                                Some((_, least)) => *least = *place as usize,
                                None => lens.push((child, *place as usize)),
                            }
                        }
                    }
                }
                // A case that was under way has its value, and no place yet.
                self.columns[id as usize].truncate(len);
                let mut counts = vec![0; cases.cases.len() + 1];
                if let Data::Union(ids, _) = &self.columns[id as usize].data {
                    ids.iter().for_each(|case| counts[*case as usize] += 1);
                }
                for (case, count) in cases.cases.iter().map(|case| case.node).chain([cases.null]).zip(counts) {
                    if let Some(child) = case {
                        self.truncate(plan, child, count);
                    }
                }
            }
            kind => {
                let end = self.columns[id as usize].truncate(len);
                match kind {
                    Kind::List { item, .. } => self.truncate(plan, *item, end),
                    Kind::Map { key, value, .. } => {
                        self.truncate(plan, *key, end);
                        self.truncate(plan, *value, end);
                    }
                    Kind::Tuple(items) => items.iter().for_each(|item| self.truncate(plan, *item, len)),
                    Kind::Record(record) => record.fields.iter().for_each(|field| self.truncate(plan, field.node, len)),
                    Kind::Sum(cases) => {
                        let parts = cases.tag.into_iter().chain(cases.cases.iter().filter_map(|case| case.node));
                        parts.for_each(|part| self.truncate(plan, part, len));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Readies the column of a field or a part for its value: it gets the nulls that it lacks.
    #[inline(always)]
    pub(super) fn ready(&mut self, parent: Id, child: Id) -> bool {
        let row = self.columns[parent as usize].len;
        self.pad(child, row);
        self.columns[child as usize].len == row
    }
}
