//! Numbers of JavaScript.

/// The largest integer that JavaScript's numbers keep apart from its neighbours.
pub(super) const SAFE: u64 = (1 << 53) - 1;
