//! Messages as columns: Arrow's record batches and Parquet files, and back.
//!
//! [`Columns`] reads messages of any format into batches. [`write()`] writes batches as messages of
//! any format. The mapping of types is described in `docs/columns.md`.

use std::io::{Chain, Cursor, Read, Write};
use std::sync::Arc;

use polywire_core::tools::Stream;
use polywire_core::tools::adapt::Projection;
use polywire_core::tools::convert::Converter;
use polywire_schema::infer::Inference;

pub use polywire_arrow::arrow_array::RecordBatch;
pub use polywire_arrow::arrow_schema::SchemaRef;
pub use polywire_arrow::{
    Bad, Batches, Decimals, FileKind, FileWriter, Filled, MOST, Messages, Opened, Options, Plan, Rest, Source, Spawned, Squeeze, Sums,
    common_schema, open, schema_for,
};

use crate::conversion::Copied;
use crate::reading::Reading;
use crate::{Dialect, DuplicateKeys, Error, IntoDialect, Limits, Result};
use polywire_core::Schema;

/// Bytes of the input that a schema is inferred from, unless it is given.
const SAMPLE: u64 = 8 << 20;

/// The input of [`Columns::read`]: the sample, and what follows.
pub type Input<R> = Chain<Cursor<Vec<u8>>, R>;

/// Reads messages into columns.
///
/// ```
/// use polywire::columns::Columns;
///
/// let lines = "{\"id\":1,\"name\":\"Ada\"}\n{\"id\":2}\n";
/// let batches = Columns::new("jsonl")?.read(lines.as_bytes())?;
/// assert_eq!(batches.schema().field(1).name(), "name");
/// let rows: usize = batches.map(|batch| batch.map(|batch| batch.num_rows())).sum::<Result<_, _>>()?;
/// assert_eq!(rows, 2);
/// # Ok::<(), polywire::Error>(())
/// ```
#[derive(Clone)]
pub struct Columns {
    from: Reading,
    schema: Option<Schema>,
    options: Options,
    sample: u64,
}

impl Columns {
    /// Makes a reader of a format's messages.
    ///
    /// # Errors
    /// The format has no such name or is not compiled in.
    pub fn new(format: impl IntoDialect) -> Result<Columns> {
        Ok(Columns { from: Reading::new(format.into_dialect()?), schema: None, options: Options::default(), sample: SAMPLE })
    }

    /// Sets the schema of the messages. Without one, it is inferred from the start of the input.
    #[must_use]
    pub fn schema(self, schema: Schema) -> Columns {
        Columns { schema: Some(schema), ..self }
    }

    /// Sets the form of columns, and the treatment of what does not fit.
    #[must_use]
    pub fn options(self, options: Options) -> Columns {
        Columns { options, ..self }
    }

    /// Sets the number of bytes from which a schema is inferred. Default: 8 MiB. `u64::MAX` is all
    /// of the input, which is then in memory.
    #[must_use]
    pub fn sample(self, bytes: u64) -> Columns {
        Columns { sample: bytes, ..self }
    }

