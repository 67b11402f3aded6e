//! Schemas of selected values.

use polywire_core::schema::{NamedType, Record, Schema, Type};
use polywire_core::walk::{Path, PathStep};
use polywire_core::{Error, ErrorKind, Fault, Result};

/// Returns the schema of messages of which only the values at `paths` are read: the other fields
/// are left out. Indexes and slices keep the whole list's type.
///
/// ```
/// use polywire_core::schema::{FieldType, NamedType, Record, Schema, Type};
/// use polywire_core::walk::Path;
///
/// let fields = ["a", "b"].map(|name| FieldType::required(name, Type::Bool)).to_vec();
/// let record = NamedType { name: "R".into(), doc: String::new(), ty: Type::Record(Record { fields, ..Record::default() }) };
/// let schema = Schema { types: vec![record], root: Some("R".into()) };
/// let selected = polywire_arrow::project(&schema, &[Path::parse("b")?])?;
/// assert_eq!(selected.types.last().unwrap().ty.to_string(), "{b: bool}");
/// # Ok::<(), polywire_core::Error>(())
/// ```
///
/// # Errors
/// The schema has no root.
pub fn project(schema: &Schema, paths: &[Path]) -> Result<Schema> {
    let root =
        schema.root.as_ref().ok_or_else(|| Error::new(ErrorKind::Unsupported, Fault::Schema).seen("a schema without a root type"))?;
    let paths: Vec<&[PathStep]> = paths.iter().map(|path| &path.0[..]).collect();
    let ty = pruned(schema, schema.get(root).unwrap_or(&Type::Any), &paths)?;
    let mut name = format!("{root}Selected");
    while schema.get(&name).is_some() {
        name.push('_');
    }
    let mut types = schema.types.clone();
    types.push(NamedType { name: name.clone(), doc: String::new(), ty });
    Ok(Schema { types, root: Some(name) })
}

/// Returns the type without the fields that no path leads to. Recursion ends with the paths.
fn pruned(schema: &Schema, ty: &Type, paths: &[&[PathStep]]) -> Result<Type> {
    if paths.iter().any(|path| path.is_empty()) {
        return Ok(ty.clone());
    }
    let behind = |keep: &dyn Fn(&PathStep) -> bool| -> Vec<&[PathStep]> {
        paths.iter().filter_map(|path| path.split_first().filter(|(step, _)| keep(step)).map(|(_, rest)| rest)).collect()
    };
    Ok(match schema.resolve(ty)? {
        Type::Nullable(inner) => Type::Nullable(Box::new(pruned(schema, inner, paths)?)),
        Type::List(inner, bounds) => {
            let inside = behind(&|step| !matches!(step, PathStep::Name(_)));
            let through = if inside.is_empty() { paths.to_vec() } else { inside };
            Type::List(Box::new(pruned(schema, inner, &through)?), bounds.clone())
        }
        Type::Record(record) => {
            let mut fields = Vec::new();
            for field in &record.fields {
                let inside = behind(&|step| {
                    matches!(step, PathStep::Name(name) if *name == field.name || name == "*") || matches!(step, PathStep::Each)
                });
                if inside.is_empty() {
                    continue;
                }
                let mut field = field.clone();
                // A path through a list's elements may name it alone.
                let inside: Vec<&[PathStep]> = match field.presence {
                    polywire_core::schema::Presence::Repeated => inside
                        .into_iter()
                        .map(|path| {
                            path.split_first().filter(|(step, _)| !matches!(step, PathStep::Name(_))).map_or(path, |(_, rest)| rest)
                        })
                        .collect(),
                    _ => inside,
                };
                field.ty = pruned(schema, &field.ty, &inside)?;
                fields.push(field);
            }
            Type::Record(Record { fields, ..record.clone() })
        }
        other => other.clone(),
    })
}
