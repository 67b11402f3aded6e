//! The sink: events of a walk become rows of columns.
//!
//! A column of a record's field, or of a case, is filled lazily: it gets the nulls that it lacks
//! before its next value, and at the end of the batch. So a row costs what it holds, however many
//! columns there are.

mod events;
mod faults;
mod lazy;
mod numbers;
mod others;
mod values;

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::DataType;
use polywire_core::columns::{Column, Filling, MOST};
use polywire_core::tools::Message;
use polywire_core::tools::adapt::Walker;
use polywire_core::{Error, Losses, Lost, Result, Span};

use self::faults::full;
use crate::column::{Reasons, Texts, column, made_wrong, take};
use crate::json::JsonText;
use crate::plan::{Id, Kind, Plan};

/// Rows under construction. A walk of each message into this sink, and [`Rows::finish`] after it,
/// make a row; [`Rows::take`] returns the batch.
pub struct Rows {
    plan: Arc<Plan>,
    columns: Vec<Column>,
    levels: Vec<Level>,
    /// The column of the value that a field announced.
    target: Id,
    rows: usize,
    size: usize,
    /// True once the message's value came.
    done: bool,
    losses: Losses,
    json: JsonText,
    /// The use of the JSON text under way.
    capture: Capture,
    rest: Texts,
    /// Text of the row's column `_rest`, without its closing brace.
    others: Vec<u8>,
    reasons: Reasons,
    scratch: Vec<u8>,
    /// True if the row was refused because a column has no more room.
    is_full: bool,
    /// Messages in a row that no reader could append straight.
    failures: u32,
    /// Messages to come that are walked at once.
    slow: u32,
    /// The same, of calls for many messages.
    failures_many: u32,
    slow_many: u32,
    /// Values of each column in the last batch, and the bytes of their texts.
    last: Vec<(usize, usize)>,
    /// Number of rows at which the columns get memory for more of them.
    due: usize,
}

/// Rows of a first batch by which its size is guessed, and by how much more memory is taken then.
/// Memory that grows by doubling may be half empty.
const GUESS: usize = 1024;
const GROWTH: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Capture {
    No,
    /// A value of this column.
    Value(Id),
    /// A field that the schema does not have.
    Rest,
}

struct Level {
    node: Id,
    kind: Open0,
    /// Place of the next field, part or entry.
    next: u32,
    /// Fields so far.
    seen: u32,
    /// In maps: a key came, and its value is due.
    value_due: bool,
}

/// The kind of an open container, as its column understands it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open0 {
    Record,
    /// A record without fields.
    Unit,
    List,
    Map,
    Tuple,
    /// A case by a record of one field.
    Choice,
    /// The values of a case.
    Case,
    /// The constant case, which holds nothing.
    Constant,
    /// A mark, and how many are around it.
    Mark(u32),
}

impl Rows {
    /// Makes rows of a plan's columns.
    pub fn new(plan: Arc<Plan>) -> Rows {
        let columns = plan.nodes.iter().map(column).collect();
        Rows {
            columns,
            levels: Vec::new(),
            target: plan.root,
            rows: 0,
            size: 0,
            done: false,
            losses: Losses::default(),
            json: JsonText::default(),
            capture: Capture::No,
            rest: Texts::default(),
            others: Vec::new(),
            reasons: Reasons::default(),
            scratch: Vec::new(),
            is_full: false,
            failures: 0,
            slow: 0,
            failures_many: 0,
            slow_many: 0,
            last: Vec::new(),
            due: GUESS,
            plan,
        }
    }

    /// Has the reader append a message as a row straight from its bytes, if it can. Returns false,
    /// without effect, if the message has to be walked.
    pub(crate) fn fill(&mut self, walker: &mut Walker, message: Message<'_>) -> bool {
        if self.slow > 0 {
            self.slow -= 1;
            return false;
        }
        let mut filling = Filling { shape: &self.plan.shape, columns: &mut self.columns, size: 0 };
        let is_filled = walker.fill(message.bytes, message.base, &mut filling);
        let size = filling.size;
        if is_filled {
            self.failures = 0;
            self.size += size;
            self.next_row();
        } else {
            // Messages that are walked anyway are not tried each time.
            self.failures = (self.failures + 1).min(6);
            self.slow = (1 << self.failures) - 2;
            self.reset();
        }
        is_filled
    }

    /// Has the reader append the first messages of `bytes` as rows, as far as it can. Returns the
    /// number of their bytes, and their number.
    pub(crate) fn fill_many(&mut self, walker: &mut Walker, bytes: &[u8], base: u64) -> (usize, usize) {
        if self.slow_many > 0 {
            self.slow_many -= 1;
            return (0, 0);
        }
        let most = self.plan.options.rows.min(self.due).saturating_sub(self.rows);
        let mut filling = Filling { shape: &self.plan.shape, columns: &mut self.columns, size: 0 };
        let filled = walker.fill_many(bytes, base, most, &mut filling);
        self.size += filling.size;
        if filled.1 > 0 {
            self.failures_many = 0;
            self.rows += filled.1;
            if self.rows >= self.due {
                self.grow();
            }
        } else {
            self.failures_many = (self.failures_many + 1).min(6);
            self.slow_many = (1 << self.failures_many) - 2;
        }
        filled
    }

