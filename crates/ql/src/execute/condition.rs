//! Where clauses on variables (docs/spec/ql.md 7.3), and functions in them (docs/spec/ql.md 7.8).

use polywire_doc::{Datum, Ref};

use super::index::Index;
use super::run::Run;
use crate::error::QueryError;
use crate::functions::Row;
use crate::path::{JsonPath, matches};
use crate::plan::{Argument, Call, Condition};
use crate::statement::StatementInfo;

/// A condition whose values are known.
pub(super) struct Test<'c> {
    pub path: &'c JsonPath,
    pub operands: Vec<Datum>,
    /// Index of the operands, if there are many.
    index: Option<Index>,
}

/// Number of operands up to which each is compared.
const FEW: usize = 16;

impl<'c> Test<'c> {
    /// Makes a test that the value at `path` equals `value`, or an element of it if it is a list.
    /// Nothing equals undefined.
    pub fn new(path: &'c JsonPath, value: Option<Datum>) -> Test<'c> {
        let operands = value.map_or_else(Vec::new, |value| super::project::rows(&value));
        Test { path, operands, index: None }
    }
}

impl Run<'_> {
    /// Returns the conditions with their values.
    pub(super) async fn tests<'c>(&self, conditions: &'c [Condition], info: &StatementInfo) -> Result<Vec<Test<'c>>, QueryError> {
        let values = conditions.iter().map(|condition| self.operand(&condition.operand, self.environment.limits.nested_requests, info));
        let values = futures_util::future::try_join_all(values).await?;
        let mut tests = Vec::with_capacity(conditions.len());
        for (condition, value) in conditions.iter().zip(values) {
            let mut test = Test::new(&condition.path, value);
            if test.operands.len() > FEW {
                let mut index = Index::default();
                for (number, operand) in (0..).zip(&test.operands) {
                    self.work.spend(1)?;
                    self.work.hold(Index::weight(operand.view()))?;
                    index.add_one(operand.view(), number);
                }
                test.index = Some(index);
            }
            tests.push(test);
        }
        Ok(tests)
    }

    /// Returns whether all conditions hold for a row.
    pub(super) fn passes(&self, tests: &[Test<'_>], row: Ref<'_>) -> Result<bool, QueryError> {
        for test in tests {
            let found = matches(test.path, row, &self.work)?;
            let mut holds = false;
            for value in &found {
                holds = holds
                    || match &test.index {
                        Some(index) => self.equals_indexed(value.view(), &test.operands, index)?,
                        None => {
                            self.work.spend(test.operands.len() as u64)?;
                            self.equals_any(value.view(), &test.operands)?
                        }
                    };
            }
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether a value, or an element of it, is one of the operands.
    pub(super) fn equals_any(&self, value: Ref<'_>, operands: &[Datum]) -> Result<bool, QueryError> {
        let any = |value: Ref<'_>| operands.iter().any(|operand| value.loosely_equals(operand.view()));
        if value.is_list() {
            self.work.spend((value.len() * operands.len()) as u64)?;
            return Ok(any(value) || value.items().any(any));
        }
        Ok(any(value))
    }

    /// Returns what [`Run::equals_any`] does.
    fn equals_indexed(&self, value: Ref<'_>, operands: &[Datum], index: &Index) -> Result<bool, QueryError> {
        let any = |value: Ref<'_>| -> Result<bool, QueryError> {
            let near = index.near(value);
            self.work.spend(1 + near.len() as u64)?;
            Ok(near.iter().any(|number| value.loosely_equals(operands[*number as usize].view())))
        };
        if any(value)? {
            return Ok(true);
        }
        if value.is_list() {
            for element in value.items() {
                if any(element)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Calls functions for shown rows, one after the other. Returns the rows that they keep, as
    /// they return them. `raw` are the rows that arguments are read from; for a join, both sides.
    pub(super) async fn ask(
        &self,
        functions: &[Call],
        mut shown: Vec<Datum>,
        mut raw: Vec<(Datum, Option<Datum>)>,
        info: &StatementInfo,
    ) -> Result<Vec<Datum>, QueryError> {
        for call in functions {
            let module = self.module_of(call)?;
            let rows = Datum::from(shown.clone());
            let (mut kept, mut kept_raw) = (Vec::new(), Vec::new());
            for (index, (row, sides)) in shown.into_iter().zip(raw).enumerate() {
                let arguments = self.arguments(call, sides.0.view(), sides.1.as_ref().map(Datum::view))?;
                let asked = Row { row, rows: rows.clone(), index };
                if let Some(row) = module.row(&call.function, asked, arguments).await.map_err(|failure| failure.at(info, None))? {
                    kept.push(row);
                    kept_raw.push(sides);
                }
            }
            (shown, raw) = (kept, kept_raw);
        }
        Ok(shown)
    }

    /// Calls functions once for a whole value.
    pub(super) async fn ask_whole(&self, functions: &[Call], mut value: Datum, info: &StatementInfo) -> Result<Option<Datum>, QueryError> {
        for call in functions {
            let module = self.module_of(call)?;
            let arguments = self.arguments(call, value.view(), None)?;
            let asked = Row { row: value.clone(), rows: value, index: 0 };
            match module.row(&call.function, asked, arguments).await.map_err(|failure| failure.at(info, None))? {
                Some(answer) => value = answer,
                None => return Ok(None),
            }
        }
        Ok(Some(value))
    }

    fn arguments(&self, call: &Call, row: Ref<'_>, second: Option<Ref<'_>>) -> Result<Vec<Option<Datum>>, QueryError> {
        let argument = |argument: &Argument| -> Result<Option<Datum>, QueryError> {
            Ok(match argument {
                Argument::Value(template) => template.fill(self, &self.work)?,
                Argument::Path(path, of_second) => {
                    let side = if *of_second { second.unwrap_or(row) } else { row };
                    crate::path::column(path, side, &self.work)?
                }
            })
        };
        call.arguments.iter().map(argument).collect()
    }
}
