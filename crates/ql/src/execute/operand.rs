//! Values that conditions compare with (docs/spec/ql.md 7.1, 7.3). An operand may be a select,
//! whose conditions have operands: `operand`, `select`, `join` and `condition` are one recursion.

use std::sync::Arc;

use futures_util::future::{BoxFuture, try_join_all};
use polywire_doc::{Datum, Ref};

use super::run::Run;
use crate::error::QueryError;
use crate::plan::{Condition, Operand};
use crate::statement::StatementInfo;
use crate::table::Action;

/// Values by name.
pub(super) type Named = Vec<(Arc<str>, Datum)>;

impl Run<'_> {
    /// Returns the values of conditions on a verb by name; inner selects run at the same time. The
    /// last condition of a name counts. Undefined values are left out.
    pub(super) async fn parameters<'c>(
        &self,
        action: &Action,
        conditions: &'c [Condition],
        info: &StatementInfo,
    ) -> Result<Named, QueryError> {
        let member = |condition: &'c Condition| match &condition.operand {
            Operand::One(member) => Some(member),
            _ => None,
        };
        let values = match conditions.iter().map(member).collect::<Option<Vec<_>>>() {
            // Nothing to wait for.
            Some(members) => members.into_iter().map(|member| self.member(member)).collect::<Result<Vec<_>, _>>()?,
            None => {
                let nested = self.environment.limits.nested_requests;
                // The limit counts requests. A token without a number has the limit of ql.io.
                let many = |name: &str| action.several(name).map(|several| several.most).filter(|most| *most < usize::MAX);
                let most = |name: &str| many(name).map_or(nested, |most| nested.saturating_mul(most));
                try_join_all(conditions.iter().map(|condition| self.operand(&condition.operand, most(&condition.name), info))).await?
            }
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

    /// Returns the value of an operand; a list for several, `most` of those that are written.
    pub(super) fn operand<'s>(
        &'s self,
        operand: &'s Operand,
        most: usize,
        info: &'s StatementInfo,
    ) -> BoxFuture<'s, Result<Option<Datum>, QueryError>> {
        Box::pin(async move {
            match operand {
                Operand::One(member) => self.member(member),
                Operand::Among(members) => {
                    if members.len() > most {
                        let message = format!("of the {} members of a list only {most} are used, which is the limit", members.len());
                        self.warn(info.line, message, None);
                    }
                    let mut values = Vec::new();
                    for member in members.iter().take(most) {
                        let Some(value) = self.member(member)? else { continue };
                        let view = value.view();
                        self.work.spend(1 + view.len() as u64)?;
                        self.work.hold_slots(1 + view.len())?;
                        if view.is_list() { values.extend(view.items().map(only)) } else { values.push(value) }
                    }
                    Ok(Some(Datum::from(values)))
                }
                Operand::Select(select) => {
                    let rows = self.select(select, info).await?;
                    Ok(rows.map(|rows| match rows.view().is_list() {
                        // A join has rows of one, which stand for their values.
                        true if select.join.is_some() => Datum::list(rows.view().items().map(only)),
                        true => rows,
                        false => Datum::list([rows]),
                    }))
                }
            }
        })
    }
}

/// Returns the element of a list of one; other values unchanged.
fn only(value: Ref<'_>) -> Datum {
    match value.index(0) {
        Some(element) if value.is_list() && value.len() == 1 => element.to_datum(),
        _ => value.to_datum(),
    }
}
