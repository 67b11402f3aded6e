//! The services behind the tables, and the backend of one execution.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use http::{HeaderName, HeaderValue};
use polywire_core::Limits;
use polywire_hooks::{Hooks, Tally};
use polywire_ql::error::QueryError;
use polywire_ql::functions::Functions;

use crate::cache::Cache;
use crate::directory::Xformers;
use crate::exchange::bounds::Bounds;
use crate::exchange::client::Client;
use crate::exchange::request_id;
use crate::observe::Observer;

use super::accept::accepted;
use super::functions::Modules;
use super::share::Sharing;
use super::shelf::Shelf;

/// The services of the tables: client, cache and hooks. One for a server; [`Service::session`]
/// returns the backend of one execution.
pub struct Service {
    pub(super) shared: Arc<Shared>,
    pub(super) cache: Option<Cache<QueryError>>,
    functions: Modules,
    pub(super) root: PathBuf,
    xformers: RwLock<Arc<Xformers>>,
    pub(super) limits: Limits,
    pub(super) observer: Arc<dyn Observer>,
    /// The value of `Accept` where a table declares nothing.
    pub(super) accept: HeaderValue,
    pub(super) shelf: Shelf,
}

/// The part of a service that goes along to a thread of hooks.
pub(super) struct Shared {
    pub client: Client,
    pub hooks: Hooks,
    /// The header of request ids.
    pub id_header: HeaderName,
    /// The mark that it adds to ids of requests.
    pub mark: String,
}

/// The parts that a service is made of.
pub struct Parts {
    /// The client of the exchanges.
    pub client: Client,
    /// The cache of verbs with `expires`.
    pub cache: Option<Cache<QueryError>>,
    /// The engines of hooks, templates and user functions.
    pub hooks: Hooks,
    /// The folder of the tables, as the hooks know it.
    pub root: PathBuf,
    /// Transformers of tables.
    pub xformers: Arc<Xformers>,
    /// The limits of decoding a reply.
    pub limits: Limits,
    /// The header of request ids (docs/spec/ql.md 8.2).
    pub id_header: HeaderName,
    /// The observer of replies.
    pub observer: Arc<dyn Observer>,
}

impl Service {
    /// Makes a service.
    pub fn new(parts: Parts) -> Service {
        Service {
            functions: Modules(parts.hooks.clone()),
            shared: Arc::new(Shared {
                client: parts.client,
                hooks: parts.hooks,
                id_header: parts.id_header,
                mark: request_id::mark(request_id::own_address()),
            }),
            cache: parts.cache,
            root: parts.root,
            xformers: RwLock::new(parts.xformers),
            limits: parts.limits,
            observer: parts.observer,
            accept: accepted(),
            shelf: Shelf::default(),
        }
    }

    /// Returns true if the request of an id has come through this gateway too often.
    pub fn comes_back(&self, id: Option<&str>) -> bool {
        id.is_some_and(|id| request_id::rounds(id, &self.shared.mark) >= request_id::MOST_ROUNDS)
    }

    /// Returns the backend of one execution: `answer` bounds its exchanges, `caller` is the id of
    /// the caller's request.
    pub fn session(&self, bounds: Bounds, caller: Option<&str>) -> Session<'_> {
        Session {
            service: self,
            bounds,
            id: request_id::outgoing(caller, &self.shared.mark),
            is_callers: caller.is_some(),
            returned: Mutex::default(),
            requests: AtomicU64::new(0),
            sharing: Sharing::new(false, 0),
        }
    }

    /// Returns the counts of hooks' calls.
    pub fn tally(&self) -> &Tally {
        self.shared.hooks.tally()
    }

    /// Returns the user functions of modules below the table directory.
    pub fn functions(&self) -> &dyn Functions {
        &self.functions
    }

    /// Forgets everything loaded for tables, after they were loaded again. Hooks and templates of
    /// `generation` are read anew.
    pub fn reload(&self, xformers: Arc<Xformers>, generation: u64) {
        *self.xformers.write().unwrap_or_else(PoisonError::into_inner) = xformers;
        self.shelf.clear();
        self.shared.hooks.set_generation(generation);
    }

    /// Returns the module of the transformer for the replies of `table`, if there is one.
    pub(super) fn xformer(&self, table: &str) -> Option<String> {
        self.xformers.read().unwrap_or_else(PoisonError::into_inner).get(table).cloned()
    }
}

/// The backend of one execution.
pub struct Session<'s> {
    pub(super) service: &'s Service,
    pub(super) bounds: Bounds,
    pub(super) id: HeaderValue,
    /// True if the caller gave the id: it is stronger than one that a table names.
    pub(super) is_callers: bool,
    /// The ids that services returned.
    returned: Mutex<Vec<Option<HeaderValue>>>,
    /// Requests to services so far.
    pub(super) requests: AtomicU64,
    pub(super) sharing: Sharing,
}

impl Session<'_> {
    /// Lets equal requests share replies, and keeps `most` bytes of them. Tables that say nothing
    /// share if `usual` is true.
    #[must_use]
    pub fn sharing(self, usual: bool, most: u64) -> Self {
        Session { sharing: Sharing::new(usual, most), ..self }
    }

    /// Notes the id that a service returned, else the one that was sent to it.
    pub(super) fn note(&self, id: Option<&HeaderValue>) {
        self.returned.lock().unwrap_or_else(PoisonError::into_inner).push(id.cloned());
    }

    /// Returns the number of requests to services. Replies from the cache do not count.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Returns the id for the caller (docs/spec/ql.md 8.2).
    pub fn id(&self) -> HeaderValue {
        let returned = self.returned.lock().unwrap_or_else(PoisonError::into_inner);
        request_id::incoming(&self.id, returned.iter().map(Option::as_ref))
    }
}
