//! HTTP/2, TLS and proxies.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use http::{Response, Version};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use polywire_gateway::exchange::client::Parts;
use polywire_gateway::exchange::error::ErrorKind;
use polywire_gateway::exchange::message::Request;
use polywire_gateway::exchange::options::Options;
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::backend::{Backend, ok, reply, send};
use crate::caller::{caller_with, loopback, post};

pub type Seen = Arc<Mutex<Vec<(Version, String)>>>;

/// A server of both protocols, with TLS or without, and the requests it got. The body of its
/// replies is long.
pub async fn server(tls: Option<TlsAcceptor>) -> (u16, Seen) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let seen = Seen::default();
    tokio::spawn({
        let seen = seen.clone();
        async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (seen, tls) = (seen.clone(), tls.clone());
                tokio::spawn(async move {
                    let service = service_fn(move |request: http::Request<Incoming>| {
                        let seen = seen.clone();
                        async move {
                            let (head, body) = request.into_parts();
                            body.collect().await.unwrap();
                            seen.lock().unwrap().push((head.version, head.uri.to_string()));
                            Ok::<_, Infallible>(Response::new(Full::new(bytes::Bytes::from(vec![b'x'; 500_000]))))
                        }
                    });
                    let server = auto::Builder::new(TokioExecutor::new());
                    match tls {
                        None => server.serve_connection(TokioIo::new(stream), service).await,
                        Some(tls) => match tls.accept(stream).await {
                            Ok(stream) => server.serve_connection(TokioIo::new(stream), service).await,
                            Err(_) => Ok(()),
                        },
                    }
                });
            }
        }
    });
    (port, seen)
}

fn acceptor(protocols: &[&[u8]]) -> (TlsAcceptor, CertificateDer<'static>) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let certificate = made.cert.der().clone();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut config = builder.with_no_client_auth().with_single_cert(vec![certificate.clone()], key).unwrap();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    (TlsAcceptor::from(Arc::new(config)), certificate)
}

#[tokio::test]
async fn http2_without_tls_where_it_is_known() {
    let (port, seen) = server(None).await;
    let uri = format!("http://127.0.0.1:{port}/x");
    for (hosts, version) in [(vec![], Version::HTTP_11), (vec!["127.0.0.1".to_owned()], Version::HTTP_2)] {
        let caller = caller_with(Options { http2_hosts: hosts, ..loopback() }, Parts::default());
        let request = post(uri.parse().unwrap(), vec![b'y'; 100_000]);
        let calls = (0..20).map(|_| caller.send(&request));
        for reply in futures_util::future::join_all(calls).await {
            assert_eq!(reply.unwrap().body.len(), 500_000);
        }
        assert!(seen.lock().unwrap().drain(..).all(|(seen, _)| seen == version));
        if version == Version::HTTP_2 {
            assert_eq!(caller.counts().connected, 1);
        }
    }
}

#[tokio::test]
async fn tls_negotiates_and_strangers_are_not_trusted() {
    for (protocols, version) in
        [(&[&b"h2"[..], b"http/1.1"][..], Version::HTTP_2), (&[&b"http/1.1"[..]], Version::HTTP_11), (&[], Version::HTTP_11)]
    {
        let (tls, certificate) = acceptor(protocols);
        let (port, seen) = server(Some(tls)).await;
        let request = Request::get(format!("https://localhost:{port}/x").parse().unwrap());
        let caller = caller_with(Options { roots: vec![certificate], ..loopback() }, Parts::default());
        for _ in 0..3 {
            assert_eq!(caller.send(&request).await.unwrap().body.len(), 500_000);
        }
        assert!(seen.lock().unwrap().iter().all(|(seen, _)| *seen == version));
        assert_eq!(caller.counts().connected, 1);
        let kind = caller_with(loopback(), Parts::default()).failure(&request).await;
        assert!(matches!(kind, ErrorKind::Tls { .. }), "{kind:?}");
        // Known, but by another name.
        let other = Request::get(format!("https://127.0.0.1:{port}/x").parse().unwrap());
        assert!(matches!(caller.failure(&other).await, ErrorKind::Tls { .. }));
    }
}

