//! The common schema as a text of the IDL.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use polywire_core::schema::language::SchemaLoss;
use polywire_core::schema::{Case, Constraint, Enumeration, FieldType, NamedType, Presence, Record, Schema, Sum, Type, Width};
use polywire_core::value::Value;
use polywire_core::{Error, ErrorKind, Fault, Result};

use super::format::format;
use super::syntax::is_reserved;

/// Most types nested in one declaration.
pub(crate) const MAX_NESTING: u32 = 60;

/// Words of the grammar that no name may be, beside those that are reserved.
#[rustfmt::skip] // Words in rows.
const GRAMMAR: &[&str] = &[
    "binary", "bool", "byte", "const", "double", "enum", "exception", "extends", "i16", "i32", "i64", "i8", "include", "list",
    "map", "namespace", "oneway", "optional", "required", "service", "set", "string", "struct", "throws", "typedef", "union",
    "uuid", "void",
];

/// Writes a schema.
pub(crate) fn write(schema: &Schema) -> Result<(String, Vec<SchemaLoss>)> {
    schema.check()?;
    let mut writing = Writing {
        schema,
        names: HashMap::new(),
        taken: HashSet::new(),
        losses: Vec::new(),
        out: String::new(),
        done: HashSet::new(),
        depth: 0,
    };
    for named in &schema.types {
        let name = take(&mut writing.taken, identifier(&named.name, "Type"));
        if name != named.name {
            writing.lose(&named.name, format!("its name became `{name}`"));
        }
        writing.names.insert(&named.name, name);
    }
    // The root comes last: that is the type of a message where none is named.
    let is_root = |named: &&NamedType| Some(&named.name) == schema.root.as_ref();
    for named in schema.types.iter().filter(|named| !is_root(named)).chain(schema.types.iter().filter(is_root)) {
        writing.declare(named)?;
    }
    let text = format(&writing.out).map_err(|found| Error::internal(format!("a text that cannot be read: {}", found.message)))?;
    Ok((text, writing.losses))
}

/// Returns a name: letters, digits and underscores, none of the keywords.
pub(crate) fn identifier(name: &str, fallback: &str) -> String {
    let mut out: String = name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    if out.bytes().all(|byte| byte == b'_') {
        out = fallback.to_string();
    }
    if out.starts_with(|first: char| first.is_ascii_digit()) {
        out.insert(0, '_');
    }
    if GRAMMAR.contains(&out.as_str()) || is_reserved(&out) {
        out.push('_');
    }
    out
}

/// Returns a unique name: `wish` itself, or `wish` with a number behind it.
pub(crate) fn take(taken: &mut HashSet<String>, wish: String) -> String {
    let mut name = wish.clone();
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = format!("{wish}_{number}");
        number += 1;
    }
    name
}

struct Writing<'s> {
    schema: &'s Schema,
    /// Names of the schema's types in the text.
    names: HashMap<&'s str, String>,
    taken: HashSet<String>,
    losses: Vec<SchemaLoss>,
    out: String,
    /// Types that are written, or being written.
    done: HashSet<&'s str>,
    depth: u32,
}

impl<'s> Writing<'s> {
    fn lose(&mut self, at: &str, what: impl Into<String>) {
        self.losses.push(SchemaLoss { at: at.to_string(), what: what.into() });
    }

    /// Writes a type of the schema, once, behind those that it uses.
    fn declare(&mut self, named: &'s NamedType) -> Result<()> {
        if !self.done.insert(&named.name) {
            return Ok(());
        }
        let name = self.names.get(named.name.as_str()).cloned().unwrap_or_default();
        self.define(&named.ty, name, &named.doc, &named.name)
    }

