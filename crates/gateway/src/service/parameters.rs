//! Parameters become the value of an encoded body.

use std::sync::Arc;

use http::HeaderMap;
use polywire_doc::{Datum, Object};
use polywire_hooks::{Body, Content};
use polywire_ql::error::QueryError;
use polywire_ql::table::Action;
use polywire_ql::template::Lookup;

use super::rpc::{CONNECT_MESSAGE, Rpc};
use crate::decode::Offer;

/// Returns an object of the statement's conditions or values, then of the table's defaults.
///
/// Parameters that the URI carries are left out. So are limit and offset, unless the table names
/// them. A name with dots is a member of an object; null is left out.
pub(super) fn value(action: &Action, named: &[(Arc<str>, Datum)], changed: Option<&Datum>, values: &dyn Lookup) -> Datum {
    let in_statement = named.iter().map(|(name, value)| {
        let changed = changed.and_then(|changed| changed.view().get(name)).map(|value| value.to_datum());
        (name, Some(changed.unwrap_or_else(|| value.clone())))
    });
    let defaults = action.defaults.iter().map(|(name, _)| name).filter(|name| !named.iter().any(|(known, _)| known == *name));
    let in_table = defaults.map(|name| (name, values.lookup(name)));
    let is_paging = |name: &str| (name == "limit" && *action.limit == *name) || (name == "offset" && *action.offset == *name);
    let mut all = Object::default();
    for (name, value) in in_statement.chain(in_table) {
        if let Some(value) = value.filter(|value| !value.view().is_null() && !action.carries(name) && !is_paging(name)) {
            insert(&mut all, name, value);
        }
    }
    Datum::from(all)
}

/// Sets a member of a member, by names joined by dots.
fn insert(object: &mut Object, name: &str, value: Datum) {
    let Some((first, rest)) = name.split_once('.') else { return object.insert(name, value) };
    let mut inner = match object.get(first) {
        Some(Datum::Object(inner)) => inner.clone(),
        _ => Object::default(),
    };
    insert(&mut inner, rest, value);
    object.insert(first, Datum::from(inner));
}

/// Writes a value as a body of a request with `headers`.
///
/// # Errors
/// The format or its schema has no place for the value.
pub(super) fn encode(encoder: &Offer, value: &Datum, headers: &HeaderMap) -> Result<Body, QueryError> {
    let written = encoder.write(value).map_err(|error| {
        QueryError::new("bad_parameter", format!("the parameters are no request of this table: {error}"))
            .hint("give those that the table's schema has, of its types")
    })?;
    // Connect has names of its own.
    let is_message = Rpc::of(headers) == Some(Rpc::Connect) && !encoder.is_json();
    let media_type = if is_message { CONNECT_MESSAGE.to_owned() } else { written.content_type };
    Ok(Body { content: Content::Bytes(written.bytes), media_type: Some(media_type) })
}
