//! The parts of a reply that are looked at: readers may skip all others.

use std::sync::Arc;

use polywire_doc::Wanted;

use super::model::{Outcome, Plan, StepWork};
use super::operation::{Argument, Call, ColumnPath, Columns, Condition, From, Inserted, Member, Operand, Operation, Origin, Select};
use crate::path::JsonPath;
use crate::syntax::ast::Logic;
use crate::template::reference::Reference;

/// Returns the parts of rows of one side of a select that are looked at: to show `columns`, to call
/// `functions`, and to join by `keys`.
pub(super) fn of_rows(columns: &Columns, functions: &[Call], keys: &[&JsonPath], second: bool) -> Wanted {
    let Columns::These(columns) = columns else { return Wanted::everything() };
    let mut wanted = Wanted::nothing();
    for column in columns {
        match &column.path {
            ColumnPath::Known(path) if column.second == second => add(&mut wanted, path),
            ColumnPath::Known(_) | ColumnPath::Function(_) => {}
            ColumnPath::Made(_) => return Wanted::everything(),
        }
    }
    for argument in functions.iter().flat_map(|call| &call.arguments) {
        if let Argument::Path(path, of_second) = argument
            && *of_second == second
        {
            add(&mut wanted, path);
        }
    }
    keys.iter().for_each(|path| add(&mut wanted, path));
    wanted
}

/// Adds the parts that a path looks at.
pub(super) fn add(wanted: &mut Wanted, path: &JsonPath) {
    path.reads().into_iter().for_each(|names| wanted.add(names));
}

/// Narrows `select *` from tables and files to the parts that the script looks at later. All of
/// these must be known.
pub(super) fn narrow(plan: &mut Plan) {
    let mut narrowed = Vec::new();
    for (n, step) in plan.steps.iter().enumerate() {
        if !stars(&step.work).is_empty()
            && let Some(name) = &step.info.name
            && plan.result != Outcome::Step(n)
            && let Some(wanted) = uses(plan, n, name)
        {
            narrowed.push((n, wanted));
        }
    }
    for (n, wanted) in narrowed {
        if let StepWork::Statement(operations) = &mut plan.steps[n].work {
            for operation in operations {
                if let Operation::Select(select) = operation
                    && is_star(select)
                {
                    let mut wanted = wanted.clone();
                    if matches!(select.from.origin, Origin::File(_)) {
                        select.from.conditions.iter().for_each(|condition| add(&mut wanted, &condition.path));
                    }
                    select.from.narrowed = Some(wanted);
                }
            }
        }
    }
}

/// Finds the selects from tables whose columns nobody looks into: they are the result of the
/// script, and nothing else.
pub(super) fn write(plan: &mut Plan) {
    let Outcome::Step(n) = plan.result else { return };
    let Some(step) = plan.steps.get_mut(n).filter(|step| step.info.name.is_none()) else { return };
    let StepWork::Statement(operations) = &mut step.work else { return };
    for operation in operations {
        if let Operation::Select(select) = operation
            && let (Origin::Table(_), None, true) = (&select.from.origin, &select.join, select.functions.is_empty())
        {
            select.from.written = written(&select.columns);
        }
    }
}

/// Returns the parts for columns that are only written. Returns `None` if one column is within
/// another, or is no path of names.
fn written(columns: &Columns) -> Option<Wanted> {
    let Columns::These(columns) = columns else { return None };
    let mut paths: Vec<Vec<&str>> = Vec::with_capacity(columns.len());
    for column in columns {
        match &column.path {
            ColumnPath::Known(path) => paths.push(path.names()?),
            ColumnPath::Function(_) => {}
            ColumnPath::Made(_) => return None,
        }
    }
    let lies_within = |n: usize, path: &[&str]| paths.iter().enumerate().any(|(m, other)| n != m && path.starts_with(other));
    if paths.iter().enumerate().any(|(n, path)| lies_within(n, path)) {
        return None;
    }
    let mut wanted = Wanted::nothing();
    paths.into_iter().for_each(|path| wanted.write(path));
    Some(wanted)
}

fn is_star(select: &Select) -> bool {
    let origin = &select.from.origin;
    matches!((&select.columns, origin, &select.join), (Columns::All, Origin::Table(_) | Origin::File(_), None))
        && select.functions.is_empty()
}

fn stars(work: &StepWork) -> Vec<&Select> {
    let StepWork::Statement(operations) = work else { return Vec::new() };
    let mut found = Vec::new();
    for operation in operations {
        if let Operation::Select(select) = operation
            && is_star(select)
        {
            found.push(&**select);
        }
    }
    found
}

