//! The type of a whole message, which ASN.1 does not declare.

use std::collections::HashSet;

use crate::model::{Addition, Cell, Kind, Model, TypeId};

/// Index of the text that was given, in [`Model::sources`]; its imports follow.
pub const OWN: u32 = 1;

/// Returns the type that messages have where none is named: the first type of the own text that is
/// a SEQUENCE, SET or CHOICE and in no other type. Failing that, the first such type, then the
/// first type of all.
pub fn root(model: &Model) -> Option<TypeId> {
    let own: Vec<TypeId> = own(model).map(|(_, _, id)| id).collect();
    let used = used(model);
    let is_structure = |id: &TypeId| matches!(model.ty(*id).kind, Kind::Sequence(_) | Kind::Set(_) | Kind::Choice(_));
    let mut structures = own.iter().copied().filter(is_structure);
    let first = structures.clone().next();
    structures.find(|id| !used.contains(id)).or(first).or(own.first().copied())
}

/// Returns the types that the own text assigns to names: module, name and type.
pub fn own(model: &Model) -> impl Iterator<Item = (u32, &str, TypeId)> {
    let modules = model.modules.iter().enumerate();
    let all = modules.flat_map(|(index, module)| module.types.iter().map(move |(name, id)| (index as u32, name.as_str(), *id)));
    all.filter(|(_, _, id)| model.ty(*id).at.source == OWN)
}

/// Returns the types directly in a type, each as often as it is there.
pub fn parts(model: &Model, id: TypeId) -> Vec<TypeId> {
    let ty = model.ty(id);
    let mut parts: Vec<TypeId> = ty.contents.into_iter().collect();
    match &ty.kind {
        Kind::SequenceOf(element) | Kind::SetOf(element) => parts.push(*element),
        Kind::Sequence(structure) | Kind::Set(structure) => {
            parts.extend(structure.root.iter().map(|component| component.ty));
            for addition in &structure.additions {
                match addition {
                    Addition::Component(component) => parts.push(component.ty),
                    Addition::Group(components, _) => parts.extend(components.iter().map(|component| component.ty)),
                }
            }
        }
        Kind::Choice(choice) => parts.extend(choice.root.iter().chain(&choice.additions).map(|alternative| alternative.ty)),
        _ => {}
    }
    parts
}

/// Returns the types that are in others, or in tables, under their own names. A component's type is
/// a copy of the named one, with the component's tag, and shares its parts.
pub fn used(model: &Model) -> HashSet<TypeId> {
    let named: std::collections::HashMap<usize, TypeId> = own(model).filter_map(|(_, _, id)| Some((identity(model, id)?, id))).collect();
    let mut used = HashSet::new();
    let cells = model.tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.cells);
    let tabled = cells.filter_map(|(_, cell)| match cell {
        Cell::Type(id) => Some(*id),
        Cell::Value(..) => None,
    });
    let all = (0..model.types.len() as u32).map(TypeId);
    // A type in itself may still be a whole message.
    let within = all.flat_map(|id| {
        let own = identity(model, id);
        parts(model, id).into_iter().filter(move |part| *part != id && (own.is_none() || identity(model, *part) != own))
    });
    for part in within.chain(tabled) {
        used.insert(part);
        if let Some(known) = identity(model, part).and_then(|identity| named.get(&identity)) {
            used.insert(*known);
        }
    }
    used
}

/// Returns a number that types with the same components have in common, and no others.
pub fn identity(model: &Model, id: TypeId) -> Option<usize> {
    Some(match &model.ty(id).kind {
        Kind::Sequence(structure) | Kind::Set(structure) => std::sync::Arc::as_ptr(structure) as usize,
        Kind::Choice(choice) => std::sync::Arc::as_ptr(choice) as usize,
        Kind::Enumerated(enumeration) => std::sync::Arc::as_ptr(enumeration) as usize,
        _ => return None,
    })
}
