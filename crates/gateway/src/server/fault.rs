//! Faults of the server itself (specification 12): the caller is told, and the connection goes on.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use futures_util::FutureExt;
use http::StatusCode;

use super::answer;

/// Turns a panic into an answer with status 500.
pub(super) async fn caught(request: Request, next: Next) -> Response {
    let accept = answer::accept(request.headers()).map(str::to_owned);
    // A request owns what it works on; what requests share is behind locks that go on after a panic.
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        Err(panic) => told(&*panic, accept.as_deref()),
    }
}

fn told(panic: &(dyn Any + Send), accept: Option<&str>) -> Response {
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
    use tower_service::Service;

    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let faulty = || async {
            if true {
                panic!("a fault of {}", "ours")
            }
        };
        let mut router: Router = Router::new().route("/", get(faulty)).layer(axum::middleware::from_fn(caught));
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
