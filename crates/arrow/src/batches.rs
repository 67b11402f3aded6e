//! Messages of a stream as batches of rows.

use std::io::Read;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{Builder, JoinHandle};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use polywire_core::tools::adapt::Walker;
use polywire_core::tools::loss::LossReport;
use polywire_core::tools::parallel::{Work, is_apart, run};
use polywire_core::tools::{Bad as BadMessages, Batch, Count, Message, Stream};
use polywire_core::{Error, Result};

use crate::options::Bad;
use crate::plan::Plan;
use crate::sink::Rows;

/// Outcome of the messages of a run.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Filled {
    /// Number of rows, those of bad messages too.
    pub rows: u64,
    /// Number of bad messages.
    pub bad: u64,
    /// Number of rows that the reader appended straight from the bytes, without a walk.
    pub straight: u64,
    /// Parts of the messages that columns do not hold.
    pub losses: LossReport,
}

/// Outcome of one message.
enum Row {
    /// A row, or a message that is left out.
    Done,
    /// The batch has no room for it.
    Full,
}

/// Adds a message as a row.
fn add(
    rows: &mut Rows,
    walker: &mut Walker,
    message: Message<'_>,
    filled: &mut Filled,
    explain: impl FnOnce(Error) -> Error,
) -> Result<Row> {
    if rows.fill(walker, message) {
        filled.rows += 1;
        filled.straight += 1;
        return Ok(Row::Done);
    }
    let outcome = walker.walk(message.bytes, message.base, rows).and_then(|()| rows.finish());
    let Err(error) = outcome else {
        let lost = rows.losses();
        if !lost.is_empty() {
            walker.losses(&mut filled.losses, message.bytes, message.base, &lost);
        }
        filled.rows += 1;
        return Ok(Row::Done);
    };
    rows.reset();
    if rows.take_full() {
        return Ok(Row::Full);
    }
    let bad = rows.plan().options().bad;
    let error = error.or_at(message.base);
    if bad == Bad::Fail {
        return Err(explain(error));
    }
    let passing = BadMessages::new(1, |_, _| Ok(()));
    // The framing holds if it says so, or if nothing but the columns has failed.
    let goes_on = passing.allows(walker, message, &error)
        || (passing.may_pass(&error) && walker.walk(message.bytes, message.base, &mut Count::default()).is_ok());
    if !goes_on {
        return Err(explain(error));
    }
    filled.bad += 1;
    if bad == Bad::Column {
        rows.bad(&explain(error));
        filled.rows += 1;
    }
    Ok(Row::Done)
}

/// Batches of the messages of an input, one by one. Memory: one batch, a buffer, and at most twice
/// the longest message.
///
/// ```
/// use std::sync::Arc;
/// use polywire_arrow::{Batches, Options, Plan};
/// use polywire_core::schema::{FieldType, NamedType, Record, Schema, Type, Width};
///
/// let record = Record { fields: vec![FieldType::required("id", Type::UInt(Width::W32))], ..Record::default() };
/// let order = NamedType { name: "Order".into(), doc: String::new(), ty: Type::Record(record) };
/// let schema = Schema { types: vec![order], root: Some("Order".into()) };
/// let plan = Arc::new(Plan::new(&schema, &Options::default())?);
///
/// let lines = "{\"id\":1}\n{\"id\":2}\n";
/// let batches = Batches::new(lines.as_bytes(), polywire_formats::registry::find("jsonl")?, plan);
/// let rows: usize = batches.map(|batch| batch.map(|batch| batch.num_rows())).sum::<Result<_, _>>()?;
/// assert_eq!(rows, 2);
/// # Ok::<(), polywire_core::Error>(())
/// ```
pub struct Batches<R> {
    stream: Stream<R>,
    walker: Walker,
    rows: Rows,
    filled: Filled,
    /// The last message came when the batch was full.
    again: bool,
    ended: bool,
    failed: Option<Error>,
}

impl<R: Read> Batches<R> {
    /// Makes the batches of the messages of `input`.
    pub fn new(input: R, dialect: impl Into<polywire_core::Dialect>, plan: Arc<Plan>) -> Batches<R> {
        let walker = Walker::new(dialect, &polywire_core::Limits::DEFAULT);
        Batches::of(Stream::new(input), walker, plan)
    }

