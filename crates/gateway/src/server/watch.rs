//! What is counted, logged and traced of each request: at the end of its answer, whatever made it, or when its caller leaves.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::{Instant, SystemTime};

use axum::body::Body;
use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use http::header::SERVER;
use http::{HeaderName, HeaderValue, Method, StatusCode, Uri};
use http_body::{Frame, SizeHint};
use polywire_ql::route::Route;
use tracing::{Instrument, Span};

use super::gateway::Gateway;
use super::run::PARTIAL;
use super::{answer, socket};
use crate::observe::{Answered, Line, trace};

/// Stands for the paths that nothing has.
const UNKNOWN: &str = "(unknown)";

/// Stands for the paths of WebSocket connections.
const SOCKET: &str = "(socket)";

/// Stands for the paths of requests that could not be read.
const UNREADABLE: &str = "(unreadable)";

/// What the account of a request says of a caller who left before there was an answer, as servers commonly do. Nobody gets it.
const LEFT: u16 = 499;

/// Names the program too (specification 12).
const POWERED_BY: HeaderName = HeaderName::from_static("x-powered-by");

/// Which program answers.
const PROGRAM: &str = concat!("polywire/", env!("CARGO_PKG_VERSION"));

/// In a request: a place for the route that answers it, which is known before there is an answer, or none.
#[derive(Clone, Default)]
pub(super) struct By(Arc<OnceLock<Arc<Route>>>);

impl By {
    /// Notes the route.
    pub fn set(&self, route: Arc<Route>) {
        // One request has one route.
        let _ = self.0.set(route);
    }
}

/// In an answer: requests to services that were made for it.
#[derive(Clone, Copy)]
pub(super) struct Requests(pub u64);

/// The numbers of the gateway.
pub(super) async fn metrics(State(gateway): State<Arc<Gateway>>) -> Response {
    answer::reply(StatusCode::OK, crate::observe::MEDIA_TYPE, Body::from(gateway.metrics_text()))
}

/// Goes around every request.
pub(super) async fn watched(State(gateway): State<Arc<Gateway>>, mut request: Request, next: Next) -> Response {
    let (begin, time) = (Instant::now(), SystemTime::now());
    let span = trace::request(request.method(), request.uri(), request.headers());
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let extensions = request.extensions();
    let address = extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0);
    let matched = extensions.get::<MatchedPath>().cloned();
    let upgrade = socket::is_asked_for(&request);
    let place = match matched {
        _ if upgrade => Place::Fixed(SOCKET),
        Some(path) => Place::Matched(path),
        // The index, where no route has its path.
        None if uri.path() == "/" => Place::Fixed("/"),
        None => Place::Fixed(UNKNOWN),
    };
    let by = By::default();
    request.extensions_mut().insert(by.clone());
    let mut account = Account {
        gateway: gateway.clone(),
        begin,
        time,
        span: span.clone(),
        method: Some(method),
        uri: Some(uri),
        address,
        place,
        by,
        status: StatusCode::from_u16(LEFT).unwrap_or(StatusCode::BAD_REQUEST),
        partial: false,
        id: None,
        requests: 0,
        bytes: 0,
    };
    let response = async {
        match upgrade {
            true => socket::open(gateway, request).await,
            false => next.run(request).await,
        }
    };
    let mut response = response.instrument(span).await;
    if account.gateway.directory().settings.powered_by {
        for name in [SERVER, POWERED_BY] {
            response.headers_mut().entry(name).or_insert(HeaderValue::from_static(PROGRAM));
        }
    }
    let headers = response.headers();
    account.status = response.status();
    account.partial = headers.contains_key(PARTIAL);
    account.id = headers.get(account.gateway.id_header()).cloned();
    account.requests = response.extensions().get::<Requests>().map_or(0, |requests| requests.0);
    response.map(|inner| Body::new(Watched { inner, account }))
}

/// Closes the account of bytes that no request could be made of, and that were answered before the interface saw them.
pub(super) fn refused(gateway: Arc<Gateway>, address: SocketAddr, status: StatusCode) {
    drop(Account {
        gateway,
        begin: Instant::now(),
        time: SystemTime::now(),
        span: Span::none(),
        method: None,
        uri: None,
        address: Some(address),
        place: Place::Fixed(UNREADABLE),
        by: By::default(),
        status,
        partial: false,
        id: None,
        requests: 0,
        bytes: 0,
    });
}

/// What answers, if no route does.
enum Place {
    Matched(MatchedPath),
    Fixed(&'static str),
}

impl Place {
    fn name(&self) -> &str {
        match self {
            Place::Matched(path) => path.as_str(),
            Place::Fixed(name) => name,
        }
    }
}

/// What is known of a request and its answer. Dropping it closes the account.
struct Account {
    gateway: Arc<Gateway>,
    begin: Instant,
    time: SystemTime,
    span: Span,
    method: Option<Method>,
    uri: Option<Uri>,
    address: Option<SocketAddr>,
    place: Place,
    by: By,
    status: StatusCode,
    partial: bool,
    id: Option<HeaderValue>,
    requests: u64,
    bytes: u64,
}

impl Drop for Account {
    fn drop(&mut self) {
        let elapsed = self.begin.elapsed();
        let route = self.by.0.get().map_or_else(|| self.place.name(), |route| &route.path);
        self.gateway.metrics().answered(&Answered {
            route,
            method: self.method.as_ref(),
            status: self.status,
            elapsed,
            bytes: self.bytes,
            partial: self.partial,
        });
        if let Some(method) = &self.method {
            trace::answered(&self.span, method, route, self.status.as_u16(), self.requests);
        }
        if let Some(log) = self.gateway.access_log() {
            log.write(Line {
                time: self.time,
                address: self.address,
                method: self.method.take(),
                uri: self.uri.take(),
                status: self.status.as_u16(),
                bytes: self.bytes,
                elapsed,
                id: self.id.take(),
                route: route.into(),
                requests: self.requests,
            });
        }
    }
}

/// A body whose bytes are counted.
struct Watched {
    inner: Body,
    account: Account,
}

impl http_body::Body for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.inner).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(data) = frame.data_ref()
        {
            self.account.bytes += data.len() as u64;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
