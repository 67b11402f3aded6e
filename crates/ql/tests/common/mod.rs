//! A backend in memory: replies by rules, as the shared vectors have them, without a network.
#![allow(dead_code, missing_docs)] // Each test target uses a part of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use polywire_core::text::diagnostic::Source;
use polywire_doc::Datum;
use polywire_ql::backend::{Backend, Call, Reply};
use polywire_ql::error::QueryError;
use polywire_ql::execute::{Catalog, Environment, Execution, execute};
use polywire_ql::files::Files;
use polywire_ql::functions::{Functions, NoFunctions};
use polywire_ql::limits::Limits;
use polywire_ql::observe::{Nobody, Observer};
use polywire_ql::params::Request;
use polywire_ql::plan::Plan;
use polywire_ql::table::Table;
use polywire_ql::template::mutable::MutableUri;
use polywire_ql::template::text::Missing;
use polywire_ql::testing::datum;
use serde_json::{Value, json};

/// Placeholder of the base URL of the backend.
pub const BASE: &str = "http://127.0.0.1:9";

/// A request that reached the backend.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    /// Parts of the reply that are looked at.
    pub wanted: String,
    pub opaque: Option<String>,
    pub parts: usize,
    pub timeout: Option<u64>,
}

/// Replies by rules.
#[derive(Default)]
pub struct Mock {
    pub rules: Vec<Value>,
    pub seen: Mutex<Vec<Seen>>,
    /// How often each reply lets others go first.
    pub yields: usize,
    /// Requests under way, and the most there were at once.
    pub under_way: Mutex<(usize, usize)>,
}

impl Mock {
    pub fn new(rules: &[Value]) -> Mock {
        Mock { rules: rules.to_vec(), ..Mock::default() }
    }

    pub fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.seen.lock().unwrap().iter().map(|seen| format!("{} {}", seen.method, seen.path)).collect();
        paths.sort();
        paths
    }

    async fn reply(&self, method: &str, uri: &str, call: &Call<'_>) -> Reply {
        {
            let mut under_way = self.under_way.lock().unwrap();
            under_way.0 += 1;
            under_way.1 = under_way.1.max(under_way.0);
        }
        for _ in 0..self.yields {
            tokio::task::yield_now().await;
        }
        self.under_way.lock().unwrap().0 -= 1;
        let uri = MutableUri::read(uri);
        let printed = uri.to_string();
        let path = printed.strip_prefix(BASE).unwrap_or(&printed).to_string();
        let headers = call.action.headers.iter().map(|(name, value)| (name.to_lowercase(), value.format(call.params, Missing::Drop)));
        self.seen.lock().unwrap().push(Seen {
            method: method.to_string(),
            path: path.clone(),
            headers: headers.collect(),
            wanted: call.wanted.to_string(),
            opaque: call.opaque.map(|opaque| polywire_ql::testing::json(opaque.value)),
            parts: call.parts.len(),
            timeout: call.tail.timeout,
        });
        let rule = self.rules.iter().find(|rule| {
            rule["method"].as_str().unwrap_or("GET") == method && (rule["path"] == "*" || rule["path"].as_str() == Some(path.as_str()))
        });
        let (status, body) = match rule {
            None => (404, json!({"error": "no rule"})),
            Some(rule) if rule["echo"] == true => (200, echo(method, &uri)),
            Some(rule) => {
                let body = rule.get("json").cloned().or_else(|| match rule["body"].as_str() {
                    Some(text) if text.trim().is_empty() => Some(json!({})),
                    Some(text) => serde_json::from_str(text).ok(),
                    None => None,
                });
                (rule["status"].as_u64().unwrap_or(200), body.unwrap_or_else(|| json!({})))
            }
        };
        let body_text = body.to_string();
        let body = datum(&body_text);
        let outcome = if (200..300).contains(&status) {
            Ok(body)
        } else {
            Err(QueryError::new("upstream_status", format!("the backend replied with status {status}")).upstream(status as u16).body(body))
        };
        Reply {
            method: method.to_string(),
            uri: printed,
            status: status as u16,
            bytes_in: body_text.len() as u64,
            elapsed: Duration::from_millis(1),
            ..Reply::new(outcome)
        }
    }
}