    /// Makes the batches of the messages that `walker` finds in a stream. A walker that selects
    /// paths reads only these.
    pub fn of(stream: Stream<R>, walker: Walker, plan: Arc<Plan>) -> Batches<R> {
        Batches { stream, walker, rows: Rows::new(plan), filled: Filled::default(), again: false, ended: false, failed: None }
    }

    /// Returns the schema of all batches.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(self.rows.plan().schema())
    }

    /// Returns what came of the messages so far.
    pub fn filled(&self) -> &Filled {
        &self.filled
    }

    /// Takes messages until the batch is ready. Returns false at the end of the input.
    fn fill(&mut self) -> Result<bool> {
        let Batches { stream, walker, rows, filled, again, .. } = self;
        rows.begin();
        while !rows.is_ready() {
            let message = match std::mem::take(again) {
                true => stream.last(),
                false => {
                    let many = stream.take_many(|bytes, base| rows.fill_many(walker, bytes, base)) as u64;
                    if many > 0 {
                        filled.rows += many;
                        filled.straight += many;
                        continue;
                    }
                    match stream.next(walker)? {
                        Some(_) => stream.last(),
                        None => return Ok(false),
                    }
                }
            };
            let around = stream.surroundings();
            if let Row::Full = add(rows, walker, message, filled, |error| around.explain(error))? {
                *again = true;
                return Ok(true);
            }
        }
        Ok(true)
    }

    /// Takes one message, if there is one. The batch has room for it.
    fn one(&mut self) -> Result<()> {
        let Batches { stream, walker, rows, filled, .. } = self;
        if stream.next(walker)?.is_some() {
            let (message, around) = (stream.last(), stream.surroundings());
            add(rows, walker, message, filled, |error| around.explain(error))?;
        }
        Ok(())
    }

    /// Fills batches on `threads` threads beside this one, and passes each to `done`, in the order
    /// of the input. Messages that depend on each other are read by one thread, but for the rows of
    /// a table, whose first one has the header.
    ///
    /// # Errors
    /// The first error in the order of the stream, or of `done`.
    pub fn fill_on(mut self, threads: usize, done: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<Filled> {
        let format = self.walker.format();
        let fork = if threads <= 1 {
            None
        } else if format.first_gives_fields && format.framing.goes_on() {
            // The first message gives the others what they need.
            self.one()?;
            self.walker.follower()
        } else if is_apart(format, None) {
            self.walker.fork()
        } else {
            None
        };
        let Some(fork) = fork else {
            for batch in self.by_ref() {
                done(batch?)?;
            }
            return Ok(self.filled);
        };
        let follows = format.first_gives_fields;
        let mut own = Worker { walker: fork, rows: self.rows, follows };
        let mut all = Filled { losses: LossReport::default(), ..self.filled };
        let (_, outcome) = run(&mut self.stream, &mut self.walker, threads, &mut own, &mut |_, _, made: Made| {
            let Made { batches, filled, failed } = made;
            all.rows += filled.rows;
            all.bad += filled.bad;
            all.straight += filled.straight;
            all.losses.join(filled.losses);
            for batch in batches {
                done(batch)?;
            }
            failed.map_or(Ok(()), Err)
        });
        // The first message, if there was no other.
        if !own.rows.is_empty() {
            done(own.rows.take()?)?;
        }
        outcome.map(|()| all)
    }
}

impl<R: Read + Send + 'static> Batches<R> {
    /// Has the batches filled by `threads` threads, ahead of their taking.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn spawn(self, threads: usize) -> Result<Spawned> {
        let schema = self.schema();
        let (sender, receiver) = sync_channel(2);
        let work = move || {
            let outcome = self.fill_on(threads, &mut |batch| {
                // Nobody waits any more if this fails.
                sender.send(Ok(batch)).map_err(|_| Error::usage("batches that nobody takes"))
            });
            match outcome {
                Ok(filled) => filled,
                Err(error) => {
                    let _ = sender.send(Err(error));
                    Filled::default()
                }
            }
        };
        let thread = Builder::new().stack_size(polywire_core::tools::parallel::STACK).spawn(work);
        let thread = thread.map_err(|error| Error::io("starting a thread", &error))?;
        Ok(Spawned { schema, receiver: Some(receiver), thread: Some(thread), filled: Filled::default() })
    }
}

