//! What stands behind the tables: the language's calls become exchanges with services (specification 7.1, 8 and 10).
//!
//! | file | holds |
//! |---|---|
//! | `prepare` | what a table's verb needs, loaded once: decoder, hooks, templates |
//! | `request` | parameters become requests |
//! | `send` | requests go out, through the cache |
//! | `reply` | replies become data |
//! | `transform` | replies that a transformer reads |
//! | `part` | replies that are decoded in part, though hooks look at them |
//! | `functions` | user functions |
//! | `problem` | failures of hooks, exchanges and decoders, as the language tells them |

mod functions;
mod part;
mod prepare;
mod problem;
mod reply;
mod request;
mod send;
mod transform;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use futures_util::future::{BoxFuture, join_all};
use http::{HeaderName, HeaderValue};
use polywire_core::Limits;
use polywire_hooks::{Hooks, Tally};
use polywire_ql::backend::{Backend, Call, Reply};
use polywire_ql::failure::Failure;
use polywire_ql::functions::Functions;

use crate::cache::Cache;
use crate::directory::Xformers;
use crate::exchange::answer::Answer;
use crate::exchange::client::Client;
use crate::exchange::request_id;
use crate::observe::Observer;

use functions::Modules;
use prepare::Shelf;
pub(crate) use prepare::accepted;

/// Services as the tables say they are: client, cache and hooks. One for a server; [`Service::session`] gives the backend of one execution.
pub struct Service {
    client: Client,
    cache: Option<Cache<Failure>>,
    functions: Modules,
    hooks: Hooks,
    root: PathBuf,
    xformers: RwLock<Arc<Xformers>>,
    limits: Limits,
    id_header: HeaderName,
    observer: Arc<dyn Observer>,
    accept: HeaderValue,
    /// What it adds to ids of requests.
    mark: String,
    shelf: Shelf,
}

/// What a service is made of.
pub struct Parts {
    /// Makes the exchanges.
    pub client: Client,
    /// Keeps replies of verbs with `expires`.
    pub cache: Option<Cache<Failure>>,
    /// Runs hooks, templates and user functions.
    pub hooks: Hooks,
    /// The folder of the tables, as the hooks know it.
    pub root: PathBuf,
    /// Transformers of tables.
    pub xformers: Arc<Xformers>,
    /// What of a reply is decoded at most.
    pub limits: Limits,
    /// The header of request ids (specification 8.2).
    pub id_header: HeaderName,
    /// Is told of replies.
    pub observer: Arc<dyn Observer>,
}

impl Service {
    /// A service.
    pub fn new(parts: Parts) -> Service {
        Service {
            client: parts.client,
            cache: parts.cache,
            functions: Modules(parts.hooks.clone()),
            hooks: parts.hooks,
            root: parts.root,
            xformers: RwLock::new(parts.xformers),
            limits: parts.limits,
            id_header: parts.id_header,
            observer: parts.observer,
            accept: accepted(),
            mark: request_id::mark(request_id::own_address()),
            shelf: Shelf::default(),
        }
    }

    /// The backend of one execution: `answer` bounds its exchanges, `caller` is the id that the request came with.
    pub fn session(&self, answer: Answer, caller: Option<&str>) -> Session<'_> {
        Session {
            service: self,
            answer,
            id: request_id::outgoing(caller, &self.mark),
            returned: Mutex::default(),
            requests: AtomicU64::new(0),
        }
    }

    /// Calls of hooks so far.
    pub fn tally(&self) -> &Tally {
        self.hooks.tally()
    }

    /// User functions of modules below the table directory.
    pub fn functions(&self) -> &dyn Functions {
        &self.functions
    }

    /// Forgets what was loaded for tables, when they were loaded again. Hooks and templates of generation `generation` are read anew.
    pub fn reload(&self, xformers: Arc<Xformers>, generation: u64) {
        *self.xformers.write().unwrap_or_else(PoisonError::into_inner) = xformers;
        self.shelf.clear();
        self.hooks.set_generation(generation);
    }

    /// The module of the transformer that reads the replies of `table`, if there is one.
    fn xformer(&self, table: &str) -> Option<String> {
        self.xformers.read().unwrap_or_else(PoisonError::into_inner).get(table).cloned()
    }
}

/// The backend of one execution.
pub struct Session<'s> {
    service: &'s Service,
    answer: Answer,
    id: HeaderValue,
    /// The ids that services gave back.
    returned: Mutex<Vec<Option<HeaderValue>>>,
    /// Requests to services so far.
    requests: AtomicU64,
}

impl Session<'_> {
    /// Notes the id that a service gave back.
    fn note(&self, id: Option<&HeaderValue>) {
        self.returned.lock().unwrap_or_else(PoisonError::into_inner).push(id.cloned());
    }

    /// Requests to services so far. What the cache had is none.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// The id that the caller gets back (specification 8.2).
    pub fn id(&self) -> HeaderValue {
        let returned = self.returned.lock().unwrap_or_else(PoisonError::into_inner);
        request_id::incoming(&self.id, returned.iter().map(Option::as_ref))
    }
}

impl Backend for Session<'_> {
    fn call<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Vec<Reply>, Failure>> {
        Box::pin(async move {
            let prepared = self.service.shelf.get(self.service, call.table, call.action).await?;
            let turn = request::Turn::new(self, &call, &prepared);
            let mut requests = turn.requests().await?;
            if requests.len() == 1
                && let Some(request) = requests.pop()
            {
                // The usual case, which stays in its place: what is joined is moved, and large.
                return Ok(vec![turn.exchange(request).await]);
            }
            Ok(join_all(requests.into_iter().map(|request| turn.exchange(request))).await)
        })
    }
}
