//! `show` and `describe` (specification 7.7).

use std::sync::Arc;

use polywire_core::doc::Datum;
use pulldown_cmark::{Event, Parser, html};

use super::run::Run;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::route::Route;
use crate::table::{Action, Default};
use crate::template::uri::encode_component;

impl Run<'_> {
    pub(super) fn show_tables(&self) -> Datum {
        Datum::list(self.environment.catalog.tables().iter().map(|table| {
            Datum::object([
                ("name", Datum::Text(table.name.clone())),
                ("about", Datum::from(table_link(&table.name))),
                ("info", Datum::from(markdown(&table.about))),
            ])
        }))
    }

    pub(super) fn show_routes(&self) -> Datum {
        let mut routes: Vec<Arc<Plan>> = self.environment.catalog.routes();
        routes.sort_by_cached_key(|plan| plan.route.as_ref().map(|route| (route.text.to_lowercase(), route.method.clone())));
        Datum::list(routes.iter().filter_map(|plan| plan.route.as_ref()).map(|route| Datum::object(route_members(route))))
    }

    pub(super) fn describe_table(&self, name: &str) -> Result<Datum, Failure> {
        let Some(table) = self.table(name) else {
            return Err(Failure::new("no_such_table", format!("No such table {name}")).hint("show tables lists those that there are"));
        };
        let mut members = vec![
            ("name", Datum::Text(table.name.clone())),
            ("about", Datum::from(table_link(name))),
            ("info", Datum::from(markdown(&table.about))),
        ];
        let uses = |plan: &Arc<Plan>| plan.uses().iter().any(|used| **used == *name);
        let routes: Vec<Datum> = self
            .environment
            .catalog
            .routes()
            .iter()
            .filter(|plan| uses(plan))
            .filter_map(|plan| plan.route.as_ref())
            .map(|route| Datum::from(route_link(route)))
            .collect();
        if !routes.is_empty() {
            members.push(("routes", Datum::from(routes)));
        }
        members.extend(table.actions().map(|action| (action.verb.name(), describe_action(action))));
        Ok(Datum::object(members))
    }

    pub(super) fn describe_route(&self, path: &str, method: &str) -> Result<Datum, Failure> {
        let routes = self.environment.catalog.routes();
        let has = |plan: &&Arc<Plan>| {
            plan.route
                .as_ref()
                .is_some_and(|route| (route.text == path || route.path == path) && shown_method(&route.method) == shown_method(method))
        };
        let found = routes.iter().find(has).and_then(|plan| Some((plan, plan.route.as_ref()?)));
        let Some((plan, route)) = found else {
            return Err(
                Failure::new("no_such_route", format!("No such route {method} {path}")).hint("show routes lists those that there are")
            );
        };
        let tables = plan.uses().iter().map(|name| Datum::from(table_link(name))).collect::<Vec<Datum>>();
        let mut members = route_members(route);
        members.extend([("tables", Datum::from(tables)), ("related", Datum::list([]))]);
        Ok(Datum::object(members))
    }
}

fn describe_action(action: &Action) -> Datum {
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
        members.extend(default.map(|(_, default)| ("default", default_text(default))));
        Datum::object(members)
    });
    let mut members = vec![
        ("method", Datum::from(shown_method(&action.method))),
        ("uri", Datum::from(action.uri_text.as_str())),
        ("params", Datum::list(parameters)),
        ("headers", Datum::object(action.headers_text.iter().map(|(name, value)| (name.as_str(), Datum::from(value.as_str()))))),
    ];
    if let Some(body) = &action.body {
        let foreach = body.foreach.as_deref().map(|name| ("foreach", Datum::from(name)));
        let known = [("type", Datum::from(body.media.as_str())), ("content", Datum::from(body.template.as_str()))];
        members.push(("body", Datum::object(known.into_iter().chain(foreach))));
    }
    Datum::object(members)
}

fn default_text(default: &Default) -> Datum {
    match default {
        Default::Value(value) => value.clone(),
        Default::Text(template) => Datum::from(template.format(&|_: &str| None, crate::template::text::Missing::Keep)),
    }
}

fn route_members(route: &Route) -> Vec<(&'static str, Datum)> {
    vec![
        ("path", Datum::from(route.text.as_str())),
        ("method", Datum::from(shown_method(&route.method))),
        ("about", Datum::from(route_link(route))),
        ("info", Datum::from(markdown(&route.about))),
    ]
}

fn table_link(name: &str) -> String {
    format!("/table?name={}", encode_component(name))
}

fn route_link(route: &Route) -> String {
    format!("/route?path={}&method={}", encode_component(&route.text), shown_method(&route.method))
}

fn shown_method(method: &str) -> &str {
    if method == "delete" { "del" } else { method }
}

/// Markdown as HTML. Tags in it are text: a script that anyone sends may have comments.
pub(super) fn markdown(text: &str) -> String {
    let events = Parser::new(text).map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        event => event,
    });
    let mut out = String::new();
    html::push_html(&mut out, events);
    out.truncate(out.trim_end().len());
    out
}
