//! The keys of an issuer, fetched by URL (RFC 7517 5). They are kept, fetched again after a while,
//! and at once for a token that names an unknown one; but not more often than the cooldown says,
//! whatever tokens name.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::Uri;
use jsonwebtoken::jwk::{Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use tokio::time::Instant;

use super::settings::Jwt;
use super::verifier::family;
use crate::exchange::bounds::Bounds;
use crate::exchange::client::{Client, Parts};
use crate::exchange::message::Request;
use crate::exchange::options::Options;
use crate::exchange::policy::Grant;

/// The longest document, in bytes.
const LONGEST: u64 = 1 << 20;

/// The most keys of a document.
const MOST: usize = 100;

/// The longest time for a fetch.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest wait until the next fetch after a failure.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// Keys that cannot be fetched again are used for this many times the refresh interval.
const STALE: u32 = 6;

/// A key of an issuer.
pub(super) struct Key {
    id: Option<String>,
    /// The only algorithm that it is for, if it names one.
    algorithm: Option<Algorithm>,
    pub decoding: DecodingKey,
}

/// The reason why there is no key for a token.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoKey {
    /// The issuer has none of that name and kind.
    Unknown,
    /// The keys cannot be fetched: what happened.
    Unavailable(String),
}

#[derive(Default)]
struct State {
    keys: Arc<Vec<Arc<Key>>>,
    fetched: Option<Instant>,
    tried: Option<Instant>,
    failure: Option<String>,
}

/// The keys of an issuer.
pub(super) struct Jwks {
    uri: Uri,
    client: Client,
    refresh: Duration,
    cooldown: Duration,
    state: Mutex<State>,
    /// Held by who fetches.
    fetching: tokio::sync::Mutex<()>,
}

impl Jwks {
    /// Makes the keys of an issuer; the first token has them fetched. The options say how services
    /// are asked.
    ///
    /// # Errors
    /// The address is no URL, or an option is invalid.
    pub fn new(settings: &Jwt, options: &Options) -> Result<Jwks, String> {
        let wrong = || format!("callers: `jwks` is not an http or https URL: {}", settings.jwks);
        let uri: Uri = settings.jwks.parse().map_err(|_| wrong())?;
        let mut policy = options.policy()?;
        policy.allow(Grant::of_template(&settings.jwks).ok_or_else(wrong)?);
        let options = Options { max_response_length: LONGEST, max_decoded_length: None, ..options.clone() };
        let client = Client::new(options, Parts { policy, ..Parts::default() })?;
        let millis = Duration::from_millis;
        Ok(Jwks {
            uri,
            client,
            refresh: millis(settings.refresh),
            cooldown: millis(settings.cooldown),
            state: Mutex::default(),
            fetching: tokio::sync::Mutex::default(),
        })
    }

    /// Returns the key that a token names and its algorithm fits.
    ///
    /// # Errors
    /// There is none.
    pub async fn key(&self, id: Option<&str>, algorithm: Algorithm) -> Result<Arc<Key>, NoKey> {
        let (known, seen) = self.known(id, algorithm);
        if let Some(key) = &known
            && self.age().is_some_and(|age| age < self.refresh)
        {
            return Ok(key.clone());
        }
        {
            // Others wait for the one that fetches, and look at what it got.
            let _one = self.fetching.lock().await;
            let tried = self.lock().tried;
            if tried == seen && self.may_fetch() {
                self.fetch().await;
            }
        }
        let (known, _) = self.known(id, algorithm);
        let usable = self.age().is_some_and(|age| age < self.refresh.saturating_mul(STALE));
        match (known, usable) {
            (Some(key), true) => Ok(key),
            (None, true) => Err(NoKey::Unknown),
            (_, false) => Err(NoKey::Unavailable(self.lock().failure.clone().unwrap_or_default())),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn age(&self) -> Option<Duration> {
        self.lock().fetched.map(|fetched| fetched.elapsed())
    }

    fn may_fetch(&self) -> bool {
        let state = self.lock();
        let pause = if state.failure.is_some() { self.cooldown.min(AFTER_FAILURE) } else { self.cooldown };
        state.tried.is_none_or(|tried| tried.elapsed() >= pause)
    }

    /// Returns the key, and the time of the last try to fetch.
    fn known(&self, id: Option<&str>, algorithm: Algorithm) -> (Option<Arc<Key>>, Option<Instant>) {
        let state = self.lock();
        let fits = |key: &&Arc<Key>| Some(key.decoding.family()) == family(algorithm) && key.algorithm.is_none_or(|only| only == algorithm);
        let mut fitting = state.keys.iter().filter(fits);
        let key = match id {
            Some(id) => fitting.find(|key| key.id.as_deref() == Some(id)),
            // RFC 7515 4.1.4: the name may be left out. Then there must be no choice.
            None => fitting.next().filter(|_| fitting.next().is_none()),
        };
        (key.cloned(), state.tried)
    }

    async fn fetch(&self) {
        self.lock().tried = Some(Instant::now());
        let fetched = self.document().await;
        let mut state = self.lock();
        match fetched {
            Ok(keys) => {
                state.keys = Arc::new(keys);
                state.fetched = Some(Instant::now());
                state.failure = None;
            }
            Err(failure) => state.failure = Some(failure),
        }
    }

    async fn document(&self) -> Result<Vec<Arc<Key>>, String> {
        let mut request = Request::get(self.uri.clone());
        request.idle = PATIENCE;
        let reply = self.client.send(&request, &Bounds::new(Some(PATIENCE), 1)).await.map_err(|error| error.to_string())?;
        if reply.status != http::StatusCode::OK {
            return Err(format!("status {}", reply.status));
        }
        let document: serde_json::Value = serde_json::from_slice(&reply.body).map_err(|error| error.to_string())?;
        let keys = document.get("keys").and_then(serde_json::Value::as_array).ok_or("expected an object with a list `keys`")?;
        // Keys of kinds that are not known are for others.
        Ok(keys.iter().take(MOST).filter_map(|key| read(key).map(Arc::new)).collect())
    }
}

/// Reads a public key for signatures.
fn read(key: &serde_json::Value) -> Option<Key> {
    let jwk: Jwk = serde_json::from_value(key.clone()).ok()?;
    if jwk.common.public_key_use.as_ref().is_some_and(|meant| *meant != PublicKeyUse::Signature) {
        return None;
    }
    let algorithm = match &jwk.common.key_algorithm {
        Some(named) => Some(named.to_string().parse().ok()?),
        None => None,
    };
    let decoding = DecodingKey::from_jwk(&jwk).ok()?;
    Some(Key { id: jwk.common.key_id, algorithm, decoding })
}
