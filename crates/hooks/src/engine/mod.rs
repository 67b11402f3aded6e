//! One JavaScript engine: a runtime and its one realm, with limits, modules and nothing of the outside.
//!
//! | file | holds |
//! |---|---|
//! | `realm` | what is in the realm: the scripts of `js/` and the functions they lean on |
//! | `limits` | the clock of a call |
//! | `values` | values on their way in and back |
//! | `part` | bodies that are there in part |
//! | `failure` | exceptions as errors |
//! | `bytes`, `encoding`, `digest` | what `Buffer` and `crypto` are made of |

mod bytes;
mod digest;
mod encoding;
mod failure;
mod limits;
mod part;
mod realm;
mod values;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use polywire_doc::{Datum, Ref};
use rquickjs::function::IntoArgs;
use rquickjs::object::Filter;
use rquickjs::{Atom, Context, Ctx, Exception, FromJs, Function, Object, Persistent, Runtime, Value};

use crate::error::{HookError, HookErrorKind};
use crate::files::Files;
use crate::hook::Parsed;
use crate::log::{LogRecord, LogSink, Severity};
use crate::settings::Settings;

use limits::Clock;
use part::{Body, Spot};
use values::{Inward, Outward, Scope};

pub(crate) use values::text;

/// Who is called, for messages and errors.
#[derive(Debug, Clone)]
pub(crate) struct Callee {
    /// Name of the hook or function.
    pub hook: String,
    /// The file, as it is named from the table directory.
    pub module: String,
    /// Where messages go.
    pub log: LogSink,
}

/// What the functions of the realm share with the engine.
#[derive(Debug)]
pub(crate) struct Shared {
    files: Arc<Files>,
    clock: Clock,
    scope: RefCell<Scope>,
    callee: RefCell<Option<Callee>>,
    /// Paths of the modules that were named.
    named: RefCell<HashMap<String, String>>,
    logged: Cell<usize>,
}

impl Shared {
    fn log(&self, severity: &str, mut message: String) {
        let callee = self.callee.borrow();
        let Some(callee) = &*callee else { return };
        if self.logged.get() >= LogRecord::MOST {
            return;
        }
        self.logged.set(self.logged.get() + 1);
        if message.len() > LogRecord::LONGEST {
            message.truncate((0..=LogRecord::LONGEST).rev().find(|at| message.is_char_boundary(*at)).unwrap_or(0));
        }
        callee.log.take(LogRecord {
            severity: Severity::named(severity),
            message,
            hook: callee.hook.clone(),
            module: callee.module.clone(),
        });
    }
}

/// What goes wrong while a call is made.
pub(crate) enum Trouble {
    /// The engine has an exception pending, or failed itself.
    Engine(rquickjs::Error),
    /// Anything else.
    Own(HookError),
}

impl From<rquickjs::Error> for Trouble {
    fn from(error: rquickjs::Error) -> Trouble {
        Trouble::Engine(error)
    }
}

impl From<HookError> for Trouble {
    fn from(error: HookError) -> Trouble {
        Trouble::Own(error)
    }
}

/// An engine. It stays on the thread that made it.
pub(crate) struct Engine {
    // Before the runtime: what it holds has to go first.
    live: Option<Live>,
    settings: Settings,
    files: Arc<Files>,
    generation: u64,
}

struct Live {
    host: Persistent<Object<'static>>,
    shared: Rc<Shared>,
    context: Context,
    /// Held so that it goes last.
    _runtime: Runtime,
}

impl Engine {
    pub fn new(settings: Settings, files: Arc<Files>) -> Engine {
        Engine { live: None, settings, files, generation: 0 }
    }

    /// Forgets all modules if they are of an earlier generation.
    pub fn renew(&mut self, generation: u64) {
        if generation != self.generation {
            self.generation = generation;
            self.live = None;
        }
    }

    /// Throws away the runtime and all its modules; the next call makes a new one.
    pub fn discard(&mut self) {
        self.live = None;
    }

    /// Starts a runtime if there is none.
    pub fn prepare(&mut self) -> Result<(), HookError> {
        if self.live.is_none() {
            self.live = Some(realm::make(&self.settings, self.files.clone())?);
        }
        Ok(())
    }

