//! Spans of requests, with fields by the semantic conventions of OpenTelemetry. No field holds a
//! header, a body, or a query with secrets. Without a subscriber, a span costs the reading of one
//! number.

use http::{HeaderMap, Method, Uri};
use polywire_hooks::{LogRecord, LogSink, Severity};
use tracing::Span;
use tracing::field::Empty;

/// The target of the log messages that hooks write.
pub const HOOK_LOG: &str = "polywire_hooks::log";

/// Opens the span of a caller's request. It continues the trace that the headers name.
pub(crate) fn request(method: &Method, uri: &Uri, headers: &HeaderMap) -> Span {
    let span = tracing::info_span!(
        "request",
        otel.kind = "server",
        http.request.method = %method,
        url.path = uri.path(),
        http.route = Empty,
        http.response.status_code = Empty,
        polywire.backend_requests = Empty,
    );
    if !span.is_disabled() {
        propagation::join(&span, headers);
    }
    span
}

/// Records the outcome of a request.
pub(crate) fn answered(span: &Span, method: &Method, route: &str, status: u16, requests: u64) {
    if !span.is_disabled() {
        propagation::name(span, method, route);
        span.record("http.route", route);
        span.record("http.response.status_code", status);
        span.record("polywire.backend_requests", requests);
        span.in_scope(|| tracing::info!("answered"));
    }
}

/// Returns the sink of hooks' messages: the log, at their severity.
pub(crate) fn hook_log() -> LogSink {
    LogSink::new(|record| {
        let LogRecord { severity, message, hook, module } = record;
        match severity {
            Severity::Error => tracing::error!(target: HOOK_LOG, hook, module, "{message}"),
            Severity::Warn => tracing::warn!(target: HOOK_LOG, hook, module, "{message}"),
            Severity::Info => tracing::info!(target: HOOK_LOG, hook, module, "{message}"),
        }
    })
}

/// Adds the current trace to the headers of a request to a service.
pub(crate) fn pass_on(headers: &mut HeaderMap) {
    propagation::pass_on(headers);
}

#[cfg(feature = "opentelemetry")]
mod propagation {
    use http::{HeaderMap, Method};
    use opentelemetry::propagation::TextMapPropagator;
    use opentelemetry::trace::TraceContextExt;
    use opentelemetry_http::{HeaderExtractor, HeaderInjector};
    use opentelemetry_sdk::propagation::TraceContextPropagator;
    use tracing::Span;
    use tracing_opentelemetry::OpenTelemetrySpanExt;

    /// Continues the trace of the caller (W3C Trace Context).
    pub fn join(span: &Span, headers: &HeaderMap) {
        let context = TraceContextPropagator::new().extract(&HeaderExtractor(headers));
        if context.span().span_context().is_valid() {
            // It fails where no collector is named, and then nothing is lost.
            let _ = span.set_parent(context);
        }
    }

    /// Names a span by its route, which is known at its end only, when the field for the name has
    /// no effect any more.
    pub fn name(span: &Span, method: &Method, route: &str) {
        span.context().span().update_name(format!("{method} {route}"));
    }

    pub fn pass_on(headers: &mut HeaderMap) {
        let span = Span::current();
        if !span.is_disabled() {
            TraceContextPropagator::new().inject_context(&span.context(), &mut HeaderInjector(headers));
        }
    }
}

#[cfg(not(feature = "opentelemetry"))]
mod propagation {
    use http::{HeaderMap, Method};
    use tracing::Span;

    pub fn join(_: &Span, _: &HeaderMap) {}

    pub fn name(_: &Span, _: &Method, _: &str) {}

    pub fn pass_on(_: &mut HeaderMap) {}
}
