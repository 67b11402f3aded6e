//! Connections: limits, slow callers, graceful shutdown.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use http::StatusCode;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tower_service::Service;

use super::activity::{Activity, Open};
use super::caller::Peer;
use super::gateway::Gateway;
use super::tls::Tls;
use super::watch;
use super::wire::Wire;

/// The limits of connections.
#[derive(Debug, Clone)]
pub struct Listening {
    /// The most connections at a time; more wait to be accepted.
    pub connections: usize,
    /// The longest time from a connection to the end of its first head, TLS included.
    pub head: Duration,
    /// The longest time from an answer to the end of the next head, and for any byte of an answer
    /// to be taken. It is longer than the 60 s that nginx keeps idle connections to its upstreams:
    /// the side that closes first does not run into the other's request.
    pub idle: Duration,
    /// The longest head, in bytes.
    pub head_bytes: usize,
    /// The longest time for answers in flight at shutdown. It is longer than the deadline of an
    /// answer, unless that is set.
    pub grace: Duration,
    /// The gateway that accounts for connections, and for bytes without a request.
    pub account: Option<Arc<Gateway>>,
    /// Certificate and key, where callers speak TLS.
    pub tls: Option<Arc<Tls>>,
}

impl Default for Listening {
    fn default() -> Listening {
        Listening {
            connections: 20_000,
            head: Duration::from_secs(10),
            idle: Duration::from_secs(75),
            head_bytes: 64 << 10,
            grace: Duration::from_secs(65),
            account: None,
            tls: None,
        }
    }
}

/// Serves callers until `stop` is done, then answers requests in flight.
///
/// # Errors
/// Connections can't be accepted any more.
pub async fn listen(listener: TcpListener, router: Router, options: Listening, stop: impl Future<Output = ()>) -> io::Result<()> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(options.idle).max_buf_size(options.head_bytes);
    // The gateway sends no pings: their answers would move bytes, and keep unused connections open.
    builder.http2().timer(TokioTimer::new()).max_header_list_size(options.head_bytes as u32);
    let builder = Arc::new(builder);
    let room = Arc::new(Semaphore::new(options.connections));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = async {
            // Never closed.
            let place = room.clone().acquire_owned().await.ok();
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut stop => break,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) if is_passing(&error) => {
                // Too many open files, or the caller has gone: others may be served.
                tokio::time::sleep(Duration::from_millis(5)).await;
                continue;
            }
            Err(error) => return Err(error),
        };
        let _ = stream.set_nodelay(true);
        let peer = Peer::new(address, stream.local_addr().ok());
        let (builder, watcher, activity) = (builder.clone(), graceful.watcher(), Activity::default());
        let (tls, account) = (options.tls.as_ref().map(|tls| tls.acceptor()), options.account.clone());
        let service = TowerToHyperService::new(With { router: router.clone(), peer, activity: activity.clone() });
        let counted = account.as_ref().map(|gateway| gateway.metrics().connections.enter());
        let serving = {
            let activity = activity.clone();
            // Boxed, and not copied into each future around it.
            Box::pin(async move {
                let Ok(wire) = shake(stream, tls.as_ref(), activity.clone()).await else { return };
                let served = watcher.watch(builder.serve_connection_with_upgrades(TokioIo::new(wire), service)).await;
                // Other errors of a connection are the caller's affair.
                let status = match activity.is_foreign() {
                    true => Some(StatusCode::BAD_REQUEST),
                    false => served.err().and_then(|error| refused(&*error)),
                };
                if let (Some(gateway), Some(status)) = (account, status) {
                    watch::refused(gateway, address, status);
                }
            })
        };
        tokio::spawn(async move {
            activity.bound(options.head, options.idle, serving).await;
            drop((place, counted));
        });
    }
    drop(listener);
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(options.grace) => {}
    }
    Ok(())
}

async fn shake(stream: TcpStream, tls: Option<&TlsAcceptor>, activity: Activity) -> io::Result<Wire> {
    match tls {
        Some(tls) => Ok(Wire::tls(tls.accept(stream).await?, activity)),
        None => Ok(Wire::plain(stream, activity)),
    }
}

/// Returns the status that hyper has answered with by itself, for bytes that were no request.
fn refused(error: &(dyn std::error::Error + 'static)) -> Option<StatusCode> {
    let error = error.downcast_ref::<hyper::Error>().filter(|error| error.is_parse() && !error.is_parse_version_h2())?;
    // It answers 414 only for a target beyond 64 KB, which is longer than a head may be.
    Some(if error.is_parse_too_large() { StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE } else { StatusCode::BAD_REQUEST })
}

fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted, WouldBlock};
    // EMFILE and ENFILE have no kind of their own.
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted | WouldBlock)
        || matches!(error.raw_os_error(), Some(23 | 24))
}

/// The router, with the caller in each request.
#[derive(Clone)]
struct With {
    router: Router,
    peer: Peer,
    activity: Activity,
}

impl Service<http::Request<hyper::body::Incoming>> for With {
    type Response = axum::response::Response;
    type Error = std::convert::Infallible;
    type Future = Working<<Router as Service<http::Request<hyper::body::Incoming>>>::Future>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: http::Request<hyper::body::Incoming>) -> Self::Future {
        let open = self.activity.request();
        request.extensions_mut().insert(self.peer.clone());
        Working { answer: self.router.call(request), open: Some(open) }
    }
}

/// An answer in the making.
struct Working<F> {
    answer: F,
    open: Option<Open>,
}

impl<F: Future + Unpin> Future for Working<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let answer = ready!(Pin::new(&mut self.answer).poll(cx));
        if let Some(open) = self.open.take() {
            open.answered();
        }
        Poll::Ready(answer)
    }
}
