//! Certificates and keys from files: of services, of the gateway as their caller, of the cache
//! server, and of the gateway itself.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use polywire_gateway::cache::remote::{Remote, Trust};
use polywire_gateway::cache::{Entry, Store};
use polywire_gateway::exchange::certificates::{Identity, certificates};
use polywire_gateway::exchange::client::{Client, Parts};
use polywire_gateway::exchange::error::ErrorKind;
use polywire_gateway::exchange::message::Request;
use polywire_gateway::exchange::options::Options;
use polywire_gateway::server::{Listening, Start, tls};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;

use crate::caller::{caller_with, loopback};
use crate::folder::Folder;
use crate::protocols;
use crate::redis_server::{Server, free_port};
use crate::serving::Serving;

/// A certificate of `localhost` that is its own authority, as files.
fn identity(folder: &Folder, name: &str) -> Identity {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let (certificate, key) = (format!("{name}.pem"), format!("{name}.key"));
    folder.write(&certificate, made.cert.pem()).write(&key, made.signing_key.serialize_pem());
    Identity { certificate: folder.path().join(certificate), key: folder.path().join(key) }
}

fn trusting(root: &Path) -> Options {
    Options { root_certificates: Some(root.to_owned()), ..loopback() }
}

#[tokio::test]
async fn a_service_that_asks_who_calls() {
    let folder = Folder::new();
    let (service, gateway, stranger) = (identity(&folder, "service"), identity(&folder, "gateway"), identity(&folder, "stranger"));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut known = RootCertStore::empty();
    known.add(certificates(&gateway.certificate).unwrap().remove(0)).unwrap();
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(known), provider.clone()).build().unwrap();
    let (chain, key) = service.read().unwrap();
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = builder.with_client_cert_verifier(verifier).with_single_cert(chain, key).unwrap();
    let (port, _) = protocols::server(Some(TlsAcceptor::from(Arc::new(config)))).await;
    let request = Request::get(format!("https://localhost:{port}/").parse().unwrap());
    let options = Options { client_certificate: Some(gateway), ..trusting(&service.certificate) };
    assert_eq!(caller_with(options.clone(), Parts::default()).send(&request).await.unwrap().body.len(), 500_000);
    for client_certificate in [None, Some(stranger)] {
        let caller = caller_with(Options { client_certificate, ..options.clone() }, Parts::default());
        assert!(matches!(caller.failure(&request).await, ErrorKind::Tls { .. } | ErrorKind::Closed { .. }));
    }
    let caller = caller_with(Options { root_certificates: None, ..options }, Parts::default());
    assert!(matches!(caller.failure(&request).await, ErrorKind::Tls { .. }));
}

#[test]
fn files_that_are_none() {
    let folder = Folder::new();
    let one = identity(&folder, "a");
    folder.write("empty.pem", "");
    for wrong in ["empty.pem", "a.key", "missing.pem"] {
        let error = Client::new(trusting(&folder.path().join(wrong)), Parts::default()).err().expect("it holds no certificate");
        assert!(error.contains(wrong) && !error.contains("PRIVATE"), "{error}");
    }
    let other = identity(&folder, "b");
    let mixed = Identity { key: other.key, ..one.clone() };
    assert!(tls(&mixed).unwrap_err().to_string().contains("a.pem"));
    assert!(tls(&Identity { key: one.certificate.clone(), ..one }).unwrap_err().to_string().contains("no private key"));
    // Below the folder of the tables, unless they begin at the root.
    let config = r#"{"rootCertificates": "ca.pem", "clientCertificate": {"certificate": "/etc/c.pem", "key": "c.key"}}"#;
    let mut options: Options = serde_json::from_str(config).unwrap();
    options.files_in(Path::new("/srv"));
    assert_eq!(options.root_certificates.unwrap(), Path::new("/srv/ca.pem"));
    let expected = Identity { certificate: "/etc/c.pem".into(), key: "/srv/c.key".into() };
    assert_eq!(options.client_certificate.unwrap(), expected);
}

