//! Component relation constraints: the components that the open types of a plan refer to
//! (X.682 10.7 to 10.11).
//!
//! A relation names a way from a type around the open type in the text. The way leads through
//! components and alternatives, perhaps into a structure beside the one that the open type is in.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use smol_str::SmolStr;

use super::plan::{Op, Plan};
use super::table::{self, Source, Step};
use crate::model::{Relation, TableId, TypeId};

/// Deepest nesting of types between a component and the open type that it chooses.
const DEEPEST: usize = 12;

/// Type with components or alternatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Structure(u32),
    Choice(u32),
}

/// Type around an open type.
#[derive(Debug, Clone, Copy)]
struct Around {
    part: Part,
    ty: TypeId,
    /// Step that leads here from the type around, perhaps to a list of this type.
    via: Option<Step>,
}

/// Component that chooses a row, found.
#[derive(Debug)]
struct Found {
    source: Source,
    /// Structures and their components on the way.
    marks: Vec<(u32, u32)>,
    /// Type of the component.
    key: TypeId,
}

/// How well a way is founded. Greater is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The nearest component of the name: the type around is not in sight. Has the distance,
    /// negated.
    Nearest(i64),
    /// By the standard, with the number of types around in the text.
    Standard(usize),
}

type Candidates = HashMap<TypeId, (Rank, Vec<Found>), RandomState>;

