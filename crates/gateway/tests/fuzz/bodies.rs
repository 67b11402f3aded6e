//! The bodies of the fuzz targets.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_ENCODING;
use http::{HeaderMap, HeaderValue};
use polywire_core::Limits;
use polywire_doc::{Datum, View};
use polywire_gateway::decode;
use polywire_gateway::exchange::bounds::Bounds;
use polywire_gateway::exchange::client::{Client, Parts};
use polywire_gateway::exchange::error::ErrorKind;
use polywire_gateway::exchange::message::Request;
use polywire_gateway::exchange::options::Options;
use polywire_gateway::exchange::{coding, head};

/// The longest reply that is let through.
const LIMIT: u64 = 10_000;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// A service that sends these bytes and closes: there is a reply within the limits, or an error,
/// and soon.
pub fn reply(data: &[u8]) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let data = data.to_vec();
    // As many connections as there can be redirects.
    let service = std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let mut request = [0; 4096];
            if stream.read(&mut request).unwrap_or(0) == 0 || request.starts_with(b"DELETE") {
                return;
            }
            let _ = stream.write_all(&data);
        }
    });
    let options = Options { allow_private: vec![format!("127.0.0.1:{port}")], max_response_length: LIMIT, ..Options::default() };
    runtime().block_on(async {
        let client = Client::new(options.clone(), Parts { policy: options.policy().unwrap(), ..Parts::default() }).unwrap();
        let request = Request::get(format!("http://127.0.0.1:{port}/").parse().unwrap());
        match client.send(&request, &Bounds::new(Some(Duration::from_secs(60)), 1)).await {
            Ok(response) => assert!(response.body.len() as u64 <= LIMIT),
            Err(error) => assert!(*error.kind() != ErrorKind::Deadline, "{error}"),
        }
    });
    // Ends the service.
    let _ = std::net::TcpStream::connect(("127.0.0.1", port)).and_then(|mut stream| stream.write_all(b"DELETE"));
    service.join().unwrap();
}

/// Any bytes, by any coding: no more than the limit, here and aside.
pub fn codings(data: &[u8]) {
    runtime().block_on(async {
        for name in ["gzip", "deflate", "br", "zstd", "gzip, deflate"] {
            let mut headers = HeaderMap::from_iter([(CONTENT_ENCODING, HeaderValue::from_static(name))]);
            if let Ok(body) = coding::decode(&mut headers, Bytes::copy_from_slice(data), LIMIT, data.len() % 2 * LIMIT as usize).await {
                assert!(body.len() as u64 <= LIMIT && (headers.is_empty() || data.is_empty()));
            }
        }
    });
}

/// Any bytes as a body of several parts: few parts, all bytes of which were sent.
pub fn parts(data: &[u8]) {
    let body = Bytes::copy_from_slice(data);
    for kind in ["mixed", "form-data", "related; start=\"<r>\""] {
        let content_type = format!("multipart/{kind}; boundary=b");
        match decode::content(&body, Some(&content_type), &Limits::DEFAULT) {
            Ok(content) => {
                let length = |part: &Datum| match part.view().get("body").map(|body| body.view()) {
                    Some(View::Text(text)) => text.len(),
                    Some(View::Bytes(bytes)) => bytes.len(),
                    other => panic!("a part without a body: {other:?}"),
                };
                let length: usize = content.parts.iter().map(length).sum();
                assert!(content.body.is_some() && content.parts.len() < 1000 && length <= data.len());
            }
            Err(error) => assert!(!error.what().is_empty()),
        }
    }
}

/// A head that is read is written as it was understood.
pub fn head(data: &[u8]) {
    let Some((status, headers, length)) = head::read(data) else { return };
    assert!(length <= data.len());
    let mut written = Vec::new();
    head::write(status, &headers, &mut written);
    assert_eq!(head::read(&written), Some((status, headers, written.len())));
}
