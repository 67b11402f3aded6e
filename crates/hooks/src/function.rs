//! User functions of scripts: `u = require("path")`, then `u.f(…)` (docs/spec/ql.md 7.8).

use polywire_doc::Datum;
use rquickjs::{Array, Value};

use crate::engine::Raised;
use crate::log::LogSink;
use crate::pool::{Call, Hooks};
use crate::sandbox::ModuleCall;

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

impl Hooks {
    /// Returns the functions that a module exports, for a script that requires it.
    pub fn functions(&self, module: &str) -> Call<Vec<String>> {
        let module = module.to_string();
        self.submit(self.callee("require", &module.clone(), None), move |call| {
            let path = call.module(&module)?;
            Ok(call.call("exported", (path,))?)
        })
    }

    /// Calls a function by values: `name` is `f`, or `a.f` for a function in an exported object.
    /// `None` is undefined, as an argument and as the returned value.
    pub fn apply(&self, module: &str, name: &str, args: Vec<Option<Datum>>, log: Option<LogSink>) -> Call<Option<Datum>> {
        let (module, name) = (module.to_string(), name.to_string());
        self.submit(self.callee(&name, &module, log), move |call| {
            let path = call.module(&module)?;
            let given: Value<'_> = call.call("apply", (path, name, list(call, &args)?))?;
            Ok(call.outward(&given)?)
        })
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
        let (module, name) = (module.to_string(), name.to_string());
        self.submit(self.callee(&name, &module, log), move |call| {
            let path = call.module(&module)?;
            let row_in = Array::new(call.ctx.clone())?;
            let given = Array::new(call.ctx.clone())?;
            for (index, row) in rows.iter().enumerate() {
                row_in.set(index, call.inward(row.view())?)?;
                given.set(index, list(call, args.get(index).map_or(&[], Vec::as_slice))?)?;
            }
            let answers: Array<'_> = call.call("rows", (path, name, row_in.clone(), row_in.clone(), 0, given))?;
            (0..rows.len()).map(|index| answer(call, &row_in.get(index)?, &answers.get(index)?)).collect()
        })
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
        let (module, name) = (module.to_string(), name.to_string());
        self.submit(self.callee(&name, &module, log), move |call| {
            let path = call.module(&module)?;
            let row_in = call.inward(row.view())?;
            let given = list(call, &args)?;
            let answers: Array<'_> =
                call.call("rows", (path, name, vec![row_in.clone()], call.inward(rows.view())?, index, vec![given]))?;
            answer(call, &row_in, &answers.get(0)?)
        })
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
