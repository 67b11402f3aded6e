//! Protocols with a mapping, in a comment behind the last declaration.

use std::collections::HashSet;

use polywire_core::Result;
use polywire_core::schema::language::SchemaLoss;
use polywire_core::schema::{Schema, mapped, mapping, mapping_differs};

use super::write;
use crate::adopt::adopt;
use crate::model::Primitive;
use crate::plan::{Plan, Run, Shape};
use crate::protocol::{NoFiles, compile};

/// Writes a schema with its mapping. `None` if the schema cannot be adopted, or has no mapping.
///
/// # Errors
/// Those of [`write::write`].
pub fn write(schema: &Schema) -> Result<Option<(String, Vec<SchemaLoss>)>> {
    let (Ok(adopted), Some(mapping)) = (adopt(schema), mapping(schema)) else { return Ok(None) };
    let (mut text, losses) = write::write(schema, true)?;
    text.push_str(&format!("\n(* Names and types as messages have them.\n{mapping} *)\n"));
    let declared = compile("schema", text.as_bytes(), &mut NoFiles).ok().and_then(|protocol| Plan::new(&protocol, None).ok());
    Ok(declared.is_some_and(|declared| same_bytes(&declared, &adopted)).then_some((text, losses)))
}

/// Returns the plan of the adopted schema whose mapping is in the text of `file`, if it has one.
/// `declared` is the plan of its declarations.
///
/// # Errors
/// The mapping is damaged, or belongs to other declarations.
pub(crate) fn of_file(file: &str, text: &[u8], declared: &Plan) -> Option<Result<Plan>> {
    let made = mapped(text)?.and_then(|schema| adopt(&schema));
    Some(made.and_then(|adopted| if same_bytes(declared, &adopted) { Ok(adopted) } else { Err(mapping_differs(file)) }))
}

/// Returns whether messages by both plans have the same bytes.
fn same_bytes(declared: &Plan, adopted: &Plan) -> bool {
    let mut seen = HashSet::new();
    let mut due = vec![(declared.root, adopted.root)];
    while let Some((one, other)) = due.pop() {
        if !seen.insert((one, other)) {
            continue;
        }
        let row = |shape: Shape| match shape {
            Shape::Tuple(case) => Some(case),
            Shape::Message { cases: Run { first, len: 1 }, .. } => Some(first),
            _ => None,
        };
        let mut rows = |one: u32, other: u32| {
            let (one, other) = (declared.slots(&declared.cases[one as usize]), adopted.slots(&adopted.cases[other as usize]));
            due.extend(one.iter().zip(other).map(|(one, other)| (one.node, other.node)));
            // The language has no record without fields. One with a bool is read from none.
            let is_nothing = |node: u32| declared.node(node).shape == Shape::Primitive(Primitive::Bool);
            one.len() == other.len() || matches!((one, other), ([one], []) if is_nothing(one.node))
        };
        let same = match (declared.node(one).shape, adopted.node(other).shape) {
            (_, Shape::Marked { inner, .. }) => {
                due.push((one, inner));
                true
            }
            // No value fits there, and none is written.
            (_, Shape::Sum { constants: Run { len: 0, .. }, cases: Run { len: 0, .. } }) => true,
            (Shape::Primitive(one), Shape::Nested(_)) => one == Primitive::String,
            (Shape::Primitive(one), Shape::Primitive(other)) => one == other,
            (Shape::List(one), Shape::List(other)) => {
                due.push((one, other));
                true
            }
            (Shape::Sum { constants, cases }, Shape::Sum { constants: other_constants, cases: other_cases }) => {
                let mut pairs = (cases.first..cases.first + cases.len).zip(other_cases.first..);
                constants.len == other_constants.len && cases.len == other_cases.len && pairs.all(|(one, other)| rows(one, other))
            }
            (one, other) => matches!((row(one), row(other)), (Some(one), Some(other)) if rows(one, other)),
        };
        if !same {
            return false;
        }
    }
    true
}
