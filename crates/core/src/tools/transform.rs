//! Single messages become bytes, on as many threads as there are.

use std::io::Read;

use crate::error::{Error, Result};
use crate::tools::adapt::Walker;
use crate::tools::bad::{Bad, is_of_message};
use crate::tools::batch::Batch;
use crate::tools::message::Message;
use crate::tools::parallel::{STACK, Work, run};
use crate::tools::stream::Stream;

/// Bytes that the messages of a batch may become before they are written. Where they become more,
/// the batch is done again on the caller's thread, and written as it comes.
const MUCH: usize = 16 << 20;

/// Makes bytes of messages. Each thread has its own.
pub trait Transform: Send + Sized {
    /// Outcome of messages beside bytes, such as losses.
    type Beside: Send;

    /// Bytes of the stack of a thread.
    const STACK: usize = STACK;

    /// Makes the same for another thread.
    ///
    /// # Errors
    /// What it needs cannot be made a second time.
    fn fork(&self) -> Result<Self>;

    /// Returns the outcome of no messages.
    fn beside() -> Self::Beside;

    /// Appends what becomes of a message to the bytes that are made, with separators. One that may
    /// become much asks for room on the way.
    ///
    /// # Errors
    /// The message cannot be read, or no bytes be made of it. Bytes that count for nothing are
    /// taken back, and [`Transform::recover`] comes before the next message.
    fn message(&mut self, message: Message<'_>, made: &mut Made<'_, Self::Beside>) -> Result<()>;

    /// Forgets a message that failed. Returns true if the bytes behind it are the next message
    /// whatever is wrong with it.
    fn recover(&mut self, message: Message<'_>) -> bool;
}

/// A receiver of what messages became.
type Taking<'r, B> = dyn FnMut(Transformed<'_, B>) -> Result<()> + 'r;

/// A receiver, and the function that makes the state after it.
type Drain<'r, B> = (&'r mut Taking<'r, B>, fn() -> B);

/// The bytes that the messages of a batch become, and the rest of their outcome.
pub struct Made<'r, B> {
    /// Bytes.
    pub bytes: Vec<u8>,
    /// Outcome beside them.
    pub beside: B,
    /// Receiver of both where they are much, and the state that follows.
    taking: Option<Drain<'r, B>>,
    is_full: bool,
}

impl<B> Made<'_, B> {
    /// Makes room for more bytes.
    ///
    /// # Errors
    /// There is none, or the bytes so far cannot be written. The message has to return the error.
    pub fn room(&mut self) -> Result<()> {
        if self.bytes.len() < MUCH {
            return Ok(());
        }
        let Some((taking, beside)) = &mut self.taking else {
            self.is_full = true;
            return Err(Error::internal("more bytes than a batch becomes"));
        };
        let beside = std::mem::replace(&mut self.beside, beside());
        taking(Transformed { out: &self.bytes, start: 0, messages: 0, bad: 0, beside })?;
        self.bytes.clear();
        Ok(())
    }
}

/// The outcome of messages, in their order.
#[derive(Debug)]
pub struct Transformed<'o, B> {
    /// Bytes that they became.
    pub out: &'o [u8],
    /// Number of bytes that the messages before these became, as [`Made`] counts them.
    pub start: usize,
    /// Number of messages that became bytes.
    pub messages: u64,
    /// Number of bad messages that were stepped over.
    pub bad: u64,
    /// Outcome of these messages beside the bytes.
    pub beside: B,
}

