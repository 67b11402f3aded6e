//! The sandbox of a table directory: an engine whose scripts see the directory's modules, templates
//! and files, and nothing else.
//!
//! | file | holds |
//! |---|---|
//! | `scripts` | the scripts in `js/`; in `js/modules`, the built-in modules |
//! | `native` | the functions that these scripts call |
//! | `package` | `package.json` |
//! | `encoding`, `digest` | the work of `Buffer` and `crypto` |

mod digest;
mod encoding;
mod native;
mod package;
mod scripts;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::{Ctx, Function, Object};

use crate::engine::{Console, Engine, ErrorKind, Furnish, Limits, Raised, ScriptCall, ScriptError, evaluate};
use crate::files::Files;
use crate::template::Texts;

/// Paths of modules by the names that tables and scripts gave them.
type Named = RefCell<HashMap<String, String>>;

/// A sandbox. It stays on the thread that made it.
pub(crate) struct Sandbox {
    engine: Engine,
    files: Arc<Files>,
    texts: Arc<Texts>,
    named: Named,
    generation: u64,
}

struct Contents(Arc<Files>);

impl Furnish for Contents {
    fn furnish<'js>(&self, ctx: &Ctx<'js>, native: &Object<'js>, host: &Object<'js>) -> rquickjs::Result<()> {
        native::add(ctx, native, &self.0)?;
        for (name, script) in scripts::SCRIPTS {
            let install: Function<'js> = evaluate(ctx, name, *script)?;
            install.call::<_, ()>((native.clone(), host.clone()))?;
        }
        Ok(())
    }
}

impl Sandbox {
    pub fn new(limits: Limits, files: Arc<Files>, texts: Arc<Texts>) -> Sandbox {
        let engine = Engine::new(limits, Box::new(Contents(files.clone())));
        Sandbox { engine, files, texts, named: Named::default(), generation: 0 }
    }

    /// Drops all modules if they are of another generation. Returns whether they were.
    pub fn renew(&mut self, generation: u64) -> bool {
        let is_new = generation != self.generation;
        if is_new {
            self.generation = generation;
            self.engine.discard();
        }
        is_new
    }

    /// Drops all modules; the next call starts the engine again.
    pub fn discard(&mut self) {
        self.engine.discard();
    }

    /// Starts the engine, unless it runs.
    pub fn prepare(&mut self) -> Result<(), ScriptError> {
        if self.engine.prepare()? {
            self.named.borrow_mut().clear();
        }
        Ok(())
    }

    /// Makes one call within the limits. An engine that fails is dropped.
    pub fn call<T>(
        &mut self,
        console: Rc<dyn Console>,
        act: impl for<'js> FnOnce(&ModuleCall<'_, 'js>) -> Result<T, Raised>,
    ) -> Result<T, ScriptError> {
        catch_unwind(AssertUnwindSafe(|| self.call_unguarded(console, act))).unwrap_or_else(|_| {
            self.discard();
            Err(ScriptError::new(ErrorKind::Internal, "the engine failed").with_hint("please report it"))
        })
    }

    fn call_unguarded<T>(
        &mut self,
        console: Rc<dyn Console>,
        act: impl for<'js> FnOnce(&ModuleCall<'_, 'js>) -> Result<T, Raised>,
    ) -> Result<T, ScriptError> {
        self.prepare()?;
        let Sandbox { engine, files, texts, named, .. } = self;
        engine.call(console, |script| act(&ModuleCall { script, files, texts, named }))
    }
}

/// A call into the sandbox, while it runs.
pub(crate) struct ModuleCall<'a, 'js> {
    script: &'a ScriptCall<'a, 'js>,
    files: &'a Files,
    texts: &'a Texts,
    named: &'a Named,
}

impl<'a, 'js> Deref for ModuleCall<'a, 'js> {
    type Target = ScriptCall<'a, 'js>;

    fn deref(&self) -> &ScriptCall<'a, 'js> {
        self.script
    }
}

impl ModuleCall<'_, '_> {
    /// Returns the path of a module that a table or a script names.
    pub fn module(&self, name: &str) -> Result<String, Raised> {
        if let Some(known) = self.named.borrow().get(name) {
            return Ok(known.clone());
        }
        let main = |text: String| package::main_of(&self.ctx, text);
        let path = self.files.named(name, &main).map_err(|message| {
            ScriptError::new(ErrorKind::Load, message)
                .with_hint("modules lie below the table directory, or are packages of its node_modules")
        })?;
        let path = path.to_string_lossy().into_owned();
        self.named.borrow_mut().insert(name.to_string(), path.clone());
        Ok(path)
    }

    /// Returns the files that the call may read.
    pub fn files(&self) -> &Files {
        self.files
    }

    /// Returns the templates that are kept in memory.
    pub fn texts(&self) -> &Texts {
        self.texts
    }
}
