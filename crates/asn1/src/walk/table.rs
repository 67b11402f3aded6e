//! Tables of open types: the component that chooses a row, and the type that the row has
//! (X.682 10).

use std::collections::HashMap;

use foldhash::fast::RandomState;
use smol_str::SmolStr;

use super::octets;
use super::plan::{Op, Plan};
use crate::model::{Cell, TypeId, Value};

/// Types of an open type by the values that choose them.
#[derive(Debug)]
pub(crate) struct Table {
    /// The components that choose, all of them.
    pub sources: Box<[Source]>,
    /// Types by the contents octets of these components' values, see [`super::Keys`]. `None` if two
    /// rows have the same.
    pub rows: HashMap<Box<[u8]>, TypeId, RandomState>,
}

/// Component that chooses a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// Number of structures between: 0 for one that the open type is in itself.
    pub up: u32,
    /// Way from there. The first step is a component.
    pub path: Box<[Step]>,
}

/// Step of a way to a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Index of a component of a structure.
    Component(u32),
    /// Index of an alternative of a choice.
    Alternative(u32),
}

/// Returns the table of an open type, whose row the values of some types choose.
pub(crate) fn table(plan: &Plan, ty: TypeId, sources: Vec<(Source, TypeId)>) -> Option<Table> {
    let used = plan.model().ty(ty).table.as_ref()?;
    let rows = &plan.model().table(used.table).rows;
    let mut by_key: HashMap<Box<[u8]>, TypeId, RandomState> = HashMap::default();
    if sources.is_empty() {
        // Without a relation any row may hold, which decides only if there is one.
        let [row] = &rows[..] else { return None };
        let Some(Cell::Type(found)) = row.cell(&used.field) else { return None };
        by_key.insert(Box::default(), *found);
        return Some(Table { sources: Box::default(), rows: by_key });
    }
    let field = |key: TypeId| Some((plan.model().ty(key).table.as_ref()?.field.clone(), key));
    let fields: Vec<(SmolStr, TypeId)> = sources.iter().map(|(_, key)| field(*key)).collect::<Option<_>>()?;
    let mut doubtful = Vec::new();
    for row in rows {
        let Some(Cell::Type(found)) = row.cell(&used.field) else { continue };
        let mut key = Vec::new();
        let whole = fields.iter().all(|(field, ty)| match row.cell(field) {
            Some(Cell::Value(_, value)) => {
                let start = key.len();
                put_key(plan, *ty, value, &mut key).is_some_and(|()| {
                    end_key(&mut key, start);
                    true
                })
            }
            _ => false,
        });
        if whole && by_key.insert(key.clone().into(), *found).is_some_and(|before| before != *found) {
            doubtful.push(key);
        }
    }
    for key in doubtful {
        by_key.remove(&key[..]);
    }
    Some(Table { sources: sources.into_iter().map(|(source, _)| source).collect(), rows: by_key })
}

/// Ends the part of a key that began at `start`, so that no two keys of several parts are the same.
pub(crate) fn end_key(key: &mut Vec<u8>, start: usize) {
    let length = (key.len() - start) as u32;
    key.extend_from_slice(&length.to_be_bytes());
}

/// Appends the contents octets of a value; those of a choice follow the index of its alternative.
fn put_key(plan: &Plan, ty: TypeId, value: &Value, out: &mut Vec<u8>) -> Option<()> {
    match (plan.node(ty).op, value) {
        (Op::Choice(index), Value::Choice(name, inner)) => {
            let choice = plan.choice(index);
            let alternative = choice.named(name)?;
            out.push(alternative as u8);
            put_key(plan, choice.alternatives[alternative as usize].ty, inner, out)
        }
        (_, Value::Integer(number) | Value::Enumerated(number)) => {
            octets::put_integer(*number, out);
            Some(())
        }
        (Op::RelativeOid, Value::Oid(arcs)) => octets::put_arcs(arcs.iter().copied(), out),
        (_, Value::Oid(arcs)) => octets::put_oid(arcs, out),
        (_, Value::Text(text)) => {
            out.extend_from_slice(text.as_bytes());
            Some(())
        }
        (_, Value::Boolean(value)) => {
            out.push(if *value { 0xff } else { 0 });
            Some(())
        }
        (_, Value::Octets(bytes)) => {
            out.extend_from_slice(bytes);
            Some(())
        }
        _ => None,
    }
}
