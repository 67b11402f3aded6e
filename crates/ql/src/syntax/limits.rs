//! Limits of scripts.

/// Largest script, in bytes.
pub const MAX_SCRIPT: usize = 1 << 20;

/// Deepest nesting of values, conditions, blocks and inner selects.
pub const MAX_DEPTH: usize = 100;
