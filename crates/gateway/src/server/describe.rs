//! Descriptions of tables and routes: data for programs, or pages (docs/spec/ql.md 12).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use polywire_doc::Datum;
use polywire_ql::error::QueryError;

use super::caller::Caller;
use super::gateway::Gateway;
use super::{answer, pages, run};
use crate::decode::data_type;
use crate::directory::Directory;

/// The subject of a description.
enum Subject {
    Tables,
    Table(String),
    Routes,
    Route { path: String, method: String },
}

impl Subject {
    /// Returns the script that describes it.
    fn script(&self) -> String {
        match self {
            Subject::Tables => "show tables".to_owned(),
            Subject::Table(name) => format!("describe {name}"),
            Subject::Routes => "show routes".to_owned(),
            Subject::Route { path, method } => format!("describe route \"{path}\" using method {method}"),
        }
    }

    fn page(&self, directory: &Directory) -> Response {
        match self {
            Subject::Tables => pages::tables(directory),
            Subject::Table(name) => pages::table(directory, name),
            Subject::Routes => pages::routes(directory),
            Subject::Route { path, method } => pages::route(directory, path, method),
        }
    }
}

/// Describes all tables.
pub(super) async fn tables(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    described(&gateway, request, |_| Ok(Subject::Tables)).await
}

/// Describes all routes.
pub(super) async fn routes(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    described(&gateway, request, |_| Ok(Subject::Routes)).await
}

/// Describes the table `name`.
pub(super) async fn table(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    described(&gateway, request, |caller| {
        let name = caller.parameter("name").filter(|name| !name.is_empty()).ok_or("Usage: /table?name=NAME")?;
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.' | '$'));
        if is_name { Ok(Subject::Table(name)) } else { Err("Usage: /table?name=NAME, with the name of a table") }
    })
    .await
}

/// Describes the route with `path` and `method`.
pub(super) async fn route(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    described(&gateway, request, |caller| {
        let given = |name: &str| caller.parameter(name).filter(|text| !text.is_empty());
        let usage = "Usage: /route?path=PATH&method=METHOD";
        let (path, method) = (given("path").ok_or(usage)?, given("method").ok_or(usage)?.to_ascii_lowercase());
        if path.contains('"') || !matches!(method.as_str(), "get" | "post" | "put" | "delete" | "del" | "patch") {
            return Err(usage);
        }
        Ok(Subject::Route { path, method: if method == "del" { "delete".to_owned() } else { method } })
    })
    .await
}

/// Answers with the places of everything else. A route of the path `/` goes before it.
pub(super) fn index(gateway: &Gateway, directory: &Directory, accept: Option<&str>, query: &[(String, String)]) -> Response {
    let (scripts, numbers) = (gateway.runs_scripts(directory), gateway.shows_numbers());
    let format = query.iter().find(|(name, _)| name == "format").map(|(_, value)| value.as_str());
    if pages::wanted(accept, format) {
        return pages::index(directory, scripts, numbers);
    }
    let places = [("tables", "/tables"), ("routes", "/api"), ("openapi", "/openapi.json"), ("health", "/healthz")];
    let places = places.into_iter().chain(numbers.then_some(("metrics", "/metrics"))).chain(scripts.then_some(("scripts", "/q")));
    let body = Datum::object(places.map(|(name, path)| (name, Datum::from(path)))).to_json();
    answer::data(StatusCode::OK, body)
}

async fn described(gateway: &Gateway, request: Request, subject: impl FnOnce(&Caller) -> Result<Subject, &'static str>) -> Response {
    let directory = gateway.directory();
    let mut caller = match Caller::read(gateway, request).await {
        Ok(caller) => caller,
        Err(failure) => return answer::of_failure(&failure),
    };
    let format = caller.parameter("format");
    let page = pages::wanted(caller.accept.as_deref(), format.as_deref());
    match subject(&caller) {
        Ok(subject) if page => subject.page(&directory),
        Ok(subject) => {
            if format.as_deref().is_some_and(answer::is_json) {
                caller.accept = Some(data_type().to_owned());
            }
            run::script(gateway, &directory, &subject.script(), &caller).await
        }
        Err(usage) if page => pages::problem(&QueryError::new("usage", usage)),
        Err(usage) => answer::of_failure(&QueryError::new("usage", usage)),
    }
}
