//! API keys, of which the configuration has only hashes.

use jiff::Timestamp;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use sha2::{Digest, Sha256};

use super::rate::Rate;
use crate::secrets::same;

/// A key of the configuration. The key itself is random, so a plain hash is enough: nobody can try
/// all keys.
#[derive(Debug, Clone, Deserialize, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Key {
    /// The name of its holder, for logs and metrics.
    pub name: String,
    /// SHA-256 of the key, in hexadecimal digits.
    #[serde(rename = "sha256")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub hash: Hash,
    /// Names of its scopes.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// The time from when on it is no good (RFC 3339).
    #[serde(default, deserialize_with = "time")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub expires: Option<Timestamp>,
    /// Its rate, over that of `rates`.
    pub rate: Option<Rate>,
}

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map(Some).map_err(|_| D::Error::custom(format!("expected a time such as 2027-06-30T00:00:00Z, saw {text}")))
}

/// SHA-256 of something.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct Hash([u8; 32]);

impl Hash {
    /// Returns the hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Hash {
        Hash(Sha256::digest(bytes).into())
    }

    /// Reads hexadecimal digits.
    pub fn read(text: &str) -> Option<Hash> {
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let mut hash = [0; 32];
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != hash.len() || !rest.is_empty() {
            return None;
        }
        for (byte, [high, low]) in hash.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Some(Hash(hash))
    }
}

impl TryFrom<String> for Hash {
    type Error = String;

    fn try_from(text: String) -> Result<Hash, String> {
        Hash::read(&text).ok_or_else(|| "expected SHA-256 as 64 hexadecimal digits".to_owned())
    }
}

/// A hash of a key need not be shown.
impl std::fmt::Debug for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hash(…)")
    }
}

/// Returns the key that was shown, if it is one of `keys` and has not expired. All are compared, so
/// that the time does not depend on which it is.
pub fn find<'k>(keys: &'k [Key], shown: &[u8], now: Timestamp) -> Option<&'k Key> {
    let shown = Hash::of(shown);
    let mut found = None;
    for key in keys {
        if same(&key.hash.0, &shown.0) {
            found = Some(key);
        }
    }
    found.filter(|key| key.expires.is_none_or(|expires| now < expires))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_by_their_hash() {
        // `printf %s secret | sha256sum`
        let hash = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
        let text = format!(
            r#"[{{"name": "a", "sha256": "{}"}}, {{"name": "b", "sha256": "{hash}", "scopes": ["x"]}},
                {{"name": "c", "sha256": "{}", "expires": "2026-01-01T00:00:00Z"}}]"#,
            "0".repeat(64),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852B855"
        );
        let keys: Vec<Key> = serde_json::from_str(&text).unwrap();
        let at = |time: &str| time.parse::<Timestamp>().unwrap();
        let (early, late) = (at("2025-12-31T23:59:59Z"), at("2026-01-01T00:00:00Z"));
        assert_eq!(find(&keys, b"secret", late).map(|key| key.name.as_str()), Some("b"));
        assert_eq!(find(&keys, b"other", late), None);
        assert_eq!(find(&keys, b"", early).map(|key| key.name.as_str()), Some("c"));
        assert_eq!(find(&keys, b"", late), None, "it has expired");
        assert!(!format!("{keys:?}").contains("2bb8"));
    }
}
