//! The sink: events of a walk become rows of columns.
//!
//! A column of a record's field, or of a case, is filled lazily: it gets the nulls that it lacks
//! before its next value, and at the end of the batch. So a row costs what it holds, however many
//! columns there are.

use std::io::Write as _;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_buffer::i256;
use arrow_schema::DataType;
use polywire_core::columns::{Column, Data, Filling, MOST};
use polywire_core::schema::{TimeUnit, Width};
use polywire_core::tools::Message;
use polywire_core::tools::adapt::Walker;
use polywire_core::value::nearest_f64;
use polywire_core::walk::{Path, PathStep};
use polywire_core::{
    Error, ErrorKind, Fault, Field, Hint, Losses, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Timestamp,
};

use crate::column::{Reasons, Texts, column, made_wrong, take};
use crate::json::JsonText;
use crate::options::Rest;
use crate::plan::{Cases, Id, Kind, Plan};

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

    /// Appends nulls to a column up to `len` values.
    #[inline(always)]
    fn pad(&mut self, id: Id, len: usize) {
        let have = self.columns[id as usize].len;
        if have < len {
            self.nulls(id, len - have);
        }
    }

    #[inline(never)]
    fn nulls(&mut self, id: Id, count: usize) {
        let Kind::Sum(cases) = &self.plan.nodes[id as usize].kind else {
            return self.columns[id as usize].nulls(count);
        };
        if cases.tag.is_some() {
            return self.columns[id as usize].nulls(count);
        }
        // A union's nulls are those of a child.
        let (case, child) = match cases.null {
            Some(null) => (cases.cases.len(), null),
            None => (0, cases.cases[0].node.unwrap_or(0)),
        };
        for _ in 0..count {
            let place = self.columns[child as usize].len;
            self.nulls(child, 1);
            let column = &mut self.columns[id as usize];
            if let Data::Union(ids, places) = &mut column.data {
                ids.push(case as i8);
                places.push(place as i32);
            }
            column.push();
        }
    }

    /// Fills a column and all below it, at the end of a batch.
    fn settle(&mut self, plan: &Plan, id: Id, len: usize) {
        self.pad(id, len);
        match &plan.node(id).kind {
            Kind::List { item, .. } => self.settle(plan, *item, self.last_end(id)),
            Kind::Map { key, value, .. } => {
                let end = self.last_end(id);
                self.settle(plan, *key, end);
                self.settle(plan, *value, end);
            }
            Kind::Tuple(items) => items.iter().for_each(|item| self.settle(plan, *item, len)),
            Kind::Record(record) => record.fields.iter().for_each(|field| self.settle(plan, field.node, len)),
            Kind::Sum(cases) => match cases.tag {
                Some(tag) => {
                    self.settle(plan, tag, len);
                    cases.cases.iter().filter_map(|case| case.node).for_each(|node| self.settle(plan, node, len));
                }
                None => {
                    for child in cases.cases.iter().filter_map(|case| case.node).chain(cases.null) {
                        self.settle(plan, child, self.columns[child as usize].len);
                    }
                }
            },
            _ => {}
        }
    }

    fn last_end(&self, id: Id) -> usize {
        match &self.columns[id as usize].data {
            Data::Ends(ends) => ends.last().copied().unwrap_or(0) as usize,
            _ => 0,
        }
    }

    /// Takes back the values of a column and all below it from `len` on.
    fn truncate(&mut self, plan: &Plan, id: Id, len: usize) {
        match &plan.node(id).kind {
            Kind::Sum(cases) if cases.tag.is_none() => {
                let mut lens: Vec<(Id, usize)> = Vec::new();
                if let Data::Union(ids, places) = &self.columns[id as usize].data {
                    for (case, place) in ids.iter().zip(places).skip(len).rev() {
                        let child = cases.cases.get(*case as usize).map_or(cases.null, |case| case.node);
                        if let Some(child) = child {
                            match lens.iter_mut().find(|(other, _)| *other == child) {
                                Some((_, least)) => *least = *place as usize,
                                None => lens.push((child, *place as usize)),
                            }
                        }
                    }
                }
                // A case that was under way has its value, and no place yet.
                self.columns[id as usize].truncate(len);
                let mut counts = vec![0; cases.cases.len() + 1];
                if let Data::Union(ids, _) = &self.columns[id as usize].data {
                    ids.iter().for_each(|case| counts[*case as usize] += 1);
                }
                for (case, count) in cases.cases.iter().map(|case| case.node).chain([cases.null]).zip(counts) {
                    if let Some(child) = case {
                        self.truncate(plan, child, count);
                    }
                }
            }
            kind => {
                let end = self.columns[id as usize].truncate(len);
                match kind {
                    Kind::List { item, .. } => self.truncate(plan, *item, end),
                    Kind::Map { key, value, .. } => {
                        self.truncate(plan, *key, end);
                        self.truncate(plan, *value, end);
                    }
                    Kind::Tuple(items) => items.iter().for_each(|item| self.truncate(plan, *item, len)),
                    Kind::Record(record) => record.fields.iter().for_each(|field| self.truncate(plan, field.node, len)),
                    Kind::Sum(cases) => {
                        let parts = cases.tag.into_iter().chain(cases.cases.iter().filter_map(|case| case.node));
                        parts.for_each(|part| self.truncate(plan, part, len));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Returns the column of the value that comes.
    #[inline(always)]
    fn place(&mut self, at: Span) -> Result<Id> {
        let Some(level) = self.levels.last_mut() else { return Ok(self.plan.root) };
        match level.kind {
            Open0::Record | Open0::Choice => Ok(self.target),
            Open0::List => match &self.plan.nodes[level.node as usize].kind {
                Kind::List { item, .. } => Ok(*item),
                _ => Err(Error::internal("a list in no list")),
            },
            Open0::Map => {
                level.value_due = !level.value_due;
                match &self.plan.nodes[level.node as usize].kind {
                    Kind::Map { key, .. } if level.value_due => Ok(*key),
                    Kind::Map { value, .. } => Ok(*value),
                    _ => Err(Error::internal("a map in no map")),
                }
            }
            Open0::Tuple => {
                let Kind::Tuple(items) = &self.plan.nodes[level.node as usize].kind else {
                    return Err(Error::internal("a tuple in no tuple"));
                };
                let place = level.next;
                level.next += 1;
                match items.get(place as usize) {
                    Some(item) => Ok(*item),
                    None => Err(mismatch("one more value", format!("{} values, as the schema says", items.len()), at)),
                }
            }
            Open0::Case => {
                level.next += 1;
                if level.next > 1 {
                    Err(mismatch("a second value of a case", "one value, as the schema says", at))
                } else {
                    Ok(self.target)
                }
            }
            Open0::Mark(_) => {
                level.next += 1;
                Ok(level.node)
            }
            Open0::Unit | Open0::Constant => Err(mismatch("a value", "nothing, as the schema says", at)),
        }
    }

    /// Readies the column of a field or a part for its value: it gets the nulls that it lacks.
    #[inline(always)]
    fn ready(&mut self, parent: Id, child: Id) -> bool {
        let row = self.columns[parent as usize].len;
        self.pad(child, row);
        self.columns[child as usize].len == row
    }

    /// Counts a value of a list or map at its end.
    fn end_list(&mut self, id: Id, child: Id) {
        let end = self.columns[child as usize].len as i32;
        let column = &mut self.columns[id as usize];
        if let Data::Ends(ends) = &mut column.data {
            ends.push(end);
        }
        column.push();
    }

    /// Chooses the case of a sum type, and returns the column of its values.
    fn choose(&mut self, id: Id, case: usize) -> Option<Id> {
        let plan = Arc::clone(&self.plan);
        let Kind::Sum(cases) = &plan.nodes[id as usize].kind else { return None };
        let node = cases.cases[case].node;
        match cases.tag {
            Some(tag) => {
                self.ready(id, tag);
                if let Data::Keys(keys, _) = &mut self.columns[tag as usize].data {
                    keys.push(case as i32);
                }
                self.columns[tag as usize].push();
                if let Some(node) = node {
                    self.ready(id, node);
                }
            }
            None => {
                let place = node.map_or(0, |node| self.columns[node as usize].len);
                if let Data::Union(ids, places) = &mut self.columns[id as usize].data {
                    ids.push(case as i8);
                    places.push(place as i32);
                }
                if let Some(node) = node.filter(|_| cases.cases[case].carries == 0) {
                    self.nulls(node, 1);
                }
            }
        }
        self.columns[id as usize].push();
        self.size += 8;
        node
    }

    /// Begins the text of a field that the schema does not have.
    #[cold]
    fn other(&mut self, name: &str, at: Span) -> Result<Next> {
        if self.plan.rest.is_none() {
            if self.plan.options.rest == Rest::Refuse || !self.plan.is_record {
                return Err(mismatch(format!("the field `{name}`"), "a field of the schema", at));
            }
            self.losses.value("field dropped, as the schema does not have it", at);
            return Ok(Next::Skip);
        }
        let mut steps = Vec::new();
        for level in &self.levels {
            let node = &self.plan.nodes[level.node as usize];
            match (&node.kind, level.kind) {
                (Kind::Record(record), Open0::Record) => {
                    steps.extend(record.fields.get(level.next.wrapping_sub(1) as usize).map(|field| PathStep::Name(field.name.clone())));
                }
                (Kind::List { item, .. }, _) => {
                    let start = self.last_end(level.node);
                    steps.push(PathStep::Index((self.columns[*item as usize].len - start) as u64));
                }
                (Kind::Map { value, .. }, _) => {
                    let start = self.last_end(level.node);
                    steps.push(PathStep::Index((self.columns[*value as usize].len - start) as u64));
                }
                (Kind::Tuple(_), _) => steps.push(PathStep::Index(u64::from(level.next.saturating_sub(1)))),
                _ => {}
            }
        }
        // The innermost record names the field itself.
        if matches!(self.levels.last(), Some(Level { kind: Open0::Record, next: 1.., .. })) {
            steps.pop();
        }
        steps.push(PathStep::Name(name.to_string()));
        self.others.push(if self.others.is_empty() { b'{' } else { b',' });
        polywire_json::string::string(&mut self.others, &Path(steps).to_string(), polywire_json::string::Short::Lines);
        self.others.push(b':');
        self.capture = Capture::Rest;
        Ok(Next::Enter)
    }

    /// Ends the JSON text under way, if its value is whole.
    fn end_json(&mut self, at: Span) -> Result<()> {
        if !self.json.is_whole() {
            return Ok(());
        }
        match std::mem::replace(&mut self.capture, Capture::No) {
            Capture::Value(id) => {
                let text = std::mem::take(&mut self.json.out);
                let put = self.bytes(id, &text, at);
                self.json.out = text;
                put?;
                self.json.clear();
                self.value_done();
                Ok(())
            }
            Capture::Rest => {
                self.others.extend_from_slice(&self.json.out);
                self.json.clear();
                Ok(())
            }
            Capture::No => Ok(()),
        }
    }

    #[inline(always)]
    fn value_done(&mut self) {
        if self.levels.is_empty() {
            self.done = true;
        }
    }

    /// Appends text or bytes to a column.
    #[inline(always)]
    fn bytes(&mut self, id: Id, value: &[u8], at: Span) -> Result<()> {
        let column = &mut self.columns[id as usize];
        let Data::Bytes(ends, bytes) = &mut column.data else { return Err(Error::internal("text in no column of texts")) };
        if value.len() > MOST - bytes.len() {
            self.is_full = true;
            return Err(full(at));
        }
        bytes.extend_from_slice(value);
        ends.push(bytes.len() as i32);
        column.push();
        self.size += value.len() + 4;
        Ok(())
    }

    /// Appends a scalar to the column of a value.
    #[inline(always)]
    fn put(&mut self, id: Id, value: &Scalar<'_, '_>, at: Span) -> Result<()> {
        let column = &mut self.columns[id as usize];
        // The usual values, without more than a look at both.
        match (value, &mut column.data) {
            (Scalar::Text(text), Data::Bytes(ends, bytes)) if matches!(self.plan.nodes[id as usize].kind, Kind::Text) => {
                let text = text.get().as_bytes();
                if text.len() <= MOST - bytes.len() {
                    bytes.extend_from_slice(text);
                    ends.push(bytes.len() as i32);
                    column.push();
                    self.size += text.len() + 4;
                    return Ok(());
                }
            }
            (Scalar::UInt(value, _), Data::I64(values)) if matches!(self.plan.nodes[id as usize].kind, Kind::Int(_)) => {
                if let Ok(value) = i64::try_from(*value) {
                    values.push(value);
                    column.push();
                    self.size += 8;
                    return Ok(());
                }
            }
            (Scalar::UInt(value, _), Data::U64(values)) => {
                values.push(*value);
                column.push();
                self.size += 8;
                return Ok(());
            }
            (Scalar::UInt(value, _), Data::U32(values)) => {
                if let Ok(value) = u32::try_from(*value) {
                    values.push(value);
                    column.push();
                    self.size += 4;
                    return Ok(());
                }
            }
            (Scalar::F64(value, _), Data::F64(values)) if matches!(self.plan.nodes[id as usize].kind, Kind::F64) => {
                values.push(*value);
                column.push();
                self.size += 8;
                return Ok(());
            }
            (Scalar::Bool(value), Data::Bits(bits)) if matches!(self.plan.nodes[id as usize].kind, Kind::Bool) => {
                bits.push(*value);
                column.push();
                self.size += 1;
                return Ok(());
            }
            _ => {}
        }
        self.put_any(id, value, at)
    }

    /// Appends any scalar to the column of a value.
    fn put_any(&mut self, id: Id, value: &Scalar<'_, '_>, at: Span) -> Result<()> {
        let plan = Arc::clone(&self.plan);
        let node = plan.node(id);
        if !node.marks.is_empty()
            && !matches!(value, Scalar::Null)
            && !matches!(self.levels.last(), Some(Level { kind: Open0::Mark(_), .. }))
        {
            return Err(self.unfit(id, value.kind(), at));
        }
        self.size += 8;
        if let Kind::Json = node.kind {
            if matches!(value, Scalar::Null) && node.nullable {
                self.nulls(id, 1);
                return Ok(());
            }
            let mut json = std::mem::take(&mut self.json);
            json.scalar(value, at, &mut self.losses);
            let put = self.bytes(id, &json.out, at);
            json.clear();
            self.json = json;
            return put;
        }
        if let Scalar::Null = value {
            if !node.nullable {
                return Err(self.unfit(id, "null", at));
            }
            self.nulls(id, 1);
            return Ok(());
        }
        if let Kind::Sum(cases) = &node.kind {
            let Some(case) = scalar_case(&plan, cases, value) else { return Err(self.unfit(id, value.kind(), at)) };
            return match self.choose(id, case) {
                Some(child) if cases.cases[case].carries == 1 => self.put(child, value, at),
                _ => Ok(()),
            };
        }
        if let Kind::List { item, one: true } = node.kind {
            self.put(item, value, at)?;
            self.end_list(id, item);
            return Ok(());
        }
        match &node.kind {
            Kind::Digits(whole) => {
                let mut scratch = std::mem::take(&mut self.scratch);
                scratch.clear();
                let is_number = digits(&mut scratch, value, *whole);
                let put = if is_number { self.bytes(id, &scratch, at) } else { Err(self.unfit(id, value.kind(), at)) };
                self.scratch = scratch;
                return put;
            }
            Kind::Octets => match value {
                Scalar::Octets(bytes) => return self.bytes(id, bytes.get(), at),
                Scalar::Text(text) => return self.bytes(id, text.get().as_bytes(), at),
                _ => return Err(self.unfit(id, value.kind(), at)),
            },
            Kind::Bytes => match value {
                Scalar::Bytes(bytes) => return self.bytes(id, bytes.get(), at),
                _ => return Err(self.unfit(id, value.kind(), at)),
            },
            Kind::Text => match value {
                Scalar::Text(text) => return self.bytes(id, text.get().as_bytes(), at),
                _ => return Err(self.unfit(id, value.kind(), at)),
            },
            _ => {}
        }
        let column = &mut self.columns[id as usize];
        let is_put = match (&node.kind, &mut column.data) {
            (Kind::Bool, Data::Bits(bits)) => match value {
                Scalar::Bool(value) => {
                    bits.push(*value);
                    true
                }
                _ => false,
            },
            (Kind::Int(_) | Kind::UInt(_), data) => match whole(value) {
                Some(number) => put_whole(data, number),
                None => false,
            },
            (Kind::F32, Data::F32(values)) => match single(value) {
                Some(value) => {
                    values.push(value);
                    true
                }
                None => false,
            },
            (kind @ (Kind::F64 | Kind::Number), Data::F64(values)) => match double(value, &mut self.losses, at) {
                Some(number) => {
                    match kind {
                        Kind::Number => self.losses.whole(value, at),
                        _ if matches!(value, Scalar::Int(..) | Scalar::UInt(..) | Scalar::Big(..)) => {
                            self.losses.value("integer became a float", at);
                        }
                        _ => {}
                    }
                    values.push(number);
                    true
                }
                None => false,
            },
            (Kind::Time(unit), Data::I64(values)) => match value {
                Scalar::Time(moment) => match units(*moment, *unit) {
                    Some(count) => {
                        values.push(count);
                        true
                    }
                    None => return Err(mismatch(format!("the moment {moment}"), format!("one in 64 bits of {unit:?}s"), at)),
                },
                _ => false,
            },
            (Kind::Names(names), Data::Keys(keys, more)) => match name_key(names, more, value) {
                Some(key) => {
                    keys.push(key);
                    true
                }
                None => false,
            },
            (Kind::Fixed { precision, scale, whole }, data) => {
                self.scratch.clear();
                digits(&mut self.scratch, value, *whole) && put_fixed(data, &self.scratch, *precision, *scale)
            }
            _ => false,
        };
        if !is_put {
            return Err(self.unfit(id, value.kind(), at));
        }
        self.columns[id as usize].push();
        Ok(())
    }

    /// Returns the error of a value that does not fit its column.
    #[cold]
    fn unfit(&self, id: Id, seen: &'static str, at: Span) -> Error {
        let node = self.plan.node(id);
        mismatch(format!("{} {seen}", article(seen)), format!("{}, as the schema says", expected(&node.kind)), at)
    }

    /// Opens a container at the column of a value.
    fn open_at(&mut self, id: Id, open: Open<'_>, at: Span) -> Result<Next> {
        let plan = Arc::clone(&self.plan);
        let node = plan.node(id);
        let marks = match self.levels.last() {
            Some(Level { kind: Open0::Mark(count), node, .. }) if *node == id => *count as usize,
            _ => 0,
        };
        let level = |node: Id, kind: Open0| Level { node, kind, next: 0, seen: 0, value_due: false };
        if let Kind::Json = node.kind {
            self.capture = Capture::Value(id);
            self.json.open(open, at, &mut self.losses);
            return Ok(Next::Enter);
        }
        if let Some((space, code)) = node.marks.get(marks) {
            let Open::Tagged { space: seen, code: number } = open else { return Err(self.unfit(id, open.kind(), at)) };
            if seen != space || number != *code {
                return Err(mismatch(format!("the mark {seen}:{number}"), format!("the mark {space}:{code}, as the schema says"), at));
            }
            self.levels.push(level(id, Open0::Mark(marks as u32 + 1)));
            return Ok(Next::Enter);
        }
        self.size += 8;
        match (&node.kind, open) {
            (Kind::Record(_), Open::Record { .. } | Open::Map(_)) => self.levels.push(level(id, Open0::Record)),
            (Kind::Unit, Open::Record { .. } | Open::Map(_)) => self.levels.push(level(id, Open0::Unit)),
            (Kind::List { .. }, Open::List(_) | Open::Tuple(_)) => self.levels.push(level(id, Open0::List)),
            (Kind::Map { .. }, Open::Record { .. } | Open::Map(_)) => self.levels.push(level(id, Open0::Map)),
            (Kind::Tuple(_), Open::List(_) | Open::Tuple(_)) => self.levels.push(level(id, Open0::Tuple)),
            (Kind::Names(names), Open::Variant { name, index }) if names.cases => {
                let known = match name {
                    "" => names.numbers.iter().position(|number| *number == i64::from(index)).map(|at| at as i32),
                    name => names.index.get(name).map(|at| *at as i32),
                };
                let Some(key) = known else { return Err(self.no_case(name, index, at)) };
                if let Data::Keys(keys, _) = &mut self.columns[id as usize].data {
                    keys.push(key);
                }
                self.columns[id as usize].push();
                self.levels.push(level(id, Open0::Constant));
            }
            (Kind::Sum(cases), Open::Variant { name, index }) if !cases.untagged => {
                let known = match name {
                    "" => cases.cases.iter().position(|case| case.number == index),
                    name => cases.index.get(name).map(|at| *at as usize),
                };
                let Some(case) = known else { return Err(self.no_case(name, index, at)) };
                let child = self.choose(id, case);
                match (child, cases.cases[case].carries) {
                    (_, 0) | (None, _) => self.levels.push(level(id, Open0::Constant)),
                    (Some(child), 1) => {
                        self.target = child;
                        self.levels.push(level(child, Open0::Case));
                    }
                    (Some(child), _) => self.levels.push(level(child, Open0::Tuple)),
                }
            }
            (Kind::Sum(cases), Open::Record { .. } | Open::Map(_)) if !cases.untagged => self.levels.push(level(id, Open0::Choice)),
            (Kind::Sum(cases), open) if cases.untagged => {
                let Some(case) = open_case(&plan, cases, &open) else { return Err(self.unfit(id, open.kind(), at)) };
                let Some(child) = self.choose(id, case) else { return Err(Error::internal("a case without a column")) };
                return self.open_at(child, open, at);
            }
            (Kind::List { item, one: true }, open) => {
                // The list of one ends with its value: `close` looks for it.
                self.levels.push(Level { next: 1, ..level(id, Open0::List) });
                return self.open_at(*item, open, at);
            }
            _ => return Err(self.unfit(id, open.kind(), at)),
        }
        Ok(Next::Enter)
    }

    #[cold]
    fn no_case(&self, name: &str, index: u32, at: Span) -> Error {
        let seen = if name.is_empty() { format!("the case number {index}") } else { format!("the case `{name}`") };
        mismatch(seen, "a case of the schema", at)
    }

    /// Looks for fields that did not come, at the end of a record.
    fn end_record(&mut self, level: &Level, at: Span) -> Result<()> {
        let plan = Arc::clone(&self.plan);
        let Kind::Record(record) = &plan.node(level.node).kind else { return Err(Error::internal("a record in no record")) };
        if record.checked && (level.seen as usize) < record.fields.len() {
            let row = self.columns[level.node as usize].len;
            for field in record.fields.iter().filter(|field| field.required) {
                if self.columns[field.node as usize].len > row {
                    continue;
                }
                match &field.default {
                    Some(default) => {
                        self.pad(field.node, row);
                        self.levels.push(Level { node: level.node, kind: Open0::Record, next: 0, seen: 0, value_due: false });
                        self.target = field.node;
                        default.emit(self)?;
                        self.levels.pop();
                    }
                    None if plan.node(field.node).nullable => {
                        self.losses.value("absent field became null", at);
                    }
                    None => return Err(mismatch("the end of a record", format!("the field `{}`", field.name), at)),
                }
            }
        }
        self.columns[level.node as usize].push();
        Ok(())
    }
}

impl<'m> Sink<'m> for Rows {
    fn needs(&self) -> Needs {
        Needs::WHOLE_TEXT | Needs::GROUPED
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if self.capture != Capture::No {
            self.json.open(open, at, &mut self.losses);
            return Ok(Next::Enter);
        }
        let id = self.place(at)?;
        if let Some(level) = self.levels.last()
            && level.kind == Open0::Tuple
        {
            let node = level.node;
            self.ready(node, id);
        }
        self.open_at(id, open, at)
    }

    #[inline]
    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        let name = field.name.get();
        if self.capture != Capture::No {
            self.json.field(name);
            return Ok(Next::Enter);
        }
        let Some(level) = self.levels.last_mut() else { return Err(Error::internal("a field of nothing")) };
        let id = level.node;
        match (level.kind, &self.plan.nodes[id as usize].kind) {
            (Open0::Record, Kind::Record(record)) => {
                let expected = level.next as usize;
                let place = match record.fields.get(expected) {
                    Some(member) if member.name == name => expected,
                    _ => match record.index.get(name) {
                        Some(place) => *place as usize,
                        None => return self.other(name, at),
                    },
                };
                level.next = place as u32 + 1;
                level.seen += 1;
                let child = record.fields[place].node;
                self.target = child;
                if !self.ready(id, child) {
                    return Err(Error::data(ErrorKind::DoubledKey, at.start).seen(format!("the field `{name}` for the second time")));
                }
                Ok(Next::Enter)
            }
            (Open0::Map, Kind::Map { key, .. }) => {
                level.value_due = true;
                let key = *key;
                self.put(key, &Scalar::Text(field.name.scratch()), at)?;
                Ok(Next::Enter)
            }
            (Open0::Choice, Kind::Sum(cases)) => {
                let Some(case) = cases.index.get(name).map(|case| *case as usize).filter(|_| level.seen == 0) else {
                    return Err(self.no_case(name, 0, at));
                };
                level.seen = 1;
                let carries = cases.cases[case].carries;
                let Some(child) = self.choose(id, case).filter(|_| carries > 0) else {
                    return Err(mismatch(format!("a value of the case `{name}`"), "none, as the schema says", at));
                };
                self.target = child;
                Ok(Next::Enter)
            }
            _ => self.other(name, at),
        }
    }

    #[inline]
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if self.capture != Capture::No {
            self.json.scalar(&value, at, &mut self.losses);
            return self.end_json(at);
        }
        let id = self.place(at)?;
        if let Some(level) = self.levels.last()
            && level.kind == Open0::Tuple
        {
            let node = level.node;
            self.ready(node, id);
        }
        if let Scalar::Null = value
            && let Some(Level { kind: Open0::Record, node, next, .. }) = self.levels.last()
            && let Kind::Record(record) = &self.plan.nodes[*node as usize].kind
            && record
                .fields
                .get(next.wrapping_sub(1) as usize)
                .is_some_and(|field| field.nullable || (!field.required && matches!(self.plan.node(id).kind, Kind::Json)))
        {
            self.losses.value("null became an absent field", at);
        }
        self.put(id, &value, at)?;
        self.value_done();
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Err(Error::internal("text in parts for columns"))
    }

    fn close(&mut self, at: Span) -> Result<()> {
        if self.capture != Capture::No {
            self.json.close();
            return self.end_json(at);
        }
        let Some(level) = self.levels.pop() else { return Err(Error::internal("an end of nothing")) };
        let id = level.node;
        match level.kind {
            Open0::Record => self.end_record(&level, at)?,
            Open0::Unit => {
                if let Data::Bits(bits) = &mut self.columns[id as usize].data {
                    bits.push(true);
                }
                self.columns[id as usize].push();
            }
            Open0::List => {
                let Kind::List { item, .. } = self.plan.nodes[id as usize].kind else { return Err(Error::internal("a list in no list")) };
                if self.columns[item as usize].len > MOST {
                    self.is_full = true;
                    return Err(full(at));
                }
                self.end_list(id, item);
            }
            Open0::Map => {
                let Kind::Map { key, .. } = self.plan.nodes[id as usize].kind else { return Err(Error::internal("a map in no map")) };
                if self.columns[key as usize].len > MOST {
                    self.is_full = true;
                    return Err(full(at));
                }
                self.end_list(id, key);
            }
            Open0::Tuple => {
                let plan = Arc::clone(&self.plan);
                let Kind::Tuple(items) = &plan.nodes[id as usize].kind else { return Err(Error::internal("a tuple in no tuple")) };
                let missing = items.iter().skip(level.next as usize);
                if missing.clone().any(|item| !plan.node(*item).nullable) {
                    return Err(mismatch(format!("{} values", level.next), format!("{} values, as the schema says", items.len()), at));
                }
                self.columns[id as usize].push();
            }
            Open0::Choice if level.seen == 0 => return Err(mismatch("a record without fields", "one field that names a case", at)),
            Open0::Case if level.next == 0 => {
                let child = id;
                if !self.plan.node(child).nullable || matches!(self.plan.node(child).kind, Kind::Record(_)) {
                    return Err(mismatch("a case without a value", "one value, as the schema says", at));
                }
                self.nulls(child, 1);
            }
            Open0::Mark(_) if level.next == 0 => return Err(mismatch("a mark without a value", "a value", at)),
            Open0::Choice | Open0::Case | Open0::Constant | Open0::Mark(_) => {}
        }
        // A list of one ends with its value.
        while let Some(Level { kind: Open0::List, next: 1, node, .. }) = self.levels.last() {
            let Kind::List { item, .. } = self.plan.nodes[*node as usize].kind else { break };
            let node = *node;
            self.levels.pop();
            self.end_list(node, item);
        }
        self.value_done();
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.losses.note(note, at);
        Ok(())
    }
}

/// Returns a number of values that a batch like the last one may have.
fn with_margin(count: usize) -> usize {
    count + count / 16
}

/// Returns the case of an untagged sum type, or the constant case, that a scalar is.
fn scalar_case(plan: &Plan, cases: &Cases, value: &Scalar<'_, '_>) -> Option<usize> {
    if !cases.untagged {
        let Scalar::Text(name) = value else { return None };
        return cases.index.get(name.get()).map(|case| *case as usize).filter(|case| cases.cases[*case].carries == 0);
    }
    let fits = |case: &crate::plan::CaseNode, loose: bool| {
        let Some(node) = case.node.map(|node| plan.node(node)).filter(|node| node.marks.is_empty()) else { return false };
        match (&node.kind, value) {
            (Kind::Bool, Scalar::Bool(_)) | (Kind::Time(_), Scalar::Time(_)) | (Kind::Text, Scalar::Text(_)) => true,
            (Kind::Names(names), Scalar::Text(name)) => names.extensible || names.index.contains_key(name.get()),
            (Kind::Int(_) | Kind::UInt(_), Scalar::Int(..) | Scalar::UInt(..)) => true,
            (Kind::Digits(true) | Kind::Fixed { whole: true, .. }, Scalar::Int(..) | Scalar::UInt(..) | Scalar::Big(..)) => true,
            (
                Kind::F64 | Kind::Number | Kind::Digits(false) | Kind::Fixed { .. },
                Scalar::F64(..) | Scalar::F32(..) | Scalar::Decimal(..),
            ) => true,
            (Kind::F32, Scalar::F32(..)) => true,
            (Kind::F32, Scalar::F64(..)) => single(value).is_some(),
            (Kind::Number | Kind::Digits(false) | Kind::Fixed { .. } | Kind::F64, Scalar::Int(..) | Scalar::UInt(..) | Scalar::Big(..)) => {
                loose
            }
            (Kind::Bytes, Scalar::Bytes(_)) | (Kind::Octets, Scalar::Octets(_)) => true,
            (Kind::Octets, Scalar::Text(_)) => loose,
            _ => false,
        }
    };
    let strict = cases.cases.iter().position(|case| fits(case, false));
    strict.or_else(|| cases.cases.iter().position(|case| fits(case, true)))
}

/// Returns the case of an untagged sum type that a container is.
fn open_case(plan: &Plan, cases: &Cases, open: &Open<'_>) -> Option<usize> {
    cases.cases.iter().position(|case| {
        let Some(node) = case.node.map(|node| plan.node(node)) else { return false };
        match (node.marks.first(), open) {
            (Some((space, code)), Open::Tagged { space: seen, code: number }) => seen == space && number == code,
            (Some(_), _) => false,
            (None, Open::List(_) | Open::Tuple(_)) => matches!(node.kind, Kind::List { .. } | Kind::Tuple(_)),
            (None, Open::Record { .. } | Open::Map(_)) => matches!(node.kind, Kind::Record(_) | Kind::Map { .. } | Kind::Unit),
            _ => false,
        }
    })
}

fn whole(value: &Scalar<'_, '_>) -> Option<i128> {
    match value {
        Scalar::Int(number, _) => Some(i128::from(*number)),
        Scalar::UInt(number, _) => Some(i128::from(*number)),
        _ => None,
    }
}

/// Appends a whole number, if it fits.
fn put_whole(data: &mut Data, number: i128) -> bool {
    macro_rules! put {
        ($values:expr) => {
            match number.try_into() {
                Ok(number) => {
                    $values.push(number);
                    true
                }
                Err(_) => false,
            }
        };
    }
    match data {
        Data::I8(values) => put!(values),
        Data::I16(values) => put!(values),
        Data::I32(values) => put!(values),
        Data::I64(values) => put!(values),
        Data::U8(values) => put!(values),
        Data::U16(values) => put!(values),
        Data::U32(values) => put!(values),
        Data::U64(values) => put!(values),
        _ => false,
    }
}

fn single(value: &Scalar<'_, '_>) -> Option<f32> {
    match value {
        Scalar::F32(value, _) => Some(*value),
        Scalar::F64(value, _) if value.is_nan() || f64::from(*value as f32) == *value => Some(*value as f32),
        scalar => {
            whole(scalar).map(|number| (number as f32, number)).filter(|(float, number)| *float as i128 == *number).map(|(float, _)| float)
        }
    }
}

/// Returns a number as binary64. A decimal becomes the nearest one, which is a loss.
fn double(value: &Scalar<'_, '_>, losses: &mut Losses, at: Span) -> Option<f64> {
    match value {
        Scalar::F64(value, _) => Some(*value),
        Scalar::F32(value, _) => Some(f64::from(*value)),
        Scalar::Decimal(text, hint) => {
            let value = nearest_f64(text.get(), *hint)?;
            losses.rounded(polywire_core::value::ROUNDED, at);
            Some(value)
        }
        Scalar::Big(text, _) => nearest_f64(text.get(), Hint::NONE),
        scalar => {
            whole(scalar).map(|number| (number as f64, number)).filter(|(float, number)| *float as i128 == *number).map(|(float, _)| float)
        }
    }
}

/// Appends the digits of a number to `out`. Returns false if the value is no number of the kind.
fn digits(out: &mut Vec<u8>, value: &Scalar<'_, '_>, is_whole: bool) -> bool {
    match value {
        Scalar::Int(value, _) => out.extend_from_slice(itoa::Buffer::new().format(*value).as_bytes()),
        Scalar::UInt(value, _) => out.extend_from_slice(itoa::Buffer::new().format(*value).as_bytes()),
        Scalar::Big(text, _) => out.extend_from_slice(text.get().as_bytes()),
        _ if is_whole => return false,
        Scalar::Decimal(text, _) => out.extend_from_slice(text.get().as_bytes()),
        Scalar::F64(number, hint) if number.is_finite() => match hint.digits() {
            Some(digits) => out.extend_from_slice(digits.as_bytes()),
            None => drop(write!(out, "{number:?}")),
        },
        Scalar::F32(number, _) if number.is_finite() => drop(write!(out, "{:?}", f64::from(*number))),
        _ => return false,
    }
    true
}

/// Appends a decimal of a fixed scale, if its digits fit.
fn put_fixed(data: &mut Data, digits: &[u8], precision: u8, scale: u8) -> bool {
    let Some((negative, digits)) = scaled(digits, precision, scale) else { return false };
    match data {
        Data::I128(values) => {
            let value = digits.iter().fold(0i128, |value, digit| value * 10 + i128::from(*digit));
            values.push(if negative { -value } else { value });
        }
        Data::I256(values) => {
            let ten = i256::from_i128(10);
            let value =
                digits.iter().fold(i256::ZERO, |value, digit| value.wrapping_mul(ten).wrapping_add(i256::from_i128(i128::from(*digit))));
            values.push(if negative { value.wrapping_neg() } else { value }.to_le_bytes());
        }
        _ => return false,
    }
    true
}

/// Returns the sign and the digits of a number times ten to the power `scale`, if it is whole then
/// and has at most `precision` digits.
fn scaled(text: &[u8], precision: u8, scale: u8) -> Option<(bool, Vec<u8>)> {
    let text = std::str::from_utf8(text).ok()?;
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i64 = exponent.strip_prefix('+').unwrap_or(exponent).parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).map(|byte| byte.wrapping_sub(b'0')).collect();
    let start = all.iter().take_while(|digit| **digit == 0).count();
    let mut digits = all[start..].to_vec();
    if digits.is_empty() {
        return Some((false, digits));
    }
    let shift = exponent.checked_sub(fraction.len() as i64)?.checked_add(i64::from(scale))?;
    if shift < 0 {
        let dropped = usize::try_from(-shift).ok().filter(|dropped| *dropped <= digits.len())?;
        if digits[digits.len() - dropped..].iter().any(|digit| *digit != 0) {
            return None;
        }
        digits.truncate(digits.len() - dropped);
    } else {
        let zeros = usize::try_from(shift).ok().filter(|zeros| *zeros <= usize::from(precision))?;
        digits.resize(digits.len() + zeros, 0);
    }
    (digits.len() <= usize::from(precision)).then_some((negative, digits))
}

/// Returns the number of whole units from the epoch to a moment.
fn units(moment: Timestamp, unit: TimeUnit) -> Option<i64> {
    let nanos = unit.nanos();
    if !moment.nanos().is_multiple_of(nanos) {
        return None;
    }
    let per_second = i128::from(1_000_000_000 / nanos);
    i64::try_from(i128::from(moment.seconds()) * per_second + i128::from(moment.nanos() / nanos)).ok()
}

/// Returns the key of a name or number.
fn name_key(names: &crate::plan::Names, more: &mut Vec<String>, value: &Scalar<'_, '_>) -> Option<i32> {
    let name: std::borrow::Cow<'_, str> = match value {
        Scalar::Text(name) => match names.index.get(name.get()) {
            Some(key) => return Some(*key as i32),
            None => name.get().into(),
        },
        scalar => {
            let number = i64::try_from(whole(scalar)?).ok()?;
            if let Some(key) = names.numbers.iter().position(|known| *known == number) {
                return Some(key as i32);
            }
            number.to_string().into()
        }
    };
    if !names.extensible {
        return None;
    }
    let place = match more.iter().position(|known| **known == *name) {
        Some(place) => place,
        None if more.len() < 4096 => {
            more.push(name.into_owned());
            more.len() - 1
        }
        None => return None,
    };
    i32::try_from(names.names.len() + place).ok()
}

