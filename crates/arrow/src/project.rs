//! Schemas of selected values.

use polywire_core::schema::{FieldType, NamedType, Presence, Record, Schema, Type};
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

/// Returns the paths by the fields of the schema. A member of a sum type, such as one of a oneof,
/// may be named in place of the sum type's field; the path then leads to that field, with all its
/// cases.
///
/// ```
/// use polywire_core::schema::{Case, FieldType, NamedType, Record, Schema, Sum, Type};
/// use polywire_core::walk::Path;
///
/// let cases = vec![Case { name: "email".into(), id: None, carries: vec![Type::Bool], doc: String::new() }];
/// let contact = FieldType::required("contact", Type::Sum(Sum { cases, extensible: true, untagged: false }));
/// let record = NamedType { name: "R".into(), doc: String::new(), ty: Type::Record(Record { fields: vec![contact], ..Record::default() }) };
/// let schema = Schema { types: vec![record], root: Some("R".into()) };
/// let paths = polywire_arrow::members(&schema, &[Path::parse("email")?]);
/// assert_eq!(paths[0].to_string(), "contact");
/// # Ok::<(), polywire_core::Error>(())
/// ```
pub fn members(schema: &Schema, paths: &[Path]) -> Vec<Path> {
    let root = schema.root.as_ref().and_then(|root| schema.get(root));
    let of = |path: &Path| Path(root.map_or_else(|| path.0.clone(), |root| by_fields(schema, root, &path.0)));
    paths.iter().map(of).collect()
}

/// Returns a path by the fields of a type. Recursion ends with the path.
fn by_fields(schema: &Schema, ty: &Type, path: &[PathStep]) -> Vec<PathStep> {
    let Some((step, rest)) = path.split_first() else { return Vec::new() };
    let record = match (schema.resolve(ty), step) {
        (Ok(Type::Nullable(inner)), _) => return by_fields(schema, inner, path),
        (Ok(Type::List(inner, _)), PathStep::Name(_)) => return by_fields(schema, inner, path),
        (Ok(Type::List(inner, _)), _) => return [vec![step.clone()], by_fields(schema, inner, rest)].concat(),
        (Ok(Type::Record(record)), _) => record,
        _ => return path.to_vec(),
    };
    let PathStep::Name(name) = step else { return path.to_vec() };
    let cases = |field: &FieldType| match schema.resolve(&field.ty) {
        Ok(Type::Sum(sum)) => sum.cases.iter().any(|case| case.name == *name),
        _ => false,
    };
    match record.fields.iter().find(|field| field.name == *name) {
        // A list's elements may be named before what is in them.
        Some(field) if field.presence == Presence::Repeated && !matches!(rest.first(), None | Some(PathStep::Name(_))) => {
            [&path[..2], &by_fields(schema, &field.ty, &rest[1..])].concat()
        }
        Some(field) if matches!(schema.resolve(&field.ty), Ok(Type::Sum(_))) => vec![step.clone()],
        Some(field) => [vec![step.clone()], by_fields(schema, &field.ty, rest)].concat(),
        None => match record.fields.iter().find(|field| cases(field)) {
            Some(field) => vec![PathStep::Name(field.name.clone())],
            None => path.to_vec(),
        },
    }
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
                    Presence::Repeated => inside
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
