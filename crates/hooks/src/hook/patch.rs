//! A patch module, and how its hooks are called.

use std::sync::Arc;

use rquickjs::{Object, Value};

use super::args::HookArgs;
use super::name::Hook;
use super::record::{Answer, Record};
use super::seen::Seen;
use crate::engine::Raised;
use crate::pool::{Call, Hooks};
use crate::sandbox::ModuleCall;
use crate::task::{Source, Task};
use crate::wire::wire_fields;

/// A patch module. Clones share it.
#[derive(Debug, Clone)]
pub struct Patch {
    hooks: Hooks,
    module: Arc<str>,
    /// A bit for each of [`Hook::ALL`].
    exported: u16,
    seen: Arc<Seen>,
}

impl Hooks {
    /// Loads a patch module by its path in the table directory.
    pub fn patch(&self, module: &str) -> Call<Patch> {
        let hooks = self.clone();
        let module: Arc<str> = module.into();
        let load = PatchLoad { module: module.clone() };
        self.submit(self.callee("patch module", &module, None), load, move |exported| {
            let seen = hooks.seen(&module);
            Patch { hooks, module, exported, seen }
        })
    }
}

/// Loading of a patch module. The answer has a bit for each of [`Hook::ALL`].
pub(crate) struct PatchLoad {
    module: Arc<str>,
}

wire_fields!(PatchLoad { module });

impl Task for PatchLoad {
    type Answer = u16;

    const NUMBER: u8 = 0;

    fn run(self, call: &ModuleCall<'_, '_>) -> Result<u16, Raised> {
        let path = call.module(&self.module)?;
        let names: Vec<String> = call.call("exported", (path,))?;
        let bit = |(at, hook): (usize, &Hook)| u16::from(names.iter().any(|name| name == hook.name())) << at;
        Ok(Hook::ALL.iter().enumerate().map(bit).sum())
    }
}

impl Patch {
    /// Returns whether the module has the hook. A call of a missing hook costs nothing, and is
    /// answered by the default.
    pub fn has(&self, hook: Hook) -> bool {
        self.exported & 1 << hook.number() != 0
    }

    /// Recalls the path of the module.
    pub fn module(&self) -> &str {
        &self.module
    }

    /// Returns the memory of what hooks look at in bodies, if that is of use.
    pub(super) fn seen(&self) -> Option<&Arc<Seen>> {
        self.hooks.is_apart().then_some(&self.seen)
    }

    /// Calls a hook.
    pub(super) fn ask<A: HookArgs>(&self, record: Record, args: A) -> Call<Answer<A::Value>> {
        let callee = self.hooks.callee(A::HOOK.name(), &self.module, record.log.clone());
        self.hooks.submit(callee, HookCall { module: self.module.clone(), record, args }, |answer| answer)
    }
}

/// A call of a hook.
pub(crate) struct HookCall<A> {
    module: Arc<str>,
    record: Record,
    args: A,
}

wire_fields!(HookCall<A> { module, record, args });

impl<A: HookArgs> Task for HookCall<A> {
    type Answer = Answer<A::Value>;

    const NUMBER: u8 = 16 + A::HOOK.number();

    fn run(self, call: &ModuleCall<'_, '_>) -> Result<Answer<A::Value>, Raised> {
        let path = call.module(&self.module)?;
        let record = Object::new(call.ctx.clone())?;
        record.set("statement", call.inward(self.record.statement.view())?)?;
        record.set("params", call.inward(self.record.params.view())?)?;
        record.set("log", call.log_function()?)?;
        self.args.fill(call, &record)?;
        let more = self.args.more(call)?;
        let given: Value<'_> = call.call("hook", (path, A::HOOK.name(), record.clone(), A::FIELD, more))?;
        let value = A::read(call, given)?;
        let params = call.if_changed(&record.get::<_, Value<'_>>("params")?)?.filter(|params| params.view().is_object());
        Ok(Answer { value, params })
    }

    fn source(&self) -> Option<&dyn Source> {
        self.args.source()
    }
}
