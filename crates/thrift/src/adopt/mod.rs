//! Common schemas as texts of the IDL, and their values.
//!
//! A schema is written as a text first, so that messages have the bytes that the text says. Fields
//! keep the names that messages have. [`Shapes`] make values come back as they were where the text
//! has another type for them: null, any value, numbers of several kinds.

mod bound;
mod declared;
mod same;
mod text;

use std::sync::Arc;

use polywire_core::schema::language::SchemaText;
use polywire_core::schema::{Schema, mapped, mapping, mapping_differs};
use polywire_core::text::sources::{Loaded, Loader};
use polywire_core::tools::shaped::Shapes;
use polywire_core::{Error, ErrorKind, Fault, Result};

use crate::idl::format::format;
use crate::idl::load::load;
use crate::idl::model::{Model, Named};
use crate::idl::resolve::resolve;
use crate::plan::Plan;
pub(crate) use bound::bound;

/// A common schema with its text.
#[derive(Debug)]
pub(crate) struct Adopted {
    /// Types of the text, with the names of the messages.
    pub plan: Arc<Plan>,
    /// Values of the messages.
    pub shapes: Arc<Shapes>,
    /// Types as a text declares them, if the schema is that of its mapping.
    pub declared: Option<Arc<Plan>>,
}

/// A type of messages: that of a mapping, or one as it is declared.
pub(crate) enum Bindings {
    Adopted(Adopted),
    Declared(Arc<Plan>),
}

/// Folder without files: an adopted schema includes nothing.
struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str) -> std::io::Result<Loaded> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

/// A text with its types as they are declared.
struct Made {
    text: String,
    root: String,
    plan: Plan,
}

fn made(schema: &Schema) -> Result<Made> {
    schema.check()?;
    if mapping(schema).is_none() {
        return Err(Error::new(ErrorKind::Unsupported, Fault::Schema)
            .seen("a schema with types that no message shows, or too many within each other")
            .expected("a schema of messages, such as an inferred one"));
    }
    let text::Written { text, root } = text::write(schema)?;
    let source = SchemaText { name: "schema", bytes: text.as_bytes(), identity: "" };
    let model = load(&source, &mut NoFiles).and_then(|texts| resolve(&texts)).map_err(|found| {
        Error::new(ErrorKind::Unsupported, Fault::Schema)
            .seen(format!("a schema that is no text of the IDL: {found}"))
            .expected("types that end")
    })?;
    let plan = Plan::new(&model, Some(&root))?;
    Ok(Made { text, root, plan })
}

/// Makes the text of a schema, and the types of messages by it.
///
/// # Errors
/// A type that no message shows: parameters, and those of ASN.1 only. A type that holds only
/// itself, or more fields than there are numbers.
pub(crate) fn adopt(schema: &Schema) -> Result<Adopted> {
    adopted(schema, made(schema)?)
}

fn adopted(schema: &Schema, made: Made) -> Result<Adopted> {
    let mut plan = made.plan;
    let shapes = Shapes::new(schema, &mut declared::Structs::new(&mut plan))?;
    Ok(Adopted { plan: Arc::new(plan.with_bodies()), shapes: Arc::new(shapes), declared: None })
}

/// Writes a schema with its mapping. `None` if the schema cannot be adopted.
pub(crate) fn write_mapped(schema: &Schema) -> Option<String> {
    let (mut made, mapping) = (made(schema).ok()?, mapping(schema)?);
    let text = std::mem::take(&mut made.text);
    adopted(schema, made).ok()?;
    format(&format!("{text}\n/* Names and types as messages have them.\n{mapping} */\n")).ok()
}

/// Reads a text for the messages of a type, or of the type that is meant without a name.
///
/// # Errors
/// The text is malformed, lacks the type, or its mapping is damaged or belongs to other
/// declarations.
pub(crate) fn bindings(text: &SchemaText<'_>, files: &mut dyn Loader, name: Option<&str>) -> Result<Bindings> {
    let model = resolve(&load(text, files)?)?;
    match (of_text(text, &model), name) {
        (Some(Ok((adopted, _))), None) => return Ok(Bindings::Adopted(adopted)),
        (Some(Ok((adopted, root))), Some(name)) if name == root => return Ok(Bindings::Adopted(adopted)),
        (Some(Err(error)), None) => return Err(error),
        // Any other type is as it is declared.
        _ => {}
    }
    declared(&model, name).map(Bindings::Declared)
}

/// Returns the plan of a type as it is declared, or of the type that is meant without a name.
///
/// # Errors
/// There is no such type.
pub(crate) fn declared(model: &Model, name: Option<&str>) -> Result<Arc<Plan>> {
    Ok(Arc::new(Plan::new(model, name)?.with_bodies()))
}

/// Returns the schema of the mapping in a text whose types are `declared`, if it has one, and the
/// name of its type there.
fn of_text(text: &SchemaText<'_>, declared: &Model) -> Option<Result<(Adopted, String)>> {
    let found = mapped(text.bytes)?.and_then(|schema| made(&schema).map(|made| (schema, made)));
    Some(found.and_then(|(schema, made)| {
        let name = |id: usize| declared.structs[id].name.clone();
        let named = declared.own.iter().find_map(|own| match own {
            Named::Struct(id) if name(*id) == made.root => Some(*id),
            _ => None,
        });
        // Declarations may have other names.
        let own = named.or_else(|| declared.root()).map(name);
        let plan = own.as_deref().and_then(|own| Plan::new(declared, Some(own)).ok());
        match (plan, own) {
            (Some(plan), Some(own)) if same::same(&plan, &made.plan) => {
                let adopted = adopted(&schema, made)?;
                Ok((Adopted { declared: Some(Arc::new(plan.with_bodies())), ..adopted }, own))
            }
            _ => Err(mapping_differs(text.name)),
        }
    }))
}
