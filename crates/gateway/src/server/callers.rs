//! The caller of each request and its rate, looked at before the request is answered.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::extract::Request;
use axum::response::Response;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Either};
use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue};
use polywire_doc::Datum;
use polywire_ql::error::QueryError;
use tower_layer::Layer;
use tower_service::Service;

use super::caller::Peer;
use super::gateway::Gateway;
use super::notes::CalledBy;
use super::{admission, answer};
use crate::callers::identity::Identity;
use crate::callers::rates::Counted;
use crate::secrets::same;

/// The rate that an answer was counted by.
const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Requests that are left.
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// A caller that may go on.
pub(super) struct Admitted {
    pub identity: Arc<Identity>,
    /// The rate that leaves it the fewest requests.
    counted: Option<Counted>,
}

/// Finds out who sent a request, and counts it. Notes the caller in the request.
///
/// # Errors
/// It shows no good key or token, or comes too often: the answer.
pub(super) async fn admit(gateway: &Gateway, parts: &mut Parts) -> Result<Admitted, Box<Response>> {
    let callers = gateway.callers();
    let peer = parts.extensions.get::<Peer>().map(|peer| peer.address);
    // Addresses first: signatures cost time.
    let by_address = callers.limiter.address(peer, &parts.headers).await;
    refuse(by_address)?;
    let identity = match has_token(gateway, &parts.headers) {
        true => Identity::default(),
        false => callers.known.identify(&parts.headers).await.map_err(|failure| unknown(&failure))?,
    };
    let identity = Arc::new(identity);
    parts.extensions.insert(identity.clone());
    let Some(name) = &identity.name else { return Ok(Admitted { identity, counted: by_address }) };
    if let Some(note) = parts.extensions.get::<CalledBy>() {
        // One request has one caller.
        let _ = note.0.set(name.clone());
    }
    let by_name = callers.limiter.caller(name, identity.rate).await;
    refuse(by_name)?;
    let counted = by_name.into_iter().chain(by_address).min_by_key(|counted| counted.verdict.left);
    Ok(Admitted { identity, counted })
}

/// Counts a further script of a caller that keeps its connection.
///
/// # Errors
/// It sends them too often.
pub(super) async fn again(gateway: &Gateway, identity: &Identity) -> Result<(), QueryError> {
    let Some(name) = &identity.name else { return Ok(()) };
    match gateway.callers().limiter.caller(name, identity.rate).await {
        Some(counted) if counted.verdict.left.is_none() => Err(too_often(&counted)),
        _ => Ok(()),
    }
}

/// Returns true for a request with the token of `adHoc`, which is no token of an issuer.
fn has_token(gateway: &Gateway, headers: &HeaderMap) -> bool {
    let directory = gateway.directory();
    let expected = directory.settings.ad_hoc.token.as_deref();
    expected.zip(admission::shown(headers)).is_some_and(|(expected, shown)| same(expected.as_bytes(), shown.as_bytes()))
}

fn refuse(counted: Option<Counted>) -> Result<(), Box<Response>> {
    let Some(counted) = counted.filter(|counted| counted.verdict.left.is_none()) else { return Ok(()) };
    let mut response = answer::of_failure(&too_often(&counted));
    describe(&counted, response.headers_mut());
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(counted.seconds()));
    Err(Box::new(response))
}

fn too_often(counted: &Counted) -> QueryError {
    let rate = counted.rate;
    let message = format!(
        "the {} makes too many requests: {} in {} s are allowed, {} of them at once",
        counted.by,
        rate.requests,
        rate.seconds,
        rate.most()
    );
    QueryError::new("rate_limited", message)
        .status(429)
        .hint(format!("try again in {} s; `rates` in config.json has the rates", counted.seconds()))
        .detail("retryAfter", Datum::UInt(counted.seconds()))
}

fn unknown(failure: &QueryError) -> Box<Response> {
    let mut response = answer::of_failure(failure);
    if failure.parts().status == 401 {
        // RFC 9110 11.6.1, RFC 6750 3.
        let challenge = if failure.parts().code == "bad_token" { "Bearer error=\"invalid_token\"" } else { "Bearer" };
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    }
    Box::new(response)
}

fn describe(counted: &Counted, headers: &mut HeaderMap) {
    for (name, text) in [(POLICY, counted.policy()), (LIMIT, counted.state())] {
        if let Ok(value) = HeaderValue::try_from(text) {
            headers.insert(name, value);
        }
    }
}

/// Lets requests of callers through who may ask.
#[derive(Clone)]
pub(super) struct Known(pub Arc<Gateway>);

impl<S> Layer<S> for Known {
    type Service = Knowing<S>;

    fn layer(&self, inner: S) -> Knowing<S> {
        Knowing { gateway: self.0.clone(), inner }
    }
}

/// Answers requests of callers who may ask.
#[derive(Clone)]
pub(super) struct Knowing<S> {
    gateway: Arc<Gateway>,
    inner: S,
}

impl<S> Service<Request> for Knowing<S>
where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send + Unpin + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Either<S::Future, BoxFuture<'static, Result<Response, Infallible>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let callers = self.gateway.callers();
        let path = request.uri().path();
        let probed = path == "/healthz" || self.gateway.is_health(&self.gateway.directory(), path);
        if probed || !(callers.known.are_asked() || callers.limiter.by_address()) {
            return Either::Left(self.inner.call(request));
        }
        // The clone is not ready; this one is.
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        let gateway = self.gateway.clone();
        let answer = async move {
            let (mut parts, body) = request.into_parts();
            let admitted = match admit(&gateway, &mut parts).await {
                Ok(admitted) => admitted,
                Err(response) => return Ok(*response),
            };
            let mut response = inner.call(Request::from_parts(parts, body)).await?;
            if let Some(counted) = admitted.counted {
                describe(&counted, response.headers_mut());
            }
            Ok(response)
        };
        Either::Right(answer.boxed())
    }
}
