//! The common schema as a service: the root is its message, other records are structs.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use polywire_core::schema::language::SchemaLoss;
use polywire_core::schema::{Constraint, Enumeration, FieldType, NamedType, Presence, Record, Schema, Type, Width};
use polywire_core::{Error, ErrorKind, Fault, Result};

use super::format::format;
use super::parse::KEYWORDS;
use super::resolve::BUILT_IN;
use crate::wire::DIMENSIONS;

/// Most types nested in one declaration.
const MAX_NESTING: u32 = 60;

/// Writes a schema.
pub(super) fn write(schema: &Schema) -> Result<(String, Vec<SchemaLoss>)> {
    schema.check()?;
    let taken = BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut writing = Writing { schema, names: HashMap::new(), taken, losses: Vec::new(), due: Vec::new(), depth: 0 };
    for named in schema.types.iter().filter(|named| is_declared(&named.ty)) {
        let name = take(&mut writing.taken, identifier(&named.name, "Type"));
        if name != named.name {
            writing.lose(&named.name, format!("its name became `{name}`"));
        }
        writing.names.insert(&named.name, name);
    }
    let root = schema.root.as_deref();
    let service = take(&mut writing.taken, "Messages".into());
    let mut out = format!("module polywire\n\nservice {service} {{\n");
    let is_root = |named: &&NamedType| Some(&*named.name) == root;
    // The message comes last.
    for named in schema.types.iter().filter(|named| !is_root(named)).chain(schema.types.iter().filter(is_root)) {
        let name = writing.names.get(&*named.name).cloned();
        let text = match (&named.ty, name) {
            (Type::Record(record), Some(name)) if is_root(&named) => writing.record("void", record, &name, &named.name)?,
            (ty, Some(name)) => writing.definition(ty, &name, &named.name)?,
            (ty, None) if is_root(&named) => {
                writing.lose(&named.name, "a message that is no record became a parameter, `value`");
                let name = take(&mut writing.taken, identifier(&named.name, "message"));
                format!("void {name}({} value)\n", writing.ty(ty, &format!("{name}_value"), &named.name)?)
            }
            // Other types stand where they are used.
            (_, None) => continue,
        };
        while let Some((name, ty, at)) = writing.due.pop() {
            let text = writing.definition(ty, &name, &at)?;
            out.push_str(&text);
        }
        remark(&named.doc, &mut out);
        out.push_str(&text);
    }
    out.push_str("}\n");
    let text = format(&out).map_err(|found| Error::internal(format!("a text that cannot be read: {}", found.message)))?;
    Ok((text, writing.losses))
}

/// Returns whether a type has a declaration of its own.
fn is_declared(ty: &Type) -> bool {
    match ty {
        Type::Record(_) | Type::Tuple(_) => true,
        Type::Enumeration(members) => !members.members.is_empty(),
        _ => false,
    }
}

/// Returns a name: a letter, then letters, digits and underscores, and no keyword.
fn identifier(name: &str, fallback: &str) -> String {
    let mut out: String = name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    if out.bytes().all(|byte| byte == b'_') {
        out = fallback.to_owned();
    }
    if !out.starts_with(|first: char| first.is_ascii_alphabetic()) {
        out.insert(0, 'x');
    }
    if KEYWORDS.contains(&&*out) {
        out.push('_');
    }
    out
}

fn take(taken: &mut HashSet<String>, wish: String) -> String {
    let mut name = wish.clone();
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = format!("{wish}_{number}");
        number += 1;
    }
    name
}

/// Writes documentation as a comment.
fn remark(doc: &str, out: &mut String) {
    let doc = doc.trim().replace("*/", "* /");
    match doc.lines().count() {
        0 => {}
        1 => {
            let _ = writeln!(out, "/** {doc} */");
        }
        _ => {
            out.push_str("/**\n");
            doc.lines().for_each(|line| {
                let _ = writeln!(out, "{}", format!(" * {line}").trim_end());
            });
            out.push_str(" */\n");
        }
    }
}

