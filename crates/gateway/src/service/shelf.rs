//! What the verbs of tables need, kept from call to call.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use http::HeaderValue;
use polywire_hooks::{Patch, Transformer};
use polywire_ql::failure::Failure;
use polywire_ql::syntax::ast::VerbKind;
use polywire_ql::table::Table;
use polywire_ql::template::uri::UriTemplate;

use super::looked::Looked;
use crate::decode::Decoder;

/// What one verb of a table needs.
pub(super) struct Prepared {
    /// How its replies are read.
    pub decoder: Decoder,
    /// What reads its replies instead, if one is registered for the table.
    pub transformer: Option<Transformer>,
    /// What the request says that it accepts.
    pub accept: HeaderValue,
    /// Its hooks.
    pub patch: Option<Patch>,
    /// How many calls of hooks a request needs at least, before it goes out.
    pub hooks_before: usize,
    /// What the hooks look at in replies.
    pub looked: Looked,
    /// The file of its body template, below the table directory.
    pub template: Option<String>,
    /// What it says, if it is that of a form; or why it cannot be used.
    pub form: Option<Result<UriTemplate, Failure>>,
    /// Its authentication module, below the table directory.
    pub auth: Option<String>,
}

/// What was prepared, by table and verb.
#[derive(Default)]
pub(super) struct Shelf(RwLock<HashMap<(Arc<str>, VerbKind), Kept>>);

/// A prepared verb, and the table that it was prepared for: another may have its name by now.
type Kept = (Arc<Table>, Arc<Prepared>);

impl Shelf {
    /// Returns what is kept for a verb of `table`.
    pub fn get(&self, table: &Arc<Table>, verb: VerbKind) -> Option<Arc<Prepared>> {
        let kept = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let (known, prepared) = kept.get(&(table.name.clone(), verb))?;
        Arc::ptr_eq(known, table).then(|| prepared.clone())
    }

    /// Keeps what a verb of `table` needs.
    pub fn put(&self, table: &Arc<Table>, verb: VerbKind, prepared: Arc<Prepared>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert((table.name.clone(), verb), (table.clone(), prepared));
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
