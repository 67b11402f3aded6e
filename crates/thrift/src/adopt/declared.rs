//! A text of the IDL as the declarations of a common schema.

use std::collections::HashSet;

use polywire_core::tools::shaped::{Declared, Forms};
use polywire_core::{Error, Result};

use crate::plan::{Plan, Shape, TypeId};

/// The plan of a text whose fields get the names that messages have.
pub(super) struct Structs<'p> {
    plan: &'p mut Plan,
    /// Structs and unions that have their names.
    named: HashSet<u32>,
}

impl Structs<'_> {
    pub fn new(plan: &mut Plan) -> Structs<'_> {
        Structs { plan, named: HashSet::new() }
    }
}

impl Declared for Structs<'_> {
    type Type = TypeId;

    fn forms(&self) -> Forms {
        Forms { null: false, unsigned: false, big: false, moments: false, maps: true, roots: false }
    }

    fn root(&self) -> TypeId {
        self.plan.root
    }

    fn parts(&mut self, ty: TypeId, names: &[&str]) -> Result<Vec<TypeId>> {
        let Shape::Struct(of) = self.plan.shape(ty) else { return Err(other()) };
        if self.named.insert(of) {
            self.plan.rename_fields(of, names);
        }
        Ok(self.plan.structs[of as usize].fields.iter().map(|field| field.ty).collect())
    }

    fn enumerators(&mut self, ty: TypeId, names: &[&str]) {
        if let Shape::Enum(of) = self.plan.shape(ty) {
            self.plan.rename_members(of, names);
        }
    }

    fn marks_lists(&self, space: &str) -> bool {
        // A SEQUENCE of ASN.1, whose format without a schema shows lists.
        space.starts_with("ber")
    }

    fn element(&self, ty: TypeId) -> Result<TypeId> {
        match self.plan.shape(ty) {
            Shape::List(element) => Ok(element),
            _ => Err(other()),
        }
    }

    fn entries(&self, ty: TypeId) -> Result<(TypeId, TypeId)> {
        match self.plan.shape(ty) {
            Shape::Map(key, value) => Ok((key, value)),
            _ => Err(other()),
        }
    }
}

fn other() -> Error {
    Error::internal("a text of the IDL that is not the schema's")
}
