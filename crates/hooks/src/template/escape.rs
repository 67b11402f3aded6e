//! How values are escaped in a body: by its media type, not always as HTML (ql-D21).

use std::fmt::Write;

/// A way to escape values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escape {
    /// As in XML and HTML: `&`, `<`, `>` and quotes become references.
    Markup,
    /// As in a JSON string (RFC 8259 7).
    Json,
    /// As in a form or a URI: all but unreserved characters become percent triplets (RFC 3986 2.3).
    Percent,
    /// Not at all.
    Plain,
}

impl Escape {
    /// Returns the way for a media type, whatever its parameters. An unknown type is taken for
    /// markup, as old templates expect.
    pub fn of(media_type: &str) -> Escape {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        let (_, subtype) = essence.split_once('/').unwrap_or(("", essence));
        let is = |name: &str| subtype.eq_ignore_ascii_case(name);
        let is_like_json = subtype.rsplit_once('+').is_some_and(|(_, suffix)| suffix.eq_ignore_ascii_case("json"));
        if is_like_json || is("json") {
            Escape::Json
        } else if is("x-www-form-urlencoded") {
            Escape::Percent
        } else if ["plain", "csv", "octet-stream"].into_iter().any(is) {
            Escape::Plain
        } else {
            Escape::Markup
        }
    }

    /// Appends `text`, escaped.
    pub(super) fn append(self, text: &str, out: &mut String) {
        // No way changes these, and most values are nothing else.
        if text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return out.push_str(text);
        }
        for letter in text.chars() {
            match (self, letter) {
                (Escape::Plain, _) => out.push(letter),
                (Escape::Markup, '&') => out.push_str("&amp;"),
                (Escape::Markup, '<') => out.push_str("&lt;"),
                (Escape::Markup, '>') => out.push_str("&gt;"),
                (Escape::Markup, '"') => out.push_str("&quot;"),
                (Escape::Markup, '\'') => out.push_str("&#39;"),
                (Escape::Markup, _) => out.push(letter),
                (Escape::Json, '"') => out.push_str("\\\""),
                (Escape::Json, '\\') => out.push_str("\\\\"),
                (Escape::Json, '\n') => out.push_str("\\n"),
                (Escape::Json, '\r') => out.push_str("\\r"),
                (Escape::Json, '\t') => out.push_str("\\t"),
                (Escape::Json, '\0'..='\x1f') => {
                    // Writing to a string does not fail.
                    let _ = write!(out, "\\u{:04x}", letter as u32);
                }
                (Escape::Json, _) => out.push(letter),
                (Escape::Percent, 'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '.' | '_' | '~') => out.push(letter),
                (Escape::Percent, _) => {
                    for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
                        let _ = write!(out, "%{byte:02X}");
                    }
                }
            }
        }
    }
}