    /// Returns the plan of its columns.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Returns the number of rows so far.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Returns true if there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Returns true if the batch has as many rows or bytes as the options allow.
    pub fn is_ready(&self) -> bool {
        self.rows >= self.plan.options.rows || self.size >= self.plan.options.bytes
    }

    /// Ends the message, which is a row now.
    ///
    /// # Errors
    /// The events made no whole value. [`Rows::reset`] then takes back what came.
    pub fn finish(&mut self) -> Result<()> {
        if !self.done || !self.levels.is_empty() || self.capture != Capture::No {
            return Err(Error::internal("a message without a value"));
        }
        if !self.others.is_empty() {
            self.others.push(b'}');
            if self.others.len() > MOST - self.rest.len() {
                self.is_full = true;
                return Err(full(Span::NONE));
            }
            self.rest.pad(self.rows);
            self.rest.push(&self.others);
            self.size += self.others.len();
            self.others.clear();
        }
        self.next_row();
        self.done = false;
        Ok(())
    }

    /// Ends a row.
    #[inline(always)]
    fn next_row(&mut self) {
        self.rows += 1;
        if self.rows == self.due {
            self.grow();
        }
    }

    /// Takes memory for a batch like the last one. Without this call, columns take it as they grow.
    pub(crate) fn begin(&mut self) {
        if self.rows == 0 {
            for (column, (values, bytes)) in self.columns.iter_mut().zip(std::mem::take(&mut self.last)) {
                column.reserve(values, bytes);
            }
        }
    }

    /// Takes memory for more rows like those so far, as there may be as many more.
    #[cold]
    fn grow(&mut self) {
        let options = &self.plan.options;
        let fits = (self.rows as u64).saturating_mul(options.bytes as u64) / self.size.max(1) as u64;
        let more = (self.rows * GROWTH).min(options.rows).min(usize::try_from(fits).unwrap_or(usize::MAX));
        let rows = self.rows;
        let scaled = |count: usize| if count == rows { more } else { with_margin((count as u64 * more as u64 / rows as u64) as usize) };
        for column in &mut self.columns {
            let (values, bytes) = (scaled(column.len), scaled(column.text_bytes()));
            column.reserve(values, bytes);
        }
        self.due = more.max(rows + 1);
    }

    /// Takes back the message under way, after an error.
    pub fn reset(&mut self) {
        self.levels.clear();
        self.json.clear();
        self.capture = Capture::No;
        self.others.clear();
        self.done = false;
        self.losses.clear();
        let plan = Arc::clone(&self.plan);
        match &plan.node(plan.root).kind {
            Kind::Record(record) if plan.is_record => {
                for field in &record.fields {
                    self.truncate(&plan, field.node, self.rows);
                }
                self.columns[plan.root as usize].truncate(self.rows);
            }
            _ => self.truncate(&plan, plan.root, self.rows),
        }
    }

    /// Returns true if the last error was that a column has no more room. The message fits an empty
    /// batch, unless the error comes again.
    pub fn take_full(&mut self) -> bool {
        std::mem::take(&mut self.is_full) && self.rows > 0
    }

    /// Makes a row of a bad message: nulls, and the reason. Call [`Rows::reset`] before.
    pub fn bad(&mut self, error: &Error) {
        self.reasons.push(self.rows, error);
        self.absent();
    }

    /// Makes a row of nulls, where there is no message.
    pub(crate) fn absent(&mut self) {
        let plan = Arc::clone(&self.plan);
        for column in plan.columns() {
            self.pad(column, self.rows);
            self.nulls(column, 1);
        }
        if plan.is_record {
            self.columns[plan.root as usize].push();
        }
        self.rows += 1;
        self.size += 64;
    }

    /// Returns the losses since the last call.
    pub fn losses(&mut self) -> Vec<Lost> {
        self.losses.take()
    }

    /// Returns the rows so far as a batch, and begins the next one.
    ///
    /// # Errors
    /// The arrays cannot be made; this is a fault of this crate.
    pub fn take(&mut self) -> Result<RecordBatch> {
        let plan = Arc::clone(&self.plan);
        let rows = std::mem::take(&mut self.rows);
        self.size = 0;
        // A batch that is full shows how long the next one may become.
        self.due = usize::MAX;
        let counts = |column: &Column| (if column.len == rows { rows } else { with_margin(column.len) }, with_margin(column.text_bytes()));
        self.last = self.columns.iter().map(counts).collect();
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(plan.schema.fields().len());
        for column in plan.columns() {
            self.settle(&plan, column, rows);
            arrays.push(take(&plan, &mut self.columns, column)?);
        }
        if plan.is_record {
            let root = &mut self.columns[plan.root as usize];
            *root = column(plan.node(plan.root));
        }
        if plan.rest.is_some() {
            self.rest.pad(rows);
            arrays.push(self.rest.take()?);
        }
        if let Some(place) = plan.error {
            let DataType::Struct(fields) = plan.schema.field(place).data_type() else { return Err(Error::internal("reasons of no type")) };
            self.reasons.pad(rows);
            arrays.push(self.reasons.take(fields)?);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&plan.schema), arrays, &options).map_err(made_wrong)
    }
}

/// Returns a number of values that a batch like the last one may have.
fn with_margin(count: usize) -> usize {
    count + count / 16
}
