//! Pages about routes.

use std::sync::Arc;

use askama::Template;
use axum::response::Response;
use http::StatusCode;
use polywire_ql::error::QueryError;
use polywire_ql::link;
use polywire_ql::markdown::html;
use polywire_ql::plan::Plan;
use polywire_ql::route::Route;
use polywire_ql::table::Codec;

use super::page::{List, Row, page, problem, text};
use crate::directory::Directory;

pub(super) struct RouteLink {
    pub path: String,
    pub method: String,
    pub link: String,
}

/// Answers with the list of routes.
pub(in crate::server) fn routes(directory: &Directory) -> Response {
    let plans = directory.routes().all();
    let row = |route: &Arc<Route>| Row {
        method: Some(route.method.clone()),
        name: route.text.clone(),
        link: link::route(route),
        info: html(&route.about),
    };
    let rows = plans.iter().filter_map(|plan| plan.route.as_ref()).map(row).collect();
    page(StatusCode::OK, &List { title: "Routes", column: "Route", rows })
}

/// Returns the routes of the wanted scripts.
pub(super) fn links(directory: &Directory, wanted: impl Fn(&Plan) -> bool) -> Vec<RouteLink> {
    let plans = directory.routes().all();
    let routes = plans.iter().filter(|plan| wanted(plan)).filter_map(|plan| plan.route.as_ref());
    let link = |route: &Arc<Route>| RouteLink { path: route.text.clone(), method: route.method.clone(), link: link::route(route) };
    routes.map(link).collect()
}

#[derive(Template)]
#[template(path = "route.html")]
struct RoutePage<'r> {
    path: &'r str,
    method: &'r str,
    info: String,
    parameters: Vec<Parameter>,
    encoders: &'r [Codec],
    tables: Vec<(String, String)>,
}

struct Parameter {
    name: String,
    place: &'static str,
    required: bool,
    default: Option<String>,
}

/// Answers with one route.
pub(in crate::server) fn route(directory: &Directory, path: &str, method: &str) -> Response {
    let plans = directory.routes().all();
    let is_meant = |route: &Route| (route.text == path || route.path == path) && link::method(&route.method) == link::method(method);
    let found = plans.iter().find_map(|plan| Some((plan, plan.route.as_ref().filter(|route| is_meant(route))?)));
    let Some((plan, route)) = found else {
        let failure = QueryError::new("no_such_route", format!("No such route {method} {path}")).hint("/api lists those that there are");
        return problem(&failure);
    };
    let default = |name: &str| route.default(name).map(|default| text(&default.written));
    let in_path = route.parts().filter_map(|(_, name)| name).map(|(name, _)| Parameter {
        name: name.to_owned(),
        place: "path",
        required: true,
        default: None,
    });
    let in_query = route.query.iter().map(|parameter| Parameter {
        name: parameter.name.clone(),
        place: "query",
        required: parameter.required,
        default: default(&parameter.parameter),
    });
    let tables = plan.uses().iter().map(|name| (name.to_string(), link::table(name))).collect();
    let parameters = in_path.chain(in_query).collect();
    let (path, method, info) = (&route.text, &route.method, html(&route.about));
    page(StatusCode::OK, &RoutePage { path, method, info, parameters, encoders: &route.encoders, tables })
}
