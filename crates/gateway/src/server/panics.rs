//! Panics become answers, and the connection goes on (docs/spec/ql.md 12).

use std::any::Any;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http::header::ACCEPT;
use http::{HeaderValue, StatusCode};
use tower_layer::Layer;
use tower_service::Service;

use super::answer;

/// Turns a panic into an answer with status 500.
#[derive(Clone)]
pub(super) struct Catch;

impl<S> Layer<S> for Catch {
    type Service = Caught<S>;

    fn layer(&self, inner: S) -> Caught<S> {
        Caught(inner)
    }
}

/// Answers requests, without panics.
#[derive(Clone)]
pub(super) struct Caught<S>(S);

impl<S> Service<Request> for Caught<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
    S::Future: Unpin,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Catching<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let accept = request.headers().get(ACCEPT).cloned();
        Catching { answer: self.0.call(request), accept }
    }
}

/// An answer in the making.
pub(super) struct Catching<F> {
    answer: F,
    accept: Option<HeaderValue>,
}

impl<F: Future<Output = Result<Response, Infallible>> + Unpin> Future for Catching<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        // A request owns its data; shared data is behind locks that go on after a panic.
        catch_unwind(AssertUnwindSafe(|| Pin::new(&mut this.answer).poll(cx))).unwrap_or_else(|panic| {
            let accept = this.accept.as_ref().and_then(|accept| accept.to_str().ok());
            Poll::Ready(Ok(answered(&*panic, accept)))
        })
    }
}

fn answered(panic: &(dyn Any + Send), accept: Option<&str>) -> Response {
    let what = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    let text = format!("Server Error - {}", what.unwrap_or("unknown"));
    match answer::wants_json(accept) {
        true => answer::error(StatusCode::INTERNAL_SERVER_ERROR, text),
        false => answer::reply(StatusCode::INTERNAL_SERVER_ERROR, answer::PLAIN, Body::from(text)),
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::routing::get;
    use http_body_util::BodyExt;

    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let faulty = || async {
            if true {
                panic!("a fault of {}", "ours")
            }
        };
        let mut router: Router = Router::new().route("/", get(faulty)).layer(Catch);
        for (accept, media, body) in [
            ("*/*", "text/plain; charset=utf-8", "Server Error - a fault of ours"),
            ("application/json", "application/json", r#"{"error":"Server Error - a fault of ours"}"#),
        ] {
            let request = Request::builder().uri("/").header("accept", accept).body(Body::empty()).unwrap();
            let response = router.call(request).await.unwrap();
            assert_eq!(response.status(), 500);
            assert_eq!(response.headers()["content-type"], media);
            assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), body);
        }
    }
}
