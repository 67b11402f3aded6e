//! Account of each request: counts, log and spans, at the end of its answer, or when its caller
//! leaves.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Instant, SystemTime};

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::response::Response;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::header::{ORIGIN, SERVER};
use http::{HeaderName, HeaderValue, Method, StatusCode, Uri};
use http_body::{Frame, SizeHint};
use tower_layer::Layer;
use tower_service::Service;
use tracing::instrument::Instrumented;
use tracing::{Instrument, Span};

use super::caller::Peer;
use super::gateway::Gateway;
use super::notes::{AnsweredBy, CalledBy, PARTIAL, Ran, Requests};
use super::{answer, guard, socket};
use crate::observe::{Answered, Audited, AuditedRequest, Line, trace};

/// Stands for unknown paths.
const UNKNOWN: &str = "(unknown)";

/// Stands for the paths of WebSocket connections.
const SOCKET: &str = "(socket)";

/// Stands for the paths of requests that could not be read.
const UNREADABLE: &str = "(unreadable)";

/// The status in the account of a caller who left before the answer, as in common servers. It is
/// never sent.
const LEFT: u16 = 499;

/// Names the program too (docs/spec/ql.md 12).
const POWERED_BY: HeaderName = HeaderName::from_static("x-powered-by");

/// Name and version of the program.
const PROGRAM: &str = concat!("polywire/", env!("CARGO_PKG_VERSION"));

/// Answers with the metrics.
pub(super) async fn metrics(State(gateway): State<Arc<Gateway>>) -> Response {
    answer::reply(StatusCode::OK, crate::observe::MEDIA_TYPE, Body::from(gateway.metrics_text()))
}

/// Wraps every request.
#[derive(Clone)]
pub(super) struct Watch(pub Arc<Gateway>);

impl<S> Layer<S> for Watch {
    type Service = Watching<S>;

    fn layer(&self, inner: S) -> Watching<S> {
        Watching { gateway: self.0.clone(), inner }
    }
}

/// Answers requests, or opens a WebSocket.
#[derive(Clone)]
pub(super) struct Watching<S> {
    gateway: Arc<Gateway>,
    inner: S,
}

impl<S, B> Service<Request> for Watching<S>
where
    S: Service<Request, Response = http::Response<B>, Error = Infallible>,
    S::Future: Unpin,
    B: http_body::Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<axum::BoxError>,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Working<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        let upgrade = socket::is_asked_for(&request);
        let account = Account::open(&self.gateway, &mut request, upgrade);
        let span = account.span.clone();
        let stopped = guard::stop(&self.gateway, &self.gateway.directory(), &request);
        let work = match (stopped, upgrade) {
            (Some(response), _) => Work::Stopped(Some(response)),
            (None, true) => Work::Socket((Box::pin(socket::open(self.gateway.clone(), request)) as BoxFuture<'_, _>).instrument(span)),
            (None, false) => Work::Route(span.in_scope(|| self.inner.call(request)).instrument(span)),
        };
        Working { work, account: Some(account) }
    }
}

/// An answer in the making.
pub(super) struct Working<F> {
    work: Work<F>,
    account: Option<Account>,
}

enum Work<F> {
    Route(Instrumented<F>),
    Socket(Instrumented<BoxFuture<'static, Response>>),
    /// Answered before anything was done.
    Stopped(Option<Response>),
}

impl<F, B> Future for Working<F>
where
    F: Future<Output = Result<http::Response<B>, Infallible>> + Unpin,
    B: http_body::Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<axum::BoxError>,
{
    type Output = Result<Response, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        match &mut this.work {
            Work::Route(route) => {
                let response = ready!(Pin::new(route).poll(cx))?;
                Poll::Ready(Ok(counted(response, this.account.take())))
            }
            Work::Socket(socket) => {
                let response = ready!(Pin::new(socket).poll(cx));
                Poll::Ready(Ok(counted(response, this.account.take())))
            }
            // A future gives its output once.
            Work::Stopped(response) => Poll::Ready(Ok(counted(response.take().unwrap_or_default(), this.account.take()))),
        }
    }
}

