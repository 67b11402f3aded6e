//! One JavaScript engine: a runtime and its one realm, with limits. It knows no hook, no file and
//! no module: a realm gets these from a [`Furnish`].
//!
//! | file | holds |
//! |---|---|
//! | `realm` | the runtime, its realm, and the scripts in `js/` |
//! | `native` | the functions that these scripts call |
//! | `script_call` | a call, while it runs |
//! | `limits` | limits, and the clock of a call |
//! | `inward`, `outward` | values on their way in and back |
//! | `parsed`, `part`, `scope` | bodies that are decoded in part; values that proxies stand for |
//! | `later` | a value that is fetched when a script looks at it |
//! | `error`, `exception` | errors; exceptions as errors |
//! | `bytes`, `text`, `number` | bytes, text and numbers of scripts |

mod bytes;
mod error;
mod exception;
mod inward;
mod later;
mod limits;
mod native;
mod number;
mod outward;
mod parsed;
mod part;
mod realm;
mod scope;
mod script;
mod script_call;
mod shared;
mod text;

use std::rc::Rc;

use realm::Realm;

pub use error::{ErrorKind, Place};
pub use parsed::{Parsed, Part};

pub(crate) use bytes::copy as copy_bytes;
pub(crate) use error::{Raised, ScriptError};
pub(crate) use later::Later;
pub(crate) use limits::Limits;
pub(crate) use realm::Furnish;
pub(crate) use script::{evaluate, throw, throw_error};
pub(crate) use script_call::ScriptCall;
pub(crate) use shared::Console;
pub(crate) use text::text;

/// An engine. It stays on the thread that made it.
pub(crate) struct Engine {
    realm: Option<Realm>,
    limits: Limits,
    contents: Box<dyn Furnish>,
}

impl Engine {
    pub fn new(limits: Limits, contents: Box<dyn Furnish>) -> Engine {
        Engine { realm: None, limits, contents }
    }

    /// Drops the realm and all its modules; the next call makes a new one.
    pub fn discard(&mut self) {
        self.realm = None;
    }

    /// Makes a realm, unless there is one. Returns whether it made one.
    pub fn prepare(&mut self) -> Result<bool, ScriptError> {
        let is_missing = self.realm.is_none();
        if is_missing {
            self.realm = Some(Realm::new(&self.limits, &*self.contents)?);
        }
        Ok(is_missing)
    }

    /// Makes one call within the limits.
    pub fn call<T>(
        &mut self,
        console: Rc<dyn Console>,
        act: impl for<'js> FnOnce(&ScriptCall<'_, 'js>) -> Result<T, Raised>,
    ) -> Result<T, ScriptError> {
        self.prepare()?;
        let Some(realm) = &self.realm else { return Err(ScriptError::new(ErrorKind::Internal, "no engine")) };
        let result = call_in(realm, &self.limits, console, act);
        if let Err(error) = &result
            && matches!(error.kind(), ErrorKind::Time | ErrorKind::Memory | ErrorKind::Internal)
        {
            // The script was interrupted, and its state may be half changed.
            self.realm = None;
        }
        result
    }
}

fn call_in<T>(
    realm: &Realm,
    limits: &Limits,
    console: Rc<dyn Console>,
    act: impl for<'js> FnOnce(&ScriptCall<'_, 'js>) -> Result<T, Raised>,
) -> Result<T, ScriptError> {
    let Realm { host, shared, context, .. } = realm;
    let clock = &shared.clock;
    shared.scope.borrow_mut().next();
    *shared.console.borrow_mut() = Some(console);
    clock.start(limits.time);
    let result = context.with(|ctx| {
        let call = match host.clone().restore(&ctx).and_then(|host| ScriptCall::new(&ctx, host, shared, limits.memory)) {
            Ok(call) => call,
            Err(error) => return Err(exception::error_of(&ctx, Raised::Pending(error), clock)),
        };
        let result = act(&call).and_then(|value| {
            call.settle()?;
            Ok(value)
        });
        let result = result.map_err(|raised| exception::error_of(&ctx, raised, clock));
        let finished = call.finish().map_err(|error| exception::error_of(&ctx, Raised::Pending(error), clock));
        match (result, finished) {
            (Err(error), _) if error.kind() == ErrorKind::Time => Err(error),
            _ if clock.was_over() => Err(exception::out_of_time()),
            (Err(error), _) | (_, Err(error)) => Err(error),
            (result, _) => result,
        }
    });
    clock.stop();
    shared.scope.borrow_mut().next();
    *shared.later.borrow_mut() = None;
    *shared.console.borrow_mut() = None;
    result
}
