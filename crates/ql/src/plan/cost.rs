//! The cost of a plan: the requests that it may make, known before it runs.

use super::model::{Plan, StepWork};
use super::operation::{Condition, Operand, Operation, Origin, Select};

impl Plan {
    /// Returns the most requests that an execution makes, where values may add `nested` of them to
    /// one answer. Each call of a table in the script counts once, also in fallbacks and inner
    /// selects.
    pub fn most_requests(&self, nested: usize) -> usize {
        let operations = self.steps.iter().filter_map(|step| match &step.work {
            StepWork::Statement(operations) => Some(operations),
            _ => None,
        });
        let calls: usize = operations.flatten().map(calls).sum();
        // Values of a template come from anywhere: what one call adds is not known before.
        if calls == 0 { 0 } else { calls.saturating_add(nested) }
    }
}

fn calls(operation: &Operation) -> usize {
    match operation {
        Operation::Select(select) => of_select(select),
        Operation::Insert(insert) => of_origin(&insert.into),
        Operation::Update(update) => of_origin(&update.origin),
        Operation::Delete(delete) => of_origin(&delete.from) + of_conditions(&delete.conditions),
        _ => 0,
    }
}

fn of_select(select: &Select) -> usize {
    select.sides().map(|from| of_origin(&from.origin) + of_conditions(&from.conditions)).sum()
}

fn of_origin(origin: &Origin) -> usize {
    usize::from(origin.is_table())
}

fn of_conditions(conditions: &[Condition]) -> usize {
    let inner = conditions.iter().filter_map(|condition| match &condition.operand {
        Operand::Select(select) => Some(of_select(select)),
        _ => None,
    });
    inner.sum()
}

#[cfg(test)]
mod tests {
    use polywire_core::text::diagnostic::Source;
    use polywire_doc::Datum;

    use super::*;

    #[test]
    fn each_call_counts_once_and_what_values_add() {
        for (script, most) in [
            ("a = [1, 2]; return select * from a", 0),
            ("return select * from t", 51),
            ("return select * from t where id in (1, 2, 3)", 51),
            ("return select * from t where id in (select id from u)", 52),
            ("return select t.a, u.b from t as t, u as u where t.a = u.a", 52),
            ("a = select * from t || select * from u; return insert into v (a) values (1)", 53),
            ("return delete from t where id in (select id from u)", 52),
        ] {
            let plan = Plan::new(&Source::new("script", script), &Datum::Null, None).unwrap();
            assert_eq!(plan.most_requests(50), most, "{script}");
        }
    }
}
