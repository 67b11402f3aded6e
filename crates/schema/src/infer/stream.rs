//! The messages of a stream as samples, on as many threads as there are.

use std::io::Read;

use polywire_core::tools::adapt::Walker;
use polywire_core::tools::parallel::{Work, is_apart, run};
use polywire_core::tools::{Bad, Batch, Stream};
use polywire_core::{Error, Result};

use super::Inference;

impl Inference {
    /// Adds every message that `walker` finds in `input`, on up to `threads` threads. Each sums up
    /// its messages by itself, and the states are merged.
    ///
    /// # Errors
    /// The first message that cannot be read, with its number and place. Samples stay counted.
    pub fn add_stream<R: Read>(&mut self, input: &mut Stream<R>, walker: &mut Walker, threads: usize) -> Result<()> {
        let fork = if threads > 1 && is_apart(walker.format(), None) { walker.fork() } else { None };
        if let Some(fork) = fork {
            let mut own = Summary { walker: fork, inference: std::mem::take(self) };
            let (works, outcome) = run(input, walker, threads, &mut own, &mut |_, _, done: Result<()>| done);
            *self = own.inference;
            outcome?;
            for Summary { walker: fork, inference } in works {
                walker.join(fork);
                *self = std::mem::take(self).merge(inference);
            }
            walker.join(own.walker);
            return Ok(());
        }
        while let Some(message) = input.next(walker)? {
            let added = self.add(|sink| walker.walk(message.bytes, message.base, sink));
            added.map_err(|error| input.explain(error))?;
        }
        Ok(())
    }

    /// Adds every message that `walker` finds in `input` and can read, and passes the others to
    /// `bad`. Each is walked twice: nothing of a bad one counts.
    ///
    /// # Errors
    /// As [`Inference::add_stream`], where `bad` takes no more.
    pub fn add_good<R: Read>(&mut self, input: &mut Stream<R>, walker: &mut Walker, bad: &mut Bad) -> Result<()> {
        while let Some(message) = input.next(walker)? {
            let mut trial = Inference::new();
            let read = trial.add(|sink| walker.walk(message.bytes, message.base, sink));
            match read {
                Ok(()) => self.add(|sink| walker.walk(message.bytes, message.base, sink))?,
                Err(error) if bad.allows(walker, message, &error) || bad.allows_cut(input, &error) => {
                    bad.step_over(input, walker, error)?;
                }
                Err(error) => return Err(input.explain(error)),
            }
        }
        Ok(())
    }
}

/// The state of one thread.
struct Summary {
    walker: Walker,
    inference: Inference,
}

impl Work for Summary {
    type Done = Result<()>;

    fn fork(&self) -> Result<Summary> {
        let walker = self.walker.fork().ok_or_else(|| Error::internal("a walker that forks once"))?;
        Ok(Summary { walker, inference: Inference::new() })
    }

    fn batch(&mut self, batch: &Batch) -> Result<()> {
        let Summary { walker, inference } = self;
        for (index, message) in batch.messages().enumerate() {
            let added = inference.add(|sink| walker.walk(message.bytes, message.base, sink));
            added.map_err(|error| batch.explain(error, index))?;
        }
        Ok(())
    }
}