    fn define(&mut self, ty: &'s Type, name: String, doc: &str, at: &str) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(Error::new(ErrorKind::Limit, Fault::Schema)
                .seen(format!("more than {MAX_NESTING} nested types, in {at}"))
                .hint("give inner types names of their own"));
        }
        let text = match ty {
            Type::Record(record) => self.record(record, &name, at)?,
            Type::Sum(sum) => self.sum(sum, &name, at)?,
            Type::Enumeration(members) => self.enumeration(members, &name, at),
            Type::Tuple(parts) => self.tuple(parts, &name, at)?,
            other => format!("typedef {} {name}\n", self.ty(other, &name, at)?),
        };
        self.depth -= 1;
        self.out.push('\n');
        remark(doc, "", &mut self.out);
        self.out.push_str(&text);
        Ok(())
    }

    fn record(&mut self, record: &'s Record, name: &str, at: &str) -> Result<String> {
        let mut out = format!("struct {name} {{\n");
        let (mut taken, mut ids) = (HashSet::new(), HashSet::new());
        let numbered = record.fields.iter().all(|field| field.id.is_some_and(|id| (1..=i16::MAX as u64).contains(&id) && ids.insert(id)));
        if !numbered && record.fields.iter().any(|field| field.id.is_some()) {
            self.lose(at, "numbers of fields became those of their places");
        }
        for (index, field) in record.fields.iter().enumerate() {
            let place = format!("{at}.{}", field.name);
            let own = self.member(&field.name, &mut taken, &place);
            let id = if numbered { field.id.unwrap_or_default() } else { index as u64 + 1 };
            let text = self.field(field, name, &own, &place)?;
            remark(&field.doc, "  ", &mut out);
            let deprecated = if field.deprecated { " (deprecated = \"\")" } else { "" };
            let _ = writeln!(out, "  {id}: {text}{deprecated},");
        }
        out.push_str("}\n");
        Ok(out)
    }

    fn member(&mut self, name: &str, taken: &mut HashSet<String>, place: &str) -> String {
        let own = take(taken, identifier(name, "field"));
        if own != name {
            self.lose(place, format!("its name became `{own}`"));
        }
        own
    }

    fn field(&mut self, field: &'s FieldType, name: &str, own: &str, place: &str) -> Result<String> {
        let (inner, nullable) = match &field.ty {
            Type::Nullable(inner) => (&**inner, true),
            other => (other, false),
        };
        if nullable && field.presence != Presence::Optional {
            self.lose(place, "null became an absent field");
        }
        let mut ty = self.ty(inner, &format!("{name}_{own}"), place)?;
        if field.presence == Presence::Repeated {
            ty = format!("list<{ty}>");
        }
        let word = match field.presence {
            Presence::Required if !nullable => "required ",
            Presence::Required | Presence::Optional => "optional ",
            Presence::Repeated => "",
        };
        let default = match &field.default {
            None => String::new(),
            Some(value) => match default_text(value, self.schema.resolve(&field.ty)?) {
                Some(text) => format!(" = {text}"),
                None => {
                    self.lose(place, "its default");
                    String::new()
                }
            },
        };
        Ok(format!("{word}{ty} {own}{default}"))
    }

    fn sum(&mut self, sum: &'s Sum, name: &str, at: &str) -> Result<String> {
        if sum.untagged {
            self.lose(at, "the bytes name the case, which the values did not");
        }
        let (mut taken, mut ids) = (HashSet::new(), HashSet::new());
        let numbered = sum.cases.iter().all(|case| case.id.is_some_and(|id| (1..=i16::MAX as u64).contains(&id) && ids.insert(id)));
        let mut out = format!("union {name} {{\n");
        for (index, case) in sum.cases.iter().enumerate() {
            let place = format!("{at}.{}", case.name);
            let own = self.member(&case.name, &mut taken, &place);
            let id = if numbered { case.id.unwrap_or_default() } else { index as u64 + 1 };
            let ty = self.carried(case, &format!("{name}_{own}"), &place)?;
            remark(&case.doc, "  ", &mut out);
            let _ = writeln!(out, "  {id}: {ty} {own},");
        }
        out.push_str("}\n");
        Ok(out)
    }

    fn carried(&mut self, case: &'s Case, name: &str, place: &str) -> Result<String> {
        match &case.carries[..] {
            [one] => self.ty(one, name, place),
            [] => {
                let own = take(&mut self.taken, name.to_string());
                self.lose(place, "a case without a value became an empty struct");
                let _ = write!(self.out, "\nstruct {own} {{\n}}\n");
                Ok(own)
            }
            several => {
                let own = take(&mut self.taken, name.to_string());
                let text = self.tuple(several, &own, place)?;
                self.out.push('\n');
                self.out.push_str(&text);
                Ok(own)
            }
        }
    }

    fn tuple(&mut self, parts: &'s [Type], name: &str, place: &str) -> Result<String> {
        self.lose(place, "values without names got names: `item_1` and so on");
        let mut out = format!("struct {name} {{\n");
        for (index, part) in parts.iter().enumerate() {
            let number = index + 1;
            let ty = self.ty(part, &format!("{name}_{number}"), place)?;
            let _ = writeln!(out, "  {number}: required {ty} item_{number},");
        }
        out.push_str("}\n");
        Ok(out)
    }

    fn enumeration(&mut self, members: &Enumeration, name: &str, at: &str) -> String {
        let mut taken = HashSet::new();
        let mut out = format!("enum {name} {{\n");
        for (member, number) in &members.members {
            let place = format!("{at}.{member}");
            match i32::try_from(*number) {
                Ok(number) => {
                    let own = self.member(member, &mut taken, &place);
                    let _ = writeln!(out, "  {own} = {number},");
                }
                Err(_) => self.lose(&place, format!("left out: its number {number} has more than 32 bits")),
            }
        }
        out.push_str("}\n");
        out
    }

    fn bounds(&mut self, bounds: &Constraint, at: &str) {
        if *bounds != Constraint::NONE {
            self.lose(at, "its bounds");
        }
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
            self.losses.push(SchemaLoss { at: at.to_string(), what: what.to_string() });
            text.to_string()
        };
        Ok(match ty {
            Type::Null => became("null became a truth value", "bool"),
            Type::Bool => "bool".into(),
            Type::Int(width) => format!("i{}", width.bits()),
            Type::UInt(width) => match width {
                Width::W8 => "i16".into(),
                Width::W16 => "i32".into(),
                Width::W32 => "i64".into(),
                Width::W64 => became("numbers above 9223372036854775807 do not fit", "i64"),
            },
            Type::Integer(bounds) => {
                match (bounds.low, bounds.high) {
                    (Some(low), Some(high)) if low >= i128::from(i64::MIN) && high <= i128::from(i64::MAX) => {}
                    _ => self.lose(at, "numbers beyond 64 bits do not fit"),
                }
                self.bounds(bounds, at);
                "i64".into()
            }
            Type::Decimal => became("a decimal became text", "string"),
            Type::F32 | Type::F64 => "double".into(),
            Type::Number => became("whole numbers became floats", "double"),
            Type::Text(bounds) => {
                self.bounds(bounds, at);
                "string".into()
            }
            Type::Octets(bounds) | Type::Bytes(bounds) => {
                self.bounds(bounds, at);
                "binary".into()
            }
            Type::BitString { .. } => became("bits became bytes", "binary"),
            Type::ObjectIdentifier => became("an object identifier became text", "string"),
            Type::Timestamp(_) => became("a moment became text", "string"),
            Type::List(inner, bounds) => {
                self.bounds(bounds, at);
                format!("list<{}>", self.ty(inner, name, at)?)
            }
            Type::Set(inner, bounds) => {
                self.bounds(bounds, at);
                format!("set<{}>", self.ty(inner, name, at)?)
            }
            Type::Map(key, value) => {
                let key = self.ty(key, &format!("{name}_key"), at)?;
                format!("map<{key}, {}>", self.ty(value, name, at)?)
            }
            Type::Record(_) | Type::Sum(_) | Type::Enumeration(_) | Type::Tuple(_) => {
                let own = take(&mut self.taken, identifier(name, "Type"));
                self.define(ty, own.clone(), "", at)?;
                own
            }
            Type::Nullable(inner) => {
                self.lose(at, "null has no place in it");
                self.ty(inner, name, at)?
            }
            Type::Reference(target, arguments) => {
                if !arguments.is_empty() {
                    self.lose(at, format!("the arguments of {target}"));
                }
                let schema = self.schema;
                // A long chain of types goes on later: a type may be used before it is defined.
                if self.depth < MAX_NESTING / 2
                    && let Some(named) = schema.types.iter().find(|named| named.name == *target)
                {
                    self.declare(named)?;
                }
                self.names.get(target.as_str()).cloned().unwrap_or_default()
            }
            Type::Parameter(_) => became("a type that is an argument became bytes", "binary"),
            Type::Tagged { space, code, inner } => match (space.as_str(), code, &**inner) {
                ("thrift", 14, Type::List(inner, _)) => format!("set<{}>", self.ty(inner, name, at)?),
                ("thrift", 16, _) => "uuid".into(),
                _ => {
                    self.lose(at, format!("the mark {space} {code}"));
                    self.ty(inner, name, at)?
                }
            },
            Type::Any => became("a value of any type became bytes", "binary"),
        })
    }
}

/// Returns a default as text, if it is a simple value.
fn default_text(value: &Value, ty: &Type) -> Option<String> {
    Some(match (value, ty) {
        (Value::Bool(value), Type::Bool) => value.to_string(),
        (Value::Int(value), Type::Int(_) | Type::Integer(_)) => value.to_string(),
        (Value::UInt(value), Type::Int(_) | Type::UInt(_) | Type::Integer(_)) => value.to_string(),
        (Value::F64(value), Type::F32 | Type::F64) if value.is_finite() => format!("{value:?}"),
        (Value::Text(text), Type::Text(_)) if !text.contains(['"', '\\', '\n', '\r', '\t']) => format!("\"{text}\""),
        (Value::Text(name), Type::Enumeration(members)) => members.members.iter().find(|(member, _)| member == name)?.1.to_string(),
        (Value::List(items), Type::List(..) | Type::Set(..)) if items.is_empty() => "[]".into(),
        _ => return None,
    })
}

/// Writes documentation as comments.
fn remark(doc: &str, indent: &str, out: &mut String) {
    for line in doc.trim().lines() {
        let _ = writeln!(out, "{indent}{}", format!("// {}", line.replace('\r', " ")).trim_end());
    }
}
