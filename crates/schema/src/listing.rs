//! The listing: a schema as text for people. It shows everything that the types of
//! [`polywire_core::schema`] express.

use std::fmt::Write;

use polywire_core::Result;
use polywire_core::schema::language::{SchemaLanguage, SchemaLoss};
use polywire_core::schema::{Case, Constraint, Enumeration, FieldType, NamedType, Presence, Record, Schema, Sum, TimeUnit, Type};
use polywire_core::value::Tree;
use polywire_core::value::Value;
use polywire_core::value::show;

/// The listing as a schema language.
#[derive(Debug, Clone, Copy)]
pub struct Listing;

impl SchemaLanguage for Listing {
    fn name(&self) -> &'static str {
        "listing"
    }

    fn title(&self) -> &'static str {
        "Listing for people"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["types"]
    }

    fn write(&self, schema: &Schema) -> Result<(String, Vec<SchemaLoss>)> {
        schema.check()?;
        Ok((listing(schema), Vec::new()))
    }
}

/// Columns that a line has at most, roughly.
const WIDTH: usize = 100;

/// Columns of one level of indentation.
const INDENT: usize = 4;

/// The rightmost column at which remarks start, where the line leaves room.
const REMARKS: usize = 48;

/// Returns a schema as text: its types in order, with a blank line between.
pub fn listing(schema: &Schema) -> String {
    let mut out = String::new();
    for (n, named) in schema.types.iter().enumerate() {
        if n > 0 {
            out.push('\n');
        }
        remarks(&named.doc, "", &mut out);
        if schema.root.as_ref() == Some(&named.name) {
            out.push_str("root ");
        }
        definition(named, &mut out);
    }
    out
}

/// Returns a type on one line, as it stands in listings.
pub fn type_text(ty: &Type) -> String {
    let mut out = String::new();
    inline(ty, &mut out);
    out
}

fn definition(named: &NamedType, out: &mut String) {
    let name = name_text(&named.name);
    match &named.ty {
        Type::Record(record) => {
            let _ = writeln!(out, "{}record {name} {{", if record.unordered { "unordered " } else { "" });
            let mut lines: Vec<Line> =
                record.fields.iter().map(|field| Line { code: field_text(field), remark: field.doc.clone() }).collect();
            if let Some(at) = record.extension {
                lines.insert(at.min(lines.len()), Line { code: "...".into(), remark: String::new() });
            }
            block(&lines, out);
        }
        Type::Sum(sum) if !sum.untagged => {
            let _ = writeln!(out, "sum {name} {{");
            let mut lines: Vec<Line> = sum.cases.iter().map(|case| Line { code: case_text(case), remark: case.doc.clone() }).collect();
            if sum.extensible {
                lines.push(Line { code: "...".into(), remark: String::new() });
            }
            block(&lines, out);
        }
        Type::Enumeration(members) => {
            let texts = members_text(members);
            let line = format!("enum {name} {{ {} }}", texts.join(", "));
            if line.chars().count() <= WIDTH {
                let _ = writeln!(out, "{line}");
            } else {
                let _ = writeln!(out, "enum {name} {{");
                let lines: Vec<Line> = texts.into_iter().map(|code| Line { code, remark: String::new() }).collect();
                block(&lines, out);
            }
        }
        ty => {
            let head = format!("type {name} = ");
            let _ = writeln!(out, "{head}{}", laid_out(ty, 0, head.chars().count() + "root ".len()));
        }
    }
}

/// A line in braces.
struct Line {
    code: String,
    remark: String,
}

fn block(lines: &[Line], out: &mut String) {
    let beside = |line: &Line| {
        !line.remark.is_empty() && line.code.chars().count() < REMARKS && !line.code.contains('\n') && !line.remark.contains('\n')
    };
    let column = lines.iter().filter(|line| beside(line)).map(|line| line.code.chars().count()).max().unwrap_or(0);
    for line in lines {
        if beside(line) {
            let pad = column - line.code.chars().count();
            let _ = write!(out, "    {}{:pad$}  # ", line.code, "");
            show::escaped(&line.remark, usize::MAX, out);
            out.push('\n');
        } else {
            remarks(&line.remark, "    ", out);
            let _ = writeln!(out, "    {}", line.code);
        }
    }
    out.push_str("}\n");
}

fn remarks(doc: &str, indent: &str, out: &mut String) {
    for line in doc.lines() {
        let _ = write!(out, "{indent}# ");
        show::escaped(line, usize::MAX, out);
        out.push('\n');
    }
}

