//! Certificates and keys in files, as PEM (RFC 7468).

use std::fs;
use std::path::{Path, PathBuf};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde::Deserialize;

/// A certificate and its key.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Identity {
    /// The file of the certificate, and of those that lead from it to an authority.
    pub certificate: PathBuf,
    /// The file of the private key.
    pub key: PathBuf,
}

impl Identity {
    /// Reads certificates and key.
    ///
    /// # Errors
    /// A file cannot be read, or holds none; the error names it.
    pub fn read(&self) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), String> {
        let pem = text(&self.key)?;
        let key = PrivateKeyDer::from_pem_slice(&pem).map_err(|error| format!("{}: no private key in PEM: {error}", self.key.display()))?;
        Ok((certificates(&self.certificate)?, key))
    }
}

/// Reads all certificates of a file, at least one.
///
/// # Errors
/// The file cannot be read, or holds something else; the error names it.
pub fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text(path)?).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(format!("{}: no certificate in PEM", path.display())),
        Err(error) => Err(format!("{}: no certificate in PEM: {error}", path.display())),
    }
}

/// Returns the bytes of a file.
pub(crate) fn text(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}
