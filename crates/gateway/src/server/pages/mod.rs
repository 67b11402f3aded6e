//! Pages for people: what `show` and `describe` say, in HTML (specification 12). All text in them is escaped; descriptions are Markdown without tags.
//!
//! | file | holds |
//! |---|---|
//! | `tables` | tables |
//! | `routes` | routes |
//!
//! The templates are in `templates/` of this crate.

mod routes;
mod tables;

pub(super) use routes::{route, routes};
pub(super) use tables::{table, tables, text};

use askama::Template;
use axum::body::Body;
use axum::response::Response;
use http::header::{CONTENT_SECURITY_POLICY, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, StatusCode};
use polywire_ql::execute::Catalog;
use polywire_ql::failure::Failure;

use super::answer;
use crate::decode::{choose, ranges};
use crate::directory::Directory;

/// Whether a caller wants a page: it says so by `format=html`, or its header prefers HTML, as browsers do, and does not speak of JSON.
pub(super) fn wanted(accept: Option<&str>, format: Option<&str>) -> bool {
    match format {
        Some("html") => true,
        Some(format) if answer::is_json(format) => false,
        _ => !answer::wants_json(accept) && choose(&ranges(accept), ["application/json", "text/html"]) == Some("text/html"),
    }
}

#[derive(Template)]
#[template(path = "index.html")]
struct Index {
    version: &'static str,
    tables: usize,
    routes: usize,
    scripts: bool,
    numbers: bool,
}

/// What there is. `scripts`: whether scripts of callers run; `numbers`: whether the numbers are shown.
pub(super) fn index(directory: &Directory, scripts: bool, numbers: bool) -> Response {
    let (tables, routes) = (directory.tables().len(), directory.routes().all().len());
    page(StatusCode::OK, &Index { version: env!("CARGO_PKG_VERSION"), tables, routes, scripts, numbers })
}

#[derive(Template)]
#[template(path = "list.html")]
struct List {
    title: &'static str,
    /// What each row has the name of.
    column: &'static str,
    rows: Vec<Row>,
}

struct Row {
    method: Option<String>,
    name: String,
    link: String,
    /// As HTML.
    info: String,
}

#[derive(Template)]
#[template(path = "problem.html")]
struct Problem<'f> {
    message: &'f str,
    hint: Option<&'f str>,
}

/// A failure.
pub(super) fn problem(failure: &Failure) -> Response {
    let parts = failure.parts();
    let status = StatusCode::from_u16(parts.status).unwrap_or(StatusCode::BAD_REQUEST);
    page(status, &Problem { message: &parts.message, hint: parts.hint.as_deref() })
}

fn page(status: StatusCode, template: &impl Template) -> Response {
    match template.render() {
        Ok(text) => {
            let mut response = answer::reply(status, "text/html; charset=utf-8", Body::from(text));
            let headers = response.headers_mut();
            // Nothing on a page runs, and only images are fetched, whatever a description says.
            headers.insert(
                CONTENT_SECURITY_POLICY,
                HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; img-src http: https:"),
            );
            headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
            response
        }
        Err(error) => answer::of_failure(&Failure::new("page", format!("the page cannot be made: {error}")).status(500)),
    }
}
