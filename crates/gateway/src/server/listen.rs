//! Connections: limits, slow callers, graceful shutdown.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tower_service::Service;

use crate::observe::Gauge;

/// What connections may take.
#[derive(Debug, Clone)]
pub struct Listening {
    /// Connections at a time; more wait to be accepted.
    pub connections: usize,
    /// The longest time for the head of a request.
    pub head: Duration,
    /// The longest head, in bytes.
    pub head_bytes: usize,
    /// How long answers under way may take when it shuts down.
    pub grace: Duration,
    /// Counts the connections that are open.
    pub open: Gauge,
}

impl Default for Listening {
    fn default() -> Listening {
        Listening {
            connections: 20_000,
            head: Duration::from_secs(10),
            head_bytes: 64 << 10,
            grace: Duration::from_secs(30),
            open: Gauge::default(),
        }
    }
}

/// Serves callers until `stop` is done, then answers what is under way.
///
/// # Errors
/// Connections can't be accepted any more.
pub async fn listen(listener: TcpListener, router: Router, options: Listening, stop: impl Future<Output = ()>) -> io::Result<()> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(options.head).max_buf_size(options.head_bytes).pipeline_flush(true);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(options.head_bytes as u32)
        .keep_alive_interval(Some(Duration::from_secs(60)));
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
        let service = TowerToHyperService::new(With { router: router.clone(), address });
        let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service).into_owned();
        let connection = graceful.watch(connection);
        let counted = options.open.enter();
        tokio::spawn(async move {
            // What goes wrong on a connection is the caller's affair.
            let _ = connection.await;
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

fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted, WouldBlock};
    // EMFILE and ENFILE have no kind of their own.
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted | WouldBlock)
        || matches!(error.raw_os_error(), Some(23 | 24))
}

/// The router, with the caller's address in each request.
#[derive(Clone)]
struct With {
    router: Router,
    address: SocketAddr,
}

impl Service<http::Request<hyper::body::Incoming>> for With {
    type Response = axum::response::Response;
    type Error = std::convert::Infallible;
    type Future = <Router as Service<http::Request<hyper::body::Incoming>>>::Future;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: http::Request<hyper::body::Incoming>) -> Self::Future {
        request.extensions_mut().insert(ConnectInfo(self.address));
        self.router.call(request)
    }
}
