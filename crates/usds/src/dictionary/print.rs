//! Drafts to text, in one layout: one entry per line, four blanks per level.

use std::fmt::Write;

use super::draft::{Draft, Entry, Literal, Number, Shape, Target};
use crate::wire::codes::Simple;

/// Returns the text of a draft that was read from a text, or that texts can express.
pub(crate) fn print(draft: &Draft) -> String {
    let mut out = String::new();
    let id = draft.id.as_ref().map_or(0, |id| id.of);
    let (major, minor) = draft.version.as_ref().map_or((0, 0), |(major, minor)| (major.of, minor.of));
    if draft.revision.is_a() {
        let _ = write!(out, "USDS DICTIONARY ID={id} v.{major}.{minor}");
    } else {
        out.push_str("USDS ");
        if draft.id.is_some() {
            let _ = write!(out, "{id}: ");
        }
        out.push_str(&draft.name);
        if draft.version.is_some() {
            let _ = write!(out, " {major}.{minor}");
        }
        if draft.encode {
            out.push_str(" ENCODE: UTF-8");
        }
        if let Some(number) = &draft.enumerator {
            let _ = write!(out, " ENUMERATOR: {}", number.of.keyword());
        }
    }
    out.push_str(" {\n");
    for (n, tag) in draft.tags.iter().enumerate() {
        if n > 0 {
            out.push('\n');
        }
        if draft.revision.is_a() { tag_a(tag, &mut out) } else { entry(tag, 1, &mut out) }
    }
    out.push_str("}\n");
    out
}

fn id(entry: &Entry, level: usize, out: &mut String) {
    out.push_str(&"    ".repeat(level));
    if let Some(id) = &entry.id {
        let _ = write!(out, "{}: ", id.of);
    }
}

fn tag_a(tag: &Entry, out: &mut String) {
    id(tag, 1, out);
    let _ = writeln!(out, "STRUCT {} {{", tag.name.of);
    if let Shape::Structure { fields, .. } = &tag.shape {
        for field in fields {
            id(field, 2, out);
            let ty = match &field.shape {
                Shape::Number(number) if number.of == Number::Simple(Simple::Uvarint) => "UNSIGNED VARINT".into(),
                Shape::Number(number) => number.of.keyword().to_string(),
                Shape::Text { utf8: true } => "STRING<UTF-8>".into(),
                Shape::Text { utf8: false } => "STRING".into(),
                Shape::Link(target) => format!("ARRAY<{}>", named(&target.of)),
                _ => String::new(),
            };
            let _ = writeln!(out, "{ty} {};", field.name.of);
        }
    }
    out.push_str("    }");
    out.push_str(if tag.not_root { " RESTRICT { notRoot; }\n" } else { "\n" });
}

fn named(target: &Target) -> &str {
    match target {
        Target::Name(name) => name,
        Target::Id(_) => "",
    }
}

fn entry(entry: &Entry, level: usize, out: &mut String) {
    id(entry, level, out);
    let brackets = "[]".repeat(entry.dims);
    let name = &entry.name.of;
    let _ = match &entry.shape {
        Shape::Number(number) => write!(out, "{}{brackets} {name}", number.of.keyword()),
        Shape::Text { utf8 } => write!(out, "STRING{}{brackets} {name}", if *utf8 { "<UTF-8>" } else { "" }),
        Shape::Link(target) => write!(out, "{}{brackets} {name}", named(&target.of)),
        Shape::Polymorph(members) => {
            let members: Vec<&str> = members.iter().map(|member| named(&member.of)).collect();
            write!(out, "<{}>{brackets} {name}", members.join(" || "))
        }
        Shape::Enumeration { subtype, members } => {
            let subtype = subtype.as_ref().map_or_else(String::new, |subtype| format!("<{}>", subtype.of.keyword()));
            let members: Vec<String> = members
                .iter()
                .map(|(name, value)| value.as_ref().map_or_else(|| name.of.clone(), |value| format!("{} = {}", name.of, value.of)))
                .collect();
            write!(out, "ENUM{subtype}{brackets} {name} {{ {} }}", members.join(", "))
        }
        Shape::Structure { fields, .. } => {
            let _ = writeln!(out, "{name}{brackets} {{");
            for field in fields {
                self::entry(field, level + 1, out);
            }
            write!(out, "{}}}", "    ".repeat(level))
        }
    };
    if entry.nullable {
        out.push_str(" = NULL");
    }
    if let Some(default) = &entry.default {
        let _ = match &default.of {
            Literal::Bool(value) => write!(out, " = {value}"),
            Literal::Whole(value) => write!(out, " = {value}"),
            Literal::Decimal(text) | Literal::Name(text) => write!(out, " = {text}"),
            Literal::Text(text) => write!(out, " = \"{}\"", text.replace('"', "\\\"")),
            Literal::Bits(_) => Ok(()),
        };
    }
    out.push_str(";\n");
}
