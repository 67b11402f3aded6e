//! The span of an exchange, with fields by the semantic conventions of OpenTelemetry.

use tracing::Span;
use tracing::field::Empty;

use super::error::Error;
use super::message::{Request, Response};
use crate::secrets::Secrets;

/// Opens the span of an exchange with a service.
pub(super) fn open(request: &Request, secrets: &Secrets) -> Span {
    tracing::info_span!(
        "exchange",
        otel.kind = "client",
        http.request.method = %request.method,
        server.address = request.uri.host().unwrap_or_default(),
        url.full = secrets.show(&request.uri),
        polywire.table = &*request.table,
        http.request.resend_count = Empty,
        http.response.status_code = Empty,
        http.response.body.size = Empty,
        error.type = Empty,
    )
}

/// Records the outcome of an exchange.
pub(super) fn record(span: &Span, outcome: &Result<Response, Error>) {
    if span.is_disabled() {
        return;
    }
    let retries = match outcome {
        Ok(response) => {
            span.record("http.response.status_code", response.status.as_u16());
            span.record("http.response.body.size", response.received);
            response.retries
        }
        Err(error) => {
            span.record("error.type", error.code());
            span.in_scope(|| tracing::warn!(%error, "a service gave no reply"));
            error.retries()
        }
    };
    if retries > 0 {
        span.record("http.request.resend_count", retries);
    }
}
