//! Parameters of a table's verb, and their sources (docs/spec/ql.md 7.1 step 4).

use std::sync::Arc;

use polywire_doc::{Datum, Ref};

use crate::table::{Action, DefaultValue};
use crate::template::reference::Variables;
use crate::template::text::Missing;
use crate::template::{Lookup, is_present, walk};

/// The request that runs a script.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The parsed body: if it is an object, its members are variables.
    pub body: Option<Datum>,
    /// The body as it was sent, if JSON does not express it: for statements that pass it on.
    pub sent: Option<Sent>,
    /// Parameters of the route: an object.
    pub route: Datum,
    /// Parameters of the query: an object.
    pub query: Datum,
    /// Headers by name in lower case, without those of the connection: an object.
    pub headers: Datum,
    /// The connection: `remoteAddress`.
    pub connection: Datum,
    /// Parts of a multipart body behind the first, which `{req.parts[0]}` refers to.
    pub parts: Vec<Datum>,
}

/// A body as it was sent.
#[derive(Debug, Clone)]
pub struct Sent {
    /// Text or bytes.
    pub body: Datum,
    /// The media type, if one was given.
    pub media: Option<String>,
}

impl Request {
    /// Returns what a script can read rows from besides its own variables: a member of the body,
    /// then a parameter of the route, then `req`.
    pub fn source(&self, name: &str) -> Option<Datum> {
        let member = |of: Ref<'_>| of.get(name).map(Ref::to_datum);
        self.body
            .as_ref()
            .and_then(|body| member(body.view()))
            .or_else(|| member(self.route.view()))
            .or_else(|| (name == "req").then(|| Datum::object([("parts", Datum::from(self.parts.clone()))])))
    }

    /// Returns a weak variable (docs/spec/ql.md 5.1), which `config` hides too: a parameter of the
    /// query, then a header, then `remoteAddress`.
    pub fn weak_variable(&self, name: &str) -> Option<Datum> {
        [&self.query, &self.headers, &self.connection].into_iter().find_map(|layer| layer.view().get(name)).map(Ref::to_datum)
    }
}

/// The sources of a call's parameters, strongest first: the statement, variables, the request's
/// body, its route, its query, its headers, its connection, the table's defaults, the
/// configuration. A missing parameter is looked up in the next source.
pub struct Params<'a> {
    /// Conditions, values, limit and offset, by name.
    pub statement: Vec<(Arc<str>, Datum)>,
    /// Variables of the script.
    pub variables: &'a dyn Variables,
    /// The request that runs the script.
    pub request: &'a Request,
    /// The verb, for its defaults.
    pub action: &'a Action,
    /// The configuration, under the name `config`.
    pub config: &'a Datum,
}

