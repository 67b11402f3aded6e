//! An operation becomes a verb.

use std::fmt::Write;

use polywire_doc::Ref;
use polywire_ql::template::scalar_text;
use polywire_ql::template::uri::encode_component;

use super::Version;
use super::document::Document;
use super::schema::{self, Member};
use super::server::Base;
use crate::names::{self, Names};
use crate::table::{Action, Table, literal, operand};
use crate::{Imported, Settings};

/// The most members of a reply that a comment names.
const MOST_SHOWN: usize = 30;

/// Headers that a description may list and that are not parameters (OpenAPI 3.1, "Parameter
/// Object").
const NOT_PARAMETERS: [&str; 3] = ["accept", "content-type", "authorization"];

/// The common parts of all operations of a description.
pub(super) struct Context<'c, 'd> {
    pub document: &'c Document<'d>,
    pub version: Version,
    /// Name of the part of the configuration.
    pub part: String,
    pub settings: &'c Settings,
    /// Names of tables.
    pub names: Names,
}

/// A parameter of an operation.
struct Parameter<'d> {
    name: &'d str,
    place: &'d str,
    required: bool,
    about: String,
    kind: String,
    default: Option<String>,
    is_list: bool,
    /// A list is sent as one value with commas.
    joined: bool,
    /// The reason why it cannot be sent.
    odd: Option<&'static str>,
}

/// The body of requests.
enum Body<'d> {
    None,
    /// An object as JSON: its members are parameters.
    Object(Vec<Member>),
    /// A form: its fields are parameters.
    Form(Vec<Member>),
    /// Anything else, by its media type.
    Whole(&'d str),
}

/// A verb in the making.
#[derive(Default)]
struct Making {
    action: Action,
    /// Lines of the comment, one a parameter.
    lines: Vec<String>,
    query: String,
    tokens: Names,
}

