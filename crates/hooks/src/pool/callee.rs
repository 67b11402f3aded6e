//! The function that a call is for.

use std::cell::Cell;
use std::rc::Rc;

use crate::engine::{Console, ScriptError};
use crate::error::HookError;
use crate::log::{LogRecord, LogSink, Severity};

/// The function that a call is for, as messages and errors name it.
#[derive(Debug, Clone)]
pub(crate) struct Callee {
    /// Name of the hook or function.
    pub hook: String,
    /// The file, relative to the table directory.
    pub module: String,
    /// The receiver of messages.
    pub log: LogSink,
}

impl Callee {
    /// Makes the error of a call.
    pub fn error(&self, error: ScriptError) -> HookError {
        HookError::new(error, &self.hook, &self.module)
    }

    /// Makes the receiver of the messages of one call.
    pub fn console(self) -> Rc<dyn Console> {
        Rc::new(CallLog { callee: self, logged: Cell::new(0) })
    }
}

/// The receiver of the messages of one call.
struct CallLog {
    callee: Callee,
    logged: Cell<usize>,
}

impl Console for CallLog {
    fn message(&self, severity: &str, mut message: String) {
        if self.logged.get() >= LogRecord::MOST {
            return;
        }
        self.logged.set(self.logged.get() + 1);
        LogRecord::cut(&mut message);
        let Callee { hook, module, log } = &self.callee;
        log.take(LogRecord { severity: Severity::named(severity), message, hook: hook.clone(), module: module.clone() });
    }
}
