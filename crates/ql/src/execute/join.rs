//! Joins (docs/spec/ql.md 7.4): the first side is read, then the second for each of its rows, all
//! at the same time.

use std::sync::Arc;

use futures_util::future::join_all;
use polywire_doc::{Datum, Wanted};

use super::call::Given;
use super::condition::Test;
use super::file::Taken;
use super::index::Index;
use super::operand::Named;
use super::project::{cut, is_void, rows};
use super::run::Run;
use super::source::{Source, opened};
use crate::error::QueryError;
use crate::path::{column, matches};
use crate::plan::{From, Join, Select};
use crate::statement::StatementInfo;
use crate::syntax::ast::{Tail, VerbKind};
use crate::table::Table;

impl Run<'_> {
    /// Returns the joined rows; `None` if the first side is a variable without a value.
    pub(super) async fn join(&self, select: &Select, join: &Join, info: &StatementInfo) -> Result<Option<Datum>, QueryError> {
        let Some(shown) = self.shown(&select.columns, &select.functions, true)? else {
            return Err(QueryError::new("join_column", "a join without columns"));
        };
        if let Source::Data(None) = self.source(&select.from.origin) {
            return Ok(None);
        }
        let mut first = self.side(&select.from, select, &Named::new(), &[], info).await?;
        let batch = self.batch(join);
        // A variable on the second side is no request.
        let is_table = matches!(self.source(&join.from.origin), Source::Table(_));
        if is_table && batch.is_none() {
            let most = self.nested.take(first.len());
            if first.len() > most {
                let message = format!("of the {} rows of the join's first side only {most} are joined, which is the limit", first.len());
                self.warn(info.line, message, None);
                first.truncate(most);
            }
        }
        let seconds = match &batch {
            Some(batch) => self.partners_in_batches(batch, &mut first, select, join, info).await?,
            None if is_table => join_all(first.iter().map(|row| self.partners(row, select, join, info))).await,
            None if !join.from.asks() => self.partners_by_index(&first, select, join, info).await?,
            // Where nothing is waited for, rows at the same time would have their pauses in common.
            None => {
                let mut seconds = Vec::with_capacity(first.len());
                for row in &first {
                    seconds.push(self.partners(row, select, join, info).await);
                }
                seconds
            }
        };
        let seconds = self.but_failed(seconds, info)?;
        let mut pairs: Vec<(Datum, Option<Datum>)> = Vec::new();
        for (row, partners) in first.into_iter().zip(seconds) {
            self.work.spend(1 + partners.len() as u64)?;
            self.bound_rows(pairs.len().saturating_add(partners.len()))?;
            self.work.hold_slots(partners.len())?;
            pairs.extend(partners.into_iter().map(|partner| (row.clone(), Some(partner))));
        }
        if select.functions.is_empty() {
            cut(&mut pairs, select.limit, select.offset);
        }
        let mut joined = Vec::with_capacity(pairs.len());
        for (row, partner) in &pairs {
            self.work.pause().await;
            joined.push(self.project(&shown, row.view(), partner.as_ref().map(Datum::view))?);
        }
        if !select.functions.is_empty() {
            joined = self.ask(&select.functions, joined, pairs, info).await?;
            cut(&mut joined, select.limit, select.offset);
        }
        Ok(Some(Datum::from(joined)))
    }

    /// Returns the partners of each row. Where some could not be asked for, they are none, with a
    /// warning; if all failed, or a limit is used up, the join fails.
    fn but_failed(&self, found: Vec<Result<Option<Vec<Datum>>, QueryError>>, info: &StatementInfo) -> Result<Vec<Vec<Datum>>, QueryError> {
        let asked = found.iter().filter(|found| !matches!(found, Ok(None))).count();
        let (mut partners, mut failures) = (Vec::with_capacity(found.len()), Vec::new());
        for found in found {
            match found {
                Ok(found) => partners.push(found.unwrap_or_default()),
                Err(failure) if failure.is_of_limits() => return Err(failure),
                Err(failure) => {
                    partners.push(Vec::new());
                    failures.push(failure.at(info, None));
                }
            }
        }
        if failures.len() == asked
            && let Some(first) = failures.first()
        {
            // A failure without a URI is that of the table, and all rows have the same.
            let others = failures[1..].iter().filter(|failure| failure.parts().uri.is_some());
            let others: Vec<Datum> = others.map(QueryError::to_datum).collect();
            return Err(if others.is_empty() { first.clone() } else { first.clone().detail("others", others) });
        }
        for failure in failures {
            let message = format!("the partners of one of {asked} rows are missing: {}", failure.parts().message);
            self.warn(info.line, message, Some(failure));
        }
        Ok(partners)
    }

    /// Returns the rows of the second side for one row of the first; `None` for a row without a
    /// value to join by, which has no partner.
    pub(super) async fn partners(
        &self,
        row: &Datum,
        select: &Select,
        join: &Join,
        info: &StatementInfo,
    ) -> Result<Option<Vec<Datum>>, QueryError> {
        // One that fails is seen after those before it.
        self.work.in_time()?;
        let (mut named, mut tests) = (Named::new(), Vec::new());
        for (name, second, first) in &join.equations {
            let Some(value) = column(first, row.view(), &self.work)?.filter(|value| !value.view().is_null()) else { return Ok(None) };
            tests.push(Test::new(second, Some(value.clone())));
            named.push((name.clone(), value));
        }
        self.side(&join.from, select, &named, &tests, info).await.map(Some)
    }

    /// Returns the partners of each row, where the rows of the second side are the same for all.
    async fn partners_by_index(
        &self,
        first: &[Datum],
        select: &Select,
        join: &Join,
        info: &StatementInfo,
    ) -> Result<Vec<Result<Option<Vec<Datum>>, QueryError>>, QueryError> {
        let mut partners = Vec::with_capacity(first.len());
        let (Some((_, key, _)), false) = (join.equations.first(), first.is_empty()) else { return Ok(partners) };
        let rows = self.side(&join.from, select, &Named::new(), &[], info).await?;
        let mut index = Index::default();
        for (number, row) in (0..).zip(&rows) {
            self.work.pause().await;
            let found = matches(key, row.view(), &self.work)?;
            for value in &found {
                self.work.spend(1 + value.view().len() as u64)?;
                self.work.hold(Index::weight(value.view()))?;
                index.add(value.view(), number);
            }
        }
        for row in first {
            self.work.pause().await;
            let Some(tests) = self.equations(row, join)? else {
                partners.push(Ok(None));
                continue;
            };
            let mut near: Vec<u32> = tests[0].operands.iter().flat_map(|operand| index.near(operand.view()).iter().copied()).collect();
            near.sort_unstable();
            near.dedup();
            let mut found = Vec::new();
            for number in near {
                self.work.spend(1)?;
                let candidate = &rows[number as usize];
                if self.passes(&tests, candidate.view())? {
                    found.push(candidate.clone());
                }
            }
            partners.push(Ok(Some(found)));
        }
        Ok(partners)
    }

    /// Returns the conditions on rows of the second side for a row of the first; `None` for a row
    /// without a value to join by.
    fn equations<'j>(&self, row: &Datum, join: &'j Join) -> Result<Option<Vec<Test<'j>>>, QueryError> {
        let mut tests = Vec::with_capacity(join.equations.len());
        for (_, second, first) in &join.equations {
            let Some(value) = column(first, row.view(), &self.work)?.filter(|value| !value.view().is_null()) else { return Ok(None) };
            tests.push(Test::new(second, Some(value)));
        }
        Ok(Some(tests))
    }

    /// Returns the rows of a table that is one side. `named` are further parameters, `wanted` the
    /// parts of rows that are looked at.
    pub(super) async fn side_of_table(
        &self,
        table: &Arc<Table>,
        from: &From,
        tail: Tail,
        named: &Named,
        wanted: &Wanted,
        info: &StatementInfo,
    ) -> Result<Vec<Datum>, QueryError> {
        let Some(action) = table.action(VerbKind::Select) else { return Ok(Vec::new()) };
        let mut parameters = self.parameters(action, &from.conditions, info).await?;
        parameters.retain(|(known, _)| named.iter().all(|(name, _)| name != known));
        parameters.extend(named.iter().cloned());
        let given = Given { parameters, tail, ..Given::default() };
        let results = self.call(table, action, given, wanted, info).await?;
        let found = results.each.into_iter().flatten().filter(|result| !is_void(result.view()));
        Ok(found.flat_map(|result| rows(&result)).collect())
    }

    /// Returns the rows of one side. `named` are further parameters of a table, `tests` further
    /// conditions on a variable.
    async fn side(
        &self,
        from: &From,
        select: &Select,
        named: &Named,
        tests: &[Test<'_>],
        info: &StatementInfo,
    ) -> Result<Vec<Datum>, QueryError> {
        match self.source(&from.origin) {
            Source::Table(name) => {
                let table = self.verb(name, VerbKind::Select)?;
                self.side_of_table(&table, from, select.tail, named, &from.wanted, info).await
            }
            Source::Data(value) => {
                let own = self.tests(&from.conditions, info).await?;
                let Some(value) = value.map(opened).filter(|value| !is_void(value.view())) else { return Ok(Vec::new()) };
                let value = value.view();
                let mut kept = Vec::new();
                let (list, single) = if value.is_list() { (Some(value.items()), None) } else { (None, Some(value)) };
                for row in list.into_iter().flatten().chain(single) {
                    self.work.pause().await;
                    self.work.spend(1)?;
                    if self.passes(&own, row)? && self.passes(tests, row)? {
                        kept.push(row.to_datum());
                    }
                }
                Ok(kept)
            }
            Source::File(file) => {
                let own = self.tests(&from.conditions, info).await?;
                let rows_of = Taken { tests: &own, shown: None, limit: None, offset: None };
                let found = self.rows_of_file(file, &from.wanted, &rows_of)?;
                self.work.hold_slots(found.view().len())?;
                Ok(rows(&found))
            }
        }
    }
}
