//! User functions (docs/spec/ql.md 7.8): modules below the table directory.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use polywire_doc::Datum;
use polywire_hooks::{Hooks, Row as Answered};
use polywire_ql::error::QueryError;
use polywire_ql::functions::{Functions, Module, Row};

use super::problem;

/// Modules that hooks can load.
pub(super) struct Modules(pub Hooks);

struct Loaded {
    hooks: Hooks,
    path: Arc<str>,
}

impl Functions for Modules {
    fn load<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Arc<dyn Module>, QueryError>> {
        async move {
            self.0.functions(path).await.map_err(problem::of_hook)?;
            Ok(Arc::new(Loaded { hooks: self.0.clone(), path: path.into() }) as Arc<dyn Module>)
        }
        .boxed()
    }
}

impl Module for Loaded {
    fn call<'a>(&'a self, function: &'a str, arguments: Vec<Option<Datum>>) -> BoxFuture<'a, Result<Option<Datum>, QueryError>> {
        async move { self.hooks.apply(&self.path, function, arguments, None).await.map_err(problem::of_hook) }.boxed()
    }

    fn row<'a>(&'a self, function: &'a str, row: Row, arguments: Vec<Option<Datum>>) -> BoxFuture<'a, Result<Option<Datum>, QueryError>> {
        async move {
            let given = (row.row.clone(), row.rows, row.index);
            let asked = self.hooks.apply_to_row(&self.path, function, given, arguments, None).await;
            Ok(match asked.map_err(problem::of_hook)? {
                Answered::Same => Some(row.row),
                Answered::Replaced(value) => Some(value),
                Answered::Dropped => None,
            })
        }
        .boxed()
    }
}
