//! A runtime and its one realm: the language, the scripts in `js/`, and what the caller adds.

use std::rc::Rc;

use rquickjs::context::intrinsic;
use rquickjs::{Context, Ctx, Function, Object, Persistent, Runtime};

use super::error::{ErrorKind, Raised, ScriptError};
use super::exception;
use super::limits::Limits;
use super::native;
use super::script::evaluate;
use super::shared::Shared;

/// Contents of a realm beyond the language.
pub(crate) trait Furnish {
    /// Adds functions to `native` and runs scripts, which are functions of `native` and `host`.
    /// `host.buffer` has to be set: it makes the value that bytes are for scripts.
    fn furnish<'js>(&self, ctx: &Ctx<'js>, native: &Object<'js>, host: &Object<'js>) -> rquickjs::Result<()>;
}

/// The language without parts that need a host: no clock but `Date`, and no weak references, since
/// a script could watch them being cleared.
type Language = (
    intrinsic::Date,
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
);

/// The engine's own scripts, in the order in which they need each other. Each is a function of
/// `native` and `host`.
const SCRIPTS: &[(&str, &str)] = &[
    ("polywire:harden", include_str!("js/harden.js")),
    ("polywire:lazy", include_str!("js/lazy.js")),
    ("polywire:timers", include_str!("js/timers.js")),
    ("polywire:finish", include_str!("js/finish.js")),
];

/// A runtime with its realm.
pub(super) struct Realm {
    pub host: Persistent<Object<'static>>,
    pub shared: Rc<Shared>,
    pub context: Context,
    /// Held so that it is dropped last.
    _runtime: Runtime,
}

impl Realm {
    pub fn new(limits: &Limits, contents: &dyn Furnish) -> Result<Realm, ScriptError> {
        let broken = |error: rquickjs::Error| ScriptError::new(ErrorKind::Internal, format!("the engine does not start: {error}"));
        let runtime = Runtime::new().map_err(broken)?;
        runtime.set_memory_limit(limits.memory);
        runtime.set_max_stack_size(limits.stack);
        // Each collection visits the whole realm, and calls leave few cycles behind.
        runtime.set_gc_threshold(limits.memory / 8);
        let shared = Shared::new();
        let clock = shared.clock.clone();
        runtime.set_interrupt_handler(Some(Box::new(move || clock.check())));
        let context = Context::custom::<Language>(&runtime).map_err(broken)?;
        let host = context.with(|ctx| {
            let made = furnish(&ctx, &shared, contents).map(|host| Persistent::save(&ctx, host));
            made.map_err(|error| {
                let error = exception::error_of(&ctx, Raised::Pending(error), &shared.clock);
                let kind = if error.kind() == ErrorKind::Memory { ErrorKind::Memory } else { ErrorKind::Internal };
                ScriptError::new(kind, format!("the engine does not start: {error}"))
            })
        })?;
        Ok(Realm { host, shared, context, _runtime: runtime })
    }
}

fn furnish<'js>(ctx: &Ctx<'js>, shared: &Rc<Shared>, contents: &dyn Furnish) -> rquickjs::Result<Object<'js>> {
    let host = Object::new(ctx.clone())?;
    let native = native::make(ctx, shared)?;
    for (name, script) in SCRIPTS {
        let install: Function<'js> = evaluate(ctx, name, *script)?;
        install.call::<_, ()>((native.clone(), host.clone()))?;
    }
    contents.furnish(ctx, &native, &host)?;
    host.set("log", native.get::<_, Function<'js>>("log")?)?;
    host.get::<_, Function<'js>>("lockDown")?.call::<_, ()>(())?;
    Ok(host)
}
