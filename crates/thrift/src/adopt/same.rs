//! Comparison of the types of two texts by the bytes of their values.

use std::collections::HashSet;

use crate::plan::{Plan, Shape};

/// Returns whether messages of two plans have the same bytes in all protocols.
pub(super) fn same(one: &Plan, other: &Plan) -> bool {
    let mut seen = HashSet::new();
    let mut due = vec![(one.root, other.root)];
    while let Some((left, right)) = due.pop() {
        if !seen.insert((left, right)) {
            continue;
        }
        let is_same = match (one.shape(left), other.shape(right)) {
            (Shape::List(left), Shape::List(right)) => {
                due.push((left, right));
                true
            }
            (Shape::Map(left, left_value), Shape::Map(right, right_value)) => {
                due.extend([(left, right), (left_value, right_value)]);
                true
            }
            (Shape::Enum(left), Shape::Enum(right)) => one.enums[left as usize].numbers() == other.enums[right as usize].numbers(),
            (Shape::Struct(left), Shape::Struct(right)) => {
                let (left, right) = (&one.structs[left as usize], &other.structs[right as usize]);
                let fields = || left.fields.iter().map(|field| (field, right.of_id(field.id)));
                due.extend(fields().filter_map(|(left, right)| Some((left.ty, right?.1.ty))));
                let alike = |(left, right): (&crate::plan::Field, Option<(u32, &crate::plan::Field)>)| {
                    right.is_some_and(|(_, right)| left.required.is_some() == right.required.is_some())
                };
                left.union == right.union && left.fields.len() == right.fields.len() && fields().all(alike)
            }
            (left, right) => left == right && !matches!(left, Shape::Set(_)),
        };
        if !is_same {
            return false;
        }
    }
    true
}
