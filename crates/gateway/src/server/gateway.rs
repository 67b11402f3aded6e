//! The parts that all requests share: directory, service, settings.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use std::{fmt, io};

use http::HeaderName;
use polywire_core::Limits;
use polywire_core::text::diagnostic::Diagnostics;
use polywire_hooks::worker::WorkerProgram;
use polywire_hooks::{Hooks, Settings as HookSettings};
use polywire_ql::execute::Catalog;
use polywire_ql::memory::Pool;
use polywire_ql::plan::Plan;
use tokio::sync::Semaphore;

use super::exposure::{Exposure, exposed};
use super::logs::{LogPlaces, Logs};
use super::pace::Pace;
use super::plans::Plans;
use super::relief::relieve;
use crate::cache::memory::{CAPACITY, Memory};
use crate::cache::remote::{Remote, Trust};
use crate::cache::{Cache, Store};
use crate::callers::identity::Known;
use crate::callers::rates::Limiter;
use crate::decode::{Offer, offers};
use crate::directory::change::NotReloaded;
use crate::directory::settings::{self, Cache as CacheSetting};
use crate::directory::{Directory, Layout};
use crate::exchange::client::{Client, Parts as ClientParts};
use crate::exchange::options::Options;
use crate::exchange::policy::Grant;
use crate::exchange::tape::Tape;
use crate::observe::{Counters, Elsewhere, Metrics, trace};
use crate::room::Room;
use crate::service::{Parts, Service};

/// Bytes of all long bodies of callers at a time.
const BODIES: u64 = 48 << 20;

/// A gateway over a directory. Cheap to share in an `Arc`.
pub struct Gateway {
    layout: Layout,
    directory: RwLock<Arc<Directory>>,
    generation: AtomicU64,
    service: Service,
    client: Client,
    callers: RwLock<Callers>,
    /// The options of the start: how issuers are asked.
    exchange: Options,
    trust: Trust,
    metrics: Arc<Metrics>,
    logs: Logs,
    sockets: Arc<Semaphore>,
    plans: Plans,
    pace: Pace,
    memory: Pool,
    bodies: Room,
    answers: Room,
    offers: Vec<Offer>,
    id_header: HeaderName,
    ad_hoc: Option<bool>,
    exposure: Exposure,
    health: Option<String>,
    no_console: bool,
    monitored: bool,
}

/// The rules for callers.
#[derive(Clone)]
pub(super) struct Callers {
    pub known: Arc<Known>,
    pub limiter: Arc<Limiter>,
}

/// The options of a gateway's start.
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// The place where exchanges with services are kept or come from.
    pub tape: Tape,
    /// The destinations of logs.
    pub logs: LogPlaces,
    /// The place of kept replies, over the configuration's.
    pub cache: Option<String>,
    /// Admission of callers' scripts, over the configuration's.
    pub ad_hoc: Option<bool>,
    /// True if callers of other machines may send scripts without a token.
    pub ad_hoc_open: bool,
    /// The address that callers reach; without one, it is not checked who can send scripts.
    pub address: Option<SocketAddr>,
    /// A path that answers as `/healthz` does, over the configuration's.
    pub health: Option<String>,
    /// True for no console: no page at `/`, and no WebSocket.
    pub no_console: bool,
    /// True if metrics are served by a [`monitor`](super::monitor) only.
    pub monitored: bool,
    /// Calls of hooks that are made at once; by default one for each processor.
    pub hook_threads: Option<usize>,
    /// The program of the processes that run hooks. Without one, hooks run on threads, where a
    /// built-in function that takes long cannot be stopped.
    pub hook_worker: Option<WorkerProgram>,
    /// The pace of scripts' starts.
    pub pace: Pace,
    /// Gives free memory back to the system. Called by a thread of its own, when much may have
    /// become free.
    pub relief: Option<fn()>,
}

impl Gateway {
    /// Makes a gateway over the directory at `path`.
    ///
    /// # Errors
    /// The directory cannot be read, or a setting is invalid.
    pub fn new(path: &Path, start: Start) -> io::Result<Gateway> {
        Gateway::over(Layout::new(path), start)
    }