/// Returns a name as it is, or in quotes if it is no plain word.
fn name_text(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-@#:$.".contains(c);
    if name.chars().next().is_some_and(|c| c.is_alphabetic() || "_@#$".contains(c)) && name.chars().all(plain) && !name.ends_with(':') {
        name.to_string()
    } else {
        let mut out = String::from("\"");
        show::escaped(name, usize::MAX, &mut out);
        out.push('"');
        out
    }
}

fn field_text(field: &FieldType) -> String {
    let mark = match field.presence {
        Presence::Required => "",
        Presence::Optional => "?",
        Presence::Repeated => "*",
    };
    let mut out = format!("{}{}{mark}: ", if field.deprecated { "deprecated " } else { "" }, name_text(&field.name));
    let column = INDENT + out.chars().count();
    out.push_str(&laid_out(&field.ty, INDENT, column));
    if let Some(default) = &field.default {
        let _ = write!(out, " default {}", value_text(default));
    }
    if let Some(number) = field.id {
        let _ = write!(out, " = {number}");
    }
    out
}

fn value_text(value: &Value) -> String {
    let mut tree = Tree::without_spans();
    match value.emit(&mut tree) {
        Ok(()) => tree.root().map(|root| show::item(root, 60)).unwrap_or_default(),
        Err(_) => String::new(),
    }
}

fn case_text(case: &Case) -> String {
    let mut out = name_text(&case.name);
    if !case.carries.is_empty() {
        out.push('(');
        several(&case.carries, ", ", &mut out);
        out.push(')');
    }
    if let Some(number) = case.id {
        let _ = write!(out, " = {number}");
    }
    out
}

/// Returns members with their numbers. The numbers are left out if they count from 0.
fn members_text(members: &Enumeration) -> Vec<String> {
    let counted = members.members.iter().zip(0i64..).all(|((_, number), at)| *number == at);
    let text = |(name, number): &(String, i64)| if counted { name_text(name) } else { format!("{} = {number}", name_text(name)) };
    let mut texts: Vec<String> = members.members.iter().map(text).collect();
    texts.extend(members.extensible.then(|| "...".to_string()));
    texts
}

fn several(types: &[Type], between: &str, out: &mut String) {
    for (n, ty) in types.iter().enumerate() {
        if n > 0 {
            out.push_str(between);
        }
        inline(ty, out);
    }
}

/// Returns a type, on several lines if it is too long for one: each part of a tuple, map or union
/// on its own line. The type's line has the indentation `indent`, and the type starts at `column`.
fn laid_out(ty: &Type, indent: usize, column: usize) -> String {
    let text = type_text(ty);
    if column + text.chars().count() <= WIDTH {
        return text;
    }
    let broken = |open: &str, parts: &[&Type], close: &str| {
        let inner = indent + INDENT;
        let lines: Vec<String> = parts.iter().map(|part| format!("{:inner$}{}", "", laid_out(part, inner, inner))).collect();
        format!("{open}\n{},\n{:indent$}{close}", lines.join(",\n"), "")
    };
    let around = |open: &str, inner: &Type, close: &str| {
        format!("{open}{}{close}", laid_out(inner, indent, column + open.chars().count() + close.chars().count()))
    };
    match ty {
        Type::Tuple(parts) if !parts.is_empty() => broken("(", &parts.iter().collect::<Vec<_>>(), ")"),
        Type::Map(key, value) => broken("map<", &[key, value], ">"),
        Type::List(inner, size) | Type::Set(inner, size) => {
            let mut close = String::from(">");
            bounded("", size, &mut close);
            around(if matches!(ty, Type::List(..)) { "list<" } else { "set<" }, inner, &close)
        }
        Type::Tagged { space, code, inner } => around(&format!("tag<{space} {code}, "), inner, ">"),
        Type::Nullable(inner) if is_union(inner) => around("(", inner, ")?"),
        Type::Nullable(inner) => around("", inner, "?"),
        Type::Sum(Sum { cases, untagged: true, .. }) => {
            let inner = indent + INDENT;
            let types = cases.iter().flat_map(|case| &case.carries);
            types.map(|ty| format!("\n{:inner$}| {}", "", laid_out(ty, inner, inner + 2))).collect()
        }
        _ => text,
    }
}

fn is_union(ty: &Type) -> bool {
    matches!(ty, Type::Sum(Sum { untagged: true, .. }))
}

fn joined(texts: impl IntoIterator<Item = String>) -> String {
    texts.into_iter().collect::<Vec<_>>().join(", ")
}