    /// Makes one call within the limits.
    pub fn call<T>(&mut self, callee: Callee, act: impl for<'js> FnOnce(&mut Turn<'_, 'js>) -> Result<T, Trouble>) -> Result<T, HookError> {
        let (hook, module) = (callee.hook.clone(), callee.module.clone());
        let result = self.call_once(callee, act);
        if let Err(error) = &result
            && matches!(error.kind(), HookErrorKind::Time | HookErrorKind::Memory | HookErrorKind::Internal)
        {
            // Whatever the script was doing is half done.
            self.live = None;
        }
        result.map_err(|error| error.of(&hook, &module))
    }

    fn call_once<T>(
        &mut self,
        callee: Callee,
        act: impl for<'js> FnOnce(&mut Turn<'_, 'js>) -> Result<T, Trouble>,
    ) -> Result<T, HookError> {
        self.prepare()?;
        let Some(live) = &mut self.live else { return Err(HookError::new(HookErrorKind::Internal, "no engine")) };
        let Live { host, shared, context, .. } = live;
        shared.scope.borrow_mut().next();
        shared.logged.set(0);
        *shared.callee.borrow_mut() = Some(callee);
        shared.clock.start(self.settings.time);
        let budget = self.settings.memory;
        let result = context.with(|ctx| {
            let mut turn = match host.clone().restore(&ctx).and_then(|host| Turn::new(&ctx, host, shared, budget)) {
                Ok(turn) => turn,
                Err(error) => return Err(failure::of(&ctx, Trouble::Engine(error), shared)),
            };
            let result = act(&mut turn).and_then(|value| {
                if turn.ctx.execute_pending_job() {
                    turn.call::<_, ()>("settle", (turn.never()?,))?;
                }
                Ok(value)
            });
            let result = result.map_err(|trouble| failure::of(&ctx, trouble, shared));
            let finished = turn.finish().map_err(|error| failure::of(&ctx, Trouble::Engine(error), shared));
            match (result, finished) {
                (Err(error), _) if error.kind() == HookErrorKind::Time => Err(error),
                _ if shared.clock.was_over() => Err(failure::out_of_time()),
                (Err(error), _) | (_, Err(error)) => Err(error),
                (result, _) => result,
            }
        });
        shared.clock.stop();
        shared.scope.borrow_mut().next();
        *shared.callee.borrow_mut() = None;
        result
    }
}

/// One call, while it runs.
pub(crate) struct Turn<'a, 'js> {
    pub ctx: Ctx<'js>,
    host: Object<'js>,
    wrap: Function<'js>,
    buffer: Function<'js>,
    shared: &'a Rc<Shared>,
    budget: usize,
}

impl<'a, 'js> Turn<'a, 'js> {
    fn new(ctx: &Ctx<'js>, host: Object<'js>, shared: &'a Rc<Shared>, budget: usize) -> rquickjs::Result<Turn<'a, 'js>> {
        let (wrap, buffer) = (host.get("wrap")?, host.get("buffer")?);
        Ok(Turn { ctx: ctx.clone(), host, wrap, buffer, shared, budget })
    }

    /// Calls a function of the scripts in `js/`.
    pub fn call<A: IntoArgs<'js>, R: FromJs<'js>>(&self, name: &str, args: A) -> rquickjs::Result<R> {
        self.host.get::<_, Function<'js>>(name)?.call(args)
    }

    /// Clears away what the call has left.
    fn finish(&self) -> rquickjs::Result<()> {
        // Counting the globals is cheaper here than in a script, and most calls make none.
        let globals = self.ctx.globals();
        let count = globals.own_keys::<Atom<'js>>(Filter::new().string().symbol()).count();
        let same = count == self.host.get::<_, usize>("knownCount")?
            && globals.get_prototype().as_ref() == Some(&self.host.get::<_, Object<'js>>("objectPrototype")?);
        self.call("finish", (!same,))
    }

    /// A condition that never holds.
    fn never(&self) -> rquickjs::Result<Function<'js>> {
        self.host.get("never")
    }

    /// The path of a module that a table or a script names.
    pub fn module(&self, name: &str) -> Result<String, Trouble> {
        if let Some(known) = self.shared.named.borrow().get(name) {
            return Ok(known.clone());
        }
        let main = |text: String| realm::main_of(&self.ctx, text);
        let path = self.shared.files.named(name, &main).map_err(|message| {
            HookError::new(HookErrorKind::Load, message).hint("modules lie below the table directory, or are packages of its node_modules")
        })?;
        let path = path.to_string_lossy().into_owned();
        self.shared.named.borrow_mut().insert(name.to_string(), path.clone());
        Ok(path)
    }

