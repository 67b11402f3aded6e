//! User functions of scripts: `u = require("path")`, then `u.f(…)` (specification 7.8).

use polywire_doc::Datum;
use rquickjs::{Array, Value};

use crate::engine::{Trouble, Turn};
use crate::log::LogSink;
use crate::pool::{Call, Hooks};

/// What a function has answered for a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Row {
    /// The row is kept as it was.
    Same,
    /// This stands in the place of the row.
    Replaced(Datum),
    /// The row is dropped.
    Dropped,
}

impl Hooks {
    /// The functions that a module exports, for a script that requires it.
    pub fn functions(&self, module: &str) -> Call<Vec<String>> {
        let module = module.to_string();
        self.submit(self.callee("require", &module.clone(), None), move |turn| {
            let path = turn.module(&module)?;
            Ok(turn.call("exported", (path,))?)
        })
    }

    /// Calls a function by values: `name` is `f`, or `a.f` for a function in an exported object. `None` is undefined, as an argument and as what is given back.
    pub fn apply(&self, module: &str, name: &str, args: Vec<Option<Datum>>, log: Option<LogSink>) -> Call<Option<Datum>> {
        let (module, name) = (module.to_string(), name.to_string());
        self.submit(self.callee(&name, &module, log), move |turn| {
            let path = turn.module(&module)?;
            let given: Value<'_> = turn.call("apply", (path, name, list(turn, &args)?))?;
            Ok(turn.outward(&given)?)
        })
    }

    /// Calls a function of a where clause for each row, in order: `args` has the arguments for each. The function answers through its receiver, which has `row`, `rows`, `index` and `next`: `next(error)`,
    /// `next(null, row)`, or `next(null, null)` to drop the row. To call it once with a whole body, give that as the only row.
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
        self.submit(self.callee(&name, &module, log), move |turn| {
            let path = turn.module(&module)?;
            let told = Array::new(turn.ctx.clone())?;
            let given = Array::new(turn.ctx.clone())?;
            for (index, row) in rows.iter().enumerate() {
                told.set(index, turn.inward(row.view())?)?;
                given.set(index, list(turn, args.get(index).map_or(&[], Vec::as_slice))?)?;
            }
            let answers: Array<'_> = turn.call("rows", (path, name, told.clone(), told.clone(), 0, given))?;
            (0..rows.len()).map(|index| answer(turn, &told.get(index)?, &answers.get(index)?)).collect()
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
        self.submit(self.callee(&name, &module, log), move |turn| {
            let path = turn.module(&module)?;
            let told = turn.inward(row.view())?;
            let given = list(turn, &args)?;
            let answers: Array<'_> = turn.call("rows", (path, name, vec![told.clone()], turn.inward(rows.view())?, index, vec![given]))?;
            answer(turn, &told, &answers.get(0)?)
        })
    }
}

/// What a function's answer means for the row that it was told.
fn answer<'js>(turn: &Turn<'_, 'js>, told: &Value<'js>, answer: &Value<'js>) -> Result<Row, Trouble> {
    Ok(if answer.is_null() {
        Row::Dropped
    } else if told == answer && turn.is_untouched(answer)? {
        Row::Same
    } else {
        turn.outward(answer)?.map_or(Row::Dropped, Row::Replaced)
    })
}

fn list<'js>(turn: &Turn<'_, 'js>, values: &[Option<Datum>]) -> Result<Array<'js>, Trouble> {
    let list = Array::new(turn.ctx.clone())?;
    for (index, value) in values.iter().enumerate() {
        list.set(index, turn.inward_or_undefined(value.as_ref())?)?;
    }
    Ok(list)
}
