//! Limits of the process, and its end.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::engine::Limits;

/// Memory beyond that of the engine: the program itself, and the largest arguments.
const BESIDES: u64 = 256 << 20;
/// Copies of what an engine may hold: the engine's, the returned value, its message.
const COPIES: u64 = 4;

/// Makes the process end with the gateway, even in the midst of a call. Elsewhere than on Linux, it
/// ends when it has made its call.
pub(super) fn end_with_gateway() {
    #[cfg(target_os = "linux")]
    {
        // Without it, it ends when it has made its call.
        let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    }
}

/// Returns whether the gateway is gone.
pub(super) fn is_orphan(gateway: u32) -> bool {
    let parent = rustix::process::getppid().map(|parent| parent.as_raw_nonzero().get());
    parent != i32::try_from(gateway).ok()
}

/// Ignores the signals that end a gateway. The gateway ends its workers itself, when the requests
/// in flight have been answered.
pub(super) fn outlive_signals() {
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP] {
        // Without it, calls in flight fail when a service manager ends all processes.
        let _ = signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)));
    }
}

/// Returns the bytes of memory that this process has, where the system says so.
pub fn resident() -> Option<u64> {
    // proc_pid_statm(5): the second number counts resident pages.
    let pages: u64 = std::fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    Some(pages.saturating_mul(rustix::param::page_size() as u64))
}

/// Limits the memory of the process, as a fence behind the engine's own limit, and forbids core
/// files: they would hold what callers have sent.
pub(super) fn limit(limits: &Limits) {
    let most = (limits.memory as u64).saturating_mul(COPIES).saturating_add(BESIDES);
    let to = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    // A lower limit may hold already.
    let _ = setrlimit(Resource::Data, to(most));
    let _ = setrlimit(Resource::Core, to(0));
}
