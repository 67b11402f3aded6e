//! Common schemas as modules of ASN.1, and their values.
//!
//! A schema is written as a module first, so that messages have the bytes that the module says.
//! Values keep the names that messages have; JER writes those of the module. [`Shapes`] make values
//! come back as they were where the module has another type for them: null, any value, maps,
//! numbers of several kinds.

mod declared;
mod same;

use std::collections::HashMap;
use std::sync::Arc;

use polywire_core::schema::language::SchemaText;
use polywire_core::schema::{Schema, mapped, mapping, mapping_differs};
use polywire_core::text::sources::{Loaded, Loader};
use polywire_core::tools::shaped::Shapes;
use polywire_core::{Error, ErrorKind, Fault, Limits, Result};

use crate::language::{root, write_adopted};
use crate::load::load;
use crate::model::{Model, TypeId};
use crate::walk::Plan;

/// A common schema with its module.
#[derive(Debug)]
pub(crate) struct Adopted {
    /// Types of the module, with the names of the messages.
    pub plan: Plan,
    /// Values of the messages.
    pub shapes: Shapes,
    /// Name of the root type in the module.
    pub root: String,
}

/// Folder without files: an adopted schema imports nothing.
struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str) -> std::io::Result<Loaded> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

/// Makes the module of a schema.
///
/// # Errors
/// A type that no message shows: parameters, and those of ASN.1 only.
pub(crate) fn adopt(schema: &Schema) -> Result<Adopted> {
    schema.check()?;
    if mapping(schema).is_none() {
        return Err(Error::new(ErrorKind::Unsupported, Fault::Schema)
            .seen("a schema with types that no message shows, or too many within each other")
            .expected("a schema of messages, such as an inferred one"));
    }
    let written = write_adopted(schema)?;
    let text = SchemaText { name: "schema", bytes: written.text.as_bytes(), identity: "" };
    let model = load(&text, &mut NoFiles)
        .resolve(&Limits::DEFAULT)
        .map_err(|found| Error::internal(format!("a module that cannot be read: {found}")))?;
    let named: HashMap<&str, TypeId> =
        model.modules.iter().flat_map(|module| &module.types).map(|(name, id)| (name.as_str(), *id)).collect();
    let root = *named.get(written.root.as_str()).ok_or_else(|| Error::internal("a module without its root"))?;
    let model = Arc::new(model);
    let mut plan = Plan::new(model, root)?;
    let shapes = Shapes::new(schema, &mut declared::Module::new(&mut plan))?;
    Ok(Adopted { plan, shapes, root: written.root })
}

/// Returns the schema of the mapping in a text whose modules are `declared`, if it has one.
///
/// # Errors
/// The mapping is damaged, or belongs to other declarations.
pub(crate) fn of_text(text: &SchemaText<'_>, declared: &Model) -> Option<Result<Adopted>> {
    let made = mapped(text.bytes)?.and_then(|schema| adopt(&schema));
    Some(made.and_then(|mut adopted| {
        let named = declared.modules.iter().find_map(|module| declared.named(&module.name, &adopted.root));
        // Declarations may have other names.
        let own = named.or_else(|| root(declared));
        let pairs = own.and_then(|own| same::same((declared, own), (adopted.plan.model(), adopted.plan.root())));
        adopted.plan.write_as(declared, &pairs.ok_or_else(|| mapping_differs(text.name))?);
        Ok(adopted)
    }))
}
