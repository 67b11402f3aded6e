//! The needs of tables' verbs, kept from call to call.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use http::HeaderValue;
use polywire_hooks::{Patch, Transformer};
use polywire_ql::error::QueryError;
use polywire_ql::syntax::ast::VerbKind;
use polywire_ql::table::Table;
use polywire_ql::template::uri::UriTemplate;

use super::looked::Looked;
use super::soap::Soap;
use crate::decode::{Decoder, Offer};

/// The needs of one verb of a table.
pub(super) struct Prepared {
    /// Reads its replies.
    pub decoder: Decoder,
    /// Reads its replies instead, if one is registered for the table.
    pub transformer: Option<Transformer>,
    /// The value of `Accept`.
    pub accept: HeaderValue,
    /// Its hooks.
    pub patch: Option<Patch>,
    /// The least number of hooks' calls before a request is sent.
    pub hooks_before: usize,
    /// The places of replies that its hooks look at.
    pub looked: Looked,
    /// The file of its body template, below the table directory.
    pub template: Option<String>,
    /// The text of a form's template, or the reason why it cannot be used.
    pub form: Option<Result<UriTemplate, QueryError>>,
    /// Writes its parameters as bodies.
    pub encoder: Option<Offer>,
    /// The envelope of its requests and replies.
    pub soap: Option<Soap>,
    /// Its authentication module, below the table directory.
    pub auth: Option<String>,
}

/// Prepared verbs, by table and verb.
#[derive(Default)]
pub(super) struct Shelf(RwLock<HashMap<(Arc<str>, VerbKind), Kept>>);

/// A prepared verb, and the table that it was prepared for: another may have its name by now.
type Kept = (Arc<Table>, Arc<Prepared>);

impl Shelf {
    /// Returns the prepared `verb` of `table`.
    pub fn get(&self, table: &Arc<Table>, verb: VerbKind) -> Option<Arc<Prepared>> {
        let kept = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let (known, prepared) = kept.get(&(table.name.clone(), verb))?;
        Arc::ptr_eq(known, table).then(|| prepared.clone())
    }

    /// Keeps a prepared verb of `table`.
    pub fn put(&self, table: &Arc<Table>, verb: VerbKind, prepared: Arc<Prepared>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert((table.name.clone(), verb), (table.clone(), prepared));
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
