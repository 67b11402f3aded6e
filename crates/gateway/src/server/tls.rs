//! TLS of callers.

use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::exchange::certificates::Identity;

/// The certificate for callers, and the versions of HTTP offered to them.
#[derive(Debug)]
pub struct Tls {
    identity: Identity,
    shown: RwLock<Shown>,
}

/// The certificate in force.
#[derive(Debug)]
struct Shown {
    certificates: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    config: Arc<ServerConfig>,
}

/// Reads a certificate and its key from files.
///
/// # Errors
/// A file cannot be read, or the key is not the certificate's.
pub fn tls(identity: &Identity) -> io::Result<Arc<Tls>> {
    let (certificates, key) = read(identity)?;
    let shown = RwLock::new(shown(identity, certificates, key)?);
    Ok(Arc::new(Tls { identity: identity.clone(), shown }))
}

impl Tls {
    /// Returns the files.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Reads the files again. Callers who connect from then on are shown the new certificate, and
    /// no old session is resumed. Returns true if it is another.
    ///
    /// # Errors
    /// As [`tls`]: the old one stays in force.
    pub fn reload(&self) -> io::Result<bool> {
        let (certificates, key) = read(&self.identity)?;
        {
            let before = self.shown.read().unwrap_or_else(PoisonError::into_inner);
            if before.certificates == certificates && before.key == key {
                return Ok(false);
            }
        }
        let shown = shown(&self.identity, certificates, key)?;
        *self.shown.write().unwrap_or_else(PoisonError::into_inner) = shown;
        Ok(true)
    }

    /// Returns the acceptor for the next caller.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.shown.read().unwrap_or_else(PoisonError::into_inner).config.clone())
    }
}

fn wrong(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

fn read(identity: &Identity) -> io::Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)> {
    identity.read().map_err(wrong)
}

fn shown(identity: &Identity, certificates: Vec<CertificateDer<'static>>, key: PrivateKeyDer<'static>) -> io::Result<Shown> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().map_err(io::Error::other)?;
    let config = builder.with_no_client_auth().with_single_cert(certificates.clone(), key.clone_key());
    let mut config = config.map_err(|error| wrong(format!("{}: {error}", identity.certificate.display())))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Shown { certificates, key, config: Arc::new(config) })
}
