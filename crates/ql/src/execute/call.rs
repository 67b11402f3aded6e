//! Calls of tables (docs/spec/ql.md 7.1), and their replies.

use std::sync::Arc;

use polywire_doc::{Datum, Wanted};

use super::execution::Made;
use super::operand::Named;
use super::project::resultset;
use super::run::{Own, Run};
use crate::backend::{Call, Opaque, Reply};
use crate::error::QueryError;
use crate::params::Params;
use crate::statement::StatementInfo;
use crate::syntax::ast::{Tail, VerbKind};
use crate::table::{Action, Table};

/// Arguments of a call, besides table and verb.
#[derive(Default)]
pub(super) struct Given<'g> {
    pub parameters: Named,
    pub limit: Option<u64>,
    pub offset: Option<u64>,
    pub tail: Tail,
    pub opaque: Option<Opaque<'g>>,
    pub parts: &'g [Datum],
}

/// Results of the calls of a verb.
pub(super) struct Results {
    /// Number of requests.
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
        let wanted = wanted.below(action.resultset.iter().map(String::as_str));
        let call = Call {
            table,
            action,
            params: &params,
            statement: info,
            limit: given.limit,
            offset: given.offset,
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
        let (mut results, mut failures) = (Vec::with_capacity(count), Vec::new());
        for reply in replies {
            self.work.hold(reply.bytes_in.saturating_sub(reply.bytes_skipped))?;
            let failure = reply.outcome.as_ref().err().map(|failure| failure.parts().message.clone());
            let uri = reply.uri.clone();
            self.record(Made {
                step: info.id as usize,
                table: table.name.clone(),
                method: reply.method,
                uri: reply.uri,
                status: reply.status,
                bytes_in: reply.bytes_in,
                bytes_skipped: reply.bytes_skipped,
                elapsed: reply.elapsed,
                cached: reply.cached,
                retries: reply.retries,
                failure,
            });
            match reply.outcome {
                Ok(body) => results.push(Some(resultset(body, &action.resultset))),
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
        if results.is_empty() {
            let mut failures = failures.into_iter();
            let Some(mut first) = failures.next() else { return Ok(Results { asked: count, each: results }) };
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
        Ok(Results { asked: count, each: results })
    }
}