/// Returns the parts of the variable `name` that other steps look at; `None` if that is unknown.
fn uses(plan: &Plan, maker: usize, name: &Arc<str>) -> Option<Wanted> {
    let mut uses = Uses { name, wanted: Wanted::nothing() };
    for (n, step) in plan.steps.iter().enumerate() {
        if n == maker {
            continue;
        }
        match &step.work {
            StepWork::Statement(operations) => operations.iter().try_for_each(|operation| uses.operation(operation))?,
            StepWork::Decide(logic) => uses.logic(logic),
            StepWork::Throw => {}
        }
    }
    if let Some(route) = &plan.route
        && route.headers.iter().any(|(name, value)| name.roots().into_iter().chain(value.roots()).any(|root| root == &**uses.name))
    {
        return None;
    }
    (!uses.wanted.is_everything()).then_some(uses.wanted)
}

struct Uses<'a> {
    name: &'a Arc<str>,
    wanted: Wanted,
}

impl Uses<'_> {
    fn logic(&mut self, _: &Logic) {
        // The truth of a variable needs nothing below it.
    }

    fn reference(&mut self, reference: &Reference) -> Option<()> {
        let (name, path) = reference.known()?;
        if name == &**self.name {
            if path.steps.is_empty() {
                return None;
            }
            add(&mut self.wanted, path);
        }
        Some(())
    }

    fn references(&mut self, value: &crate::template::value::ValueTemplate) -> Option<()> {
        let mut references = Vec::new();
        value.references(&mut references);
        references.into_iter().try_for_each(|reference| self.reference(reference))
    }

    fn member(&mut self, member: &Member) -> Option<()> {
        match member {
            Member::Constant(_) => Some(()),
            Member::Reference(reference, _) => self.reference(reference),
        }
    }

    fn call(&mut self, call: &Call, in_where: bool) -> Option<()> {
        for argument in &call.arguments {
            match argument {
                Argument::Value(value) => self.references(value)?,
                Argument::Path(path, _) if !in_where => self.reference(&Reference::at(path)?)?,
                Argument::Path(..) => {}
            }
        }
        Some(())
    }

    /// Gives up if the origin is the variable itself.
    fn not(&self, origin: &Origin) -> Option<()> {
        (*origin != Origin::Variable(self.name.clone())).then_some(())
    }

    fn operation(&mut self, operation: &Operation) -> Option<()> {
        match operation {
            Operation::Value(value) => self.references(value),
            Operation::Call(call) => self.call(call, false),
            Operation::Select(select) => self.select(select),
            Operation::Insert(insert) => {
                self.not(&insert.into)?;
                match &insert.what {
                    Inserted::Object(member) | Inserted::Opaque(member) => self.member(member)?,
                    Inserted::Values(values) => values.iter().try_for_each(|(_, member)| self.member(member))?,
                    Inserted::Body => {}
                }
                insert.parts.iter().try_for_each(|member| self.member(member))
            }
            Operation::Update(update) => {
                self.not(&update.origin)?;
                self.member(&update.object)
            }
            Operation::Delete(delete) => {
                self.not(&delete.from)?;
                delete.functions.iter().try_for_each(|call| self.call(call, true))?;
                self.conditions(&delete.conditions)
            }
            _ => Some(()),
        }
    }

    fn select(&mut self, select: &Select) -> Option<()> {
        for from in select.sides() {
            self.from(from)?;
        }
        if let Some(join) = &select.join
            && join.from.origin == Origin::Variable(self.name.clone())
        {
            join.equations.iter().for_each(|(_, second, _)| add(&mut self.wanted, second));
        }
        if let Columns::These(columns) = &select.columns
            && columns.iter().any(|column| matches!(column.path, ColumnPath::Made(_)))
        {
            return None;
        }
        select.functions.iter().try_for_each(|call| self.call(call, true))
    }

    fn from(&mut self, from: &From) -> Option<()> {
        if from.origin == Origin::Variable(self.name.clone()) {
            self.wanted.merge(&from.wanted);
            from.conditions.iter().for_each(|condition| add(&mut self.wanted, &condition.path));
        }
        self.conditions(&from.conditions)
    }

    fn conditions(&mut self, conditions: &[Condition]) -> Option<()> {
        for condition in conditions {
            match &condition.operand {
                Operand::One(member) => self.member(member)?,
                Operand::Among(members) => members.iter().try_for_each(|member| self.member(member))?,
                Operand::Select(select) => self.select(select)?,
            }
        }
        Some(())
    }
}
