//! Files that statements read (docs/ql.md, "Files as tables"). Rows are chosen and shown as they
//! come, and only the result is kept.

use bytes::Bytes;
use polywire_core::{Len, Open, Sink, Span};
use polywire_doc::{Datum, DocSink, Repeated, Wanted};

use super::condition::Test;
use super::project::Shown;
use super::run::Run;
use crate::error::QueryError;
use crate::files::{self, File};
use crate::plan::Select;
use crate::statement::StatementInfo;

/// The rows of a select that are the result.
pub(super) struct Taken<'t> {
    /// Conditions that they meet.
    pub tests: &'t [Test<'t>],
    /// Columns that are shown of them; `None` for all.
    pub shown: Option<&'t Shown<'t>>,
    /// Most rows.
    pub limit: Option<u64>,
    /// Rows to leave out first.
    pub offset: Option<u64>,
}

impl Run<'_> {
    pub(super) async fn select_file(&self, select: &Select, file: &File, info: &StatementInfo) -> Result<Option<Datum>, QueryError> {
        let tests = self.tests(&select.from.conditions, info).await?;
        let wanted = self.wanted(&select.from, info);
        if !select.functions.is_empty() {
            // Functions may drop rows, and see all of them.
            let rows = self.rows_of_file(file, wanted, &Taken { tests: &tests, shown: None, limit: None, offset: None })?;
            return self.shape(select, rows, select.limit, select.offset, info).await;
        }
        let shown = self.shown(&select.columns, &[], false)?;
        let taken = Taken { tests: &tests, shown: shown.as_ref(), limit: select.limit, offset: select.offset };
        self.rows_of_file(file, wanted, &taken).map(Some)
    }

    /// Returns rows of a file as a list. Reads no further than the limit needs.
    pub(super) fn rows_of_file(&self, file: &File, wanted: &Wanted, taken: &Taken<'_>) -> Result<Datum, QueryError> {
        let Some(files) = self.environment.files else { return Err(files::refused(&file.path)) };
        let most = taken.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let mut before = taken.offset.unwrap_or(0);
        let mut count = 0;
        let everything = Wanted::everything();
        // One document for all rows: each has the names once.
        let mut rows = DocSink::new(Bytes::new(), &everything, Repeated::Last);
        rows.open(Open::List(Len::Unknown), Span::NONE).map_err(too_large)?;
        if most > 0 {
            files.read(file, wanted, &mut |row| {
                self.work.spend(1)?;
                if !self.passes(taken.tests, row.view())? {
                    return Ok(true);
                }
                if before > 0 {
                    before -= 1;
                    return Ok(true);
                }
                let row = match taken.shown {
                    Some(shown) => self.project(shown, row.view(), None)?,
                    None => row,
                };
                self.work.hold(row.view().weight(self.work.memory_left()))?;
                row.emit(&mut rows).map_err(too_large)?;
                count += 1;
                self.bound_rows(count)?;
                Ok(count < most)
            })?;
        }
        Sink::close(&mut rows, Span::NONE).map_err(too_large)?;
        rows.finish(0).map(|(rows, _)| Datum::from(rows)).map_err(too_large)
    }
}

/// Returns the error of rows that one document cannot hold.
fn too_large(error: polywire_core::Error) -> QueryError {
    QueryError::new("too_much_memory", format!("the rows are too much for one result: {error}"))
        .status(422)
        .hint("select fewer rows or columns")
}
