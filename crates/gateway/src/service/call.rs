//! One call of a table's verb, and the facts that hooks get about it.

use std::sync::{Arc, LazyLock};

use http::HeaderMap;
use polywire_doc::Datum;
use polywire_hooks::Record;
use polywire_ql::backend::Call;

use super::session::Session;
use super::shelf::Prepared;
use crate::exchange::message::Request;

/// One call of a table's verb, under way.
pub(super) struct TableCall<'t> {
    pub session: &'t Session<'t>,
    pub call: &'t Call<'t>,
    pub prepared: &'t Arc<Prepared>,
    /// The statement, as hooks see it; null where there are none.
    pub statement: Datum,
}

/// A request that is ready, and the parameters that it was made of.
pub(super) struct Ready {
    pub request: Request,
    /// As hooks left them; none if there are no hooks.
    pub params: Option<Datum>,
    /// The number of values in the parameter that takes several, if there is one; else 1.
    pub values: usize,
}

impl<'t> TableCall<'t> {
    pub fn new(session: &'t Session<'t>, call: &'t Call<'t>, prepared: &'t Arc<Prepared>) -> TableCall<'t> {
        let statement = if prepared.patch.is_some() || prepared.template.is_some() { statement(call) } else { Datum::Null };
        TableCall { session, call, prepared, statement }
    }

    /// Returns true if somebody looks at all parameters at once.
    pub fn needs_params(&self) -> bool {
        self.prepared.patch.is_some() || self.prepared.template.is_some() || self.prepared.auth.is_some()
    }

    /// Returns the facts that every hook gets.
    pub fn record(&self, params: Option<&Datum>) -> Record {
        record(&self.statement, params)
    }
}

/// Returns the facts that every hook gets: the statement, and the parameters.
pub(super) fn record(statement: &Datum, params: Option<&Datum>) -> Record {
    Record { statement: statement.clone(), params: params.cloned().unwrap_or_default(), log: None }
}

/// Names of the members of a statement, shared by all statements.
static MEMBERS: LazyLock<[Arc<str>; 7]> = LazyLock::new(|| ["line", "id", "type", "text", "table", "limit", "offset"].map(Arc::from));

/// Returns the statement of a call, as hooks see it.
fn statement(call: &Call<'_>) -> Datum {
    let values = [
        Some(Datum::UInt(call.statement.line.into())),
        Some(Datum::UInt(call.statement.id.into())),
        Some(Datum::from(call.statement.kind)),
        Some(Datum::Text(call.statement.text.clone())),
        Some(Datum::Text(call.table.name.clone())),
        // Patches of the original compute the number of a page from these.
        call.limit.map(Datum::UInt),
        call.offset.map(Datum::UInt),
    ];
    Datum::object(MEMBERS.iter().zip(values).filter_map(|(name, value)| Some((name.clone(), value?))))
}

/// Returns names and values of headers, for hooks.
pub(super) fn pairs(headers: &HeaderMap) -> Vec<(String, String)> {
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())).collect()
}
