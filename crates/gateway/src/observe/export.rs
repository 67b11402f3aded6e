//! Spans to a collector, by OTLP over HTTP in Protocol Buffers. OpenTelemetry's variables name the
//! target: `OTEL_EXPORTER_OTLP_ENDPOINT`, and those for headers and the name of the service.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{HttpExporterBuilderSet, SpanExporter, SpanExporterBuilder, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracerProvider, Tracer};
use rustls::{ClientConfig, RootCertStore};
use tokio::runtime::{Handle, Runtime};
use tokio::time::timeout;
use tracing::Subscriber;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::registry::LookupSpan;

/// Default name of the service.
const SERVICE: &str = "polywire";

/// The variable that names the collector.
const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

/// The variable for traces alone, with the whole path.
const TRACES_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

/// The longest time for a collector to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest answer of a collector, in bytes.
const ANSWER: usize = 64 << 10;

/// Sends spans, on threads of its own. Dropping it sends the waiting spans, which blocks.
pub struct Export {
    spans: SdkTracerProvider,
    runtime: Option<Runtime>,
}

impl Export {
    /// Makes an export to the collector that the environment names; `None` if it names none.
    ///
    /// # Errors
    /// The environment names no valid collector.
    pub fn new() -> Result<Option<Export>, String> {
        let is_named = |name| std::env::var_os(name).is_some_and(|value: std::ffi::OsString| !value.is_empty());
        if !is_named(ENDPOINT) && !is_named(TRACES_ENDPOINT) {
            return Ok(None);
        }
        Export::with(SpanExporter::builder().with_http()).map(Some)
    }

    /// Makes an export to the collector at `url`, without its path.
    ///
    /// # Errors
    /// The collector is invalid.
    pub fn to(url: &str) -> Result<Export, String> {
        Export::with(SpanExporter::builder().with_http().with_endpoint(format!("{url}/v1/traces")))
    }

    fn with(builder: SpanExporterBuilder<HttpExporterBuilderSet>) -> Result<Export, String> {
        let mut threads = tokio::runtime::Builder::new_multi_thread();
        let runtime = threads.worker_threads(1).thread_name("trace-export").enable_all().build().map_err(|error| error.to_string())?;
        let client = Courier { client: Client::builder(TokioExecutor::new()).build(connector()?), runtime: runtime.handle().clone() };
        let exporter = builder.with_http_client(client).build().map_err(|error| error.to_string())?;
        let mut resource = Resource::builder();
        if std::env::var_os("OTEL_SERVICE_NAME").is_none() {
            resource = resource.with_service_name(SERVICE);
        }
        let spans = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource.build()).build();
        Ok(Export { spans, runtime: Some(runtime) })
    }

    /// Returns the layer that takes spans from the program.
    pub fn layer<S: Subscriber + for<'span> LookupSpan<'span>>(&self) -> OpenTelemetryLayer<S, Tracer> {
        tracing_opentelemetry::layer().with_tracer(self.spans.tracer(SERVICE))
    }

    /// Sends the waiting spans, and goes on.
    ///
    /// # Errors
    /// The collector does not take them.
    pub fn flush(&self) -> Result<(), String> {
        self.spans.force_flush().map_err(|error| error.to_string())
    }
}

impl Drop for Export {
    fn drop(&mut self) {
        // Nobody is left who could get the error.
        let _ = self.spans.shutdown();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Makes the exporter's requests on another runtime, since its thread has none.
#[derive(Debug)]
struct Courier {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    runtime: Handle,
}

impl HttpClient for Courier {
    fn send_bytes<'life, 'future>(
        &'life self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'future>>
    where
        'life: 'future,
        Self: 'future,
    {
        let client = self.client.clone();
        let sent = self.runtime.spawn(async move {
            let exchange = async {
                let (parts, body) = client.request(request.map(Full::new)).await?.into_parts();
                let body = Limited::new(body, ANSWER).collect().await?.to_bytes();
                Ok(Response::from_parts(parts, body))
            };
            timeout(PATIENCE, exchange).await?
        });
        Box::pin(async move { sent.await? })
    }
}

fn connector() -> Result<HttpsConnector<HttpConnector>, String> {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = builder.map_err(|error| error.to_string())?.with_root_certificates(roots).with_no_client_auth();
    Ok(HttpsConnectorBuilder::new().with_tls_config(config).https_or_http().enable_http1().build())
}
