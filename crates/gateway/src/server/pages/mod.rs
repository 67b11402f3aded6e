//! Pages for people: the results of `show` and `describe` in HTML (docs/spec/ql.md 12). All text in
//! them is escaped; descriptions are Markdown without tags.
//!
//! | file | holds |
//! |---|---|
//! | `page` | a page as an answer |
//! | `tables` | tables |
//! | `routes` | routes |
//!
//! The templates are in `templates/` of this crate.

mod page;
mod routes;
mod tables;

pub(super) use page::{problem, text};
pub(super) use routes::{route, routes};
pub(super) use tables::{table, tables};

use askama::Template;
use axum::response::Response;
use http::StatusCode;
use polywire_ql::execute::Catalog;

use page::page;

use super::answer;
use crate::decode::{choose, data_type, ranges};
use crate::directory::Directory;

/// Returns true if a caller wants a page: by `format=html`, or by a header that prefers HTML, as
/// browsers' do, and does not name JSON.
pub(super) fn wanted(accept: Option<&str>, format: Option<&str>) -> bool {
    match format {
        Some("html") => true,
        Some(format) if answer::is_json(format) => false,
        _ => !answer::wants_json(accept) && choose(&ranges(accept), [data_type(), "text/html"]) == Some("text/html"),
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

/// Answers with the front page. `scripts` is true if scripts of callers run, `numbers` if metrics
/// are served.
pub(super) fn index(directory: &Directory, scripts: bool, numbers: bool) -> Response {
    let (tables, routes) = (directory.tables().len(), directory.routes().all().len());
    page(StatusCode::OK, &Index { version: env!("CARGO_PKG_VERSION"), tables, routes, scripts, numbers })
}
