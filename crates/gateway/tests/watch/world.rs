//! A gateway with a folder, and a service behind it.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use polywire_gateway::observe::Place;
use polywire_gateway::server::{Gateway, Listening, LogPlaces, Start};
use serde_json::{Value, json};

use crate::folder::Folder;
use crate::mock::Mock;
use crate::serving::Serving;

pub struct World {
    pub gateway: Arc<Gateway>,
    pub mock: Arc<Mock>,
    pub folder: Folder,
    /// Host and port of the gateway.
    pub at: String,
    serving: Serving,
}

pub struct Answered {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl World {
    /// A gateway with the table `items` (hooked by a module that says nothing), the table `gone`
    /// that nobody answers, `slow` that is answered late, `bad` whose hook throws, `busy` whose
    /// hook never ends, and three routes.
    pub async fn new(config: Value) -> World {
        let items = json!({"items": [{"id": 1, "title": "lamp", "about": "a lamp"}, {"id": 2, "title": "rug", "about": "a rug"}]});
        let rules = json!([
            {"path": "/items?q=lamp&key=s3cret", "json": items, "headers": {"set-cookie": "s3cret", "x-of": "items"}},
            {"path": "/gone", "drop": true},
            {"path": "/slow", "delay_ms": 60_000},
        ]);
        let (mock, address) = Mock::start(&rules).await;
        let base = format!("http://{address}");
        let folder = Folder::new();
        let table = |name: &str, rest: &str| format!("create table {name} on select get from '{base}{rest}");
        let mut settings = json!({"allowPrivate": ["127.0.0.1:*"], "secretParameters": ["key"]});
        settings.as_object_mut().unwrap().extend(config.as_object().cloned().unwrap_or_default());
        for (name, text) in [
            (
                "tables/items.ql",
                table("items", "/items?q={q}&key={^key}' using defaults key = 's3cret' using patch 'items.js' resultset 'items'"),
            ),
            (
                "tables/items.js",
                "exports['patch uri'] = function (args) { return args.uri; };
                 exports['patch headers'] = function (args) { return args.headers; };
                 exports['patch status'] = function (args) { return args.status; };"
                    .to_owned(),
            ),
            ("tables/bad.ql", table("bad", "/bad' using patch 'bad.js'")),
            ("tables/bad.js", "exports['patch uri'] = function () { throw new Error('bad'); };".to_owned()),
            ("tables/busy.ql", table("busy", "/busy' using patch 'busy.js'")),
            ("tables/busy.js", "exports['patch uri'] = function () { while (true) {} };".to_owned()),
            ("tables/gone.ql", table("gone", "/gone'")),
            ("tables/slow.ql", table("slow", "/slow'")),
            ("routes/find.ql", "return select title from items where q = '{word}' via route '/find/{word}' using method get".to_owned()),
            ("routes/gone.ql", "return select * from gone via route '/lost' using method get".to_owned()),
            ("routes/slow.ql", "return select * from slow via route '/slow/{n}' using method get".to_owned()),
            ("config.json", settings.to_string()),
        ] {
            folder.write(name, text);
        }
        let start = Start {
            logs: LogPlaces {
                access: Some(Place::File(folder.path().join("access.log"))),
                slow: Some(Place::File(folder.path().join("slow.log"))),
                audit: Some(Place::File(folder.path().join("audit.log"))),
            },
            ..Start::default()
        };
        let serving = Serving::start(&folder, start, Listening::default()).await.unwrap();
        let gateway = serving.gateway.clone();
        assert!(gateway.directory().problems.is_empty(), "{}", gateway.directory().problems[0]);
        World { gateway, mock, folder, at: serving.address.to_string(), serving }
    }

    /// Asks the gateway for a path.
    pub async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answered {
        let client = Client::builder(TokioExecutor::new()).build_http();
        let mut request = Request::builder().uri(format!("http://{}{path}", self.at));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, body) = client.request(request.body(Full::new(Bytes::new())).unwrap()).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Answered { status: parts.status.as_u16(), headers: parts.headers, text: String::from_utf8(body.to_vec()).unwrap() }
    }

    /// Sends a script.
    pub async fn ask(&self, script: &str, headers: &[(&str, &str)]) -> Answered {
        self.get(&format!("/q?s={}", encoded(script)), headers).await
    }

    /// Ends the gateway, when all is said.
    pub async fn end(self) -> Folder {
        let World { gateway, folder, serving, .. } = self;
        drop(serving);
        // The last connection lets it go soon after.
        let mut gateway = Some(gateway);
        while let Some(held) = gateway.take() {
            match Arc::try_unwrap(held) {
                Ok(gateway) => tokio::task::spawn_blocking(move || drop(gateway)).await.unwrap(),
                Err(held) => {
                    gateway = Some(held);
                    tokio::task::yield_now().await;
                }
            }
        }
        folder
    }
}

pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