impl<'d> Context<'_, 'd> {
    /// Adds the verb of an operation to a table.
    #[allow(clippy::too_many_arguments, reason = "each is another part of the description")]
    pub fn add(
        &self,
        table: &mut Table,
        (method, verb): (&'static str, &'static str),
        path: &str,
        item: Ref<'d>,
        operation: Ref<'d>,
        base: &Base,
        place: &str,
        imported: &mut Imported,
    ) {
        let parameters = self.parameters(item, operation, place, imported);
        let body = self.body(operation, &parameters, method, place, imported);
        let mut making = Making { action: Action { verb, method, ..Action::default() }, ..Making::default() };
        if let Body::Object(members) = &body {
            // Members of a body keep their names: parameters elsewhere give way.
            members.iter().for_each(|member| drop(making.tokens.unique(member.name.clone())));
        }
        making.action.uri = base.0.clone();
        making.path(path, &parameters);
        for parameter in &parameters {
            making.parameter(parameter, place, imported);
        }
        self.secure(operation, &mut making, place, imported);
        making.action.uri.push_str(&making.query);
        self.write_body(&body, table, &mut making, place, imported);

        let summary = schema::about(operation).unwrap_or_default();
        let deprecated = operation.get("deprecated").and_then(scalar_text).as_deref() == Some("true");
        let id = operation.get("operationId").and_then(Ref::as_str).map(|id| format!(" (`{id}`)")).unwrap_or_default();
        let deprecated = if deprecated { " Deprecated." } else { "" };
        let dash = if summary.is_empty() { "" } else { ": " };
        if !table.about.is_empty() {
            table.about.push(String::new());
        }
        table.comment(&format!("**{verb}**: `{} {path}`{id}{dash}{}{deprecated}", method.to_ascii_uppercase(), summary.trim_end()));
        if !making.lines.is_empty() {
            table.about.push(String::new());
        }
        making.lines.iter().for_each(|line| table.comment(line));
        if let Some(reply) = self.reply(operation) {
            table.about.push(String::new());
            table.comment(&reply);
        }
        table.actions.push(making.action);
    }

    /// Returns the parameters of an operation, those of its path included.
    fn parameters(&self, item: Ref<'d>, operation: Ref<'d>, place: &str, imported: &mut Imported) -> Vec<Parameter<'d>> {
        let mut found: Vec<Parameter<'d>> = Vec::new();
        for list in [operation, item].into_iter().filter_map(|of| of.get("parameters")).filter(|list| list.is_list()) {
            for parameter in list.items() {
                let parameter = match self.document.resolve(parameter) {
                    Ok(parameter) => parameter,
                    Err(what) => {
                        imported.remark(format!("{place}.parameters"), what);
                        continue;
                    }
                };
                let text = |name: &str| parameter.get(name).and_then(Ref::as_str);
                let (Some(name), Some(wanted)) = (text("name"), text("in")) else { continue };
                // Those of the operation are stronger than those of the path.
                if found.iter().any(|known| known.name == name && known.place == wanted) {
                    continue;
                }
                let content = parameter.get("content").and_then(|content| content.members().next()).map(|(_, content)| content);
                let of = content.and_then(|content| content.get("schema")).or_else(|| parameter.get("schema")).unwrap_or(parameter);
                let resolved = self.document.resolve(of).unwrap_or(of);
                let style = text("style");
                let separated = text("collectionFormat").is_none_or(|format| format == "csv");
                let exploded =
                    parameter.get("explode").and_then(scalar_text).map_or(style.is_none_or(|style| style == "form"), |is| is == "true");
                let joined = match self.version {
                    Version::V2 => text("collectionFormat") != Some("multi"),
                    Version::V3 => !exploded,
                };
                let kind = schema::type_of(resolved);
                let odd = match (kind, wanted, style) {
                    (Some("object"), "query", Some("deepObject")) => Some("an object by `deepObject`"),
                    (Some("object"), "query" | "path" | "header", _) if content.is_none() => Some("an object"),
                    (Some("array"), "query", Some("spaceDelimited" | "pipeDelimited")) if !exploded => Some("a list without commas"),
                    (Some("array"), "query", _) if self.version == Version::V2 && joined && !separated => Some("a list without commas"),
                    (_, "path", Some("label" | "matrix")) => Some("a part of the path by `label` or `matrix`"),
                    _ => None,
                };
                found.push(Parameter {
                    name,
                    place: wanted,
                    required: wanted == "path" || parameter.get("required").and_then(scalar_text).as_deref() == Some("true"),
                    about: schema::about(parameter).unwrap_or_default(),
                    kind: schema::kind(self.document, of),
                    default: resolved.get("default").and_then(scalar_text),
                    is_list: kind == Some("array"),
                    joined,
                    odd,
                });
            }
        }
        found
    }

    /// Returns the body of an operation's requests.
    fn body(&self, operation: Ref<'d>, parameters: &[Parameter<'d>], method: &str, place: &str, imported: &mut Imported) -> Body<'d> {
        let body = match self.version {
            Version::V2 => self.body_of_swagger(operation, parameters),
            Version::V3 => {
                let Some(body) = operation.get("requestBody") else { return Body::None };
                match self.document.resolve(body) {
                    Ok(body) => self.body_of_content(body),
                    Err(what) => {
                        imported.remark(format!("{place}.requestBody"), what);
                        Body::None
                    }
                }
            }
        };
        if matches!(method, "get" | "delete") && !matches!(body, Body::None) {
            imported.remark(place, format!("{} has no body: it is left out", method.to_ascii_uppercase()));
            return Body::None;
        }
        body
    }

    fn body_of_content(&self, body: Ref<'d>) -> Body<'d> {
        let Some(content) = body.get("content").filter(|content| content.is_object()) else { return Body::None };
        let of = |wanted: fn(&str) -> bool| content.members().find(|(media, _)| wanted(media));
        if let Some((media, content)) = of(is_json) {
            let members = content.get("schema").and_then(|schema| schema::members(self.document, schema));
            return members.map_or(Body::Whole(media), Body::Object);
        }
        if let Some((_, content)) = of(is_form) {
            let members = content.get("schema").and_then(|schema| schema::members(self.document, schema));
            return Body::Form(members.unwrap_or_default());
        }
        content.members().next().map_or(Body::None, |(media, _)| Body::Whole(media))
    }

    fn body_of_swagger(&self, operation: Ref<'d>, parameters: &[Parameter<'d>]) -> Body<'d> {
        let own = operation.get("consumes").or_else(|| self.document.root().get("consumes"));
        let media = media_list(own);
        let all = operation.get("parameters").filter(|list| list.is_list());
        for parameter in all.into_iter().flat_map(Ref::items) {
            let Ok(parameter) = self.document.resolve(parameter) else { continue };
            if parameter.get("in").and_then(Ref::as_str) != Some("body") {
                continue;
            }
            let members = parameter.get("schema").and_then(|schema| schema::members(self.document, schema));
            return match media.iter().find(|media| is_json(media)).or(media.first()) {
                Some(media) if !is_json(media) => Body::Whole(media),
                _ => members.map_or(Body::Whole("application/json"), Body::Object),
            };
        }
        let fields = parameters.iter().filter(|parameter| parameter.place == "formData");
        let fields: Vec<Member> = fields
            .map(|field| Member {
                name: field.name.to_owned(),
                kind: field.kind.clone(),
                required: field.required,
                about: field.about.clone(),
                default: field.default.clone(),
                is_list: field.is_list && !field.joined,
            })
            .collect();
        match media.iter().find(|media| media.starts_with("multipart/")) {
            _ if fields.is_empty() => Body::None,
            Some(multipart) if !media.iter().any(|media| is_form(media)) => Body::Whole(multipart),
            _ => Body::Form(fields),
        }
    }

    /// Adds the clauses that make the body, and the lines of its parameters.
    fn write_body(&self, body: &Body<'_>, table: &Table, making: &mut Making, place: &str, imported: &mut Imported) {
        match body {
            Body::None => {}
            Body::Object(members) => {
                making.action.clauses.push("using encoder 'json'".to_owned());
                for member in members {
                    if member.name.contains('.') {
                        let what = format!("`{}` has a dot, which leads into an object: a request cannot send it", member.name);
                        imported.remark(format!("{place}.requestBody"), what);
                    } else {
                        making.lines.push(line(&member.name, None, member));
                    }
                }
            }
            Body::Form(members) => {
                let file = names::file(&format!("{}.{}", table.name, making.action.verb));
                let file = format!("{file}.form");
                let mut text = String::new();
                for member in members {
                    let token = making.tokens.unique(names::word(&member.name, "p"));
                    let flags = match (member.required && member.default.is_none(), member.is_list) {
                        (true, true) => "^*",
                        (true, false) => "^",
                        (false, true) => "?*",
                        (false, false) => "?",
                    };
                    let and = if text.is_empty() { "" } else { "&" };
                    let _ = write!(text, "{and}{}={{{flags}{token}}}", literal(&encode_component(&member.name)));
                    making.lines.push(line(&token, (token != member.name).then_some(("form", &*member.name)), member));
                }
                if text.is_empty() {
                    imported.remark(format!("{place}.requestBody"), "the form has no fields: give its body as the only value");
                    return;
                }
                making.action.clauses.push(format!("using bodyTemplate '{file}' type 'application/x-www-form-urlencoded'"));
                imported.files.push((file, text.into_bytes()));
            }
            Body::Whole(media) => {
                let what = format!("the body, of type {media}, is no object: give it as the only value, `insert into … values (…)`");
                imported.remark(format!("{place}.requestBody"), what);
            }
        }
    }

    /// Adds what the service asks for: the first way that the operation allows.
    fn secure(&self, operation: Ref<'d>, making: &mut Making, place: &str, imported: &mut Imported) {
        let root = self.document.root();
        let Some(ways) = operation.get("security").or_else(|| root.get("security")).filter(|ways| ways.is_list()) else { return };
        let Some(first) = ways.index(0) else { return };
        let schemes = match self.version {
            Version::V2 => root.get("securityDefinitions"),
            Version::V3 => root.path(["components", "securitySchemes"]),
        };
        for (name, _) in first.members() {
            let scheme = schemes.and_then(|schemes| schemes.get(name)).map(|scheme| self.document.resolve(scheme));
            let Some(Ok(scheme)) = scheme else {
                imported.remark(place, format!("the security scheme `{name}` is not described"));
                continue;
            };
            let text = |member: &str| scheme.get(member).and_then(Ref::as_str).unwrap_or_default();
            let key = format!("{}.{}", self.part, names::word(name, "key"));
            let token = format!("{{config.{key}}}");
            let (header, value, what) = match (text("type"), text("in"), text("scheme").to_ascii_lowercase().as_str()) {
                ("apiKey", "header", _) => (text("name"), token, "a key"),
                ("apiKey", "query", _) => {
                    imported.needs(key, format!("a key: {name}"));
                    making.pair(text("name"), &token);
                    continue;
                }
                ("apiKey", "cookie", _) => ("Cookie", format!("{}={token}", text("name")), "a key"),
                ("basic", ..) | ("http", _, "basic") => ("Authorization", format!("Basic {token}"), "`user:password` in Base64"),
                ("http", _, "bearer") | ("oauth2" | "openIdConnect", ..) => ("Authorization", format!("Bearer {token}"), "a token"),
                (kind, _, scheme) => {
                    imported.remark(place, format!("security by {kind} {scheme} (`{name}`) is left out"));
                    continue;
                }
            };
            imported.needs(key, format!("{what}: {name}"));
            making.action.headers.push((header.to_owned(), value));
        }
    }

    /// Returns a sentence on the reply.
    fn reply(&self, operation: Ref<'d>) -> Option<String> {
        let (_, reply) = operation.get("responses")?.members().find(|(status, _)| status.starts_with('2'))?;
        let reply = self.document.resolve(reply).ok()?;
        let schema = match self.version {
            Version::V2 => reply.get("schema"),
            Version::V3 => {
                let content = reply.get("content")?;
                content.members().find(|(media, _)| is_json(media)).or_else(|| content.members().next())?.1.get("schema")
            }
        }?;
        let mut text = format!("Returns {}", schema::kind(self.document, schema));
        let resolved = self.document.resolve(schema).ok()?;
        let row = resolved.get("items").filter(|_| schema::type_of(resolved) == Some("array")).unwrap_or(schema);
        let members = schema::members(self.document, row).unwrap_or_default();
        for (at, member) in members.iter().take(MOST_SHOWN).enumerate() {
            let _ =
                write!(text, "{} `{}` {}", if at == 0 { ":" } else { "," }, member.name, member.kind.split(',').next().unwrap_or_default());
        }
        text.push_str(if members.len() > MOST_SHOWN { ", …" } else { "." });
        Some(text)
    }
}