fn inline(ty: &Type, out: &mut String) {
    match ty {
        Type::Null => out.push_str("null"),
        Type::Bool => out.push_str("bool"),
        Type::Int(width) => {
            let _ = write!(out, "int{}", width.bits());
        }
        Type::UInt(width) => {
            let _ = write!(out, "uint{}", width.bits());
        }
        Type::Integer(bounds) => bounded("integer", bounds, out),
        Type::Decimal => out.push_str("decimal"),
        Type::F32 => out.push_str("float32"),
        Type::F64 => out.push_str("float64"),
        Type::Number => out.push_str("number"),
        Type::Text(size) => bounded("text", size, out),
        Type::Octets(size) => bounded("octets", size, out),
        Type::Bytes(size) => bounded("bytes", size, out),
        Type::BitString { bits, size } => {
            bounded("bits", size, out);
            if !bits.is_empty() {
                let _ = write!(out, " {{ {} }}", joined(bits.iter().map(|(name, number)| format!("{} = {number}", name_text(name)))));
            }
        }
        Type::ObjectIdentifier => out.push_str("object_identifier"),
        Type::Timestamp(unit) => out.push_str(match unit {
            TimeUnit::Second => "timestamp(s)",
            TimeUnit::Millisecond => "timestamp(ms)",
            TimeUnit::Microsecond => "timestamp(us)",
            TimeUnit::Nanosecond => "timestamp(ns)",
        }),
        Type::List(inner, size) => {
            out.push_str("list<");
            inline(inner, out);
            out.push('>');
            bounded("", size, out);
        }
        Type::Set(inner, size) => {
            out.push_str("set<");
            inline(inner, out);
            out.push('>');
            bounded("", size, out);
        }
        Type::Map(key, value) => {
            out.push_str("map<");
            inline(key, out);
            out.push_str(", ");
            inline(value, out);
            out.push('>');
        }
        Type::Tuple(parts) => {
            out.push('(');
            several(parts, ", ", out);
            out.push_str(if parts.len() == 1 { ",)" } else { ")" });
        }
        Type::Record(Record { fields, extension, .. }) => {
            let more = extension.map(|_| "...".to_string());
            let _ = write!(out, "{{ {} }}", joined(fields.iter().map(field_text).chain(more)));
        }
        Type::Sum(Sum { cases, untagged: true, .. }) => {
            let types: Vec<Type> = cases.iter().flat_map(|case| case.carries.iter().cloned()).collect();
            several(&types, " | ", out);
        }
        Type::Sum(Sum { cases, extensible, .. }) => {
            let more = extensible.then(|| "...".to_string());
            let _ = write!(out, "sum {{ {} }}", joined(cases.iter().map(case_text).chain(more)));
        }
        Type::Enumeration(members) => {
            let _ = write!(out, "enum {{ {} }}", joined(members_text(members)));
        }
        Type::Nullable(inner) => {
            let union = is_union(inner);
            out.push_str(if union { "(" } else { "" });
            inline(inner, out);
            out.push_str(if union { ")?" } else { "?" });
        }
        Type::Reference(name, arguments) => {
            out.push_str(&name_text(name));
            if !arguments.is_empty() {
                out.push('<');
                several(arguments, ", ", out);
                out.push('>');
            }
        }
        Type::Parameter(name) => {
            let _ = write!(out, "'{}", name_text(name));
        }
        Type::Tagged { space, code, inner } => {
            let _ = write!(out, "tag<{space} {code}, ");
            inline(inner, out);
            out.push('>');
        }
        Type::Any => out.push_str("any"),
    }
}

/// Appends a type with its bounds: `text(1..16)`, `integer(0.., ...)`.
fn bounded(name: &str, bounds: &Constraint, out: &mut String) {
    out.push_str(name);
    if *bounds == Constraint::NONE {
        return;
    }
    let side = |bound: Option<i128>| bound.map_or_else(String::new, |bound| bound.to_string());
    let mut parts = Vec::new();
    if bounds.low.is_some() || bounds.high.is_some() {
        let (low, high) = (side(bounds.low), side(bounds.high));
        parts.push(if low == high { low } else { format!("{low}..{high}") });
    }
    if let Some(alphabet) = &bounds.alphabet {
        let mut text = String::from("of \"");
        show::escaped(alphabet, usize::MAX, &mut text);
        parts.push(text + "\"");
    }
    parts.extend(bounds.extensible.then(|| "...".to_string()));
    let _ = write!(out, "({})", parts.join(", "));
}

#[cfg(test)]
mod tests {
    use super::*;
    use polywire_core::schema::Width;

    fn named(name: &str, ty: Type) -> NamedType {
        NamedType { name: name.into(), doc: String::new(), ty }
    }