#[cold]
fn mismatch(seen: impl Into<std::borrow::Cow<'static, str>>, expected: impl Into<std::borrow::Cow<'static, str>>, at: Span) -> Error {
    Error::new(ErrorKind::Mismatch, Fault::Data).seen(seen).expected(expected).at(at.start)
}

#[cold]
fn full(at: Span) -> Error {
    Error::data(ErrorKind::Limit, at.start).seen("more than 2 GiB in one column of a batch").expected("a shorter message")
}

fn article(word: &str) -> &'static str {
    match word.as_bytes().first() {
        _ if matches!(word, "text" | "bytes" | "octets" | "null") => "",
        Some(b'a' | b'e' | b'i' | b'o' | b'u') => "an",
        _ => "a",
    }
}

/// Returns the values of a column, for people.
fn expected(kind: &Kind) -> String {
    match kind {
        Kind::Null => "null".into(),
        Kind::Bool => "a bool".into(),
        Kind::Unit | Kind::Record(_) => "a record".into(),
        Kind::Int(width) => format!("a whole number of {} bits", bits(*width)),
        Kind::UInt(width) => format!("a whole number from zero up, of {} bits", bits(*width)),
        Kind::F32 => "a binary32 number".into(),
        Kind::F64 | Kind::Number => "a binary64 number".into(),
        Kind::Digits(true) | Kind::Fixed { whole: true, .. } => "a whole number".into(),
        Kind::Digits(false) => "a decimal number".into(),
        Kind::Fixed { precision, scale, .. } => format!("a decimal number of {precision} digits, {scale} after the point"),
        Kind::Text => "text".into(),
        Kind::Octets => "text or octets".into(),
        Kind::Bytes => "bytes".into(),
        Kind::Time(_) => "a timestamp".into(),
        Kind::Names(_) => "a known name".into(),
        Kind::List { .. } => "a list".into(),
        Kind::Map { .. } => "a map".into(),
        Kind::Tuple(items) => format!("a tuple of {}", items.len()),
        Kind::Sum(_) => "one of the cases".into(),
        Kind::Json => "any value".into(),
    }
}

fn bits(width: Width) -> u32 {
    width.bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_scaled_exactly() {
        let digits = |text: &str| {
            scaled(text.as_bytes(), 5, 2)
                .map(|(negative, digits)| (negative, digits.iter().fold(0, |all, digit| all * 10 + i64::from(*digit))))
        };
        assert_eq!(digits("1.5"), Some((false, 150)));
        assert_eq!(digits("-0.05"), Some((true, 5)));
        assert_eq!(digits("12e1"), Some((false, 12000)));
        assert_eq!(digits("1.2300"), Some((false, 123)));
        assert_eq!(digits("0e99"), Some((false, 0)));
        for refused in ["1000", "0.001", "1e9", "1e-9", "1e99999999999999999999"] {
            assert_eq!(digits(refused), None, "{refused}");
        }
    }
}
