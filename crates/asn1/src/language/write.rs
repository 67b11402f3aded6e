//! The common schema as one module with automatic tags.
//!
//! Names become valid ones, and each record, sum and enumeration within another type gets a name.
//! Facts that ASN.1 cannot express are reported as losses.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use polywire_core::schema::language::SchemaLoss;
use polywire_core::schema::{Case, Constraint, Enumeration, FieldType, NamedType, Presence, Record, Schema, Sum, Type};
use polywire_core::tools::shaped::{REPEATED, is_key};
use polywire_core::value::Value;
use polywire_core::{Error, ErrorKind, Fault, Result};

use super::format::format;
use super::names::{self, Names};
use super::read::letters_of;
use crate::model::Alphabet;
use crate::syntax::StringKind;

/// Most types nested in one declaration.
const MAX_NESTING: u32 = 60;

/// Reals that an IEEE 754 binary32 holds, so that OER has 32 bits for them (X.696 12.2).
const REAL32: &str = "REAL (WITH COMPONENTS { mantissa (-16777215..16777215), base (2), exponent (-149..104) })";

/// Reals that an IEEE 754 binary64 holds, so that OER has 64 bits for them (X.696 12.3).
const REAL64: &str = "REAL (WITH COMPONENTS { mantissa (-9007199254740991..9007199254740991), base (2), exponent (-1074..971) })";

/// Reals with digits, which nothing rounds.
const DECIMAL: &str = "REAL (WITH COMPONENTS { ..., base (10) })";

/// Writes a schema.
pub fn write(schema: &Schema) -> Result<(String, Vec<SchemaLoss>)> {
    let (written, losses) = written(schema, false)?;
    Ok((written.text, losses))
}

/// Module of a schema.
#[derive(Debug)]
pub(crate) struct Written {
    pub text: String,
    /// Name of the root type in the module.
    pub root: String,
}

/// Writes the module of an adopted schema. A mapping has what it lacks: names, bounds do not count,
/// and some types have a form that other values need.
pub(crate) fn write_adopted(schema: &Schema) -> Result<Written> {
    written(schema, true).map(|(written, _)| written)
}

fn written(schema: &Schema, adopted: bool) -> Result<(Written, Vec<SchemaLoss>)> {
    schema.check()?;
    let mut writing = Writing {
        schema,
        adopted,
        types: HashMap::new(),
        names: Names::default(),
        helpers: [None, None, None],
        losses: Vec::new(),
        due: Vec::new(),
        depth: 0,
        scope: Vec::new(),
    };
    for named in &schema.types {
        let name = writing.names.take(names::reference(&named.name));
        if name != named.name {
            writing.lose(&named.name, format!("its name became `{name}`"));
        }
        writing.types.insert(&named.name, (name, parameters(&named.ty)));
    }
    let root =
        schema.root.as_ref().and_then(|root| writing.types.get(root.as_str())).map_or("Schema", |(name, _)| name.as_str()).to_string();
    let module = &root;
    let mut out = format!("{module}-Module DEFINITIONS AUTOMATIC TAGS ::=\nBEGIN\n");
    // The root comes first, so that a reader takes it for the type of a message.
    let is_root = |named: &&NamedType| Some(&named.name) == schema.root.as_ref();
    for named in schema.types.iter().filter(is_root).chain(schema.types.iter().filter(|named| !is_root(named))) {
        let (name, parameters) = writing.types.get(named.name.as_str()).cloned().unwrap_or_default();
        writing.declare(&name, &parameters, &named.doc, &named.ty, &named.name, &mut out)?;
    }
    for (helper, text) in writing.helpers.iter().zip([REAL32, REAL64, DECIMAL]) {
        if let Some(name) = helper {
            let _ = write!(out, "\n{name} ::= {text}\n");
        }
    }
    out.push_str("END\n");
    let text = format("schema", out).map_err(|found| Error::internal(format!("a module that cannot be read: {found}")))?;
    Ok((Written { text, root }, writing.losses))
}