struct Writing<'s> {
    schema: &'s Schema,
    /// Names of the schema's types that have declarations.
    names: HashMap<&'s str, String>,
    taken: HashSet<String>,
    losses: Vec<SchemaLoss>,
    /// Types within others that wait for their declarations: name, type, place.
    due: Vec<(String, &'s Type, String)>,
    depth: u32,
}

impl<'s> Writing<'s> {
    fn lose(&mut self, at: &str, what: impl Into<String>) {
        self.losses.push(SchemaLoss { at: at.to_owned(), what: what.into() });
    }

    fn definition(&mut self, ty: &'s Type, name: &str, at: &str) -> Result<String> {
        match ty {
            Type::Record(record) => self.record("struct", record, name, at),
            Type::Enumeration(members) => Ok(self.enumeration(members, name, at)),
            Type::Tuple(parts) => {
                self.lose(at, "values without names got names: `item1` and so on");
                let mut parameters = Vec::with_capacity(parts.len());
                for (part, number) in parts.iter().zip(1..) {
                    parameters.push(format!("{} item{number}", self.ty(part, &format!("{name}_item{number}"), at)?));
                }
                Ok(format!("struct {name}({})\n", parameters.join(", ")))
            }
            _ => Err(Error::internal("a declaration of a type that has none")),
        }
    }

    fn record(&mut self, keyword: &str, record: &'s Record, name: &str, at: &str) -> Result<String> {
        let mut taken = HashSet::new();
        let mut parameters = Vec::with_capacity(record.fields.len());
        if record.fields.iter().any(|field| field.id.is_some()) {
            self.lose(at, "numbers of fields: fields are known by their names");
        }
        for field in &record.fields {
            let place = format!("{at}.{}", field.name);
            let own = take(&mut taken, identifier(&field.name, "field"));
            if own != field.name {
                self.lose(&place, format!("its name became `{own}`"));
            }
            let mut parameter = String::from("\n");
            remark(&field.doc, &mut parameter);
            let ty = self.field(field, &format!("{name}_{own}"), &place)?;
            let _ = write!(parameter, "{ty} {own}");
            parameters.push(parameter);
        }
        Ok(format!("{keyword} {name}({})\n", parameters.join(", ")))
    }

    fn field(&mut self, field: &'s FieldType, name: &str, place: &str) -> Result<String> {
        if field.default.is_some() {
            self.lose(place, "its default");
        }
        if field.deprecated {
            self.lose(place, "that it is deprecated");
        }
        if field.presence == Presence::Repeated {
            return self.array(&field.ty, name, place);
        }
        // Null is an absent field.
        let inner = match &field.ty {
            Type::Nullable(inner) => inner,
            other => other,
        };
        if field.ty != *inner && field.presence != Presence::Optional {
            self.lose(place, "null became an absent field");
        }
        self.ty(inner, name, place)
    }

    fn enumeration(&mut self, members: &Enumeration, name: &str, at: &str) -> String {
        if !members.members.iter().zip(0..).all(|((_, number), place)| *number == place) {
            self.lose(at, "numbers of names: names are known by themselves");
        }
        let mut taken = HashSet::new();
        let mut items = Vec::with_capacity(members.members.len());
        for (member, _) in &members.members {
            let own = take(&mut taken, identifier(member, "name"));
            if own != *member {
                self.lose(&format!("{at}.{member}"), format!("its name became `{own}`"));
            }
            items.push(own);
        }
        format!("enum {name}({})\n", items.join(", "))
    }

    fn bounds(&mut self, bounds: &Constraint, at: &str) {
        if *bounds != Constraint::NONE {
            self.lose(at, "its bounds");
        }
    }

    /// Returns an array of a type.
    fn array(&mut self, inner: &'s Type, name: &str, at: &str) -> Result<String> {
        let of = self.ty(inner, name, at)?;
        if of.matches("[]").count() < usize::from(DIMENSIONS) {
            return Ok(format!("{of}[]"));
        }
        self.lose(at, format!("lists in more than {DIMENSIONS} others became any value"));
        Ok("object".into())
    }

