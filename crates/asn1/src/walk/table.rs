//! Tables of open types: the component that chooses a row, and the type that the row has
//! (X.682 10).

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use smol_str::SmolStr;

use super::octets;
use super::plan::{Op, Plan};
use crate::model::{Cell, Relation, TableId, TypeId, Value};

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
    /// Number of structures between: 0 for a component beside the open type.
    pub up: u32,
    /// Index of the component.
    pub component: u32,
}

/// Deepest nesting of types between a component and the open type that it chooses.
const DEEPEST: usize = 8;

/// Finds the components that the open types of a plan refer to.
pub(crate) fn relate(mut plan: Plan) -> Plan {
    let mut found: HashMap<TypeId, Vec<(u32, Source)>, RandomState> = HashMap::default();
    for structure in 0..plan.structures.len() as u32 {
        let mut seen = HashSet::with_hasher(RandomState::default());
        descend(&plan, &mut vec![structure], &mut seen, 0, &mut found);
    }
    let mut open: Vec<TypeId> = (0..plan.nodes.len() as u32).map(TypeId).collect();
    open.retain(|ty| plan.node(*ty).op == Op::Open && plan.model().ty(*ty).table.is_some());
    for ty in open {
        let sources = found.remove(&ty).unwrap_or_default();
        let Some(table) = table(&plan, ty, &sources) else { continue };
        for (structure, source) in &sources {
            let structure = &mut plan.structures[*structure as usize];
            structure.has_keys = true;
            structure.components[source.component as usize].is_key = true;
        }
        plan.nodes[ty.0 as usize].table = Some(plan.tables.len() as u32);
        plan.tables.push(table);
    }
    // A string whose contents no table can name stays a string.
    for at in 0..plan.nodes.len() {
        let is_unknown = |ty: TypeId| {
            let inner = plan.node(ty);
            inner.op == Op::Open && inner.table.is_none()
        };
        if plan.nodes[at].contents.is_some_and(is_unknown) {
            plan.nodes[at].contents = None;
        }
    }
    plan
}

/// Looks for open types in a structure, the last of `chain`, and in the types within it that have
/// no name: a relation does not leave the text of a type.
fn descend(
    plan: &Plan,
    chain: &mut Vec<u32>,
    seen: &mut HashSet<TypeId, RandomState>,
    depth: usize,
    found: &mut HashMap<TypeId, Vec<(u32, Source)>, RandomState>,
) {
    let Some(last) = chain.last() else { return };
    let mut inside: Vec<TypeId> = plan.structure(*last).components.iter().map(|known| known.ty).collect();
    while let Some(ty) = inside.pop() {
        let is_direct = depth == 0;
        if !is_direct && !seen.insert(ty) {
            continue;
        }
        match plan.node(ty).op {
            Op::Open => note(plan, chain, ty, found),
            Op::Octets | Op::Bits(_) => inside.extend(plan.node(ty).contents),
            Op::List(element) if plan.name(ty).is_empty() && plan.name(element).is_empty() => inside.push(element),
            Op::Structure(inner) if plan.name(ty).is_empty() && depth < DEEPEST && !chain.contains(&inner) => {
                chain.push(inner);
                descend(plan, chain, seen, depth + 1, found);
                chain.pop();
            }
            Op::Choice(inner) if plan.name(ty).is_empty() && seen.insert(ty) | !is_direct => {
                inside.extend(plan.choice(inner).alternatives.iter().map(|known| known.ty));
            }
            _ => {}
        }
    }
}

/// Notes the components that an open type refers to, unless nearer ones are known.
fn note(plan: &Plan, chain: &[u32], ty: TypeId, found: &mut HashMap<TypeId, Vec<(u32, Source)>, RandomState>) {
    let Some(used) = &plan.model().ty(ty).table else { return };
    let sources: Option<Vec<_>> = used.relations.iter().map(|relation| source(plan, chain, used.table, relation)).collect();
    let Some(sources) = sources.filter(|sources| !sources.is_empty()) else { return };
    let distance = |sources: &[(u32, Source)]| sources.iter().map(|(_, source)| source.up).max();
    let known = found.entry(ty).or_default();
    if known.is_empty() || distance(known) > distance(&sources) {
        *known = sources;
    }
}

/// Returns the component that a relation names: in the nearest structure where such a component is
/// constrained by the same table (X.682 10.7).
fn source(plan: &Plan, chain: &[u32], table: TableId, relation: &Relation) -> Option<(u32, Source)> {
    let [name] = &relation.path[..] else { return None };
    let find = |same: bool| {
        chain.iter().rev().zip(0..).find_map(|(structure, up)| {
            let component = plan.structure(*structure).named(name, 0)?;
            let used = plan.model().ty(plan.structure(*structure).components[component as usize].ty).table.as_ref()?;
            (!same || used.table == table).then_some((*structure, Source { up, component }))
        })
    };
    find(true).or_else(|| find(false))
}

fn table(plan: &Plan, ty: TypeId, sources: &[(u32, Source)]) -> Option<Table> {
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
    let fields: Option<Vec<(SmolStr, TypeId)>> = sources
        .iter()
        .map(|(structure, source)| {
            let key = plan.structure(*structure).components[source.component as usize].ty;
            Some((plan.model().ty(key).table.as_ref()?.field.clone(), key))
        })
        .collect();
    let fields = fields?;
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
    Some(Table { sources: sources.iter().map(|(_, source)| source.clone()).collect(), rows: by_key })
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