    /// A value for scripts.
    pub fn inward(&self, value: Ref<'_>) -> rquickjs::Result<Value<'js>> {
        self.way_in().value(value, None)
    }

    /// A body for scripts, which may be there in part.
    pub fn parsed(&self, body: &Parsed) -> rquickjs::Result<Value<'js>> {
        let spot = body.part.as_ref().map(|part| {
            let body = Body::new(part.clone(), self.shared);
            self.shared.scope.borrow_mut().body(body.clone());
            Spot::root(body)
        });
        self.way_in().value_at(body.value.view(), spot.filter(|spot| !spot.is_whole()), None)
    }

    /// A value of a script that stands in the place of a body: if it is a part of one as it was, no more of it is fetched than the caller needs. `None` if it is undefined.
    pub fn outward_parsed(&self, value: &Value<'js>) -> rquickjs::Result<Option<Datum>> {
        let handler: Object<'js> = self.host.get("Handler")?;
        let mut outward = Outward { ctx: &self.ctx, scope: &self.shared.scope, handler: &handler, budget: self.budget };
        match outward.untouched_part(value)? {
            Some((datum, spot)) if spot.part().suffices(&spot.names()) => Ok(Some(datum)),
            _ => outward.value(value),
        }
    }

    /// A value for scripts, or undefined.
    pub fn inward_or_undefined(&self, value: Option<&Datum>) -> rquickjs::Result<Value<'js>> {
        match value {
            Some(value) => self.inward(value.view()),
            None => Ok(Value::new_undefined(self.ctx.clone())),
        }
    }

    /// A `Buffer`.
    pub fn bytes(&self, bytes: &[u8]) -> rquickjs::Result<Value<'js>> {
        self.way_in().bytes(bytes)
    }

    fn way_in(&self) -> Inward<'_, 'js> {
        Inward { ctx: &self.ctx, scope: &self.shared.scope, wrap: &self.wrap, buffer: &self.buffer }
    }

    /// A value of a script, `None` if it is undefined.
    pub fn outward(&self, value: &Value<'js>) -> rquickjs::Result<Option<Datum>> {
        let handler: Object<'js> = self.host.get("Handler")?;
        Outward { ctx: &self.ctx, scope: &self.shared.scope, handler: &handler, budget: self.budget }.value(value)
    }

    /// Whether it is a value that went in, as it was.
    pub fn is_untouched(&self, value: &Value<'js>) -> rquickjs::Result<bool> {
        let handler: Object<'js> = self.host.get("Handler")?;
        Outward { ctx: &self.ctx, scope: &self.shared.scope, handler: &handler, budget: 0 }.is_untouched(value)
    }

    /// A value that went in as `inward` gave it; `None` if the script has left it as it was.
    pub fn if_changed(&self, value: &Value<'js>) -> rquickjs::Result<Option<Datum>> {
        let handler: Object<'js> = self.host.get("Handler")?;
        let mut outward = Outward { ctx: &self.ctx, scope: &self.shared.scope, handler: &handler, budget: self.budget };
        if outward.is_untouched(value)? { Ok(None) } else { outward.value(value) }
    }

    /// The bytes of a `Buffer` or its kin.
    pub fn bytes_of(&self, value: &Value<'js>) -> Option<Vec<u8>> {
        bytes::copy(value)
    }

    /// A value of a script as text; `None` if it is undefined or null.
    pub fn text_of(&self, value: &Value<'js>) -> Result<Option<String>, Trouble> {
        if value.is_undefined() || value.is_null() {
            return Ok(None);
        }
        if let Some(string) = value.as_string() {
            return Ok(Some(text(string)?));
        }
        let string: rquickjs::String<'js> = self.ctx.globals().get::<_, Function<'js>>("String")?.call((value.clone(),))?;
        Ok(Some(text(&string)?))
    }

    /// Truth as scripts have it.
    pub fn truth_of(&self, value: &Value<'js>) -> rquickjs::Result<bool> {
        self.ctx.globals().get::<_, Function<'js>>("Boolean")?.call((value.clone(),))
    }

    /// The files that the call may see.
    pub fn files(&self) -> &Files {
        &self.shared.files
    }

    /// A failure of what the hook gave back.
    pub fn answer_error(&self, message: impl Into<String>) -> Trouble {
        HookError::new(HookErrorKind::Answer, message).into()
    }

    /// A function that logs.
    pub fn log_function(&self) -> rquickjs::Result<Function<'js>> {
        self.host.get("log")
    }
}

/// Throws an error with a message, from a function that a script called.
pub(crate) fn throw<'js>(ctx: &Ctx<'js>, message: &str) -> rquickjs::Error {
    Exception::throw_message(ctx, message)
}