fn echo(method: &str, uri: &MutableUri) -> Value {
    let query: serde_json::Map<String, Value> = uri
        .params()
        .iter()
        .map(|(name, values)| (name.clone(), if let [one] = &values[..] { json!(one) } else { json!(values) }))
        .collect();
    json!({"method": method, "path": uri.base().strip_prefix(BASE).unwrap_or(uri.base()), "query": query, "body": ""})
}

impl Backend for Mock {
    fn call<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Vec<Reply>, QueryError>> {
        Box::pin(async move {
            let method = call.action.method.to_uppercase();
            let uris = call.action.uris(call.params, call.nested.allowed())?;
            call.nested.multiply(uris.len())?;
            Ok(futures_util::future::join_all(uris.iter().map(|uri| self.reply(&method, uri, &call))).await)
        })
    }
}

/// Tables and routes by name.
#[derive(Default)]
pub struct Known {
    pub tables: HashMap<String, Arc<Table>>,
    pub routes: Vec<Arc<Plan>>,
}

impl Catalog for Known {
    fn table(&self, name: &str) -> Option<Arc<Table>> {
        self.tables.get(name).cloned()
    }

    fn tables(&self) -> Vec<Arc<Table>> {
        let mut tables: Vec<Arc<Table>> = self.tables.values().cloned().collect();
        tables.sort_by(|one, other| one.name.cmp(&other.name));
        tables
    }

    fn routes(&self) -> Vec<Arc<Plan>> {
        self.routes.clone()
    }
}

impl Known {
    /// The tables of texts.
    pub fn tables(texts: &[&str], config: &Datum) -> Known {
        let mut known = Known::default();
        for text in texts {
            let tables =
                Plan::tables(&Source::new("table", text.replace("$BASE", BASE)), config, None).unwrap_or_else(|error| panic!("{error}"));
            known.tables.extend(tables.into_iter().map(|table| (table.name.to_string(), table)));
        }
        known
    }
}

/// Everything around a script in a test.
pub struct World {
    pub mock: Mock,
    pub known: Known,
    pub request: Request,
    pub config: Datum,
    pub limits: Limits,
    pub observer: Box<dyn Observer>,
    pub functions: Box<dyn Functions>,
    pub files: Option<Box<dyn Files>>,
}

impl World {
    pub fn new(rules: &[Value]) -> World {
        World {
            mock: Mock::new(rules),
            known: Known::default(),
            request: Request::default(),
            config: datum("{}"),
            limits: Limits::DEFAULT,
            observer: Box::new(Nobody),
            functions: Box::new(NoFunctions),
            files: None,
        }
    }

    pub fn with_tables(mut self, texts: &[&str]) -> World {
        let routes = std::mem::take(&mut self.known.routes);
        self.known = Known { routes, ..Known::tables(texts, &self.config) };
        self
    }

    pub fn plan(&self, script: &str) -> Plan {
        let source = Source::new("script", script.replace("$BASE", BASE));
        Plan::new(&source, &self.config, None).unwrap_or_else(|error| panic!("{error}\n{script}"))
    }

    pub fn execute(&self, plan: &Plan) -> Execution {
        let environment = Environment {
            backend: &self.mock,
            catalog: &self.known,
            files: self.files.as_deref(),
            functions: &*self.functions,
            observer: &*self.observer,
            request: &self.request,
            config: &self.config,
            script_config: &self.config,
            limits: self.limits,
            memory: None,
            only_json: false,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(execute(plan, &environment))
    }

    /// JSON text of the result, or the message of the failure.
    pub fn run(&self, script: &str) -> String {
        match self.execute(&self.plan(script)).result {
            Ok(value) => value.map_or_else(|| "undefined".into(), |value| polywire_ql::testing::json(&value)),
            Err(failure) => format!("failed: {}", failure.parts().message),
        }
    }
}

/// The first error of a script that does not compile, with line and column.
pub fn refused(script: &str) -> (&'static str, usize, usize, String) {
    let source = Source::new("script", script);
    match Plan::new(&source, &datum("{}"), None) {
        Ok(_) => panic!("{script:?} compiles"),
        Err(diagnostics) => {
            let first = &diagnostics.findings[0];
            let (line, column) = source.line_column(first.at.start as usize);
            (first.code, line, column, diagnostics.to_string())
        }
    }
}
