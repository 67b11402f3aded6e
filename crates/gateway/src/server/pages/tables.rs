//! Pages about tables.

use std::sync::Arc;

use askama::Template;
use axum::response::Response;
use http::StatusCode;
use polywire_ql::error::QueryError;
use polywire_ql::execute::Catalog;
use polywire_ql::link;
use polywire_ql::markdown::html;
use polywire_ql::table::{Action, Table};

use super::page::{List, Row, page, problem, text};
use super::routes::{RouteLink, links};
use crate::directory::Directory;

/// Answers with the list of tables.
pub(in crate::server) fn tables(directory: &Directory) -> Response {
    let tables = directory.tables();
    let row =
        |table: &Arc<Table>| Row { method: None, name: table.name.to_string(), link: link::table(&table.name), info: html(&table.about) };
    page(StatusCode::OK, &List { title: "Tables", column: "Name", rows: tables.iter().map(row).collect() })
}

#[derive(Template)]
#[template(path = "table.html")]
struct TablePage<'t> {
    name: &'t str,
    info: String,
    verbs: Vec<Verb<'t>>,
    routes: Vec<RouteLink>,
}

struct Verb<'t> {
    name: &'static str,
    method: &'t str,
    uri: String,
    parameters: Vec<Parameter>,
    /// Other clauses of the table, with their values.
    facts: Vec<(String, String)>,
}

struct Parameter {
    name: String,
    takes: String,
    default: Option<String>,
}

/// Answers with one table.
pub(in crate::server) fn table(directory: &Directory, name: &str) -> Response {
    let Some(table) = directory.table(name) else {
        let failure = QueryError::new("no_such_table", format!("No such table {name}")).hint("/tables lists those that there are");
        return problem(&failure);
    };
    let routes = links(directory, |plan| plan.uses().iter().any(|used| **used == *name));
    let verbs = table.actions().map(|action| verb(action, directory)).collect();
    page(StatusCode::OK, &TablePage { name: &table.name, info: html(&table.about), verbs, routes })
}

fn verb<'t>(action: &'t Action, directory: &Directory) -> Verb<'t> {
    let parameters = action.uri.iter().flat_map(|uri| uri.parameters()).map(|parameter| {
        let values = match parameter.most {
            Some(most) => format!("up to {most} values in a request"),
            None if parameter.several => "several values".to_owned(),
            None => "a value".to_owned(),
        };
        let takes = if parameter.required { format!("{values}, required") } else { values };
        let default = action.defaults.iter().find(|(name, _)| **name == *parameter.name);
        Parameter {
            takes,
            default: default.map(|(name, default)| directory.shown_value(name, &text(&default.written))),
            name: parameter.name,
        }
    });
    let mut facts: Vec<(String, String)> = Vec::new();
    let mut fact = |name: &str, value: String| facts.push((name.to_owned(), value));
    for (name, value) in &action.headers_text {
        fact("header", format!("{name}: {}", directory.shown_value(name, value)));
    }
    if let Some(body) = &action.body {
        fact("body", format!("{} ({})", body.template, body.media));
    }
    if !action.resultset.is_empty() {
        fact("rows", action.resultset.join("."));
    }
    if let Some(pages) = &action.pages {
        fact("pages", pages.to_string());
    }
    for (name, path) in &action.batches {
        fact("batches", format!("{name} by {}", path.join(".")));
    }
    if let Some(shared) = action.shared {
        fact("equal requests", if shared { "share a reply" } else { "never share a reply" }.to_owned());
    }
    if let Some(seconds) = action.expires {
        fact("kept for", format!("{seconds} s"));
    }
    for (name, codec) in [("decoder", &action.decoder), ("encoder", &action.encoder)] {
        if let Some(codec) = codec {
            let words = [Some(&codec.format), codec.schema.as_ref(), codec.message.as_ref()];
            fact(name, words.into_iter().flatten().cloned().collect::<Vec<_>>().join(" "));
        }
    }
    if let Some(soap) = &action.soap {
        fact("SOAP", [Some(&soap.version), soap.element.as_ref()].into_iter().flatten().cloned().collect::<Vec<_>>().join(" "));
    }
    for (name, file) in [("hooks", &action.patch), ("authentication", &action.auth)] {
        if let Some(file) = file {
            fact(name, file.clone());
        }
    }
    Verb {
        name: action.verb.name(),
        method: &action.method,
        uri: directory.shown_uri(&action.uri_text),
        parameters: parameters.collect(),
        facts,
    }
}
