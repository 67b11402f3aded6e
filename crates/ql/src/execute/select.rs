//! `select` (docs/spec/ql.md 7.1 to 7.3).

use futures_util::future::BoxFuture;
use polywire_doc::{Datum, Wanted};

use super::call::Given;
use super::merge::merge;
use super::project::{cut, cut_list, is_void, rows};
use super::run::Run;
use super::source::{Source, opened};
use crate::error::QueryError;
use crate::plan::{Columns, From, Select, StepWork};
use crate::statement::StatementInfo;
use crate::syntax::ast::VerbKind;
use crate::table::{Action, DefaultValue};

impl Run<'_> {
    /// Returns the rows of a select; `None` if it is skipped.
    pub(super) fn select<'s>(&'s self, select: &'s Select, info: &'s StatementInfo) -> BoxFuture<'s, Result<Option<Datum>, QueryError>> {
        Box::pin(async move {
            if !self.has_all(&select.conditions, info)? {
                return Ok(None);
            }
            if let Some(join) = &select.join {
                return self.join(select, join, info).await;
            }
            match self.source(&select.from.origin) {
                Source::Table(name) => self.select_table(select, name, info).await,
                Source::Data(value) => self.select_data(select, value, info).await,
                Source::File(file) => self.select_file(select, file, info).await,
            }
        })
    }

    async fn select_table(&self, select: &Select, name: &str, info: &StatementInfo) -> Result<Option<Datum>, QueryError> {
        let table = self.verb(name, VerbKind::Select)?;
        let Some(action) = table.action(VerbKind::Select) else { return Ok(None) };
        let parameters = self.parameters(action, &select.from.conditions, info).await?;
        let offset = select.offset.filter(|_| !action.carries(&action.offset));
        // Functions may drop rows.
        let enough = select.limit.filter(|_| select.functions.is_empty()).map(|limit| limit.saturating_add(offset.unwrap_or(0)));
        let given = Given { parameters, limit: select.limit, offset: select.offset, enough, tail: select.tail, ..Given::default() };
        let results = self.call(&table, action, given, self.wanted(&select.from, info), info).await?;
        let mut shaped = Vec::with_capacity(results.each.len());
        for result in results.each.into_iter().flatten() {
            shaped.extend(self.shape(select, result, select.limit, offset, info).await?);
        }
        Ok(merge(shaped, results.asked, action.merge()))
    }

    async fn select_data(&self, select: &Select, value: Option<Datum>, info: &StatementInfo) -> Result<Option<Datum>, QueryError> {
        let tests = self.tests(&select.from.conditions, info).await?;
        let Some(mut value) = value.map(opened) else { return Ok(None) };
        if value.view().is_list() {
            let mut kept = Vec::new();
            for row in value.view().items() {
                self.work.pause().await;
                self.work.spend(1)?;
                if self.passes(&tests, row)? {
                    kept.push(row.to_datum());
                }
            }
            self.work.hold_slots(kept.len())?;
            value = Datum::from(kept);
        } else if !matches!(select.columns, Columns::All) && !self.passes(&tests, value.view())? {
            value = Datum::list([]);
        }
        self.shape(select, value, select.limit, select.offset, info).await
    }

    /// Applies columns, functions, offset and limit.
    pub(super) async fn shape(
        &self,
        select: &Select,
        value: Datum,
        limit: Option<u64>,
        offset: Option<u64>,
        info: &StatementInfo,
    ) -> Result<Option<Datum>, QueryError> {
        let Some(shown) = self.shown(&select.columns, &select.functions, false)? else {
            self.allow_rows(value.view().len())?;
            let value = self.ask_whole(&select.functions, value, info).await?;
            return Ok(value.map(|value| cut_list(value, limit, offset)));
        };
        if is_void(value.view()) {
            return Ok(Some(value));
        }
        let is_list = value.view().is_list();
        let value = match select.functions.is_empty() {
            true => match self.project_all(&shown, value, limit, offset)? {
                Ok(projected) => return Ok(Some(projected)),
                Err(value) => value,
            },
            false => value,
        };
        let mut raw = rows(&value);
        self.allow_rows(raw.len())?;
        // Functions may drop rows, so offset and limit count the rows behind them.
        if select.functions.is_empty() && is_list {
            cut(&mut raw, limit, offset);
        }
        let mut projected = Vec::with_capacity(raw.len());
        for row in &raw {
            self.work.pause().await;
            projected.push(self.project(&shown, row.view(), None)?);
        }
        if !select.functions.is_empty() {
            let raw = raw.into_iter().map(|row| (row, None)).collect();
            projected = self.ask(&select.functions, projected, raw, info).await?;
            if is_list {
                cut(&mut projected, limit, offset);
            }
        }
        Ok(Some(Datum::from(projected)))
    }

    /// Returns the parts of rows that are looked at: fewer than all if nobody can see the
    /// difference.
    pub(super) fn wanted<'s>(&self, from: &'s From, info: &StatementInfo) -> &'s Wanted {
        if let (true, Some(written)) = (self.environment.only_json, &from.written) {
            return written;
        }
        let (Some(narrowed), Some(name)) = (&from.narrowed, &info.name) else { return &from.wanted };
        if self.environment.observer.wants(name) {
            return &from.wanted;
        }
        // Requests of this statement are made before its variable is there; others of the same
        // table may come after it.
        let mut others = Vec::new();
        for (step, other) in self.plan.steps.iter().enumerate() {
            if let StepWork::Statement(operations) = &other.work
                && step != info.id as usize
            {
                operations.iter().for_each(|operation| operation.tables(&mut others));
            }
        }
        let seen = others.iter().filter_map(|other| self.table(other)).any(|table| table.actions().any(|action| looks_at(action, name)));
        if seen { &from.wanted } else { narrowed }
    }
}

/// Returns whether a request of this verb may look at the variable `name`. Hooks and body templates
/// see all variables.
fn looks_at(action: &Action, name: &str) -> bool {
    let by_templates = action.uri.iter().flat_map(|uri| uri.roots()).chain(action.headers.iter().flat_map(|(_, value)| value.roots()));
    let by_defaults = action.defaults.iter().any(|(_, default)| match &default.value {
        DefaultValue::Text(template) => template.roots().contains(&name),
        DefaultValue::Value(_) => false,
    });
    action.patch.is_some()
        || action.body.is_some()
        || action.auth.is_some()
        || by_defaults
        || by_templates.into_iter().any(|root| root == name)
}
