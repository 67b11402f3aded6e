//! A gateway from its start to its end: threads, signals, reloading.

use std::io;
use std::net::SocketAddr;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::files;
use super::gateway::{Gateway, Start};
use super::listen::{Listening, listen};
use super::notice::watch;
use super::pace::Pace;
use super::router::router;
use crate::directory::change::NotReloaded;
use crate::directory::{Directory, Layout};
use crate::observe::Place;

/// How a server runs.
#[derive(Debug, Clone)]
pub struct Serve {
    /// Where tables, routes and the configuration are.
    pub layout: Layout,
    /// Where it listens.
    pub address: SocketAddr,
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
pub enum Told<'t> {
    /// It listens, with what it has loaded.
    Ready(SocketAddr, &'t Directory),
    /// Files changed, and were loaded.
    Reloaded(&'t Directory),
    /// Files changed, and can't be served: everything stays as it was.
    NotReloaded(&'t NotReloaded),
    /// It ends, when what is under way is answered.
    Stopping,
}

/// Changes come in crowds: they are waited for so long.
const SETTLE: Duration = Duration::from_millis(200);

/// Scripts under way for each thread before others wait until it is idle: so many that it has work while services answer, so few that their replies stay in its
/// processor's cache.
const FEW: usize = 16;

/// Serves until the process is told to end (SIGINT, SIGTERM). SIGHUP and, if wanted, changed files load the directory again.
///
/// # Errors
/// The directory cannot be read, a setting cannot be, or the address is taken.
pub fn serve(options: &Serve, tell: &(dyn Fn(Told<'_>) + Sync)) -> io::Result<()> {
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
        let gateway = Arc::new(Gateway::over(options.layout.clone(), start)?);
        // From here on a signal means what is documented, and is not the end of the process.
        let mut hangup = signal(Signal::Hangup)?;
        let mut interrupt = signal(Signal::Interrupt)?;
        let mut terminate = signal(Signal::Terminate)?;
        let (sender, mut changes) = mpsc::channel(1);
        let places = options.layout.places(gateway.directory().settings.xformers.as_deref());
        let _watcher = if options.watch { Some(watch(places, log_of(options), sender)?) } else { None };
        let listener = TcpListener::bind(options.address).await?;
        tell(Told::Ready(listener.local_addr()?, &gateway.directory()));
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let connections = options.listening.connections.min(files::for_callers());
        let open = gateway.metrics().connections.clone();
        let listening = Listening { connections, open, ..options.listening.clone() };
        let mut served = tokio::spawn(listen(listener, router(gateway.clone()), listening, async {
            // Stopping and being dropped mean the same.
            let _ = stopped.await;
        }));
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
            match gateway.reload() {
                Ok(directory) => tell(Told::Reloaded(&directory)),
                Err(error) => tell(Told::NotReloaded(&error)),
            }
        }
        tell(Told::Stopping);
        let _ = stop.send(());
        tokio::select! {
            ended = &mut served => ended.map_err(io::Error::other)?,
            // Told twice: at once.
            _ = interrupt.recv() => Ok(()),
            _ = terminate.recv() => Ok(()),
        }
    })
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