/// Returns the parameters of a polymorphic type, in the order of their use.
fn parameters(ty: &Type) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut due = vec![ty];
    while let Some(ty) = due.pop() {
        let from = due.len();
        match ty {
            Type::Parameter(name) if !found.contains(name) => found.push(name.clone()),
            Type::List(inner, _) | Type::Set(inner, _) | Type::Nullable(inner) | Type::Tagged { inner, .. } => due.push(inner),
            Type::Map(key, value) => due.extend([&**key, &**value]),
            Type::Tuple(parts) | Type::Reference(_, parts) => due.extend(parts),
            Type::Record(record) => due.extend(record.fields.iter().map(|field| &field.ty)),
            Type::Sum(sum) => due.extend(sum.cases.iter().flat_map(|case| &case.carries)),
            _ => {}
        }
        due[from..].reverse();
    }
    found
}

struct Writing<'s> {
    schema: &'s Schema,
    /// True for the module of [`write_adopted`].
    adopted: bool,
    /// Names and parameters of the schema's types.
    types: HashMap<&'s str, (String, Vec<String>)>,
    names: Names,
    /// Names of the reals of 32 and 64 bits and of the decimal ones, once they are used.
    helpers: [Option<String>; 3],
    losses: Vec<SchemaLoss>,
    /// Types within others that wait for their declarations: name, type, place.
    due: Vec<(String, &'s Type, String)>,
    depth: u32,
    /// Parameters of the current type, with their names in the module.
    scope: Vec<(String, String)>,
}

impl<'s> Writing<'s> {
    fn lose(&mut self, at: &str, what: impl Into<String>) {
        self.losses.push(SchemaLoss { at: at.to_string(), what: what.into() });
    }

    /// `Name{A, B} ::= …`, and the declarations of the types within.
    fn declare(&mut self, name: &str, parameters: &[String], doc: &str, ty: &'s Type, at: &str, out: &mut String) -> Result<()> {
        let mut taken = Names::default();
        self.scope = parameters.iter().map(|own| (own.clone(), taken.take(names::reference(own)))).collect();
        let head = self.scope.iter().map(|(_, own)| own.as_str()).collect::<Vec<_>>().join(", ");
        let head = if head.is_empty() { name.to_string() } else { format!("{name}{{{head}}}") };
        out.push('\n');
        remark(doc, "", out);
        let body = self.body(ty, name, at)?;
        let _ = writeln!(out, "{head} ::= {body}");
        // Types within get declarations of their own right behind. Those of a type with parameters
        // have the same parameters.
        while let Some((name, ty, at)) = self.due.pop() {
            let parameters = parameters.to_vec();
            let head = self.scope.iter().map(|(_, own)| own.as_str()).collect::<Vec<_>>().join(", ");
            let head = if parameters.is_empty() { name.clone() } else { format!("{name}{{{head}}}") };
            let body = self.body(ty, &name, &at)?;
            let _ = write!(out, "\n{head} ::= {body}\n");
        }
        Ok(())
    }

    /// Returns the text of a type behind `::=`.
    fn body(&mut self, ty: &'s Type, name: &str, at: &str) -> Result<String> {
        match ty {
            Type::Record(record) => self.record(record, name, at),
            Type::Sum(sum) => self.sum(sum, name, at),
            Type::Enumeration(members) => Ok(self.enumeration(members, at)),
            other => self.ty(other, name, at),
        }
    }

    fn record(&mut self, record: &'s Record, name: &str, at: &str) -> Result<String> {
        let keyword = if record.unordered && !self.adopted { "SET" } else { "SEQUENCE" };
        let extension = record.extension.filter(|_| !self.adopted);
        if record.fields.iter().any(|field| field.id.is_some()) {
            self.lose(at, "fields are known by their position, not by numbers");
        }
        let mut taken = Names::default();
        let mut lines: Vec<(String, String)> = Vec::new();
        for (index, field) in record.fields.iter().enumerate() {
            if extension == Some(index) {
                lines.push((String::new(), "...".into()));
            }
            let place = format!("{at}.{}", field.name);
            let own = taken.take(names::identifier(&field.name));
            if own != field.name {
                self.lose(&place, format!("its name became `{own}`"));
            }
            let ty = self.field(field, &format!("{name}-{}", names::reference(&field.name)), &place)?;
            let mut doc = field.doc.clone();
            if field.deprecated {
                doc = if doc.is_empty() { "Deprecated.".into() } else { format!("{doc}\nDeprecated.") };
            }
            lines.push((doc, format!("{own} {ty}")));
        }
        if extension.is_some_and(|extension| extension >= record.fields.len()) {
            lines.push((String::new(), "...".into()));
        }
        Ok(braces(keyword, &lines))
    }

