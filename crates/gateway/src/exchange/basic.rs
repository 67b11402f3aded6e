//! A name and a password as a header (RFC 7617).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;

/// Returns the value of `Authorization` or `Proxy-Authorization`, which is never printed; `None`
/// where no header can hold it.
pub fn basic(user: &[u8], password: &[u8]) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(format!("Basic {}", STANDARD.encode([user, b":", password].concat()))).ok()?;
    value.set_sensitive(true);
    Some(value)
}