impl Params<'_> {
    /// Returns all parameters in one object, for hooks and body templates.
    pub fn to_datum(&self) -> Datum {
        let mut all = polywire_doc::Object::default();
        all.insert("config", self.config.clone());
        for (name, _) in &self.action.defaults {
            if let Some(value) = self.default(name) {
                all.insert(name.clone(), value);
            }
        }
        let layers = [&self.request.connection, &self.request.headers, &self.request.query, &self.request.route];
        let mut add = |name: Arc<str>, value: Datum| {
            if is_present(value.view()) || all.get(&name).is_none() {
                all.insert(name, value);
            }
        };
        for layer in layers.into_iter().chain(&self.request.body) {
            match layer {
                // Shared names need no copy.
                Datum::Object(object) => object.iter().for_each(|(name, value)| add(name.clone(), value.clone())),
                _ => layer.view().members().for_each(|(name, value)| add(name.into(), value.to_datum())),
            }
        }
        self.variables.all().into_iter().for_each(|(name, value)| add(name, value));
        self.statement.iter().for_each(|(name, value)| add(name.clone(), value.clone()));
        Datum::from(all)
    }

    /// Returns the parameters of the statement in one object.
    pub fn statement_object(&self) -> Datum {
        Datum::object(self.statement.iter().cloned())
    }

    fn default(&self, name: &str) -> Option<Datum> {
        let (_, default) = self.action.defaults.iter().find(|(known, _)| **known == *name)?;
        Some(match &default.value {
            DefaultValue::Value(value) => value.clone(),
            DefaultValue::Text(template) => Datum::from(template.format(&|name: &str| self.given(name), Missing::Drop)),
        })
    }

    /// Returns a parameter from all sources before the defaults.
    fn given(&self, name: &str) -> Option<Datum> {
        let usable = |value: Option<Datum>| value.filter(|value| is_present(value.view()));
        let of_statement = || {
            let exact = self.statement.iter().find(|(known, _)| **known == *name).map(|(_, value)| value.clone());
            exact.or_else(|| {
                let (root, rest) = name.split_once('.')?;
                let (_, value) = self.statement.iter().find(|(known, _)| **known == *root)?;
                walk(value.view(), rest)
            })
        };
        let of_variables = || {
            let (root, rest) = name.split_once('.').unwrap_or((name, ""));
            let value = self.variables.variable(root)?;
            if rest.is_empty() { Some(value) } else { walk(first(value.view()), rest) }
        };
        let layer = |layer: &Datum| usable(walk(layer.view(), name));
        usable(of_statement())
            .or_else(|| usable(of_variables()))
            .or_else(|| self.request.body.as_ref().and_then(layer))
            .or_else(|| layer(&self.request.route))
            .or_else(|| layer(&self.request.query))
            .or_else(|| layer(&self.request.headers))
            .or_else(|| layer(&self.request.connection))
    }
}

fn first(mut value: Ref<'_>) -> Ref<'_> {
    while let Some(item) = value.index(0) {
        value = item;
    }
    value
}

impl Lookup for Params<'_> {
    fn lookup(&self, name: &str) -> Option<Datum> {
        self.given(name)
            .or_else(|| self.default(name).filter(|value| is_present(value.view())))
            .or_else(|| walk(self.config.view(), name.strip_prefix("config.")?))
    }
}

#[cfg(test)]
mod tests {
    use polywire_core::text::diagnostic::Source;

    use super::*;
    use crate::plan::Plan;
    use crate::syntax::ast::VerbKind;
    use crate::testing::{datum, json};

    struct Own;

    impl Variables for Own {
        fn variable(&self, name: &str) -> Option<Datum> {
            (name == "v").then(|| datum(r#"[{"w": "first"}, {"w": "second"}]"#))
        }

        fn all(&self) -> Vec<(Arc<str>, Datum)> {
            vec![("v".into(), Datum::from("variable")), ("s".into(), Datum::from("variable"))]
        }
    }

    #[test]
    fn the_stronger_layer_counts_unless_it_is_empty() {
        let text = "create table t on select get from 'u' using defaults d = 'of {s}', s = 'default', n.m = 7";
        let table = Plan::tables(&Source::new("t", text), &Datum::Null, None).unwrap().remove(0);
        let request =
            Request { query: datum(r#"{"q": "query", "s": "query", "e": "kept"}"#), headers: datum(r#"{"e": ""}"#), ..Request::default() };
        let config = datum(r#"{"k": {"l": 1}}"#);
        let statement =
            vec![("s".into(), Datum::from("given")), ("e".into(), Datum::from("")), ("o".into(), datum(r#"{"p": [{"q": 2}]}"#))];
        let action = table.action(VerbKind::Select).unwrap();
        let params = Params { statement, variables: &Own, request: &request, action, config: &config };
        let found = |name: &str| params.lookup(name).map_or_else(|| "none".into(), |value| json(&value));
        for (name, value) in [
            ("s", r#""given""#),
            ("e", r#""kept""#),
            ("d", r#""of given""#),
            ("n.m", "7"),
            ("o.p.q", "2"),
            ("v.w", r#""first""#),
            ("config.k.l", "1"),
            ("k.l", "none"),
        ] {
            assert_eq!(found(name), value, "{name}");
        }
        assert_eq!(
            json(&params.to_datum()),
            r#"{"config":{"k":{"l":1}},"d":"of given","s":"given","n.m":7,"e":"kept","q":"query","v":"variable","o":{"p":[{"q":2}]}}"#
        );
    }
}
