//! The client of the gateway, for tests.

use std::sync::Arc;

use http::{Method, Uri};
use polywire_gateway::exchange::bounds::Bounds;
use polywire_gateway::exchange::client::{Client, Parts};
use polywire_gateway::exchange::error::{Error, ErrorKind};
use polywire_gateway::exchange::message::{Request, Response};
use polywire_gateway::exchange::options::Options;
use polywire_gateway::observe::{Counters, Snapshot};

/// A client that may call loopback, and what it counted.
pub struct Caller {
    pub client: Client,
    pub bounds: Bounds,
    counters: Arc<Counters>,
}

pub fn loopback() -> Options {
    Options { allow_private: vec!["127.0.0.1:*".to_owned(), "localhost:*".to_owned()], ..Options::default() }
}

pub fn caller() -> Caller {
    caller_with(loopback(), Parts::default())
}

/// With the policy of the options.
pub fn caller_with(options: Options, parts: Parts) -> Caller {
    let counters = Arc::new(Counters::default());
    let parts = Parts { policy: options.policy().unwrap(), observer: Some(counters.clone()), ..parts };
    Caller { client: Client::new(options, parts).unwrap(), bounds: Bounds::default(), counters }
}

impl Caller {
    pub async fn send(&self, request: &Request) -> Result<Response, Error> {
        self.client.send(request, &self.bounds).await
    }

    pub async fn get(&self, uri: Uri) -> Result<Response, Error> {
        self.send(&Request::get(uri)).await
    }

    /// Why a request that must not succeed did not.
    pub async fn failure(&self, request: &Request) -> ErrorKind {
        let error = self.send(request).await.expect_err("there is no reply to be had");
        assert_eq!(error.status(), 502);
        error.kind().clone()
    }

    pub fn counts(&self) -> Snapshot {
        self.counters.snapshot()
    }
}

/// A request that is sent once only.
pub fn once(uri: Uri) -> Request {
    Request { repeatable: false, ..Request::get(uri) }
}

pub fn post(uri: Uri, body: impl Into<bytes::Bytes>) -> Request {
    Request { body: body.into(), ..Request::new(Method::POST, uri) }
}
