//! TLS of callers.

use std::io;
use std::sync::Arc;

use rustls::ServerConfig;

use crate::exchange::certificates::Identity;

/// What callers who speak TLS are shown, and the versions of HTTP they are offered.
///
/// # Errors
/// A file cannot be read, or the key is not the certificate's.
pub fn tls(identity: &Identity) -> io::Result<Arc<ServerConfig>> {
    let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidInput, what);
    let (certificates, key) = identity.read().map_err(wrong)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().map_err(io::Error::other)?;
    let config = builder.with_no_client_auth().with_single_cert(certificates, key);
    let mut config = config.map_err(|error| wrong(format!("{}: {error}", identity.certificate.display())))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
