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
use super::pace::{FEW, Pace};
use super::router::{monitor, router};
use crate::directory::change::NotReloaded;
use crate::directory::{Directory, Layout, Places};

/// The options of a server.
#[derive(Debug, Clone)]
pub struct Serve {
    /// The places of tables, routes and the configuration.
    pub layout: Layout,
    /// Its address.
    pub address: SocketAddr,
    /// Address of the monitor, where metrics are served there and nowhere else.
    pub monitor: Option<SocketAddr>,
    /// Threads that serve; by default one for each processor.
    pub threads: Option<usize>,
    /// True if changed files are read again.
    pub watch: bool,
    /// Tape, cache and hooks.
    pub start: Start,
    /// Connections.
    pub listening: Listening,
}

/// Events of a running server.
pub enum ServeEvent<'t> {
    /// It listens, with the loaded directory.
    Ready(SocketAddr, &'t Directory),
    /// The monitor listens.
    Monitored(SocketAddr),
    /// Files changed, and were loaded.
    Reloaded(&'t Directory),
    /// Files changed, and can't be served: everything stays as it was.
    NotReloaded(&'t NotReloaded),
    /// Callers are shown the new certificate of this file.
    NewCertificate(&'t Path),
    /// Certificate or key changed, and can't be used: the old one stays in force.
    NoNewCertificate(&'t io::Error),
    /// Changed files may not be noticed.
    NotWatched(&'t io::Error),
    /// It stops, once requests in flight are answered.
    Stopping,
}

/// The wait for further changes: they come in crowds.
const SETTLE: Duration = Duration::from_millis(200);

/// Serves until a signal ends the process (SIGINT, SIGTERM). SIGHUP and, if wanted, changed files
/// load directory and certificate again.
///
/// # Errors
/// The directory cannot be read, a setting is invalid, or the address is taken.
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
        start.address = Some(options.address);
        let relief = start.relief;
        let gateway = Arc::new(Gateway::over(options.layout.clone(), start)?);
        if let Some(relief) = relief {
            let gateway = gateway.clone();
            tokio::spawn(async move { gateway.relieve(relief).await });
        }
        // From here on a signal has its documented meaning, and does not end the process.
        let mut hangup = signal(Signal::Hangup)?;
        let mut interrupt = signal(Signal::Interrupt)?;
        let mut terminate = signal(Signal::Terminate)?;
        let (sender, mut changes) = mpsc::channel(1);
        let mut notice = if options.watch { Some(Notice::new(places(options, &gateway), logs_of(options), sender)?) } else { None };
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
                _ = hangup.recv() => gateway.reopen_logs(),
                _ = interrupt.recv() => break,
                _ = terminate.recv() => break,
                ended = &mut served => return ended.map_err(io::Error::other)?,
            }
            // Changes from here on are noticed: they may miss this reading.
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
            // The second signal ends it at once.
            _ = interrupt.recv() => Ok(()),
            _ = terminate.recv() => Ok(()),
        }
    })
}

/// Waits until the other end of `stopped` is dropped.
async fn stop_of(mut stopped: watch::Receiver<()>) {
    while stopped.changed().await.is_ok() {}
}

/// Returns the places to watch.
fn places(options: &Serve, gateway: &Gateway) -> Places {
    let identity = options.listening.tls.as_ref().map(|tls| tls.identity());
    let directory = gateway.directory();
    let persisted = directory.settings.ad_hoc.persisted.as_ref().map(|place| options.layout.root.join(place));
    let identity = identity.into_iter().flat_map(|identity| [identity.certificate.as_path(), &identity.key]);
    let named = directory.config_files.iter().map(PathBuf::as_path).chain(persisted.as_deref());
    let files: Vec<&Path> = identity.chain(named).collect();
    options.layout.places(directory.settings.xformers.as_deref(), &files)
}

/// Moves a notice to other places, if there is one.
fn look(notice: &mut Option<Notice>, report: &(dyn Fn(ServeEvent<'_>) + Sync), change: impl FnOnce(&mut Notice) -> io::Result<()>) {
    if let Some(Err(error)) = notice.as_mut().map(change) {
        report(ServeEvent::NotWatched(&error));
    }
}

/// Returns the files of the logs, which exist by then.
fn logs_of(options: &Serve) -> Vec<PathBuf> {
    options.start.logs.files().filter_map(|path| path.canonicalize().ok()).collect()
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
