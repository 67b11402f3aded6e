//! Tokens of an issuer (JWT, RFC 7519): their signature by the issuer's keys, and their claims.

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Validation, decode, decode_header};
use serde_json::{Map, Value};

use super::jwks::{Jwks, NoKey};
use super::settings::Jwt;
use super::verifier;
use crate::exchange::options::Options;

/// The longest token, in bytes.
const LONGEST: usize = 16 << 10;

/// The longest name of a caller, in characters.
const LONGEST_NAME: usize = 100;

/// The tokens that the gateway takes.
pub(super) struct Tokens {
    settings: Jwt,
    validation: Validation,
    jwks: Jwks,
}

/// The holder of a token.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Holder {
    /// Claim `sub`.
    pub name: String,
    /// Names of its scopes.
    pub scopes: Vec<String>,
}

/// The reason why a token is not taken.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It is no good: what was seen and what was expected.
    Token(String),
    /// The keys of the issuer cannot be had.
    Keys(String),
}

impl Tokens {
    /// Makes the rules for tokens.
    ///
    /// # Errors
    /// A setting is invalid.
    pub fn new(settings: &Jwt, options: &Options) -> Result<Tokens, String> {
        verifier::install();
        let algorithms = settings.algorithms.iter().map(|name| {
            let known = name.parse::<Algorithm>().ok().filter(|algorithm| verifier::family(*algorithm).is_some());
            known.ok_or_else(|| format!("callers: `algorithms` of `jwt`: expected algorithms with public keys such as RS256, saw {name}"))
        });
        let algorithms: Vec<Algorithm> = algorithms.collect::<Result<_, _>>()?;
        let first = *algorithms.first().ok_or("callers: `algorithms` of `jwt` is empty")?;
        if settings.audience.is_empty() {
            return Err("callers: `audience` of `jwt` is empty; expected the names of this gateway in the claim aud".to_owned());
        }
        let mut validation = Validation::new(first);
        validation.algorithms = algorithms;
        validation.leeway = settings.leeway;
        validation.validate_nbf = true;
        validation.set_issuer(&[&settings.issuer]);
        validation.set_audience(&settings.audience);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        Ok(Tokens { settings: settings.clone(), validation, jwks: Jwks::new(settings, options)? })
    }

    /// Returns true if these are the rules of `settings`.
    pub fn are_of(&self, settings: &Jwt) -> bool {
        self.settings == *settings
    }

    /// Returns the holder of a token that is valid now.
    ///
    /// # Errors
    /// It is not valid, or that cannot be known.
    pub async fn holder(&self, token: &str) -> Result<Holder, Refused> {
        let bad = |what: &str| Refused::Token(what.to_owned());
        if token.len() > LONGEST {
            return Err(bad("the token is longer than 16 KB"));
        }
        // An algorithm that is not known, such as none, is an error here.
        let header = decode_header(token).map_err(|_| bad("the token is no JWT that is signed with a known algorithm"))?;
        if !self.validation.algorithms.contains(&header.alg) {
            return Err(Refused::Token(format!("the token is signed by {:?}, which `algorithms` does not list", header.alg)));
        }
        // RFC 7515 4.1.11: extensions that must be understood.
        if header.crit.is_some() {
            return Err(bad("the token has critical extensions (crit), of which none is known"));
        }
        let key = self.jwks.key(header.kid.as_deref(), header.alg).await.map_err(|none| match none {
            NoKey::Unknown => bad("the token is signed by a key that its issuer does not list"),
            NoKey::Unavailable(failure) => Refused::Keys(failure),
        })?;
        // The library wants every algorithm of the rules to fit the key.
        let validation = Validation { algorithms: vec![header.alg], ..self.validation.clone() };
        let decoded = decode::<Map<String, Value>>(token, &key.decoding, &validation).map_err(|error| {
            Refused::Token(match error.kind() {
                ErrorKind::ExpiredSignature => "the token has expired (exp)".to_owned(),
                ErrorKind::ImmatureSignature => "the token is not valid yet (nbf)".to_owned(),
                ErrorKind::InvalidIssuer => "the token is of another issuer (iss)".to_owned(),
                ErrorKind::InvalidAudience => "the token is for another audience (aud)".to_owned(),
                ErrorKind::MissingRequiredClaim(claim) => format!("the token lacks the claim {claim}"),
                ErrorKind::InvalidClaimFormat(claim) => format!("the claim {claim} of the token has the wrong type"),
                ErrorKind::InvalidSignature => "the signature of the token is not that of its issuer".to_owned(),
                other => format!("the token cannot be checked: {other:?}").chars().take(200).collect(),
            })
        })?;
        let name = match decoded.claims.get("sub") {
            Some(Value::String(name)) if !name.is_empty() => name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect(),
            _ => return Err(bad("the token lacks the claim sub, a text")),
        };
        let mut scopes = self.settings.scopes.clone();
        match decoded.claims.get(&self.settings.scope_claim) {
            Some(Value::String(names)) => scopes.extend(names.split_ascii_whitespace().map(str::to_owned)),
            Some(Value::Array(names)) => scopes.extend(names.iter().filter_map(Value::as_str).map(str::to_owned)),
            _ => {}
        }
        Ok(Holder { name, scopes })
    }
}