    fn field(&mut self, field: &'s FieldType, name: &str, place: &str) -> Result<String> {
        let inner = self.ty(&field.ty, name, place)?;
        let default = field.default.as_ref().filter(|_| !self.adopted);
        Ok(match field.presence {
            Presence::Repeated if self.adopted => {
                let [list, one] = REPEATED;
                format!("CHOICE {{ {list} SEQUENCE OF {inner}, {one} {inner} }} OPTIONAL")
            }
            Presence::Repeated => {
                if default.is_some_and(|default| !matches!(default, Value::List(items) if items.is_empty())) {
                    self.lose(place, "its default");
                }
                format!("SEQUENCE OF {inner}")
            }
            _ => match default {
                Some(value) => match default_text(value, self.schema.resolve(&field.ty)?) {
                    Some(text) => format!("{inner} DEFAULT {text}"),
                    None => {
                        self.lose(place, "its default");
                        format!("{inner} OPTIONAL")
                    }
                },
                None if field.presence == Presence::Optional => format!("{inner} OPTIONAL"),
                None => inner,
            },
        })
    }

    fn sum(&mut self, sum: &'s Sum, name: &str, at: &str) -> Result<String> {
        if sum.cases.iter().any(|case| case.id.is_some()) {
            self.lose(at, "cases are known by their position, not by numbers");
        }
        if sum.untagged {
            self.lose(at, "the bytes name the case, which the values did not");
        }
        if sum.cases.is_empty() {
            self.lose(at, "a type without any value became NULL");
            return Ok("NULL".into());
        }
        let mut taken = Names::default();
        let mut lines = Vec::new();
        for case in &sum.cases {
            let place = format!("{at}.{}", case.name);
            let own = taken.take(names::identifier(&case.name));
            if own != case.name {
                self.lose(&place, format!("its name became `{own}`"));
            }
            let ty = self.carried(case, &format!("{name}-{}", names::reference(&case.name)), &place)?;
            lines.push((case.doc.clone(), format!("{own} {ty}")));
        }
        if sum.extensible && !self.adopted {
            lines.push((String::new(), "...".into()));
        }
        Ok(braces("CHOICE", &lines))
    }

    fn carried(&mut self, case: &'s Case, name: &str, place: &str) -> Result<String> {
        match &case.carries[..] {
            [] => Ok("NULL".into()),
            [one] => self.ty(one, name, place),
            several => self.tuple(several, name, place),
        }
    }