impl Making {
    /// Writes the path, its parameters as tokens.
    fn path(&mut self, path: &str, parameters: &[Parameter<'_>]) {
        let mut rest = path;
        while let Some((before, behind)) = rest.split_once('{') {
            let Some((name, after)) = behind.split_once('}') else { break };
            self.action.uri.push_str(&literal(before));
            let described = parameters.iter().find(|parameter| parameter.place == "path" && parameter.name == name);
            let token = self.token(name, "path");
            let flags = if described.is_some_and(|parameter| parameter.is_list) { "^|" } else { "^" };
            let _ = write!(self.action.uri, "{{{flags}{token}}}");
            if let Some(default) = described.and_then(|parameter| parameter.default.as_deref()).and_then(operand) {
                self.action.defaults.push((token.clone(), default));
            }
            let sent = (token != name).then_some(("path", name));
            let member = described.map_or_else(
                || Member {
                    name: name.to_owned(),
                    kind: "string".to_owned(),
                    required: true,
                    about: String::new(),
                    default: None,
                    is_list: false,
                },
                Parameter::member,
            );
            self.lines.push(line(&token, sent, &member));
            rest = after;
        }
        self.action.uri.push_str(&literal(rest));
    }

    /// Adds a parameter of the query or of a header.
    fn parameter(&mut self, parameter: &Parameter<'_>, place: &str, imported: &mut Imported) {
        if !matches!(parameter.place, "query" | "header" | "cookie") {
            return;
        }
        if parameter.place == "header" && NOT_PARAMETERS.contains(&parameter.name.to_ascii_lowercase().as_str()) {
            return;
        }
        if let Some(odd) = parameter.odd {
            imported.remark(format!("{place}.parameters.{}", parameter.name), format!("is {odd}: it is left out"));
            return;
        }
        let default = parameter.default.as_deref().and_then(operand).filter(|_| !parameter.is_list);
        if parameter.place != "query" && !parameter.required && default.is_none() {
            let what = format!("is an optional {}, which would be sent empty: it is left out", parameter.place);
            imported.remark(format!("{place}.parameters.{}", parameter.name), what);
            return;
        }
        let token = self.token(parameter.name, parameter.place);
        let is_needed = parameter.required && default.is_none();
        let sends_default = default.is_some() && (parameter.required || parameter.place != "query");
        match parameter.place {
            "query" => {
                let required = if is_needed { "^" } else { "?" };
                let several = match (parameter.is_list, parameter.joined) {
                    (false, _) => "",
                    (true, true) => "|",
                    (true, false) => "*",
                };
                self.pair(parameter.name, &format!("{{{required}{several}{token}}}"));
            }
            "header" => self.action.headers.push((parameter.name.to_owned(), format!("{{{token}}}"))),
            _ => {
                let pair = format!("{}={{{token}}}", parameter.name);
                match self.action.headers.iter_mut().find(|(name, _)| name == "Cookie") {
                    Some((_, cookies)) => *cookies = format!("{cookies}; {pair}"),
                    None => self.action.headers.push(("Cookie".to_owned(), pair)),
                }
            }
        }
        if let Some(default) = default.filter(|_| sends_default) {
            self.action.defaults.push((token.clone(), default));
        }
        let sent = (token != parameter.name || parameter.place != "query").then_some((parameter.place, parameter.name));
        self.lines.push(line(&token, sent, &parameter.member()));
    }

    /// Adds a pair to the query.
    fn pair(&mut self, name: &str, value: &str) {
        let start = if self.query.is_empty() && !self.action.uri.contains('?') { '?' } else { '&' };
        let _ = write!(self.query, "{start}{}={value}", literal(&encode_component(name)));
    }

    /// Returns the token of a parameter: its name as a word, behind its place if that is taken.
    fn token(&mut self, name: &str, place: &str) -> String {
        let word = names::word(name, "p");
        let wanted = if self.tokens.has(&word) { format!("{place}_{word}") } else { word };
        self.tokens.unique(wanted)
    }
}

impl Parameter<'_> {
    fn member(&self) -> Member {
        Member {
            name: self.name.to_owned(),
            kind: self.kind.clone(),
            required: self.required,
            about: self.about.clone(),
            default: self.default.clone(),
            is_list: self.is_list,
        }
    }
}

/// Returns the line of a comment on a parameter. `sent` is its place and name in the request, where
/// these are others.
fn line(token: &str, sent: Option<(&str, &str)>, member: &Member) -> String {
    let mut text = format!("- `{token}`: {}", member.kind);
    if member.required {
        text.push_str(", required");
    }
    if let Some(default) = &member.default {
        let _ = write!(text, ", by default `{default}`");
    }
    if let Some((place, name)) = sent {
        let _ = write!(text, " ({place} `{name}`)");
    }
    if !member.about.is_empty() {
        let _ = write!(text, ". {}", member.about);
    }
    text
}

fn media_list(list: Option<Ref<'_>>) -> Vec<&str> {
    list.filter(|list| list.is_list()).into_iter().flat_map(Ref::items).filter_map(Ref::as_str).collect()
}

fn is_json(media: &str) -> bool {
    let essence = media.split(';').next().unwrap_or_default().trim();
    essence == "application/json" || essence.ends_with("+json")
}

fn is_form(media: &str) -> bool {
    media.split(';').next().unwrap_or_default().trim() == "application/x-www-form-urlencoded"
}
