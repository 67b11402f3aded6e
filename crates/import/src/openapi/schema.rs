//! Types of parameters, members of bodies.

use polywire_doc::Ref;
use polywire_ql::template::scalar_text;

use super::document::Document;

/// The deepest schemas within schemas that are looked at.
const DEEPEST: usize = 8;

/// The most members of one body.
const MOST_MEMBERS: usize = 500;

/// The most schemas that one body is made of.
const MOST_PARTS: usize = 500;

/// The most values of an enumeration that are shown.
const MOST_SHOWN: usize = 12;

/// A member of a body, or of a reply.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub name: String,
    pub kind: String,
    pub required: bool,
    pub about: String,
    pub default: Option<String>,
    pub is_list: bool,
}

/// Returns the type of a value in words: `integer (1 to 100)`, `list of string`, `Pet`.
pub(super) fn kind<'d>(document: &Document<'d>, schema: Ref<'d>) -> String {
    kind_at(document, schema, 0)
}

fn kind_at<'d>(document: &Document<'d>, schema: Ref<'d>, depth: usize) -> String {
    let named = schema.get("$ref").and_then(Ref::as_str).and_then(|reference| reference.rsplit('/').next());
    let Ok(schema) = document.resolve(schema) else { return named.unwrap_or("any").to_owned() };
    let base = type_of(schema);
    if depth >= DEEPEST {
        return named.or(base).unwrap_or("any").to_owned();
    }
    match base {
        Some("array") => {
            let items = schema.get("items").map(|items| kind_at(document, items, depth + 1));
            return format!("list of {}", items.as_deref().unwrap_or("any"));
        }
        None | Some("object") => {
            let parts = ["oneOf", "anyOf"].iter().find_map(|name| schema.get(name)).filter(|parts| parts.is_list());
            return match (named, parts) {
                (Some(named), _) => named.to_owned(),
                (None, Some(parts)) => {
                    parts.items().take(4).map(|part| kind_at(document, part, depth + DEEPEST / 2)).collect::<Vec<_>>().join(" or ")
                }
                (None, None) => base.unwrap_or("any").to_owned(),
            };
        }
        Some(_) => {}
    }
    let mut text = base.unwrap_or("any").to_owned();
    if let Some(format) = schema.get("format").and_then(Ref::as_str) {
        text = format!("{text} ({format})");
    }
    let limit = |name: &str| schema.get(name).and_then(scalar_text);
    match (limit("minimum"), limit("maximum")) {
        (Some(least), Some(most)) => text.push_str(&format!(", {least} to {most}")),
        (Some(least), None) => text.push_str(&format!(", at least {least}")),
        (None, Some(most)) => text.push_str(&format!(", at most {most}")),
        (None, None) => {}
    }
    if let Some(values) = schema.get("enum").filter(|values| values.is_list()) {
        let shown: Vec<String> = values.items().take(MOST_SHOWN).filter_map(scalar_text).map(|value| format!("`{value}`")).collect();
        let more = if values.len() > MOST_SHOWN { ", …" } else { "" };
        text.push_str(&format!(", one of {}{more}", shown.join(", ")));
    }
    text
}

/// Returns the type that a schema names; of several, the first that is not null.
pub(super) fn type_of(schema: Ref<'_>) -> Option<&str> {
    let kind = schema.get("type")?;
    if kind.is_list() {
        return kind.items().filter_map(Ref::as_str).find(|name| *name != "null");
    }
    kind.as_str()
}

/// Returns the members of an object's schema, those of its parts (`allOf`) included; `None` if it
/// describes no object.
pub(super) fn members<'d>(document: &Document<'d>, schema: Ref<'d>) -> Option<Vec<Member>> {
    let mut found = Vec::new();
    let is_object = gather(document, schema, 0, &mut { MOST_PARTS }, &mut found);
    is_object.then_some(found)
}

/// Gathers members of `left` more schemas at most: parts may name each other.
fn gather<'d>(document: &Document<'d>, schema: Ref<'d>, depth: usize, left: &mut usize, found: &mut Vec<Member>) -> bool {
    let Ok(schema) = document.resolve(schema) else { return false };
    let Some(rest) = left.checked_sub(1) else { return false };
    *left = rest;
    let mut is_object = type_of(schema) == Some("object");
    if depth < DEEPEST {
        for part in schema.get("allOf").filter(|parts| parts.is_list()).into_iter().flat_map(Ref::items) {
            is_object |= gather(document, part, depth + 1, left, found);
        }
    }
    let required: Vec<&str> =
        schema.get("required").filter(|names| names.is_list()).into_iter().flat_map(Ref::items).filter_map(Ref::as_str).collect();
    for (name, property) in schema.get("properties").filter(|all| all.is_object()).into_iter().flat_map(Ref::members) {
        is_object = true;
        let resolved = document.resolve(property).unwrap_or(property);
        // A member that the service sets is no parameter.
        let is_read_only = resolved.get("readOnly").and_then(scalar_text).as_deref() == Some("true");
        if is_read_only || found.len() >= MOST_MEMBERS || found.iter().any(|known| known.name == name) {
            continue;
        }
        found.push(Member {
            name: name.to_owned(),
            kind: kind(document, property),
            required: required.contains(&name),
            about: about(property).or_else(|| about(resolved)).unwrap_or_default(),
            default: resolved.get("default").and_then(scalar_text),
            is_list: type_of(resolved) == Some("array"),
        });
    }
    for known in found.iter_mut().filter(|known| required.contains(&&*known.name)) {
        known.required = true;
    }
    is_object
}

/// Returns the first line of a description.
pub(super) fn about(of: Ref<'_>) -> Option<String> {
    let text = of.get("description").or_else(|| of.get("summary")).and_then(Ref::as_str)?;
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}