    /// Returns a type where it is used. `name` is for a type that needs a declaration of its own.
    fn ty(&mut self, ty: &'s Type, name: &str, at: &str) -> Result<String> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(Error::new(ErrorKind::Limit, Fault::Schema)
                .seen(format!("more than {MAX_NESTING} nested types, in {at}"))
                .hint("give inner types names of their own"));
        }
        let text = self.used(ty, name, at);
        self.depth -= 1;
        text
    }

    fn used(&mut self, ty: &'s Type, name: &str, at: &str) -> Result<String> {
        let mut became = |what: &str, text: &str| {
            self.losses.push(SchemaLoss { at: at.to_owned(), what: what.to_owned() });
            text.to_owned()
        };
        Ok(match ty {
            Type::Bool => "boolean".into(),
            Type::Int(Width::W8) => "byte".into(),
            Type::Int(Width::W16) | Type::UInt(Width::W8) => "short".into(),
            Type::Int(Width::W32) | Type::UInt(Width::W16) => "int".into(),
            Type::Int(Width::W64) | Type::UInt(Width::W32) => "long".into(),
            Type::UInt(Width::W64) => became("numbers above 9223372036854775807 do not fit", "long"),
            Type::Integer(bounds) => {
                let fits = |bound: Option<i128>| bound.is_some_and(|bound| i64::try_from(bound).is_ok());
                if !fits(bounds.low) || !fits(bounds.high) {
                    self.lose(at, "numbers beyond 64 bits do not fit");
                }
                self.bounds(bounds, at);
                "long".into()
            }
            Type::F32 => "float".into(),
            Type::F64 => "double".into(),
            Type::Number => became("whole numbers became floats", "double"),
            Type::Decimal => became("a decimal became text", "string"),
            Type::ObjectIdentifier => became("an object identifier became text", "string"),
            Type::Text(bounds) => {
                self.bounds(bounds, at);
                "string".into()
            }
            Type::Bytes(bounds) | Type::Octets(bounds) => {
                self.bounds(bounds, at);
                "byte[]".into()
            }
            Type::BitString { .. } => became("bits became bytes", "byte[]"),
            Type::Timestamp(_) => "Datetime".into(),
            Type::List(inner, bounds) => {
                self.bounds(bounds, at);
                if **inner == Type::Any { "List".into() } else { self.array(inner, name, at)? }
            }
            Type::Set(inner, bounds) => {
                self.bounds(bounds, at);
                self.elements(&[inner], at);
                "Set".into()
            }
            Type::Map(key, value) => {
                self.elements(&[key, value], at);
                "Map".into()
            }
            Type::Record(_) | Type::Tuple(_) => self.later(ty, name, at),
            Type::Enumeration(_) if is_declared(ty) => self.later(ty, name, at),
            // Only what has a type of its own in arrays has no null.
            Type::Nullable(inner) => {
                let of = self.ty(inner, name, at)?;
                if matches!(&*of, "boolean" | "byte" | "short" | "int" | "long" | "float" | "double") {
                    self.lose(at, "null has no place in it");
                }
                of
            }
            Type::Reference(target, arguments) => {
                if !arguments.is_empty() {
                    self.lose(at, format!("the arguments of {target}"));
                }
                match self.names.get(&**target) {
                    Some(own) => own.clone(),
                    None => match self.schema.get(target) {
                        Some(ty) => self.ty(ty, name, at)?,
                        None => "object".into(),
                    },
                }
            }
            Type::Tagged { space, code, inner } => {
                self.lose(at, format!("the mark {space} {code}"));
                self.ty(inner, name, at)?
            }
            Type::Any => "object".into(),
            Type::Null => became("null became any value", "object"),
            Type::Sum(_) => became("one of several types became any value", "object"),
            Type::Enumeration(_) => became("a type without any value became any value", "object"),
            Type::Parameter(_) => became("a type that is an argument became any value", "object"),
        })
    }

    /// Reports the types of elements that a container does not name.
    fn elements(&mut self, inner: &[&Type], at: &str) {
        if inner.iter().any(|inner| **inner != Type::Any) {
            self.lose(at, "the types of what it holds");
        }
    }

    fn later(&mut self, ty: &'s Type, name: &str, at: &str) -> String {
        let own = take(&mut self.taken, identifier(name, "Type"));
        self.due.push((own.clone(), ty, at.to_owned()));
        own
    }
}