/// Finds the components that the open types of a plan refer to.
pub(crate) fn relate(mut plan: Plan) -> Plan {
    let mut candidates = Candidates::default();
    let mut begun = HashSet::with_hasher(RandomState::default());
    for ty in (0..plan.nodes.len() as u32).map(TypeId) {
        // Several types may share a structure; the first of them is in the text.
        if let Some(part) = part(&plan, ty)
            && begun.insert((matches!(part, Part::Choice(_)), index(part)))
        {
            let mut seen = HashSet::with_hasher(RandomState::default());
            descend(&plan, &mut vec![Around { part, ty, via: None }], &mut seen, &mut candidates);
        }
    }
    let mut open: Vec<TypeId> = (0..plan.nodes.len() as u32).map(TypeId).collect();
    open.retain(|ty| plan.node(*ty).op == Op::Open && plan.model().ty(*ty).table.is_some());
    for ty in open {
        let found = candidates.remove(&ty).map(|(_, found)| found).unwrap_or_default();
        let marks: Vec<(u32, u32)> = found.iter().flat_map(|found| found.marks.iter().copied()).collect();
        let sources = found.into_iter().map(|found| (found.source, found.key)).collect();
        let Some(table) = table::table(&plan, ty, sources) else { continue };
        for (structure, component) in marks {
            let structure = &mut plan.structures[structure as usize];
            structure.has_keys = true;
            structure.components[component as usize].is_key = true;
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

fn part(plan: &Plan, ty: TypeId) -> Option<Part> {
    match plan.node(ty).op {
        Op::Structure(index) => Some(Part::Structure(index)),
        Op::Choice(index) => Some(Part::Choice(index)),
        _ => None,
    }
}

const fn index(part: Part) -> u32 {
    match part {
        Part::Structure(index) | Part::Choice(index) => index,
    }
}

/// Returns the types of the components or alternatives, with the steps to them.
fn parts(plan: &Plan, part: Part) -> Vec<(TypeId, Step)> {
    match part {
        Part::Structure(index) => {
            plan.structure(index).components.iter().zip(0..).map(|(known, at)| (known.ty, Step::Component(at))).collect()
        }
        Part::Choice(index) => {
            plan.choice(index).alternatives.iter().zip(0..).map(|(known, at)| (known.ty, Step::Alternative(at))).collect()
        }
    }
}

/// Looks for open types in the last of `chain`, and in the types within it that have no name: a
/// relation does not leave the text of a type.
fn descend(plan: &Plan, chain: &mut Vec<Around>, seen: &mut HashSet<TypeId, RandomState>, candidates: &mut Candidates) {
    let Some(last) = chain.last() else { return };
    let is_direct = chain.len() == 1;
    let mut inside = parts(plan, last.part);
    while let Some((ty, step)) = inside.pop() {
        if !is_direct && !seen.insert(ty) {
            continue;
        }
        match plan.node(ty).op {
            Op::Open => note(plan, chain, ty, candidates),
            Op::Octets | Op::Bits(_) => inside.extend(plan.node(ty).contents.map(|contents| (contents, step))),
            Op::List(element) if plan.name(ty).is_empty() && plan.name(element).is_empty() => inside.push((element, step)),
            Op::Structure(_) | Op::Choice(_) if plan.name(ty).is_empty() && chain.len() <= DEEPEST => {
                let Some(part) = part(plan, ty) else { continue };
                if chain.iter().all(|around| around.part != part) {
                    chain.push(Around { part, ty, via: Some(step) });
                    descend(plan, chain, seen, candidates);
                    chain.pop();
                }
            }
            _ => {}
        }
    }
}

/// Notes the components that an open type refers to, unless a better founded way is known.
fn note(plan: &Plan, chain: &[Around], ty: TypeId, candidates: &mut Candidates) {
    let Some(used) = plan.model().ty(ty).table.as_ref().filter(|used| !used.relations.is_empty()) else { return };
    let all = |find: &dyn Fn(&Relation) -> Option<Found>| used.relations.iter().map(find).collect::<Option<Vec<_>>>();
    let (textual, whole) = textual(plan, chain, ty);
    let by_standard = all(&|relation| standard(plan, chain, textual, used.table, relation)).filter(|_| whole);
    let (rank, found) = match by_standard {
        Some(found) => (Rank::Standard(textual), found),
        None => {
            let Some(found) = all(&|relation| nearest(plan, chain, used.table, relation)) else { return };
            let distance = found.iter().map(|found| i64::from(found.source.up)).max().unwrap_or(0);
            (Rank::Nearest(-distance), found)
        }
    };
    if candidates.get(&ty).is_none_or(|(known, _)| *known < rank) {
        candidates.insert(ty, (rank, found));
    }
}

/// Returns how many of the types around an open type are around it in the text, and whether these
/// are all of them.
fn textual(plan: &Plan, chain: &[Around], ty: TypeId) -> (usize, bool) {
    let at = plan.model().ty(ty).at;
    let is_inline = |around: &Around| {
        let mut next = Some(around.ty);
        while let Some(id) = next {
            let known = plan.model().ty(id);
            let own = known.at;
            if known.name.is_none() && own.source == at.source && own.start <= at.start && at.end <= own.end && own != at {
                return true;
            }
            next = known.base;
        }
        false
    };
    let inline = chain.iter().rev().take_while(|around| is_inline(around)).count();
    (chain.len().min(inline + 1), inline < chain.len())
}

/// Returns the component that a relation names: from the outermost type in the text, or from one
/// that the level counts from the innermost (X.682 10.8). A type within counts where it is not
/// there.
fn standard(plan: &Plan, chain: &[Around], textual: usize, table: TableId, relation: &Relation) -> Option<Found> {
    let around: Vec<usize> = match relation.level {
        0 => (chain.len() - textual..chain.len()).collect(),
        level => vec![chain.len().checked_sub(level as usize).filter(|at| *at >= chain.len() - textual)?],
    };
    let find = |same| around.iter().find_map(|at| along(plan, chain, *at, &relation.path, same));
    find(Some(table)).or_else(|| find(None))
}

/// Returns the component of a name in the nearest type around that has one with a table, at best
/// the same.
fn nearest(plan: &Plan, chain: &[Around], table: TableId, relation: &Relation) -> Option<Found> {
    let find = |same| (0..chain.len()).rev().find_map(|at| along(plan, chain, at, &relation.path, same));
    find(Some(table)).or_else(|| find(None))
}

/// Follows names from a type around. The component at their end has a table, `same` if that is
/// given.
fn along(plan: &Plan, chain: &[Around], mut at: usize, names: &[SmolStr], same: Option<TableId>) -> Option<Found> {
    let mut part_now = Some(chain[at].part);
    let (mut path, mut marks, mut key) = (Vec::new(), Vec::new(), None);
    for name in names {
        let here = part_now?;
        let step = match here {
            Part::Structure(index) => Step::Component(plan.structure(index).named(name, 0)?),
            Part::Choice(index) => Step::Alternative(plan.choice(index).named(name)?),
        };
        let (ty, _) = parts(plan, here).into_iter().find(|(_, known)| *known == step)?;
        (part_now, key) = (part(plan, ty), Some(ty));
        // As long as the way is also that to the open type, it begins further within.
        if path.is_empty() && chain.get(at + 1).is_some_and(|next| next.via == Some(step) && Some(next.part) == part_now) {
            at += 1;
            continue;
        }
        path.push(step);
        if let (Part::Structure(structure), Step::Component(component)) = (here, step) {
            marks.push((structure, component));
        }
    }
    let key = key?;
    let used = plan.model().ty(key).table.as_ref()?;
    if !matches!(path.first(), Some(Step::Component(_))) || same.is_some_and(|same| used.table != same) {
        return None;
    }
    let up = chain[at + 1..].iter().filter(|around| matches!(around.part, Part::Structure(_))).count() as u32;
    Some(Found { source: Source { up, path: path.into() }, marks, key })
}
