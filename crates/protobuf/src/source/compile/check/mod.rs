//! The rules of the language that a file must keep once its names are known.

mod declared;
mod enums;
mod extensions;
mod features;
mod fields;
mod files;
mod json;
mod messages;
mod ranges;
mod style;

use std::collections::HashMap;

use super::fault::{At, Fault, Faults};
use super::schema::Schema;
use super::unit::Unit;
use crate::descriptor::{Descriptor, Other};
use declared::Declaration;

/// Facts about the messages that were extended so far.
#[derive(Default)]
pub(super) struct Known<'a> {
    /// Extensions, by message and number.
    taken: HashMap<(&'a str, i32), (u32, Vec<i32>)>,
    /// Start and index of the ranges of each message, in the order of their starts.
    ranges: HashMap<&'a str, Vec<(i32, usize)>>,
    /// Declared extensions of a range, by message and index.
    declared: HashMap<(&'a str, usize), HashMap<i32, Declaration>>,
}

impl<'a> Known<'a> {
    /// Returns the index of the range of a message that has a number.
    fn range(&mut self, name: &'a str, message: &Descriptor, number: i32) -> Option<usize> {
        let ranges = self.ranges.entry(name).or_insert_with(|| {
            let mut ranges: Vec<(i32, usize)> =
                message.extension_range.iter().zip(0..).map(|(range, index)| (range.start.unwrap_or(0), index)).collect();
            ranges.sort_unstable();
            ranges
        });
        // Ranges do not overlap: the last one that starts in time is the only candidate.
        let (_, index) = ranges[..ranges.partition_point(|(start, _)| *start <= number)].last()?;
        (number < message.extension_range[*index].end.unwrap_or(0)).then_some(*index)
    }
}

/// The checks of one file.
pub(super) struct Check<'a, 'f> {
    pub schema: &'f Schema<'a>,
    pub unit: &'a Unit,
    pub index: u32,
    pub known: &'f mut Known<'a>,
    pub faults: &'f mut Faults,
}

impl Check<'_, '_> {
    /// Notes a fault at a part of a declaration.
    fn wrong(&mut self, path: &[i32], more: &[i32], message: impl Into<String>, hint: impl Into<String>) {
        self.faults.path(self.index, path, more, message, hint);
    }

    /// Notes a fault that has to do with an earlier place.
    fn clash(&mut self, path: &[i32], other: &[i32], label: &'static str, message: String, hint: &str) {
        self.faults.push(Fault {
            at: At::Path(self.index, path.to_vec()),
            message,
            hint: hint.into(),
            other: Some((At::Path(self.index, other.to_vec()), label)),
        });
    }
}

/// Returns the last value of an option that descriptors keep as bytes.
fn number(others: &[Other], number: u32) -> Option<u64> {
    let other = others.iter().rev().find(|other| other.number == number)?;
    let mut input = polywire_core::bytes::Input::new(&other.bytes, 0);
    input.varint("a tag").ok()?;
    input.varint("a number").ok()
}
