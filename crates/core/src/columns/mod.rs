//! Columns under construction, as memory that readers may fill straight.
//!
//! A walk into a sink of columns costs several indirect calls for each value, and a look at the
//! place of each. A reader of a format that is used much can do without: it knows the [`Shape`] of
//! the columns beforehand, and appends values to their [`Column`]s. [`Reader::fill`] does so. Its
//! twin is the walk, to which it leaves every message that is unusual.
//!
//! On the way back, a writer may make messages of the rows of a [`View`]: [`Writer::rows`].
//!
//! [`Writer::rows`]: crate::walk::Writer::rows
//! [`Reader::fill`]: crate::walk::Reader::fill

mod column;
mod shape;
mod view;

pub use column::{Bits, Column, Data, MOST};
pub use shape::{Cases, Form, Member, Names, Node, Shape};
pub use view::{FieldView, Mask, Pieces, Values, View};

use std::sync::Arc;

/// The columns that a message is appended to, as one row.
#[derive(Debug)]
pub struct Filling<'f> {
    /// The shape of the columns.
    pub shape: &'f Arc<Shape>,
    /// The columns, one for each node of the shape. Those of nodes below others may be shorter than
    /// the row: they lack nulls that are due before their next value.
    pub columns: &'f mut [Column],
    /// Bytes of the values, about.
    pub size: usize,
}

impl Filling<'_> {
    /// Appends the nulls that the column `id` lacks up to `row`. Returns false if it has a value of
    /// that row.
    #[inline(always)]
    pub fn ready(&mut self, id: u32, row: usize) -> bool {
        let Some(column) = self.columns.get_mut(id as usize) else { return false };
        if column.len < row {
            column.nulls(row - column.len);
        }
        column.len == row
    }

    /// Ends a record, if no field is missing that it must have. `seen` is the number of its fields
    /// that came.
    #[inline(always)]
    pub fn end_record(&mut self, id: u32, members: &[Member], seen: usize) -> bool {
        if seen < members.len() {
            let row = self.columns[id as usize].len;
            if members.iter().any(|member| member.required && self.columns[member.node as usize].len <= row) {
                return false;
            }
        }
        self.columns[id as usize].push();
        self.size += 8;
        true
    }

    /// Ends a list of the column `id`, whose values are in the column `item`. Returns false if the
    /// batch has no room for it.
    #[inline(always)]
    pub fn end_list(&mut self, id: u32, item: u32) -> bool {
        let end = self.columns[item as usize].len;
        let column = &mut self.columns[id as usize];
        let (Ok(end), Data::Ends(ends)) = (i32::try_from(end), &mut column.data) else { return false };
        ends.push(end);
        column.push();
        self.size += 8;
        true
    }
}
