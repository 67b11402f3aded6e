//! Parts of a result that are known before all statements are done.

use std::sync::Arc;

use super::model::{Outcome, Plan, StepWork};
use super::operation::{Operation, Origin};
use crate::path::JsonPath;
use crate::template::value::ValueTemplate;

impl Plan {
    /// Returns the members of the returned object that are whole variables: the name of the member,
    /// and that of the variable. Such a member is known as soon as the variable is set, since one
    /// step alone sets it and none changes it.
    pub fn parts(&self) -> Vec<(Arc<str>, Arc<str>)> {
        let Outcome::Step(result) = self.result else { return Vec::new() };
        let StepWork::Statement(operations) = &self.steps[result].work else { return Vec::new() };
        let [Operation::Value(ValueTemplate::Object(members))] = &operations[..] else { return Vec::new() };
        let whole = |value: &ValueTemplate| match value {
            ValueTemplate::Reference(reference) if !reference.condition => {
                reference.known().filter(|(_, path)| **path == JsonPath::default()).map(|(name, _)| name.to_owned())
            }
            _ => None,
        };
        let named = members.iter().filter_map(|(member, value)| Some((member.clone(), Arc::from(whole(value)?))));
        named.filter(|(_, variable)| self.is_set_once(variable)).collect()
    }

    fn is_set_once(&self, variable: &str) -> bool {
        let sets = self.steps.iter().filter(|step| step.info.name.as_deref() == Some(variable)).count();
        let changes = |operation: &Operation| {
            let origin = match operation {
                Operation::Insert(insert) => &insert.into,
                Operation::Update(update) => &update.origin,
                Operation::Delete(delete) => &delete.from,
                _ => return false,
            };
            matches!(origin, Origin::Variable(name) if **name == *variable)
        };
        let is_changed = self.steps.iter().any(|step| match &step.work {
            StepWork::Statement(operations) => operations.iter().any(changes),
            _ => false,
        });
        sets == 1 && !is_changed
    }
}

#[cfg(test)]
mod tests {
    use polywire_core::text::diagnostic::Source;
    use polywire_doc::Datum;

    use super::*;

    #[test]
    fn members_that_are_whole_variables() {
        for (script, expected) in [
            (r#"a = select * from t; b = select * from u; return {"x": "{a}", "y": "{b}", "z": 1}"#, &[("x", "a"), ("y", "b")][..]),
            (r#"a = select * from t; return {"x": "{a.b}", "y": ["{a}"]}"#, &[]),
            (r#"a = select * from t; return "{a}""#, &[]),
            (r#"return select * from t"#, &[]),
            (r#"a = [1]; insert into a (x) values (1); return {"x": "{a}"}"#, &[]),
            (r#"return {"x": "{q}"}"#, &[]),
        ] {
            let plan = Plan::new(&Source::new("script", script), &Datum::Null, None).unwrap();
            let found = plan.parts();
            let found: Vec<(&str, &str)> = found.iter().map(|(member, variable)| (&**member, &**variable)).collect();
            assert_eq!(found, expected, "{script}");
        }
    }
}
