//! Admission of callers' scripts.

use http::HeaderMap;
use polywire_ql::error::QueryError;

use super::gateway::Gateway;
use crate::callers::identity::Identity;
use crate::directory::Directory;
use crate::secrets::same;

/// Admits a caller who may send scripts: the gateway runs them, and the token is right where one is
/// needed.
pub(super) fn admitted(gateway: &Gateway, directory: &Directory, token: Option<&str>, identity: &Identity) -> Result<(), QueryError> {
    if !gateway.runs_scripts(directory) {
        let failure = QueryError::new("ad_hoc_off", "this gateway runs no scripts of callers").status(403);
        return Err(failure.hint("use one of its routes: /api"));
    }
    // Scopes say whether a caller that is known may send scripts.
    if identity.scopes.is_some() {
        return gateway.callers().known.permit_scripts(identity);
    }
    match &directory.settings.ad_hoc.token {
        Some(expected) if !same(token.unwrap_or_default().as_bytes(), expected.as_bytes()) => {
            let failure = QueryError::new("unauthorized", "scripts of callers need a token").status(401);
            Err(failure.hint("send Authorization: Bearer and the token"))
        }
        _ => Ok(()),
    }
}

/// Returns the token of a request.
pub(super) fn shown(headers: &HeaderMap) -> Option<&str> {
    headers.get(http::header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}
