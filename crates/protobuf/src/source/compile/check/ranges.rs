//! Ranges of numbers that overlap each other or fields.

use super::Check;
use crate::descriptor::Descriptor;
use crate::model::MAX_NUMBER;

/// A range of numbers, with its path below the message. The end is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Range {
    start: i64,
    end: i64,
    path: [i32; 2],
}

impl Check<'_, '_> {
    pub(super) fn ranges(&mut self, message: &Descriptor, path: &[i32]) {
        let range = |field: i32, at: i32, start: Option<i32>, end: Option<i32>| Range {
            start: start.unwrap_or_default().into(),
            end: end.unwrap_or_default().into(),
            path: [field, at],
        };
        let mut reserved: Vec<Range> = (0..).zip(&message.reserved_range).map(|(at, own)| range(9, at, own.start, own.end)).collect();
        let extensions = (0..).zip(&message.extension_range);
        let mut extensions: Vec<Range> = extensions.map(|(at, own)| range(5, at, own.start, own.end)).collect();
        let message_set = message.options.as_ref().is_some_and(|options| options.message_set_wire_format == Some(true));
        let most = if message_set { i64::from(i32::MAX) } else { i64::from(MAX_NUMBER) + 1 };
        for own in extensions.iter().chain(&reserved) {
            if own.end > most {
                self.wrong(path, &own.path, "a range beyond the largest field number", format!("numbers end at {}", most - 1));
            }
        }
        reserved.sort_unstable();
        extensions.sort_unstable();
        let mut all = [&reserved[..], &extensions[..]].concat();
        all.sort_unstable();
        self.overlaps(&all, path);
        for (at, field) in (0..).zip(&message.field) {
            let number = i64::from(field.number.unwrap_or_default());
            for (list, what) in [(&reserved, "reserved"), (&extensions, "for extensions")] {
                // Ranges that overlap are a fault of their own.
                let before = list.partition_point(|range| range.start <= number);
                if let Some(found) = list[..before].last().filter(|range| number < range.end) {
                    let name = field.name.as_deref().unwrap_or_default();
                    let told = format!("number {number} of `{name}` is {what}");
                    let own = [path, &[2, at, 3]].concat();
                    self.clash(&own, &[path, &found.path].concat(), "the range is here", told, "choose a number outside of the range");
                }
            }
        }
    }

    /// Notes ranges that overlap in a list that is sorted by their starts.
    fn overlaps(&mut self, all: &[Range], path: &[i32]) {
        let Some((first, rest)) = all.split_first() else { return };
        let mut widest = first;
        for range in rest {
            if range.start < widest.end {
                let (early, late) = if range.path < widest.path { (range, widest) } else { (widest, range) };
                let shown = |range: &Range| format!("{} to {}", range.start, range.end - 1);
                let told = format!("the range {} overlaps {}", shown(late), shown(early));
                let (own, other) = ([path, &late.path].concat(), [path, &early.path].concat());
                self.clash(&own, &other, "the other range is here", told, "each number belongs to one range");
            }
            if range.end > widest.end {
                widest = range;
            }
        }
    }

    /// Checks the reserved ranges of an enum, whose ends are inclusive.
    pub(super) fn enum_ranges(&mut self, declared: &crate::descriptor::EnumDescriptor, path: &[i32]) {
        let mut all: Vec<Range> = (0..)
            .zip(&declared.reserved_range)
            .map(|(at, own)| Range {
                start: own.start.unwrap_or_default().into(),
                end: i64::from(own.end.unwrap_or_default()) + 1,
                path: [4, at],
            })
            .collect();
        all.sort_unstable();
        self.overlaps(&all, path);
        for (at, value) in (0..).zip(&declared.value) {
            let number = i64::from(value.number.unwrap_or_default());
            let before = all.partition_point(|range| range.start <= number);
            if let Some(found) = all[..before].last().filter(|range| number < range.end) {
                let told = format!("number {number} of `{}` is reserved", value.name.as_deref().unwrap_or_default());
                let own = [path, &[2, at, 2]].concat();
                self.clash(&own, &[path, &found.path].concat(), "the range is here", told, "choose a number outside of the range");
            }
        }
    }
}
