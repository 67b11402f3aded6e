//! User functions (docs/spec/ql.md 7.8), in whatever language they are written.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use polywire_doc::Datum;

use crate::error::QueryError;

/// A loader of modules of user functions.
pub trait Functions: Send + Sync {
    /// Loads the module that `require(path)` names.
    ///
    /// # Errors
    /// The module is missing, or does not load.
    fn load<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Arc<dyn Module>, QueryError>>;
}

/// A module of functions.
pub trait Module: Send + Sync {
    /// Calls a function with values. `None` is undefined.
    ///
    /// # Errors
    /// The function is missing, or it failed.
    fn call<'a>(&'a self, function: &'a str, arguments: Vec<Option<Datum>>) -> BoxFuture<'a, Result<Option<Datum>, QueryError>>;

    /// Calls a function for a row. Returns the value that replaces the row; `None` drops it.
    ///
    /// # Errors
    /// The function is missing, or it failed.
    fn row<'a>(&'a self, function: &'a str, row: Row, arguments: Vec<Option<Datum>>) -> BoxFuture<'a, Result<Option<Datum>, QueryError>>;
}

/// The row that a function is called for.
#[derive(Debug, Clone)]
pub struct Row {
    /// The row.
    pub row: Datum,
    /// All rows as they were before the function.
    pub rows: Datum,
    /// Index of the row, from 0.
    pub index: usize,
}

/// Functions of an environment that has none.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFunctions;

impl Functions for NoFunctions {
    fn load<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Arc<dyn Module>, QueryError>> {
        Box::pin(async move { Err(QueryError::new("no_functions", format!("module {path:?}: user functions are not available here"))) })
    }
}
