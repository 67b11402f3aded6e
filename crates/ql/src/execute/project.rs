//! Result sets, columns, offset and limit (docs/spec/ql.md 7.2).

use std::borrow::Cow;

use polywire_doc::{Column as Shows, Datum, Object, Ref, View};

use super::run::Run;
use crate::error::QueryError;
use crate::limits::{Exhausted, SLOT};
use crate::path::{JsonPath, column};
use crate::plan::{Argument, Call, Column, ColumnPath, Columns};
use crate::template::text::Missing;

/// Returns the rows of a value: the elements of a list, or the value.
pub(super) fn rows(value: &Datum) -> Vec<Datum> {
    let view = value.view();
    if view.is_list() { view.items().map(Ref::to_datum).collect() } else { vec![value.clone()] }
}

/// Leaves out `offset` rows, then cuts the rest to `limit`.
pub(super) fn cut<T>(rows: &mut Vec<T>, limit: Option<u64>, offset: Option<u64>) {
    if let Some(offset) = offset {
        rows.drain(..usize::try_from(offset).unwrap_or(usize::MAX).min(rows.len()));
    }
    if let Some(limit) = limit {
        rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
}

/// Cuts a value as [`cut`] does, if it is a list.
pub(super) fn cut_list(value: Datum, limit: Option<u64>, offset: Option<u64>) -> Datum {
    if (limit.is_none() && offset.is_none()) || !value.view().is_list() {
        return value;
    }
    let mut rows = rows(&value);
    cut(&mut rows, limit, offset);
    Datum::from(rows)
}

/// Returns whether a value is shown unchanged, whatever the columns: an empty list, null, zero,
/// false, an empty text.
pub(super) fn is_void(value: Ref<'_>) -> bool {
    match value.view() {
        View::List(items) => items.len() == 0,
        _ => !value.is_truthy(),
    }
}

/// Columns whose paths are known.
pub(super) struct Shown<'c> {
    columns: Vec<(Option<Cow<'c, JsonPath>>, &'c Column)>,
    named: bool,
    /// True if a single column without an alias is a list of one.
    listed: bool,
}

impl Run<'_> {
    /// Returns the columns, with tokens in their names filled; `None` for all.
    /// A single column without an alias is a list of one in a join, and beside functions that take
    /// other columns: the original reads these into the same row.
    pub(super) fn shown<'c>(&self, columns: &'c Columns, functions: &[Call], joined: bool) -> Result<Option<Shown<'c>>, QueryError> {
        let Columns::These(columns) = columns else { return Ok(None) };
        let mut shown = Vec::with_capacity(columns.len());
        for column in columns {
            let path = match &column.path {
                ColumnPath::Function(_) => None,
                ColumnPath::Known(path) => Some(Cow::Borrowed(path)),
                ColumnPath::Made(template) => {
                    let lookup = |name: &str| {
                        use crate::template::reference::Variables;
                        let (root, rest) = name.split_once('.').unwrap_or((name, ""));
                        let value = self.variable(root)?;
                        if rest.is_empty() { Some(value) } else { crate::template::walk(value.view(), rest) }
                    };
                    let text = template.format(&lookup, Missing::Drop);
                    let path = JsonPath::read(&format!(".{text}"));
                    Some(Cow::Owned(path.ok_or_else(|| QueryError::new("bad_column", format!("the column `{text}` is no path")))?))
                }
            };
            shown.push((path, column));
        }
        let listed = joined || {
            let is_shown = |path: &JsonPath| shown.iter().any(|(known, _)| known.as_deref() == Some(path));
            functions.iter().flat_map(|call| &call.arguments).any(|argument| matches!(argument, Argument::Path(path, _) if !is_shown(path)))
        };
        Ok(Some(Shown { named: columns.iter().any(|column| column.alias.is_some()), columns: shown, listed }))
    }

    /// Returns what the columns show of a row; for a joined row, of both sides.
    pub(super) fn project(&self, shown: &Shown<'_>, row: Ref<'_>, second: Option<Ref<'_>>) -> Result<Datum, QueryError> {
        let value = |(path, wanted): &(Option<Cow<'_, JsonPath>>, &Column)| {
            let side = if wanted.second { second.unwrap_or(row) } else { row };
            let value = path.as_ref().map_or(Ok(None), |path| column(path, side, &self.work))?;
            match &value {
                // Shown twice, it would weigh twice as much, and the next time four times.
                Some(made) if made.is_made() => self.work.hold_made(made)?,
                _ => self.work.hold(SLOT)?,
            }
            Ok::<_, Exhausted>(value)
        };
        if shown.named {
            let mut object = Object::default();
            for column in &shown.columns {
                if let (Some(value), Some(alias)) = (value(column)?, &column.1.alias) {
                    object.insert(alias.clone(), value);
                }
            }
            return Ok(Datum::Object(object));
        }
        if let ([only], false) = (&shown.columns[..], shown.listed) {
            return Ok(value(only)?.unwrap_or_default());
        }
        let mut list = Vec::with_capacity(shown.columns.len());
        for column in &shown.columns {
            list.push(value(column)?.unwrap_or_default());
        }
        Ok(Datum::from(list))
    }

    /// Projects all rows of a value at once, without making each row, if possible; else returns the
    /// value.
    pub(super) fn project_all(
        &self,
        shown: &Shown<'_>,
        value: Datum,
        limit: Option<u64>,
        offset: Option<u64>,
    ) -> Result<Result<Datum, Datum>, QueryError> {
        let paths: Option<Vec<Vec<&str>>> =
            shown.columns.iter().map(|(path, column)| if column.second { None } else { path.as_ref()?.names() }).collect();
        let Some(paths) = paths else { return Ok(Err(value)) };
        let columns: Vec<Shows<'_>> =
            paths.iter().zip(&shown.columns).map(|(path, (_, column))| Shows { path, name: column.alias.as_deref() }).collect();
        let is_taken = |n: usize, name: &str| columns[..n].iter().any(|other| other.name == Some(name));
        if columns.iter().enumerate().any(|(n, column)| column.name.is_some_and(|name| is_taken(n, name))) {
            return Ok(Err(value));
        }
        let rows = if value.view().is_list() { value.view().len() } else { 1 };
        let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let projected = value.columns(&columns, offset.map_or(0, count), limit.map_or(usize::MAX, count));
        // The rows count here only if they are made here.
        if projected.is_ok() {
            self.allow_rows(rows)?;
            self.work.spend((rows * paths.iter().map(Vec::len).sum::<usize>()) as u64)?;
            self.work.hold_slots(rows.saturating_mul(paths.len()))?;
        }
        Ok(projected)
    }

    /// Spends the work of rows, and checks that there are not too many.
    pub(super) fn allow_rows(&self, rows: usize) -> Result<(), QueryError> {
        self.work.spend(rows as u64)?;
        self.bound_rows(rows)
    }

    /// Checks that there are not too many rows.
    pub(super) fn bound_rows(&self, rows: usize) -> Result<(), QueryError> {
        let most = self.environment.limits.rows;
        if rows > most {
            return Err(QueryError::new("too_many_rows", format!("{rows} rows in one result, more than {most}"))
                .status(422)
                .hint("add a limit"));
        }
        Ok(())
    }
}