    fn tuple(&mut self, parts: &'s [Type], name: &str, place: &str) -> Result<String> {
        self.lose(place, "values without names got names: `item-1` and so on");
        let mut lines = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let number = index + 1;
            lines.push(format!("item-{number} {}", self.ty(part, &format!("{name}-Item-{number}"), place)?));
        }
        Ok(if lines.is_empty() { "SEQUENCE {}".into() } else { format!("SEQUENCE {{ {} }}", lines.join(", ")) })
    }

    fn enumeration(&mut self, members: &Enumeration, at: &str) -> String {
        let mut taken = Names::default();
        let mut numbers = HashSet::new();
        let mut lines = Vec::new();
        for ((name, number), position) in members.members.iter().zip(0..) {
            let number = if self.adopted { &position } else { number };
            let place = format!("{at}.{name}");
            if !numbers.insert(*number) {
                self.lose(&place, format!("left out: another name has its number {number} too"));
                continue;
            }
            let own = taken.take(names::identifier(name));
            if own != *name {
                self.lose(&place, format!("its name became `{own}`"));
            }
            lines.push((String::new(), format!("{own}({number})")));
        }
        if lines.is_empty() {
            self.lose(at, "a type without any value became NULL");
            return "NULL".into();
        }
        if members.extensible && !self.adopted {
            lines.push((String::new(), "...".into()));
        }
        braces("ENUMERATED", &lines)
    }

    fn helper(&mut self, index: usize) -> String {
        if self.helpers[index].is_none() {
            self.helpers[index] = Some(self.names.take(["Float32", "Float64", "Decimal"][index].into()));
        }
        self.helpers[index].clone().unwrap_or_default()
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
        Ok(match ty {
            Type::Null => "NULL".into(),
            Type::Bool => "BOOLEAN".into(),
            Type::Int(width) => {
                let half = 1i128 << (width.bits() - 1);
                format!("INTEGER ({}..{})", -half, half - 1)
            }
            Type::UInt(width) => format!("INTEGER (0..{})", (1i128 << width.bits()) - 1),
            Type::Integer(bounds) => match range(bounds, "MIN") {
                Some(range) => format!("INTEGER ({range})"),
                None => "INTEGER".into(),
            },
            Type::F32 => self.helper(0),
            Type::F64 => self.helper(1),
            Type::Number => {
                self.lose(at, "whole numbers became reals");
                self.helper(1)
            }
            // A real of ten cannot show whether a number was whole.
            Type::Decimal if self.adopted => "UTF8String".into(),
            Type::Decimal => self.helper(2),
            Type::Text(_) if self.adopted => "UTF8String".into(),
            Type::Bytes(_) | Type::Octets(_) if self.adopted => "OCTET STRING".into(),
            Type::Text(bounds) => text(bounds),
            Type::Octets(bounds) => {
                self.lose(at, "text in an unknown character set became bytes");
                format!("OCTET STRING{}", size(bounds))
            }
            Type::Bytes(bounds) => format!("OCTET STRING{}", size(bounds)),
            Type::BitString { bits, size: bounds } => {
                let mut taken = Names::default();
                let mut named = Vec::new();
                for (bit, number) in bits {
                    let own = taken.take(names::identifier(bit));
                    if own != *bit {
                        self.lose(&format!("{at}.{bit}"), format!("its name became `{own}`"));
                    }
                    named.push(format!("{own}({number})"));
                }
                let named = if named.is_empty() { String::new() } else { format!(" {{ {} }}", named.join(", ")) };
                format!("BIT STRING{named}{}", size(bounds))
            }
            Type::ObjectIdentifier => "OBJECT IDENTIFIER".into(),
            Type::Timestamp(_) => "GeneralizedTime".into(),
            Type::List(inner, _) | Type::Set(inner, _) if self.adopted => {
                format!("SEQUENCE OF {}", self.ty(inner, &format!("{name}-Item"), at)?)
            }
            Type::List(inner, bounds) => format!("SEQUENCE{} OF {}", size(bounds), self.ty(inner, &format!("{name}-Item"), at)?),
            Type::Set(inner, bounds) => format!("SET{} OF {}", size(bounds), self.ty(inner, &format!("{name}-Item"), at)?),
            Type::Map(key, _) if self.adopted && !is_key(self.schema, key)? => "OCTET STRING".into(),
            Type::Map(key, value) => {
                self.lose(at, "a map became a list of pairs");
                let key = self.ty(key, &format!("{name}-Key"), at)?;
                let value = self.ty(value, &format!("{name}-Value"), at)?;
                format!("SEQUENCE OF SEQUENCE {{ key {key}, value {value} }}")
            }
            Type::Tuple(parts) => self.tuple(parts, name, at)?,
            Type::Record(_) | Type::Sum(_) | Type::Enumeration(_) => {
                let name = self.names.take(names::reference(name));
                self.due.push((name.clone(), ty, at.to_string()));
                let arguments: Vec<&str> = self.scope.iter().map(|(_, own)| own.as_str()).collect();
                if arguments.is_empty() { name } else { format!("{name}{{{}}}", arguments.join(", ")) }
            }
            Type::Nullable(inner) => format!("CHOICE {{ null NULL, value {} }}", self.ty(inner, name, at)?),
            Type::Reference(target, arguments) => {
                let (own, parameters) = self.types.get(target.as_str()).cloned().unwrap_or_default();
                if parameters.len() != arguments.len() {
                    return Err(Error::new(ErrorKind::Syntax, Fault::Schema)
                        .seen(format!("{} arguments for the type {target}, in {at}", arguments.len()))
                        .expected(format!("{}, as many as it has parameters", parameters.len())));
                }
                let mut texts = Vec::with_capacity(arguments.len());
                for (index, argument) in arguments.iter().enumerate() {
                    texts.push(self.ty(argument, &format!("{name}-{}", index + 1), at)?);
                }
                if texts.is_empty() { own } else { format!("{own}{{{}}}", texts.join(", ")) }
            }
            Type::Parameter(name) => self.scope.iter().find(|(of, _)| of == name).map_or_else(|| "NULL".into(), |(_, own)| own.clone()),
            Type::Tagged { space, code, inner } => {
                self.lose(at, format!("the mark {space} {code}"));
                self.ty(inner, name, at)?
            }
            Type::Any if self.adopted => "OCTET STRING".into(),
            Type::Any => {
                self.lose(at, "a value of any type became text");
                "UTF8String".into()
            }
        })
    }
}

