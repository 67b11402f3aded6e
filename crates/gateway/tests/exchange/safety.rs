//! Where the gateway does not go.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use polywire_gateway::exchange::client::Parts;
use polywire_gateway::exchange::connect::Resolve;
use polywire_gateway::exchange::error::ErrorKind;
use polywire_gateway::exchange::message::Request;
use polywire_gateway::exchange::options::Options;
use polywire_gateway::exchange::policy::{Policy, Refusal};

use crate::backend::{Backend, ok, reply};
use crate::caller::{caller, caller_with, loopback};

/// Knows names of its own; each question gets the next of the answers.
struct Names {
    known: HashMap<&'static str, Vec<Vec<&'static str>>>,
    asked: AtomicUsize,
}

impl Names {
    fn knowing(name: &'static str, answers: &[&[&'static str]]) -> Arc<dyn Resolve> {
        let known = HashMap::from([(name, answers.iter().map(|answer| answer.to_vec()).collect())]);
        Arc::new(Names { known, asked: AtomicUsize::new(0) })
    }
}

impl Resolve for Names {
    fn resolve(&self, name: &str) -> Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>> {
        let nth = self.asked.fetch_add(1, Ordering::SeqCst);
        let answer = self.known.get(name).map(|answers| &answers[nth.min(answers.len() - 1)]);
        let answer = answer.map(|addresses| addresses.iter().map(|address| SocketAddr::new(address.parse().unwrap(), 0)).collect());
        Box::pin(async move { answer.ok_or_else(|| io::Error::other("no such name")) })
    }
}

fn refused(kind: &ErrorKind) -> bool {
    matches!(kind, ErrorKind::Refused(Refusal::Address { .. }))
}

#[tokio::test]
async fn a_redirect_inwards() {
    let inside = Backend::new(|_| ok("secret")).await;
    for target in [
        "http://127.0.0.1:PORT/",
        "http://[::ffff:127.0.0.1]:PORT/",
        "http://localhost:PORT/",
        "http://127.1:PORT/",
        "http://2130706433:PORT/",
        "http://169.254.169.254/",
    ] {
        let target = target.replace("PORT", &inside.port.to_string());
        let location = format!("Location: {target}");
        let outside = Backend::at("127.0.0.2:0", move |_| vec![reply(302, &[&location], "")]).await;
        // The outside is a network that is allowed; names and other hosts may be called where they
        // are public.
        let options =
            Options { allow: vec!["*:*".to_owned()], allow_networks: vec!["127.0.0.2/32".parse().unwrap()], ..Options::default() };
        let caller = caller_with(options, Parts::default());
        let request = Request::get(format!("http://127.0.0.2:{}/", outside.port).parse().unwrap());
        let kind = caller.failure(&request).await;
        assert!(refused(&kind), "{target}: {kind:?}");
        assert_eq!((outside.asked().len(), caller.counts().refused), (1, 1), "{target}");
    }
    assert_eq!(inside.connections(), 0);
}

#[tokio::test]
async fn a_redirect_to_a_host_that_nobody_named() {
    let other = Backend::new(|_| ok("")).await;
    let location = format!("Location: {}", other.uri("/"));
    let backend = Backend::new(move |_| vec![reply(302, &[&location], "")]).await;
    let options = Options { allow_private: vec![format!("127.0.0.1:{}", backend.port)], ..Options::default() };
    let caller = caller_with(options, Parts::default());
    let kind = caller.failure(&Request::get(backend.uri("/"))).await;
    assert!(matches!(kind, ErrorKind::Refused(Refusal::Host { .. })), "{kind:?}");
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn a_name_that_leads_inwards() {
    let inside = Backend::new(|_| ok("secret")).await;
    for address in ["127.0.0.1", "::ffff:127.0.0.1", "0.0.0.0", "::1"] {
        let options = Options { allow: vec!["api.example:*".to_owned()], ..Options::default() };
        let parts = Parts { resolver: Some(Names::knowing("api.example", &[&[address]])), ..Parts::default() };
        let caller = caller_with(options, parts);
        let request = Request::get(format!("http://api.example:{}/", inside.port).parse().unwrap());
        assert!(refused(&caller.failure(&request).await), "{address}");
        // A refusal is no fault of the network: once is enough.
        assert_eq!(caller.counts().retries, 0);
    }
    assert_eq!(inside.connections(), 0);
}

#[tokio::test]
async fn a_name_that_leads_elsewhere_the_second_time() {
    let inside = Backend::new(|_| ok("secret")).await;
    let outside = Backend::at(&format!("127.0.0.2:{}", inside.port), |_| vec![reply(200, &["connection: close"], "public")]).await;
    let options =
        Options { allow: vec!["api.example:*".to_owned()], allow_networks: vec!["127.0.0.2/32".parse().unwrap()], ..Options::default() };
    let answers: [&[&str]; 2] = [&["127.0.0.1", "127.0.0.2"], &["127.0.0.1"]];
    let caller = caller_with(options, Parts { resolver: Some(Names::knowing("api.example", &answers)), ..Parts::default() });
    let request = Request::get(format!("http://api.example:{}/", inside.port).parse().unwrap());
    // The allowed one of two addresses.
    assert_eq!(caller.send(&request).await.unwrap().body, "public");
    assert!(refused(&caller.failure(&request).await));
    assert_eq!((inside.connections(), outside.connections()), (0, 1));
}

#[tokio::test]
async fn nobody_is_called_by_default_and_tables_may_change() {
    let backend = Backend::new(|_| ok("")).await;
    let caller = caller_with(Options::default(), Parts::default());
    let request = Request::get(backend.uri("/"));
    assert!(matches!(caller.failure(&request).await, ErrorKind::Refused(Refusal::Host { .. })));
    caller.client.set_policy(loopback().policy().unwrap());
    assert!(caller.send(&request).await.is_ok());
    caller.client.set_policy(Policy::default());
    assert!(matches!(caller.failure(&request).await, ErrorKind::Refused(_)));
    assert_eq!(backend.asked().len(), 1);
}

#[tokio::test]
async fn other_schemes() {
    for uri in ["ftp://127.0.0.1/", "/path", "127.0.0.1:80"] {
        assert!(matches!(caller().failure(&Request::get(uri.parse().unwrap())).await, ErrorKind::Refused(Refusal::Scheme)), "{uri}");
    }
}
