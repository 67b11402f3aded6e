//! The first bytes of JSON.

/// Reports whether a value may start like `text`.
pub(crate) fn may_start(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n'))
}
