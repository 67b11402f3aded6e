//! Messages in the cells of a column, one in each, as rows and back.

use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{BinaryArray, RecordBatch};
use arrow_schema::SchemaRef;
use polywire_core::tools::Message;
use polywire_core::tools::adapt::Walker;
use polywire_core::tools::loss::{LossReport, summary};
use polywire_core::{Dialect, Error, ErrorKind, Fault, Frame, Limits, Result, Writer};

use crate::batches::Filled;
use crate::emit::Messages;
use crate::options::Bad;
use crate::plan::Plan;
use crate::rows::{Events, ROWS};
use crate::sink::Rows;

/// Bytes that the cells of one array may hold: Arrow's offsets have 31 bits.
const MOST: usize = i32::MAX as usize;

/// Reads the cells of a column, each of which is exactly one message, as rows.
///
/// ```
/// use std::sync::Arc;
/// use polywire_arrow::{Bad, CellReader, Options, Plan};
/// use polywire_core::schema::{FieldType, NamedType, Record, Schema, Type, Width};
/// use polywire_core::{Limits, tools::adapt::Walker};
///
/// let record = Record { fields: vec![FieldType::required("id", Type::UInt(Width::W32))], ..Record::default() };
/// let order = NamedType { name: "Order".into(), doc: String::new(), ty: Type::Record(record) };
/// let schema = Schema { types: vec![order], root: Some("Order".into()) };
/// let plan = Arc::new(Plan::new(&schema, &Options::default().with_bad(Bad::Column))?);
///
/// let walker = Walker::new(polywire_formats::registry::find("json")?, &Limits::DEFAULT);
/// let mut reader = CellReader::new(walker, plan, false)?;
/// let mut rows = 0;
/// let cells = [Some(&b"{\"id\":1}"[..]), None, Some(b"{")];
/// reader.read(0, cells, &mut |batch| { rows += batch.num_rows(); Ok(()) })?;
/// assert_eq!((rows, reader.filled().bad), (3, 1));
/// # Ok::<(), polywire_core::Error>(())
/// ```
pub struct CellReader {
    walker: Walker,
    rows: Rows,
    filled: Filled,
    fails: bool,
}

impl CellReader {
    /// Makes a reader of cells. If it `fails`, the first bad cell is an error; otherwise it is a
    /// row with its reason in `_error`.
    ///
    /// # Errors
    /// The plan has no column for reasons ([`Bad::Column`]), or the format's messages depend on the
    /// first one.
    pub fn new(walker: Walker, plan: Arc<Plan>, fails: bool) -> Result<CellReader> {
        if plan.options().bad != Bad::Column {
            return Err(Error::usage("columns without room for cells that are null").expected("those of `Bad::Column`"));
        }
        if walker.format().first_gives_fields {
            return Err(Error::new(ErrorKind::Unsupported, Fault::Caller)
                .seen(format!("cells of {}, whose messages depend on the first one", walker.format().name))
                .expected("a format whose messages stand alone"));
        }
        Ok(CellReader { walker, rows: Rows::new(plan), filled: Filled::default(), fails })
    }

    /// Returns the schema of the rows.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(self.rows.plan().schema())
    }

    /// Returns what came of the cells so far.
    pub fn filled(&self) -> &Filled {
        &self.filled
    }

    /// Makes one row of each cell, and passes batches of them to `done`. A cell that is null is a
    /// row of nulls. Errors call the first cell message number `before` + 1, and count bytes from
    /// the start of their cell.
    ///
    /// # Errors
    /// A cell is bad, if that fails; or those of `done`.
    pub fn read<'c>(
        &mut self,
        before: u64,
        cells: impl IntoIterator<Item = Option<&'c [u8]>>,
        done: &mut dyn FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let outcome = self.fill(before, cells, done);
        if outcome.is_err() {
            // The rows before it are lost with the error, and the next call starts anew.
            self.rows = Rows::new(Arc::clone(self.rows.plan()));
        }
        outcome
    }

    fn fill<'c>(
        &mut self,
        before: u64,
        cells: impl IntoIterator<Item = Option<&'c [u8]>>,
        done: &mut dyn FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()> {
        for (cell, number) in cells.into_iter().zip(before + 1..) {
            while !self.add(cell, number)? {
                done(self.rows.take()?)?;
            }
            if self.rows.is_ready() {
                done(self.rows.take()?)?;
            }
        }
        if self.rows.is_empty() { Ok(()) } else { done(self.rows.take()?) }
    }

    /// Adds a row. Returns false if the batch has no room for it.
    fn add(&mut self, cell: Option<&[u8]>, number: u64) -> Result<bool> {
        let CellReader { walker, rows, filled, fails } = self;
        let Some(cell) = cell else {
            rows.absent();
            filled.rows += 1;
            return Ok(true);
        };
        let framed = alone(walker, cell);
        if let Ok((from, to)) = framed
            && rows.fill(walker, Message { bytes: &cell[from..to], base: from as u64 })
        {
            filled.rows += 1;
            filled.straight += 1;
            return Ok(true);
        }
        let walked = framed.and_then(|(from, to)| {
            walker.walk(&cell[from..to], from as u64, rows)?;
            rows.finish()?;
            Ok((from, to))
        });
        let error = match walked {
            Ok((from, to)) => {
                let lost = rows.losses();
                if !lost.is_empty() {
                    walker.losses(&mut filled.losses, &cell[from..to], from as u64, &lost);
                }
                filled.rows += 1;
                return Ok(true);
            }
            Err(error) => error,
        };
        rows.reset();
        walker.recover();
        if rows.take_full() {
            return Ok(false);
        }
        let error = error.or_at(0).or_message(number);
        if *fails {
            return Err(error);
        }
        rows.bad(&error);
        filled.rows += 1;
        filled.bad += 1;
        Ok(true)
    }
}