    /// Makes a gateway over a directory whose parts may be apart.
    ///
    /// # Errors
    /// As [`Gateway::new`].
    pub fn over(layout: Layout, start: Start) -> io::Result<Gateway> {
        let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidInput, what);
        let directory = Directory::load(&layout)?;
        let settings = &directory.settings;
        start.health.as_deref().map_or(Ok(()), settings::probed).map_err(wrong)?;
        let exposure = Exposure { address: start.address, ad_hoc: start.ad_hoc, open: start.ad_hoc_open };
        exposed(&exposure, settings).map_err(wrong)?;
        let metrics = Arc::new(Metrics::default());
        let memory = Pool::new(settings.total_memory);
        let parts = ClientParts {
            policy: policy(&directory)?,
            observer: Some(metrics.clone()),
            tape: start.tape,
            memory: Some(memory.clone()),
            ..ClientParts::default()
        };
        let mut exchange = settings.exchange.clone();
        // Files are named from the served folder, not from the one that hooks see.
        exchange.files_in(&std::fs::canonicalize(&layout.root)?);
        let trust = Trust { roots: exchange.root_certificates.clone(), identity: exchange.client_certificate.clone() };
        let callers = Callers {
            known: Arc::new(Known::new(&settings.callers, &exchange, None).map_err(wrong)?),
            limiter: Arc::new(Limiter::new(&settings.rates, &trust).map_err(wrong)?),
        };
        let client = Client::new(exchange.clone(), parts).map_err(wrong)?;
        let mut hooks = HookSettings::new(&directory.root);
        hooks.time = Duration::from_millis(settings.hooks.time);
        hooks.memory = settings.hooks.memory;
        hooks.log = trace::hook_log();
        hooks.threads = start.hook_threads.unwrap_or(hooks.threads);
        hooks.worker = start.hook_worker;
        let id_header: HeaderName = settings
            .request_id_header
            .parse()
            .map_err(|_| wrong(format!("requestIdHeader: not a header name: {}", settings.request_id_header)))?;
        let store = store(start.cache.as_deref(), &settings.cache, &trust).map_err(wrong)?;
        let service = Service::new(Parts {
            cache: store.map(|store| Cache::new(store, client.secrets().clone(), metrics.clone())),
            client: client.clone(),
            hooks: Hooks::new(hooks)?,
            root: directory.root.clone(),
            xformers: directory.xformers.clone(),
            limits: Limits::DEFAULT,
            id_header: id_header.clone(),
            observer: metrics.clone(),
        });
        let logs = Logs::open(start.logs, client.secrets())?;
        let sockets = Arc::new(Semaphore::new(settings.sockets.min(Semaphore::MAX_PERMITS)));
        Ok(Gateway {
            layout,
            directory: RwLock::new(Arc::new(directory)),
            generation: AtomicU64::new(0),
            service,
            client,
            callers: RwLock::new(callers),
            exchange,
            trust,
            metrics,
            logs,
            pace: start.pace,
            bodies: Room::new(Pool::new(BODIES)),
            answers: Room::new(memory.clone()),
            memory,
            sockets,
            plans: Plans::new(),
            offers: offers(&[]),
            ad_hoc: start.ad_hoc,
            exposure,
            health: start.health,
            no_console: start.no_console,
            monitored: start.monitored,
            id_header,
        })
    }

    /// Returns the current tables, routes and configuration. A holder keeps them for as long as it
    /// needs.
    pub fn directory(&self) -> Arc<Directory> {
        self.directory.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the directory again: requests from then on have the new tables, routes and hooks.
    ///
    /// # Errors
    /// It cannot be read, or would serve less than before because something broke: everything stays
    /// as it was.
    pub fn reload(&self) -> Result<Arc<Directory>, NotReloaded> {
        let reloaded = self.load_again();
        self.logs.reloaded(reloaded.as_ref().err().map(ToString::to_string));
        self.metrics.reloaded(reloaded.is_ok());
        reloaded
    }

    fn load_again(&self) -> Result<Arc<Directory>, NotReloaded> {
        let mut directory = Directory::load(&self.layout)?;
        directory.generation = self.generation.fetch_add(1, Ordering::Relaxed) + 1;
        let directory = Arc::new(directory);
        directory.may_follow(&self.directory())?;
        exposed(&self.exposure, &directory.settings).map_err(|what| io::Error::new(io::ErrorKind::InvalidInput, what))?;
        let callers = self.callers_of(&directory).map_err(|what| io::Error::new(io::ErrorKind::InvalidInput, what))?;
        self.client.set_policy(policy(&directory)?);
        *self.callers.write().unwrap_or_else(PoisonError::into_inner) = callers;
        self.client.secrets().set_values(&directory.settings.exchange.secret_values);
        *self.directory.write().unwrap_or_else(PoisonError::into_inner) = directory.clone();
        self.plans.clear();
        self.service.reload(directory.xformers.clone(), directory.generation);
        Ok(directory)
    }

    /// Makes the rules for callers of a directory that was loaded again. Counts, and keys of an
    /// issuer, stay where their settings stay.
    fn callers_of(&self, directory: &Directory) -> Result<Callers, String> {
        let (settings, before) = (&directory.settings, self.callers());
        let known = Known::new(&settings.callers, &self.exchange, Some(&before.known))?;
        let limiter = match before.limiter.are_of(&settings.rates) {
            true => before.limiter,
            false => Arc::new(Limiter::new(&settings.rates, &self.trust)?),
        };
        Ok(Callers { known: Arc::new(known), limiter })
    }

    /// Returns the rules for callers.
    pub(super) fn callers(&self) -> Callers {
        self.callers.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the counts since the start.
    pub fn counters(&self) -> &Counters {
        &self.metrics.counters
    }

    /// Returns the metrics.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Returns the metrics in Prometheus' text format.
    pub fn metrics_text(&self) -> String {
        let directory = self.directory();
        self.metrics.text(&Elsewhere {
            hooks: self.service.tally(),
            plans: self.plans.count(),
            circuits: self.client.open_circuits() as u64,
            tables: directory.tables().len(),
            routes: directory.routes().all().len(),
            log_dropped: self.logs.dropped(),
        })
    }

    /// Opens the logs again, after their files were moved away.
    pub fn reopen_logs(&self) {
        self.logs.reopen();
    }

    /// Returns the logs.
    pub(super) fn logs(&self) -> &Logs {
        &self.logs
    }

    /// Returns the places for WebSocket connections.
    pub(super) fn sockets(&self) -> &Arc<Semaphore> {
        &self.sockets
    }

    /// Returns the services behind the tables.
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// Returns the pace of scripts' starts.
    pub(super) fn pace(&self) -> &Pace {
        &self.pace
    }

    /// Returns the room for long bodies of callers.
    pub(super) fn bodies(&self) -> &Room {
        &self.bodies
    }

    /// Gives free memory back to the system by `relief`, as long as it is awaited.
    pub(super) async fn relieve(&self, relief: fn()) {
        relieve(&[&self.memory, self.bodies.pool()], relief).await;
    }

    /// Returns the room for long answers that wait until their callers take them.
    pub(super) fn answers(&self) -> &Room {
        &self.answers
    }

    /// Returns the memory that values of scripts, replies and answers share.
    pub(super) fn memory(&self) -> &Pool {
        &self.memory
    }

    /// Returns the offers of answers.
    pub(super) fn offers(&self) -> &[Offer] {
        &self.offers
    }

    /// Returns true for the path that probes ask for, besides `/healthz`.
    pub(super) fn is_health(&self, directory: &Directory, path: &str) -> bool {
        self.health.as_deref().or(directory.settings.ecv_path.as_deref()) == Some(path)
    }

    /// Returns true if scripts of callers run.
    pub(super) fn runs_scripts(&self, directory: &Directory) -> bool {
        self.ad_hoc.unwrap_or(directory.settings.ad_hoc.enabled)
    }

    /// Returns true if there are a page at `/` and WebSocket.
    pub(super) fn has_console(&self) -> bool {
        !self.no_console
    }

    /// Returns true if metrics are served with the rest.
    pub(super) fn shows_numbers(&self) -> bool {
        !self.monitored
    }

    /// Returns the header of request ids.
    pub(super) fn id_header(&self) -> &HeaderName {
        &self.id_header
    }

    /// Returns the plan of a caller's script.
    pub fn plan(&self, script: &str, directory: &Directory) -> Result<Arc<Plan>, Arc<Diagnostics>> {
        self.plans.plan(script, directory)
    }
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway").field("layout", &self.layout).finish_non_exhaustive()
    }
}

/// Returns the hosts that may be called: those of the directory's tables, and those that the
/// configuration allows.
fn policy(directory: &Directory) -> io::Result<crate::exchange::policy::Policy> {
    let configured = directory.settings.exchange.policy();
    let mut policy = configured.map_err(|what| io::Error::new(io::ErrorKind::InvalidInput, what))?;
    for table in directory.tables() {
        // The template as the configuration fills it: old tables name their service there.
        let templates = table.actions().filter_map(|action| action.uri.as_ref().ok());
        templates.filter_map(|template| Grant::of_template(&template.to_string())).for_each(|grant| policy.allow(grant));
    }
    Ok(policy)
}

fn store(given: Option<&str>, configured: &CacheSetting, trust: &Trust) -> Result<Option<Arc<dyn Store>>, String> {
    let place = given.unwrap_or(match configured {
        CacheSetting::At(place) => place,
        CacheSetting::Other(_) => "memory",
    });
    match place {
        "off" | "none" => Ok(None),
        "memory" => Ok(Some(Arc::new(Memory::new(CAPACITY)))),
        url => Remote::new(url, trust).map(|remote| Some(Arc::new(remote) as Arc<dyn Store>)).map_err(|error| error.0),
    }
}
