//! Names of the object identifiers in certificates and keys. A name is a remark for `inspect`;
//! nothing depends on it.

/// Returns the usual name of an object identifier.
pub(super) fn name(dotted: &str) -> Option<&'static str> {
    NAMES.iter().find(|(oid, _)| *oid == dotted).map(|(_, name)| *name)
}

/// Object identifiers and their names.
///
/// RFC 5280 (certificates), RFC 4519 (names), RFC 8017 (RSA), RFC 5480 and RFC 5758 (elliptic
/// curves and their signatures), RFC 8410 (Curve25519 and Curve448), RFC 5652 and RFC 2985 (signed
/// messages).
const NAMES: &[(&str, &str)] = &[
    ("0.9.2342.19200300.100.1.1", "userId"),
    ("0.9.2342.19200300.100.1.25", "domainComponent"),
    ("1.2.840.10040.4.1", "dsa"),
    ("1.2.840.10045.2.1", "ecPublicKey"),
    ("1.2.840.10045.3.1.7", "P-256"),
    ("1.2.840.10045.4.3.2", "ecdsa-with-SHA256"),
    ("1.2.840.10045.4.3.3", "ecdsa-with-SHA384"),
    ("1.2.840.10045.4.3.4", "ecdsa-with-SHA512"),
    ("1.2.840.113549.1.1.1", "rsaEncryption"),
    ("1.2.840.113549.1.1.5", "sha1WithRSAEncryption"),
    ("1.2.840.113549.1.1.10", "RSASSA-PSS"),
    ("1.2.840.113549.1.1.11", "sha256WithRSAEncryption"),
    ("1.2.840.113549.1.1.12", "sha384WithRSAEncryption"),
    ("1.2.840.113549.1.1.13", "sha512WithRSAEncryption"),
    ("1.2.840.113549.1.7.1", "data"),
    ("1.2.840.113549.1.7.2", "signedData"),
    ("1.2.840.113549.1.7.3", "envelopedData"),
    ("1.2.840.113549.1.9.1", "emailAddress"),
    ("1.2.840.113549.1.9.3", "contentType"),
    ("1.2.840.113549.1.9.4", "messageDigest"),
    ("1.2.840.113549.1.9.5", "signingTime"),
    ("1.2.840.113549.1.9.14", "extensionRequest"),
    ("1.3.6.1.5.5.7.1.1", "authorityInfoAccess"),
    ("1.3.6.1.5.5.7.3.1", "serverAuth"),
    ("1.3.6.1.5.5.7.3.2", "clientAuth"),
    ("1.3.6.1.5.5.7.48.1", "ocsp"),
    ("1.3.6.1.5.5.7.48.2", "caIssuers"),
    ("1.3.14.3.2.26", "sha1"),
    ("1.3.101.110", "X25519"),
    ("1.3.101.111", "X448"),
    ("1.3.101.112", "Ed25519"),
    ("1.3.101.113", "Ed448"),
    ("1.3.132.0.34", "P-384"),
    ("1.3.132.0.35", "P-521"),
    ("2.5.4.3", "commonName"),
    ("2.5.4.4", "surname"),
    ("2.5.4.5", "serialNumber"),
    ("2.5.4.6", "countryName"),
    ("2.5.4.7", "localityName"),
    ("2.5.4.8", "stateOrProvinceName"),
    ("2.5.4.9", "streetAddress"),
    ("2.5.4.10", "organizationName"),
    ("2.5.4.11", "organizationalUnitName"),
    ("2.5.4.12", "title"),
    ("2.5.4.42", "givenName"),
    ("2.5.29.14", "subjectKeyIdentifier"),
    ("2.5.29.15", "keyUsage"),
    ("2.5.29.17", "subjectAltName"),
    ("2.5.29.18", "issuerAltName"),
    ("2.5.29.19", "basicConstraints"),
    ("2.5.29.30", "nameConstraints"),
    ("2.5.29.31", "cRLDistributionPoints"),
    ("2.5.29.32", "certificatePolicies"),
    ("2.5.29.35", "authorityKeyIdentifier"),
    ("2.5.29.37", "extKeyUsage"),
    ("2.16.840.1.101.3.4.2.1", "sha256"),
    ("2.16.840.1.101.3.4.2.2", "sha384"),
    ("2.16.840.1.101.3.4.2.3", "sha512"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_one_identifier() {
        assert_eq!(name("2.5.4.3"), Some("commonName"));
        assert_eq!(name("2.5.4"), None);
        for (n, (oid, known)) in NAMES.iter().enumerate() {
            assert!(NAMES[n + 1..].iter().all(|(other, name)| other != oid && name != known), "{known}");
        }
    }
}