/// Has the messages of `input` transformed by up to `threads` threads, and passes the outcome to
/// `done` in the order of the stream. `framer` only frames. The first batch is done by `own`, on
/// the caller's thread. Returns all transforms, `own` first, after an error too.
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
    done: &mut Taking<'_, T::Beside>,
) -> (Vec<T>, Result<()>) {
    let most = bad.as_ref().map_or(0, |bad| bad.left());
    let mut own = Single { transform: own, most };
    let (works, outcome) = run(input, framer, threads, &mut own, &mut |own, batch, mut outcome| {
        let left = bad.as_ref().map_or(0, |bad| bad.left());
        if outcome.parts.len() as u64 > left.saturating_add(1) || outcome.is_full {
            // Bad messages of earlier batches count, too.
            own.most = left;
            outcome = own.all(batch, Some((&mut *done, T::beside)), bad.as_deref_mut());
        }
        let Outcome { bytes, parts, failed, .. } = outcome;
        let mut start = 0;
        for Part { end, beside, messages, bad: found } in parts {
            done(Transformed { out: &bytes[start..end], start, messages, bad: u64::from(found.is_some()), beside })?;
            if let (Some((index, error)), Some(bad)) = (found, &mut bad) {
                bad.take(&error, batch.raw(index))?;
            }
            start = end;
        }
        failed.map_or(Ok(()), Err)
    });
    ([own].into_iter().chain(works).map(|work| work.transform).collect(), outcome)
}

/// A transform, message by message.
struct Single<T> {
    transform: T,
    /// Most messages of a batch that may be bad.
    most: u64,
}

/// The outcome of a batch.
struct Outcome<B> {
    bytes: Vec<u8>,
    /// One more than there are bad messages.
    parts: Vec<Part<B>>,
    /// True if it is not whole, since it would be too much.
    is_full: bool,
    /// The error that ended it.
    failed: Option<Error>,
}

/// The outcome of messages up to a bad one, or up to the end of a batch.
struct Part<B> {
    /// Place of its last byte's end.
    end: usize,
    beside: B,
    messages: u64,
    /// Index and error of the bad message behind it.
    bad: Option<(usize, Error)>,
}

impl<T: Transform> Single<T> {
    /// Transforms the messages of a batch. With `drain`, it gets all but the last part as it comes,
    /// and `kept` gets the bad messages between.
    fn all<'r>(&mut self, batch: &Batch, drain: Option<Drain<'r, T::Beside>>, mut kept: Option<&mut Bad>) -> Outcome<T::Beside> {
        let mut made = Made { bytes: Vec::with_capacity(batch.size()), beside: T::beside(), taking: drain, is_full: false };
        let (mut messages, mut bad, mut parts, mut failed) = (0, 0, Vec::new(), None);
        for (index, message) in batch.messages().enumerate() {
            let error = match self.transform.message(message, &mut made) {
                Ok(()) => {
                    messages += 1;
                    continue;
                }
                Err(error) => error,
            };
            let goes_on = self.transform.recover(message) || Bad::is_cut(&error, batch.ends_with(index));
            if made.is_full {
                break;
            }
            let error = batch.explain(error, index);
            if !goes_on || !is_of_message(&error) || bad >= self.most {
                failed = Some(error);
                break;
            }
            bad += 1;
            let beside = std::mem::replace(&mut made.beside, T::beside());
            let messages = std::mem::take(&mut messages);
            let Some((taking, _)) = &mut made.taking else {
                parts.push(Part { end: made.bytes.len(), beside, messages, bad: Some((index, error)) });
                continue;
            };
            let taken = taking(Transformed { out: &made.bytes, start: 0, messages, bad: 1, beside });
            made.bytes.clear();
            if let Err(error) = taken.and_then(|()| kept.as_mut().map_or(Ok(()), |kept| kept.take(&error, batch.raw(index)))) {
                failed = Some(error);
                break;
            }
        }
        let Made { bytes, beside, is_full, .. } = made;
        parts.push(Part { end: bytes.len(), beside, messages, bad: None });
        Outcome { bytes, parts, is_full, failed }
    }
}

impl<T: Transform> Work for Single<T> {
    type Done = Outcome<T::Beside>;
    const STACK: usize = T::STACK;

    fn fork(&self) -> Result<Single<T>> {
        Ok(Single { transform: self.transform.fork()?, most: self.most })
    }

    fn batch(&mut self, batch: &Batch) -> Outcome<T::Beside> {
        self.all(batch, None, None)
    }
}
