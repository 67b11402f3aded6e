//! The place where the calls of a thread are made: an engine on the thread, or a worker process.

use super::callee::Callee;
use crate::engine::ScriptError;
use crate::sandbox::Sandbox;
use crate::task::Task;

/// The place where the calls of a thread are made.
pub(super) enum Runner {
    Thread(Sandbox),
    #[cfg(unix)]
    Process(crate::process::Keeper),
}

impl Runner {
    /// Starts the engine or the process, unless it runs. If that fails, the next call reports why.
    pub fn prepare(&mut self, generation: u64) {
        match self {
            Runner::Thread(sandbox) => {
                sandbox.renew(generation);
                let _ = sandbox.prepare();
            }
            #[cfg(unix)]
            Runner::Process(keeper) => {
                let _ = keeper.prepare();
            }
        }
    }

    /// Makes a call. `slow` is called if it takes long, and can be killed.
    pub fn call<T: Task>(&mut self, generation: u64, callee: Callee, task: T, slow: &mut dyn FnMut()) -> Result<T::Answer, ScriptError> {
        match self {
            Runner::Thread(sandbox) => {
                let _ = slow;
                sandbox.renew(generation);
                sandbox.call(callee.console(), |call| task.run(call))
            }
            #[cfg(unix)]
            Runner::Process(keeper) => {
                let console = callee.console();
                let log = |severity: &str, message: String| console.message(severity, message);
                keeper.call(&task, crate::process::Caller { generation, log: &log, slow })
            }
        }
    }
}
