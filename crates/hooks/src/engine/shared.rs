//! State that the functions of a realm share with the engine.

use std::cell::RefCell;
use std::rc::Rc;

use super::later::Later;
use super::limits::Clock;
use super::scope::Scope;

/// The receiver of messages that scripts log.
pub(crate) trait Console {
    /// Receives a message; `severity` is as the script named it.
    fn message(&self, severity: &str, message: String);
}

/// State that the functions of a realm share with the engine.
pub(super) struct Shared {
    pub clock: Rc<Clock>,
    pub scope: RefCell<Scope>,
    /// The value that the running call fetches when a script looks at it.
    pub later: RefCell<Option<Later>>,
    /// The receiver of messages, while a call runs.
    pub console: RefCell<Option<Rc<dyn Console>>>,
}

impl Shared {
    pub fn new() -> Rc<Shared> {
        Rc::new(Shared { clock: Rc::new(Clock::new()), scope: RefCell::default(), later: RefCell::default(), console: RefCell::default() })
    }

    pub fn log(&self, severity: &str, message: String) {
        if let Some(console) = &*self.console.borrow() {
            console.message(severity, message);
        }
    }
}