    #[test]
    fn everything_that_types_can_say_is_shown() {
        let reference = |name: &str| Type::Reference(name.into(), vec![]);
        let case = |name: &str, id, carries| Case { name: name.into(), id, carries, doc: String::new() };
        let union = Sum {
            cases: vec![case("text", None, vec![Type::Text(Constraint::NONE)]), case("bool", None, vec![Type::Bool])],
            untagged: true,
            ..Sum::default()
        };
        let fields = vec![
            FieldType { id: Some(1), doc: "counted\u{1b}".into(), ..FieldType::required("number", Type::UInt(Width::W32)) },
            FieldType { default: Some(Value::Bool(true)), deprecated: true, ..FieldType::required("old", Type::Bool) }.optional(),
            FieldType {
                presence: Presence::Repeated,
                ..FieldType::required("odd name\n", Type::Nullable(Box::new(Type::Sum(union.clone()))))
            },
            FieldType::required(
                "pair",
                Type::Tuple(vec![Type::Int(Width::W8), Type::List(Box::new(reference("State")), Constraint::range(0, 9))]),
            ),
            FieldType::required("when", Type::Timestamp(TimeUnit::Millisecond)),
            FieldType::required(
                "code",
                Type::Text(Constraint { alphabet: Some("ab".into()), extensible: true, ..Constraint::range(3, 3) }),
            ),
            FieldType::required("more", Type::Map(Box::new(Type::Text(Constraint::NONE)), Box::new(Type::Any))),
            FieldType::required("mark", Type::Tagged { space: "x".into(), code: 7, inner: Box::new(Type::Decimal) }),
            FieldType::required("bits", Type::BitString { bits: vec![("a".into(), 0)], size: Constraint::NONE }),
        ];
        let schema = Schema {
            types: vec![
                NamedType {
                    doc: "A voucher.\nOf a shop.".into(),
                    ..named("Voucher", Type::Record(Record { fields, extension: Some(9), unordered: true }))
                },
                named(
                    "State",
                    Type::Sum(Sum {
                        cases: vec![case("Open", Some(0), vec![]), case("Paid", Some(1), vec![Type::F64, Type::Null])],
                        extensible: true,
                        untagged: false,
                    }),
                ),
                named("Kind", Type::Enumeration(Enumeration { members: vec![("a".into(), 0), ("b c".into(), 5)], extensible: false })),
                named("Either", Type::Sum(union)),
            ],
            root: Some("Voucher".into()),
        };
        let (text, losses) = Listing.write(&schema).unwrap();
        assert!(losses.is_empty());
        assert_eq!(
            text,
            "# A voucher.\n# Of a shop.\n\
             root unordered record Voucher {\n    \
                 number: uint32 = 1  # counted\\u{1b}\n    \
                 deprecated old?: bool default bool true\n    \
                 \"odd name\\n\"*: (text | bool)?\n    \
                 pair: (int8, list<State>(0..9))\n    \
                 when: timestamp(ms)\n    \
                 code: text(3, of \"ab\", ...)\n    \
                 more: map<text, any>\n    \
                 mark: tag<x 7, decimal>\n    \
                 bits: bits { a = 0 }\n    \
                 ...\n}\n\n\
             sum State {\n    Open = 0\n    Paid(float64, null) = 1\n    ...\n}\n\n\
             enum Kind { a = 0, \"b c\" = 5 }\n\n\
             type Either = text | bool\n"
        );
    }

    #[test]
    fn long_types_take_several_lines() {
        let reference = |name: &str| Type::Reference(name.repeat(10), vec![]);
        let case = |ty| Case { name: String::new(), id: None, carries: vec![ty], doc: String::new() };
        let union =
            Type::Sum(Sum { cases: ["alpha", "beta", "gamma"].map(|name| case(reference(name))).into(), untagged: true, ..Sum::default() });
        let tuple = Type::Tuple(vec![Type::Bool, Type::List(Box::new(union), Constraint::NONE)]);
        let record = Record {
            fields: vec![FieldType { doc: "why".into(), ..FieldType::required("f", Type::Nullable(Box::new(tuple))) }],
            ..Record::default()
        };
        let schema = Schema { types: vec![named("T", Type::Record(record))], root: None };
        let expected = format!(
            "record T {{\n    # why\n    f: (\n        bool,\n        list<\n            | {}\n            | {}\n            | {}>,\n    )?\n}}\n",
            "alpha".repeat(10),
            "beta".repeat(10),
            "gamma".repeat(10)
        );
        assert_eq!(listing(&schema), expected);
    }

    #[test]
    fn an_unsound_schema_is_refused() {
        let schema = Schema { types: vec![], root: Some("Nowhere".into()) };
        assert!(Listing.write(&schema).is_err());
    }
}
