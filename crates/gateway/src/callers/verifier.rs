//! Signatures of tokens, verified by ring, which is also the gateway's TLS.

use std::sync::Once;

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::signature::{self, Verifier};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384,
    RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256, RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters,
    RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};

/// The gateway verifies with public keys only: it signs nothing.
static RING: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(ErrorKind::UnsupportedAlgorithm.into()),
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Has tokens verified by ring, in the whole process.
pub(super) fn install() {
    static ONCE: Once = Once::new();
    // A provider that is there already stays.
    ONCE.call_once(|| {
        let _ = RING.install_default();
    });
}

/// One of ring's algorithms.
#[derive(Clone, Copy)]
enum Means {
    Rsa(&'static RsaParameters),
    Other(&'static dyn VerificationAlgorithm),
}

/// Returns ring's algorithm and the family of its keys; nothing for those with shared secrets.
fn means(algorithm: Algorithm) -> Option<(AlgorithmFamily, Means)> {
    let rsa = |parameters| Some((AlgorithmFamily::Rsa, Means::Rsa(parameters)));
    match algorithm {
        Algorithm::RS256 => rsa(&RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => rsa(&RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => rsa(&RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => rsa(&RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => rsa(&RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => rsa(&RSA_PSS_2048_8192_SHA512),
        Algorithm::ES256 => Some((AlgorithmFamily::Ec, Means::Other(&ECDSA_P256_SHA256_FIXED))),
        Algorithm::ES384 => Some((AlgorithmFamily::Ec, Means::Other(&ECDSA_P384_SHA384_FIXED))),
        Algorithm::EdDSA => Some((AlgorithmFamily::Ed, Means::Other(&ED25519))),
        _ => None,
    }
}

/// Returns the family of an algorithm's keys; nothing for algorithms with shared secrets.
pub(super) fn family(algorithm: Algorithm) -> Option<AlgorithmFamily> {
    means(algorithm).map(|(family, _)| family)
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    let (family, means) = means(*algorithm).ok_or(ErrorKind::UnsupportedAlgorithm)?;
    if key.family() != family {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    Ok(Box::new(Ring { algorithm: *algorithm, means, key: key.clone() }))
}

struct Ring {
    algorithm: Algorithm,
    means: Means,
    key: DecodingKey,
}

impl JwtVerifier for Ring {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

impl Verifier<Vec<u8>> for Ring {
    fn verify(&self, message: &[u8], shown: &Vec<u8>) -> Result<(), signature::Error> {
        let verified = match (self.means, self.key.kind()) {
            (Means::Rsa(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n: minimal(n), e: minimal(e) }.verify(parameters, message, shown)
            }
            (Means::Other(algorithm), DecodingKeyKind::SecretOrDer(key)) => UnparsedPublicKey::new(algorithm, key).verify(message, shown),
            _ => return Err(signature::Error::new()),
        };
        verified.map_err(|_| signature::Error::new())
    }
}

/// Returns the number without zeros before it, which some issuers write and ring refuses.
fn minimal(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    &number[zeros..]
}
