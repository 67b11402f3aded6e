//! Single messages become bytes, on as many threads as there are.

use std::io::Read;

use crate::error::{Error, Result};
use crate::tools::adapt::Walker;
use crate::tools::bad::{Bad, is_of_message};
use crate::tools::batch::Batch;
use crate::tools::loss::LossReport;
use crate::tools::message::Message;
use crate::tools::parallel::{Work, run};
use crate::tools::stream::Stream;

/// Makes bytes of messages. Each thread has its own.
pub trait Transform: Send + Sized {
    /// Makes the same for another thread.
    ///
    /// # Errors
    /// What it needs cannot be made a second time.
    fn fork(&self) -> Result<Self>;

    /// Appends what becomes of a message to `out`, with separators, and adds what that loses to
    /// `losses`.
    ///
    /// # Errors
    /// The message cannot be read, or no bytes be made of it. Bytes that were appended then count
    /// for nothing, and [`Transform::recover`] comes before the next message.
    fn message(&mut self, message: Message<'_>, out: &mut Vec<u8>, losses: &mut LossReport) -> Result<()>;

    /// Forgets a message that failed. Returns true if the bytes behind it are the next message
    /// whatever is wrong with it.
    fn recover(&mut self, message: Message<'_>) -> bool;
}

/// The outcome of messages, in their order.
#[derive(Debug, Default)]
pub struct Transformed<'o> {
    /// Bytes that they became.
    pub out: &'o [u8],
    /// Number of messages that became bytes.
    pub messages: u64,
    /// Number of bad messages that were stepped over.
    pub bad: u64,
    /// Losses of these messages.
    pub losses: LossReport,
}

/// Has the messages of `input` transformed by up to `threads` threads, and passes the outcome to
/// `done` in the order of the stream. `framer` only frames. The first batch is done by `own`, on
/// the caller's thread. Returns all transforms, `own` first.
///
/// # Errors
/// The first error in the order of the stream, after what comes before it was passed to `done`: a
/// message that fails and is not `bad`, an input that cannot be read or framed, or an error of
/// `done`.
pub fn transform<R: Read, T: Transform>(
    input: &mut Stream<R>,
    framer: &mut Walker,
    threads: usize,
    own: T,
    mut bad: Option<&mut Bad>,
    done: &mut dyn FnMut(Transformed<'_>) -> Result<()>,
) -> Result<Vec<T>> {
    let most = bad.as_ref().map_or(0, |bad| bad.left());
    let mut own = Single { transform: own, most };
    let outcome = run(input, framer, threads, &mut own, &mut |own, batch, mut outcome| {
        let left = bad.as_ref().map_or(0, |bad| bad.left());
        if outcome.bad.len() as u64 > left {
            // Bad messages of earlier batches count, too.
            own.most = left;
            outcome = own.batch(batch);
        }
        let Outcome { out, messages, losses, bad: found, failed } = outcome;
        done(Transformed { out: &out, messages, bad: found.len() as u64, losses })?;
        if let Some(bad) = &mut bad {
            for (index, error) in found {
                bad.take(&error, batch.raw(index))?;
            }
        }
        failed.map_or(Ok(()), Err)
    });
    let works = outcome?;
    Ok([own].into_iter().chain(works).map(|work| work.transform).collect())
}

/// A transform, message by message.
struct Single<T> {
    transform: T,
    /// Most messages of a batch that may be bad.
    most: u64,
}

/// The outcome of a batch.
struct Outcome {
    out: Vec<u8>,
    messages: u64,
    losses: LossReport,
    /// Index and error of each bad message.
    bad: Vec<(usize, Error)>,
    /// The error that ended it.
    failed: Option<Error>,
}

impl<T: Transform> Work for Single<T> {
    type Done = Outcome;

    fn fork(&self) -> Result<Single<T>> {
        Ok(Single { transform: self.transform.fork()?, most: self.most })
    }

    fn batch(&mut self, batch: &Batch) -> Outcome {
        let mut done =
            Outcome { out: Vec::with_capacity(batch.size()), messages: 0, losses: LossReport::part(), bad: Vec::new(), failed: None };
        for (index, message) in batch.messages().enumerate() {
            let written = done.out.len();
            match self.transform.message(message, &mut done.out, &mut done.losses) {
                Ok(()) => done.messages += 1,
                Err(error) => {
                    done.out.truncate(written);
                    let error = batch.explain(error, index);
                    let goes_on = self.transform.recover(message) && is_of_message(&error);
                    if !goes_on || done.bad.len() as u64 >= self.most {
                        done.failed = Some(error);
                        break;
                    }
                    done.bad.push((index, error));
                }
            }
        }
        done
    }
}