/// Writes a type with braces: on one line if it has one short line, else on several.
fn braces(keyword: &str, lines: &[(String, String)]) -> String {
    if lines.is_empty() {
        return format!("{keyword} {{}}");
    }
    let mut out = format!("{keyword} {{\n");
    for (index, (doc, line)) in lines.iter().enumerate() {
        remark(doc, "  ", &mut out);
        let comma = if index + 1 < lines.len() { "," } else { "" };
        let _ = writeln!(out, "  {line}{comma}");
    }
    out.push('}');
    out
}

/// Returns the text of a range, or `None` for one without bounds.
fn range(bounds: &Constraint, least: &str) -> Option<String> {
    let (low, high) = (bounds.low, bounds.high);
    if low.is_none() && high.is_none() {
        return None;
    }
    let mark = if bounds.extensible { ", ..." } else { "" };
    let side = |bound: Option<i128>, open: &str| bound.map_or_else(|| open.to_string(), |bound| bound.to_string());
    Some(if low == high { format!("{}{mark}", side(low, "")) } else { format!("{}..{}{mark}", side(low, least), side(high, "MAX")) })
}

fn size(bounds: &Constraint) -> String {
    range(bounds, "0").map_or_else(String::new, |range| format!(" (SIZE ({range}))"))
}

/// Returns the string type for text: that whose characters are the alphabet, if there is one.
fn text(bounds: &Constraint) -> String {
    let Some(alphabet) = &bounds.alphabet else { return format!("UTF8String{}", size(bounds)) };
    for kind in [StringKind::Numeric, StringKind::Printable, StringKind::Visible, StringKind::Ia5] {
        if Alphabet::of(kind).as_ref().and_then(letters_of).is_some_and(|letters| letters == *alphabet) {
            return format!("{}{}", kind.keyword(), size(bounds));
        }
    }
    let plain = alphabet.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    let from = format!("FROM (\"{}\")", alphabet.replace('"', "\"\""));
    let constraint = match range(bounds, "0") {
        Some(range) => format!("SIZE ({range}) ^ {from}"),
        None => from,
    };
    format!("{} ({constraint})", if plain { "VisibleString" } else { "UTF8String" })
}

/// Returns a default as text, if it is a simple value.
fn default_text(value: &Value, ty: &Type) -> Option<String> {
    Some(match (value, ty) {
        (Value::Bool(value), Type::Bool) => if *value { "TRUE" } else { "FALSE" }.into(),
        (Value::Null, Type::Null) => "NULL".into(),
        (Value::Int(value), Type::Int(_) | Type::Integer(_)) => value.to_string(),
        (Value::UInt(value), Type::Int(_) | Type::UInt(_) | Type::Integer(_)) => value.to_string(),
        (Value::Big(digits), Type::Integer(_)) => digits.clone(),
        (Value::Text(text), Type::Text(_)) => format!("\"{}\"", text.replace('"', "\"\"")),
        (Value::Bytes(bytes), Type::Bytes(_)) => {
            let hex = bytes.iter().fold(String::new(), |mut hex, byte| {
                let _ = write!(hex, "{byte:02X}");
                hex
            });
            format!("'{hex}'H")
        }
        (Value::Variant { name, .. } | Value::Text(name), Type::Enumeration(members)) => {
            let mut taken = Names::default();
            let mut owns = members.members.iter().map(|(member, _)| (member, taken.take(names::identifier(member))));
            owns.find(|(member, _)| *member == name)?.1
        }
        (Value::Variant { name, values, .. }, Type::Sum(sum)) if values.is_empty() => {
            let mut taken = Names::default();
            let mut owns = sum.cases.iter().map(|case| (case, taken.take(names::identifier(&case.name))));
            let own = owns.find(|(case, _)| case.name == *name && case.carries.is_empty())?.1;
            format!("{own} : NULL")
        }
        (Value::List(items), Type::List(..) | Type::Set(..)) if items.is_empty() => "{}".into(),
        _ => return None,
    })
}

/// Writes documentation as comments.
fn remark(doc: &str, indent: &str, out: &mut String) {
    for line in doc.trim().lines() {
        // Two hyphens end a comment.
        let mut line = line.replace('\r', " ");
        while line.contains("--") {
            line = line.replace("--", "- -");
        }
        let _ = writeln!(out, "{indent}{}", format!("-- {line}").trim_end());
    }
}
