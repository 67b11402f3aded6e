//! Values of variables, members and references.

use std::sync::Arc;

use polywire_doc::Datum;

use super::run::Run;
use crate::error::QueryError;
use crate::functions::Module;
use crate::plan::{Call, Member};
use crate::statement::StatementInfo;
use crate::template::reference::{Reference, Variables};

impl Run<'_> {
    /// Returns the module that a variable holds.
    pub(super) fn module_of(&self, call: &Call) -> Result<Arc<dyn Module>, QueryError> {
        self.module(&call.module).ok_or_else(|| {
            QueryError::new("no_module", format!("`{}` holds no module of functions", call.module))
                .hint("load one: name = require(\"path\")")
        })
    }

    /// Returns the value of a member; `None` if undefined.
    pub(super) fn member(&self, member: &Member) -> Result<Option<Datum>, QueryError> {
        match member {
            Member::Constant(value) => Ok(Some(value.clone())),
            Member::Reference(reference, text) => {
                if let (Some(text), Some((name, _))) = (text, reference.known())
                    && self.variable(name).is_none()
                {
                    return Ok(Some(text.clone()));
                }
                Ok(reference.resolve(self, &self.work)?)
            }
        }
    }

    /// Returns whether all references have a value that a statement needs; warns if not.
    pub(super) fn has_all(&self, needed: &[Reference], info: &StatementInfo) -> Result<bool, QueryError> {
        for reference in needed {
            let value = reference.resolve(self, &self.work)?;
            if value.is_none_or(|value| value.view().is_null()) {
                let names = reference.variables().join(", ");
                self.warn(info.line, format!("the {} is skipped, since {names} has no value", info.kind), None);
                return Ok(false);
            }
        }
        Ok(true)
    }
}
