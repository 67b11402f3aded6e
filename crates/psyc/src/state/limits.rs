//! Bounds of a store.

/// Bounds of a store, and of the work for one packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The number of contexts with variables.
    pub contexts: usize,
    /// The number of variables of a context.
    pub variables: usize,
    /// Bytes of names and values of a context.
    pub context_bytes: usize,
    /// Bytes of names and values of all contexts, with the names of the contexts.
    pub total_bytes: usize,
    /// Steps of an update's index: how deep structures may lie in each other.
    pub depth: usize,
    /// The number of bytes of structured values that one packet may make the store read or write.
    /// Each operator on a list or dict costs its size; the layout of a struct costs the names that
    /// are looked up for it.
    pub work: usize,
}

impl Default for Limits {
    /// 65,536 contexts of 1,024 variables and 1 MiB each; 256 MiB in all; 16 steps; 64 MiB of work.
    fn default() -> Limits {
        Limits { contexts: 1 << 16, variables: 1 << 10, context_bytes: 1 << 20, total_bytes: 256 << 20, depth: 16, work: 64 << 20 }
    }
}
