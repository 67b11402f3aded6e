//! Which path does what.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{any, get};
use http::StatusCode;
use http_body_util::{BodyExt, Limited};
use polywire_ql::failure::Failure;
use polywire_ql::route::Found;

use super::caller::Caller;
use super::gateway::Gateway;
use super::{admission, answer, run, watch};

/// The interface of a gateway.
pub fn router(gateway: Arc<Gateway>) -> Router {
    Router::new()
        .route("/q", any(ad_hoc))
        .route("/tables", get(tables))
        .route("/table", get(table))
        .route("/api", get(api))
        .route("/route", get(route))
        .route("/healthz", get(healthz))
        .route("/metrics", get(watch::metrics))
        .fallback(routed)
        .layer(from_fn_with_state(gateway.clone(), watch::watched))
        .with_state(gateway)
}

async fn healthz() -> Response {
    answer::reply(StatusCode::OK, "text/plain; charset=utf-8", Body::from("ok\n"))
}

/// A script of the caller's.
async fn ad_hoc(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    let directory = gateway.directory();
    if let Err(failure) = admission::admitted(&gateway, &directory, admission::shown(request.headers())) {
        return answer::of_failure(&failure);
    }
    let caller = match caller(&gateway, request).await {
        Ok(caller) => caller,
        Err(failure) => return answer::of_failure(&failure),
    };
    match caller.parameter("s").filter(|script| !script.is_empty()) {
        Some(script) => run::script(&gateway, &directory, &script, &caller).await,
        None => answer::of_failure(&Failure::new("missing_query", "Missing query").hint("send a script as the parameter s")),
    }
}

/// A path that only routes may know.
async fn routed(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    let directory = gateway.directory();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let accept = request.headers().get(http::header::ACCEPT).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let query: Vec<(String, String)> = form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes()).into_owned().collect();
    match directory.routes().find(method.as_str(), &path, &query) {
        Found::Script(plan, parameters) => match caller(&gateway, request).await {
            Ok(mut caller) => {
                caller.request.route = parameters;
                let mut response = run::run(&gateway, &directory, &plan, &caller).await;
                if let Some(route) = plan.route.clone() {
                    response.extensions_mut().insert(watch::By(route));
                }
                response
            }
            Err(failure) => answer::of_failure(&failure),
        },
        Found::NoMatch => answer::of_failure(
            &Failure::new("no_matching_route", "No matching route").hint("a parameter of the query is missing; /api describes the routes"),
        ),
        Found::OtherMethods(_) | Found::Unknown => answer::not_found(&method, &path, accept.as_deref()),
    }
}

async fn tables(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    described(&gateway, request, |_| Ok("show tables".to_owned())).await
}

async fn api(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    described(&gateway, request, |_| Ok("show routes".to_owned())).await
}

async fn table(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    described(&gateway, request, |caller| {
        let name = caller.parameter("name").filter(|name| !name.is_empty()).ok_or("Usage: /table?name=NAME")?;
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.' | '$'));
        if is_name { Ok(format!("describe {name}")) } else { Err("Usage: /table?name=NAME, with the name of a table") }
    })
    .await
}

async fn route(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    described(&gateway, request, |caller| {
        let given = |name: &str| caller.parameter(name).filter(|text| !text.is_empty());
        let usage = "Usage: /route?path=PATH&method=METHOD";
        let (path, method) = (given("path").ok_or(usage)?, given("method").ok_or(usage)?.to_ascii_lowercase());
        if path.contains('"') || !matches!(method.as_str(), "get" | "post" | "put" | "delete" | "del" | "patch") {
            return Err(usage);
        }
        let method = if method == "del" { "delete" } else { &method };
        Ok(format!("describe route \"{path}\" using method {method}"))
    })
    .await
}

/// Runs a script of ours that describes something.
async fn described(gateway: &Gateway, request: Request, script: impl FnOnce(&Caller) -> Result<String, &'static str>) -> Response {
    let directory = gateway.directory();
    let caller = match caller(gateway, request).await {
        Ok(caller) => caller,
        Err(failure) => return answer::of_failure(&failure),
    };
    match script(&caller) {
        Ok(script) => run::script(gateway, &directory, &script, &caller).await,
        Err(usage) => answer::of_failure(&Failure::new("usage", usage)),
    }
}

/// Reads the body, and gives what the caller sent.
async fn caller(gateway: &Gateway, request: Request) -> Result<Caller, Failure> {
    let most = gateway.directory().settings.max_request_length;
    let address = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0);
    let (parts, body) = request.into_parts();
    let body = Limited::new(body, most)
        .collect()
        .await
        .map_err(|_| Failure::new("request_too_long", format!("the request is longer than {most} bytes, or ended early")).status(413))?;
    Caller::new(&parts, body.to_bytes(), address, gateway.id_header())
}
