//! Entries in Redis or Valkey, shared by all replicas.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{ClientTlsConfig, TlsCertificates};

use super::{Entry, Store, StoreError};
use crate::exchange::certificates::{Identity, text};
use crate::exchange::head;

/// Prefix of all keys. The number is the version of the entries' layout.
const PREFIX: &str = "polywire:2:";

/// The longest entry that is sent, in bytes.
const LONGEST: usize = 1 << 20;

/// The longest time for a connection, and for one command. The cache as a whole waits less.
const PATIENCE: Duration = Duration::from_secs(1);

/// A store on a server. The first use opens the connection; a broken one is opened again.
pub struct Remote {
    client: redis::Client,
    config: ConnectionManagerConfig,
    /// Made on first use, since it needs a runtime.
    connection: std::sync::OnceLock<ConnectionManager>,
}

impl Remote {
    /// Makes a store at `redis://[user[:password]@]host[:port][/database]`, or `rediss://…` with
    /// TLS by the certificates of `trust`. The error never holds the URL.
    pub fn new(url: &str, trust: &Trust) -> Result<Self, StoreError> {
        let client = if url.starts_with("rediss:") {
            // The client takes the provider of the process; one that is set already is kept.
            let _ = rustls::crypto::ring::default_provider().install_default();
            redis::Client::build_with_tls(url, trust.read()?)
        } else {
            redis::Client::open(url)
        };
        let client = client.map_err(|error| store_error(&error))?;
        let config = ConnectionManagerConfig::new()
            .set_number_of_retries(0)
            .set_connection_timeout(Some(PATIENCE))
            .set_response_timeout(Some(PATIENCE));
        Ok(Remote { client, config, connection: std::sync::OnceLock::new() })
    }

    /// Sends a command, and returns its answer.
    pub(crate) async fn run<T: redis::FromRedisValue>(&self, command: redis::Cmd) -> Result<T, StoreError> {
        let mut connection = self.connection()?;
        command.query_async(&mut connection).await.map_err(|error| store_error(&error))
    }

    fn connection(&self) -> Result<ConnectionManager, StoreError> {
        if let Some(connection) = self.connection.get() {
            return Ok(connection.clone());
        }
        let connection =
            ConnectionManager::new_lazy_with_config(self.client.clone(), self.config.clone()).map_err(|error| store_error(&error))?;
        Ok(self.connection.get_or_init(|| connection).clone())
    }
}

/// The authorities that a store with TLS trusts, and the gateway's own certificate: files in PEM.
#[derive(Debug, Clone, Default)]
pub struct Trust {
    /// Authorities, instead of those of the web.
    pub roots: Option<PathBuf>,
    /// The identity shown to servers that ask for one.
    pub identity: Option<Identity>,
}

impl Trust {
    fn read(&self) -> Result<TlsCertificates, StoreError> {
        let client_tls = self
            .identity
            .as_ref()
            .map(|identity| Ok(ClientTlsConfig { client_cert: text(&identity.certificate)?, client_key: text(&identity.key)? }));
        let root_cert = self.roots.as_deref().map(text);
        Ok(TlsCertificates {
            client_tls: client_tls.transpose().map_err(StoreError)?,
            root_cert: root_cert.transpose().map_err(StoreError)?,
        })
    }
}

/// Holds the kind only: details may name the server's user.
fn store_error(error: &redis::RedisError) -> StoreError {
    StoreError(format!("the cache server failed: {:?}", error.kind()))
}

impl Store for Remote {
    fn get(&self, key: &str) -> BoxFuture<'static, Result<Option<Arc<Entry>>, StoreError>> {
        let (connection, key) = (self.connection(), format!("{PREFIX}{key}"));
        async move {
            let mut connection = connection?;
            let bytes: Option<Vec<u8>> =
                redis::cmd("GET").arg(key).query_async(&mut connection).await.map_err(|error| store_error(&error))?;
            // Bytes that another program wrote there are no entry.
            Ok(bytes.and_then(|bytes| decode(bytes.into())).map(Arc::new))
        }
        .boxed()
    }

    fn put(&self, key: &str, entry: Arc<Entry>, expires: Duration) -> BoxFuture<'static, Result<(), StoreError>> {
        let (connection, key) = (self.connection(), format!("{PREFIX}{key}"));
        async move {
            if entry.body.len() > LONGEST {
                return Ok(());
            }
            let mut connection = connection?;
            let millis = u64::try_from(expires.as_millis()).unwrap_or(u64::MAX).clamp(1, i64::MAX as u64);
            let command = redis::cmd("SET").arg(key).arg(encode(&entry)).arg("PX").arg(millis).to_owned();
            command.query_async(&mut connection).await.map_err(|error| store_error(&error))
        }
        .boxed()
    }
}

/// The first byte of an entry: `s` for a body of the service, `h` for a body that a hook made.
const MADE: [u8; 2] = *b"sh";

fn encode(entry: &Entry) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(entry.body.len() + 512);
    bytes.push(MADE[usize::from(entry.made)]);
    head::write(entry.status, &entry.headers, &mut bytes);
    bytes.extend_from_slice(&entry.body);
    bytes
}

fn decode(bytes: Bytes) -> Option<Entry> {
    let made = MADE.iter().position(|byte| Some(byte) == bytes.first())? == 1;
    let (status, headers, length) = head::read(&bytes[1..])?;
    Some(Entry { status, headers, body: bytes.slice(1 + length..), made })
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderMap, HeaderValue, StatusCode};

    #[test]
    fn there_and_back() {
        let mut headers = HeaderMap::new();
        headers.append("a", HeaderValue::from_static("b"));
        for made in [false, true] {
            let entry = Entry { status: StatusCode::NOT_FOUND, headers: headers.clone(), body: Bytes::from_static(b"\n\n\0body"), made };
            assert_eq!(decode(encode(&entry).into()), Some(entry));
        }
        assert_eq!(decode(Bytes::new()), None);
        assert_eq!(decode(Bytes::from_static(b"what somebody else wrote")), None);
    }

    #[test]
    fn the_password_is_not_told() {
        let Err(StoreError(reason)) = Remote::new("redis://user:s3cret@host:port", &Trust::default()) else { panic!("that is no port") };
        assert!(!reason.contains("s3cret"), "{reason}");
    }
}
