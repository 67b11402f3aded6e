//! Connections to permitted addresses only, directly or by a proxy.
//!
//! Names are resolved here, and addresses that the policy refuses are dropped before connecting.
//! The connected address is checked once more before a byte is sent, and no name is resolved a
//! second time in between.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock};
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower_service::Service;

use super::policy::{Policy, Reach, target};
use super::proxy::Proxies;
use crate::observe::{Event, Observer};

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The interval of TCP keep-alive, which finds dead idle connections.
const PROBE: Duration = Duration::from_secs(60);

/// Finds the addresses of a name.
pub trait Resolve: Send + Sync {
    /// Returns all addresses of `name`; their ports don't count.
    fn resolve(&self, name: &str) -> Boxed<io::Result<Vec<SocketAddr>>>;
}

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct System;

impl Resolve for System {
    fn resolve(&self, name: &str) -> Boxed<io::Result<Vec<SocketAddr>>> {
        let name = name.to_owned();
        Box::pin(async move { Ok(tokio::net::lookup_host((name, 0)).await?.collect()) })
    }
}

/// The parts that all connections share.
pub(crate) struct Rules {
    pub policy: RwLock<Arc<Policy>>,
    pub proxies: Proxies,
    pub resolver: Arc<dyn Resolve>,
    pub connect_timeout: Duration,
    pub observer: Arc<dyn Observer>,
}

impl Rules {
    pub fn policy(&self) -> Arc<Policy> {
        self.policy.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The name of a host led to no address.
#[derive(Debug)]
pub(crate) struct Unresolved(pub String);

impl std::fmt::Display for Unresolved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unresolved {}

/// Opens a connection to a URI's host, or to its proxy.
#[derive(Clone)]
pub(crate) struct Connector(pub Arc<Rules>);

impl Service<Uri> for Connector {
    type Response = Wire;
    type Error = BoxError;
    type Future = Boxed<Result<Wire, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let rules = self.0.clone();
        Box::pin(async move {
            let reach = rules.policy().check(&uri)?;
            let (host, _) = target(&uri).ok_or("the URI has no host")?;
            let Some(proxy) = rules.proxies.of(&host).cloned() else {
                return Dial { rules, reach, proxied: false }.call(uri).await;
            };
            // The configuration names the proxy, so it may be anywhere.
            let mut dial = Dial { rules, reach: Reach::Any, proxied: uri.scheme_str() == Some("http") };
            if dial.proxied {
                return dial.call(proxy.uri).await;
            }
            let tunnel = Tunnel::new(proxy.uri, dial);
            let mut tunnel = match proxy.credentials {
                Some(credentials) => tunnel.with_auth(credentials),
                None => tunnel,
            };
            Ok(tunnel.call(uri).await?)
        })
    }
}

/// Opens a TCP connection to a URI's host at an address within reach.
#[derive(Clone)]
struct Dial {
    rules: Arc<Rules>,
    reach: Reach,
    proxied: bool,
}

impl Service<Uri> for Dial {
    type Response = Wire;
    type Error = BoxError;
    type Future = Boxed<Result<Wire, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let dial = self.clone();
        Box::pin(async move {
            let (host, _) = target(&uri).ok_or("the URI has no host")?;
            let mut tcp = HttpConnector::new_with_resolver(Permitted { dial: dial.clone() });
            tcp.enforce_http(false);
            tcp.set_nodelay(true);
            tcp.set_keepalive(Some(PROBE));
            tcp.set_connect_timeout(Some(dial.rules.connect_timeout));
            let stream = tcp.call(uri).await?;
            let address = stream.inner().peer_addr()?.ip();
            dial.rules.policy().check_address(dial.reach, &host, address)?;
            dial.rules.observer.event(Event::Connected);
            Ok(Wire { stream, proxied: dial.proxied, rules: dial.rules })
        })
    }
}

/// Resolves a name to its permitted addresses.
#[derive(Clone)]
struct Permitted {
    dial: Dial,
}

impl Service<Name> for Permitted {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = BoxError;
    type Future = Boxed<Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let Dial { rules, reach, .. } = self.dial.clone();
        Box::pin(async move {
            let mut addresses = rules.resolver.resolve(name.as_str()).await.map_err(|error| Unresolved(error.to_string()))?;
            let policy = rules.policy();
            let mut refused = None;
            addresses.retain(|address| {
                let checked = policy.check_address(reach, name.as_str(), address.ip());
                let fine = checked.is_ok();
                refused = checked.err().or(refused.take());
                fine
            });
            match refused {
                Some(refusal) if addresses.is_empty() => Err(refusal.into()),
                _ if addresses.is_empty() => Err(Unresolved("the name is known, but has no address".to_owned()).into()),
                _ => Ok(addresses.into_iter()),
            }
        })
    }
}

/// A TCP connection.
pub(crate) struct Wire {
    stream: TokioIo<TcpStream>,
    proxied: bool,
    rules: Arc<Rules>,
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.rules.observer.event(Event::Disconnected);
    }
}

impl Connection for Wire {
    fn connected(&self) -> Connected {
        Connected::new().proxy(self.proxied)
    }
}

impl Read for Wire {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl Write for Wire {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bufs: &[io::IoSlice<'_>]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }
}
