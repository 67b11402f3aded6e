//! The number of threads of a run.

use std::num::NonZeroUsize;

use clap::Args;

#[derive(Debug, Args)]
pub struct ThreadsArg {
    /// Threads that work on messages, where each can be framed apart: lines, lengths, CBOR and the
    /// like [default: as many as there are processors]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}

impl ThreadsArg {
    /// Returns the number of threads.
    pub fn count(&self) -> usize {
        self.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }
}
