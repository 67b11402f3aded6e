//! User functions of scripts: `u = require("path")`, then `u.f(…)` (docs/spec/ql.md 7.8).

use polywire_doc::Datum;
use rquickjs::{Array, Undefined, Value};

use crate::engine::{Later, Raised};
use crate::log::LogSink;
use crate::pool::{Call, Hooks};
use crate::sandbox::ModuleCall;
use crate::task::{Source, Task};
use crate::wire::{Get, Malformed, Put, Wire, wire_fields};

/// The answer of a function for a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Row {
    /// The row is kept unchanged.
    Same,
    /// This value replaces the row.
    Replaced(Datum),
    /// The row is dropped.
    Dropped,
}

impl Wire for Row {
    fn put<'t>(&'t self, out: &mut Put<'t>) {
        match self {
            Row::Same => out.byte(0),
            Row::Replaced(value) => {
                out.byte(1);
                value.put(out);
            }
            Row::Dropped => out.byte(2),
        }
    }

    fn get(from: &mut Get<'_>) -> Result<Row, Malformed> {
        Ok(match from.byte()? {
            0 => Row::Same,
            1 => Row::Replaced(Wire::get(from)?),
            2 => Row::Dropped,
            _ => return Err(from.wrong("an answer for a row")),
        })
    }
}

impl Hooks {
    /// Returns the functions that a module exports, for a script that requires it.
    pub fn functions(&self, module: &str) -> Call<Vec<String>> {
        self.submit(self.callee("require", module, None), Functions { module: module.to_string() }, |names| names)
    }

    /// Calls a function by values: `name` is `f`, or `a.f` for a function in an exported object.
    /// `None` is undefined, as an argument and as the returned value.
    pub fn apply(&self, module: &str, name: &str, args: Vec<Option<Datum>>, log: Option<LogSink>) -> Call<Option<Datum>> {
        let task = Apply { module: module.to_string(), name: name.to_string(), args };
        self.submit(self.callee(name, module, log), task, |value| value)
    }

    /// Calls a function of a where clause for each row, in order: `args` has the arguments for
    /// each. The function answers through its receiver, which has `row`, `rows`, `index` and
    /// `next`: `next(error)`, `next(null, row)`, or `next(null, null)` to drop the row. A whole
    /// body is one row.
    ///
    /// # Errors
    /// The first error that a function answers or throws: it ends the call.
    pub fn apply_to_rows(
        &self,
        module: &str,
        name: &str,
        rows: Vec<Datum>,
        args: Vec<Vec<Option<Datum>>>,
        log: Option<LogSink>,
    ) -> Call<Vec<Row>> {
        let task = ApplyToRows { module: module.to_string(), name: name.to_string(), rows, args };
        self.submit(self.callee(name, module, log), task, |rows| rows)
    }

    /// As [`Hooks::apply_to_rows`], for the row at `index` of `rows` alone.
    ///
    /// # Errors
    /// The error that the function answers or throws.
    pub fn apply_to_row(
        &self,
        module: &str,
        name: &str,
        (row, rows, index): (Datum, Datum, usize),
        args: Vec<Option<Datum>>,
        log: Option<LogSink>,
    ) -> Call<Row> {
        let rows = Rows { later: Later::new(rows) };
        let task = ApplyToRow { module: module.to_string(), name: name.to_string(), row, rows, index, args };
        self.submit(self.callee(name, module, log), task, |row| row)
    }
}

/// A call for the names of the functions that a module exports.
pub(crate) struct Functions {
    module: String,
}

wire_fields!(Functions { module });

impl Task for Functions {
    type Answer = Vec<String>;

    const NUMBER: u8 = 1;

    fn run(self, call: &ModuleCall<'_, '_>) -> Result<Vec<String>, Raised> {
        let path = call.module(&self.module)?;
        Ok(call.call("exported", (path,))?)
    }
}

/// A call of a function by values.
pub(crate) struct Apply {
    module: String,
    name: String,
    args: Vec<Option<Datum>>,
}

wire_fields!(Apply { module, name, args });

impl Task for Apply {
    type Answer = Option<Datum>;

    const NUMBER: u8 = 2;

    fn run(self, call: &ModuleCall<'_, '_>) -> Result<Option<Datum>, Raised> {
        let path = call.module(&self.module)?;
        let given: Value<'_> = call.call("apply", (path, self.name, list(call, &self.args)?))?;
        Ok(call.outward(&given)?)
    }
}

/// A call of a function for rows.
pub(crate) struct ApplyToRows {
    module: String,
    name: String,
    rows: Vec<Datum>,
    args: Vec<Vec<Option<Datum>>>,
}

wire_fields!(ApplyToRows { module, name, rows, args });

impl Task for ApplyToRows {
    type Answer = Vec<Row>;

    const NUMBER: u8 = 3;

    fn run(self, call: &ModuleCall<'_, '_>) -> Result<Vec<Row>, Raised> {
        let path = call.module(&self.module)?;
        let row_in = Array::new(call.ctx.clone())?;
        let given = Array::new(call.ctx.clone())?;
        for (index, row) in self.rows.iter().enumerate() {
            row_in.set(index, call.inward(row.view())?)?;
            given.set(index, list(call, self.args.get(index).map_or(&[], Vec::as_slice))?)?;
        }
        let answers: Array<'_> = call.call("rows", (path, self.name, row_in.clone(), row_in.clone(), 0, given))?;
        (0..self.rows.len()).map(|index| answer(call, &row_in.get(index)?, &answers.get(index)?)).collect()
    }
}

/// A call of a function for one row.
pub(crate) struct ApplyToRow {
    module: String,
    name: String,
    row: Datum,
    rows: Rows,
    index: usize,
    args: Vec<Option<Datum>>,
}

/// All rows, which few functions look at.
struct Rows {
    later: Later,
}

wire_fields!(Rows { later });
wire_fields!(ApplyToRow { module, name, row, rows, index, args });

impl Source for Rows {
    fn whole(&self) -> Result<Datum, String> {
        self.later.get()
    }
}

impl Task for ApplyToRow {
    type Answer = Row;

    const NUMBER: u8 = 4;

    fn run(self, call: &ModuleCall<'_, '_>) -> Result<Row, Raised> {
        let path = call.module(&self.module)?;
        let row_in = call.inward(self.row.view())?;
        let given = list(call, &self.args)?;
        call.later(self.rows.later);
        let answers: Array<'_> = call.call("rows", (path, self.name, vec![row_in.clone()], Undefined, self.index, vec![given]))?;
        answer(call, &row_in, &answers.get(0)?)
    }

    fn source(&self) -> Option<&dyn Source> {
        Some(&self.rows)
    }
}

/// Returns the meaning of a function's answer for its row.
fn answer<'js>(call: &ModuleCall<'_, 'js>, row_in: &Value<'js>, answer: &Value<'js>) -> Result<Row, Raised> {
    Ok(if answer.is_null() {
        Row::Dropped
    } else if row_in == answer && call.is_untouched(answer)? {
        Row::Same
    } else {
        call.outward(answer)?.map_or(Row::Dropped, Row::Replaced)
    })
}

fn list<'js>(call: &ModuleCall<'_, 'js>, values: &[Option<Datum>]) -> Result<Array<'js>, Raised> {
    let list = Array::new(call.ctx.clone())?;
    for (index, value) in values.iter().enumerate() {
        list.set(index, call.inward_or_undefined(value.as_ref())?)?;
    }
    Ok(list)
}
