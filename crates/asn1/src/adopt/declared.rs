//! A module as the declarations of a common schema.

use std::collections::HashSet;

use polywire_core::tools::shaped::{Declared, Forms};
use polywire_core::{Error, Result};
use smol_str::SmolStr;

use crate::model::TypeId;
use crate::walk::Plan;
use crate::walk::plan::Op;

/// The plan of a module whose parts get the names that messages have.
pub(super) struct Module<'p> {
    plan: &'p mut Plan,
    /// Structures, choices and enumerations that have their names.
    named: HashSet<Op>,
}

impl Module<'_> {
    pub fn new(plan: &mut Plan) -> Module<'_> {
        Module { plan, named: HashSet::new() }
    }

    fn rename(&mut self, op: Op, names: &[&str]) {
        if self.named.insert(op) {
            self.plan.rename(op, &names.iter().map(SmolStr::new).collect::<Vec<_>>());
        }
    }
}

impl Declared for Module<'_> {
    type Type = TypeId;

    fn forms(&self) -> Forms {
        Forms { null: true, unsigned: true, big: true, moments: true, maps: false, roots: true }
    }

    fn root(&self) -> TypeId {
        self.plan.root()
    }

    fn parts(&mut self, ty: TypeId, names: &[&str]) -> Result<Vec<TypeId>> {
        let op = self.plan.node(ty).op;
        self.rename(op, names);
        match op {
            Op::Structure(index) => Ok(self.plan.structure(index).components.iter().map(|known| known.ty).collect()),
            Op::Choice(index) => Ok(self.plan.choice(index).alternatives.iter().map(|known| known.ty).collect()),
            _ => Err(other()),
        }
    }

    fn enumerators(&mut self, ty: TypeId, names: &[&str]) {
        let op = self.plan.node(ty).op;
        self.rename(op, names);
    }

    fn marks_lists(&self, space: &str) -> bool {
        space.starts_with("ber")
    }

    fn element(&self, ty: TypeId) -> Result<TypeId> {
        match self.plan.node(ty).op {
            Op::List(element) => Ok(element),
            _ => Err(other()),
        }
    }

    fn entries(&self, _: TypeId) -> Result<(TypeId, TypeId)> {
        Err(other())
    }
}

fn other() -> Error {
    Error::internal("a module that is not the schema's")
}