impl<R: Read> Iterator for Batches<R> {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        if let Some(error) = self.failed.take() {
            self.ended = true;
            return Some(Err(error));
        }
        if self.ended {
            return None;
        }
        match self.fill() {
            Ok(true) => {}
            Ok(false) => self.ended = true,
            // The rows before an error come first.
            Err(error) if self.rows.is_empty() => {
                self.ended = true;
                return Some(Err(error));
            }
            Err(error) => self.failed = Some(error),
        }
        if self.rows.is_empty() { None } else { Some(self.rows.take()) }
    }
}

/// Batches that threads fill ahead.
pub struct Spawned {
    schema: SchemaRef,
    receiver: Option<Receiver<Result<RecordBatch>>>,
    thread: Option<JoinHandle<Filled>>,
    filled: Filled,
}

impl Spawned {
    /// Returns the schema of all batches.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Returns what came of the messages, once all batches were taken.
    pub fn filled(&self) -> &Filled {
        &self.filled
    }
}

impl Iterator for Spawned {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        match self.receiver.as_ref()?.recv() {
            Ok(batch) => Some(batch),
            Err(_) => {
                self.receiver = None;
                match self.thread.take()?.join() {
                    Ok(filled) => {
                        self.filled = filled;
                        None
                    }
                    Err(_) => Some(Err(Error::internal("a thread that ended before its work was done"))),
                }
            }
        }
    }
}

/// The state of one thread.
struct Worker {
    walker: Walker,
    rows: Rows,
    /// The messages are behind a first one, which gave them their fields.
    follows: bool,
}

/// Rows of the messages of one piece of a stream.
struct Made {
    batches: Vec<RecordBatch>,
    filled: Filled,
    failed: Option<Error>,
}

impl Work for Worker {
    type Done = Made;
    // Longer pieces leave the caches between the thread that frames and those that read.
    const BATCH: usize = 1 << 20;

    fn fork(&self) -> Result<Worker> {
        let walker = if self.follows { self.walker.follower() } else { self.walker.fork() };
        let walker = walker.ok_or_else(|| Error::internal("a walker that forks once"))?;
        Ok(Worker { walker, rows: Rows::new(Arc::clone(self.rows.plan())), follows: self.follows })
    }

    fn batch(&mut self, batch: &Batch) -> Made {
        let Worker { walker, rows, .. } = self;
        let mut made = Made { batches: Vec::new(), filled: Filled { losses: LossReport::part(), ..Filled::default() }, failed: None };
        let take = |rows: &mut Rows, made: &mut Made| match rows.take() {
            Ok(batch) => made.batches.push(batch),
            Err(error) => made.failed = Some(error),
        };
        rows.begin();
        let mut taken = 0;
        for (index, message) in batch.messages().enumerate() {
            if index < taken {
                continue;
            }
            let (rest, base) = batch.rest(index);
            let (_, many) = rows.fill_many(walker, rest, base);
            if many > 0 {
                made.filled.rows += many as u64;
                made.filled.straight += many as u64;
                taken = index + many;
                if rows.is_ready() {
                    take(rows, &mut made);
                }
                continue;
            }
            loop {
                match add(rows, walker, message, &mut made.filled, |error| batch.explain(error, index)) {
                    Ok(Row::Done) => break,
                    Ok(Row::Full) => take(rows, &mut made),
                    Err(error) => {
                        made.failed = Some(error);
                        break;
                    }
                }
            }
            if made.failed.is_some() {
                break;
            }
            if rows.is_ready() {
                take(rows, &mut made);
            }
        }
        if !rows.is_empty() {
            let failed = made.failed.take();
            take(rows, &mut made);
            made.failed = failed.or(made.failed);
        }
        made
    }
}
