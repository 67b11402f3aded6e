//! A page as an answer, and the templates that several pages share.

use askama::Template;
use axum::body::Body;
use axum::response::Response;
use http::header::CONTENT_SECURITY_POLICY;
use http::{HeaderValue, StatusCode};
use polywire_ql::error::QueryError;

use crate::server::answer;

/// Nothing on a page runs, only images are fetched, whatever a description says, and no page of
/// another site shows it in a frame.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src http: https:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

#[derive(Template)]
#[template(path = "list.html")]
pub(super) struct List {
    pub title: &'static str,
    /// The title of the column with the names.
    pub column: &'static str,
    pub rows: Vec<Row>,
}

pub(super) struct Row {
    pub method: Option<String>,
    pub name: String,
    pub link: String,
    /// As HTML.
    pub info: String,
}

#[derive(Template)]
#[template(path = "problem.html")]
struct Problem<'f> {
    message: &'f str,
    hint: Option<&'f str>,
}

/// Answers with an error as a page.
pub(in crate::server) fn problem(failure: &QueryError) -> Response {
    let parts = failure.parts();
    let status = StatusCode::from_u16(parts.status).unwrap_or(StatusCode::BAD_REQUEST);
    page(status, &Problem { message: &parts.message, hint: parts.hint.as_deref() })
}

/// Renders a template as an answer.
pub(super) fn page(status: StatusCode, template: &impl Template) -> Response {
    match template.render() {
        Ok(text) => {
            let mut response = answer::reply(status, "text/html; charset=utf-8", Body::from(text));
            let headers = response.headers_mut();
            headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
            response
        }
        Err(error) => answer::of_failure(&QueryError::new("page", format!("the page cannot be made: {error}")).status(500)),
    }
}

/// Returns a default as people read it: text without quotes.
pub(in crate::server) fn text(value: &polywire_doc::Datum) -> String {
    match value.view().as_str() {
        Some(text) => text.to_owned(),
        None => String::from_utf8_lossy(&value.to_json()).into_owned(),
    }
}
