//! Digests of `crypto`.

use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

/// Returns the digest of `data`; with a key, the HMAC (RFC 2104). Returns `None` for an unknown
/// name.
pub(crate) fn digest(name: &str, key: Option<&[u8]>, data: &[u8]) -> Option<Vec<u8>> {
    macro_rules! with {
        ($hash:ty) => {
            match key {
                None => <$hash>::digest(data).to_vec(),
                // Keys of any length are valid.
                Some(key) => Hmac::<$hash>::new_from_slice(key).ok()?.chain_update(data).finalize().into_bytes().to_vec(),
            }
        };
    }
    Some(match name {
        "md5" => with!(Md5),
        "sha1" => with!(Sha1),
        "sha256" => with!(Sha256),
        "sha512" => with!(Sha512),
        _ => return None,
    })
}
