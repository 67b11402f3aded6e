//! Joins whose second side takes many values in one request: the rows of a reply go back to the
//! values that they were asked for by.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use futures_util::future::{join, join_all};
use polywire_doc::{Datum, Wanted};

use super::operand::Named;
use super::run::Run;
use super::source::Source;
use crate::error::QueryError;
use crate::path::{JsonPath, column};
use crate::plan::{Join, Select};
use crate::statement::StatementInfo;
use crate::syntax::ast::VerbKind;
use crate::table::Table;
use crate::template::uri::Several;
use crate::template::{scalar_text, walk};

/// The way in which a table takes the values of a join at once.
pub(super) struct Batch<'j> {
    table: Arc<Table>,
    /// Name of the parameter.
    name: &'j Arc<str>,
    /// Path of the value in a row of the first side.
    first: &'j JsonPath,
    /// Names on the way to the value in a row of the reply, joined by dots.
    column: String,
    several: Several,
    wanted: Wanted,
}

/// The way in which the partners of a row of the first side are found.
#[derive(Clone, Copy)]
enum Asked {
    /// There is no value to join by.
    Not,
    /// By a request of its own: the value is a list, or would read as several.
    Alone,
    /// By the value with this number.
    Value(usize),
}

/// Partners of one row; `None` for a row without a value to join by.
type Partners = Result<Option<Vec<Datum>>, QueryError>;

impl Run<'_> {
    /// Returns how the second side of a join takes many values at once, if it does.
    pub(super) fn batch<'j>(&self, join: &'j Join) -> Option<Batch<'j>> {
        let Source::Table(table) = self.source(&join.from.origin) else { return None };
        let [(name, _, first)] = &join.equations[..] else { return None };
        let table = self.table(table)?;
        let (path, several) = table.action(VerbKind::Select)?.batch(name)?;
        let mut wanted = join.from.wanted.clone();
        wanted.add(path.iter().map(String::as_str));
        let column = path.join(".");
        Some(Batch { table, name, first, column, several, wanted })
    }

    /// Returns the partners of each row. Rows beyond the limit of requests are left out, with a
    /// warning.
    pub(super) async fn partners_in_batches(
        &self,
        batch: &Batch<'_>,
        first: &mut Vec<Datum>,
        select: &Select,
        equated: &Join,
        info: &StatementInfo,
    ) -> Result<Vec<Partners>, QueryError> {
        let mut values: Vec<Datum> = Vec::new();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut asked = Vec::with_capacity(first.len());
        // Requests and values up to each row.
        let mut costs = Vec::with_capacity(first.len());
        let mut requests = 0;
        for row in first.iter() {
            self.work.pause().await;
            let value = column(batch.first, row.view(), &self.work)?.filter(|value| !value.view().is_null());
            let how = match value.map(|value| (batch.text(&value), value)) {
                None => Asked::Not,
                Some((None, _)) => {
                    requests += 1;
                    Asked::Alone
                }
                Some((Some(text), value)) => Asked::Value(*numbers.entry(text).or_insert_with(|| {
                    requests += usize::from(values.len().is_multiple_of(batch.several.most));
                    values.push(value);
                    values.len() - 1
                })),
            };
            self.work.hold_slots(2)?;
            asked.push(how);
            costs.push((requests, values.len()));
        }
        let allowed = self.nested.take(requests);
        if allowed < requests {
            let kept = costs.partition_point(|(requests, _)| *requests <= allowed);
            let message = format!("of the {} rows of the join's first side only {kept} are joined, which is the limit", first.len());
            self.warn(info.line, message, None);
            first.truncate(kept);
            asked.truncate(kept);
            values.truncate(kept.checked_sub(1).map_or(0, |last| costs[last].1));
        }
        let most = batch.several.most;
        let ranges: Vec<Range<usize>> =
            (0..values.len().div_ceil(most)).map(|n| n * most..n.saturating_mul(most).saturating_add(most).min(values.len())).collect();
        let together = join_all(ranges.iter().map(|range| self.rows_of(batch, &values[range.clone()], select, equated, info)));
        let alone = asked.iter().zip(first.iter()).filter(|(how, _)| matches!(how, Asked::Alone));
        let alone = join_all(alone.map(|(_, row)| self.partners(row, select, equated, info)));
        let (together, alone) = join(together, alone).await;

        let mut found: Vec<Result<Vec<Datum>, QueryError>> = Vec::with_capacity(values.len());
        found.resize_with(values.len(), || Ok(Vec::new()));
        let mut strangers = 0;
        for (range, rows) in ranges.into_iter().zip(together) {
            match rows {
                Err(failure) => found[range].fill(Err(failure)),
                // The service was asked as for one row.
                Ok(rows) if range.len() == 1 => found[range.start] = Ok(rows),
                Ok(rows) => {
                    for row in rows {
                        self.work.pause().await;
                        match self.number(batch, &row, &values, &numbers, &range)? {
                            Some(number) => found[number].iter_mut().for_each(|rows| rows.push(row.clone())),
                            None => strangers += 1,
                        }
                    }
                }
            }
        }
        if strangers > 0 {
            let message = format!(
                "{strangers} rows of table {} were not asked for by their `{}`, and are left out: expected one of the values of `{}`",
                batch.table.name, batch.column, batch.name
            );
            let failure = QueryError::new("strange_rows", message.as_str())
                .hint("mend `with batches` of the table: it names the column by which the service answers");
            self.warn(info.line, message, Some(failure.at(info, Some(&batch.table.name))));
        }
        let mut alone = alone.into_iter();
        Ok(asked
            .into_iter()
            .map(|how| match how {
                Asked::Not => Ok(None),
                Asked::Alone => alone.next().unwrap_or(Ok(None)),
                Asked::Value(number) => found[number].clone().map(Some),
            })
            .collect())
    }

    /// Returns the rows for some values, by one request.
    async fn rows_of(
        &self,
        batch: &Batch<'_>,
        values: &[Datum],
        select: &Select,
        equated: &Join,
        info: &StatementInfo,
    ) -> Result<Vec<Datum>, QueryError> {
        // One that fails is seen after those before it.
        self.work.in_time()?;
        let value = match values {
            [only] => only.clone(),
            values => Datum::list(values.iter().cloned()),
        };
        let named: Named = vec![(batch.name.clone(), value)];
        self.side_of_table(&batch.table, &equated.from, select.tail, &named, &batch.wanted, info).await
    }

    /// Returns the number of the value that a row was asked for by, one of `range`.
    fn number(
        &self,
        batch: &Batch<'_>,
        row: &Datum,
        values: &[Datum],
        numbers: &HashMap<String, usize>,
        range: &Range<usize>,
    ) -> Result<Option<usize>, QueryError> {
        let Some(value) = walk(row.view(), &batch.column) else { return Ok(None) };
        self.work.spend(1)?;
        let exact = scalar_text(value.view()).and_then(|text| numbers.get(&text)).filter(|number| range.contains(number));
        if exact.is_some() {
            return Ok(exact.copied());
        }
        self.work.spend(range.len() as u64)?;
        Ok(range.clone().find(|number| values[*number].view().loosely_equals(value.view())))
    }
}

impl Batch<'_> {
    /// Returns the text of a value that can stand beside others in one request.
    fn text(&self, value: &Datum) -> Option<String> {
        let text = scalar_text(value.view()).filter(|text| !text.is_empty())?;
        (self.several.repeated || !text.contains(',')).then_some(text)
    }
}
