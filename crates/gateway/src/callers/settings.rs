//! The settings `callers` and `rates`.

use std::collections::BTreeMap;

use ipnet::IpNet;
use serde::Deserialize;

use super::keys::Key;
use super::rate::Rate;
use super::scope::Scope;

/// The setting `callers`: who may ask, and for what.
#[derive(Debug, Clone, Default, Deserialize, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Callers {
    /// API keys.
    pub keys: Vec<Key>,
    /// The header that carries a key; `x-api-key` unless it is set.
    pub header: Option<String>,
    /// Tokens of an issuer.
    pub jwt: Option<Jwt>,
    /// Permissions by name.
    pub scopes: BTreeMap<String, Scope>,
    /// Names of the scopes of callers who show nothing. Without it they are refused where there are
    /// keys or tokens.
    pub anonymous: Option<Vec<String>>,
}

/// The setting `callers.jwt`: tokens by RFC 7519, signed by keys of a JWKS (RFC 7517).
#[derive(Debug, Clone, Deserialize, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Jwt {
    /// The address of the issuer's keys.
    pub jwks: String,
    /// The issuer: claim `iss`.
    pub issuer: String,
    /// Names of this gateway, one of which the claim `aud` has.
    pub audience: Vec<String>,
    /// Algorithms that a token may be signed by.
    #[serde(default = "algorithms")]
    pub algorithms: Vec<String>,
    /// The most seconds that clocks may differ.
    #[serde(default = "leeway")]
    pub leeway: u64,
    /// The claim with the names of scopes: a text with spaces between, or a list.
    #[serde(default = "scope_claim")]
    pub scope_claim: String,
    /// Scopes that every token has.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Milliseconds after which the keys are fetched again.
    #[serde(default = "refresh")]
    pub refresh: u64,
    /// The fewest milliseconds between two fetches, whatever tokens name.
    #[serde(default = "cooldown")]
    pub cooldown: u64,
}

fn algorithms() -> Vec<String> {
    ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"].map(str::to_owned).to_vec()
}

fn leeway() -> u64 {
    60
}

fn scope_claim() -> String {
    "scope".to_owned()
}

fn refresh() -> u64 {
    600_000
}

fn cooldown() -> u64 {
    30_000
}

/// The setting `rates`: requests that a caller may make.
#[derive(Debug, Clone, Default, Deserialize, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Rates {
    /// For each key and subject of tokens.
    pub per_caller: Option<Rate>,
    /// For each address.
    pub per_address: Option<Rate>,
    /// The place of the counts: in the process, or at a URL of Redis.
    pub store: Option<String>,
    /// Networks of proxies whose `X-Forwarded-For` names the caller's address.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub proxies: Vec<IpNet>,
}

impl Callers {
    /// Returns true if callers have to show who they are, or may.
    pub fn are_known(&self) -> bool {
        !self.keys.is_empty() || self.jwt.is_some() || self.anonymous.is_some()
    }

    /// Returns true if a caller needs a key or token for scripts.
    pub fn guard_scripts(&self) -> bool {
        let anonymous = self.anonymous.iter().flatten();
        self.are_known() && !anonymous.filter_map(|name| self.scopes.get(name)).any(|scope| scope.scripts)
    }

    /// Checks the names of scopes and headers.
    ///
    /// # Errors
    /// A scope is not defined, a key is there twice, or a header has no valid name.
    pub fn check(&self) -> Result<(), String> {
        if let Some(header) = &self.header
            && header.parse::<http::HeaderName>().is_err()
        {
            return Err(format!("callers: `header` is not a header name: {header}"));
        }
        let named = self.keys.iter().flat_map(|key| &key.scopes).chain(self.anonymous.iter().flatten());
        let of_tokens = self.jwt.iter().flat_map(|jwt| &jwt.scopes);
        if let Some(name) = named.chain(of_tokens).find(|name| !self.scopes.contains_key(*name)) {
            return Err(format!("callers: the scope {name} is not defined; expected one of `scopes`"));
        }
        let mut names: Vec<&str> = self.keys.iter().map(|key| key.name.as_str()).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("callers: two keys have the name {}", pair[0]));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named() {
        let hash = "0".repeat(64);
        for (text, part) in [
            (format!(r#"{{"keys": [{{"name": "a", "sha256": "{hash}", "scopes": ["gone"]}}]}}"#), "gone"),
            (r#"{"anonymous": ["gone"]}"#.to_owned(), "gone"),
            (format!(r#"{{"keys": [{{"name": "a", "sha256": "{hash}"}}, {{"name": "a", "sha256": "{hash}"}}]}}"#), "two keys"),
            (r#"{"header": "a b"}"#.to_owned(), "a b"),
        ] {
            let callers: Callers = serde_json::from_str(&text).unwrap();
            let error = callers.check().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        for text in [r#"{"keys": [{"name": "a", "key": "plain"}]}"#, r#"{"keys": [{"name": "a", "sha256": "short"}]}"#, r#"{"key": []}"#] {
            assert!(serde_json::from_str::<Callers>(text).is_err(), "{text}");
        }
    }
}
