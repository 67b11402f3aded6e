//! Statements with their fallbacks (docs/spec/ql.md 6.4), values, and user functions outside of
//! where clauses (docs/spec/ql.md 7.8).

use std::sync::Arc;

use polywire_doc::Datum;

use super::run::Run;
use crate::error::QueryError;
use crate::functions::Module;
use crate::observe::Event;
use crate::plan::{Argument, Call, Operation};
use crate::statement::StatementInfo;
use crate::template::reference::Reference;

/// The product of a step.
pub(super) enum Product {
    Value(Option<Datum>),
    Module(Arc<dyn Module>),
}

/// The product of a step, and the index of the alternative that made it.
pub(super) type StepResult = Result<(Product, usize), QueryError>;

impl Run<'_> {
    /// Returns the value of the first alternative that has one, else the outcome of the last.
    pub(super) async fn statement(&self, operations: &[Operation], info: &StatementInfo) -> StepResult {
        let mut outcome = Ok((Product::Value(None), 0));
        for (n, operation) in operations.iter().enumerate() {
            outcome = self.operation(operation, info).await.map(|product| (product, n)).map_err(|failure| failure.at(info, None));
            let last = n + 1 == operations.len();
            match &outcome {
                Ok((Product::Value(value), _)) if value.as_ref().is_none_or(|value| value.view().is_null()) => {}
                Ok(_) => break,
                Err(failure) if !last => {
                    self.environment.observer.event(&Event::Error(info, failure));
                    self.warn(info.line, format!("a fallback is taken: {}", failure.parts().message), Some(failure.clone()));
                }
                Err(_) => {}
            }
        }
        outcome
    }

    async fn operation(&self, operation: &Operation, info: &StatementInfo) -> Result<Product, QueryError> {
        let value = match operation {
            Operation::Value(template) => template.fill(self, &self.work)?,
            Operation::Require(path) => return self.environment.functions.load(path).await.map(Product::Module),
            Operation::Call(call) => self.call_once(call, info).await?,
            Operation::Select(select) => self.select(select, info).await?,
            Operation::Insert(insert) => self.insert(insert, info).await?,
            Operation::Update(update) => self.update(update, info).await?,
            Operation::Delete(delete) => self.delete(delete, info).await?,
            Operation::Create(table) => {
                self.add_table(table);
                Some(Datum::object([("message", Datum::from("ok"))]))
            }
            Operation::ShowTables => Some(self.show_tables()),
            Operation::ShowRoutes => Some(self.show_routes()),
            Operation::Describe(name) => Some(self.describe_table(name)?),
            Operation::DescribeRoute { path, method } => Some(self.describe_route(path, method)?),
        };
        Ok(Product::Value(value))
    }

    /// Calls a function once. If it fails, the value is undefined, with a warning.
    async fn call_once(&self, call: &Call, info: &StatementInfo) -> Result<Option<Datum>, QueryError> {
        let module = self.module_of(call)?;
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            arguments.push(match argument {
                Argument::Value(template) => template.fill(self, &self.work)?,
                Argument::Path(path, _) => match Reference::at(path) {
                    Some(reference) => reference.resolve(self, &self.work)?,
                    None => None,
                },
            });
        }
        match module.call(&call.function, arguments).await {
            Ok(value) => Ok(value),
            Err(failure) => {
                let failure = failure.at(info, None);
                self.warn(info.line, format!("the function {}.{} failed", call.module, call.function), Some(failure));
                Ok(None)
            }
        }
    }
}