/// Returns an answer whose account is closed when its body has been sent.
fn counted<B>(mut response: http::Response<B>, account: Option<Account>) -> Response
where
    B: http_body::Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<axum::BoxError>,
{
    // A future gives its output once.
    let Some(mut account) = account else { return response.map(Body::new) };
    let directory = account.gateway.directory();
    guard::protect(&directory, account.origin.as_ref(), response.headers_mut());
    if directory.settings.powered_by {
        for name in [SERVER, POWERED_BY] {
            response.headers_mut().entry(name).or_insert(HeaderValue::from_static(PROGRAM));
        }
    }
    let headers = response.headers();
    account.status = response.status();
    account.partial = headers.contains_key(PARTIAL);
    account.id = headers.get(account.gateway.id_header()).cloned();
    account.requests = response.extensions().get::<Requests>().map_or(0, |requests| requests.0);
    account.ran = response.extensions_mut().remove::<Ran>();
    response.map(|inner| Body::new(Watched { inner, account }))
}

/// Accounts for bytes that were no request, and were answered before the interface saw them.
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
        by: AnsweredBy::default(),
        caller: CalledBy::default(),
        status,
        partial: false,
        id: None,
        origin: None,
        requests: 0,
        ran: None,
        bytes: 0,
    });
}

/// The origin of an answer, unless it is a route.
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

/// The facts about a request and its answer. Dropping it closes the account.
struct Account {
    gateway: Arc<Gateway>,
    begin: Instant,
    time: SystemTime,
    span: Span,
    method: Option<Method>,
    uri: Option<Uri>,
    address: Option<SocketAddr>,
    place: Place,
    by: AnsweredBy,
    caller: CalledBy,
    status: StatusCode,
    partial: bool,
    id: Option<HeaderValue>,
    /// The origin of the page that asked.
    origin: Option<HeaderValue>,
    requests: u64,
    ran: Option<Ran>,
    bytes: u64,
}

impl Account {
    /// Opens the account of a request, and puts a place for the route into the request.
    fn open(gateway: &Arc<Gateway>, request: &mut Request, upgrade: bool) -> Account {
        let (begin, time) = (Instant::now(), SystemTime::now());
        let span = trace::request(request.method(), request.uri(), request.headers());
        let extensions = request.extensions();
        let address = extensions.get::<Peer>().map(|peer| peer.address);
        let place = match extensions.get::<MatchedPath>().cloned() {
            _ if upgrade => Place::Fixed(SOCKET),
            Some(path) => Place::Matched(path),
            // The front page, where no route has its path.
            None if request.uri().path() == "/" => Place::Fixed("/"),
            None => Place::Fixed(UNKNOWN),
        };
        let by = AnsweredBy::default();
        request.extensions_mut().insert(by.clone());
        let caller = CalledBy::default();
        request.extensions_mut().insert(caller.clone());
        Account {
            gateway: gateway.clone(),
            begin,
            time,
            span,
            method: Some(request.method().clone()),
            uri: Some(request.uri().clone()),
            address,
            place,
            by,
            caller,
            status: StatusCode::from_u16(LEFT).unwrap_or(StatusCode::BAD_REQUEST),
            partial: false,
            id: None,
            origin: request.headers().get(ORIGIN).cloned(),
            requests: 0,
            ran: None,
            bytes: 0,
        }
    }
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
            caller: self.caller.0.get().map(|name| &**name),
        });
        if let Some(method) = &self.method {
            trace::answered(&self.span, method, route, self.status.as_u16(), self.requests);
        }
        if let Some(log) = &self.gateway.logs().audit {
            let ran = self.ran.take().unwrap_or_default();
            let refused = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN, StatusCode::TOO_MANY_REQUESTS].contains(&self.status);
            if refused || ran.script.is_some() || !ran.writes.is_empty() {
                log.write(Audited::Request(Box::new(AuditedRequest {
                    time: self.time,
                    address: self.address,
                    method: self.method.clone(),
                    uri: self.uri.clone(),
                    status: self.status.as_u16(),
                    id: self.id.clone(),
                    route: route.into(),
                    caller: self.caller.0.get().cloned(),
                    script: ran.script,
                    writes: ran.writes,
                })));
            }
        }
        if let Some(log) = &self.gateway.logs().access {
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
                caller: self.caller.0.get().cloned(),
                requests: self.requests,
            });
        }
    }
}

/// A body whose bytes are counted.
struct Watched<B> {
    inner: B,
    account: Account,
}

impl<B: http_body::Body<Data = Bytes> + Unpin> http_body::Body for Watched<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
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
