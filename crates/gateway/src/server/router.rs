//! The paths of the interface.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::{any, get};
use http::{Method, StatusCode};
use polywire_ql::error::QueryError;
use polywire_ql::explain::asked;
use polywire_ql::routes::Found;

use super::caller::{By, Caller};
use super::callers::Known;
use super::gateway::Gateway;
use super::notes::AnsweredBy;
use super::panics::Catch;
use super::watch::Watch;
use super::{admission, answer, compress, describe, guard, openapi, persisted, run, stream, watch};
use crate::callers::identity::Identity;

/// Returns the interface of a gateway.
pub fn router(gateway: Arc<Gateway>) -> Router {
    let numbers = if gateway.shows_numbers() { get(watch::metrics) } else { any(routed) };
    Router::new()
        .route("/q", any(ad_hoc))
        .route("/tables", get(describe::tables))
        .route("/table", get(describe::table))
        .route("/api", get(describe::routes))
        .route("/route", get(describe::route))
        .route("/openapi.json", get(described))
        .route("/healthz", get(healthz))
        .route("/metrics", numbers)
        .fallback(routed)
        .with_state(gateway.clone())
        // From the outermost inwards, and as one layer: axum's work for a layer is then done once.
        .layer((Watch(gateway.clone()), compress::layer(gateway.clone()), Catch, Known(gateway)))
}

/// Returns the interface of a monitor, at an address of its own: metrics, and the health of the
/// gateway.
pub fn monitor(gateway: Arc<Gateway>) -> Router {
    Router::new()
        .route("/metrics", get(watch::metrics))
        .route("/healthz", get(healthz))
        .fallback(unknown)
        .with_state(gateway.clone())
        .layer(Watch(gateway))
}

async fn unknown(request: Request) -> Response {
    answer::not_found(request.method(), request.uri().path(), answer::accept(request.headers()), &[])
}

async fn healthz() -> Response {
    answer::reply(StatusCode::OK, answer::PLAIN, Body::from("ok\n"))
}

async fn described(State(gateway): State<Arc<Gateway>>) -> Response {
    let directory = gateway.directory();
    let document = openapi::document(&directory, gateway.offers(), gateway.runs_scripts(&directory));
    answer::data(StatusCode::OK, document.to_string().into_bytes())
}

/// Runs a script of the caller.
async fn ad_hoc(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    let directory = gateway.directory();
    let identity = request.extensions().get::<Arc<Identity>>().cloned().unwrap_or_default();
    let admitted = admission::admitted(&gateway, &directory, admission::shown(request.headers()), &identity);
    let admitted = admitted.and_then(|()| guard::own_site(&directory, request.uri(), request.headers(), "send scripts"));
    if let Err(failure) = admitted {
        return answer::of_failure(&failure);
    }
    let caller = match Caller::read(&gateway, request).await {
        Ok(caller) => Caller { by: By::Script, ..caller },
        Err(failure) => return answer::of_failure(&failure),
    };
    match persisted::script(&directory, &caller) {
        Ok(script) => {
            if let Some(form) = stream::wanted(gateway.offers(), &caller)
                && asked(&script).is_none()
                && let Ok(plan) = gateway.plan(&script, &directory)
            {
                return stream::answered(gateway, directory, plan, caller, form).await;
            }
            run::script(&gateway, &directory, &script, &caller).await
        }
        Err(failure) => answer::of_failure(&failure),
    }
}

/// Answers at a path that only routes may have.
async fn routed(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    let directory = gateway.directory();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    if gateway.is_health(&directory, &path) {
        return healthz().await;
    }
    let accept = answer::accept(request.headers()).map(str::to_owned);
    let query: Vec<(String, String)> = form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes()).into_owned().collect();
    // A path with GET also has HEAD (RFC 9110 9.3.2): the body is left out on sending.
    let asked = if method == Method::HEAD { Method::GET } else { method.clone() };
    match directory.routes().find(asked.as_str(), &path, &query) {
        Found::Script(plan, parameters) => {
            if let (Some(by), Some(route)) = (request.extensions().get::<AnsweredBy>(), &plan.route) {
                by.set(route.clone());
            }
            if plan.writes()
                && let Err(failure) = guard::own_site(&directory, request.uri(), request.headers(), "use a route that writes")
            {
                return answer::of_failure(&failure);
            }
            match Caller::read(&gateway, request).await {
                Ok(mut caller) => {
                    caller.request.route = parameters;
                    caller.by = By::Route;
                    match stream::wanted(directory.offers(&plan).unwrap_or(gateway.offers()), &caller) {
                        Some(form) => stream::answered(gateway, directory, plan, caller, form).await,
                        None => run::run(&gateway, &directory, &plan, &caller).await,
                    }
                }
                Err(failure) => answer::of_failure(&failure),
            }
        }
        Found::NoMatch => answer::of_failure(
            &QueryError::new("no_matching_route", "No matching route")
                .hint("a parameter of the query is missing; /api describes the routes"),
        ),
        Found::OtherMethods(methods) if method == Method::OPTIONS => answer::options(&methods),
        Found::OtherMethods(methods) => answer::not_found(&method, &path, accept.as_deref(), &methods),
        Found::Unknown if asked == Method::GET && path == "/" && gateway.has_console() => {
            describe::index(&gateway, &directory, accept.as_deref(), &query)
        }
        Found::Unknown => answer::not_found(&method, &path, accept.as_deref(), &[]),
    }
}