#[tokio::test]
async fn redis_with_tls() {
    let folder = Folder::new();
    let (server, gateway) = (identity(&folder, "server"), identity(&folder, "gateway"));
    let port = free_port();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (certificate, key, authority) = (text(&server.certificate), text(&server.key), text(&gateway.certificate));
    let number = port.to_string();
    let settings = ["--port", "0", "--tls-port", &number, "--tls-cert-file", &certificate, "--tls-key-file", &key];
    let _redis = Server::start_with(port, &[settings.as_slice(), &["--tls-ca-cert-file", &authority]].concat()).await;
    let url = format!("rediss://localhost:{port}");
    let trust = Trust { roots: Some(server.certificate), identity: Some(gateway) };
    let store = Remote::new(&url, &trust).unwrap();
    let entry = Arc::new(Entry { status: StatusCode::OK, headers: HeaderMap::new(), body: Bytes::from_static(b"kept"), made: false });
    store.put("k", entry.clone(), Duration::from_secs(60)).await.unwrap();
    assert_eq!(store.get("k").await, Ok(Some(entry)));
    // A server that nobody vouches for is a cache that is down.
    assert!(Remote::new(&url, &Trust { roots: None, ..trust.clone() }).unwrap().get("k").await.is_err());
    assert!(Remote::new(&format!("redis://localhost:{port}"), &trust).unwrap().get("k").await.is_err());
    assert!(Remote::new(&url, &Trust { roots: Some(folder.path().join("missing")), ..trust }).is_err());
}

#[tokio::test]
async fn callers_with_tls() {
    let folder = Folder::new();
    let identity = identity(&folder, "gateway");
    let listening = Listening { tls: Some(tls(&identity).unwrap()), head: Duration::from_secs(1), ..Listening::default() };
    let serving = Serving::start(&folder, Start::default(), listening).await.unwrap();
    let port = serving.address.port();
    let caller = caller_with(trusting(&identity.certificate), Parts::default());
    let request = Request::get(format!("https://localhost:{port}/healthz").parse().unwrap());
    assert_eq!(caller.send(&request).await.unwrap().body, "ok\n");
    // A silent caller, or one without TLS, is cut off, and others are served.
    for begin in ["", "GET /healthz HTTP/1.1\r\n\r\n"] {
        let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut stream, begin.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let _ = tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut answer).await;
        assert!(!answer.starts_with(b"HTTP"));
    }
    assert_eq!(caller.send(&request).await.unwrap().body, "ok\n");
}

#[tokio::test]
async fn a_certificate_that_is_replaced() {
    let folder = Folder::new();
    let (shown, other) = (identity(&folder, "shown"), identity(&folder, "other"));
    let first = folder.path().join("first.pem");
    fs::copy(&shown.certificate, &first).unwrap();
    let tls = tls(&shown).unwrap();
    let listening = Listening { tls: Some(tls.clone()), ..Listening::default() };
    let serving = Serving::start(&folder, Start::default(), listening).await.unwrap();
    let request = Request::get(format!("https://localhost:{}/healthz", serving.address.port()).parse().unwrap());
    // Returns true if a new caller trusts the certificate it is shown.
    let trusts = async |root: &Path| caller_with(trusting(root), Parts::default()).send(&request).await.is_ok();
    let connected = caller_with(trusting(&first), Parts::default());
    assert!(connected.send(&request).await.is_ok());
    assert_eq!(serving.gateway.metrics().connections.value(), 1);
    assert!(!tls.reload().unwrap(), "it is the same");

    // The certificate is there before its key.
    fs::copy(&other.certificate, &shown.certificate).unwrap();
    assert!(tls.reload().unwrap_err().to_string().contains("shown.pem"));
    assert!(trusts(&first).await && !trusts(&other.certificate).await);
    fs::copy(&other.key, &shown.key).unwrap();
    assert!(tls.reload().unwrap());
    assert!(!trusts(&first).await && trusts(&other.certificate).await);
    assert!(connected.send(&request).await.is_ok(), "a connection goes on");

    folder.write("shown.key", "");
    assert!(tls.reload().unwrap_err().to_string().contains("shown.key"));
    assert!(trusts(&other.certificate).await);
}
