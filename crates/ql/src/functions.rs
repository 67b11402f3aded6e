//! User functions (specification 7.8), whatever they are written in.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use polywire_doc::Datum;

use crate::failure::Failure;

/// Loads modules of user functions.
pub trait Functions: Send + Sync {
    /// The module that `require(path)` names.
    ///
    /// # Errors
    /// There is none, or it cannot be loaded.
    fn load<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Arc<dyn Module>, Failure>>;
}

/// A module of functions.
pub trait Module: Send + Sync {
    /// Calls a function with values. `None` is undefined.
    ///
    /// # Errors
    /// There is no such function, or it failed.
    fn call<'a>(&'a self, function: &'a str, arguments: Vec<Option<Datum>>) -> BoxFuture<'a, Result<Option<Datum>, Failure>>;

    /// Asks a function about a row: `None` drops it, else it is replaced by what comes back.
    ///
    /// # Errors
    /// There is no such function, or it failed.
    fn row<'a>(&'a self, function: &'a str, row: Row, arguments: Vec<Option<Datum>>) -> BoxFuture<'a, Result<Option<Datum>, Failure>>;
}

/// What a function is asked about.
#[derive(Debug, Clone)]
pub struct Row {
    /// The row.
    pub row: Datum,
    /// All rows as they were before the function.
    pub rows: Datum,
    /// Which of them it is, from 0.
    pub index: usize,
}

/// There are none.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFunctions;

impl Functions for NoFunctions {
    fn load<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Arc<dyn Module>, Failure>> {
        Box::pin(async move { Err(Failure::new("no_functions", format!("module {path:?}: user functions are not available here"))) })
    }
}
