//! The messages of a stream on several threads, with their order kept.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};

use crate::error::{Error, Result};
use crate::format::declaration::Format;
use crate::tools::adapt::Walker;
use crate::tools::batch::Batch;
use crate::tools::stream::Stream;

/// Bytes of a batch, unless the work has another size.
const BATCH: usize = 512 << 10;

/// Batches under way for each thread.
const AHEAD: usize = 3;

/// Bytes of the stack of a thread: as many as a main thread has.
pub const STACK: usize = 8 << 20;

/// The part of a task that one thread does. Each thread has its own.
pub trait Work: Send + Sized {
    /// The outcome of a batch.
    type Done: Send;

    /// Bytes of the stack of a thread. Those that are never reached are never taken.
    const STACK: usize = STACK;

    /// Bytes of a batch. A longer message is a batch of its own.
    const BATCH: usize = BATCH;

    /// Makes the same for another thread.
    ///
    /// # Errors
    /// What it needs cannot be made a second time.
    fn fork(&self) -> Result<Self>;

    /// Does what there is to do with the messages of a batch. Later batches may be done before it,
    /// by others.
    fn batch(&mut self, batch: &Batch) -> Self::Done;
}

/// Reports whether messages from `from` to `to` may be worked on apart from each other: their
/// framing is cheap, and none depends on the first one.
pub fn is_apart(from: &Format, to: Option<&Format>) -> bool {
    let in_order = |to: &Format| to.first_gives_fields || to.columns.is_some();
    from.framing.goes_on() && !from.first_gives_fields && !to.is_some_and(in_order)
}

/// A function that takes what was made of each batch, in order, beside the caller's own worker.
pub type Taking<'r, W> = dyn FnMut(&mut W, &Batch, <W as Work>::Done) -> Result<()> + 'r;

/// Has the messages of `input` worked on by up to `threads` threads, and passes the outcomes to
/// `done` in the order of the stream. `framer` only frames. The first batch is done by `own`, and
/// no thread starts unless there is a second one. Returns the forks of `own` that the threads had,
/// after an error too.
///
/// Memory: three batches of [`Work::BATCH`] bytes for each thread, or as much in fewer and longer
/// messages.
///
/// # Errors
/// The first error in the order of the stream: one of `done`, or that the input cannot be read or
/// framed. `done` gets no batch after that.
pub fn run<R: Read, W: Work>(
    input: &mut Stream<R>,
    framer: &mut Walker,
    threads: usize,
    own: &mut W,
    done: &mut Taking<'_, W>,
) -> (Vec<W>, Result<()>) {
    let mut works = Vec::new();
    let outcome = run_with(input, framer, threads, own, done, &mut works);
    (works, outcome)
}

/// Does what [`run`] does. `works` gets the forks.
fn run_with<R: Read, W: Work>(
    input: &mut Stream<R>,
    framer: &mut Walker,
    threads: usize,
    own: &mut W,
    done: &mut Taking<'_, W>,
    works: &mut Vec<W>,
) -> Result<()> {
    let Some(first) = input.batch(framer, W::BATCH, None)? else { return Ok(()) };
    let second = match input.batch(framer, W::BATCH, None) {
        Ok(Some(second)) if threads > 1 => second,
        mut next => {
            let mut batch = first;
            loop {
                let outcome = own.batch(&batch);
                done(own, &batch, outcome)?;
                match next? {
                    Some(more) => next = input.batch(framer, W::BATCH, Some(std::mem::replace(&mut batch, more))),
                    None => return Ok(()),
                }
            }
        }
    };
    let (jobs, queue) = channel();
    let (queue, stop) = (Mutex::new(queue), AtomicBool::new(false));
    scope(|scope| {
        let mut workers = Vec::with_capacity(threads);
        for _ in 0..threads {
            let (work, queue, stop) = (own.fork()?, &queue, &stop);
            let thread = Builder::new().stack_size(W::STACK).spawn_scoped(scope, move || labour(work, queue, stop));
            workers.push(thread.map_err(|error| Error::io("starting a thread", &error))?);
        }
        let mut line = Line { jobs, waiting: VecDeque::new(), size: 0, batch: W::BATCH };
        line.put(second);
        // The first messages are sampled for what is remarked later, so `own` has them in any run.
        let outcome = own.batch(&first);
        let begun = done(own, &first, outcome);
        let mut rest = Ok(true);
        let mut spare = Some(first);
        let mut outcome = begun.and_then(|()| {
            loop {
                while matches!(rest, Ok(true)) && line.has_room(threads) {
                    rest = input.batch(framer, W::BATCH, spare.take()).map(|batch| batch.map(|batch| line.put(batch)).is_some());
                }
                match line.take() {
                    None => break rest.map(|_| ()),
                    Some(Err(error)) => break Err(error),
                    Some(Ok((batch, outcome))) => {
                        if let Err(error) = done(own, &batch, outcome) {
                            break Err(error);
                        }
                        spare = Some(batch);
                    }
                }
            }
        });
        stop.store(outcome.is_err(), Ordering::Relaxed);
        drop(line);
        for worker in workers {
            match worker.join() {
                Ok(work) => works.push(work),
                Err(_) => outcome = outcome.and_then(|()| Err(lost())),
            }
        }
        outcome
    })
}

type Job<D> = (Batch, SyncSender<(Batch, D)>);

/// Works until there is no more to do.
fn labour<W: Work>(mut work: W, queue: &Mutex<Receiver<Job<W::Done>>>, stop: &AtomicBool) -> W {
    loop {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((batch, reply)) = job else { return work };
        if !stop.load(Ordering::Relaxed) {
            let outcome = work.batch(&batch);
            // Nobody waits if an earlier batch failed.
            let _ = reply.send((batch, outcome));
        }
    }
}

/// The batches under way, in their order.
struct Line<D> {
    jobs: std::sync::mpsc::Sender<Job<D>>,
    waiting: VecDeque<(usize, Receiver<(Batch, D)>)>,
    /// Bytes of their messages.
    size: usize,
    /// Bytes of one of them.
    batch: usize,
}

impl<D> Line<D> {
    fn has_room(&self, threads: usize) -> bool {
        let most = threads * AHEAD;
        self.waiting.len() < most && self.size < most * self.batch
    }

    fn put(&mut self, batch: Batch) {
        let (reply, outcome) = sync_channel(1);
        self.size += batch.size();
        self.waiting.push_back((batch.size(), outcome));
        // Without a thread that takes it, the reply is dropped, and `take` reports that.
        let _ = self.jobs.send((batch, reply));
    }

    /// Waits for the outcome of the first batch; `None` if there is none.
    fn take(&mut self) -> Option<Result<(Batch, D)>> {
        let (size, outcome) = self.waiting.pop_front()?;
        self.size -= size;
        Some(outcome.recv().map_err(|_| lost()))
    }
}

#[cold]
fn lost() -> Error {
    Error::internal("a thread that ended before its work was done")
}
