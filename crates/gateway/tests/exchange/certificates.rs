//! Certificates and keys from files: of services, of the gateway as their caller, of the cache server, and of the gateway itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use polywire_gateway::cache::remote::{Remote, Trust};
use polywire_gateway::cache::{Entry, Store};
use polywire_gateway::exchange::certificates::{Identity, certificates};
use polywire_gateway::exchange::client::{Client, Parts};
use polywire_gateway::exchange::error::Kind;
use polywire_gateway::exchange::message::Request;
use polywire_gateway::exchange::options::Options;
use polywire_gateway::server::{Gateway, Listening, Start, listen, router, tls};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::caller::{caller_with, loopback};
use crate::protocols;
use crate::redis_server::{Server, free_port};

/// A folder with identities that ends with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("polywire-certificates-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// A certificate of `localhost` that is its own authority.
    fn identity(&self, name: &str) -> Identity {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let place = |ending: &str| self.0.join(format!("{name}.{ending}"));
        fs::write(place("pem"), made.cert.pem()).unwrap();
        fs::write(place("key"), made.signing_key.serialize_pem()).unwrap();
        Identity { certificate: place("pem"), key: place("key") }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn trusting(root: &Path) -> Options {
    Options { root_certificates: Some(root.to_owned()), ..loopback() }
}

#[tokio::test]
async fn a_service_that_asks_who_calls() {
    let folder = Folder::new("service");
    let (service, gateway, stranger) = (folder.identity("service"), folder.identity("gateway"), folder.identity("stranger"));
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
        assert!(matches!(caller.failure(&request).await, Kind::Tls { .. } | Kind::Closed { .. }));
    }
    let caller = caller_with(Options { root_certificates: None, ..options }, Parts::default());
    assert!(matches!(caller.failure(&request).await, Kind::Tls { .. }));
}

#[test]
fn files_that_are_none() {
    let folder = Folder::new("none");
    let identity = folder.identity("a");
    fs::write(folder.0.join("empty.pem"), "").unwrap();
    for wrong in ["empty.pem", "a.key", "missing.pem"] {
        let error = Client::new(trusting(&folder.0.join(wrong)), Parts::default()).err().expect("it holds no certificate");
        assert!(error.contains(wrong) && !error.contains("PRIVATE"), "{error}");
    }
    let other = folder.identity("b");
    let mixed = Identity { key: other.key, ..identity.clone() };
    assert!(tls(&mixed).unwrap_err().to_string().contains("a.pem"));
    assert!(tls(&Identity { key: identity.certificate.clone(), ..identity }).unwrap_err().to_string().contains("no private key"));
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
    let folder = Folder::new("redis");
    let (server, gateway) = (folder.identity("server"), folder.identity("gateway"));
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
    assert!(Remote::new(&url, &Trust { roots: Some(folder.0.join("missing")), ..trust }).is_err());
}

#[tokio::test]
async fn callers_with_tls() {
    let folder = Folder::new("callers");
    let identity = folder.identity("gateway");
    let gateway = Arc::new(Gateway::new(&folder.0, Start { hook_threads: Some(1), ..Start::default() }).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let listening = Listening { tls: Some(tls(&identity).unwrap()), head: Duration::from_secs(1), ..Listening::default() };
    tokio::spawn(listen(listener, router(gateway), listening, std::future::pending()));
    let caller = caller_with(trusting(&identity.certificate), Parts::default());
    let request = Request::get(format!("https://localhost:{port}/healthz").parse().unwrap());
    assert_eq!(caller.send(&request).await.unwrap().body, "ok\n");
    // Who says nothing, or speaks no TLS, is cut off, and others are served.
    for begin in ["", "GET /healthz HTTP/1.1\r\n\r\n"] {
        let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut stream, begin.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let _ = tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut answer).await;
        assert!(!answer.starts_with(b"HTTP"));
    }
    assert_eq!(caller.send(&request).await.unwrap().body, "ok\n");
}
