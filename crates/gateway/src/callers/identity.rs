//! A caller, as its request shows: by a key, by a token, or not at all.

use std::sync::Arc;

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName};
use jiff::Timestamp;
use polywire_ql::error::QueryError;
use polywire_ql::plan::Plan;
use polywire_ql::route::Route;

use super::keys;
use super::rate::Rate;
use super::scope::{Denied, permit};
use super::settings::Callers;
use super::tokens::{Refused, Tokens};
use crate::exchange::options::Options;

/// The header of API keys, unless the configuration names another one.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// A caller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// The name of the key, or the subject of the token. Nothing for callers who show neither.
    pub name: Option<Arc<str>>,
    /// Names of its scopes. `None` means that callers are not asked who they are.
    pub scopes: Option<Vec<String>>,
    /// A rate of its own.
    pub rate: Option<Rate>,
}

/// The rules by which callers are known.
pub struct Known {
    settings: Callers,
    header: HeaderName,
    tokens: Option<Arc<Tokens>>,
}

impl Known {
    /// Makes the rules of the configuration. The keys of an issuer that `before` has are kept. The
    /// options say how the issuer is asked.
    ///
    /// # Errors
    /// A setting is invalid.
    pub fn new(settings: &Callers, options: &Options, before: Option<&Known>) -> Result<Known, String> {
        settings.check()?;
        let kept = |jwt| before.and_then(|before| before.tokens.clone()).filter(|tokens| tokens.are_of(jwt));
        let tokens = settings.jwt.as_ref().map(|jwt| kept(jwt).map_or_else(|| Tokens::new(jwt, options).map(Arc::new), Ok));
        let header = settings.header.as_deref().and_then(|header| header.parse().ok()).unwrap_or(API_KEY);
        Ok(Known { settings: settings.clone(), header, tokens: tokens.transpose()? })
    }

    /// Returns true if requests have to be looked at.
    pub fn are_asked(&self) -> bool {
        self.settings.are_known()
    }

    /// Returns the caller of a request.
    ///
    /// # Errors
    /// It shows a key or token that is no good, or none where one is needed.
    pub async fn identify(&self, headers: &HeaderMap) -> Result<Identity, QueryError> {
        if !self.are_asked() {
            return Ok(Identity::default());
        }
        if let Some(shown) = headers.get(&self.header).filter(|_| !self.settings.keys.is_empty()) {
            let key = keys::find(&self.settings.keys, shown.as_bytes(), Timestamp::now()).ok_or_else(|| {
                let failure = QueryError::new("bad_key", format!("the key in the header {} is not known, or has expired", self.header));
                failure.status(401).hint("send a key whose SHA-256 is among `keys` of `callers` in config.json")
            })?;
            return Ok(Identity { name: Some(Arc::from(key.name.as_str())), scopes: Some(key.scopes.clone()), rate: key.rate });
        }
        let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
        });
        if let (Some(tokens), Some(token)) = (&self.tokens, bearer) {
            let holder = tokens.holder(token).await.map_err(refused)?;
            return Ok(Identity { name: Some(Arc::from(holder.name)), scopes: Some(holder.scopes), rate: None });
        }
        match &self.settings.anonymous {
            Some(scopes) => Ok(Identity { name: None, scopes: Some(scopes.clone()), rate: None }),
            None => {
                let expected = match (self.settings.keys.is_empty(), self.tokens.is_some()) {
                    (true, _) => "Authorization: Bearer and a token".to_owned(),
                    (false, false) => format!("the header {} with a key", self.header),
                    (false, true) => format!("the header {} with a key, or Authorization: Bearer and a token", self.header),
                };
                let failure = QueryError::new("unknown_caller", format!("the request does not show who calls; expected {expected}"));
                Err(failure.status(401).hint("ask the operator for a key, or set `anonymous` of `callers` in config.json"))
            }
        }
    }

    /// Checks that a caller may have a plan run: as a route, or as its script if `route` is `None`.
    ///
    /// # Errors
    /// No scope of it permits the route, the script, or a table.
    pub fn permit(&self, caller: &Identity, route: Option<&Route>, plan: &Plan) -> Result<(), QueryError> {
        let Some(names) = &caller.scopes else { return Ok(()) };
        let scopes = names.iter().filter_map(|name| self.settings.scopes.get(name));
        permit(scopes, route, plan).map_err(|denied| {
            let what = match &denied {
                Denied::Route(route) => format!("the route {route}"),
                Denied::Scripts => SCRIPTS.to_owned(),
                Denied::Table(table) => format!("the table {table}"),
                Denied::Making => "scripts that make tables".to_owned(),
            };
            out_of_scope(names, &what)
        })
    }

    /// Checks that a caller may send scripts at all.
    ///
    /// # Errors
    /// No scope of it permits that.
    pub fn permit_scripts(&self, caller: &Identity) -> Result<(), QueryError> {
        let Some(names) = &caller.scopes else { return Ok(()) };
        let permits = |name: &String| self.settings.scopes.get(name).is_some_and(|scope| scope.scripts);
        if names.iter().any(permits) { Ok(()) } else { Err(out_of_scope(names, SCRIPTS)) }
    }
}

/// Stands for scripts in errors.
const SCRIPTS: &str = "scripts of callers";

fn out_of_scope(names: &[String], what: &str) -> QueryError {
    let held = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let held: String = held.chars().take(200).collect();
    let failure = QueryError::new("out_of_scope", format!("no scope of the caller permits {what}; its scopes: {held}")).status(403);
    failure.hint("extend `scopes` of `callers` in config.json, or the scopes of the caller")
}

fn refused(refused: Refused) -> QueryError {
    match refused {
        Refused::Token(what) => {
            QueryError::new("bad_token", what).status(401).hint("get a new token from the issuer that `jwt` of `callers` names")
        }
        Refused::Keys(failure) => QueryError::new("no_keys", "the keys of the issuer cannot be fetched, so no token can be checked")
            .status(503)
            .cause(failure)
            .hint("try again later; `jwks` of `jwt` in config.json is the address"),
    }
}