/// Returns the bounds of the one message of a cell. White space around it is no part of it.
///
/// # Errors
/// There is none, or a second one.
pub fn alone(walker: &mut Walker, cell: &[u8]) -> Result<(usize, usize)> {
    let (mut at, mut found) = (0, None);
    loop {
        match walker.frame(&cell[at..], at as u64, true)? {
            Frame::Message { start, end } => {
                if found.is_some() {
                    let error = Error::data(ErrorKind::Trailing, (at + start) as u64);
                    return Err(error.seen("a second message").expected("exactly one in a cell").format_is(walker.format().name));
                }
                let end = (at + end).min(cell.len());
                found = Some((at + start, end));
                at = end;
            }
            Frame::Between(0) => return Err(Error::internal("no bytes between messages").at(at as u64)),
            Frame::Between(bytes) => at = (at + bytes).min(cell.len()),
            Frame::End => break,
            Frame::More(_) => return Err(Error::internal("more bytes wanted after the end").at(at as u64)),
        }
        if at == cell.len() && found.is_some() {
            break;
        }
    }
    found.ok_or_else(|| Error::truncated(at as u64, "a message").format_is(walker.format().name))
}

/// Writes rows as messages, one in each cell of a column.
pub struct CellWriter {
    dialect: Dialect,
    /// It reads the rows.
    walker: Walker,
    writer: Box<dyn Writer>,
    lossless: bool,
    losses: LossReport,
    events: Vec<u8>,
    out: Vec<u8>,
}

impl CellWriter {
    /// Makes a writer of cells. If it is `lossless`, a row that the format cannot keep whole is an
    /// error; otherwise its losses are counted.
    ///
    /// # Errors
    /// The format cannot be written without a schema.
    pub fn new(dialect: impl Into<Dialect>, lossless: bool) -> Result<CellWriter> {
        let dialect = dialect.into().typed();
        let walker = Walker::new(&ROWS, &Limits::DEFAULT);
        let writer = walker.writer(&dialect).ok_or_else(|| {
            let error = Error::new(ErrorKind::Unsupported, Fault::Caller).seen(format!("the format `{}`", dialect.format().name));
            error.expected("a format that can be written without a schema").hint("give its schema")
        })?;
        Ok(CellWriter { dialect, walker, writer, lossless, losses: LossReport::default(), events: Vec::new(), out: Vec::new() })
    }

    /// Returns the losses so far.
    pub fn losses(&self) -> &LossReport {
        &self.losses
    }

    /// Writes each row as a message, and passes arrays of their bytes to `done`. The row of a bad
    /// message, which has a reason in `_error`, is a null. Errors call the first row message number
    /// `before` plus 1.
    ///
    /// # Errors
    /// The format cannot hold a row, or not whole; or those of `done`.
    pub fn write(&mut self, before: u64, rows: &RecordBatch, done: &mut dyn FnMut(BinaryArray) -> Result<()>) -> Result<()> {
        let messages = Messages::new(rows)?;
        let mut cells = BinaryBuilder::new();
        for (row, number) in (0..messages.len()).zip(before + 1..) {
            let is_message = self.message(&messages, row).map_err(|error| {
                self.writer.reset();
                // Its place is one in the events of the row, which nobody sees.
                error.or_message(number)
            })?;
            if cells.values_slice().len() + self.out.len() > MOST {
                if cells.values_slice().is_empty() {
                    return Err(Error::data(ErrorKind::Limit, 0).seen("a message of more than 2 GiB").or_message(number));
                }
                done(cells.finish())?;
            }
            match is_message {
                true => cells.append_value(&self.out),
                false => cells.append_null(),
            }
        }
        done(cells.finish())
    }

    /// Writes the message of a row to `out`. Returns false if the row has none.
    fn message(&mut self, messages: &Messages, row: usize) -> Result<bool> {
        let CellWriter { dialect, walker, writer, lossless, losses, events, out } = self;
        events.clear();
        out.clear();
        if !messages.emit(row, &mut Events(events))? {
            return Ok(false);
        }
        walker.walk(events, 0, &mut **writer).and_then(|()| writer.finish(out)).map_err(|error| error.format_is(dialect.format().name))?;
        let lost = writer.losses();
        if !lost.is_empty() {
            if let Some(lost) = summary(&lost).filter(|_| *lossless) {
                let error = Error::new(ErrorKind::Loss, Fault::Caller).seen(lost);
                return Err(error.expected(format!("a row that {} keeps whole", dialect.format().name)));
            }
            walker.losses(losses, events, 0, &lost);
        }
        Ok(true)
    }
}
