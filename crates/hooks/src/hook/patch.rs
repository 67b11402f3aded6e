//! A patch module, and how its hooks are called.

use std::sync::Arc;

use rquickjs::{Object, Value};

use super::name::Hook;
use super::record::{Answer, Record};
use crate::engine::Raised;
use crate::pool::{Call, Hooks};
use crate::sandbox::ModuleCall;

/// A patch module. Clones share it.
#[derive(Debug, Clone)]
pub struct Patch {
    hooks: Hooks,
    module: Arc<str>,
    /// A bit for each of [`Hook::ALL`].
    exported: u16,
}

impl Hooks {
    /// Loads a patch module by its path in the table directory.
    pub fn patch(&self, module: &str) -> Call<Patch> {
        let hooks = self.clone();
        let module: Arc<str> = module.into();
        self.submit(self.callee("patch module", &module, None), move |call| {
            let path = call.module(&module)?;
            let names: Vec<String> = call.call("exported", (path,))?;
            let bit = |(at, hook): (usize, &Hook)| u16::from(names.iter().any(|name| name == hook.name())) << at;
            let exported = Hook::ALL.iter().enumerate().map(bit).sum();
            Ok(Patch { hooks, module, exported })
        })
    }
}

impl Patch {
    /// Returns whether the module has the hook. A call of a missing hook costs nothing, and is
    /// answered by the default.
    pub fn has(&self, hook: Hook) -> bool {
        Hook::ALL.iter().position(|each| *each == hook).is_some_and(|at| self.exported & 1 << at != 0)
    }

    /// Recalls the path of the module.
    pub fn module(&self) -> &str {
        &self.module
    }

    /// Calls a hook. `fill` adds the hook's own members to its record. `read` takes the returned
    /// value, or the member `field` of the record if nothing is returned.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        hook: Hook,
        field: Option<&'static str>,
        record: Record,
        fill: impl for<'js> FnOnce(&ModuleCall<'_, 'js>, &Object<'js>) -> Result<(), Raised> + Send + 'static,
        read: impl for<'js> FnOnce(&ModuleCall<'_, 'js>, Value<'js>) -> Result<T, Raised> + Send + 'static,
    ) -> Call<Answer<T>> {
        self.ask_with(hook, field, record, fill, |_| Ok(None), read)
    }

    /// As [`Patch::ask`], for hooks that get more arguments than the record.
    pub(super) fn ask_with<T: Send + 'static>(
        &self,
        hook: Hook,
        field: Option<&'static str>,
        record: Record,
        fill: impl for<'js> FnOnce(&ModuleCall<'_, 'js>, &Object<'js>) -> Result<(), Raised> + Send + 'static,
        more: impl for<'js> FnOnce(&ModuleCall<'_, 'js>) -> rquickjs::Result<Option<Vec<Value<'js>>>> + Send + 'static,
        read: impl for<'js> FnOnce(&ModuleCall<'_, 'js>, Value<'js>) -> Result<T, Raised> + Send + 'static,
    ) -> Call<Answer<T>> {
        let module = self.module.clone();
        self.hooks.submit(self.hooks.callee(hook.name(), &self.module, record.log.clone()), move |call| {
            let path = call.module(&module)?;
            let record_in = Object::new(call.ctx.clone())?;
            record_in.set("statement", call.inward(record.statement.view())?)?;
            record_in.set("params", call.inward(record.params.view())?)?;
            record_in.set("log", call.log_function()?)?;
            fill(call, &record_in)?;
            let more = more(call)?;
            let given: Value<'_> = call.call("hook", (path, hook.name(), record_in.clone(), field, more))?;
            let value = read(call, given)?;
            let params = call.if_changed(&record_in.get::<_, Value<'_>>("params")?)?.filter(|params| params.view().is_object());
            Ok(Answer { value, params })
        })
    }
}
