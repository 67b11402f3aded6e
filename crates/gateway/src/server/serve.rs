//! A gateway from its start to its end: threads, signals, reloading.

use std::io;
use std::net::SocketAddr;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::OptionFuture;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};

use super::files;
use super::gateway::{Gateway, Start};
use super::listen::{Listening, listen};
use super::notice::Notice;
use super::pace::Pace;
use super::router::{monitor, router};
use crate::directory::change::NotReloaded;
use crate::directory::{Directory, Layout, Places};
use crate::observe::Place;

/// How a server runs.
#[derive(Debug, Clone)]
pub struct Serve {
    /// Where tables, routes and the configuration are.
    pub layout: Layout,
    /// Where it listens.
    pub address: SocketAddr,
    /// Where a monitor may ask, if the numbers are to be there and nowhere else.
    pub monitor: Option<SocketAddr>,
    /// Threads that serve; as many as there are processors, if none.
    pub threads: Option<usize>,
    /// Whether changed files are read again.
    pub watch: bool,
    /// Tape, cache and hooks.
    pub start: Start,
    /// Connections.
    pub listening: Listening,
}

/// What a server tells while it runs.
pub enum ServeEvent<'t> {
    /// It listens, with what it has loaded.
    Ready(SocketAddr, &'t Directory),
    /// A monitor may ask.
    Monitored(SocketAddr),
    /// Files changed, and were loaded.
    Reloaded(&'t Directory),
    /// Files changed, and can't be served: everything stays as it was.
    NotReloaded(&'t NotReloaded),
    /// Callers are shown what is in this file now.
    NewCertificate(&'t Path),
    /// Certificate or key changed, and can't be used: what was shown stays in force.
    NoNewCertificate(&'t io::Error),
    /// Changed files may not be noticed.
    NotWatched(&'t io::Error),
    /// It ends, when what is under way is answered.
    Stopping,
}

/// Changes come in crowds: they are waited for so long.
const SETTLE: Duration = Duration::from_millis(200);

/// Scripts under way for each thread before others wait until it is idle: so many that it has work while services answer, so few that their replies stay in its
/// processor's cache.
const FEW: usize = 16;

/// Serves until the process is told to end (SIGINT, SIGTERM). SIGHUP and, if wanted, changed files load directory and certificate again.
///
/// # Errors
/// The directory cannot be read, a setting cannot be, or the address is taken.
pub fn serve(options: &Serve, report: &(dyn Fn(ServeEvent<'_>) + Sync)) -> io::Result<()> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = options.threads {
        builder.worker_threads(threads.max(1));
    }
    let mut start = options.start.clone();
    let threads = options.threads.or_else(|| std::thread::available_parallelism().ok().map(NonZero::get)).unwrap_or(1).max(1);
    start.pace = Pace::new(threads.saturating_mul(FEW));
    let pace = start.pace.clone();
    let runtime = builder.enable_all().on_thread_park(move || pace.idle()).build()?;
    runtime.block_on(async {
        start.hook_threads = start.hook_threads.or(options.threads);
        start.monitored |= options.monitor.is_some();
        let gateway = Arc::new(Gateway::over(options.layout.clone(), start)?);
        // From here on a signal means what is documented, and is not the end of the process.
        let mut hangup = signal(Signal::Hangup)?;
        let mut interrupt = signal(Signal::Interrupt)?;
        let mut terminate = signal(Signal::Terminate)?;
        let (sender, mut changes) = mpsc::channel(1);
        let mut notice = if options.watch { Some(Notice::new(places(options, &gateway), log_of(options), sender)?) } else { None };
        let listener = TcpListener::bind(options.address).await?;
        let monitor_listener = match options.monitor {
            Some(address) => Some(TcpListener::bind(address).await?),
            None => None,
        };
        report(ServeEvent::Ready(listener.local_addr()?, &gateway.directory()));
        if let Some(listener) = &monitor_listener {
            report(ServeEvent::Monitored(listener.local_addr()?));
        }
        let (stop, stopped) = watch::channel(());
        let connections = options.listening.connections.min(files::for_callers());
        let listening = Listening { connections, account: Some(gateway.clone()), ..options.listening.clone() };
        let monitored = OptionFuture::from(
            monitor_listener.map(|listener| listen(listener, monitor(gateway.clone()), listening.clone(), stop_of(stopped.clone()))),
        );
        let serving = listen(listener, router(gateway.clone()), listening, stop_of(stopped));
        let mut served = tokio::spawn(async { tokio::try_join!(serving, monitored.map(Option::transpose)).map(drop) });
        loop {
            tokio::select! {
                Some(()) = changes.recv() => {
                    tokio::time::sleep(SETTLE).await;
                    while changes.try_recv().is_ok() {}
                }
                _ = hangup.recv() => gateway.reopen_access_log(),
                _ = interrupt.recv() => break,
                _ = terminate.recv() => break,
                ended = &mut served => return ended.map_err(io::Error::other)?,
            }
            // What changes from here on is noticed: it may not be read any more.
            look(&mut notice, report, |notice| notice.renew(places(options, &gateway)));
            match gateway.reload() {
                Ok(directory) => report(ServeEvent::Reloaded(&directory)),
                Err(error) => report(ServeEvent::NotReloaded(&error)),
            }
            look(&mut notice, report, |notice| notice.follow(places(options, &gateway)));
            if let Some(tls) = &options.listening.tls {
                match tls.reload() {
                    Ok(true) => report(ServeEvent::NewCertificate(&tls.identity().certificate)),
                    Ok(false) => {}
                    Err(error) => report(ServeEvent::NoNewCertificate(&error)),
                }
            }
        }
        report(ServeEvent::Stopping);
        drop(stop);
        tokio::select! {
            ended = &mut served => ended.map_err(io::Error::other)?,
            // ServeEvent twice: at once.
            _ = interrupt.recv() => Ok(()),
            _ = terminate.recv() => Ok(()),
        }
    })
}

/// Done when the other end of `stopped` is dropped.
async fn stop_of(mut stopped: watch::Receiver<()>) {
    while stopped.changed().await.is_ok() {}
}

/// What is looked at for changes.
fn places(options: &Serve, gateway: &Gateway) -> Places {
    let identity = options.listening.tls.as_ref().map(|tls| tls.identity());
    let files: Vec<&Path> = identity.into_iter().flat_map(|identity| [identity.certificate.as_path(), &identity.key]).collect();
    options.layout.places(gateway.directory().settings.xformers.as_deref(), &files)
}

/// Has a notice look elsewhere, if there is one.
fn look(notice: &mut Option<Notice>, report: &(dyn Fn(ServeEvent<'_>) + Sync), change: impl FnOnce(&mut Notice) -> io::Result<()>) {
    if let Some(Err(error)) = notice.as_mut().map(change) {
        report(ServeEvent::NotWatched(&error));
    }
}

/// The file of the access log, which is there by now.
fn log_of(options: &Serve) -> Option<PathBuf> {
    match &options.start.access_log {
        Some(Place::File(path)) => path.canonicalize().ok(),
        _ => None,
    }
}

enum Signal {
    Hangup,
    Interrupt,
    Terminate,
}

fn signal(signal: Signal) -> io::Result<tokio::signal::unix::Signal> {
    use tokio::signal::unix::{SignalKind, signal as listen_to};
    listen_to(match signal {
        Signal::Hangup => SignalKind::hangup(),
        Signal::Interrupt => SignalKind::interrupt(),
        Signal::Terminate => SignalKind::terminate(),
    })
}
