//! The limit of open files and connections of the process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit to the system's maximum, and returns the most connections of callers: three of
/// four. The rest is for services, so that idle callers don't keep the gateway from asking them.
pub(super) fn for_callers() -> usize {
    let limit = getrlimit(Resource::Nofile);
    // Common systems begin with 1024, for programs older than poll(2).
    let raised = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    let files = if raised.is_ok() { limit.maximum } else { limit.current };
    files.map_or(usize::MAX, |files| usize::try_from(files - files / 4).unwrap_or(usize::MAX)).max(1)
}
