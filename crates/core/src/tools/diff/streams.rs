//! Two streams of messages side by side.

use std::io::Read;

use crate::error::{Error, Result};
use crate::format::declaration::Repeats;
use crate::tools::adapt::{Missed, Projection, Sought, Walker};
use crate::tools::stream::{Message, Stream};
use crate::value::tree::Tree;
use crate::walk::event::{Note, Span};
use crate::walk::forward::Forward;
use crate::walk::path::Path;
use crate::walk::sink::Needs;

use super::difference::Difference;
use super::values::{Diff, Ignore, difference};

/// How two streams are compared.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Values left out of the comparison, on both sides.
    pub ignore: Option<Projection>,
    /// Most differences that are reported; the others are only counted.
    pub limit: u64,
    /// Characters of a value that a difference shows before it is cut.
    pub shown: usize,
}

/// One of the two streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The first.
    Left,
    /// The second.
    Right,
}

/// A difference, and the message that it is in.
#[derive(Debug, Clone)]
pub struct Found {
    /// Index of the message in its stream, the same on both sides.
    pub message: u64,
    /// Where and what. A message that one stream alone has differs as a whole.
    pub difference: Difference,
}

/// The outcome of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Messages on the left.
    pub left: u64,
    /// Messages on the right.
    pub right: u64,
    /// Messages that differ, those that only one side has among them.
    pub differing: u64,
    /// All differences, reported or not.
    pub differences: u64,
    /// Paths to ignore that named nothing in any message.
    pub unmatched: Vec<Missed>,
}

/// The error that ended a comparison.
#[derive(Debug)]
pub struct Failed {
    /// The stream that cannot be read; `None` if reporting a difference failed.
    pub side: Option<Side>,
    /// The error.
    pub error: Error,
}

/// One message after the other, with the memory for its tree.
struct Half<'a, R> {
    side: Side,
    input: &'a mut Stream<R>,
    walker: &'a mut Walker,
    count: u64,
}

impl<R: Read> Half<'_, R> {
    fn next(&mut self) -> Result<Option<(Message<'_>, &mut Walker)>, Failed> {
        let side = Some(self.side);
        match self.input.next(self.walker) {
            Err(error) => Err(Failed { side, error }),
            Ok(None) => Ok(None),
            Ok(Some(message)) => {
                self.count += 1;
                Ok(Some((message, self.walker)))
            }
        }
    }

    /// Returns the failure of the walk of the message that came last.
    fn failed(&self, error: Error) -> Failed {
        Failed { side: Some(self.side), error: self.input.explain(error) }
    }
}

fn read<'m>(next: Option<(Message<'m>, &mut Walker)>, memory: Tree<'m>) -> Result<(Tree<'m>, bool)> {
    let mut grouped = Grouped(memory);
    let Some((message, walker)) = next else { return Ok((grouped.0, false)) };
    walker.walk(message.bytes, message.base, &mut grouped)?;
    Ok((grouped.0, true))
}

/// Compares the messages of two streams in order, the first with the first and so on, each stream
/// in its own format, and passes each difference to `found`. Memory: one message of each side.
///
/// Messages are compared as by [`differences`](super::differences). Fields of one name are one
/// list, where the format means that.
///
/// # Errors
/// The first message on either side that can't be read, after the differences before it were
/// reported.
pub fn streams<L: Read, R: Read>(
    left: (&mut Stream<L>, &mut Walker),
    right: (&mut Stream<R>, &mut Walker),
    options: &Options,
    found: &mut dyn FnMut(&Found) -> Result<()>,
) -> Result<Outcome, Failed> {
    let repeats = [&left.1, &right.1].iter().any(|walker| walker.format().repeats == Repeats::List);
    let mut sought = options.ignore.as_ref().map(|paths| (paths, Sought::new(paths)));
    let mut left = Half { side: Side::Left, input: left.0, walker: left.1, count: 0 };
    let mut right = Half { side: Side::Right, input: right.0, walker: right.1, count: 0 };
    let mut outcome = Outcome::default();
    let mut memory = (Tree::new(), Tree::new());
    for message in 0.. {
        let one = match read(left.next()?, memory.0.recycle()) {
            Ok(one) => one,
            Err(error) => return Err(left.failed(error)),
        };
        let other = match read(right.next()?, memory.1.recycle()) {
            Ok(other) => other,
            Err(error) => return Err(right.failed(error)),
        };
        if !one.1 && !other.1 {
            break;
        }
        let limit = usize::try_from(options.limit.saturating_sub(outcome.differences)).unwrap_or(usize::MAX);
        let (differences, count) = match (one.0.root(), other.0.root()) {
            (Some(one), Some(other)) => {
                let ignore = sought.as_mut().map(|(paths, sought)| Ignore { paths, hits: &mut sought.hits, repeats });
                Diff::new(ignore, limit, options.shown).all(one, other)
            }
            (one, other) => (Vec::from([difference(Path::default(), one, other, options.shown)]), 1),
        };
        for side in [&one.0, &other.0] {
            if let Some(mut names) = sought.as_mut().and_then(|(paths, sought)| sought.names(paths, false)) {
                side.emit(&mut names).map_err(|error| Failed { side: None, error })?;
            }
        }
        outcome.differing += u64::from(count > 0);
        outcome.differences += count;
        for difference in differences.into_iter().take(limit) {
            found(&Found { message, difference }).map_err(|error| Failed { side: None, error })?;
        }
        memory = (one.0.recycle(), other.0.recycle());
    }
    outcome.unmatched = sought.map(|(paths, sought)| sought.missed(paths, false)).unwrap_or_default();
    (outcome.left, outcome.right) = (left.count, right.count);
    Ok(outcome)
}

/// A tree that asks for fields of one name as one list.
struct Grouped<'m>(Tree<'m>);

impl<'m> Forward<'m> for Grouped<'m> {
    type To = Tree<'m>;

    fn to(&mut self) -> &mut Tree<'m> {
        &mut self.0
    }

    fn needs(&self) -> Needs {
        // Messages that differ in what a schema does not explain are not equal.
        Needs::GROUPED | Needs::GUESSES
    }

    /// Comments and white space are no part of the value.
    fn note(&mut self, _: Note<'_>, _: Span) -> Result<()> {
        Ok(())
    }
}