    /// Sets the bounds on each message.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Columns {
        self.from.limits = limits;
        self
    }

    /// Sets the treatment of duplicate keys, in formats where they have no meaning of their own.
    /// Default: an error.
    #[must_use]
    pub fn duplicate_keys(mut self, duplicates: DuplicateKeys) -> Columns {
        self.from.duplicates = duplicates;
        self
    }

    /// Makes the values at `path` the messages: see [`Messages::each`](crate::Messages::each).
    ///
    /// # Errors
    /// The text is no path.
    pub fn each(mut self, path: &str) -> Result<Columns> {
        self.from.each(path)?;
        Ok(self)
    }

    /// Reads only the values that `paths` name, and steps over the rest: see
    /// [`Messages::select`](crate::Messages::select). The other columns are left out.
    ///
    /// # Errors
    /// A text is no path.
    pub fn select(mut self, paths: &[&str]) -> Result<Columns> {
        self.from.select(paths)?;
        Ok(self)
    }

    /// Infers the schema of the messages, as they are read here. A message that cannot be read is
    /// passed over, if the options allow bad messages.
    ///
    /// # Errors
    /// A message cannot be read.
    pub fn infer(&self, input: impl Read) -> Result<Schema> {
        self.inferred(Stream::new(input))
    }

    fn inferred<R: Read>(&self, mut stream: Stream<R>) -> Result<Schema> {
        let mut walker = self.from.walker();
        walker.show_types();
        let mut inference = Inference::new();
        while let Some(message) = stream.next(&mut walker)? {
            // Only a message that may be passed over needs a state of its own.
            if self.options.bad == Bad::Fail {
                let added = inference.add(|sink| walker.walk(message.bytes, message.base, sink));
                added.map_err(|error| stream.explain(error))?;
                continue;
            }
            let mut trial = Inference::new();
            match trial.add(|sink| walker.walk(message.bytes, message.base, sink)) {
                Ok(()) => inference = inference.merge(trial),
                Err(error) => {
                    if !walker.recover_from(message) {
                        return Err(stream.explain(error));
                    }
                }
            }
        }
        Ok(inference.finish(None))
    }

    /// Reads messages into batches. They are an iterator; [`Batches::spawn`] fills them on several
    /// threads.
    ///
    /// # Errors
    /// The sample cannot be read, or the schema has no columns.
    pub fn read<R: Read>(&self, mut input: R) -> Result<Batches<Input<R>>> {
        let mut head = Vec::new();
        let mut walker = self.from.walker();
        let has_types = walker.show_types();
        let schema = match &self.schema {
            Some(schema) => match self.from.selection() {
                Some(paths) if has_types => {
                    let paths = polywire_arrow::members(schema, paths);
                    walker = walker.select(Some(Projection::new(&paths)));
                    polywire_arrow::project(schema, &paths)?
                }
                Some(paths) => polywire_arrow::project(schema, paths)?,
                None => schema.clone(),
            },
            None => {
                let read = input.by_ref().take(self.sample).read_to_end(&mut head);
                read.map_err(|error| Error::io("reading", &error))?;
                let is_whole = (head.len() as u64) < self.sample;
                let sample = Stream::new(&head[..]);
                self.inferred(if is_whole { sample } else { sample.only_ended() })?
            }
        };
        let plan = Arc::new(Plan::new(&schema, &self.options)?);
        Ok(Batches::of(Stream::new(Cursor::new(head).chain(input)), walker, plan))
    }
}

/// Writes the rows of batches as messages of a format. Losses are counted if `lossy` allows them,
/// and an error otherwise. Rows of bad messages, which have a reason in `_error`, are left out.
///
/// ```
/// use polywire::columns::{Columns, write};
///
/// let lines = "{\"id\":1}\n{\"id\":2}\n";
/// let batches = Columns::new("jsonl")?.read(lines.as_bytes())?;
/// let mut out = Vec::new();
/// let copied = write(batches, "msgpack", &mut out, false)?;
/// assert_eq!((copied.messages, &out[..]), (2, &b"\x81\xa2id\x01\x81\xa2id\x02"[..]));
/// # Ok::<(), polywire::Error>(())
/// ```
///
/// # Errors
/// A batch is an error, the format cannot hold a message, or writing fails.
pub fn write(
    batches: impl Iterator<Item = Result<RecordBatch>>,
    to: impl IntoDialect,
    output: &mut dyn Write,
    lossy: bool,
) -> Result<Copied> {
    let to = to.into_dialect()?.typed();
    let mut batches = batches;
    let (straight, left) = write_straight(&mut batches, &to, output)?;
    let batches = left.into_iter().chain(batches);
    let mut walker = polywire_core::tools::adapt::Walker::new(&polywire_arrow::ROWS, &Limits::DEFAULT);
    let mut converter = Converter::new(to).lossless(!lossy);
    let added = converter.add(&mut Stream::new(polywire_arrow::RowBytes::new(batches)), output, &mut walker);
    added.map_err(|error| error.after_messages(straight))?;
    converter.finish(output)?;
    let done = converter.into_done();
    Ok(Copied { messages: straight + done.messages, losses: done.losses })
}

/// Rows that are written at once.
const PIECE: usize = 8192;

/// Writes batches as long as the format's writer takes their rows without events. Returns the
/// number of rows, and the rest of the first batch whose rows have to be walked.
fn write_straight(
    batches: &mut dyn Iterator<Item = Result<RecordBatch>>,
    to: &Dialect,
    output: &mut dyn Write,
) -> Result<(u64, Option<Result<RecordBatch>>)> {
    let Some(mut writer) = to.writer() else { return Ok((0, None)) };
    let (mut rows, mut out) = (0, Vec::new());
    for batch in batches {
        let Ok(batch) = batch else { return Ok((rows, Some(batch))) };
        let messages = Messages::new(&batch)?;
        let view = messages.view();
        let mut from = 0;
        while from < messages.len() {
            let to = messages.len().min(from + PIECE);
            if !view.as_ref().is_some_and(|view| writer.rows(view, from..to, &mut out)) {
                return Ok((rows, Some(Ok(batch.slice(from, messages.len() - from)))));
            }
            output.write_all(&out).map_err(|error| Error::io("writing", &error))?;
            out.clear();
            rows += (to - from) as u64;
            from = to;
        }
    }
    Ok((rows, None))
}
