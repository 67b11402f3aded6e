//! `show` and `describe` (docs/spec/ql.md 7.7).

use std::sync::Arc;

use polywire_doc::{Datum, View};

use super::environment::Catalog;
use super::run::Run;
use crate::error::QueryError;
use crate::link;
use crate::markdown::html;
use crate::plan::Plan;
use crate::route::Route;
use crate::table::{Action, Codec};

impl Run<'_> {
    pub(super) fn show_tables(&self) -> Datum {
        Datum::list(self.environment.catalog.tables().iter().map(|table| {
            Datum::object([
                ("name", Datum::Text(table.name.clone())),
                ("about", Datum::from(link::table(&table.name))),
                ("info", Datum::from(html(&table.about))),
            ])
        }))
    }

    pub(super) fn show_routes(&self) -> Datum {
        let mut routes: Vec<Arc<Plan>> = self.environment.catalog.routes();
        routes.sort_by_cached_key(|plan| plan.route.as_ref().map(|route| (route.text.to_lowercase(), route.method.clone())));
        Datum::list(routes.iter().filter_map(|plan| plan.route.as_ref()).map(|route| Datum::object(route_members(route))))
    }

    pub(super) fn describe_table(&self, name: &str) -> Result<Datum, QueryError> {
        let Some(table) = self.table(name) else {
            return Err(QueryError::new("no_such_table", format!("No such table {name}")).hint("show tables lists those that there are"));
        };
        let mut members = vec![
            ("name", Datum::Text(table.name.clone())),
            ("about", Datum::from(link::table(name))),
            ("info", Datum::from(html(&table.about))),
        ];
        let uses = |plan: &Arc<Plan>| plan.uses().iter().any(|used| **used == *name);
        let routes: Vec<Datum> = self
            .environment
            .catalog
            .routes()
            .iter()
            .filter(|plan| uses(plan))
            .filter_map(|plan| plan.route.as_ref())
            .map(|route| Datum::from(link::route(route)))
            .collect();
        if !routes.is_empty() {
            members.push(("routes", Datum::from(routes)));
        }
        let catalog = self.environment.catalog;
        members.extend(table.actions().map(|action| (action.verb.name(), describe_action(action, catalog))));
        Ok(Datum::object(members))
    }

    pub(super) fn describe_route(&self, path: &str, method: &str) -> Result<Datum, QueryError> {
        let routes = self.environment.catalog.routes();
        let has = |plan: &&Arc<Plan>| {
            plan.route
                .as_ref()
                .is_some_and(|route| (route.text == path || route.path == path) && link::method(&route.method) == link::method(method))
        };
        let found = routes.iter().find(has).and_then(|plan| Some((plan, plan.route.as_ref()?)));
        let Some((plan, route)) = found else {
            return Err(
                QueryError::new("no_such_route", format!("No such route {method} {path}")).hint("show routes lists those that there are")
            );
        };
        let tables = plan.uses().iter().map(|name| Datum::from(link::table(name))).collect::<Vec<Datum>>();
        let mut members = route_members(route);
        let others =
            routes.iter().filter_map(|plan| plan.route.as_ref()).filter(|other| other.text == route.text && other.method != route.method);
        members.extend([("tables", Datum::from(tables)), ("related", Datum::list(others.map(|other| Datum::from(link::route(other)))))]);
        if !route.encoders.is_empty() {
            members.push(("encoders", Datum::list(route.encoders.iter().map(describe_codec))));
        }
        Ok(Datum::object(members))
    }
}

fn describe_action(action: &Action, catalog: &dyn Catalog) -> Datum {
    let parameters = action.uri.iter().flat_map(|uri| uri.parameters()).map(|parameter| {
        let mut members = vec![("variable", Datum::from(parameter.name.as_str()))];
        if parameter.required {
            members.push(("required", Datum::Bool(true)));
        }
        if parameter.several {
            members.push(("multivalued", Datum::Bool(true)));
        }
        members.extend(parameter.most.map(|most| ("max", Datum::UInt(most as u64))));
        if parameter.block {
            members.push(("merge", Datum::from("block")));
        }
        let default = action.defaults.iter().find(|(name, _)| **name == *parameter.name);
        members.extend(default.map(|(name, default)| ("default", shown_default(catalog, name, &default.written))));
        Datum::object(members)
    });
    let mut members = vec![
        ("method", Datum::from(link::method(&action.method))),
        ("uri", Datum::from(catalog.shown_uri(&action.uri_text))),
        ("params", Datum::list(parameters)),
        (
            "headers",
            Datum::object(action.headers_text.iter().map(|(name, value)| (name.as_str(), Datum::from(catalog.shown_value(name, value))))),
        ),
    ];
    if let Some(body) = &action.body {
        let foreach = body.foreach.as_deref().map(|name| ("foreach", Datum::from(name)));
        let known = [("type", Datum::from(body.media.as_str())), ("content", Datum::from(body.template.as_str()))];
        members.push(("body", Datum::object(known.into_iter().chain(foreach))));
    }
    members.extend(action.asking());
    Datum::object(members)
}

/// Returns the default of a parameter as it may be shown.
fn shown_default(catalog: &dyn Catalog, name: &str, written: &Datum) -> Datum {
    match written.view().view() {
        View::Text(text) => Datum::from(catalog.shown_value(name, text)),
        _ => written.clone(),
    }
}

fn describe_codec(codec: &Codec) -> Datum {
    let known = [("format", Some(&codec.format)), ("schema", codec.schema.as_ref()), ("message", codec.message.as_ref())];
    Datum::object(known.into_iter().filter_map(|(name, value)| Some((name, Datum::from(value?.as_str())))))
}

fn route_members(route: &Route) -> Vec<(&'static str, Datum)> {
    vec![
        ("path", Datum::from(route.text.as_str())),
        ("method", Datum::from(link::method(&route.method))),
        ("about", Datum::from(link::route(route))),
        ("info", Datum::from(html(&route.about))),
    ]
}
