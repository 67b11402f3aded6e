//! Calls of tables (specification 7.1): parameters, and what comes back.

use std::sync::Arc;

use futures_util::future::{BoxFuture, try_join_all};
use polywire_doc::{Datum, Ref, Wanted};

use super::Made;
use super::project::resultset;
use super::run::{Own, Run};
use crate::backend::{Call, Opaque, Reply, StatementInfo};
use crate::failure::Failure;
use crate::params::Params;
use crate::plan::{Condition, Operand};
use crate::syntax::ast::{Tail, VerbKind};
use crate::table::{Action, Table};

/// Values by name.
pub(super) type Named = Vec<(Arc<str>, Datum)>;

/// What a call is made of, besides table and verb.
#[derive(Default)]
pub(super) struct Given<'g> {
    pub parameters: Named,
    pub limit: Option<u64>,
    pub offset: Option<u64>,
    pub tail: Tail,
    pub opaque: Option<Opaque<'g>>,
    pub parts: &'g [Datum],
}

/// What calls of a verb came to.
pub(super) struct Results {
    /// How many requests were made.
    pub asked: usize,
    /// The result set of each that did not fail, in order.
    pub each: Vec<Option<Datum>>,
}

impl Run<'_> {
    /// A table with one of its verbs.
    pub(super) fn verb(&self, name: &str, verb: VerbKind) -> Result<Arc<Table>, Failure> {
        let Some(table) = self.table(name) else {
            return Err(Failure::new("no_such_table", format!("No such table {name}")).hint("show tables lists those that there are"));
        };
        if table.action(verb).is_none() {
            return Err(Failure::new("no_such_verb", format!("Table {name} does not support {}", verb.name()))
                .hint(format!("describe {name} says what it supports")));
        }
        Ok(table)
    }

    /// The values of conditions by name, inner selects at the same time. The last of one name counts; what is undefined is no parameter.
    pub(super) async fn parameters<'c>(&self, conditions: &'c [Condition], info: &StatementInfo) -> Result<Named, Failure> {
        let member = |condition: &'c Condition| match &condition.operand {
            Operand::One(member) => Some(member),
            _ => None,
        };
        let values = match conditions.iter().map(member).collect::<Option<Vec<_>>>() {
            // Nothing to wait for.
            Some(members) => members.into_iter().map(|member| self.member(member)).collect::<Result<Vec<_>, _>>()?,
            None => try_join_all(conditions.iter().map(|condition| self.operand(&condition.operand, info))).await?,
        };
        let mut named = Named::new();
        for (condition, value) in conditions.iter().zip(values) {
            let Some(value) = value else { continue };
            match named.iter_mut().find(|(name, _)| *name == condition.name) {
                Some((_, known)) => *known = value,
                None => named.push((condition.name.clone(), value)),
            }
        }
        Ok(named)
    }

    /// The value of an operand: of several, a list.
    pub(super) fn operand<'s>(&'s self, operand: &'s Operand, info: &'s StatementInfo) -> BoxFuture<'s, Result<Option<Datum>, Failure>> {
        Box::pin(async move {
            match operand {
                Operand::One(member) => self.member(member),
                Operand::Among(members) => {
                    let most = self.environment.limits.nested_requests;
                    if members.len() > most {
                        let message = format!("of the {} members of a list only {most} are used, which is the limit", members.len());
                        self.warn(info.line, message, None);
                    }
                    let mut values = Vec::new();
                    for member in members.iter().take(most) {
                        let Some(value) = self.member(member)? else { continue };
                        let view = value.view();
                        self.work.spend(1 + view.len() as u64)?;
                        if view.is_list() { values.extend(view.items().map(Ref::to_datum)) } else { values.push(value) }
                    }
                    Ok(Some(Datum::from(values)))
                }
                Operand::Select(select) => {
                    let rows = self.select(select, info).await?;
                    Ok(rows.map(|rows| if rows.view().is_list() { rows } else { Datum::list([rows]) }))
                }
            }
        })
    }

    /// Calls a verb: what its result set is in each reply. Of several replies those that failed are left out, with a warning; if all failed, or the only
    /// one did, the call fails.
    pub(super) async fn call(
        &self,
        table: &Arc<Table>,
        action: &Action,
        mut given: Given<'_>,
        wanted: &Wanted,
        info: &StatementInfo,
    ) -> Result<Results, Failure> {
        self.count_call()?;
        for (name, count) in [(&action.limit, given.limit), (&action.offset, given.offset)] {
            if let Some(count) = count {
                given.parameters.retain(|(known, _)| known != name);
                given.parameters.push((name.clone(), Datum::UInt(count)));
            }
        }
        let own = Own(self);
        let params = Params {
            statement: given.parameters,
            variables: &own,
            request: self.environment.request,
            action,
            config: self.environment.config,
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
            allowed: self.environment.limits.fan_out,
            observer: self.environment.observer,
        };
        let replies = self.environment.backend.call(call).await.map_err(|failure| failure.at(info, Some(&table.name)))?;
        self.collect(replies, table, action, info)
    }

    fn collect(&self, replies: Vec<Reply>, table: &Arc<Table>, action: &Action, info: &StatementInfo) -> Result<Results, Failure> {
        if replies.is_empty() {
            return Ok(Results { asked: 0, each: vec![Some(Datum::object::<&str>([]))] });
        }
        let count = replies.len();
        let (mut results, mut failures) = (Vec::with_capacity(count), Vec::new());
        for reply in replies {
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
