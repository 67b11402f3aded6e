//! Spans, as a collector gets them.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::trace::v1::Span;
use polywire_gateway::observe::export::Export;
use prost::Message;
use serde_json::json;
use tokio::net::TcpListener;
use tracing_subscriber::layer::SubscriberExt;

use crate::world::World;

type Received = Arc<Mutex<Vec<ExportTraceServiceRequest>>>;

/// Takes what is exported, and gives its URL.
async fn collector(received: Received) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let received = received.clone();
            let service = service_fn(move |request: Request<Incoming>| {
                let received = received.clone();
                async move {
                    assert_eq!(request.uri().path(), "/v1/traces");
                    assert_eq!(request.headers()["content-type"], "application/x-protobuf");
                    let body = request.into_body().collect().await?.to_bytes();
                    received.lock().unwrap().push(ExportTraceServiceRequest::decode(body).expect("OTLP"));
                    Ok::<_, hyper::Error>(Response::new(Full::new(Bytes::new())))
                }
            });
            tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    url
}

fn attribute(span: &Span, name: &str) -> String {
    match span.attributes.iter().find(|attribute| attribute.key == name).and_then(|found| found.value.clone()?.value) {
        Some(Any::StringValue(text)) => text,
        Some(Any::IntValue(number)) => number.to_string(),
        other => panic!("{name}: {other:?} in {span:?}"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_gets_the_spans_and_services_the_trace() {
    let received = Received::default();
    let export = Export::to(&collector(received.clone()).await).unwrap();
    let ours = tracing_subscriber::filter::Targets::new().with_target("polywire", tracing::Level::INFO);
    let layer = tracing_subscriber::Layer::with_filter(export.layer(), ours);
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(layer)).expect("the only one of this process");

    let world = World::new(json!({})).await;
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    assert_eq!(world.get("/find/lamp?key=s3cret", &[("traceparent", parent)]).await.status, 200);
    let sent = world.mock.seen()[0].told(&["traceparent"], true)["headers"]["traceparent"].as_str().unwrap().to_owned();
    world.end().await;
    let flushed = tokio::task::spawn_blocking(move || export.flush().map(|()| export)).await.unwrap();
    tokio::task::spawn_blocking(move || drop(flushed.unwrap())).await.unwrap();

    let batches = received.lock().unwrap();
    let spans: Vec<&Span> =
        batches.iter().flat_map(|batch| &batch.resource_spans).flat_map(|of| &of.scope_spans).flat_map(|of| &of.spans).collect();
    // Other tests of this process may be traced too.
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let named = |name: &str| {
        let found = spans.iter().find(|span| hex(&span.trace_id) == trace && span.name == name);
        *found.unwrap_or_else(|| panic!("{name} is not among {:?}", spans.iter().map(|span| &span.name).collect::<Vec<_>>()))
    };
    let request = named("GET /find/{word}");
    assert_eq!(hex(&request.parent_span_id), "00f067aa0ba902b7");
    assert_eq!(
        (attribute(request, "http.response.status_code"), attribute(request, "polywire.backend_requests")),
        ("200".into(), "1".into())
    );
    let statement = named("statement");
    assert_eq!((&statement.parent_span_id, attribute(statement, "kind")), (&request.span_id, "select".to_owned()));
    let exchange = named("exchange");
    assert_eq!((&exchange.parent_span_id, attribute(exchange, "polywire.table")), (&statement.span_id, "items".to_owned()));
    assert!(attribute(exchange, "url.full").ends_with("/items?q=lamp&key=***"));
    assert_eq!(named("decode").parent_span_id, statement.span_id);
    let hooks: Vec<&&Span> = spans.iter().filter(|span| hex(&span.trace_id) == trace && span.name == "hook").collect();
    let names: Vec<String> = hooks.iter().map(|span| attribute(span, "hook")).collect();
    assert_eq!(names, ["patch module", "patch uri", "patch headers", "patch status"]);
    assert!(hooks.iter().all(|hook| hook.parent_span_id == statement.span_id));
    assert_eq!(sent, format!("00-{trace}-{}-01", hex(&exchange.span_id)), "the service's spans go below the exchange");
    assert!(!format!("{batches:?}").contains("s3cret"));
}
