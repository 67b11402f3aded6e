//! A filter over messages apart from each other, on several threads.

use polywire_core::tools::Message;
use polywire_core::tools::adapt::Walker;
use polywire_core::tools::loss::LossReport;
use polywire_core::tools::transform::{Made, Transform};
use polywire_core::{Error, Result};

use crate::cut::Cutter;
use crate::filter::{End, Filter, Stopped};
use crate::guard::{self, Memory};
use crate::host::Alone;
use crate::results::Results;
use crate::value::{Val, ValSink};

/// Runs a filter over single messages. The filter must not be [talking](Filter::talks).
pub struct Apart<'f> {
    filter: &'f Filter,
    /// Values of its variables.
    variables: &'f [Val],
    memory: Memory,
    walker: Walker,
    cutter: Option<Cutter<'f>>,
    sink: ValSink,
    results: Results,
}

/// Outcome of messages beside the results.
#[derive(Debug)]
pub struct Beside {
    /// Losses: values that the format of the results could not keep.
    pub losses: LossReport,
    /// Errors that the filter raised, each with the number of bytes made before it. Further
    /// ones than [`Beside::RAISED`] are counted alone.
    pub raised: Vec<(usize, Error)>,
    /// Number of errors that the filter raised.
    pub raised_in_all: u64,
    /// Truth of the last result.
    pub last: Option<bool>,
    /// Number of parts that the reader did not understand.
    pub unknown: u64,
}

impl Beside {
    /// Most errors that are kept.
    pub const RAISED: usize = 10;
}

impl<'f> Apart<'f> {
    /// Makes one for the messages of `walker`, whose results go on in the format and look of
    /// `results`. Returns `None` if the messages or the results have to come one by one.
    ///
    /// # Errors
    /// The format cannot be written.
    pub fn new(filter: &'f Filter, variables: &'f [Val], memory: Memory, walker: &Walker, results: &Results) -> Result<Option<Apart<'f>>> {
        let Some(walker) = walker.fork().filter(|_| !filter.talks() && !results.is_only_one()) else { return Ok(None) };
        let (cutter, sink, results) = (filter.cutter(), filter.sink(), results.fork()?);
        Ok(Some(Apart { filter, variables, memory, walker, cutter, sink, results }))
    }

    /// Returns its walker, which knows the paths that named something.
    pub fn into_walker(self) -> Walker {
        self.walker
    }

    /// Adds the results on a message to the own ones.
    fn add(&mut self, message: Message<'_>, made: &mut Made<'_, Beside>) -> Result<()> {
        if let Some(cutter) = &mut self.cutter
            && let Some(last) = cutter.message(&mut self.walker, message, &mut self.results)
        {
            made.beside.last = Some(last);
            return Ok(());
        }
        // Results of earlier messages may be freed by other threads.
        let memory = self.memory.from_here();
        self.walker.walk(message.bytes, message.base, &mut self.sink)?;
        made.beside.unknown += self.sink.take_unknown();
        let Some(value) = self.sink.take() else { return Err(Error::internal("a message without a value")) };
        let results = &mut self.results;
        let outcome = self.filter.run(value, self.variables, &Alone, memory, &mut |value| {
            results.add(&value)?;
            made.beside.last = Some(value.is_true());
            results.swap(&mut made.bytes);
            let room = made.room();
            results.swap(&mut made.bytes);
            room
        });
        match outcome {
            Ok(End::Done) => Ok(()),
            Ok(End::Halted(_)) => Err(Error::internal("a filter that ends the run, beside others")),
            Err(Stopped::Bound(error) | Stopped::Receiver(error)) => Err(error),
            Err(Stopped::Raised(raised)) => {
                made.beside.raised_in_all += 1;
                if made.beside.raised.len() < Beside::RAISED {
                    made.beside.raised.push((results.bytes().len(), raised.error().or_at(message.base)));
                }
                Ok(())
            }
        }
    }
}

impl Transform for Apart<'_> {
    type Beside = Beside;
    const STACK: usize = guard::WHOLE_STACK;

    fn fork(&self) -> Result<Self> {
        let fork = Apart::new(self.filter, self.variables, self.memory, &self.walker, &self.results)?;
        fork.ok_or_else(|| Error::internal("a filter that runs apart once"))
    }

    fn beside() -> Beside {
        Beside { losses: LossReport::part(), raised: Vec::new(), raised_in_all: 0, last: None, unknown: 0 }
    }

    fn message(&mut self, message: Message<'_>, made: &mut Made<'_, Beside>) -> Result<()> {
        self.results.swap(&mut made.bytes);
        let outcome = self.add(message, made);
        self.results.swap(&mut made.bytes);
        self.results.lost_to(&mut made.beside.losses);
        outcome
    }

    fn recover(&mut self, message: Message<'_>) -> bool {
        self.sink.take();
        self.walker.recover_from(message)
    }
}
