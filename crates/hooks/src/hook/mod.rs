//! Patch modules: the hooks of a table's verb (specification 10), each a function here.
//!
//! | file | holds |
//! |---|---|
//! | `request` | the hooks before the request |
//! | `reply` | the hooks after it |
//! | `parsed` | parsed bodies, whole or in part |
//! | `wire` | headers and bodies as hooks see them |

mod parsed;
mod reply;
mod request;
pub(crate) mod wire;

use std::sync::Arc;

use polywire_doc::Datum;
use rquickjs::{Object, Value};

use crate::engine::{Callee, Trouble, Turn};
use crate::log::LogSink;
use crate::pool::{Call, Hooks};

pub use parsed::{Parsed, Part};
pub use reply::Reply;
pub use request::{CacheKey, Request};
pub use wire::{Body, Content, Headers};

/// A hook of a patch module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hook {
    /// `validate param`: whether a parameter is as it should be.
    ValidateParam,
    /// `patch uri`: the addresses to ask.
    PatchUri,
    /// `patch headers`: the headers of the request.
    PatchHeaders,
    /// `body template`: the body, in place of the template of the table.
    BodyTemplate,
    /// `patch body`: the body that the template has made.
    PatchBody,
    /// `compute key`: under what the reply is kept in the cache.
    ComputeKey,
    /// `parse response`: the bytes of the reply as text or as a structure.
    ParseResponse,
    /// `patch mediaType`: the media type of the reply.
    PatchMediaType,
    /// `patch status`: the status of the reply.
    PatchStatus,
    /// `patch response`: the parsed reply.
    PatchResponse,
}

impl Hook {
    /// All hooks, in the order in which they are called.
    pub const ALL: [Hook; 10] = [
        Hook::ValidateParam,
        Hook::PatchUri,
        Hook::PatchHeaders,
        Hook::BodyTemplate,
        Hook::PatchBody,
        Hook::ComputeKey,
        Hook::ParseResponse,
        Hook::PatchMediaType,
        Hook::PatchStatus,
        Hook::PatchResponse,
    ];

    /// The name under which a module exports it.
    pub fn name(self) -> &'static str {
        match self {
            Hook::ValidateParam => "validate param",
            Hook::PatchUri => "patch uri",
            Hook::PatchHeaders => "patch headers",
            Hook::BodyTemplate => "body template",
            Hook::PatchBody => "patch body",
            Hook::ComputeKey => "compute key",
            Hook::ParseResponse => "parse response",
            Hook::PatchMediaType => "patch mediaType",
            Hook::PatchStatus => "patch status",
            Hook::PatchResponse => "patch response",
        }
    }
}

/// What all hooks are told.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// The statement.
    pub statement: Datum,
    /// All parameters of the statement (specification 7.1, 4).
    pub params: Datum,
    /// Where messages go, if not where [`Settings::log`](crate::Settings::log) says.
    pub log: Option<LogSink>,
}

/// What a hook has given.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer<T> {
    /// What it is called for.
    pub value: T,
    /// The parameters, if the hook has changed them: old modules hand values to later hooks and to the body template in this way.
    pub params: Option<Datum>,
}

/// A patch module. Cloning shares it.
#[derive(Debug, Clone)]
pub struct Patch {
    hooks: Hooks,
    module: Arc<str>,
    /// A bit for each of [`Hook::ALL`].
    exported: u16,
}

impl Hooks {
    /// Loads a patch module, which is named by its path below the table directory.
    pub fn patch(&self, module: &str) -> Call<Patch> {
        let hooks = self.clone();
        let module: Arc<str> = module.into();
        self.submit(self.callee("patch module", &module, None), move |turn| {
            let path = turn.module(&module)?;
            let names: Vec<String> = turn.call("exported", (path,))?;
            let bit = |(at, hook): (usize, &Hook)| u16::from(names.iter().any(|name| name == hook.name())) << at;
            let exported = Hook::ALL.iter().enumerate().map(bit).sum();
            Ok(Patch { hooks, module, exported })
        })
    }

    pub(crate) fn callee(&self, hook: &str, module: &str, log: Option<LogSink>) -> Callee {
        Callee { hook: hook.into(), module: module.into(), log: log.unwrap_or_else(|| self.settings().log.clone()) }
    }
}

impl Patch {
    /// Whether the module has the hook. Asking one that it has not costs nothing and answers with the default.
    pub fn has(&self, hook: Hook) -> bool {
        Hook::ALL.iter().position(|each| *each == hook).is_some_and(|at| self.exported & 1 << at != 0)
    }

    /// The path of the module.
    pub fn module(&self) -> &str {
        &self.module
    }

    /// Calls a hook: `fill` gives its record what only it is told, `read` takes what it gives back; if that is nothing, the field `field` of the record.
    fn ask<T: Send + 'static>(
        &self,
        hook: Hook,
        field: Option<&'static str>,
        record: Record,
        fill: impl for<'js> FnOnce(&Turn<'_, 'js>, &Object<'js>) -> Result<(), Trouble> + Send + 'static,
        read: impl for<'js> FnOnce(&Turn<'_, 'js>, Value<'js>) -> Result<T, Trouble> + Send + 'static,
    ) -> Call<Answer<T>> {
        self.ask_with(hook, field, record, fill, |_| Ok(None), read)
    }

    /// As [`Patch::ask`], for hooks that are told more than the record.
    fn ask_with<T: Send + 'static>(
        &self,
        hook: Hook,
        field: Option<&'static str>,
        record: Record,
        fill: impl for<'js> FnOnce(&Turn<'_, 'js>, &Object<'js>) -> Result<(), Trouble> + Send + 'static,
        more: impl for<'js> FnOnce(&Turn<'_, 'js>) -> rquickjs::Result<Option<Vec<Value<'js>>>> + Send + 'static,
        read: impl for<'js> FnOnce(&Turn<'_, 'js>, Value<'js>) -> Result<T, Trouble> + Send + 'static,
    ) -> Call<Answer<T>> {
        let module = self.module.clone();
        self.hooks.submit(self.hooks.callee(hook.name(), &self.module, record.log.clone()), move |turn| {
            let path = turn.module(&module)?;
            let told = Object::new(turn.ctx.clone())?;
            told.set("statement", turn.inward(record.statement.view())?)?;
            told.set("params", turn.inward(record.params.view())?)?;
            told.set("log", turn.log_function()?)?;
            fill(turn, &told)?;
            let more = more(turn)?;
            let given: Value<'_> = turn.call("hook", (path, hook.name(), told.clone(), field, more))?;
            let value = read(turn, given)?;
            let params = turn.if_changed(&told.get::<_, Value<'_>>("params")?)?.filter(|params| params.view().is_object());
            Ok(Answer { value, params })
        })
    }
}

impl<T: Send> Answer<T> {
    fn default_of(value: T) -> Call<Answer<T>> {
        Call::answered(Ok(Answer { value, params: None }))
    }
}
