//! Applications of polymorphic types as types of their own, each with its name.

use std::collections::HashMap;

use polywire_core::schema::language::SchemaLoss;
use polywire_core::schema::{Case, FieldType, NamedType, Record, Schema, Sum, Type};
use polywire_core::{Error, ErrorKind, Fault, Result};

use super::names;

/// Largest number of applications in a schema: a polymorphic type may apply itself to ever larger
/// arguments.
const MAX_APPLICATIONS: usize = 10_000;

/// Deepest nesting of types.
const MAX_DEPTH: u32 = 64;

/// Returns the types of a schema without parameters.
pub(super) fn apply(schema: &Schema, losses: &mut Vec<SchemaLoss>) -> Result<Vec<NamedType>> {
    let index: HashMap<&str, &NamedType> = schema.types.iter().map(|named| (named.name.as_str(), named)).collect();
    let mut applying = Applying { names: HashMap::new(), due: Vec::new(), depth: 0, too_deep: false };
    let mut types = Vec::new();
    for named in schema.types.iter().filter(|named| !has_parameters(&named.ty)) {
        let ty = applying.ty(&named.ty, &HashMap::new());
        types.push(NamedType { name: named.name.clone(), doc: named.doc.clone(), ty });
    }
    while let Some((name, arguments, own)) = applying.due.pop() {
        if applying.names.len() > MAX_APPLICATIONS || applying.too_deep {
            let error = Error::new(ErrorKind::Limit, Fault::Schema).seen(format!("more than {MAX_APPLICATIONS} applications of types"));
            return Err(error.hint("a polymorphic type that applies itself to ever other arguments has no form in Protocol Buffers"));
        }
        let Some(named) = index.get(name.as_str()) else { continue };
        let mut parameters = Vec::new();
        within(&named.ty, &mut |ty, _| {
            if let Type::Parameter(parameter) = ty
                && !parameters.contains(parameter)
            {
                parameters.push(parameter.clone());
            }
        });
        if parameters.len() != arguments.len() {
            let error = Error::new(ErrorKind::Syntax, Fault::Schema).seen(format!("{} arguments for the type {name}", arguments.len()));
            return Err(error.expected(format!("{}, as many as it has parameters", parameters.len())));
        }
        losses.push(SchemaLoss { at: own.clone(), what: format!("that it is `{name}`, applied") });
        let with: HashMap<String, Type> = parameters.into_iter().zip(arguments).collect();
        let ty = applying.ty(&named.ty, &with);
        types.push(NamedType { name: own, doc: named.doc.clone(), ty });
    }
    if applying.too_deep {
        let error = Error::new(ErrorKind::Limit, Fault::Schema).seen(format!("more than {MAX_DEPTH} types within each other"));
        return Err(error.hint("give inner types names of their own"));
    }
    Ok(types)
}

/// Calls `with` for a type and all types within it, with their depth.
fn within(ty: &Type, with: &mut impl FnMut(&Type, u32)) {
    let mut due = vec![(ty, 1)];
    while let Some((ty, depth)) = due.pop() {
        with(ty, depth);
        let from = due.len();
        let mut add = |ty| due.push((ty, depth + 1));
        match ty {
            Type::List(inner, _) | Type::Set(inner, _) | Type::Nullable(inner) | Type::Tagged { inner, .. } => add(inner),
            Type::Map(key, value) => [key, value].into_iter().for_each(|ty| add(ty)),
            Type::Tuple(parts) | Type::Reference(_, parts) => parts.iter().for_each(add),
            Type::Record(record) => record.fields.iter().map(|field| &field.ty).for_each(add),
            Type::Sum(sum) => sum.cases.iter().flat_map(|case| &case.carries).for_each(add),
            _ => {}
        }
        due[from..].reverse();
    }
}

/// Returns the depth of a type, itself included.
fn depth(ty: &Type) -> u32 {
    let mut deepest = 0;
    within(ty, &mut |_, depth| deepest = deepest.max(depth));
    deepest
}

fn has_parameters(ty: &Type) -> bool {
    let mut found = false;
    within(ty, &mut |ty, _| found |= matches!(ty, Type::Parameter(_)));
    found
}

struct Applying {
    /// Names of applications, by their text.
    names: HashMap<String, String>,
    due: Vec<(String, Vec<Type>, String)>,
    depth: u32,
    /// A type was left out because of its depth.
    too_deep: bool,
}

impl Applying {
    fn ty(&mut self, ty: &Type, with: &HashMap<String, Type>) -> Type {
        self.depth += 1;
        self.too_deep |= self.depth > MAX_DEPTH;
        let applied = if self.too_deep { Type::Any } else { self.applied(ty, with) };
        self.depth -= 1;
        applied
    }

    fn applied(&mut self, ty: &Type, with: &HashMap<String, Type>) -> Type {
        let all = |this: &mut Applying, types: &[Type]| types.iter().map(|ty| this.ty(ty, with)).collect::<Vec<_>>();
        match ty {
            Type::Parameter(name) => {
                let argument = with.get(name).unwrap_or(&Type::Any);
                self.too_deep |= depth(argument) + self.depth > MAX_DEPTH;
                if self.too_deep { Type::Any } else { argument.clone() }
            }
            Type::List(inner, bounds) => Type::List(Box::new(self.ty(inner, with)), bounds.clone()),
            Type::Set(inner, bounds) => Type::Set(Box::new(self.ty(inner, with)), bounds.clone()),
            Type::Nullable(inner) => Type::Nullable(Box::new(self.ty(inner, with))),
            Type::Tagged { space, code, inner } => {
                Type::Tagged { space: space.clone(), code: *code, inner: Box::new(self.ty(inner, with)) }
            }
            Type::Map(key, value) => Type::Map(Box::new(self.ty(key, with)), Box::new(self.ty(value, with))),
            Type::Tuple(parts) => Type::Tuple(all(self, parts)),
            Type::Record(record) => {
                let fields = record.fields.iter().map(|field| FieldType { ty: self.ty(&field.ty, with), ..field.clone() });
                Type::Record(Record { fields: fields.collect(), ..record.clone() })
            }
            Type::Sum(sum) => {
                let cases = sum.cases.iter().map(|case| Case { carries: all(self, &case.carries), ..case.clone() });
                Type::Sum(Sum { cases: cases.collect(), ..sum.clone() })
            }
            Type::Reference(name, arguments) if !arguments.is_empty() => {
                let arguments = all(self, arguments);
                let written = Type::Reference(name.clone(), arguments.clone()).to_string();
                let own = match self.names.get(&written) {
                    Some(own) => own.clone(),
                    None => {
                        let mut own = names::ty(&written);
                        own.truncate(60);
                        if self.names.values().any(|taken| *taken == own) {
                            own = format!("{own}{}", self.names.len());
                        }
                        self.names.insert(written, own.clone());
                        self.due.push((name.clone(), arguments, own.clone()));
                        own
                    }
                };
                Type::Reference(own, Vec::new())
            }
            other => other.clone(),
        }
    }
}
