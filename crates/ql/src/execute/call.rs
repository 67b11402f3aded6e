//! Calls of tables (docs/spec/ql.md 7.1), and their replies.

use std::sync::Arc;

use polywire_doc::{Datum, Wanted};

use super::execution::Made;
use super::operand::Named;
use super::project::{is_void, rows};
use super::run::{Own, Run};
use crate::backend::{Call, Opaque, Reply};
use crate::error::QueryError;
use crate::pages::Pages;
use crate::params::Params;
use crate::resultset::resultset;
use crate::statement::StatementInfo;
use crate::syntax::ast::{Tail, VerbKind};
use crate::table::{Action, Table};

/// Arguments of a call, besides table and verb.
#[derive(Default)]
pub(super) struct Given<'g> {
    pub parameters: Named,
    pub limit: Option<u64>,
    pub offset: Option<u64>,
    /// Rows of one request after which no further page is read.
    pub enough: Option<u64>,
    pub tail: Tail,
    pub opaque: Option<Opaque<'g>>,
    pub parts: &'g [Datum],
}

/// Results of the calls of a verb.
pub(super) struct Results {
    /// Number of requests; pages of one count as one.
    pub asked: usize,
    /// Result sets of those that did not fail, in order.
    pub each: Vec<Option<Datum>>,
}

impl Run<'_> {
    /// Returns a table that has the verb.
    pub(super) fn verb(&self, name: &str, verb: VerbKind) -> Result<Arc<Table>, QueryError> {
        let Some(table) = self.table(name) else {
            return Err(QueryError::new("no_such_table", format!("No such table {name}")).hint("show tables lists those that there are"));
        };
        if table.action(verb).is_none() {
            return Err(QueryError::new("no_such_verb", format!("Table {name} does not support {}", verb.name()))
                .hint(format!("describe {name} says what it supports")));
        }
        Ok(table)
    }

    /// Calls a verb. Returns the result set of each reply. If some of several requests fail, their
    /// results are left out, with a warning; if all fail, the call fails.
    pub(super) async fn call(
        &self,
        table: &Arc<Table>,
        action: &Action,
        mut given: Given<'_>,
        wanted: &Wanted,
        info: &StatementInfo,
    ) -> Result<Results, QueryError> {
        self.count_call()?;
        for (name, count) in [(&action.limit, given.limit), (&action.offset, given.offset)] {
            if let Some(count) = count {
                given.parameters.retain(|(known, _)| known != name);
                given.parameters.push((name.clone(), Datum::UInt(count)));
            }
        }
        let is_own = self.known().tables.get(&table.name).is_some_and(|own| Arc::ptr_eq(own, table));
        let own = Own(self);
        let params = Params {
            statement: given.parameters,
            variables: &own,
            request: self.environment.request,
            action,
            config: if is_own { self.environment.script_config } else { self.environment.config },
        };
        let mut wanted = wanted.below(action.resultset.iter().map(String::as_str));
        if let Some(path) = action.pages.as_ref().and_then(Pages::path) {
            wanted.add(path.iter().map(String::as_str));
        }
        let call = Call {
            table,
            action,
            params: &params,
            statement: info,
            limit: given.limit,
            offset: given.offset,
            enough: given.enough,
            memory: self.work.memory_left(),
            tail: given.tail,
            opaque: given.opaque,
            parts: given.parts,
            wanted: &wanted,
            nested: &self.nested,
            observer: self.environment.observer,
        };
        let replies = self.environment.backend.call(call).await.map_err(|failure| failure.at(info, Some(&table.name)))?;
        self.collect(replies, table, action, info)
    }

    fn collect(&self, replies: Vec<Reply>, table: &Arc<Table>, action: &Action, info: &StatementInfo) -> Result<Results, QueryError> {
        if replies.is_empty() {
            return Ok(Results { asked: 0, each: vec![Some(Datum::object::<&str>([]))] });
        }
        let count = replies.len();
        let asked = replies.iter().filter(|reply| reply.page <= 1).count();
        let (mut sets, mut failures): (Vec<Set>, _) = (Vec::with_capacity(asked), Vec::new());
        for reply in replies {
            self.work.hold(reply.bytes_in.saturating_sub(reply.bytes_skipped).saturating_add(reply.kept))?;
            let left_alone = reply.outcome.as_ref().is_err_and(|failure| ["ECIRCUIT", "EBACKOFF"].contains(&failure.parts().code));
            let failure = reply.outcome.as_ref().err().map(|failure| failure.parts().message.clone());
            let uri = reply.uri.clone();
            self.record(Made {
                step: info.id as usize,
                table: table.name.clone(),
                method: reply.method,
                uri: reply.uri,
                status: reply.status,
                rpc_status: reply.rpc_status,
                bytes_in: reply.bytes_in,
                bytes_skipped: reply.bytes_skipped,
                elapsed: reply.elapsed,
                cached: reply.cached,
                retries: reply.retries,
                shared: reply.shared,
                page: reply.page,
                values: reply.values,
                left_alone,
                failure,
            });
            if let Some(cut) = reply.cut {
                self.warn(info.line, cut.message, cut.failure.map(|failure| failure.at(info, Some(&table.name))));
            }
            match reply.outcome {
                Ok(body) => {
                    let found = resultset(body, &action.resultset);
                    match sets.last_mut().filter(|_| reply.page > 1) {
                        Some(set) => set.add(found),
                        None => sets.push(Set { first: found, more: Vec::new() }),
                    }
                }
                Err(failure) => {
                    let mut failure = failure.at(info, Some(&table.name));
                    let parts = failure.parts_mut();
                    if parts.uri.is_none() && !uri.is_empty() {
                        parts.uri = Some(uri);
                    }
                    failures.push(failure);
                }
            }
        }
        if sets.is_empty() {
            let mut failures = failures.into_iter();
            let Some(mut first) = failures.next() else { return Ok(Results { asked, each: Vec::new() }) };
            let others: Vec<Datum> = failures.map(|failure| failure.to_datum()).collect();
            if !others.is_empty() {
                first = first.detail("others", others);
            }
            return Err(first);
        }
        for failure in failures {
            let message = format!("one of {count} requests failed, and its rows are missing: {}", failure.parts().message);
            self.warn(info.line, message, Some(failure));
        }
        let mut each = Vec::with_capacity(sets.len());
        for set in sets {
            if !set.more.is_empty() {
                self.allow_rows(set.more.len())?;
                self.work.hold_slots(set.more.len())?;
            }
            each.push(Some(set.whole()));
        }
        Ok(Results { asked, each })
    }
}

/// The result set of one request, which may come in pages.
struct Set {
    /// Result set of the only page, or of the first.
    first: Datum,
    /// Rows of all pages, if there are several.
    more: Vec<Datum>,
}

impl Set {
    /// Adds the result set of a further page.
    fn add(&mut self, page: Datum) {
        if self.more.is_empty() {
            self.extend(self.first.clone());
        }
        self.extend(page);
    }

    fn extend(&mut self, page: Datum) {
        if !is_void(page.view()) {
            self.more.extend(rows(&page));
        }
    }

    fn whole(self) -> Datum {
        if self.more.is_empty() { self.first } else { Datum::from(self.more) }
    }
}
