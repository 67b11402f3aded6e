//! The text of an adopted schema. Its mapping has what it lacks: names are valid ones here, and
//! some types have a form that other values need.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use polywire_core::schema::{Case, FieldType, Presence, Schema, Type, Width};
use polywire_core::tools::shaped::{REPEATED, is_key};
use polywire_core::{Error, ErrorKind, Fault, Result};

use crate::idl::format::format;
use crate::idl::write::{MAX_NESTING, identifier, take};

/// A text, and the name of the type of messages in it.
#[derive(Debug)]
pub(super) struct Written {
    pub text: String,
    pub root: String,
}

/// A declaration to be written.
#[derive(Clone, Copy)]
enum Due<'s> {
    /// The declaration of a type.
    Type(&'s Type),
    /// The alternatives of a value or null.
    Nullable(&'s Type),
    /// The alternatives of a repeated field.
    Repeated(&'s Type),
    /// The values of a case.
    Row(&'s [Type]),
    /// The only field of a message that is no record.
    Only(&'s str),
}

struct Writing<'s> {
    schema: &'s Schema,
    /// Names of the schema's types in the text.
    names: HashMap<&'s str, String>,
    taken: HashSet<String>,
    due: Vec<(String, Due<'s>)>,
    /// Name of the struct that stands for null, once it is used.
    null: Option<String>,
    depth: u32,
}

/// Writes a schema.
///
/// # Errors
/// The schema has no root, types that the IDL lacks, or more fields than there are numbers.
pub(super) fn write(schema: &Schema) -> Result<Written> {
    let mut writing = Writing { schema, names: HashMap::new(), taken: HashSet::new(), due: Vec::new(), null: None, depth: 0 };
    let root = schema.root.as_deref().ok_or_else(|| unsupported("a schema without a root type"))?;
    let is_root = |name: &str| name == root;
    for named in &schema.types {
        let name = take(&mut writing.taken, identifier(&named.name, "Type"));
        writing.names.insert(&named.name, name);
    }
    // Types come in front of those that use them, the root last.
    let mut parts = Vec::new();
    let mut own = writing.names.get(root).cloned().unwrap_or_default();
    if !matches!(schema.get(root), Some(Type::Record(_))) {
        own = take(&mut writing.taken, "Message".into());
        parts.push(writing.declaration(&own, Due::Only(root))?);
    }
    let all = schema.types.iter().filter(|named| is_root(&named.name)).chain(schema.types.iter().filter(|named| !is_root(&named.name)));
    for named in all {
        let name = writing.names.get(named.name.as_str()).cloned().unwrap_or_default();
        parts.push(writing.declaration(&name, Due::Type(&named.ty))?);
        while let Some((name, due)) = writing.due.pop() {
            parts.push(writing.declaration(&name, due)?);
        }
    }
    if let Some(null) = &writing.null {
        parts.push(format!("struct {null} {{\n}}\n"));
    }
    parts.reverse();
    let text = format(&parts.join("\n")).map_err(|found| Error::internal(format!("a text that cannot be read: {}", found.message)))?;
    Ok(Written { text, root: own })
}

#[cold]
fn unsupported(seen: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Schema).seen(seen.into()).expected("types that the IDL has")
}

/// Names of fields in a declaration, and their numbers.
struct Fields {
    out: String,
    taken: HashSet<String>,
    last: i16,
}

impl Fields {
    fn new(keyword: &str, name: &str) -> Fields {
        Fields { out: format!("{keyword} {name} {{\n"), taken: HashSet::new(), last: 0 }
    }

    fn add(&mut self, obligation: &str, ty: &str, name: &str) -> Result<()> {
        self.last = self.last.checked_add(1).ok_or_else(|| unsupported(format!("more than {} fields of one type", i16::MAX)))?;
        let name = take(&mut self.taken, identifier(name, "field"));
        let _ = writeln!(self.out, "  {}: {obligation}{ty} {name},", self.last);
        Ok(())
    }

    fn end(self) -> String {
        self.out + "}\n"
    }
}

impl<'s> Writing<'s> {
    fn declaration(&mut self, name: &str, due: Due<'s>) -> Result<String> {
        match due {
            Due::Only(root) => {
                let mut fields = Fields::new("struct", name);
                fields.add("required ", &self.names.get(root).cloned().unwrap_or_default(), "value")?;
                Ok(fields.end())
            }
            Due::Nullable(inner) => {
                let mut fields = Fields::new("union", name);
                fields.add("", &self.null(), "none")?;
                fields.add("", &self.ty(inner, &format!("{name}_value"))?, "value")?;
                Ok(fields.end())
            }
            Due::Repeated(inner) => {
                let ty = self.ty(inner, &format!("{name}_item"))?;
                let [list, one] = REPEATED;
                let mut fields = Fields::new("union", name);
                fields.add("", &format!("list<{ty}>"), &format!("as_{list}"))?;
                fields.add("", &ty, one)?;
                Ok(fields.end())
            }
            Due::Row(parts) => {
                let mut fields = Fields::new("struct", name);
                for (part, number) in parts.iter().zip(1..) {
                    let own = format!("item_{number}");
                    fields.add("required ", &self.ty(part, &format!("{name}_{own}"))?, &own)?;
                }
                Ok(fields.end())
            }
            Due::Type(Type::Record(record)) => {
                let mut fields = Fields::new("struct", name);
                for field in &record.fields {
                    let ty = self.field(field, &format!("{name}_{}", field.name))?;
                    let obligation = if field.presence == Presence::Required { "required " } else { "optional " };
                    fields.add(obligation, &ty, &field.name)?;
                }
                Ok(fields.end())
            }
            Due::Type(Type::Sum(sum)) if !sum.cases.is_empty() => {
                let mut fields = Fields::new("union", name);
                for case in &sum.cases {
                    let ty = self.carried(case, &format!("{name}_{}", case.name))?;
                    fields.add("", &ty, &case.name)?;
                }
                Ok(fields.end())
            }
            Due::Type(Type::Enumeration(members)) if !members.members.is_empty() => {
                let mut out = format!("enum {name} {{\n");
                let mut taken = HashSet::new();
                for ((member, _), number) in members.members.iter().zip(0..=i32::MAX) {
                    let _ = writeln!(out, "  {} = {number},", take(&mut taken, identifier(member, "member")));
                }
                Ok(out + "}\n")
            }
            Due::Type(Type::Nullable(inner)) => self.declaration(name, Due::Nullable(inner)),
            Due::Type(Type::Tuple(parts)) => self.declaration(name, Due::Row(parts)),
            Due::Type(Type::Tagged { inner, .. }) => self.declaration(name, Due::Type(inner)),
            Due::Type(other) => Ok(format!("typedef {} {name}\n", self.ty(other, name)?)),
        }
    }

    fn null(&mut self) -> String {
        let taken = &mut self.taken;
        self.null.get_or_insert_with(|| take(taken, "Null".into())).clone()
    }

    fn field(&mut self, field: &'s FieldType, name: &str) -> Result<String> {
        match field.presence {
            Presence::Repeated => Ok(self.later(name, Due::Repeated(&field.ty))),
            _ => self.ty(&field.ty, name),
        }
    }

    fn carried(&mut self, case: &'s Case, name: &str) -> Result<String> {
        match &case.carries[..] {
            [] => Ok(self.null()),
            [one] => self.ty(one, name),
            several => Ok(self.later(name, Due::Row(several))),
        }
    }

    /// Returns the name of a declaration that is written later.
    fn later(&mut self, name: &str, due: Due<'s>) -> String {
        let name = take(&mut self.taken, identifier(name, "Type"));
        self.due.push((name.clone(), due));
        name
    }

    /// Returns a type where it is used. `name` is for a type that needs a declaration of its own.
    fn ty(&mut self, ty: &'s Type, name: &str) -> Result<String> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(unsupported(format!("more than {MAX_NESTING} types within each other")));
        }
        let text = self.used(ty, name);
        self.depth -= 1;
        text
    }

    fn used(&mut self, ty: &'s Type, name: &str) -> Result<String> {
        Ok(match ty {
            Type::Null => self.null(),
            Type::Bool => "bool".into(),
            Type::Int(width) => format!("i{}", width.bits()),
            Type::UInt(Width::W8) => "i16".into(),
            Type::UInt(Width::W16) => "i32".into(),
            Type::UInt(Width::W32 | Width::W64) => "i64".into(),
            Type::Integer(_) | Type::Decimal | Type::Text(_) | Type::Timestamp(_) => "string".into(),
            Type::F32 | Type::F64 | Type::Number => "double".into(),
            Type::Octets(_) | Type::Bytes(_) | Type::Any => "binary".into(),
            Type::List(inner, _) | Type::Set(inner, _) => format!("list<{}>", self.ty(inner, &format!("{name}_item"))?),
            Type::Map(key, _) if !is_key(self.schema, key)? => "binary".into(),
            Type::Map(key, value) => {
                let key = self.ty(key, &format!("{name}_key"))?;
                format!("map<{key}, {}>", self.ty(value, &format!("{name}_value"))?)
            }
            Type::Sum(sum) if sum.cases.is_empty() => self.null(),
            Type::Enumeration(members) if members.members.is_empty() => self.null(),
            Type::Record(_) | Type::Sum(_) | Type::Enumeration(_) | Type::Tuple(_) => self.later(name, Due::Type(ty)),
            Type::Nullable(inner) => self.later(name, Due::Nullable(inner)),
            Type::Tagged { inner, .. } => self.ty(inner, name)?,
            Type::Reference(target, arguments) if arguments.is_empty() => self.names.get(target.as_str()).cloned().unwrap_or_default(),
            other => return Err(unsupported(format!("the type {other}"))),
        })
    }
}