#[tokio::test]
async fn by_a_proxy() {
    let proxy = Backend::new(|_| ok("by proxy")).await;
    let direct = Backend::new(|_| ok("directly")).await;
    let config =
        format!(r#"{{"proxy": {{"*": {{"host": "127.0.0.1", "port": {}}}, "127.0.0.1": {{}}}}, "allow": ["api.example"]}}"#, proxy.port);
    let options = Options { allow_private: vec!["127.0.0.1:*".to_owned()], ..serde_json::from_str(&config).unwrap() };
    let caller = caller_with(options, Parts::default());
    assert_eq!(caller.get("http://api.example/x?y".parse().unwrap()).await.unwrap().body, "by proxy");
    assert!(proxy.asked()[0].head.starts_with("GET http://api.example/x?y HTTP/1.1\r\n"));
    assert_eq!(proxy.asked()[0].header("host"), Some("api.example"));
    assert_eq!(proxy.asked()[0].header("proxy-authorization"), None);
    assert_eq!(caller.get(direct.uri("/")).await.unwrap().body, "directly");
    // A proxy is no way around the policy.
    assert!(matches!(caller.failure(&Request::get("http://other.example/".parse().unwrap())).await, ErrorKind::Refused(_)));
    assert_eq!(proxy.asked().len(), 1);
}

#[tokio::test]
async fn by_a_proxy_that_asks_who_calls() {
    // Plain requests carry the credentials, and tunnels too, which this proxy does not make.
    let proxy = Backend::new(|asked| if asked.head.starts_with("CONNECT") { vec![reply(407, &[], "")] } else { ok("by proxy") }).await;
    let direct = Backend::new(|_| ok("directly")).await;
    let entry = format!(r#"{{"host": "127.0.0.1", "port": {}, "user": "Aladdin", "password": "open sesame"}}"#, proxy.port);
    let config = format!(r#"{{"proxy": {{"*": {entry}, "127.0.0.1": {{}}}}, "allow": ["api.example"]}}"#);
    let options = Options { allow_private: vec!["127.0.0.1:*".to_owned()], ..serde_json::from_str(&config).unwrap() };
    let caller = caller_with(options, Parts::default());
    assert_eq!(caller.get("http://API.example/".parse().unwrap()).await.unwrap().body, "by proxy");
    assert_eq!(caller.get(direct.uri("/")).await.unwrap().body, "directly");
    let error = caller.get("https://api.example/".parse().unwrap()).await.unwrap_err();
    for asked in proxy.asked() {
        assert_eq!(asked.header("proxy-authorization"), Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="));
    }
    assert!(proxy.asked().len() >= 2 && direct.asked()[0].header("proxy-authorization").is_none());
    assert!(!format!("{error:?}").contains("QWxh"), "{error:?}");
}

#[tokio::test]
async fn tls_through_a_proxy() {
    let (tls, certificate) = acceptor(&[b"h2"]);
    let (port, seen) = server(Some(tls)).await;
    let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy_port = proxy.local_addr().unwrap().port();
    let asked = Arc::new(Mutex::new(String::new()));
    tokio::spawn({
        let asked = asked.clone();
        async move {
            let (mut inner, _) = proxy.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(tokio::io::AsyncReadExt::read_u8(&mut inner).await.unwrap());
            }
            *asked.lock().unwrap() = String::from_utf8(head).unwrap();
            inner.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").await.unwrap();
            let mut outer = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            let _ = tokio::io::copy_bidirectional(&mut inner, &mut outer).await;
        }
    });
    let config = format!(r#"{{"proxy": {{"*": {{"host": "127.0.0.1", "port": {proxy_port}}}}}, "allow": ["localhost"]}}"#);
    let options = Options { roots: vec![certificate], ..serde_json::from_str(&config).unwrap() };
    let caller = caller_with(options, Parts::default());
    assert_eq!(caller.get("https://localhost/x".parse().unwrap()).await.unwrap().body.len(), 500_000);
    assert!(asked.lock().unwrap().starts_with("CONNECT localhost:443 HTTP/1.1\r\n"));
    assert_eq!(seen.lock().unwrap()[0].0, Version::HTTP_2);
}

/// A server of HTTP/2 that replies with a body and trailers, and the `te` of each request.
async fn with_trailers() -> (u16, Arc<Mutex<Vec<Option<String>>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let seen = Arc::new(Mutex::new(Vec::new()));
    tokio::spawn({
        let seen = seen.clone();
        async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let seen = seen.clone();
                let service = service_fn(move |request: http::Request<Incoming>| {
                    let te = request.headers().get("te").map(|value| value.to_str().unwrap().to_owned());
                    seen.lock().unwrap().push(te);
                    async move {
                        let mut trailers = http::HeaderMap::new();
                        trailers.insert("grpc-status", http::HeaderValue::from_static("5"));
                        let frames = [http_body::Frame::data(bytes::Bytes::from_static(b"ab")), http_body::Frame::trailers(trailers)];
                        let body = http_body_util::StreamBody::new(futures_util::stream::iter(frames.map(Ok::<_, Infallible>)));
                        Ok::<_, Infallible>(Response::builder().header("content-length", "2").body(body).unwrap())
                    }
                });
                tokio::spawn(async move {
                    auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await.is_ok()
                });
            }
        }
    });
    (port, seen)
}

#[tokio::test]
async fn trailers_are_asked_for_and_come_with_the_headers() {
    let (port, seen) = with_trailers().await;
    let options = Options { http2_hosts: vec!["127.0.0.1".to_owned()], ..loopback() };
    let caller = caller_with(options, Parts::default());
    let mut request = post(format!("http://127.0.0.1:{port}/").parse().unwrap(), "x");
    let response = caller.send(&request).await.unwrap();
    assert_eq!((response.body.as_ref(), response.headers["grpc-status"].as_bytes()), (&b"ab"[..], &b"5"[..]));
    request.headers.insert("content-type", http::HeaderValue::from_static("application/grpc+proto"));
    caller.send(&request).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [None, Some("trailers".to_owned())]);
}

#[tokio::test]
async fn the_connection_of_http1_names_what_it_asks_for() {
    let reply = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nx-end: 1\r\ncontent-type: a/b\r\n\r\n";
    let backend = Backend::new(move |_| vec![send(reply)]).await;
    let mut request = post(backend.uri("/"), "x");
    request.headers.insert("te", http::HeaderValue::from_static("trailers"));
    let response = caller_with(loopback(), Parts::default()).send(&request).await.unwrap();
    assert_eq!((response.body.as_ref(), response.headers["x-end"].as_bytes()), (&b"ab"[..], &b"1"[..]));
    assert!(!response.headers.contains_key("content-type"));
    let asked = &backend.asked()[0];
    assert_eq!((asked.header("te"), asked.header("connection")), (Some("trailers"), Some("te")));
}
